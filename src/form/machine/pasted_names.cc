#include "form/machine/pasted_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace heddle::form {
namespace {

using std::string_view;

constexpr string_view kBuiltin = "__builtin_amdgcn_";

/// What comes behind the prefix.
std::optional<string_view> behind(string_view name, string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

/// An intrinsic of LLVM, of MLIR's rocdl or of clang has no suffix for the encoding, but one for
/// the lanes.
std::optional<std::string> mnemonic_of_amd(string_view name) {
  for (const string_view prefix : {string_view("llvm.amdgcn."), string_view("rocdl."), kBuiltin}) {
    const auto rest = behind(name, prefix);
    if (!rest) continue;
    std::string mnemonic(*rest);
    std::ranges::replace(mnemonic, '.', '_');
    for (const string_view suffix : {"_gfx12", "_w32", "_w64"}) {
      if (mnemonic.ends_with(suffix)) mnemonic.erase(mnemonic.size() - suffix.size());
    }
    const bool is_load = mnemonic.starts_with("ds_") || mnemonic.starts_with("global_");
    return is_load ? mnemonic : fmt::format("v_{}", mnemonic);
  }
  return std::nullopt;
}

/// The arguments of a template, without blanks.
std::vector<std::string> arguments_of(string_view text) {
  std::vector<std::string> all(1);
  int depth = 0;
  for (const char letter : text) {
    if (letter == '<') ++depth;
    if (letter == '>') --depth;
    if (letter == ',' && depth == 0) {
      all.emplace_back();
    } else if (letter != ' ') {
      all.back() += letter;
    }
  }
  return all;
}

/// `cutlass::half_t` is `half_t`.
string_view without_namespace(string_view name) {
  for (const string_view space : {"cute::", "cutlass::"}) name = behind(name, space).value_or(name);
  return name;
}

/// A name of CuTe without what is around it, and without the arguments that do not change what the
/// threads hold: how operands lie in shared memory, and signs.
std::string name_of_cute(string_view name) {
  name = without_namespace(name);
  const std::size_t open = name.find('<');
  if (open == string_view::npos || !name.ends_with('>')) return std::string(name);
  const string_view called = name.substr(0, open);
  std::vector<std::string> arguments = arguments_of(name.substr(open + 1, name.size() - open - 2));
  constexpr std::array<string_view, 4> kAround = {"MMA_Atom", "MMA_Traits", "Copy_Atom",
                                                  "Copy_Traits"};
  if (std::ranges::find(kAround, called) != kAround.end()) return name_of_cute(arguments.front());
  std::erase_if(arguments, [](std::string& argument) {
    argument = without_namespace(argument);
    return argument.find("::") != std::string::npos;
  });
  return arguments.empty() ? std::string(called)
                           : fmt::format("{}<{}>", called, fmt::join(arguments, ","));
}

}  // namespace

std::string catalogued_name(string_view name) {
  // No name has so many parts, and what is around a name may nest without end.
  constexpr std::size_t kLongest = 512;
  if (name.size() > kLongest) return std::string(name);
  if (auto mnemonic = mnemonic_of_amd(name)) return *std::move(mnemonic);
  if (const auto of_intel = behind(name, "_tile_")) return fmt::format("t{}", *of_intel);
  constexpr string_view kEncodingSuffix = "_e64";
  if (name.ends_with(kEncodingSuffix)) name.remove_suffix(kEncodingSuffix.size());
  return name_of_cute(name);
}

std::int64_t lanes_in_name(string_view name) {
  constexpr string_view kSuffixOfRdna4 = "_gfx12";
  if (!name.starts_with(kBuiltin)) return 0;
  if (name.ends_with(kSuffixOfRdna4)) name.remove_suffix(kSuffixOfRdna4.size());
  return name.ends_with("_w32") ? 32 : name.ends_with("_w64") ? 64 : 0;
}

}  // namespace heddle::form

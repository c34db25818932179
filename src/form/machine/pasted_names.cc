#include "form/machine/pasted_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "form/machine/names.h"

namespace heddle::form {
namespace {

using std::string_view;

constexpr string_view kBuiltin = "__builtin_amdgcn_";

/// What comes behind the prefix.
std::optional<string_view> behind(string_view name, string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  return name.substr(prefix.size());
}

/// Removes the suffix; whether it was there.
bool takes_off(string_view& name, string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

/// The bits of LLVM's type: 256 of `v8f32`, 32 of `i32`.
std::int64_t bits_of_type(string_view type) {
  const std::int64_t count = type.starts_with('v') ? number(type.substr(1)) : 1;
  return count *
         number(type.substr(std::min(type.find_last_not_of("0123456789") + 1, type.size())));
}

/// Takes the types off an intrinsic that is overloaded; the first is a vector, `.v8f32.v16f16`.
void take_types(string_view& name, PastedName& pasted) {
  std::size_t at = name.find(".v");
  while (at != string_view::npos && number(name.substr(at + 2)) == 0) at = name.find(".v", at + 2);
  if (at == string_view::npos) return;
  const std::vector<string_view> types = split(name.substr(at + 1), '.');
  name = name.substr(0, at);
  // Other intrinsics have the types of other operands.
  const bool says_d_and_a = name.starts_with("wmma.") || name.starts_with("swmmac.");
  if (!says_d_and_a || types.size() < 2) return;
  pasted.bits_of_d = bits_of_type(types[0]);
  pasted.bits_of_a = bits_of_type(types[1]);
}

/// Takes the lanes and the machine off clang's name. The builtins of RDNA4 that RDNA3 has too end
/// with `_gfx12`, and those of gfx1250 say no lanes.
void take_lanes(string_view& name, PastedName& pasted) {
  if (takes_off(name, "_gfx12")) pasted.machine = "rdna4";
  pasted.lanes = takes_off(name, "_w32") ? 32 : takes_off(name, "_w64") ? 64 : 0;
  const bool is_of_rdna3 = pasted.lanes != 0 && name.starts_with("wmma_");
  if (is_of_rdna3 && pasted.machine.empty()) pasted.machine = "rdna3";
}

/// An intrinsic of LLVM, of MLIR's rocdl or of clang, which has no suffix for the encoding. That of
/// a `tied` one keeps the other halves of D's registers.
std::optional<PastedName> intrinsic_of_amd(string_view name) {
  for (const string_view prefix : {string_view("llvm.amdgcn."), string_view("rocdl."), kBuiltin}) {
    const auto rest = behind(name, prefix);
    if (!rest) continue;
    PastedName pasted;
    string_view called = *rest;
    if (prefix == kBuiltin) {
      take_lanes(called, pasted);
    } else {
      take_types(called, pasted);
    }
    if (!takes_off(called, "_tied")) takes_off(called, ".tied");
    const bool is_load = called.starts_with("ds") || called.starts_with("global");
    pasted.name = fmt::format("{}{}", is_load ? "" : "v_", called);
    std::ranges::replace(pasted.name, '.', '_');
    return pasted;
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

PastedName pasted_name(string_view name) {
  // No name has so many parts, and what is around a name may nest without end.
  constexpr std::size_t kLongest = 512;
  if (name.size() > kLongest) return {std::string(name)};
  if (auto intrinsic = intrinsic_of_amd(name)) return *std::move(intrinsic);
  if (const auto of_intel = behind(name, "_tile_")) return {fmt::format("t{}", *of_intel)};
  takes_off(name, "_e64");
  return {name_of_cute(name)};
}

}  // namespace heddle::form

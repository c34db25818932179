#include "form/machine/nvidia_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "form/machine/names.h"
#include "heddle/form/element_type.h"

namespace heddle::form {
namespace {

/// The type whose name the text begins with, and that name, which is the longest one.
struct Spelling {
  std::string_view text;
  NvidiaType type;
};

constexpr std::string_view kFloatPrefix = "float_";

Spelling spelling_at(std::string_view text) {
  // Complex numbers of two f64, which elsewhere are not what `c64` is, and Gaussian ones.
  if (text.starts_with("c64")) return {"c64", {"c64", 128}};
  if (text.starts_with("gc64")) return {"gc64", {"gc64", 192}};
  constexpr std::size_t kLongest = 8;
  for (std::size_t length = std::min(text.size(), kLongest); length > 0; --length) {
    const std::string_view name = text.substr(0, length);
    if (const ElementType* type = find_element_type(name)) {
      return {name, {ptx_name(type->name), static_cast<int>(type->bits)}};
    }
  }
  assert(false);
  return {text, {}};
}

void erase_all(std::string& text, std::string_view part, std::size_t from = 0) {
  for (auto at = text.find(part, from); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

/// The arguments as they are listed.
std::string short_arguments(std::string name, std::size_t open) {
  for (const std::string_view part : {" ", "cutlass::", "cute::", "float_", "_t"}) {
    erase_all(name, part, open);
  }
  if (!name.starts_with("sm100_mma_")) return name;
  const std::size_t end = std::min(
      {name.find(",k", open), name.find(",mn", open), name.find(",umma::", open), name.rfind('>')});
  if (end == std::string::npos) return name;
  name.erase(end);
  if (name.find("f8f6f4") == std::string::npos) return name + '>';
  for (const std::string_view type : {"e5m2", "e3m2", "e2m3", "e2m1"}) {
    for (auto at = name.find(type, open); at != std::string::npos; at = name.find(type, at)) {
      name.replace(at, type.size(), "e4m3");
    }
  }
  return name + '>';
}

}  // namespace

NvidiaType nvidia_type(std::string_view text) {
  const std::string lower = lower_case(text);
  const bool is_prefixed = lower.starts_with(kFloatPrefix);
  return spelling_at(std::string_view(lower).substr(is_prefixed ? kFloatPrefix.size() : 0)).type;
}

std::vector<NvidiaType> nvidia_types(std::string_view run) {
  const std::string lower = lower_case(run);
  std::vector<NvidiaType> types;
  for (std::size_t at = 0; at < lower.size();) {
    const Spelling spelling = spelling_at(std::string_view(lower).substr(at));
    types.push_back(spelling.type);
    at += spelling.text.size();
  }
  return types;
}

std::string nvidia_machine(std::string_view name) {
  constexpr std::int64_t kFirst = 70;
  return fmt::format("sm_{}", std::max(kFirst, number(name.substr(2))));
}

std::array<std::int64_t, 3> nvidia_shape(std::string_view text) {
  if (text.front() == 'm') text.remove_prefix(1);
  std::array<std::int64_t, 3> shape{};
  for (std::int64_t& size : shape) {
    size = number(text);
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size() - 1) + 1);
  }
  return shape;
}

std::string ptx_shape(const std::array<std::int64_t, 3>& shape) {
  return fmt::format("m{}n{}k{}", shape[0], shape[1], shape[2]);
}

InstructionOperand nvidia_operand(std::string name, const NvidiaType& type, Fragment fragment) {
  return {std::move(name), std::string(type.name), type.bits, std::move(fragment)};
}

std::string nvidia_key(std::string name) {
  name = lower_case(name);
  if (name.starts_with("sm90::gmma::mma_")) name.replace(0, 16, "sm90_");
  for (const std::string_view part : {".sync", ".aligned", ".mma_async", "::ordered_metadata"}) {
    if (name.find('.') != std::string::npos) erase_all(name, part);
  }
  const std::size_t open = name.find('<');
  return open == std::string::npos ? name : short_arguments(std::move(name), open);
}

void list_by_name(InstructionListings& listings, const std::string& name, std::string machine,
                  std::int64_t lanes, std::vector<std::string> aliases,
                  Instruction (*make)(const std::string& name, const std::string& machine),
                  bool is_passed_on) {
  listings.push_back({.name = name,
                      .machine = machine,
                      .lanes = lanes,
                      .make = [name, machine, make] { return make(name, machine); },
                      .is_passed_on = is_passed_on,
                      .aliases = std::move(aliases)});
}

}  // namespace heddle::form

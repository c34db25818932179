#include "form/machine/nvidia_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "form/machine/names.h"

namespace heddle::form {
namespace {

struct Spelling {
  std::string_view text;
  NvidiaType type;
};

constexpr Spelling kSpellings[] = {
    {"f64", {"f64", 64}},    {"f32", {"f32", 32}},       {"f16", {"f16", 16}},
    {"bf16", {"bf16", 16}},  {"bfloat16", {"bf16", 16}}, {"tf32", {"tf32", 32}},
    {"half", {"f16", 16}},   {"tfloat32", {"tf32", 32}}, {"float", {"f32", 32}},
    {"s32", {"s32", 32}},    {"int32", {"s32", 32}},     {"s8", {"s8", 8}},
    {"int8", {"s8", 8}},     {"u8", {"u8", 8}},          {"uint8", {"u8", 8}},
    {"s4", {"s4", 4}},       {"u4", {"u4", 4}},          {"u1", {"b1", 1}},
    {"b1", {"b1", 1}},       {"e4m3", {"e4m3", 8}},      {"e5m2", {"e5m2", 8}},
    {"e3m2", {"e3m2", 6}},   {"e2m3", {"e2m3", 6}},      {"e2m1", {"e2m1", 4}},
    {"ue8m0", {"ue8m0", 8}}, {"ue4m3", {"ue4m3", 8}},    {"c64", {"c64", 128}},
    {"gc64", {"gc64", 192}}};

constexpr std::string_view kFloatPrefix = "float_";

const Spelling& spelling_at(std::string_view text) {
  const auto* const found = std::ranges::find_if(
      kSpellings, [&](const Spelling& spelling) { return text.starts_with(spelling.text); });
  assert(found != std::end(kSpellings));
  return *found;
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
    const Spelling& spelling = spelling_at(std::string_view(lower).substr(at));
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

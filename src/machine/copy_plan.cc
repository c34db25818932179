#include "heddle/machine/copy_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/bits.h"
#include "core/format.h"
#include "core/text.h"
#include "heddle/core/exact.h"
#include "heddle/machine/copy_width.h"
#include "heddle/machine/machine.h"
#include "heddle/machine/tma.h"
#include "heddle/map/convert.h"

namespace heddle::machine {
namespace {

constexpr std::string_view kAsync = "cp.async of";
constexpr std::string_view kTensorMap = "cp.async.bulk.tensor (TMA)";

bool has_unit(const form::Machine& machine, std::string_view unit) {
  return std::ranges::any_of(machine.copy_units,
                             [&](std::string_view name) { return name.starts_with(unit); });
}

Result<cute::AnyLayout> as_cute(const map::AnyLayout& layout) {
  HEDDLE_TRY(const map::Converted converted, map::convert(layout, map::System::kCute));
  if (const auto* plain = std::get_if<cute::Layout>(&converted.layout)) return *plain;
  return std::get<cute::ComposedLayout>(converted.layout);
}

/// The copy by accesses of this many bytes, all of the same width.
CopyChoice by_threads(std::string instruction, const CopyWidth& widest, std::int64_t elements,
                      std::int64_t bytes) {
  CopyChoice choice{.instruction = std::move(instruction)};
  if (widest.vector_bits % (8 * bytes) == 0) {
    choice.count = elements * widest.element_bits / (8 * bytes);
  } else {
    choice.note = fmt::format("{}", fmt::join(widest.limits, "; "));
  }
  return choice;
}

/// Layouts are copied by coordinates; those of other shapes by CuTe's order of their elements,
/// which tensor maps do not know.
CopyChoice by_tensor_map(const cute::AnyLayout& source, const cute::AnyLayout& destination,
                         const map::AnyLayout& global, const map::AnyLayout& shared,
                         std::int64_t element_bits) {
  CopyChoice choice{.instruction = std::string(kTensorMap)};
  const IntTuple from = cute::shape(source);
  const IntTuple to = cute::shape(destination);
  if (!std::ranges::equal(from.leaves(), to.leaves())) {
    choice.note = "the two layouts have different shapes";
    return choice;
  }
  const auto element = tma_element(element_bits);
  if (!element) {
    choice.note = element.error().message();
    return choice;
  }
  const auto copy = tma_descriptor({global}, {shared}, *element);
  if (!copy) {
    choice.note = copy.error().message();
    return choice;
  }
  choice.count = copy->instructions().value();
  choice.note = fmt::format("of {} bytes", copy->box_size() * element_bits / 8);
  return choice;
}

}  // namespace

Result<CopyPlan> copy_plan(const map::AnyLayout& source, const map::AnyLayout& destination,
                           std::string_view machine, std::int64_t element_bits) {
  HEDDLE_TRY(const form::Machine* found, find(machine));
  HEDDLE_TRY(const std::vector<std::int64_t> sizes, access_sizes(*found, element_bits));
  HEDDLE_TRY(const auto from, as_cute(source));
  HEDDLE_TRY(const auto to, as_cute(destination));
  HEDDLE_TRY(const CopyWidth widest, copy_width(from, to, element_bits, 8 * sizes.front()));
  const std::int64_t elements = cute::size(from).value();
  if (!exact::multiply(elements, element_bits)) {
    return refuse("overflow", "{} of {} bits: the bits do not fit into 64 bits",
                  counted(elements, "element"), element_bits);
  }
  std::vector<CopyChoice> choices;
  for (const std::int64_t bytes : sizes) {
    choices.push_back(by_threads(fmt::format("{} bytes a thread", bytes), widest, elements, bytes));
  }
  for (const std::int64_t bytes : {16, 8, 4}) {
    if (!has_unit(*found, kAsync) || 8 * bytes < element_bits) continue;
    choices.push_back(
        by_threads(fmt::format("cp.async of {} bytes", bytes), widest, elements, bytes));
  }
  if (has_unit(*found, kTensorMap)) {
    choices.push_back(by_tensor_map(from, to, source, destination, element_bits));
  }
  return make_copy_plan(
      fmt::format("{} of {} bits from memory to memory on {}; instructions of all threads",
                  counted(elements, "element"), element_bits, found->name),
      std::move(choices));
}

CopyPlan make_copy_plan(std::string title, std::vector<CopyChoice> choices) {
  std::ranges::stable_partition(choices, &CopyChoice::fits);
  return {std::move(title), std::move(choices)};
}

std::string to_string(const CopyPlan& plan) {
  std::size_t width = 0;
  for (const CopyChoice& choice : plan.choices) width = std::max(width, choice.instruction.size());
  std::string text = plan.title;
  for (const CopyChoice& choice : plan.choices) {
    text +=
        fmt::format("\n  {}  {:{}}", choice.fits() ? "fits" : "no  ", choice.instruction, width);
    if (choice.fits()) text += fmt::format("  {}", choice.count);
    if (!choice.note.empty()) text += fmt::format("{}{}", choice.fits() ? " " : "  ", choice.note);
  }
  return text;
}

Result<std::vector<std::int64_t>> access_sizes(const form::Machine& machine,
                                               std::int64_t element_bits) {
  if (!machine.load_bytes) {
    return refuse(diagnose("copy.machine", "no document states the loads of {}", machine.name)
                      .with_hint("copy_plan knows the accesses of NVIDIA's and AMD's machines"));
  }
  std::vector<std::int64_t> sizes;
  for (const std::int64_t bytes : machine.load_bytes->values) {
    if (is_power_of_two(bytes) && 8 * bytes >= element_bits) sizes.push_back(bytes);
  }
  if (sizes.empty()) {
    return refuse("copy.bits", "elements of {} bits; one access of {} moves at most {}",
                  element_bits, machine.name, 8 * machine.load_bytes->values.back());
  }
  std::ranges::reverse(sizes);
  return sizes;
}

}  // namespace heddle::machine

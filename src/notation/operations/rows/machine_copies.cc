// Copies: how wide they are, and which instructions of a machine make them.

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/analyze/conversion.h"
#include "heddle/analyze/copy_plan.h"
#include "heddle/machine/copy_plan.h"
#include "heddle/machine/copy_width.h"
#include "heddle/machine/machine.h"
#include "heddle/notation/analyses.h"
#include "heddle/notation/any_layout.h"
#include "notation/operations/binding.h"
#include "notation/operations/element_width.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

Datum::Fields data_of(const machine::CopyWidth& width) {
  return {{"element_bits", width.element_bits},
          {"vector_bits", width.vector_bits},
          {"elements", width.elements()},
          {"common", width.common},
          {"alignment_a", width.alignment_a},
          {"alignment_b", width.alignment_b},
          {"limits", Datum::List(width.limits.begin(), width.limits.end())}};
}

/// The widths of a copy whose elements have a width that is not said: for each that is usual.
Result<Report> copy_widths(const cute::AnyLayout& a, const cute::AnyLayout& b,
                           std::int64_t max_bits) {
  Report report;
  Datum::List data;
  for (const std::int64_t bits : {8, 16, 32, 64}) {
    HEDDLE_TRY(const machine::CopyWidth width, machine::copy_width(a, b, bits, max_bits));
    report.text +=
        fmt::format("{}{:>2} bits  {} at a time", data.empty() ? "" : "\n", bits, width.elements());
    data.emplace_back(data_of(width));
  }
  report.data = std::move(data);
  return report;
}

/// A layout of memory, also one of Triton's encodings.
Result<map::AnyLayout> memory_of(const Value& value, const linear::Sizes& shape) {
  const auto* encoding = value.get_if<linear::Encoding>();
  if (encoding == nullptr) return to_any_layout(value);
  HEDDLE_TRY(linear::LinearLayout layout, linear::to_linear_layout(*encoding, shape));
  return map::AnyLayout(std::move(layout));
}

Report report_of(const machine::CopyPlan& plan) {
  Datum::List choices;
  for (const machine::CopyChoice& choice : plan.choices) {
    choices.emplace_back(Datum::Fields{{"instruction", choice.instruction},
                                       {"fits", choice.fits()},
                                       {"count", choice.count},
                                       {"note", choice.note}});
  }
  return {.text = to_string(plan),
          .data = Datum::Fields{{"title", plan.title}, {"choices", std::move(choices)}}};
}

Result<Report> copy_plan_of(const Value& a, const Value& b, const std::string& machine, int bits,
                            const linear::Sizes& shape) {
  HEDDLE_TRY(const form::Machine* found, machine::find(machine));
  const std::int64_t lanes = found->lanes ? found->lanes->values.front() : 1;
  const auto is_held = [&](const Value& value) {
    return value.is<cute::TvLayout>() || is_register_layout(value, shape);
  };
  if (is_held(a) && is_held(b)) {
    HEDDLE_TRY(const linear::LinearLayout from, register_layout_of(a, shape));
    HEDDLE_TRY(const linear::LinearLayout to, register_layout_of(b, shape));
    const analyze::Serving unstated(std::string(found->name), lanes);
    HEDDLE_TRY(
        const analyze::Conversion conversion,
        analyze::conversion_class(from, to, bits, {analyze::serving(machine).value_or(unstated)}));
    return notation::report_of(conversion);
  }
  if (!is_held(a) && !is_held(b)) {
    HEDDLE_TRY(const map::AnyLayout from, memory_of(a, shape));
    HEDDLE_TRY(const map::AnyLayout to, memory_of(b, shape));
    HEDDLE_TRY(const auto plan, machine::copy_plan(from, to, machine, bits));
    return report_of(plan);
  }
  const auto direction = is_held(a) ? analyze::Direction::kWrite : analyze::Direction::kRead;
  HEDDLE_TRY(const analyze::Access access, is_held(a) ? access_of(a, b, bits, shape, lanes)
                                                      : access_of(b, a, bits, shape, lanes));
  HEDDLE_TRY(const auto plan, analyze::copy_plan(access, direction, machine));
  return report_of(plan);
}

Result<Report> copy_plans(const Value& a, const Value& b, const std::string& machine,
                          const std::optional<ElementWidth>& element,
                          const std::optional<IntTuple>& shape) {
  linear::Sizes sizes;
  const std::span<const Int> leaves = shape ? shape->leaves() : std::span<const Int>();
  for (const Int& leaf : leaves) {
    HEDDLE_TRY(const std::int64_t size, constant(leaf));
    sizes.push_back(size);
  }
  if (element) return copy_plan_of(a, b, machine, static_cast<int>(element->bits), sizes);
  Report report;
  Datum::List data;
  for (const int bits : {8, 16, 32, 64}) {
    HEDDLE_TRY(Report one, copy_plan_of(a, b, machine, bits, sizes));
    report.text += (data.empty() ? "" : "\n") + one.text;
    data.push_back(std::move(one.data));
  }
  report.data = std::move(data);
  return report;
}

void add_width(const Rows& add) {
  add({.call = "copy_width(a, b, element_bits, max_bits=128)",
       .summary = "How many elements CuTe's copy(a, b) moves at a time, and why not more; without "
                  "`element_bits` for elements of 8, 16, 32 and 64 bits.",
       .example = {"copy_width((4,8):(1,4), (4,8):(1,16), 16)",
                   "4 elements of 16 bits, 64 bits at a time\n"
                   "  common     4 elements are contiguous and in the same order in both\n"
                   "  aligned    a to 512 bits, b to 64 bits\n"
                   "  not wider  (0,1) is at 4 in a and at 16 in b\n"
                   "  not wider  b is aligned to 64 bits only"}},
      [](const cute::AnyLayout& a, const cute::AnyLayout& b,
         const std::optional<ElementWidth>& element, std::int64_t max_bits) -> Result<Report> {
        if (!element) return copy_widths(a, b, max_bits);
        HEDDLE_TRY(const machine::CopyWidth width,
                   machine::copy_width(a, b, element->bits, max_bits));
        return Report{.text = to_string(width), .data = data_of(width)};
      });
}

void add_plan(const Rows& add) {
  add({.call = "copy_plan(a, b, machine, element_bits, shape)",
       .summary =
           "Which instructions of a machine copy a to b, memory or registers, how often they "
           "are executed, and why the others do not fit; without `element_bits` for "
           "elements of 8, 16, 32 and 64 bits.",
       .example = {R"(copy_plan((64,8):(8,1), (64,8):(1,64), "sm_80", 16))",
                   "512 elements of 16 bits from memory to memory on sm_80; instructions of all "
                   "threads\n"
                   "  fits  2 bytes a thread      512\n"
                   "  no    16 bytes a thread     (1,0) is at 8 in a and at 1 in b\n"
                   "  no    8 bytes a thread      (1,0) is at 8 in a and at 1 in b\n"
                   "  no    4 bytes a thread      (1,0) is at 8 in a and at 1 in b\n"
                   "  no    cp.async of 16 bytes  (1,0) is at 8 in a and at 1 in b\n"
                   "  no    cp.async of 8 bytes   (1,0) is at 8 in a and at 1 in b\n"
                   "  no    cp.async of 4 bytes   (1,0) is at 8 in a and at 1 in b"}},
      [](const Value& a, const Value& b, const std::string& machine,
         const std::optional<ElementWidth>& element, const std::optional<IntTuple>& shape) {
        return copy_plans(a, b, machine, element, shape);
      });
}

}  // namespace

void add_machine_copy_operations(std::vector<Operation>& table) {
  const Rows add{table, "machines and their instructions"};
  add_width(add);
  add_plan(add);
}

}  // namespace heddle::notation

#include "notation/operations/axe_arithmetic.h"
#include "heddle/core/nearest_names.h"
#include "notation/value/axe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "expr/assume_needed.h"

namespace heddle::notation {
namespace {

using Combined = Result<std::optional<Value>>;

std::optional<Int> integer_of(const Value& value) {
  const auto* tuple = value.get_if<IntTuple>();
  if (tuple == nullptr || tuple->leaves().size() != 1) return std::nullopt;
  return tuple->leaf();
}

/// The parts that a value adds to a layout: a number, a step, a sum of these, replicas.
std::optional<AxePart> part_of(const Value& value) {
  if (const auto* part = value.get_if<AxePart>()) return *part;
  const auto step = as_step(value);
  if (!step || value.is<std::string>() || value.is<Datum>()) return std::nullopt;
  return AxePart{{}, axe::Coordinate{{step->axis, step->value}}};
}

/// The sum of both parts; `is_difference` subtracts the second offset.
AxePart sum_of(AxePart left, const AxePart& right, bool is_difference) {
  left.replica.insert(left.replica.end(), right.replica.begin(), right.replica.end());
  if (is_difference) {
    left.offset -= right.offset;
  } else {
    left.offset += right.offset;
  }
  return left;
}

/// A swizzle acts last. A part added after it can be moved before it only if the swizzle does not
/// change that part.
Result<void> check_passes(const axe::Swizzle& swizzle, const axe::Layout& layout,
                          const AxePart& part) {
  const auto passes = [&](const Int& step) { return known_divides(swizzle.period(), step); };
  bool all_pass = passes(part.offset[swizzle.axis]);
  for (const axe::Iter& iter : part.replica) {
    all_pass = all_pass && (iter.axis != swizzle.axis || passes(iter.stride));
  }
  if (all_pass || swizzle.is_identity()) return {};
  const std::string text = to_string(part);
  return refuse(
      Diagnostic("axe.sum", fmt::format("({}) + {}: a swizzle is the last step of a layout, and "
                                        "this would follow it on the axis {}",
                                        axe::to_string(layout), text, swizzle.axis.name()))
          .with_note(fmt::format("only multiples of its period {} pass through {}",
                                 to_string(swizzle.period()), axe::to_string(swizzle)))
          .with_hint(fmt::format("without the parentheses {} is added before the swizzle", text)));
}

Result<axe::Layout> layout_with(const axe::Layout& layout, const AxePart& part,
                                bool is_difference) {
  if (layout.swizzle()) HEDDLE_CHECK(check_passes(*layout.swizzle(), layout, part));
  AxePart whole{{layout.replica().begin(), layout.replica().end()}, layout.offset()};
  whole = sum_of(std::move(whole), part, is_difference);
  return axe::Layout::make({layout.shard().begin(), layout.shard().end()}, std::move(whole.replica),
                           std::move(whole.offset), layout.swizzle());
}

Refusal refuse_two_shards(const axe::Layout& left, const axe::Layout& right) {
  return refuse(Diagnostic("axe.sum", fmt::format("{} + {}: a layout has one shard part",
                                                  axe::to_string(left), axe::to_string(right)))
                    .with_hint("a layout over both index spaces is direct_sum(A, B, [S_A, S_B]) "
                               "or tile(A, B, [S_A, S_B])"));
}

Combined sum(const Value& left, const Value& right, bool is_difference) {
  const auto* a = left.get_if<axe::Layout>();
  const auto* b = right.get_if<axe::Layout>();
  if (a != nullptr && b != nullptr) return refuse_two_shards(*a, *b);
  const std::optional<AxePart> part_a = a != nullptr ? std::nullopt : part_of(left);
  const std::optional<AxePart> part_b = b != nullptr ? std::nullopt : part_of(right);
  if ((a == nullptr && !part_a) || (b == nullptr && !part_b)) return std::nullopt;
  if (is_difference && (b != nullptr || !part_b->replica.empty())) {
    return refuse(Diagnostic(
        "axe.sum", fmt::format("{} is subtracted; only offsets can be", to_string(right))));
  }
  if (a == nullptr && b == nullptr) return Value(sum_of(*part_a, *part_b, is_difference));
  HEDDLE_TRY(axe::Layout layout, a != nullptr ? layout_with(*a, *part_b, is_difference)
                                              : layout_with(*b, *part_a, false));
  return Value(std::move(layout));
}

/// 2*4@m; K//BK@m, whose axis applies to the whole product; 4@m*2.
Combined product(TokenKind sign, const Value& left, const Value& right) {
  const auto* step = right.get_if<AxisStep>();
  if (const auto factor = integer_of(left); factor && step != nullptr) {
    HEDDLE_TRY(Int value, calculate(sign, *factor, step->value));
    return Value(AxisStep{std::move(value), step->axis});
  }
  const auto factor = integer_of(right);
  step = left.get_if<AxisStep>();
  if (!factor || step == nullptr || sign != TokenKind::kStar) return std::nullopt;
  HEDDLE_TRY(Int value, calculate(sign, step->value, *factor));
  return Value(AxisStep{std::move(value), step->axis});
}

/// -(2@m + 1@warpid)
Combined negated(const Value& left, const Value& right) {
  const auto factor = integer_of(left);
  const auto* part = right.get_if<AxePart>();
  if (!factor || part == nullptr || !part->replica.empty()) return std::nullopt;
  axe::Coordinate offset;
  for (const auto& [axis, value] : part->offset) {
    HEDDLE_TRY(const Int multiple, calculate(TokenKind::kStar, *factor, value));
    offset.add(axis, multiple);
  }
  return Value(AxePart{{}, std::move(offset)});
}

std::vector<Axis> axes_of(const Value& value) {
  if (const auto* layout = value.get_if<axe::Layout>()) {
    std::vector<Axis> axes = axe::axes(*layout);
    if (layout->swizzle()) axes.push_back(layout->swizzle()->axis);
    return axes;
  }
  if (const auto* step = value.get_if<AxisStep>()) return {step->axis};
  if (const auto* iter = value.get_if<axe::Iter>()) return {iter->axis};
  if (const auto* swizzle = value.get_if<axe::Swizzle>()) return {swizzle->axis};
  return {};
}

/// The result, or a refusal with the reason why it is undefined.
Result<Int> value_of(const Int& result, const Int& a, const char* sign, const Int& b) {
  if (result.is_defined() || !a.is_defined() || !b.is_defined()) {
    return check_defined(result, fmt::format("{} {} {}", to_string(a), sign, to_string(b)));
  }
  const std::string text =
      shortened(fmt::format("{} {} {}", to_string(a), sign, to_string(b)), 200);
  const bool is_number = a.is_constant() && b.is_constant();
  return refuse("overflow",
                text + (is_number ? " does not fit into 64 bits"
                                  : " has a coefficient that does not fit into 64 bits, "
                                    "or more terms than are worked with"));
}

/// a / b, which has to be an integer.
Result<Int> exact_quotient(const Int& a, const Int& b) {
  const std::string text = fmt::format("{} / {}", to_string(a), to_string(b));
  if (known_equal(b, 0)) return refuse("arithmetic.zero_divisor", text + " divides by zero");
  HEDDLE_TRY(const bool divides, decide_needed({b, Predicate::kDivides, a}, [&] { return text; }));
  if (divides) return value_of(floor_div(a, b), a, "/", b);
  return refuse(Diagnostic("syntax.slash", text + " is not an integer")
                    .with_hint("a / b in a tile is the size of the tiles that b divides a into; "
                               "write // for the quotient rounded down"));
}

}  // namespace

Result<Int> calculate(TokenKind sign, const Int& a, const Int& b) {
  if (sign == TokenKind::kPlus) return value_of(a + b, a, "+", b);
  if (sign == TokenKind::kMinus) return value_of(a - b, a, "-", b);
  if (sign == TokenKind::kStar) return value_of(a * b, a, "*", b);
  if (sign == TokenKind::kSlash) return exact_quotient(a, b);
  const bool is_quotient = sign == TokenKind::kFloorDivide;
  const std::string text =
      fmt::format("{} {} {}", to_string(a), is_quotient ? "//" : "%", to_string(b));
  if (known_equal(b, 0)) return refuse("arithmetic.zero_divisor", text + " divides by zero");
  return value_of(is_quotient ? floor_div(a, b) : mod(a, b), a, is_quotient ? "//" : "%", b);
}

Combined combine_axe(TokenKind sign, const Value& left, const Value& right) {
  if (!left.is_axe() && !right.is_axe()) return std::nullopt;
  if (sign == TokenKind::kPlus || sign == TokenKind::kMinus) {
    return sum(left, right, sign == TokenKind::kMinus);
  }
  if (sign == TokenKind::kStar && right.is<AxePart>()) return negated(left, right);
  return product(sign, left, right);
}

Result<axe::Layout> swizzled(const axe::Swizzle& swizzle, const axe::Layout& layout) {
  if (layout.swizzle() && !layout.swizzle()->is_identity()) {
    return refuse("axe.sum", fmt::format("{} o ({}): a layout has one swizzle",
                                         axe::to_string(swizzle), axe::to_string(layout)));
  }
  return axe::Layout::make({layout.shard().begin(), layout.shard().end()},
                           {layout.replica().begin(), layout.replica().end()}, layout.offset(),
                           swizzle);
}

Result<std::vector<axe::Iter>> make_iters(const std::vector<Int>& extents,
                                          const std::vector<AxisStep>* strides) {
  if (strides != nullptr && strides->size() != extents.size()) {
    return refuse("axe.iters", fmt::format("{} extent{} and {} stride{}: each iter has one of both",
                                           extents.size(), extents.size() == 1 ? "" : "s",
                                           strides->size(), strides->size() == 1 ? "" : "s"));
  }
  std::vector<axe::Iter> iters(extents.size());
  Int reach = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    iters[i] = strides != nullptr ? axe::Iter{extents[i], (*strides)[i].value, (*strides)[i].axis}
                                  : axe::Iter{extents[i], reach, Axis::memory()};
    HEDDLE_CHECK(check_defined(iters[i].stride, "a row-major stride"));
    reach *= extents[i];
  }
  return iters;
}

std::optional<AxisStep> as_step(const Value& value) {
  if (const auto* step = value.get_if<AxisStep>()) return *step;
  if (const auto number = integer_of(value)) return AxisStep{*number, Axis::memory()};
  if (const auto* name = value.get_if<std::string>(); name != nullptr && is_axis_name(*name)) {
    return AxisStep{1, Axis(*name)};
  }
  const auto* datum = value.get_if<Datum>();
  const Datum::List* pair = datum == nullptr ? nullptr : datum->list();
  if (pair == nullptr || pair->size() != 2) return std::nullopt;
  if ((*pair)[0].number() == nullptr || (*pair)[1].text() == nullptr) return std::nullopt;
  if (!is_axis_name(*(*pair)[1].text())) return std::nullopt;
  return AxisStep{*(*pair)[0].number(), Axis(*(*pair)[1].text())};
}

Result<void> check_axes(const Value& value, const axe::AxisTable& table) {
  for (const Axis& axis : axes_of(value)) {
    if (table.find(axis)) continue;
    std::vector<std::string> names;
    for (const axe::AxisInfo& info : table.axes()) names.push_back(info.name);
    std::string hint = did_you_mean(axis.name(), names);
    if (hint.empty()) hint = fmt::format("declare it: axis {}: memory", axis.name());
    return refuse(Diagnostic("axe.unknown_axis", fmt::format("unknown axis {}", quote(axis.name())))
                      .with_hint(std::move(hint)));
  }
  return {};
}

}  // namespace heddle::notation

#include "heddle/axe/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "axe/layout/iter_intersect.h"
#include "axe/layout/iters.h"
#include "axe/layout/reach.h"
#include "axe/quotient/product.h"
#include "axe/quotient/quotient.h"
#include "form/explain_swizzle.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/tile.h"

namespace heddle::axe {
namespace {

constexpr std::size_t kMaxListed = 8;

/// An explanation titled with the operation and its operands.
Explanation apply_of(std::string what, std::string at, std::vector<std::string> more = {}) {
  Explanation explanation;
  explanation.title = fmt::format("{} at {}", what, at);
  explanation.operation = "apply";
  explanation.operands = {std::move(what), std::move(at)};
  explanation.operands.insert(explanation.operands.end(), more.begin(), more.end());
  return explanation;
}

std::string extents_text(std::span<const Iter> iters) { return tuple_text(extents_of(iters)); }

/// `2*4*2 = 16`; empty for one factor.
std::string product_text(std::span<const Iter> iters) {
  if (iters.size() < 2) return {};
  std::vector<std::string> factors;
  Int product = 1;
  for (const Iter& iter : iters) {
    factors.push_back(to_string(iter.extent));
    product *= iter.extent;
  }
  return fmt::format(": {} = {}", fmt::join(factors, "*"), product);
}

/// `{1@m, 2@m}`, the first few of many.
std::string set_text(std::span<const Coordinate> places, std::size_t most) {
  std::vector<std::string> texts;
  for (const Coordinate& place : places.first(std::min(places.size(), most)))
    texts.push_back(to_string(place));
  const std::string more = places.size() > most ? ", …" : "";
  return fmt::format("{{{}{}}}", fmt::join(texts, ", "), more);
}

bool is_explainable(const Layout& layout) {
  return layout.shard().size() + layout.replica().size() <= kMaxExplainedIters;
}

std::string too_many_iters() {
  return fmt::format("Layouts of more than {} iters are not taken apart.", kMaxExplainedIters);
}

template <class T>
void refuse_with(Explanation& explanation, const Result<T>& actual) {
  if (!actual) explanation.refusal = actual.error();
}

// The forward map.

/// The constants along the way from an index to its places.
class Walk {
 public:
  Walk(const Layout& layout, const Int& index)
      : layout_(layout), index_(index), digits_(unflatten(extents_of(layout.shard()), index)) {}

  [[nodiscard]] Explanation digits_step() const {
    const std::span<const Iter> shard = layout_.shard();
    Explanation digits = step(
        "digits", fmt::format("of {} in the extents {}, last fastest", index_, extents_text(shard)),
        tuple_text(digits_));
    Int rest = index_;
    for (std::size_t i = shard.size(); i-- > 1;) {
      const Int next = floor_div(rest, shard[i].extent);
      digits.steps.push_back(row(
          i, fmt::format("{} = {}*{} + {}: {} left", rest, next, shard[i].extent, digits_[i], next),
          to_string(digits_[i])));
      rest = next;
    }
    digits.steps.push_back(row(0, "what is left", to_string(rest)));
    return digits;
  }

  [[nodiscard]] Explanation axes_step() const {
    Explanation steps = step("steps", "each digit times its stride, added up on its axis",
                             to_string(shard_at(layout_, index_)));
    for (const Axis& axis : axes(layout_)) add_axis(steps, axis);
    return steps;
  }

 private:
  [[nodiscard]] Explanation row(std::size_t i, std::string text, std::string result) const {
    return step(MarkedText::whole(iter_text(layout_.shard()[i]), i), std::move(text),
                MarkedText::whole(std::move(result), i));
  }

  void add_axis(Explanation& steps, const Axis& axis) const {
    std::vector<std::string> terms;
    Int sum = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const Iter& iter = layout_.shard()[i];
      if (iter.axis != axis) continue;
      terms.push_back(fmt::format("{}*{}", digits_[i], factor_text(iter.stride)));
      sum += digits_[i] * iter.stride;
    }
    if (terms.empty()) return;
    steps.steps.push_back(step(axis.name(), fmt::format("{} = {}", fmt::join(terms, " + "), sum),
                               step_text(sum, axis)));
  }

  const Layout& layout_;
  const Int& index_;
  std::vector<Int> digits_;
};

/// `(1,5) in (8,16), row-major: 1*16 + 5 = 21`.
std::string flat_text(std::span<const Int> shape, std::span<const Int> point) {
  std::vector<std::string> terms;
  Int index = 0;
  Int weight = product(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    weight = floor_div(weight, shape[i]);
    index += point[i] * weight;
    terms.push_back(weight == Int(1) ? to_string(point[i])
                                     : fmt::format("{}*{}", point[i], weight));
  }
  return fmt::format("{} in {}, row-major: {} = {}", tuple_text(point), tuple_text(shape),
                     fmt::join(terms, " + "), index);
}

/// The places before the swizzle.
Result<std::vector<Coordinate>> unswizzled(const Layout& layout, const Int& index) {
  HEDDLE_TRY(const Layout plain, with_swizzle(layout, {}));
  return places(plain, index);
}

Explanation places_step(const Layout& layout, std::span<const Coordinate> before) {
  std::vector<std::string> parts;
  if (!layout.offset().is_zero())
    parts.push_back(fmt::format("the offset {} added", layout.offset()));
  if (!layout.replica().empty()) {
    parts.push_back(fmt::format("a copy for each point of {}", iters_text(layout.replica())));
  }
  if (parts.empty()) parts.emplace_back("no offset, no replicas: one place");
  return step("places", fmt::format("{}", fmt::join(parts, ", ")), set_text(before, kMaxListed));
}

/// Shows the swizzle of each different address.
void add_swizzles(Explanation& explanation, const Swizzle& swizzle,
                  std::span<const Coordinate> before) {
  std::vector<Int> addresses;
  for (const Coordinate& place : before) {
    const Int address = place[swizzle.axis];
    if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
    if (addresses.size() > kMaxListed) break;
  }
  for (std::size_t i = 0; i < std::min(addresses.size(), kMaxListed); ++i) {
    Explanation one = explain_swizzle(swizzle, addresses[i]);
    one.operation.clear();
    explanation.steps.push_back(std::move(one));
  }
}

Explanation walked(Explanation explanation, const Layout& layout, const Int& index) {
  const Result<std::vector<Coordinate>> actual = places(layout, index);
  refuse_with(explanation, actual);
  if (!actual) return explanation;
  if (actual->size() <= kMaxExplainedIters)
    explanation.result = set_text(*actual, kMaxExplainedIters);
  const auto before = unswizzled(layout, index);
  if (!is_explainable(layout) || !before) {
    explanation.steps.clear();
    explanation.text = too_many_iters();
    return explanation;
  }
  explanation.text =
      "The flat index, its digits, a step along an axis for each of them, then offset and replicas "
      "make a set of places.";
  const Walk walk(layout, index);
  explanation.steps.push_back(walk.digits_step());
  explanation.steps.push_back(walk.axes_step());
  explanation.steps.push_back(places_step(layout, *before));
  if (layout.swizzle()) add_swizzles(explanation, *layout.swizzle(), *before);
  return explanation;
}

bool is_constant(std::span<const Int> numbers) {
  return std::ranges::all_of(numbers, &Int::is_constant);
}

// Groupings.

/// Splits the iters of a normal form as the blocks of a grouping do, from the fast end.
class Cuts {
 public:
  explicit Cuts(const Layout& canonical)
      : rest_(canonical.shard().begin(), canonical.shard().end()) {}

  /// Takes a block, and says which iters it is made of or cut from.
  [[nodiscard]] std::string take(std::span<const Iter> block) {
    if (block.size() == 1 && block.front().extent == Int(1)) return "an extent of 1 takes nothing";
    std::string text = fmt::format("takes {}{}", iters_text(block), product_text(block));
    for (std::size_t i = block.size(); i-- > 0;) {
      while (!rest_.empty() && rest_.back().extent == Int(1)) rest_.pop_back();
      if (rest_.empty()) return text;
      Iter& whole = rest_.back();
      if (block[i].extent == whole.extent) {
        rest_.pop_back();
        continue;
      }
      const Iter outer{floor_div(whole.extent, block[i].extent), whole.stride * block[i].extent,
                       whole.axis};
      text += fmt::format("; {} is cut, {} = {}*{}: {} is left", iter_text(whole), whole.extent,
                          to_string(outer.extent), block[i].extent, iter_text(outer));
      whole = outer;
    }
    return text;
  }

 private:
  std::vector<Iter> rest_;
};

void add_blocks(Explanation& explanation, const Layout& canonical, const Grouping& grouping,
                std::span<const Int> shape) {
  Cuts cuts(canonical);
  for (std::size_t j = shape.size(); j-- > 0;) {
    const std::string text = cuts.take(grouping.block(j));
    explanation.steps.push_back(
        step(fmt::format("dim {}: {}", j, shape[j]), text, extents_text(grouping.block(j))));
  }
}

}  // namespace

Explanation explain_places(const Layout& layout, std::span<const Int> shape,
                           std::span<const Int> point) {
  Explanation explanation = apply_of(to_string(layout), tuple_text(point), {tuple_text(shape)});
  const Result<std::vector<Coordinate>> actual = places(layout, shape, point);
  refuse_with(explanation, actual);
  const bool is_plain = is_constant(layout) && is_constant(shape) && is_constant(point);
  if (!actual || !is_plain) return explanation;
  const Int index = flatten(shape, point);
  explanation.steps.push_back(step("index", flat_text(shape, point), to_string(index)));
  return walked(std::move(explanation), layout, index);
}

Explanation explain_places(const Layout& layout, const Int& index) {
  Explanation explanation = apply_of(to_string(layout), to_string(index));
  if (!is_constant(layout) || !index.is_constant()) return explanation;
  return walked(std::move(explanation), layout, index);
}

Explanation explain_swizzle(const Swizzle& swizzle, const Int& address) {
  const Int image = swizzle(address);
  Explanation explanation = apply_of(to_string(swizzle), to_string(address));
  explanation.result = to_string(image);
  if (swizzle.is_identity()) {
    explanation.text = "No bits are swizzled.";
    return explanation;
  }
  const int upper = swizzle.per_element + swizzle.atom_len;
  const form::SwizzledBits bits{swizzle.swizzle_len, swizzle.inner ? upper : swizzle.per_element,
                                swizzle.inner ? swizzle.per_element : upper};
  form::explain_swizzle(explanation, bits, address, image);
  return explanation;
}

Explanation explain_canonicalize(const Layout& layout) {
  Explanation explanation = explained_call("canonicalize", {to_string(layout)});
  const Result<Layout> actual = canonicalize(layout);
  refuse_with(explanation, actual);
  if (!actual) return explanation;
  explanation.result = to_string(*actual);
  explanation.text = "The rules of seed 002, appendix A, one after the other.";
  if (!is_explainable(layout)) {
    explanation.text = too_many_iters();
    return explanation;
  }
  const Result<std::vector<CanonicalizationStep>> steps = canonicalization_steps(layout);
  if (!steps) return explanation;
  for (const CanonicalizationStep& taken : *steps)
    explanation.steps.push_back(step(taken.rule, taken.what, to_string(taken.layout)));
  if (steps->empty()) explanation.text = "No rule applies: this is the normal form.";
  if (actual->replica().empty()) return explanation;
  explanation.steps.push_back(step(
      "gap", satisfies_gap_condition(*actual)
                 ? "the replicas' strides meet the gap condition: no other normal form has this map"
                 : "the replicas' strides do not meet the gap condition: another normal form may "
                   "have this map"));
  return explanation;
}

Explanation explain_group(const Layout& layout, std::span<const Int> shape) {
  Explanation explanation = explained_call("group", {to_string(layout), tuple_text(shape)});
  const Result<Grouping> actual = group(layout, shape);
  refuse_with(explanation, actual);
  const Result<Layout> canonical = canonicalize(layout);
  if (!canonical || !is_explainable(layout)) {
    explanation.text = too_many_iters();
    return explanation;
  }
  explanation.text =
      "The normal form's iters from the last one on, a block for each extent of the shape.";
  explanation.steps.push_back(step("normal form", "", to_string(*canonical)));
  if (!actual) return explanation;
  add_blocks(explanation, *canonical, *actual, shape);
  explanation.steps.push_back(step("blocks",
                                   fmt::format("begin at iters {}", fmt::join(actual->seps, ", ")),
                                   to_string(actual->layout)));
  return explanation;
}

namespace {

using Multiplying = Result<Layout> (*)(const Layout&, std::span<const Int>, const Layout&,
                                       std::span<const Int>, const Trace&);

/// An operation on two layouts with their shapes, which writes down its steps.
Explanation explain_pair(std::string_view name, std::string_view how, Multiplying operation,
                         const Layout& a, std::span<const Int> a_shape, const Layout& b,
                         std::span<const Int> b_shape) {
  Explanation explanation =
      explained_call(name, {to_string(a), tuple_text(a_shape), to_string(b), tuple_text(b_shape)});
  const bool is_short = is_explainable(a) && is_explainable(b);
  explanation.text = is_short ? std::string(how) : too_many_iters();
  const Result<Layout> actual =
      operation(a, a_shape, b, b_shape, is_short ? Trace(explanation.steps) : Trace());
  refuse_with(explanation, actual);
  if (actual) explanation.result = to_string(*actual);
  return explanation;
}

template <Product Kind>
Result<Layout> multiplied(const Layout& a, std::span<const Int> a_shape, const Layout& b,
                          std::span<const Int> b_shape, const Trace& trace) {
  return multiply(Kind, a, a_shape, b, b_shape, trace);
}

constexpr std::string_view kTileOf =
    "The tile in its normal form is cut into what each side takes of each dimension. The part of "
    "the given side has to be there; the rest is the other side's, a grid divided by the span.";
constexpr std::string_view kSumOf =
    "The sum in its normal form is cut into what each side takes of each dimension. The part of "
    "the "
    "given side has to be there; the rest is the other side's.";

}  // namespace

Explanation explain_tile(const Layout& outer, std::span<const Int> outer_shape, const Layout& inner,
                         std::span<const Int> inner_shape) {
  return explain_pair(
      "tile",
      "A grid of tiles: the outer side goes on by the inner one's span on each axis, and each "
      "dimension has the outer digits before the inner ones.",
      multiplied<Product::kTile>, outer, outer_shape, inner, inner_shape);
}

Explanation explain_direct_sum(const Layout& left, std::span<const Int> left_shape,
                               const Layout& right, std::span<const Int> right_shape) {
  return explain_pair("direct_sum",
                      "Both placements added, neither scaled; each dimension has the left digits "
                      "before the right ones.",
                      multiplied<Product::kDirectSum>, left, left_shape, right, right_shape);
}

Explanation explain_tile_of(const Layout& tiled, std::span<const Int> tiled_shape,
                            const Layout& inner, std::span<const Int> inner_shape) {
  return explain_pair("tile_of", kTileOf, tile_of, tiled, tiled_shape, inner, inner_shape);
}

Explanation explain_tile_inner_of(const Layout& tiled, std::span<const Int> tiled_shape,
                                  const Layout& outer, std::span<const Int> outer_shape) {
  return explain_pair("tile_inner_of", kTileOf, tile_inner_of, tiled, tiled_shape, outer,
                      outer_shape);
}

Explanation explain_direct_sum_left_of(const Layout& sum, std::span<const Int> sum_shape,
                                       const Layout& right, std::span<const Int> right_shape) {
  return explain_pair("direct_sum_left_of", kSumOf, direct_sum_left_of, sum, sum_shape, right,
                      right_shape);
}

Explanation explain_direct_sum_right_of(const Layout& sum, std::span<const Int> sum_shape,
                                        const Layout& left, std::span<const Int> left_shape) {
  return explain_pair("direct_sum_right_of", kSumOf, direct_sum_right_of, sum, sum_shape, left,
                      left_shape);
}

Explanation explain_span(const Layout& layout, const Axis& axis) {
  Explanation explanation = explained_call("span", {to_string(layout), axis.name()});
  const bool is_short = is_explainable(layout);
  explanation.text = is_short ? "The greatest less the least coordinate, plus 1: each iter reaches "
                                "from 0 to its last step, to either side."
                              : too_many_iters();
  const Result<Int> actual = span(layout, axis, is_short ? Trace(explanation.steps) : Trace());
  refuse_with(explanation, actual);
  if (actual) explanation.result = to_string(*actual);
  return explanation;
}

Explanation explain_iter_intersect(const Iter& a, const Iter& b) {
  Explanation explanation = explained_call("iter_intersect", {to_string(a), to_string(b)});
  explanation.text = "The multiples of both strides, from 0 up to the nearer end.";
  const Result<Iter> actual = iter_intersect(a, b, Trace(explanation.steps));
  refuse_with(explanation, actual);
  if (actual) explanation.result = to_string(*actual);
  return explanation;
}

Explanation explain_slice(const Layout& layout, std::span<const Int> shape,
                          std::span<const Interval> region) {
  std::vector<std::string> intervals;
  std::vector<Int> corner;
  for (const Interval& interval : region) {
    intervals.push_back(fmt::format("[{},{})", interval.begin, interval.end));
    corner.push_back(interval.begin);
  }
  Explanation explanation = explained_call("slice", {to_string(layout), tuple_text(shape),
                                                     fmt::format("{}", fmt::join(intervals, "x"))});
  const Result<Layout> actual = slice(layout, shape, region);
  refuse_with(explanation, actual);
  if (actual) explanation.result = to_string(*actual);
  const Result<Grouping> grouping = group(layout, shape);
  const bool is_open = !grouping || region.size() != shape.size() || !is_explainable(layout);
  if (is_open || !is_constant(corner) || !is_constant(shape)) return explanation;
  explanation.text =
      "The offset goes to the first corner; then each dimension by itself, from there on.";
  const Result<Layout> plain = Layout::make({layout.shard().begin(), layout.shard().end()});
  explanation.steps.push_back(step("corner", flat_text(shape, corner),
                                   to_string(shard_at(*plain, flatten(shape, corner)))));
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const std::span<const Iter> block = grouping->block(j);
    const Result<Layout> dimension = Layout::make({block.begin(), block.end()});
    if (!dimension) return explanation;
    const Result<Layout> part = slice(*dimension, shape.subspan(j, 1), region.subspan(j, 1));
    Explanation one = step(fmt::format("dim {}: {}", j, intervals[j]),
                           fmt::format("of {}, {}", shape[j], iters_text(block)));
    if (part) one.result = iters_text(part->shard());
    if (!part) one.refusal = part.error();
    explanation.steps.push_back(std::move(one));
    if (!part) break;
  }
  return explanation;
}

}  // namespace heddle::axe

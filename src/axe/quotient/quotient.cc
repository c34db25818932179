#include "axe/quotient/quotient.h"

#include <fmt/format.h>

#include <utility>

#include "axe/layout/reach.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/threads.h"

namespace heddle::axe {
namespace {

/// W if the left side is known: span(T) = span(left) * W on each axis.
Result<Scale> quotient_of_spans(const Quotient& quotient) {
  Scale scale;
  for (const Axis& axis : axes(quotient.product)) {
    HEDDLE_TRY(const Int whole, span(quotient.product, axis));
    HEDDLE_TRY(const Int part, span(quotient.known, axis));
    HEDDLE_TRY(const bool divides, decide_needed({part, Predicate::kDivides, whole},
                                                 [&] { return call_text(quotient); }));
    if (!divides) {
      return refuse(no_quotient(
          quotient, fmt::format("the span of a tile is the product of both sides': on axis {} it "
                                "is {}, not a multiple of {}, the outer side's",
                                axis.name(), whole, part)));
    }
    scale.set(axis, floor_div(whole, part));
  }
  for (const Axis& axis : axes(quotient.known)) {
    HEDDLE_TRY(const Int part, span(quotient.known, axis));
    HEDDLE_TRY(const Int whole, span(quotient.product, axis));
    if (whole != Int(1) || part == Int(1)) continue;
    HEDDLE_TRY(const bool still, decide_needed({part, Predicate::kEqual, Int(1)},
                                               [&] { return call_text(quotient); }));
    if (still) continue;
    return refuse(no_quotient(
        quotient,
        fmt::format("the outer side spans {} places on axis {}, on which the tile does not move",
                    part, axis.name())));
  }
  return scale;
}

Result<Scale> scale_of(const Quotient& quotient) {
  if (quotient.kind == Product::kDirectSum) return Scale();
  if (quotient.unknown == Side::kRight) return quotient_of_spans(quotient);
  return spans_on_axes_of(quotient.known, quotient.product);
}

/// The index 1 and the last index along each dimension, and the last index of all.
std::vector<std::vector<Int>> probes(std::span<const Int> shape) {
  std::vector<std::vector<Int>> result;
  const std::vector<Int> origin(shape.size(), 0);
  std::vector<Int> last = origin;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    last[j] = shape[j] - 1;
    for (const Int& index : {Int(1), shape[j] - 1}) {
      if (!known_less(index, shape[j])) continue;
      result.push_back(origin);
      result.back()[j] = index;
    }
  }
  result.push_back(std::move(last));
  return result;
}

/// Whether, at a few places, the steps of one side do not depend on the coordinate of the other. A
/// quick no avoids a table of all places.
bool may_be_product(const Quotient& quotient, std::span<const Int> unknown_shape) {
  const bool left_is_unknown = quotient.left_is_unknown();
  const std::span<const Int> left = left_is_unknown ? unknown_shape : quotient.known_shape;
  const std::span<const Int> right = left_is_unknown ? quotient.known_shape : unknown_shape;
  const std::vector<Int> origin(left.size(), 0);
  const auto place = [&](std::span<const Int> x, std::span<const Int> y) {
    const Int index = flatten(interleaved(left, right), interleaved(x, y));
    return shard_at(quotient.product, index);
  };
  for (const std::vector<Int>& x : probes(left)) {
    for (const std::vector<Int>& y : probes(right)) {
      if (place(x, y) != place(x, origin) + place(origin, y)) return false;
    }
  }
  return true;
}

/// A refusal of no_quotient() that leaves swizzled layouts open.
Diagnostic without_a_swizzle(const Diagnostic& refusal) {
  Diagnostic result(refusal.code(), refusal.message() + " without a swizzle");
  for (const std::string& note : refusal.notes()) result = std::move(result).with_note(note);
  if (refusal.witness()) result = std::move(result).with_witness(*refusal.witness());
  return result;
}

}  // namespace

std::string call_text(const Quotient& quotient) {
  return call_text(quotient.operation, quotient.product, quotient.product_shape, quotient.known,
                   quotient.known_shape);
}

Diagnostic no_quotient(const Quotient& quotient, std::string why) {
  const bool tile = quotient.kind == Product::kTile;
  const bool left = quotient.unknown == Side::kLeft;
  const std::string formula =
      fmt::format("{} {} {}", left ? "C" : to_string(quotient.known), tile ? "(x)" : "+",
                  left ? to_string(quotient.known) : "C");
  return Diagnostic(tile ? "axe.not_a_tile" : "axe.not_a_direct_sum",
                    fmt::format("{} of shape {} is not {} with shape {} for any C",
                                quotient.product, tuple_text(quotient.product_shape), formula,
                                tuple_text(quotient.known_shape)))
      .with_note(std::move(why));
}

std::string_view known_name(const Quotient& quotient) {
  const bool left = quotient.unknown == Side::kRight;
  if (quotient.kind == Product::kTile) return left ? "outer" : "inner";
  return left ? "left" : "right";
}

Result<Shape> divide_shape(std::span<const Int> whole, std::span<const Int> part,
                           const std::function<std::string()>& call) {
  Shape shape;
  for (std::size_t j = 0; j < whole.size(); ++j) {
    HEDDLE_CHECK(check_extent(part[j], [&] { return "the shape " + tuple_text(part); }));
    HEDDLE_TRY(const bool divides, decide_needed({part[j], Predicate::kDivides, whole[j]}, call));
    if (!divides) {
      return refuse("axe.shape_divisibility",
                    "{}: the extent {} of dimension {} is not a multiple of {}", call(), whole[j],
                    j, part[j]);
    }
    shape.push_back(floor_div(whole[j], part[j]));
  }
  return shape;
}

namespace {

void trace_spans(const Trace& trace, const Quotient& quotient, const Scale& scale) {
  if (quotient.kind == Product::kDirectSum) return;
  for (const Axis& axis : axes(quotient.product)) {
    trace([&] {
      return step("span on " + axis.name(),
                  quotient.left_is_unknown() ? "that of the inner side"
                                             : "that of the tile divided by the outer side's",
                  to_string(scale[axis]));
    });
  }
}

}  // namespace

Result<Layout> divide(const Quotient& given, const Trace& trace) {
  HEDDLE_CHECK(check_ranks(given.operation, given.product_shape, given.known_shape));
  HEDDLE_CHECK(check_admits(given.product, given.product_shape, given.operation));
  HEDDLE_TRY(const Shape unknown_shape, divide_shape(given.product_shape, given.known_shape,
                                                     [&] { return call_text(given); }));
  trace([&] {
    return step(
        "shape",
        fmt::format("{} by {}", tuple_text(given.product_shape), tuple_text(given.known_shape)),
        tuple_text(unknown_shape));
  });
  HEDDLE_TRY(const Layout seen, on_thread_axes_of(given.known, given.product));
  HEDDLE_TRY(const Layout product, canonicalize(seen));
  trace([&] { return step("normal form", "", to_string(product)); });
  HEDDLE_TRY(const Grouping known, group_for(given.operation, given.known, given.known_shape));
  const Quotient quotient = given.with(product, known.layout);
  HEDDLE_TRY(const Scale scale, scale_of(quotient));
  trace_spans(trace, quotient, scale);
  const auto by_places = [&](std::string_view why) {
    trace([&] { return step("places", fmt::format("{}: the table of all places decides.", why)); });
  };
  if (product.swizzle() || known.layout.swizzle()) {
    by_places("A side has a swizzle");
    return divide_swizzled(quotient, scale, unknown_shape);
  }
  PlainQuotient plain = divide_plain(quotient, scale, unknown_shape, trace);
  if (plain.layout || plain.is_final || !may_be_product(quotient, unknown_shape)) {
    return std::move(plain.layout);
  }
  by_places("Without a swizzle there is none");
  Result<Layout> swizzled = divide_swizzled(quotient, scale, unknown_shape);
  if (swizzled) return swizzled;
  if (swizzled.error().code() != "axe.undecided") return std::move(plain.layout);
  return refuse(without_a_swizzle(plain.layout.error()));
}

}  // namespace heddle::axe

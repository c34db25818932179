// From places back to coordinates.
//
//   (4,(2,3)):(1,(16,4))    digits by falling stride: 16, 4, 1.  m // 16;  m % 16 // 4;  m % 4
//
// Each digit's stride exceeds the greatest sum of all smaller ones, so the quotients are the
// digits. A swizzle is inverted first, matrices over GF(2) have an inverse over GF(2), LEGO layouts
// have their own; isl inverts the rest.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "core/bits.h"
#include "emit/function_source.h"
#include "expr/term/substitute.h"
#include "heddle/expr/index_variable.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/decide.h"
#include "heddle/map/relations.h"
#include "map/forms/layouts_of_forms.h"
#include "map/view/shown_digits.h"

namespace heddle::emit {
namespace {

using map::StridedView;
using map::SwizzleStep;
using map::View;

/// Names for places that no size has.
std::vector<std::string> place_variables(const FunctionSource& source) {
  std::vector<std::string> taken = source.coordinates;
  for (const map::Piece& piece : source.map.pieces) {
    for (const Int& value : piece.outputs) {
      for (std::string& name : variables(value)) taken.push_back(std::move(name));
    }
  }
  for (const Interval<Int>& ends : source.box) {
    for (std::string& name : variables(ends.end.value_or(0))) taken.push_back(std::move(name));
  }
  std::vector<std::string> names;
  for (const std::string& place : source.places) names.push_back(free_name(place, taken));
  return names;
}

/// nullopt if a coordinate has no value.
std::optional<Pieces> in_one_piece(std::vector<std::string> variables,
                                   std::vector<Int> coordinates) {
  if (!are_defined(coordinates)) return std::nullopt;
  return Pieces{std::move(variables), {{{}, std::move(coordinates)}}};
}

// LEGO.

std::optional<Pieces> inverse_of_lego(const lego::Layout& layout,
                                      const std::vector<std::string>& names) {
  auto coordinates = layout.inv(index_variable(names.front(), layout.physical_size()));
  return coordinates ? in_one_piece(names, *std::move(coordinates)) : std::nullopt;
}

// Digits.

/// A digit of some coordinate, on the only axis along which it moves.
struct Rung {
  std::size_t coordinate = 0;
  /// The weight of one step in the coordinate.
  Int weight = 1;
  Int extent = 1;
  /// Above 0; a digit with a negative stride is counted from its end.
  Int stride = 1;
  bool is_turned = false;

  [[nodiscard]] Int reach() const { return stride * (extent - 1); }
};

/// For each axis the digits that move along it. nullopt if a digit moves along several axes or
/// none, or if the sign of a stride is not known.
std::optional<std::vector<std::vector<Rung>>> rungs_of(const StridedView& strided) {
  std::vector<std::vector<Rung>> ladders(strided.offset.size());
  for (std::size_t i = 0; i < strided.modes.size(); ++i) {
    Int weight = 1;
    for (const form::Digit& digit : strided.modes[i]) {
      Rung rung{i, weight, digit.extent, 0, false};
      weight *= digit.extent;
      if (known_equal(digit.extent, 1)) continue;
      std::size_t axis = 0;
      for (std::size_t k = 0; k < digit.stride.size(); ++k) {
        if (known_equal(digit.stride[k], 0)) continue;
        if (!known_equal(rung.stride, 0)) return std::nullopt;
        axis = k;
        rung.stride = digit.stride[k];
      }
      rung.is_turned = known_less(rung.stride, 0);
      if (rung.is_turned) rung.stride = -rung.stride;
      if (!known_less(0, rung.stride)) return std::nullopt;
      ladders[axis].push_back(std::move(rung));
    }
  }
  return ladders;
}

Int reach_of(std::span<const Rung> rungs) {
  Int sum = 0;
  for (const Rung& rung : rungs) sum += rung.reach();
  return sum;
}

/// Sorts by falling stride; each stride must exceed the greatest sum of the rest.
bool sort_to_ladder(std::vector<Rung>& rungs) {
  const Int reach = reach_of(rungs);
  Int left = reach;
  for (std::size_t begin = 0; begin < rungs.size(); ++begin) {
    const auto top = std::find_if(
        rungs.begin() + static_cast<std::ptrdiff_t>(begin), rungs.end(),
        [&](const Rung& rung) { return known_less(left - rung.reach(), rung.stride); });
    if (top == rungs.end()) return false;
    left -= top->reach();
    std::iter_swap(rungs.begin() + static_cast<std::ptrdiff_t>(begin), top);
  }
  return true;
}

/// Adds the digits of one axis to the coordinates.
void climb_down(std::span<const Rung> ladder, Int rest, std::vector<Int>& coordinates) {
  for (const Rung& rung : ladder) {
    if (rung.is_turned) rest += rung.reach();
  }
  for (const Rung& rung : ladder) {
    const Int digit = floor_div(rest, rung.stride);
    rest = mod(rest, rung.stride);
    coordinates[rung.coordinate] +=
        rung.weight * (rung.is_turned ? rung.extent - 1 - digit : digit);
  }
}

/// A variable for the coordinate on an axis.
Int place_variable(const std::string& name, const Int& value, const Int& reach, bool is_plain) {
  const Range values = range(value);
  if (!values.is_bounded() && is_plain) return index_variable(name, reach + 1);
  return Int::variable(name, values.low, values.high);
}

std::optional<Pieces> inverse_of_digits(const FunctionSource& source,
                                        const std::vector<std::string>& names) {
  const StridedView& strided = *source.view->strided;
  if (strided.swizzle && !is_involution(*strided.swizzle)) return std::nullopt;
  auto ladders = rungs_of(strided);
  if (!ladders) return std::nullopt;
  std::vector<Int> coordinates(strided.modes.size(), Int(0));
  for (std::size_t axis = 0; axis < ladders->size(); ++axis) {
    std::vector<Rung>& ladder = (*ladders)[axis];
    if (!sort_to_ladder(ladder)) return std::nullopt;
    const bool is_swizzled = strided.swizzle && strided.swizzle->axis == axis;
    const bool is_turned = std::ranges::any_of(ladder, &Rung::is_turned);
    const bool is_plain = !is_swizzled && !is_turned && known_equal(strided.offset[axis], 0);
    Int place = place_variable(names[axis], source.map.pieces.front().outputs[axis],
                               reach_of(ladder), is_plain);
    if (is_swizzled) place = map::swizzled(*strided.swizzle, place);
    climb_down(ladder, place - strided.offset[axis], coordinates);
  }
  return in_one_piece(names, std::move(coordinates));
}

// Bits.

/// X with X * matrix = 1, if the columns are independent.
std::optional<form::BitMatrix> left_inverse(const form::BitMatrix& matrix) {
  const std::size_t bits = matrix.columns().size();
  if (matrix.rank() != bits) return std::nullopt;
  const auto turned = form::transpose(matrix);
  if (!turned) return std::nullopt;
  const auto solved = form::solve(*turned, form::BitMatrix::identity(bits));
  if (!solved) return std::nullopt;
  const auto inverse = form::transpose(*solved);
  return inverse ? std::optional(*inverse) : std::nullopt;
}

/// The matrix as a linear layout from places of these widths to coordinates.
Result<linear::LinearLayout> layout_of(form::BitMatrix matrix, std::span<const int> widths,
                                       std::span<const Int> extents) {
  View places;
  for (const int width : widths) places.extents.emplace_back(std::int64_t{1} << width);
  places.names = map::numbered_names(widths.size());
  map::BitView bits{std::move(matrix), {}, 0};
  for (const Int& extent : extents) {
    places.axes.emplace_back(std::to_string(places.axes.size()));
    bits.widths.push_back(log2_exact(extent.value()));
  }
  return map::linear_layout(bits, places);
}

std::optional<Pieces> inverse_of_bits(const FunctionSource& source,
                                      const std::vector<std::string>& names) {
  const map::BitView& bits = *source.view->bits;
  const auto matrix = left_inverse(bits.matrix);
  if (!matrix) return std::nullopt;
  const auto layout = layout_of(*matrix, bits.widths, source.view->extents);
  if (!layout) return std::nullopt;
  const std::vector<std::int64_t> offset = map::unpacked(bits, bits.offset);
  std::vector<Int> places;
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    const std::int64_t end = std::int64_t{1} << bits.widths[axis];
    places.push_back(bit_xor(index_variable(names[axis], end), offset[axis]));
  }
  return in_one_piece(names, linear::index_map(*layout)(places));
}

// Inverses by flat index.

/// For digits or bits that the box of the source splits: first the flat index is found, then the
/// coordinates from that.
std::optional<Pieces> inverse_by_flat_index(const map::AnyLayout& layout,
                                            const FunctionSource& source,
                                            const std::vector<std::string>& names,
                                            const map::Limits& limits) {
  const View& shaped = *source.view;
  if (source.has_holes() || std::holds_alternative<map::IntegerRelation>(layout)) {
    return std::nullopt;
  }
  const auto plain = map::view(layout, limits);
  if (!plain || !plain->is_function() || plain->order != shaped.order) return std::nullopt;
  if (!known_equal(plain->size(), shaped.size())) return std::nullopt;
  const auto flat = map::reshaped(*plain, std::vector<Int>{plain->size()});
  if (!flat) return std::nullopt;
  FunctionSource whole = source;
  whole.view = *flat;
  std::optional<Pieces> found;
  if (flat->strided) found = inverse_of_digits(whole, names);
  if (!found && flat->bits) found = inverse_of_bits(whole, names);
  if (!found) return std::nullopt;
  const Int& index = found->pieces.front().outputs.front();
  return in_one_piece(names, map::point_of(shaped.extents, shaped.order, index));
}

// isl.

Diagnostic no_inverse(const map::AnyLayout& layout, std::string note) {
  return Diagnostic("emit.no_inverse",
                    fmt::format("{} has no inverse: several points have one place",
                                map::to_string(layout)))
      .with_note(std::move(note));
}

Result<Pieces> inverse_of_relation(const map::AnyLayout& layout,
                                   const map::IntegerRelation& relation,
                                   const map::Limits& limits) {
  HEDDLE_TRY(const map::IntegerRelation turned, map::reverse(relation, limits));
  auto pieces = map::pieces(turned, limits);
  if (!pieces && pieces.error().code() == "relation.multi_valued") {
    const std::optional<Witness>& witness = pieces.error().witness();
    return refuse(no_inverse(
        layout, witness ? fmt::format("{} is the place of {}", witness->coordinate, witness->found)
                        : pieces.error().message()));
  }
  if (!pieces) return refuse(std::move(pieces).error());
  return Pieces{{turned.inputs().begin(), turned.inputs().end()}, *std::move(pieces)};
}

/// The view before its swizzle.
View without_swizzle(View view) {
  view.strided->swizzle.reset();
  view.bits.reset();
  view.relation.reset();
  view.evaluate = [strided = *view.strided](std::span<const Int> point, const Int& copy) {
    return map::image_of(strided, point, copy);
  };
  return view;
}

/// Substitutes a value for one of the variables of the pieces.
void replace_variable(std::vector<map::Piece>& pieces, const std::string& name, const Int& by) {
  const auto image = [&](const expr::AtomPointer& atom) {
    const auto& [own, values] = std::tie(atom->variable().name, atom->variable().range);
    return own == name ? by : Int::variable(own, values.low, values.high);
  };
  for (map::Piece& piece : pieces) {
    for (Condition& condition : piece.conditions) {
      condition.left = expr::substitute(condition.left, image);
      condition.right = expr::substitute(condition.right, image);
    }
    for (Int& output : piece.outputs) output = expr::substitute(output, image);
  }
}

/// isl would split a swizzle bit by bit, so the swizzle is inverted first.
Result<Pieces> inverse_of_swizzled(const map::AnyLayout& layout, const FunctionSource& source,
                                   const map::Limits& limits) {
  const View& view = *source.view;
  const SwizzleStep& step = *view.strided->swizzle;
  HEDDLE_TRY(const map::IntegerRelation relation, map::relation(without_swizzle(view), limits));
  HEDDLE_TRY(Pieces inverse, inverse_of_relation(layout, relation, limits));
  const std::string& name = inverse.variables[step.axis];
  const Range values = range(source.map.pieces.front().outputs[step.axis]);
  const Int place = Int::variable(name, values.low, values.high);
  replace_variable(inverse.pieces, name, map::swizzled(step, place));
  return inverse;
}

/// The relation of a view; for a LEGO layout that leaves points out, without those points.
Result<map::IntegerRelation> relation_of(const FunctionSource& source, const map::Limits& limits) {
  HEDDLE_TRY(const map::IntegerRelation relation, map::relation(*source.view, limits));
  if (!source.has_holes()) return relation;
  const auto names = map::numbered_names(source.coordinates.size(), "a");
  HEDDLE_TRY(const map::IntegerRelation natural,
             map::IntegerRelation::parse(
                 fmt::format("{{ [{}] -> [p] : p >= 0 }}", fmt::join(names, ", ")), limits));
  return map::intersect(relation, natural, limits);
}

}  // namespace

Result<Pieces> inverse_of(const map::AnyLayout& layout, const FunctionSource& source,
                          const map::Limits& limits) {
  if (!source.view) return inverse_of_relation(layout, *source.relation, limits);
  const std::vector<std::string> names = place_variables(source);
  if (source.lego) {
    if (auto found = inverse_of_lego(*source.lego, names)) return *std::move(found);
  }
  if (source.view->strided) {
    if (auto found = inverse_of_digits(source, names)) return *std::move(found);
  }
  if (source.view->bits) {
    if (auto found = inverse_of_bits(source, names)) return *std::move(found);
  }
  if (auto found = inverse_by_flat_index(layout, source, names, limits)) return *std::move(found);
  if (!source.has_holes()) {
    // isl would search long for an inverse that does not exist.
    map::DecideOptions options;
    options.limits = limits;
    const Verdict verdict = map::injective(layout, options);
    if (verdict.is_no()) return refuse(no_inverse(layout, verdict.to_string()));
  }
  const auto& strided = source.view->strided;
  if (strided && strided->swizzle && is_involution(*strided->swizzle)) {
    return inverse_of_swizzled(layout, source, limits);
  }
  HEDDLE_TRY(const map::IntegerRelation relation, relation_of(source, limits));
  return inverse_of_relation(layout, relation, limits);
}

}  // namespace heddle::emit

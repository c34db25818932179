#include "heddle/cute/int_tuple.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "cute/layout/format.h"
#include "cute/layout/picked_modes.h"
#include "expr/assume_needed.h"

namespace heddle::cute {
namespace {

Refusal incongruent(std::string_view operation, IntTupleView a, IntTupleView b) {
  return refuse("tuple.incongruent", "{}: {} and {} are not nested alike", operation, a, b);
}

Refusal incongruent(std::string_view operation, IntTupleView a, ProfileView b) {
  return incongruent(operation, a, repeat_like(b, 1));
}

template <class Function>
Int fold(IntTupleView tuple, Int start, Function f) {
  for (const Int& leaf : tuple.leaves()) start = f(start, leaf);
  return start;
}

template <class Function>
Int fold_from_first(IntTupleView tuple, Function f) {
  if (tuple.leaves().empty()) return Int::undefined();
  return fold(tuple, tuple.leaves().front(), f);
}

/// The tuple of the results of `f` on corresponding modes of tuples of the same rank.
template <class Function, class... Views>
Result<IntTuple> map_modes(Function f, IntTupleView first, Views... rest) {
  const auto map = [&](auto... others) -> Result<IntTuple> {
    Profile profile = Profile::incomplete();
    profile.append_tuple(first.rank());
    IntTuple::Leaves leaves;
    for (const IntTupleView mode : first.modes()) {
      HEDDLE_TRY(const IntTuple image, f(mode, *others...));
      profile.append(image.profile());
      leaves.append(image.leaves().begin(), image.leaves().end());
      (++others, ...);
    }
    return IntTuple(std::move(profile), std::move(leaves));
  };
  return map(rest.modes().begin()...);
}

/// Whether `holds` is true for each mode of `a` and the corresponding mode of `b`; a certain no
/// settles the answer even if other modes are unknown.
template <class Function>
Result<bool> all_modes(IntTupleView a, IntTupleView b, Function holds) {
  Result<bool> all = true;
  auto other = b.modes().begin();
  for (const IntTupleView mode : a.modes()) {
    Result<bool> here = holds(mode, *other);
    if (here == false) return false;
    if (!here && all) all = std::move(here);
    ++other;
  }
  return all;
}

/// A tuple under construction, to which modes are appended.
struct TupleParts {
  Profile profile = Profile::incomplete();
  IntTuple::Leaves leaves;

  void append(const Int& leaf) {
    profile.append_leaf();
    leaves.push_back(leaf);
  }
  IntTuple tuple() && { return {std::move(profile), std::move(leaves)}; }
};

/// f applied to the leaf pairs of two tuples that have the same ranks wherever both are tuples; if
/// one is a leaf, `f` gets the two modes. It appends what becomes of them to the result.
template <class Function>
Result<void> zip_into(TupleParts& result, std::string_view operation, IntTupleView a,
                      IntTupleView b, Function f) {
  if (a.is_leaf() || b.is_leaf()) return f(a, b, result);
  if (a.rank() != b.rank()) return incongruent(operation, a, b);
  result.profile.append_tuple(a.rank());
  auto other = b.modes().begin();
  for (const IntTupleView mode : a.modes()) {
    HEDDLE_CHECK(zip_into(result, operation, mode, *other, f));
    ++other;
  }
  return {};
}

template <class Function>
Result<IntTuple> zip_with(std::string_view operation, IntTupleView a, IntTupleView b, Function f) {
  TupleParts result;
  HEDDLE_CHECK(zip_into(result, operation, a, b, f));
  return std::move(result).tuple();
}

/// `tuple` with 1 appended up to `rank`.
IntTuple pad_with_ones(IntTupleView tuple, std::size_t rank) {
  std::vector<IntTuple> modes;
  for (const IntTupleView mode : tuple.modes()) modes.emplace_back(mode);
  while (modes.size() < rank) modes.emplace_back(Int(1));
  return IntTuple::of(modes);
}

/// Division of tuples by tuples or numbers, given what becomes of a number, and how much of the
/// divisor a number leaves to those after it.
class Division {
 public:
  using Leaf = Result<Int> (*)(const Int&, const Int&);

  Division(std::string_view operation, Leaf at_leaf, Leaf rest, bool pad)
      : operation_(operation), at_leaf_(at_leaf), rest_(rest), pad_(pad) {}

  Result<IntTuple> operator()(IntTupleView a, IntTupleView b) const {
    TupleParts result;
    HEDDLE_CHECK(divide(a, b, result));
    return std::move(result).tuple();
  }

 private:
  /// Divides the modes one after the other, each by the rest of the divisor that the modes before
  /// it left.
  Result<void> fold(IntTupleView a, Int rest, TupleParts& result) const {
    result.profile.append_tuple(a.rank());
    for (const IntTupleView mode : a.modes()) {
      HEDDLE_CHECK(by_number(mode, rest, result));
      HEDDLE_TRY(rest, rest_(rest, product(mode)));
    }
    return {};
  }

  Result<void> by_number(IntTupleView a, const Int& b, TupleParts& result) const {
    if (!a.is_leaf()) return fold(a, b, result);
    HEDDLE_TRY(const Int quotient, at_leaf_(a.leaf(), b));
    result.append(quotient);
    return {};
  }

  Result<void> divide(IntTupleView a, IntTupleView b, TupleParts& result) const {
    if (a.is_leaf() || b.is_leaf()) return by_number(a, product(b), result);
    if (b.rank() > a.rank() || (b.rank() < a.rank() && !pad_)) return incongruent(operation_, a, b);
    result.profile.append_tuple(a.rank());
    std::size_t left = b.rank();
    auto divisor = b.modes().begin();
    for (const IntTupleView mode : a.modes()) {
      if (left == 0) {
        HEDDLE_CHECK(by_number(mode, 1, result));
        continue;
      }
      HEDDLE_CHECK(divide(mode, *divisor, result));
      ++divisor;
      --left;
    }
    return {};
  }

  std::string_view operation_;
  Leaf at_leaf_;
  Leaf rest_;
  bool pad_;
};

Result<void> check_divisor(const Int& a, const Int& b) {
  if (known_at_most(1, b)) return {};
  HEDDLE_TRY(const bool positive, decide({1, Predicate::kAtMost, b},
                                         [&] { return fmt::format("{} divided by {}", a, b); }));
  if (positive) return {};
  return refuse("tuple.divisor", "{} cannot be divided by {}: divisors are at least 1", a, b);
}

Result<Int> divide_rounding_up(const Int& a, const Int& b) {
  HEDDLE_CHECK(check_divisor(a, b));
  return heddle::ceil_div(a, b);
}

/// Refuses with `code` unless one of the two numbers divides the other.
Result<void> check_even(std::string_view operation, const char* code, const Int& a, const Int& b,
                        const char* hint) {
  HEDDLE_CHECK(check_divisor(a, b));
  if (known_divides(b, a) || known_divides(a, b)) return {};
  HEDDLE_TRY(const bool even, either_divides(b, a, calling(operation, a, b)));
  if (even) return {};
  return refuse(diagnose(code, "{}({},{}): neither number divides the other", operation, a, b)
                    .with_hint(hint));
}

Result<Int> divide_shapes(const Int& a, const Int& b) {
  HEDDLE_CHECK(check_even("shape_div", "shape_div.divisibility", a, b,
                          "ceil_div divides any two numbers, rounding up"));
  return heddle::ceil_div(a, b);
}

Result<void> check_cut(const Int& a, const Int& b) {
  return check_even(
      "shape_mod", "shape_mod.divisibility", a, b,
      "weakly_left_divisible gives the numbers of elements after which a shape can be cut");
}
Result<Int> cut_of_shape(const Int& a, const Int& b) {
  HEDDLE_CHECK(check_cut(a, b));
  return heddle::min(a, b);
}
Result<Int> rest_of_cut(const Int& a, const Int& b) {
  HEDDLE_CHECK(check_cut(a, b));
  return heddle::ceil_div(a, b);
}

enum class LeafOrder { kLexicographic, kColexicographic };

/// Negative, 0 or positive as `a` comes before, with or after `b`.
Result<int> compare(IntTupleView a, IntTupleView b, LeafOrder order) {
  if (a.is_leaf() && b.is_leaf()) {
    const auto call = [&] { return fmt::format("the order of {} and {}", a, b); };
    HEDDLE_TRY(const bool before, decide({a.leaf(), Predicate::kLess, b.leaf()}, call));
    if (before) return -1;
    HEDDLE_TRY(const bool alike, decide({a.leaf(), Predicate::kEqual, b.leaf()}, call));
    return alike ? 0 : 1;
  }
  if (a.is_leaf() || b.is_leaf()) return incongruent("comparison", a, b);
  std::vector<IntTupleView> left;
  std::vector<IntTupleView> right;
  for (const IntTupleView mode : a.modes()) left.push_back(mode);
  for (const IntTupleView mode : b.modes()) right.push_back(mode);
  if (order == LeafOrder::kColexicographic) {
    std::ranges::reverse(left);
    std::ranges::reverse(right);
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (i == left.size()) return -1;
    HEDDLE_TRY(const int difference, compare(left[i], right[i], order));
    if (difference != 0) return difference;
  }
  return left.size() > right.size() ? 1 : 0;
}

Result<bool> ordered_before(IntTupleView a, IntTupleView b, LeafOrder order) {
  HEDDLE_TRY(const int difference, compare(a, b, order));
  return difference < 0;
}

Result<bool> negate(Result<bool> value) {
  if (value) *value = !*value;
  return value;
}

/// Strides for the leaves of `shape` in the order given, the first one starting at `current`.
template <class Positions>
void number_leaves(std::span<const Int> shape, Int current, const Positions& positions,
                   IntTuple::Leaves& strides) {
  for (const std::size_t i : positions) {
    const bool single = known_equal(shape[i], 1);
    strides[i] = single ? Int(0) : current;
    if (!single) current *= shape[i];
  }
}

IntTuple compact(IntTupleView shape, const Int& current, Major major) {
  const std::span<const Int> extents = shape.leaves();
  IntTuple::Leaves strides(extents.size());
  InlineVector<std::size_t, kInlineLeaves> positions(extents.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = major == Major::kColumn ? i : positions.size() - 1 - i;
  }
  number_leaves(extents, current, positions, strides);
  return {Profile(shape.profile()), std::move(strides)};
}

}  // namespace

Int product(IntTupleView tuple) {
  Int product = 1;
  for (const Int& leaf : tuple.leaves()) product *= leaf;
  return product;
}

Int size(IntTupleView shape) { return product(shape); }

Int sum(IntTupleView tuple) { return fold(tuple, 0, std::plus<>()); }

Int max(IntTupleView tuple) { return fold_from_first(tuple, heddle::max); }

Int min(IntTupleView tuple) { return fold_from_first(tuple, heddle::min); }

Int gcd(IntTupleView tuple) { return fold(tuple, 0, heddle::gcd); }

Result<Int> inner_product(IntTupleView a, IntTupleView b) {
  if (!congruent(a.profile(), b.profile())) return incongruent("inner_product", a, b);
  const std::span<const Int> left = a.leaves();
  const std::span<const Int> right = b.leaves();
  Int total = 0;
  for (std::size_t i = 0; i < left.size(); ++i) total += left[i] * right[i];
  return total;
}

IntTuple product_each(IntTupleView tuple) {
  IntTuple::Leaves products;
  for (const IntTupleView mode : tuple.modes()) products.push_back(product(mode));
  return IntTuple::flat({products.data(), products.size()});
}

Result<IntTuple> product_like(IntTupleView tuple, ProfileView guide) {
  if (guide.is_leaf()) return IntTuple(product(tuple));
  if (tuple.is_leaf() || tuple.rank() != guide.rank())
    return incongruent("product_like", tuple, guide);
  return map_modes(product_like, tuple, guide);
}

IntTuple repeat_like(ProfileView guide, const Int& value) {
  return {Profile(guide), IntTuple::Leaves(guide.leaf_count(), value)};
}

Result<IntTuple> elem_scale(IntTupleView a, IntTupleView b) {
  const auto scale = [&](IntTupleView x, IntTupleView y, TupleParts& result) -> Result<void> {
    if (!x.is_leaf()) return incongruent("elem_scale", a, b);
    result.append(x.leaf() * product(y));
    return {};
  };
  return zip_with("elem_scale", a, b, scale);
}

Result<IntTuple> ceil_div(IntTupleView a, IntTupleView b) {
  return Division("ceil_div", divide_rounding_up, divide_rounding_up, /*pad=*/true)(a, b);
}

Result<IntTuple> round_up(IntTupleView a, IntTupleView b) {
  if (a.is_leaf() != b.is_leaf() || b.rank() > a.rank()) return incongruent("round_up", a, b);
  if (a.is_leaf()) {
    HEDDLE_TRY(const Int quotient, divide_rounding_up(a.leaf(), b.leaf()));
    return IntTuple(quotient * b.leaf());
  }
  const IntTuple padded = pad_with_ones(b, a.rank());
  return map_modes(round_up, a, padded.view());
}

Result<IntTuple> shape_div(IntTupleView a, IntTupleView b) {
  return Division("shape_div", divide_shapes, divide_shapes, /*pad=*/false)(a, b);
}

Result<IntTuple> shape_mod(IntTupleView a, IntTupleView b) {
  return Division("shape_mod", cut_of_shape, rest_of_cut, /*pad=*/false)(a, b);
}

bool congruent(ProfileView a, ProfileView b) { return a == b; }

bool weakly_congruent(ProfileView a, ProfileView b) {
  if (a.is_leaf()) return true;
  if (b.is_leaf() || a.rank() != b.rank()) return false;
  auto other = b.modes().begin();
  for (const ProfileView mode : a.modes()) {
    if (!weakly_congruent(mode, *other)) return false;
    ++other;
  }
  return true;
}

namespace {

/// The relation between each leaf of `a` and the size of the matching mode of `b`.
Result<bool> each_leaf(std::string_view operation, Predicate predicate, IntTupleView a,
                       IntTupleView b) {
  if (a.is_leaf()) {
    return decide({a.leaf(), predicate, product(b)},
                  [&] { return fmt::format("{}({},{})", operation, a, b); });
  }
  if (b.is_leaf() || a.rank() != b.rank()) return false;
  return all_modes(
      a, b, [&](IntTupleView x, IntTupleView y) { return each_leaf(operation, predicate, x, y); });
}

}  // namespace

Result<bool> decide_evenly_divides(IntTupleView shape, IntTupleView tiler) {
  if (tiler.is_leaf()) {
    const Result<IntTuple> rest = ceil_div(shape, tiler);
    if (!rest) return false;
    return decide({product(shape), Predicate::kEqual, tiler.leaf() * product(*rest)},
                  calling("evenly_divides", shape, tiler));
  }
  if (tiler.rank() > shape.rank()) return false;
  return all_modes(tiler, shape, [](IntTupleView tile, IntTupleView mode) {
    return decide_evenly_divides(mode, tile);
  });
}

Result<bool> decide_compatible(IntTupleView a, IntTupleView b) {
  return each_leaf("compatible", Predicate::kEqual, a, b);
}
Result<bool> decide_weakly_compatible(IntTupleView a, IntTupleView b) {
  return each_leaf("weakly_compatible", Predicate::kDivides, a, b);
}

bool compatible(IntTupleView a, IntTupleView b) { return decide_compatible(a, b).value_or(false); }
bool weakly_compatible(IntTupleView a, IntTupleView b) {
  return decide_weakly_compatible(a, b).value_or(false);
}
bool evenly_divides(IntTupleView shape, IntTupleView tiler) {
  return decide_evenly_divides(shape, tiler).value_or(false);
}

Result<IntTuple> unflatten(IntTupleView flat, ProfileView profile) {
  if (flat.depth() > 1 || flat.leaves().size() != profile.leaf_count()) {
    return incongruent("unflatten", flat, profile);
  }
  return IntTuple(Profile(profile), IntTuple::Leaves(flat.leaves().begin(), flat.leaves().end()));
}

Result<Int> crd2idx(IntTupleView coordinate, IntTupleView shape) {
  if (coordinate.is_leaf()) return coordinate.leaf();
  const Result<IntTuple> extents = product_like(shape, coordinate.profile());
  if (!extents) return incongruent("crd2idx", coordinate, shape);
  const std::span<const Int> digits = coordinate.leaves();
  Int index = 0;
  for (std::size_t i = digits.size(); i > 0; --i) {
    const bool last = i == digits.size();
    index = last ? digits[i - 1] : digits[i - 1] + extents->leaves()[i - 1] * index;
  }
  return check_defined(index,
                       [&] { return fmt::format("the index of {} in {}", coordinate, shape); });
}

Result<IntTuple> idx2crd(IntTupleView index, IntTupleView shape) {
  const auto split = [&](IntTupleView i, IntTupleView s, TupleParts& result) -> Result<void> {
    if (!i.is_leaf()) return incongruent("idx2crd", index, shape);
    result.profile.append(s.profile());
    Int rest = i.leaf();
    const std::span<const Int> extents = s.leaves();
    for (std::size_t at = 0; at < extents.size(); ++at) {
      if (at + 1 == extents.size()) {
        result.leaves.push_back(rest);
        break;
      }
      HEDDLE_CHECK(check_divisor(rest, extents[at]));
      result.leaves.push_back(mod(rest, extents[at]));
      rest = floor_div(rest, extents[at]);
    }
    return {};
  };
  return zip_with("idx2crd", index, shape, split);
}

Result<IntTuple> idx2crd(IntTupleView index, IntTupleView shape, IntTupleView stride) {
  if (!index.is_leaf()) {
    if (index.rank() != shape.rank() || index.rank() != stride.rank() || shape.is_leaf() ||
        stride.is_leaf()) {
      return incongruent("idx2crd", index, shape);
    }
    return map_modes(
        [](IntTupleView i, IntTupleView s, IntTupleView step) { return idx2crd(i, s, step); },
        index, shape, stride);
  }
  if (stride.is_leaf() && !shape.is_leaf()) {
    return idx2crd(index, shape, compact_col_major(shape, stride.leaf()));
  }
  if (!congruent(shape.profile(), stride.profile())) return incongruent("idx2crd", shape, stride);
  const std::span<const Int> extents = shape.leaves();
  const std::span<const Int> steps = stride.leaves();
  IntTuple::Leaves digits;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Int& extent = extents[i];
    const Int& step = steps[i];
    if (known_equal(extent, 1)) {
      digits.push_back(0);
      continue;
    }
    HEDDLE_TRY(const bool stays,
               decide({step, Predicate::kEqual, 0}, calling("idx2crd", index, shape, stride)));
    if (stays) {
      return refuse("idx2crd.zero_stride",
                    "idx2crd: mode {}:{} of {}:{} has stride 0, so an index does not determine its "
                    "coordinate",
                    extent, step, shape, stride);
    }
    HEDDLE_CHECK(check_divisor(index.leaf(), extent));
    digits.push_back(mod(floor_div(index.leaf(), step), extent));
  }
  return IntTuple(Profile(shape.profile()), std::move(digits));
}

Result<IntTuple> crd2crd(IntTupleView coordinate, IntTupleView source, IntTupleView target) {
  if (coordinate.is_leaf() || source.is_leaf() || target.is_leaf()) {
    HEDDLE_TRY(const Int index, crd2idx(coordinate, source));
    return idx2crd(IntTuple(index), target);
  }
  if (coordinate.rank() != source.rank() || coordinate.rank() != target.rank()) {
    return incongruent("crd2crd", coordinate, target);
  }
  return map_modes(crd2crd, coordinate, source, target);
}

void for_each_coordinate(IntTupleView shape, const std::function<bool(const IntTuple&)>& visit) {
  IntTuple::Leaves digits(shape.leaves().size(), Int(0));
  const Profile profile(shape.profile());
  while (visit(IntTuple(profile, digits))) {
    std::size_t i = 0;
    for (; i < digits.size(); ++i) {
      digits[i] += 1;
      if (known_less(digits[i], shape.leaves()[i])) break;
      digits[i] = 0;
    }
    if (i == digits.size()) return;
  }
}

Result<IntTuple> slice(const Coordinate& coordinate, IntTupleView tuple) {
  HEDDLE_TRY(const Selection selection,
             select_parts(coordinate, tuple.profile(), Keep::kUnderscores));
  return IntTuple(selection.profile, selection.leaves_of(tuple.leaves()));
}

Result<IntTuple> dice(const Coordinate& coordinate, IntTupleView tuple) {
  HEDDLE_TRY(const Selection selection, select_parts(coordinate, tuple.profile(), Keep::kIndices));
  return IntTuple(selection.profile, selection.leaves_of(tuple.leaves()));
}

Result<bool> lex_less(IntTupleView a, IntTupleView b) {
  return ordered_before(a, b, LeafOrder::kLexicographic);
}
Result<bool> lex_leq(IntTupleView a, IntTupleView b) { return negate(lex_less(b, a)); }
Result<bool> lex_gtr(IntTupleView a, IntTupleView b) { return lex_less(b, a); }
Result<bool> lex_geq(IntTupleView a, IntTupleView b) { return negate(lex_less(a, b)); }

Result<bool> colex_less(IntTupleView a, IntTupleView b) {
  return ordered_before(a, b, LeafOrder::kColexicographic);
}
Result<bool> colex_leq(IntTupleView a, IntTupleView b) { return negate(colex_less(b, a)); }
Result<bool> colex_gtr(IntTupleView a, IntTupleView b) { return colex_less(b, a); }
Result<bool> colex_geq(IntTupleView a, IntTupleView b) { return negate(colex_less(a, b)); }

Result<bool> elem_less(IntTupleView a, IntTupleView b) {
  if (a.is_leaf() && b.is_leaf()) {
    return decide({a.leaf(), Predicate::kLess, b.leaf()}, calling("elem_less", a, b));
  }
  if (a.is_leaf() || b.is_leaf()) return incongruent("elem_less", a, b);
  if (a.rank() > b.rank()) return false;
  return all_modes(a, b, elem_less);
}
Result<bool> elem_leq(IntTupleView a, IntTupleView b) { return negate(elem_less(b, a)); }
Result<bool> elem_gtr(IntTupleView a, IntTupleView b) { return elem_less(b, a); }
Result<bool> elem_geq(IntTupleView a, IntTupleView b) { return negate(elem_less(a, b)); }

Result<IntTuple> compact_major(IntTupleView shape, IntTupleView current, Major major) {
  if (current.is_leaf()) return compact(shape, current.leaf(), major);
  if (shape.is_leaf() || shape.rank() != current.rank()) {
    return incongruent("compact_major", shape, current);
  }
  return map_modes(
      [&](IntTupleView mode, IntTupleView start) { return compact_major(mode, start, major); },
      shape, current);
}

IntTuple compact_col_major(IntTupleView shape, const Int& current) {
  return compact(shape, current, Major::kColumn);
}

IntTuple compact_row_major(IntTupleView shape, const Int& current) {
  return compact(shape, current, Major::kRow);
}

Result<IntTuple> compact_order(IntTupleView shape, IntTupleView order) {
  HEDDLE_TRY(const IntTuple sizes, product_like(shape, order.profile()));
  // Where each mode starts: the product of the sizes of all before it.
  const std::span<const Int> ranks = order.leaves();
  std::vector<std::size_t> by_rank(ranks.size());
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) -> const Int& { return ranks[i]; };
  const auto call = calling("compact_order", shape, order);
  HEDDLE_CHECK(sort_by(by_rank, rank, call, Ties::kStable));
  IntTuple::Leaves leaves(by_rank.size());
  Int covered = 1;
  for (const std::size_t i : by_rank) {
    leaves[i] = covered;
    covered *= sizes.leaves()[i];
  }
  const IntTuple starts(Profile(order.profile()), std::move(leaves));
  return compact_major(shape, starts, Major::kColumn);
}

StrideTuple to_strides(const IntTuple& strides) {
  return transform_leaves(strides, [](const Int& stride) { return Stride(stride); });
}

}  // namespace heddle::cute

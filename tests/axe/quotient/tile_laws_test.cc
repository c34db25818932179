#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/threads.h"
#include "heddle/axe/tile.h"
#include "heddle/form/recover.h"
#include "support/random_axe.h"

// The laws of tiles and direct sums and of their inverses, against plain evaluation: results have
// the map of the definition, and a refusal means that no layout has it. Whether one has is decided
// here from tables of places alone.

namespace heddle::axe {
namespace {

using test::any_axe;
using test::AxeKind;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::plain_map;
using test::PlainPlace;
using test::PlainPlaces;
using test::Random;

using Number = std::int64_t;
using Widths = std::map<std::string, Number>;

Number value(const PlainPlace& place, const std::string& axis) {
  const auto entry = place.find(axis);
  return entry == place.end() ? 0 : entry->second;
}

std::set<std::string> axes_of(const std::vector<PlainPlaces>& map) {
  std::set<std::string> names;
  for (const PlainPlaces& places : map) {
    for (const PlainPlace& place : places) {
      for (const auto& [axis, number] : place) names.insert(axis);
    }
  }
  return names;
}

Number span_of(const std::vector<PlainPlaces>& map, const std::string& axis) {
  std::set<Number> values;
  for (const PlainPlaces& places : map) {
    for (const PlainPlace& place : places) values.insert(value(place, axis));
  }
  return *values.rbegin() - *values.begin() + 1;
}

Widths spans_of(const std::vector<PlainPlaces>& map) {
  Widths widths;
  for (const std::string& axis : axes_of(map)) widths[axis] = span_of(map, axis);
  return widths;
}

Number width(const Widths& widths, const std::string& axis) {
  const auto entry = widths.find(axis);
  return entry == widths.end() ? 1 : entry->second;
}

std::vector<Number> numbers(const Shape& shape) {
  std::vector<Number> result;
  for (const Int& extent : shape) result.push_back(extent.value());
  return result;
}

/// The index of x || y, dimension by dimension.
Number joined(const Shape& left, Number x, const Shape& right, Number y) {
  Number index = 0;
  Number step = 1;
  for (std::size_t j = left.size(); j-- > 0;) {
    const Number a = left[j].value();
    const Number b = right[j].value();
    index += (x % a * b + y % b) * step;
    x /= a;
    y /= b;
    step *= a * b;
  }
  return index;
}

PlainPlaces sums(const PlainPlaces& left, const Widths& widths, const PlainPlaces& right) {
  PlainPlaces result;
  for (const PlainPlace& a : left) {
    for (const PlainPlace& b : right) {
      PlainPlace sum = b;
      for (const auto& [axis, number] : a) sum[axis] += number * width(widths, axis);
      std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
      result.insert(sum);
    }
  }
  return result;
}

/// f(x || y) = f_left(x) * W + f_right(y).
std::vector<PlainPlaces> product_map(const std::vector<PlainPlaces>& left, const Shape& left_shape,
                                     const Widths& widths, const std::vector<PlainPlaces>& right,
                                     const Shape& right_shape) {
  std::vector<PlainPlaces> map(left.size() * right.size());
  for (std::size_t x = 0; x < left.size(); ++x) {
    for (std::size_t y = 0; y < right.size(); ++y) {
      const Number at =
          joined(left_shape, static_cast<Number>(x), right_shape, static_cast<Number>(y));
      map[static_cast<std::size_t>(at)] = sums(left[x], widths, right[y]);
    }
  }
  return map;
}

/// A layout and a shape that groups it.
struct Operand {
  Layout layout;
  Shape shape;
};

Operand operand(Random& random, const AxeKind& kind, std::size_t rank) {
  for (;;) {
    const Layout layout = any_axe(random, kind);
    Shape shape = test::grouping_shape(random, layout);
    while (shape.size() > rank) {
      shape[shape.size() - 2] *= shape.back();
      shape.pop_back();
    }
    while (shape.size() < rank) {
      shape.insert(shape.begin() + random.between(0, static_cast<Number>(shape.size())), Int(1));
    }
    if (group(layout, shape)) return {layout, shape};
  }
}

struct OperandPair {
  Operand left;
  Operand right;
};

OperandPair pair(Random& random, const AxeKind& kind) {
  const auto rank = static_cast<std::size_t>(random.between(1, 3));
  Operand left = operand(random, kind, rank);
  return {std::move(left), operand(random, kind, rank)};
}

constexpr AxeKind kPlain{.max_size = 12};
constexpr AxeKind kSmallSwizzled{.max_size = 12, .swizzles = true};
constexpr AxeKind kTiny{.max_size = 8};

Result<Layout> multiply(bool tile_it, const Operand& a, const Operand& b) {
  return tile_it ? tile(a.layout, a.shape, b.layout, b.shape)
                 : direct_sum(a.layout, a.shape, b.layout, b.shape);
}

std::vector<PlainPlaces> wanted_map(bool tile_it, const Operand& a, const Operand& b) {
  const std::vector<PlainPlaces> right = plain_map(b.layout);
  return product_map(plain_map(a.layout), a.shape, tile_it ? spans_of(right) : Widths(), right,
                     b.shape);
}

TEST(AxeTileLaw, AProductHasTheMapOfItsDefinition) {
  for_all_seeds([](Random& random) -> Finding {
    const OperandPair p = pair(random, kPlain);
    const bool tile_it = random.chance(60);
    const Result<Layout> got = multiply(tile_it, p.left, p.right);
    if (!got) return found(p.left.layout, " and ", p.right.layout, ": ", got.error());
    if (plain_map(*got) != wanted_map(tile_it, p.left, p.right)) {
      return found(tile_it ? "tile " : "sum ", p.left.layout, " and ", p.right.layout, ": ", *got);
    }
    return kHolds;
  });
}

/// The widths as scale() takes them.
std::vector<Coordinate::Entry> entries(const Widths& widths) {
  std::vector<Coordinate::Entry> result;
  for (const auto& [axis, number] : widths) result.emplace_back(Axis(axis), Int(number));
  return result;
}

TEST(AxeTileLaw, AScaledLayoutHasEveryPlaceScaled) {
  test::Tally swizzled_ones;
  for_all_seeds([&](Random& random) -> Finding {
    const Layout layout = any_axe(random, {.max_size = 24, .swizzles = random.chance(50)});
    Widths widths;
    for (const Axis& axis : axes(layout)) {
      if (random.chance(70))
        widths[axis.name()] = random.chance(50) ? 1 << random.between(0, 3) : random.between(-3, 6);
    }
    const Result<Layout> got = scale(layout, entries(widths));
    if (!got) return got.error().code() == "axe.swizzle_mixed" ? kSaysNothing : found(got.error());
    if (layout.swizzle()) swizzled_ones.count();
    std::vector<PlainPlaces> wanted;
    for (const PlainPlaces& places : plain_map(layout))
      wanted.push_back(sums(places, widths, {{}}));
    return plain_map(*got) == wanted ? kHolds : found(layout, ": ", *got);
  });
  swizzled_ones.expect_at_least(10);
}

TEST(AxeTileLaw, ATileIsTheSumWithTheScaledGrid) {
  for_all_seeds([](Random& random) -> Finding {
    const OperandPair p = pair(random, kPlain);
    const auto scaled = scale(p.left.layout, entries(spans_of(plain_map(p.right.layout))));
    if (!scaled) return found(scaled.error());
    const auto sum = direct_sum(*scaled, p.left.shape, p.right.layout, p.right.shape);
    const auto tiled = tile(p.left.layout, p.left.shape, p.right.layout, p.right.shape);
    if (!sum || !tiled) return found(p.left.layout, " and ", p.right.layout);
    return plain_map(*sum) == plain_map(*tiled) ? kHolds : found(*sum, " and ", *tiled);
  });
}

// ---- Whether a map is that of a layout, from its table alone. ----

/// The numbers as a replica list: some multiset of strides with 0 + sums = set. Tries all.
bool is_sum_of_progressions(const std::set<Number>& set, const std::set<Number>& sum,
                            Number least_stride) {
  if (sum == set) return true;
  for (Number stride = least_stride; stride <= *set.rbegin() - *sum.rbegin(); ++stride) {
    std::set<Number> longer = sum;
    bool inside = true;
    for (const Number number : sum) {
      inside = inside && set.contains(number + stride);
      longer.insert(number + stride);
    }
    if (inside && is_sum_of_progressions(set, longer, stride)) return true;
  }
  return false;
}

/// Some set of shifts U, multiples of nothing, with U + known = target and U a replica list: tries
/// all lists (partitions of the difference of the highest points).
bool has_remainder(const std::set<Number>& target, const std::set<Number>& known,
                   const std::set<Number>& shifts, Number least_stride) {
  std::set<Number> covered;
  for (const Number u : shifts) {
    for (const Number k : known) {
      if (!target.contains(u + k)) return false;
      covered.insert(u + k);
    }
  }
  if (covered == target) return true;
  for (Number stride = least_stride; stride <= *target.rbegin() - *covered.rbegin(); ++stride) {
    std::set<Number> longer = shifts;
    for (const Number u : shifts) longer.insert(u + stride);
    if (has_remainder(target, known, longer, stride)) return true;
  }
  return false;
}

/// Sets for each index on one axis.
using AxisSets = std::vector<std::set<Number>>;

AxisSets on_axis(const std::vector<PlainPlaces>& map, const std::string& axis) {
  AxisSets sets;
  for (const PlainPlaces& places : map) {
    std::set<Number>& set = sets.emplace_back();
    for (const PlainPlace& place : places) set.insert(value(place, axis));
  }
  return sets;
}

std::set<Number> from_zero(const std::set<Number>& set) {
  std::set<Number> moved;
  for (const Number number : set) moved.insert(number - *set.begin());
  return moved;
}

/// For each axis a table of numbers: a shard list with blocks for the shape exists exactly where
/// the table is a sum over the dimensions, each term a strided list whose digits step on one axis.
bool is_shard(const std::vector<std::vector<Number>>& tables, const Shape& shape) {
  const std::vector<Number> extents = numbers(shape);
  Number size = 1;
  for (const Number extent : extents) size *= extent;
  std::vector<Number> inner(extents.size(), 1);
  for (std::size_t j = extents.size(); j-- > 1;) inner[j - 1] = inner[j] * extents[j];
  for (const std::vector<Number>& table : tables) {
    for (Number index = 0; index < size; ++index) {
      Number sum = table[0];
      for (std::size_t j = 0; j < extents.size(); ++j) {
        const Number along = index / inner[j] % extents[j] * inner[j];
        sum += table[static_cast<std::size_t>(along)] - table[0];
      }
      if (sum != table[static_cast<std::size_t>(index)]) return false;
    }
  }
  for (std::size_t j = 0; j < extents.size(); ++j) {
    const auto sample = [&](Number index) {
      std::vector<Number> result;
      for (const std::vector<Number>& table : tables) {
        result.push_back(table[static_cast<std::size_t>(index * inner[j])] - table[0]);
      }
      return result;
    };
    const auto digits = form::recover(extents[j], tables.size(), sample);
    if (!digits) return false;
    for (const form::Digit& digit : *digits) {
      if (std::ranges::count_if(digit.stride, [](const Int& s) { return s != Int(0); }) > 1) {
        return false;
      }
    }
  }
  return true;
}

/// Whether a layout without a swizzle has this map and groups by the shape. A map is given by its
/// sets on each axis.
bool is_plain(const std::vector<AxisSets>& axes, const Shape& shape) {
  std::vector<std::vector<Number>> tables;
  for (const AxisSets& sets : axes) {
    std::vector<Number>& table = tables.emplace_back();
    for (const std::set<Number>& set : sets) {
      if (from_zero(set) != from_zero(sets[0])) return false;
      table.push_back(*set.begin());
    }
    if (!is_sum_of_progressions(from_zero(sets[0]), {0}, 1)) return false;
  }
  return is_shard(tables, shape);
}

Number swizzled(Number address, int low, int len, int apart, bool inner) {
  Number result = address;
  for (int i = 0; i < len; ++i) {
    const int from = low + i + (inner ? apart : 0);
    const int to = low + i + (inner ? 0 : apart);
    if (((address >> from) & 1) != 0) result ^= Number{1} << to;
  }
  return result;
}

/// The same with any swizzle of a few bits on any axis.
bool is_layout(const std::vector<AxisSets>& axes, const Shape& shape) {
  if (is_plain(axes, shape)) return true;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (int low = 0; low < 5; ++low) {
      for (int len = 1; len < 4; ++len) {
        for (int apart = len; apart < 5; ++apart) {
          for (const bool inner : {true, false}) {
            std::vector<AxisSets> turned = axes;
            for (std::set<Number>& set : turned[axis]) {
              std::set<Number> other;
              for (const Number number : set) {
                other.insert(swizzled(number, low, len, apart, inner));
              }
              set = other;
            }
            if (is_plain(turned, shape)) return true;
          }
        }
      }
    }
  }
  return false;
}

std::vector<AxisSets> all_axes(const std::vector<PlainPlaces>& map,
                               const std::set<std::string>& names) {
  std::vector<AxisSets> result;
  for (const std::string& axis : names) result.push_back(on_axis(map, axis));
  return result;
}

TEST(AxeTileLaw, ASwizzledProductHasItsMapOrNoLayoutHas) {
  test::Tally made;
  test::Tally refused;
  for_all_seeds([&](Random& random) -> Finding {
    const OperandPair p = pair(random, kSmallSwizzled);
    if (!p.left.layout.swizzle() && !p.right.layout.swizzle()) return kSaysNothing;
    const bool tile_it = random.chance(60);
    const Result<Layout> got = multiply(tile_it, p.left, p.right);
    const std::vector<PlainPlaces> wanted = wanted_map(tile_it, p.left, p.right);
    (got ? made : refused).count();
    const auto operands = [&] {
      return *found(tile_it ? "tile " : "sum ", p.left.layout, " and ", p.right.layout);
    };
    if (got) {
      if (plain_map(*got) == wanted) return kHolds;
      return found(operands(), ": ", *got);
    }
    if (got.error().code() != "axe.swizzle_mixed") return found(operands(), ": ", got.error());
    if (wanted.size() > 24) return kSaysNothing;
    if (is_layout(all_axes(wanted, axes_of(wanted)), {Int(wanted.size())})) {
      return found(operands(), " exists: ", got.error());
    }
    return kHolds;
  });
  made.expect_at_least(10);
  refused.expect_at_least(2);
}

// ---- The inverses. ----

enum class Unknown { kLeft, kRight };

Result<Layout> divide(bool tile_it, Unknown unknown, const Operand& product, const Operand& known) {
  if (tile_it) {
    return unknown == Unknown::kLeft
               ? tile_of(product.layout, product.shape, known.layout, known.shape)
               : tile_inner_of(product.layout, product.shape, known.layout, known.shape);
  }
  return unknown == Unknown::kLeft
             ? direct_sum_left_of(product.layout, product.shape, known.layout, known.shape)
             : direct_sum_right_of(product.layout, product.shape, known.layout, known.shape);
}

std::string call(bool tile_it, Unknown unknown, const Operand& product, const Operand& known) {
  std::ostringstream text;
  text << (tile_it ? "tile" : "sum") << (unknown == Unknown::kLeft ? " left of " : " right of ")
       << product.layout;
  for (const Int& extent : product.shape) text << ' ' << extent;
  text << " by " << known.layout;
  for (const Int& extent : known.shape) text << ' ' << extent;
  return text.str();
}

Shape quotient(const Shape& whole, const Shape& part) {
  Shape shape;
  for (std::size_t j = 0; j < whole.size(); ++j) shape.push_back(floor_div(whole[j], part[j]));
  return shape;
}

/// What is wrong with an answer: that its product with the known side has another map.
Finding check_answer(bool tile_it, Unknown unknown, const Operand& product, const Operand& known,
                     const Layout& answer) {
  const Operand other{answer, quotient(product.shape, known.shape)};
  const Operand& left = unknown == Unknown::kLeft ? other : known;
  const Operand& right = unknown == Unknown::kLeft ? known : other;
  if (wanted_map(tile_it, left, right) != plain_map(product.layout)) {
    return found(call(tile_it, unknown, product, known), ": ", answer);
  }
  if (*canonicalize(answer) != answer) return found(answer, " is not in normal form");
  const Result<Layout> again = multiply(tile_it, left, right);
  if (!again || !equal(*again, product.layout).is_yes()) {
    return found(call(tile_it, unknown, product, known), ": ", answer, " gives another product");
  }
  return kHolds;
}

Finding inverse_finds_a_side(Random& random, const AxeKind& kind) {
  const OperandPair p = pair(random, kind);
  const bool tile_it = random.chance(60);
  const Result<Layout> product = multiply(tile_it, p.left, p.right);
  if (!product) return kSaysNothing;
  const Operand whole{*product, product_shape(p.left.shape, p.right.shape)};
  for (const Unknown unknown : {Unknown::kLeft, Unknown::kRight}) {
    const Operand& known = unknown == Unknown::kLeft ? p.right : p.left;
    const Result<Layout> got = divide(tile_it, unknown, whole, known);
    if (!got) {
      // Sums of swizzled places may leave too much open.
      const bool open = !tile_it && kind.swizzles && got.error().code() == "axe.undecided";
      if (open) continue;
      return found(call(tile_it, unknown, whole, known), ": ", got.error());
    }
    if (Finding wrong = check_answer(tile_it, unknown, whole, known, *got)) return wrong;
  }
  return kHolds;
}

TEST(AxeTileLaw, AnInverseFindsASideOfEveryProduct) {
  for_all_seeds([](Random& random) { return inverse_finds_a_side(random, kPlain); });
}

TEST(AxeTileLaw, AnInverseFindsASideOfEverySwizzledProduct) {
  for_all_seeds([](Random& random) { return inverse_finds_a_side(random, kSmallSwizzled); });
}

/// Whether some layout (without a swizzle, or with one) is the unknown side, by trying all that
/// there could be at this scale.
bool exists_at(const std::vector<PlainPlaces>& whole, const Operand& known, const Shape& other,
               Unknown unknown, const Widths& widths) {
  const std::vector<PlainPlaces> part = plain_map(known.layout);
  std::set<std::string> names = axes_of(whole);
  names.merge(axes_of(part));
  Number size = 1;
  for (const Int& extent : other) size *= extent.value();
  std::vector<std::vector<Number>> tables;
  for (const std::string& axis : names) {
    const bool left = unknown == Unknown::kLeft;
    const AxisSets sets = on_axis(whole, axis);
    const AxisSets parts = on_axis(part, axis);
    const Number w = width(widths, axis);
    const auto place = [&](Number u, Number k) {
      return static_cast<std::size_t>(left ? joined(other, u, known.shape, k)
                                           : joined(known.shape, k, other, u));
    };
    std::vector<Number>& table = tables.emplace_back();
    for (Number u = 0; u < size; ++u) {
      const Number scale = left ? 1 : w;
      const Number rest = *sets[place(u, 0)].begin() - scale * *parts[0].begin();
      const Number divisor = left ? w : 1;
      if (rest % divisor != 0) return false;
      table.push_back(rest / divisor);
      for (Number k = 0; k < static_cast<Number>(part.size()); ++k) {
        const Number low = *parts[static_cast<std::size_t>(k)].begin() * scale;
        if (*sets[place(u, k)].begin() != low + rest) return false;
      }
    }
    // The replicas do not depend on the index. On the left they are multiples of W.
    std::set<Number> target = from_zero(sets[0]);
    std::set<Number> shifts;
    for (const Number number : from_zero(parts[0])) shifts.insert(number * (left ? 1 : w));
    if (left && w > 1) {
      std::set<Number> outer;
      for (const Number number : target) outer.insert(number / w);
      std::set<Number> again;
      for (const Number x : outer) {
        for (const Number k : shifts) again.insert(x * w + k);
      }
      if (again != target || !is_sum_of_progressions(outer, {0}, 1)) return false;
    } else if (!has_remainder(target, shifts, {0}, 1)) {
      return false;
    }
  }
  return is_shard(tables, other);
}

/// A product and a part of it, or of something like it.
Finding refusal_is_a_proof(Random& random, test::Tally& refused, test::Tally& answered) {
  OperandPair p = pair(random, kTiny);
  const bool tile_it = random.chance(60);
  const Unknown unknown = random.chance(50) ? Unknown::kLeft : Unknown::kRight;
  // A part of the other operation's product, or of another layout's.
  Operand known = unknown == Unknown::kLeft ? p.right : p.left;
  const Result<Layout> product = multiply(random.chance(50), p.left, p.right);
  Operand whole{*product, product_shape(p.left.shape, p.right.shape)};
  if (random.chance(40)) {
    const std::span<const Iter> iters = known.layout.shard();
    std::vector<Iter> shard(iters.begin(), iters.end());
    std::vector<Iter> replica(known.layout.replica().begin(), known.layout.replica().end());
    if (random.chance(50)) {
      shard[static_cast<std::size_t>(random.between(0, static_cast<Number>(shard.size()) - 1))]
          .stride += random.between(-1, 1);
    } else if (!replica.empty()) {
      replica.pop_back();
    } else {
      replica.push_back({random.between(2, 3), random.between(1, 4), Axis::memory()});
    }
    known.layout = *Layout::make(shard, replica, known.layout.offset());
    if (!group(known.layout, known.shape)) return kSaysNothing;
  }
  const std::vector<PlainPlaces> map = plain_map(whole.layout);
  if (!map.empty() && map[0].size() > 24) return kSaysNothing;
  const Result<Layout> got = divide(tile_it, unknown, whole, known);
  (got ? answered : refused).count();
  if (got) return check_answer(tile_it, unknown, whole, known, *got);
  if (got.error().code() == "axe.undecided") return found(got.error());
  // Every scale there can be.
  const Shape other = quotient(whole.shape, known.shape);
  const std::vector<PlainPlaces> part = plain_map(known.layout);
  std::vector<Widths> scales = {{}};
  if (tile_it && unknown == Unknown::kLeft) scales = {spans_of(part)};
  if (tile_it && unknown == Unknown::kRight) {
    for (const std::string& axis : axes_of(map)) {
      std::vector<Widths> longer;
      for (const Widths& scale : scales) {
        for (Number w = 1; w <= span_of(map, axis); ++w) {
          // span(T) - 1 = W * (span(A) - 1) + (W - 1) is the definition's, before any division.
          if (span_of(map, axis) - 1 != w * (span_of(part, axis) - 1) + w - 1) continue;
          Widths next = scale;
          next[axis] = w;
          longer.push_back(next);
        }
      }
      scales = longer;
    }
  }
  for (const Widths& scale : scales) {
    if (exists_at(map, known, other, unknown, scale)) {
      return found(call(tile_it, unknown, whole, known), " exists: ", got.error());
    }
  }
  return kHolds;
}

TEST(AxeTileLaw, ARefusedInverseDoesNotExist) {
  test::Tally refused;
  test::Tally answered;
  for_all_seeds([&](Random& random) { return refusal_is_a_proof(random, refused, answered); });
  refused.expect_at_least(15);
  answered.expect_at_least(15);
}

/// The outer side that a swizzled tile would have is read off place by place.
TEST(AxeTileLaw, ARefusedSwizzledTileIsNone) {
  test::Tally refused;
  test::Tally answered;
  for_all_seeds({.percent = 3}, [&](Random& random) -> Finding {
    const OperandPair p = pair(random, {.max_size = 8, .swizzles = true});
    const Result<Layout> product = multiply(random.chance(70), p.left, p.right);
    if (!product) return kSaysNothing;
    Operand known = p.right;
    if (random.chance(40)) {
      known.layout = *Layout::make({known.layout.shard().begin(), known.layout.shard().end()},
                                   {known.layout.replica().begin(), known.layout.replica().end()},
                                   known.layout.offset(),
                                   random.chance(50) ? std::nullopt : product->swizzle());
    }
    const Operand whole{*product, product_shape(p.left.shape, p.right.shape)};
    if (!canonicalize(whole.layout)->swizzle() && !canonicalize(known.layout)->swizzle()) {
      return kSaysNothing;
    }
    const Result<Layout> got = divide(true, Unknown::kLeft, whole, known);
    (got ? answered : refused).count();
    if (got) return check_answer(true, Unknown::kLeft, whole, known, *got);
    const std::vector<PlainPlaces> part = plain_map(known.layout);
    const std::vector<PlainPlaces> map = plain_map(whole.layout);
    const Widths widths = spans_of(part);
    const Shape other = quotient(whole.shape, known.shape);
    std::set<std::string> names = axes_of(map);
    names.merge(axes_of(part));
    Number size = 1;
    for (const Int& extent : other) size *= extent.value();
    std::vector<AxisSets> unknown;
    for (const std::string& axis : names) {
      const AxisSets sets = on_axis(map, axis);
      const AxisSets parts = on_axis(part, axis);
      const Number w = width(widths, axis);
      Number low = *parts[0].begin();
      for (const std::set<Number>& set : parts) low = std::min(low, *set.begin());
      AxisSets& column = unknown.emplace_back();
      for (Number x = 0; x < size; ++x) {
        std::set<Number>& set = column.emplace_back();
        for (const Number t : sets[static_cast<std::size_t>(joined(other, x, known.shape, 0))]) {
          set.insert(*exact::floor_divide(t - low, w));
        }
        for (Number y = 0; y < static_cast<Number>(part.size()); ++y) {
          std::set<Number> again;
          for (const Number c : set) {
            for (const Number b : parts[static_cast<std::size_t>(y)]) again.insert(c * w + b);
          }
          if (again != sets[static_cast<std::size_t>(joined(other, x, known.shape, y))]) {
            return kHolds;
          }
        }
      }
    }
    if (is_layout(unknown, other)) {
      return found(call(true, Unknown::kLeft, whole, known), " exists: ", got.error());
    }
    return kHolds;
  });
  refused.expect_at_least(1);
  answered.expect_at_least(5);
}

/// A layout over some of the lanes of a warp, or of the warps of a CTA, in any order.
Layout on_threads(Random& random, const char* axis, std::int64_t bits) {
  std::vector<Iter> iters;
  for (std::int64_t bit = 0; bit < bits; ++bit) {
    if (random.between(0, 3) > 0) iters.push_back({2, std::int64_t{1} << bit, Axis(axis)});
  }
  if (iters.empty()) iters.push_back({2, 1, Axis(axis)});
  for (std::size_t i = iters.size(); i > 1; --i) {
    std::swap(iters[i - 1],
              iters[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return *Layout::make(std::move(iters));
}

// A grid of warps with tiles of lanes comes apart again, though the product is on tx.
TEST(AxeTileLaw, SidesAreFoundInAProductOnOtherThreadAxes) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout grid = on_threads(random, "warpid", 3);
    const Layout lanes = on_threads(random, "laneid", 5);
    const Shape outer = {size(grid)};
    const Shape inner = {size(lanes)};
    const Shape whole = product_shape(outer, inner);
    const Result<Layout> product = unify_threads(*tile(grid, outer, lanes, inner));
    if (!product) return kSaysNothing;
    const Result<Layout> found_grid = tile_of(*product, whole, lanes, inner);
    if (!found_grid) return found(*product, " by ", lanes, ": ", found_grid.error());
    if (plain_map(*found_grid) != plain_map(grid)) return found(*product, ": ", *found_grid);
    const Result<Layout> found_lanes = tile_inner_of(*product, whole, grid, outer);
    if (!found_lanes) return kSaysNothing;  // the lanes have gaps, so that spans do not multiply
    return plain_map(*found_lanes) == plain_map(lanes) ? kHolds
                                                       : found(*product, ": ", *found_lanes);
  });
}

}  // namespace
}  // namespace heddle::axe

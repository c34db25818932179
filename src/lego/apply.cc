// Chains of permutations applied to points, and their inverses (seed 001, figure 4).

#include <fmt/format.h>

#include <ranges>
#include <utility>

#include "core/text.h"
#include "expr/format.h"
#include "heddle/expr/condition.h"
#include "heddle/lego/layout.h"
#include "lego/digits.h"

namespace heddle::lego {
namespace {

using Point = std::vector<Int>;
using Permutations = std::span<const Permutation>;

/// The digits after a link: a regular permutation gives its dimensions in their new order, a
/// general one a single number.
Sizes sizes_after(Permutations permutations) {
  Sizes sizes;
  for (const Permutation& permutation : permutations) {
    const auto* const regular = std::get_if<RegP>(&permutation);
    const Sizes after = regular ? regular->physical_dims() : Sizes{product(dims(permutation))};
    sizes.insert(sizes.end(), after.begin(), after.end());
  }
  return sizes;
}

/// The number of a point; for a regular permutation as digits: joining and splitting them again
/// would make symbolic indices long.
Result<Point> applied(const Permutation& permutation, std::span<const Int> point) {
  if (const auto* const regular = std::get_if<RegP>(&permutation)) {
    return permuted(regular->sigma(), point);
  }
  HEDDLE_TRY(Int number, std::get<GenP>(permutation).apply(point));
  return Point{std::move(number)};
}

Result<Point> inverted(const Permutation& permutation, std::span<const Int> digits) {
  if (const auto* const regular = std::get_if<RegP>(&permutation)) {
    return permuted(inverse(regular->sigma()), digits);
  }
  return std::get<GenP>(permutation).inv(digits.front());
}

/// Figure 4: applies each permutation to its part of the digits, from digits of sizes `from` to
/// digits of sizes `to`.
template <class From, class To, class Turn>
Result<Digits> turned(Permutations permutations, Digits digits, From from, To to, Turn turn) {
  const Digits before = reshape(std::move(digits), from(permutations));
  Digits after{{}, to(permutations)};
  std::span<const Int> rest = before.values;
  for (const Permutation& permutation : permutations) {
    const std::size_t count = from(std::span(&permutation, 1)).size();
    HEDDLE_TRY(const Point values, turn(permutation, rest.first(count)));
    rest = rest.subspan(count);
    after.values.insert(after.values.end(), values.begin(), values.end());
  }
  return after;
}

bool is_outside(const Int& value, const Int& size) {
  return known_less(value, 0) || known_at_most(size, value);
}

Result<void> check_coordinate(const Layout& layout, const Sizes& sizes,
                              std::span<const Int> coordinate) {
  const auto refusal = [&](const std::string& why) {
    return refuse("lego.coordinate", "{} is not a point of {}: {}", to_string(coordinate),
                  to_string(layout), why);
  };
  if (coordinate.size() != sizes.size()) {
    return refusal(fmt::format("it has {}, the view {} has {}",
                               counted(static_cast<std::int64_t>(coordinate.size()), "number"),
                               to_string(sizes), sizes.size()));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    HEDDLE_CHECK(check_defined(coordinate[i], "a coordinate"));
    if (!is_outside(coordinate[i], sizes[i])) continue;
    return refusal(
        fmt::format("{} is not in [0, {})", to_string(coordinate[i]), to_string(sizes[i])));
  }
  return {};
}

/// Figure 9: the position among the original sizes, and the conditions that keep it within them.
Placed clipped(const Expansion& expansion, const Digits& digits) {
  const Digits place = reshape(digits, expansion.extended);
  Placed placed{flatten(expansion.original, place.values), {}};
  for (std::size_t i = 0; i < place.values.size(); ++i) {
    placed.kept.push_back({place.values[i], Predicate::kLess, expansion.original[i]});
  }
  return placed;
}

/// A physical position as digits of the chain's output space.
Digits physical_digits(const Layout& layout, const Int& position) {
  if (const auto& expansion = layout.expansion()) {
    return {unflatten(expansion->original, position), expansion->extended};
  }
  return {{position}, {layout.size()}};
}

}  // namespace

Result<Int> apply(const Permutation& permutation, std::span<const Int> point) {
  return std::visit([&](const auto& either) -> Result<Int> { return either.apply(point); },
                    permutation);
}

Result<std::vector<Int>> inv(const Permutation& permutation, const Int& flat) {
  return std::visit([&](const auto& either) -> Result<Point> { return either.inv(flat); },
                    permutation);
}

Result<Placed> Layout::place(std::span<const Int> coordinate) const {
  const Sizes sizes = dims();
  HEDDLE_CHECK(check_coordinate(*this, sizes, coordinate));
  Digits digits{Point(coordinate.begin(), coordinate.end()), sizes};
  for (const std::vector<Permutation>& permutations : orders_) {
    HEDDLE_TRY(digits, turned(permutations, std::move(digits), sizes_of, sizes_after, applied));
  }
  Placed placed =
      expansion_ ? clipped(*expansion_, digits) : Placed{flatten(digits.sizes, digits.values), {}};
  HEDDLE_CHECK(check_defined(placed.position, [&] {
    return fmt::format("the position of {} in {}", lego::to_string(coordinate),
                       lego::to_string(*this));
  }));
  return placed;
}

Result<Int> Layout::apply(std::span<const Int> coordinate) const {
  HEDDLE_TRY(const Placed placed, place(coordinate));
  Int position = placed.position;
  for (const Condition& condition : std::views::reverse(placed.kept)) {
    position = select(condition, position, -1);
  }
  return position;
}

Result<std::vector<Int>> Layout::inv(const Int& position) const {
  HEDDLE_CHECK(check_defined(position, "a position"));
  if (is_injective_only()) {
    // The function may have any positions; the GenP refuses with its own reason.
    HEDDLE_CHECK(std::get<GenP>(orders_[0][0]).inv(position));
  }
  if (is_outside(position, physical_size())) {
    return refuse("lego.coordinate", "{} is not a position of {}: they run from 0 to {}",
                  heddle::to_string(position), lego::to_string(*this),
                  heddle::to_string(physical_size() - 1));
  }
  Digits digits = physical_digits(*this, position);
  for (std::size_t i = orders_.size(); i-- > 0;) {
    HEDDLE_TRY(digits, turned(orders_[i], std::move(digits), sizes_after, sizes_of, inverted));
  }
  Point point = reshape(std::move(digits), dims()).values;
  for (const Int& value : point) {
    HEDDLE_CHECK(check_defined(value, [&] {
      return fmt::format("the point at {} in {}", heddle::to_string(position),
                         lego::to_string(*this));
    }));
  }
  return point;
}

form::IndexMap index_map(const Layout& layout) {
  auto evaluate = [layout](std::span<const Int> point) {
    const Result<Int> position = layout.apply(point);
    return std::vector<Int>{position ? *position : Int::undefined()};
  };
  return form::IndexMap(layout.dims(), form::FlatOrder::kLastFastest, {Axis::memory()},
                        std::move(evaluate));
}

}  // namespace heddle::lego

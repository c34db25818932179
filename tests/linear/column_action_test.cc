#include "heddle/linear/column_action.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/random_linear.h"

namespace heddle::linear {
namespace {

using test::any_linear;
using test::distributed_linear;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHardware;
using test::kHolds;
using test::kTensor;
using test::plain_apply;
using test::points;
using test::Random;
using test::random_dims;
using test::Tally;

const Names kShared = {"offset", "block"};

ColumnAction action(std::vector<int> bases, int bits) {
  return ColumnAction::make(std::move(bases), "register", bits).value();
}

std::vector<int> numbers(std::int64_t count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// Some of the bases of `register`, in any order.
ColumnAction any_action(Random& random, int bits) {
  std::vector<int> bases = numbers(bits);
  random.shuffle(bases);
  if (random.chance(50)) bases.resize(static_cast<std::size_t>(random.between(0, bits)));
  return action(bases, bits);
}

TEST(ColumnAction, ExampleOfTheHeader) {
  const ColumnAction rotated = action({2, 0, 1}, 3);
  EXPECT_EQ(to_string(rotated), "ColumnAction([2, 0, 1], register, 3)");
  const auto layout = rotated.apply(identity_1d(8, "register", "out").value()).value();
  EXPECT_EQ(layout.bases(), (Bases{{"register", {{4}, {1}, {2}}}}));
  EXPECT_EQ(rotated.apply(numbers(8)).value(), (std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST(ColumnAction, DroppedBasesDropValues) {
  const auto layout = action({2, 0}, 3).apply(identity_1d(8, "register", "out").value()).value();
  EXPECT_EQ(layout.bases(), (Bases{{"register", {{4}, {1}}}}));
  EXPECT_EQ(action({2, 0}, 3).apply(numbers(8)).value(), (std::vector<int>{0, 4, 1, 5}));
}

TEST(ColumnAction, Identity) {
  const ColumnAction identity = ColumnAction::identity("register", 3).value();
  EXPECT_TRUE(identity.is_identity());
  EXPECT_FALSE(action({0, 1}, 3).is_identity());
  EXPECT_FALSE(action({1, 0, 2}, 3).is_identity());
  EXPECT_EQ(identity.apply(numbers(8)).value(), numbers(8));
}

// The layout after the action at i is the layout at source(i), and so are the values.
TEST(ColumnAction, MovesBasesAndValuesAlike) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 5);
    const ColumnAction chosen = any_action(random, layout.in_dim_size_log2("register").value());
    const auto after = chosen.apply(layout);
    if (!after) return found(after.error());
    const auto values = chosen.apply(numbers(layout.in_dim_size("register").value()));
    for (const NamedSizes& point : points(after->in_dim_sizes())) {
      NamedSizes before = point;
      before[0].second = values->at(static_cast<std::size_t>(point[0].second));
      if (plain_apply(*after, point) != plain_apply(layout, before)) {
        return found(chosen, " of\n", layout);
      }
    }
    return kHolds;
  });
}

TEST(ColumnAction, InverseUndoes) {
  for_all_seeds([](Random& random) -> Finding {
    const ColumnAction chosen = any_action(random, static_cast<int>(random.between(0, 6)));
    const auto inverted = inverse(chosen);
    if (inverted.has_value() != chosen.is_permutation()) return found(chosen);
    if (!inverted) return kHolds;
    if (!left_compose(chosen, *inverted)->is_identity()) return found(chosen);
    return left_compose(*inverted, chosen)->is_identity() ? kHolds : found(chosen);
  });
}

TEST(ColumnAction, LeftComposeIsOneAfterTheOther) {
  for_all_seeds([](Random& random) -> Finding {
    const auto bits = static_cast<int>(random.between(0, 5));
    const ColumnAction first = any_action(random, bits);
    const ColumnAction second = any_action(random, static_cast<int>(first.action().size()));
    const auto both = left_compose(first, second);
    if (!both) return found(both.error());
    const std::vector<int> values = numbers(std::int64_t{1} << bits);
    const auto one_by_one = second.apply(first.apply(values).value());
    if (both->apply(values) != one_by_one) return found(first, " and ", second);
    return kHolds;
  });
}

TEST(ColumnAction, RemovingBroadcastedRegistersAndBroadcastingThem) {
  Tally tally;
  for_all_seeds([&](Random& random) -> Finding {
    const LinearLayout layout = distributed_linear(random, random_dims(random, kHardware, 6),
                                                   random_dims(random, kTensor, 3));
    const auto removed = action_remove_broadcasted_regs(layout);
    if (!removed) return found(removed.error());
    const LinearLayout fewer = removed->apply(layout).value();
    if (fewer != remove_zero_bases_along_dim(layout, "register")) return found(fewer);
    if (fewer != layout) tally.count();
    const std::vector<int> values = numbers(fewer.in_dim_size("register").value());
    const auto all = broadcast_as(values, layout);
    if (!all) return found(all.error());
    if (removed->apply(*all) != values) return found(layout);
    return kHolds;
  });
  tally.expect_at_least(30);
}

// Registers hold the same value after it just where the layout maps them to the same element, and
// registers in which no free bit is set hold the values in turn.
TEST(ColumnAction, BroadcastAsFollowsTheLayout) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout layout = any_linear(random, 5);
    const LinearLayout registers = sublayout(layout, {"register"}, kTensor).value();
    const std::int64_t free = free_variable_masks(registers).front().second;
    const std::int64_t size = registers.in_dim_size("register").value();
    std::vector<int> values;
    for (std::int64_t r = 0; r < size; ++r) {
      if ((r & free) == 0) values.push_back(static_cast<int>(r));
    }
    const auto all = broadcast_as(values, layout);
    if (!all) return found(all.error());
    for (std::int64_t r = 0; r < size; ++r) {
      const int source = all->at(static_cast<std::size_t>(r));
      if ((r & free) == 0 && source != r) return found("register ", r, " of\n", layout);
      if (plain_apply(registers, {{"register", r}}) !=
          plain_apply(registers, {{"register", source}})) {
        return found("register ", r, " of\n", layout);
      }
    }
    return kHolds;
  });
}

/// All orders of the registers.
std::vector<ColumnAction> permutations(int bits) {
  std::vector<ColumnAction> all;
  std::vector<int> bases = numbers(bits);
  do {
    all.push_back(action(bases, bits));
  } while (std::ranges::next_permutation(bases).found);
  return all;
}

TEST(ColumnAction, TheRegisterOrderForADivisionIsFoundWhereThereIsOne) {
  Tally divisible;
  for_all_seeds([&](Random& random) -> Finding {
    const bool left = random.chance(50);
    const auto part = [&](std::int64_t bits) {
      return any_linear(random, random_dims(random, {"register", "lane"}, static_cast<int>(bits)),
                        random_dims(random, kTensor, static_cast<int>(bits)));
    };
    const LinearLayout b = part(random.between(0, 3));
    const LinearLayout c = part(random.between(0, 2));
    const LinearLayout product = (left ? b * c : c * b).value();
    const LinearLayout a =
        random.chance(80)
            ? permutations(product.in_dims().front().bits).back().apply(product).value()
            : any_linear(random, product.in_dim_sizes(), product.out_dim_sizes());
    const auto divides = [&](const ColumnAction& order) {
      const LinearLayout permuted = order.apply(a).value();
      return (left ? divide_left(permuted, b) : divide_right(permuted, b)).has_value();
    };
    const bool possible = std::ranges::any_of(permutations(a.in_dims().front().bits), divides);
    if (possible) divisible.count();
    const auto order = reg_perm_for_divide(a, b, left);
    if (possible != (order && divides(*order))) return found(left, "\n", a, "\nby\n", b);
    return kHolds;
  });
  divisible.expect_at_least(50);
}

/// v consecutive offsets, from any multiple of v on, are in v registers of each lane: the offsets
/// 1 … v/2 are register bases, and nothing else touches those bits.
bool can_vectorise(const LinearLayout& cvt, std::int64_t v) {
  std::vector<bool> is_base(63);
  for (const InBases& in : cvt.bases()) {
    for (const auto& vector : in.vectors) {
      for (std::int64_t bit = 0; (std::int64_t{1} << bit) < v; ++bit) {
        const bool touches = (vector[0] >> bit & 1) != 0;
        if (!touches) continue;
        const bool single = vector[0] == std::int64_t{1} << bit && vector[1] == 0;
        if (in.name != "register" || !single || is_base[static_cast<std::size_t>(bit)])
          return false;
        is_base[static_cast<std::size_t>(bit)] = true;
      }
    }
  }
  for (std::int64_t bit = 0; (std::int64_t{1} << bit) < v; ++bit) {
    if (!is_base[static_cast<std::size_t>(bit)]) return false;
  }
  return true;
}

TEST(ColumnAction, TheLargestVectorisationIsTheWidestAccess) {
  Tally above_one;
  for_all_seeds([&](Random& random) -> Finding {
    const LinearLayout cvt =
        any_linear(random, random_dims(random, kHardware, 6), random_dims(random, kShared, 6));
    const int bitwidth = 1 << random.between(0, 7);
    std::int64_t widest = 128 / bitwidth;
    while (!can_vectorise(cvt, widest)) widest /= 2;
    const auto vectorisation = largest_vectorisation(cvt, bitwidth);
    if (!vectorisation) return found(vectorisation.error());
    if (widest > 1) above_one.count();
    if (vectorisation->elements != widest) return found(widest, " elements in\n", cvt);
    // In the new order the first registers are consecutive offsets.
    const auto permuted = vectorisation->permutation.apply(cvt);
    const auto tile = identity_1d(widest, "register", "offset");
    return divide_left(*permuted, *tile) ? kHolds : found("the order in\n", cvt);
  });
  above_one.expect_at_least(10);
}

TEST(ColumnAction, WithALimitRegistersKeepTheirOrder) {
  for_all_seeds([](Random& random) -> Finding {
    const LinearLayout cvt = distributed_linear(
        random, random_dims(random, {"register", "lane"}, 4), random_dims(random, {"offset"}, 4));
    const std::int64_t limit = std::int64_t{1} << random.between(0, 4);
    const auto vectorisation = largest_vectorisation(cvt, 8, limit);
    if (!vectorisation) return found(vectorisation.error());
    if (!vectorisation->permutation.is_identity()) return found(vectorisation->permutation);
    std::int64_t widest = limit;
    while (!divide_left(cvt, identity_1d(widest, "register", "offset").value())) widest /= 2;
    return vectorisation->elements == widest ? kHolds : found(widest, " elements in\n", cvt);
  });
}

}  // namespace
}  // namespace heddle::linear

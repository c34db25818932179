// Laws of the normal form: coalesce, filter, and recovery of a layout from its function.

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/cute/manipulation.h"
#include "heddle/form/recover.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using test::one_layout;

using cute::Layout;

TEST(Coalesce, KeepsTheFunction) {
  for_all(one_layout, [](const Operands& o) {
    return differs(table_of(cute::coalesce(to_layout(o.layouts[0]))), table(o.layouts[0]));
  });
}

TEST(Coalesce, IsIdempotent) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Layout once = cute::coalesce(to_layout(o.layouts[0]));
    const Layout twice = cute::coalesce(once);
    return once == twice ? kHolds : found(once, " became ", twice);
  });
}

TEST(Coalesce, IsAtMostOneDeep) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Layout r = cute::coalesce(to_layout(o.layouts[0]));
    return r.depth() <= 1 ? kHolds : found(r);
  });
}

TEST(Coalesce, IsTheShortestLayoutWithTheFunction) {
  for_all([](Random& random) { return Operands{{any_layout(random, 72)}, {}}; },
          [](const Operands& o) -> Finding {
            std::size_t shortest = 99;
            for (const auto& modes : layouts_with(table(o.layouts[0]))) {
              shortest = std::min(shortest, modes.size());
            }
            const Layout r = cute::coalesce(to_layout(o.layouts[0]));
            const std::size_t length = r.size() == 1 ? 0 : r.rank();
            return length == shortest ? kHolds : found(r, ": ", shortest, " modes suffice");
          });
}

TEST(Coalesce, DependsOnTheFunctionAlone) {
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random);
    return Operands{{a, renested(random, a)}, {}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    if (table(o.layouts[0]) != table(o.layouts[1])) return kSaysNothing;
    const Layout a = cute::coalesce(to_layout(o.layouts[0]));
    const Layout b = cute::coalesce(to_layout(o.layouts[1]));
    return a == b ? kHolds : found(a, " and ", b);
  });
}

TEST(Coalesce, ByProfileCoalescesEachModeAlone) {
  for_all({.percent = 50}, one_layout, [&](const Operands& o) -> Finding {
    const Plain& a = o.layouts[0];
    if (a.is_leaf()) return kSaysNothing;
    const Layout layout = to_layout(a);
    const Result<Layout> r = cute::coalesce(layout, Profile::flat(a.modes.size()).view());
    if (!r) return found(r.error());
    if (r->rank() != a.modes.size()) return found(*r, " has another rank");
    for (std::size_t i = 0; i < a.modes.size(); ++i) {
      const Layout wanted = cute::coalesce(to_layout(a.modes[i]));
      if (r->mode(i) != wanted) return found(*r, ": mode ", i, " should be ", wanted);
    }
    return kHolds;
  });
}

TEST(Filter, KeepsTheImageAndDropsTheRepeats) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Layout r = *cute::filter(to_layout(o.layouts[0]));
    std::int64_t moving = 1;
    for (const Plain& leaf : leaves(o.layouts[0])) moving *= leaf.stride == 0 ? 1 : leaf.extent;
    if (size(to_plain(r)) != moving) return found(r, " should have ", moving, " elements");
    std::vector<std::int64_t> got = table_of(r);
    std::vector<std::int64_t> wanted = table(o.layouts[0]);
    for (std::vector<std::int64_t>* values : {&got, &wanted}) {
      std::sort(values->begin(), values->end());
      values->erase(std::unique(values->begin(), values->end()), values->end());
    }
    return differs(got, wanted);
  });
}

TEST(FilterZeros, KeepsTheNestingAndTheIndexOfTheMovingDigits) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Layout layout = to_layout(o.layouts[0]);
    const Layout r = *cute::filter_zeros(layout);
    if (r.profile() != layout.profile()) return found(r, " has another nesting");
    const std::vector<Plain> got = leaves(to_plain(r));
    const std::vector<Plain> before = leaves(o.layouts[0]);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::int64_t wanted = before[i].stride == 0 ? 1 : before[i].extent;
      if (got[i].extent != wanted) return found(r, ": extent ", i, " should be ", wanted);
    }
    return kHolds;
  });
}

TEST(Sort, OrdersTheSameModesByStrideThenExtent) {
  for_all(one_layout, [](const Operands& o) -> Finding {
    const Result<Layout> r = cute::sort(to_layout(o.layouts[0]));
    if (!r) return found(r.error());
    std::vector<Plain> wanted = leaves(o.layouts[0]);
    std::sort(wanted.begin(), wanted.end(), [](const Plain& x, const Plain& y) {
      return x.stride != y.stride ? x.stride < y.stride : x.extent < y.extent;
    });
    return leaves(to_plain(*r)) == wanted ? kHolds : found(*r);
  });
}

// form::recover: the layout of a function, from its values alone.

form::Sampler sampler(const std::vector<std::int64_t>& values) {
  return [&values](std::int64_t c) { return std::vector{values.at(static_cast<std::size_t>(c))}; };
}

Result<std::vector<form::Digit>> recover(const std::vector<std::int64_t>& values) {
  return form::recover(static_cast<std::int64_t>(values.size()), 1, sampler(values));
}

std::vector<Plain> modes_of(const std::vector<form::Digit>& digits) {
  std::vector<Plain> modes;
  for (const form::Digit& digit : digits)
    modes.push_back(plain_leaf(digit.extent.value(), digit.stride.at(0).value()));
  return modes;
}

TEST(Recover, GivesTheCoalescedLayoutOfAnyLayoutFunction) {
  for_all([](Random& random) { return Operands{{any_layout(random, 720)}, {}}; },
          [](const Operands& o) -> Finding {
            const std::vector<std::int64_t> values = table(o.layouts[0]);
            const auto digits = recover(values);
            if (!digits) return found(digits.error());
            const std::vector<Plain> wanted = coalesced_modes(o.layouts[0]);
            if (modes_of(*digits) == wanted) return kHolds;
            return found(to_string(plain_layout(modes_of(*digits))));
          });
}

TEST(Recover, WorksOnSeveralAxesAtOnce) {
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random);
    Plain b = plain_tuple(leaves(a));
    for (Plain& mode : b.modes) mode.stride = random.between(-9, 9);
    return Operands{{plain_tuple(leaves(a)), b}, {}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const std::int64_t extent = size(o.layouts[0]);
    if (size(o.layouts[1]) != extent) return kSaysNothing;
    const auto f = [&](std::int64_t c) {
      return std::vector{evaluate(o.layouts[0], c), evaluate(o.layouts[1], c)};
    };
    const auto digits = form::recover(extent, 2, f);
    if (!digits) return found(digits.error());
    for (std::int64_t c = 0; c < extent; ++c) {
      std::int64_t rest = c;
      std::vector<std::int64_t> sum = {0, 0};
      for (const form::Digit& digit : *digits) {
        for (std::size_t axis = 0; axis < 2; ++axis)
          sum[axis] += rest % digit.extent.value() * digit.stride.at(axis).value();
        rest /= digit.extent.value();
      }
      if (sum != f(c)) return found("coordinate ", c, ": (", sum[0], ",", sum[1], ")");
    }
    return kHolds;
  });
}

/// A layout's table with one value changed, or arbitrary values: hardly ever a layout.
Operands table_of_numbers(Random& random) {
  std::vector<std::int64_t> values = table(any_layout(random, 48));
  if (random.chance(30)) {
    for (std::int64_t& value : values) value = random.between(0, 12);
  } else {
    values[static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(values.size()) - 1))] += random.between(1, 4);
  }
  values[0] = 0;
  return {{}, values};
}

TEST(Recover, RefusesExactlyTheTablesOfNoLayout) {
  Tally refused;
  for_all(table_of_numbers, [&](const Operands& o) -> Finding {
    std::vector<std::int64_t> values = o.numbers;
    values[0] = 0;
    const bool exists = !layouts_with(values).empty();
    const auto digits = recover(values);
    if (digits.has_value()) return exists ? kHolds : found("gave a layout where there is none");
    refused.count();
    if (exists) return found("a layout exists, yet ", digits.error());
    return digits.error().code() == "recover.no_layout" ? kHolds : found(digits.error());
  });
  refused.expect_at_least(50);
}

}  // namespace
}  // namespace heddle::test

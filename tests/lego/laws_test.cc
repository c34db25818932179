#include <gtest/gtest.h>

#include "heddle/expr/index_variable.h"
#include "heddle/lego/equality.h"
#include "heddle/lego/instantiate.h"
#include "support/law.h"
#include "support/random_lego.h"

// The laws of layouts, against figures 4 and 5 on plain integers.

namespace heddle::lego {
namespace {

using test::any_lego;
using test::count;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::ints;
using test::kHolds;
using test::kSaysNothing;
using test::LegoKind;
using test::Numbers;
using test::plain_apply;
using test::plain_dims;
using test::plain_inv;
using test::plain_point;
using test::PlainLego;
using test::Random;
using test::symbolic_lego;
using test::SymbolicLego;
using test::Tally;
using test::to_layout;

constexpr LegoKind kExpanded{.expanded = true};

/// Some of the numbers from 0 to size - 1: all of few.
std::vector<std::int64_t> some_below(Random& random, std::int64_t size) {
  constexpr std::int64_t kMost = 12;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < std::min(size, kMost); ++i) {
    numbers.push_back(size <= kMost ? i : random.between(0, size - 1));
  }
  return numbers;
}

Finding differs_at(const Layout& layout, const Numbers& point, const Result<Int>& got,
                   std::int64_t wanted) {
  if (!got) return found(layout, " at ", to_string(ints(point)), ": ", got.error());
  if (*got == Int(wanted)) return kHolds;
  return found(layout, " at ", to_string(ints(point)), ": ", *got, ", wanted ", wanted);
}

TEST(LegoLaw, ApplyIsFigures4And5) {
  for_all_seeds([](Random& random) -> Finding {
    const PlainLego plain = any_lego(random);
    const Layout layout = to_layout(plain);
    const Numbers dims = plain_dims(plain);
    for (const std::int64_t flat : some_below(random, count(dims))) {
      const Numbers point = plain_point(dims, flat);
      const Finding finding =
          differs_at(layout, point, layout.apply(ints(point)), plain_apply(plain, point));
      if (finding) return finding;
    }
    return kHolds;
  });
}

TEST(LegoLaw, InvIsFigures4And5) {
  for_all_seeds([](Random& random) -> Finding {
    const PlainLego plain = any_lego(random);
    const Layout layout = to_layout(plain);
    for (const std::int64_t position : some_below(random, count(plain_dims(plain)))) {
      const Result<std::vector<Int>> got = layout.inv(position);
      if (!got) return found(layout, " at ", position, ": ", got.error());
      const std::vector<Int> wanted = ints(plain_inv(plain, position));
      if (*got != wanted) {
        return found(layout, " at ", position, ": ", to_string(*got), ", wanted ",
                     to_string(wanted));
      }
    }
    return kHolds;
  });
}

TEST(LegoLaw, InvAfterApplyIsTheIdentity) {
  for_all_seeds([](Random& random) -> Finding {
    const PlainLego plain = any_lego(random);
    const Layout layout = to_layout(plain);
    const Numbers dims = plain_dims(plain);
    for (const std::int64_t flat : some_below(random, count(dims))) {
      const std::vector<Int> point = ints(plain_point(dims, flat));
      const Result<Int> position = layout.apply(point);
      const Result<std::vector<Int>> back = layout.inv(*position);
      if (!back || *back != point)
        return found(layout, " does not lead back to ", to_string(point));
    }
    return kHolds;
  });
}

TEST(LegoLaw, ApplyAfterInvIsTheIdentity) {
  for_all_seeds([](Random& random) -> Finding {
    const PlainLego plain = any_lego(random);
    const Layout layout = to_layout(plain);
    for (const std::int64_t position : some_below(random, count(plain_dims(plain)))) {
      const Result<Int> back = layout.apply(*layout.inv(position));
      if (!back || *back != Int(position))
        return found(layout, " does not lead back to ", position);
    }
    return kHolds;
  });
}

TEST(LegoLaw, LayoutsAreBijections) {
  for_all_seeds([](Random& random) -> Finding {
    const PlainLego plain = any_lego(random, {.max_size = 36});
    const form::IndexMap map = index_map(to_layout(plain));
    std::vector<bool> seen(static_cast<std::size_t>(map.size().value()));
    for (std::int64_t flat = 0; flat < map.size().value(); ++flat) {
      const Int position = map.at(flat).front();
      if (!position.is_constant() || !known_less(position, map.size())) {
        return found(to_layout(plain), " leads ", flat, " to ", position);
      }
      auto met = seen[static_cast<std::size_t>(position.value())];
      if (met) return found(to_layout(plain), " leads twice to ", position);
      met = true;
    }
    return kHolds;
  });
}

TEST(LegoLaw, ExpandByIsFigure9) {
  Tally outside;
  for_all_seeds([&](Random& random) -> Finding {
    const PlainLego plain = any_lego(random, kExpanded);
    const Layout layout = to_layout(plain);
    const Numbers dims = plain_dims(plain);
    for (const std::int64_t flat : some_below(random, count(dims))) {
      const Numbers point = plain_point(dims, flat);
      const std::int64_t wanted = plain_apply(plain, point);
      if (wanted < 0) outside.count();
      const Finding finding = differs_at(layout, point, layout.apply(ints(point)), wanted);
      if (finding) return finding;
    }
    for (const std::int64_t position : some_below(random, count(plain.original))) {
      const Result<std::vector<Int>> point = layout.inv(position);
      if (!point) return found(layout, " at ", position, ": ", point.error());
      if (*point != ints(plain_inv(plain, position))) return found(layout, " wrong at ", position);
      if (*layout.apply(*point) != Int(position)) return found(layout, " not back at ", position);
    }
    return kHolds;
  });
  outside.expect_at_least(50);
}

/// The index expression of a point of variables, with the values put in.
Result<Int> through_variables(const Layout& layout, const std::vector<Int>& dims, Bindings values,
                              const Numbers& point) {
  std::vector<Int> variables;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::string name = "i" + std::to_string(k);
    variables.push_back(index_variable(name, dims[k]));
    values[name] = point[k];
  }
  const Result<Int> index = layout.apply(variables);
  if (!index) return index;
  return heddle::instantiate(*index, values);
}

/// A random point and position of a layout whose sizes are numbers.
Numbers random_point(Random& random, const Layout& layout) {
  Numbers point;
  for (const Int& size : layout.dims()) point.push_back(random.between(0, size.value() - 1));
  return point;
}

TEST(LegoLaw, IndexExpressionsHaveTheValuesOfTheLayout) {
  for_all_seeds([](Random& random) -> Finding {
    const PlainLego plain = any_lego(random, random.chance(30) ? kExpanded : LegoKind{});
    const Layout layout = to_layout(plain);
    const Numbers point = random_point(random, layout);
    // A table has no expression, backwards only: apply always has one.
    return differs_at(layout, point, through_variables(layout, layout.dims(), {}, point),
                      plain_apply(plain, point));
  });
}

TEST(LegoLaw, InverseExpressionsHaveTheValuesOfTheLayout) {
  for_all_seeds({.percent = 75}, [&](Random& random) -> Finding {
    const PlainLego plain = any_lego(random);
    const Layout layout = to_layout(plain);
    const Int position = index_variable("p", layout.size());
    const Result<std::vector<Int>> point = layout.inv(position);
    if (!point) {
      const std::string& code = point.error().code();
      // A table has no expression, and antidiagonals within antidiagonals one past all use.
      if (code == "lego.no_inverse" || code == "overflow") return kSaysNothing;
      return found(layout, ": ", point.error());
    }
    const std::int64_t value = random.between(0, layout.size().value() - 1);
    const Numbers wanted = plain_inv(plain, value);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const Result<Int> got = heddle::instantiate((*point)[k], {{"p", value}});
      if (!got || *got != Int(wanted[k])) {
        return found(layout, " at ", value, ": ", (*point)[k], " is not ", wanted[k]);
      }
    }
    return kHolds;
  });
}

TEST(LegoLaw, SymbolicChainsInstantiatedAreTheConcreteChain) {
  for_all_seeds([](Random& random) -> Finding {
    const auto [layout, values] = symbolic_lego(random);
    const Result<Layout> concrete = instantiate(layout, values);
    if (!concrete) return found(layout, ": ", concrete.error());
    const Numbers point = random_point(random, *concrete);
    const Result<Int> wanted = concrete->apply(ints(point));
    if (!wanted) return found(*concrete, ": ", wanted.error());
    return differs_at(layout, point, through_variables(layout, layout.dims(), values, point),
                      wanted->value());
  });
}

TEST(LegoLaw, SymbolicInversesInstantiatedAreTheConcreteInverse) {
  for_all_seeds([](Random& random) -> Finding {
    auto [layout, values] = symbolic_lego(random);
    const Result<Layout> concrete = instantiate(layout, values);
    if (!concrete) return found(layout, ": ", concrete.error());
    const std::int64_t position = random.between(0, concrete->size().value() - 1);
    const Result<std::vector<Int>> wanted = concrete->inv(position);
    // A position with a symbolic bound takes the simplifier longer than one without.
    const Int any = random.chance(30) ? index_variable("p", layout.size())
                                      : Int::variable("p", 0, Range::kNoHigh);
    const Result<std::vector<Int>> got = layout.inv(any);
    if (!got) return found(layout, ": ", got.error());
    values["p"] = position;
    for (std::size_t k = 0; k < wanted->size(); ++k) {
      const Result<Int> value = heddle::instantiate((*got)[k], values);
      if (!value || *value != (*wanted)[k]) {
        return found(layout, " as ", *concrete, " at ", position, ": ", (*got)[k], " is not ",
                     (*wanted)[k]);
      }
    }
    return kHolds;
  });
}

TEST(LegoLaw, EqualTellsByEveryPoint) {
  Tally different;
  for_all_seeds([&](Random& random) -> Finding {
    const PlainLego left = any_lego(random, {.max_size = 12});
    PlainLego right = any_lego(random, {.max_size = 12});
    if (random.chance(50)) right.tiles = left.tiles;
    const std::int64_t size = count(plain_dims(left));
    if (size != count(plain_dims(right)) || (!right.chain.empty() && random.chance(20))) {
      right = left;
    }
    bool is_same = true;
    try {
      const Layout a = to_layout(left);
      const Layout b = to_layout(right);
      for (std::int64_t flat = 0; flat < size; ++flat) {
        is_same = is_same && plain_apply(left, plain_point(plain_dims(left), flat)) ==
                                 plain_apply(right, plain_point(plain_dims(right), flat));
      }
      if (!is_same) different.count();
      const Verdict verdict = equal(a, b);
      if (verdict.is_yes() == is_same && verdict.is_no() != is_same) return kHolds;
      return found(a, " and ", b, ": ", verdict);
    } catch (const std::invalid_argument&) {
      return kSaysNothing;  // tiles taken from a layout of another size
    }
  });
  different.expect_at_least(2);
}

}  // namespace
}  // namespace heddle::lego

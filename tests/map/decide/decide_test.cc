// Decisions: every method against evaluation at all points, on random claims over all systems, down
// to the smallest counterexample.

#include "heddle/map/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "expr/numbers_text.h"
#include "heddle/cute/swizzle.h"
#include "map/decide/methods.h"
#include "support/any_layout.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;
using test::relation_of;
using test::strided;
using test::Tally;

// ---- Random layouts ----

cute::Layout any_plain(Random& random, std::int64_t max_size) {
  return test::to_layout(random.chance(50) ? test::any_layout(random, max_size)
                                           : test::compact_layout(random, max_size));
}

AnyLayout any_composed(Random& random, std::int64_t max_size) {
  const cute::Layout plain = test::to_layout(test::positive_layout(random, max_size));
  if (random.chance(30)) {
    const cute::Layout outer = test::to_layout(test::positive_layout(random, max_size));
    return cute::ComposedLayout::make(outer, IntTuple(random.between(0, 4)), plain).value();
  }
  const int bits = static_cast<int>(random.between(0, 2));
  const int base = static_cast<int>(random.between(0, 2));
  const int shift = static_cast<int>(random.between(bits, 2));
  const auto swizzle = cute::Swizzle::make(bits, base, random.chance(20) ? -shift : shift).value();
  const auto layout = cute::ComposedLayout::make(swizzle, random.between(0, 4), plain);
  return layout ? AnyLayout(*layout) : AnyLayout(plain);
}

AnyLayout layout_of_any_system(Random& random, std::int64_t max_size = 48) {
  switch (random.between(0, 5)) {
    case 0:
    case 1:
      return any_plain(random, max_size);
    case 2:
      return any_composed(random, max_size);
    case 3:
      return test::any_linear(random, 5);
    case 4:
      return test::any_axe(random, {.max_size = max_size, .swizzles = random.chance(30)});
    default:
      return test::to_layout(test::any_lego(random, {.max_size = 24}));
  }
}

form::Table table_of(const AnyLayout& layout) {
  return form::table_of(view(layout).value().index_map()).value();
}

/// A layout that may have the same map: the same again, its table, its table with one number
/// changed, one with as many points, any.
AnyLayout partner_of(const AnyLayout& layout, Random& random) {
  const View it = view(layout).value();
  const std::int64_t size = it.size().value();
  switch (random.between(0, 5)) {
    case 0:
      return layout;
    case 1:
      if (it.is_function() && !it.takes_any_shape) return table_of(layout);
      return layout;
    case 2: {
      form::Table table = table_of(layout);
      auto& values = table.values;
      values[static_cast<std::size_t>(random.between(0, std::ssize(values) - 1))] +=
          random.between(-1, 1);
      return table;
    }
    case 3: {
      const auto factors = test::random_factors(random, size);
      std::vector<Int> extents(factors.begin(), factors.end());
      return cute::make_layout(IntTuple::flat(extents)).value();
    }
    default:
      return layout_of_any_system(random, 24);
  }
}

// ---- Methods against each other ----

Verdict asked(const auto& question, Method method) {
  DecideOptions options;
  options.method = method;
  // An engine may take long for one claim; then it says nothing.
  options.limits.steps = 100'000;
  return question(options);
}

std::string text_of(const Verdict& verdict) { return verdict.to_string(); }

bool same_coordinate(const Verdict& a, const Verdict& b) {
  return a.counterexample() && b.counterexample() &&
         a.counterexample()->coordinate == b.counterexample()->coordinate;
}

/// `9`, `(0,3)`, `{1, 5}`, `nothing`.
std::string images_text(const WitnessNumbers::Images& images) {
  if (images.empty()) return "nothing";
  std::string text;
  for (const NamedNumbers& image : images) {
    text += (text.empty() ? "" : ", ") + heddle::point_text(image.numbers);
  }
  return images.size() == 1 ? text : "{" + text + "}";
}

/// What a witness says in numbers is what it says in words.
Finding fault_of_numbers(const Verdict& verdict) {
  const auto& witness = verdict.counterexample();
  if (!witness) return kHolds;
  if (!witness->numbers) return found("no numbers");
  const WitnessNumbers& numbers = *witness->numbers;
  const auto begins = [](const std::string& text, const std::string& with) {
    return text.starts_with(with) || with.find("…") != std::string::npos;
  };
  if (numbers.point && numbers.point->flat &&
      !begins(witness->coordinate, std::to_string(*numbers.point->flat))) {
    return found("the point is ", *numbers.point->flat);
  }
  if (numbers.found && images_text(*numbers.found) != witness->found &&
      witness->found.find("which is not a coordinate") == std::string::npos &&
      witness->found.find("…") == std::string::npos) {
    return found("found is ", images_text(*numbers.found));
  }
  const bool has_text = !witness->wanted.empty() && witness->wanted.find("…") == std::string::npos;
  if (numbers.wanted && has_text && !begins(witness->wanted, images_text(*numbers.wanted))) {
    return found("wanted is ", images_text(*numbers.wanted));
  }
  return kHolds;
}

/// Where a method answers, it says what evaluation says; a no by its smallest coordinate.
Finding contradicted(const auto& question, std::span<const Method> methods, Tally& tally,
                     bool smallest) {
  const Verdict truth = asked(question, Method::kExhaustive);
  if (truth.is_unknown()) return kSaysNothing;
  if (const Finding fault = fault_of_numbers(truth)) return found(text_of(truth), ": ", *fault);
  for (const Method method : methods) {
    const Verdict verdict = asked(question, method);
    if (verdict.is_unknown()) continue;
    tally.count();
    const bool agree = verdict.answer() == truth.answer() &&
                       (!smallest || verdict.is_yes() || same_coordinate(verdict, truth));
    if (!agree) return found(name(method), ": ", text_of(verdict), "; truth: ", text_of(truth));
    if (const Finding fault = fault_of_numbers(verdict))
      return found(text_of(verdict), ": ", *fault);
  }
  const Verdict verdict = question(DecideOptions());
  if (verdict.answer() == truth.answer()) return kHolds;
  return found("all methods: ", text_of(verdict), "; truth: ", text_of(truth));
}

constexpr std::array kFast = {Method::kDigits, Method::kBits};

/// A law about a question that takes options.
template <class Ask>
void check_methods(double percent, bool smallest, Ask ask) {
  Tally tally;
  for_all_seeds([&](Random& random) -> Finding {
    std::string operands;
    const auto question = ask(random, operands);
    const Finding finding = contradicted(question, kFast, tally, smallest);
    return finding ? found(operands, "\n", *finding) : finding;
  });
  tally.expect_at_least(percent);
}

TEST(Decide, EqualByEveryMethod) {
  check_methods(30, true, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    const AnyLayout b = partner_of(a, random);
    operands = to_string(a) + "\n" + to_string(b);
    return [a, b](DecideOptions options) {
      options.reading = Reading::kLiteral;
      return map::equal(a, b, options);
    };
  });
}

TEST(Decide, InjectiveByEveryMethod) {
  check_methods(60, true, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    operands = to_string(a);
    return [a](const DecideOptions& options) { return injective(a, options); };
  });
}

TEST(Decide, WithinByEveryMethod) {
  check_methods(60, true, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    const Int low = random.between(-8, 2);
    const Int high = random.between(1, 64);
    operands = to_string(a) + " in " + to_string(low) + " to " + to_string(high);
    return [=](const DecideOptions& options) { return within(a, low, high, options); };
  });
}

TEST(Decide, SurjectiveByEveryMethod) {
  check_methods(30, false, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    const View it = view(a).value();
    std::vector<Int> sizes;
    if (random.chance(70)) {
      for (std::size_t axis = 0; axis < it.axes.size(); ++axis) {
        const bool is_given = it.bounds[axis] && random.chance(80);
        sizes.push_back(is_given ? *it.bounds[axis] : Int(random.between(1, 40)));
      }
      if (it.axes.size() == 1 && random.chance(60)) sizes = {it.size()};
    } else {
      sizes = {it.size()};
    }
    operands = to_string(a);
    return [=](const DecideOptions& options) { return surjective_onto(a, sizes, options); };
  });
}

TEST(Decide, BijectiveByEveryMethod) {
  check_methods(30, false, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    operands = to_string(a);
    return [=](const DecideOptions& options) { return bijective(a, options); };
  });
}

TEST(Decide, ContiguousByEveryMethod) {
  check_methods(30, false, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    operands = to_string(a);
    return [=](const DecideOptions& options) { return contiguous(a, options); };
  });
}

TEST(Decide, DisjointByEveryMethod) {
  check_methods(30, true, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    const AnyLayout b = layout_of_any_system(random);
    operands = to_string(a) + "\n" + to_string(b);
    return [=](const DecideOptions& options) { return disjoint_images(a, b, options); };
  });
}

TEST(Decide, MeetingAtZeroByEveryMethod) {
  check_methods(20, true, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    const AnyLayout b = layout_of_any_system(random);
    operands = to_string(a) + "\n" + to_string(b);
    return [=](const DecideOptions& options) { return disjoint_apart_from_zero(a, b, options); };
  });
}

TEST(Decide, CoversByEveryMethod) {
  check_methods(10, true, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random);
    const AnyLayout b = layout_of_any_system(random, 12);
    operands = to_string(a) + "\n" + to_string(b);
    return [=](const DecideOptions& options) { return covers(a, b, options); };
  });
}

TEST(Decide, InvolutionByEveryMethod) {
  check_methods(20, false, [](Random& random, std::string& operands) {
    const AnyLayout a =
        random.chance(50) ? AnyLayout(any_plain(random, 16)) : layout_of_any_system(random);
    operands = to_string(a);
    return [=](const DecideOptions& options) { return is_involution(a, options); };
  });
}

// ---- Engines, on fewer claims ----

/// isl and Z3, on a share of the usual number of claims.
template <class Ask>
void check_engines(int one_in, Ask ask) {
  constexpr std::array kEngines = {Method::kIsl, Method::kZ3};
  Tally tally;
  for_all_seeds({.one_in = one_in}, [&](Random& random) -> Finding {
    std::string operands;
    const auto question = ask(random, operands);
    const Finding finding = contradicted(question, kEngines, tally, false);
    return finding ? found(operands, "\n", *finding) : finding;
  });
  tally.expect_at_least(0.2);
}

TEST(Decide, EnginesAgreeOnPairs) {
  check_engines(50, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random, 16);
    const AnyLayout b = partner_of(a, random);
    const std::int64_t which = random.between(0, 3);
    operands = to_string(a) + "\n" + to_string(b);
    return [=](const DecideOptions& options) {
      if (which == 0) return map::equal(a, b, options);
      if (which == 3) return disjoint_apart_from_zero(a, b, options);
      return which == 1 ? disjoint_images(a, b, options) : covers(a, b, options);
    };
  });
}

TEST(Decide, EnginesAgreeOnSingleLayouts) {
  check_engines(100, [](Random& random, std::string& operands) {
    const AnyLayout a = layout_of_any_system(random, 16);
    const Int low = random.between(-8, 2);
    const Int high = random.between(1, 40);
    const std::int64_t which = random.between(0, 4);
    operands = to_string(a) + " question " + std::to_string(which);
    return [=](const DecideOptions& options) {
      if (which == 0) return injective(a, options);
      if (which == 1) return bijective(a, options);
      if (which == 2) return contiguous(a, options);
      if (which == 3) return within(a, low, high, options);
      return is_involution(a, options);
    };
  });
}

// ---- What each decision says ----

TEST(Decide, NamesTheSmallestCounterexample) {
  const cute::Layout plain = strided({4, 8}, {8, 1});
  const auto swizzled =
      cute::ComposedLayout::make(cute::Swizzle::make(2, 0, 3).value(), 0, plain).value();
  EXPECT_EQ(map::equal(swizzled, plain).to_string(),
            "no  (GF(2) form)  counterexample: coordinate 1 = (1,0): 9 and 8");
  EXPECT_EQ(injective(strided({4, 8}, {8, 2})).to_string(),
            "no  (digit form)  counterexample: coordinate 16 = (0,4): 8 and 8 at 1 = (1,0)");
  EXPECT_EQ(within(plain, 0, 31).to_string(),
            "no  (digit form)  counterexample: coordinate 31 = (3,7): 31 and at most 30");
  EXPECT_EQ(contiguous(strided({4, 2}, {1, 5})).to_string(),
            "no  (digit form)  counterexample: no coordinate maps to 4");
  EXPECT_EQ(covers(plain, strided(40, 1)).to_string(),
            "no  (digit form)  counterexample: coordinate 32: 32 and no image of the first");
  EXPECT_EQ(map::equal(strided(4, 1), strided(6, 1)).to_string(),
            "no  (the sizes differ: 4 and 6)  counterexample: coordinate 4: nothing and 4");
}

TEST(Decide, EveryMethodShowsPointsAndImages) {
  const cute::Layout plain = strided({4, 8}, {8, 1});
  const auto shown = [](const auto& question, Method method) {
    DecideOptions options;
    options.method = method;
    return question(options).to_string();
  };
  const auto differ = [&](const DecideOptions& options) {
    return map::equal(plain, strided({4, 8}, {8, 2}), options);
  };
  EXPECT_EQ(shown(differ, Method::kIsl),
            "no  (isl)  counterexample: coordinate 4 = (0,1): 1 and 2");
  const std::string by_z3 = shown(differ, Method::kZ3);
  EXPECT_TRUE(by_z3.find("counterexample: coordinate ") != std::string::npos) << by_z3;
  EXPECT_EQ(by_z3.find("__"), std::string::npos) << by_z3;
  const auto meet = [](const DecideOptions& options) {
    return injective(strided({4, 8}, {8, 2}), options);
  };
  const std::string collision = shown(meet, Method::kZ3);
  EXPECT_NE(collision.find(" at "), std::string::npos) << collision;
  EXPECT_EQ(collision.find("_2"), std::string::npos) << collision;
}

TEST(Decide, WitnessesAreNumbersToo) {
  const auto witness = injective(strided({4, 8}, {8, 2})).counterexample();
  ASSERT_TRUE(witness && witness->numbers);
  const WitnessNumbers& numbers = *witness->numbers;
  EXPECT_EQ(numbers.point, (WitnessNumbers::Point{{{0, 4}, {}}, 16}));
  EXPECT_EQ(numbers.found, one_number(8));
  EXPECT_EQ(numbers.wanted, one_number(8));
  EXPECT_EQ(numbers.other, (WitnessNumbers::Point{{{1, 0}, {}}, 1}));
  const Int m = Int::variable("M", 2, 64);
  const auto sized = map::equal(strided({m, 8}, {8, 1}), strided({m, 8}, {8, 2})).counterexample();
  ASSERT_TRUE(sized && sized->numbers);
  ASSERT_EQ(sized->numbers->sizes.size(), 1U);
  EXPECT_EQ(sized->numbers->sizes.front().first, "M");
}

TEST(Decide, SaysHowCoordinatesAndAxesWereMatched) {
  const cute::Layout plain = strided({4, 8}, {8, 1});
  const auto axe = axe::Layout::make({{32, 1, Axis::memory()}}).value();
  EXPECT_EQ(map::equal(plain, axe).to_string(),
            "yes  (digit form; the Axe layout takes the shape (4,8))");
  EXPECT_EQ(map::equal(plain, strided(32, 1)).remark(),
            "compared by flat coordinate: (4,8) and (32)");
  const auto linear = linear::identity_standard_nd("register", std::vector<std::int64_t>{4, 8},
                                                   std::vector<int>{0, 1})
                          .value();
  EXPECT_EQ(map::equal(linear, strided(32, 1)).to_string(),
            "yes  (digit form; axes flattened, first fastest: dim0 (4), dim1 (8))");
}

TEST(Decide, SizesBeyondEnumeration) {
  const Int big = std::int64_t{1} << 31;
  const cute::Layout rows = strided({big, big}, {big, 1});
  const cute::Layout columns = strided({big, big}, {1, big});
  EXPECT_TRUE(bijective(rows).is_yes());
  EXPECT_TRUE(contiguous(rows).is_yes());
  EXPECT_EQ(map::equal(rows, columns).counterexample()->coordinate, "1 = (1,0)");
  EXPECT_TRUE(injective(strided({big, 3, 1000003}, {3000009, 1000003, 1})).is_yes());
  EXPECT_EQ(injective(strided({big, big}, {3, std::int64_t{3} << 20})).counterexample()->coordinate,
            "2147483648 = (0,1)");
  EXPECT_TRUE(covers(rows, columns).is_yes());
  EXPECT_TRUE(disjoint_images(
                  strided(big, 2),
                  axe::Layout::make({{big, 2, Axis::memory()}}, {}, {{Axis::memory(), 1}}).value())
                  .is_yes());
}

// ---- Relations that are no functions on a box ----

TEST(Decide, TrianglesAndCopies) {
  const auto triangle = relation_of("{ [i, j] -> [8i + j] : 0 <= j <= i < 8 }");
  EXPECT_EQ(map::equal(triangle, strided({8, 8}, {8, 1})).to_string(),
            "no  (isl)  counterexample: coordinate (0,1): nothing and 1");
  EXPECT_TRUE(injective(triangle).is_yes());
  EXPECT_TRUE(within(triangle, 0, 64).is_yes());
  EXPECT_TRUE(covers(strided(64, 1), triangle).is_yes());
  EXPECT_TRUE(disjoint_images(triangle, strided(1, 1)).is_no());

  const auto copies = relation_of("{ [c] -> [warpid] : 0 <= c < 4 and 0 <= warpid <= 1 }");
  const auto axe = axe::Layout::make({{4, 0, Axis::memory()}}, {{2, 1, Axis("warpid")}}).value();
  EXPECT_TRUE(map::equal(copies, axe).is_yes()) << map::equal(copies, axe).to_string();
  const auto three = axe::Layout::make({{4, 0, Axis::memory()}}, {{3, 1, Axis("warpid")}}).value();
  EXPECT_TRUE(map::equal(copies, three).is_no());
}

TEST(Decide, Fans) {
  const auto fan = relation_of("{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }");
  EXPECT_TRUE(bijective(fan).is_yes());
  EXPECT_TRUE(is_involution(fan).is_no());
  EXPECT_TRUE(is_involution(relation_of("{ [c] -> [15 - c] : 0 <= c <= 15 }")).is_yes());
}

TEST(Decide, ParametersOfRelations) {
  const auto doubled = relation_of("[N] -> { [c] -> [2c] : 0 <= c < N }");
  EXPECT_EQ(injective(doubled).method(), "isl");
  EXPECT_TRUE(injective(doubled).is_yes());
  const Verdict bounded = within(doubled, 0, 100);
  ASSERT_TRUE(bounded.is_no());
  EXPECT_NE(bounded.counterexample()->coordinate.find("where N="), std::string::npos);
}

// ---- Symbolic sizes ----

TEST(Decide, ProvesForAllSizes) {
  const Int m = 128 * Int::variable("m", 1, 1 << 10);
  const Int n = Int::variable("N", 1, 1 << 20);
  const cute::Layout rows = strided({m, n}, {n, 1});
  EXPECT_TRUE(injective(rows).is_yes());
  EXPECT_TRUE(contiguous(rows).is_yes());
  EXPECT_TRUE(within(rows, 0, m * n).is_yes());
  EXPECT_TRUE(map::equal(rows, rows).is_yes());
  const cute::Layout tiled = strided({{128, floor_div(m, 128)}, n}, {{n, 128 * n}, 1});
  EXPECT_TRUE(map::equal(rows, tiled).is_yes()) << map::equal(rows, tiled).to_string();
  const Verdict different = map::equal(rows, strided({m, n}, {1, m}));
  EXPECT_TRUE(different.is_no()) << different.to_string();
  EXPECT_NE(different.counterexample()->coordinate.find(" where "), std::string::npos);
}

TEST(Decide, UnknownSaysWhy) {
  DecideOptions options;
  options.method = Method::kBits;
  const Verdict verdict = map::equal(strided({3, 2}, {1, 3}), strided(6, 1), options);
  EXPECT_TRUE(verdict.is_unknown());
  EXPECT_EQ(verdict.method(), "a side is not known to be affine over bits");
}

/// @1 and @2 are other indices of a coordinate, however many there are.
TEST(Decide, IndicesOfCuteTensorsGoByName) {
  DecideOptions digits;
  digits.method = Method::kDigits;
  EXPECT_TRUE(equal(test::layout_of_text("(1,2,2):(1@1,0,1@2)"),
                    test::layout_of_text("(1,2,2):(0,0,1@1)"), digits)
                  .is_no());
  const Verdict verdict =
      equal(test::layout_of_text("(2,2):(1@1,1@2)"), test::layout_of_text("(2,2):(1@1,0)"), digits);
  ASSERT_TRUE(verdict.counterexample());
  EXPECT_EQ(verdict.counterexample()->coordinate.substr(0, 1), "2") << verdict;
}

/// The digits that differ first are not where the smallest point is.
TEST(Decide, InvolutionsShowTheSmallestPoint) {
  const AnyLayout layout = test::layout_of_text("(2,(4,8)):(2,(1,6))");
  const Verdict verdict = is_involution(layout);
  ASSERT_TRUE(verdict.counterexample());
  EXPECT_EQ(verdict.counterexample()->coordinate.substr(0, 1), "4") << verdict;
}

TEST(Decide, NamesMethods) {
  for (const std::string_view method : {"digits", "bits", "exhaustive", "isl", "z3"}) {
    EXPECT_EQ(name(find_method(method).value()), method);
  }
  EXPECT_FALSE(find_method("guess"));
}

}  // namespace
}  // namespace heddle::map

// The interpreter of kernels against plain loops, and its views against element_at(), which follows
// them one integer at a time.

#include "heddle/kernel/meaning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "heddle/core/axis.h"
#include "heddle/cute/layout.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/view.h"
#include "kernel/kernel_builder.h"
#include "support/law.h"
#include "support/random.h"
#include "support/refusal.h"

namespace heddle::test {
namespace {

using kernel::Kernel;
using kernel::Launch;
using Kind = kernel::Scope::Kind;

const Int kTx = thread_variable();

/// Runs statements of one block on arrays that are whole parameters A, B, C, …, and returns the
/// first one.
Array first_of(kernel::Block body, std::vector<Array> arguments, std::int64_t threads = 1) {
  Kernel kernel{"k", {}, {}, Launch{{Int(1)}, threads}, std::move(body)};
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    std::vector<Int> shape(arguments[i].shape.begin(), arguments[i].shape.end());
    kernel.parameters.push_back(
        parameter(std::string(1, static_cast<char>('A' + i)), arguments[i].type, shape));
  }
  auto result = kernel::run(kernel, std::move(arguments));
  EXPECT_TRUE(result) << result.error();
  return result ? (*result)[0] : Array{};
}

std::string refusal_of(kernel::Block body, std::vector<Array> arguments, std::int64_t threads = 1,
                       std::vector<Int> grid = {Int(1)}) {
  Kernel kernel{"k", {}, {}, Launch{std::move(grid), threads}, std::move(body)};
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    std::vector<Int> shape(arguments[i].shape.begin(), arguments[i].shape.end());
    kernel.parameters.push_back(
        parameter(std::string(1, static_cast<char>('A' + i)), arguments[i].type, shape));
  }
  return outcome(kernel, std::move(arguments)).refusal;
}

Array floats(std::vector<double> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return array_of(DType::kF32, {count},
                  [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
}
Array integers(std::vector<std::int64_t> values, DType type = DType::kI32) {
  const auto count = static_cast<std::int64_t>(values.size());
  return array_of(type, {count},
                  [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
}

map::AnyLayout strided(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  std::vector<cute::Layout> modes;
  for (std::size_t d = 0; d != shape.size(); ++d) {
    modes.push_back(
        cute::make_layout(IntTuple(shape[d]), cute::StrideTuple(Int(strides[d]))).value());
  }
  return cute::make_layout(modes).value();
}

TEST(Meaning, ScalesAMatrixWhoseRowsAreNoWholeTiles) {
  const Int m = size_variable("M");
  const Int n = size_variable("N");
  const Int k = Int::variable("k", 0, 1 << 20);
  const Int bx = Int::variable("bx", 0, 1 << 20);
  const Kernel scale{
      "scale",
      {parameter("X", DType::kF32, {m, n}),
       parameter("Y", DType::kF32, {m, n}),
       {"alpha", DType::kF32, {}, kernel::Space::kValue, {}}},
      {},
      Launch{{m}, 128},
      {loop("k", ceil_div(n, 128),
            {registers("x", DType::kF32, {128}),
             operation("copy",
                       {value_of("x"), value_of(slice("X", {at(bx), range_of(128 * k, 128)}))}),
             assign(slice("Y", {at(bx), range_of(128 * k, 128)}),
                    call(Function::kMultiply, {value_of("alpha"), value_of("x")}))})}};
  const Array x = counting(DType::kF32, {5, 300});
  const auto result = kernel::run(scale, {x, zeros(DType::kF32, {5, 300}),
                                          array_of(DType::kF32, {}, [](auto) { return 2.5; })});
  ASSERT_TRUE(result) << result.error();
  for (std::int64_t i = 0; i != 1500; ++i) {
    ASSERT_EQ(doubles((*result)[1])[static_cast<std::size_t>(i)], 2.5 * static_cast<double>(i));
  }
  EXPECT_EQ((*result)[0], x);
}

TEST(Meaning, PadsWhatIsOutside) {
  const Array result =
      first_of({operation("copy", {value_of("A"), value_of(slice("B", {range_of(-2, 8)}))},
                          {{"pad", -1.0}})},
               {zeros(DType::kI32, {8}), integers({10, 11, 12})});
  EXPECT_EQ(result, integers({-1, -1, 10, 11, 12, -1, -1, -1}));
}

TEST(Meaning, WritesNothingOutside) {
  const Array result = first_of({assign(slice("A", {range_of(-1, 3)}), value_of("B"))},
                                {zeros(DType::kI32, {8}), integers({10, 11, 12})});
  EXPECT_EQ(result, integers({11, 12, 0, 0, 0, 0, 0, 0}));
}

TEST(Meaning, ReadsBeforeItWrites) {
  // Every element moves up by one place of the same array, over more elements than one chunk.
  const Array result =
      first_of({assign(slice("A", {range_of(1, 999)}), value_of(slice("A", {range_of(0, 999)})))},
               {counting(DType::kI32, {1000})});
  for (std::int64_t i = 0; i != 1000; ++i) {
    ASSERT_EQ(doubles(result)[static_cast<std::size_t>(i)],
              static_cast<double>(std::max<std::int64_t>(0, i - 1)));
  }
}

/// Steps of a view of a tensor of this shape, and the shape that they lead to.
struct RandomView {
  View view;
  std::vector<std::int64_t> shape;
};

std::vector<Int> ints(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// `can_leave`: slices may reach outside, and leave elements out.
void add_step(Random& random, RandomView& at, bool can_leave) {
  const std::int64_t kind = random.between(0, 2);
  if (kind == 0) {
    std::vector<std::size_t> order(at.shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    std::vector<std::int64_t> shape;
    for (const std::size_t d : order) shape.push_back(at.shape[d]);
    at.shape = shape;
    at.view.steps.emplace_back(kernel::Permuted{order});
    return;
  }
  if (kind == 1) {
    at.shape = random_factors(random, product(at.shape));
    if (at.shape.empty()) at.shape = {1};
    at.view.steps.emplace_back(kernel::Reshaped{ints(at.shape)});
    return;
  }
  kernel::Sliced sliced;
  std::vector<std::int64_t> shape;
  for (const std::int64_t extent : at.shape) {
    if (random.chance(15)) {
      sliced.subscripts.push_back(new_dimension());
      shape.push_back(1);
    }
    if (random.chance(20) && (can_leave || extent == 1)) {
      sliced.subscripts.push_back(test::at(can_leave ? random.between(-1, extent) : 0));
    } else if (random.chance(50) && can_leave) {
      shape.push_back(random.between(1, extent + 2));
      sliced.subscripts.push_back(range_of(random.between(-2, extent), shape.back()));
    } else {
      shape.push_back(extent);
      sliced.subscripts.push_back(whole());
    }
  }
  at.shape = shape;
  at.view.steps.emplace_back(std::move(sliced));
}

RandomView random_view(Random& random, const std::vector<std::int64_t>& shape, bool can_leave) {
  RandomView result{whole_of("B"), shape};
  const std::int64_t steps = random.between(0, 4);
  for (std::int64_t i = 0; i != steps; ++i) add_step(random, result, can_leave);
  return result;
}

std::vector<std::int64_t> random_shape(Random& random) {
  std::vector<std::int64_t> shape;
  const std::int64_t rank = random.between(1, 4);
  for (std::int64_t d = 0; d != rank; ++d) shape.push_back(random.between(1, 6));
  return shape;
}

/// What a view holds, by element_at(): the element, or 0 if it is not there.
std::optional<std::vector<std::uint64_t>> elements_by_rule(const View& view, const Tensor& tensor,
                                                           const Array& array,
                                                           const std::vector<std::int64_t>& shape) {
  std::vector<std::uint64_t> elements;
  for (std::int64_t i = 0; i != product(shape); ++i) {
    const auto element = element_at(view, tensor, form::unflatten(ints(shape), i));
    if (!element) return std::nullopt;
    std::uint64_t bits = 0;
    if (std::ranges::all_of(element->inside, [](const Condition& c) { return known(c); })) {
      Tensor row_major = tensor;
      row_major.layout.reset();
      const Int place = kernel::place_of(*element, row_major).value()[0];
      bits = array.elements[static_cast<std::size_t>(place.value())];
    }
    elements.push_back(bits);
  }
  return elements;
}

TEST(Meaning, ReadsWhatElementAtNamesForRandomViews) {
  for_all_seeds({10, 10}, [](Random& random) -> Finding {
    const std::vector<std::int64_t> shape = random_shape(random);
    const Tensor tensor = parameter("B", DType::kI32, ints(shape));
    const RandomView view = random_view(random, shape, true);
    const Array source = array_of(DType::kI32, shape, [](std::int64_t i) { return i + 1; });
    const auto wanted = elements_by_rule(view.view, tensor, source, view.shape);
    if (!wanted) return kSaysNothing;
    const Array read = first_of({operation("copy", {value_of("A"), value_of(view.view)})},
                                {zeros(DType::kI32, view.shape), source});
    return read.elements == *wanted ? Finding(kHolds) : found("a view of rank ", view.shape.size());
  });
}

TEST(Meaning, CopyThenCopyBackIsTheIdentityForRandomViews) {
  for_all_seeds({10, 10}, [](Random& random) -> Finding {
    const std::vector<std::int64_t> shape = random_shape(random);
    const RandomView view = random_view(random, shape, false);
    const Array source = counting(DType::kU16, shape);
    std::vector<Int> staged = ints(view.shape);
    View back = view.view;
    back.tensor = "A";
    const Array read = first_of(
        {shared("S", DType::kU16, staged), operation("copy", {value_of("S"), value_of(view.view)}),
         operation("copy", {value_of(back), value_of("S")})},
        {zeros(DType::kU16, shape), source}, 32);
    return read == source ? Finding(kHolds) : found("a view of rank ", view.shape.size());
  });
}

TEST(Meaning, RelayoutReadsTheSameMemoryByAnotherLayout) {
  // B is column-major: its memory, read in order, is its transpose.
  Kernel kernel{"k",
                {parameter("A", DType::kI32, {12}),
                 {"B", DType::kI32, {3, 4}, kernel::Space::kGlobal, strided({3, 4}, {1, 3})}},
                {},
                Launch{},
                {assign(whole_of("A"), value_of(View{"B", {kernel::Relaid{strided({12}, {1})}}}))}};
  const auto result =
      kernel::run(kernel, {zeros(DType::kI32, {12}), counting(DType::kI32, {3, 4})});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ((*result)[0], integers({0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
}

TEST(Meaning, RelayoutIsSlicedAndWritten) {
  const View even{"A", {kernel::Relaid{strided({2, 4}, {1, 2})}, kernel::Sliced{{at(0)}}}};
  EXPECT_EQ(first_of({assign(even, literal(7))}, {counting(DType::kI32, {8})}),
            integers({7, 1, 7, 3, 7, 5, 7, 7}));
}

TEST(Meaning, RelayoutRefusesPlacesWithoutElements) {
  const View beyond{"A", {kernel::Relaid{strided({2, 4}, {1, 3})}}};
  EXPECT_EQ(refusal_of({assign(beyond, literal(7))}, {counting(DType::kI32, {8})}),
            "error kernel.layout: (2,4):(1,3) reaches place 9 of A, which holds no element");
}

TEST(Meaning, BitsReadsElementsOfOtherTypes) {
  const Array words = array_of(DType::kU32, {2}, [](std::int64_t i) {
    return i == 0 ? std::int64_t{0x04030201} : std::int64_t{0x08070605};
  });
  EXPECT_EQ(first_of({assign(whole_of("A"), value_of(View{"B", {kernel::Recast{DType::kU8}}}))},
                     {zeros(DType::kU8, {8}), words}),
            integers({1, 2, 3, 4, 5, 6, 7, 8}, DType::kU8));
  const Array bytes = integers({1, 2, 3, 4, 5, 6, 7, 8}, DType::kU8);
  EXPECT_EQ(first_of({assign(whole_of("A"), value_of(View{"B", {kernel::Recast{DType::kU32}}}))},
                     {zeros(DType::kU32, {2}), bytes}),
            words);
  EXPECT_EQ(first_of({assign(View{"A", {kernel::Recast{DType::kU32}}}, value_of("B"))},
                     {zeros(DType::kU8, {8}), words}),
            bytes);
  EXPECT_EQ(first_of({assign(View{"A", {kernel::Recast{DType::kU8}}}, value_of("B"))},
                     {zeros(DType::kU32, {2}), bytes}),
            words);
  EXPECT_EQ(first_of({assign(whole_of("A"), value_of(View{"B", {kernel::Recast{DType::kU4}}}))},
                     {zeros(DType::kU8, {4}), integers({0x21, 0x43}, DType::kU8)}),
            integers({1, 2, 3, 4}, DType::kU8));
}

TEST(Meaning, BitsOfHalfAWordAreWrittenAlone) {
  const View low{"S", {kernel::Recast{DType::kU16}, kernel::Sliced{{at(0)}}}};
  const View high{"S", {kernel::Recast{DType::kU16}, kernel::Sliced{{at(1)}}}};
  const std::vector<Array> arguments = {zeros(DType::kU32, {1})};
  const auto read = assign(whole_of("A"), value_of("S"));
  EXPECT_EQ(first_of({shared("S", DType::kU32, {1}), assign(low, literal(2)),
                      assign(high, literal(1)), read},
                     arguments),
            integers({0x10002}, DType::kU32));
  EXPECT_EQ(refusal_of({shared("S", DType::kU32, {1}), assign(low, literal(2)), read}, arguments),
            "error kernel.uninitialized: S[0] is read before it is written\n"
            "  hint: fill the tensor first, for instance by fill(S, 0)");
}

TEST(Meaning, BroadcastsAsNumPyDoes) {
  const Array result = first_of(
      {assign(whole_of("A"), call(Function::kAdd, {value_of(slice("B", {whole(), new_dimension()})),
                                                   value_of("C")}))},
      {zeros(DType::kI32, {2, 3}), integers({10, 20}), integers({1, 2, 3})});
  EXPECT_EQ(doubles(result), (std::vector<double>{11, 12, 13, 21, 22, 23}));
}

TEST(Meaning, BroadcastsIntoTheDestination) {
  const Array result = first_of({assign(whole_of("A"), value_of("B"))},
                                {zeros(DType::kI32, {3, 2}), integers({5, 6})});
  EXPECT_EQ(doubles(result), (std::vector<double>{5, 6, 5, 6, 5, 6}));
}

/// A function of f32 on each of its arguments.
std::vector<double> of_floats(Function function, const std::vector<std::vector<double>>& operands) {
  std::vector<Array> arguments = {
      zeros(DType::kF32, {static_cast<std::int64_t>(operands[0].size())})};
  std::vector<Elementwise> values;
  for (std::size_t i = 0; i != operands.size(); ++i) {
    arguments.push_back(floats(operands[i]));
    values.push_back(value_of(std::string(1, static_cast<char>('B' + i)).c_str()));
  }
  return doubles(first_of({assign(whole_of("A"), call(function, values))}, arguments));
}

TEST(Meaning, ComputesFloatsAsTheMachineDoes) {
  Random random(23);
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
  for (int i = 0; i != 1000; ++i) {
    for (auto* operand : {&a, &b, &c}) {
      const auto sign = random.chance(50) ? 1.0F : -1.0F;
      operand->push_back(sign *
                         std::ldexp(static_cast<float>(random.between(1, 1 << 24)) / (1 << 24),
                                    static_cast<int>(random.between(-40, 40))));
    }
  }
  const auto expect = [&](Function function, auto rule) {
    std::vector<std::vector<double>> operands = {a, b, c};
    operands.resize(operand_count(function));
    const std::vector<double> got = of_floats(function, operands);
    for (std::size_t i = 0; i != a.size(); ++i) {
      const double wanted =
          rule(static_cast<float>(a[i]), static_cast<float>(b[i]), static_cast<float>(c[i]));
      if (std::isnan(wanted)) {
        ASSERT_TRUE(std::isnan(got[i])) << name_of(function);
      } else {
        ASSERT_EQ(got[i], wanted) << name_of(function) << " of " << a[i] << ", " << b[i];
      }
    }
  };
  using F = float;
  const auto once = [](double value) { return static_cast<double>(static_cast<F>(value)); };
  expect(Function::kAdd, [](F x, F y, F) { return x + y; });
  expect(Function::kSubtract, [](F x, F y, F) { return x - y; });
  expect(Function::kMultiply, [](F x, F y, F) { return x * y; });
  expect(Function::kDivide, [](F x, F y, F) { return x / y; });
  expect(Function::kNegate, [](F x, F, F) { return -x; });
  expect(Function::kMin, [](F x, F y, F) { return std::fmin(x, y); });
  expect(Function::kMax, [](F x, F y, F) { return std::fmax(x, y); });
  expect(Function::kFma, [](F x, F y, F z) { return std::fma(x, y, z); });
  expect(Function::kAbs, [](F x, F, F) { return std::fabs(x); });
  expect(Function::kFloor, [](F x, F, F) { return std::floor(x); });
  expect(Function::kSqrt, [](F x, F, F) { return std::sqrt(x); });
  expect(Function::kExp, [&](double x, F, F) { return once(std::exp(x)); });
  expect(Function::kExp2, [&](double x, F, F) { return once(std::exp2(x)); });
  expect(Function::kLog, [&](double x, F, F) { return once(std::log(x)); });
  expect(Function::kLog2, [&](double x, F, F) { return once(std::log2(x)); });
  expect(Function::kRsqrt, [&](double x, F, F) { return once(1 / std::sqrt(x)); });
  expect(Function::kTanh, [&](double x, F, F) { return once(std::tanh(x)); });
  expect(Function::kErf, [&](double x, F, F) { return once(std::erf(x)); });
}

TEST(Meaning, ComputesIntegersModuloTheirBits) {
  const auto of = [](Function function, std::vector<std::int64_t> a, std::vector<std::int64_t> b,
                     DType type = DType::kI32) {
    const Array zero = zeros(type, {static_cast<std::int64_t>(a.size())});
    return first_of({assign(whole_of("A"), call(function, {value_of("B"), value_of("C")}))},
                    {zero, integers(std::move(a), type), integers(std::move(b), type)});
  };
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(of(Function::kAdd, {kGreatest, 1}, {1, 2}), integers({kLeast, 3}));
  EXPECT_EQ(of(Function::kMultiply, {65536, -3}, {65536, 5}), integers({0, -15}));
  EXPECT_EQ(of(Function::kQuotient, {7, -7, 7, -7, 5, kLeast}, {2, 2, -2, -2, 0, -1}),
            integers({3, -4, -3, 4, 0, kLeast}));
  EXPECT_EQ(of(Function::kRemainder, {7, -7, 7, -7, 5, kLeast}, {2, 2, -2, -2, 0, -1}),
            integers({1, 1, 1, 1, 5, 0}));
  EXPECT_EQ(of(Function::kMax, {-1, 2}, {1, 1}, DType::kU64), integers({-1, 2}, DType::kU64));
  EXPECT_EQ(of(Function::kQuotient, {-1}, {2}, DType::kU64),
            integers({std::numeric_limits<std::int64_t>::max()}, DType::kU64));
  EXPECT_EQ(of(Function::kAdd, {200}, {100}, DType::kU8), integers({44}, DType::kU8));
}

TEST(Meaning, ComparesAndChooses) {
  const Elementwise less = call(Function::kLess, {value_of("B"), value_of("C")});
  const Elementwise least = call(Function::kSelect, {less, value_of("B"), value_of("C")});
  EXPECT_EQ(first_of({assign(whole_of("A"), least)},
                     {zeros(DType::kI32, {3}), integers({1, 5, 3}), integers({4, 2, 3})}),
            integers({1, 2, 3}));
  const Elementwise both =
      call(Function::kAnd,
           {less, call(Function::kNot, {call(Function::kEqual, {value_of("B"), literal(1)})})});
  EXPECT_EQ(first_of({assign(whole_of("A"), both)},
                     {zeros(DType::kBool, {3}), integers({1, 1, 3}), integers({4, 0, 4})}),
            integers({0, 0, 1}, DType::kBool));
  const Elementwise nan_is_less = call(Function::kAtMost, {value_of("B"), literal(0.0)});
  EXPECT_EQ(first_of({assign(whole_of("A"), nan_is_less)},
                     {zeros(DType::kBool, {2}), floats({std::nan(""), -1})}),
            integers({0, 1}, DType::kBool));
}

TEST(Meaning, LiteralsTakeTheTypeOfWhatTheyMeet) {
  const auto times = [](double factor) {
    return call(Function::kMultiply, {value_of("B"), literal(factor)});
  };
  const Array one = array_of(DType::kF64, {1}, [](auto) { return 1.0; });
  EXPECT_EQ(doubles(first_of({assign(whole_of("A"), times(0.1))}, {zeros(DType::kF64, {1}), one})),
            std::vector<double>{0.1});
  EXPECT_EQ(doubles(first_of({assign(whole_of("A"), times(0.1))},
                             {zeros(DType::kF64, {1}), floats({1})})),
            std::vector<double>{static_cast<double>(0.1F)});
  EXPECT_EQ(doubles(first_of({assign(whole_of("A"), times(0.5))},
                             {zeros(DType::kF32, {1}), integers({3})})),
            std::vector<double>{1.5});
}

TEST(Meaning, RoundsOncePerStoreAndWhereItIsAskedTo) {
  const Elementwise sum = call(Function::kAdd, {value_of("B"), value_of("C")});
  const Array one = array_of(DType::kF16, {1}, [](auto) { return 2048.0; });
  const Array half = array_of(DType::kF16, {1}, [](auto) { return 1.0; });
  EXPECT_EQ(doubles(first_of({assign(whole_of("A"), sum)}, {zeros(DType::kF32, {1}), one, half})),
            std::vector<double>{2049});
  EXPECT_EQ(doubles(first_of({assign(whole_of("A"), converted_to(DType::kF16, sum))},
                             {zeros(DType::kF32, {1}), one, half})),
            std::vector<double>{2048});
}

TEST(Meaning, CastsBetweenAllTypesAsEncodeDoes) {
  for (const DType from : kernel::dtypes()) {
    for (const DType to : kernel::dtypes()) {
      Array source = counting(from, {600});
      for (std::size_t i = 0; i != source.elements.size(); ++i) {
        source.elements[i] = encode(from, decode(from, i * 0x9e3779b97f4a7c15U));
      }
      const Array got =
          first_of({operation("cast", {value_of("A"), value_of("B")})}, {zeros(to, {600}), source});
      for (std::size_t i = 0; i != source.elements.size(); ++i) {
        Number value = decode(from, source.elements[i]);
        // Numbers do not say that they have no sign.
        if (from == DType::kU64 && is_float(to) && value.integer < 0) continue;
        ASSERT_EQ(got.elements[i], from == to ? source.elements[i] : encode(to, value))
            << name_of(from) << " to " << name_of(to) << " " << source.elements[i];
      }
    }
  }
  const Array great = integers({-1, std::numeric_limits<std::int64_t>::min()}, DType::kU64);
  EXPECT_EQ(doubles(first_of({operation("cast", {value_of("A"), value_of("B")})},
                             {zeros(DType::kF32, {2}), great})),
            (std::vector<double>{std::ldexp(1.0, 64), std::ldexp(1.0, 63)}));
}

std::map<std::string, kernel::OptionValue> reduction(const std::string& op,
                                                     std::vector<std::int64_t> axes) {
  return {{"op", op}, {"axis", std::move(axes)}};
}

TEST(Meaning, ReducesAlongEveryAxisAsLoopsDo) {
  const Array source =
      array_of(DType::kI32, {3, 4, 5}, [](std::int64_t i) { return i * 37 % 11 - 5; });
  const std::vector<double> values = doubles(source);
  struct Rule {
    std::string op;
    double start;
    double (*fold)(double, double);
  };
  const std::vector<Rule> rules = {
      {"sum", 0, [](double a, double b) { return a + b; }},
      {"max", -1e9, [](double a, double b) { return std::max(a, b); }},
      {"min", 1e9, [](double a, double b) { return std::min(a, b); }},
      {"any", 0, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
      {"all", 1, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }}};
  for (const std::vector<std::int64_t>& axes :
       std::vector<std::vector<std::int64_t>>{{0}, {1}, {2}, {0, 2}, {2, 1}, {0, 1, 2}}) {
    std::vector<std::int64_t> shape;
    for (std::int64_t d = 0; d != 3; ++d) {
      if (std::ranges::find(axes, d) == axes.end())
        shape.push_back(source.shape[static_cast<std::size_t>(d)]);
    }
    for (const Rule& rule : rules) {
      std::vector<double> wanted(static_cast<std::size_t>(product(shape)), rule.start);
      for (std::int64_t i = 0; i != 60; ++i) {
        const std::array<std::int64_t, 3> point = {i / 20, i / 5 % 4, i % 5};
        std::int64_t place = 0;
        for (std::int64_t d = 0; d != 3; ++d) {
          if (std::ranges::find(axes, d) != axes.end()) continue;
          place = place * source.shape[static_cast<std::size_t>(d)] +
                  point[static_cast<std::size_t>(d)];
        }
        double& result = wanted[static_cast<std::size_t>(place)];
        result = rule.fold(result, values[static_cast<std::size_t>(i)]);
      }
      const Array got =
          first_of({operation("reduce", {value_of("A"), value_of("B")}, reduction(rule.op, axes))},
                   {zeros(DType::kI32, shape), source});
      EXPECT_EQ(doubles(got), wanted) << rule.op;
    }
  }
}

TEST(Meaning, AnyAndAllTakeEveryTypeAndLeaveEveryType) {
  const std::vector<DType> types = {DType::kF32, DType::kF64, DType::kBf16, DType::kE4m3,
                                    DType::kI32, DType::kI64, DType::kU8,   DType::kBool};
  const std::vector<std::vector<std::int64_t>> sources = {
      {0, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 1, 1}, {1, 1, 1, 1}};
  for (const DType from : types) {
    for (const DType to : types) {
      for (const std::vector<std::int64_t>& source : sources) {
        for (const bool accumulates : {false, true}) {
          const auto result = [&](const std::string& op, bool held) {
            auto options = reduction(op, {0});
            options.emplace("accum", accumulates);
            const Array before = array_of(to, {}, [&](auto) { return std::int64_t{held}; });
            return doubles(first_of({operation("reduce", {value_of("A"), value_of("B")}, options)},
                                    {before, integers(source, from)}))[0];
          };
          const auto is_true = [](std::int64_t value) { return value != 0; };
          EXPECT_EQ(result("any", false), std::ranges::any_of(source, is_true) ? 1 : 0);
          EXPECT_EQ(result("all", true), std::ranges::all_of(source, is_true) ? 1 : 0);
        }
      }
    }
  }
}

/// The reduction of a vector of floats to one element.
double reduced(const std::string& op, const Array& source, Subscript part = whole(),
               DType type = DType::kF32) {
  return doubles(first_of(
      {operation("reduce", {value_of("A"), value_of(slice("B", {part}))}, reduction(op, {0}))},
      {zeros(type, {}), source}))[0];
}

TEST(Meaning, ReductionsLeaveOutWhatIsOutside) {
  const Array source = floats({-3, -2, -5});
  EXPECT_EQ(reduced("max", source, range_of(0, 8)), -2);
  EXPECT_EQ(reduced("prod", source, range_of(1, 8)), 10);
  EXPECT_EQ(reduced("argmin", source, range_of(-2, 8), DType::kI32), 4);
  EXPECT_EQ(reduced("max", source, range_of(5, 8)), -std::numeric_limits<double>::infinity());
}

TEST(Meaning, ReductionsTakeTheFirstOfEqualsAndNoNaN) {
  const double nan = std::nan("");
  EXPECT_EQ(reduced("argmax", floats({1, 7, 7, 3}), whole(), DType::kI32), 1);
  EXPECT_EQ(reduced("argmin", floats({7, 1, 1, 3}), whole(), DType::kI32), 1);
  EXPECT_EQ(reduced("argmax", floats({nan, 2, nan, 5}), whole(), DType::kI32), 3);
  EXPECT_EQ(reduced("argmax", floats({nan, nan}), whole(), DType::kI32), 0);
  EXPECT_EQ(reduced("max", floats({nan, -2, nan})), -2);
  EXPECT_EQ(reduced("max", floats({nan, nan})), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(reduced("sum", floats({nan, 1}))));
}

TEST(Meaning, SumsFloatsInTheOrderOfTheIndices) {
  std::vector<double> values;
  float wanted = 0;
  for (int i = 0; i != 1000; ++i) {
    values.push_back(static_cast<float>(1.0 / (i + 1)));
    wanted += static_cast<float>(values.back());
  }
  EXPECT_EQ(reduced("sum", floats(values)), wanted);
}

TEST(Meaning, ReductionsAccumulate) {
  auto options = reduction("sum", {0});
  options.emplace("accum", true);
  EXPECT_EQ(first_of({operation("reduce", {value_of("A"), value_of("B")}, options)},
                     {array_of(DType::kI32, {}, [](auto) { return std::int64_t{100}; }),
                      integers({1, 2, 3})}),
            array_of(DType::kI32, {}, [](auto) { return std::int64_t{106}; }));
}

TEST(Meaning, ScansAlongAnAxis) {
  const auto scanned = [](const std::string& op, std::int64_t axis, bool is_exclusive) {
    auto options = reduction(op, {axis});
    options.emplace("exclusive", is_exclusive);
    return doubles(first_of({operation("scan", {value_of("A"), value_of("B")}, options)},
                            {zeros(DType::kI64, {2, 3}), counting(DType::kI32, {2, 3})}));
  };
  EXPECT_EQ(scanned("sum", 1, false), (std::vector<double>{0, 1, 3, 3, 7, 12}));
  EXPECT_EQ(scanned("sum", 1, true), (std::vector<double>{0, 0, 1, 0, 3, 7}));
  EXPECT_EQ(scanned("sum", 0, false), (std::vector<double>{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(scanned("prod", 1, true), (std::vector<double>{1, 0, 0, 1, 3, 12}));
  EXPECT_EQ(scanned("max", 0, false), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(Meaning, MultipliesMatricesInAllTransposes) {
  constexpr std::int64_t kM = 5;
  constexpr std::int64_t kN = 7;
  constexpr std::int64_t kK = 9;
  for (const DType type : {DType::kF16, DType::kF32, DType::kI8}) {
    for (int transposes = 0; transposes != 4; ++transposes) {
      const bool of_a = transposes % 2 == 1;
      const bool of_b = transposes / 2 == 1;
      const auto element = [](std::int64_t i) { return i * 7 % 5 - 2; };
      const Array a = array_of(type, of_a ? std::vector{kK, kM} : std::vector{kM, kK}, element);
      const Array b = array_of(type, of_b ? std::vector{kN, kK} : std::vector{kK, kN}, element);
      const auto view = [](const char* name, bool is_transposed) {
        View result = whole_of(name);
        if (is_transposed) result.steps.emplace_back(kernel::Permuted{{1, 0}});
        return value_of(result);
      };
      const DType sums = is_float(type) ? DType::kF32 : DType::kI32;
      const Array c = counting(sums, {kM, kN});
      std::vector<double> wanted = doubles(c);
      const std::vector<double> left = doubles(a);
      const std::vector<double> right = doubles(b);
      for (std::int64_t m = 0; m != kM; ++m) {
        for (std::int64_t n = 0; n != kN; ++n) {
          for (std::int64_t k = 0; k != kK; ++k) {
            wanted[static_cast<std::size_t>(m * kN + n)] +=
                left[static_cast<std::size_t>(of_a ? k * kM + m : m * kK + k)] *
                right[static_cast<std::size_t>(of_b ? n * kK + k : k * kN + n)];
          }
        }
      }
      const Array got = first_of(
          {operation("gemm", {value_of("A"), view("B", of_a), view("C", of_b)})}, {c, a, b});
      EXPECT_EQ(doubles(got), wanted) << name_of(type) << " " << transposes;
    }
  }
}

TEST(Meaning, ScalesProductsAndSums) {
  const auto scaled = [](std::map<std::string, kernel::OptionValue> options) {
    const Array matrix = array_of(DType::kF32, {1, 1}, [](auto) { return 3.0; });
    return doubles(first_of(
        {operation("gemm", {value_of("A"), value_of("B"), value_of("C")}, std::move(options))},
        {array_of(DType::kF32, {1, 1}, [](auto) { return 10.0; }), matrix, matrix}))[0];
  };
  EXPECT_EQ(scaled({}), 19);
  EXPECT_EQ(scaled({{"accum", false}}), 9);
  EXPECT_EQ(scaled({{"alpha", 2.0}}), 28);
  EXPECT_EQ(scaled({{"alpha", 0.5}, {"beta", 2.0}}), 24.5);
}

TEST(Meaning, GathersAndScattersAlongAnAxis) {
  const Array matrix = counting(DType::kI32, {3, 4});
  EXPECT_EQ(doubles(first_of({operation("gather", {value_of("A"), value_of("B"), value_of("C")},
                                        {{"axis", std::vector<std::int64_t>{0}}})},
                             {zeros(DType::kI32, {2, 4}), matrix, integers({2, 2})})),
            (std::vector<double>{8, 9, 10, 11, 8, 9, 10, 11}));
  EXPECT_EQ(doubles(first_of({operation("gather", {value_of("A"), value_of("B"), value_of("C")},
                                        {{"axis", std::vector<std::int64_t>{1}}})},
                             {zeros(DType::kI32, {3, 2}), matrix, integers({3, 0})})),
            (std::vector<double>{3, 0, 7, 4, 11, 8}));
  EXPECT_EQ(doubles(first_of({operation("scatter", {value_of("A"), value_of("B"), value_of("C")},
                                        {{"axis", std::vector<std::int64_t>{0}}})},
                             {zeros(DType::kI32, {4}), integers({5, 6}), integers({3, 1})})),
            (std::vector<double>{0, 6, 0, 5}));
}

TEST(Meaning, EachThreadLeavesALoopOnItsOwn) {
  // Collatz: how many steps each number takes to 1.
  const View n = slice("n", {at(0)});
  const View count = slice("count", {at(0)});
  const Elementwise is_even =
      call(Function::kEqual, {call(Function::kRemainder, {value_of(n), literal(2)}), literal(0)});
  const Elementwise next = call(
      Function::kSelect,
      {is_even, call(Function::kQuotient, {value_of(n), literal(2)}),
       call(Function::kAdd, {call(Function::kMultiply, {value_of(n), literal(3)}), literal(1)})});
  const kernel::Block body = {
      registers("n", DType::kI32, {1}),
      registers("count", DType::kI32, {1}),
      assign(n, index_value(kTx + 1)),
      assign(count, literal(0)),
      statement(kernel::While{
          call(Function::kNotEqual, {value_of(n), literal(1)}),
          {assign(n, next), assign(count, call(Function::kAdd, {value_of(count), literal(1)}))}}),
      assign(slice("A", {at(kTx)}), value_of(count))};
  const Array got = first_of({each_thread(body)}, {zeros(DType::kI32, {64})}, 64);
  for (std::int64_t i = 0; i != 64; ++i) {
    std::int64_t steps = 0;
    for (std::int64_t number = i + 1; number != 1; ++steps) {
      number = number % 2 == 0 ? number / 2 : 3 * number + 1;
    }
    EXPECT_EQ(doubles(got)[static_cast<std::size_t>(i)], static_cast<double>(steps)) << i + 1;
  }
}

TEST(Meaning, BreakAndContinueMaskThreads) {
  // Sums the odd counters below the thread's number.
  const Int k = Int::variable("k", 0, 9);
  const View sum = slice("sum", {at(0)});
  const kernel::Block body = {
      registers("sum", DType::kI32, {1}), assign(sum, literal(0)),
      loop("k", 10,
           {statement(kernel::If{call(Function::kEqual, {index_value(k), index_value(kTx)}),
                                 {statement(kernel::Break{})},
                                 {}}),
            statement(kernel::If{call(Function::kEqual, {index_value(mod(k, 2)), literal(0)}),
                                 {statement(kernel::Continue{})},
                                 {}}),
            assign(sum, call(Function::kAdd, {value_of(sum), index_value(k)}))}),
      assign(slice("A", {at(kTx)}), value_of(sum))};
  EXPECT_EQ(first_of({each_thread(body)}, {zeros(DType::kI32, {12})}, 12),
            integers({0, 0, 1, 1, 4, 4, 9, 9, 16, 16, 25, 25}));
}

TEST(Meaning, ConditionsTakeOneBranchForEachThread) {
  const kernel::Block body = {
      statement(kernel::If{call(Function::kLess, {index_value(kTx), literal(2)}),
                           {assign(slice("A", {at(kTx)}), literal(1))},
                           {assign(slice("A", {at(kTx)}), literal(2))}})};
  EXPECT_EQ(first_of({each_thread(body)}, {zeros(DType::kI32, {4})}, 4), integers({1, 1, 2, 2}));
}

TEST(Meaning, WarpsWorkOnTheirOwn) {
  const Int warp = Int::variable("warpid", 0, 31);
  const kernel::Block body = {
      registers("r", DType::kI32, {32}),
      assign(whole_of("r"), value_of(slice("B", {range_of(32 * warp, 32)}))),
      operation("reduce", {value_of(slice("A", {at(warp)})), value_of("r")},
                reduction("sum", {0}))};
  const Array got = first_of({each(Kind::kWarp, body)},
                             {zeros(DType::kI32, {4}), counting(DType::kI32, {128})}, 128);
  EXPECT_EQ(got, integers({496, 1520, 2544, 3568}));
}

TEST(Meaning, RangesOfWarpsWorkTogetherAndTheOthersDoTheRest) {
  const Int lane = Int::variable("laneid", 0, 31);
  const kernel::Block others = {each_thread({assign(slice("A", {at(kTx)}), index_value(lane))})};
  const kernel::Block together = {assign(slice("A", {range_of(32, 64)}), literal(-1))};
  const Statement scope =
      statement(kernel::Scope{Kind::kWarp, kernel::Scope::Part{1, 3}, together, others});
  const Array got = first_of({scope}, {zeros(DType::kI32, {128})}, 128);
  for (std::size_t i = 0; i != 128; ++i) {
    const bool is_other = i < 32 || i >= 96;
    EXPECT_EQ(doubles(got)[i], is_other ? static_cast<double>(i % 32) : -1.0) << i;
  }
}

TEST(Meaning, OneThreadIsElected) {
  const Array got = first_of(
      {each(Kind::kWarp, {each(Kind::kElect, {assign(slice("A", {at(kTx)}), literal(1))})})},
      {zeros(DType::kI32, {64})}, 64);
  std::vector<std::int64_t> wanted(64);
  wanted[0] = wanted[32] = 1;
  EXPECT_EQ(got, integers(wanted));
}

TEST(Meaning, ThreadsMeetInSharedMemoryBetweenStatements) {
  const kernel::Block body = {
      shared("S", DType::kI32, {64}),
      each_thread({assign(slice("S", {at(kTx)}), index_value(kTx * kTx))}),
      operation("barrier", {}),
      each_thread({assign(slice("A", {at(kTx)}), value_of(slice("S", {at(63 - kTx)})))})};
  const Array got = first_of(body, {zeros(DType::kI32, {64})}, 64);
  for (int i = 0; i != 64; ++i) {
    EXPECT_EQ(doubles(got)[static_cast<std::size_t>(i)], (63 - i) * (63 - i));
  }
}

TEST(Meaning, LetReadsIntegersFromMemory) {
  const Int n = Int::variable("n", 0, 1 << 20);
  const Array got = first_of(
      {statement(kernel::Let{"n", slice("B", {at(1)})}),
       loop("k", n, {assign(slice("A", {at(Int::variable("k", 0, 99))}), index_value(n))})},
      {zeros(DType::kI32, {6}), integers({9, 4})});
  EXPECT_EQ(got, integers({4, 4, 4, 4, 0, 0}));
}

TEST(Meaning, AtomicAddsMeet) {
  const Int bx = Int::variable("bx", 0, 9);
  const kernel::Block body = {each_thread(
      {operation("atomic_add", {value_of(slice("A", {at(mod(kTx, 2))})), index_value(bx)})})};
  Kernel kernel{"k", {parameter("A", DType::kI32, {2})}, {}, Launch{{Int(10)}, 8}, body};
  const Outcome got = outcome(kernel, {zeros(DType::kI32, {2})});
  ASSERT_EQ(got.refusal, "");
  EXPECT_EQ(got.arrays[0], integers({180, 180}));
}

TEST(MeaningRace, OfTwoBlocksThatWrite) {
  EXPECT_EQ(refusal_of({assign(slice("A", {at(1), at(2)}), literal(1))},
                       {zeros(DType::kI32, {2, 4})}, 1, {Int(2), Int(3)}),
            "error kernel.race: block (0,0) and block (1,0) both write A[1,2]\n"
            "  hint: blocks run in any order: divide the work, or use atomic_add");
}

TEST(MeaningRace, OfABlockThatReadsWhatAnotherWrites) {
  const Int bx = Int::variable("bx", 0, 3);
  const Statement shift = assign(slice("A", {at(bx + 1)}), value_of(slice("A", {at(bx)})));
  EXPECT_EQ(refusal_of({shift}, {zeros(DType::kI32, {8})}, 1, {Int(4)}),
            "error kernel.race: block 1 reads A[1], which block 0 writes\n"
            "  hint: blocks run in any order: divide the work, or use atomic_add");
  const Statement back = assign(slice("A", {at(bx)}), value_of(slice("A", {at(bx + 1)})));
  EXPECT_EQ(refusal_of({back}, {zeros(DType::kI32, {8})}, 1, {Int(4)}),
            "error kernel.race: block 0 reads A[1], which block 1 writes\n"
            "  hint: blocks run in any order: divide the work, or use atomic_add");
}

TEST(MeaningRace, OfTwoThreadsInAStatement) {
  const std::string advice =
      "  hint: threads do a statement at the same time: divide the work, use two statements with "
      "barrier() between them, or atomic_add";
  EXPECT_EQ(refusal_of({each_thread({assign(slice("A", {at(floor_div(kTx, 2))}), literal(1))})},
                       {zeros(DType::kI32, {8})}, 8),
            "error kernel.race: thread 0 and thread 1 both write A[0]\n" + advice);
  const Statement shift =
      assign(slice("A", {at(kTx)}), value_of(slice("A", {at(mod(kTx + 1, 8))})));
  EXPECT_EQ(refusal_of({each_thread({shift})}, {zeros(DType::kI32, {8})}, 8),
            "error kernel.race: thread 0 reads A[1], which thread 1 writes\n" + advice);
}

TEST(MeaningRace, OfAnAtomicAndAPlainUse) {
  const Int bx = Int::variable("bx", 0, 3);
  const Statement read_one = assign(slice("A", {at(bx + 1)}), value_of(slice("A", {at(0)})));
  const Statement add = operation("atomic_add", {value_of(slice("A", {at(0)})), literal(1)});
  EXPECT_EQ(refusal_of({add, read_one}, {zeros(DType::kI32, {8})}, 1, {Int(4)}),
            "error kernel.race: block 0 reads A[0], which block 1 writes\n"
            "  hint: blocks run in any order: divide the work, or use atomic_add");
}

TEST(MeaningRace, IsNoneBetweenStatementsOrInAnElementOfOneBlock) {
  const Int bx = Int::variable("bx", 0, 3);
  EXPECT_EQ(refusal_of({assign(slice("A", {at(bx)}), literal(1)),
                        assign(slice("A", {at(bx)}),
                               call(Function::kAdd, {value_of(slice("A", {at(bx)})), literal(1)}))},
                       {zeros(DType::kI32, {4})}, 1, {Int(4)}),
            "");
}

TEST(MeaningRace, OfEqualIndicesOfAScatter) {
  EXPECT_EQ(refusal_of({operation("scatter", {value_of("A"), value_of("B"), value_of("C")},
                                  {{"axis", std::vector<std::int64_t>{0}}})},
                       {zeros(DType::kI32, {4}), integers({5, 6, 7}), integers({3, 1, 3})}),
            "error kernel.race: scatter writes 3 along axis 0 of A twice: indices 0 and 2 are "
            "equal\n"
            "  hint: make the indices distinct");
}

TEST(MeaningRefuses, RegistersThatWereNotWritten) {
  EXPECT_EQ(refusal_of({registers("r", DType::kI32, {4}), assign(slice("r", {at(2)}), literal(1)),
                        assign(whole_of("A"), value_of("r"))},
                       {zeros(DType::kI32, {4})}),
            "error kernel.uninitialized: r[0] is read before it is written\n"
            "  hint: fill the tensor first, for instance by fill(r, 0)");
  // What an iteration before has written is gone.
  const Int k = Int::variable("k", 0, 1);
  const Statement body = statement(kernel::If{call(Function::kEqual, {index_value(k), literal(0)}),
                                              {assign(whole_of("r"), literal(1))},
                                              {assign(whole_of("A"), value_of("r"))}});
  EXPECT_EQ(refusal_of({loop("k", 2, {registers("r", DType::kI32, {4}), body})},
                       {zeros(DType::kI32, {4})}),
            "error kernel.uninitialized: r[0] is read before it is written\n"
            "  hint: fill the tensor first, for instance by fill(r, 0)");
}

/// Pipelines and clusters stand for other statements, and these for their tensors.
TEST(MeaningRefuses, RegistersOfPipelinesAndClustersByTheirNames) {
  const kernel::Block body = {registers("held_in_registers", DType::kI32, {4}),
                              assign(whole_of("A"), value_of("held_in_registers"))};
  const std::string wanted =
      "error kernel.uninitialized: held_in_registers[0] is read before it is written\n"
      "  hint: fill the tensor first, for instance by fill(held_in_registers, 0)";
  EXPECT_EQ(
      refusal_of({statement(kernel::Pipeline{"k", 2, 2, {}, body})}, {zeros(DType::kI32, {4})}, 32),
      wanted);
  const Statement each_block = statement(kernel::Scope{Kind::kCta, {}, body, {}});
  Kernel kernel{"k",
                {parameter("A", DType::kI32, {4})},
                {},
                Launch{{Int(2)}, 32},
                {statement(kernel::Scope{Kind::kCluster, {}, {each_block}, {}})}};
  kernel.launch.cluster = {2};
  EXPECT_EQ(outcome(kernel, {zeros(DType::kI32, {4})}).refusal, wanted);
}

TEST(MeaningRefuses, CopiesThatWereNotWaitedFor) {
  const Statement copy =
      operation("copy_async", {value_of("S"), value_of("B")}, {{"group", std::string("loads")}});
  const Statement wait = operation("wait", {}, {{"group", std::string("loads")}});
  const Statement other = operation("wait", {}, {{"group", std::string("stores")}});
  const Statement read = assign(whole_of("A"), value_of("S"));
  const std::vector<Array> arguments = {zeros(DType::kI32, {4}), integers({1, 2, 3, 4})};
  const Statement memory = shared("S", DType::kI32, {4});
  EXPECT_EQ(first_of({memory, copy, wait, read}, arguments), integers({1, 2, 3, 4}));
  EXPECT_EQ(refusal_of({memory, copy, other, read}, arguments),
            "error kernel.pending: S[0] is used before copy_async, which writes it, has been "
            "waited for\n"
            "  hint: put wait(group=…) with the copy's group before this statement");
  EXPECT_EQ(code(kernel::run({"k", {}, {}, {}, {memory, copy}}, {})), "kernel.name");
}

TEST(MeaningRefuses, IndicesOutsideOfAGather) {
  EXPECT_EQ(refusal_of({operation("gather", {value_of("A"), value_of("B"), value_of("C")},
                                  {{"axis", std::vector<std::int64_t>{0}}})},
                       {zeros(DType::kI32, {2}), integers({5, 6, 7}), integers({1, 3})}),
            "error kernel.index: index 1 of gather is 3, outside of the 3 elements of B along "
            "axis 0\n"
            "  hint: indices count from 0");
}

/// A = B at an index that was read from C, by each thread of two blocks.
std::string refusal_at(const View& read, const Array& indices, const Int& loaded_from) {
  return refusal_of({each_thread({statement(kernel::Let{"page", slice("C", {at(loaded_from)})}),
                                  assign(slice("A", {at(loaded_from)}), value_of(read))})},
                    {zeros(DType::kI32, {8}), counting(DType::kI32, {6}), indices}, 4, {Int(2)});
}

TEST(MeaningRefuses, IndicesThatMemoryTakesOutside) {
  const Int page = Int::variable("page");
  const Int mine = 4 * Int::variable("bx", 0, 1) + Int::variable("tx", 0, 3);
  const auto of = [&](const Int& index, std::vector<std::int64_t> pages) {
    return refusal_at(slice("B", {at(index)}), integers(std::move(pages)), mine);
  };
  EXPECT_EQ(of(page, {0, 1, 2, 3, 4, 5, 0, 0}), "");
  EXPECT_EQ(of(page, {0, 1, 2, 3, 4, 6, 0, 0}),
            "error kernel.index: B[page] has the index 6 along axis 0, outside of its 6 elements\n"
            "  where page=6\n"
            "  in block 1, thread 1\n"
            "  hint: indices count from 0; leave out those that mean nothing by `if`");
  EXPECT_EQ(of(page, {0, 1, 2, -1, 4, 5, 0, 0}),
            "error kernel.index: B[page] has the index -1 along axis 0, outside of its 6 elements\n"
            "  where page=-1\n"
            "  in block 0, thread 3\n"
            "  hint: indices count from 0; leave out those that mean nothing by `if`");
  // Threads and blocks may reach past the end of what is inside for others.
  EXPECT_EQ(of(page + Int::variable("tx", 0, 3), {5, 5, 5, 5, 5, 5, 5, 5}), "");
  EXPECT_NE(of(page + Int::variable("tx", 0, 3), {5, 5, 6, 5, 5, 5, 5, 5}), "");
  EXPECT_NE(of(page + Int::variable("tx", 0, 3), {5, 5, -4, 5, 5, 5, 5, 5}), "");
}

TEST(MeaningRefuses, RangesThatMemoryTakesOutside) {
  const Int page = Int::variable("page");
  const auto of = [&](std::int64_t first) {
    return refusal_of({statement(kernel::Let{"page", slice("C", {at(0)})}),
                       assign(whole_of("A"), value_of(slice("B", {range_of(page, 4)})))},
                      {zeros(DType::kI32, {4}), counting(DType::kI32, {6}), integers({first})});
  };
  for (const std::int64_t first : {-4, -1, 0, 2, 5, 6}) EXPECT_EQ(of(first), "") << first;
  EXPECT_NE(of(-5), "");
  EXPECT_EQ(of(7),
            "error kernel.index: B[page : +4] has the elements from 7 up to 11 along axis 0, "
            "outside of its 6 elements\n"
            "  where page=7\n"
            "  hint: indices count from 0; leave out those that mean nothing by `if`");
}

TEST(MeaningRefuses, TextsOfTargets) {
  EXPECT_EQ(refusal_of({statement(kernel::Unchecked{"cuda", "__nanosleep(20);"})}, {}),
            "error kernel.unchecked: the text of cuda has no meaning that can be computed here\n"
            "  hint: run the kernel on cuda");
}

TEST(MeaningRefuses, WorkWithoutEnd) {
  const Statement forever = statement(
      kernel::While{call(Function::kEqual, {value_of(slice("A", {at(0)})), literal(0)}), {}});
  Kernel kernel{"k", {parameter("A", DType::kI32, {1})}, {}, {}, {forever}};
  EXPECT_EQ(outcome(kernel, {zeros(DType::kI32, {1})}, {{}, 100000}).refusal,
            "error kernel.work: the kernel reads and writes more than 100000 elements\n"
            "  hint: run it with smaller sizes, --size N=64, or allow more work");
}

TEST(MeaningRefuses, MemoryWithoutEnd) {
  EXPECT_EQ(
      code(kernel::run({"k", {}, {}, {}, {shared("S", DType::kI32, {1 << 20, 1 << 20})}}, {})),
      "kernel.work");
  EXPECT_EQ(code(kernel::run({"k",
                              {},
                              {},
                              Launch{{Int(1)}, 1024},
                              {each_thread({registers("r", DType::kI32, {1 << 20})})}},
                             {})),
            "kernel.work");
}

TEST(Sizes, FollowFromTheShapesOfTheArguments) {
  const Int m = size_variable("M");
  const Int n = size_variable("N");
  const Kernel kernel{
      "k",
      {parameter("A", DType::kF32, {2 * m + 1, n}), parameter("B", DType::kF32, {m, 8 * n})},
      {},
      {},
      {}};
  const auto sizes = sizes_of(kernel, {zeros(DType::kF32, {7, 5}), zeros(DType::kF32, {3, 40})});
  ASSERT_TRUE(sizes) << sizes.error();
  EXPECT_EQ(*sizes, (kernel::Sizes{{"M", 3}, {"N", 5}}));
  EXPECT_EQ(refusal(sizes_of(kernel, {zeros(DType::kF32, {7, 5})})).substr(0, 60),
            "error kernel.arguments: k has 2 parameters, not 1");
  const auto other = sizes_of(kernel, {zeros(DType::kF32, {7, 5}), zeros(DType::kF32, {4, 40})});
  EXPECT_EQ(code(other), "kernel.argument");
  EXPECT_EQ(code(sizes_of(kernel, {zeros(DType::kF16, {7, 5}), zeros(DType::kF32, {3, 40})})),
            "kernel.argument");
}

TEST(Sizes, KeepWhatTheKernelAssumes) {
  const Int m = Int::variable("M");
  const Int assumed = Assumptions::make({Condition{8, Predicate::kDivides, m}})->variable("M");
  const Kernel kernel{
      "k", {parameter("A", DType::kF32, {assumed})}, {{8, Predicate::kDivides, m}}, {}, {}};
  EXPECT_EQ(*sizes_of(kernel, {zeros(DType::kF32, {16})}), (kernel::Sizes{{"M", 16}}));
  EXPECT_EQ(refusal(sizes_of(kernel, {zeros(DType::kF32, {12})})),
            "error kernel.assumption: k assumes 8 | M, which does not hold for M=12");
  EXPECT_EQ(code(sizes_of(kernel, {zeros(DType::kF32, {0})})), "kernel.assumption");
}

TEST(Sizes, ThatNoShapeTellsAreGiven) {
  const Int m = size_variable("M");
  const Kernel kernel{"k", {parameter("A", DType::kF32, {floor_div(m, 2)})}, {}, {}, {}};
  EXPECT_EQ(refusal(sizes_of(kernel, {zeros(DType::kF32, {4})})),
            "error kernel.argument: the shapes of the arguments do not give the size M\n"
            "  A gives M//2 = 4: M is from 8 to 9\n"
            "  hint: --size M=64; in Python k(…, M=64)");
  EXPECT_EQ(*sizes_of(kernel, {zeros(DType::kF32, {4})}, {{"M", 9}}), (kernel::Sizes{{"M", 9}}));
}

/// T of an extent that is a number; 0 if it may be several.
std::int64_t told(const Int& extent, std::int64_t value) {
  const Kernel kernel{"k", {parameter("A", DType::kF32, {extent})}, {}, {}, {}};
  const auto sizes = told_sizes(kernel, {zeros(DType::kF32, {value})});
  return sizes ? sizes->at("T") : 0;
}

TEST(Sizes, FollowFromQuotientsWhereOnlyOneNumberIsLeft) {
  const Int t = size_variable("T");
  const auto multiple = [](std::int64_t divisor) {
    return Assumptions::make({Condition{divisor, Predicate::kDivides, Int::variable("T")}})
        ->variable("T");
  };
  EXPECT_EQ(told(floor_div(t, 16), 4), 0);
  EXPECT_EQ(told(floor_div(multiple(16), 16), 4), 64);
  EXPECT_EQ(told(floor_div(multiple(32), 16), 4), 64);
  EXPECT_EQ(told(floor_div(multiple(8), 16), 4), 0);
  EXPECT_EQ(told(floor_div(t + 15, 16), 4), 0);
  EXPECT_EQ(told(floor_div(multiple(16) + 15, 16), 4), 64);
  EXPECT_EQ(told(3 * floor_div(multiple(4), 4) + 1, 7), 8);
  EXPECT_EQ(told(3 * floor_div(multiple(4), 4) + 1, 8), 0);
  EXPECT_EQ(told(floor_div(floor_div(multiple(64), 8), 2), 8), 128);
  EXPECT_EQ(told(floor_div(Int::variable("T", 1, 64), 16), 4), 64);
  EXPECT_EQ(told(8 - t, 3), 5);
}

/// Against all sizes up to a bound, which are tried one after the other.
TEST(Sizes, AreTheOnlyOnesThatMakeTheExtents) {
  Random random(31);
  int told_count = 0;
  for (int i = 0; i != 2000; ++i) {
    const std::int64_t divisor = random.between(1, 6);
    const Int t = Assumptions::make({Condition{divisor, Predicate::kDivides, Int::variable("T")},
                                     Condition{Int::variable("T"), Predicate::kAtMost, 60}})
                      ->variable("T");
    const Int inner = random.between(1, 3) * t + random.between(0, 5);
    const Int extent =
        random.between(1, 3) * floor_div(inner, random.between(1, 7)) + random.between(0, 4);
    const std::int64_t size = divisor * random.between(1, 60 / divisor);
    const std::int64_t value = instantiate(extent, {{"T", size}})->value();
    std::int64_t solutions = 0;
    for (std::int64_t other = divisor; other <= 60; other += divisor) {
      solutions += instantiate(extent, {{"T", other}})->value() == value ? 1 : 0;
    }
    const std::int64_t found = told(extent, value);
    if (found == 0) continue;
    ASSERT_EQ(found, size) << extent << " = " << value;
    ASSERT_EQ(solutions, 1) << extent << " = " << value;
    ++told_count;
  }
  EXPECT_GT(told_count, 500);
}

TEST(Sizes, ThatOnlyAssumptionsNameAreGiven) {
  const Int m = size_variable("M");
  const Int most = Int::variable("most");
  const Kernel kernel{"k",
                      {parameter("A", DType::kF32, {m})},
                      {{Int::variable("M"), Predicate::kAtMost, most}},
                      {},
                      {}};
  EXPECT_EQ(given_names(kernel), (std::vector<std::string>{"M", "most"}));
  EXPECT_EQ(refusal(sizes_of(kernel, {zeros(DType::kF32, {4})})),
            "error kernel.argument: the shapes of the arguments do not give the size most\n"
            "  hint: --size most=64; in Python k(…, most=64)");
  EXPECT_TRUE(sizes_of(kernel, {zeros(DType::kF32, {4})}, {{"most", 4}}));
  EXPECT_EQ(code(sizes_of(kernel, {zeros(DType::kF32, {4})}, {{"most", 3}})), "kernel.assumption");
}

}  // namespace
}  // namespace heddle::test

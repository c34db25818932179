// Kernels at the ends of what values and counts may be: NaNs and infinities, truth values of every
// type, pipelines with fewer iterations than stages. On every back end and under the checker,
// compared with the reference interpreter.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "back_end.h"
#include "heddle/checker/check_kernel.h"
#include "heddle/kernel/device.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using kernel::Array;
using kernel::DType;
using kernel::Number;

struct Edge {
  kernel::Kernel kernel;
  std::vector<Array> arguments;
  kernel::Sizes sizes;
  std::vector<Array> wanted;
};

Edge edge(const std::string& text, std::vector<Array> arguments, kernel::Sizes sizes) {
  Edge made{{}, std::move(arguments), std::move(sizes), {}};
  const auto parsed = notation::parse_kernels(text);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().to_string(text) << text;
  if (!parsed) return made;
  made.kernel = parsed->front();
  auto wanted = run(made.kernel, made.arguments, {made.sizes});
  EXPECT_TRUE(wanted.has_value()) << wanted.error().to_string(text) << text;
  if (wanted) made.wanted = *std::move(wanted);
  return made;
}

Array empty_array(DType type, std::vector<std::int64_t> shape) {
  Array array{type, std::move(shape), {}};
  array.elements.resize(static_cast<std::size_t>(size(array)));
  return array;
}

Array values_of(DType type, std::vector<std::int64_t> shape, const std::vector<double>& values) {
  Array array{type, std::move(shape), {}};
  for (const double value : values) array.elements.push_back(encode(type, Number(value)));
  return array;
}

// --- NaN

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kColumns = 40;

// Rows in which NaN is first, second, last, everywhere or nowhere.
std::vector<double> rows_with_nan() {
  std::vector<double> values;
  const auto add = [&](auto element) {
    for (std::int64_t i = 0; i != kColumns; ++i) values.push_back(element(i));
  };
  const auto number = [](std::int64_t i) { return static_cast<double>((i * 7 + 3) % 23 - 11); };
  add([&](std::int64_t i) { return i == 0 ? kNan : number(i); });
  add([&](std::int64_t i) { return i == 1 ? kNan : number(i); });
  add([&](std::int64_t i) { return i == kColumns - 1 ? kNan : number(i); });
  add([&](std::int64_t i) { return i % 2 == 0 ? kNan : number(i); });
  add([&](std::int64_t i) { return i == 5 ? number(i) : kNan; });
  add([&](std::int64_t i) { return i == 0 ? kNan : i == 1 ? -kInfinity : kInfinity; });
  add([](std::int64_t) { return kNan; });
  add(number);
  return values;
}

// Extremes of two values, of rows over threads, of columns in each thread, and of earlier results.
Edge extremes(const std::string& type) {
  const std::vector<double> one = {kNan, 1, kNan, -kInfinity, kInfinity, kNan, 0, -2};
  const std::vector<double> other = {1, kNan, kNan, kNan, kNan, kInfinity, -3, kNan};
  const std::vector<double> rows = rows_with_nan();
  const auto count = static_cast<std::int64_t>(rows.size()) / kColumns;
  const DType element = kernel::find_dtype(type).value();
  const std::string text =
      "kernel extremes_" + type + "(A: " + type + "[8], B: " + type + "[8], X: " + type +
      "[8,40], G: " + type + "[2,8], R: " + type + "[6,8], C: " + type + "[2,40], S: " + type +
      "[8,40], P: i32[2,8]) launch cta 1, threads 64 {\n"
      "  G[0] = max(A, B)\n  G[1] = min(A, B)\n"
      "  reduce(R[0], X, op=\"max\", axis=1)\n  reduce(R[1], X, op=\"min\", axis=1)\n"
      "  reduce(C[0], X, op=\"max\", axis=0)\n  reduce(C[1], X, op=\"min\", axis=0)\n"
      "  R[2] = X[:, 0]\n  reduce(R[2], X, op=\"max\", axis=1, accum=true)\n"
      "  R[3] = X[:, 1]\n  reduce(R[3], X, op=\"min\", axis=1, accum=true)\n"
      "  scan(S, X, op=\"max\", axis=1)\n"
      "  reduce(P[0], X, op=\"argmax\", axis=1)\n  reduce(P[1], X, op=\"argmin\", axis=1)\n"
      "  thread { if tx < 8 {\n"
      "    reg g: f32\n    reg l: f32\n    g = X[tx, 0]\n    l = X[tx, 0]\n"
      "    for k in 40 { g = max(g, X[tx, k]); l = min(X[tx, k], l) }\n"
      "    R[4, tx] = g\n    R[5, tx] = l\n  } }\n}\n";
  return edge(text,
              {values_of(element, {8}, one), values_of(element, {8}, other),
               values_of(element, {count, kColumns}, rows), empty_array(element, {2, 8}),
               empty_array(element, {6, count}), empty_array(element, {2, kColumns}),
               empty_array(element, {count, kColumns}), empty_array(DType::kI32, {2, count})},
              {});
}

// The functions that give NaN for numbers, with whatever sign the machine gives it.
Edge not_numbers() {
  return edge(
      "kernel not_numbers(X: f32[64], Y: f32[4,64]) launch cta 1, threads 32 {\n"
      "  Y[0] = sqrt(X)\n  Y[1] = rsqrt(X)\n  Y[2] = log(X)\n  Y[3] = X*inf - X*inf\n}\n",
      {values_of(DType::kF32, {64},
                 [] {
                   std::vector<double> values(64);
                   for (std::size_t i = 0; i != 64; ++i) values[i] = static_cast<double>(i) - 40;
                   return values;
                 }()),
       empty_array(DType::kF32, {4, 64})},
      {});
}

// --- truth values

// Rows of zeros, with one that is not, and without any, added to what is false or true.
Edge truths(const std::string& type) {
  const DType element = kernel::find_dtype(type).value();
  std::vector<double> values(4 * kColumns);
  for (std::size_t i = 0; i != kColumns; ++i) {
    values[i + kColumns] = i == 17 ? 1 : 0;
    values[i + 2 * kColumns] = i == 33 ? 0 : 1;
    values[i + 3 * kColumns] = 1;
  }
  return edge("kernel truths_" + type + "(X: " + type + "[4,40], Y: " + type +
                  "[4,4], B: bool[2,4], I: i32[2,4]) launch cta 1, threads 64 {\n"
                  "  reduce(Y[0], X, op=\"any\", axis=1)\n  reduce(Y[1], X, op=\"all\", axis=1)\n"
                  "  Y[2] = X[:, 17]\n  reduce(Y[2], X, op=\"any\", axis=1, accum=true)\n"
                  "  Y[3] = X[:, 33]\n  reduce(Y[3], X, op=\"all\", axis=1, accum=true)\n"
                  "  reduce(B[0], X, op=\"any\", axis=1)\n  reduce(B[1], X, op=\"all\", axis=1)\n"
                  "  fill(I, 1)\n  reduce(I[0], X, op=\"any\", axis=1, accum=true)\n"
                  "  reduce(I[1], X, op=\"all\", axis=1, accum=true)\n}\n",
              {values_of(element, {4, kColumns}, values), empty_array(element, {4, 4}),
               empty_array(DType::kBool, {2, 4}), empty_array(DType::kI32, {2, 4})},
              {});
}

// --- pipelines

// For each count a pipeline after the other, known by its number, or by the size of X.
Edge pipelines(std::int64_t stages, std::int64_t size) {
  const std::string s = std::to_string(stages);
  std::vector<std::string> counts = {"N // 64"};
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, stages - 1, stages, stages + 1}) {
    counts.push_back(std::to_string(count));
  }
  std::string body;
  for (std::size_t i = 0; i != counts.size(); ++i) {
    body += "  fill(r, 1)\n  pipeline k in " + counts[i] + ", stages " + s +
            " {\n    load { copy(A[stage], X[64*k : +64]) }\n"
            "    compute { reg v: f32[64]; v = A[stage]; r = 2*r + v }\n  }\n  O[" +
            std::to_string(i) + "] = r\n";
  }
  const std::string rows = std::to_string(counts.size());
  std::vector<double> values(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i != values.size(); ++i) values[i] = static_cast<double>(i % 61);
  return edge("kernel pipelines_" + s + "_" + std::to_string(size) + "(X: f32[N], O: f32[" + rows +
                  ",64]) launch cta 1, threads 32 {\n  shared A: f32[" + s +
                  ",64]\n  reg r: f32[64]\n" + body + "}\n",
              {values_of(DType::kF32, {size}, values),
               empty_array(DType::kF32, {static_cast<std::int64_t>(counts.size()), 64})},
              {{"N", size}});
}

std::vector<Edge> pipelines_of(std::int64_t stages) {
  std::vector<Edge> all;
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, stages - 1, stages, stages + 1}) {
    if (count == stages - 1 && count == 1) continue;
    all.push_back(pipelines(stages, count == 0 ? 1 : 64 * count));
  }
  return all;
}

// --- gathers

// Rows of a table by vectors: as many as do not fill the threads, into memory and registers, along
// the second of three dimensions, from the third element on, and single elements along the last.
Edge gathers(const std::string& type) {
  const DType element = kernel::find_dtype(type).value();
  std::vector<double> table(std::size_t{6} * 64);
  for (std::size_t i = 0; i != table.size(); ++i) table[i] = static_cast<double>(i * 5 % 97);
  const std::vector<double> indices = {5, 0, 3, 3, 1, 2, 4, 5, 0, 1, 2};
  return edge("kernel gathers_" + type + "(T: " + type + "[V,64], I: i32[B], Y: " + type +
                  "[B,64], R: " + type + "[B,64], Z: " + type + "[2,B,32], W: " + type +
                  "[B,30], E: " + type +
                  "[6,B]) launch cta 1, threads 32 {\n"
                  "  gather(Y, T, I, axis=0)\n  reg r: " +
                  type +
                  "[16,64]\n  gather(r, T, I[0 : +16], axis=0)\n  R[0 : +16, :] = r\n"
                  "  gather(Z, T.reshape(V, 2, 32).permute(1, 0, 2), I, axis=1)\n"
                  "  gather(W, T[:, 2:32], I, axis=0)\n  gather(E, T[0:6, :], I, axis=1)\n}\n",
              {values_of(element, {6, 64}, table), values_of(DType::kI32, {11}, indices),
               empty_array(element, {11, 64}), empty_array(element, {11, 64}),
               empty_array(element, {2, 11, 32}), empty_array(element, {11, 30}),
               empty_array(element, {6, 11})},
              {{"V", 6}, {"B", 11}});
}

// --- ends of integers

// What maxima and minima of nothing are, how many truth values hold, and infinities in integers:
// with the wanted numbers computed here.
Edge ends(const std::string& type) {
  const DType element = kernel::find_dtype(type).value();
  const double least = type[0] == 'u' ? 0 : -std::ldexp(1.0, static_cast<int>(bits(element)) - 1);
  const double greatest = least + std::ldexp(1.0, static_cast<int>(bits(element))) - 1;
  std::vector<double> values;
  std::vector<double> maxima;
  std::vector<double> minima;
  double count = 0;
  for (int i = 0; i != kColumns; ++i) {
    maxima.push_back(i == 0 ? least : std::max(maxima.back(), values.back()));
    minima.push_back(i == 0 ? greatest : std::min(minima.back(), values.back()));
    values.push_back(least + 3 + i * 5 % 17);
    if (values.back() > least + 8) ++count;
  }
  const std::int64_t n = kColumns;
  const std::string above = "X > " + std::to_string(static_cast<std::int64_t>(least + 8));
  Edge made =
      edge("kernel ends_" + type + "(X: " + type + "[N], A: " + type + "[N], B: " + type +
               "[N], C: " + type +
               "[4], K: i32[1], L: f32[1], M: i64[1]) launch cta 1, threads 64 {\n"
               "  scan(A, X, op=\"max\", axis=0, exclusive=true)\n"
               "  scan(B, X, op=\"min\", axis=0, exclusive=true)\n"
               "  reduce(C[0], X[N : +4], op=\"max\", axis=0)\n"
               "  reduce(C[1], X[N : +4], op=\"min\", axis=0)\n"
               "  fill(C[2], -inf)\n  reg m: " +
               type +
               "[]\n  m = inf\n  C[3] = m\n"
               "  reduce(K[0], " +
               above +
               ", op=\"sum\", axis=0)\n"
               "  reduce(L[0], " +
               above +
               ", op=\"sum\", axis=0)\n  fill(M, 2)\n"
               "  reduce(M[0], " +
               above + ", op=\"sum\", axis=0, accum=true)\n}\n",
           {values_of(element, {n}, values), empty_array(element, {n}), empty_array(element, {n}),
            empty_array(element, {4}), empty_array(DType::kI32, {1}), empty_array(DType::kF32, {1}),
            empty_array(DType::kI64, {1})},
           {{"N", n}});
  const std::vector<Array> wanted = {values_of(element, {n}, values),
                                     values_of(element, {n}, maxima),
                                     values_of(element, {n}, minima),
                                     values_of(element, {4}, {least, greatest, least, greatest}),
                                     values_of(DType::kI32, {1}, {count}),
                                     values_of(DType::kF32, {1}, {count}),
                                     values_of(DType::kI64, {1}, {count + 2})};
  EXPECT_TRUE(made.wanted == wanted) << made.kernel.name << ": the meaning";
  made.wanted = wanted;
  return made;
}

// A float is cut to an element before it is added.
Edge atomics() {
  return edge(
      "kernel atomics(X: f32[N], Y: u32[N], Z: i32[1]) launch cta 1, threads 32 {\n"
      "  fill(Y, 5)\n  atomic_add(Y, X)\n  atomic_add(Y, X)\n  fill(Z, -1)\n"
      "  barrier()\n  atomic_add(Z, X[0:1])\n}\n",
      {values_of(DType::kF32, {5}, {0.5, -2, 1.75, 3e9, kNan}), empty_array(DType::kU32, {5}),
       empty_array(DType::kI32, {1})},
      {{"N", 5}});
}

std::vector<Edge> all_edges() {
  std::vector<Edge> edges;
  for (const std::string type : {"i8", "i16", "i32", "u8", "u16", "u32"}) {
    edges.push_back(ends(type));
  }
  edges.push_back(atomics());
  for (const std::string type : {"f32", "f64", "f16"}) edges.push_back(extremes(type));
  for (const std::string type : {"f32", "f64", "f16", "bf16", "i32", "i64", "u8", "bool"}) {
    edges.push_back(truths(type));
  }
  edges.push_back(not_numbers());
  for (const std::string type : {"f16", "f32", "f64", "u8"}) edges.push_back(gathers(type));
  for (const std::int64_t stages : {2, 3, 4}) {
    for (Edge& each : pipelines_of(stages)) edges.push_back(std::move(each));
  }
  return edges;
}

class Edges : public testing::TestWithParam<kernel::Target> {};

TEST_P(Edges, AreWhatTheyMean) {
  const std::vector<Edge> edges = all_edges();
  BackEnd back_end(GetParam());
  for (const Edge& each : edges) {
    const auto added = back_end.add(each.kernel);
    ASSERT_TRUE(added.has_value()) << each.kernel.name << ": " << added.error();
  }
  const std::string folder =
      std::string(HEDDLE_PROGRAMS_BINARY) + "/edges." + std::string(name_of(GetParam()));
  std::filesystem::create_directories(folder);
  try {
    back_end.compile(folder);
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
  for (const Edge& each : edges) {
    const double tolerance = each.kernel.name == "not_numbers" ? 1e-6 : 0;
    EXPECT_EQ(
        wrong_result(back_end, each.kernel, each.arguments, each.sizes, each.wanted, tolerance), "")
        << each.kernel.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Edges,
                         testing::Values(kernel::Target::kCuda, kernel::Target::kOpenCl,
                                         kernel::Target::kCpu),
                         device_name);

// What users see: all NaNs are the same, and a NaN is not a number.
TEST(CheckedEdges, NotANumberIsTheSameAsAnother) {
  const Edge numbers = not_numbers();
  std::vector<Array> found = numbers.wanted;
  std::size_t nans = 0;
  for (std::uint64_t& bits : found[1].elements) {
    if (!std::isnan(decode(DType::kF32, bits).real)) continue;
    bits = nans++ % 2 == 0 ? 0xffc00000 : 0x7fc00001;
  }
  EXPECT_GT(nans, 100U);
  const auto same = deviations(numbers.kernel, numbers.wanted, found);
  EXPECT_EQ(same.front().different, 0);
  found[1].elements[0] = encode(DType::kF32, Number(1.0));
  EXPECT_FALSE(are_close(numbers.kernel, deviations(numbers.kernel, numbers.wanted, found)));
  EXPECT_FALSE(are_close(numbers.kernel, deviations(numbers.kernel, found, numbers.wanted)));
}

void expect_right(const Edge& each, const std::string& machine, std::size_t runs) {
  const auto target = kernel::parse_target(machine).value();
  const auto checked = checker::CheckedKernel::compile(each.kernel, target);
  ASSERT_TRUE(checked.has_value()) << each.kernel.name << ": " << checked.error();
  const auto found = checked->check(each.arguments, each.sizes);
  ASSERT_TRUE(found.has_value()) << each.kernel.name << ": " << found.error();
  EXPECT_TRUE(is_right(each.kernel, *found)) << each.kernel.name;
  EXPECT_EQ(found->size(), runs) << each.kernel.name;
}

TEST(CheckedEdges, AreRight) {
  for (const Edge& each : {extremes("f32"), truths("f32"), truths("bool"), not_numbers(),
                           gathers("f16"), ends("i8"), atomics()}) {
    expect_right(each, "cuda", 2);
  }
}

// Copies are under way while others are computed with: they arrive early, late and at random.
TEST(CheckedEdges, PipelinesOfEveryLengthAreRight) {
  for (const std::int64_t stages : {2, 3, 4}) {
    for (const Edge& each : pipelines_of(stages)) expect_right(each, "cuda:sm_80", 3);
  }
}

}  // namespace
}  // namespace heddle::kernels

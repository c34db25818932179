// Facts about sizes that layout algebra needs, as a table: what is assumed, and what must be known.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/expr/assumptions.h"

namespace heddle {
namespace {

/// Sizes M, N, K >= 1; A a multiple of 128, B of 64; K1 divides N1 divides L1; P <= Q <= R; a
/// thread t, a block b, a stage s; any integer x.
struct Names {
  Int M = Int::variable("M", 1, Range::kNoHigh);
  Int N = Int::variable("N", 1, Range::kNoHigh);
  Int K = Int::variable("K", 1, Range::kNoHigh);
  Int t = Int::variable("t", 0, 127);
  Int b = Int::variable("b", 0, Range::kNoHigh);
  Int s = Int::variable("s", 0, 7);
  Int x = Int::variable("x");
  Int A;
  Int B;
  Int K1;
  Int N1;
  Int L1;
  Int P;
  Int Q;
  Int R;
};

Names names() {
  const auto plain = [](const char* name) { return Int::variable(name); };
  const std::vector<Condition> conditions{{mod(plain("A"), 128), Predicate::kEqual, 0},
                                          {64, Predicate::kDivides, plain("B")},
                                          {plain("K1"), Predicate::kDivides, plain("N1")},
                                          {plain("N1"), Predicate::kDivides, plain("L1")},
                                          {plain("P"), Predicate::kAtMost, plain("Q")},
                                          {plain("Q"), Predicate::kAtMost, plain("R")}};
  const Assumptions world = Assumptions::make(conditions).value();
  Names made;
  made.A = world.variable("A");
  made.B = world.variable("B");
  made.K1 = world.variable("K1");
  made.N1 = world.variable("N1");
  made.L1 = world.variable("L1");
  made.P = world.variable("P");
  made.Q = world.variable("Q");
  made.R = world.variable("R");
  return made;
}

void expect_known(const Int& left, Predicate predicate, const Int& right) {
  const Condition condition{left, predicate, right};
  EXPECT_TRUE(known(condition)) << to_string(condition);
}
void expect_same(const Int& got, const Int& wanted) { EXPECT_EQ(got, wanted); }
void expect_at_most(const Int& a, const Int& b) { expect_known(a, Predicate::kAtMost, b); }
void expect_less(const Int& a, const Int& b) { expect_known(a, Predicate::kLess, b); }
void expect_divides(const Int& a, const Int& b) { expect_known(a, Predicate::kDivides, b); }

TEST(Facts, TilesCoverAndStayWithin) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  expect_at_most(N, 64 * ceil_div(N, 64));
  expect_less(64 * ceil_div(N, 64), N + 64);
  expect_at_most(64 * floor_div(N, 64), N);
  expect_less(N, 64 * floor_div(N, 64) + 64);
  expect_at_most(1, N - 64 * floor_div(N - 1, 64));
  expect_at_most(N - 64 * floor_div(N - 1, 64), 64);
  expect_at_most(1, ceil_div(N, 64));
  expect_at_most(ceil_div(N, 64), N);
  expect_at_most(floor_div(N, 64), N);
  expect_at_most(N, K * ceil_div(N, K));
  expect_at_most(K * floor_div(N, K), N);
  expect_less(mod(N, K), K);
  expect_at_most(mod(N, K), N);
  expect_at_most(mod(N, 8), N);
  expect_at_most(0, mod(x, 8));
  expect_same(mod(N, 64) + 64 * floor_div(N, 64), N);
  expect_same(K * floor_div(N, K) + mod(N, K), N);
}

TEST(Facts, ProductsDivideAndCompare) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  expect_same(floor_div(M * N, M), N);
  expect_same(floor_div(M * N * K, M * K), N);
  expect_same(mod(M * N, N), 0);
  expect_same(floor_div(M * N + M, M), N + 1);
  expect_same(ceil_div(M * N, N), M);
  expect_at_most(0, M * N - N);
  expect_at_most(N, M * N);
  expect_at_most(M + N - 1, M * N);
  expect_at_most((M - 1) * N, M * N);
  expect_less((M - 1) * N, M * N);
  expect_less((M - 1) + (N - 1) * M, M * N);
  expect_less((M - 1) + (N - 1) * M + (K - 1) * M * N, M * N * K);
  expect_divides(N, M * N);
  expect_divides(4, 4 * M * N + 8);
  expect_known(M * N, Predicate::kNotEqual, 0);
}

TEST(Facts, DivisorsCarryOver) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  expect_same(mod(A, 64), 0);
  expect_same(64 * floor_div(A, 64), A);
  expect_same(2 * floor_div(A, 128), floor_div(A, 64));
  expect_same(ceil_div(A, 32), floor_div(A, 32));
  expect_divides(64, A + B);
  expect_divides(128 * 64, A * B);
  expect_at_most(128, A);
  expect_at_most(1, floor_div(A, 128));
  expect_same(mod(A + 5, 128), 5);
  expect_same(floor_div(A + 5, 128), floor_div(A, 128));
  expect_same(ceil_div(A + 5, 128), floor_div(A, 128) + 1);
}

TEST(Facts, ChainsOfDivisors) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  expect_divides(K1, N1);
  expect_divides(K1, L1);
  expect_divides(N1, L1);
  expect_at_most(K1, N1);
  expect_at_most(K1, L1);
  expect_same(K1 * floor_div(N1, K1), N1);
  expect_same(floor_div(N1, K1) * floor_div(L1, N1), floor_div(L1, K1));
  expect_same(mod(L1, K1), 0);
  expect_same(ceil_div(N1, K1), floor_div(N1, K1));
  expect_at_most(1, floor_div(N1, K1));
}

TEST(Facts, ChainsOfBounds) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  expect_at_most(P, Q);
  expect_at_most(P, R);
  expect_less(P, R + 1);
  expect_at_most(P * M, Q * M);
  expect_at_most(2 * P, Q + R);
  expect_same(min(P, R), P);
  expect_same(max(P, Q), Q);
  expect_same(floor_div(P - 1, Q), 0);
  expect_same(mod(P - 1, R), P - 1);
  expect_at_most(floor_div(P, 8), floor_div(Q, 8));
  expect_at_most(ceil_div(P, 8), ceil_div(Q, 8));
}

TEST(Facts, MinimumsAndMaximums) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  expect_at_most(min(M, N), M);
  expect_at_most(min(M, N), N);
  expect_at_most(1, min(M, N));
  expect_at_most(M, max(M, N));
  expect_at_most(min(M, N), max(M, N));
  expect_at_most(min(M, 64), 64);
  expect_at_most(min(M, N), M + N);
  expect_same(max(M, 1), M);
  expect_same(min(M, 0), 0);
  expect_same(max(min(M, 8), 0), min(M, 8));
  expect_same(abs(M), M);
  expect_same(sign(M), 1);
  expect_at_most(gcd(M, 8), 8);
  expect_at_most(gcd(M, N), M);
  expect_same(gcd(M, M * N), M);
}

TEST(Facts, CoordinatesOfThreads) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  expect_same(floor_div(32 * t + 5, 8), 4 * t);
  expect_same(mod(32 * t + 5, 8), 5);
  expect_same(mod(128 * b + t, 128), t);
  expect_same(floor_div(128 * b + t, 128), b);
  expect_same(floor_div(t, 128), 0);
  expect_less(t, 128);
  expect_same(mod(floor_div(t, 4), 32), floor_div(t, 4));
  expect_same(floor_div(floor_div(t, 4), 8), floor_div(t, 32));
  expect_same(mod(mod(t, 32), 8), mod(t, 8));
  expect_same(mod(t, 8) + 8 * floor_div(t, 8), t);
  expect_same(mod(t, 4) + 4 * mod(floor_div(t, 4), 8) + 32 * floor_div(t, 32), t);
  expect_less(mod(t, 4) + 4 * floor_div(t, 4), 128);
  expect_at_most(mod(t, 32), 31);
  expect_same(bit_xor(8 * s, mod(t, 8)), 8 * s + mod(t, 8));
  expect_same(bit_and(t, 7), mod(t, 8));
  expect_same(bit_and(t, -8), t - mod(t, 8));
  expect_less(bit_xor(t, 8 * s), 128);
  expect_same(floor_div(M * s + 0, M), s);
  expect_same(shift_right(shift_left(t, 3), 3), t);
}

TEST(Facts, DigitsOfASymbolicShape) {
  const auto [M, N, K, t, b, s, x, A, B, K1, N1, L1, P, Q, R] = names();
  const Assumptions grid =
      Assumptions::make(
          std::vector<Condition>{{Int::variable("i"), Predicate::kLess, Int::variable("H")},
                                 {Int::variable("i"), Predicate::kAtMost, 1 << 20},
                                 {0, Predicate::kAtMost, Int::variable("i")}})
          .value();
  const Int i = grid.variable("i");
  const Int H = grid.variable("H");
  expect_less(i, H);
  expect_same(mod(i + H * b, H), i);
  expect_same(floor_div(i + H * b, H), b);
  expect_same(mod(i, H), i);
  expect_less(i + H * s, 8 * H);
  expect_less(i * N, H * N);
  expect_same(mod(mod(x, M * N), M), mod(x, M));
}

}  // namespace
}  // namespace heddle

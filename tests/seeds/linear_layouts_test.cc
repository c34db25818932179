// Seed 000, sections 2.3 and 5 and Table 1: linear layouts, their binary mapping and their layout
// mapping, each printed relation evaluated at every point.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "heddle/core/exact.h"
#include "heddle/linear/linear_layout.h"

namespace heddle::linear {
namespace {

using Point = std::vector<std::int64_t>;

std::int64_t modulo(std::int64_t a, std::int64_t b) { return *exact::floor_modulo(a, b); }
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return *exact::floor_divide(a, b); }

NamedSizes named(const std::string& name, const Point& sizes) {
  NamedSizes result;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    result.emplace_back(name + std::to_string(i), sizes[i]);
  }
  return result;
}

/// `LinearLayout(crd=…, idx=…, vals=[…])`: one value for each bit of the coordinate,
/// colexicographic.
LinearLayout linear(const Point& crd, const Point& idx, const std::vector<Point>& vals) {
  Bases bases;
  std::size_t next = 0;
  const NamedSizes dims = named("crd", crd);
  for (const auto& [name, size] : dims) {
    InBases& in = bases.emplace_back(InBases{name, {}});
    for (std::int64_t digit = 1; digit < size; digit *= 2) in.vectors.push_back(vals[next++]);
  }
  return LinearLayout::make(bases, named("idx", idx)).value();
}

/// The digits of a number in these sizes, first fastest: equations 16 to 19.
Point colexicographic(std::int64_t number, const Point& sizes) {
  Point digits;
  for (const std::int64_t size : sizes) {
    digits.push_back(number % size);
    number /= size;
  }
  return digits;
}

std::int64_t product(const Point& sizes) {
  std::int64_t result = 1;
  for (const std::int64_t size : sizes) result *= size;
  return result;
}

Point image(const LinearLayout& layout, const Point& coordinate) {
  NamedSizes point;
  for (std::size_t i = 0; i < coordinate.size(); ++i) {
    point.emplace_back("crd" + std::to_string(i), coordinate[i]);
  }
  Point result;
  const NamedSizes indices = layout.apply(point).value();
  for (const auto& [name, value] : indices) result.push_back(value);
  return result;
}

using PointMap = std::function<Point(const Point&)>;

/// The layout mapping of the table: coordinates to indices.
void expect_layout_mapping(const LinearLayout& layout, const PointMap& relation) {
  Point crd;
  for (const Dimension& in : layout.in_dims()) crd.push_back(in.size());
  for (std::int64_t n = 0; n < product(crd); ++n) {
    const Point coordinate = colexicographic(n, crd);
    EXPECT_EQ(image(layout, coordinate), relation(coordinate)) << "at " << n;
  }
}

/// The binary vector space mapping of the table: bits to bits, both colexicographic.
void expect_binary_mapping(const LinearLayout& layout, const PointMap& relation) {
  const Point ins(layout.matrix().columns().size(), 2);
  const Point outs(layout.matrix().rows(), 2);
  for (std::int64_t n = 0; n < product(ins); ++n) {
    const auto index = layout.matrix()(static_cast<std::uint64_t>(n));
    EXPECT_EQ(colexicographic(static_cast<std::int64_t>(index), outs),
              relation(colexicographic(n, ins)))
        << "at " << n;
  }
}

LinearLayout swizzled() { return linear({4, 4}, {4, 4}, {{1, 1}, {2, 2}, {0, 1}, {0, 2}}); }

TEST(Seed000, Equation2_LinearityRule) {
  const LinearLayout layout = swizzled();
  for (std::int64_t a = 0; a < 16; ++a) {
    for (std::int64_t b = 0; b < 16; ++b) {
      const Point x = image(layout, colexicographic(a, {4, 4}));
      const Point y = image(layout, colexicographic(b, {4, 4}));
      EXPECT_EQ(image(layout, colexicographic(a ^ b, {4, 4})), (Point{x[0] ^ y[0], x[1] ^ y[1]}));
    }
  }
}

TEST(Seed000, Equations3And4_NumbersOfBits) {
  EXPECT_EQ(swizzled().total_in_dim_size_log2(), 4);
  EXPECT_EQ(swizzled().total_out_dim_size_log2(), 4);
}

TEST(Seed000, Section5_BasisVectorsInTheBinaryIndexSpace) {
  // (1,1), (2,2), (0,1), (0,2) are (1,0,1,0), (0,1,0,1), (0,0,1,0), (0,0,0,1).
  const LinearLayout layout = swizzled();
  const auto columns = layout.matrix().columns();
  EXPECT_EQ(std::vector<std::uint64_t>(columns.begin(), columns.end()),
            (std::vector<std::uint64_t>{0b0101, 0b1010, 0b0100, 0b1000}));
}

TEST(Seed000, Equations20To22_IndexBitsAreSumsModulo2) {
  const LinearLayout layout = swizzled();
  const Point d[4] = {{1, 0, 1, 0}, {0, 1, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  expect_binary_mapping(layout, [&](const Point& c) {
    Point i;
    for (std::size_t j = 0; j < 4; ++j) {
      i.push_back((d[0][j] * c[0] + d[1][j] * c[1] + d[2][j] * c[2] + d[3][j] * c[3]) % 2);
    }
    return i;
  });
}

TEST(Seed000, Equation23_ChainOfFiveMappings) {
  const LinearLayout layout = swizzled();
  for (std::int64_t n = 0; n < 16; ++n) {
    // M_ic: natural to integral coordinates; M_bc: their bits; M_bv: the matrix; M_li: the linear
    // index; M_ni: its digits.
    const Point natural = colexicographic(n, {4, 4});
    const std::int64_t integral = natural[0] + 4 * natural[1];
    const auto linear_index =
        static_cast<std::int64_t>(layout.matrix()(static_cast<std::uint64_t>(integral)));
    EXPECT_EQ(image(layout, natural), colexicographic(linear_index, {4, 4}));
  }
}

TEST(Seed000, Equation25_LayoutMapping) {
  expect_layout_mapping(swizzled(), [](const Point& c) {
    return Point{c[0], 3 + modulo(c[0], 2) - modulo(1 + c[0] + c[1], 2) -
                           modulo(3 + c[0] + 3 * c[1] - modulo(1 + c[1], 2), 4)};
  });
}

TEST(Seed000, Figure3_SomeOfThePoints) {
  EXPECT_EQ(image(swizzled(), {1, 1}), (Point{1, 0}));
  EXPECT_EQ(image(swizzled(), {3, 0}), (Point{3, 3}));
  EXPECT_EQ(image(swizzled(), {2, 3}), (Point{2, 1}));
}

TEST(Seed000, Table1_Swizzled) {
  expect_binary_mapping(swizzled(), [](const Point& c) {
    return Point{c[0], c[1], (c[0] + c[2]) % 2, (c[1] + c[3]) % 2};
  });
  expect_layout_mapping(swizzled(), [](const Point& c) {
    return Point{c[0], 1 - modulo(c[0], 2) - modulo(1 + c[0] + c[1], 2) +
                           modulo(1 + c[0] + 3 * c[1] - modulo(1 + c[1], 2), 4)};
  });
}

TEST(Seed000, Table1_Identity1d) {
  const LinearLayout layout = linear({8}, {8}, {{1}, {2}, {4}});
  expect_binary_mapping(layout, [](const Point& c) { return c; });
  expect_layout_mapping(layout, [](const Point& c) { return c; });
}

// The index space of size 8 is not reached: its sizes are given.
TEST(Seed000, Table1_Zeros) {
  const LinearLayout layout =
      LinearLayout::make({{"crd0", {{0}, {0}, {0}}}}, NamedSizes{{"idx0", 8}}).value();
  expect_layout_mapping(layout, [](const Point&) { return Point{0}; });
  EXPECT_FALSE(layout.is_surjective());
}

TEST(Seed000, Table1_Identity2d) {
  const LinearLayout layout = linear({4, 4}, {4, 4}, {{1, 0}, {2, 0}, {0, 1}, {0, 2}});
  expect_binary_mapping(layout, [](const Point& c) { return c; });
  expect_layout_mapping(layout, [](const Point& c) { return c; });
}

// The table prints the identity as layout mapping; its own binary mapping is the transpose.
TEST(Seed000, Table1_Transpose2d) {
  const LinearLayout layout = linear({4, 4}, {4, 4}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}});
  expect_binary_mapping(layout, [](const Point& c) { return Point{c[2], c[3], c[0], c[1]}; });
  expect_layout_mapping(layout, [](const Point& c) { return Point{c[1], c[0]}; });
}

TEST(Seed000, Table1_Transpose1d) {
  const LinearLayout layout = linear({16}, {16}, {{4}, {8}, {1}, {2}});
  expect_binary_mapping(layout, [](const Point& c) { return Point{c[2], c[3], c[0], c[1]}; });
  expect_layout_mapping(
      layout, [](const Point& c) { return Point{15 + 4 * c[0] + 15 * floor_div(-1 - c[0], 4)}; });
}

TEST(Seed000, Table1_Broadcast2d) {
  const LinearLayout layout = linear({4, 4}, {4}, {{1}, {2}, {0}, {0}});
  expect_binary_mapping(layout, [](const Point& c) { return Point{c[0], c[1]}; });
  expect_layout_mapping(layout, [](const Point& c) { return Point{c[0]}; });
}

}  // namespace
}  // namespace heddle::linear

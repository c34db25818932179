#pragma once

// The kernels of LEGO's evaluation (seed 001, section V), each with the placeholders that its
// templates have: what is put in for them is what LEGO, and Heddle, compute.
//
// A placeholder of LEGO is an expression of coordinates that are names; where its template hands a
// sum for a coordinate (`i + i_diff`) it is taken for a number within the dimension, as LEGO does.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heddle/expr/assumptions.h"
#include "heddle/expr/index_variable.h"
#include "heddle/lego/layout.h"

namespace heddle::bench {

/// What LEGO's own Python needs and finds, measured with SymPy 1.13.3 and Z3 4.14.1.
struct Mark {
  double seconds = 0;
  int operations = 0;
  int min_max = 0;
};

struct LegoKernel {
  std::string name;
  Mark mark;
  /// Builds the layouts and evaluates them: one value for each distinct placeholder.
  std::function<std::vector<Int>()> placeholders;
  /// What is not like for like, or what else there is to say.
  std::string remark;
};

/// Everything here is known to exist.
template <class T>
T sure(Result<T> result) {
  return std::move(result).value();
}

using lego::Layout;
using lego::Permutation;
using lego::RegP;
using lego::Sizes;

inline Permutation row(Sizes sizes) { return sure(RegP::row(std::move(sizes))); }
inline Permutation col(Sizes sizes) { return sure(RegP::col(std::move(sizes))); }
inline Layout tiled(std::vector<Sizes> tiles, Permutation order) {
  return sure(sure(Layout::tile_by(std::move(tiles))).order_by({std::move(order)}));
}
inline Int at(const Layout& layout, const std::vector<Int>& point) {
  return sure(layout.apply(point));
}

inline Assumptions assumed(const std::vector<Condition>& conditions) {
  return sure(Assumptions::make(conditions));
}

/// `divisor` divides `number`.
inline Condition divides(const char* divisor, const char* number) {
  return {mod(Int::variable(number), Int::variable(divisor)), Predicate::kEqual, 0};
}

// Triton.

/// A matrix in tiles, as kernels of matrix products read it: element (r0,r1) of tile (i,j).
inline Int tile_element(const Int& rows, const Int& columns, const Int& tile_rows,
                        const Int& tile_columns, bool transposed, const char* i, const char* j) {
  const Int down = floor_div(rows, tile_rows);
  const Int along = floor_div(columns, tile_columns);
  const Layout layout = tiled({{down, along}, {tile_rows, tile_columns}},
                              transposed ? col({rows, columns}) : row({rows, columns}));
  return at(layout, {index_variable(i, down), index_variable(j, along),
                     index_variable("r0", tile_rows), index_variable("r1", tile_columns)});
}

inline std::vector<Int> matmul_elements(bool transposed_a, bool transposed_b) {
  const Assumptions world = assumed({divides("BM", "M"), divides("BN", "N"), divides("BK", "K")});
  const Int m = world.variable("M");
  const Int n = world.variable("N");
  const Int k = world.variable("K");
  const Int bm = world.variable("BM");
  const Int bn = world.variable("BN");
  const Int bk = world.variable("BK");
  return {tile_element(m, k, bm, bk, transposed_a, "pid_m", "k"),
          tile_element(k, n, bk, bn, transposed_b, "k", "pid_n"),
          tile_element(m, n, bm, bn, false, "pid_m", "pid_n")};
}

/// Which tile a program computes: groups of GM rows of tiles.
inline std::vector<Int> program_ids() {
  const Assumptions world = assumed({divides("GM", "nt_m")});
  const Int down = world.variable("nt_m");
  const Int along = world.variable("nt_n");
  const Int group = world.variable("GM");
  const Int groups = max(floor_div(down, group), 1);
  const Int height = min(down, group);
  const Layout layout = sure(sure(Layout::tile_by({{down, along}}))
                                 .tile_order_by({col({groups, 1}), col({height, along})}));
  return sure(layout.inv(index_variable("pid", down * along)));
}

/// The same for every GM: the height of a group is the lesser of GM and nt_m, and named `group`. It
/// has to divide nt_m, or the layout covers only part of C.
inline std::vector<Int> program_ids_of_any_group() {
  const Assumptions world = assumed({divides("group", "nt_m")});
  const Int down = world.variable("nt_m");
  const Int along = world.variable("nt_n");
  const Int group = world.variable("group");
  const Layout layout =
      sure(sure(Layout::tile_by({{down, along}}))
               .tile_order_by({col({floor_div(down, group), 1}), col({group, along})}));
  std::vector<Int> values = sure(layout.inv(index_variable("pid", down * along)));
  values.push_back(min(Int::variable("nt_m", 1, Range::kNoHigh), Int::variable("GM")));
  return values;
}

inline LegoKernel matmul(bool transposed_a, bool transposed_b) {
  const std::string name =
      std::string("matmul ") + (transposed_a ? "A^T " : "A ") + (transposed_b ? "B^T" : "B");
  return {name,
          {1.7, 28, 6},
          [=] {
            std::vector<Int> values = program_ids();
            for (Int& value : matmul_elements(transposed_a, transposed_b)) {
              values.push_back(std::move(value));
            }
            return values;
          },
          "with GM | nt_m, without which the layout of the ids covers only part of C"};
}

inline LegoKernel softmax() {
  return {"softmax",
          {0.145, 4},
          [] {
            const Assumptions world;
            const Int rows = world.variable("n_rows");
            const Int columns = world.variable("n_cols");
            const Layout layout = tiled({{rows, columns}}, row({rows, columns}));
            const std::vector<Int> point{index_variable("row_idx", rows),
                                         index_variable("r0", columns)};
            return std::vector<Int>{at(layout, point), at(layout, point)};
          },
          "input and output are one expression"};
}

inline LegoKernel layernorm() {
  return {"layernorm forward + backward",
          {0.55, 10},
          [] {
            const Assumptions world = assumed({divides("BS", "N")});
            const Int m = world.variable("M");
            const Int n = world.variable("N");
            const Int block = world.variable("BS");
            const Int along = floor_div(n, block);
            const Layout x = tiled({{m, along}, {1, block}}, row({m, n}));
            const Layout w = tiled({{m}}, row({m}));
            const Layout w_backward = tiled({{block}}, row({block}));
            const Int pid = index_variable("pid", m);
            const Int lock = index_variable("lock_id", m);
            const Int k = index_variable("k", along);
            const Int r = index_variable("r0", block);
            return std::vector<Int>{at(x, {pid, k, 0, r}), at(x, {0, k, 0, r}),
                                    at(w, {pid}),          at(x, {pid, 0, 0, r}),
                                    at(w_backward, {r}),   at(x, {lock, 0, 0, r})};
          },
          ""};
}

inline LegoKernel grouped_gemm() {
  return {"grouped GEMM", {0.97, 18}, [] { return matmul_elements(false, false); }, ""};
}

// CUDA.

inline LegoKernel needleman_wunsch() {
  return {"NW",
          {0.73, 35},
          [] {
            const Int n = Int::variable("n", 1, Range::kNoHigh);
            const Permutation order = sure(lego::GenP::make({n, n}, lego::BuiltIn{"antidiag", {}}));
            const Layout layout = sure(sure(Layout::tile_by({{n, n}})).order_by({order}));
            return std::vector<Int>{at(layout, {index_variable("i", n), index_variable("j", n)})};
          },
          "the antidiagonal, branches included"};
}

inline LegoKernel lud() {
  return {"LUD",
          {0.93, 2},
          [] {
            const Int r = Int::variable("R", 1, Range::kNoHigh);
            const Int t = Int::variable("T", 1, Range::kNoHigh);
            const Layout layout =
                sure(sure(Layout::group_by({{r, r}, {t, t}})).order_by({row({r * t, r * t})}));
            const Int position = (index_variable("ii", r) * r + index_variable("jj", r)) * t * t +
                                 index_variable("tid", t * t);
            return sure(layout.inv(position));
          },
          ""};
}

/// A cube of 384 points a side, as an array and in bricks of 8.
struct Bricks {
  Layout array = tiled({{48, 48, 48}, {8, 8, 8}}, row({384, 384, 384}));
  Layout bricks = sure(sure(Layout::tile_by({{48, 48, 48}, {8, 8, 8}}))
                           .tile_order_by({row({48, 48, 48}), row({8, 8, 8})}));
  std::vector<Int> brick{index_variable("bx", 48), index_variable("by", 48),
                         index_variable("bz", 48)};
  std::vector<Int> point{index_variable("i", 8), index_variable("j", 8), index_variable("k", 8)};
};

/// Three coordinates, each moved by a step.
inline std::vector<Int> moved(std::vector<Int> from, const std::vector<Int>& steps) {
  for (std::size_t d = 0; d < 3; ++d) from[d] += steps[d];
  return from;
}

/// The layout at a point (x,y,z) of a box of 8 x 8 x 8, each a sum that is taken for a number
/// within it, as LEGO does; `outer` are the coordinates before them.
inline Int within_box(const Layout& layout, std::vector<Int> outer, const std::vector<Int>& xyz) {
  const char* const names[] = {"x_", "y_", "z_"};
  Bindings sums;
  for (std::size_t d = 0; d < 3; ++d) {
    outer.push_back(index_variable(names[d], 8));
    sums[names[d]] = xyz[d];
  }
  return sure(instantiate(at(layout, outer), sums));
}

/// The layout at a point that may lie in a neighbouring brick.
inline Int across_faces(const Layout& layout, const std::vector<Int>& brick,
                        const std::vector<Int>& xyz) {
  std::vector<Int> outer;
  std::vector<Int> inner;
  for (std::size_t d = 0; d < 3; ++d) {
    outer.push_back(floor_div(8 * brick[d] + xyz[d], 8));
    inner.push_back(mod(8 * brick[d] + xyz[d], 8));
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  return at(layout, outer);
}

using BrickIndex = Int(const Layout&, std::vector<Int>, const std::vector<Int>&);

inline Int right_neighbour(const Layout& layout, std::vector<Int> brick,
                           const std::vector<Int>& xyz) {
  return across_faces(layout, brick, xyz);
}

/// A stencil whose neighbours fill a cube.
inline std::vector<Int> brick_cube(BrickIndex* neighbour) {
  const Bricks cube;
  const Layout weights = tiled({{8, 8, 8}}, row({8, 8, 8}));
  const Int radius = Int::variable("radius", 1, 3);
  const std::vector<Int> steps{Int::variable("i_diff", -3, 3), Int::variable("j_diff", -3, 3),
                               Int::variable("k_diff", -3, 3)};
  const std::vector<Int> to = moved(cube.point, steps);
  const std::vector<Int> middle{radius, radius, radius};
  return {within_box(cube.array, cube.brick, to),
          neighbour(cube.bricks, cube.brick, to),
          within_box(weights, {}, moved(steps, middle)),
          within_box(weights, {}, middle),
          within_box(cube.array, cube.brick, cube.point),
          within_box(cube.bricks, cube.brick, cube.point)};
}

/// A stencil whose neighbours lie along the axes, at distance a.
inline std::vector<Int> brick_star(BrickIndex* neighbour) {
  const Bricks cube;
  const Int a = Int::variable("a", 1, 4);
  std::vector<Int> values;
  for (const bool is_array : {true, false}) {
    for (const Int& step : {a, -a}) {
      for (std::size_t d = 0; d < 3; ++d) {
        std::vector<Int> steps(3, 0);
        steps[d] = step;
        const std::vector<Int> to = moved(cube.point, steps);
        values.push_back(is_array ? within_box(cube.array, cube.brick, to)
                                  : neighbour(cube.bricks, cube.brick, to));
      }
    }
  }
  values.push_back(within_box(cube.array, cube.brick, cube.point));
  values.push_back(within_box(cube.bricks, cube.brick, cube.point));
  return values;
}

// MLIR.

/// Where a thread reads and writes while it transposes a matrix of 4096 x 4096, through shared
/// memory or not. LEGO has a placeholder for each coordinate of block and thread, and names them in
/// the indices.
inline std::vector<Int> transpose(bool shared) {
  const Int size = 4096;
  const auto places = [](const Int& rows, const Int& columns, bool transposed, const char* name) {
    const Layout layout =
        tiled({{rows, columns}}, transposed ? col({rows, columns}) : row({rows, columns}));
    return sure(layout.inv(index_variable(name, rows * columns)));
  };
  std::vector<Int> values;
  const Int blocks = floor_div(size, 32);
  for (const std::vector<Int>& place :
       {places(blocks, blocks, false, "bX"), places(blocks, blocks, true, "bX"),
        places(8, 32, false, "tX"), places(32, 8, true, "tX")}) {
    values.insert(values.end(), place.begin(), place.end());
  }
  const auto named = [](const char* name, const Int& extent) {
    return index_variable(name, extent);
  };
  const Layout wide = tiled({{blocks, blocks}, {4, 1}, {8, 32}}, row({size, size}));
  const Layout tall = tiled({{blocks, blocks}, {1, 4}, {32, 8}}, row({size, size}));
  const Int j = named("j", 4);
  const std::vector<Int> read{named("rby", blocks), named("rbx", blocks), j, 0,
                              named("rty", 8),      named("rtx", 32)};
  values.push_back(at(wide, read));
  if (!shared) {
    values.push_back(at(tall, {named("wby", blocks), named("wbx", blocks), 0, j, named("wty", 32),
                               named("wtx", 8)}));
    return values;
  }
  const Layout stored = tiled({{4, 1}, {8, 32}}, row({32, 32}));
  const Layout loaded = tiled({{1, 4}, {32, 8}}, row({32, 32}));
  values.push_back(at(stored, {j, 0, named("rty", 8), named("rtx", 32)}));
  values.push_back(at(loaded, {0, j, named("wty", 32), named("wtx", 8)}));
  values.push_back(at(
      wide, {named("wby", blocks), named("wbx", blocks), j, 0, named("rty", 8), named("rtx", 32)}));
  return values;
}

inline std::vector<LegoKernel> lego_kernels() {
  return {
      matmul(false, false),
      matmul(true, false),
      matmul(false, true),
      matmul(true, true),
      softmax(),
      layernorm(),
      grouped_gemm(),
      needleman_wunsch(),
      lud(),
      {"bricks cube",
       {7.4, 57},
       [] { return brick_cube(within_box); },
       "LEGO's formula, which takes wrong neighbours across the faces of bricks"},
      {"bricks star",
       {23.0, 162},
       [] { return brick_star(within_box); },
       "LEGO's formula, which takes wrong neighbours across the faces of bricks"},
      {"transpose naive", {1.4, 24}, [] { return transpose(false); }, "of 4096 x 4096"},
      {"transpose shared", {1.55, 36}, [] { return transpose(true); }, "of 4096 x 4096"},
  };
}

/// Groups that need not divide; the stencils with the neighbours that they mean, for which LEGO has
/// nothing to compare with.
inline std::vector<LegoKernel> other_kernels() {
  return {{"matmul A B, any GM",
           {1.7, 28, 6},
           [] {
             std::vector<Int> values = program_ids_of_any_group();
             for (Int& value : matmul_elements(false, false)) values.push_back(std::move(value));
             return values;
           },
           "group = min(nt_m, GM)"},
          {"bricks cube, right across faces", {}, [] { return brick_cube(right_neighbour); }, ""},
          {"bricks star, right across faces", {}, [] { return brick_star(right_neighbour); }, ""}};
}

}  // namespace heddle::bench

// Matrix products on a CPU: tiles of C in vector registers, from blocks of A and B that are copied
// so that tiles read them in order (K. Goto, R. van de Geijn, "Anatomy of high-performance matrix
// multiplication", 2008).
//
//   for a block of columns, for a block of K:     B into panels of columns, for the L2 cache
//     for a block of rows:                        A into panels of rows
//       for each panel of B, of A:                a tile of C += panel of A * panel of B
//
// A small operand that lies in memory as tiles read it is not copied. How large tiles and blocks
// are is chosen in gemm_blocks.h.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "kernel/lower/gemm_blocks.h"
#include "kernel/lower/lowerer.h"
#include "kernel/passes/bounds.h"

namespace heddle::kernel {

namespace {

/// An operand of at most this size stays in the first-level cache as it is.
constexpr std::int64_t kSmallBytes = std::int64_t{32} << 10;

/// The extent of blocks along a dimension: `most`, or what there is, in whole pieces.
std::int64_t block_extent(const Int& extent, std::int64_t most, std::int64_t piece) {
  if (!extent.is_constant() || extent.value() >= most) return most / piece * piece;
  return (extent.value() + piece - 1) / piece * piece;
}

bool depends_on_any(const Int& value, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const auto& name) { return depends_on(value, name); });
}

/// The best of what was weighed, each with the share of the machine's multiply-adds.
void note_candidates(const form::Machine* machine, std::int64_t bytes,
                     const std::array<Int, 3>& extents, Choice& choice) {
  constexpr std::size_t kMostNotes = 4;
  const Core core = core_of(machine);
  choice.notes.push_back(
      {"machine", core.assumed.empty()
                      ? core.name
                      : fmt::format("{}; not stated, so taken: {}", core.name, core.assumed)});
  const std::vector<GemmCandidate> all = gemm_candidates(machine, bytes, extents);
  for (std::size_t i = 0; i != std::min(all.size(), kMostNotes); ++i) {
    choice.notes.push_back({"weighed", fmt::format("{}: {:.1f} % of the multiply-adds",
                                                   to_string(all[i].blocks), 100 * all[i].share)});
  }
}

const std::string kRow = "row#";
const std::string kColumn = "column#";

}  // namespace

/// How the elements of a matrix lie in memory: first + row*rows + column*columns.
struct Lowerer::Matrix {
  Location first;
  Int row = 1;
  Int column = 1;
  /// The rows and columns that there are.
  Int rows = 1;
  Int columns = 1;
  /// What these are the least of.
  std::vector<Int> row_ends;
  std::vector<Int> column_ends;

  [[nodiscard]] Location at(const Int& i, const Int& j) const {
    Location place = first;
    place.address += i * row + j * column;
    return place;
  }
};

/// Refuses, as text for explanations, a view whose elements are not evenly apart.
Result<Lowerer::Matrix> Lowerer::matrix_of(const View& view, const Team& team) const {
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({view}));
  const std::vector<Int> point = {index_variable(kRow, shape[0]),
                                  index_variable(kColumn, shape[1])};
  HEDDLE_TRY(const Found found, locate(view, point, team));
  const auto refuse_view = [&](std::string_view reason) {
    return refuse("kernel.schedule", fmt::format("{} {}", to_string(view), reason));
  };
  if (found.location.seen) return refuse_view("is seen as bits of another type");
  const Int& address = found.location.address;
  const auto row = stride_along(address, kRow);
  const auto column = stride_along(address, kColumn);
  const std::vector<std::string> names = {kRow, kColumn};
  if (!row || !column || depends_on_any(*row, names) || depends_on_any(*column, names)) {
    return refuse_view("is not known to have rows and columns that are evenly apart");
  }
  Bounds rows;
  Bounds columns;
  for (const Condition& each : found.inside) {
    const bool names_row = depends_on(each, kRow);
    const bool names_column = depends_on(each, kColumn);
    const bool is_bound = names_row != names_column &&
                          (names_row ? rows.add(each, kRow) : columns.add(each, kColumn));
    if (!is_bound) return refuse_view(fmt::format("has elements only if {}", to_string(each)));
  }
  if (!rows.begins.empty() || !columns.begins.empty()) {
    return refuse_view("begins outside of its tensor");
  }
  HEDDLE_TRY(const Int first, instantiate(address, {{kRow, 0}, {kColumn, 0}}));
  Matrix matrix{
      {found.location.buffer, first}, *row, *column, shape[0], shape[1], {shape[0]}, {shape[1]}};
  for (const Int& end : rows.ends) matrix.row_ends.push_back(end);
  for (const Int& end : columns.ends) matrix.column_ends.push_back(end);
  matrix.rows = rows.end_up_to(shape[0]);
  matrix.columns = columns.end_up_to(shape[1]);
  return matrix;
}

/// A matrix that tiles read as it is: of their type, small, all of it there.
std::optional<Lowerer::Matrix> Lowerer::small_matrix(const View& view, DType type,
                                                     const Team& team) const {
  const auto shape = shape_of({view});
  const auto held = type_of({view});
  auto matrix = matrix_of(view, team);
  if (!matrix || *held != type) return std::nullopt;
  const auto is_whole = [](const Int& there, const Int& extent) {
    return extent.is_constant() && known_equal(there, extent);
  };
  if (!is_whole(matrix->rows, (*shape)[0]) || !is_whole(matrix->columns, (*shape)[1])) {
    return std::nullopt;
  }
  const Int bytes = matrix->rows * matrix->columns * (bits(type) / 8);
  if (!bytes.is_constant() || bytes.value() > kSmallBytes) return std::nullopt;
  return *std::move(matrix);
}

/// A loop over pieces; one that is done once is none.
Result<void> Lowerer::pieces(std::string_view name, const Int& count,
                             const std::function<Result<void>(const Int&)>& fill) {
  if (known_equal(count, 1)) return fill(0);
  const std::string counter = fresh(name);
  HEDDLE_TRY(ThreadBlock body, nested([&] { return fill(index_variable(counter, count)); }));
  ThreadLoop loop{counter, count, std::move(body)};
  loop.is_vector = true;
  add(std::move(loop));
  return {};
}

/// Copies a block into panels of `side` rows (or columns), the elements of each step side by side;
/// what is outside reads as 0, what is beyond the ends is left as it is.
Result<void> Lowerer::pack(const View& view, DType type, const Panels& panels, const Team& team) {
  const auto element = [&](const Int& panel, const Int& k, const Int& along) -> Result<void> {
    const Int index = panels.first + panel * panels.side + along;
    const Int step = panels.first_step + k;
    const std::vector<Int> point =
        panels.is_rows ? std::vector{index, step} : std::vector{step, index};
    HEDDLE_TRY(Computation value, compute({view}, point, team));
    const Int place = (panel * panels.steps + k) * panels.side + along;
    std::vector<Condition> conditions;
    for (const Int& end : panels.ends) conditions.push_back({index, Predicate::kLess, end});
    return guarded(std::move(conditions), [&]() -> Result<void> {
      Computation held{Computation::Convert{type}, type, {std::move(value)}};
      add(StoreElement{
          {panels.buffer, panels.origin + place},
          held.operands.front().type == type ? std::move(held.operands.front()) : std::move(held)});
      return {};
    });
  };
  Int there = panels.ends.front();
  for (const Int& end : panels.ends) there = min(there, end);
  const Int count = min(panels.count, ceil_div(there - panels.first, panels.side));
  const Int depth = min(panels.steps, panels.all_steps - panels.first_step);
  return pieces("panel", count, [&](const Int& panel) {
    return pieces("k", depth, [&](const Int& k) {
      return pieces("along", panels.side,
                    [&](const Int& along) { return element(panel, k, along); });
    });
  });
}

Result<void> Lowerer::gemm_in_tiles(const View& a, const View& b, const Matrix& c, DType type,
                                    const Team& team) {
  HEDDLE_TRY(const std::vector<Int> a_shape, shape_of({a}));
  const Int& depth = a_shape[1];
  const std::int64_t bytes = bits(type) / 8;
  HEDDLE_TRY(const std::vector<Int> b_shape, shape_of({b}));
  const std::array<Int, 3> extents = {a_shape[0], b_shape[1], depth};
  const Options& said = std::get<Call>(statement_->node).schedule_options;
  HEDDLE_TRY(const GemmBlocks blocks, gemm_blocks(said, options_.machine, bytes, extents));
  const std::int64_t height = blocks.tile.rows;
  const std::int64_t side = blocks.tile.columns;
  const std::int64_t steps = block_extent(depth, blocks.kc, 1);
  const std::int64_t block_rows = block_extent(a_shape[0], blocks.mc, height);
  const std::int64_t block_columns = block_extent(b_shape[1], blocks.nc, side);
  const bool is_one_block = known_at_most(depth, steps);
  const auto small_a = is_one_block ? small_matrix(a, type, team) : std::nullopt;
  auto small_b = is_one_block ? small_matrix(b, type, team) : std::nullopt;
  const bool is_row =
      small_b && known_equal(small_b->column, 1) && known_divides(side, small_b->columns);
  if (!is_row) small_b.reset();

  const auto copied = [](bool is_small, std::int64_t rows, std::int64_t columns) {
    return is_small ? std::string("is read as it lies")
                    : fmt::format("is copied in blocks of {} x {}", rows, columns);
  };
  Choice& choice = choose("tiles");
  choice.notes.push_back({"tiles", fmt::format("{} x {}; A {}, B {}", height, side,
                                               copied(small_a.has_value(), block_rows, steps),
                                               copied(small_b.has_value(), steps, block_columns))});
  choice.options = options_of(blocks);
  if (said.empty()) note_candidates(options_.machine, bytes, extents, choice);

  std::string b_buffer;
  std::string a_buffer;
  if (!small_b) b_buffer = scratch(type, {block_columns * steps}, team).buffer;
  if (!small_a) a_buffer = scratch(type, {block_rows * steps}, team).buffer;
  const auto tiles = [&](const Int& column, const Int& step, const Int& row) -> Result<void> {
    const Int columns_left = min(block_columns, c.columns - column);
    const Int rows_left = min(block_rows, c.rows - row);
    return pieces("j", ceil_div(columns_left, side), [&](const Int& j) {
      return pieces("i", ceil_div(rows_left, height), [&](const Int& i) -> Result<void> {
        MultiplyTile tile;
        tile.type = type;
        tile.size = blocks.tile;
        tile.c = c.at(row + i * height, column + j * side);
        tile.c_row = c.row;
        tile.depth = min(steps, depth - step);
        tile.rows = min(height, c.rows - row - i * height);
        tile.columns = min(side, c.columns - column - j * side);
        tile.a = small_a ? small_a->at(row + i * height, step)
                         : Location{a_buffer, i * (height * steps)};
        tile.a_row = small_a ? small_a->row : Int(1);
        tile.a_step = small_a ? small_a->column : Int(height);
        tile.b =
            small_b ? small_b->at(step, column + j * side) : Location{b_buffer, j * (side * steps)};
        tile.b_step = small_b ? small_b->row : Int(side);
        add(std::move(tile));
        return {};
      });
    });
  };
  return pieces("columns", ceil_div(c.columns, block_columns), [&](const Int& jb) {
    return pieces("steps", ceil_div(depth, std::max<std::int64_t>(steps, 1)),
                  [&](const Int& kb) -> Result<void> {
                    const Int column = jb * block_columns;
                    const Int step = kb * steps;
                    if (!small_b) {
                      Panels panels{b_buffer,      0,    side,  steps, block_columns / side, column,
                                    c.column_ends, step, depth, false};
                      HEDDLE_CHECK(pack(b, type, panels, team));
                    }
                    return pieces(
                        "rows", ceil_div(c.rows, block_rows), [&](const Int& ib) -> Result<void> {
                          const Int row = ib * block_rows;
                          if (!small_a) {
                            Panels panels{a_buffer, 0,          height, steps, block_rows / height,
                                          row,      c.row_ends, step,   depth, true};
                            HEDDLE_CHECK(pack(a, type, panels, team));
                          }
                          return tiles(column, step, row);
                        });
                  });
  });
}

Result<bool> Lowerer::try_tiles(const View& destination, const View& a, const View& b, DType type,
                                bool is_cleared, const Team& team) {
  auto c = matrix_of(destination, team);
  if (!c || !known_equal(c->column, 1)) {
    reject("tiles of C itself",
           c ? fmt::format("the columns of {} do not lie side by side", to_string(destination))
             : c.error().message());
    return false;
  }
  if (is_cleared) {
    HEDDLE_CHECK(
        pointwise(destination, {Elementwise::Literal{Number(0.0)}, {}}, team, Number(0.0)));
  }
  HEDDLE_CHECK(in_order(team, nullptr, [&] { return gemm_in_tiles(a, b, *c, type, team); }));
  return true;
}

}  // namespace heddle::kernel

// Matrix products on a CPU: tiles of C in vector registers, from blocks of A and B that are copied
// so that tiles read them in order (K. Goto, R. van de Geijn, "Anatomy of high-performance matrix
// multiplication", 2008).
//
//   for a block of columns, for a block of K:     B into panels of columns, for the L2 cache
//     for a block of rows:                        A into panels of rows
//       for each panel of B, of A:                a tile of C += panel of A * panel of B
//
// A small operand that lies in memory as tiles read it is not copied. Of bytes four steps lie
// together, which instructions multiply and add up at once. How large tiles and blocks are is
// chosen in gemm_blocks.h.

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
/// One of at most this size stays in a second-level cache.
constexpr std::int64_t kMiddleBytes = std::int64_t{256} << 10;
/// Rows that are farther apart take the same places of this cache, when several are read at once.
constexpr std::int64_t kNearBytes = std::int64_t{2} << 10;

std::int64_t up_to_whole(std::int64_t extent, std::int64_t piece) {
  return (extent + piece - 1) / piece * piece;
}

/// The extent of blocks along a dimension, in whole pieces: `most` at most, and of blocks that are
/// about as large as each other if all of it is known.
std::int64_t block_extent(const Int& extent, std::int64_t most, std::int64_t piece) {
  const std::int64_t largest = std::max<std::int64_t>(most / piece * piece, piece);
  if (!extent.is_constant()) return largest;
  const std::int64_t count = std::max<std::int64_t>(1, (extent.value() + largest - 1) / largest);
  return std::max(piece, up_to_whole((extent.value() + count - 1) / count, piece));
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
                      : fmt::format("{}; not stated, so assumed: {}", core.name, core.assumed)});
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
  DType type = DType::kF32;
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
    return refuse_view("is not known to have evenly spaced rows and columns");
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
  Matrix matrix{{found.location.buffer, first},
                *row,
                *column,
                shape[0],
                shape[1],
                found.type,
                {shape[0]},
                {shape[1]}};
  for (const Int& end : rows.ends) matrix.row_ends.push_back(end);
  for (const Int& end : columns.ends) matrix.column_ends.push_back(end);
  matrix.rows = rows.end_up_to(shape[0]);
  matrix.columns = columns.end_up_to(shape[1]);
  return matrix;
}

/// A matrix that tiles read as it is: of their type, of at most this size, all of it there.
std::optional<Lowerer::Matrix> Lowerer::small_matrix(const View& view, DType type,
                                                     std::int64_t most_bytes,
                                                     const Team& team) const {
  const auto shape = shape_of({view});
  auto matrix = matrix_of(view, team);
  if (!matrix || matrix->type != type) return std::nullopt;
  const auto is_whole = [](const Int& there, const Int& extent) {
    return extent.is_constant() && known_equal(there, extent);
  };
  if (!is_whole(matrix->rows, (*shape)[0]) || !is_whole(matrix->columns, (*shape)[1])) {
    return std::nullopt;
  }
  const Int bytes = matrix->rows * matrix->columns * (bits(type) / 8);
  if (!bytes.is_constant() || bytes.value() > most_bytes) return std::nullopt;
  return *std::move(matrix);
}

/// A whose steps lie side by side is read by as many streams as a tile has rows, which may come
/// from the second-level cache.
std::optional<Lowerer::Matrix> Lowerer::rows_as_they_lie(const View& view, DType type,
                                                         const Team& team) const {
  auto matrix = small_matrix(view, type, kMiddleBytes, team);
  const bool has_near_rows = matrix && known_equal(matrix->column, 1) &&
                             known_at_most(matrix->row * (bits(type) / 8), kNearBytes);
  return has_near_rows ? std::move(matrix) : small_matrix(view, type, kSmallBytes, team);
}

/// A matrix that is copied by PackPanel: all steps of it there, in whole bytes.
std::optional<Lowerer::Matrix> Lowerer::packed_matrix(const View& view, bool is_rows,
                                                      const Team& team) const {
  auto matrix = matrix_of(view, team);
  if (!matrix || bits(matrix->type) < 8 || matrix->type == DType::kBool) return std::nullopt;
  const std::vector<Int> shape = shape_of({view}).value();
  if (!is_rows) {
    std::swap(matrix->row, matrix->column);
    std::swap(matrix->rows, matrix->columns);
  }
  const bool has_all_steps = known_equal(matrix->columns, shape[is_rows ? 1 : 0]);
  return has_all_steps ? *std::move(matrix) : std::optional<Matrix>();
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
  Int there = panels.ends.front();
  for (const Int& end : panels.ends) there = min(there, end);
  const Int count = min(panels.count, ceil_div(there - panels.first, panels.side));
  const Int depth = min(panels.depth * panels.together, panels.all_steps - panels.first_step);
  if (const auto matrix = packed_matrix(view, panels.is_rows, team)) {
    return pieces("panel", count, [&](const Int& panel) -> Result<void> {
      const Int first = panels.first + panel * panels.side;
      PackPanel node{{panels.buffer, panels.origin + panel * (panels.steps * panels.side)},
                     matrix->at(first, panels.first_step),
                     type,
                     matrix->type,
                     panels.side,
                     matrix->row,
                     matrix->column,
                     min(panels.side, matrix->rows - first),
                     depth,
                     panels.together,
                     panels.side};
      add(std::move(node));
      return {};
    });
  }
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
  return pieces("panel", count, [&](const Int& panel) {
    return pieces("k", depth, [&](const Int& k) {
      return pieces("along", panels.side,
                    [&](const Int& along) { return element(panel, k, along); });
    });
  });
}

/// The steps that lie together in an element of the copies: four of bytes, else one.
std::int64_t Lowerer::steps_together(const View& a, const View& b, DType type,
                                     const Team& team) const {
  const auto is_of_bytes = [&](const View& view, bool is_rows) {
    const auto matrix = packed_matrix(view, is_rows, team);
    return matrix && (matrix->type == DType::kI8 || matrix->type == DType::kU8);
  };
  return type == DType::kI32 && is_of_bytes(a, true) && is_of_bytes(b, false) ? 4 : 1;
}

/// How a product is done in tiles: their sizes, the blocks, and what is read as it lies.
struct Lowerer::TilePlan {
  DType type = DType::kF32;
  DType a_type = DType::kF32;
  DType b_type = DType::kF32;
  GemmBlocks blocks;
  /// The steps of an element of the copies, and how many such elements there are along K.
  std::int64_t together = 1;
  Int depth = 1;
  Int all_steps = 1;
  /// The extents of a block, of which the last one along K may fill less.
  std::int64_t steps = 1;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  Int block_depth = 1;
  std::optional<Matrix> small_a;
  std::optional<Matrix> small_b;
  /// The copies of what is not.
  std::string a_buffer;
  std::string b_buffer;

  [[nodiscard]] std::int64_t height() const { return blocks.tile.rows; }
  [[nodiscard]] std::int64_t side() const { return blocks.tile.columns; }
};

Result<Lowerer::TilePlan> Lowerer::plan_tiles(const View& a, const View& b, DType type,
                                              const Team& team) {
  TilePlan plan;
  plan.type = type;
  HEDDLE_TRY(const std::vector<Int> a_shape, shape_of({a}));
  HEDDLE_TRY(const std::vector<Int> b_shape, shape_of({b}));
  HEDDLE_TRY(plan.a_type, type_of({a}));
  HEDDLE_TRY(plan.b_type, type_of({b}));
  plan.together = steps_together(a, b, type, team);
  plan.all_steps = a_shape[1];
  plan.depth = ceil_div(a_shape[1], plan.together);
  const std::array<Int, 3> extents = {a_shape[0], b_shape[1], plan.depth};
  const Options& said = std::get<Call>(statement_->node).schedule_options;
  HEDDLE_TRY(plan.blocks, gemm_blocks(said, options_.machine, bits(type) / 8, extents));
  plan.steps = block_extent(plan.depth, plan.blocks.kc, 1);
  plan.rows = block_extent(a_shape[0], plan.blocks.mc, plan.height());
  plan.columns = block_extent(b_shape[1], plan.blocks.nc, plan.side());
  const bool is_one_block = known_at_most(plan.depth, plan.steps);
  // Blocks along K are about as deep as each other too.
  plan.block_depth = is_one_block ? Int(plan.steps)
                                  : ceil_div(plan.depth, max(1, ceil_div(plan.depth, plan.steps)));
  if (is_one_block) {
    plan.small_a = rows_as_they_lie(a, type, team);
    plan.small_b = small_matrix(b, type, kSmallBytes, team);
  }
  const bool is_row = plan.small_b && known_equal(plan.small_b->column, 1) &&
                      known_divides(plan.side(), plan.small_b->columns);
  if (!is_row) plan.small_b.reset();
  note_tiles(plan, extents);
  if (!plan.small_b) plan.b_buffer = scratch(type, {plan.columns * plan.steps}, team).buffer;
  if (!plan.small_a) plan.a_buffer = scratch(type, {plan.rows * plan.steps}, team).buffer;
  return plan;
}

/// Says how it is done, and what else was weighed unless it was said.
void Lowerer::note_tiles(const TilePlan& plan, const std::array<Int, 3>& extents) {
  const auto copied = [](bool is_small, std::int64_t rows, std::int64_t columns) {
    return is_small ? std::string("is read in place")
                    : fmt::format("is copied in blocks of {} x {}", rows, columns);
  };
  const std::int64_t steps = plan.steps * plan.together;
  Choice& choice = choose("tiles");
  choice.notes.push_back(
      {"tiles", fmt::format("{} x {}; A {}, B {}", plan.height(), plan.side(),
                            copied(plan.small_a.has_value(), plan.rows, steps),
                            copied(plan.small_b.has_value(), steps, plan.columns))});
  choice.options = options_of(plan.blocks);
  if (std::get<Call>(statement_->node).schedule_options.empty()) {
    note_candidates(options_.machine, bits(plan.type) / 8, extents, choice);
  }
}

/// The tile whose first element of C is at a row and a column, in the steps of a block: the i-th of
/// the block's panels of A times the j-th of those of B.
MultiplyTile Lowerer::tile_at(const TilePlan& plan, const Matrix& c, const TilePlace& at) {
  MultiplyTile tile;
  const Int row = at.row + at.i * plan.height();
  const Int column = at.column + at.j * plan.side();
  tile.type = plan.type;
  tile.size = plan.blocks.tile;
  tile.a_type = plan.together == 1 ? plan.type : plan.a_type;
  tile.b_type = plan.together == 1 ? plan.type : plan.b_type;
  tile.c = c.at(row, column);
  tile.c_row = c.row;
  tile.depth = min(plan.block_depth, plan.depth - at.step);
  tile.rows = min(plan.height(), c.rows - row);
  tile.columns = min(plan.side(), c.columns - column);
  tile.a = plan.small_a ? plan.small_a->at(row, at.step)
                        : Location{plan.a_buffer, at.i * (plan.height() * plan.steps)};
  tile.a_row = plan.small_a ? plan.small_a->row : Int(1);
  tile.a_step = plan.small_a ? plan.small_a->column : Int(plan.height());
  tile.b = plan.small_b ? plan.small_b->at(at.step, column)
                        : Location{plan.b_buffer, at.j * (plan.side() * plan.steps)};
  tile.b_step = plan.small_b ? plan.small_b->row : Int(plan.side());
  return tile;
}

Result<void> Lowerer::gemm_in_tiles(const View& a, const View& b, const Matrix& c, DType type,
                                    bool is_cleared, const Team& team) {
  HEDDLE_TRY(const TilePlan plan, plan_tiles(a, b, type, team));
  const auto tiles = [&](const Int& column, const Int& step, const Int& row) -> Result<void> {
    const Int columns_left = min(plan.columns, c.columns - column);
    const Int rows_left = min(plan.rows, c.rows - row);
    return pieces("j", ceil_div(columns_left, plan.side()), [&](const Int& j) {
      return pieces("i", ceil_div(rows_left, plan.height()), [&](const Int& i) -> Result<void> {
        MultiplyTile tile = tile_at(plan, c, {row, column, step, i, j});
        // The first step is 0.
        if (is_cleared) tile.adds = step;
        add(std::move(tile));
        return {};
      });
    });
  };
  const auto panels_of = [&](const std::string& buffer, std::int64_t side, std::int64_t extent,
                             const Int& first, const std::vector<Int>& ends, const Int& step,
                             bool is_rows) {
    return Panels{buffer,        0,     side, plan.steps,           plan.block_depth, extent / side,
                  plan.together, first, ends, step * plan.together, plan.all_steps,   is_rows};
  };
  return pieces("columns", ceil_div(c.columns, plan.columns), [&](const Int& jb) {
    return pieces("steps", ceil_div(plan.depth, plan.steps), [&](const Int& kb) -> Result<void> {
      const Int column = jb * plan.columns;
      const Int step = kb * plan.block_depth;
      if (!plan.small_b) {
        HEDDLE_CHECK(pack(
            b, type,
            panels_of(plan.b_buffer, plan.side(), plan.columns, column, c.column_ends, step, false),
            team));
      }
      return pieces("rows", ceil_div(c.rows, plan.rows), [&](const Int& ib) -> Result<void> {
        const Int row = ib * plan.rows;
        if (!plan.small_a) {
          HEDDLE_CHECK(
              pack(a, type,
                   panels_of(plan.a_buffer, plan.height(), plan.rows, row, c.row_ends, step, true),
                   team));
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
           c ? fmt::format("the columns of {} are not contiguous", to_string(destination))
             : c.error().message());
    return false;
  }
  HEDDLE_TRY(const std::vector<Int> a_shape, shape_of({a}));
  const bool has_steps = known_at_most(1, a_shape[1]);
  if (is_cleared && !has_steps) {
    HEDDLE_CHECK(
        pointwise(destination, {Elementwise::Literal{Number(0.0)}, {}}, team, Number(0.0)));
  }
  HEDDLE_CHECK(in_order(
      team, nullptr, [&] { return gemm_in_tiles(a, b, *c, type, is_cleared && has_steps, team); }));
  return true;
}

}  // namespace heddle::kernel

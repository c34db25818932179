// Matrix products by fused multiply-adds: each thread has a block of rows times columns of C in
// registers, and reads a column of A and a row of B for each step along K.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

/// A factor in the type of the sums: integers are multiplied by integers.
Elementwise number(double value, DType type) {
  const Number factor = is_float(type) ? Number(value) : Number(static_cast<std::int64_t>(value));
  return {Elementwise::Literal{factor}, {}};
}

Elementwise times(Elementwise a, Elementwise b) {
  return {Elementwise::Apply{Function::kMultiply}, {std::move(a), std::move(b)}};
}

Elementwise plus(Elementwise a, Elementwise b) {
  return {Elementwise::Apply{Function::kAdd}, {std::move(a), std::move(b)}};
}

double option(const Call& node, const char* name, double otherwise) {
  const auto found = node.options.find(name);
  return found == node.options.end() ? otherwise : std::get<double>(found->second);
}

/// The register digits of one dimension of C.
std::vector<SpreadDigit> digits_along(const Spread& spread, std::size_t dimension) {
  std::vector<SpreadDigit> digits = register_digits(spread);
  std::erase_if(digits, [&](const SpreadDigit& digit) { return digit.dimension != dimension; });
  return digits;
}

/// The counters of both dimensions in the order of the spread's digits.
std::vector<Int> merged(const Spread& spread, const std::vector<Int>& rows,
                        const std::vector<Int>& columns) {
  std::vector<Int> counters;
  std::size_t row = 0;
  std::size_t column = 0;
  for (const SpreadDigit& digit : register_digits(spread)) {
    counters.push_back(digit.dimension == 0 ? rows[row++] : columns[column++]);
  }
  return counters;
}

/// The number of a row among those of a thread.
Int place_in(const std::vector<SpreadDigit>& digits, const std::vector<Int>& counters) {
  Int place = 0;
  Int stride = 1;
  for (std::size_t i = 0; i != digits.size(); ++i) {
    place += counters[i] * stride;
    stride *= digits[i].extent;
  }
  return place;
}

Int count(const std::vector<SpreadDigit>& digits) {
  Int product = 1;
  for (const SpreadDigit& digit : digits) product *= digit.extent;
  return product;
}

/// The sum if a register says so, else what was there before.
Computation where_kept(const Location& is_kept, Computation sum, Computation before) {
  Computation flag{Computation::Load{is_kept, {}, {}}, DType::kI32, {}};
  Computation zero{Computation::Literal{Number(std::int64_t{0})}, DType::kI32, {}};
  Computation is_none{Computation::Apply{Function::kEqual, DType::kI32},
                      DType::kBool,
                      {std::move(flag), std::move(zero)}};
  const DType type = sum.type;
  return {Computation::Apply{Function::kSelect, type},
          type,
          {std::move(is_none), std::move(before), std::move(sum)}};
}

/// The types of sums that tiles have.
bool is_tile_type(DType type) {
  return type == DType::kF32 || type == DType::kF64 || type == DType::kI32;
}

}  // namespace

Result<View> Lowerer::in_memory(const View& view, const Team& team) {
  if (team.threads == 1 || !find(view.tensor)->spread) return view;
  return exchanged(view, team);
}

/// The matrix instruction that does the product, if there is one; why not, where it is forced.
Result<std::optional<MatrixInstruction>> Lowerer::by_matrix_instruction(
    const Call& node, const std::vector<Int>& shape, const Team& team) {
  if (!options_.has_matrix_loads || node.schedule == "fma") return std::nullopt;
  const View& destination = std::get<View>(node.operands[0].node);
  const std::optional<Spread>& held = find(destination.tensor)->spread;
  std::string reason;
  if (team.is_alone || team.threads % kWarpThreads != 0) {
    reason = fmt::format("it is for whole warps, and {} threads do this together",
                         team.is_alone ? 1 : team.threads);
  } else if (held && !destination.steps.empty()) {
    reason = "C is a part of a tensor in registers";
  } else {
    auto found = matrix_instruction(node, shape, held, team.threads);
    if (found) return *std::move(found);
    reason = found.error().message();
  }
  if (node.schedule == "mma") {
    return refuse("kernel.schedule",
                  fmt::format("{} cannot be done by mma: {}", to_string(*statement_), reason));
  }
  reject("mma", std::move(reason));
  return std::nullopt;
}

/// sums += a * b, each thread what it has of the sums in registers.
Result<void> Lowerer::by_fma(const ProductViews& views, const Team& team) {
  const Placed held = *find(views.sums.tensor);
  const Spread& spread = *held.spread;
  const std::vector<Int>& shape = held.tensor.shape;
  const DType type = held.tensor.type;
  HEDDLE_TRY(const std::vector<Int> b_shape, shape_of({views.b}));
  const std::vector<SpreadDigit> rows = digits_along(spread, 0);
  const std::vector<SpreadDigit> columns = digits_along(spread, 1);
  const std::string a_part = temporary("a", type, count(rows));
  const std::string b_part = temporary("b", type, count(columns));
  // Of a sparse A, whether a row has anything at a step.
  const std::string kept = views.index ? temporary("kept", DType::kI32, count(rows)) : "";
  const auto load_part = [&](std::size_t dimension, const Int& k,
                             const std::vector<SpreadDigit>& digits) -> Result<void> {
    std::vector<Int> counters;
    return loops(digits, counters, [&]() -> Result<void> {
      const std::vector<Int> zeros(digits_along(spread, 1 - dimension).size(), Int(0));
      const std::vector<Int> all =
          dimension == 0 ? merged(spread, counters, zeros) : merged(spread, zeros, counters);
      const Int index = coordinate_at(spread, team.rank, all)[dimension];
      std::vector<Condition> inside = {{index, Predicate::kLess, shape[dimension]}};
      std::erase_if(inside, known);
      const Int place = place_in(digits, counters);
      if (dimension == 0 && views.index) {
        HEDDLE_TRY(KeptElement element, kept_element(views, index, k, inside, team));
        add(StoreElement{{a_part, place}, std::move(element.value)});
        add(StoreElement{{kept, place}, std::move(element.is_kept)});
        return {};
      }
      const std::vector<Int> point = dimension == 0 ? std::vector{index, k} : std::vector{k, index};
      HEDDLE_TRY(Computation value,
                 element_inside(dimension == 0 ? views.a : views.b, point, inside, team));
      add(StoreElement{{dimension == 0 ? a_part : b_part, place}, std::move(value)});
      return {};
    });
  };
  const std::string k_name = fresh("k");
  const Int k = index_variable(k_name, b_shape[0]);
  HEDDLE_TRY(ThreadBlock body, nested([&]() -> Result<void> {
               HEDDLE_CHECK(load_part(0, k, rows));
               HEDDLE_CHECK(load_part(1, k, columns));
               std::vector<Int> row;
               return loops(rows, row, [&]() -> Result<void> {
                 std::vector<Int> column;
                 return loops(columns, column, [&]() -> Result<void> {
                   const Location to{held.buffer, register_at(spread, merged(spread, row, column))};
                   const auto loaded = [&](const Location& from) {
                     return Computation{Computation::Load{from, {}, {}}, type, {}};
                   };
                   Computation sum{Computation::Apply{Function::kFma, type},
                                   type,
                                   {loaded({a_part, place_in(rows, row)}),
                                    loaded({b_part, place_in(columns, column)}), loaded(to)}};
                   if (views.index) {
                     const Location is_kept{kept, place_in(rows, row)};
                     sum = where_kept(is_kept, std::move(sum), loaded(to));
                   }
                   add(StoreElement{to, std::move(sum)});
                   return {};
                 });
               });
             }));
  const auto add_up = [&]() -> Result<void> {
    add(ThreadLoop{k_name, b_shape[0], std::move(body), false});
    return {};
  };
  return in_order(team, nullptr, [&] { return by_members(team, add_up); });
}

Result<void> Lowerer::gemm(const Call& node, const Team& team) {
  const bool is_sparse = node.operation == "gemm_sparse";
  HEDDLE_CHECK(check_forced(node));
  const View destination = std::get<View>(node.operands[0].node);
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  HEDDLE_TRY(const auto matrix, by_matrix_instruction(node, shape, team));
  View a = std::get<View>(node.operands[1].node);
  View b = std::get<View>(node.operands[2].node);
  std::optional<View> index;
  if (is_sparse) index = std::get<View>(node.operands[3].node);
  // A matrix instruction takes registers as they are.
  if (!matrix) {
    HEDDLE_TRY(a, in_memory(a, team));
    HEDDLE_TRY(b, in_memory(b, team));
    if (index) {
      HEDDLE_TRY(index, in_memory(*index, team));
    }
  }
  HEDDLE_TRY(const DType a_type, type_of({a}));
  HEDDLE_TRY(const DType b_type, type_of({b}));
  HEDDLE_TRY(const DType c_type, type_of({destination}));
  const DType type =
      common_type(common_type(computed_in(a_type), computed_in(b_type)), computed_in(c_type));
  const double alpha = option(node, "alpha", 1);
  const auto accum = node.options.find("accum");
  const bool accumulates = accum == node.options.end() || std::get<bool>(accum->second);
  const double beta = option(node, "beta", accumulates ? 1 : 0);
  const bool has_tiles = options_.has_one_worker && !team.is_alone && team.unit == 0 &&
                         node.schedule != "fma" && is_tile_type(type) && !is_sparse;
  const bool is_sum = alpha == 1 && (beta == 0 || beta == 1) && c_type == type &&
                      a.tensor != destination.tensor && b.tensor != destination.tensor;
  if (node.schedule == "tiles" && !has_tiles) {
    return refuse("kernel.schedule",
                  fmt::format("{} cannot be done by tiles: {}", to_string(*statement_),
                              is_tile_type(type)
                                  ? "each thread, or each warp, does it on its own"
                                  : fmt::format("its sums are of {}, and those of tiles of f32, "
                                                "f64 or i32",
                                                name_of(type))));
  }
  if (has_tiles && is_sum) {
    HEDDLE_TRY(const bool is_done, try_tiles(destination, a, b, type, beta == 0, team));
    if (is_done) return {};
  }
  for (const Int& extent : shape) {
    if (extent.is_constant()) continue;
    return refuse(
        Diagnostic("kernel.not_lowered",
                   fmt::format("{}: C has the shape {}, of which a thread cannot have a "
                               "constant part in registers",
                               to_string(*statement_), shape_text(shape)))
            .with_hint("a tile of C for each block: gemm(C[64*bx : +64, 64*by : +64], A[64*bx : "
                       "+64, :], B[:, 64*by : +64])"));
  }

  // Without factors what C holds already is added to, if it is held as the sums are.
  const Placed placed = *find(destination.tensor);
  const bool is_apart = a.tensor != destination.tensor && b.tensor != destination.tensor;
  const bool is_direct = is_apart && placed.spread && destination.steps.empty() && alpha == 1 &&
                         beta == 1 && computed_in(c_type) == c_type && c_type == type;
  Spread spread =
      matrix ? *warp_tiling(shape, team.threads, *matrix) : block_spread(shape, team.threads);
  if (placed.spread && destination.steps.empty()) spread = *placed.spread;
  if (!has_tiles && !matrix) choose("fma").notes.push_back({"spread", to_string(spread)});
  View product = destination;
  if (!is_direct) {
    product = held("product", type, shape, spread);
    HEDDLE_CHECK(pointwise(product, number(0, type), team, Number(0.0)));
  }

  const auto finish = [&]() -> Result<void> {
    if (is_direct) return {};
    Elementwise result{product};
    if (alpha != 1) result = times(number(alpha, type), std::move(result));
    if (beta == 1) result = plus(std::move(result), {destination});
    if (beta != 0 && beta != 1)
      result = plus(std::move(result), times(number(beta, type), {destination}));
    return pointwise(destination, result, team, Number(0.0));
  };
  const ProductViews views{product, a, b, index};
  if (matrix) {
    HEDDLE_CHECK(by_matrices(views, *matrix, team));
    return finish();
  }
  if (has_tiles) {
    HEDDLE_TRY(const bool is_done, try_tiles(product, a, b, type, false, team));
    if (is_done) return finish();
    choose("fma").notes.push_back({"spread", to_string(spread)});
  }
  HEDDLE_CHECK(by_fma(views, team));
  return finish();
}

}  // namespace heddle::kernel

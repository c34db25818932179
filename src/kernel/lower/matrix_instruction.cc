#include "kernel/lower/matrix_instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "heddle/axe/layout.h"
#include "heddle/expr/proof.h"
#include "heddle/form/element_type.h"
#include "heddle/form/instruction.h"
#include "heddle/machine/instruction_layout.h"
#include "kernel/lower/atom.h"
#include "kernel/sparse.h"

namespace heddle::kernel {

namespace {

std::string_view ptx_name(DType type) { return form::ptx_name(name_of(type)); }

bool has_type(const form::Instruction& instruction, std::string_view operand, DType type) {
  const form::InstructionOperand* found = instruction.operand(operand);
  return found != nullptr && found->bits == bits(type) && found->slot_bits == found->bits &&
         form::is_of_type(*found, name_of(type));
}

/// A by rows and B by columns, with sums that wrap or round as those of kernels do.
bool is_plain(const form::InstructionListing& listing) {
  const std::string_view name = listing.name;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return listing.lanes == kWarpThreads && !has("SATURATE") && !has("satfinite") &&
         (name.ends_with("_TN") || has("mma.sync.aligned") || has("mma.sp.sync.aligned")) &&
         !has("SPARSE");
}

/// A change of a layout before it is read.
using Adapt = std::function<axe::Layout(const axe::Layout&)>;

std::optional<Spread> operand_spread(const form::Instruction& instruction, std::string_view operand,
                                     std::int64_t rows, std::int64_t columns,
                                     const Adapt& adapt = {}) {
  auto layout = machine::instruction_layout(instruction.name, operand,
                                            {.machine = instruction.machine}, map::System::kAxe);
  if (!layout) return std::nullopt;
  if (adapt) *layout = adapt(std::get<axe::Layout>(*layout));
  auto spread = spread_of(
      {std::string(operand), DType::kF32, {rows, columns}, Space::kRegister, *std::move(layout)},
      kWarpThreads);
  return spread ? std::optional(*std::move(spread)) : std::nullopt;
}

/// Of a sparse A the catalogue says where spans along K are, with copies for their kept elements.
axe::Layout kept_of_spans(const axe::Layout& spans) {
  std::vector<axe::Iter> iters(spans.shard().begin(), spans.shard().end());
  iters.insert(iters.end(), spans.replica().begin(), spans.replica().end());
  return *axe::Layout::make(std::move(iters));
}

/// Of an index it says where the bits of each element along K are: codes are of `group` elements.
/// All lanes that the selector may name hold the same.
axe::Layout codes_of_elements(const axe::Layout& elements, std::int64_t group) {
  std::vector<axe::Iter> iters(elements.shard().begin(), elements.shard().end());
  for (std::size_t i = 0; i != iters.size(); ++i) {
    const bool is_last = i + 1 == iters.size();
    if (is_last) iters[i].extent = floor_div(iters[i].extent, group);
    if (!is_last && iters[i].axis == Axis::memory()) {
      iters[i].stride = floor_div(iters[i].stride, group);
    }
  }
  return *axe::Layout::make(std::move(iters));
}

std::optional<MatrixInstruction> matrix_instruction(const form::Instruction& found, DType a,
                                                    DType b, DType c) {
  const auto& [m, n, k] = found.shape;
  const bool is_sparse = found.operand("E") != nullptr;
  auto spread_a = is_sparse ? operand_spread(found, "A", m, k / 2, kept_of_spans)
                            : operand_spread(found, "A", m, k);
  auto spread_b = operand_spread(found, "B", k, n);
  auto spread_c = operand_spread(found, "C", m, n);
  if (!spread_a || !spread_b || !spread_c) return std::nullopt;
  MatrixInstruction made{found.name,
                         fmt::format("mma_{}m{}n{}k{}_{}_{}_{}_{}", is_sparse ? "sp_" : "", m, n, k,
                                     ptx_name(c), ptx_name(a), ptx_name(b), ptx_name(c)),
                         m,
                         n,
                         k,
                         *std::move(spread_a),
                         *std::move(spread_b),
                         *std::move(spread_c)};
  if (!is_sparse) return made;
  const std::int64_t group = sparse_group(a).elements;
  made.index = operand_spread(found, "E", m, k / group, [&](const axe::Layout& elements) {
    return codes_of_elements(elements, group);
  });
  return made.index ? std::optional(std::move(made)) : std::nullopt;
}

/// The instruction's own digits of one operand, then those of `sums` along the dimension that it
/// has in common with C, in the order of C's registers.
Spread operand_of(const Spread& sums, const Spread& atom_of_c, const Spread& atom,
                  std::size_t dimension) {
  const Spread boxes = *divided(sums, atom_of_c);
  Spread result{atom.shape, sums.threads, atom.registers, atom.digits};
  result.shape[dimension] = sums.shape[dimension];
  std::vector<SpreadDigit> outer = boxes.digits;
  std::erase_if(outer, [&](const SpreadDigit& digit) { return digit.dimension != dimension; });
  std::ranges::sort(outer, {}, [](const SpreadDigit& digit) { return digit.step.value(); });
  for (SpreadDigit& digit : outer) {
    if (known_equal(digit.extent, 1)) continue;
    if (!digit.is_thread) {
      digit.stride = result.registers.value();
      result.registers *= digit.extent;
    }
    result.digits.push_back(digit);
  }
  return result;
}

/// The matrices of a load, by the dimension along which the first digit of their number counts, and
/// the second one.
struct MatrixOrder {
  std::int64_t count;
  std::vector<std::size_t> along;
};

InstructionOperand load_operand(const char* name, std::int64_t bits,
                                std::vector<std::int64_t> shape, Space space,
                                std::array<std::vector<axe::Iter>, 2> iters) {
  std::vector<axe::Iter> all = std::move(iters[0]);
  all.insert(all.end(), iters[1].begin(), iters[1].end());
  return {name,  std::nullopt,
          bits,  std::move(shape),
          space, map::AnyLayout(*axe::Layout::make(std::move(all)))};
}

/// `across` is the dimension along which the rows of registers follow each other: a lane has
/// elements of one place there, and neighbours along the other one.
Instruction matrix_load(std::int64_t bits, const MatrixOrder& order, std::size_t across,
                        bool is_transposed) {
  const std::int64_t row = 128 / bits;
  const std::int64_t side = 32 / bits;
  const Axis lane("laneid");
  const std::size_t along = 1 - across;
  const std::size_t row_dimension = is_transposed ? along : across;
  std::array<std::vector<axe::Iter>, 2> held;
  std::array<std::vector<axe::Iter>, 2> read;
  std::array<std::int64_t, 2> shape{};
  shape[across] = 8;
  shape[along] = row;
  held[across] = {axe::Iter{8, 4, lane}};
  held[along] = {axe::Iter{4, 1, lane}};
  if (side != 1) held[along].push_back({side, 1});
  read[row_dimension] = {axe::Iter{8, 1, lane}};
  read[1 - row_dimension] = {axe::Iter{row, 1}};
  std::int64_t number = 1;
  for (const std::size_t d : order.along) {
    held[d].insert(held[d].begin(), axe::Iter{2, number * side});
    read[d].insert(read[d].begin(), axe::Iter{2, number * 8, lane});
    shape[d] *= 2;
    number *= 2;
  }
  std::string name = fmt::format("ldmatrix{}_x{}", is_transposed ? "_trans" : "", order.count);
  Instruction instruction{std::move(name), "copy", {}, kWarpThreads, 16, {}};
  const std::vector<std::int64_t> extents = {shape[0], shape[1]};
  instruction.operands = {load_operand("D", bits, extents, Space::kRegister, std::move(held)),
                          load_operand("S", bits, extents, Space::kShared, std::move(read))};
  return instruction;
}

}  // namespace

std::vector<MatrixInstruction> matrix_instructions(const form::Machine& machine, DType a, DType b,
                                                   DType c, bool is_sparse) {
  std::vector<MatrixInstruction> found;
  for (const form::InstructionListing* listing : form::listings_on(machine)) {
    if (!is_plain(*listing)) continue;
    const form::Instruction instruction = listing->make();
    if ((instruction.operand("E") != nullptr) != is_sparse || !has_type(instruction, "A", a) ||
        !has_type(instruction, "B", b) || !has_type(instruction, "C", c) ||
        !has_type(instruction, "D", c)) {
      continue;
    }
    if (auto matrix = matrix_instruction(instruction, a, b, c)) found.push_back(*std::move(matrix));
  }
  std::ranges::stable_sort(found, std::ranges::greater(),
                           [](const MatrixInstruction& each) { return each.m * each.n * each.k; });
  return found;
}

std::optional<Spread> warp_tiling(const std::vector<Int>& shape, std::int64_t threads,
                                  const MatrixInstruction& instruction) {
  if (shape.size() != 2 || !shape[0].is_constant() || !shape[1].is_constant() ||
      threads % kWarpThreads != 0) {
    return std::nullopt;
  }
  const std::int64_t warps = threads / kWarpThreads;
  std::optional<std::array<std::int64_t, 2>> best;
  const auto operands = [&](const std::array<std::int64_t, 2>& grid) {
    return shape[0].value() / grid[0] + shape[1].value() / grid[1];
  };
  for (std::int64_t rows = 1; rows <= warps; ++rows) {
    const std::array<std::int64_t, 2> grid = {rows, warps / rows};
    if (warps % rows != 0 || shape[0].value() % (grid[0] * instruction.m) != 0 ||
        shape[1].value() % (grid[1] * instruction.n) != 0) {
      continue;
    }
    if (!best || operands(grid) < operands(*best)) best = grid;
  }
  if (!best) return std::nullopt;
  Spread spread = instruction.c;
  spread.shape = shape;
  spread.threads = threads;
  std::int64_t thread_stride = kWarpThreads;
  const std::array<std::int64_t, 2> atom = {instruction.m, instruction.n};
  // Registers first along N, as the sums of a row of instructions.
  for (const std::size_t d : {std::size_t{1}, std::size_t{0}}) {
    const std::int64_t along = shape[d].value() / (*best)[d] / atom[d];
    if (along != 1) {
      spread.digits.push_back({d, along, atom[d], false, spread.registers.value()});
    }
    spread.registers *= along;
  }
  for (const std::size_t d : {std::size_t{0}, std::size_t{1}}) {
    if ((*best)[d] != 1) {
      spread.digits.push_back({d, (*best)[d], shape[d].value() / (*best)[d], true, thread_stride});
    }
    thread_stride *= (*best)[d];
  }
  return spread;
}

Spread a_spread(const Spread& sums, const MatrixInstruction& instruction) {
  return operand_of(sums, instruction.c, instruction.a, 0);
}

Spread b_spread(const Spread& sums, const MatrixInstruction& instruction) {
  return operand_of(sums, instruction.c, instruction.b, 1);
}

Spread index_spread(const Spread& sums, const MatrixInstruction& instruction) {
  return operand_of(sums, instruction.c, *instruction.index, 0);
}

Spread of_pairs(Spread spread, std::size_t dimension) {
  spread.shape[dimension] = floor_div(spread.shape[dimension], 2);
  spread.registers = floor_div(spread.registers, 2);
  for (SpreadDigit& digit : spread.digits) {
    const bool is_pair = digit.dimension == dimension && known_equal(digit.step, 1);
    if (is_pair) digit.extent = floor_div(digit.extent, 2);
    if (!is_pair && digit.dimension == dimension) digit.step = floor_div(digit.step, 2);
    if (!is_pair && !digit.is_thread) digit.stride /= 2;
  }
  return spread;
}

std::vector<Instruction> matrix_loads(std::int64_t bits) {
  const std::array<MatrixOrder, 7> orders = {
      {{4, {0, 1}}, {4, {1, 0}}, {4, {0, 0}}, {4, {1, 1}}, {2, {0}}, {2, {1}}, {1, {}}}};
  std::vector<Instruction> loads;
  for (const MatrixOrder& order : orders) {
    for (const std::size_t across : {std::size_t{0}, std::size_t{1}}) {
      loads.push_back(matrix_load(bits, order, across, false));
      // Elements of 16 bits are the ones that are transposed.
      if (bits == 16) loads.push_back(matrix_load(bits, order, across, true));
    }
  }
  return loads;
}

}  // namespace heddle::kernel

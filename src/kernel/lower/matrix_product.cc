// Matrix products by the matrix instructions of warps.
//
//   gemm(acc, As, Bs)      acc: f32[128,128] by 4 warps, As: f16[128,32], Bs: f16[32,128]
//
//     a = As[:, 0 : +16]                           8 registers of 16 rows, 4 times: ldmatrix_x4
//     b = Bs[0 : +16, :]                           4 registers of 8 columns, 8 times: ldmatrix_x4
//     a_1, b_1 = those of 16 : +16
//     for (m = 0; m < 4; ++m) for (n = 0; n < 8; ++n)
//       acc[m, n] += a[m] * b[n]                   mma_m16n8k16
//     the same with a_1 and b_1
//
// The spread of C is proved to be warps (x) instruction; that of A and of B follows from it, so
// that each warp has what it multiplies, and they are copied as any register tensors are. Elements
// of 4 bits are in registers in pairs, as bytes: those of bytes in memory are copied as these, and
// others one by one, a byte for each, which are then put together.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/atom.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

/// More steps along K than these are a loop.
constexpr std::int64_t kMostWritten = 8;
/// As PTX has them.
constexpr std::array<std::string_view, 3> kOperandNames = {"A", "B", "E"};

Refusal refuse_matrix(std::string reason) { return refuse("kernel.schedule", std::move(reason)); }

/// Steps of K, all of the other dimension.
View part_along_k(const View& view, std::size_t dimension, const Int& begin, std::int64_t steps) {
  const Subscript part{Subscript::Kind::kRange, begin, steps};
  View result = view;
  result.steps.emplace_back(dimension == 0 ? Sliced{{part, {}}} : Sliced{{{}, part}});
  return result;
}

/// The counters along one dimension of C, times the registers of an operand of each step there.
Int registers_along(const std::vector<SpreadDigit>& boxes, const std::vector<Int>& counters,
                    std::size_t dimension, std::int64_t registers) {
  Int number = 0;
  Int stride = registers;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i != boxes.size(); ++i) {
    if (boxes[i].dimension == dimension) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return boxes[i].step.value(); });
  for (const std::size_t i : order) {
    number += counters[i] * stride;
    stride *= boxes[i].extent;
  }
  return number;
}

InstructionOperand registers_of(std::string_view name, DType type, std::int64_t registers) {
  return {std::string(name), type, bits(type), {registers}, Space::kRegister, {}};
}

/// Halves what a slice takes of the dimension of pairs; where that is behind it, or nullopt if it
/// takes halves of pairs.
std::optional<std::size_t> halve(Sliced& slice, std::size_t pairs) {
  std::size_t read = 0;
  std::size_t made = 0;
  for (Subscript& part : slice.subscripts) {
    const bool is_of_pairs = part.kind != Subscript::Kind::kNew && read++ == pairs;
    if (is_of_pairs && part.kind == Subscript::Kind::kWhole) return made;
    if (is_of_pairs) {
      const bool is_whole = part.kind == Subscript::Kind::kRange && known_divides(2, part.begin) &&
                            known_divides(2, part.extent);
      if (!is_whole) return std::nullopt;
      part.begin = floor_div(part.begin, 2);
      part.extent = floor_div(part.extent, 2);
      return made;
    }
    if (part.kind != Subscript::Kind::kIndex) ++made;
  }
  return pairs - read + made;
}

/// The bytes of which the view reads pairs of elements along a dimension; nullopt if they are no
/// whole bytes of a tensor of these.
std::optional<View> in_bytes(const View& view, const Tensor& tensor, std::size_t dimension) {
  const bool is_of_bytes = bits(tensor.type) == 8 && !view.steps.empty() &&
                           std::holds_alternative<Recast>(view.steps.front());
  if (!is_of_bytes) return std::nullopt;
  View bytes{view.tensor, {view.steps.begin() + 1, view.steps.end()}};
  std::optional<std::size_t> pairs = tensor.shape.size() - 1;
  for (View::Step& step : bytes.steps) {
    if (auto* slice = std::get_if<Sliced>(&step)) {
      pairs = halve(*slice, *pairs);
    } else if (const auto* permuted = std::get_if<Permuted>(&step)) {
      const auto at = std::ranges::find(permuted->order, *pairs);
      pairs = static_cast<std::size_t>(at - permuted->order.begin());
    } else {
      pairs = std::nullopt;
    }
    if (!pairs) return std::nullopt;
  }
  return *pairs == dimension ? std::optional(std::move(bytes)) : std::nullopt;
}

/// By what a copy is done, and why not by ldmatrix.
std::string way_of(const Choice& copy) {
  std::string text = copy.candidates.front().schedule;
  for (const Candidate& other : copy.candidates) {
    if (!other.reason.empty() && other.schedule == "ldmatrix") {
      text += fmt::format("; not {}: {}", other.schedule, other.reason);
    }
  }
  return text;
}

}  // namespace

/// The type of the elements of an operand, which need not be in sight yet.
std::optional<DType> Lowerer::declared_type(const Elementwise& operand) const {
  const auto* view = std::get_if<View>(&operand.node);
  if (view == nullptr) return std::nullopt;
  std::optional<DType> type;
  for (const View::Step& step : view->steps) {
    if (const auto* recast = std::get_if<Recast>(&step)) type = recast->type;
  }
  if (type) return type;
  if (const Placed* placed = find(view->tensor)) return placed->tensor.type;
  for (const Block* block : blocks_) {
    for_each_statement(*block, [&](const Statement& statement) {
      const auto* declared = std::get_if<Declaration>(&statement.node);
      if (declared != nullptr && declared->tensor.name == view->tensor) {
        type = declared->tensor.type;
      }
    });
  }
  return type;
}

Result<MatrixInstruction> Lowerer::matrix_instruction(const Call& node,
                                                      const std::vector<Int>& shape,
                                                      const std::optional<Spread>& sums,
                                                      std::int64_t threads) const {
  if (options_.machine == nullptr || options_.has_one_worker) {
    return refuse_matrix("the target has no matrix instructions");
  }
  const auto a = declared_type(node.operands[1]);
  const auto b = declared_type(node.operands[2]);
  const auto c = declared_type(node.operands[0]);
  if (!a || !b || !c) return refuse_matrix("its operands are not views");
  const DType sum = common_type(common_type(computed_in(*a), computed_in(*b)), computed_in(*c));
  const bool is_sparse = node.operation == "gemm_sparse";
  const std::vector<MatrixInstruction> known =
      matrix_instructions(*options_.machine, *a, *b, sum, is_sparse);
  if (known.empty()) {
    return refuse_matrix(fmt::format("{} has no instruction for {}{} times {} with sums of {}",
                                     options_.machine->name, is_sparse ? "sparse " : "",
                                     name_of(*a), name_of(*b), name_of(sum)));
  }
  std::vector<MatrixInstruction> fitting = known;
  std::erase_if(fitting, [&](const MatrixInstruction& each) {
    return sums ? !divided(*sums, each.c) : !warp_tiling(shape, threads, each);
  });
  if (fitting.empty()) {
    return refuse_matrix(
        sums ? fmt::format("C is not spread over warps as {} has it", known.front().name)
             : fmt::format("{} of C is not a whole number of {} x {} for each of {} threads",
                           shape_text(shape), known.back().m, known.back().n, threads));
  }
  // Past the end of K zeros are multiplied: another instruction may do without.
  const auto depth = shape_of(node.operands[2]);
  const auto whole = std::ranges::find_if(fitting, [&](const MatrixInstruction& each) {
    return depth && known_divides(each.k, depth->front());
  });
  return whole == fitting.end() ? fitting.front() : *whole;
}

/// How what a product adds up is spread, if it is not said.
Spread Lowerer::spread_of_sums(const Call& node, const Tensor& tensor, std::int64_t threads) const {
  const auto instruction = matrix_instruction(node, tensor.shape, std::nullopt, threads);
  return instruction ? *warp_tiling(tensor.shape, threads, *instruction)
                     : block_spread(tensor.shape, threads);
}

/// An operand of a product by matrices, and how the registers hold an instruction's steps of it.
struct Lowerer::MatrixOperand {
  std::string name;
  View view;
  /// The dimension along K, the elements there of one step, and the dimension of C that it has.
  std::size_t along = 1;
  std::int64_t steps = 1;
  std::size_t of_c = 0;
  /// The elements of a step, and how many of them one thread has of an instruction.
  Spread elements;
  std::int64_t registers = 1;
  /// How registers hold them, and of which type: elements of 4 bits are in pairs, as bytes.
  Spread spread = {};
  DType type = DType::kF32;
};

struct Lowerer::MatrixProduct {
  const MatrixInstruction& instruction;
  Placed sums;
  /// C over the instruction.
  Spread boxes;
  /// A and B, and the index of a sparse A.
  std::vector<MatrixOperand> operands;
};

/// The operand with what its registers are.
Result<Lowerer::MatrixOperand> Lowerer::matrix_operand(MatrixOperand operand) const {
  HEDDLE_TRY(operand.type, type_of({operand.view}));
  operand.spread = operand.elements;
  if (bits(operand.type) != 4) return operand;
  operand.spread = of_pairs(std::move(operand.spread), operand.along);
  operand.registers /= 2;
  const DType memory = find(operand.view.tensor)->tensor.type;
  operand.type = bits(memory) == 8 ? memory : DType::kU8;
  return operand;
}

/// The operands of a product whose sums are spread as the instruction has C.
Result<Lowerer::MatrixProduct> Lowerer::matrix_product(const ProductViews& views,
                                                       const MatrixInstruction& by) const {
  const Placed sums = *find(views.sums.tensor);
  MatrixProduct product{by, sums, *divided(*sums.spread, by.c), {}};
  const std::int64_t kept = by.index ? by.k / 2 : by.k;
  std::vector<MatrixOperand> operands = {
      {"a", views.a, 1, kept, 0, a_spread(*sums.spread, by), by.a.registers.value()},
      {"b", views.b, 0, by.k, 1, b_spread(*sums.spread, by), by.b.registers.value()}};
  if (by.index) {
    operands.push_back({"e", *views.index, 1, by.index->shape[1].value(), 0,
                        index_spread(*sums.spread, by), by.index->registers.value()});
  }
  for (MatrixOperand& operand : operands) {
    HEDDLE_TRY(product.operands.emplace_back(), matrix_operand(std::move(operand)));
  }
  return product;
}

/// Registers for a step of each operand.
std::vector<View> Lowerer::matrix_registers(const MatrixProduct& product) {
  std::vector<View> registers;
  for (const MatrixOperand& each : product.operands) {
    registers.push_back(held(each.name, each.type, each.spread.shape, each.spread));
  }
  return registers;
}

/// Elements of 4 bits, one by one, and then in pairs.
Result<void> Lowerer::load_pairs(const MatrixOperand& operand, const View& to, const View& from,
                                 const Team& team) {
  HEDDLE_TRY(const DType type, type_of({from}));
  const View halves = held(operand.name, type, operand.elements.shape, operand.elements);
  HEDDLE_CHECK(copy({"copy", {{halves}, {from}}}, team));
  const std::string& from_buffer = find(halves.tensor)->buffer;
  const std::string& to_buffer = find(to.tensor)->buffer;
  return by_members(team, [&] {
    std::vector<Int> counter;
    return loops({{0, operand.spread.registers, 1, false, 1}}, counter, [&]() -> Result<void> {
      const Int first = 2 * counter.front();
      const Location pair{from_buffer, first, SeenBits{operand.type, 0, {first + 1}}};
      add(StoreElement{{to_buffer, counter.front()},
                       {Computation::Load{pair, {}, {}}, computed_in(operand.type), {}}});
      return {};
    });
  });
}

Result<void> Lowerer::load_step(const MatrixProduct& product, const std::vector<View>& to,
                                const Int& step, const Team& team) {
  for (std::size_t i = 0; i != to.size(); ++i) {
    const MatrixOperand& operand = product.operands[i];
    View part = part_along_k(operand.view, operand.along, step * operand.steps, operand.steps);
    if (operand.spread != operand.elements) {
      auto bytes = in_bytes(part, find(part.tensor)->tensor, operand.along);
      if (!bytes) {
        HEDDLE_CHECK(load_pairs(operand, to[i], part, team));
        continue;
      }
      part = *std::move(bytes);
    }
    HEDDLE_CHECK(copy({"copy", {{to[i]}, {std::move(part)}}}, team));
  }
  return {};
}

/// sums += what is in registers.
Result<void> Lowerer::multiply_step(const MatrixProduct& product, const std::vector<View>& parts,
                                    const Team& team) {
  Instruction multiply{product.instruction.intrinsic, "gemm", {}, kWarpThreads, 4, {}};
  multiply.operands = {
      registers_of("C", product.sums.tensor.type, product.instruction.c.registers.value())};
  std::vector<std::string> buffers;
  for (std::size_t i = 0; i != parts.size(); ++i) {
    const MatrixOperand& operand = product.operands[i];
    multiply.operands.push_back(registers_of(kOperandNames[i], operand.type, operand.registers));
    buffers.push_back(find(parts[i].tensor)->buffer);
  }
  std::vector<Int> counters;
  const std::vector<SpreadDigit> digits = register_digits(product.boxes);
  const auto apply_once = [&]() -> Result<void> {
    std::vector<Location> places = {{product.sums.buffer, register_at(product.boxes, counters)}};
    for (std::size_t i = 0; i != parts.size(); ++i) {
      const MatrixOperand& operand = product.operands[i];
      places.push_back(
          {buffers[i], registers_along(digits, counters, operand.of_c, operand.registers)});
    }
    add(ApplyInstruction{multiply, std::move(places), {}, product.instruction.intrinsic});
    return {};
  };
  return by_members(team, [&] { return loops(digits, counters, apply_once); });
}

/// A product in `steps` along K: those of few are written one by one, and the operands of the next
/// one loaded while one is multiplied.
Result<void> Lowerer::multiply_steps(const MatrixProduct& product, const Int& steps,
                                     const Team& team) {
  const bool is_ahead = steps.is_constant() && steps.value() > 1 && steps.value() <= kMostWritten;
  std::vector<std::vector<View>> parts;
  for (int i = 0; i != (is_ahead ? 2 : 1); ++i) parts.push_back(matrix_registers(product));
  if (!is_ahead) {
    std::vector<Int> step;
    return loops({{0, steps, 1, false, 1}}, step, [&]() -> Result<void> {
      HEDDLE_CHECK(load_step(product, parts[0], step.front(), team));
      return multiply_step(product, parts[0], team);
    });
  }
  HEDDLE_CHECK(load_step(product, parts[0], 0, team));
  for (std::size_t i = 0; std::cmp_less(i, steps.value()); ++i) {
    const auto next = static_cast<std::int64_t>(i) + 1;
    if (next != steps.value()) {
      HEDDLE_CHECK(load_step(product, parts[(i + 1) % 2], next, team));
    }
    HEDDLE_CHECK(multiply_step(product, parts[i % 2], team));
  }
  return {};
}

/// sums += a * b, where all of `sums` is spread as the instruction has C.
Result<void> Lowerer::by_matrices(const ProductViews& views, const MatrixInstruction& instruction,
                                  const Team& team) {
  HEDDLE_TRY(const MatrixProduct product, matrix_product(views, instruction));
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({views.b}));
  const std::size_t choices = program_.choices.size();
  HEDDLE_CHECK(multiply_steps(product, ceil_div(shape[0], instruction.k), team));
  // How the operands come into registers is a part of how the product is done.
  std::vector<Choice::Note> loads;
  for (std::size_t i = 0; i != product.operands.size(); ++i) {
    loads.push_back(
        {fmt::format("loads of {}", kOperandNames[i]), way_of(program_.choices[choices + i])});
  }
  program_.choices.resize(choices);
  Choice& choice = choose("mma");
  choice.instruction = instruction.name;
  choice.machine = options_.machine->name;
  choice.notes.push_back({"instruction", fmt::format("{}, {} x {} x {}", instruction.name,
                                                     instruction.m, instruction.n, instruction.k)});
  choice.notes.push_back({"spread", to_string(*product.sums.spread)});
  std::ranges::move(loads, std::back_inserter(choice.notes));
  return {};
}

}  // namespace heddle::kernel

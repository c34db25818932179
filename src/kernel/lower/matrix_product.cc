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
// that each warp has what it multiplies, and they are copied as any register tensors are.

#include <fmt/format.h>

#include <algorithm>
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

InstructionOperand registers_of(std::string_view name, DType type, const Spread& spread) {
  return {std::string(name), type, bits(type), {spread.registers.value()}, Space::kRegister, {}};
}

Instruction multiplication(const MatrixInstruction& instruction, DType c, DType a, DType b) {
  Instruction multiply{instruction.intrinsic, "gemm", {}, kWarpThreads, 4, {}};
  multiply.operands = {registers_of("C", c, instruction.c), registers_of("A", a, instruction.a),
                       registers_of("B", b, instruction.b)};
  return multiply;
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
  if (!a || !b || !c) return refuse_matrix("its operands are no views");
  const DType sum = common_type(common_type(computed_in(*a), computed_in(*b)), computed_in(*c));
  const std::vector<MatrixInstruction> known = matrix_instructions(*options_.machine, *a, *b, sum);
  if (known.empty()) {
    return refuse_matrix(fmt::format("{} has no instruction for {} times {} with sums of {}",
                                     options_.machine->name, name_of(*a), name_of(*b),
                                     name_of(sum)));
  }
  for (const MatrixInstruction& each : known) {
    const bool fits =
        sums ? divided(*sums, each.c).has_value() : warp_tiling(shape, threads, each).has_value();
    if (fits) return each;
  }
  return refuse_matrix(
      sums ? fmt::format("C is not spread over warps as {} has it", known.front().name)
           : fmt::format("{} of C is no whole number of {} x {} for each of {} threads",
                         shape_text(shape), known.back().m, known.back().n, threads));
}

/// How what a product adds up is spread, if it is not said.
Spread Lowerer::spread_of_sums(const Call& node, const Tensor& tensor, std::int64_t threads) const {
  const auto instruction = matrix_instruction(node, tensor.shape, std::nullopt, threads);
  return instruction ? *warp_tiling(tensor.shape, threads, *instruction)
                     : block_spread(tensor.shape, threads);
}

/// sums += a * b, where all of `sums` is spread as the instruction has C.
Result<void> Lowerer::by_matrices(const View& sums, const View& a, const View& b,
                                  const MatrixInstruction& instruction, const Team& team) {
  const Placed held = *find(sums.tensor);
  const Spread boxes = *divided(*held.spread, instruction.c);
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({a}));
  HEDDLE_TRY(const DType a_type, type_of({a}));
  HEDDLE_TRY(const DType b_type, type_of({b}));
  const Spread spread_a = a_spread(*held.spread, instruction);
  const Spread spread_b = b_spread(*held.spread, instruction);
  const Int steps = ceil_div(shape[1], instruction.k);
  // The operands of the next step are loaded while one is multiplied.
  const bool is_ahead = steps.is_constant() && steps.value() > 1 && steps.value() <= kMostWritten;
  struct Parts {
    View a;
    View b;
  };
  std::vector<Parts> parts;
  for (int i = 0; i != (is_ahead ? 2 : 1); ++i) {
    View part_a = this->held("a", a_type, spread_a.shape, spread_a);
    parts.push_back({std::move(part_a), this->held("b", b_type, spread_b.shape, spread_b)});
  }

  const Instruction multiply = multiplication(instruction, held.tensor.type, a_type, b_type);
  const std::vector<SpreadDigit> digits = register_digits(boxes);
  const std::size_t choices = program_.choices.size();
  const auto load = [&](const Parts& to, const Int& step) -> Result<void> {
    const Int begin = step * instruction.k;
    HEDDLE_CHECK(copy({"copy", {{to.a}, {part_along_k(a, 1, begin, instruction.k)}}}, team));
    return copy({"copy", {{to.b}, {part_along_k(b, 0, begin, instruction.k)}}}, team);
  };
  const auto multiplied = [&](const Parts& by) {
    const std::string& buffer_a = find(by.a.tensor)->buffer;
    const std::string& buffer_b = find(by.b.tensor)->buffer;
    std::vector<Int> counters;
    return by_members(team, [&] {
      return loops(digits, counters, [&]() -> Result<void> {
        add(ApplyInstruction{
            multiply,
            {{held.buffer, register_at(boxes, counters)},
             {buffer_a, registers_along(digits, counters, 0, instruction.a.registers.value())},
             {buffer_b, registers_along(digits, counters, 1, instruction.b.registers.value())}},
            {},
            instruction.intrinsic});
        return {};
      });
    });
  };
  if (is_ahead) {
    HEDDLE_CHECK(load(parts[0], 0));
    for (std::int64_t i = 0; i != steps.value(); ++i) {
      if (i + 1 != steps.value())
        HEDDLE_CHECK(load(parts[static_cast<std::size_t>((i + 1) % 2)], i + 1));
      HEDDLE_CHECK(multiplied(parts[static_cast<std::size_t>(i % 2)]));
    }
  } else {
    std::vector<Int> step;
    const auto load_and_multiply = [&]() -> Result<void> {
      HEDDLE_CHECK(load(parts[0], step.front()));
      return multiplied(parts[0]);
    };
    HEDDLE_CHECK(loops({{0, steps, 1, false, 1}}, step, load_and_multiply));
  }
  // How the operands come into registers is a part of how the product is done.
  Choice::Note loads_of_a{"loads of A", way_of(program_.choices[choices])};
  Choice::Note loads_of_b{"loads of B", way_of(program_.choices[choices + 1])};
  program_.choices.resize(choices);
  Choice& choice = choose("mma");
  choice.notes.push_back({"instruction", fmt::format("{}, {} x {} x {}", instruction.name,
                                                     instruction.m, instruction.n, instruction.k)});
  choice.notes.push_back({"spread", to_string(*held.spread)});
  choice.notes.push_back(std::move(loads_of_a));
  choice.notes.push_back(std::move(loads_of_b));
  return {};
}

}  // namespace heddle::kernel

#pragma once

// Which matrix instructions of a machine compute C = A * B where the operands lie, how often each
// of them is issued, and why the others do not fit:
//
//   A  (256,128)  S[(2,128,128):(128@F,1@F,1@P)]      K on partitions, M on the free dimension
//   B  (128,512)  S[(128,512):(1@P,1@F)]
//   C  (256,512)  S[(2,128,512):(512@F,1@P,1@F)]      on trainium1
//
//     fits  nc_matmul, fp16   128 x 512 x 128   2 x 1 x 1 times
//
// M is cut into the digits that A and C have in common, N into those of B and C, K into those of A
// and B. Some of the digits of each are the rows, columns and steps of one instruction, in any
// order, as long as both matrices agree; the others are loops, and what they do on warps, blocks or
// devices is done at once. So each operand is a tiler of instructions:
//
//   operand = tiler (x) atom      its digits reordered, and the atom as the instruction has it
//   operand = tiler + atom        a direct sum: a lane's registers, or the free dimension of a
//                                 memory, are taken in another order or with gaps
//
// An intersection of steps alone is not enough for K: A with (128,1@P) and B with (128,2@P) share
// 64 partitions, but of other k. Seed 002, section 3.4 ("Systolic Array GEMM") and appendix H.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

/// M, N and K.
using GemmShape = std::array<std::int64_t, 3>;

/// The matrices of a product. A is (M,K) and C is (M,N). B is (K,N), but (N,K) if it is a layout of
/// CuTe, as CuTe has it. Layouts of registers say which lane holds what (`laneid`, `warpid`, …);
/// layouts of memory have axis m only.
struct GemmMatrices {
  map::AnyLayout a;
  map::AnyLayout b;
  map::AnyLayout c;
  /// By default the sizes of the three matrices decide.
  std::optional<GemmShape> shape = {};
};

/// How the instructions divide one matrix; one in shared memory before its swizzle.
struct GemmTiling {
  /// Where one instruction has its part, by (rows, columns), and where the parts begin.
  axe::Layout atom;
  std::array<std::int64_t, 2> atom_shape{1, 1};
  axe::Layout tiler;
  std::array<std::int64_t, 2> tiler_shape{1, 1};
  /// matrix = tiler (x) atom, scaled by the atom's span; else it is their direct sum.
  bool is_tile = false;
};

/// One instruction.
struct GemmChoice {
  /// Its name, and the type of A.
  std::string instruction;
  std::string type;
  /// What it computes at once: smaller than the instruction's shape only where it takes any size
  /// up to that.
  GemmShape shape{1, 1, 1};
  /// Loops over M, N and K, and how many warps, blocks, … run them at the same time.
  GemmShape loops{0, 0, 0};
  std::int64_t units = 1;
  /// A, B and C; empty if it does not fit.
  std::vector<GemmTiling> tilings = {};
  /// Why it does not fit.
  std::string reason = {};

  [[nodiscard]] bool fits() const { return reason.empty(); }
};

struct GemmPlan {
  GemmShape shape{1, 1, 1};
  std::string machine;
  /// Those that fit first, the largest in front.
  std::vector<GemmChoice> choices;
};

/// The plan for all matrix instructions of the machine of which A has the type, all types if it is
/// empty. An instruction accumulates in place: C is its D.
///
/// Each choice that fits is proved: all elements of the operands are where the instruction has
/// them, and every warp, block or device that has a part of C has the parts of A and B that are
/// multiplied for it. Registers of a lane may be any, but elements that share one keep their
/// places.
///
/// Refuses `machine.unknown`, `gemm.instructions` for a machine without matrix instructions of the
/// type, `gemm.symbolic`, `gemm.shapes` if the matrices do not have the sizes of a product,
/// `gemm.digits` if two matrices cut M, N or K at places of which neither divides the other,
/// `gemm.sums` if two elements of C share a place; and what convert() and group() refuse. Cost:
/// quadratic in the digits for each instruction, and one pass over the parts on different warps.
[[nodiscard]] Result<GemmPlan> gemm_plan(const GemmMatrices& matrices, std::string_view machine,
                                         std::string_view type = {});

/// One line for each choice that fits and for each reason, and the tilers of the first choice.
[[nodiscard]] std::string to_string(const GemmPlan& plan);

}  // namespace heddle::machine
#pragma GCC visibility pop

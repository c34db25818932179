#pragma once

// Whether one instruction computes a product where its matrices lie.

#include <array>
#include <map>
#include <string>
#include <variant>

#include "heddle/form/instruction.h"
#include "heddle/machine/gemm_plan.h"
#include "machine/gemm/digits.h"

namespace heddle::machine {

/// The matrices of a product, the rows and columns of each as the product has them, and their
/// digits for each size of waves that has been asked for.
struct GemmTensors {
  GemmShape shape{1, 1, 1};
  /// A (M,K), B (K,N) and C (M,N).
  std::array<axe::Layout, 3> layouts;

  [[nodiscard]] std::array<std::int64_t, 2> shape_of(std::size_t matrix) const;
};

/// The digits of all matrices, and of M, N and K.
struct GemmDigits {
  std::array<MatrixDigits, 3> matrices;
  std::array<std::vector<SharedDigit>, 3> dims;
};
/// Refuses `gemm.digits`, and as axe::group().
[[nodiscard]] Result<GemmDigits> gemm_digits(const GemmTensors& tensors, std::int64_t wave);

/// Which sides of which matrices M, N and K are: the two whose digits have to agree.
struct GemmSide {
  std::size_t matrix;
  std::size_t side;
};
inline constexpr std::array<std::array<GemmSide, 2>, 3> kGemmSides = {
    {{{{0, 0}, {2, 0}}}, {{{1, 1}, {2, 1}}}, {{{0, 1}, {1, 0}}}}};
inline constexpr std::string_view kGemmDims = "MNK";
inline constexpr std::string_view kGemmMatrices = "ABC";

/// The lanes of a wave that executes the instruction.
[[nodiscard]] std::int64_t wave_of(const form::Instruction& instruction);

/// Where one matrix of an instruction is, by its rows and columns.
struct GemmAtom {
  MatrixDigits digits;
  std::array<std::int64_t, 2> shape{1, 1};
  /// The places on each axis.
  std::map<std::string, std::int64_t> sizes;
  /// Elements that share one register of a lane.
  std::int64_t per_register = 1;
  /// The axis along which any steps will do; empty if there is none.
  std::string free_axis;
  /// The instruction reads it from shared memory, through a descriptor.
  bool is_in_memory = false;
  int element_bits = 32;
};

/// The atom of A, B or C; a reason if the instruction does not compute a plain product.
[[nodiscard]] std::variant<GemmAtom, std::string> gemm_atom(const form::Instruction& instruction,
                                                            std::size_t matrix);

/// The choice for the instruction, with the reason if it does not fit. `bank_elements` is the
/// number of elements of C in one bank that a result must not leave; 0 if there is no such limit.
[[nodiscard]] GemmChoice gemm_choice(const form::Instruction& instruction,
                                     const GemmTensors& tensors, const GemmDigits& digits,
                                     std::int64_t bank_elements);

}  // namespace heddle::machine

#pragma once

// Instructions as data: what one does, where it wants its operands, and its text for each target.
//
//   instruction load_streaming(D: f32[4] reg, S: f32[4] global) for copy
//     aligned 16
//     cuda "*(float4*){D} = __ldcs((const float4*){S});"
//
// It copies four floats from global memory to four consecutive registers of a thread. The box of
// elements that it does at once is its atom. A copy is done by it if each operand is a product
// tiler (x) atom: the compiler goes over the tiler and proves for every step that the elements of
// the atom lie where the instruction has them, aligned, all in bounds or none of them, and that
// every element is written once. What it means is the operation on the elements of the atom; that
// is what a target without a text does.
//
// Beside copies it may do a function of elements, which is called as in expressions: fma, max, +.
//
//   instruction add_halves(D: f16[2] reg, A: f16[2] reg, B: f16[2] reg) for +
//     aligned 4
//     cuda "*(__half2*){D} = __hadd2(*(const __half2*){A}, *(const __half2*){B});"
//
// The layout of an operand is in the notation of Axe (seed 002): `m` counts the registers of a
// thread, or the elements of memory from the address that it is given, and `laneid` is the lane
// that holds the element or gives its address. ldmatrix of PTX, of a whole warp, is
//
//   instruction ldmatrix(D: b16[8,8] reg = S[(8,4,2):(4@laneid,1@laneid,1@m)],
//                        S: b16[8,8] shared = S[(8,8):(1@laneid,1@m)]) for copy by warp
//     aligned 16

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/dtype.h"
#include "heddle/kernel/space.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// `D: f32[4] reg`: the elements of an operand that an instruction does at once.
struct InstructionOperand {
  std::string name;
  /// Without one, elements of any type of `bits`: `b16[8]`.
  std::optional<DType> type = {};
  std::int64_t bits = 32;
  std::vector<std::int64_t> shape;
  /// Without one, memory or registers of any kind; only for instructions without texts.
  std::optional<Space> space = {};
  /// To m, and to laneid for an instruction of a warp. Without one, m counts row-major.
  std::optional<map::AnyLayout> layout = {};

  friend bool operator==(const InstructionOperand&, const InstructionOperand&) = default;
};

struct Instruction {
  std::string name;
  /// What it does on operands of the shape of its atom: `copy`, or a function as expressions call
  /// it, `fma`, `+`.
  std::string operation = "copy";
  /// In the order of the operator's; of a function the result first.
  std::vector<InstructionOperand> operands;
  /// Those that do it together: 1, or the 32 of a warp.
  std::int64_t threads = 1;
  /// The bytes that addresses are multiples of and, as far as an atom has as many, the first of its
  /// registers in a thread.
  std::int64_t alignment = 1;
  /// The text for each target, `cuda` or `opencl`: statements in its language, in which `{D}` is a
  /// pointer to the first element of the operand D that the thread holds or addresses, `{D[2]}` the
  /// third one, and `{{` and `}}` are braces. A pointer is one to elements as the target stores
  /// them: of 8 and 16 bits as unsigned integers.
  std::map<std::string, std::string, std::less<>> texts = {};

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// The most instructions of a kernel, each of which every copy considers.
inline constexpr std::size_t kMaxInstructions = 64;

/// `instruction load_streaming(D: f32[4] reg, S: f32[4] global) for copy …`, as
/// notation::parse_kernels() reads it.
[[nodiscard]] std::string to_string(const Instruction& instruction);
/// `D: f32[4] reg`
[[nodiscard]] std::string to_string(const InstructionOperand& operand);

/// The elements of the atom.
[[nodiscard]] std::int64_t size(const InstructionOperand& operand);

/// Refuses `kernel.name_taken` (the name of a schedule of the library) and `kernel.instruction`: a
/// name that is no word; an operation other than copy and functions; a wrong number of operands,
/// operands whose shapes, or those of a copy whose types differ; operands of a function without a
/// type; elements that are no whole bytes; no elements, or more than 4096;
/// a layout that may give two elements one place or uses axes other than laneid and m; an alignment
/// other than 1, 2, 4, 8 or 16; an unknown target; a place in a text that is none. Cost: linear in
/// the texts, and that of the layouts.
[[nodiscard]] Result<void> check(const Instruction& instruction);

/// Where the elements of the atom lie that one thread has or addresses, from the first one on, in
/// registers or elements of memory, row-major. For instructions that check() takes.
[[nodiscard]] std::vector<std::int64_t> places_of(const InstructionOperand& operand);

/// Whether its elements lie side by side, and are aligned as one vector of up to 16 bytes. For
/// operands of instructions of one thread that check() takes.
[[nodiscard]] bool is_vector(const Instruction& instruction, const InstructionOperand& operand);

/// The text for a target with every place written by `place`, which is given the name of an operand
/// and the number of the element, or -1 for the pointer. Refuses `kernel.instruction` for places
/// that are none. Cost: linear.
using PlaceText = std::function<std::string(std::string_view operand, std::int64_t element)>;
[[nodiscard]] Result<std::string> filled(const Instruction& instruction, std::string_view text,
                                         const PlaceText& place);

}  // namespace heddle::kernel
#pragma GCC visibility pop

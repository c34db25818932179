#pragma once

// What a kernel means: its results, computed from its text alone, without layouts of threads,
// instructions or targets. It is the reference for every back end.
//
//   Array x = …, y = …;
//   run(kernel, {x, y})            y as the kernel leaves it
//
// Blocks run one after the other. In a block, statements run one after the other, each by all of
// its threads before the next one begins; an operator reads its operands before it writes. Integers
// are exact modulo 2^bits; floats are computed in f32 (f64 if an operand is), each function rounded
// correctly or by the C library in f64 and then rounded once, sums in the order of the indices, and
// are rounded to the type of the destination once, when they are stored. Moves between elements of
// one type keep their bits.
//
// What is outside of a view reads as 0 (copies: `pad`; reductions leave it out, scans pass over it)
// and is not written.
//
// In a kernel over devices, each `device` scope is run by one device after the other on its parts,
// and copies and reductions outside of it are those of whole tensors.
//
// Where machines differ:
//   - min, max and their reductions take a number rather than a NaN, and of equals the first one;
//     argmax and argmin are 0 where there is nothing to take.
//   - Reductions and scans begin at 0 for sums, 1 for products, the least value for max, the
//     greatest for min. With `accum`, what the destination held is combined with the result.
//   - gemm begins at beta*C and adds the products in the order of k, for floats by fma; where alpha
//     is not 1, it begins at 0, and fma(alpha, sum, beta*C) is the result. gemm_sparse adds those
//     of the elements that A keeps.
//   - An integer divided by 0 is 0, and the remainder is the dividend.

#include <cstdint>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/array.h"
#include "heddle/kernel/program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The sizes that make the shapes of the parameters those of the arguments. Refuses
/// `kernel.arguments` (another number of them), `kernel.argument` (a type or a shape that the
/// parameter does not have, with both), `kernel.assumption` (one that these sizes break).
[[nodiscard]] Result<Sizes> sizes_of(const Kernel& kernel, const std::vector<Array>& arguments,
                                     const Sizes& given = {});

/// Adds the sizes that the shapes of these arguments tell, one for each parameter; one whose array
/// is not there yet, without a shape, tells nothing.
void learn_sizes(const Kernel& kernel, const std::vector<Array>& arguments, Sizes& sizes);

/// sizes_of() of arguments whose elements are elsewhere.
[[nodiscard]] Result<Sizes> sizes_of_shapes(const Kernel& kernel,
                                            const std::vector<Array>& arguments,
                                            const Sizes& given = {});

/// How much work run() may do, in elements that are read or written; a statement counts as 16.
inline constexpr std::int64_t kMaxWork = std::int64_t{1} << 32;

struct RunOptions {
  /// Sizes that no shape tells.
  Sizes sizes = {};
  std::int64_t work = kMaxWork;
};

/// The arguments after the kernel has run. Refuses what check(), check_one_device() and sizes_of()
/// refuse, and `kernel.race` (two blocks, or two threads in one statement, of which one writes an
/// element that the other writes or reads, other than by atomic operations; with the element and
/// both; two equal indices of a scatter), `kernel.index` (an index of a gather or a scatter outside
/// of its tensor), `kernel.uninitialized` (shared memory or registers that are read before they are
/// written), `kernel.pending` (the destination of copy_async before its wait), `kernel.layout` (a
/// relayout that reaches places without elements), `kernel.replicas` (two devices that leave
/// different copies of an element), `kernel.unchecked` (a target's own text, which has no meaning
/// here), `kernel.work` past the limit or 1 GiB of memory. Cost: some tens of
/// nanoseconds for every element that is read or written, and less than a microsecond for every
/// statement that a thread does on its own.
[[nodiscard]] Result<std::vector<Array>> run(const Kernel& kernel, std::vector<Array> arguments,
                                             const RunOptions& options = {});

}  // namespace heddle::kernel
#pragma GCC visibility pop

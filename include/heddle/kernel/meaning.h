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
// are rounded to the type of the destination once, when they are stored.
//
// What is outside of a view reads as 0 (copies: `pad`; reductions leave it out) and is not written.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// A logical array: the bits of each element, row-major.
struct Array {
  DType type = DType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> elements;

  friend bool operator==(const Array&, const Array&) = default;
};
[[nodiscard]] std::int64_t size(const Array& array);

/// Numbers for the sizes of a kernel.
using Sizes = std::map<std::string, std::int64_t, std::less<>>;

/// The sizes that make the shapes of the parameters those of the arguments. Refuses
/// `kernel.arguments` (another number of them), `kernel.argument` (a type or a shape that the
/// parameter does not have, with both), `kernel.assumption` (one that these sizes break).
[[nodiscard]] Result<Sizes> sizes_of(const Kernel& kernel, const std::vector<Array>& arguments,
                                     const Sizes& given = {});

/// How much work run() may do, in elements that are read or written.
inline constexpr std::int64_t kMaxWork = std::int64_t{1} << 32;

struct RunOptions {
  /// Sizes that no shape tells.
  Sizes sizes = {};
  std::int64_t work = kMaxWork;
};

/// The arguments after the kernel has run. Refuses what check() and sizes_of() refuse, and
/// `kernel.race` (two threads or blocks of which one writes an element that the other writes
/// otherwise or reads, without a barrier between statements or an atomic operation, with the
/// element and both), `kernel.index` (a gather outside of its source, a slice that begins outside
/// where it must not), `kernel.uninitialized` (shared memory or registers that are read before they
/// are written), `kernel.pending` (the destination of copy_async before its wait),
/// `kernel.unchecked` (a target's own text, which has no meaning here), `kernel.work` past the
/// limit, `kernel.device` (scopes of several devices).
[[nodiscard]] Result<std::vector<Array>> run(const Kernel& kernel, std::vector<Array> arguments,
                                             const RunOptions& options = {});

}  // namespace heddle::kernel
#pragma GCC visibility pop

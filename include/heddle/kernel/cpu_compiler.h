#pragma once

// C for CPUs compiled for this one, by the C compiler that is installed.
//
//   compile_for_cpu(source)          the bytes of a shared object
//
// The compiler is the program that $CC names, or else `cc`, `gcc` or `clang` in $PATH. It is run
// without a shell, in a folder of its own, which is removed. If it has no OpenMP, kernels run on
// one core.

#include <string>
#include <string_view>

#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The shared object that the source of kernels becomes. Refuses `kernel.no_compiler` (with the
/// names that were looked for, or where it cannot be run), `kernel.compile` (the compiler does not
/// take the source, with what it says), `file.unwritable` (of its temporary folder). CC, PATH and
/// TMPDIR are read at each call. Cost: some tenths of a second.
[[nodiscard]] Result<std::string> compile_for_cpu(std::string_view source);

}  // namespace heddle::kernel
#pragma GCC visibility pop

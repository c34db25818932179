#pragma once

// C for CPUs compiled for this one, by the C compiler that is installed.
//
//   compile_for_cpu(source)          a shared object
//   compile_for_cpu(kernels)         one that DeviceKernel::load() takes
//
// The compiler is the program that $CC names, with options behind it as in `gcc -O2`, or else `cc`,
// `gcc` or `clang` in $PATH. It is run without a shell, in a folder of its own, which is removed.

#include <span>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/source.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// What the C compiler made.
struct CpuObject {
  /// The bytes of a shared object.
  std::string bytes;
  std::string compiler;
  /// Without OpenMP one thread works, and more are refused when kernels run.
  bool has_openmp = true;
};

/// The shared object that the source of kernels becomes. Refuses `kernel.no_compiler` (with the
/// names that were looked for, or where it cannot be run; a CC with characters that mean something
/// to a shell), `kernel.compile` (the compiler does not take the source, with what it says),
/// `file.unwritable` (of its temporary folder). CC, PATH and TMPDIR are read at each call. Cost:
/// some tenths of a second.
[[nodiscard]] Result<CpuObject> compile_for_cpu(std::string_view source);

/// The same of kernels, whose texts it holds too, with the tiles and blocks of a CPU. Refuses also
/// what lower() and to_source() refuse, and `print.name` (the C library has a function of the
/// name).
[[nodiscard]] Result<CpuObject> compile_for_cpu(std::span<const Kernel> kernels,
                                                TargetMachine target = Target::kCpu);

}  // namespace heddle::kernel
#pragma GCC visibility pop

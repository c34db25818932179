#pragma once

// Kernels over devices: what each device does with its parts, and what devices send to one another.
//
//   kernel f(X: f32[4,64,64] = S[(4,64,64):(1@gpuid,64@m,1@m)],
//            Y: f32[64,64] = S[(4,16,64):(1@gpuid,64@m,1@m)])
//     launch devices 4
//   {
//     reduce(Y, X, op="sum", axis=0)
//   }
//
//   explanation(*lower_over_devices(f))
//     reduce(Y, X, axis=0, op="sum")
//       from            each of 4 devices has a term f32[1,64,64] of X
//       to              each of 4 devices has f32[16,64] of Y
//       reduce-scatter  1 group of 4: 4096 bytes from one device to another, 49152 bytes in all
//       …
//
// A layout on gpuid cuts a tensor into parts, one for each device. Such a kernel has statements of
// three kinds: `device { … }`, which each device does on its parts as a kernel of its own; `copy`
// and `reduce` of whole tensors, which become plans of the room distribute; and `global` tensors.
// For CPUs it becomes C that calls MPI, one process for each device (to_source()).
//
// Where a `device` scope makes what the next statement sends, each part is sent as soon as the
// blocks that write it are done, and the device farthest away gets its part first.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"
#include "heddle/kernel/array.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel/thread_program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// A tensor over devices, its sizes known.
struct DevicesTensor {
  Tensor whole;
  /// As a device that has a part sees it.
  Tensor local;
  /// How many elements the memory of a part has.
  std::int64_t elements = 0;
  bool is_parameter = true;
  /// For each device the first one that has the same part; -1 if it has none.
  std::vector<std::int64_t> first_copy;
  /// Whether its elements before the kernel runs count.
  bool is_read = false;
};

/// What each device does on its own.
struct LocalStep {
  ThreadProgram program;
  /// The numbers of the tensors that its first parameters are parts of.
  std::vector<std::size_t> tensors;
  /// The numbers that its sizes are, in order.
  std::vector<std::int64_t> sizes;
  /// Whether its last parameter is the number of the device.
  bool takes_device = false;
};

/// Blocks of a device, one after the other, and what is sent when they are done.
struct SentBlocks {
  std::int64_t device = 0;
  /// Numbers of blocks in the launch, bx fastest.
  std::vector<std::int64_t> blocks;
  /// The number of the transfer in its step; nullopt if these are the last blocks.
  std::optional<std::size_t> transfer;
};

/// What devices do together, by a plan.
struct ExchangeStep {
  std::string text;
  Span span;
  std::size_t source = 0;
  std::size_t target = 0;
  distribute::Plan plan;
  /// The plan's steps, with transfers cut where blocks end.
  std::vector<distribute::Step> steps;
  /// If the local step before makes what is sent: its blocks in the order in which they are done,
  /// and the step whose transfers are sent meanwhile.
  std::vector<SentBlocks> order;
  std::size_t overlapped = 0;
  /// Why nothing is sent meanwhile.
  std::string not_overlapped;
  /// What each device has of both tensors.
  std::vector<std::pair<std::string, std::string>> notes;
};

struct DevicesProgram {
  Kernel kernel;
  Sizes sizes;
  std::vector<DevicesTensor> tensors;
  std::vector<std::variant<LocalStep, ExchangeStep>> steps;
};

/// The program of a kernel that is launched over devices. Refuses what check() and lower() refuse,
/// `kernel.arguments` for a size that is not known, `kernel.assumption` for sizes that break one, and
/// what distribute::redistribute() refuses.
[[nodiscard]] Result<DevicesProgram> lower_over_devices(const Kernel& kernel,
                                                        const Sizes& sizes = {},
                                                        const LowerOptions& options = {});

/// How each statement is done: the choices of each device's own, and the plans with their bytes and
/// lower bounds.
[[nodiscard]] std::string explanation(const DevicesProgram& program);

/// C that calls MPI, for mpicc: the function of the kernel, with all that it calls.
///
///   int f(MPI_Comm comm, heddle_tensor X, heddle_tensor Y, int threads, int flags,
///         heddle_error* error)
///
/// The rank of a process in `comm` is the number of its device. Each gives its parts. Returns 0; 1
/// if the arguments are not those that the layouts declare, on any device, and then nothing is done
/// and `error` says why. Refuses what to_source() refuses, `kernel.not_lowered` for layouts in
/// memory with more than 8 digits or a swizzle, and for more than 32767 transfers in a step.
[[nodiscard]] Result<std::string> to_source(const DevicesProgram& program);
/// A header that declares that function, for C and C++.
[[nodiscard]] std::string to_header(const DevicesProgram& program);

/// Compiles the program by mpicc and runs it by mpirun on this machine, a process for each device;
/// the arguments after it has run. Refuses what to_source() and sizes_of() refuse,
/// `kernel.no_compiler` (mpicc is not found), `kernel.compile`, `kernel.no_device` (mpirun is not
/// found), `kernel.mpi` (a process fails, with what it says), `kernel.replicas`.
[[nodiscard]] Result<std::vector<Array>> run_on_mpi(const DevicesProgram& program,
                                                    std::vector<Array> arguments);

}  // namespace heddle::kernel
#pragma GCC visibility pop

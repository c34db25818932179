#pragma once

// CUDA kernels, emitted or written by hand, run without a GPU and under watch: the host's C++
// compiler compiles them with models of CUDA and of the functions that emitted CUDA calls for
// cp.async, ldmatrix and mma, and threads run one after the other, each until it has to wait.
//
//   Program program = Program::compile(source, "gemm").value();
//   Report report = program.run({.blocks = {8, 1, 1}, .threads = {128, 1, 1}}, arguments).value();
//   to_string(report.findings)            on its way: thread 0 reads byte 0 of As at gemm.cu:31, …
//
// Every access of memory is seen, for the kernel is compiled with -fsanitize=thread, and the hooks
// of that are the checker's own. A thread knows how many barriers of its block, and of its warp, it
// has passed; two accesses are ordered if one thread makes them or such a barrier stands between
// them. So a missing barrier is found in whatever order the threads run.
//
// Asynchronous copies are as hostile as PTX allows: their data arrive at once, at the last moment
// that waits leave them, or at some time in between; until then the destination holds a pattern
// that is no number. What is read before the wait that it needs, or by another thread before a
// barrier after that wait, is reported even where the values are right.
//
// A run is a process of its own, for a kernel may do anything: what would end it, or never come to
// an end, is reported with the thread that does it, and where that is.
//
// What cannot be seen: how ptxas orders and merges accesses (bank conflicts are those of the text
// as it stands, as the host's compiler leaves it), memory of other devices, registers that are read
// before they are written (they hold a pattern), and the instructions themselves, for which there
// are models (checker/collectives.h).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/checker/report.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::checker {

/// When the data of asynchronous copies arrive.
enum class Arrival : std::uint8_t { kEarly, kLate, kRandom };
[[nodiscard]] std::string_view name_of(Arrival arrival);

/// What a kernel is given: a number by its bytes, or memory that holds these before the run and
/// after it what the kernel left.
struct Argument {
  std::string name;
  std::vector<std::byte> bytes;
  bool is_memory = false;
  std::int64_t element_bytes = 1;
  /// Whether the kernel may not write it.
  bool is_read_only = false;
};

struct Launch {
  std::array<unsigned, 3> blocks = {1, 1, 1};
  std::array<unsigned, 3> threads = {1, 1, 1};
};

/// A change at one site: a mutant of the kernel.
enum class Change : std::uint8_t {
  /// The call is not made.
  kDrop,
  /// A wait leaves one more group pending.
  kLoosen,
  /// A copy reads all of its bytes.
  kWhole,
  /// A copy goes to where, a matrix load reads where, the last one of this thread there did.
  kStale,
};
[[nodiscard]] std::string_view name_of(Change change);
struct Mutation {
  std::uint32_t offset = 0;
  Change change = Change::kDrop;
};
/// All changes of the sites of a run that make a difference there.
[[nodiscard]] std::vector<Mutation> mutations(const Report& report);

struct RunOptions {
  Arrival arrival = Arrival::kLate;
  std::uint64_t seed = 1;
  /// Whether the last thread runs first.
  bool is_backwards = false;
  std::optional<Mutation> mutation = {};
  /// How many pieces of code without branches run before a kernel counts as one that never ends: by
  /// default about a minute's.
  std::int64_t steps = std::int64_t{1} << 29;
  /// For how long it runs, which is asked where steps are not counted.
  std::int64_t seconds = 300;
};

/// A compiled kernel. A value that is cheap to copy; one thread at a time runs it.
class Program {
 public:
  /// `dynamic_bytes` are those of `extern __shared__` arrays, `file` is what lines are named by
  /// where the source has no #line. Refuses `kernel.no_compiler`, `kernel.compile` with what the
  /// compiler says, and `kernel.unknown` if there is no such kernel in the source. Cost: one to two
  /// seconds.
  [[nodiscard]] static Result<Program> compile(std::string_view source, std::string_view kernel,
                                               std::int64_t dynamic_bytes = 0,
                                               std::string_view file = "kernel.cu");

  /// Runs all blocks, one after the other, up to the first finding after which nothing can go on.
  /// Refuses `kernel.arguments` for another number of arguments, or other sizes of them, than the
  /// kernel takes, `kernel.launch` for no threads or more than 1024 of a block, and
  /// `kernel.no_device` if there is no memory, or no process, to run it in. Cost: a few
  /// milliseconds, about 50 ns for each access, 20 us for each matrix instruction of a warp.
  [[nodiscard]] Result<Report> run(const Launch& launch, std::span<Argument> arguments,
                                   const RunOptions& options = {}) const;

 private:
  struct State;
  explicit Program(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace heddle::checker
#pragma GCC visibility pop

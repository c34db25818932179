#pragma once

// What a machine has: how many lanes run together, their registers, the memories next to them and
// their banks. Each number comes with the document that states it; what no document states is
// absent.
//
//   find_machine("H100")->name                                  sm_90
//   find_machine("sm_90a")->memory("shared")->banks             32, CUDA C++ Programming Guide
//   find_machine("gfx942")->lanes                               64, CDNA3 ISA guide
//
// A machine often has the instructions of another one as well, its predecessor; find_listings()
// (form/instruction.h) looks there too.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle::form {

/// A number of a machine and the document that states it.
struct Stated {
  std::int64_t value = 0;
  std::string_view source;
};
/// The sizes that there are, ascending.
struct StatedSizes {
  std::vector<std::int64_t> values;
  std::string_view source;
};

/// Registers of one kind that a thread can use: a lane of a GPU, else one thread of the processor.
struct RegisterFile {
  /// "VGPR", "GRF", "tmm", ….
  std::string_view name;
  Stated count;
  /// Bits of one of them in one lane; absent where the machine chooses it (Arm's SVL).
  std::optional<Stated> bits;
};

/// A memory next to the units that compute.
struct MachineMemory {
  /// "shared", "tensor", "SBUF", "PSUM", "L0A", …; caches of a CPU are "L1", "L2" and "L3".
  std::string_view name;
  /// Bytes for one multiprocessor, compute unit or core, and how many of them one block can have.
  std::optional<Stated> bytes = {};
  std::optional<Stated> bytes_of_block = {};
  /// The parts that work at the same time, and the bytes next to each other in one of them.
  std::optional<Stated> banks = {};
  std::optional<Stated> bank_bytes = {};
  /// A memory of two dimensions: its rows (data paths, partitions) and the bytes of one row.
  std::optional<Stated> rows = {};
  std::optional<Stated> row_bytes = {};
  /// The cores that share a cache; absent where each has its own.
  std::optional<Stated> cores = {};
};

/// What the core of a CPU does with its vector registers.
struct VectorUnits {
  /// Multiply-adds of whole vectors that begin in a cycle, and the cycles until one has its result.
  Stated multiply_adds;
  Stated latency;
  /// Loads that begin in a cycle, of a vector or of an element for all of its lanes.
  Stated loads;
};

struct Machine {
  /// "sm_90", "cdna3", "xe-hpc", …: instructions are listed under it.
  std::string_view name;
  std::string_view vendor;
  /// Other names: targets of compilers, architectures, products.
  std::vector<std::string_view> aliases = {};
  /// The machines whose instructions it has as well, nearest first.
  std::vector<std::string_view> predecessors = {};
  /// Lanes of a warp, wave, subgroup or SIMD group; absent where threads do not run in groups.
  std::optional<StatedSizes> lanes = {};
  std::optional<Stated> threads_of_block = {};
  std::vector<RegisterFile> registers = {};
  std::vector<MachineMemory> memories = {};
  std::optional<VectorUnits> vector_units = {};
  /// Bytes that one lane can load from global memory with one instruction.
  std::optional<StatedSizes> load_bytes = {};
  /// What moves data between memories besides loads and stores, such as cp.async and TMA.
  std::vector<std::string_view> copy_units = {};
  /// Where the copy units and predecessors are described; what is disputed.
  std::string_view source = {};
  std::string_view note = {};

  /// The memory of that name; nullptr if there is none.
  [[nodiscard]] const MachineMemory* memory(std::string_view memory_name) const;
};

/// All machines, vendor by vendor, older ones first. Built when it is first asked for.
[[nodiscard]] const std::vector<Machine>& machines();

/// The machine of that name or alias, in any case; nullptr if there is none.
[[nodiscard]] const Machine* find_machine(std::string_view name);

}  // namespace heddle::form
#pragma GCC visibility pop

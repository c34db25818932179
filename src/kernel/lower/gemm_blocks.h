#pragma once

// The sizes in which a CPU does a matrix product: tiles of C that stay in vector registers, and
// blocks of A and B that stay in caches, chosen by a model of the machine.
//
//   gemm_candidates(zen4, 4, {M, N, K})     the best first
//     16 x 16, kc 256, mc 256, nc 512       92 % of the multiply-adds that there could be
//
// The model (K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", 2008;
// T. M. Low and others, "Analytical modeling is enough for high-performance BLIS", 2016): a step of
// a tile takes as long as its multiply-adds, its loads, or one multiply-add does, whichever is the
// longest; to this come the lines that are read from further caches, and the copies into panels. A
// panel of B takes half of the first-level cache, with a panel of A beside it; a block of A a
// quarter of the second-level cache, and a block of B half of it, or the one half of it, and the
// other a part of the third. What an entry does not state is taken as it is on most machines, which
// core_of() says.
//
// Without a machine, tiles are those of 16 registers of 256 bits with twice the rows, which 32
// registers have room for at once; others take them in parts.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/form/machine.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

struct GemmBlocks {
  TileSize tile;
  /// The steps along K of a panel (of bytes: fours of them), the rows of a block of A, the columns
  /// of a block of B.
  std::int64_t kc = 256;
  std::int64_t mc = 252;
  std::int64_t nc = 512;
  friend bool operator==(const GemmBlocks&, const GemmBlocks&) = default;
};
/// `12 x 16, kc 256, mc 252, nc 512`
[[nodiscard]] std::string to_string(const GemmBlocks& blocks);
/// `rows=12, columns=16, kc=256, mc=252, nc=512`, for `using tiles`.
[[nodiscard]] Options options_of(const GemmBlocks& blocks);

struct VectorRegisters {
  std::int64_t bytes = 32;
  std::int64_t count = 16;
};
/// How many rows of a tile are in registers at once, beside a row of B and a factor: a divisor of
/// its rows, at least 1.
[[nodiscard]] std::int64_t tile_height(const TileSize& tile, std::int64_t element_bytes,
                                       const VectorRegisters& registers);

/// Whether it has vector registers of 16, 32 or 64 bytes, as the sources for CPUs use them.
[[nodiscard]] bool is_vector_cpu(const form::Machine& machine);

/// What the model knows of a core.
struct Core {
  std::string name;
  VectorRegisters registers;
  std::int64_t multiply_adds = 2;
  std::int64_t latency = 5;
  std::int64_t loads = 2;
  std::int64_t l1_bytes = std::int64_t{32} << 10;
  std::int64_t l2_bytes = std::int64_t{1} << 20;
  /// The core's part of a third-level cache; 0 without one that is stated.
  std::int64_t l3_bytes = 0;
  /// What the machine does not state; empty if it states all.
  std::string assumed = {};
};
/// Of a machine for which is_vector_cpu() holds; of none in particular for nullptr.
[[nodiscard]] Core core_of(const form::Machine* machine);

struct GemmCandidate {
  GemmBlocks blocks;
  /// The share of the core's multiply-adds that the model says are done.
  double share = 0;
};
/// What a product of these extents (M, N, K; some may not be known) may be done in, the best first.
/// Cost: some hundred candidates.
[[nodiscard]] std::vector<GemmCandidate> gemm_candidates(const form::Machine* machine,
                                                         std::int64_t element_bytes,
                                                         const std::array<Int, 3>& extents);

/// The best candidate with what `using tiles(…)` says of it in its place; what follows from a tile
/// is that of the tile. Refuses `kernel.schedule`: a number out of its range, columns that are no
/// whole vectors of 64 bytes, blocks that are no whole tiles.
[[nodiscard]] Result<GemmBlocks> gemm_blocks(const Options& said, const form::Machine* machine,
                                             std::int64_t element_bytes,
                                             const std::array<Int, 3>& extents);

}  // namespace heddle::kernel

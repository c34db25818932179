#include "kernel/lower/gemm_blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace heddle::kernel {

namespace {

/// Columns are whole vectors of this many bytes, which every machine divides.
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kMostTileRows = 30;
constexpr std::int64_t kMostLines = 4;
/// Steps come in pieces of this many.
constexpr std::int64_t kStepPiece = 32;
constexpr std::int64_t kMostSteps = 512;
constexpr std::int64_t kMostBlock = std::int64_t{1} << 20;
/// The bytes of both blocks, which a worker's memory has room for.
constexpr std::int64_t kMostBytes = std::int64_t{2} << 20;
/// The cycles around the steps of a tile: its call, the addresses, the ends of loops.
constexpr double kTileCycles = 10;
/// The cycles of a line from the next caches, and of an element that is copied into a panel. Most
/// of those of A pass while tiles are multiplied, and half of those of C, which is read and
/// written.
constexpr double kCyclesOfL2 = 2;
constexpr double kCyclesOfL3 = 8;
constexpr double kPackCycles = 1;

std::int64_t whole(std::int64_t number, std::int64_t piece) {
  return std::max(number / piece, std::int64_t{1}) * piece;
}

std::optional<std::int64_t> constant(const Int& extent) {
  if (extent.is_constant()) return extent.value();
  return std::nullopt;
}

/// Whether so many rows are in registers at once, with a row of B and a factor.
bool fits(std::int64_t rows, std::int64_t vectors, const VectorRegisters& registers) {
  return rows * vectors + vectors + 1 <= registers.count;
}

std::int64_t vectors_of(const TileSize& tile, std::int64_t bytes,
                        const VectorRegisters& registers) {
  return (tile.columns * bytes + registers.bytes - 1) / registers.bytes;
}

/// The steps of a panel of B that takes half of the first-level cache beside a panel of A.
std::int64_t panel_steps(const Core& core, const TileSize& tile, std::int64_t bytes) {
  const std::int64_t rows = tile_height(tile, bytes, core.registers);
  const std::int64_t half = core.l1_bytes / 2 / (tile.columns * bytes);
  const std::int64_t both = core.l1_bytes / ((rows + tile.columns) * bytes);
  return std::min(whole(std::min(half, both), kStepPiece), kMostSteps);
}

/// Where a block of B is: beside a block of A in the second-level cache, or behind it in the third.
enum class Behind : std::uint8_t { kL2, kL3 };

/// A block of A that takes a quarter of the second-level cache and a block of B that takes half of
/// it, or one of A that takes half and one of B that takes half of the core's part of the third.
GemmBlocks blocks_in(const Core& core, const TileSize& tile, std::int64_t kc, std::int64_t bytes,
                     const Int& depth, Behind behind) {
  const std::int64_t steps = std::max(std::min(constant(depth).value_or(kc), kc), std::int64_t{1});
  const bool is_l2 = behind == Behind::kL2;
  const std::int64_t rows = core.l2_bytes / (is_l2 ? 4 : 2) / (steps * bytes);
  const std::int64_t columns =
      is_l2 ? 2 * rows
            : std::min(core.l3_bytes / 2, kMostBytes - core.l2_bytes / 2) / (steps * bytes);
  return {tile, kc, std::min(whole(rows, tile.rows), whole(kMostBlock, tile.rows)),
          std::min(whole(columns, tile.columns), whole(kMostBlock, tile.columns))};
}

/// The share of the core's multiply-adds that are done: the cycles that they take over those that
/// all takes, for each of them.
double share_of(const Core& core, const GemmBlocks& blocks, std::int64_t bytes,
                const std::array<Int, 3>& extents, Behind behind) {
  const auto real = [](std::int64_t number) { return static_cast<double>(number); };
  const auto least = [&](std::int64_t block, const Int& extent) {
    return real(std::max(std::min(block, constant(extent).value_or(block)), std::int64_t{1}));
  };
  const double columns = real(blocks.tile.columns);
  const double height = real(tile_height(blocks.tile, bytes, core.registers));
  const double vectors = real(vectors_of(blocks.tile, bytes, core.registers));
  const double done = height * vectors / real(core.multiply_adds);
  // No order of the instructions of a step is without a gap.
  const double chain = real(core.latency) + 1;
  const double step = std::max({done, (height + vectors) / real(core.loads), chain});
  const double moved = 2 * height * vectors / real(core.loads) + kTileCycles;
  const double line = real(bytes) / real(kLineBytes);
  const double cycles =
      (step + moved / least(blocks.kc, extents[2])) / (height * columns) +
      line * kCyclesOfL3 / least(blocks.kc, extents[2]) + line * kCyclesOfL2 / 8 / columns +
      line * (behind == Behind::kL2 ? kCyclesOfL2 : kCyclesOfL3) / least(blocks.mc, extents[0]) +
      kPackCycles / least(blocks.nc, extents[1]);
  const double share = done / (height * columns) / cycles;
  const auto there = constant(extents[1]);
  if (!there || *there <= 0) return share;
  return share * real(*there) / (std::ceil(real(*there) / columns) * columns);
}

/// How many elements of C a tile has for each that it loads.
double reuse(const TileSize& tile) {
  return static_cast<double>(tile.rows * tile.columns) /
         static_cast<double>(tile.rows + tile.columns);
}

Refusal refuse_tiles(std::string_view name, std::int64_t value, std::string_view reason) {
  return refuse("kernel.schedule", fmt::format("tiles cannot have {}={}: {}", name, value, reason));
}

/// The number that an option is set to, if it is.
Result<std::optional<std::int64_t>> said_number(const Options& said, const std::string& name,
                                                std::int64_t piece, std::int64_t most) {
  const auto found = said.find(name);
  if (found == said.end()) return std::nullopt;
  const double number = std::get<double>(found->second);
  if (!(number >= 1 && number <= static_cast<double>(most)) || number != std::floor(number)) {
    return refuse("kernel.schedule",
                  fmt::format("tiles cannot have {}={}: it must be an integer from 1 to {}", name,
                              number, most));
  }
  const auto value = static_cast<std::int64_t>(number);
  if (value % piece == 0) return value;
  return refuse_tiles(name, value, fmt::format("it must be a multiple of {}", piece));
}

}  // namespace

std::string to_string(const GemmBlocks& blocks) {
  return fmt::format("{} x {}, kc {}, mc {}, nc {}", blocks.tile.rows, blocks.tile.columns,
                     blocks.kc, blocks.mc, blocks.nc);
}

Options options_of(const GemmBlocks& blocks) {
  const auto number = [](std::int64_t value) { return OptionValue(static_cast<double>(value)); };
  return {{"rows", number(blocks.tile.rows)},
          {"columns", number(blocks.tile.columns)},
          {"kc", number(blocks.kc)},
          {"mc", number(blocks.mc)},
          {"nc", number(blocks.nc)}};
}

std::int64_t tile_height(const TileSize& tile, std::int64_t element_bytes,
                         const VectorRegisters& registers) {
  const std::int64_t vectors = vectors_of(tile, element_bytes, registers);
  for (std::int64_t height = tile.rows; height > 1; --height) {
    if (tile.rows % height == 0 && fits(height, vectors, registers)) return height;
  }
  return 1;
}

bool is_vector_cpu(const form::Machine& machine) {
  return std::ranges::any_of(machine.registers, [](const form::RegisterFile& file) {
    const bool is_of_cpu =
        file.name == "xmm" || file.name == "ymm" || file.name == "zmm" || file.name == "V";
    return is_of_cpu && file.bits.has_value();
  });
}

Core core_of(const form::Machine* machine) {
  Core core;
  if (machine == nullptr) {
    core.name = "most CPUs";
    return core;
  }
  core.name = machine->name;
  for (const form::RegisterFile& file : machine->registers) {
    // Of a matrix unit's registers and vectors, the vectors are what tiles are in.
    if (file.name == "tmm" || !file.bits) continue;
    core.registers = {file.bits->value / 8, file.count.value};
  }
  std::vector<std::string_view> assumed;
  if (const auto& units = machine->vector_units) {
    core.multiply_adds = units->multiply_adds.value;
    core.latency = units->latency.value;
    core.loads = units->loads.value;
  } else {
    assumed.emplace_back("2 multiply-adds and 2 loads in a cycle");
  }
  const auto read_cache = [&](std::string_view name, std::int64_t& bytes, std::string_view text) {
    const form::MachineMemory* cache = machine->memory(name);
    if (cache != nullptr && cache->bytes) {
      bytes = cache->bytes->value;
    } else {
      assumed.push_back(text);
    }
  };
  read_cache("L1", core.l1_bytes, "L1 of 32 KiB");
  read_cache("L2", core.l2_bytes, "L2 of 1 MiB");
  core.l2_bytes = std::min(core.l2_bytes, kMostBytes);
  if (const form::MachineMemory* cache = machine->memory("L3"); cache != nullptr && cache->bytes) {
    core.l3_bytes = cache->bytes->value / (cache->cores ? cache->cores->value : 1);
  }
  core.assumed = fmt::format("{}", fmt::join(assumed, ", "));
  return core;
}

std::vector<GemmCandidate> gemm_candidates(const form::Machine* machine, std::int64_t element_bytes,
                                           const std::array<Int, 3>& extents) {
  const Core core = core_of(machine);
  const std::int64_t line = kLineBytes / element_bytes;
  std::vector<GemmCandidate> candidates;
  for (std::int64_t lines = 1; lines <= kMostLines; ++lines) {
    for (std::int64_t rows = 1; rows <= kMostTileRows; ++rows) {
      TileSize tile{rows, lines * line};
      const std::int64_t vectors = vectors_of(tile, element_bytes, core.registers);
      if (!fits(rows, vectors, core.registers)) continue;
      const std::int64_t kc = panel_steps(core, tile, element_bytes);
      // Twice the rows, which machines with 32 registers have room for.
      if (machine == nullptr) tile.rows *= 2;
      if (machine == nullptr && tile_height(tile, element_bytes, core.registers) != rows) continue;
      for (const Behind behind : {Behind::kL2, Behind::kL3}) {
        if (behind == Behind::kL3 && core.l3_bytes == 0) continue;
        const GemmBlocks blocks = blocks_in(core, tile, kc, element_bytes, extents[2], behind);
        candidates.push_back({blocks, share_of(core, blocks, element_bytes, extents, behind)});
      }
    }
  }
  std::ranges::stable_sort(candidates, [](const GemmCandidate& a, const GemmCandidate& b) {
    return a.share != b.share ? a.share > b.share : reuse(a.blocks.tile) > reuse(b.blocks.tile);
  });
  return candidates;
}

Result<GemmBlocks> gemm_blocks(const Options& said, const form::Machine* machine,
                               std::int64_t element_bytes, const std::array<Int, 3>& extents) {
  const Core core = core_of(machine);
  const std::int64_t line = kLineBytes / element_bytes;
  HEDDLE_TRY(const auto rows, said_number(said, "rows", 1, kMostTileRows));
  HEDDLE_TRY(const auto columns, said_number(said, "columns", line, kMostLines * line));
  HEDDLE_TRY(const auto kc, said_number(said, "kc", 1, kMostBlock));
  GemmBlocks blocks = gemm_candidates(machine, element_bytes, extents).front().blocks;
  const TileSize tile{rows.value_or(blocks.tile.rows), columns.value_or(blocks.tile.columns)};
  if (tile != blocks.tile || kc) {
    const std::int64_t steps = kc.value_or(panel_steps(core, tile, element_bytes));
    blocks = blocks_in(core, tile, steps, element_bytes, extents[2], Behind::kL2);
  }
  HEDDLE_TRY(const auto mc, said_number(said, "mc", tile.rows, kMostBlock));
  HEDDLE_TRY(const auto nc, said_number(said, "nc", tile.columns, kMostBlock));
  blocks.mc = mc.value_or(blocks.mc);
  blocks.nc = nc.value_or(blocks.nc);
  return blocks;
}

}  // namespace heddle::kernel

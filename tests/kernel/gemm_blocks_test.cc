// Tiles and blocks of matrix products: what the model chooses for which machine, and what may be
// said of them.

#include "kernel/lower/gemm_blocks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/machine/machine.h"
#include "heddle/notation/kernel.h"

namespace heddle::kernel {
namespace {

const std::array<Int, 3> kUnknown = {Int::variable("M"), Int::variable("N"), Int::variable("K")};

std::string best(std::string_view machine, std::int64_t bytes) {
  const form::Machine* found = machine.empty() ? nullptr : machine::find(machine).value();
  return to_string(gemm_candidates(found, bytes, kUnknown).front().blocks);
}

TEST(GemmBlocks, AreThoseOfSixRowsOf256BitsTwiceForMostMachines) {
  EXPECT_EQ(best("", 4), "12 x 16, kc 256, mc 252, nc 512");
  EXPECT_EQ(best("", 8), "12 x 8, kc 256, mc 120, nc 256");
}

TEST(GemmBlocks, HaveTilesThatFillTheRegistersOfAMachine) {
  EXPECT_TRUE(best("haswell", 4).starts_with("6 x 16, kc 256,")) << best("haswell", 4);
  EXPECT_TRUE(best("zen3", 8).starts_with("6 x 8, kc 256,")) << best("zen3", 8);
  EXPECT_TRUE(best("skylake-sp", 4).starts_with("14 x 32, kc 128,")) << best("skylake-sp", 4);
  EXPECT_TRUE(best("neoverse-v2", 4).starts_with("6 x 16, kc 512,")) << best("neoverse-v2", 4);
}

// On every CPU of the catalogue, and on this one: rows of tiles are in registers at once, panels
// and blocks have room in their caches, and the shares are shares, the greatest first.
TEST(GemmBlocks, FitTheRegistersAndTheCachesOfEveryCpu) {
  std::vector<const form::Machine*> cpus = {&machine::host()};
  for (const form::Machine& machine : form::machines()) {
    if (is_vector_cpu(machine)) cpus.push_back(&machine);
  }
  ASSERT_GE(cpus.size(), 12U);
  for (const form::Machine* machine : cpus) {
    const Core core = core_of(machine);
    for (const std::int64_t bytes : {4, 8}) {
      const auto candidates = gemm_candidates(machine, bytes, kUnknown);
      ASSERT_FALSE(candidates.empty()) << machine->name;
      double last = 1;
      for (const auto& [blocks, share] : candidates) {
        const TileSize& tile = blocks.tile;
        EXPECT_EQ(tile_height(tile, bytes, core.registers), tile.rows) << to_string(blocks);
        EXPECT_LE(blocks.kc * tile.columns * bytes, core.l1_bytes / 2) << to_string(blocks);
        EXPECT_LE(blocks.mc * blocks.kc * bytes, core.l2_bytes / 2) << to_string(blocks);
        EXPECT_EQ(blocks.mc % tile.rows, 0) << to_string(blocks);
        EXPECT_EQ(blocks.nc % tile.columns, 0) << to_string(blocks);
        EXPECT_GT(share, 0) << machine->name << " " << to_string(blocks);
        EXPECT_LE(share, last) << machine->name << " " << to_string(blocks);
        last = share;
      }
    }
  }
}

TEST(GemmBlocks, AreThemselvesWhereAllOfThemIsSaid) {
  for (const GemmCandidate& each : gemm_candidates(nullptr, 4, kUnknown)) {
    const auto again = gemm_blocks(options_of(each.blocks), &machine::host(), 4, kUnknown);
    ASSERT_TRUE(again.has_value()) << again.error();
    EXPECT_EQ(*again, each.blocks);
  }
}

std::string read(std::string_view statement, Target target = Target::kCpu) {
  const auto kernel = notation::parse_kernel(
      "kernel f(A: f32[M,K], B: f32[K,N], C: f32[M,N]) launch cta 1, threads 64 { " +
          std::string(statement) + " }",
      "");
  if (!kernel) return kernel.error().code() + ": " + kernel.error().message();
  const auto program = lower(*kernel, options_for(target));
  if (!program) return program.error().code() + ": " + program.error().message();
  return program->choices.front().notes.front().text;
}

TEST(GemmBlocks, AreRefusedWhereTheyAreNoTilesOrNoNumbers) {
  EXPECT_EQ(read("gemm(C, A, B) using tiles(rows=6, columns=16, kc=256, mc=24, nc=32)"),
            "6 x 16; A is copied in blocks of 24 x 256, B is copied in blocks of 256 x 32");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(row=6)"),
            "kernel.option: schedule 'tiles' of gemm has no option 'row'");
  EXPECT_EQ(read("gemm(C, A, B) using fma(rows=6)"),
            "kernel.option: schedule 'fma' of gemm has no option 'rows'");
  EXPECT_EQ(read("copy(C, A) using vector(rows=6)"),
            "kernel.option: schedule 'vector' of copy has no option 'rows'");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(kc=\"all\")"),
            "kernel.option: option 'kc' of schedule 'tiles' is a number");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(rows=2, rows=2)"), "kernel.option: rows is set twice");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(rows=31)"),
            "kernel.schedule: tiles cannot have rows=31: it must be an integer from 1 to 30");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(kc=2.5)"),
            "kernel.schedule: tiles cannot have kc=2.5: it must be an integer from 1 to 1048576");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(columns=24)"),
            "kernel.schedule: tiles cannot have columns=24: it must be a multiple of 16");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(rows=6, mc=100)"),
            "kernel.schedule: tiles cannot have mc=100: it must be a multiple of 6");
  EXPECT_EQ(read("gemm(C, A, B) using tiles(rows=6)", Target::kCuda),
            "kernel.schedule: gemm has no schedule 'tiles'; it has fma");
}

TEST(TargetsOfKernels, HaveAMachineIfTheyAreCpus) {
  EXPECT_EQ(parse_target("cpu").value().machine, nullptr);
  EXPECT_EQ(parse_target("cpu:znver4").value().machine->name, "zen4");
  EXPECT_EQ(parse_target("cpu:host").value().machine, &machine::host());
  EXPECT_EQ(parse_target("cpu:z80").error().code(), "machine.unknown");
  EXPECT_EQ(parse_target("cpu:H100").error().message(),
            "cpu:H100: sm_90 is not a CPU with vector registers of 128, 256 or 512 bits");
  EXPECT_EQ(parse_target("metal").error().message(), "kernels are not written in 'metal'");
}

}  // namespace
}  // namespace heddle::kernel

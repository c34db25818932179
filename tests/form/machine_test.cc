// Machines and their instructions: names are unique, every number has its source, and what an
// instruction says of its sizes is what its fragments hold.

#include "heddle/form/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "heddle/form/instruction.h"

namespace heddle::form {
namespace {

std::string lower(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

TEST(Machines, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Machine& machine : machines()) {
    EXPECT_TRUE(names.insert(lower(machine.name)).second) << machine.name;
    for (const std::string_view alias : machine.aliases) {
      EXPECT_TRUE(names.insert(lower(alias)).second) << alias;
      EXPECT_EQ(find_machine(alias), &machine) << alias;
    }
  }
  EXPECT_GE(machines().size(), 35U);
}

TEST(Machines, FollowMachinesThatAreKnown) {
  for (const Machine& machine : machines()) {
    for (const std::string_view name : machine.predecessors) {
      const Machine* before = find_machine(name);
      ASSERT_NE(before, nullptr) << machine.name << " " << name;
      EXPECT_EQ(before->name, name);
      // What comes before a predecessor comes before the machine too.
      for (const std::string_view earlier : before->predecessors) {
        EXPECT_NE(std::ranges::find(machine.predecessors, earlier), machine.predecessors.end())
            << machine.name << " " << earlier;
      }
    }
  }
}

void expect_stated(const std::optional<Stated>& stated, std::string_view machine) {
  if (!stated) return;
  EXPECT_GT(stated->value, 0) << machine;
  EXPECT_FALSE(stated->source.empty()) << machine;
}

TEST(Machines, GiveTheSourceOfEveryNumber) {
  for (const Machine& machine : machines()) {
    EXPECT_FALSE(machine.source.empty()) << machine.name;
    for (const auto& sizes : {machine.lanes, machine.load_bytes}) {
      if (!sizes) continue;
      EXPECT_FALSE(sizes->source.empty()) << machine.name;
      EXPECT_TRUE(std::ranges::is_sorted(sizes->values)) << machine.name;
    }
    expect_stated(machine.threads_of_block, machine.name);
    for (const RegisterFile& registers : machine.registers) {
      expect_stated(registers.count, machine.name);
      expect_stated(registers.bits, machine.name);
    }
    if (const auto& units = machine.vector_units) {
      for (const Stated& stated : {units->multiply_adds, units->latency, units->loads}) {
        expect_stated(stated, machine.name);
      }
    }
    for (const MachineMemory& memory : machine.memories) {
      for (const auto& stated : {memory.bytes, memory.bytes_of_block, memory.banks,
                                 memory.bank_bytes, memory.rows, memory.row_bytes, memory.cores}) {
        expect_stated(stated, machine.name);
      }
    }
  }
}

TEST(Machines, HaveTheNumbersOfTheirDocuments) {
  const auto shared = [](std::string_view name) { return *find_machine(name)->memory("shared"); };
  EXPECT_EQ(shared("H100").bytes_of_block->value, 227 * 1024);
  EXPECT_EQ(shared("gfx950").banks->value, 64);
  EXPECT_EQ(find_machine("rx9070")->lanes->values, (std::vector<std::int64_t>{32, 64}));
  const MachineMemory& tensor = *find_machine("B200")->memory("tensor");
  EXPECT_EQ(tensor.rows->value * tensor.row_bytes->value, tensor.bytes->value);
  // nc_matmul's result has 512 elements of 4 bytes in one bank of each partition.
  for (const char* name : {"trn1", "trn2"}) {
    const MachineMemory& psum = *find_machine(name)->memory("PSUM");
    EXPECT_EQ(psum.banks->value * psum.bank_bytes->value, psum.row_bytes->value);
    EXPECT_EQ(psum.rows->value * psum.row_bytes->value, psum.bytes->value);
    EXPECT_EQ(psum.bank_bytes->value, 512 * 4);
  }
  EXPECT_EQ(find_machine("znver4")->memory("L2")->bytes->value, 1024 * 1024);
  EXPECT_EQ(find_machine("skx")->registers.front().bits->value, 512);
  EXPECT_EQ(find_machine("x86-64-v3")->memory("L1"), nullptr);
  EXPECT_EQ(find_machine("gfx942")->memory("tensor"), nullptr);
  EXPECT_EQ(find_machine("sm_91"), nullptr);
}

/// The size of a dimension in a fragment; 1 if it has none of that name.
std::int64_t size_of(const Fragment& fragment, std::string_view dim) {
  const auto index = fragment.dim(dim);
  return index ? fragment.dims()[*index].size : 1;
}

TEST(Instructions, AreOfKnownMachines) {
  for (const InstructionListing& listing : instruction_listings()) {
    const Machine* machine = find_machine(listing.machine);
    ASSERT_NE(machine, nullptr) << listing.name << " " << listing.machine;
    EXPECT_EQ(machine->name, listing.machine);
  }
}

TEST(Instructions, SayOfThemselvesWhatTheirListingSays) {
  for (const InstructionListing& listing : instruction_listings()) {
    const Instruction made = listing.make();
    EXPECT_EQ(made.name, listing.name);
    EXPECT_EQ(made.machine, listing.machine);
    EXPECT_EQ(made.lanes, listing.lanes) << listing.name;
    EXPECT_EQ(made.vector_bits, listing.vector_bits) << listing.name;
    EXPECT_FALSE(made.source.empty()) << listing.name;
    EXPECT_FALSE(made.operands.empty()) << listing.name;
  }
}

/// Of the machines without lanes, whose operands are whole matrices.
TEST(Instructions, HoldMatricesOfTheirShape) {
  for (const InstructionListing& listing : instruction_listings()) {
    const Instruction made = listing.make();
    const auto [m, n, k] = made.shape;
    for (const InstructionOperand& operand : made.operands) {
      if (made.lanes != 1 || !operand.fragment.dim("k")) continue;
      EXPECT_EQ(size_of(operand.fragment, "k"), k) << made.name;
      const bool is_a = operand.name == "A";
      EXPECT_EQ(size_of(operand.fragment, is_a ? "row" : "col"), is_a ? m : n) << made.name;
    }
  }
}

TEST(Instructions, AreFoundByTheNamesThatCompilersPrint) {
  const auto name_of = [](const char* name) { return find_instruction(name).value().name; };
  EXPECT_EQ(name_of("cute::MMA_Atom<cute::SM80_16x8x16_F32F16F16F32_TN>"),
            "SM80_16x8x16_F32F16F16F32_TN");
  EXPECT_EQ(name_of("SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>"),
            "SM90_64x128x16_F32F16F16_SS");
  EXPECT_EQ(name_of("SM100_MMA_F16BF16_SS<cutlass::half_t, cutlass::half_t, float, 128, 256, "
                    "(cute::UMMA::Major)0, (cute::UMMA::Major)0>"),
            "SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>");
  EXPECT_EQ(name_of("Copy_Atom<SM75_U32x4_LDSM_N, half_t>"), "SM75_U32x4_LDSM_N");
  EXPECT_EQ(name_of("_tile_dpbf16ps"), "TDPBF16PS");
  for (const char* name : {"", "<>", "MMA_Atom<>", "MMA_Atom<MMA_Atom<", "_tile_", "rocdl."}) {
    EXPECT_FALSE(find_instruction(name)) << name;
  }
  std::string nested;
  for (int i = 0; i < 100'000; ++i) nested += "MMA_Atom<";
  EXPECT_FALSE(find_instruction(nested + "x" + std::string(100'000, '>')));
}

TEST(Instructions, AreInheritedFromPredecessors) {
  const auto listings = find_listings("smmla", {.machine = "SME2"});
  ASSERT_EQ(listings.size(), 1U);
  EXPECT_EQ(listings.front()->machine, "arm-sve");
  EXPECT_TRUE(find_listings("fmopa", {.machine = "sve"}).empty());
  EXPECT_EQ(find_listings("dpas.8x8", {.machine = "BMG", .lanes = 16, .type = "bf16"}).size(), 1U);
  EXPECT_TRUE(find_listings("dpas.8x8", {.machine = "DG2", .lanes = 64}).empty());
}

}  // namespace
}  // namespace heddle::form

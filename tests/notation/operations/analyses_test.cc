// Analyses read index maps: a layout of any system is an access, or a memory.

#include "heddle/notation/analyses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/notation/evaluator.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

std::string evaluated(std::string_view text) {
  const Result<Value> value = evaluate(text);
  return value ? to_string(*value) : value.error().to_string();
}

/// The first line of what is found.
std::string verdict(std::string_view text) {
  const std::string all = evaluated(text);
  return all.substr(0, all.find('\n'));
}

TEST(AnalysesOfAnySystem, MemoryIsAnyMap) {
  // A column of 32 words, under one map in several notations: coordinates mean the same in each.
  const std::string column = "relation(\"{ [t] -> [t, 0] : 0 <= t < 32 }\")";
  for (const char* memory :
       {"(32,32):(32,1)", "S[(32,32):(32@m,1@m)]", "GroupBy([32,32])", "relation(GroupBy([32,32]))",
        "relation(\"{ [i, j] -> [32i + j] : 0 <= i < 32 and 0 <= j < 32 }\")"}) {
    EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 32)", column, memory)),
              "32-way bank conflicts: 32 wavefronts, ideally 1")
        << memory;
  }
  // Numbers of elements are in the order of the memory's system.
  EXPECT_EQ(verdict("bank_conflicts(32:32, GroupBy([32,32]), 32)"),
            "32-way bank conflicts: 32 wavefronts, ideally 1");
  EXPECT_EQ(verdict("bank_conflicts(32:32, (32,32):(1,32), 32)"),
            "32-way bank conflicts: 32 wavefronts, ideally 1");
  EXPECT_EQ(verdict("bank_conflicts(4:1, [0,32,64,1], 32)"),
            "3-way bank conflicts: 3 wavefronts, ideally 1");
  EXPECT_EQ(verdict("coalescing(32:1, GroupBy([32]), 32)"),
            "coalesced: 4 sectors of 32 bytes for 128 bytes");
}

TEST(AnalysesOfAnySystem, AccessesAreAnyMap) {
  const std::string memory = "(32,32):(32,1)";
  for (const char* access :
       {"relation(\"{ [t] -> [t, 0] : 0 <= t < 32 }\")", "S[(32):(1@m)]", "GroupBy([32])"}) {
    EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 32)", access, memory)),
              "32-way bank conflicts: 32 wavefronts, ideally 1")
        << access;
  }
}

/// An Axe layout of threads says which element is where; as an access it is turned round.
TEST(AnalysesOfAnySystem, AxeLayoutsOfThreadsAreTurnedRound) {
  const std::string axe = "S[(8,4,2):(4@laneid,1@laneid,1@reg)]";
  const std::string tv = "(32,2):(2,1)";
  const std::string memory = "64:1";
  EXPECT_EQ(evaluated(fmt::format("bank_conflicts({}, {}, 32)", axe, memory)),
            evaluated(fmt::format("bank_conflicts({}, {}, 32)", tv, memory)));
}

/// The buffer of a Needleman–Wunsch block: antidiagonals without conflicts, rows with some.
TEST(AnalysesOfAnySystem, AntidiagonalsOfABuffer) {
  const std::string walk = "relation(\"{ [t] -> [t, 32 - t] : 0 <= t < 32 }\")";
  const std::string row = "relation(\"{ [t] -> [16, t] : 0 <= t < 32 }\")";
  const std::string antidiagonal = "GroupBy([33,33]).OrderBy(GenP([33,33],antidiag))";
  EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, GroupBy([33,33]), 32)", walk)),
            "32-way bank conflicts: 32 wavefronts, ideally 1");
  EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 32)", walk, antidiagonal)),
            "no bank conflicts: 1 wavefront");
  EXPECT_NE(verdict(fmt::format("bank_conflicts({}, {}, 32)", row, antidiagonal)),
            "no bank conflicts: 1 wavefront");
}

TEST(AnalysesOfAnySystem, SwizzlesAreFoundForAnyMap) {
  const std::string accesses = "(32,1):(1,0), (32,1):(32,0)";
  for (const char* memory : {"S[(32,32):(32@m,1@m)]", "GroupBy([32,32])"}) {
    EXPECT_EQ(verdict(fmt::format("swizzle_search({}, 32, {})", memory, accesses)),
              "Sw<5,0,5>: 2 wavefronts instead of 33");
  }
  EXPECT_EQ(evaluated("find_swizzle(S[(32,32):(32@m,1@m)], 32, (32,1):(32,0))"),
            "SW(0,5,5) o S[(32,32):(32@m,1@m)]");
}

/// The memory may be left out, and then what follows has names: a number is not a memory.
TEST(Analyses, TakeNoWidthForTheMemory) {
  EXPECT_EQ(test::refusal(evaluate("coalescing(32:1, 32)")),
            "error call.arity: coalescing needs the argument 'element_bits', which is named, "
            "element_bits=…, where 'memory' is left out\n"
            "  hint: it is called as coalescing(access[, memory], element_bits[, max_bits=128][, "
            "alignment=128][, shape][, machine])");
  for (const char* call : {"coalescing(32:1, 32, 64)", "bank_conflicts(32:1, 32, 64)"}) {
    EXPECT_EQ(
        test::refusal(evaluate(call)),
        "error call.type: the memory is 32; a layout is needed\n"
        "  hint: element_bits=32: what follows a memory that is left out is given by its name");
  }
  EXPECT_TRUE(evaluate("coalescing(32:1, element_bits=32)"));
}

/// Every analysis takes the machine, whose waves have 64 lanes.
TEST(AnalysesOfAMachine, TakeWavesOf64Lanes) {
  const std::string wave = "(64,8):(1,64)";
  const std::string tile = "(64,64):(64,1)";
  EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 16, machine=\"gfx942\")", wave, tile)),
            "8-way bank conflicts: 64 wavefronts, ideally 8");
  const std::string found =
      evaluated(fmt::format("find_swizzle({}, 16, machine=\"gfx942\", {})", tile, wave));
  EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 16, machine=\"gfx942\")", wave, found)),
            "no bank conflicts: 8 wavefronts");
  EXPECT_NE(verdict(fmt::format("swizzle_search({}, 16, machine=\"gfx950\", {})", tile, wave))
                .find("4 wavefronts instead of 32"),
            std::string::npos);
  EXPECT_EQ(evaluate(fmt::format("find_swizzle({}, 16, machine=\"gfx950\", "
                                 "direction=\"write\", {})",
                                 tile, wave))
                .error()
                .code(),
            "analyze.machine");
  const std::string columns =
      R"(identity_1d(4, "register", "dim0") * identity_1d(64, "lane", "dim0"))";
  const std::string rows =
      R"(identity_1d(64, "lane", "dim0") * identity_1d(4, "register", "dim0"))";
  for (const char* operation : {"optimal_swizzle", "swizzle_costs", "conversion_class"}) {
    const std::string call = fmt::format("{}({}, {}, 32", operation, columns, rows);
    EXPECT_NE(evaluated(call + ")").find("64 lanes a warp; a warp has 32"), std::string::npos);
    EXPECT_TRUE(evaluate(call + ", machine=\"gfx90a\")")) << operation;
  }
  EXPECT_EQ(evaluate(fmt::format("swizzle_costs({}, {}, 32)", columns, rows)).error().hint(),
            "name the machine: machine=\"gfx942\" has 64 lanes");
  // Sectors of 32 bytes: 64 lanes of 4 bytes are one instruction of 8 sectors, not two of 4.
  const std::string report = evaluated("coalescing(64:1, element_bits=32, machine=\"gfx942\")");
  EXPECT_NE(report.find("instructions  1"), std::string::npos) << report;
  EXPECT_EQ(verdict(fmt::format("coalescing({}, element_bits=32, machine=\"rdna3\")", columns)),
            "coalesced: 32 sectors of 32 bytes for 1024 bytes");
  EXPECT_EQ(evaluate("coalescing(64:1, element_bits=32, machine=\"zen4\")").error().code(),
            "analyze.machine");
}

TEST(AnalysesOfTiledCopies, TakeTheSideThatAccessesTheMemory) {
  const std::string copy = "make_tiled_copy(universal_copy(128, 16), (16,8):(8,1), (1,8))";
  const std::string memory = "(16,64):(64,1)";
  for (const auto& [direction, side] : {std::pair("read", "layoutS_TV"), {"write", "layoutD_TV"}}) {
    EXPECT_EQ(evaluated(fmt::format("bank_conflicts({}, {}, 16, direction=\"{}\")", copy, memory,
                                    direction)),
              evaluated(fmt::format("bank_conflicts({}({}), {}, 16)", side, copy, memory)));
  }
  EXPECT_EQ(evaluated(fmt::format("swizzle_search({}, 16, {})", memory, copy)),
            evaluated(fmt::format("swizzle_search({}, 16, layoutS_TV({}))", memory, copy)));
  EXPECT_EQ(evaluate("bank_conflicts(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN), "
                     "(16,16):(16,1), 16)")
                .error()
                .hint(),
            "name it: layoutA_TV(MMA), layoutB_TV(MMA) or layoutC_TV(MMA)");
}

/// A swizzled layout prints as the encoding that Triton has for it.
TEST(AnalysesOfAnySystem, SwizzledLayoutsAreEncodings) {
  const std::string offsets = R"({"ins":[["offset",[[1],[2]]],["block",[]]],"outs":[["dim0",4]]})";
  EXPECT_EQ(evaluated("SharedLinearLayout(" + offsets + ")"),
            "#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>");
  const std::string swizzled = "Sw<1,0,1> o 0 o (2,2):(2,1)";
  EXPECT_EQ(evaluated("SharedLinearLayout(" + swizzled + ")"),
            "#ttg.shared_linear<{offset = [[0, 1], [1, 1]]}, alignment = 16>");
  EXPECT_EQ(evaluated("to_linear(SharedLinearLayout(" + offsets + "), [4])"),
            evaluated("LinearLayout([[\"offset\", [[1],[2]]], [\"block\", []]], [[\"dim0\", 4]])"));
  EXPECT_EQ(evaluate("SharedLinearLayout(identity_1d(4, \"lane\", \"dim0\"))").error().code(),
            "encoding.field");
}

TEST(MatricesOfAnySystem, AreThoseOfTheSameLinearLayouts) {
  const std::string shared =
      "!ttg.memdesc<16x16xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 1, order = "
      "[1, 0]}>, #smem>";
  const std::string left =
      "tensor<16x16xf16, #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, "
      "versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>, kWidth = 2}>>";
  const std::string fragment = "((4,8),(2,2,2)):((32,1),(16,8,128))";
  for (const char* operation : {"ldmatrix", "ldmatrix_trans"}) {
    for (const char* memory : {"(16,16):(16,1)", "S[(16,16):(16@m,1@m)]"}) {
      const std::string own = memory[0] == 'S' ? left : fragment;
      EXPECT_EQ(verdict(fmt::format("{}({}, {}, 16)", operation, own, memory)).substr(0, 12),
                verdict(fmt::format("{}({}, {}, 16)", operation, left, shared)).substr(0, 12))
          << operation << memory;
    }
  }
  EXPECT_EQ(verdict(fmt::format("ldmatrix({}, (16,16):(16,1), 16)", fragment)),
            verdict(fmt::format("ldmatrix({}, {}, 16)", left, shared)));
  EXPECT_EQ(verdict("ldmatrix((32,3):(1,32), (16,16):(16,1), 16)"),
            "error analyze.no_matrix: the access has 32 threads of 3 values; ldmatrix moves powers "
            "of two");
  EXPECT_EQ(verdict("ldmatrix((32,2):(1,32), (64):(3), 16)"),
            "error analyze.no_matrix: the access is not linear in the bits of thread and value, as "
            "ldmatrix needs");
}

// A memory alone has the usual access.

TEST(AnalysesOfAMemoryAlone, AreOfTheUsualAccess) {
  const std::string buffer =
      "!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = "
      "[1, 0]}>, #smem>";
  for (const std::string& memory : {std::string("Sw<3,3,3> o 0 o (64,64):(64,1)"), buffer}) {
    for (const char* operation : {"bank_conflicts", "coalescing"}) {
      const std::string access = fmt::format("{}((32,8):(1,64), {}, 16)", operation, memory);
      const std::string alone =
          evaluated(fmt::format("{}({}, element_bits=16)", operation, memory));
      EXPECT_EQ(alone, evaluated(access) +
                           "\n  access        ((32,1),8):((1,512),64), assumed for the memory: "
                           "lanes down, 16 bytes each along")
          << memory;
    }
    const std::string drawn = evaluated(fmt::format("bank_picture({}, element_bits=16)", memory));
    EXPECT_NE(drawn.find("access ((32,1),8):((1,512),64), assumed"), std::string::npos) << drawn;
  }
}

TEST(AnalysesOfAMemoryAlone, StayWithinTheMemory) {
  for (const char* memory : {"Sw<3,3,3>", "Sw<3,3,3> o 0 o (8,64):(64,1)", "Sw<1,0,2> o 0 o 8:1",
                             "Sw<2,0,2> o 0 o (2,3,8):(24,8,1)", "Sw<2,0,3> o 0 o (4,6):(8,1)"}) {
    for (const int bits : {8, 32, 128}) {
      const std::string found =
          evaluated(fmt::format("bank_conflicts({}, element_bits={})", memory, bits));
      EXPECT_NE(found.find("assumed for the memory"), std::string::npos) << memory << found;
    }
  }
  EXPECT_EQ(evaluated("bank_conflicts((32,8):(1,64), element_bits=16)").find("assumed"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::notation

// The models of warp instructions, held against the formulas of PTX's manual.

#include "checker/collectives.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "heddle/form/instruction.h"
#include "heddle/kernel/dtype.h"
#include "kernel/source/intrinsics.h"

namespace heddle::checker {
namespace {

using kernel::DType;

/// The registers of a warp: of each lane as many of 32 bits as any instruction has.
struct Registers {
  std::array<std::array<std::uint32_t, 32>, 32> lanes{};

  template <class Element>
  void set(int lane, int element, Element value) {
    std::memcpy(reinterpret_cast<char*>(lanes[static_cast<std::size_t>(lane)].data()) +
                    static_cast<std::size_t>(element) * sizeof value,
                &value, sizeof value);
  }
  template <class Element>
  [[nodiscard]] Element get(int lane, int element) const {
    Element value;
    std::memcpy(&value,
                reinterpret_cast<const char*>(lanes[static_cast<std::size_t>(lane)].data()) +
                    static_cast<std::size_t>(element) * sizeof value,
                sizeof value);
    return value;
  }
};

struct Warp {
  Registers a, b, c, d;
  std::array<unsigned, 32> index{};
  int selector = 0;

  void multiply(const std::string& name) {
    std::array<HeddleCollective, 32> brought{};
    std::array<const HeddleCollective*, 32> lanes{};
    for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
      brought[lane] = {kHeddleMultiply,
                       ~0U,
                       selector,
                       0,
                       d.lanes[lane].data(),
                       a.lanes[lane].data(),
                       b.lanes[lane].data(),
                       c.lanes[lane].data(),
                       name.c_str(),
                       index[lane]};
      lanes[lane] = &brought[lane];
    }
    perform(lanes);
  }
};

int left(int i, int k) { return (5 * i + 3 * k) % 11 - 5; }
int right(int k, int j) { return (2 * k + 7 * j) % 9 - 4; }
int sum_of(int i, int j, int depth) {
  int sum = i - j;
  for (int k = 0; k != depth; ++k) sum += left(i, k) * right(k, j);
  return sum;
}

// PTX ISA, "Matrix fragments for mma.m16n8k32": groupID = lane / 4.
TEST(MatrixInstructions, OfBytesAreThoseOfPtxsManual) {
  Warp warp;
  for (int lane = 0; lane != 32; ++lane) {
    const int group = lane / 4;
    for (int i = 0; i != 16; ++i) {
      const int row = group + (i % 8 < 4 ? 0 : 8);
      const int col = lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16);
      warp.a.set(lane, i, static_cast<std::int8_t>(left(row, col)));
    }
    for (int i = 0; i != 8; ++i) {
      const int row = lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16);
      warp.b.set(lane, i, static_cast<std::int8_t>(right(row, group)));
    }
    for (int i = 0; i != 4; ++i) {
      warp.c.set(lane, i, group + (i < 2 ? 0 : 8) - (lane % 4 * 2 + (i & 1)));
    }
  }
  warp.multiply("mma_m16n8k32_s32_s8_s8_s32");
  for (int lane = 0; lane != 32; ++lane) {
    for (int i = 0; i != 4; ++i) {
      EXPECT_EQ(warp.d.get<int>(lane, i),
                sum_of(lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1), 32));
    }
  }
}

// "Matrix fragments for mma.m8n8k4 with .f64": one element of A and of B in a lane.
TEST(MatrixInstructions, OfDoublesAreThoseOfPtxsManual) {
  Warp warp;
  for (int lane = 0; lane != 32; ++lane) {
    warp.a.set(lane, 0, double(left(lane / 4, lane % 4)));
    warp.b.set(lane, 0, double(right(lane % 4, lane / 4)));
    for (int i = 0; i != 2; ++i) warp.c.set(lane, i, double(lane / 4 - (lane % 4 * 2 + i)));
  }
  warp.multiply("mma_m8n8k4_f64_f64_f64_f64");
  for (int lane = 0; lane != 32; ++lane) {
    for (int i = 0; i != 2; ++i) {
      EXPECT_EQ(warp.d.get<double>(lane, i), sum_of(lane / 4, lane % 4 * 2 + i, 4));
    }
  }
}

// "Sparse matrix storage": of every four elements of A two are stored, here the second and fourth
// in even rows, the first and third in odd ones.
TEST(MatrixInstructions, OfSparseHalvesTakeTheElementsThatTheIndexNames) {
  Warp warp;
  const auto half = [](int value) {
    return static_cast<std::uint16_t>(kernel::encode(DType::kF16, kernel::Number(double(value))));
  };
  const auto kept = [](int row, int nth) { return 2 * nth + (row % 2 == 0 ? 1 : 0); };
  for (int lane = 0; lane != 32; ++lane) {
    const int group = lane / 4;
    // a0, a1 are of span lane % 4 of row `group`, a2, a3 of row + 8, a4 to a7 four spans further
    // on.
    for (int i = 0; i != 8; ++i) {
      const int row = group + (i / 2 % 2 == 0 ? 0 : 8);
      const int span = lane % 4 + (i < 4 ? 0 : 4);
      warp.a.set(lane, i, half(left(row, 4 * span + kept(row, i % 2))));
    }
    // The B of mma.m16n8k32 with 16 bits: b0 to b7 of column `group`.
    for (int i = 0; i != 8; ++i) {
      warp.b.set(lane, i, half(right(lane % 4 * 2 + (i & 1) + i / 2 * 8, group)));
    }
    // Selector 1: the last two lanes of each quad have the index: 16 columns of row `group` in the
    // low bits, of row + 8 in the high ones. The others have nothing that means anything.
    const unsigned codes = group % 2 == 0 ? 0xdddd : 0x8888;
    warp.index[static_cast<std::size_t>(lane)] = lane % 4 < 2 ? 0xffffffff : codes << 16 | codes;
  }
  warp.selector = 1;
  warp.multiply("mma_sp_m16n8k32_f32_f16_f16_f32");
  for (int lane = 0; lane != 32; ++lane) {
    for (int i = 0; i != 4; ++i) {
      const int row = lane / 4 + (i < 2 ? 0 : 8);
      const int column = lane % 4 * 2 + (i & 1);
      int sum = 0;
      for (int k = 0; k != 32; ++k) {
        if (k % 2 == kept(row, 0)) sum += left(row, k) * right(k, column);
      }
      EXPECT_EQ(warp.d.get<float>(lane, i), float(sum)) << row << ", " << column;
    }
  }
}

// Where all elements are 1, a product is the number of elements along K that A has.
TEST(MatrixInstructions, AllAddTheProductsAlongK) {
  int count = 0;
  for (const kernel::Intrinsic& each : kernel::intrinsics()) {
    if (each.instruction == nullptr) continue;
    const form::Instruction instruction = each.instruction->make();
    const auto type = [](const std::string& name) {
      if (name == "s32") return DType::kI32;
      if (name.starts_with('s')) return name == "s8" ? DType::kI8 : DType::kI4;
      return kernel::find_dtype(name).value_or(DType::kU8);
    };
    Warp warp;
    for (auto& [registers, name] : {std::pair{&warp.a, "A"}, std::pair{&warp.b, "B"}}) {
      const form::InstructionOperand& operand = *instruction.operand(name);
      std::uint64_t one =
          operand.bits == 1 ? 1 : kernel::encode(type(operand.type), kernel::Number(1.0));
      for (int bits = operand.bits; bits < 64; bits *= 2) one |= one << bits;
      for (int lane = 0; lane != 32; ++lane) {
        for (int i = 0; i != 16; ++i) registers->set(lane, i, one);
      }
    }
    warp.index.fill(0x44444444);
    warp.multiply(each.name);
    const form::InstructionOperand& d = *instruction.operand("D");
    std::uint64_t bits = 0;
    std::memcpy(&bits, warp.d.lanes[7].data(), static_cast<std::size_t>(d.bits) / 8);
    const kernel::Number found = kernel::decode(type(d.type), bits);
    const double k = double(instruction.shape[2]) / (each.name.starts_with("mma_sp") ? 2 : 1);
    EXPECT_EQ(found.is_real ? found.real : double(found.integer),
              each.name.ends_with("_xor_popc") ? 0 : k)
        << each.name;
    ++count;
  }
  EXPECT_GT(count, 120);
}

}  // namespace
}  // namespace heddle::checker

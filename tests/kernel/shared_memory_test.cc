// Shared memory: how tensors without a layout are laid out, and where they lie.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/analyze/find_swizzle.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"
#include "kernel/lower/shared_layout.h"
#include "kernel/lower/shared_traffic.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

/// The explanation of the statement that begins like this.
std::string explained(const ThreadProgram& program, std::string_view statement) {
  const std::string text = explanation(program);
  const std::size_t begin = text.find("\n" + std::string(statement));
  if (begin == std::string::npos) return "no such statement in\n" + text;
  const std::size_t end = text.find("\n\n", begin);
  return text.substr(begin + 1, end == std::string::npos ? end : end - begin);
}

std::string transpose(std::string_view layout, std::string_view assumed = "") {
  return "kernel transpose(A: f32[M,N], B: f32[N,M])\n" + std::string(assumed) +
         "  launch cta ((M + 31) // 32, (N + 31) // 32), threads 256\n{\n"
         "  shared tile: f32[32,32]" +
         std::string(layout) +
         "\n  copy(tile, A[32*bx : +32, 32*by : +32])\n"
         "  copy(B[32*by : +32, 32*bx : +32], tile.T)\n}\n";
}

/// The cost of all accesses of a buffer, where the program puts its elements.
BankCost cost_in(const ThreadProgram& program, const std::string& buffer, DType type) {
  return bank_cost(shared_traffic(program).at(buffer).accesses, type,
                   [](std::int64_t address) { return address; });
}

TEST(SharedLayouts, OfATransposedTileHaveNoConflicts) {
  const auto program = lowered(transpose(""));
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_EQ(explained(*program, "shared tile"),
            "shared tile: f32[32,32]\n"
            "  taken      SW(0,5,5) o S[(32,32):(32@m,1@m)]: 64 wavefronts, no bank conflicts\n"
            "  not taken  row-major: 1056 wavefronts, 32-way bank conflicts\n"
            "  not taken  S[(32,32):(33@m,1@m)]: 64 wavefronts, no bank conflicts, and 124 bytes "
            "more\n");
  // 32 words are written, and read, at once by each of 32 warps.
  EXPECT_EQ(cost_in(*program, "tile", DType::kF32), (BankCost{64, 64, 64, 1}));
}

TEST(SharedLayouts, KeepVectorsTogether) {
  const auto program = lowered(transpose("", "  assume M % 4 == 0, N % 4 == 0\n"));
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_EQ(explained(*program, "shared tile"),
            "shared tile: f32[32,32]\n"
            "  taken      SW(2,3,3) o S[(32,32):(32@m,1@m)]: 160 wavefronts, 4-way bank conflicts; "
            "vectors of 128 bits stay together\n"
            "  not taken  row-major: 1056 wavefronts, 32-way bank conflicts\n"
            "  not taken  S[(32,32):(36@m,1@m)]: 160 wavefronts, 4-way bank conflicts, and 496 "
            "bytes more\n");
  EXPECT_EQ(explained(*program, "copy(tile"),
            "copy(tile, A[32*bx : +32, 32*by : +32])\n"
            "  taken      vector of 128 bits   cost 2\n"
            "  spread     dimension 0: 32 threads; dimension 1: 4 in turn, 8 threads\n");
}

TEST(SharedLayouts, ThatAreWrittenAreKept) {
  const auto program = lowered(transpose(" = S[(32,32):(32,1)]"));
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_EQ(explanation(*program).find("shared tile"), std::string::npos);
  EXPECT_EQ(cost_in(*program, "tile", DType::kF32), (BankCost{64, 1056, 64, 32}));
}

TEST(SharedLayouts, AreRowMajorWhereTheMemoryIsReadInAnotherWay) {
  const auto kernel = [](const std::string& read) {
    return "kernel f(A: f32[32,32], B: f32[32,32]) launch cta 1, threads 32 {\n"
           "  shared tile: f32[32,32]\n  copy(tile, A)\n  copy(B, tile.T)\n" +
           read + "}\n";
  };
  const auto relaid = lowered(kernel("  copy(B, tile.relayout((32,32):(1,32)))\n"));
  ASSERT_TRUE(relaid.has_value()) << relaid.error();
  EXPECT_EQ(explained(*relaid, "shared tile"),
            "shared tile: f32[32,32]\n"
            "  taken      row-major: its memory is read in another way too\n");
  const auto unchecked = lowered(kernel("  unchecked cuda \"__nanosleep(20);\"\n"));
  ASSERT_TRUE(unchecked.has_value()) << unchecked.error();
  EXPECT_EQ(explained(*unchecked, "shared tile"),
            "shared tile: f32[32,32]\n"
            "  taken      row-major: a text of the target may read its memory\n");
}

TEST(SharedLayouts, AreRowMajorWhereAddressesDependOnData) {
  const auto program = lowered(
      "kernel f(A: f32[32,32], I: i32[32], B: f32[32,32]) launch cta 1, threads 32 {\n"
      "  shared tile: f32[32,32]\n  copy(tile, A)\n  gather(B, tile, I, axis=0)\n}\n");
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_EQ(explained(*program, "shared tile"),
            "shared tile: f32[32,32]\n"
            "  taken      row-major: the address 32*index+4*(tx%8) depends on data\n");
}

/// The wavefronts of the best swizzle, or padding of rows, that analyze finds.
std::int64_t least_wavefronts(const SharedTraffic& traffic, std::int64_t rows, std::int64_t columns,
                              int element_bits) {
  std::vector<form::IndexMap> accesses;
  for (const auto& [access, times] : traffic.accesses) {
    const auto& lanes = access.lanes;
    const form::IndexMap map(
        {Int(lanes.size()), Int(access.width)}, form::FlatOrder::kFirstFastest, {Axis::memory()},
        [lanes](std::span<const Int> point) {
          return std::vector<Int>{lanes[static_cast<std::size_t>(point[0].value())] + point[1]};
        });
    for (std::int64_t i = 0; i != times; ++i) accesses.push_back(map);
  }
  const auto layout =
      cute::Layout::make(Profile::flat(2), cute::Layout::Extents{Int(columns), Int(rows)},
                         cute::Layout::Strides{cute::Stride(1), cute::Stride(columns)});
  const auto search = analyze::find_swizzle(*layout, accesses, element_bits);
  EXPECT_TRUE(search.has_value()) << search.error();
  std::int64_t least = search->swizzled.wavefronts();
  if (search->padded) least = std::min(least, search->padded->wavefronts());
  return least;
}

TEST(SharedLayouts, AreAsGoodAsAnySwizzleOrPadding) {
  std::mt19937 random(7);
  const auto one_of = [&](const auto& list) { return list[random() % list.size()]; };
  int improved = 0;
  for (int i = 0; i != 12; ++i) {
    const std::int64_t rows = one_of(std::vector{8, 16, 32});
    const std::int64_t columns = one_of(std::vector{16, 32, 64});
    const DType type = one_of(std::vector{DType::kF32, DType::kF16, DType::kF64});
    const auto text = [&](bool is_plain) {
      const std::string shape = std::to_string(rows) + "," + std::to_string(columns);
      const std::string t(name_of(type));
      return "kernel f(A: " + t + "[" + shape + "], B: " + t + "[" + std::to_string(columns) + "," +
             std::to_string(rows) + "]) launch cta 1, threads " + std::to_string(32 << (i % 3)) +
             " {\n  shared X: " + t + "[" + shape + "]" +
             (is_plain ? " = S[(" + shape + "):(" + std::to_string(columns) + ",1)]" : "") +
             "\n  copy(X, A)" + (i % 2 == 0 ? " using element" : "") + "\n  copy(B, X.T)\n}\n";
    };
    const auto plain = lowered(text(true));
    const auto chosen = lowered(text(false));
    ASSERT_TRUE(plain.has_value() && chosen.has_value()) << text(false);
    const BankCost before = cost_in(*plain, "X", type);
    const BankCost after = cost_in(*chosen, "X", type);
    EXPECT_EQ(after.accesses, before.accesses) << text(false);
    EXPECT_EQ(after.wavefronts, least_wavefronts(shared_traffic(*plain).at("X"), rows, columns,
                                                 static_cast<int>(bits(type))))
        << text(false) << explanation(*chosen);
    improved += after.wavefronts < before.wavefronts ? 1 : 0;
  }
  EXPECT_GT(improved, 6);
}

TEST(SharedLayouts, CountLongAtomsElementByElement) {
  const auto program = lowered(
      "instruction long_rows(D: f32[64] shared, S: f32[64] global) for copy\n  aligned 4\n"
      "  cuda \"for (int i = 0; i < 64; ++i) {D}[i] = {S}[i];\"\n"
      "kernel k(A: f32[32,64], B: f32[32,64]) launch cta 1, threads 32 {\n"
      "  shared T: f32[32,64]\n  copy(T, A) using long_rows\n  copy(B, T)\n}\n");
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_NE(explanation(*program).find("row-major"), std::string::npos);
}

TEST(SharedLayouts, CountLoopsOfAnyLength) {
  const auto program = lowered(
      "kernel k(A: f32[N], B: f32[N]) launch cta 1, threads 64 {\n  shared S: f32[32,32]\n"
      "  for i in 2000000000 { for j in 2000000000 { for k in 2000000000 {\n"
      "    S[:, 0] = A[0 : +32]; B[0 : +32] = S[0]\n  } } }\n}\n");
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_EQ(explanation(*program).find(" -"), std::string::npos) << explanation(*program);
}

TEST(SharedMemory, HasNoRoomForLayoutsThatReachFar) {
  const auto program = lowered(
      "kernel k(A: f32[2]) launch cta 1, threads 32 {\n"
      "  shared T: f32[2] = S[(2):(4611686018427387904@m)]\n  copy(T, A)\n}\n");
  EXPECT_EQ(test::refusal(program).substr(0, 20), "error kernel.shared:") << test::refusal(program);
}

TEST(SharedMemory, NamesTheLargestOfManyTensors) {
  std::string text = "kernel k(A: f32[8192]) launch cta 1, threads 32 {\n";
  for (int i = 1; i <= 10; ++i) text += fmt::format("  shared T{0}: f32[{1}]\n", i, i * 1024);
  for (int i = 1; i <= 10; ++i) text += fmt::format("  T{}[0] = A[0]\n", i);
  for (int i = 1; i <= 10; ++i) text += fmt::format("  A[0] = T{}[0]\n", i);
  const std::string refusal = test::refusal(lowered(text + "}\n"));
  EXPECT_NE(refusal.find("(T10: 40960, T9: 36864, "), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("T3: 12288 and 2 more)"), std::string::npos) << refusal;
}

TEST(SharedMemory, OfExchangesIsNotThatOfTensorsOfTheirNames) {
  const auto program = lowered(
      "kernel k(A: f32[64], B: f32[64]) launch cta 1, threads 64 {\n"
      "  shared exchange_f32: f32[64]\n  copy(exchange_f32, A)\n  reg t: f32[]\n"
      "  reduce(t, A, op=\"sum\", axis=0)\n  B = exchange_f32 + t\n}\n");
  ASSERT_TRUE(program.has_value()) << program.error();
  ASSERT_EQ(program->shared.size(), 2U);
  EXPECT_NE(program->shared[0].name, program->shared[1].name);
}

// --- where they lie ------------------------------------------------------------------------------

/// What happens to shared memory, one after the other: a buffer is touched, or (an empty name) all
/// threads wait. Loops run this often, and branches go this way.
struct Trace {
  const ThreadProgram& program;
  int iterations = 1;
  bool takes_branch = true;
  std::vector<std::string> events = {};

  void touch(const std::string& buffer) {
    if (std::ranges::find(program.shared, buffer, &Buffer::name) != program.shared.end()) {
      events.push_back(buffer);
    }
  }
  void add(const Computation& value) {
    if (const auto* load = std::get_if<Computation::Load>(&value.node)) touch(load->from.buffer);
    for (const Computation& operand : value.operands) add(operand);
  }
  void add(const ThreadBlock& block) {
    for (const ThreadStatement& statement : block) {
      const auto& node = statement.node;
      if (const auto* store = std::get_if<StoreElement>(&node)) {
        add(store->value);
        touch(store->to.buffer);
      } else if (const auto* applied = std::get_if<kernel::ApplyInstruction>(&node)) {
        for (const kernel::Location& place : applied->places) touch(place.buffer);
      } else if (const auto* atomic = std::get_if<AtomicAdd>(&node)) {
        add(atomic->value);
        touch(atomic->to.buffer);
      } else if (const auto* define = std::get_if<Define>(&node)) {
        add(define->value);
      } else if (std::holds_alternative<Barrier>(node)) {
        events.emplace_back();
      } else if (const auto* loop = std::get_if<ThreadLoop>(&node)) {
        for (int i = 0; i != iterations; ++i) add(loop->body);
      } else if (const auto* repeated = std::get_if<ThreadWhile>(&node)) {
        add(repeated->condition);
        for (int i = 0; i != iterations; ++i) {
          add(repeated->body);
          add(repeated->condition);
        }
      } else if (const auto* guarded = std::get_if<Guarded>(&node)) {
        add(takes_branch ? guarded->body : guarded->otherwise);
      } else if (const auto* branch = std::get_if<ThreadBranch>(&node)) {
        add(branch->condition);
        add(takes_branch ? branch->then : branch->otherwise);
      }
    }
  }
};

/// Two buffers with bytes in common that are touched with no barrier between; empty if there are
/// none.
std::string clash(const ThreadProgram& program) {
  std::map<std::string, const Buffer*> buffers;
  for (const Buffer& buffer : program.shared) {
    buffers[buffer.name] = &buffer;
    EXPECT_EQ(buffer.offset % 16, 0);
    EXPECT_LE(buffer.offset + planned_bytes(buffer), program.shared_bytes);
  }
  const auto overlap = [&](const std::string& a, const std::string& b) {
    const Buffer& one = *buffers.at(a);
    const Buffer& other = *buffers.at(b);
    return a != b && one.offset < other.offset + planned_bytes(other) &&
           other.offset < one.offset + planned_bytes(one);
  };
  for (const int iterations : {0, 1, 2}) {
    for (const bool takes_branch : {true, false}) {
      Trace trace{program, iterations, takes_branch};
      trace.add(program.body);
      std::set<std::string> since;
      for (const std::string& event : trace.events) {
        if (event.empty()) since.clear();
        if (event.empty()) continue;
        for (const std::string& other : since) {
          if (overlap(event, other)) return other + " and " + event;
        }
        since.insert(event);
      }
    }
  }
  return {};
}

/// Tensors that are filled and read one after the other, some in loops, some again later.
std::string phases(std::mt19937& random) {
  const auto one_of = [&](const std::vector<std::string>& list) {
    return list[random() % list.size()];
  };
  std::string text =
      "kernel phases(A: i32[64], B: i32[64]) launch cta 1, threads 64 {\n"
      "  reg x: i32[64]\n  copy(x, A)\n  reg s: i32[]\n";
  std::vector<std::string> names;
  const std::size_t count = 2 + random() % 5;
  for (std::size_t i = 0; i != count; ++i) {
    const std::string name = "S" + std::to_string(i);
    const bool is_loop = random() % 4 == 0;
    const std::string type = one_of({"i32", "i16", "i64"});
    std::string body = "  shared " + name + ": " + type + "[64]\n  " + name + " = x + " +
                       std::to_string(i) + "\n  x = x + " + name + ".reshape(8,8).T.reshape(64)\n";
    if (random() % 3 == 0) body += "  reduce(s, x, op=\"sum\", axis=0)\n  x = x + s % 7\n";
    if (random() % 3 != 0) body += "  barrier()\n";
    text += is_loop ? "  for k" + std::to_string(i) + " in 2 {\n" + body + "  }\n" : body;
    if (!is_loop) names.push_back(name);
    if (!names.empty() && random() % 4 == 0) text += "  x = x + " + one_of(names) + "[3]\n";
    if (random() % 4 == 0) text += "  barrier()\n";
  }
  return text + "  copy(B, x)\n}\n";
}

TEST(SharedPlaces, OfBuffersInUseAtOnceAreApart) {
  std::mt19937 random(11);
  int sharing = 0;
  for (int i = 0; i != 300; ++i) {
    const std::string text = phases(random);
    const auto program = lowered(text);
    ASSERT_TRUE(program.has_value()) << program.error() << text;
    EXPECT_EQ(clash(*program), "") << text << explanation(*program);
    sharing += has_shared_places(*program) ? 1 : 0;
  }
  EXPECT_GT(sharing, 60);
}

/// Two tensors of this many bytes, one after the other.
std::string two(std::int64_t bytes, std::string_view between = "") {
  const std::string n = std::to_string(bytes / 4);
  return "kernel two(A: f32[" + n + "], B: f32[" + n +
         "]) launch cta 1, threads 128 {\n"
         "  shared S: f32[" +
         n + "]\n  copy(S, A)\n  copy(B, S)\n" + std::string(between) + "  shared T: f32[" + n +
         "]\n  copy(T, A)\n  copy(B, T)\n}\n";
}

std::ptrdiff_t barriers(const ThreadProgram& program) {
  return std::ranges::count_if(program.body, [](const ThreadStatement& statement) {
    return std::holds_alternative<Barrier>(statement.node);
  });
}

TEST(SharedPlaces, AreSharedAcrossABarrier) {
  const auto apart = lowered(two(1024));
  const auto shared = lowered(two(1024, "  barrier()\n"));
  ASSERT_TRUE(apart.has_value() && shared.has_value());
  EXPECT_EQ(apart->shared_bytes, 2048);
  EXPECT_EQ(shared->shared_bytes, 1024);
  EXPECT_EQ(explanation(*shared).substr(0, explanation(*shared).find("\n\n")),
            "two: 128 threads a block, 1024 bytes of shared memory\n"
            "  shared     S: bytes 0 to 1023\n"
            "  shared     T: bytes 0 to 1023");
}

TEST(SharedPlaces, GetABarrierOnlyWhereTheKernelDoesNotFitWithout) {
  const auto fits = lowered(two(24 << 10));
  const auto does_not = lowered(two(48 << 10));
  ASSERT_TRUE(fits.has_value() && does_not.has_value());
  EXPECT_EQ(fits->shared_bytes, 48 << 10);
  EXPECT_EQ(does_not->shared_bytes, 48 << 10);
  EXPECT_EQ(barriers(*does_not), barriers(*fits) + 1);
  EXPECT_EQ(clash(*does_not), "");
}

TEST(SharedPlaces, AreNotSharedWithATextOfTheTarget) {
  const auto program = lowered(two(1024, "  barrier()\n  unchecked cuda \"S[0] = 1;\"\n"));
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_EQ(program->shared_bytes, 2048);
}

}  // namespace
}  // namespace heddle::kernel

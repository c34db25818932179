// Kernels over devices: how they are written, what they mean, how they are planned, and what is
// refused.

#include "heddle/kernel/devices.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/distribute/plan.h"
#include "heddle/kernel/check.h"
#include "heddle/kernel/meaning.h"
#include "heddle/notation/kernel.h"
#include "kernel_builder.h"
#include "random_devices.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace heddle::kernel {
namespace {

using test::DevicesLayout;
using test::outcome;
using test::refusal;

Kernel devices_kernel(const std::string& text) { return notation::parse_kernel(text, "").value(); }

/// `kernel f(X: f32[8] = ROWS, Y: f32[8] = ALL) launch devices 4 { BODY }`
std::string over_four(std::string_view body,
                      std::string_view parameters =
                          "X: f32[8] = S[(4,2):(1@gpuid,1@m)], Y: f32[8] = S[8:1@m] + R[4:1@gpuid]",
                      std::string_view launch = "devices 4, cta 1, threads 32") {
  return fmt::format("kernel f({}) launch {} {{ {} }}", parameters, launch, body);
}

std::string why_not_over_devices(const std::string& text) {
  const auto kernels = notation::parse_kernels(text);
  if (!kernels) return kernels.error().code() + ": " + std::string(kernels.error().message());
  const auto lowered = lower_over_devices(kernels->front(), {}, options_for(Target::kCpu));
  if (!lowered) return lowered.error().code() + ": " + std::string(lowered.error().message());
  const auto source = to_source(*lowered);
  if (source) return "not refused";
  return source.error().code() + ": " + std::string(source.error().message());
}

TEST(OverDevices, WhatIsPrintedIsReadAgain) {
  const auto kernels = notation::parse_kernels(
      test::contents(HEDDLE_SOURCE_DIR "/kernels/programs/distributed.heddle"));
  ASSERT_TRUE(kernels.has_value()) << kernels.error();
  EXPECT_EQ(kernels->size(), 5U);
  for (const Kernel& kernel : *kernels) {
    EXPECT_EQ(notation::parse_kernel(to_string(kernel), "").value(), kernel) << to_string(kernel);
  }
  const Kernel short_launch = devices_kernel(over_four("copy(Y, X)",
                                                       "X: f32[4] = S[4:1@gpuid], "
                                                       "Y: f32[4] = S[4:1@m]",
                                                       "devices 4"));
  EXPECT_EQ(short_launch.launch, (Launch{{1}, 1, {}, 4}));
}

TEST(OverDevices, ADeviceHasTheElementsThatTheLayoutPutsThere) {
  constexpr unsigned kSeed = 26;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round != 200; ++round) {
    const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(4 * (1 + random() % 3)), 6,
                                             static_cast<std::int64_t>(2 * (1 + random() % 2))};
    const DevicesLayout drawn = test::random_layout(random, shape, {2, 3, 2}, false);
    const std::string text = fmt::format(
        "kernel f(X: i32[{0}] = {1}, Y: i32[{0}] = {1}) launch devices 12, cta 1, threads 32 {{\n"
        "  device {{ Y = X + 1000*i32(gpuid) }}\n}}\n",
        test::shape_of(drawn), to_string(drawn.layout));
    const auto counted = test::counting(DType::kI32, shape);
    const auto ran = outcome(devices_kernel(text), {counted, test::zeros(DType::kI32, shape)});
    if (drawn.has_copies) {
      EXPECT_NE(ran.refusal.find("kernel.replicas"), std::string::npos) << text << ran.refusal;
      continue;
    }
    ASSERT_EQ(ran.refusal, "") << text;
    std::vector<double> wanted;
    for (std::size_t i = 0; i != counted.elements.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      const auto places = axe::places(drawn.layout, Int(index)).value();
      const Int device = places.front()[axe::device_axis()];
      wanted.push_back(static_cast<double>(index + 1000 * device.value()));
    }
    EXPECT_EQ(test::doubles(ran.arrays[1]), wanted) << text;
  }
}

TEST(OverDevices, ExchangesMeanWhatTheyMeanOfWholeTensors) {
  constexpr unsigned kSeed = 27;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round != 100; ++round) {
    const DevicesLayout a = test::random_layout(random, {4, 6, 2}, {2, 3});
    const DevicesLayout b = test::random_layout(random, {2, 4, 6}, {3, 2});
    const DevicesLayout c = test::random_layout(random, {2, 6}, {2, 3});
    const std::string text = fmt::format(
        "kernel f(A: i32[4,6,2] = {}, B: i32[2,4,6] = {}, C: i32[2,6] = {}) launch devices 6 {{\n"
        "  copy(B, A.permute(2,0,1))\n  reduce(C, B, op=\"sum\", axis=1)\n}}\n",
        to_string(a.layout), to_string(b.layout), to_string(c.layout));
    const auto counted = test::counting(DType::kI32, {4, 6, 2});
    const auto ran = outcome(devices_kernel(text), {counted, test::zeros(DType::kI32, {2, 4, 6}),
                                                    test::zeros(DType::kI32, {2, 6})});
    ASSERT_EQ(ran.refusal, "") << text;
    std::vector<double> moved;
    std::vector<double> sums(12);
    for (int k = 0; k != 2; ++k) {
      for (int i = 0; i != 4; ++i) {
        for (int j = 0; j != 6; ++j) {
          moved.push_back(12 * i + 2 * j + k);
          sums[static_cast<std::size_t>(6 * k + j)] += 12 * i + 2 * j + k;
        }
      }
    }
    EXPECT_EQ(test::doubles(ran.arrays[1]), moved);
    EXPECT_EQ(test::doubles(ran.arrays[2]), sums);
  }
}

TEST(OverDevices, PlansAreCompleteAndMoveNoMoreThanTheyHaveTo) {
  constexpr unsigned kSeed = 28;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round != 100; ++round) {
    const DevicesLayout a = test::random_layout(random, {4, 6, 4}, {2, 3, 2});
    const DevicesLayout c = test::random_layout(random, {4, 6}, {2, 3, 2});
    const std::string text = fmt::format(
        "kernel f(A: f32[4,6,4] = {}, C: f32[4,6] = {}) launch devices 12 {{\n"
        "  reduce(C, A, op=\"max\", axis=2)\n}}\n",
        to_string(a.layout), to_string(c.layout));
    const auto program = lower_over_devices(devices_kernel(text), {}, options_for(Target::kCpu));
    ASSERT_TRUE(program.has_value()) << program.error() << text;
    const auto& exchange = std::get<ExchangeStep>(program->steps.back());
    EXPECT_TRUE(distribute::is_complete(exchange.plan).is_yes()) << text;
    const auto bound =
        distribute::lower_bound(exchange.plan.from(), exchange.plan.to(), 32).value();
    EXPECT_EQ(distribute::traffic(exchange.plan).total, bound.total) << text;
  }
}

std::string name_of_first(const std::string& text) {
  const auto program =
      lower_over_devices(devices_kernel(text), {}, options_for(Target::kCpu)).value();
  std::string names;
  for (const distribute::Step& step : std::get<ExchangeStep>(program.steps.back()).steps) {
    if (!step.groups.empty()) names += std::string(distribute::name(step.collective)) + " ";
  }
  return names;
}

TEST(OverDevices, LayoutsSayWhichCollectiveItIs) {
  constexpr std::string_view kRows = "S[(4,2,8):(1@gpuid,8@m,1@m)]";
  constexpr std::string_view kColumns = "S[(8,4,2):(2@m,1@gpuid,1@m)]";
  constexpr std::string_view kAll = "S[(8,8):(8@m,1@m)] + R[4:1@gpuid]";
  constexpr std::string_view kFirst = "S[(8,8):(8@m,1@m)]";
  constexpr std::string_view kTurned = "S[(4,2,8):(1@gpuid,8@m,1@m)] + 0@gpuid";
  const auto copied = [](std::string_view from, std::string_view to) {
    return name_of_first(
        fmt::format("kernel f(A: f32[8,8] = {}, B: f32[8,8] = {}) launch devices 4"
                    " {{ copy(B, A) }}",
                    from, to));
  };
  EXPECT_EQ(copied(kRows, kAll), "all-gather ");
  EXPECT_EQ(copied(kRows, kColumns), "all-to-all ");
  EXPECT_EQ(copied(kFirst, kAll), "broadcast ");
  EXPECT_EQ(copied(kFirst, kRows), "scatter ");
  EXPECT_EQ(copied(kColumns, kFirst), "gather ");
  EXPECT_EQ(copied(kRows, kTurned), "");
  EXPECT_EQ(copied("S[(2,2,2,8):(1@gpuid,2@gpuid,8@m,1@m)]", kRows), "permute ");
  const auto summed = [](std::string_view to) {
    return name_of_first(
        fmt::format("kernel f(A: f32[4,8,8] = S[(4,8,8):(1@gpuid,8@m,1@m)], B: "
                    "f32[8,8] = {}) launch devices 4 {{ reduce(B, A, "
                    "op=\"sum\", axis=0) }}",
                    to));
  };
  EXPECT_EQ(summed(kRows), "reduce-scatter ");
  EXPECT_EQ(summed(kFirst), "reduce ");
  EXPECT_EQ(summed(kAll), "reduce-scatter all-gather ");
}

constexpr std::string_view kGemmOverDevices =
    "kernel f(A: f32[512,64] = S[(512,4,16):(16@m,1@gpuid,1@m)],\n"
    "         B: f32[64,256] = S[(4,16,256):(1@gpuid,256@m,1@m)],\n"
    "         C: f32[512,256] = S[(4,128,256):(1@gpuid,256@m,1@m)])\n"
    "  launch devices 4, cta (16, 4), threads 128 {\n"
    "  global P: f32[4,512,256] = S[(4,512,256):(1@gpuid,256@m,1@m)]\n"
    "  device { gemm(P[0, 32*bx : +32, 64*by : +64], A[32*bx : +32], B[:, 64*by : +64], "
    "accum=false) }\n"
    "  reduce(C, P, op=\"sum\", axis=0)\n}\n";

TEST(Overlap, DoesEachBlockOnceAndBeforeWhatItWritesIsSent) {
  const auto program = lower_over_devices(devices_kernel(std::string(kGemmOverDevices)), {},
                                          options_for(Target::kCpu))
                           .value();
  const auto& exchange = std::get<ExchangeStep>(program.steps.back());
  EXPECT_EQ(exchange.not_overlapped, "");
  const auto& transfers = exchange.steps[exchange.overlapped].transfers;
  std::array<std::vector<bool>, 4> is_done;
  std::array<std::vector<std::int64_t>, 4> peers;
  for (auto& each : is_done) each.resize(64);
  std::size_t sent = 0;
  for (const SentBlocks& each : exchange.order) {
    const auto device = static_cast<std::size_t>(each.device);
    for (const std::int64_t block : each.blocks) {
      EXPECT_FALSE(is_done[device][static_cast<std::size_t>(block)]);
      is_done[device][static_cast<std::size_t>(block)] = true;
    }
    if (!each.transfer) continue;
    ++sent;
    const distribute::Transfer& transfer = transfers[*each.transfer];
    EXPECT_EQ(transfer.from, each.device);
    for (std::int64_t block = 0; block != 64; ++block) {
      const distribute::Box written = {{32 * (block % 16), 32 * (block % 16) + 32},
                                       {64 * (block / 16), 64 * (block / 16) + 64}};
      if (!distribute::intersection(written, transfer.box)) continue;
      EXPECT_TRUE(is_done[device][static_cast<std::size_t>(block)]);
    }
    if (peers[device].empty() || peers[device].back() != transfer.to) {
      peers[device].push_back(transfer.to);
    }
  }
  for (std::size_t device = 0; device != 4; ++device) {
    EXPECT_EQ(std::ranges::count(is_done[device], true), 64);
    const auto farthest = [&](std::int64_t by) {
      return (static_cast<std::int64_t>(device) + by) % 4;
    };
    EXPECT_EQ(peers[device], (std::vector{farthest(3), farthest(2), farthest(1)}));
  }
  EXPECT_EQ(sent, std::size_t{4 * 3 * 4});  // four rows of blocks in each of three parts
}

TEST(Overlap, SaysWhyThereIsNone) {
  const auto reason = [](std::string_view before, std::string_view after) {
    const auto program = lower_over_devices(
        devices_kernel(fmt::format("kernel f(X: f32[4,8,16] = S[(4,8,16):(1@gpuid,16@m,1@m)],\n"
                                   "         Z: f32[4,8,16] = S[(4,8,16):(1@gpuid,16@m,1@m)],\n"
                                   "         Y: f32[8,16] = S[(4,2,16):(1@gpuid,16@m,1@m)],\n"
                                   "         T: f32[4,16] = S[(4,16):(1@gpuid,1@m)])\n"
                                   "  launch devices 4, cta 8, threads 32 {{\n  {}\n  {}\n}}\n",
                                   before, after)),
        {}, options_for(Target::kCpu));
    return program ? std::get<ExchangeStep>(program->steps.back()).not_overlapped
                   : refusal(program);
  };
  constexpr std::string_view kSum = "reduce(Y, X, op=\"sum\", axis=0)";
  EXPECT_EQ(reason("device { X[:, bx] = 2*Z[:, bx] }", kSum), "");
  EXPECT_EQ(reason("device { Z[:, bx] = 2*X[:, bx] }", kSum),
            "the blocks do not write what is sent");
  EXPECT_EQ(reason("device { for k in 8 { X[:, bx, 2*k : +2] = Z[:, bx, 2*k : +2] } }", kSum),
            "what a block writes does not follow from its index");
  EXPECT_EQ(reason("device { X[:, bx] = 2*Z[:, bx] }", "reduce(T, X, op=\"sum\", axis=1)"),
            "each device reduces its part first");
  EXPECT_EQ(reason("", kSum), "");
}

TEST(OverDevices, AreRefusedWhereTheyHaveNoMeaning) {
  const auto body = [](std::string_view text) { return why_not_over_devices(over_four(text)); };
  EXPECT_EQ(body("copy(Y, X)"), "not refused");
  EXPECT_EQ(body("device { X = 2*X }"), "not refused");
  EXPECT_EQ(body("Y = X"),
            "kernel.scope: Y = X is outside of `device`, where devices only copy and reduce whole "
            "tensors");
  EXPECT_EQ(body("fill(Y, 0)"), "kernel.devices: fill is not done by several devices together");
  EXPECT_EQ(body("copy(Y[0 : +4], X[0 : +4])"),
            "kernel.devices: Y[0 : +4]: devices copy whole tensors, the source perhaps with its "
            "dimensions in another order");
  EXPECT_EQ(body("copy(X, X)"), "kernel.devices: X is read and written at once");
  EXPECT_EQ(body("copy(Y, X) using vector"),
            "kernel.devices: copy has `using vector`, and how devices exchange elements is "
            "planned");
  EXPECT_EQ(body("device[0:2] { X = 2*X }"),
            "kernel.scope: `device` is for all devices: it has no range and no `else`");
  EXPECT_EQ(body("device { device { X = 2*X } }"),
            "kernel.scope: `device` is the outermost scope of a kernel over devices");
  EXPECT_EQ(body("shared T: f32[8]"),
            "kernel.space: T is declared as shared outside of `device`; tensors of devices are "
            "`global`, of whole bytes");
  EXPECT_EQ(body("device { X = 2*Z }"), "kernel.name: unknown name 'Z' here");
  EXPECT_EQ(body("global X: f32[8] = S[(4,2):(1@gpuid,1@m)]"),
            "kernel.name_taken: 'X' has a meaning here already");
}

TEST(OverDevices, AreRefusedForTheirTensors) {
  const auto with = [](std::string_view parameters, std::string_view text = "copy(Y, X)") {
    return why_not_over_devices(over_four(text, parameters));
  };
  const std::string all = ", Y: f32[8] = S[8:1@m] + R[4:1@gpuid]";
  EXPECT_EQ(with("X: f32[8]" + all),
            "kernel.devices: X: f32[8] has no layout to say which device has which part");
  EXPECT_EQ(
      with("X: f32[8] = S[(8):(1@gpuid)]" + all),
      "kernel.devices: X: f32[8] = S[(8):(1@gpuid)]: the digit (8, 1@gpuid) is not known to lead "
      "to 4 devices");
  EXPECT_EQ(with("X: f32[8] = S[(4,2):(2@gpuid,1@m)]" + all),
            "kernel.devices: X: f32[8] = S[(4,2):(2@gpuid,1@m)] is on device 6, and the kernel "
            "is launched on the devices 0 to 3");
  EXPECT_EQ(
      with("X: f32[8] = S[(2,4):(1@gpuid,1@m)] + R[2:1@gpuid]" + all),
      "kernel.devices: X: f32[8] = S[(2,4):(1@gpuid,1@m)] + R[(2):(1@gpuid)] has two parts on "
      "device 1");
  EXPECT_EQ(with("X: f32[8] = S[(4,2):(1@gpuid,1@laneid)]" + all).substr(0, 13), "kernel.layout");
  EXPECT_EQ(with("X: f16[8] = S[(4,2):(1@gpuid,1@m)]" + all),
            "kernel.devices: copy(Y, X): devices send elements as they are, and f16 is not f32");
  EXPECT_EQ(with("X: i4[8] = S[(4,2):(1@gpuid,1@m)]" + all),
            "kernel.devices: X: i4[8] = S[(4,2):(1@gpuid,1@m)]: elements of less than a byte are "
            "not sent from device to device");
  EXPECT_EQ(with("X: f32[8] = S[8:1@m]" + all, "device { Y = X }"),
            "kernel.devices: `device` is done by 4 devices, and 1 of them have a part of X");
  EXPECT_EQ(with("X: f32[N] = S[(4,N//4):(1@gpuid,1@m)], Y: f32[N] = S[N:1@m] + R[4:1@gpuid]")
                .substr(0, 13),
            "assume.needed");
  const std::string in_rows = "X: f32[4,8] = S[(4,8):(1@gpuid,1@m)]";
  EXPECT_EQ(with(in_rows + all, "reduce(Y, X, op=\"sum\", axis=0, accum=true)"),
            "kernel.devices: reduce over devices has accum=true, and its destination is replaced");
  EXPECT_EQ(with("X: i32[4,8] = S[(4,8):(1@gpuid,1@m)], Y: i32[8] = S[8:1@m] + R[4:1@gpuid]",
                 "reduce(Y, X, op=\"argmax\", axis=0)"),
            "kernel.devices: devices do not reduce by argmax");
  EXPECT_EQ(with("X: f32[8,16] = SW(2,2,2) o S[(4,2,16):(1@gpuid,16@m,1@m)],\n"
                 "Y: f32[8,16] = S[(8,16):(16@m,1@m)] + R[4:1@gpuid]")
                .substr(0, 18),
            "kernel.not_lowered");
}

TEST(OverDevices, SizesAndNamesAreThoseThatCanBePlannedAndWritten) {
  const std::string in_rows =
      "kernel f(X: f32[M,6] = S[(4,M//4,6):(1@gpuid,6@m,1@m)], Y: f32[M,6] = S[(M,6):(6@m,1@m)])\n"
      "  assume M % 4 == 0\n  launch devices 4 { copy(Y, X) }\n";
  const auto at = [&](const Sizes& sizes) {
    return test::refusal(
        lower_over_devices(devices_kernel(in_rows), sizes, options_for(Target::kCpu)));
  };
  EXPECT_EQ(at({{"M", 12}}), "not refused");
  EXPECT_EQ(at({}).substr(0, 52), "error kernel.arguments: the size M of X is not known");
  EXPECT_EQ(at({{"M", 10}}).substr(0, 63),
            "error kernel.assumption: the extent M of X cannot have these si");
  EXPECT_EQ(why_not_over_devices("kernel f(int: f32[8] = S[(4,2):(1@gpuid,1@m)], Y: f32[8] = "
                                 "S[8:1@m]) launch devices 4 { copy(Y, int) }"),
            "print.name: 'int' means something else in C");
  EXPECT_EQ(why_not_over_devices("kernel main(X: f32[8] = S[(4,2):(1@gpuid,1@m)], Y: f32[8] = "
                                 "S[8:1@m]) launch devices 4 { copy(Y, X) }"),
            "print.name: 'main' means something else in C");
}

TEST(OverDevices, WhatIsNotWrittenYetIsNotRead) {
  const auto ran = [](std::string_view body) {
    return outcome(devices_kernel(over_four(body)),
                   {test::counting(DType::kF32, {8}), test::zeros(DType::kF32, {8})})
        .refusal;
  };
  const std::string made = "global T: f32[8] = S[(4,2):(1@gpuid,1@m)]; ";
  EXPECT_EQ(ran(made + "copy(T, X); copy(Y, T)"), "");
  EXPECT_EQ(ran(made + "device { T = X }; copy(Y, T)"), "");
  EXPECT_NE(ran(made + "copy(Y, T)").find("kernel.uninitialized"), std::string::npos);
  EXPECT_NE(ran(made + "device { T[0] = X[0] }; copy(Y, T)").find("kernel.uninitialized"),
            std::string::npos);
  EXPECT_NE(ran(made + "device { X = T }").find("kernel.uninitialized"), std::string::npos);
  EXPECT_NE(ran("device { Y[gpuid] = 1 }").find("kernel.replicas"), std::string::npos);
}

TEST(OverDevices, RunOnOneDeviceOnlyWhereTheyAreNotLaunchedOverSeveral) {
  const Kernel kernel = devices_kernel(over_four("copy(Y, X)"));
  EXPECT_EQ(test::code(lower(kernel, options_for(Target::kCuda))), "kernel.devices");
  EXPECT_EQ(test::code(check_one_device(kernel)), "kernel.devices");
}

}  // namespace
}  // namespace heddle::kernel

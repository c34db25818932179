// Clusters of blocks: what their scopes mean, what is refused, and where there are none.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/kernel/cuda_compiler.h"
#include "heddle/kernel/meaning.h"
#include "heddle/notation/kernel.h"
#include "kernel_builder.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

using test::refusal;

std::string in_cluster(std::string_view body, std::string_view launch = "cta 4, cluster 2") {
  return "kernel f(Y: i32[4]) launch " + std::string(launch) + ", threads 32 { " +
         std::string(body) + " }";
}

// The refusal without its place.
std::string why_not(std::string_view text) {
  const auto kernels = notation::parse_kernels(text);
  return kernels
             ? "not refused"
             : std::string(kernels.error().code()) + ": " + std::string(kernels.error().message());
}

TEST(Clusters, DivideTheirBlocksByRankAsPlainCountingDoes) {
  constexpr unsigned kSeed = 11;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  const auto up_to = [&](int most) { return 1 + static_cast<int>(random() % unsigned(most)); };
  for (int round = 0; round != 200; ++round) {
    const int cx = up_to(2);
    const int cy = up_to(2);
    const int cz = up_to(2);
    const int gx = cx * up_to(3);
    const int gy = cy * up_to(3);
    const int gz = cz * up_to(3);
    const int begin = static_cast<int>(random() % unsigned(cx * cy * cz));
    const int end = begin + up_to(cx * cy * cz - begin);
    const bool is_all = end - begin == cx * cy * cz;
    const std::string text = fmt::format(
        "kernel f(Y: i32[{0},{1},{2}]) launch cta ({2}, {1}, {0}), cluster ({3}, {4}, {5}), "
        "threads 32 {{\n  cluster {{\n    cta[{6}:{7}] {{ Y[bz, by, bx] = 100*cbz + 10*cby + cbx }}"
        "{8}\n  }}\n}}\n",
        gz, gy, gx, cx, cy, cz, begin, end, is_all ? "" : " else { Y[bz, by, bx] = -1 }");
    const Kernel kernel = notation::parse_kernel(text, "f").value();
    EXPECT_EQ(notation::parse_kernel(to_string(kernel), "f").value(), kernel) << text;
    const auto ran = test::outcome(kernel, {test::zeros(DType::kI32, {gz, gy, gx})});
    ASSERT_EQ(ran.refusal, "") << text;
    std::vector<double> wanted;
    for (int z = 0; z != gz; ++z) {
      for (int y = 0; y != gy; ++y) {
        for (int x = 0; x != gx; ++x) {
          const int rank = x % cx + cx * (y % cy + cy * (z % cz));
          const bool is_part = begin <= rank && rank < end;
          wanted.push_back(is_part ? 100 * (z % cz) + 10 * (y % cy) + x % cx : -1);
        }
      }
    }
    EXPECT_EQ(test::doubles(ran.arrays.front()), wanted) << text;
  }
}

TEST(Clusters, AreRefusedWhereTheyHaveNoMeaning) {
  const auto body = [](std::string_view text) { return why_not(in_cluster(text)); };
  const auto launch = [](std::string_view text) { return why_not(in_cluster("Y[bx] = 1", text)); };
  EXPECT_EQ(body("cluster { cta { Y[bx] = 1 } }"), "not refused");
  EXPECT_EQ(body("cluster { cta[0] { Y[bx] = 1 } else { Y[bx] = 2 } }"), "not refused");
  EXPECT_EQ(body("cluster { Y[bx] = 1 }"),
            "kernel.scope: all blocks of a cluster would do this together, and memory that they "
            "share is not supported yet");
  EXPECT_EQ(body("cluster { cta[0:2] { Y[bx] = 1 } else { Y[bx] = 2 } }"),
            "kernel.scope: `else` has no blocks: cta has all of the cluster");
  EXPECT_EQ(body("cluster { cta[1:3] { Y[bx] = 1 } }"),
            "kernel.scope: cta[1:3] is not a part of the 2 blocks of a cluster");
  EXPECT_EQ(body("cluster { cta { cluster { cta { Y[bx] = 1 } } } }"),
            "kernel.scope: `cluster` is for all blocks, outside of other scopes");
  EXPECT_EQ(body("warp { cluster { cta { Y[bx] = 1 } } }"),
            "kernel.scope: `cluster` is for all blocks, outside of other scopes");
  EXPECT_EQ(body("for k in 2 { cluster { cta { break } } }"),
            "kernel.loop: `break` is not in a loop of its scope");
  EXPECT_EQ(why_not(in_cluster("cluster { cta { Y[bx] = 1 } }", "cta 4")),
            "kernel.scope: `cluster` has no blocks: the launch has no clusters");
  EXPECT_EQ(launch("cta 4, cluster (2, 2)"),
            "kernel.launch: cluster (2, 2) has 2 extents, and the grid (4) has 1");
  EXPECT_EQ(launch("cta 4, cluster 3"),
            "kernel.launch: cluster (3): the grid's extent 4 is not known to be a multiple of 3");
  EXPECT_EQ(launch("cta (16, 16), cluster (4, 4)"),
            "kernel.launch: cluster (4, 4): a cluster has 1 to 8 blocks");
  EXPECT_EQ(launch("cta 4, cluster 0"), "kernel.launch: cluster (0): a cluster has 1 to 8 blocks");
}

TEST(Clusters, AreLaunchedByCudaOnly) {
  const std::string text = in_cluster("cluster { cta[1] { Y[bx] = 1 } }");
  const auto program = lowered(text);
  ASSERT_TRUE(program.has_value()) << program.error();
  const std::string source = to_source(*program, Target::kCuda).value();
  EXPECT_NE(source.find("void __cluster_dims__(2, 1, 1) __launch_bounds__(32)"), std::string::npos)
      << source;
  for (const Target target : {Target::kOpenCl, Target::kCpu}) {
    EXPECT_EQ(refusal(lowered(text, target)),
              "error kernel.launch: f is launched in clusters of blocks, which " +
                  std::string(name_of(target)) +
                  " does not have\n"
                  "  hint: --target cuda has them, from sm_90 on; or leave `cluster` out");
  }
}

TEST(Clusters, AreCompiledForArchitecturesThatHaveThem) {
  const Launch plain;
  Launch clusters;
  clusters.cluster = {1};
  using Names = std::vector<std::string>;
  EXPECT_EQ(architectures_for(plain, {}).value(), Names{"sm_80"});
  EXPECT_EQ(architectures_for(clusters, {}).value(), Names{"sm_90"});
  EXPECT_EQ(architectures_for(clusters, {"sm_90a", "sm_120"}).value(), (Names{"sm_90a", "sm_120"}));
  EXPECT_EQ(refusal(architectures_for(clusters, {"sm_90", "sm_89"})),
            "error kernel.architecture: the kernel is launched in clusters of blocks, which sm_89 "
            "does not have\n  hint: sm_90 or later");
  EXPECT_EQ(test::code(architectures_for(plain, {"90"})), "kernel.architecture");
}

}  // namespace
}  // namespace heddle::kernel

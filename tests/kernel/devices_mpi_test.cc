// Kernels over devices on MPI: the same as what they mean, and what each device is refused for.
// Without Debian's openmpi-bin and libopenmpi-dev there is nothing to run.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/kernel/device.h"
#include "heddle/kernel/devices.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/kernel/meaning.h"
#include "heddle/notation/kernel.h"
#include "kernel_builder.h"
#include "random_devices.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace heddle::kernel {
namespace {

using test::DevicesLayout;

bool has_mpi() {
  return std::system("mpicc --version > /dev/null 2>&1 && which mpirun > /dev/null") == 0;
}

class OnMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_mpi()) GTEST_SKIP() << "there is no mpicc or no mpirun";
  }
};

/// The deviations of what MPI leaves from what the kernel means; the refusal's text where there is
/// one.
std::string compared_on_mpi(const Kernel& kernel, const Sizes& sizes = {}) {
  const auto arguments = made_arguments(kernel, sizes);
  if (!arguments) return test::refusal(arguments);
  const auto program = lower_over_devices(kernel, sizes, options_for(Target::kCpu));
  if (!program) return test::refusal(program);
  const auto wanted = run(kernel, *arguments, {sizes});
  if (!wanted) return test::refusal(wanted);
  const auto found = run_on_mpi(*program, *arguments);
  if (!found) return test::refusal(found);
  const std::vector<Deviation> all = deviations(kernel, *wanted, *found);
  if (all.empty()) return "nothing is written";
  for (const Deviation& each : all) {
    if (!are_close(kernel, {each})) {
      return fmt::format("{}: {} of {} differ", each.parameter, each.different, each.elements);
    }
  }
  return "the same";
}

TEST_F(OnMpi, LeavesWhatRandomKernelsMean) {
  constexpr unsigned kSeed = 2611;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  constexpr std::array<std::string_view, 4> kTypes = {"f32", "i32", "f16", "f64"};
  constexpr std::array<std::string_view, 4> kOps = {"sum", "max", "min", "prod"};
  const std::vector<std::vector<std::int64_t>> meshes = {{2}, {3}, {2, 2}, {2, 3}};
  for (std::size_t round = 0; round != 4; ++round) {
    const std::vector<std::int64_t>& mesh = meshes[round];
    std::int64_t devices = 1;
    for (const std::int64_t factor : mesh) devices *= factor;
    const DevicesLayout a = test::random_layout(random, {4, 6, 10}, mesh);
    const DevicesLayout b = test::random_layout(random, {10, 4, 6}, mesh);
    const DevicesLayout c = test::random_layout(random, {10, 6}, mesh);
    const DevicesLayout d = test::random_layout(random, {6}, mesh);
    const std::string text = fmt::format(
        "kernel f(A: {0}[4,6,10] = {1}, B: {0}[10,4,6] = {2}, C: {0}[10,6] = {3},\n"
        "         D: {0}[6] = {4}, shift: {0})\n  launch devices {5}, cta 1, threads 32\n{{\n"
        "  copy(B, A.permute(2,0,1))\n  device {{ B = B + shift }}\n"
        "  reduce(C, B, op=\"{6}\", axis=1)\n  reduce(D, C, op=\"max\", axis=0)\n}}\n",
        kTypes[round % 4], to_string(a.layout), to_string(b.layout), to_string(c.layout),
        to_string(d.layout), devices, kOps[(round / 2) % 4]);
    const auto kernel = notation::parse_kernel(text, "");
    ASSERT_TRUE(kernel.has_value()) << kernel.error() << text;
    EXPECT_EQ(compared_on_mpi(*kernel), "the same") << text;
  }
}

TEST_F(OnMpi, LeavesWhatTheProgramsMean) {
  const auto kernels = notation::parse_kernels(
                           test::contents(HEDDLE_SOURCE_DIR "/kernels/programs/distributed.heddle"))
                           .value();
  EXPECT_EQ(kernels.size(), 5U);
  for (const Kernel& kernel : kernels) {
    Sizes sizes;
    for (const std::string& name : size_names(kernel)) sizes[name] = name == "N" ? 128 : 256;
    EXPECT_EQ(compared_on_mpi(kernel, sizes), "the same") << kernel.name;
  }
}

TEST_F(OnMpi, DevicesDoTheirPartsInTheOrderInWhichTheyAreSent) {
  // The last blocks of a row reach past its end.
  const Kernel kernel =
      notation::parse_kernel(
          "kernel f(X: f32[3,24,42] = S[(3,24,42):(1@gpuid,42@m,1@m)],\n"
          "         Y: f32[24,42] = S[(24,3,14):(14@m,1@gpuid,1@m)])\n"
          "  launch devices 3, cta (3, 6), threads 32 {\n"
          "  device { X[0, 8*bx : +8, 8*by : +8] = f32(gpuid) + 2*X[0, 8*bx : +8, 8*by : +8] }\n"
          "  reduce(Y, X, op=\"sum\", axis=0)\n}\n",
          "")
          .value_or(Kernel{});
  if (kernel.parameters.empty()) GTEST_FAIL() << "is not read";
  EXPECT_EQ(compared_on_mpi(kernel), "the same");
}

/// A program of C, compiled with the kernel in front of it; what its processes print, sorted.
class Caller {
 public:
  Caller(const std::string& text, const std::string& main) {
    const Kernel kernel = notation::parse_kernel(text, "").value();
    const DevicesProgram program =
        lower_over_devices(kernel, {}, options_for(Target::kCpu)).value();
    folder_.write("kernel.c", to_source(program).value());
    folder_.write("kernel.h", to_header(program));
    folder_.write("main.c", main);
    const std::string flags = "-std=gnu17 -O1 -Wall -Wextra -Wno-unused-parameter -Werror";
    EXPECT_EQ(test::shell(fmt::format("cd {0} && mpicc {1} -fopenmp -o run main.c kernel.c -lm",
                                      folder_.path().string(), flags))
                  .output,
              "");
  }

  std::string run(int processes, const std::string& words) const {
    return test::shell(
               fmt::format("cd {} && mpirun {} --oversubscribe -n {} ./run {} 2>/dev/null | sort",
                           folder_.path().string(), geteuid() == 0 ? "--allow-run-as-root" : "",
                           processes, words))
        .output;
  }

 private:
  test::Folder folder_;
};

constexpr std::string_view kScaled =
    "kernel scaled(X: f32[8,6] = S[(4,2,6):(1@gpuid,6@m,1@m)],\n"
    "              W: f32[6] = S[6:1@m] + R[4:1@gpuid],\n"
    "              Y: f32[8,6] = S[(8,6):(6@m,1@m)] + R[4:1@gpuid], factor: f32)\n"
    "  launch devices 4, cta 2, threads 32 {\n"
    "  device { X[bx] = factor * X[bx] * W }\n  copy(Y, X)\n}\n";

constexpr std::string_view kMainOfScaled = R"(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel.h"

int main(int count, char** words) {
  int rank = 0;
  float x[12], w[6], y[48];
  float factor = 2;
  heddle_error error;
  const char* what = count > 1 ? words[1] : "";
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 12; ++i) x[i] = (float)(12 * rank + i);
  for (int i = 0; i < 6; ++i) w[i] = 1;
  heddle_tensor X = {x, HEDDLE_F32, 2, {2, 6}, NULL};
  heddle_tensor W = {w, HEDDLE_F32, 1, {6}, NULL};
  heddle_tensor Y = {y, HEDDLE_F32, 2, {8, 6}, NULL};
  const int64_t strides[2] = {1, 2};
  if (rank == 2 && !strcmp(what, "shape")) X.shape[0] = 3;
  if (rank == 1 && !strcmp(what, "type")) X.type = HEDDLE_I32;
  if (rank == 1 && !strcmp(what, "rank")) W.rank = 2;
  if (rank == 3 && !strcmp(what, "null")) Y.data = NULL;
  if (rank == 3 && !strcmp(what, "aligned")) Y.data = (char*)y + 1;
  if (rank == 0 && !strcmp(what, "strides")) X.strides = strides;
  if (rank == 3 && strstr(what, "copies")) w[5] = 7;
  if (rank == 2 && !strcmp(what, "values")) factor = 3;
  const int flags = strstr(what, "unchecked") ? 0 : HEDDLE_CHECK_COPIES;
  const int refused = scaled(MPI_COMM_WORLD, X, W, Y, factor, 1, flags, &error);
  if (refused) printf("%d: %s\n", rank, error.text);
  else printf("%d: %g %g %g\n", rank, y[0], y[1], y[47]);
  MPI_Finalize();
  return 0;
}
)";

TEST_F(OnMpi, ArgumentsAreThoseThatTheLayoutsDeclare) {
  const Caller caller{std::string(kScaled), std::string(kMainOfScaled)};
  EXPECT_EQ(caller.run(4, "right"), "0: 0 2 94\n1: 0 2 94\n2: 0 2 94\n3: 0 2 94\n");
  EXPECT_EQ(caller.run(3, "right"),
            "0: scaled is launched on 4 devices, and there are 3 processes\n"
            "1: scaled is launched on 4 devices, and there are 3 processes\n"
            "2: scaled is launched on 4 devices, and there are 3 processes\n");
  const auto refused_by = [](int device, std::string_view why) {
    std::string text;
    for (int rank = 0; rank != 4; ++rank) {
      text += rank == device ? fmt::format("{}: {}\n", rank, why)
                             : fmt::format("{}: device {} refuses its arguments\n", rank, device);
    }
    return text;
  };
  EXPECT_EQ(caller.run(4, "shape"), refused_by(2, "X has the shape (3,6), not (2,6)"));
  EXPECT_EQ(caller.run(4, "type"), refused_by(1, "X has elements of i32, not f32"));
  EXPECT_EQ(caller.run(4, "rank"), refused_by(1, "W has 2 dimensions, not 1"));
  EXPECT_EQ(caller.run(4, "null"), refused_by(3, "Y is a null pointer"));
  EXPECT_EQ(caller.run(4, "aligned"), refused_by(3, "Y is not aligned to 4 bytes"));
  EXPECT_EQ(caller.run(4, "strides"), refused_by(0, "X has the strides (1,2), not (6,1)"));
  std::string copies;
  std::string values;
  for (int rank = 0; rank != 4; ++rank) {
    copies += fmt::format("{}: W is not the same on the devices 0 and 3, which have copies of it\n",
                          rank);
    values += fmt::format(
        "{}: factor is not the same on the devices 0 and 2, which have copies of it\n", rank);
  }
  EXPECT_EQ(caller.run(4, "copies"), copies);
  EXPECT_EQ(caller.run(4, "values"), values);
  EXPECT_EQ(caller.run(4, "copies-unchecked"), "0: 0 2 658\n1: 0 2 658\n2: 0 2 658\n3: 0 2 658\n");
}

}  // namespace
}  // namespace heddle::kernel

// From an encoding and a shape to its linear layout.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "heddle/linear/encoding.h"

namespace {

using namespace heddle::linear;

void add(const std::string& name, const Encoding& encoding, const Sizes& shape) {
  if (const auto layout = to_linear_layout(encoding, shape); !layout) {
    std::cerr << layout.error() << '\n';
    std::exit(1);
  }
  benchmark::RegisterBenchmark(("encoding/" + name).c_str(), [=](benchmark::State& state) {
    for (auto _ : state) {
      auto layout = to_linear_layout(encoding, shape);
      benchmark::DoNotOptimize(layout);
    }
  });
}

const int kRegistered = [] {
  const BlockedEncoding blocked{.size_per_thread = {1, 8},
                                .threads_per_warp = {4, 8},
                                .warps_per_cta = {4, 1},
                                .order = {1, 0}};
  const NvidiaMmaEncoding mma{.warps_per_cta = {2, 2}, .instr_shape = {16, 8}};
  const NvidiaMmaEncoding wgmma{
      .version_major = 3, .warps_per_cta = {4, 1}, .instr_shape = {16, 128, 16}};
  add("blocked", blocked, {128, 128});
  add("blocked_4_ctas", BlockedEncoding{{1, 8}, {4, 8}, {4, 1}, {1, 0}, {{{1, 0}, {0, 1}}}},
      {256, 256});
  add("slice", slice_of(blocked, 0), {128});
  add("linear", LinearEncoding{*to_linear_layout(blocked, Sizes{128, 128})}, {128, 128});
  add("nvidia_mma_v2", mma, {128, 128});
  add("nvidia_mma_v3", wgmma, {128, 128});
  add("dot_op_a", dot_operand_of(mma, 0, 2), {128, 64});
  add("dot_op_b", dot_operand_of(mma, 1, 2), {64, 128});
  add("swizzled_shared", SwizzledSharedEncoding{8, 1, 8, {1, 0}, {}}, {128, 64});
  add("nvmma_shared", NvmmaSharedEncoding{.swizzling_byte_width = 128}, {128, 64});
  add("tensor_memory", TensorMemoryEncoding{}, {128, 256});
  return 0;
}();

}  // namespace

#include "form/machine/amd_rules.h"

#include <algorithm>
#include <vector>

namespace heddle::form {
namespace {

/// Lanes of WMMA go through the rows of A, the columns of B and D by 16.
constexpr std::int64_t kWmmaRows = 16;

std::vector<std::string_view> accumulator_dims(const MatrixSizes& sizes) {
  return in_order(Factor::kA, {"row", "col"}, sizes.blocks != 1);
}

}  // namespace

Fragment mfma_factor(Factor factor, const MatrixSizes& sizes, std::string_view along_name) {
  const FactorDims dims = dims_of(factor, along_name);
  const auto [across, along] = dims;
  const std::int64_t size = factor == Factor::kA ? sizes.m : sizes.n;
  const std::int64_t lanes_along = kMfmaLanes / (size * sizes.blocks);
  return {{"register", "lane"},
          in_order(factor, dims, sizes.blocks != 1),
          {{"register", along, sizes.k / lanes_along},
           {"lane", across, size},
           {"lane", "block", sizes.blocks},
           {"lane", along, lanes_along}}};
}

Fragment mfma_accumulator(const MatrixSizes& sizes, int bits) {
  const std::int64_t group = bits == 64 ? 1 : 4;
  // Blocks of 4 x 4 fill the lanes, those of larger matrices the registers.
  const std::int64_t blocks_of_lanes = sizes.m == 4 ? sizes.blocks : 1;
  const std::int64_t groups_of_lanes = kMfmaLanes / (sizes.n * blocks_of_lanes);
  return {{"register", "lane"},
          accumulator_dims(sizes),
          {{"register", "row", group},
           {"lane", "col", sizes.n},
           {"lane", "block", blocks_of_lanes},
           {"lane", "row", groups_of_lanes},
           {"register", "row", sizes.m / (group * groups_of_lanes)},
           {"register", "block", sizes.blocks / blocks_of_lanes}}};
}

Fragment wmma_factor(Factor factor, const WmmaFactor& of, std::int64_t size,
                     std::string_view along_name) {
  const FactorDims dims = dims_of(factor, along_name);
  const auto [across, along] = dims;
  if (of.version == WmmaVersion::kRdna3) {
    return {{"register", "lane"},
            in_order(factor, dims),
            {{"register", along, of.k},
             {"lane", across, kWmmaRows},
             {"lane", kCopies, of.lanes / kWmmaRows}}};
  }
  // Of a wave of 64, the upper 32 lanes have the second part of what a lane of 32 would hold.
  const std::int64_t of_lane = of.k * kWmmaRows / of.lanes;
  const std::int64_t run = std::min(of.run, of_lane);
  return {{"register", "lane"},
          in_order(factor, dims),
          {{"register", along, run},
           {"lane", across, kWmmaRows},
           {.place = "lane", .dim = along, .extent = 2, .step = of.run},
           {.place = "lane",
            .dim = along,
            .extent = of.lanes / (2 * kWmmaRows),
            .step = run < of.run ? run : 2 * of.run},
           {"register", along, of_lane / run},
           {"register", across, size / kWmmaRows}}};
}

Fragment wmma_accumulator(WmmaVersion version, std::int64_t lanes, std::int64_t m) {
  const std::int64_t of_lane = kWmmaRows * kWmmaRows / lanes;
  if (version == WmmaVersion::kRdna3) {
    return {{"register", "lane"},
            {"row", "col"},
            {{"lane", "col", kWmmaRows},
             {"lane", "row", lanes / kWmmaRows},
             {"register", "row", of_lane}}};
  }
  return {{"register", "lane"},
          {"row", "col"},
          {{"register", "row", of_lane},
           {"lane", "col", kWmmaRows},
           {.place = "lane", .dim = "row", .extent = 2, .step = kWmmaRows / 2},
           {.place = "lane", .dim = "row", .extent = lanes / (2 * kWmmaRows), .step = of_lane},
           {"register", "row", m / kWmmaRows}}};
}

}  // namespace heddle::form

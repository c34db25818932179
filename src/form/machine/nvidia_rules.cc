#include "form/machine/nvidia_rules.h"

#include <fmt/format.h>

#include <vector>

namespace heddle::form {
namespace {

constexpr std::int64_t kCoreRows = 8;
constexpr std::int64_t kLanesOfRow = 4;

std::vector<std::string_view> places_of(std::int64_t warps) {
  if (warps == 1) return {"register", "lane"};
  return {"register", "lane", "warp"};
}

Fragment index_fragment(int bits, std::int64_t k, std::int64_t warps) {
  const std::vector<std::string_view> dims = {"row", "col"};
  // A bit for each element along K, two for tf32, half a bit where 4-bit elements are kept in
  // pairs.
  if (bits >= 16) {
    const std::int64_t of_lane = bits == 16 ? 16 : 8;
    const std::int64_t lanes_along = k / of_lane;
    return {places_of(warps),
            dims,
            {{"register", "col", of_lane},
             {"lane", "col", lanes_along},
             {"lane", kCopies, kLanesOfRow / lanes_along},
             {"lane", "row", kCoreRows},
             {"register", "row", 2},
             {"warp", "row", warps}}};
  }
  const std::int64_t of_lane = bits == 8 ? 32 : 64;
  const std::int64_t lanes_along = k / of_lane;
  return {places_of(warps),
          dims,
          {{"register", "col", of_lane},
           {.place = "lane", .dim = "row", .extent = 2, .step = kCoreRows},
           {"lane", "col", lanes_along},
           {"lane", kCopies, 2 / lanes_along},
           {.place = "lane", .dim = "row", .extent = kCoreRows, .step = 1},
           {"warp", "row", warps}}};
}

}  // namespace

Fragment core_fragment(Factor factor, const CoreSizes& sizes, std::string_view along_name) {
  const FactorDims dims = dims_of(factor, along_name);
  const auto [across, along] = dims;
  return {places_of(sizes.warps),
          in_order(factor, dims),
          {{"register", kCopies, sizes.kept},
           {"register", along, sizes.run},
           {"lane", along, kLanesOfRow},
           {"lane", across, kCoreRows},
           {"register", across, sizes.across / (kCoreRows * sizes.warps)},
           {"register", along, sizes.along / (kLanesOfRow * sizes.run)},
           {"warp", across, sizes.warps}}};
}

InstructionOperand sparse_index(int bits, std::int64_t k, std::int64_t warps) {
  InstructionOperand index{"E", "index", bits == 32 ? 2 : 1, index_fragment(bits, k, warps)};
  if (bits == 4) index.shared_by = 2;
  const std::int64_t copies = index.fragment.copies();
  if (copies > 1) {
    index.note =
        fmt::format("the sparsity selector names which of {} lanes with copies is read", copies);
  }
  return index;
}

Fragment scale_factors(Factor factor, std::int64_t k) {
  const FactorDims dims = dims_of(factor);
  const std::vector<std::string_view> places = {"register", "lane"};
  const Deal along = {"register", dims.along, k};
  if (factor == Factor::kB) {
    return {places,
            in_order(factor, dims),
            {along, {"lane", kCopies, kLanesOfRow}, {"lane", dims.across, kCoreRows}}};
  }
  return {places,
          in_order(factor, dims),
          {along,
           {.place = "lane", .dim = dims.across, .extent = 2, .step = kCoreRows},
           {"lane", kCopies, 2},
           {.place = "lane", .dim = dims.across, .extent = kCoreRows, .step = 1}}};
}

}  // namespace heddle::form

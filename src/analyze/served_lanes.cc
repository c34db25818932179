#include "heddle/analyze/served_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "heddle/form/machine.h"

namespace heddle::analyze {
namespace {

constexpr std::string_view kCudaGuide = "CUDA C++ Programming Guide, shared memory";
constexpr std::string_view kOpenClGuide = "AMD OpenCL Programming Guide, local memory";
constexpr std::string_view kCkTile = "Composable Kernel, LDS bank conflicts";
constexpr std::string_view kHipKittens = "HipKittens (arXiv 2511.08083), table 5";
constexpr std::string_view kIree = "IREE, KnownTargets.cpp";

/// The directions that a rule is stated for.
enum class Stated : std::uint8_t { kReads, kWrites, kBoth };

struct MachineRule {
  std::string_view machine;
  /// 4 stands for smaller accesses too.
  std::int64_t bytes = 4;
  Stated directions = Stated::kBoth;
  ServingRule rule;
};

std::vector<std::int64_t> neighbours(std::int64_t lanes) {
  std::vector<std::int64_t> masks;
  for (std::int64_t mask = 1; mask < lanes; mask *= 2) masks.push_back(mask);
  return masks;
}

std::vector<MachineRule> machine_rules() {
  std::vector<MachineRule> rules = {
      {"nvidia", 4, Stated::kBoth, {32, neighbours(32), kCudaGuide}},
      {"nvidia", 8, Stated::kBoth, {32, neighbours(16), kCudaGuide}},
      {"nvidia", 16, Stated::kBoth, {32, neighbours(8), kCudaGuide}},
      {"cdna4", 4, Stated::kReads, {64, neighbours(64), kIree}},
      {"cdna4", 8, Stated::kReads, {64, neighbours(32), kHipKittens}},
      {"cdna4", 8, Stated::kWrites, {32, neighbours(16), kHipKittens}},
      {"cdna4", 16, Stated::kReads, {64, {1, 2, 12, 20}, kHipKittens}},
  };
  for (const std::string_view machine : {"cdna1", "cdna2", "cdna3"}) {
    rules.push_back({machine, 4, Stated::kBoth, {32, neighbours(32), kOpenClGuide}});
    rules.push_back({machine, 8, Stated::kBoth, {32, neighbours(16), kOpenClGuide}});
    rules.push_back({machine, 16, Stated::kReads, {32, {1, 2, 20}, kCkTile}});
    rules.push_back({machine, 16, Stated::kWrites, {32, neighbours(8), kCkTile}});
  }
  return rules;
}

bool is_stated(Stated stated, Direction direction) {
  if (stated == Stated::kBoth) return true;
  return (stated == Stated::kReads) == (direction == Direction::kRead);
}

}  // namespace

std::vector<std::vector<std::int64_t>> ServingRule::phases(std::int64_t lanes) const {
  std::vector<std::int64_t> together = {0};
  for (const std::int64_t mask : masks) {
    for (std::size_t i = 0, size = together.size(); i < size; ++i) {
      together.push_back(together[i] ^ mask);
    }
  }
  std::vector<std::vector<std::int64_t>> phases;
  std::vector<bool> is_served(static_cast<std::size_t>(lanes));
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    if (is_served[static_cast<std::size_t>(lane)]) continue;
    std::vector<std::int64_t>& phase = phases.emplace_back();
    for (const std::int64_t step : together) {
      if ((lane ^ step) < lanes) phase.push_back(lane ^ step);
    }
    std::ranges::sort(phase);
    for (const std::int64_t served : phase) is_served[static_cast<std::size_t>(served)] = true;
  }
  return phases;
}

std::vector<std::uint64_t> ServingRule::vectors_of_phase(
    std::span<const std::uint64_t> lanes) const {
  std::vector<std::uint64_t> vectors;
  for (const std::int64_t mask : masks) {
    if (mask >> lanes.size() != 0) continue;
    std::uint64_t vector = 0;
    for (std::size_t bit = 0; bit < lanes.size(); ++bit) {
      if ((mask >> bit & 1) != 0) vector ^= lanes[bit];
    }
    vectors.push_back(vector);
  }
  return vectors;
}

Result<ServingRule> Serving::rule(std::int64_t bytes, Direction direction) const {
  static const std::vector<MachineRule> rules = machine_rules();
  const std::int64_t width = std::max<std::int64_t>(bytes, kBankBytes);
  for (const MachineRule& rule : rules) {
    if (rule.machine == machine_ && rule.bytes == width && is_stated(rule.directions, direction)) {
      return rule.rule;
    }
  }
  return refuse("analyze.machine",
                fmt::format("no document states which lanes {} serves together when each {} {} "
                            "bytes",
                            machine_, direction == Direction::kRead ? "reads" : "writes", bytes));
}

Result<Serving> serving(std::string_view machine) {
  const form::Machine* found = form::find_machine(machine);
  if (found != nullptr && found->vendor == "NVIDIA") return Serving();
  if (found != nullptr && found->name.starts_with("cdna")) {
    return Serving(std::string(found->name), found->lanes->values.back());
  }
  return refuse(
      Diagnostic("analyze.machine", fmt::format("no document states which lanes the shared memory "
                                                "of the machine '{}' serves together",
                                                machine))
          .with_hint("known are sm_NN, gfx908, gfx90a, gfx942 and gfx950"));
}

}  // namespace heddle::analyze

#include "machine/gemm/digits.h"

#include <algorithm>
#include <string_view>

#include "heddle/axe/group.h"

namespace heddle::machine {
namespace {

constexpr std::int64_t kLanesOfWarpgroup = 128;
constexpr std::int64_t kNvidiaWave = 32;

/// The name by which the catalogue calls an axis.
std::string renamed(const std::string& axis) {
  static const std::map<std::string, std::string> names = {
      {"reg", "m"}, {"lane", "laneid"}, {"warp", "warpid"}, {"Lane", "TLane"}, {"Col", "TCol"}};
  const auto found = names.find(axis);
  return found == names.end() ? axis : found->second;
}

/// Adds steps along a wave and from wave to wave where the run goes along threads. A run that does
/// not divide so stays as it is: no instruction has its axis.
void add_run(MatrixRuns& runs, MatrixRun run, std::int64_t wave) {
  if (run.extent == 1) return;
  auto& [axis, stride] = run.step;
  if (stride == 0) axis = "m";
  axis = renamed(axis);
  if (axis == "wgid") run.step = {"tx", stride * kLanesOfWarpgroup};
  if (axis == "wid_in_wg") run.step = {"tx", stride * kNvidiaWave};
  if (axis == "tid_in_wg") axis = "tx";
  if (axis != "tx") {
    runs.push_back(run);
  } else if (stride % wave == 0) {
    runs.push_back({run.extent, {"warpid", stride / wave}});
  } else if (stride > 0 && stride * run.extent <= wave) {
    runs.push_back({run.extent, {"laneid", stride}});
  } else if (stride > 0 && wave % stride == 0 && run.extent % (wave / stride) == 0) {
    runs.push_back({wave / stride, {"laneid", stride}});
    runs.push_back({run.extent / (wave / stride), {"warpid", 1}});
  } else {
    runs.push_back(run);
  }
}

void add_iter(MatrixRuns& runs, const axe::Iter& iter, std::int64_t wave) {
  add_run(runs, {iter.extent.value(), {iter.axis.name(), iter.stride.value()}}, wave);
}

std::vector<std::int64_t> prime_factors(std::int64_t number) {
  std::vector<std::int64_t> factors;
  for (std::int64_t factor = 2; factor * factor <= number; ++factor) {
    for (; number % factor == 0; number /= factor) factors.push_back(factor);
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

}  // namespace

Result<MatrixDigits> matrix_digits(const axe::Layout& layout, std::array<std::int64_t, 2> shape,
                                   std::int64_t wave) {
  MatrixDigits digits;
  HEDDLE_TRY(const axe::Grouping grouping,
             axe::group(layout, std::vector<Int>{shape[0], shape[1]}));
  for (std::size_t side = 0; side < 2; ++side) {
    const auto block = grouping.block(side);
    for (auto iter = block.rbegin(); iter != block.rend(); ++iter) {
      add_iter(digits.sides[side], *iter, wave);
    }
  }
  for (const axe::Iter& iter : layout.replica()) add_iter(digits.copies, iter, wave);
  for (const auto& [axis, value] : layout.offset()) {
    MatrixRuns moved;
    add_run(moved, {2, {axis.name(), value.value()}}, wave);
    digits.offset[moved.front().step.axis] += moved.front().step.stride;
  }
  return digits;
}

std::optional<MatrixStep> step_at(const MatrixRuns& runs, std::int64_t weight, std::int64_t extent,
                                  bool is_whole) {
  std::int64_t begin = 1;
  for (const MatrixRun& run : runs) {
    const std::int64_t within = weight / begin;
    if (within < run.extent) {
      if (weight % begin != 0 || within * extent > run.extent) return std::nullopt;
      if (is_whole && run.extent % (within * extent) != 0) return std::nullopt;
      return MatrixStep{run.step.axis, within * run.step.stride};
    }
    begin *= run.extent;
  }
  return std::nullopt;
}

std::vector<std::int64_t> cuts_of(const MatrixRuns& runs) {
  std::vector<std::int64_t> cuts;
  std::int64_t reached = 1;
  for (const MatrixRun& run : runs) cuts.push_back(reached *= run.extent);
  return cuts;
}

std::optional<std::vector<SharedDigit>> shared_digits(const MatrixRuns& a, const MatrixRuns& b) {
  std::vector<std::int64_t> cuts = cuts_of(a);
  const std::vector<std::int64_t> others = cuts_of(b);
  cuts.insert(cuts.end(), others.begin(), others.end());
  std::ranges::sort(cuts);
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] % cuts[i - 1] != 0) return std::nullopt;
  }
  std::vector<SharedDigit> digits;
  std::int64_t reached = 1;
  for (const std::int64_t cut : cuts) {
    for (const std::int64_t prime : prime_factors(cut / reached)) {
      digits.push_back({prime, {*step_at(a, reached, prime), *step_at(b, reached, prime)}});
      reached *= prime;
    }
  }
  return digits;
}

}  // namespace heddle::machine

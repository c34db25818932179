#include "machine/gemm/digits.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "axe/layout/iters.h"
#include "core/format.h"
#include "form/divisors.h"
#include "heddle/axe/group.h"
#include "heddle/core/exact.h"

namespace heddle::machine {
namespace {

constexpr std::int64_t kLanesOfWarpgroup = 128;
constexpr std::int64_t kNvidiaWave = 32;

/// The name by which the catalogue calls an axis.
std::string renamed(const std::string& axis) {
  static const std::map<std::string, std::string> names = {
      {"reg", "m"},    {"lane", "laneid"}, {"warp", "warpid"}, {"Lane", "TLane"},
      {"dp", "TLane"}, {"Col", "TCol"},    {"column", "TCol"}};
  const auto found = names.find(axis);
  return found == names.end() ? axis : found->second;
}

/// A step with the name that its axis has here, threads in numbers of threads. Adds how far it goes
/// this many times to `reach`: no sum of steps is past 64 bits if the reach of all of them is not.
Result<MatrixStep> step_of(const axe::Layout& layout, const Axis& of, const Int& by,
                           std::int64_t times, std::int64_t& reach) {
  MatrixStep step{by == Int(0) ? "m" : renamed(of.name()), by.value()};
  std::int64_t threads = 1;
  if (step.axis == "wgid") threads = kLanesOfWarpgroup;
  if (step.axis == "wid_in_wg") threads = kNvidiaWave;
  if (threads != 1 || step.axis == "tid_in_wg") step.axis = "tx";
  const auto stride = exact::multiply(step.stride, threads);
  const auto size = stride ? exact::absolute(*stride) : std::nullopt;
  const auto length = size ? exact::multiply(*size, times) : std::nullopt;
  const auto total = length ? exact::add(reach, *length) : std::nullopt;
  if (!total) return refuse("overflow", "the places of {} do not fit into 64 bits", layout);
  reach = *total;
  step.stride = *stride;
  return step;
}

/// Adds steps along a wave and from wave to wave where the run goes along threads. A run that does
/// not divide so stays as it is: no instruction has its axis.
void add_run(MatrixRuns& runs, const MatrixRun& run, std::int64_t wave) {
  const auto& [axis, stride] = run.step;
  const bool is_thread = axis == "tx";
  if (is_thread && stride % wave == 0) {
    runs.push_back({run.extent, {"warpid", stride / wave}});
  } else if (is_thread && stride > 0 && stride <= wave / run.extent) {
    runs.push_back({run.extent, {"laneid", stride}});
  } else if (is_thread && stride > 0 && wave % stride == 0 && run.extent % (wave / stride) == 0) {
    runs.push_back({wave / stride, {"laneid", stride}});
    runs.push_back({run.extent / (wave / stride), {"warpid", 1}});
  } else {
    runs.push_back(run);
  }
}

}  // namespace

Result<MatrixDigits> matrix_digits(const axe::Layout& layout, std::array<std::int64_t, 2> shape,
                                   std::int64_t wave) {
  MatrixDigits digits;
  std::int64_t reach = 0;
  const auto add_iter = [&](MatrixRuns& runs, const axe::Iter& iter) -> Result<void> {
    const std::int64_t extent = iter.extent.value();
    if (extent == 1) return {};
    HEDDLE_TRY(MatrixStep step, step_of(layout, iter.axis, iter.stride, extent - 1, reach));
    add_run(runs, {extent, std::move(step)}, wave);
    return {};
  };
  HEDDLE_TRY(const axe::Grouping grouping,
             axe::group(layout, std::vector<Int>{shape[0], shape[1]}));
  for (std::size_t side = 0; side < 2; ++side) {
    const auto block = grouping.block(side);
    for (auto iter = block.rbegin(); iter != block.rend(); ++iter) {
      HEDDLE_CHECK(add_iter(digits.sides[side], *iter));
    }
  }
  for (const axe::Iter& iter : layout.replica()) {
    HEDDLE_CHECK(add_iter(digits.copies, iter));
  }
  for (const auto& [axis, value] : layout.offset()) {
    HEDDLE_TRY(MatrixStep step, step_of(layout, axis, value, 1, reach));
    MatrixRuns moved;
    add_run(moved, {2, std::move(step)}, wave);
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
      if (weight % begin != 0 || extent > run.extent / within) return std::nullopt;
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
    for (const std::int64_t prime : form::primes_of(cut / reached)) {
      digits.push_back({prime, {*step_at(a, reached, prime), *step_at(b, reached, prime)}});
      reached *= prime;
    }
  }
  return digits;
}

}  // namespace heddle::machine

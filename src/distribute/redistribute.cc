#include <algorithm>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "distribute/cells.h"
#include "distribute/distribution_access.h"
#include "distribute/levels.h"
#include "distribute/plan_access.h"
#include "distribute/recognize.h"
#include "distribute/spread.h"
#include "distribute/steps.h"
#include "distribute/sum.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {
namespace {

/// A cell that holders have whole.
void share(const Cell& cell, Steps& steps, Spreading& spreading) {
  const Holders holders = in_source(cell.holders);
  Devices lacking;
  for (const std::int64_t device : cell.wanters) {
    if (has(holders, device)) {
      steps.keep(device, cell.box, Memory::kDestination);
    } else {
      lacking.push_back(device);
    }
  }
  spreading.spread(0, cell.box, holders, lacking);
}

}  // namespace

Result<Plan> redistribute(const Distribution& from, const Distribution& to,
                          std::int64_t element_bits, const RedistributeOptions& options) {
  const Topology& topology = options.topology;
  HEDDLE_CHECK(check_bits(element_bits, from));
  HEDDLE_CHECK(to.check_writable());
  HEDDLE_TRY(const auto sides, in_common_boxes(from, to));
  const Devices devices = devices_of(from, to);
  HEDDLE_TRY(const Problem problem, problem_of(sides.first, sides.second));
  const axe::Mesh& links = links_of(topology, to);
  HEDDLE_TRY(const Levels levels, Levels::make(topology, links, devices));
  HEDDLE_TRY(const std::int64_t elements, elements_of(from.shape()));
  const Distance distance(links, devices);
  Steps steps(levels, distance);
  Spreading spreading(steps, elements);
  Summing summing(steps, spreading, problem.reduction);
  for (const Cell& cell : problem.cells) {
    if (problem.reduction.terms == 1) {
      share(cell, steps, spreading);
    } else {
      summing.sum(0, cell);
    }
    if (!steps.has_too_many()) continue;
    return refuse("distribute.too_large", "more than {} transfers between {}", Steps::kMaxTransfers,
                  counted(devices.size(), "device"));
  }
  HEDDLE_TRY(Distribution scratch,
             DistributionAccess::make_scratch(sides.first, devices, summing.scratch()));
  std::vector<Step> named;
  for (std::vector<Transfer>& transfers : std::move(steps).in_order()) {
    named.push_back(recognized(std::move(transfers), sides.first, sides.second));
  }
  const bool averages = problem.reduction.op == "avg";
  return PlanAccess::make({.from = sides.first,
                           .to = sides.second,
                           .scratch = std::move(scratch),
                           .element_bits = element_bits,
                           .topology = topology,
                           .steps = std::move(named),
                           .reduce_op = problem.reduction.op,
                           .averaged_over = averages ? problem.reduction.terms : 1,
                           .devices = devices});
}

}  // namespace heddle::distribute

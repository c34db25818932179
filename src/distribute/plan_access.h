#pragma once

// Plans from their parts.

#include <utility>
#include <vector>

#include "heddle/distribute/plan.h"

namespace heddle::distribute {

struct PlanAccess {
  using Parts = Plan::Parts;

  static Plan make(Parts parts) { return Plan(std::move(parts)); }
  /// The same plan with other steps.
  static Plan with_steps(const Plan& plan, std::vector<Step> steps) {
    Parts parts = plan.parts_;
    parts.steps = std::move(steps);
    return make(std::move(parts));
  }
};

}  // namespace heddle::distribute

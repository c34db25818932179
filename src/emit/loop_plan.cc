#include "emit/loop_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/overloaded.h"
#include "emit/function_texts.h"
#include "heddle/expr/simplify.h"

namespace heddle::emit {
namespace {

Int greatest(const std::vector<Int>& values) {
  Int result = values.front();
  for (const Int& value : values) result = max(result, value);
  return result;
}
Int least(const std::vector<Int>& values) {
  Int result = values.front();
  for (const Int& value : values) result = min(result, value);
  return result;
}

class Planner {
 public:
  Planner(const Target& target, LoopBounds bounds, std::string prefix)
      : target_(target), bounds_(bounds), prefix_(std::move(prefix)) {}

  Result<std::vector<LoopPlan>> plan(const std::vector<map::LoopNode>& nodes) {
    std::vector<LoopPlan> all;
    for (const map::LoopNode& node : nodes) {
      HEDDLE_TRY(LoopPlan here,
                 std::visit([&](const auto& kind) { return planned(kind); }, node.node));
      here.node = &node;
      all.push_back(std::move(here));
    }
    return all;
  }

 private:
  /// Definitions of different nodes have names of their own: t0, t1, …; t1_0, ….
  [[nodiscard]] Result<Simplified> simplified(const std::vector<Int>& values,
                                              const std::vector<Condition>& guards) const {
    SimplifyOptions options;
    options.target = target_;
    options.prefix =
        with_definitions_ == 0 ? prefix_ : fmt::format("{}{}_", prefix_, with_definitions_);
    return simplify(values, guards, options);
  }

  Kernel taken(Simplified found) {
    if (!found.kernel.definitions.empty()) ++with_definitions_;
    return std::move(found.kernel);
  }

  Result<LoopPlan> planned(const map::Loop& loop) {
    LoopPlan plan;
    HEDDLE_CHECK(bounds_ == LoopBounds::kOne ? plan_bounds(plan, loop)
                                             : plan_each_bound(plan, loop));
    HEDDLE_TRY(plan.body, this->plan(loop.body));
    return plan;
  }

  Result<void> plan_each_bound(LoopPlan& plan, const map::Loop& loop) {
    std::vector<Int> all = loop.firsts;
    all.insert(all.end(), loop.ends.begin(), loop.ends.end());
    HEDDLE_TRY(Simplified found, simplified(all, {}));
    plan.kernel = taken(std::move(found));
    return {};
  }

  Result<void> plan_bounds(LoopPlan& plan, const map::Loop& loop) {
    const Int first = greatest(loop.firsts);
    const Int end = least(loop.ends);
    std::vector<Int> lasts = loop.ends;
    for (Int& last : lasts) last -= 1;
    HEDDLE_TRY(Simplified with_end, simplified({first, end}, {}));
    HEDDLE_TRY(Simplified with_last, simplified({first, least(lasts)}, {}));
    plan.ends_with_last = with_last.cost < with_end.cost;
    plan.kernel = taken(std::move(plan.ends_with_last ? with_last : with_end));
    return {};
  }

  Result<LoopPlan> planned(const map::LoopGuard& guard) {
    std::vector<Condition> all;
    for (const auto& conditions : guard.alternatives) {
      all.insert(all.end(), conditions.begin(), conditions.end());
    }
    HEDDLE_TRY(Simplified found, simplified({}, all));
    LoopPlan plan;
    plan.kernel = taken(std::move(found));
    HEDDLE_TRY(plan.body, this->plan(guard.then));
    HEDDLE_TRY(plan.otherwise, this->plan(guard.otherwise));
    return plan;
  }

  Result<LoopPlan> planned(const map::Visit& visit) {
    std::vector<Int> all = visit.point;
    all.insert(all.end(), visit.image.begin(), visit.image.end());
    HEDDLE_TRY(Simplified found, simplified(all, {}));
    LoopPlan plan;
    plan.kernel = taken(std::move(found));
    return plan;
  }

  const Target& target_;
  LoopBounds bounds_;
  std::string prefix_;
  int with_definitions_ = 0;
};

void add_loop_names(const std::vector<map::LoopNode>& nodes, std::vector<std::string>& names) {
  const auto add = [&](const map::Loop& loop) {
    if (std::ranges::find(names, loop.name) == names.end()) names.push_back(loop.name);
    add_loop_names(loop.body, names);
  };
  for (const map::LoopNode& node : nodes) {
    std::visit(Overloaded{add,
                          [&](const map::LoopGuard& guard) {
                            add_loop_names(guard.then, names);
                            add_loop_names(guard.otherwise, names);
                          },
                          [](const map::Visit&) {}},
               node.node);
  }
}

/// What names of definitions begin with, before a number: no variable is called so, nor spelled so.
std::string free_prefix(const Spelling& variables) {
  std::string prefix = "t";
  const auto is_numbered = [&](const std::string& name) {
    return name.starts_with(prefix) && name.size() > prefix.size() &&
           std::isdigit(static_cast<unsigned char>(name[prefix.size()])) != 0;
  };
  while (std::ranges::any_of(variables, [&](const auto& variable) {
    return is_numbered(variable.first) || is_numbered(variable.second);
  })) {
    prefix += 't';
  }
  return prefix;
}

std::string named_point(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : "(" + listed(names) + ")";
}

}  // namespace

Result<std::vector<LoopPlan>> plan_of(const map::LoopNest& nest, const LoopNames& names,
                                      const Target& target, LoopBounds bounds) {
  return Planner(target, bounds, free_prefix(names.variables)).plan(nest.nodes);
}

LoopNames loop_names(const map::LoopNest& nest, const LoopTextOptions& options) {
  std::vector<std::string> taken = {options.name, options.name + "_body", "visit", "data", "Visit"};
  for (const char* helper : {"quotient", "remainder", "min", "max", "shift_left", "gcd", "isqrt"}) {
    taken.push_back(options.name + "_" + helper);
  }
  LoopNames names;
  names.sizes = identifiers(nest.sizes, options.dialect, taken);
  for (std::size_t i = 0; i < nest.sizes.size(); ++i) {
    names.variables[nest.sizes[i]] = names.sizes[i];
  }
  // A loop over a coordinate has its name, which the parameters of a visit may have again.
  std::vector<std::string> loops;
  add_loop_names(nest.nodes, loops);
  std::vector<std::string> taken_by_loops = taken;
  const std::vector<std::string> spelled = identifiers(loops, options.dialect, taken_by_loops);
  for (std::size_t i = 0; i < loops.size(); ++i) names.variables[loops[i]] = spelled[i];
  names.coordinates = identifiers(nest.coordinates, options.dialect, taken);
  names.places = identifiers(nest.places, options.dialect, taken);
  return names;
}

std::vector<std::string> comments_of(const map::LoopNest& nest, const LoopNames& names,
                                     const LoopTextOptions& options) {
  std::string what = fmt::format("{}: visits each point {} of {}", options.name,
                                 named_point(names.coordinates), nest.visited);
  if (!nest.places.empty()) what += fmt::format(" with its place {}", named_point(names.places));
  std::vector<std::string> lines = {in_a_comment(what + ","),
                                    in_a_comment(fmt::format("once, in {}.", nest.order))};
  if (options.openmp) {
    lines.emplace_back(
        nest.places.empty()
            ? "Iterations of a parallel loop run at the same time; the order holds "
              "within each."
            : "Iterations of a parallel loop run at the same time and have no place in "
              "common;");
    if (!nest.places.empty()) lines.emplace_back("the order holds within each.");
  }
  return lines;
}

}  // namespace heddle::emit

#include "kernel/lower/shared_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "heddle/analyze/banks.h"
#include "heddle/expr/proof.h"
#include "kernel/meaning/formula.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

using meaning::Formula;
using meaning::Variables;

/// A loop around an access.
struct CountedLoop {
  std::string counter;
  /// How often it runs; 1 where that is not known.
  std::int64_t iterations = 1;
};

/// A condition that is computed for each lane.
struct Test {
  Formula left;
  Predicate predicate = Predicate::kEqual;
  Formula right;

  [[nodiscard]] bool holds(const std::vector<std::int64_t>& row) const {
    const exact::Value a = left.at(row);
    const exact::Value b = right.at(row);
    return !a || !b || known({*a, predicate, *b});
  }
};

/// One access, as the lanes of all warps make it.
struct AccessFormula {
  std::int64_t width = 1;
  /// The lanes that are served at once.
  std::size_t together = 32;
  Formula address;
  std::vector<Test> tests;
};

/// An access is counted at most so often, which leaves room for the sums of all of them.
constexpr std::int64_t kMostTimes = std::int64_t{1} << 32;

constexpr std::size_t kThreadSlot = 0;
constexpr std::size_t kLaneSlot = 1;
constexpr std::size_t kWarpSlot = 2;
/// bx, by and bz stay 0.
constexpr std::size_t kFirstLoopSlot = 6;

/// Goes through a program and notes each access of shared memory.
class TrafficCounter {
 public:
  explicit TrafficCounter(const ThreadProgram& program) : threads_(program.launch.threads) {
    for (const Buffer& buffer : program.shared) {
      traffic_[buffer.name];
      types_[buffer.name] = buffer.type;
    }
    visit(program.body);
  }

  [[nodiscard]] std::map<std::string, SharedTraffic> take() { return std::move(traffic_); }

 private:
  void visit(const ThreadBlock& block) {
    for (const ThreadStatement& statement : block) visit(statement);
  }
  void visit(const ThreadStatement& statement) {
    for_each_value(statement, [&](const Computation& value) {
      for_each_load(value, [&](const Computation::Load& load) { note(load.from, 1, load.inside); });
    });
    const auto& node = statement.node;
    if (const auto* store = std::get_if<StoreElement>(&node)) {
      note(store->to, 1, {});
    } else if (const auto* atomic = std::get_if<AtomicAdd>(&node)) {
      note(atomic->to, 1, {});
    } else if (const auto* applied = std::get_if<ApplyInstruction>(&node)) {
      visit(*applied);
    } else if (const auto* loop = std::get_if<ThreadLoop>(&node)) {
      loops_.push_back({loop->counter, loop->extent.is_constant() ? loop->extent.value() : 1});
      visit(loop->body);
      loops_.pop_back();
    } else if (const auto* guarded = std::get_if<Guarded>(&node)) {
      // What is done in place of elements that are missing is not counted.
      const std::size_t outer = conditions_.size();
      conditions_.insert(conditions_.end(), guarded->conditions.begin(), guarded->conditions.end());
      visit(guarded->body);
      conditions_.resize(outer);
    } else {
      for_each_block(statement, [&](const ThreadBlock& block) { visit(block); });
    }
  }
  void visit(const ApplyInstruction& node) {
    for (std::size_t i = 0; i != node.places.size(); ++i) {
      note_atom(node.places[i], node.instruction, node.instruction.operands[i]);
    }
  }
  /// A vector is one access, other elements one each.
  void note_atom(const Location& first, const Instruction& instruction,
                 const InstructionOperand& operand) {
    if (!traffic_.contains(first.buffer)) return;
    const std::vector<std::int64_t> places = places_of(operand);
    if (is_vector(instruction, operand)) return note(first, std::ssize(places), {});
    for (const std::int64_t place : places) note({first.buffer, first.address + place}, 1, {});
  }
  void note(const Location& location, std::int64_t width, const std::vector<Condition>& inside) {
    const auto found = traffic_.find(location.buffer);
    if (found == traffic_.end()) return;
    const Variables variables = this->variables();
    auto address = Formula::make(location.address, variables);
    if (!address) {
      found->second.unknown = to_string(location.address);
      return;
    }
    const std::int64_t bytes = width * held_bits(types_.at(location.buffer), Space::kShared) / 8;
    AccessFormula access{
        width, static_cast<std::size_t>(analyze::lanes_of_phase(bytes)), *std::move(address), {}};
    std::vector<Condition> conditions = conditions_;
    conditions.insert(conditions.end(), inside.begin(), inside.end());
    for (const Condition& condition : conditions) {
      auto left = Formula::make(condition.left, variables);
      auto right = Formula::make(condition.right, variables);
      if (!left || !right) continue;
      access.tests.push_back({*std::move(left), condition.predicate, *std::move(right)});
    }
    count(access, iterations_for(location.address, conditions), found->second);
  }

  [[nodiscard]] Variables variables() const {
    Variables variables;
    variables.slots = {{"tx", kThreadSlot},
                       {"laneid", kLaneSlot},
                       {"warpid", kWarpSlot},
                       {"bx", 3},
                       {"by", 4},
                       {"bz", 5}};
    for (std::size_t i = 0; i != loops_.size(); ++i) {
      variables.slots[loops_[i].counter] = kFirstLoopSlot + i;
    }
    return variables;
  }

  /// How often each loop is gone through: once if nothing depends on its counter, and not past the
  /// limit.
  [[nodiscard]] std::vector<std::int64_t> iterations_for(
      const Int& address, const std::vector<Condition>& conditions) const {
    std::vector<std::string> names = heddle::variables(address);
    for (const Condition& condition : conditions) {
      for (const Int* side : {&condition.left, &condition.right}) {
        std::ranges::move(heddle::variables(*side), std::back_inserter(names));
      }
    }
    std::int64_t left = std::max<std::int64_t>(1, kMaxWarpAccesses / warps());
    std::vector<std::int64_t> iterations(loops_.size(), 1);
    for (std::size_t i = loops_.size(); i-- != 0;) {
      if (std::ranges::find(names, loops_[i].counter) == names.end()) continue;
      iterations[i] = std::min(loops_[i].iterations, left);
      left /= std::max<std::int64_t>(iterations[i], 1);
    }
    return iterations;
  }

  void count(const AccessFormula& access, const std::vector<std::int64_t>& iterations,
             SharedTraffic& traffic) const {
    std::int64_t times = 1;
    for (std::size_t i = 0; i != loops_.size(); ++i) {
      if (iterations[i] == 0) return;
      const std::int64_t more = std::max<std::int64_t>(1, loops_[i].iterations / iterations[i]);
      times = std::min(exact::multiply(times, more).value_or(kMostTimes), kMostTimes);
    }
    std::vector<std::int64_t> row(kFirstLoopSlot + loops_.size(), 0);
    for (;;) {
      for (std::int64_t warp = 0; warp != warps(); ++warp) {
        WarpAccess of_warp = lanes_of(access, warp, row);
        if (!of_warp.lanes.empty()) traffic.accesses[std::move(of_warp)] += times;
      }
      std::size_t i = 0;
      while (i != loops_.size() && ++row[kFirstLoopSlot + i] == iterations[i]) {
        row[kFirstLoopSlot + i++] = 0;
      }
      if (i == loops_.size()) return;
    }
  }

  /// No lanes if none takes part.
  [[nodiscard]] WarpAccess lanes_of(const AccessFormula& access, std::int64_t warp,
                                    std::vector<std::int64_t>& row) const {
    const std::int64_t first = warp * kWarpThreads;
    std::vector<std::optional<std::int64_t>> lanes;
    for (std::int64_t lane = 0; lane != std::min(kWarpThreads, threads_ - first); ++lane) {
      row[kThreadSlot] = first + lane;
      row[kLaneSlot] = lane;
      row[kWarpSlot] = warp;
      const bool takes_part =
          std::ranges::all_of(access.tests, [&](const Test& test) { return test.holds(row); });
      const exact::Value address = takes_part ? access.address.at(row) : std::nullopt;
      lanes.push_back(address && *address >= 0 ? address : std::nullopt);
    }
    return filled(lanes, access);
  }

  /// Gives lanes that take no part the address of one that is served with them; if there is none,
  /// nothing is served, and all of these lanes are left out.
  static WarpAccess filled(const std::vector<std::optional<std::int64_t>>& lanes,
                           const AccessFormula& access) {
    WarpAccess result{access.width, {}};
    for (std::size_t first = 0; first < lanes.size(); first += access.together) {
      const auto group =
          std::span(lanes).subspan(first).first(std::min(access.together, lanes.size() - first));
      const auto near =
          std::ranges::find_if(group, [](const auto& lane) { return lane.has_value(); });
      if (near == group.end()) continue;
      for (const auto& lane : group) result.lanes.push_back(lane.value_or(**near));
    }
    return result;
  }

  [[nodiscard]] std::int64_t warps() const { return (threads_ + kWarpThreads - 1) / kWarpThreads; }

  std::int64_t threads_;
  std::map<std::string, DType> types_;
  std::map<std::string, SharedTraffic> traffic_;
  std::vector<CountedLoop> loops_;
  std::vector<Condition> conditions_;
};

}  // namespace

std::map<std::string, SharedTraffic> shared_traffic(const ThreadProgram& program) {
  return TrafficCounter(program).take();
}

BankCost bank_cost(const std::map<WarpAccess, std::int64_t>& accesses, DType type,
                   const std::function<std::int64_t(std::int64_t)>& place) {
  BankCost cost;
  const std::int64_t element = held_bits(type, Space::kShared) / 8;
  for (const auto& [access, times] : accesses) {
    std::vector<std::int64_t> bytes;
    for (const std::int64_t lane : access.lanes) bytes.push_back(place(lane) * element);
    const auto phases = analyze::bank_phases(bytes, static_cast<int>(access.width * element));
    // A vector that `place` takes apart.
    if (!phases) continue;
    cost.accesses += times;
    cost.ideal += times * static_cast<std::int64_t>(phases->size());
    for (const analyze::Phase& phase : *phases) {
      cost.wavefronts += times * phase.wavefronts;
      cost.ways = std::max(cost.ways, phase.wavefronts);
    }
  }
  return cost;
}

std::string to_string(const BankCost& cost) {
  return fmt::format("{} wavefronts, {}", cost.wavefronts,
                     cost.is_conflict_free() ? "no bank conflicts"
                                             : fmt::format("{}-way bank conflicts", cost.ways));
}

}  // namespace heddle::kernel

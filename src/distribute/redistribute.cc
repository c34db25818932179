#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "core/format.h"
#include "distribute/cells.h"
#include "distribute/distribution_access.h"
#include "distribute/levels.h"
#include "distribute/recognize.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {
namespace {

/// A device that has what is asked for, in one of its memories.
struct Holder {
  std::int64_t device = 0;
  Memory memory = Memory::kSource;
};

bool has(std::span<const Holder> holders, std::int64_t device) {
  return std::ranges::find(holders, device, &Holder::device) != holders.end();
}

/// Makes the transfers cell by cell; all cells of one plan share its steps.
class Planner {
 public:
  Planner(const Levels& levels, const Distance& distance, const Reduction& reduction)
      : levels_(levels),
        distance_(distance),
        reduction_(reduction),
        reductions_(levels.size()),
        copies_(levels.size()) {}

  void add(const Cell& cell) {
    if (reduction_.terms == 1) {
      share(cell);
      return;
    }
    const std::vector<std::int64_t> owners = owners_of(cell);
    const std::vector<Box> parts = parts_of(cell.box, owners.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      // Cells without a part for each owner do not all begin with the first one.
      const std::int64_t owner = parts.size() == owners.size() ? owners[i] : least_owning(owners);
      owned_[owner] += volume(parts[i]);
      reduce(parts[i], cell, owner);
      spread(0, parts[i], {{owner, Memory::kDestination}}, without(cell.wanters, owner));
    }
  }

  /// The steps in the order in which they run: copies within devices, sums from the fastest links
  /// to the slowest, copies from the slowest to the fastest.
  std::vector<std::vector<Transfer>> steps() && {
    std::vector<std::vector<Transfer>> steps;
    steps.push_back(std::move(local_));
    for (std::size_t level = reductions_.size(); level-- > 0;) {
      steps.push_back(std::move(reductions_[level]));
    }
    std::ranges::move(copies_, std::back_inserter(steps));
    return steps;
  }

  const std::vector<Block>& scratch() const { return scratch_; }

 private:
  using Devices = std::vector<std::int64_t>;

  static Devices without(const Devices& devices, std::int64_t device) {
    Devices others = devices;
    std::erase(others, device);
    return others;
  }

  void keep(std::int64_t device, const Box& box, Memory written) {
    local_.push_back({device, device, box, Memory::kSource, written, false});
  }

  void send(std::vector<Transfer>& step, const Holder& from, const Transfer& transfer) {
    step.push_back(transfer);
    step.back().from = from.device;
    step.back().read = from.memory;
    sent_[from.device] += volume(transfer.box);
  }

  /// Values that holders have whole.
  void share(const Cell& cell) {
    std::vector<Holder> holders;
    Devices lacking;
    for (const std::int64_t device : cell.holders) holders.push_back({device, Memory::kSource});
    for (const std::int64_t device : cell.wanters) {
      if (has(holders, device)) {
        keep(device, cell.box, Memory::kDestination);
      } else {
        lacking.push_back(device);
      }
    }
    spread(0, cell.box, holders, lacking);
  }

  /// Brings a box to all that lack it, over the links of this level and then of faster ones. All
  /// are in one group around the level.
  void spread(std::size_t level, const Box& box, const std::vector<Holder>& holders,
              const Devices& lacking) {
    if (lacking.empty()) return;
    if (level == levels_.size()) return;
    std::map<std::size_t, Devices> groups;
    for (const std::int64_t device : lacking) {
      groups[levels_.group(level, device)].push_back(device);
    }
    for (const auto& [group, members] : groups) {
      std::vector<Holder> near;
      for (const Holder& holder : holders) {
        if (levels_.group(level, holder.device) == group) near.push_back(holder);
      }
      if (near.empty()) {
        bring(level, box, holders, members, lacking.size());
      } else {
        spread(level + 1, box, near, members);
      }
    }
  }

  /// Brings a box into a group that does not have it, a part to each member; or, where only one
  /// lacks what many hold, a part from each holder.
  void bring(std::size_t level, const Box& box, const std::vector<Holder>& holders,
             const Devices& members, std::size_t all_lacking) {
    const std::size_t pieces =
        std::max(members.size(), members.size() == 1 ? holders.size() / all_lacking : 1);
    const std::vector<Box> parts = parts_of(box, pieces);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t receiver = members[i % members.size()];
      const Holder& sender = nearest(holders, receiver);
      send(copies_[level], sender, {.to = receiver, .box = parts[i]});
      spread(level + 1, parts[i], {{receiver, Memory::kDestination}}, without(members, receiver));
    }
  }

  const Holder& nearest(const std::vector<Holder>& holders, std::int64_t device) {
    return *std::ranges::min_element(holders, {}, [&](const Holder& holder) {
      return std::tuple(levels_.size() - levels_.between(holder.device, device),
                        distance_(holder.device, device), sent_[holder.device], holder.device);
    });
  }

  /// Who reduces: those that want the sum and have a term, or all that want it.
  Devices owners_of(const Cell& cell) const {
    Devices owners;
    std::ranges::set_intersection(cell.wanters, cell.holders, std::back_inserter(owners));
    return owners.empty() ? cell.wanters : owners;
  }

  std::int64_t least_owning(const Devices& owners) {
    return *std::ranges::min_element(owners, {}, [&](std::int64_t device) {
      return std::pair(owned_[device], device);
    });
  }

  /// One holder for each term, the nearest to the owner.
  std::vector<Holder> terms_of(const Cell& cell, std::int64_t owner) {
    std::map<std::int64_t, std::vector<Holder>> of_term;
    for (const std::int64_t device : cell.holders) {
      of_term[reduction_.term_of(device)].push_back({device, Memory::kSource});
    }
    std::vector<Holder> chosen;
    for (const auto& [term, holders] : of_term) {
      chosen.push_back(has(holders, owner) ? Holder{owner, Memory::kSource}
                                           : nearest(holders, owner));
    }
    return chosen;
  }

  /// Sums the terms of a box at its owner, first among near devices.
  void reduce(const Box& box, const Cell& cell, std::int64_t owner) {
    std::vector<Holder> active = terms_of(cell, owner);
    if (const auto own = std::ranges::find(active, owner, &Holder::device); own != active.end()) {
      keep(owner, box, Memory::kDestination);
      own->memory = Memory::kDestination;
    }
    for (std::size_t level = levels_.size(); level-- > 0;) {
      std::map<std::size_t, std::vector<Holder>> groups;
      for (const Holder& holder : active) {
        groups[levels_.around(level, holder.device)].push_back(holder);
      }
      active.clear();
      for (const auto& [group, members] : groups) {
        const bool is_owners = levels_.around(level, owner) == group;
        active.push_back(is_owners ? combine_at_owner(level, box, members, owner)
                                   : combine(level, box, members, owner));
      }
    }
  }

  Holder combine_at_owner(std::size_t level, const Box& box, const std::vector<Holder>& members,
                          std::int64_t owner) {
    bool reduces = has(members, owner);
    for (const Holder& member : members) {
      if (member.device == owner) continue;
      send(reductions_[level], member, {.to = owner, .box = box, .reduces = reduces});
      reduces = true;
    }
    return {owner, Memory::kDestination};
  }

  /// Sums at the member that is nearest to the owner.
  Holder combine(std::size_t level, const Box& box, const std::vector<Holder>& members,
                 std::int64_t owner) {
    Holder target = *std::ranges::min_element(members, {}, [&](const Holder& member) {
      return std::pair(distance_(member.device, owner), member.device);
    });
    if (members.size() == 1) return target;
    if (target.memory == Memory::kSource) {
      std::int64_t& used = scratch_used_[target.device];
      scratch_.push_back({target.device, box, row_major(box, used)});
      used += volume(box);
      keep(target.device, box, Memory::kScratch);
      target.memory = Memory::kScratch;
    }
    for (const Holder& member : members) {
      if (member.device == target.device) continue;
      send(reductions_[level], member,
           {.to = target.device, .box = box, .written = target.memory, .reduces = true});
    }
    return target;
  }

  const Levels& levels_;
  const Distance& distance_;
  const Reduction& reduction_;
  std::vector<Transfer> local_;
  std::vector<std::vector<Transfer>> reductions_;
  std::vector<std::vector<Transfer>> copies_;
  std::vector<Block> scratch_;
  std::map<std::int64_t, std::int64_t> scratch_used_;
  std::map<std::int64_t, std::int64_t> sent_;
  std::map<std::int64_t, std::int64_t> owned_;
};

/// The transfers between the same memories with their boxes joined, by destination; the ones that
/// replace come before those that reduce, whose order is that of the senders.
std::vector<Transfer> joined(const std::vector<Transfer>& transfers) {
  const auto key = [](const Transfer& transfer) {
    return std::tuple(transfer.to, transfer.written, transfer.reduces, transfer.from,
                      transfer.read);
  };
  std::map<decltype(key(transfers.front())), std::vector<Box>> boxes;
  for (const Transfer& transfer : transfers) boxes[key(transfer)].push_back(transfer.box);
  std::vector<Transfer> joined;
  for (auto& [of, parts] : boxes) {
    const auto& [to, written, reduces, from, read] = of;
    for (Box& box : merged(std::move(parts))) {
      joined.push_back({from, to, std::move(box), read, written, reduces});
    }
  }
  return joined;
}

}  // namespace

struct PlanAccess {
  static Result<Plan> make(const Distribution& from, const Distribution& to,
                           std::int64_t element_bits, const Topology& topology) {
    HEDDLE_CHECK(check_bits(element_bits, from));
    HEDDLE_TRY(const auto sides, in_common_boxes(from, to));
    const std::vector<std::int64_t> devices = devices_of(from, to);
    HEDDLE_TRY(const Problems problems, problems_of(sides.first, sides.second));
    const axe::Mesh& links = topology.mesh ? *topology.mesh : to.mesh();
    HEDDLE_TRY(const Levels levels, Levels::make(topology, links, devices));
    const Distance distance(links, devices);
    Planner planner(levels, distance, problems.reduction);
    for (const Problem& problem : problems.problems) {
      for (const Cell& cell : problem.cells) planner.add(cell);
    }
    HEDDLE_TRY(Distribution scratch,
               DistributionAccess::make_scratch(sides.first, devices, planner.scratch()));
    Plan plan(sides.first, sides.second, std::move(scratch));
    plan.element_bits_ = element_bits;
    plan.topology_ = topology;
    plan.devices_ = devices;
    plan.reduce_op_ = problems.reduction.op;
    if (plan.reduce_op_ == "avg") plan.averaged_over_ = problems.reduction.terms;
    for (const std::vector<Transfer>& transfers : std::move(planner).steps()) {
      if (transfers.empty()) continue;
      plan.steps_.push_back(recognized(joined(transfers), plan.to_));
    }
    return plan;
  }
};

Result<Plan> redistribute(const Distribution& from, const Distribution& to,
                          std::int64_t element_bits, const RedistributeOptions& options) {
  return PlanAccess::make(from, to, element_bits, options.topology);
}

}  // namespace heddle::distribute

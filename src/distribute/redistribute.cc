#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/format.h"
#include "distribute/cells.h"
#include "distribute/distribution_access.h"
#include "distribute/levels.h"
#include "distribute/plan_access.h"
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

/// A part of a cell, and who has its sum once all terms are summed, before it is copied on.
struct Summed {
  Box box;
  std::vector<Holder> holders;
};

/// The parts that both have, with the holders of either.
std::vector<Summed> in_common_parts(const std::vector<Summed>& a, const std::vector<Summed>& b) {
  std::vector<Summed> common;
  for (const Summed& one : a) {
    for (const Summed& other : b) {
      const std::optional<Box> box = intersection(one.box, other.box);
      if (!box) continue;
      common.push_back({*box, one.holders});
      std::ranges::copy(other.holders, std::back_inserter(common.back().holders));
    }
  }
  return common;
}

/// Makes the transfers cell by cell; all cells of one plan share its steps.
class Planner {
 public:
  Planner(const Levels& levels, const Distance& distance, const Reduction& reduction,
          std::int64_t elements)
      : levels_(levels),
        distance_(distance),
        reduction_(reduction),
        elements_(elements),
        reductions_(levels.size()),
        copies_(levels.size()) {}

  void add(const Cell& cell) {
    if (reduction_.terms == 1) {
      share(cell);
    } else {
      sum(0, cell);
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

  /// Brings a box into a group that does not have it: to one of its members, or a part to each
  /// where the box is more than its share of the tensor; or, where only one device lacks what many
  /// hold, a part from each holder.
  void bring(std::size_t level, const Box& box, const std::vector<Holder>& holders,
             const Devices& members, std::size_t all_lacking) {
    const std::size_t senders = members.size() == 1 ? holders.size() / all_lacking : 1;
    const auto share = static_cast<std::int64_t>(std::max(members.size(), senders));
    const bool is_large = volume(box) > elements_ / share;
    const std::size_t pieces = is_large ? static_cast<std::size_t>(share) : 1;
    const std::vector<Box> parts = parts_of(box, pieces);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t receiver =
          pieces == 1 ? receiver_among(members, holders) : members[i % members.size()];
      const Holder& sender = nearest(holders, receiver);
      received_[receiver] += volume(parts[i]);
      send(copies_[level], sender, {.to = receiver, .box = parts[i]});
      spread(level + 1, parts[i], {{receiver, Memory::kDestination}}, without(members, receiver));
    }
  }

  /// The member that is nearest to a holder; of several the one that has received the least.
  std::int64_t receiver_among(const Devices& members, const std::vector<Holder>& holders) {
    return *std::ranges::min_element(members, {}, [&](std::int64_t member) {
      std::size_t least = std::numeric_limits<std::size_t>::max();
      for (const Holder& holder : holders) {
        least = std::min(least, distance_(holder.device, member));
      }
      return std::tuple(least, received_[member], member);
    });
  }

  const Holder& nearest(const std::vector<Holder>& holders, std::int64_t device) {
    return *std::ranges::min_element(holders, {}, [&](const Holder& holder) {
      return std::tuple(levels_.size() - levels_.between(holder.device, device),
                        distance_(holder.device, device), sent_[holder.device], holder.device);
    });
  }

  /// Sums the terms of a cell within one group around the level, and brings the sum to all there
  /// that want it. Where all terms are in one of the level's groups, nothing has to come to it from
  /// outside.
  std::vector<Summed> sum(std::size_t level, const Cell& cell) {
    const std::map<std::size_t, Cell> groups = by_group(level, cell);
    std::vector<Summed> parts;
    Devices lacking;
    const Cell* complete = nullptr;
    for (const auto& [group, part] : groups) {
      if (!has_all_terms(part) || part.wanters.empty()) {
        if (has_all_terms(part)) complete = &part;
        std::ranges::copy(part.wanters, std::back_inserter(lacking));
        continue;
      }
      std::vector<Summed> summed = sum(level + 1, part);
      parts = parts.empty() ? std::move(summed) : in_common_parts(parts, summed);
    }
    if (parts.empty() && complete == nullptr) {
      return sum_at(owners_of(cell), Memory::kDestination, level, cell, cell.wanters);
    }
    if (parts.empty()) {
      return sum_at(complete->holders, Memory::kScratch, level, *complete, lacking);
    }
    for (const Summed& part : parts) spread(level, part.box, part.holders, lacking);
    return parts;
  }

  std::map<std::size_t, Cell> by_group(std::size_t level, const Cell& cell) const {
    std::map<std::size_t, Cell> groups;
    const auto part = [&](std::int64_t device) -> Cell& {
      return groups.try_emplace(levels_.group(level, device), Cell{cell.box, {}, {}}).first->second;
    };
    for (const std::int64_t device : cell.holders) part(device).holders.push_back(device);
    for (const std::int64_t device : cell.wanters) part(device).wanters.push_back(device);
    return groups;
  }

  bool has_all_terms(const Cell& cell) const {
    std::set<std::int64_t> terms;
    for (const std::int64_t device : cell.holders) terms.insert(reduction_.term_of(device));
    return static_cast<std::int64_t>(terms.size()) == reduction_.terms;
  }

  /// Sums a part of the cell at each of the owners, and brings the parts to those that lack them.
  std::vector<Summed> sum_at(const Devices& owners, Memory memory, std::size_t level,
                             const Cell& cell, const Devices& wanters) {
    const std::vector<Box> parts = parts_of(cell.box, owners.size());
    std::vector<Summed> summed;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      // Cells without a part for each owner do not all begin with the first one.
      const std::int64_t owner = parts.size() == owners.size() ? owners[i] : least_owning(owners);
      owned_[owner] += volume(parts[i]);
      reduce(level, parts[i], cell, {owner, memory});
      spread(level, parts[i], {{owner, memory}}, without(wanters, owner));
      summed.push_back({parts[i], {{owner, memory}}});
    }
    return summed;
  }

  /// Who sums: of those that want the sum the ones that are nearest to a term, at best because they
  /// have one themselves.
  Devices owners_of(const Cell& cell) const {
    for (std::size_t level = levels_.size(); level-- > 0;) {
      std::set<std::size_t> with_term;
      for (const std::int64_t device : cell.holders) with_term.insert(levels_.group(level, device));
      Devices owners;
      std::ranges::copy_if(cell.wanters, std::back_inserter(owners), [&](std::int64_t device) {
        return with_term.contains(levels_.group(level, device));
      });
      if (!owners.empty()) return owners;
    }
    return cell.wanters;
  }

  std::int64_t least_owning(const Devices& owners) {
    return *std::ranges::min_element(
        owners, {}, [&](std::int64_t device) { return std::pair(owned_[device], device); });
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
  void reduce(std::size_t outermost, const Box& box, const Cell& cell, const Holder& owner) {
    std::vector<Holder> active = terms_of(cell, owner.device);
    const auto own = std::ranges::find(active, owner.device, &Holder::device);
    if (own != active.end()) *own = accumulator(*own, box, owner.memory);
    for (std::size_t level = levels_.size(); level-- > outermost;) {
      std::map<std::size_t, std::vector<Holder>> groups;
      for (const Holder& holder : active) {
        groups[levels_.around(level, holder.device)].push_back(holder);
      }
      active.clear();
      for (const auto& [group, members] : groups) {
        const bool is_owners = levels_.around(level, owner.device) == group;
        active.push_back(is_owners ? combine_at_owner(level, box, members, owner)
                                   : combine(level, box, members, owner.device));
      }
    }
  }

  /// The memory of a device in which terms are summed, with its own term in it.
  Holder accumulator(const Holder& holder, const Box& box, Memory memory) {
    if (memory == Memory::kScratch) {
      std::int64_t& used = scratch_used_[holder.device];
      scratch_.push_back({holder.device, box, row_major(box, used)});
      used += volume(box);
    }
    keep(holder.device, box, memory);
    return {holder.device, memory};
  }

  Holder combine_at_owner(std::size_t level, const Box& box, const std::vector<Holder>& members,
                          const Holder& owner) {
    bool reduces = has(members, owner.device);
    for (const Holder& member : members) {
      if (member.device == owner.device) continue;
      send(reductions_[level], member,
           {.to = owner.device, .box = box, .written = owner.memory, .reduces = reduces});
      reduces = true;
    }
    return owner;
  }

  /// Sums at the member that is nearest to the owner.
  Holder combine(std::size_t level, const Box& box, const std::vector<Holder>& members,
                 std::int64_t owner) {
    if (members.size() == 1) return members.front();
    Holder target = *std::ranges::min_element(members, {}, [&](const Holder& member) {
      return std::pair(distance_(member.device, owner), member.device);
    });
    const std::int64_t device = target.device;
    if (target.memory == Memory::kSource) target = accumulator(target, box, Memory::kScratch);
    for (const Holder& member : members) {
      if (member.device == device) continue;
      send(reductions_[level], member,
           {.to = device, .box = box, .written = target.memory, .reduces = true});
    }
    return target;
  }

  const Levels& levels_;
  const Distance& distance_;
  const Reduction& reduction_;
  /// Of the tensor.
  std::int64_t elements_ = 0;
  std::vector<Transfer> local_;
  std::vector<std::vector<Transfer>> reductions_;
  std::vector<std::vector<Transfer>> copies_;
  std::vector<Block> scratch_;
  std::map<std::int64_t, std::int64_t> scratch_used_;
  std::map<std::int64_t, std::int64_t> sent_;
  std::map<std::int64_t, std::int64_t> received_;
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

Result<Plan> redistribute(const Distribution& from, const Distribution& to,
                          std::int64_t element_bits, const RedistributeOptions& options) {
  const Topology& topology = options.topology;
  HEDDLE_CHECK(check_bits(element_bits, from));
  HEDDLE_CHECK(to.check_writable());
  HEDDLE_TRY(const auto sides, in_common_boxes(from, to));
  const std::vector<std::int64_t> devices = devices_of(from, to);
  HEDDLE_TRY(const Problem problem, problem_of(sides.first, sides.second));
  const axe::Mesh& links = topology.mesh ? *topology.mesh : to.mesh();
  HEDDLE_TRY(const Levels levels, Levels::make(topology, links, devices));
  const Distance distance(links, devices);
  HEDDLE_TRY(const std::int64_t elements, elements_of(from.shape()));
  Planner planner(levels, distance, problem.reduction, elements);
  for (const Cell& cell : problem.cells) planner.add(cell);
  HEDDLE_TRY(Distribution scratch,
             DistributionAccess::make_scratch(sides.first, devices, planner.scratch()));
  std::vector<Step> steps;
  for (const std::vector<Transfer>& transfers : std::move(planner).steps()) {
    if (transfers.empty()) continue;
    steps.push_back(recognized(joined(transfers), sides.first, sides.second));
  }
  const bool averages = problem.reduction.op == "avg";
  return PlanAccess::make({.from = sides.first,
                           .to = sides.second,
                           .scratch = std::move(scratch),
                           .element_bits = element_bits,
                           .topology = topology,
                           .steps = std::move(steps),
                           .reduce_op = problem.reduction.op,
                           .averaged_over = averages ? problem.reduction.terms : 1,
                           .devices = devices});
}

}  // namespace heddle::distribute

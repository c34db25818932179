#include "distribute/sum.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "distribute/distribution_access.h"

namespace heddle::distribute {
namespace {

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

}  // namespace

std::vector<Summed> Summing::sum(std::size_t level, const Cell& cell) {
  const std::map<std::size_t, Cell> groups = by_group(level, cell);
  std::vector<Summed> parts;
  Devices lacking;
  const Cell* complete = nullptr;
  for (const auto& [group, part] : groups) {
    if (has_all_terms(part)) complete = &part;
    if (!has_all_terms(part) || part.wanters.empty()) {
      std::ranges::copy(part.wanters, std::back_inserter(lacking));
      continue;
    }
    std::vector<Summed> summed = sum(level + 1, part);
    parts = parts.empty() ? std::move(summed) : in_common_parts(parts, summed);
  }
  if (complete == nullptr) {
    return sum_at(owners_of(cell), Memory::kDestination, level, cell, cell.wanters);
  }
  if (parts.empty()) {
    return sum_at(complete->holders, Memory::kScratch, level, *complete, lacking);
  }
  for (const Summed& part : parts) spreading_.spread(level, part.box, part.holders, lacking);
  return parts;
}

std::vector<Summed> Summing::sum_at(Devices owners, Memory memory, std::size_t level,
                                    const Cell& cell, const Devices& wanters) {
  // The larger shares go to those that own the least.
  std::ranges::stable_sort(owners, {}, [&](std::int64_t device) { return owned_[device]; });
  const std::vector<std::vector<Box>> shares = shares_of(cell.box, owners.size());
  std::vector<Summed> summed;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Holder owner{owners[i], memory};
    for (const Box& part : shares[i]) {
      owned_[owner.device] += volume(part);
      reduce(level, part, cell, owner);
      spreading_.spread(level, part, {owner}, without(wanters, owner.device));
      summed.push_back({part, {owner}});
    }
  }
  return summed;
}

void Summing::reduce(std::size_t outermost, const Box& box, const Cell& cell, const Holder& owner) {
  const Levels& levels = steps_.levels();
  Holders active = terms_of(cell, owner.device);
  const auto own = std::ranges::find(active, owner.device, &Holder::device);
  if (own != active.end()) *own = accumulator(*own, box, owner.memory);
  for (std::size_t level = levels.size(); level-- > outermost;) {
    std::map<std::size_t, Holders> groups;
    for (const Holder& holder : active) {
      groups[levels.around(level, holder.device)].push_back(holder);
    }
    active.clear();
    for (const auto& [group, members] : groups) {
      const bool is_owners = levels.around(level, owner.device) == group;
      active.push_back(is_owners ? combine_at_owner(level, box, members, owner)
                                 : combine(level, box, members, owner.device));
    }
  }
}

std::map<std::size_t, Cell> Summing::by_group(std::size_t level, const Cell& cell) const {
  std::map<std::size_t, Cell> groups;
  const auto part = [&](std::int64_t device) -> Cell& {
    const std::size_t group = steps_.levels().group(level, device);
    return groups.try_emplace(group, Cell{cell.box, {}, {}}).first->second;
  };
  for (const std::int64_t device : cell.holders) part(device).holders.push_back(device);
  for (const std::int64_t device : cell.wanters) part(device).wanters.push_back(device);
  return groups;
}

bool Summing::has_all_terms(const Cell& cell) const {
  std::set<std::int64_t> terms;
  for (const std::int64_t device : cell.holders) terms.insert(reduction_.term_of(device));
  return static_cast<std::int64_t>(terms.size()) == reduction_.terms;
}

Devices Summing::owners_of(const Cell& cell) const {
  const Levels& levels = steps_.levels();
  for (std::size_t level = levels.size(); level-- > 0;) {
    std::set<std::size_t> with_term;
    for (const std::int64_t device : cell.holders) with_term.insert(levels.group(level, device));
    Devices owners;
    std::ranges::copy_if(cell.wanters, std::back_inserter(owners), [&](std::int64_t device) {
      return with_term.contains(levels.group(level, device));
    });
    if (!owners.empty()) return owners;
  }
  return cell.wanters;
}

Holders Summing::terms_of(const Cell& cell, std::int64_t owner) const {
  Holders holders = in_source(cell.holders);
  if (static_cast<std::int64_t>(holders.size()) == reduction_.terms) return holders;
  std::set<std::int64_t> missing;
  for (const Holder& holder : holders) missing.insert(reduction_.term_of(holder.device));
  Holders chosen;
  choose_terms(0, std::move(holders), owner, missing, chosen);
  return chosen;
}

void Summing::choose_terms(std::size_t level, Holders holders, std::int64_t owner,
                           std::set<std::int64_t>& missing, Holders& chosen) const {
  std::erase_if(holders, [&](const Holder& holder) {
    return !missing.contains(reduction_.term_of(holder.device));
  });
  if (holders.empty()) return;
  const Levels& levels = steps_.levels();
  if (level == levels.size()) {
    chosen.push_back(holders.front());
    missing.erase(reduction_.term_of(holders.front().device));
    return;
  }
  std::map<std::size_t, Holders> groups;
  for (const Holder& holder : holders) {
    groups[levels.group(level, holder.device)].push_back(holder);
  }
  const auto best = std::ranges::max_element(groups, {}, [&](const auto& group) {
    std::set<std::int64_t> terms;
    for (const Holder& holder : group.second) terms.insert(reduction_.term_of(holder.device));
    const std::int64_t device = steps_.nearest(group.second, owner).device;
    return std::tuple(levels.group(level, owner) == group.first, terms.size(),
                      -static_cast<std::int64_t>(steps_.distance()(device, owner)),
                      -steps_.sent(device));
  });
  choose_terms(level + 1, best->second, owner, missing, chosen);
  choose_terms(level, std::move(holders), owner, missing, chosen);
}

Holder Summing::accumulator(const Holder& holder, const Box& box, Memory memory) {
  if (memory == Memory::kScratch) {
    std::int64_t& used = scratch_used_[holder.device];
    scratch_.push_back({holder.device, box, row_major(box, used)});
    used += volume(box);
  }
  steps_.keep(holder.device, box, memory);
  return {holder.device, memory};
}

Holder Summing::combine_at_owner(std::size_t level, const Box& box, const Holders& members,
                                 const Holder& owner) {
  bool reduces = has(members, owner.device);
  for (const Holder& member : members) {
    if (member.device == owner.device) continue;
    steps_.sum(level, member,
               {.to = owner.device, .box = box, .written = owner.memory, .reduces = reduces});
    reduces = true;
  }
  return owner;
}

Holder Summing::combine(std::size_t level, const Box& box, const Holders& members,
                        std::int64_t owner) {
  if (members.size() == 1) return members.front();
  Holder target = *std::ranges::min_element(members, {}, [&](const Holder& member) {
    return std::pair(steps_.distance()(member.device, owner), member.device);
  });
  const std::int64_t device = target.device;
  if (target.memory == Memory::kSource) target = accumulator(target, box, Memory::kScratch);
  for (const Holder& member : members) {
    if (member.device == device) continue;
    steps_.sum(level, member,
               {.to = device, .box = box, .written = target.memory, .reduces = true});
  }
  return target;
}

}  // namespace heddle::distribute

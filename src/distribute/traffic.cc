#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "distribute/cells.h"
#include "distribute/distribution_access.h"
#include "distribute/levels.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {
namespace {

std::int64_t largest(const std::map<std::int64_t, std::int64_t>& bytes) {
  std::int64_t most = 0;
  for (const auto& [device, sum] : bytes) most = std::max(most, sum);
  return most;
}

/// What comes into the groups of one level over its links.
using IntoGroups = std::map<std::size_t, std::int64_t>;

/// How long the group that gets the most takes, if its members share what comes in.
double seconds_of(const Level& level, const IntoGroups& bytes) {
  if (level.bandwidth == 0) return 0;
  std::map<std::size_t, std::size_t> members;
  for (const auto& [device, group] : level.group) ++members[group];
  double most = 0;
  for (const auto& [group, into] : bytes) {
    most = std::max(
        most, static_cast<double>(into) / (static_cast<double>(members[group]) * level.bandwidth));
  }
  return most;
}

/// The devices of a cell as the groups of one level.
struct GroupedCell {
  /// The terms that each group holds.
  std::map<std::size_t, std::set<std::int64_t>> terms;
  std::set<std::size_t> wanters;
};

template <class GroupOf>
GroupedCell grouped(const Cell& cell, const Reduction& reduction, GroupOf group_of) {
  GroupedCell grouped;
  for (const std::int64_t device : cell.holders) {
    grouped.terms[group_of(device)].insert(reduction.term_of(device));
  }
  for (const std::int64_t device : cell.wanters) grouped.wanters.insert(group_of(device));
  return grouped;
}

bool has_all_terms(const GroupedCell& cell, std::size_t group, const Reduction& reduction) {
  const auto found = cell.terms.find(group);
  return found != cell.terms.end() &&
         static_cast<std::int64_t>(found->second.size()) == reduction.terms;
}

/// The messages with an element that groups need at least. A group that wants it and does not have
/// all terms needs one. Before any group has the sum, as many have spoken as are needed for all
/// terms; see lower_bound().
std::int64_t messages(const GroupedCell& cell, const Reduction& reduction) {
  std::size_t most_terms = 1;
  for (const auto& [group, terms] : cell.terms) most_terms = std::max(most_terms, terms.size());
  std::int64_t lacking = 0;
  bool one_has_a_term = false;
  for (const std::size_t group : cell.wanters) {
    lacking += has_all_terms(cell, group, reduction) ? 0 : 1;
    one_has_a_term = one_has_a_term || cell.terms.contains(group);
  }
  const auto terms_of_one = static_cast<std::int64_t>(most_terms);
  if (terms_of_one == reduction.terms) return lacking;
  const std::int64_t speakers = (reduction.terms + terms_of_one - 1) / terms_of_one;
  const auto wanters = static_cast<std::int64_t>(cell.wanters.size());
  return speakers - 1 + wanters - (one_has_a_term ? 1 : 0);
}

/// The bound as it is summed up cell by cell.
class Bound {
 public:
  Bound(const Levels& levels, const Reduction& reduction)
      : levels_(levels), reduction_(reduction), into_(levels.size()), moved_(levels.size()) {}

  void add(const Cell& cell) {
    const std::int64_t elements = volume(cell.box);
    const GroupedCell alone =
        grouped(cell, reduction_, [](std::int64_t device) { return std::size_t(device); });
    total_ += elements * messages(alone, reduction_);
    for (const std::int64_t device : cell.wanters) {
      if (!has_all_terms(alone, std::size_t(device), reduction_)) in_[device] += elements;
    }
    // What one device alone holds leaves it once at least.
    const bool is_wanted_elsewhere = cell.wanters != std::vector{cell.holders.front()};
    if (cell.holders.size() == 1 && is_wanted_elsewhere) out_[cell.holders.front()] += elements;
    for (std::size_t level = 0; level < levels_.size(); ++level) add_level(level, cell, elements);
  }

  Traffic traffic(std::int64_t element_bits, std::size_t devices) const {
    const auto bytes = [&](std::int64_t elements) { return bytes_of(elements, element_bits); };
    const auto count = static_cast<std::int64_t>(devices);
    const std::int64_t share = (total_ + count - 1) / count;
    Traffic traffic{.total = bytes(total_),
                    .most_in = bytes(std::max(largest(in_), share)),
                    .most_out = bytes(std::max(largest(out_), share)),
                    .by_link = {}};
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      IntoGroups into = into_[level];
      for (auto& [group, elements] : into) elements = bytes(elements);
      traffic.by_link.emplace_back(levels_[level].link, bytes(moved_[level]));
      traffic.seconds = std::max(traffic.seconds, seconds_of(levels_[level], into));
    }
    return traffic;
  }

 private:
  /// What goes from one group of the level to another takes its links, or slower ones.
  void add_level(std::size_t level, const Cell& cell, std::int64_t elements) {
    const GroupedCell near = grouped(
        cell, reduction_, [&](std::int64_t device) { return levels_.group(level, device); });
    moved_[level] += elements * messages(near, reduction_);
    for (const std::size_t group : near.wanters) {
      if (!has_all_terms(near, group, reduction_)) into_[level][group] += elements;
    }
  }

  const Levels& levels_;
  const Reduction& reduction_;
  std::vector<IntoGroups> into_;
  std::vector<std::int64_t> moved_;
  std::map<std::int64_t, std::int64_t> in_;
  std::map<std::int64_t, std::int64_t> out_;
  std::int64_t total_ = 0;
};

}  // namespace

Traffic traffic(const Plan& plan) {
  const Topology& topology = plan.topology();
  const Levels levels =
      Levels::make(topology, links_of(topology, plan.to()), plan.devices()).value();
  Traffic traffic{.by_link = {}};
  std::map<std::int64_t, std::int64_t> in;
  std::map<std::int64_t, std::int64_t> out;
  std::vector<IntoGroups> into(levels.size());
  std::vector<std::int64_t> moved(levels.size(), 0);
  for (const Step& step : plan.steps()) {
    for (const Transfer& transfer : step.transfers) {
      if (transfer.from == transfer.to) continue;
      const std::int64_t bytes = bytes_of(volume(transfer.box), plan.element_bits());
      const std::size_t level = levels.between(transfer.from, transfer.to);
      traffic.total += bytes;
      in[transfer.to] += bytes;
      out[transfer.from] += bytes;
      moved[level] += bytes;
      into[level][levels.group(level, transfer.to)] += bytes;
    }
  }
  traffic.most_in = largest(in);
  traffic.most_out = largest(out);
  std::int64_t slower = 0;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    slower += moved[level];
    traffic.by_link.emplace_back(levels[level].link, slower);
    traffic.seconds += seconds_of(levels[level], into[level]);
  }
  return traffic;
}

Result<Traffic> lower_bound(const Distribution& from, const Distribution& to,
                            std::int64_t element_bits, const Topology& topology) {
  HEDDLE_CHECK(check_bits(element_bits, from));
  HEDDLE_TRY(const auto sides, in_common_boxes(from, to));
  HEDDLE_TRY(const Problem problem, problem_of(sides.first, sides.second));
  const std::vector<std::int64_t> devices = devices_of(from, to);
  HEDDLE_TRY(const Levels levels, Levels::make(topology, links_of(topology, to), devices));
  Bound bound(levels, problem.reduction);
  for (const Cell& cell : problem.cells) bound.add(cell);
  return bound.traffic(element_bits, devices.size());
}

}  // namespace heddle::distribute

#pragma once

// Summing the terms of a cell, near devices first.
//
//   nodes {0,1} and {2,3}, a term on each device, all want the sum; the share of device 0:
//     level 1, within nodes     1 +> 0, and 3 +> 2 in scratch memory
//     level 0, between nodes    2 +> 0
//
// Then the sum is brought to all that want it (spread.h).

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "distribute/cells.h"
#include "distribute/spread.h"
#include "distribute/steps.h"

namespace heddle::distribute {

/// A part of a cell, and who has its sum once all terms are summed, before it is copied on.
struct Summed {
  Box box;
  Holders holders;
};

class Summing {
 public:
  Summing(Steps& steps, Spreading& spreading, const Reduction& reduction)
      : steps_(steps), spreading_(spreading), reduction_(reduction) {}

  /// Within one group around the level. Where all terms are in one of the level's groups, nothing
  /// has to come to it from outside.
  std::vector<Summed> sum(std::size_t level, const Cell& cell);

  /// The scratch memory that it takes.
  [[nodiscard]] const std::vector<Block>& scratch() const { return scratch_; }

 private:
  /// A share at each of the owners, from which it is brought to those that want it.
  std::vector<Summed> sum_at(Devices owners, Memory memory, std::size_t level, const Cell& cell,
                             const Devices& wanters);
  /// The terms of a box at its owner.
  void reduce(std::size_t outermost, const Box& box, const Cell& cell, const Holder& owner);

  /// The cell as the devices of each group of the level hold and want it.
  [[nodiscard]] std::map<std::size_t, Cell> by_group(std::size_t level, const Cell& cell) const;
  [[nodiscard]] bool has_all_terms(const Cell& cell) const;
  /// Who sums: of those that want the sum the ones that are nearest to a term, at best because they
  /// have one themselves.
  [[nodiscard]] Devices owners_of(const Cell& cell) const;

  /// One holder for each term, of as few groups of near devices as are found: first that of the
  /// owner, then the one with the most terms that are missing, and of several the nearest.
  [[nodiscard]] Holders terms_of(const Cell& cell, std::int64_t owner) const;
  void choose_terms(std::size_t level, Holders holders, std::int64_t owner,
                    std::set<std::int64_t>& missing, Holders& chosen) const;

  /// The memory of a device in which terms are summed, with its own term in it.
  Holder accumulator(const Holder& holder, const Box& box, Memory memory);
  Holder combine_at_owner(std::size_t level, const Box& box, const Holders& members,
                          const Holder& owner);
  /// At the member that is nearest to the owner.
  Holder combine(std::size_t level, const Box& box, const Holders& members, std::int64_t owner);

  Steps& steps_;
  Spreading& spreading_;
  const Reduction& reduction_;
  std::map<std::int64_t, std::int64_t> owned_;
  std::vector<Block> scratch_;
  std::map<std::int64_t, std::int64_t> scratch_used_;
};

}  // namespace heddle::distribute

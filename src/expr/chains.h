#pragma once

// What follows from several bounds of variables by transitivity.
//
//   A <= B + 1, B <= 2*C, C <= 7      give A <= 2*C + 1 and C <= 7 (not A <= 15: C is within 2*C)
//
// Bounds are held with the variable that they are about, and those of the variables in them with
// these. Each says that one term is at most another plus a number: the arrows of a graph, in which
// the shortest ways from a term are its least bounds. The cost is that of shortest ways, whatever
// the number of ways.

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "expr/interval.h"
#include "expr/term.h"

namespace heddle::expr {

class Chains {
 public:
  /// All that is assumed of the variables in the value, and of those in their bounds.
  explicit Chains(const Int& value);

  /// Terms over the `atoms`, and numbers, that the variable of a quotient atom is never above, or
  /// those that it is never below.
  [[nodiscard]] std::vector<Int> bounds(const AtomPointer& atom,
                                        const std::vector<AtomPointer>& atoms, bool is_above) const;

 private:
  /// `from` is at most `to` plus the number, or the other way round.
  struct Arrow {
    std::size_t to = 0;
    Wide plus = 0;
  };
  using Arrows = std::vector<std::vector<Arrow>>;

  void add(const Int& low, const Int& high);
  [[nodiscard]] std::size_t node(const Int& head);
  /// The least sum of numbers on a way from a node to each; infinity where there is none.
  [[nodiscard]] static std::vector<Wide> ways_from(std::size_t start, const Arrows& arrows);

  /// Terms without their constants; the first is 0.
  std::vector<Int> heads_;
  std::unordered_map<Int, std::size_t> nodes_;
  Arrows above_;
  Arrows below_;
};

}  // namespace heddle::expr

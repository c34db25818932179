#include "expr/term/bounds.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "expr/term/conditions.h"
#include "expr/term/interval.h"
#include "expr/term/substitute.h"

namespace heddle::expr {
namespace {

/// Sums and monomials longer than this are bounded by intervals alone.
constexpr std::size_t kMaxSearchedProducts = 64;
constexpr std::size_t kMaxSearchedDegree = 6;

bool is_searchable(const Int& value) {
  const Polynomial& products = value.term().products();
  return products.size() <= kMaxSearchedProducts &&
         std::ranges::all_of(products, [](const Product& product) {
           return product.degree() <= kMaxSearchedDegree;
         });
}

/// No atom is in two products or twice in one: intervals lose nothing.
bool is_separated(const Int& value, const std::vector<AtomPointer>& atoms) {
  std::size_t places = 0;
  for (const Product& product : value.term().products()) places += product.degree();
  return places == atoms.size();
}

std::ptrdiff_t times_in(const Product& product, const Atom& atom) {
  return std::ranges::count_if(product.atoms, SameAs{atom});
}

enum class Sign : std::uint8_t { kNegative, kMixed, kPositive };

/// The sign of the coefficients with which an atom occurs.
Sign sign_of_occurrences(const Int& value, const Atom& atom) {
  bool positive = false;
  bool negative = false;
  for (const Product& product : value.term().products()) {
    if (times_in(product, atom) > 0) (product.coefficient > 0 ? positive : negative) = true;
  }
  if (positive && negative) return Sign::kMixed;
  return positive ? Sign::kPositive : Sign::kNegative;
}

bool has_end(const AtomPointer& atom) { return atom->range() != Range(); }

/// Which atoms are written as their greatest value minus an unknown: those without a least value
/// and those that occur with a sign below `rising`, if they have a greatest one.
std::vector<bool> falling(const Int& value, const std::vector<AtomPointer>& atoms, Sign rising) {
  std::vector<bool> falls;
  for (const AtomPointer& atom : atoms) {
    const auto [low, high] = atom->range();
    falls.push_back(high != Range::kNoHigh &&
                    (low == Range::kNoLow || sign_of_occurrences(value, *atom) < rising));
  }
  return falls;
}

/// The lower end of the interval after each falling atom is written as its greatest value minus an
/// unknown, and each other atom as its least value plus one; the unknowns are at least 0.
Wide moved_lower_bound(const Int& value, const std::vector<AtomPointer>& atoms,
                       const std::vector<bool>& falls) {
  std::vector<Int> moved;
  for (const AtomPointer& atom : atoms) {
    const auto [low, high] = atom->range();
    const bool falls_here = falls[moved.size()];
    if (!falls_here && low == 0) {
      moved.push_back(make_int(atom));
      continue;
    }
    const WideRange ends = widen(atom->range());
    const Int unknown = Int::variable("<" + std::to_string(moved.size()) + ">", 0,
                                      narrow({0, clamp(ends.high - ends.low)}).high);
    moved.push_back(falls_here ? high - unknown : low + unknown);
  }
  const Int there = with_factors(value, [&](const AtomPointer& atom) {
    const auto place = std::ranges::find_if(atoms, SameAs{*atom}) - atoms.begin();
    return moved[static_cast<std::size_t>(place)];
  });
  return there.is_defined() ? interval(there).low : -kInfinity;
}

/// Terms that bound an atom, after it is multiplied by `unit` and moved by `offset`.
struct KnownBounds {
  std::vector<Int> at_least;
  std::vector<Int> at_most;
  Int unit = 1;
  Int offset = 0;
};

KnownBounds bounds_of(const Atom& atom) {
  KnownBounds bounds;
  const auto is_natural = [](const Int& value) { return interval(value).low >= 0; };
  const auto is_positive = [](const Int& value) { return interval(value).low >= 1; };
  switch (atom.operation()) {
    case Operator::kVariable: {
      const Variable& variable = atom.variable();
      bounds = {variable.at_least, variable.at_most, unit_of(variable), variable.residue};
      break;
    }
    case Operator::kQuotient:
      if (is_natural(atom.left()) && is_positive(atom.right())) bounds.at_most = {atom.left()};
      break;
    case Operator::kRemainder:
      if (is_positive(atom.right())) bounds.at_most.push_back(atom.right() - 1);
      if (is_natural(atom.left())) bounds.at_most.push_back(atom.left());
      break;
    case Operator::kSquareRoot:
      bounds.at_most = {atom.left()};
      break;
    case Operator::kMinimum:
      bounds.at_most = {atom.left(), atom.right()};
      break;
    case Operator::kMaximum:
      bounds.at_least = {atom.left(), atom.right()};
      break;
    case Operator::kGcd:
      if (is_positive(atom.left())) bounds.at_most.push_back(atom.left());
      if (is_positive(atom.right())) bounds.at_most.push_back(atom.right());
      break;
    default:
      break;
  }
  return bounds;
}

/// A variable of which only a range is known, so that it may take every value in it, whatever the
/// values of the others.
bool is_free(const Atom& atom) {
  return atom.operation() == Operator::kVariable && atom.range().low != Range::kNoLow &&
         atom.variable().is_unrelated();
}

/// Whether bounds of its variables follow from several assumptions.
bool has_bounds_of_bounds(const Int& value) {
  // A variable whose bounds have no variables with bounds of their own is no deeper.
  if (!value.is_symbolic() || value.term().depth() <= 2) return false;
  return std::ranges::count_if(variable_atoms(value, true), [](const AtomPointer& atom) {
           return !atom->variable().is_unrelated();
         }) > 1;
}

bool is_over(const Int& value, const std::vector<AtomPointer>& atoms) {
  const auto is_there = [&](const AtomPointer& atom) {
    return std::ranges::any_of(atoms, SameAs{*atom});
  };
  return std::ranges::all_of(Products(value), [&](const Product& product) {
    return std::ranges::all_of(product.atoms, is_there);
  });
}

/// The sum as a 64-bit number.
std::optional<std::int64_t> narrowed(Wide sum) {
  if (sum <= Range::kNoLow || sum >= Range::kNoHigh) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

/// Bounds that follow from several bounds of variables by transitivity.
///
///   A <= B + 1, B <= 2*C, C <= 7      give A <= 2*C + 1 and C <= 7 (not A <= 15: C is within 2*C)
///
/// Each variable holds its bounds, and the variables in these hold theirs. Each bound says that one
/// term is at most another plus a number: these are the arrows of a graph, in which the shortest
/// paths from a term are its least bounds. The cost is that of shortest paths, whatever the number
/// of paths.
class Chains {
 public:
  /// Collects the assumptions about the variables in the value, and about those in their bounds.
  explicit Chains(const Int& value) {
    (void)node(0);
    for (const AtomPointer& atom : variable_atoms(value, true)) {
      const Variable& variable = atom->variable();
      const Int whole = whole_variable(atom);
      for (const Int& bound : variable.at_least) add(bound, whole);
      for (const Int& bound : variable.at_most) add(whole, bound);
      if (variable.range.low != Range::kNoLow) add(variable.range.low, whole);
      if (variable.range.high != Range::kNoHigh) add(whole, variable.range.high);
    }
  }

  /// Terms over the `atoms`, and numbers, that are upper bounds of the variable of a quotient atom,
  /// or its lower bounds.
  [[nodiscard]] std::vector<Int> bounds(const AtomPointer& atom,
                                        const std::vector<AtomPointer>& atoms,
                                        bool is_above) const {
    const Int whole = whole_variable(atom);
    const std::int64_t offset = constant_of(whole);
    const auto start = nodes_.find(whole - offset);
    if (start == nodes_.end()) return {};
    const std::vector<Wide> ways = ways_from(start->second, is_above ? above_ : below_);
    std::vector<Int> found;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      if (i == start->second || ways[i] == kInfinity || !is_over(heads_[i], atoms)) continue;
      const std::optional<std::int64_t> sum =
          narrowed(is_above ? offset + ways[i] : offset - ways[i]);
      if (!sum) continue;
      if (Int bound = heads_[i] + *sum; bound.is_defined()) found.push_back(std::move(bound));
    }
    return found;
  }

 private:
  /// `from` is at most `to` plus the number; in the graph of the other direction, the reverse.
  struct Arrow {
    std::size_t to = 0;
    Wide plus = 0;
  };
  using Arrows = std::vector<std::vector<Arrow>>;

  void add(const Int& low, const Int& high) {
    if (!low.is_defined() || !high.is_defined()) return;
    const std::int64_t low_constant = constant_of(low);
    const std::int64_t high_constant = constant_of(high);
    const Int low_head = low - low_constant;
    const Int high_head = high - high_constant;
    if (!low_head.is_defined() || !high_head.is_defined()) return;
    const std::size_t from = node(low_head);
    const std::size_t to = node(high_head);
    const Wide plus = static_cast<Wide>(high_constant) - low_constant;
    above_[from].push_back({to, plus});
    below_[to].push_back({from, plus});
  }

  std::size_t node(const Int& head) {
    const auto [found, is_new] = nodes_.try_emplace(head, heads_.size());
    if (is_new) {
      heads_.push_back(head);
      above_.emplace_back();
      below_.emplace_back();
    }
    return found->second;
  }

  /// The least sum of numbers on a path from a node to each other one; infinity if there is no
  /// path.
  static std::vector<Wide> ways_from(std::size_t start, const Arrows& arrows) {
    std::vector<Wide> ways(arrows.size(), kInfinity);
    std::vector<std::size_t> times(arrows.size(), 0);
    std::vector<bool> is_waiting(arrows.size(), false);
    std::deque<std::size_t> waiting{start};
    ways[start] = 0;
    while (!waiting.empty()) {
      const std::size_t here = waiting.front();
      waiting.pop_front();
      is_waiting[here] = false;
      // A node is visited more often than there are nodes only if bounds contradict each other:
      // then anything is true.
      if (++times[here] > arrows.size()) break;
      for (const auto& [to, plus] : arrows[here]) {
        const Wide way = clamp(ways[here] + plus);
        if (way >= ways[to]) continue;
        ways[to] = way;
        if (!is_waiting[to]) waiting.push_back(to);
        is_waiting[to] = true;
      }
    }
    return ways;
  }

  /// Terms without their constants; the first is 0.
  std::vector<Int> heads_;
  std::unordered_map<Int, std::size_t> nodes_;
  Arrows above_;
  Arrows below_;
};

/// One search for a lower bound; it stops as soon as one reaches the goal.
class BoundSearch {
 public:
  Wide run(const Int& value, Wide goal) {
    if (has_bounds_of_bounds(value)) chains_.emplace(value);
    return run(value, goal, 0);
  }

 private:
  Wide run(const Int& value, Wide goal, int depth) {
    if (!value.is_defined() || ++steps_ > kMaxSteps) return -kInfinity;
    Wide best = interval(value).low;
    if (best >= goal || !value.is_symbolic() || !is_searchable(value)) return best;
    const std::vector<AtomPointer> atoms = factors_of(value);
    if (!is_separated(value, atoms) && std::ranges::all_of(atoms, has_end)) {
      std::vector<bool> tried;
      for (const Sign rising : {Sign::kNegative, Sign::kMixed, Sign::kPositive}) {
        std::vector<bool> falls = falling(value, atoms, rising);
        if (falls == tried) continue;
        best = std::max(best, moved_lower_bound(value, atoms, falls));
        if (best >= goal) return best;
        tried = std::move(falls);
      }
    }
    if (depth == kMaxRewrites) return best;
    for (const AtomPointer& atom : atoms) {
      best = std::max(best, by_bounds(value, atom, goal, depth));
      if (best >= goal) return best;
      best = std::max(best, by_rewriting(value, *atom, goal, depth));
      if (best >= goal) return best;
    }
    return best;
  }

  /// An atom that is at least B may be replaced by B where that lessens the value.
  Wide by_bounds(const Int& value, const AtomPointer& atom, Wide goal, int depth) {
    const KnownBounds bounds = bounds_of(*atom);
    if (bounds.at_least.empty() && bounds.at_most.empty() && !has_chains()) return -kInfinity;
    const std::optional<Division> line = line_in(value, atom);
    const std::optional<Int> slope =
        line ? exact_quotient(line->quotient, bounds.unit) : std::nullopt;
    if (!slope) return -kInfinity;
    const WideRange slopes = interval(*slope);
    if (slopes.low < 0 && slopes.high > 0) return -kInfinity;
    Wide best = -kInfinity;
    const bool rises = slopes.low >= 0;
    std::vector<Int> all = far_bounds(value, atom, rises);
    for (const Int& bound : rises ? bounds.at_least : bounds.at_most) {
      if (std::ranges::find(all, bound) == all.end()) all.push_back(bound);
    }
    for (const Int& bound : all) {
      best = std::max(best, run(line->rest + *slope * (bound - bounds.offset), goal, depth + 1));
      if (best >= goal) break;
    }
    return best;
  }

  /// Bounds of a variable that follow from several assumptions.
  std::vector<Int> far_bounds(const Int& value, const AtomPointer& atom, bool rises) const {
    if (!has_chains() || atom->operation() != Operator::kVariable) return {};
    const std::vector<AtomPointer> atoms = factors_of(value);
    std::vector<Int> found = chains_->bounds(atom, atoms, !rises);
    const Range& range = atom->variable().range;
    std::erase_if(found, [&](const Int& bound) {
      if (!bound.is_constant()) return false;
      return rises ? bound.value() <= range.low : bound.value() >= range.high;
    });
    return found;
  }
  [[nodiscard]] bool has_chains() const { return chains_.has_value(); }

  Wide by_rewriting(const Int& value, const Atom& atom, Wide goal, int depth) {
    switch (atom.operation()) {
      case Operator::kQuotient:
        return by_remainder(value, atom, goal, depth);
      case Operator::kRemainder: {
        // x%d = x - d*(x//d)
        const Int quotient = make_operation(Operator::kQuotient, atom.left(), atom.right());
        const Int whole = atom.left() - atom.right() * quotient;
        return run(replace_factor(value, atom, whole), goal, depth + 1);
      }
      case Operator::kMinimum:
      case Operator::kMaximum: {
        // The value is one of the two operands.
        const Wide left = run(replace_factor(value, atom, atom.left()), goal, depth + 1);
        if (left == -kInfinity) return left;
        return std::min(left, run(replace_factor(value, atom, atom.right()), goal, depth + 1));
      }
      case Operator::kSelect:
        return by_branches(value, atom, goal, depth);
      default:
        return -kInfinity;
    }
  }

  /// The value is one branch where the condition holds, and the other where it does not.
  Wide by_branches(const Int& value, const Atom& atom, Wide goal, int depth) {
    Wide least = kInfinity;
    for (const bool holds : {true, false}) {
      const Int& branch = holds ? atom.left() : atom.right();
      const Int there = replace_factor(value, atom, branch);
      Wide best = run(there, goal, depth + 1);
      for (const Int& slack : slacks_of(atom.condition(), holds)) {
        if (best >= goal) break;
        best = std::max(best, by_slack(there, slack, goal, depth));
      }
      least = std::min(least, best);
      if (least == -kInfinity) break;
    }
    return least;
  }

  /// A term that is at least 0 may be subtracted, as often as cancels a product of the value.
  Wide by_slack(const Int& value, const Int& slack, Wide goal, int depth) {
    if (!value.is_symbolic() || !slack.is_defined()) return -kInfinity;
    for (const Product& part : Products(slack)) {
      if (part.degree() == 0) continue;
      for (const Product& product : value.term().products()) {
        const bool cancels = compare(product.atoms, part.atoms) == 0 &&
                             (product.coefficient > 0) == (part.coefficient > 0);
        const Int times = floor_div(Int(product.coefficient), Int(part.coefficient));
        if (!cancels || times * part.coefficient != Int(product.coefficient)) continue;
        return run(value - times * slack, goal, depth + 1);
      }
    }
    return -kInfinity;
  }

  /// d*(x//d) = x - x%d, for d of one product and wherever the whole of d multiplies the quotient.
  Wide by_remainder(const Int& value, const Atom& atom, Wide goal, int depth) {
    const Int& divisor = atom.right();
    const Int unit = divisor * make_operation(Operator::kQuotient, atom.left(), divisor);
    if (!unit.is_defined() || Products(unit).size() != 1) return -kInfinity;
    const Division parts = divide(value, unit);
    if (parts.quotient == Int(0)) return by_multiple(value, divisor, goal, depth);
    const Int remainder = make_operation(Operator::kRemainder, atom.left(), divisor);
    return run(parts.quotient * (atom.left() - remainder) + parts.rest, goal, depth + 1);
  }

  /// value >= goal wherever d * (value - goal + 1) > 0, for positive d: there quotients by d are
  /// multiplied by d.
  Wide by_multiple(const Int& value, const Int& divisor, Wide goal, int depth) {
    if (goal > Range::kNoHigh - 1 || goal < Range::kNoLow + 1 || interval(divisor).low < 1) {
      return -kInfinity;
    }
    const Int scaled = divisor * (value - static_cast<std::int64_t>(goal) + 1);
    return run(scaled, 1, depth + 1) >= 1 ? goal : -kInfinity;
  }

  static constexpr int kMaxRewrites = 4;
  static constexpr int kMaxSteps = 64;

  int steps_ = 0;
  /// Present if bounds have variables that have bounds in turn.
  std::optional<Chains> chains_;
};

/// Whether only ranges are known, so that no search finds a bound beyond the interval.
bool has_tight_interval(const Int& value) {
  if (!value.is_symbolic()) return true;
  const Polynomial& products = value.term().products();
  const auto is_free = [](const Product& product) {
    if (product.degree() == 0) return true;
    const Atom& atom = *product.atoms.front();
    return product.degree() == 1 && atom.operation() == Operator::kVariable &&
           atom.variable().is_unrelated();
  };
  return std::ranges::all_of(products, is_free);
}

}  // namespace

std::optional<Division> line_in(const Int& value, const AtomPointer& atom) {
  const bool is_linear = std::ranges::all_of(
      Products(value), [&](const Product& product) { return times_in(product, *atom) <= 1; });
  if (!is_linear) return std::nullopt;
  return divide(value, make_int(atom));
}

Int end_of(const Int& slope, const Int& rest) {
  return known_less(0, slope) ? ceil_div(-rest, slope) : floor_div(rest, -slope);
}

bool is_polynomial_in_free_variables(const Int& value) {
  return !value.is_symbolic() ||
         std::ranges::all_of(value.term().products(), [](const Product& product) {
           return std::ranges::all_of(product.atoms,
                                      [](const AtomPointer& atom) { return is_free(*atom); });
         });
}

bool is_never_above(const Int& a, const Int& b, std::int64_t gap) {
  if (!a.is_defined() || !b.is_defined()) return false;
  // If the intervals are disjoint there is no need for the difference.
  const WideRange left = interval(a);
  const WideRange right = interval(b);
  if (clamp(left.high + gap) <= right.low) return true;
  if (left.low > right.high) return false;
  if (!b.is_symbolic() && has_tight_interval(a)) return false;
  if (!a.is_symbolic() && has_tight_interval(b)) return false;
  return is_at_least(b - a, gap);
}

bool is_at_least(const Int& value, std::int64_t bound) {
  if (!value.is_defined() || is_refuted(value, bound)) return false;
  return BoundSearch().run(value, bound) >= bound;
}

std::int64_t lower_bound(const Int& value) {
  return narrow({BoundSearch().run(value, kInfinity), 0}).low;
}

}  // namespace heddle::expr

namespace heddle {

Range range(const Int& value) {
  if (!value.is_defined()) return {};
  if (value.is_constant()) return {value.value(), value.value()};
  const std::int64_t above = expr::lower_bound(Int(-1) * value);
  return {expr::lower_bound(value), above == Range::kNoLow ? Range::kNoHigh : -above};
}

std::int64_t known_divisor(const Int& value) {
  return value.is_defined() ? expr::divisor_of(value) : 1;
}

}  // namespace heddle

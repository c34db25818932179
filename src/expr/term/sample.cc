// Values of terms at sample points: a claim that fails there needs no search for a proof.

#include <algorithm>
#include <array>
#include <unordered_map>

#include "expr/term/bounds.h"
#include "expr/term/substitute.h"

namespace heddle::expr {
namespace {

/// One choice of values for the variables: each at its least, some way above, or scattered.
class Sample {
 public:
  static Sample least() { return Sample(0, 0, nullptr); }
  static Sample large() { return Sample(kAbove, 0, nullptr); }
  /// One variable is large, the others at their least values.
  static Sample large(const Atom& variable) { return Sample(0, 0, &variable); }
  /// Each variable is somewhere in the first `width` numbers of its range, at another place for
  /// each turn.
  static Sample scattered(std::int64_t width, std::uint64_t turn) {
    return Sample(width, turn, nullptr);
  }

  /// The value at the sample; undefined if the assumptions about its variables forbid this choice.
  [[nodiscard]] Int of(const Int& value) {
    return with_factors(value, [this](const AtomPointer& atom) { return of(*atom); });
  }

 private:
  static constexpr std::int64_t kAbove = std::int64_t{1} << 20;

  Sample(std::int64_t width, std::uint64_t turn, const Atom* one)
      : width_(width), turn_(turn), one_(one) {}

  [[nodiscard]] Int of(const Atom& atom) {
    if (atom.operation() != Operator::kVariable) {
      return with_operands(atom, [this](const Int& operand) { return of(operand); });
    }
    const Variable& variable = atom.variable();
    if (variable.is_unrelated()) return chosen(atom);
    // Bounds have bounds in turn, and each is needed more than once.
    if (const auto found = chosen_.find(&atom); found != chosen_.end()) return found->second;
    const Int quotient = chosen(atom);
    return chosen_.emplace(&atom, quotient).first->second;
  }

  [[nodiscard]] Int chosen(const Atom& atom) {
    const Int quotient = choose(atom, limits_of(atom));
    return is_admissible(atom.variable(), quotient) ? quotient : Int::undefined();
  }

  /// The range, narrowed by the values that bounds by other variables have here.
  [[nodiscard]] Range limits_of(const Atom& atom) {
    Range limits = atom.range();
    const Variable& variable = atom.variable();
    if (variable.is_whole()) {
      for (const Int& bound : variable.at_least) {
        if (const Int low = of(bound); low.is_constant()) {
          limits.low = std::max(limits.low, low.value());
        }
      }
      for (const Int& bound : variable.at_most) {
        if (const Int high = of(bound); high.is_constant()) {
          limits.high = std::min(limits.high, high.value());
        }
      }
    }
    if (limits.low == Range::kNoLow) limits.low = std::min<std::int64_t>(limits.high, -kAbove);
    return limits;
  }

  [[nodiscard]] Int choose(const Atom& atom, const Range& limits) const {
    const bool is_large = one_ != nullptr && same(atom, *one_);
    const std::int64_t width = is_large ? kAbove : width_;
    if (turn_ == 0) return min(limits.low + Int(width), limits.high);
    const Int most = min(limits.high - Int(limits.low), width);
    if (!most.is_constant() || most.value() < 0) return Int::undefined();
    return limits.low + Int(scatter(atom.hash()) % (static_cast<std::uint64_t>(most.value()) + 1));
  }

  /// A pseudorandom number: the same in every run, different for each variable and turn.
  [[nodiscard]] std::uint64_t scatter(std::uint64_t hash) const {
    std::uint64_t mixed = (hash + turn_ * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 31U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 29U);
  }

  [[nodiscard]] bool is_admissible(const Variable& variable, const Int& quotient) {
    if (!quotient.is_constant()) return false;
    const Int whole =
        whole_value(variable, quotient, [this](const AtomPointer& factor) { return of(*factor); });
    return is_within_bounds(variable, whole, [this](const Int& bound) { return of(bound); });
  }

  std::int64_t width_;
  std::uint64_t turn_;
  const Atom* one_;
  /// The values chosen so far for variables that have bounds.
  std::unordered_map<const Atom*, Int> chosen_;
};

}  // namespace

bool is_refuted(const Int& value, std::int64_t goal) {
  constexpr std::uint32_t kMaxSampledWeight = 256;
  if (!value.is_symbolic()) return value.value() < goal;
  if (value.term().weight() > kMaxSampledWeight) return false;
  const auto is_below = [&](Sample sample) { return known_less(sample.of(value), goal); };
  if (is_below(Sample::least()) || is_below(Sample::large())) return true;
  const auto is_large_below = [&](const AtomPointer& atom) {
    return atom->operation() == Operator::kVariable && is_below(Sample::large(*atom));
  };
  if (std::ranges::any_of(factors_of(value), is_large_below)) return true;
  std::uint64_t turn = 0;
  return std::ranges::any_of(std::array{2, 7, 40, 3, 300, 5000}, [&](std::int64_t width) {
    return is_below(Sample::scattered(width, ++turn));
  });
}

}  // namespace heddle::expr

#include "lego/prove_genp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/format.h"
#include "expr/term/substitute.h"
#include "expr/term/term.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/lego/instantiate.h"
#include "lego/digits.h"

namespace heddle::lego {
namespace {

using Point = std::vector<Int>;

GenPProof disproved(Diagnostic failure) { return {Evidence::kNone, std::move(failure), nullptr}; }

Diagnostic out_of_range(const GenP& genp, const Point& point, const Int& value) {
  const std::string where = to_string(point);
  const std::string found = value.is_defined() ? to_string(value) : "no number";
  return diagnose("lego.genp_range", "{} leads {} to {}, which is not in [0, {})", to_string(genp),
                  where, found, to_string(product(genp.dims())))
      .with_witness({where, found, "", ""});
}

Diagnostic repeated(const GenP& genp, const Point& point, std::int64_t before, const Int& value) {
  const std::string where = to_string(point);
  const std::string other = to_string(unflatten(genp.dims(), before));
  return diagnose("lego.genp_repeated", "{} leads {} and {} both to {}", to_string(genp), other,
                  where, to_string(value))
      .with_witness({where, to_string(value), "", ""});
}

Diagnostic wrong_inverse(const GenP& genp, const std::string& number, const std::string& back,
                         const std::string& point) {
  return diagnose("lego.genp_inverse", "{}: the inverse leads {} to {}, but {} is what leads to {}",
                  to_string(genp), number, back, point, number)
      .with_witness({point, number, "", ""});
}

/// The next point, last dimension fastest; the dims are constants.
void advance(Point& point, std::span<const Int> dims) {
  for (std::size_t i = point.size(); i-- > 0;) {
    point[i] += 1;
    if (point[i] != dims[i]) return;
    point[i] = 0;
  }
}

/// The names of the variables in the sizes and in formulas, except for their parameters.
std::set<std::string> free_variables(const GenP& genp) {
  std::set<std::string> names = variables(genp.dims());
  const auto add = [&](const Formula& formula) {
    for (const Int& result : formula.results) {
      for (std::string& name : variables(result)) {
        if (std::ranges::count(formula.parameters, name) == 0) names.insert(std::move(name));
      }
    }
  };
  if (const auto* const formula = std::get_if<Formula>(&genp.function())) add(*formula);
  if (genp.inverse()) add(*genp.inverse());
  return names;
}

/// Evaluates a GenP whose tile has few points. Values may still be symbolic, if the function has
/// other variables than its parameters.
class Evaluation {
 public:
  Evaluation(const GenP& genp, std::int64_t size)
      : genp_(genp), size_(size), view_of_(static_cast<std::size_t>(size), -1) {}

  /// The proof; nullopt if a value is symbolic.
  [[nodiscard]] Result<std::optional<GenPProof>> proof() {
    Point point(genp_.dims().size(), 0);
    for (std::int64_t flat = 0; flat < size_; ++flat, advance(point, genp_.dims())) {
      HEDDLE_TRY(const Int value, genp_.apply(point));
      if (value.is_symbolic()) return std::optional<GenPProof>();
      if (std::optional<Diagnostic> fault = note(flat, point, value)) {
        return disproved(*std::move(fault));
      }
    }
    if (genp_.inverse()) return check_inverse();
    return GenPProof{Evidence::kEvaluation, {}, find_inverse(genp_.dims(), std::move(table_))};
  }

 private:
  /// Records the value; returns what is wrong with it, or nullopt.
  std::optional<Diagnostic> note(std::int64_t flat, const Point& point, const Int& value) {
    if (!value.is_constant() || value.value() < 0 || value.value() >= size_) {
      return out_of_range(genp_, point, value);
    }
    std::int64_t& view = view_of_[static_cast<std::size_t>(value.value())];
    if (view >= 0) return repeated(genp_, point, view, value);
    view = flat;
    table_.push_back(value.value());
    return std::nullopt;
  }

  [[nodiscard]] Result<std::optional<GenPProof>> check_inverse() const {
    for (std::int64_t number = 0; number < size_; ++number) {
      const Point point = unflatten(genp_.dims(), view_of_[static_cast<std::size_t>(number)]);
      HEDDLE_TRY(const Point back, genp_.inv(number));
      if (std::ranges::any_of(back, &Int::is_symbolic)) return std::optional<GenPProof>();
      if (back != point) {
        return disproved(
            wrong_inverse(genp_, std::to_string(number), to_string(back), to_string(point)));
      }
    }
    return GenPProof{Evidence::kEvaluation, {}, nullptr};
  }

  const GenP& genp_;
  std::int64_t size_;
  std::vector<std::int64_t> table_;
  std::vector<std::int64_t> view_of_;
};

/// Evaluates a GenP with too many points to examine all: both ends and some in between. Returns
/// what is wrong there, or nullopt, also if a value is symbolic.
class Sampling {
 public:
  Sampling(const GenP& genp, std::int64_t size) : genp_(genp), size_(size) {}

  [[nodiscard]] Result<std::optional<Diagnostic>> fault() {
    constexpr std::int64_t kEnds = 256;
    constexpr std::int64_t kAnywhere = std::int64_t{1} << 16;
    const auto cost = static_cast<std::int64_t>(genp_.evaluation_cost());
    const std::int64_t anywhere = std::min(kAnywhere, GenP::kMaxOperations / cost);
    for (const std::int64_t flat : sampled_indices(size_, kEnds, anywhere)) {
      HEDDLE_TRY(std::optional<Diagnostic> fault, fault_at(flat));
      if (fault) return fault;
    }
    return std::optional<Diagnostic>();
  }

 private:
  Result<std::optional<Diagnostic>> fault_at(std::int64_t flat) {
    const Point point = unflatten(genp_.dims(), flat);
    HEDDLE_TRY(const Int value, genp_.apply(point));
    if (value.is_symbolic()) return std::optional<Diagnostic>();
    if (!value.is_constant() || value.value() < 0 || value.value() >= size_) {
      return std::optional(out_of_range(genp_, point, value));
    }
    const auto [met, is_new] = met_.emplace(value.value(), flat);
    if (!is_new && met->second != flat) {
      return std::optional(repeated(genp_, point, met->second, value));
    }
    if (!genp_.inverse()) return std::optional<Diagnostic>();
    HEDDLE_TRY(const Point back, genp_.inv(value));
    if (back == point || std::ranges::any_of(back, &Int::is_symbolic)) {
      return std::optional<Diagnostic>();
    }
    return std::optional(wrong_inverse(genp_, to_string(value), to_string(back), to_string(point)));
  }

  const GenP& genp_;
  std::int64_t size_;
  std::unordered_map<std::int64_t, std::int64_t> met_;
};

/// A point of variables, each with the range of its dimension, with the formula's parameter names.
Point variable_point(const GenP& genp) {
  std::set<std::string> taken = free_variables(genp);
  const auto* const formula = std::get_if<Formula>(&genp.function());
  Point point;
  for (std::size_t i = 0; i < genp.dims().size(); ++i) {
    std::string name = formula != nullptr ? formula->parameters[i] : fmt::format("i{}", i);
    while (!taken.insert(name).second) name += "'";
    point.push_back(index_variable(name, genp.dims()[i]));
  }
  return point;
}

/// Decides conditions on symbolic sizes, and keeps the weakest evidence.
class Conditions {
 public:
  explicit Conditions(const Prover& prover) : prover_(prover) {}

  /// Values for which it fails; nullopt if it holds or is open.
  [[nodiscard]] std::optional<std::string> refute(const Condition& condition) {
    if (known(condition)) return std::nullopt;
    const Verdict verdict = prove(condition);
    if (verdict.is_no()) return values_of(verdict);
    if (verdict.is_yes()) return std::nullopt;
    const Verdict stronger = prover_ ? prover_(condition) : Verdict::unknown("none");
    if (stronger.is_no()) return values_of(stronger);
    evidence_ = std::max(evidence_, stronger.is_yes() ? Evidence::kSolver : Evidence::kAssumed);
    return std::nullopt;
  }
  [[nodiscard]] Evidence evidence() const { return evidence_; }

 private:
  static std::string values_of(const Verdict& verdict) {
    return verdict.counterexample() ? verdict.counterexample()->coordinate : "some sizes";
  }

  const Prover& prover_;
  Evidence evidence_ = Evidence::kSimplification;
};

/// Proves the pair on variables: the values are in range and the inverse returns the point. So the
/// function is one-to-one into as many numbers as there are points, and is a permutation.
Result<GenPProof> proof_on_variables(const GenP& genp, const Prover& prover) {
  const Point point = variable_point(genp);
  HEDDLE_TRY(const Int value, genp.apply(point));
  Conditions conditions(prover);
  const Int size = product(genp.dims());
  for (const Condition& in_range :
       {Condition{0, Predicate::kAtMost, value}, Condition{value, Predicate::kLess, size}}) {
    if (const auto where = conditions.refute(in_range)) {
      return disproved(diagnose("lego.genp_range", "{} leaves [0, {}) at {}", to_string(genp),
                                to_string(size), *where));
    }
  }
  HEDDLE_TRY(const Point back, genp.inv(value));
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (const auto where = conditions.refute({back[i], Predicate::kEqual, point[i]})) {
      return disproved(diagnose("lego.genp_inverse", "{}: the inverse does not lead back at {}",
                                to_string(genp), *where));
    }
  }
  return GenPProof{conditions.evidence(), {}, nullptr};
}

/// Values for the free variables, small ones first.
std::vector<Bindings> sample_bindings(const GenP& genp) {
  constexpr std::size_t kSamples = 12;
  const std::set<std::string> free = free_variables(genp);
  std::vector<Int> values;
  const auto add = [&](std::span<const Int> terms) {
    for (const Int& term : terms) {
      for (const expr::AtomPointer& atom : expr::variable_atoms(term)) {
        if (free.contains(atom->variable().name)) values.push_back(expr::whole_variable(atom));
      }
    }
  };
  add(genp.dims());
  if (const auto* const formula = std::get_if<Formula>(&genp.function())) add(formula->results);
  if (genp.inverse()) add(genp.inverse()->results);
  return samples(values, kSamples);
}

/// The number of points with these values; undefined if some size is below 1.
Int size_under(const GenP& genp, const Bindings& bindings) {
  Int size = 1;
  for (const Int& extent : genp.dims()) {
    const Result<Int> number = heddle::instantiate(extent, bindings);
    if (!number || known_less(*number, 1)) return Int::undefined();
    size *= *number;
  }
  return size;
}

/// Tries small numbers for the free variables: why it is no permutation there; nullopt if it is
/// one.
std::optional<Diagnostic> refuted_by_samples(const GenP& genp) {
  constexpr std::int64_t kMostPoints = 512;
  if (std::holds_alternative<NamedMap>(genp.function())) return std::nullopt;
  const std::size_t variable_count = free_variables(genp).size();
  if (variable_count == 0) return std::nullopt;
  const auto instance_of = [&](Diagnostic failure) {
    return std::move(failure).with_note("an instance of " + to_string(genp));
  };
  for (const Bindings& bindings : sample_bindings(genp)) {
    const Int size = size_under(genp, bindings);
    const bool is_complete = bindings.size() == variable_count;
    if (!is_complete || !size.is_constant() || size.value() > kMostPoints) continue;
    const Result<GenP> sample = instantiate(genp, bindings);
    if (sample) {
      if (sample->not_a_permutation()) return instance_of(*sample->not_a_permutation());
    } else if (sample.error().code().starts_with("lego.")) {
      return instance_of(sample.error());
    }
  }
  return std::nullopt;
}

}  // namespace

Result<GenPProof> prove_genp(const GenP& genp, const Prover& prover) {
  const Int size = product(genp.dims());
  const auto cost = static_cast<std::int64_t>(genp.evaluation_cost());
  if (size.is_constant() && size.value() <= GenP::kMaxEvaluated &&
      size.value() <= GenP::kMaxOperations / cost) {
    HEDDLE_TRY(std::optional<GenPProof> proof, Evaluation(genp, size.value()).proof());
    if (proof) return *std::move(proof);
  }
  const auto value_at = [&](std::span<const Int> point) { return genp.apply(point); };
  if (!genp.inverse()) {
    auto found = find_affine_inverse(genp.dims(), value_at);
    if (found) return GenPProof{Evidence::kSimplification, {}, std::move(found)};
  }
  if (std::optional<Diagnostic> failure = refuted_by_samples(genp)) {
    return disproved(*std::move(failure));
  }
  GenPProof proof;
  if (genp.inverse()) {
    HEDDLE_TRY(proof, proof_on_variables(genp, prover));
  }
  if (proof.evidence != Evidence::kAssumed || !size.is_constant()) return proof;
  HEDDLE_TRY(std::optional<Diagnostic> fault, Sampling(genp, size.value()).fault());
  return fault ? disproved(*std::move(fault)) : proof;
}

}  // namespace heddle::lego

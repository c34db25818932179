#include "lego/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text.h"
#include "expr/assume_needed.h"
#include "expr/format.h"
#include "expr/term/term.h"

namespace heddle::lego {
namespace {

using expr::AtomPointer;
using expr::Operator;

/// How many conditions are tried for one refusal.
constexpr std::size_t kMaxCandidates = 24;

/// The name of the variable that the value is; nullopt for any other expression.
std::optional<std::string> variable_name(const Int& value) {
  if (!value.is_symbolic()) return std::nullopt;
  const std::vector<std::string> names = variables(value);
  const bool is_plain = names.size() == 1 && to_string(value) == names.front();
  return is_plain ? std::optional(names.front()) : std::nullopt;
}

/// A condition together with the substitution that makes it true.
struct Candidate {
  Condition condition;
  std::string name;
  Int value;
};

/// Gathers conditions that would simplify a term.
class Candidates {
 public:
  void visit(const Int& value) {
    if (!value.is_symbolic()) return;
    for (const expr::Product& product : value.term().products()) {
      for (const AtomPointer& atom : product.atoms) visit(*atom);
    }
  }
  [[nodiscard]] std::vector<Candidate> found() && { return std::move(found_); }

 private:
  void visit(const expr::Atom& atom) {
    if (atom.operation() == Operator::kVariable) return;
    visit(atom.left());
    visit(atom.right());
    if (atom.operation() == Operator::kSelect) {
      visit(atom.condition().left);
      visit(atom.condition().right);
    }
    switch (atom.operation()) {
      case Operator::kQuotient:
      case Operator::kRemainder:
        multiple(atom.right(), atom.left());
        at_most(atom.right(), atom.left());
        at_most(atom.left() + 1, atom.right());
        break;
      case Operator::kMinimum:
      case Operator::kMaximum:
        at_most(atom.left(), atom.right());
        at_most(atom.right(), atom.left());
        break;
      default:
        break;
    }
  }

  /// `divisor | number`.
  void multiple(const Int& divisor, const Int& number) {
    if (const auto name = variable_name(number)) {
      add({{divisor, Predicate::kDivides, number}, *name, divisor * fresh(1)});
    }
  }
  /// `low <= high`.
  void at_most(const Int& low, const Int& high) {
    if (known_at_most(low, high) || known_less(high, low)) return;
    const Condition condition = {low, Predicate::kAtMost, high};
    if (const auto name = variable_name(high)) {
      add({condition, *name, bounded(high, {low}, {})});
    } else if (const auto other = variable_name(low)) {
      add({condition, *other, bounded(low, {}, {high})});
    }
  }
  void add(Candidate candidate) {
    const auto is_same = [&](const Candidate& other) {
      return other.condition == candidate.condition;
    };
    if (found_.size() == kMaxCandidates || std::ranges::any_of(found_, is_same)) return;
    if (known(candidate.condition)) return;
    found_.push_back(std::move(candidate));
  }
  Int fresh(std::int64_t low) {
    return Int::variable(fmt::format("?{}", count_++), low, Range::kNoHigh);
  }
  /// A variable like this one, with additional bounds.
  static Int bounded(const Int& like, std::vector<Int> at_least, std::vector<Int> at_most) {
    expr::Variable variable;
    variable.name = to_string(like) + "'";
    variable.range = range(like);
    variable.at_least = std::move(at_least);
    variable.at_most = std::move(at_most);
    return expr::make_variable(std::move(variable));
  }

  std::vector<Candidate> found_;
  int count_ = 0;
};

/// Whether the condition is known once all of the candidates hold.
bool settles(const std::vector<Candidate>& candidates, const Condition& condition) {
  Bindings bindings;
  for (const Candidate& candidate : candidates) {
    if (!bindings.emplace(candidate.name, candidate.value).second) return false;
  }
  const Result<Int> left = instantiate(condition.left, bindings);
  const Result<Int> right = instantiate(condition.right, bindings);
  return left && right && known({*left, condition.predicate, *right});
}

/// A minimal set of divisibilities that settle the condition together, found by removing them one
/// by one.
std::vector<Condition> joint_remedy(std::vector<Candidate> candidates, const Condition& condition) {
  std::erase_if(candidates, [](const Candidate& candidate) {
    return candidate.condition.predicate != Predicate::kDivides;
  });
  if (candidates.size() < 2 || !settles(candidates, condition)) return {};
  for (std::size_t i = candidates.size(); i-- > 0;) {
    std::vector<Candidate> fewer = candidates;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (settles(fewer, condition)) candidates = std::move(fewer);
  }
  std::vector<Condition> conditions;
  for (Candidate& candidate : candidates) conditions.push_back(std::move(candidate.condition));
  return conditions;
}

/// Conditions on single variables under which another one would be known: any one of the
/// alternatives, or all of `together`.
struct Remedies {
  std::vector<Condition> alternatives;
  std::vector<Condition> together;
};

/// Tries the divisors, the bounds and the sides of minima that occur in the condition.
Remedies remedies_for(const Condition& condition) {
  Candidates gatherer;
  gatherer.visit(condition.left);
  gatherer.visit(condition.right);
  std::vector<Candidate> candidates = std::move(gatherer).found();
  Remedies remedies;
  for (const Candidate& candidate : candidates) {
    if (!settles({candidate}, condition)) continue;
    if (assumption_for(candidate.condition).empty()) continue;
    remedies.alternatives.push_back(candidate.condition);
  }
  // Divisibility is what is most often missing.
  std::ranges::stable_partition(remedies.alternatives, [](const Condition& alternative) {
    return alternative.predicate == Predicate::kDivides;
  });
  if (remedies.alternatives.empty()) {
    remedies.together = joint_remedy(std::move(candidates), condition);
  }
  return remedies;
}

std::string listed(const std::vector<Condition>& conditions, std::string_view between) {
  std::vector<std::string> texts;
  for (const Condition& condition : conditions) texts.push_back(to_string(condition));
  return fmt::format("{}", fmt::join(texts, between));
}

std::string options(const std::vector<Condition>& conditions, std::string_view between) {
  std::vector<std::string> texts;
  for (const Condition& condition : conditions) {
    texts.push_back(fmt::format("--assume '{}'", assumption_for(condition)));
  }
  return fmt::format("try {}", fmt::join(texts, between));
}

}  // namespace

Result<void> check_tile(std::span<const Int> sizes, const std::string& what) {
  if (sizes.empty()) {
    return refuse(Diagnostic("lego.tile", what + " has a tile of no dimensions")
                      .with_hint("a tile is a list of sizes: [6,4]"));
  }
  if (sizes.size() > RegP::kMaxDims) {
    return refuse("lego.tile", "{} has a tile of {}; up to {} are taken", what,
                  counted(sizes.size(), "dimension"), RegP::kMaxDims);
  }
  for (const Int& size : sizes) {
    HEDDLE_CHECK(check_defined(size, [&] { return "a size of " + what; }));
    if (!known_less(size, 1)) continue;
    return refuse(diagnose("lego.extent", "{} has the tile {} with the size {}", what,
                           to_string(sizes), to_string(size))
                      .with_hint("sizes are at least 1"));
  }
  HEDDLE_CHECK(check_defined(product(sizes), [&] {
    return fmt::format("the size of the tile {} of {}", to_string(sizes), what);
  }));
  return {};
}

Result<void> check_at_least_one(std::span<const Int> sizes, const std::string& what) {
  for (const Int& size : sizes) {
    const Condition condition = {1, Predicate::kAtMost, size};
    if (!known(condition)) return open_condition(what, condition);
  }
  return {};
}

Refusal open_condition(const std::string& call, const Condition& condition) {
  const Remedies remedies = remedies_for(condition);
  Diagnostic diagnostic = diagnose("assume.needed", "{}: needs {}", call, to_string(condition));
  const Verdict verdict = prove(condition);
  if (const auto& failing = verdict.counterexample()) {
    diagnostic = std::move(diagnostic).with_note("it fails at " + failing->coordinate);
  }
  if (!remedies.alternatives.empty()) {
    return refuse(std::move(diagnostic)
                      .with_note("it holds where " + listed(remedies.alternatives, ", or "))
                      .with_hint(options(remedies.alternatives, ", or ")));
  }
  if (!remedies.together.empty()) {
    return refuse(std::move(diagnostic)
                      .with_note("it holds where " + listed(remedies.together, " and "))
                      .with_hint(options(remedies.together, " ")));
  }
  const std::string assumption = assumption_for(condition);
  if (assumption.empty()) return refuse(std::move(diagnostic));
  return refuse(std::move(diagnostic).with_hint(fmt::format("try --assume '{}'", assumption)));
}

}  // namespace heddle::lego

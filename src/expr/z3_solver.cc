#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/format.h"
#include "heddle/core/tuple.h"
#include "heddle/expr/solver.h"

#ifdef HEDDLE_HAS_Z3
#include "expr/substitute.h"
#include "expr/z3_encoding.h"
#endif

namespace heddle {
namespace {

/// Whether values exist that meet all of `given`, and not `refuted` where that is asked.
struct Question {
  std::vector<Condition> given;
  std::optional<Condition> refuted;

  friend bool operator==(const Question&, const Question&) = default;
};

struct HashOfQuestion {
  std::size_t operator()(const Question& question) const {
    std::size_t hash = question.given.size();
    for (const Condition& condition : question.given) hash = add(hash, condition);
    return question.refuted ? add(hash, *question.refuted) : hash;
  }
  static std::size_t add(std::size_t hash, const Condition& condition) {
    hash = combine_hashes(hash, std::hash<Int>()(condition.left));
    hash = combine_hashes(hash, static_cast<std::size_t>(condition.relation));
    return combine_hashes(hash, std::hash<Int>()(condition.right));
  }
};

bool has_defined_sides(const Condition& condition) {
  return condition.left.is_defined() && condition.right.is_defined();
}

bool has_defined_sides(const Question& question) {
  return (!question.refuted || has_defined_sides(*question.refuted)) &&
         std::ranges::all_of(question.given, [](const Condition& condition) {
           return has_defined_sides(condition);
         });
}

std::string bindings_text(const Bindings& bindings) {
  std::string text;
  for (const auto& [name, value] : bindings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, to_string(value));
  }
  return text;
}

/// Both sides of the condition at these values; nothing where they are no numbers.
std::optional<Condition> numbers_at(const Condition& condition, const Bindings& bindings) {
  const Result<Int> left = instantiate(condition.left, bindings);
  const Result<Int> right = instantiate(condition.right, bindings);
  if (!left || !right || !left->is_constant() || !right->is_constant()) return std::nullopt;
  return Condition{*left, condition.relation, *right};
}

/// The answer to a question, with the values if it is yes and the reason if it is unknown.
struct Outcome {
  Answer answer = Answer::kUnknown;
  Bindings values;
  std::string why;
};

#ifdef HEDDLE_HAS_Z3

/// The variables' values in a model, by name; nothing where one does not fit into 64 bits.
std::optional<Bindings> values_in(const z3::model& model, const expr::Z3Encoding& encoding) {
  std::vector<std::pair<expr::AtomPointer, Int>> values;
  for (const auto& [atom, constant] : encoding.variables()) {
    std::int64_t value = 0;
    if (!model.eval(constant, true).is_numeral_i64(value)) return std::nullopt;
    values.emplace_back(atom, value);
  }
  const auto value_of = [&](const expr::AtomPointer& atom) {
    const auto found = std::ranges::find_if(
        values, [&](const auto& known) { return expr::same(*known.first, *atom); });
    return found == values.end() ? Int::undefined() : found->second;
  };
  Bindings bindings;
  for (const auto& [atom, value] : values) {
    const Int whole = expr::whole_value(atom->variable(), value, value_of);
    if (!whole.is_constant()) return std::nullopt;
    bindings[atom->variable().name] = whole;
  }
  return bindings;
}

class Z3Session {
 public:
  explicit Z3Session(const SolverOptions& options) : options_(options) {}

  /// Models are tried on the conditions themselves: what the encoding leaves open may make them
  /// wrong.
  Outcome find(const Question& question) {
    try {
      return attempt(question);
    } catch (const z3::exception& error) {
      return {Answer::kUnknown, {}, fmt::format("{}: {}", Solver::name(), error.msg())};
    }
  }

 private:
  /// Neither of Z3's two arithmetics is stronger than the other: each gets half of the time.
  Outcome attempt(const Question& question) {
    constexpr unsigned kSimplex = 2;
    constexpr unsigned kNonlinear = 6;
    Outcome outcome = attempt(question, kSimplex);
    if (outcome.answer == Answer::kUnknown) outcome = attempt(question, kNonlinear);
    return outcome;
  }

  Outcome attempt(const Question& question, unsigned arithmetic) {
    z3::context context;
    expr::Z3Encoding encoding(context);
    z3::solver solver(context, z3::solver::simple());
    z3::params parameters(context);
    parameters.set("arith.solver", arithmetic);
    parameters.set("timeout", static_cast<unsigned>(options_.time_limit.count() / 2 + 1));
    solver.set(parameters);
    for (const Condition& condition : question.given) {
      solver.add(encoding.defined(condition));
      solver.add(encoding.holds(condition));
    }
    if (question.refuted) {
      solver.add(encoding.defined(*question.refuted));
      solver.add(!encoding.holds(*question.refuted));
    }
    for (const z3::expr& fact : encoding.facts()) solver.add(fact);
    return answer(question, encoding, solver);
  }

  /// A model with large numbers may leave the 64 bits on the way; one with small ones is also better
  /// to read.
  static Outcome answer(const Question& question, const expr::Z3Encoding& encoding,
                        z3::solver& solver) {
    const z3::check_result result = solver.check();
    if (result == z3::unsat) return {Answer::kNo, {}, {}};
    if (result == z3::unknown) {
      return {Answer::kUnknown, {}, fmt::format("{}: {}", Solver::name(), solver.reason_unknown())};
    }
    std::optional<Bindings> found = answer_in(question, encoding, solver.get_model());
    for (const std::int64_t bound : {std::int64_t{1} << 20, std::int64_t{8}}) {
      for (const auto& [atom, constant] : encoding.variables()) {
        z3::context& context = solver.ctx();
        solver.add(context.int_val(-bound) <= constant && constant <= context.int_val(bound));
      }
      if (solver.check() != z3::sat) break;
      std::optional<Bindings> smaller = answer_in(question, encoding, solver.get_model());
      if (smaller) found = std::move(smaller);
    }
    if (found) return {Answer::kYes, *std::move(found), {}};
    return {Answer::kUnknown,
            {},
            fmt::format("{}: a model that plain arithmetic does not confirm", Solver::name())};
  }

  static std::optional<Bindings> answer_in(const Question& question,
                                           const expr::Z3Encoding& encoding,
                                           const z3::model& model) {
    std::optional<Bindings> values = values_in(model, encoding);
    if (values && !are_an_answer(question, *values)) return std::nullopt;
    return values;
  }

  static bool are_an_answer(const Question& question, const Bindings& values) {
    const auto holds = [&](const Condition& condition) {
      const std::optional<Condition> numbers = numbers_at(condition, values);
      return numbers && known(*numbers);
    };
    const auto fails = [&](const Condition& condition) {
      const std::optional<Condition> numbers = numbers_at(condition, values);
      return numbers && known_false(*numbers);
    };
    return std::ranges::all_of(question.given, holds) &&
           (!question.refuted || fails(*question.refuted));
  }

  SolverOptions options_;
};

#else

class Z3Session {
 public:
  explicit Z3Session(const SolverOptions&) {}
  Outcome find(const Question&) {
    return {Answer::kUnknown, {}, "this Heddle was built without Z3"};
  }
};

#endif

}  // namespace

class Solver::Context {
 public:
  explicit Context(const SolverOptions& options) : options_(options), session_(options) {}

  /// The answer, from memory where the question was asked before.
  Outcome find(const Question& question) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = outcomes_.find(question); found != outcomes_.end()) {
      return found->second;
    }
    Outcome outcome = session_.find(question);
    if (outcomes_.size() >= options_.remembered) outcomes_.clear();
    if (options_.remembered > 0) outcomes_.emplace(question, outcome);
    return outcome;
  }

 private:
  SolverOptions options_;
  std::mutex mutex_;
  Z3Session session_;
  std::unordered_map<Question, Outcome, HashOfQuestion> outcomes_;
};

Solver::Solver(SolverOptions options) : context_(std::make_unique<Context>(options)) {}
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

#ifdef HEDDLE_HAS_Z3
bool Solver::is_available() { return true; }
std::string Solver::name() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned build = 0;
  unsigned revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return fmt::format("Z3 {}.{}.{}", major, minor, build);
}
#else
bool Solver::is_available() { return false; }
std::string Solver::name() { return "no solver"; }
#endif

Verdict Solver::prove(const Condition& condition, std::span<const Condition> given) const {
  const Question question{{given.begin(), given.end()}, condition};
  if (!has_defined_sides(question)) return Verdict::unknown("a side is undefined");
  const Outcome outcome = context_->find(question);
  switch (outcome.answer) {
    case Answer::kNo:
      return Verdict::yes(name());
    case Answer::kYes: {
      const std::optional<Condition> numbers = numbers_at(condition, outcome.values);
      if (!numbers) break;
      return Verdict::no(name(), Witness{bindings_text(outcome.values), to_string(numbers->left),
                                         to_string(numbers->right), "the right side"});
    }
    case Answer::kUnknown:
      return Verdict::unknown(outcome.why);
  }
  return Verdict::unknown(fmt::format("{}: a witness past 64 bits", name()));
}

Verdict Solver::satisfiable(std::span<const Condition> conditions) const {
  const Question question{{conditions.begin(), conditions.end()}, {}};
  if (!has_defined_sides(question)) return Verdict::unknown("a side is undefined");
  const Outcome outcome = context_->find(question);
  switch (outcome.answer) {
    case Answer::kNo:
      return Verdict::no(name());
    case Answer::kYes:
      return Verdict::yes(name()).with_remark(bindings_text(outcome.values));
    case Answer::kUnknown:
      break;
  }
  return Verdict::unknown(outcome.why);
}

}  // namespace heddle

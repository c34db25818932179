// Questions about terms, put to Z3 within limits.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/format.h"
#include "expr/term/substitute.h"
#include "heddle/core/tuple.h"
#include "heddle/expr/assumptions.h"
#include "heddle/expr/solver.h"

#ifdef HEDDLE_HAS_Z3
#include "expr/z3/encoding.h"
#endif

namespace heddle {
namespace z3_engine {

/// Whether values exist that meet all conditions but the last one, and not that one.
using Question = std::vector<Condition>;

Question question_of(const Condition& condition, std::span<const Condition> given) {
  Question question(given.begin(), given.end());
  question.push_back(condition);
  return question;
}

struct HashOfQuestion {
  std::size_t operator()(const Question& question) const {
    std::size_t hash = question.size();
    for (const auto& [left, predicate, right] : question) {
      hash = combine_hashes(hash, std::hash<Int>()(left));
      hash = combine_hashes(hash, static_cast<std::size_t>(predicate));
      hash = combine_hashes(hash, std::hash<Int>()(right));
    }
    return hash;
  }
};

/// Both sides of the condition at these values; nullopt if they are not numbers.
std::optional<Condition> numbers_at(const Condition& condition, const Bindings& bindings) {
  Result<Condition> there = instantiate(condition, bindings);
  const bool are_numbers = there && there->left.is_constant() && there->right.is_constant();
  return are_numbers ? std::optional(*std::move(there)) : std::nullopt;
}

[[maybe_unused]] bool all_hold(std::span<const Condition> conditions, const Bindings& values) {
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    const std::optional<Condition> numbers = numbers_at(condition, values);
    return numbers && known(*numbers);
  });
}

/// Whether a kernel's result differs from the value.
struct KernelQuestion {
  const Kernel& kernel;
  const CodeExpression& result;
  const Int& value;
  /// All values of the kernel: they carry the facts about its variables.
  std::span<const Int> values;
  std::span<const Condition> given;
};

/// The kernel's value for the result.
Int value_at(const KernelQuestion& question, const Bindings& values) {
  return evaluate(Kernel{question.kernel.definitions, {question.result}, {}}, values).front();
}

/// The answer to a question, with the values if it is yes and the reason if it is unknown.
struct Outcome {
  Answer answer = Answer::kUnknown;
  Bindings values;
  std::string why;
};

#ifdef HEDDLE_HAS_Z3

/// Whether values that meet the given conditions break a claim.
struct Breach {
  std::span<const Condition> given;
  /// States to Z3 that they do.
  std::function<z3::expr(expr::Z3Encoding&)> state;
  /// Checks in plain arithmetic that these values do.
  std::function<bool(const Bindings&)> confirm;
};

Outcome unknown(std::string_view why) {
  return {Answer::kUnknown, {}, fmt::format("{}: {}", Solver::name(), why)};
}

/// The variables' values in a model, by name; nullopt if one does not fit into 64 bits.
std::optional<Bindings> values_in(const z3::model& model, const expr::Z3Encoding& encoding) {
  Bindings bindings;
  for (const auto& [name, constant] : encoding.variables()) {
    std::int64_t value = 0;
    if (!model.eval(constant, true).is_numeral_i64(value)) return std::nullopt;
    bindings[name] = value;
  }
  return bindings;
}

/// Variables with the ranges that the conditions leave them, as far as these can be told.
Bindings likely_variables(std::span<const Condition> given) {
  if (given.empty()) return {};
  const Result<Assumptions> assumed = Assumptions::make(given, Range::kNoLow);
  return assumed ? assumed->variables() : Bindings();
}

class Z3Session {
 public:
  explicit Z3Session(const SolverOptions& options) : options_(options) {}

  /// Models are candidates only, because of what the encoding leaves open: `confirm` decides.
  Outcome find(const Breach& breach) const {
    try {
      // Neither of Z3's two arithmetic solvers is stronger than the other.
      constexpr unsigned kSimplex = 2;
      constexpr unsigned kNonlinear = 6;
      const Bindings likely = likely_variables(breach.given);
      Outcome outcome = attempt(breach, likely, kSimplex);
      if (outcome.answer != Answer::kUnknown) return outcome;
      return attempt(breach, likely, kNonlinear);
    } catch (const z3::exception& error) {
      return unknown(error.msg());
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Outcome attempt(const Breach& breach, const Bindings& likely,
                                unsigned arithmetic) const {
    z3::context context;
    const std::stop_callback interrupt(options_.stop, [&] { context.interrupt(); });
    if (options_.stop.stop_requested()) return {Answer::kUnknown, {}, "stopped"};
    expr::Z3Encoding encoding(context, likely);
    z3::solver solver(context, z3::solver::simple());
    z3::params parameters(context);
    parameters.set(":arith.solver", arithmetic);
    // Z3 does not count the steps of its solver of polynomials.
    parameters.set(":arith.nl.nra", false);
    // 0 would mean any number.
    parameters.set(":rlimit", std::max<std::uint32_t>(options_.steps, 1));
    solver.set(parameters);
    for (const Condition& condition : breach.given) {
      solver.add(encoding.defined(condition));
      solver.add(encoding.holds(condition));
    }
    solver.add(breach.state(encoding));
    for (const z3::expr& fact : encoding.facts()) solver.add(fact);
    return answer(breach, encoding, solver);
  }

  /// Whether there is a model, as far as the limits go.
  z3::check_result checked(z3::solver& solver) const {
    if (!options_.end) return solver.check();
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*options_.end - Clock::now()).count();
    if (left <= 0) return z3::unknown;
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    z3::params parameters(solver.ctx());
    parameters.set(":timeout", static_cast<unsigned>(std::min<std::int64_t>(left, kMost)));
    solver.set(parameters);
    return solver.check();
  }

  /// Z3 says "canceled" of steps as of a time that is over.
  [[nodiscard]] Outcome unanswered(const z3::solver& solver) const {
    const std::string why = solver.reason_unknown();
    const bool is_late = options_.end && Clock::now() >= *options_.end;
    if (why != "canceled" || is_late || options_.stop.stop_requested()) return unknown(why);
    return unknown(fmt::format("gave up after {} steps", options_.steps));
  }

  /// A model with large numbers may leave the 64 bits on the way; one with small numbers is also
  /// easier to read.
  Outcome answer(const Breach& breach, const expr::Z3Encoding& encoding, z3::solver& solver) const {
    const z3::check_result result = checked(solver);
    if (result == z3::unsat) return {Answer::kNo, {}, {}};
    if (result == z3::unknown) return unanswered(solver);
    const auto confirmed = [&]() -> std::optional<Bindings> {
      std::optional<Bindings> values = values_in(solver.get_model(), encoding);
      const bool is_breach = values && all_hold(breach.given, *values) && breach.confirm(*values);
      return is_breach ? values : std::nullopt;
    };
    std::optional<Bindings> found = confirmed();
    for (const std::int64_t bound : {std::int64_t{1} << 20, std::int64_t{8}}) {
      z3::context& context = solver.ctx();
      for (const auto& [name, constant] : encoding.variables()) {
        solver.add(context.int_val(-bound) <= constant && constant <= context.int_val(bound));
      }
      if (checked(solver) != z3::sat) break;
      std::optional<Bindings> smaller = confirmed();
      if (smaller) found = std::move(smaller);
    }
    if (found) return {Answer::kYes, *std::move(found), {}};
    return unknown("a model that plain arithmetic does not confirm");
  }

  SolverOptions options_;
};

Outcome outcome_of(const Z3Session& session, const Question& question) {
  const Condition& claim = question.back();
  return session.find({{question.begin(), question.end() - 1},
                       [&](expr::Z3Encoding& encoding) {
                         return encoding.defined(claim) && !encoding.holds(claim);
                       },
                       [&](const Bindings& values) {
                         const std::optional<Condition> numbers = numbers_at(claim, values);
                         return numbers && known_false(*numbers);
                       }});
}

/// Whether the kernel's `result` is undefined or differs from the value, where the value is
/// defined.
Outcome outcome_of(const Z3Session& session, const KernelQuestion& question) {
  return session.find(
      {question.given,
       [&](expr::Z3Encoding& encoding) {
         for (const Int& value : question.values) encoding.note_variables(value);
         const auto wanted = encoding.encode(question.value);
         const auto computed = encoding.compute(question.kernel, question.result);
         return wanted.is_defined && !(computed.is_defined && computed.value == wanted.value);
       },
       [&](const Bindings& values) {
         const Result<Int> wanted = instantiate(question.value, values);
         return wanted && wanted->is_constant() && value_at(question, values) != *wanted;
       }});
}

#else

/// In builds without Z3: a solver that knows nothing.
class Z3Session {
 public:
  explicit Z3Session(const SolverOptions&) {}
};

template <class AnyQuestion>
Outcome outcome_of(const Z3Session&, const AnyQuestion&) {
  return {Answer::kUnknown, {}, "this Heddle was built without Z3"};
}

#endif

}  // namespace z3_engine

class Solver::Context {
 public:
  explicit Context(const SolverOptions& options)
      : remembered_(options.remembered), session_(options) {}

  /// The answer, from memory if the question was asked before.
  z3_engine::Outcome find(const z3_engine::Question& question) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = outcomes_.find(question); found != outcomes_.end()) {
      return found->second;
    }
    z3_engine::Outcome outcome = outcome_of(session_, question);
    if (outcomes_.size() >= remembered_) outcomes_.clear();
    if (remembered_ > 0) outcomes_.emplace(question, outcome);
    return outcome;
  }
  /// Not remembered: kernels are large, and each is asked about once.
  z3_engine::Outcome find(const z3_engine::KernelQuestion& question) {
    const std::scoped_lock lock(mutex_);
    return outcome_of(session_, question);
  }

 private:
  std::size_t remembered_;
  std::mutex mutex_;
  z3_engine::Z3Session session_;
  std::unordered_map<z3_engine::Question, z3_engine::Outcome, z3_engine::HashOfQuestion> outcomes_;
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
  const z3_engine::Question question = z3_engine::question_of(condition, given);
  const bool is_defined = std::ranges::all_of(question, [](const Condition& each) {
    return each.left.is_defined() && each.right.is_defined();
  });
  if (!is_defined) return Verdict::unknown("a side is undefined");
  const z3_engine::Outcome outcome = context_->find(question);
  switch (outcome.answer) {
    case Answer::kNo:
      return Verdict::yes(name());
    case Answer::kYes: {
      const std::optional<Condition> numbers = z3_engine::numbers_at(condition, outcome.values);
      if (!numbers) break;
      return Verdict::no(name(), failure_at(*numbers, outcome.values));
    }
    case Answer::kUnknown:
      return Verdict::unknown(outcome.why);
  }
  return Verdict::unknown(fmt::format("{}: a witness past 64 bits", name()));
}

Verdict Solver::prove_computes(const Kernel& kernel, std::span<const Int> values,
                               std::span<const Condition> guards,
                               std::span<const Condition> given) const {
  std::vector<std::pair<CodeExpression, Int>> parts;
  for (std::size_t i = 0; i < values.size(); ++i) parts.emplace_back(kernel.results[i], values[i]);
  for (std::size_t i = 0; i < guards.size(); ++i) {
    parts.emplace_back(kernel.guards[i], select(guards[i], 1, 0));
  }
  std::vector<Int> all;
  for (const auto& [result, value] : parts) all.push_back(value);
  for (const auto& [result, value] : parts) {
    if (!value.is_defined()) return Verdict::unknown("a value is undefined");
    const z3_engine::KernelQuestion question{kernel, result, value, all, given};
    const z3_engine::Outcome outcome = context_->find(question);
    if (outcome.answer == Answer::kUnknown) return Verdict::unknown(outcome.why);
    if (outcome.answer == Answer::kNo) continue;
    return Verdict::no(
        name(),
        Witness{bindings_text(outcome.values), to_string(value_at(question, outcome.values)),
                to_string(*instantiate(value, outcome.values)), to_string(value)});
  }
  return Verdict::yes(name());
}

}  // namespace heddle

#include "heddle/expr/simplify.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "expr/simplify/atom_forms.h"
#include "expr/term/bounds.h"
#include "expr/term/operation.h"

namespace heddle::expr {
namespace {

bool has_free_end(const Atom& atom);

bool has_free_end(const Int& value) {
  if (!value.is_symbolic()) return false;
  return std::ranges::any_of(factors_of(value),
                             [](const AtomPointer& atom) { return has_free_end(*atom); });
}

/// The atom has a variable without an upper or lower bound.
bool has_free_end(const Atom& atom) {
  if (atom.operation() == Operator::kVariable) return !atom.range().is_bounded();
  return !atom.range().is_bounded() && (has_free_end(atom.left()) || has_free_end(atom.right()));
}

/// Guards against forms whose intermediate values may exceed 64 bits.
///
///   n*(i%d)     and     n*i - n*d*(i//d)
///
/// are the same number, but the second passes through n*i, which may be far larger: a machine would
/// overflow where the first form does not. So no other form may compute a number that may be past
/// 64 bits, unless the plain form computes that very number. Numbers over unbounded variables are
/// not checked: for these not even the plain form is known to fit.
class OverflowGuard {
 public:
  /// Allows all that the plain form computes.
  void allow(const Kernel& plain) {
    for_each_node(plain, [this](const CodeExpression& node) { allowed_.insert(node.value()); });
  }

  /// Each operation fits into 64 bits, or is one of the plain form.
  [[nodiscard]] bool admits(const Kernel& kernel) {
    bool are_fit = true;
    for_each_node(kernel, [&](const CodeExpression& node) {
      are_fit = are_fit && (is_condition(node.operation()) || fits(node.value()));
    });
    return are_fit;
  }

 private:
  [[nodiscard]] bool fits(const Int& value) {
    if (value.is_constant()) return true;
    if (!value.is_defined()) return allowed_.contains(value);
    const auto found = known_.find(value);
    if (found != known_.end()) return found->second;
    const bool is_fit = interval_of(value).is_bounded() || allowed_.contains(value) ||
                        has_free_end(value) || range(value).is_bounded();
    known_.emplace(value, is_fit);
    return is_fit;
  }

  std::unordered_set<Int> allowed_;
  std::unordered_map<Int, bool> known_;
};

/// A choice of forms with its kernel and cost.
struct Candidate {
  Forms::Choice choice;
  System system;
  std::int64_t cost = 0;
};

/// Tries the forms of one atom after the other and keeps what makes the whole cheaper.
class Search {
 public:
  Search(const Forms& forms, const Costs& costs, std::int64_t budget)
      : forms_(forms), costs_(costs), budget_(budget) {}

  std::optional<Candidate> run() {
    const Forms::Choice plain(forms_.writables().size(), 0);
    std::optional<Candidate> best = tried(plain, false);
    if (!best) return best;
    guard_.allow(plain_kernel_of(best->system, costs_.target()));
    keep_better(*best, plain);
    while (budget_ > 0 && improve(*best)) {
    }
    return best;
  }

 private:
  /// One round over all atoms; returns whether it found something better.
  bool improve(Candidate& best) {
    const std::int64_t before = best.cost;
    for (std::size_t i = 0; i < best.choice.size(); ++i) {
      const Writable& writable = forms_.writables()[i];
      for (std::size_t form = 0; form < writable.forms.size(); ++form) {
        if (form == best.choice[i]) continue;
        Forms::Choice choice = best.choice;
        choice[i] = static_cast<std::uint8_t>(form);
        keep_better(best, choice);
        // A quotient and its remainder are rarely both written by the other.
        const std::optional<std::size_t> partner = writable.partner;
        if (!partner || choice[*partner] == 0 || best.choice == choice) continue;
        choice[*partner] = 0;
        keep_better(best, choice);
      }
    }
    return best.cost < before;
  }

  void keep_better(Candidate& best, const Forms::Choice& choice) {
    if (budget_ <= 0) return;
    std::optional<Candidate> found = tried(choice, true);
    if (!found || found->cost >= best.cost) return;
    constexpr std::int64_t kCheckingWork = 8;
    budget_ -= kCheckingWork * static_cast<std::int64_t>(found->system.sum_count());
    if (guard_.admits(plain_kernel_of(found->system, costs_.target()))) best = *std::move(found);
  }

  /// The system of a choice, its sums expanded or with common parts taken out.
  std::optional<Candidate> tried(const Forms::Choice& choice, bool is_factored) {
    std::optional<System> system = forms_.write(choice);
    if (!system) return std::nullopt;
    if (is_factored) {
      constexpr std::int64_t kWritingWork = 8;
      budget_ -= kWritingWork * static_cast<std::int64_t>(system->sum_count());
      factor(*system, costs_, budget_);
    }
    const std::int64_t cost = costs_.of(*system);
    return Candidate{choice, *std::move(system), cost};
  }

  const Forms& forms_;
  const Costs& costs_;
  std::int64_t budget_;
  OverflowGuard guard_;
};

// Recording the steps.

std::string text_of(const Writable& writable, const Form& form) {
  const std::string unit = to_string(form.unit);
  const std::string whole = to_string(form.whole);
  const std::string other = "(" + to_string(form.other) + ")";
  if (form.kind == Form::Kind::kNested) return "(" + whole + ")//" + unit;
  if (form.unit == Int(1)) return whole + "-" + to_string(form.scale) + "*" + other;
  const std::string multiple = unit + "*(" + to_string(make_int(writable.atom)) + ") as ";
  if (form.kind == Form::Kind::kDifference) return multiple + whole + "-" + other;
  return multiple + "bit_and(" + to_string(writable.atom->left()) + ",-" + unit + ")";
}

/// Whether two texts differ only in parentheses and the order of summands.
bool is_respelled(std::string before, std::string after) {
  for (std::string* text : {&before, &after}) {
    std::erase_if(*text, [](char c) { return c == '(' || c == ')' || c == '+'; });
    std::ranges::sort(*text);
  }
  return before == after;
}

bool is_operation(const CodeExpression& expression,
                  std::initializer_list<CodeOperation> operations) {
  return std::ranges::find(operations, expression.operation()) != operations.end();
}

/// Whether a product has a sum among its factors.
bool has_common_factor(const CodeExpression& expression) {
  const bool is_product =
      is_operation(expression, {CodeOperation::kMultiply, CodeOperation::kShiftLeft});
  const auto is_sum = [](const CodeExpression& operand) {
    return is_operation(operand, {CodeOperation::kAdd, CodeOperation::kSubtract});
  };
  return (is_product && std::ranges::any_of(expression.operands(), is_sum)) ||
         std::ranges::any_of(expression.operands(), has_common_factor);
}

bool has_shift(const CodeExpression& expression) {
  return is_operation(expression, {CodeOperation::kShiftLeft, CodeOperation::kShiftRight}) ||
         std::ranges::any_of(expression.operands(), has_shift);
}

/// The last step, which turns the terms of a value into its expression.
SimplificationStep last_step(const Int& value, const CodeExpression& result) {
  SimplificationStep step{"", to_string(value), to_string(result), ""};
  const auto add = [&step](std::string_view rule, std::string_view proof) {
    const std::string_view separator = step.rule.empty() ? "" : ", ";
    step.rule.append(separator).append(rule);
    step.proof.append(step.proof.empty() ? "form: " : separator).append(proof);
  };
  if (has_common_factor(result)) add("common factor", "a*b + a*c = a*(b+c)");
  if (has_shift(result)) add("shift for a power of two", "2^n*x = x<<n, x//2^n = x>>n");
  if (step.rule.empty()) add("like terms combined", "the steps above, the order of a sum");
  return step;
}

std::vector<SimplificationStep> steps_of(const Forms& forms, const Candidate& found,
                                         const Kernel& kernel, std::span<const Int> values) {
  std::vector<SimplificationStep> steps;
  for (std::size_t i = 0; i < found.choice.size(); ++i) {
    const Writable& writable = forms.writables()[i];
    const Form& form = writable.forms[found.choice[i]];
    if (form.kind == Form::Kind::kPlain) continue;
    steps.push_back({std::string(form.rule), to_string(make_int(writable.atom)),
                     text_of(writable, form), "form: an identity of division"});
  }
  for (const Definition& definition : kernel.definitions) {
    steps.push_back(
        {"common part", to_string(definition.value), definition.name, "form: used more than once"});
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    SimplificationStep step = last_step(values[i], kernel.results[i]);
    if (!is_respelled(step.before, step.after)) steps.push_back(std::move(step));
  }
  return steps;
}

Result<void> check_defined_all(std::span<const Int> values, std::span<const Condition> guards) {
  for (const Int& value : values) HEDDLE_CHECK(check_defined(value, "an index expression"));
  for (const Condition& guard : guards) {
    HEDDLE_CHECK(check_defined(guard.left, "the left side of a guard"));
    HEDDLE_CHECK(check_defined(guard.right, "the right side of a guard"));
  }
  return {};
}

}  // namespace

}  // namespace heddle::expr

namespace heddle {

Target Target::operations() { return {.name = "operations", .has_bits = false}; }

Target Target::gpu() {
  return {.name = "gpu",
          .add = 2,
          .multiply = 3,
          .divide = 60,
          .divide_by_constant = 12,
          .bits = 2,
          .compare = 2,
          .min_max = 2,
          .select = 2,
          .other = 100};
}

Target Target::cpu() {
  return {.name = "cpu",
          .add = 2,
          .multiply = 6,
          .divide = 40,
          .divide_by_constant = 12,
          .bits = 2,
          .compare = 2,
          .min_max = 4,
          .select = 4,
          .other = 60};
}

std::optional<Target> Target::named(std::string_view name) {
  for (Target target : {operations(), gpu(), cpu()}) {
    if (target.name == name) return target;
  }
  return std::nullopt;
}

Result<Simplified> simplify(std::span<const Int> values, std::span<const Condition> guards,
                            const SimplifyOptions& options) {
  HEDDLE_CHECK(expr::check_defined_all(values, guards));
  const expr::Forms forms(values, guards, options.target);
  const expr::Costs costs(options.target);
  const std::optional<expr::Candidate> found = expr::Search(forms, costs, options.budget).run();
  if (!found) {
    return refuse("overflow", "a coefficient of an index expression does not fit into 64 bits");
  }
  Simplified simplified;
  simplified.kernel = expr::kernel_of(found->system, options.target, options.prefix);
  simplified.count = count_operations(simplified.kernel);
  simplified.cost = cost(simplified.kernel, options.target);
  if (options.explain) {
    simplified.steps = expr::steps_of(forms, *found, simplified.kernel, values);
  }
  return simplified;
}

std::int64_t cost(const Kernel& kernel, const Target& target) {
  std::int64_t total = 0;
  for_each_node(kernel, [&](const CodeExpression& node) {
    const bool by_constant =
        node.operands().size() == 2 && node.operand(1).operation() == CodeOperation::kConstant;
    total += expr::cost_of(node.operation(), target, by_constant);
  });
  return total;
}

}  // namespace heddle

// Evaluates conditions to yes, no or unknown: `not injective(L)`, `L == M and compact(L)`. About
// symbolic sizes, yes means all their values, and no means not all.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "notation/evaluate/evaluation.h"
#include "notation/language/free_names.h"

namespace heddle::notation {

namespace {

/// The comparator that holds exactly where the other one does not.
TokenKind opposite_of(TokenKind comparator) {
  switch (comparator) {
    case TokenKind::kEqual:
      return TokenKind::kNotEqual;
    case TokenKind::kNotEqual:
      return TokenKind::kEqual;
    case TokenKind::kLess:
      return TokenKind::kGreaterEqual;
    case TokenKind::kLessEqual:
      return TokenKind::kGreater;
    case TokenKind::kGreater:
      return TokenKind::kLessEqual;
    default:
      return TokenKind::kLess;
  }
}

/// A condition that mentions the value, in place of the value.
std::string condition_hint(const Value& value) {
  if (value.is_integer()) return fmt::format("{} != 0 is a condition", to_string(value));
  return value.has_map() ? "a question about a layout is a condition: injective(L), L == 4:1"
                         : "conditions are comparisons, such as 3 < 4, and questions, such as "
                           "injective(4:1)";
}

/// What the sides of `and` or `or` say together if none of them decides alone: the only verdict, or
/// the same answer by the methods of all.
Value agreed(const std::vector<Verdict>& verdicts, bool is_and) {
  if (verdicts.empty()) return Value(is_and);
  if (verdicts.size() == 1) return Value(verdicts.front());
  std::vector<std::string> methods;
  for (const Verdict& verdict : verdicts) {
    if (std::ranges::find(methods, verdict.method()) == methods.end()) {
      methods.push_back(verdict.method());
    }
  }
  std::string method = fmt::format("{}", fmt::join(methods, "; "));
  return Value(is_and ? Verdict::yes(std::move(method)) : Verdict::no(std::move(method)));
}

}  // namespace

bool Evaluator::is_open(const Expression& expression) const {
  if (!unknowns_in(expression).empty()) return true;
  const Bindings& assumed = environment_.assumptions().variables();
  const std::set<std::string_view> names = names_in(expression);
  return std::ranges::any_of(names, [&](std::string_view name) {
    const Value* value = find(name);
    if (value != nullptr) return !variables(*value).empty();
    return sizes_.contains(name) || assumed.contains(name);
  });
}

Verdict Evaluator::denial(const Verdict& verdict, const Expression& expression) const {
  if (!verdict.is_no() || !is_open(expression)) return negation(verdict);
  return Verdict::unknown("it fails for some values; whether for all is not decided");
}

Result<Value> Evaluator::truth(const Expression& condition, bool is_denied) const {
  if (is_group(condition)) return truth(condition.parts.front(), is_denied);
  if (is_denial(condition)) return truth(condition.parts.front(), !is_denied);
  if (const auto* connective = std::get_if<Connective>(&condition.node)) {
    return truth_of_all(condition, connective->is_and != is_denied, is_denied);
  }
  const auto* comparison = std::get_if<ComparisonNode>(&condition.node);
  if (comparison != nullptr && is_denied) {
    return visit(ComparisonNode{opposite_of(comparison->comparator)}, condition, Grouping::kUsual);
  }
  HEDDLE_TRY(Value value, run(condition));
  const bool* truth = value.get_if<bool>();
  if (truth != nullptr) return Value(*truth != is_denied);
  if (const auto* verdict = value.get_if<Verdict>()) {
    return is_denied ? Value(denial(*verdict, condition)) : value;
  }
  return refuse_at(
      Diagnostic("call.type", fmt::format("a condition is {}; a truth value or a verdict is needed",
                                          kind_name(value)))
          .with_hint(condition_hint(value)),
      condition.span);
}

Result<Value> Evaluator::truth_of_all(const Expression& connective, bool is_and,
                                      bool is_denied) const {
  std::vector<Verdict> agreeing;
  std::optional<Verdict> unknown;
  std::size_t open = 0;
  for (const Expression& part : connective.parts) {
    HEDDLE_TRY(Value value, truth(part, is_denied));
    const Verdict verdict = *verdict_of(value);
    if (is_and ? verdict.is_no() : verdict.is_yes()) return value;
    if (verdict.is_unknown()) unknown = verdict;
    if (!value.is<Verdict>()) continue;
    agreeing.push_back(verdict);
    if (is_open(part)) ++open;
  }
  if (unknown) return Value(*std::move(unknown));
  if (is_and || open < 2) return agreed(agreeing, is_and);
  return Value(Verdict::unknown(
      "each side fails for some values; whether all fail for the same ones is not decided"));
}

}  // namespace heddle::notation

#include "heddle/notation/assume.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/free_names.h"
#include "notation/operations/readers.h"

namespace heddle::notation {
namespace {

/// A sign between two sides of a condition; longer ones come before their beginnings.
struct Sign {
  std::string_view text;
  Predicate predicate;
  /// The sides change places: a > b is b < a.
  bool turned = false;
};

constexpr std::array kSigns = {
    Sign{"==", Predicate::kEqual},  Sign{"!=", Predicate::kNotEqual},
    Sign{"<=", Predicate::kAtMost}, Sign{">=", Predicate::kAtMost, true},
    Sign{"<", Predicate::kLess},    Sign{">", Predicate::kLess, true},
    Sign{"|", Predicate::kDivides},
};

constexpr std::string_view kIn = " in ";

constexpr std::string_view kForms = "assumptions look like M%128==0, K<=M or lane in [0,32)";

Refusal wrong(std::string_view text, std::string_view what, std::string_view hint = kForms) {
  return refuse(Diagnostic("assume.syntax", fmt::format("{} {}", quote(text), what))
                    .with_hint(std::string(hint)));
}

/// What commas separate; `<` and `>` are no brackets here, and `[0,32)` closes with either.
std::vector<std::string_view> pieces_of(std::string_view text) {
  return split_at_commas(text, "([", ")]");
}

/// The value of a side, its names standing for plain variables.
Result<Int> side(std::string_view text) {
  const std::string_view expression = trimmed(text);
  HEDDLE_TRY(const Expression tree, parse_expression(expression));
  Environment environment;
  for (const std::string_view name : names_in(tree)) {
    if (find_operation(name) == nullptr) {
      environment.bind(std::string(name), Value(Int::variable(name)));
    }
  }
  HEDDLE_TRY(const Value value, Evaluator(environment, {}, {}).with_any_divisors().run(tree));
  HEDDLE_TRY(const std::optional<Value> number, convert<Int>(value));
  if (!number) return wrong(expression, "is no number");
  return number->get<IntTuple>().leaf();
}

/// Refuses what other languages write for == and for the comma.
Result<void> check_signs(std::string_view assumption) {
  for (const std::string_view conjunction : {"&&", " and "}) {
    if (assumption.find(conjunction) == std::string_view::npos) continue;
    return wrong(assumption, fmt::format("has {} in it", quote(trimmed(conjunction))),
                 "separate assumptions with commas: M%8==0, K<=M");
  }
  constexpr std::string_view kBesideEqual = "=<>!";
  for (std::size_t i = 0; i < assumption.size(); ++i) {
    if (assumption[i] != '=') continue;
    const bool is_sign = i > 0 && kBesideEqual.find(assumption[i - 1]) != std::string_view::npos;
    if (is_sign || assumption.substr(i + 1).starts_with('=')) continue;
    return wrong(assumption, "has a single '=' in it", "write == for \"is equal to\"");
  }
  return {};
}

/// `lane in [0,32)`
Result<std::vector<Condition>> membership(std::string_view text, std::size_t at) {
  HEDDLE_TRY(const Int member, side(text.substr(0, at)));
  const std::string_view interval = trimmed(text.substr(at + kIn.size()));
  const std::vector<std::string_view> ends =
      interval.size() < 2 ? std::vector<std::string_view>()
                          : pieces_of(interval.substr(1, interval.size() - 2));
  const bool opens = interval.starts_with('[') || interval.starts_with('(');
  const bool closes = interval.ends_with(']') || interval.ends_with(')');
  if (ends.size() != 2 || !opens || !closes) return wrong(interval, "is no interval");
  HEDDLE_TRY(const Int low, side(ends[0]));
  HEDDLE_TRY(const Int high, side(ends[1]));
  const auto end = [](char bracket) {
    return bracket == '[' || bracket == ']' ? Predicate::kAtMost : Predicate::kLess;
  };
  return std::vector<Condition>{{low, end(interval.front()), member},
                                {member, end(interval.back()), high}};
}

/// One comparison, or a chain of them: 0 <= t < 128.
Result<std::vector<Condition>> comparisons(std::string_view text) {
  std::vector<Condition> conditions;
  std::optional<Int> left;
  const Sign* sign = nullptr;
  std::size_t begin = 0;
  const auto close_at = [&](std::size_t end) -> Result<void> {
    HEDDLE_TRY(Int right, side(text.substr(begin, end - begin)));
    if (sign != nullptr && sign->turned) {
      conditions.push_back({right, sign->predicate, *left});
    } else if (sign != nullptr) {
      conditions.push_back({*left, sign->predicate, right});
    }
    left = std::move(right);
    return {};
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto found = std::ranges::find_if(
        kSigns, [&](const Sign& known) { return text.substr(i).starts_with(known.text); });
    if (found == kSigns.end()) {
      ++i;
      continue;
    }
    HEDDLE_CHECK(close_at(i));
    sign = &*found;
    i += found->text.size();
    begin = i;
  }
  HEDDLE_CHECK(close_at(text.size()));
  if (conditions.empty()) return wrong(text, "assumes nothing: a comparison is needed");
  return conditions;
}

}  // namespace

Result<std::vector<Condition>> parse_assumptions(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  std::vector<Condition> conditions;
  for (const std::string_view assumption : pieces_of(text)) {
    if (assumption.empty()) return wrong(text, "has an empty assumption");
    HEDDLE_CHECK(check_signs(assumption));
    const std::size_t in = assumption.find(kIn);
    HEDDLE_TRY(const std::vector<Condition> stated,
               in != std::string_view::npos ? membership(assumption, in) : comparisons(assumption));
    conditions.insert(conditions.end(), stated.begin(), stated.end());
  }
  return conditions;
}

}  // namespace heddle::notation

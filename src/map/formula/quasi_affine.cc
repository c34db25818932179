#include "map/formula/quasi_affine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/core/exact.h"

namespace heddle::map {
namespace {

std::int64_t within_range(exact::Value value) {
  if (!value) throw PastRange();
  return *value;
}

void add_term(QuasiSum& sum, const QuasiTerm& term) {
  const auto like =
      std::ranges::find_if(sum.terms, [&](const QuasiTerm& other) { return other.is_like(term); });
  if (like == sum.terms.end()) {
    if (term.factor != 0) sum.terms.push_back(term);
    return;
  }
  like->factor = within_range(exact::add(like->factor, term.factor));
  if (like->factor == 0) sum.terms.erase(like);
}

/// The term of a sum that is a single term with factor 1; otherwise null.
const QuasiTerm* lone_term(const QuasiSum& sum) {
  const bool is_lone = sum.constant == 0 && sum.terms.size() == 1 && sum.terms.front().factor == 1;
  return is_lone ? &sum.terms.front() : nullptr;
}

QuasiSum divided(QuasiTerm::Kind kind, QuasiSum sum, std::int64_t divisor) {
  return {0, {{kind, 1, 0, divisor, std::make_shared<const QuasiSum>(std::move(sum))}}};
}

/// The term without its factor.
std::string text_of(const QuasiTerm& term, std::span<const std::string> names) {
  switch (term.kind) {
    case QuasiTerm::Kind::kCoordinate:
      return names[term.coordinate];
    case QuasiTerm::Kind::kQuotient:
      return fmt::format("floor(({})/{})", to_string(*term.operand, names), term.divisor);
    case QuasiTerm::Kind::kRemainder:
      return fmt::format("({}) mod {}", to_string(*term.operand, names), term.divisor);
  }
  return {};
}

/// `2c0`, `3*floor((c0)/4)`, `3*((c0) mod 4)`; the magnitude of the factor as a number with digits.
std::string multiplied_text(const QuasiTerm& term, std::span<const std::string> names) {
  const std::string text = text_of(term, names);
  if (term.factor == 1 || term.factor == -1) return text;
  const std::string digits = std::to_string(term.factor);
  const std::string magnitude = digits.substr(digits.front() == '-' ? 1 : 0);
  if (term.kind == QuasiTerm::Kind::kCoordinate) return magnitude + text;
  if (term.kind == QuasiTerm::Kind::kQuotient) return magnitude + "*" + text;
  return fmt::format("{}*({})", magnitude, text);
}

/// Gathers the quotients of a piece; values are numbered inputs, then quotients.
class PieceBuilder {
 public:
  explicit PieceBuilder(std::size_t inputs) : inputs_(inputs) {}

  [[nodiscard]] AffineSum sum_of(const QuasiSum& sum) {
    AffineSum result{sum.constant, {}};
    for (const QuasiTerm& term : sum.terms) add_term(result, term);
    std::ranges::sort(result.terms);
    return result;
  }

  [[nodiscard]] std::vector<AffineQuotient> take() && { return std::move(quotients_); }

 private:
  static void add(AffineSum& sum, std::size_t value, std::int64_t factor) {
    const auto found =
        std::ranges::find(sum.terms, value, &std::pair<std::size_t, std::int64_t>::first);
    if (found == sum.terms.end()) {
      sum.terms.emplace_back(value, factor);
      return;
    }
    found->second = within_range(exact::add(found->second, factor));
    if (found->second == 0) sum.terms.erase(found);
  }

  void add_term(AffineSum& sum, const QuasiTerm& term) {
    if (term.kind == QuasiTerm::Kind::kCoordinate) {
      add(sum, term.coordinate, term.factor);
      return;
    }
    const AffineSum operand = sum_of(*term.operand);
    const std::size_t value = quotient_of(operand, term.divisor);
    if (term.kind == QuasiTerm::Kind::kQuotient) {
      add(sum, value, term.factor);
      return;
    }
    const auto scaled = [&](std::int64_t number) {
      return within_range(exact::multiply(term.factor, number));
    };
    sum.constant = within_range(exact::add(sum.constant, scaled(operand.constant)));
    for (const auto& [index, factor] : operand.terms) add(sum, index, scaled(factor));
    add(sum, value, scaled(-term.divisor));
  }

  /// The number of floor(sum / divisor); a quotient of a quotient is one of its numerator.
  [[nodiscard]] std::size_t quotient_of(AffineSum sum, std::int64_t divisor) {
    const bool is_lone = sum.constant == 0 && sum.terms.size() == 1 &&
                         sum.terms.front().second == 1 && sum.terms.front().first >= inputs_;
    if (is_lone) {
      const AffineQuotient inner = quotients_[sum.terms.front().first - inputs_];
      divisor = within_range(exact::multiply(inner.divisor, divisor));
      sum = inner.numerator;
    }
    AffineQuotient wanted{std::move(sum), divisor};
    const auto same = std::ranges::find(quotients_, wanted);
    const auto index = static_cast<std::size_t>(same - quotients_.begin());
    if (same == quotients_.end()) quotients_.push_back(std::move(wanted));
    return inputs_ + index;
  }

  std::size_t inputs_;
  std::vector<AffineQuotient> quotients_;
};

}  // namespace

bool QuasiTerm::is_like(const QuasiTerm& other) const {
  if (kind != other.kind || coordinate != other.coordinate || divisor != other.divisor) {
    return false;
  }
  return operand == other.operand ||
         (operand != nullptr && other.operand != nullptr && *operand == *other.operand);
}

QuasiSum coordinate(std::size_t index) {
  return {0, {{QuasiTerm::Kind::kCoordinate, 1, index, 1, nullptr}}};
}

QuasiSum plus(QuasiSum a, const QuasiSum& b) {
  a.constant = within_range(exact::add(a.constant, b.constant));
  for (const QuasiTerm& term : b.terms) add_term(a, term);
  return a;
}

QuasiSum times(std::int64_t factor, QuasiSum sum) {
  if (factor == 0) return {};
  sum.constant = within_range(exact::multiply(factor, sum.constant));
  for (QuasiTerm& term : sum.terms) {
    term.factor = within_range(exact::multiply(factor, term.factor));
  }
  return sum;
}

QuasiSum quotient(QuasiSum sum, std::int64_t divisor) {
  if (divisor == 1) return sum;
  if (sum.terms.empty()) return {within_range(exact::floor_divide(sum.constant, divisor)), {}};
  const QuasiTerm* lone = lone_term(sum);
  if (lone != nullptr && lone->kind == QuasiTerm::Kind::kQuotient) {
    const std::int64_t both = within_range(exact::multiply(lone->divisor, divisor));
    return divided(QuasiTerm::Kind::kQuotient, *lone->operand, both);
  }
  return divided(QuasiTerm::Kind::kQuotient, std::move(sum), divisor);
}

QuasiSum remainder(QuasiSum sum, std::int64_t divisor) {
  if (divisor == 1) return {};
  if (sum.terms.empty()) return {within_range(exact::floor_modulo(sum.constant, divisor)), {}};
  return divided(QuasiTerm::Kind::kRemainder, std::move(sum), divisor);
}

std::string to_string(const QuasiSum& sum, std::span<const std::string> names) {
  std::string text;
  for (const QuasiTerm& term : sum.terms) {
    const bool is_negative = term.factor < 0;
    text += text.empty() ? (is_negative ? "-" : "") : is_negative ? " - " : " + ";
    text += multiplied_text(term, names);
  }
  if (text.empty()) return std::to_string(sum.constant);
  if (sum.constant == 0) return text;
  const std::string digits = std::to_string(sum.constant);
  // If the sum would begin with a minus, its constant comes first.
  if (text.front() == '-' && sum.constant > 0) {
    return fmt::format("{} - {}", digits, text.substr(1));
  }
  return sum.constant > 0 ? fmt::format("{} + {}", text, digits)
                          : fmt::format("{} - {}", text, digits.substr(1));
}

AffinePiece piece_of(std::span<const QuasiSum> outputs, std::span<const std::int64_t> lows,
                     std::span<const std::int64_t> highs) {
  AffinePiece piece;
  PieceBuilder builder(lows.size());
  for (const QuasiSum& output : outputs) piece.outputs.push_back({builder.sum_of(output), 1});
  piece.quotients = std::move(builder).take();
  for (std::size_t i = 0; i < lows.size(); ++i) {
    const bool is_fixed = lows[i] == highs[i];
    piece.constraints.push_back({{-lows[i], {{i, 1}}}, is_fixed});
    if (!is_fixed) piece.constraints.push_back({{highs[i], {{i, -1}}}, false});
  }
  return piece;
}

}  // namespace heddle::map

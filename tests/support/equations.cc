#include "support/equations.h"

#include <cctype>
#include <cstdint>
#include <optional>

namespace heddle::test {
namespace {

using Number = std::optional<std::int64_t>;

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Reads one arithmetic expression. `ok` falls where the text is none; a value is missing where it
/// is one without an integer value.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t position() const { return position_; }

  Number sum() {
    Number value = product();
    while (ok_ && (take(" + ") || peek(" - "))) {
      const bool minus = take(" - ");
      const Number term = product();
      if (!ok_ || !value || !term) return std::nullopt;
      value = minus ? *value - *term : *value + *term;
    }
    return value;
  }

 private:
  enum class Rounding { kExact, kFloor, kCeil };

  Number product() {
    Number value = term();
    while (ok_ && (peek("*") || peek("/") || peek("%"))) {
      const char sign = text_[position_++];
      const Number other = term();
      if (!ok_ || !value || !other) return std::nullopt;
      if (sign == '*') value = *value * *other;
      if (sign == '%') value = *value - floor_quotient(*value, *other) * *other;
      if (sign == '/') value = quotient(*value, *other);
    }
    return value;
  }

  Number quotient(std::int64_t a, std::int64_t b) const {
    if (b == 0) return std::nullopt;
    if (rounding_ == Rounding::kExact && a % b != 0) return std::nullopt;
    return rounding_ == Rounding::kCeil ? -floor_quotient(-a, b) : floor_quotient(a, b);
  }

  Number term() {
    if (take("ceil(")) return rounded(Rounding::kCeil);
    if (take("floor(")) return rounded(Rounding::kFloor);
    if (take("(")) {
      const Number value = sum();
      ok_ = ok_ && take(")");
      return value;
    }
    return integer();
  }

  Number rounded(Rounding rounding) {
    rounding_ = rounding;
    const Number value = sum();
    rounding_ = Rounding::kExact;
    ok_ = ok_ && take(")");
    return value;
  }

  Number integer() {
    const bool negative = take("-");
    std::int64_t value = 0;
    const std::size_t begin = position_;
    while (position_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[position_])))
      value = value * 10 + (text_[position_++] - '0');
    if (position_ == begin) ok_ = false;
    return negative ? -value : value;
  }

  [[nodiscard]] bool peek(std::string_view word) const {
    return text_.substr(position_).starts_with(word);
  }
  bool take(std::string_view word) {
    if (!peek(word)) return false;
    position_ += word.size();
    return true;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool ok_ = true;
  Rounding rounding_ = Rounding::kExact;
};

bool may_begin_at(std::string_view text, std::size_t position) {
  return position == 0 || text[position - 1] == ' ' || text[position - 1] == '(';
}

/// Not in the midst of a layout or a word.
bool may_end_at(std::string_view text, std::size_t position) {
  if (position >= text.size()) return true;
  const char next = text[position];
  if (std::isalnum(static_cast<unsigned char>(next)) || next == '@' || next == '(') return false;
  const bool goes_on = next == ':' || next == ',';
  return !goes_on || position + 1 == text.size() || text[position + 1] == ' ';
}

}  // namespace

Equations equations_in(std::string_view text) {
  constexpr std::string_view kEquals = " = ";
  Equations equations;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!may_begin_at(text, begin)) continue;
    Reader left(text.substr(begin));
    const Number a = left.sum();
    const std::size_t middle = begin + left.position();
    if (!left.ok() || !text.substr(middle).starts_with(kEquals)) continue;
    Reader right(text.substr(middle + kEquals.size()));
    const Number b = right.sum();
    const std::size_t end = middle + kEquals.size() + right.position();
    if (!right.ok() || !may_end_at(text, end)) continue;
    ++equations.count;
    if (!a || !b || *a != *b) {
      equations.wrong = found("false: ", text.substr(begin, end - begin), " in: ", text);
      return equations;
    }
    begin = middle;
  }
  return equations;
}

Equations equations_in(const Explanation& explanation) {
  Equations all = equations_in(explanation.text);
  for (const Explanation& step : explanation.steps) {
    if (all.wrong) return all;
    const Equations inner = equations_in(step);
    all.count += inner.count;
    all.wrong = inner.wrong;
  }
  return all;
}

}  // namespace heddle::test

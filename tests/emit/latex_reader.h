#pragma once

// Reads the formulas that Heddle writes back, as a mathematician would, and evaluates them.

#include <cctype>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "heddle/core/exact.h"

namespace heddle::test {

class LatexReader {
 public:
  /// Values by name as LaTeX has it: `i_{0}`.
  using Names = std::map<std::string, exact::Value, std::less<>>;

  /// The value of a formula, nothing where it has none; throws where it is no formula.
  static exact::Value value(std::string_view text, const Names& names) {
    LatexReader reader(text, names);
    const exact::Value value = reader.comparison();
    if (!reader.rest_.empty()) throw std::runtime_error("left over: " + std::string(reader.rest_));
    return value;
  }

 private:
  LatexReader(std::string_view text, const Names& names) : rest_(text), names_(names) {}

  bool take(std::string_view word) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) throw std::runtime_error(std::string(word) + " before " + std::string(rest_));
  }

  template <class Compute>
  static exact::Value both(const exact::Value& a, const exact::Value& b, Compute compute) {
    return a && b ? exact::Value(compute(*a, *b)) : std::nullopt;
  }

  exact::Value comparison() {
    const exact::Value left = sum();
    const auto compare = [&](auto holds) {
      return both(left, sum(), [&](auto a, auto b) -> std::int64_t { return holds(a, b); });
    };
    if (take("=")) return compare([](auto a, auto b) { return a == b; });
    if (take("\\ne")) return compare([](auto a, auto b) { return a != b; });
    if (take("<")) return compare([](auto a, auto b) { return a < b; });
    if (take("\\le ")) return compare([](auto a, auto b) { return a <= b; });
    if (take("\\mid")) {
      return compare([](auto a, auto b) { return a == 0 ? b == 0 : b % a == 0; });
    }
    return left;
  }

  exact::Value sum() {
    exact::Value value = product();
    for (;;) {
      if (take("+")) {
        value = both(value, product(), exact::add);
      } else if (take("-")) {
        value = both(value, product(), exact::subtract);
      } else {
        return value;
      }
    }
  }

  exact::Value product() {
    if (take("-")) return both(0, product(), exact::subtract);
    exact::Value value = factor();
    for (;;) {
      if (take("\\cdot")) {
        value = both(value, factor(), exact::multiply);
      } else if (take("\\bmod")) {
        value = both(value, factor(), exact::floor_modulo);
      } else if (take("\\mathbin{\\mathrm{div}}")) {
        value = both(value, factor(), exact::floor_divide);
      } else if (take("\\oplus")) {
        value = both(value, factor(), [](auto a, auto b) { return a ^ b; });
      } else if (take("\\mathbin{\\&}")) {
        value = both(value, factor(), [](auto a, auto b) { return a & b; });
      } else if (take("\\mathbin{|}")) {
        value = both(value, factor(), [](auto a, auto b) { return a | b; });
      } else if (take("\\ll")) {
        value = both(value, factor(),
                     [](auto a, auto b) { return exact::multiply(a, std::int64_t{1} << b); });
      } else if (take("\\gg")) {
        value = both(value, factor(), [](auto a, auto b) { return a >> b; });
      } else if (begins_factor()) {
        value = both(value, factor(), exact::multiply);  // 3 x
      } else {
        return value;
      }
    }
  }

  [[nodiscard]] bool begins_factor() const {
    if (rest_.empty()) return false;
    if (std::isalnum(static_cast<unsigned char>(rest_[0])) != 0) return true;
    for (const char* word : {"\\left", "\\begin", "\\min", "\\max", "\\gcd", "\\mathit"}) {
      if (rest_.starts_with(word)) return true;
    }
    return false;
  }

  exact::Value factor() {
    if (take("\\left(")) return until("\\right)");
    if (take("\\left\\lfloor")) return rounded_down();
    if (take("\\min")) return call([](auto a, auto b) { return std::min(a, b); });
    if (take("\\max")) return call([](auto a, auto b) { return std::max(a, b); });
    if (take("\\gcd")) return call([](auto a, auto b) { return std::gcd(a, b); });
    if (take("\\begin{cases}")) return cases();
    if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0])) != 0) return number();
    return name();
  }

  exact::Value until(std::string_view end) {
    const exact::Value value = comparison();
    expect(end);
    return value;
  }

  exact::Value rounded_down() {
    exact::Value value;
    if (take("\\frac{")) {
      const exact::Value above = until("}");
      expect("{");
      value = both(above, until("}"), exact::floor_divide);
    } else {
      expect("\\sqrt{");
      const exact::Value square = until("}");
      value = square ? exact::square_root(*square) : std::nullopt;
    }
    expect("\\right\\rfloor");
    return value;
  }

  template <class Compute>
  exact::Value call(Compute compute) {
    expect("(");
    const exact::Value first = until(",");
    return both(first, until(")"), compute);
  }

  exact::Value cases() {
    const exact::Value then = until("&");
    expect("\\text{if }");
    const exact::Value condition = until("\\\\");
    const exact::Value otherwise = until("&");
    expect("\\text{otherwise}");
    expect("\\end{cases}");
    if (!condition) return std::nullopt;
    return *condition != 0 ? then : otherwise;
  }

  exact::Value number() {
    std::size_t length = 0;
    const std::int64_t value = std::stoll(std::string(rest_), &length);
    rest_.remove_prefix(length);
    take("");
    return value;
  }

  /// `x`, `i_{0}`, `\mathit{pid\_m}`.
  exact::Value name() {
    std::size_t length = 1;
    const std::size_t close = rest_.find('}');
    if (rest_.starts_with("\\mathit{") || rest_.substr(1).starts_with("_{")) length = close + 1;
    const std::string_view name = rest_.substr(0, length);
    const auto found = names_.find(name);
    if (found == names_.end()) throw std::runtime_error("no name: " + std::string(rest_));
    rest_.remove_prefix(length);
    take("");
    return found->second;
  }

  std::string_view rest_;
  const Names& names_;
};

}  // namespace heddle::test

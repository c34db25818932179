#include "notation/language/foreign/cpp_integers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/words.h"

namespace heddle::notation {

namespace {

class IntegerReader {
 public:
  IntegerReader(std::string_view text, Span place, const CppBindings& bindings)
      : text_(text.substr(0, place.end)), position_(place.begin), bindings_(bindings) {}

  std::optional<Expression> whole() {
    std::optional<Expression> sum = chain(kSum);
    return sum && position_ == text_.size() ? std::move(sum) : std::nullopt;
  }

 private:
  struct Sign {
    char character;
    TokenKind kind;
  };
  using Signs = std::array<Sign, 2>;
  static constexpr Signs kSum = {{{'+', TokenKind::kPlus}, {'-', TokenKind::kMinus}}};
  static constexpr Signs kProduct = {{{'*', TokenKind::kStar}, {'/', TokenKind::kSlash}}};

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  /// Consumes the character and the blanks after it.
  bool take(char character) {
    if (position_ >= text_.size() || text_[position_] != character) return false;
    ++position_;
    skip_blanks();
    return true;
  }

  void skip_blanks() {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  }

  /// The signs of one level, from left to right.
  std::optional<Expression> chain(const Signs& signs) {
    const std::size_t begin = position_;
    const bool is_sum = &signs == &kSum;
    Arithmetic node;
    std::vector<Expression> parts;
    while (true) {
      std::optional<Expression> part = is_sum ? chain(kProduct) : factor();
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
      const auto* sign = std::ranges::find_if(signs, [&](Sign s) { return take(s.character); });
      if (sign == signs.end()) break;
      node.operators.push_back(sign->kind);
    }
    if (parts.size() == 1) return std::move(parts.front());
    return make_expression(std::move(node), {begin, position_}, std::move(parts));
  }

  std::optional<Expression> factor() {
    skip_blanks();
    const std::size_t begin = position_;
    if (++depth_ > kMaxTypeNesting) return std::nullopt;
    std::optional<Expression> made;
    if (take('(')) {
      made = chain(kSum);
      if (made && !take(')')) return std::nullopt;
    } else if (take('-')) {
      made = factor();
      if (made) made = make_expression(Negation{}, {begin, position_}, {*std::move(made)});
    } else {
      made = name_or_number();
    }
    --depth_;
    return made;
  }

  std::optional<Expression> name_or_number() {
    const std::size_t begin = position_;
    const std::string_view word = first_word(text_.substr(begin));
    position_ += word.size();
    const Span span{begin, position_};
    skip_blanks();
    if (!word.empty() && begins_name(word.front())) return named(word, span);
    if (word.size() > 1 && word.front() == '0' && is_digit(word[1])) return std::nullopt;  // octal
    const std::size_t digits = std::min(word.find_last_not_of("uUlL") + 1, word.size());
    const std::optional<std::int64_t> number = integer_in(word.substr(0, digits));
    if (!number) return std::nullopt;
    return make_expression(IntegerLiteral{*number}, span);
  }

  std::optional<Expression> named(std::string_view name, Span span) {
    const auto bound = std::ranges::find(bindings_, name, &CppBindings::value_type::first);
    if (bound == bindings_.end()) return make_expression(Reference{name}, span);
    if (bound->second.kind != CppType::Kind::kInteger) return std::nullopt;
    return make_expression(IntegerLiteral{bound->second.value}, span);
  }

  std::string_view text_;
  std::size_t position_;
  const CppBindings& bindings_;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<Expression> integer_in_cpp(std::string_view text, Span place,
                                         const CppBindings& bindings) {
  if (place.end > text.size()) return std::nullopt;
  return IntegerReader(text, place, bindings).whole();
}

}  // namespace heddle::notation

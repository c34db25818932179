#include "heddle/notation/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "core/text.h"
#include "core/words.h"
#include "notation/language/foreign/foreign_texts.h"
#include "notation/language/foreign/triton_text.h"

namespace heddle::notation {
namespace {

constexpr std::uint64_t kMaxMagnitude = std::uint64_t{1} << 63;

struct TokenSign {
  std::string_view text;
  TokenKind kind;
};

// Longer signs first.
constexpr std::array kTokenSigns = {
    TokenSign{"==", TokenKind::kEqual},
    TokenSign{"!=", TokenKind::kNotEqual},
    TokenSign{"<=", TokenKind::kLessEqual},
    TokenSign{">=", TokenKind::kGreaterEqual},
    TokenSign{"//", TokenKind::kFloorDivide},
    TokenSign{"->", TokenKind::kArrow},
    TokenSign{"\u2218", TokenKind::kCompose},
    TokenSign{"{}", TokenKind::kEmptyBraces},
    TokenSign{"(", TokenKind::kLeftParenthesis},
    TokenSign{")", TokenKind::kRightParenthesis},
    TokenSign{"[", TokenKind::kLeftBracket},
    TokenSign{"]", TokenKind::kRightBracket},
    TokenSign{"{", TokenKind::kLeftBrace},
    TokenSign{"}", TokenKind::kRightBrace},
    TokenSign{",", TokenKind::kComma},
    TokenSign{":", TokenKind::kColon},
    TokenSign{"@", TokenKind::kAt},
    TokenSign{"+", TokenKind::kPlus},
    TokenSign{"-", TokenKind::kMinus},
    TokenSign{"*", TokenKind::kStar},
    TokenSign{"%", TokenKind::kPercent},
    TokenSign{"=", TokenKind::kAssign},
    TokenSign{".", TokenKind::kDot},
    TokenSign{"<", TokenKind::kLess},
    TokenSign{">", TokenKind::kGreater},
    TokenSign{"&", TokenKind::kColumn},
    TokenSign{"|", TokenKind::kDivides},
    TokenSign{"^", TokenKind::kXor},
    TokenSign{";", TokenKind::kSemicolon},
    TokenSign{"\u03c3", TokenKind::kName},  // sigma, as RegP's permutation is called in the paper
    TokenSign{"\n", TokenKind::kNewline},
};

// The beginnings of pieces of a layout. No name contains them.
constexpr std::array kOpenings = {
    TokenSign{"Sw<", TokenKind::kSwizzleOpen},      TokenSign{"S<", TokenKind::kSwizzleOpen},
    TokenSign{"Swizzle<", TokenKind::kSwizzleOpen}, TokenSign{"E<", TokenKind::kBasisOpen},
    TokenSign{"S[", TokenKind::kShardOpen},         TokenSign{"R[", TokenKind::kReplicaOpen},
    TokenSign{"SW(", TokenKind::kTvmSwizzleOpen},
};

// LaTeX commands, without their backslash.
constexpr std::array kLatexSigns = {
    TokenSign{"begin{pmatrix}", TokenKind::kShardMatrix},
    TokenSign{"end{pmatrix}", TokenKind::kShardMatrixEnd},
    TokenSign{"begin{bmatrix}", TokenKind::kReplicaMatrix},
    TokenSign{"end{bmatrix}", TokenKind::kReplicaMatrixEnd},
    TokenSign{"circ", TokenKind::kCompose},
    TokenSign{"cdot", TokenKind::kStar},
    TokenSign{"times", TokenKind::kStar},
    TokenSign{"%", TokenKind::kPercent},
    TokenSign{"\\", TokenKind::kRow},
};
constexpr std::array<std::string_view, 9> kLatexBlanks = {
    ",", ";", ":", "!", " ", "quad", "qquad", "left", "right",
};
constexpr std::array<std::string_view, 6> kLatexSizes = {
    "displaystyle", "big", "bigl", "bigr", "Big", "bigg",
};
constexpr std::array<std::string_view, 6> kLatexFonts = {
    "texttt{", "text{", "mathrm{", "mathtt{", "mathit{", "operatorname{",
};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Whether the text begins with this command, not with a longer one.
bool begins_command(std::string_view text, std::string_view command) {
  if (!text.starts_with(command)) return false;
  return !is_letter(command.back()) || text.size() == command.size() ||
         !is_letter(text[command.size()]);
}

/// The length of a LaTeX command that only affects spacing or size; 0 if there is none.
std::size_t latex_space_length(std::string_view text) {
  if (!text.starts_with('\\')) return 0;
  const auto length_among = [&](const auto& commands) {
    const auto found = std::ranges::find_if(commands, [&](std::string_view command) {
      return begins_command(text.substr(1), command);
    });
    return found == commands.end() ? std::size_t{0} : found->size() + 1;
  };
  return std::max(length_among(kLatexBlanks), length_among(kLatexSizes));
}

/// Whether the text is a word, with `\_` for underscores.
bool is_latex_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '_';
    if (!is_escape && !is_word_character(text[i])) return false;
  }
  return !text.empty() && !is_digit(text.front());
}

bool is_digit_of(int base, char c) {
  if (base == 2) return c == '0' || c == '1';
  const bool is_hex_letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  return is_digit(c) || (base == 16 && is_hex_letter);
}

/// 16 and 2 for the prefixes `0x` and `0b`, otherwise 10.
int base_of(std::string_view prefix) {
  if (prefix == "0x" || prefix == "0X") return 16;
  if (prefix == "0b" || prefix == "0B") return 2;
  return 10;
}

/// `<0,2>(`: the template arguments of a call in C++.
bool begins_template_arguments(std::string_view text) {
  if (!text.starts_with('<')) return false;
  const std::size_t end = text.find_first_not_of("0123456789_, ", 1);
  return end != std::string_view::npos && end > 1 && text.substr(end).starts_with(">(");
}

/// What a call with template arguments is here: `size<0>` is size(get(L, 0)), `upcast<8>` is
/// upcast(L, 8).
std::string without_template(std::string_view call) {
  constexpr std::array<std::string_view, 6> kOfMode = {"size", "shape", "stride",
                                                       "rank", "depth", "cosize"};
  const std::size_t open = call.find('<');
  const std::string_view name = call.substr(0, open);
  std::string arguments(call.substr(open + 1, call.size() - open - 2));
  std::erase(arguments, '_');
  const std::string picked = fmt::format("get(L, {})", arguments);
  if (name == "layout") return picked;
  if (std::ranges::find(kOfMode, name) != kOfMode.end()) return fmt::format("{}({})", name, picked);
  return fmt::format("{}(L, {})", name, arguments);
}

/// The number in `div=16` or `i64 div=16`, 1 if there is none; nullopt for other texts.
std::optional<std::uint64_t> divisor_in(std::string_view text) {
  for (const std::string_view width : {"i64", "i32"}) {
    if (text.starts_with(width)) text.remove_prefix(width.size());
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty()) return 1;
  constexpr std::string_view kDivisor = "div=";
  if (!text.starts_with(kDivisor)) return std::nullopt;
  text.remove_prefix(kDivisor.size());
  const std::optional<std::int64_t> divisor = integer_in(text);
  if (!divisor || *divisor < 1) return std::nullopt;
  return static_cast<std::uint64_t>(*divisor);
}

/// The length of the mark of an inverse after a name, `^{inv}` or `^{-1}`; 0 if there is none.
std::size_t inverse_mark_length(std::string_view text) {
  for (const std::string_view mark : {"^{inv}", "^{-1}", "^inv", "^-1"}) {
    if (begins_command(text, mark)) return mark.size();
  }
  return 0;
}

}  // namespace

Result<void> check_encoding(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    if (text[position] == '\0') {
      return refuse(Diagnostic("syntax.encoding", fmt::format("byte {} is NUL", position))
                        .with_span({position, position + 1}));
    }
    const std::size_t length = character_length(text.substr(position, 4));
    if (length == 0) {
      return refuse(Diagnostic("syntax.encoding", fmt::format("byte {} is not UTF-8", position))
                        .with_span({position, position + 1}));
    }
    position += length;
  }
  return {};
}

std::string_view sign_of(TokenKind kind) {
  const auto found = std::ranges::find(kTokenSigns, kind, &TokenSign::kind);
  return found == kTokenSigns.end() ? std::string_view() : found->text;
}

std::string quote(std::string_view text) {
  constexpr std::size_t kMaxLength = 40;
  constexpr std::size_t kKept = 16;
  return fmt::format(
      "'{}'", text.size() <= kMaxLength ? std::string(text) : shortened(text, 2 * kKept, "…"));
}

Diagnostic not_closed(std::string_view opened, std::string_view closing, Span place) {
  return Diagnostic("syntax.unbalanced", quote(opened) + " is not closed")
      .with_span(place)
      .with_hint(fmt::format("write {} where it ends", quote(closing)));
}

char Lexer::peek(std::size_t ahead) const {
  return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
}

void Lexer::skip_blanks() {
  if (position_ == 0 && text_.starts_with(kByteOrderMark)) position_ = kByteOrderMark.size();
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '#' && (is_kernel_ || !is_letter(peek(1)))) {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == ' ' || c == '\t' || c == '\r' || (c == '$' && is_python_)) {
      ++position_;
    } else if (const std::size_t space = latex_space_length(text_.substr(position_)); space > 0) {
      position_ += space;
    } else {
      return;
    }
  }
}

Token Lexer::take(TokenKind kind, std::size_t length) {
  const Token token{kind, {position_, position_ + length}, 0, false};
  position_ += length;
  return token;
}

Result<Token> Lexer::next() {
  skip_blanks();
  if (position_ == text_.size()) return take(TokenKind::kEnd, 0);
  if (is_digit(peek())) return read_number(0, false);
  if (auto piece = is_kernel_ ? std::nullopt : read_layout_piece()) return *piece;
  if (peek() == '_' && is_digit(peek(1))) return read_number(1, false);
  if (peek() == '_' && peek(1) == '-' && is_digit(peek(2))) return read_number(2, true);
  if (is_word_character(peek())) return read_word();
  if (peek() == '"' || peek() == '\'') return read_string();
  if (peek() == '?') return read_dynamic();
  return read_sign();
}

/// An alias, or the beginning of a layout in a notation of its own; nullopt for other text.
std::optional<Token> Lexer::read_layout_piece() {
  const std::string_view rest = text_.substr(position_);
  if (const std::size_t alias = alias_length(rest); alias > 0) return take(TokenKind::kName, alias);
  const auto opening = std::ranges::find_if(
      kOpenings, [&](const TokenSign& sign) { return rest.starts_with(sign.text); });
  if (opening != kOpenings.end()) return take(opening->kind, opening->text.size());
  const std::size_t length = find_foreign_text(rest).length;
  return length > 0 ? std::optional(take(TokenKind::kForeign, length)) : std::nullopt;
}

/// The signs around the number in the floor of a root; nullopt for other text.
std::optional<Token> Lexer::read_root() {
  constexpr std::string_view kFloor = "\\lfloor";
  constexpr std::string_view kRoot = "\\sqrt{";
  constexpr std::string_view kEnd = "\\rfloor";
  const std::string_view rest = text_.substr(position_);
  if (rest.starts_with(kEnd)) return take(TokenKind::kFloorEnd, kEnd.size());
  if (!rest.starts_with(kFloor)) return std::nullopt;
  const std::size_t root = rest.find_first_not_of(' ', kFloor.size());
  if (root == std::string_view::npos || !rest.substr(root).starts_with(kRoot)) return std::nullopt;
  return take(TokenKind::kFloorRoot, root + kRoot.size());
}

/// A LaTeX sign, or the name in braces after a font; nullopt for other commands.
std::optional<Token> Lexer::read_latex() {
  const std::string_view rest = text_.substr(position_ + 1);
  for (const TokenSign& sign : kLatexSigns) {
    if (begins_command(rest, sign.text)) return take(sign.kind, sign.text.size() + 1);
  }
  for (const std::string_view font : kLatexFonts) {
    if (!rest.starts_with(font)) continue;
    const std::size_t close = rest.find('}');
    const bool is_closed = close != std::string_view::npos && close > font.size();
    if (!is_closed || !is_latex_name(rest.substr(font.size(), close - font.size()))) return {};
    if (rest.substr(font.size(), close + 2 - font.size()) == "SW}(") {
      return take(TokenKind::kTvmSwizzleOpen, close + 3);
    }
    const std::size_t begin = position_ + 1 + font.size();
    const Token name{TokenKind::kName, {begin, position_ + 1 + close}, 0, false};
    position_ += close + 2;
    return name;
  }
  return std::nullopt;
}

/// The length of the real number that begins with so many digits; 0 if there is none.
std::size_t Lexer::real_length(std::size_t digits) const {
  std::size_t length = digits;
  if (peek(length) == '.' && is_digit(peek(length + 1))) {
    for (++length; is_digit(peek(length));) ++length;
  }
  if (peek(length) == 'e' || peek(length) == 'E') {
    const std::size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
    std::size_t end = length + 1 + sign;
    if (is_digit(peek(end))) {
      while (is_digit(peek(end))) ++end;
      length = end;
    }
  }
  return length == digits ? 0 : length;
}

/// Reads the digits that begin `digits` bytes ahead.
Result<Token> Lexer::read_number(std::size_t digits, bool negative) {
  int base = base_of(text_.substr(position_ + digits, 2));
  if (!is_digit_of(base, peek(digits + 2))) base = 10;
  if (base != 10) digits += 2;
  std::size_t length = digits;
  while (is_digit_of(base, peek(length))) ++length;
  if (is_kernel_ && base == 10 && digits == 0) {
    if (const std::size_t real = real_length(length); real > 0) return take(TokenKind::kReal, real);
  }
  Token token = take(TokenKind::kInteger, length);
  token.negative = negative;
  const std::string_view word = text(token.span).substr(digits);
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), token.magnitude, base);
  if (error != std::errc() || token.magnitude > kMaxMagnitude) {
    return refuse(
        Diagnostic("syntax.number", fmt::format("{} is not an integer from -2^63 to 2^63-1",
                                                quote(text(token.span))))
            .with_span(token.span));
  }
  if (is_word_character(peek())) {
    const Span span{token.span.begin, position_ + 1};
    return refuse(Diagnostic("syntax.number",
                             fmt::format("a number runs into letters: {}", quote(text(span))))
                      .with_span({position_, position_ + 1})
                      .with_hint("write * between a number and a name"));
  }
  return token;
}

Result<Token> Lexer::read_word() {
  const std::string_view word = first_word(text_.substr(position_));
  const std::size_t length = word.size();
  if (word == "_") return take(TokenKind::kUnderscore, length);
  if (word == "None" && !is_kernel_) return take(TokenKind::kUnderscore, length);  // CuTe DSL
  if (word == "o" && !is_kernel_) return take(TokenKind::kCompose, length);

  HEDDLE_CHECK(check_reserved(length));
  return take(TokenKind::kName, length + inverse_mark_length(text_.substr(position_ + length)));
}

/// Refuses a word of this length if template arguments follow it.
Result<void> Lexer::check_reserved(std::size_t length) const {
  const std::string_view rest = text_.substr(position_);
  if (!begins_template_arguments(rest.substr(length))) return {};
  const std::string_view call = rest.substr(0, rest.find('>') + 1);
  return refuse(
      Diagnostic("syntax.reserved",
                 fmt::format("{} has template arguments, as in C++", quote(call)))
          .with_span({position_, position_ + call.size()})
          .with_hint("template arguments are ordinary arguments: " + without_template(call)));
}

/// A quoted relation or table may take several lines; any other quoted text must end on its line.
Result<Token> Lexer::read_string() {
  std::size_t length = 1;
  const std::size_t first = text_.find_first_not_of(" \t\r\n", position_ + 1);
  const bool takes_lines =
      first != std::string_view::npos && (text_[first] == '{' || text_[first] == '[');
  while (peek(length) != peek()) {
    const bool is_escape = peek(length) == '\\';
    const bool ends = peek(length) == '\n' && !takes_lines;
    if (position_ + length >= text_.size() || ends) {
      const std::string_view quotes = text_.substr(position_, 1);
      return refuse(Diagnostic("syntax.unbalanced", "a string without a closing quote")
                        .with_span({position_, position_ + 1})
                        .with_hint(fmt::format("write {} where it ends", quotes)));
    }
    length += is_escape ? 2 : 1;
  }
  return take(TokenKind::kString, length + 1);
}

/// `?`, `?{div=16}`, `?{i64}`, `?{i64 div=16}`: CuTe DSL's notation for a number known at run time.
Result<Token> Lexer::read_dynamic() {
  if (peek(1) != '{') {
    Token token = take(TokenKind::kDynamic, 1);
    token.magnitude = 1;
    return token;
  }
  const std::size_t close = text_.find('}', position_);
  const bool is_closed = close != std::string_view::npos;
  const std::size_t length = is_closed ? close + 1 - position_ : 0;
  const auto divisor =
      is_closed ? divisor_in(text_.substr(position_ + 2, length - 3)) : std::nullopt;
  if (!divisor) {
    return refuse(Diagnostic("syntax.unexpected", "'?' is not followed by {div=N}")
                      .with_span({position_, position_ + 2})
                      .with_hint("CuTe DSL writes ?, ?{div=16} or ?{i64 div=16}"));
  }
  Token token = take(TokenKind::kDynamic, length);
  token.magnitude = *divisor;
  return token;
}

Result<Token> Lexer::read_sign() {
  const std::string_view rest = text_.substr(position_);
  for (const TokenSign& sign : kTokenSigns) {
    if (is_kernel_ && sign.kind == TokenKind::kEmptyBraces) continue;
    if (rest.starts_with(sign.text)) return take(sign.kind, sign.text.size());
  }
  if (peek() == '\\' && !is_kernel_) {
    if (const auto token = is_python_ ? read_root() : std::nullopt) return *token;
    if (const auto token = read_latex()) return *token;
  }
  if (peek() == '/') return take(TokenKind::kSlash, 1);
  return refuse_character();
}

Refusal Lexer::refuse_character() const {
  const std::size_t length = std::max<std::size_t>(character_length(text_.substr(position_, 4)), 1);
  const std::string_view character = text_.substr(position_, length);
  const bool is_control = static_cast<unsigned char>(character[0]) < 0x20 || character[0] == '\x7f';
  const std::string shown = is_control
                                ? fmt::format("byte 0x{:02x}", static_cast<unsigned>(character[0]))
                                : quote(character);
  return refuse(Diagnostic("syntax.unexpected", shown + " begins nothing that is known here")
                    .with_span({position_, position_ + length}));
}

}  // namespace heddle::notation

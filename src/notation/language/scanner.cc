#include "notation/language/scanner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/quoted.h"

namespace heddle::notation {
namespace {

bool continues_word(char c) { return is_word_character(c) || c == '.' || c == '$'; }

}  // namespace

Result<void> Scanner::expect(std::string_view piece) {
  if (accept(piece)) return {};
  return refuse_here(quote(piece));
}

std::optional<std::string_view> Scanner::word() {
  const std::string_view word = take(continues_word);
  return word.empty() ? std::nullopt : std::optional(word);
}

Result<std::string_view> Scanner::expect_word(std::string_view what) {
  if (const auto found = word()) return *found;
  return refuse_here(what);
}

std::optional<std::string> Scanner::name() {
  const std::string_view rest = this->rest();
  if (!rest.starts_with('"')) {
    const auto found = word();
    return found ? std::optional(std::string(*found)) : std::nullopt;
  }
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size()) return std::nullopt;
  std::optional<QuotedText> quoted = unquoted(rest.substr(0, end + 1), position());
  if (!quoted) return std::nullopt;
  go_to(position() + end + 1);
  return std::move(quoted->text);
}

Result<std::string> Scanner::expect_name(std::string_view what) {
  if (auto found = name()) return *std::move(found);
  return refuse_here(what);
}

Result<std::int64_t> Scanner::expect_integer(std::string_view what) {
  if (const auto found = integer()) return *found;
  return refuse_here(what);
}

Refusal Scanner::refuse_here(std::string_view wanted) {
  constexpr std::size_t kShown = 24;
  const std::string_view rest = this->rest();
  const std::string_view line = rest.substr(0, std::min(rest.find('\n'), kShown));
  const std::string found = rest.empty() ? "the text ends" : "there is " + quote(line);
  return refuse(
      Diagnostic(std::string(code_), fmt::format("{} where {} is expected", found, wanted))
          .with_span({position(), position() + line.size()}));
}

}  // namespace heddle::notation

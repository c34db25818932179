#include "map/isl/relation_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/words.h"
#include "map/view/box_function.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxLength = std::size_t{1} << 20;
constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kForm = "a relation is written as { [i, j] -> [8i + j] : 0 <= i < 4 }";
constexpr std::string_view kFormOfSet = "a set is written as { [i, j] : 0 <= i < 4 and j < i }";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool continues_name(char c) { return is_word_character(c) || c == '\''; }

struct Word {
  Span span;
  std::string_view text;

  [[nodiscard]] bool is(std::string_view other) const { return text == other; }
  [[nodiscard]] bool is_name() const { return !text.empty() && begins_name(text.front()); }
};

std::vector<Word> words_of(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kPairs = {"->", "<=", ">=", "!=", "==", "//",
                                                              "&&", "||", "<<", ">>", "::", "=>"};
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (begins_name(text[i])) {
      while (end < text.size() && continues_name(text[end])) ++end;
    } else if (is_digit(text[i])) {
      while (end < text.size() && is_digit(text[end])) ++end;
    } else if (std::ranges::find(kPairs, text.substr(i, 2)) != kPairs.end()) {
      end = i + 2;
    }
    words.push_back({{i, end}, text.substr(i, end - i)});
    i = end;
  }
  return words;
}

Refusal syntax_error(std::string message, Span span) {
  return refuse(Diagnostic("relation.syntax", std::move(message))
                    .with_span(span)
                    .with_hint(std::string(kForm)));
}

char closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

Result<void> check_brackets(std::span<const Word> words, std::size_t length) {
  std::vector<Word> open;
  for (const Word& word : words) {
    if (word.is("(") || word.is("[") || word.is("{")) open.push_back(word);
    if (open.size() > kMaxDepth) {
      return refuse(Diagnostic("relation.too_large", fmt::format("brackets more than {} deep are "
                                                                 "not read",
                                                                 kMaxDepth))
                        .with_span(word.span));
    }
    if (!word.is(")") && !word.is("]") && !word.is("}")) continue;
    if (open.empty()) {
      return syntax_error(fmt::format("'{}' closes nothing", word.text), word.span);
    }
    if (closing(open.back().text.front()) != word.text.front()) {
      return syntax_error(fmt::format("'{}' where '{}' would close '{}'", word.text,
                                      closing(open.back().text.front()), open.back().text),
                          word.span);
    }
    open.pop_back();
  }
  if (open.empty()) return {};
  return syntax_error(fmt::format("'{}' is not closed: '{}' is missing at the end",
                                  open.back().text, closing(open.back().text.front())),
                      {length, length});
}

Result<void> check_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (is_blank(text[i]) || (byte > 32 && byte < 127 && byte != '#' && byte != '"' &&
                              byte != '\\' && byte != '`' && byte != '$' && byte != '@')) {
      continue;
    }
    return syntax_error(byte > 32 && byte < 127
                            ? fmt::format("'{}' is not a character of a relation", text[i])
                            : fmt::format("byte {:#04x} is not a character of a relation", byte),
                        {i, i + 1});
  }
  return {};
}

/// A name in a condition must be that of a dimension, a parameter or of `exists`.
Result<void> check_names(std::span<const Word> words) {
  std::set<std::string_view> known;
  std::size_t depth = 0;
  bool in_exists = false;
  for (const Word& word : words) {
    if (word.is("[")) ++depth;
    if (word.is("]") && depth > 0) --depth;
    if (isl_word(word.text) == "exists") in_exists = true;
    if (word.is(":")) in_exists = false;
    if (word.is_name() && (depth > 0 || in_exists)) known.insert(word.text);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const bool is_tuple = i + 1 < words.size() && words[i + 1].is("[");
    if (!word.is_name() || known.contains(word.text) || is_tuple) continue;
    if (isl_word(word.text) == "rat") {
      return syntax_error("a relation is of integers; this one is marked as rational", word.span);
    }
    if (!isl_word(word.text).empty()) continue;
    return refuse(
        Diagnostic("relation.syntax", fmt::format("unknown name '{}': it is not a dimension or a "
                                                  "parameter, and exists does not declare it",
                                                  word.text))
            .with_span(word.span)
            .with_hint(
                fmt::format("a parameter is declared in front: [{}] -> {{ … }}", word.text)));
  }
  return {};
}

bool has_braces(std::span<const Word> words) {
  return std::ranges::any_of(words, [](const Word& word) { return word.is("{"); });
}

/// The arrow within the braces; nullptr if there is none.
const Word* arrow_in(std::span<const Word> words) {
  bool is_inside = false;
  for (const Word& word : words) {
    is_inside = is_inside || word.is("{");
    if (word.is("->") && is_inside) return &word;
  }
  return nullptr;
}

Result<void> check_arrow(std::span<const Word> words, std::size_t length) {
  if (arrow_in(words) != nullptr) return {};
  if (!has_braces(words)) return syntax_error("a relation is written in braces", {0, length});
  return syntax_error("there is no '->': this is a set, not a relation", {0, length});
}

Result<void> check_no_arrow(std::span<const Word> words, std::size_t length) {
  if (!has_braces(words)) return syntax_error("a set is written in braces", {0, length});
  const Word* arrow = arrow_in(words);
  if (arrow == nullptr) return {};
  return syntax_error("the '->' makes this a relation, not a set", arrow->span);
}

/// isl computes 2^n while it reads, which no limit can stop, and takes NaN for no image at all.
Result<void> check_numbers(std::span<const Word> words) {
  constexpr std::size_t kMaxDigits = 2;
  for (const Word& word : words) {
    if (!word.is("NaN") && !word.is("infty")) continue;
    return syntax_error(fmt::format("{} is not an integer", word.text), word.span);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i - 1].is("^")) continue;
    const bool is_small = words[i].text.size() <= kMaxDigits && is_digit(words[i].text.front());
    const bool is_last = i + 1 == words.size() || !words[i + 1].is("^");
    if (is_small && is_last) continue;
    return refuse(Diagnostic("relation.too_large", "an exponent has at most two digits")
                      .with_span(words[i].span));
  }
  return {};
}

using CheckArrow = Result<void> (*)(std::span<const Word> words, std::size_t length);

Result<void> check_text(std::string_view text, CheckArrow check) {
  if (text.size() > kMaxLength) {
    return refuse("relation.too_large",
                  fmt::format("a text of {} bytes; at most {} are read", text.size(), kMaxLength));
  }
  HEDDLE_CHECK(check_characters(text));
  const std::vector<Word> words = words_of(text);
  HEDDLE_CHECK(check_brackets(words, text.size()));
  HEDDLE_CHECK(check(words, text.size()));
  HEDDLE_CHECK(check_numbers(words));
  return check_names(words);
}

Diagnostic about_set(Diagnostic error) {
  if (error.code() != "relation.syntax" || error.hint() != kForm) return error;
  return std::move(error).with_hint(std::string(kFormOfSet));
}

}  // namespace

Result<void> check_relation_text(std::string_view text) { return check_text(text, check_arrow); }

Result<void> check_set_text(std::string_view text) {
  return check_text(text, check_no_arrow).map_error(about_set);
}

Result<void> check_relation_parts(std::string_view text) {
  constexpr std::int64_t kMaxParts = 1024;
  const std::int64_t parts = 1 + std::ranges::count(text, ';');
  if (parts <= kMaxParts) return {};
  return refuse(
      Diagnostic("relation.too_large",
                 fmt::format("a union of {} parts; isl is given up to {}", parts, kMaxParts))
          .with_hint("one part for each run of even steps of a box from 0, as heddle "
                     "prints a table, is read without isl"));
}

Diagnostic relation_syntax_error(std::string_view text, std::size_t position) {
  const std::vector<Word> words = words_of(text);
  const auto last = std::ranges::find_if(
      words.rbegin(), words.rend(), [&](const Word& word) { return word.span.begin < position; });
  if (last == words.rend()) {
    return std::move(syntax_error("a relation is missing", {0, text.size()})).value();
  }
  return std::move(syntax_error(fmt::format("unexpected '{}'", last->text), last->span)).value();
}

Diagnostic set_syntax_error(std::string_view text, std::size_t position) {
  return about_set(relation_syntax_error(text, position));
}

}  // namespace heddle::map

#include "notation/program_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace heddle::notation {
namespace {

bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t end_of_word(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_in_word(text[begin])) ++begin;
  return begin;
}

std::string_view without_blanks_behind(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::string_view without_blanks_before(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// The line goes on with nothing but a semicolon and a comment.
bool ends_statement(std::string_view behind) {
  behind = without_blanks_before(behind);
  if (behind.starts_with(';')) behind = without_blanks_before(behind.substr(1));
  return behind.empty() || behind.front() == '\n' || behind.front() == '\r' ||
         behind.front() == '#' || behind.starts_with("//");
}

/// The text before, with a word for every placeholder.
std::string text_before(std::span<const emit::TemplatePiece> pieces) {
  std::string text;
  for (const emit::TemplatePiece& piece : pieces) text += piece.is_placeholder ? "0" : piece.text;
  return text;
}

/// What stands right before and behind a word says that it gets another value.
bool is_assigned_here(std::string_view before, std::string_view behind) {
  before = without_blanks_behind(before);
  behind = without_blanks_before(behind);
  const bool is_address = before.ends_with('&') && !before.ends_with("&&");
  if (is_address || before.ends_with("++") || before.ends_with("--")) return true;
  if (before.ends_with("for") || before.ends_with("as")) return true;
  if (behind.starts_with("++") || behind.starts_with("--") || behind.starts_with(":=")) return true;
  constexpr std::array<std::string_view, 13> kAssignments = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "//=", "**="};
  return std::ranges::any_of(kAssignments, [&](std::string_view sign) {
    return behind.starts_with(sign) && !behind.substr(sign.size()).starts_with('=');
  });
}

/// How often the text assigns to the variable, for all that can be seen: also as one of several,
/// `a, b = …`.
int count_assignments(std::string_view text, std::string_view variable) {
  int count = 0;
  for (std::size_t at = text.find(variable); at != std::string_view::npos;
       at = text.find(variable, at + 1)) {
    const std::size_t end = at + variable.size();
    const bool is_word =
        (at == 0 || !is_in_word(text[at - 1])) && (end == text.size() || !is_in_word(text[end]));
    if (!is_word) continue;
    const std::string_view behind = text.substr(end);
    const std::string_view line = behind.substr(0, behind.find('\n'));
    const bool is_one_of_several =
        without_blanks_before(line).starts_with(',') && line.find('=') != std::string_view::npos;
    if (is_one_of_several || is_assigned_here(text.substr(0, at), behind)) ++count;
  }
  return count;
}

/// No block that was open at the beginning of the text is closed in it.
bool stays_in_braces(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}' && --depth < 0) return false;
  }
  return true;
}

std::size_t indentation_of(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

/// No line of the text is indented less than that of the assignment.
bool stays_indented(std::string_view text, std::size_t indentation) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::string_view words = without_blanks_before(line);
    const bool has_code = !words.empty() && words.front() != '#' && words.front() != '\r';
    if (has_code && indentation_of(line) < indentation) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

emit::Spelling take_members(std::string& text,
                            const std::function<bool(const std::string& name)>& is_known) {
  emit::Spelling spelling;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') is_quoted = !is_quoted;
    std::size_t end = end_of_word(text, i);
    const std::string first = text.substr(i, end - i);
    while (end + 1 < text.size() && text[end] == '.' && is_in_word(text[end + 1])) {
      end = end_of_word(text, end + 1);
    }
    const std::string member = text.substr(i, end - i);
    std::string name = member;
    std::ranges::replace(name, '.', '_');
    const bool follows_dot = i > 0 && text[i - 1] == '.';
    const bool is_called = end < text.size() && text[end] == '(';
    const bool is_new = spelling.contains(name) || text.find(name) == std::string::npos;
    const bool is_member = !is_quoted && name != member && emit::is_identifier(first) &&
                           !follows_dot && !is_called && !is_known(first) && is_new;
    if (is_member) {
      spelling.emplace(name, member);
      text.replace(i, member.size(), name);
    }
    i = std::max(end, i + 1);
  }
  return spelling;
}

std::optional<std::string> assigned_variable(std::span<const emit::TemplatePiece> pieces,
                                             std::size_t index) {
  if (index == 0 || pieces[index - 1].is_placeholder) return std::nullopt;
  const bool has_text_behind = index + 1 < pieces.size();
  if (has_text_behind &&
      (pieces[index + 1].is_placeholder || !ends_statement(pieces[index + 1].text))) {
    return std::nullopt;
  }
  std::string_view line = pieces[index - 1].text;
  const std::size_t line_break = line.rfind('\n');
  if (line_break != std::string_view::npos) line.remove_prefix(line_break + 1);
  line = without_blanks_behind(line);
  if (!line.ends_with('=')) return std::nullopt;
  line = without_blanks_behind(line.substr(0, line.size() - 1));
  std::size_t begin = line.size();
  while (begin > 0 && is_in_word(line[begin - 1])) --begin;
  const std::string_view name = line.substr(begin);
  // Before it stands a type, or nothing: `a.b = `, `a[i] = `, `x += ` assign to something else.
  const bool has_only_words = std::ranges::all_of(line.substr(0, begin), [](char c) {
    return is_in_word(c) || c == ' ' || c == '\t' || c == ':';
  });
  if (!emit::is_identifier(name) || !has_only_words) return std::nullopt;
  return std::string(name);
}

bool holds_at(std::span<const emit::TemplatePiece> pieces, std::size_t assignment, std::size_t use,
              const std::string& variable, emit::Dialect dialect) {
  if (use <= assignment || count_assignments(text_before(pieces), variable) != 1) return false;
  const std::string between = text_before(pieces.subspan(assignment + 1, use - assignment - 1));
  if (!emit::is_python_like(dialect)) return stays_in_braces(between);
  const std::string before = text_before(pieces.subspan(0, assignment));
  const std::size_t line = before.rfind('\n') + 1;  // 0 on the first line
  const std::size_t first_line_end = std::min(between.find('\n'), between.size());
  // The line of the use goes on behind it: what it begins with is in the text.
  return stays_indented(std::string_view(between).substr(first_line_end),
                        indentation_of(std::string_view(before).substr(line)));
}

}  // namespace heddle::notation

#include "notation/diagnose/compiler_log.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/text.h"

namespace heddle::notation {
namespace {

// Deeper backtraces are cut: the first and the last frames matter most.
constexpr std::size_t kMaxInstantiations = 4096;

constexpr auto kNone = std::string_view::npos;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != kNone; }

/// The text between the outermost two quotes on the line, of any kind; empty if there are none.
std::string_view quoted(std::string_view line) {
  struct Quotes {
    std::string_view open;
    std::string_view close;
  };
  constexpr std::array kQuotes = {Quotes{"\u2018", "\u2019"}, Quotes{"\"", "\""}, Quotes{"'", "'"},
                                  Quotes{"`", "'"}};
  for (const Quotes& quotes : kQuotes) {
    const std::size_t open = line.find(quotes.open);
    if (open == kNone) continue;
    const std::size_t begin = open + quotes.open.size();
    const std::size_t end = line.rfind(quotes.close);
    if (end != kNone && end >= begin) return line.substr(begin, end - begin);
  }
  return {};
}

std::optional<std::size_t> number_at(std::string_view text) {
  const std::optional<std::int64_t> number = take_integer(text);
  return number && *number >= 0 ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

/// The place at the end of the text before a message, `tile.cu:8:26` or `tile.cu(8)`; times and
/// other words of a build's output may precede it.
SourcePlace place_in(std::string_view text) {
  while (!text.empty() && (text.back() == ':' || text.back() == ' ')) text.remove_suffix(1);
  constexpr std::string_view kDigits = "0123456789";
  SourcePlace place;
  const auto without_number = [&](char before) {
    const std::size_t sign = text.find_last_not_of(kDigits);
    if (sign == kNone || sign + 1 == text.size() || text[sign] != before) return false;
    place.line = number_at(text.substr(sign + 1)).value_or(0);
    text = text.substr(0, sign);
    return true;
  };
  if (text.ends_with(')')) {
    text.remove_suffix(1);
    if (!without_number('(')) return {};
  } else {
    if (!without_number(':')) return {};
    (void)without_number(':');  // there was a column
  }
  text = trimmed(text);
  const std::size_t blank = text.find_last_of(" \t");
  place.file = blank == kNone ? text : text.substr(blank + 1);
  return place.file.empty() ? SourcePlace() : place;
}

/// The place before the first `word`: `: note`, `: error`, `: required from`.
SourcePlace place_before(std::string_view line, std::string_view word) {
  return place_in(line.substr(0, std::min(line.find(word), line.size())));
}

/// The place in g++'s `tile.cu:8:26:   required from …`, `…:   recursively required from …`.
SourcePlace caller_of(std::string_view line) {
  constexpr std::string_view kRecursively = "recursively ";
  std::string_view front = line.substr(0, std::min(line.find("required "), line.size()));
  if (front.ends_with(kRecursively)) front.remove_suffix(kRecursively.size());
  return place_in(front);
}

/// The source text of a line `   8 |   auto view = …`.
std::string_view snippet_of(std::string_view line) {
  const std::size_t bar = line.find(" | ");
  if (bar == kNone || bar == 0) return {};
  const std::string_view number = trimmed(line.substr(0, bar));
  const bool is_number =
      !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? trimmed(line.substr(bar + 3)) : std::string_view();
}

bool is_assertion(std::string_view line) {
  if (!contains(line, "error")) return false;
  return contains(line, "static assertion failed") || contains(line, "static_assert failed") ||
         contains(line, "static_assert expression is not");
}

bool is_error(std::string_view line) {
  return contains(line, "error:") || contains(line, "error :");
}

/// What is between the quotes of clang's `due to requirement '…'`.
std::string_view requirement_of(std::string_view line) {
  constexpr std::string_view kRequirement = "due to requirement '";
  const std::size_t begin = line.find(kRequirement);
  if (begin == kNone) return {};
  const std::string_view rest = line.substr(begin + kRequirement.size());
  return rest.substr(0, rest.find('\''));
}

/// The message of an assertion, in each compiler's format; empty if it has none.
std::string_view message_of(std::string_view line) {
  constexpr std::string_view kWith = "failed with \"";
  if (const std::size_t begin = line.find(kWith); begin != kNone) {
    const std::string_view message = line.substr(begin + kWith.size());
    return message.substr(0, std::min(message.rfind('"'), message.size()));
  }
  constexpr std::string_view kRequirement = "due to requirement '";
  if (const std::size_t begin = line.find(kRequirement); begin != kNone) {
    const std::string_view rest = line.substr(begin + kRequirement.size());
    if (const std::size_t colon = rest.rfind("': "); colon != kNone) {
      return trimmed(rest.substr(colon + 3));
    }
    // clang before version 16 quotes it.
    if (rest.ends_with('"')) {
      const std::size_t open = rest.rfind(" \"", rest.size() - 1);
      if (open != kNone) return rest.substr(open + 2, rest.size() - open - 3);
    }
    return {};
  }
  constexpr std::string_view kFailed = "failed: ";
  const std::size_t begin = line.find(kFailed);
  return begin == kNone ? std::string_view() : trimmed(line.substr(begin + kFailed.size()));
}

/// The condition within `static_assert(…);`.
std::string_view condition_in(std::string_view code) {
  constexpr std::string_view kOpen = "static_assert(";
  const std::size_t begin = code.find(kOpen);
  if (begin == kNone) return {};
  const std::string_view rest = code.substr(begin + kOpen.size());
  const std::size_t end = rest.rfind(");");
  return end == kNone ? std::string_view() : rest.substr(0, end);
}

/// nvcc: `instantiation of "…" at line 8 of tile.cu`; the default file is that of the error.
TemplateInstantiation edg_instantiation(std::string_view line, const SourcePlace& error) {
  TemplateInstantiation result{quoted(line), {}};
  constexpr std::string_view kAt = "at line ";
  const std::size_t at = line.rfind(kAt);
  if (at == kNone) return result;
  const std::string_view rest = line.substr(at + kAt.size());
  result.caller.line = number_at(rest).value_or(0);
  const std::size_t of = rest.find(" of ");
  result.caller.file = of == kNone ? error.file : trimmed(rest.substr(of + 4));
  while (!result.caller.file.empty() && result.caller.file.front() == '"')
    result.caller.file.remove_prefix(1);
  while (!result.caller.file.empty() && result.caller.file.back() == '"')
    result.caller.file.remove_suffix(1);
  return result;
}

void add(std::vector<TemplateInstantiation>& list, const TemplateInstantiation& instantiation) {
  if (list.size() < kMaxInstantiations) list.push_back(instantiation);
}

}  // namespace

/// The line without the escape sequences of coloured compiler output.
std::string_view CompilerLog::without_colors(std::string_view line) {
  if (line.find('\x1b') == kNone) return line;
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      text += line[i];
      continue;
    }
    if (i + 1 < line.size() && line[i + 1] == '[') {
      i = std::min(line.find_first_not_of("0123456789;?", i + 2), line.size() - 1);
    }
  }
  cleaned_.push_back(std::move(text));
  return cleaned_.back();
}

bool CompilerLog::next_line(std::string_view& line) {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_ = end == kNone ? std::string_view() : rest_.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = without_colors(line);
  ++lines_;
  return true;
}

/// Reads g++'s instantiations, which it prints before the error. True if the line was one of them.
bool CompilerLog::read_before(std::string_view line) {
  constexpr std::string_view kInstantiation = "In instantiation of ";
  constexpr std::string_view kSubstitution = "In substitution of ";
  if (contains(line, kInstantiation) || contains(line, kSubstitution)) {
    before_.clear();
    add(before_, {quoted(line), {}});
    return true;
  }
  if (contains(line, ": In function ") || contains(line, ": In member function ") ||
      contains(line, ": In static member function ") || contains(line, ": At global scope:")) {
    before_.clear();
    return true;
  }
  if (contains(line, "required from ") || contains(line, "required by substitution of ")) {
    const SourcePlace caller = caller_of(line);
    if (!before_.empty() && before_.back().caller.line == 0) before_.back().caller = caller;
    const std::string_view signature = quoted(line);
    if (!signature.empty()) add(before_, {signature, {}});
    return true;
  }
  return false;
}

/// Reads the instantiations that clang and nvcc print after the error, and the source lines that
/// all print.
void CompilerLog::read_behind(FailedAssertion& assertion) {
  constexpr std::string_view kDetected = "detected during";
  // An index, because the list may reallocate when it grows.
  std::optional<std::size_t> frame;
  const auto shown = [&]() -> SourcePlace& {
    return frame ? assertion.instantiations[*frame].caller : assertion.place;
  };
  bool is_edg = false;
  while (true) {
    const std::string_view before = rest_;
    std::string_view line;
    if (!next_line(line)) return;
    const bool is_clang_frame =
        contains(line, "note: in instantiation of ") && contains(line, "requested here");
    if (is_clang_frame) {
      add(assertion.instantiations, {quoted(line), place_before(line, ": note:")});
      frame = assertion.instantiations.size() - 1;
      continue;
    }
    const bool begins_edg = contains(line, kDetected);
    is_edg = is_edg || begins_edg;
    if (is_edg && contains(line, "instantiation of ")) {
      add(assertion.instantiations, edg_instantiation(line, assertion.place));
      continue;
    }
    if (begins_edg) continue;
    // nvcc before version 12 writes the place on a line of its own.
    if (is_edg && line.ends_with("): here") && !assertion.instantiations.empty()) {
      SourcePlace& caller = assertion.instantiations.back().caller;
      if (caller.line == 0) caller = place_in(line.substr(0, line.size() - 6));
      if (caller.file.empty()) caller.file = assertion.place.file;
      continue;
    }
    const std::string_view code = snippet_of(line);
    if (!code.empty() && shown().text.empty()) shown().text = code;
    if (assertion.message.empty()) assertion.message = condition_in(code.empty() ? line : code);
    const bool is_over = is_assertion(line) || is_error(line) || contains(line, "warning:") ||
                         contains(line, "In instantiation of ") ||
                         contains(line, ": In function ") ||
                         contains(line, "In substitution of ") || contains(line, "required from ");
    if (is_over || (is_edg && trimmed(line).empty())) {
      if (is_over) {
        rest_ = before;
        --lines_;
      }
      return;
    }
  }
}

bool CompilerLog::next(FailedAssertion& assertion) {
  std::string_view line;
  while (next_line(line)) {
    if (read_before(line)) continue;
    if (!is_assertion(line)) {
      // The source line of a caller, which g++ prints from version 14 on.
      const std::string_view code = snippet_of(line);
      if (!code.empty() && !before_.empty() && before_.back().caller.line != 0 &&
          before_.back().caller.text.empty())
        before_.back().caller.text = code;
      if (is_error(line)) ++other_errors_;
      continue;
    }
    assertion = FailedAssertion{message_of(line), place_before(line, ": error"), before_};
    if (assertion.place.line == 0) assertion.place = place_before(line, " error");
    assertion.requirement = requirement_of(line);
    const bool is_clang = !assertion.requirement.empty();
    read_behind(assertion);
    if (is_clang && assertion.instantiations.empty() && assertion.place.file == last_file_) {
      assertion.instantiations = last_;
    }
    last_ = assertion.instantiations;
    last_file_ = assertion.place.file;
    return true;
  }
  return false;
}

}  // namespace heddle::notation

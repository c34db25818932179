#include "heddle/notation/recognize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "core/printable.h"
#include "heddle/notation/diagnose.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/kernel.h"
#include "heddle/notation/npy.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/ttgir.h"
#include "notation/operations/any_layout.h"

namespace heddle::notation {
namespace {

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// `a CuTe layout`; for values that are no layout, their kind.
std::string kind_of(const Value& value) {
  const auto system = system_of(value);
  return std::string(system ? map::description(*system) : kind_name(value));
}

/// The value as a layout of any system; nullopt for others.
std::optional<Value> layout_in(const Value& value) {
  if (value.has_map() || value.is<axe::Mesh>()) return value;
  if (!is_list(value) && !value.is<std::string>()) return std::nullopt;
  const auto layout = as_any_layout(value);
  return layout ? *layout : std::nullopt;
}

/// Makes names of which none occurs twice: `A`, `A_2`.
class DistinctNames {
 public:
  std::string make(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

// Programs.

/// Reads the statements of a program, or of a single expression.
class ProgramReader {
 public:
  ProgramReader(std::string_view text, const Environment& environment)
      : text_(text), environment_(environment), outer_(environment) {}

  Result<Recognized> read() && {
    StatementReader reader(text_);
    std::size_t statements = 0;
    std::string kind;
    while (true) {
      HEDDLE_TRY(const auto statement, reader.next());
      if (!statement) break;
      HEDDLE_TRY(kind, take(*statement));
      ++statements;
    }
    if (statements == 0) {
      return refuse(Diagnostic("syntax.unexpected", "the text is empty")
                        .with_hint("a layout in the notation of any system, as (4,8):(8,1)"));
    }
    found_.kind = statements == 1 ? kind : "a program";
    return std::move(found_);
  }

 private:
  /// The kind of the value of a statement.
  Result<std::string> take(const Statement& statement) {
    if (statement.kind == StatementKind::kAssume || statement.kind == StatementKind::kAxis) {
      HEDDLE_CHECK(environment_.assume(statement));
      if (statement.kind == StatementKind::kAssume)
        found_.assumptions.emplace_back(without_blanks(statement.assumption));
      return std::string("an assumption");
    }
    Result<Value> value = evaluate(statement.expression, environment_);
    if (!value) {
      const bool has_place = value.error().span().has_value();
      return refuse(has_place ? value.error()
                              : Diagnostic(value.error()).with_span(statement.span));
    }
    if (!statement.names.empty()) HEDDLE_CHECK(environment_.bind(statement.names, *value));
    has_bound_ = has_bound_ || !statement.names.empty();
    add(statement, *value);
    const auto layout = layout_in(*value);
    return kind_of(layout ? *layout : *value);
  }

  void add(const Statement& statement, const Value& value) {
    const auto layout = layout_in(value);
    if (!layout || found_.layouts.size() == kMaxFoundLayouts) return;
    const Span span = statement.expression.span;
    const std::string name = statement.names.size() == 1
                                 ? statement.names.front()
                                 : fmt::format("L{}", found_.layouts.size() + 1);
    found_.layouts.push_back({names_.make(name),
                              own_text(text_.substr(span.begin, span.end - span.begin), value),
                              kind_of(*layout), span});
  }

  /// The text as written if it means the same without the names that the program bound, else the
  /// value's.
  [[nodiscard]] std::string own_text(std::string_view written, const Value& value) const {
    if (!has_bound_) return std::string(written);
    Environment alone = outer_;
    const bool is_assumed = alone.assume(environment_.conditions()).has_value();
    const auto again = is_assumed ? evaluate(written, alone) : Result<Value>(value);
    const bool is_same = again && to_string(*again) == to_string(value);
    return is_same ? std::string(written) : to_string(value);
  }

  std::string_view text_;
  Environment environment_;
  const Environment& outer_;
  bool has_bound_ = false;
  DistinctNames names_;
  Recognized found_;
};

// Dumps and logs.

/// The type with its encoding in place of the alias: a text of its own.
std::string self_contained_type(const ListedType& listed) {
  const std::string encoding =
      listed.type && listed.type->encoding ? to_string(*listed.type->encoding) : std::string();
  if (encoding.empty() || listed.text.find(encoding) != std::string::npos) return listed.text;
  const std::size_t begin = listed.text.find(", #");
  if (begin == std::string::npos) return listed.text;
  std::size_t end = begin + 3;
  while (end < listed.text.size() && is_word(listed.text[end])) ++end;
  return listed.text.substr(0, begin + 2) + encoding + listed.text.substr(end);
}

/// `load`, from the first operation that the type occurs at.
std::string use_name(const ListedType& listed) {
  const std::string use = listed.uses.empty() ? "type" : listed.uses.front().operation;
  const std::string last = use.substr(use.rfind('.') + 1);
  std::string name;
  for (const char c : last) {
    if (is_word(c)) name += c;
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "type" + name : name;
}

Result<Recognized> read_dump(std::string_view text) {
  HEDDLE_TRY(const TtgirDump dump, read_ttgir(text));
  Recognized found{"a dump of TTGIR", {}, {}, {}};
  DistinctNames names;
  for (const ListedType& listed : dump.types) {
    if (!listed.layout) {
      found.remarks.push_back(fmt::format("{}: {}", listed.text, listed.layout.error().message()));
      continue;
    }
    if (found.layouts.size() == kMaxFoundLayouts) break;
    const std::string own = self_contained_type(listed);
    const bool is_own = evaluate(own).has_value();
    found.layouts.push_back({names.make(use_name(listed)),
                             is_own ? own : to_string(Value(*listed.layout)), "a linear layout",
                             std::nullopt});
  }
  return found;
}

Result<Recognized> read_log(std::string_view text) {
  HEDDLE_TRY(const Diagnosis diagnosis, diagnose(text));
  Recognized found{"a compiler's log", {}, {}, {}};
  DistinctNames names;
  for (const Finding& finding : diagnosis.findings) {
    found.remarks.push_back(fmt::format("{}: {}", finding.place, finding.assertion));
    if (finding.expression.empty()) continue;
    const std::string name = finding.function.empty() ? "call" : finding.function;
    found.layouts.push_back({names.make(name), finding.expression, "a call", std::nullopt});
  }
  return found;
}

// Scripts.

/// Finds the Axe layouts in the source of a program in Python.
class ScriptReader {
 public:
  explicit ScriptReader(std::string_view text) : text_(text) {}

  Recognized read() && {
    Recognized found{"a TVM script", {}, {}, {}};
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (!begins_layout(at)) continue;
      if (found.layouts.size() == kMaxFoundLayouts || tries_ >= kMostTriesOfAll) {
        found.remarks.push_back(fmt::format("from byte {} on the text is not searched", at));
        break;
      }
      const auto end = end_of_layout(at);
      // What is within a layout that cannot be read is not all of it.
      const bool has_parts = text_.substr(at).starts_with(kComposed);
      if (!end && has_parts) {
        found.remarks.push_back(fmt::format("the layout at byte {} cannot be read", at));
        at = end_of_call(at);
      }
      if (!end) continue;
      found.layouts.push_back({names_.make(name_before(at)),
                               std::string(text_.substr(at, *end - at)), "an Axe layout",
                               Span{at, *end}});
      at = *end;
    }
    return found;
  }

 private:
  [[nodiscard]] bool begins_layout(std::size_t at) const {
    const bool is_within_word = at > 0 && is_word(text_[at - 1]);
    const std::string_view rest = text_.substr(at);
    return !is_within_word && (rest.starts_with("S[") || rest.starts_with("SW(") ||
                               rest.starts_with("TileLayout(") || rest.starts_with(kComposed));
  }

  /// Behind the bracket that closes the call.
  [[nodiscard]] std::size_t end_of_call(std::size_t begin) const {
    int depth = 0;
    for (std::size_t at = text_.find('(', begin); at < text_.size(); ++at) {
      if (text_[at] == '(') ++depth;
      if (text_[at] == ')' && --depth == 0) return at;
    }
    return text_.size();
  }

  /// The end of the longest piece of the text from `begin` on that is an Axe layout.
  [[nodiscard]] std::optional<std::size_t> end_of_layout(std::size_t begin) {
    constexpr std::size_t kLongest = 4096;
    constexpr std::size_t kMostTries = 64;
    std::vector<std::size_t> ends;
    int depth = 0;
    for (std::size_t at = begin; at < std::min(text_.size(), begin + kLongest); ++at) {
      const char c = text_[at];
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (depth < 0 || (depth == 0 && (c == '\n' || c == '#'))) break;
      const bool ends_word = is_word(c) && (at + 1 == text_.size() || !is_word(text_[at + 1]));
      if (depth == 0 && (c == ')' || c == ']' || ends_word)) ends.push_back(at + 1);
      if (ends.size() == kMostTries) break;
    }
    for (; !ends.empty(); ++tries_) {
      const auto value = evaluate(text_.substr(begin, ends.back() - begin));
      if (value && value->is<axe::Layout>()) return ends.back();
      ends.pop_back();
    }
    return std::nullopt;
  }

  /// `smem` in `smem = T.TileLayout(` and in `smem: Layout = S[`; `L` if the line gives no name.
  [[nodiscard]] std::string name_before(std::size_t at) const {
    const std::size_t newline = text_.rfind('\n', at);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view line = text_.substr(begin, at - begin);
    const std::size_t equal = line.rfind('=');
    const std::size_t first = line.find_first_not_of(" \t");
    // In a call the name is that of the argument: f(layout=S[…]).
    const std::size_t opened = equal == std::string_view::npos ? 0 : line.rfind('(', equal) + 1;
    const std::size_t argument = line.find_first_not_of(" \t,", opened);
    std::size_t word = opened > 0 ? line.find_last_of("(,", equal) + 1 : first;
    if (equal == std::string_view::npos || argument == std::string_view::npos) return "L";
    while (word < equal && !is_word(line[word])) ++word;
    std::size_t end = word;
    while (end < equal && is_word(line[end])) ++end;
    const bool is_name = end > word && !(line[word] >= '0' && line[word] <= '9');
    return is_name ? std::string(line.substr(word, end - word)) : "L";
  }

  static constexpr std::string_view kComposed = "ComposeLayout(";
  /// Of about half a millisecond each.
  static constexpr std::size_t kMostTriesOfAll = 2000;

  std::string_view text_;
  DistinctNames names_;
  std::size_t tries_ = 0;
};

// Tables.

/// The integers of a line, between blanks, tabs, commas or semicolons; nullopt if there are others.
std::optional<std::vector<std::int64_t>> integers_in(std::string_view line) {
  constexpr std::string_view kBetween = " \t,;\r";
  std::vector<std::int64_t> numbers;
  for (std::size_t at = line.find_first_not_of(kBetween); at != std::string_view::npos;
       at = line.find_first_not_of(kBetween, at)) {
    const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
    std::int64_t number = 0;
    const auto read = std::from_chars(line.data() + at, line.data() + end, number);
    if (read.ec != std::errc() || read.ptr != line.data() + end) return std::nullopt;
    numbers.push_back(number);
    at = end;
  }
  return numbers;
}

/// Rows of as many integers each, as spreadsheets copy them; nullopt for other texts.
std::optional<Recognized> read_rows(std::string_view text) {
  std::vector<std::string> rows;
  std::size_t width = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto numbers = integers_in(text.substr(begin, end - begin));
    begin = end + 1;
    if (!numbers) return std::nullopt;
    if (numbers->empty()) continue;
    if (!rows.empty() && numbers->size() != width) return std::nullopt;
    width = numbers->size();
    rows.push_back(fmt::format("[{}]", fmt::join(*numbers, ",")));
  }
  if (rows.empty()) return std::nullopt;
  const std::string table =
      rows.size() == 1 ? rows.front() : fmt::format("[{}]", fmt::join(rows, ","));
  if (!parse_table(table)) return std::nullopt;
  return Recognized{"a table", {{"T", table, "a table", Span{0, text.size()}}}, {}, {}};
}

}  // namespace

Result<Recognized> recognize(std::string_view text, const Environment& environment) {
  Result<Recognized> program = ProgramReader(text, environment).read();
  if (program) return program;
  if (auto dump = read_dump(text); dump && !dump->layouts.empty()) return dump;
  if (auto log = read_log(text)) return log;
  if (auto rows = read_rows(text)) return *std::move(rows);
  const auto kernels = parse_kernels(text);
  if (kernels && !kernels->empty()) {
    return Recognized{"kernels: see what they do under Kernels", {}, {}, {}};
  }
  Recognized script = ScriptReader(text).read();
  if (!script.layouts.empty()) return script;
  return program;
}

std::string to_string(const Recognized& recognized) {
  std::string text = recognized.kind;
  for (const FoundLayout& layout : recognized.layouts)
    text += fmt::format("\n{} = {}", layout.name, layout.text);
  for (const std::string& assumption : recognized.assumptions) text += "\nassume " + assumption;
  for (const std::string& remark : recognized.remarks) text += "\n# " + printable(remark);
  return text;
}

Datum to_datum(const Recognized& recognized) {
  Datum::List layouts;
  for (const FoundLayout& layout : recognized.layouts) {
    Datum span = nullptr;
    if (layout.span) span = Datum::List{layout.span->begin, layout.span->end};
    layouts.emplace_back(Datum::Fields{{"name", layout.name},
                                       {"text", layout.text},
                                       {"kind", layout.kind},
                                       {"span", std::move(span)}});
  }
  return Datum::Fields{{"kind", recognized.kind},
                       {"layouts", std::move(layouts)},
                       {"assumptions", list_of(recognized.assumptions)},
                       {"remarks", list_of(recognized.remarks)}};
}

}  // namespace heddle::notation

// Explanations as lines of text and as JSON.

#include <fmt/format.h>

#include <algorithm>

#include "core/printable.h"
#include "heddle/draw/palette.h"
#include "heddle/notation/explain.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

constexpr std::size_t kMinWidth = 40;
/// Titles up to this long have a column of their own; longer ones head a block.
constexpr std::size_t kMaxTitle = 22;
constexpr std::size_t kMinText = 24;
constexpr std::size_t kMaxWidth = 72;
constexpr std::string_view kGap = "  ";
constexpr std::string_view kArrow = "  -> ";

std::size_t length_of(const MarkedText& text) { return code_points(text.text); }

std::string spaces(std::size_t count) { return std::string(count, ' '); }

/// A short form, because the whole refusal follows the explanation.
std::string short_reason(const Diagnostic& refusal) {
  return refusal.witness() ? to_string(*refusal.witness()) : refusal.code();
}

bool is_row(const Explanation& explanation) {
  return explanation.operation.empty() && length_of(explanation.title) <= kMaxTitle;
}

bool is_refused_below(const Explanation& explanation) {
  return std::ranges::any_of(explanation.steps, [](const Explanation& step) {
    return step.refusal || is_refused_below(step);
  });
}

class TextWriter {
 public:
  explicit TextWriter(const TextStyle& style)
      : style_(style), width_(std::max(style.width, kMinWidth)) {}

  /// `title = result`, then the steps, indented by two columns.
  void write_block(const Explanation& explanation, std::size_t indent) {
    const bool has_result =
        !explanation.result.text.empty() && explanation.result.text != explanation.title.text;
    const std::size_t length =
        indent + length_of(explanation.title) + 3 + length_of(explanation.result);
    text_ += spaces(indent) + painted(explanation.title);
    if (has_result && length > width_) text_ += "\n" + spaces(indent + 2);
    if (has_result) text_ += (length > width_ ? "= " : " = ") + painted(explanation.result);
    text_ += "\n";
    write_text(explanation.text, indent + 2);
    write_steps(explanation.steps, indent + 2);
    if (explanation.refusal && !is_refused_below(explanation)) {
      write_text("refused: " + short_reason(*explanation.refusal), indent + 2);
    }
  }

  void write_text(std::string_view text, std::size_t indent) {
    for (const std::string& line : word_wrap(text, width_ - std::min(indent, width_ - kMinText))) {
      text_ += spaces(indent) + line + "\n";
    }
  }

  [[nodiscard]] std::string&& take() && { return std::move(text_); }

 private:
  /// Three columns: titles, texts, results.
  struct Columns {
    std::size_t indent = 0;
    std::size_t title = 0;
    std::size_t text = 0;
  };

  /// Siblings: neighbouring rows share their columns.
  void write_steps(const std::vector<Explanation>& steps, std::size_t indent) {
    for (auto first = steps.begin(); first != steps.end();) {
      if (!is_row(*first)) {
        write_block(*first++, indent);
        continue;
      }
      const auto last = std::find_if_not(first, steps.end(), is_row);
      const Columns columns = columns_of({first, last}, indent);
      for (; first != last; ++first) write_row(*first, columns);
    }
  }

  [[nodiscard]] Columns columns_of(std::span<const Explanation> rows, std::size_t indent) const {
    Columns columns{indent, 0, 0};
    std::size_t result = 0;
    for (const Explanation& row : rows) {
      columns.title = std::max(columns.title, length_of(row.title));
      columns.text = std::max(columns.text, code_points(row.text));
      result = std::max(result, length_of(row.result));
    }
    const std::size_t taken = indent + columns.title + kGap.size() + kArrow.size() + result;
    const std::size_t room = width_ > taken ? width_ - taken : 0;
    const std::size_t most = std::min({columns.text, std::max(room, kMinText), kMaxWidth});
    columns.text = 0;
    for (const Explanation& row : rows) {
      for (const std::string& line : word_wrap(row.text, most))
        columns.text = std::max(columns.text, code_points(line));
    }
    return columns;
  }

  void write_row(const Explanation& row, const Columns& columns) {
    std::vector<std::string> lines = word_wrap(row.text, columns.text);
    if (lines.empty()) lines.emplace_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const MarkedText title = i == 0 ? row.title : MarkedText();
      std::string line = spaces(columns.indent) + painted(title) +
                         spaces(columns.title - length_of(title)) + std::string(kGap) + lines[i];
      const std::size_t used = code_points(lines[i]);
      if (i + 1 == lines.size() && !row.result.text.empty()) {
        line += spaces(columns.text > used ? columns.text - used : 0) + std::string(kArrow) +
                painted(row.result);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text_ += line + "\n";
    }
    write_steps(row.steps, columns.indent + 2);
    if (row.refusal && !is_refused_below(row)) {
      write_text("refused: " + short_reason(*row.refusal),
                 columns.indent + (row.steps.empty() ? columns.title + kGap.size() : 2));
    }
  }

  [[nodiscard]] std::string painted(const MarkedText& marked) const {
    if (!style_.color) return marked.text;
    constexpr std::size_t kParts = 8;
    std::string text;
    std::size_t done = 0;
    for (const Mark& mark : marked.marks) {
      text += marked.text.substr(done, mark.begin - done);
      text +=
          fmt::format("\x1b[48;5;{};38;5;16m{}\x1b[0m", draw::swatch(mark.part, kParts).terminal,
                      marked.text.substr(mark.begin, mark.end - mark.begin));
      done = mark.end;
    }
    return text + marked.text.substr(done);
  }

  TextStyle style_;
  std::size_t width_;
  std::string text_;
};

Datum datum_of(const Explanation& explanation) {
  Datum::List steps;
  for (const Explanation& step : explanation.steps) steps.push_back(datum_of(step));
  Datum::Fields fields = {{"operation", text_or_null(explanation.operation)},
                          {"title", explanation.title.text},
                          {"operands", list_of(explanation.operands)},
                          {"text", explanation.text},
                          {"steps", std::move(steps)},
                          {"result", text_or_null(explanation.result.text)}};
  if (explanation.refusal) fields.emplace_back("error", to_datum(*explanation.refusal));
  return fields;
}

}  // namespace

std::string to_text(const Explanation& explanation, const TextStyle& style) {
  TextWriter writer(style);
  writer.write_block(explanation, 0);
  return std::move(writer).take();
}

std::string to_text(const Explained& explained, const TextStyle& style) {
  TextWriter writer(style);
  if (explained.left_out > 0) {
    writer.write_text(fmt::format("The {} innermost operations are left out.", explained.left_out),
                      0);
  }
  std::string text = std::move(writer).take();
  for (const Explanation& operation : explained.operations) {
    if (!text.empty()) text += "\n";
    text += to_text(operation, style);
  }
  return text;
}

std::string to_json(const Explanation& explanation) { return to_string(datum_of(explanation)); }

std::string to_json(const Explained& explained) { return to_string(to_datum(explained)); }

Datum to_datum(const Explained& explained) {
  const Result<Value>& value = explained.value;
  Datum::List explanations;
  for (const Explanation& operation : explained.operations) {
    explanations.push_back(datum_of(operation));
  }
  return Datum::Fields{{"ok", value.has_value()},
                       value ? Datum::Field("result", to_datum(*value))
                             : Datum::Field("error", to_datum(value.error())),
                       {"left_out", explained.left_out},
                       {"explanation", std::move(explanations)}};
}

}  // namespace heddle::notation

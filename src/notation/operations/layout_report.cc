#include "heddle/notation/layout_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/numbers_text.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

constexpr std::size_t kMaxRows = 8;
constexpr std::size_t kMaxRow = 96;

/// The rows of nested lists on separate lines; only the first few rows, and long rows are cut.
std::string rows_text(const std::string& text) {
  if (text.size() <= kMaxRow) return text;
  std::vector<std::string> rows(1);
  int depth = 0;
  for (const char character : text) {
    if (character == '[') ++depth;
    if (character == ']') --depth;
    rows.back() += character;
    if (character == ',' && depth == 1) rows.emplace_back();
  }
  // A single list has no rows and is cut as one.
  if (rows.front().find(']') == std::string::npos) rows = {text};
  std::string result;
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    const bool is_long = rows[i].size() > kMaxRow;
    result += i == 0 ? "" : "\n ";
    result += is_long ? rows[i].substr(0, rows[i].rfind(',', kMaxRow) + 1) + " …" : rows[i];
  }
  if (rows.size() > kMaxRows) result += fmt::format("\n … {} more rows", rows.size() - kMaxRows);
  return result;
}

/// The text with all lines after the first indented by `blanks`.
std::string with_indent(const std::string& text, std::size_t blanks) {
  std::string result;
  for (const char character : text) {
    result += character;
    if (character == '\n') result.append(blanks, ' ');
  }
  return result;
}

// ---- One layout in every system ----

/// The first line of a proof; for other refusals, the message and the first note.
std::string reason(const Diagnostic& refusal) {
  if (refusal.notes().empty()) return refusal.message();
  const std::string& note = refusal.notes().front();
  if (refusal.code() == "convert.no_layout") return note;
  return fmt::format("{}: {}", refusal.message(), note);
}

std::string verdict_text(const Verdict& verdict) {
  if (verdict.is_yes()) return fmt::format("proved equal ({})", verdict.method());
  return verdict.to_string();
}

/// Removes the leading blank of a linear layout's lines, which all but the last one have.
std::string flush_left(std::string text) {
  if (!text.starts_with(' ')) return text;
  text.erase(0, 1);
  for (std::size_t at = text.find("\n "); at != std::string::npos; at = text.find("\n ", at + 1)) {
    text.erase(at + 1, 1);
  }
  return text;
}

/// The layout, and below it the remarks; nullopt if it has none in that notation.
std::optional<std::string> text_if_written(const map::Notation& notation) {
  if (!notation.converted) return std::nullopt;
  const std::string text = flush_left(layout_text(notation.converted->layout));
  std::string remark = remark_text(*notation.converted);
  if (notation.same) {
    remark += fmt::format("{}{}", remark.empty() ? "" : "; ", verdict_text(*notation.same));
  }
  return remark.empty() ? text : text + "\n  " + remark;
}

std::string refusal_text(const Diagnostic& refusal) {
  std::string text = "no: " + refusal.message();
  for (const std::string& note : refusal.notes()) text += "\n  " + note;
  if (refusal.witness()) text += "\n  " + to_string(*refusal.witness());
  if (refusal.code() == "assume.needed") text += "\n  hint: " + refusal.hint();
  return text;
}

/// The name of the row, and its text in a column of its own.
std::string row_text(std::string_view name, const std::string& text) {
  constexpr std::size_t kColumn = 10;
  return fmt::format("{:<{}}{}", name, kColumn, with_indent(text, kColumn));
}

Datum datum_of(const map::Notation& notation) {
  Datum::Fields fields = {{"system", std::string(map::name(notation.system))}};
  if (!notation.converted) {
    fields.emplace_back("error", to_datum(notation.converted.error()));
    return fields;
  }
  fields.emplace_back("layout", to_datum(notation.converted->layout));
  if (notation.system == map::System::kAxe)
    fields.emplace_back("shape", list_of_data(notation.converted->shape));
  fields.emplace_back("remark", remark_text(*notation.converted));
  if (notation.same) fields.emplace_back("same", to_datum(*notation.same));
  return fields;
}

/// Whether the notation is more than a relation, which any map has.
bool is_layout(const map::Notation& notation) {
  return notation.converted.has_value() && notation.system != map::System::kRelation;
}

// ---- Two layouts ----

/// `5`, `(0,3)`, `{0,4}` of a point with copies.
std::string images_text(const std::vector<std::vector<Int>>& images) {
  std::vector<std::string> texts;
  for (const std::vector<Int>& image : images) texts.push_back(point_text(image));
  return texts.size() == 1 ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ","));
}

/// As to_datum(NamedNumbers), with symbolic numbers as texts.
Datum named_datum(std::span<const Int> numbers, const std::vector<std::string>& names) {
  if (names.size() == numbers.size()) {
    Datum::Fields fields;
    for (std::size_t i = 0; i < names.size(); ++i) {
      fields.emplace_back(names[i], to_datum(numbers[i]));
    }
    return fields;
  }
  return numbers.size() == 1 ? to_datum(numbers.front()) : list_of_data(numbers);
}

Datum images_datum(const std::vector<std::vector<Int>>& images,
                   const std::vector<std::string>& axes) {
  if (images.empty()) return Datum(nullptr);
  if (images.size() == 1) return named_datum(images.front(), axes);
  Datum::List set;
  for (const std::vector<Int>& image : images) set.push_back(named_datum(image, axes));
  return Datum::Fields{{"set", std::move(set)}};
}

}  // namespace

Report::Outcome outcome_of(const Verdict& verdict) {
  if (verdict.is_yes()) return Report::Outcome::kDone;
  return verdict.is_no() ? Report::Outcome::kRefuted : Report::Outcome::kUnknown;
}

std::string layout_text(const map::AnyLayout& layout) {
  const std::string text = to_string(layout);
  if (!std::holds_alternative<form::Table>(layout)) return text;
  return rows_text(text);
}

std::string remark_text(const map::Converted& converted) {
  std::string text;
  if (map::system_of(converted.layout) == map::System::kAxe && !converted.shape.empty()) {
    text = "shape " + tuple_text(converted.shape);
  }
  if (text.empty() || converted.remark.empty()) return text + converted.remark;
  return text + ", " + converted.remark;
}

Datum to_datum(const map::Converted& converted) {
  // A list in braces would copy the table.
  Datum::Fields fields;
  fields.emplace_back("system", std::string(map::name(map::system_of(converted.layout))));
  fields.emplace_back("layout", to_datum(converted.layout));
  fields.emplace_back("shape", list_of_data(converted.shape));
  fields.emplace_back("reading", std::string(map::name(converted.reading)));
  fields.emplace_back("remark", converted.remark);
  return fields;
}

Report report_of(const map::Converted& converted) {
  std::string text = to_string(converted.layout);
  if (const std::string remark = remark_text(converted); !remark.empty()) text += "\n  " + remark;
  return {std::move(text), to_datum(converted)};
}

Report report_of(std::span<const map::Notation> everywhere) {
  std::vector<std::string> rows;
  Datum::List data;
  for (const map::Notation& notation : everywhere) {
    const std::optional<std::string> text = text_if_written(notation);
    rows.push_back(
        row_text(map::name(notation.system),
                 text ? *text : "not expressible because " + reason(notation.converted.error())));
    data.push_back(datum_of(notation));
  }
  const bool differs = std::ranges::any_of(
      everywhere, [](const map::Notation& shown) { return shown.same && shown.same->is_no(); });
  return {fmt::format("{}", fmt::join(rows, "\n")), std::move(data),
          differs ? Report::Outcome::kRefuted : Report::Outcome::kDone};
}

Report report_of(const std::string& description, std::span<const map::Notation> notations) {
  std::string text = row_text("of", description);
  Datum::List rows;
  for (const map::Notation& notation : notations) {
    const std::optional<std::string> written = text_if_written(notation);
    text += "\n" + row_text(map::name(notation.system),
                            written ? *written : refusal_text(notation.converted.error()));
    rows.push_back(datum_of(notation));
  }
  const bool is_found = std::ranges::any_of(notations, is_layout);
  return {std::move(text), Datum::Fields{{"of", description}, {"notations", std::move(rows)}},
          is_found ? Report::Outcome::kDone : Report::Outcome::kRefused};
}

Report report_of(const map::Comparison& comparison) {
  constexpr std::size_t kShown = 16;
  const std::vector<map::Difference>& all = comparison.differences;
  std::string text = comparison.verdict.to_string();
  if (!all.empty()) {
    text += fmt::format("\n{} of {} points differ", comparison.different, comparison.points);
  }
  for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i) {
    text += fmt::format("\n  {:<12} {:>8}  {:>8}", point_text(all[i].point), images_text(all[i].a),
                        images_text(all[i].b));
  }
  if (all.size() > kShown) {
    text += fmt::format("\n  … {} more", comparison.different - static_cast<std::int64_t>(kShown));
  }
  Datum::List differences;
  for (const auto& [point, a, b] : all) {
    differences.emplace_back(Datum::Fields{{"coordinate", named_datum(point, comparison.names)},
                                           {"a", images_datum(a, comparison.axes)},
                                           {"b", images_datum(b, comparison.axes)}});
  }
  return {std::move(text),
          Datum::Fields{{"verdict", to_datum(comparison.verdict)},
                        {"points", comparison.points},
                        {"different", comparison.different},
                        {"differences", std::move(differences)}},
          outcome_of(comparison.verdict)};
}

}  // namespace heddle::notation

// heddle recover: what layout is this? A table, or a layout read as a mere function, in the
// notation of every system that can write it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "heddle/commands.h"
#include "heddle/hub_text.h"
#include "heddle/map/recover.h"
#include "heddle/notation/cute.h"
#include "heddle/notation/hub.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/npy.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using map::AnyLayout;
using map::Notation;

/// What the question is about: a layout, and what to say of where it came from.
struct Subject {
  AnyLayout layout;
  std::string description;
};

// Reading.

std::vector<std::string> axis_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

/// One row or column, written with brackets around it, is a list.
form::Table without_units(form::Table table) {
  const auto is_unit = [](std::int64_t extent) { return extent == 1; };
  if (table.extents.size() -
          static_cast<std::size_t>(std::ranges::count_if(table.extents, is_unit)) ==
      1) {
    std::erase_if(table.extents, is_unit);
  }
  return table;
}

Result<Subject> subject_of_table(form::Table table, const RecoverCommandOptions& options) {
  if (!options.axes.empty()) {
    HEDDLE_TRY(table, notation::on_axes(std::move(table), axis_names(options.axes)));
  }
  table = without_units(std::move(table));
  const std::string points =
      table.extents.empty() ? "1" : fmt::format("{}", fmt::join(table.extents, " x "));
  std::vector<std::string> names;
  for (const Axis& axis : table.axes) names.push_back(axis.name());
  std::string description =
      fmt::format("{} {} on {} {}", points, points == "1" ? "point" : "points",
                  names.size() == 1 ? "axis" : "axes", fmt::join(names, ", "));
  return Subject{std::move(table), std::move(description)};
}

Result<Subject> subject_in(const std::string& text, const RecoverCommandOptions& options,
                           const notation::Environment& environment) {
  HEDDLE_TRY(std::optional<form::Table> table, table_in(text));
  if (table) return subject_of_table(*std::move(table), options);
  HEDDLE_TRY(const notation::Value value, value_of(text, environment));
  HEDDLE_TRY(AnyLayout layout, notation::hub_layout(value, environment.context()));
  std::string description(map::description(map::system_of(layout)));
  return Subject{std::move(layout), std::move(description)};
}

Result<cute::StrideTuple> strides_of(const std::string& text,
                                     const notation::Environment& environment) {
  HEDDLE_TRY(const notation::Value value, notation::evaluate(text, environment));
  if (const auto* strides = std::get_if<cute::StrideTuple>(&value.data())) return *strides;
  if (const auto* integers = std::get_if<IntTuple>(&value.data())) {
    cute::StrideTuple::Leaves leaves;
    for (const Int& stride : integers->leaves()) leaves.push_back(stride);
    return cute::StrideTuple(integers->profile(), std::move(leaves));
  }
  return refuse("usage.option", fmt::format("--strides is {}; strides are needed, as (1,(2,8))",
                                            notation::quote(text)));
}

Result<map::RecoverOptions> recover_options(const RecoverCommandOptions& options,
                                            const notation::Environment& environment) {
  map::RecoverOptions wanted;
  wanted.limits = environment.context().decide.limits;
  if (!options.shape.empty()) {
    HEDDLE_TRY(wanted.shape, notation::parse_int_tuple(options.shape));
  }
  if (!options.compatible.empty()) {
    HEDDLE_TRY(wanted.compatible_with, notation::parse_int_tuple(options.compatible));
  }
  if (!options.strides.empty()) {
    HEDDLE_TRY(wanted.strides, strides_of(options.strides, environment));
  }
  return wanted;
}

// Printing.

/// The label, and behind it the text, further lines below its first one.
void print_row(const Console& console, std::string_view label, std::string_view text) {
  constexpr std::size_t kWidth = 10;
  std::string row = fmt::format("{:<{}}", label, kWidth);
  for (const char character : text) {
    row += character;
    if (character == '\n') row.append(kWidth, ' ');
  }
  console.print_text(row + "\n");
}

std::string notation_text(const Notation& notation) {
  if (notation.layout) {
    const std::string text = map::to_string(*notation.layout);
    return notation.remark.empty() ? text : text + "\n  " + notation.remark;
  }
  const Diagnostic& reason = notation.layout.error();
  std::string text = "no: " + reason.message();
  for (const std::string& note : reason.notes()) text += "\n  " + note;
  if (reason.witness()) text += "\n  " + to_string(*reason.witness());
  if (reason.code() == "assume.needed") text += "\n  hint: " + reason.hint();
  return text;
}

std::string notation_json(const Notation& notation) {
  const std::string head = fmt::format(R"("system":"{}")", map::name(notation.system));
  if (!notation.layout) {
    return fmt::format("{{{},\"error\":{}}}", head, notation::to_json(notation.layout.error()));
  }
  return fmt::format("{{{},\"layout\":{},\"remark\":{}}}", head,
                     notation::to_json(notation::to_value(*notation.layout)),
                     to_string(notation::Datum(notation.remark)));
}

void print_all(const Console& console, const Subject& subject,
               const std::vector<Notation>& notations) {
  if (console.json()) {
    std::vector<std::string> rows;
    for (const Notation& notation : notations) rows.push_back(notation_json(notation));
    console.print_line(fmt::format(R"({{"ok":true,"result":{{"of":{},"notations":[{}]}}}})",
                                   to_string(notation::Datum(subject.description)),
                                   fmt::join(rows, ",")));
    return;
  }
  print_row(console, "of", subject.description);
  for (const Notation& notation : notations) {
    print_row(console, map::name(notation.system), notation_text(notation));
  }
}

/// Any map is a relation; a layout is what some other system writes.
bool is_layout(const Notation& notation) {
  return notation.layout.has_value() && notation.system != map::System::kRelation;
}

}  // namespace

ExitCode recover_layout(const Console& console, const std::string& argument,
                        const RecoverCommandOptions& options,
                        const notation::Environment& environment) {
  const auto text = argument_text(argument);
  if (!text) return console.fail(text.error());
  const auto subject = subject_in(*text, options, environment);
  if (!subject) return console.fail(subject.error(), {*text, argument == *text ? "" : argument});
  const Search search(console, "looking at points");
  const auto wanted = recover_options(options, search.within(environment));
  if (!wanted) return console.fail(wanted.error());
  if (wanted->shape || wanted->strides || wanted->compatible_with) {
    const auto found = map::recover_strided(subject->layout, *wanted);
    if (!found) return console.fail(found.error());
    console.print(notation::Value(*found));
    return ExitCode::kDone;
  }
  const std::vector<Notation> notations = map::notations(subject->layout, *wanted);
  print_all(console, *subject, notations);
  return std::ranges::any_of(notations, is_layout) ? ExitCode::kDone : ExitCode::kRefused;
}

}  // namespace heddle::app

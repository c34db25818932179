#pragma once

// Results about layouts of any systems, as text for people and as data for programs: the reports of
// `heddle convert`, `show`, `compare` and `recover`.
//
//   report_of(*map::convert(layout, System::kAxe))      S[(4,8):(8@m,1@m)]

#include <span>
#include <string>

#include "heddle/map/compare.h"
#include "heddle/map/show.h"
#include "heddle/notation/report.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The outcome of a report with this verdict.
[[nodiscard]] Report::Outcome outcome_of(const Verdict& verdict);

/// The layout in a form that can be parsed again; a long table is cut after a few rows.
[[nodiscard]] std::string layout_text(const map::AnyLayout& layout);

/// Remarks on a conversion besides the layout: its shape if the notation does not show it, and the
/// direction of the map.
[[nodiscard]] std::string remark_text(const map::Converted& converted);

/// `{"system":"axe","layout":"S[…]","shape":[4,8],"reading":"literal","remark":…}`.
[[nodiscard]] Datum to_datum(const map::Converted& converted);

/// The layout, and below it the remarks.
[[nodiscard]] Report report_of(const map::Converted& converted);

/// A row for each system: the layout in its notation, or why there is none. Ends with kRefuted if a
/// converted layout differs from the original, which would be a bug in Heddle.
[[nodiscard]] Report report_of(std::span<const map::Notation> everywhere);

/// The description of a layout, and its form in the notation of each system, or why there is none.
/// Ends with kRefused if only a relation can express it.
[[nodiscard]] Report report_of(const std::string& description,
                               std::span<const map::Notation> notations);

/// The verdict, how many points differ, and the first of them; the data has all. Ends as the
/// verdict does.
[[nodiscard]] Report report_of(const map::Comparison& comparison);

}  // namespace heddle::notation
#pragma GCC visibility pop

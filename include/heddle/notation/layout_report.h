#pragma once

// What is found about layouts of any systems, as texts for people and as data for programs: the
// reports of `heddle convert`, `show`, `compare` and `recover`.
//
//   report_of(*map::convert(layout, System::kAxe))      S[(4,8):(8@m,1@m)]

#include <span>
#include <string>

#include "heddle/map/compare.h"
#include "heddle/map/recover.h"
#include "heddle/map/show.h"
#include "heddle/notation/report.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// How a question ends that has this answer.
[[nodiscard]] Report::Outcome outcome_of(const Verdict& verdict);

/// The layout as it can be read again; a long table row below row, cut after a few.
[[nodiscard]] std::string layout_text(const map::AnyLayout& layout);

/// What there is to say of a conversion besides the layout: its shape where the notation does not
/// say it, and which way the map goes.
[[nodiscard]] std::string remark_text(const map::Converted& converted);

/// `{"system":"axe","layout":"S[…]","shape":[4,8],"reading":"literal","remark":…}`.
[[nodiscard]] Datum to_datum(const map::Converted& converted);

/// The layout, and below it what there is to say of it.
[[nodiscard]] Report report_of(const map::Converted& converted);

/// A row for each system: the layout there, or why not. Ends with kRefuted where a layout there is
/// not the layout, which would be an error of Heddle's.
[[nodiscard]] Report report_of(std::span<const map::Shown> everywhere);

/// What a layout is, in these words, and what the notation of each system makes of it, or why it
/// cannot. Ends with kRefused where only a relation can write it.
[[nodiscard]] Report report_of(const std::string& description,
                               std::span<const map::Notation> notations);

/// The verdict, how many points differ, and the first of them; as data all. Ends as the verdict
/// does.
[[nodiscard]] Report report_of(const map::Comparison& comparison);

}  // namespace heddle::notation
#pragma GCC visibility pop

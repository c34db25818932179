#pragma once

// What is found of layouts of any systems, as texts for people and as data for programs.

#include <span>
#include <string>

#include "heddle/map/compare.h"
#include "heddle/map/show.h"
#include "heddle/notation/report.h"

namespace heddle::notation {

/// The layout as it can be read again; a long table row below row, cut after a few.
[[nodiscard]] std::string layout_text(const map::AnyLayout& layout);

/// What there is to say of a conversion besides the layout: its shape where the notation does not
/// say it, and which way the map goes.
[[nodiscard]] std::string remark_text(const map::Converted& converted);

/// `{"system":"axe","layout":"S[…]","shape":[4,8],"reading":"literal","remark":…}`.
[[nodiscard]] Datum to_datum(const map::Converted& converted);

/// A row for each system: the layout there, or why not.
[[nodiscard]] Report report_of(std::span<const map::Shown> everywhere);

/// The verdict, how many points differ, and the first of them; as data all.
[[nodiscard]] Report report_of(const map::Comparison& comparison);

}  // namespace heddle::notation

#pragma once

// The explorer without a server: a folder that any web server can hold, with the answers to what
// the page asks about the given layouts.
//
//   write_static_pages("out", {{"A", "(4,8):(8,1)"}}, environment)
//     out/index.html  out/explorer/*.js  out/answers.json

#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/explore/fragment.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

/// The answers, as JSON: [{"request":{…},"answer":{…}}]. What is asked of a layout is what the
/// modules of explorer/ ask when they show it for the first time, panel after panel.
[[nodiscard]] std::string answers_file(const std::vector<NamedText>& texts,
                                       const notation::Environment& environment);

/// Writes the folder whole or not at all. Refuses `file.unwritable` for a folder that holds
/// anything, and `name.…` and `syntax.…` for a text that is no layout, before anything is written.
[[nodiscard]] Result<void> write_static_pages(const std::string& folder,
                                              const std::vector<NamedText>& texts,
                                              const notation::Environment& environment);

}  // namespace heddle::app

#pragma once

// What the operations that draw give: a picture as a report, in the format that a text names.

#include <string>

#include "heddle/notation/picture.h"
#include "heddle/notation/report.h"

namespace heddle::notation {

/// Refuses `call.type` for a text that names no format.
[[nodiscard]] Result<PictureFormat> picture_format_named(const std::string& name);

/// The data has the whole text; the printed text drops the last newline, so that no empty line
/// follows.
[[nodiscard]] Report report_of(std::string drawn);
/// The picture as a text; as JSON it is data. `style` applies to the text format.
[[nodiscard]] Report report_of(const draw::Picture& picture, PictureFormat format,
                               const draw::TerminalStyle& style = {});

}  // namespace heddle::notation

#include "notation/pictures/picture_report.h"

#include <fmt/format.h>

#include <utility>

#include "core/text.h"

namespace heddle::notation {

Result<PictureFormat> picture_format_named(const std::string& name) {
  if (const auto format = find_picture_format(name)) return *format;
  return refuse(
      "call.type",
      fmt::format("a picture is a text, svg, html, latex or json, and not {}", quote(name)));
}

Report report_of(const draw::Picture& picture, PictureFormat format,
                 const draw::TerminalStyle& style) {
  if (format == PictureFormat::kJson) {
    Datum model = to_datum(picture);
    std::string text = to_string(model);
    return {std::move(text), std::move(model)};
  }
  // The data has the whole text; the printed text drops the last newline, so that no empty line
  // follows.
  std::string text = to_text(picture, format, style);
  Datum whole(text);
  if (text.ends_with('\n')) text.pop_back();
  return {std::move(text), std::move(whole)};
}

}  // namespace heddle::notation

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

Report report_of(std::string drawn) {
  Datum whole(drawn);
  if (drawn.ends_with('\n')) drawn.pop_back();
  return {std::move(drawn), std::move(whole)};
}

Report report_of(const draw::Picture& picture, PictureFormat format,
                 const draw::TerminalStyle& style) {
  if (format == PictureFormat::kJson) {
    Datum model = to_datum(picture);
    std::string text = to_string(model);
    return {std::move(text), std::move(model)};
  }
  return report_of(to_text(picture, format, style));
}

}  // namespace heddle::notation

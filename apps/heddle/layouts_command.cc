#include <fmt/format.h>

#include <algorithm>

#include "heddle/commands.h"
#include "heddle/core/plain_text.h"
#include "heddle/draw/formats.h"
#include "heddle/draw/linear.h"
#include "heddle/notation/ttgir.h"

namespace heddle::app {

namespace {

/// Who holds which element, in part where there are many.
std::string type_picture_of(const notation::ListedType& listed) {
  if (!listed.layout) return {};
  draw::PictureOptions options;
  constexpr std::size_t kCells = 512;
  options.max_cells = kCells;
  options.title = listed.text;
  const auto picture = draw::tensor_picture(*listed.layout, options);
  if (!picture) return fmt::format("  {}\n", printable_lines(picture.error().message()));
  return "\n" + to_terminal(*picture, terminal_style(ColorChoice::kAuto));
}

}  // namespace

ExitCode layouts_command(const Call& call) {
  const Console& console = call.console;
  const std::string& path = call.said.text("file");
  const auto text = read_file(path);
  if (!text) return console.fail(text.error());
  const auto dump = notation::read_ttgir(*text);
  if (!dump) return console.fail(dump.error(), {*text, path});
  if (console.json()) {
    console.print_line(fmt::format(R"({{"ok":true,"result":{}}})", to_json(*dump)));
  } else {
    console.print_text(
        to_string(*dump, call.said.flag("--draw") ? type_picture_of : notation::TypePicture()));
  }
  const bool is_whole = std::ranges::all_of(
      dump->types, [](const notation::ListedType& type) { return type.layout.has_value(); });
  return is_whole ? ExitCode::kDone : ExitCode::kUnknown;
}

}  // namespace heddle::app

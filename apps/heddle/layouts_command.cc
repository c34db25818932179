#include <fmt/format.h>

#include <algorithm>

#include "heddle/commands.h"
#include "heddle/notation/ttgir.h"

namespace heddle::app {

ExitCode list_layouts(const Console& console, const std::string& path) {
  const auto text = read_file(path);
  if (!text) return console.fail(text.error());
  const auto dump = notation::read_ttgir(*text);
  if (!dump) return console.fail(dump.error(), {*text, path});
  if (console.json()) {
    console.print_line(fmt::format(R"({{"ok":true,"result":{}}})", to_json(*dump)));
  } else {
    console.print_text(to_string(*dump));
  }
  const bool is_whole = std::ranges::all_of(
      dump->types, [](const notation::ListedType& type) { return type.layout.has_value(); });
  return is_whole ? ExitCode::kDone : ExitCode::kUnknown;
}

}  // namespace heddle::app

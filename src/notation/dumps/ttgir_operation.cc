// The operation `ttgir_layouts`: the types of a dump with their layouts, and the data movement of
// conversions.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/printable.h"
#include "heddle/draw/linear.h"
#include "heddle/notation/ttgir.h"
#include "notation/operations/binding.h"
#include "notation/pictures/terminal_arguments.h"

namespace heddle::notation {
namespace {

/// A picture of which thread holds which element; for a large layout, its first rows.
std::string type_picture(const ListedType& listed, const draw::TerminalStyle& style) {
  if (!listed.layout) return {};
  constexpr std::size_t kCells = 512;
  draw::PictureOptions options;
  options.max_cells = kCells;
  options.title = listed.text;
  const auto picture = draw::tensor_picture(*listed.layout, options);
  if (!picture) return "  " + printable_lines(picture.error().message()) + "\n";
  return "\n" + draw::to_terminal(*picture, style);
}

Result<Report> listed_types(const std::string& text, const bool& draw,
                            const std::optional<std::string>& color,
                            const std::optional<Int>& width) {
  HEDDLE_TRY(const draw::TerminalStyle style, style_of(color, width));
  HEDDLE_TRY(const TtgirDump dump, read_ttgir(text));
  TypePicture picture;
  if (draw) picture = [&](const ListedType& listed) { return type_picture(listed, style); };
  std::string shown = to_string(dump, picture);
  if (shown.ends_with('\n')) shown.pop_back();
  const bool is_whole = std::ranges::all_of(dump.types, &ListedType::is_described) &&
                        std::ranges::all_of(dump.aliases, [](const ListedAlias& alias) {
                          return alias.encoding.has_value();
                        });
  return Report{std::move(shown), to_datum(dump),
                is_whole ? Report::Outcome::kDone : Report::Outcome::kUnknown};
}

}  // namespace

void add_ttgir_operations(std::vector<Operation>& table) {
  const Rows add = {table, "dumps"};
  add({.call = "ttgir_layouts(dump, draw=false, color, width=0)",
       .summary =
           "The types of a dump of Triton's TTGIR that have an encoding, each with its layout "
           "and its uses, and what every conversion moves; with `draw` their pictures. "
           "`color` ('256' or 'true') and `width` are of a terminal.",
       .example =
           {"ttgir_layouts('a.b : tensor<4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, "
            "maxPhase = 1, order = [0]}>>')",
            "1 type, 0 conversions\n"
            "\n"
            "tensor<4xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = "
            "[0]}>>\n"
            "  used by a.b (line 1)\n"
            "   - offset=1 -> (1)\n"
            "     offset=2 -> (2)\n"
            "   - block is a size 1 dimension\n"
            "  where out dims are: [dim0 (size 4)]"}},
      listed_types);
}

}  // namespace heddle::notation

// The operation `picture`: a layout of any system, drawn as text.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/picture.h"
#include "notation/operations/binding.h"
#include "notation/pictures/picture_report.h"
#include "notation/pictures/report_pictures.h"
#include "notation/pictures/terminal_arguments.h"

namespace heddle::notation {
namespace {

/// The number of cells to show at most.
Result<std::optional<std::size_t>> cells_of(const std::optional<Int>& limit, bool are_all) {
  HEDDLE_TRY(const auto cells, number_of(limit, "limit"));
  if (!cells) return std::nullopt;
  if (*cells < 1) return refuse("usage.option", "limit is a number of cells, 1 or more");
  if (are_all) return refuse("usage.option", "all leaves out nothing: limit goes without it");
  return static_cast<std::size_t>(*cells);
}

}  // namespace

void add_picture_operations(std::vector<Operation>& table) {
  const Rows add = {table, "pictures"};
  add({.call = "picture(layout, b, c, format=text, view, shape, slice, by, colors=8, run=1, banks, "
               "bits, tv=false, mma, tile, thread, element, all=false, result_only=false, color, "
               "width=0, limit, facts)",
       .summary =
           "A layout of any system as a picture: 'text', 'svg', 'html', 'latex' or 'json'. An "
           "operation on "
           "layouts in quotes is drawn with its operands. Indices equal modulo `colors` share a "
           "colour, `run` after another, or those in one of `banks` of elements of so many `bits`. "
           "`tv` is of a thread-value layout with its `tile`; `mma` of those of A, `b` and `c` of "
           "that shape M,N,K; of these and of linear layouts `thread` and `element` pick one. The "
           "`view` of a linear layout is 'tensor', 'hardware' or 'matrix', of an Axe layout of "
           "`shape` 'tensor', 'hardware' or 'devices', of any other 'tensor' or 'memory'; `shape` "
           "is also that of an encoding's tensor; `slice` holds dimensions of a linear "
           "layout, and `by` decides about colours. `all` leaves out nothing; of more cells than "
           "`limit` only the corners are shown, and a long title is shortened. `color` ('256' or "
           "'true') and `width` are of a terminal; `facts` of HTML and JSON tell more of each "
           "cell, "
           "by default of up to 65,536.",
       .example = {"picture((2,4):(4,1))",
                   "(2,4):(4,1)\n"
                   "    0  1  2  3\n"
                   "  ┌────────────┐\n"
                   "0 │ 0  1  2  3 │\n"
                   "1 │ 4  5  6  7 │\n"
                   "  └────────────┘"}},
      [](const CallContext& context, const QuotedOrValue& layout,
         const std::optional<QuotedOrValue>& b, const std::optional<QuotedOrValue>& c,
         const std::optional<std::string>& format, const std::optional<std::string>& view,
         const std::optional<linear::Sizes>& shape, const std::optional<linear::NamedSizes>& slice,
         const std::optional<std::string>& by, const std::optional<Int>& colors,
         const std::optional<Int>& run, const std::optional<Int>& banks,
         const std::optional<Int>& bits, const std::optional<bool>& tv,
         const std::optional<linear::Sizes>& mma, const std::optional<linear::Sizes>& tile,
         const std::optional<Int>& thread, const std::optional<linear::Sizes>& element,
         const std::optional<bool>& all, const std::optional<bool>& result_only,
         const std::optional<std::string>& color, const std::optional<Int>& width,
         const std::optional<Int>& limit, const std::optional<bool>& facts) -> Result<Report> {
        PictureRequest request;
        draw::PictureOptions& options = request.options;
        HEDDLE_TRY(request.format, picture_format_named(format.value_or("text")));
        HEDDLE_TRY(options.modulus, number_of(colors, "colors"));
        HEDDLE_TRY(options.run, number_of(run, "run"));
        HEDDLE_TRY(options.banks, number_of(banks, "banks"));
        HEDDLE_TRY(options.element_bits, number_of(bits, "bits"));
        HEDDLE_TRY(options.thread, number_of(thread, "thread"));
        HEDDLE_TRY(options.max_cells, cells_of(limit, all.value_or(false)));
        options.element = element;
        options.limits = context.decide.limits.begun();
        options.slice = slice.value_or(linear::NamedSizes());
        options.color_by = by;
        options.shape = shape.value_or(linear::Sizes());
        request.all = all.value_or(false);
        request.result_only = result_only.value_or(false);
        request.tv = tv.value_or(false);
        request.mma = mma;
        request.tile = tile;
        request.view = view;
        request.facts = facts;
        std::vector<Value> layouts = {layout.value};
        for (const auto* operand : {&b, &c}) {
          if (*operand) layouts.push_back((*operand)->value);
        }
        HEDDLE_TRY(const draw::TerminalStyle style, style_of(color, width));
        HEDDLE_TRY(const Environment environment, environment_of(context));
        HEDDLE_TRY(draw::Picture picture, picture_of(layouts, request, environment));
        constexpr std::size_t kLongTitle = 120;
        if (limit) picture.title = shortened(picture.title, kLongTitle);
        return report_of(picture, request.format, style);
      });
  add_report_pictures(add);
}

}  // namespace heddle::notation

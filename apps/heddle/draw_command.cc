// heddle draw: a layout as a picture, on the terminal or as a file.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "heddle/commands.h"
#include "heddle/drawing.h"
#include "heddle/notation/lexer.h"
#include "heddle/numbers_option.h"
#include "heddle/operation_call.h"

namespace heddle::app {
namespace {

using notation::Datum;
using notation::Environment;
using notation::PictureFormat;
using notation::Value;

constexpr NumbersOption kElement = {"--element", 1, 64, "an element is needed, as 3,4"};
constexpr NumbersOption kThreadElement = {"--element", 1, 64, "an element is needed, as 3,4 or 35"};
constexpr NumbersOption kTile = {"--tile", 2, 2, "MxN is needed, as 16x8"};
constexpr NumbersOption kMma = {"--mma", 3, 3, "M,N,K is needed, as 16,8,8"};

/// The coordinates of `warp=1,block=0`; refuses `usage.option` for other texts.
Result<Datum> slice_of(const std::string& text) {
  Datum::Fields slice;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equal = part.find('=');
    std::int64_t coordinate = 0;
    const char* end = part.data() + part.size();
    std::from_chars_result read{end, std::errc::invalid_argument};
    if (equal != std::string_view::npos) {
      read = std::from_chars(part.data() + equal + 1, end, coordinate);
    }
    if (read.ec != std::errc() || read.ptr != end || equal == 0) {
      return refuse("usage.option",
                    fmt::format("--slice is {}; names with coordinates are needed, as warp=1 or "
                                "dim0=3,dim2=0",
                                notation::quote(text)));
    }
    slice.emplace_back(part.substr(0, equal), coordinate);
  }
  return Datum(std::move(slice));
}

/// The numbers of an option; nothing where it is not given.
Result<void> add_numbers(Arguments& arguments, std::string name, const NumbersOption& option,
                         const std::string& text) {
  if (text.empty()) return {};
  HEDDLE_TRY(const auto numbers, numbers_of(option, text));
  arguments.add(std::move(name), Value(notation::list_of(numbers)));
  return {};
}

Result<void> add_options(Arguments& arguments, const DrawOptions& options) {
  const bool shows_threads = options.tv || !options.mma.empty();
  HEDDLE_CHECK(add_numbers(arguments, "mma", kMma, options.mma));
  HEDDLE_CHECK(add_numbers(arguments, "tile", kTile, options.tile));
  HEDDLE_CHECK(add_numbers(arguments, "element", shows_threads ? kThreadElement : kElement,
                           options.element));
  HEDDLE_CHECK(add_numbers(arguments, "shape", kShapeOption, options.shape));
  if (!options.slice.empty()) {
    HEDDLE_TRY(Datum slice, slice_of(options.slice));
    arguments.add("slice", Value(std::move(slice)));
  }
  arguments.add("colors", Value(Int(options.colors))).add("run", Value(Int(options.run)));
  for (const auto& [name, number] : {std::pair{"banks", options.banks},
                                     {"bits", options.element_bits},
                                     {"thread", options.thread}}) {
    if (number) arguments.add(name, Value(Int(*number)));
  }
  arguments.add_text("view", options.view)
      .add_text("by", options.by)
      .add_flag("tv", options.tv)
      .add_flag("all", options.all)
      .add_flag("result_only", options.result_only);
  return {};
}

/// The text of the picture: in letters for the terminal, or what a file of that format has.
Result<std::string> drawn(const std::vector<std::string>& expressions, const DrawOptions& options,
                          const draw::TerminalStyle& style, const Environment& environment) {
  Arguments arguments;
  HEDDLE_TRY(const PictureFormat format, format_of(options.output));
  for (const std::string& expression : expressions) arguments.add(expression);
  arguments.add("format", std::string(name_of(format)));
  HEDDLE_CHECK(add_options(arguments, options));
  if (options.output.empty()) {
    if (style.color) arguments.add("color", std::string(style.true_color ? "true" : "256"));
    arguments.add("width", Value(Int(static_cast<std::int64_t>(style.width))));
  }
  HEDDLE_TRY(const Value picture,
             notation::call_in(environment, "picture", std::move(arguments).list()));
  return *picture.get<notation::Report>().data.text();
}

}  // namespace

std::size_t expression_count(const DrawOptions& options) { return options.mma.empty() ? 1 : 3; }

ExitCode draw_expressions(const Console& console, const std::vector<std::string>& expressions,
                          const DrawOptions& options, const Environment& environment) {
  const auto style = terminal_style(console.json() ? ColorChoice::kNever : options.color);
  const auto picture = drawn(expressions, options, style, environment);
  if (!picture) {
    // A place is one in the expression; of several nobody knows in which.
    return console.fail(picture.error(),
                        {expressions.size() == 1 ? expressions.front() : std::string_view(), ""});
  }
  if (options.output.empty()) {
    console.print_text(*picture);
    return ExitCode::kDone;
  }
  const auto written = write_picture(options.output, *picture);
  if (!written) return console.fail(written.error());
  console.print(Value(console.json() ? options.output : "wrote " + options.output));
  return ExitCode::kDone;
}

}  // namespace heddle::app

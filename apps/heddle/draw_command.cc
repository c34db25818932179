// heddle draw: a layout as a picture, on the terminal or as a file.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/drawing.h"
#include "heddle/notation/lexer.h"

namespace heddle::app {
namespace {

using notation::Datum;
using notation::PictureFormat;
using notation::Value;

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

/// Adds the values of all options except those of the terminal.
Result<void> add_said(Arguments& arguments, const Said& said) {
  const bool shows_threads = said.flag("--tv") || !said.text("--mma").empty();
  const NumbersOption lists[] = {
      {"--mma", 3, 3, "M,N,K is needed, as 16,8,8"},
      {"--tile", 2, 2, "MxN is needed, as 16x8"},
      {"--element", 1, 64,
       shows_threads ? "an element is needed, as 3,4 or 35" : "an element is needed, as 3,4"},
      kShapeOption};
  for (const NumbersOption& option : lists) {
    HEDDLE_TRY(const auto numbers, numbers_of(option, said));
    if (!numbers.empty())
      arguments.add(std::string(option.name.substr(2)), Value(notation::list_of(numbers)));
  }
  if (const std::string& text = said.text("--slice"); !text.empty()) {
    HEDDLE_TRY(Datum slice, slice_of(text));
    arguments.add("slice", Value(std::move(slice)));
  }
  for (const char* name : {"colors", "run", "banks", "thread"})
    arguments.add_number(name, said.number(std::string("--") + name));
  arguments.add_number("bits", said.number("--element-bits"))
      .add_text("view", said.text("--view"))
      .add_text("by", said.text("--by"))
      .add_flag("tv", said.flag("--tv"))
      .add_flag("all", said.flag("--all"))
      .add_flag("result_only", said.flag("--result-only"));
  return {};
}

/// The text of the picture: as letters for the terminal, or in the file's format.
Result<std::string> drawn(const Call& call, const std::vector<std::string>& expressions,
                          const draw::TerminalStyle& style) {
  const std::string& output = call.said.text("--output");
  Arguments arguments;
  HEDDLE_TRY(const PictureFormat format, format_of(output));
  for (const std::string& expression : expressions) arguments.add(expression);
  arguments.add("format", std::string(name_of(format)));
  HEDDLE_CHECK(add_said(arguments, call.said));
  if (output.empty()) arguments.add_terminal(style);
  HEDDLE_TRY(const Value picture, std::move(arguments).call("picture", call.environment));
  return *picture.get<notation::Report>().data.text();
}

/// One expression, or the three of --mma.
Result<std::vector<std::string>> drawn_expressions(const Call& call) {
  constexpr std::size_t kOperands = 3;
  if (call.said.text("--mma").empty()) {
    HEDDLE_TRY(std::string expression, expression_of(call));
    return std::vector{std::move(expression)};
  }
  if (call.expressions.size() == kOperands) return call.expressions;
  return refuse(Diagnostic("usage.expression", fmt::format("--mma needs {} expressions, not {}",
                                                           kOperands, call.expressions.size()))
                    .with_hint("the thread-value layouts of A, B and C, each in quotes"));
}

}  // namespace

Outcome draw_command(const Call& call) {
  const Console& console = call.console;
  HEDDLE_TRY(const ColorChoice color, color_of(call.said));
  HEDDLE_TRY(const std::vector<std::string> expressions, drawn_expressions(call));
  const auto style = terminal_style(console.json() ? ColorChoice::kNever : color);
  // A place refers to the expression; with several expressions it is not known to which.
  const Source source{expressions.size() == 1 ? expressions.front() : std::string_view(), ""};
  HEDDLE_TRY(const std::string picture, in(source, drawn(call, expressions, style)));
  const std::string& output = call.said.text("--output");
  if (output.empty()) {
    console.print_text(picture);
    return ExitCode::kDone;
  }
  HEDDLE_CHECK(write_picture(output, picture));
  console.print(Value(console.json() ? output : "wrote " + output));
  return ExitCode::kDone;
}

}  // namespace heddle::app

// heddle draw: options, what they mean together, and the picture.

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "heddle/commands.h"
#include "heddle/draw/text.h"
#include "heddle/draw/tv.h"
#include "heddle/drawing.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"

namespace heddle::app {
namespace {

using notation::Value;

bool shows_threads(const DrawOptions& options) { return options.tv || !options.mma.empty(); }

// Options.

/// An option that takes numbers, how many of them, and what to say where they are not there.
struct NumbersOption {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view needed;
};
constexpr NumbersOption kElement = {"--element", 1, 2, "an element is needed, as 3,4 or 35"};
constexpr NumbersOption kTile = {"--tile", 2, 2, "MxN is needed, as 16x8"};
constexpr NumbersOption kMma = {"--mma", 3, 3, "M,N,K is needed, as 16,8,8"};

/// The numbers of `8x16`, `8,16` or `(8,16)`; refuses `usage.option` for other texts.
Result<std::vector<std::int64_t>> numbers_of(const NumbersOption& option, const std::string& text) {
  std::string_view rest = text;
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  std::vector<std::int64_t> numbers;
  while (true) {
    std::int64_t number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc()) break;
    numbers.push_back(number);
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    if (rest.empty() && numbers.size() >= option.least && numbers.size() <= option.most)
      return numbers;
    if (!rest.starts_with(',') && !rest.starts_with('x')) break;
    rest.remove_prefix(1);
  }
  return refuse("usage.option",
                fmt::format("{} is {}; {}", option.name, notation::quote(text), option.needed));
}

/// Options that belong to others which are not there.
Result<void> check_together(const DrawOptions& options) {
  const auto refuse_lone = [](std::string_view option, std::string_view needed) {
    return refuse("usage.option", fmt::format("{} goes with {}", option, needed));
  };
  if (options.tv && !options.mma.empty())
    return refuse("usage.option", "--tv draws one layout and --mma three; one of them is needed");
  if (!options.tile.empty() && !options.tv) return refuse_lone("--tile", "--tv");
  if (options.thread && !shows_threads(options)) return refuse_lone("--thread", "--tv or --mma");
  if (!options.element.empty() && !shows_threads(options))
    return refuse_lone("--element", "--tv or --mma");
  if (shows_threads(options) && (options.banks || options.element_bits))
    return refuse("usage.option", "threads have no banks: --banks goes without --tv and --mma");
  return {};
}

std::size_t cell_limit(const DrawOptions& options) {
  return options.all ? draw::kMaxCells + 1 : draw::kUsualCells;
}

draw::PictureOptions picture_options(const DrawOptions& options, PictureFormat format) {
  draw::PictureOptions wanted;
  wanted.modulus = options.colors;
  wanted.run = options.run;
  wanted.max_cells = cell_limit(options);
  if (options.banks || options.element_bits) {
    wanted.color_by = draw::ColorBy::kBank;
    wanted.modulus = options.banks.value_or(32);
    wanted.element_bits = options.element_bits;
  } else if (options.colors == 0) {
    wanted.color_by = draw::ColorBy::kNone;
    wanted.modulus = 1;
  }
  return options_for(format, wanted);
}

Result<draw::TvOptions> tv_options(const DrawOptions& options, PictureFormat format) {
  const draw::PictureOptions usual = picture_options(options, format);
  draw::TvOptions wanted;
  wanted.modulus = options.colors;
  wanted.thread = options.thread;
  wanted.max_cells = usual.max_cells;
  wanted.facts = usual.facts;
  if (options.element.empty()) return wanted;
  HEDDLE_TRY(const auto numbers, numbers_of(kElement, options.element));
  wanted.element = numbers.size() == 1
                       ? IntTuple(Int(numbers[0]))
                       : IntTuple{IntTuple(Int(numbers[0])), IntTuple(Int(numbers[1]))};
  return wanted;
}

// Pictures.

Result<cute::AnyLayout> evaluated_layout(const std::string& expression,
                                         const notation::Environment& environment) {
  HEDDLE_TRY(const Value value, notation::evaluate(expression, environment));
  return layout_of(value);
}

/// Refuses a tile for what has one of its own.
Result<void> check_tile_is_free(const Value& value) {
  const bool has_tile =
      value.is<cute::TiledCopy>() || value.is<cute::TiledMma>() || value.is<cute::MmaAtom>();
  if (!has_tile) return {};
  return refuse(
      Diagnostic("usage.option",
                 fmt::format("--tile gives a layout its tile; {} knows it", kind_name(value)))
          .with_hint("drop --tile"));
}

Result<draw::Picture> tv_picture(const std::string& expression, const DrawOptions& options,
                                 PictureFormat format, const notation::Environment& environment) {
  HEDDLE_TRY(const draw::TvOptions wanted, tv_options(options, format));
  HEDDLE_TRY(const Value value, notation::evaluate(expression, environment));
  if (options.tile.empty()) {
    HEDDLE_TRY(auto picture, thread_picture(value, wanted));
    if (picture) return *std::move(picture);
  }
  HEDDLE_CHECK(check_tile_is_free(value));
  HEDDLE_TRY(const cute::AnyLayout layout, layout_of(value));
  if (options.tile.empty()) {
    HEDDLE_TRY(const draw::TileSize tile, draw::inferred_tile(layout));
    HEDDLE_TRY(draw::Picture picture, draw::tv_picture(layout, tile, wanted));
    picture.notes.push_back(
        fmt::format("the tile is inferred: --tile {}x{}", tile.rows, tile.columns));
    return picture;
  }
  HEDDLE_TRY(const auto sizes, numbers_of(kTile, options.tile));
  return draw::tv_picture(layout, {sizes[0], sizes[1]}, wanted);
}

Result<draw::Picture> mma_picture(const std::vector<std::string>& expressions,
                                  const DrawOptions& options, PictureFormat format,
                                  const notation::Environment& environment) {
  HEDDLE_TRY(const draw::TvOptions wanted, tv_options(options, format));
  HEDDLE_TRY(const auto sizes, numbers_of(kMma, options.mma));
  HEDDLE_TRY(const cute::AnyLayout a, evaluated_layout(expressions[0], environment));
  HEDDLE_TRY(const cute::AnyLayout b, evaluated_layout(expressions[1], environment));
  HEDDLE_TRY(const cute::AnyLayout c, evaluated_layout(expressions[2], environment));
  return draw::mma_picture({a, b, c, sizes[0], sizes[1], sizes[2]}, wanted);
}

Result<draw::Picture> layout_picture(const std::string& text, const DrawOptions& options,
                                     PictureFormat format,
                                     const notation::Environment& environment) {
  HEDDLE_TRY(const notation::Expression expression, notation::parse_expression(text));
  return picture_of(expression, environment, picture_options(options, format),
                    !options.result_only);
}

Result<draw::Picture> wanted_picture(const std::vector<std::string>& expressions,
                                     const DrawOptions& options, PictureFormat format,
                                     const notation::Environment& environment) {
  HEDDLE_CHECK(check_together(options));
  if (!options.mma.empty()) return mma_picture(expressions, options, format, environment);
  if (options.tv) return tv_picture(expressions.front(), options, format, environment);
  return layout_picture(expressions.front(), options, format, environment);
}

}  // namespace

std::size_t expression_count(const DrawOptions& options) { return options.mma.empty() ? 1 : 3; }

ExitCode draw_expressions(const Console& console, const std::vector<std::string>& expressions,
                          const DrawOptions& options, const notation::Environment& environment) {
  const auto format = format_of(options.output);
  if (!format) return console.fail(format.error());
  const auto picture = wanted_picture(expressions, options, *format, environment);
  if (!picture) {
    // A place is one in the expression; of several nobody knows in which.
    return console.fail(picture.error(),
                        {expressions.size() == 1 ? expressions.front() : std::string_view(), ""});
  }
  if (options.output.empty()) {
    console.print_text(to_terminal(
        *picture, terminal_style(console.json() ? ColorChoice::kNever : options.color)));
    return ExitCode::kDone;
  }
  const auto written = write_picture(options.output, *picture);
  if (!written) return console.fail(written.error());
  console.print(Value(console.json() ? options.output : "wrote " + options.output));
  return ExitCode::kDone;
}

}  // namespace heddle::app

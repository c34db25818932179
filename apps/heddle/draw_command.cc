// heddle draw: options, what they mean together, and the picture.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "heddle/commands.h"
#include "heddle/draw/text.h"
#include "heddle/draw/tv.h"
#include "heddle/drawing.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"
#include "heddle/numbers_option.h"

namespace heddle::app {
namespace {

using notation::Value;

bool shows_threads(const DrawOptions& options) { return options.tv || !options.mma.empty(); }

// Options.

constexpr NumbersOption kElement = {"--element", 1, 2, "an element is needed, as 3,4 or 35"};
constexpr NumbersOption kLinearElement = {"--element", 1, 64, "an element is needed, as 3,4"};
constexpr NumbersOption kTile = {"--tile", 2, 2, "MxN is needed, as 16x8"};
constexpr NumbersOption kMma = {"--mma", 3, 3, "M,N,K is needed, as 16,8,8"};

/// The coordinates of `warp=1,block=0`; refuses `usage.option` for other texts.
Result<linear::NamedSizes> slice_of(const std::string& text) {
  linear::NamedSizes slice;
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
  return slice;
}

Result<LinearView> view_of(const std::string& text) {
  if (text.empty() || text == "tensor") return LinearView::kTensor;
  if (text == "hardware") return LinearView::kHardware;
  if (text == "matrix") return LinearView::kMatrix;
  return refuse("usage.option", fmt::format("--view is {}; tensor, hardware or matrix is needed",
                                            notation::quote(text)));
}

Result<std::optional<AxeView>> axe_view_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "tensor") return AxeView::kTensor;
  if (text == "hardware") return AxeView::kHardware;
  if (text == "devices") return AxeView::kDevices;
  return refuse("usage.option",
                fmt::format("--view is {}; of an Axe layout tensor, hardware or devices is needed",
                            notation::quote(text)));
}

/// Options that belong to others which are not there.
Result<void> check_together(const DrawOptions& options) {
  const auto refuse_lone = [](std::string_view option, std::string_view needed) {
    return refuse("usage.option", fmt::format("{} goes with {}", option, needed));
  };
  if (options.tv && !options.mma.empty())
    return refuse("usage.option", "--tv draws one layout and --mma three; one of them is needed");
  if (!options.tile.empty() && !options.tv) return refuse_lone("--tile", "--tv");
  if (shows_threads(options) && (options.banks || options.element_bits))
    return refuse("usage.option", "threads have no banks: --banks goes without --tv and --mma");
  return {};
}

/// Options that a layout alone takes only where it is linear.
Result<void> check_not_linear(const DrawOptions& options) {
  const auto refuse_lone = [](std::string_view option, std::string_view needed) {
    return refuse("usage.option", fmt::format("{} goes with {}", option, needed));
  };
  const bool is_alone = !shows_threads(options);
  if (options.thread && is_alone) return refuse_lone("--thread", "--tv or --mma");
  if (!options.element.empty() && is_alone) return refuse_lone("--element", "--tv or --mma");
  for (const auto& [name, text] :
       {std::pair{"--view", &options.view}, {"--slice", &options.slice}, {"--by", &options.by}}) {
    if (!text->empty()) return refuse_lone(name, "a linear layout");
  }
  if (!options.shape.empty()) return refuse_lone("--shape", "an Axe layout");
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

Result<draw::LinearOptions> linear_options(const DrawOptions& options, PictureFormat format) {
  draw::LinearOptions wanted;
  if (!options.by.empty()) wanted.color_by = options.by;
  wanted.modulus = options.colors;
  wanted.run = options.run;
  wanted.banks = options.banks;
  wanted.element_bits = options.element_bits;
  wanted.thread = options.thread;
  if (options.all) wanted.max_cells = draw::kMaxCells + 1;
  HEDDLE_TRY(wanted.slice, slice_of(options.slice));
  if (!options.element.empty()) {
    HEDDLE_TRY(wanted.element, numbers_of(kLinearElement, options.element));
  }
  return options_for(format, wanted);
}

Result<draw::AxeOptions> axe_options(const DrawOptions& options, PictureFormat format,
                                     const notation::Environment& environment) {
  draw::AxeOptions wanted;
  if (!options.by.empty()) wanted.color_by = options.by;
  wanted.modulus = options.colors;
  wanted.run = options.run;
  if (options.all) wanted.max_cells = draw::kMaxCells + 1;
  wanted.axes = environment.axes();
  if (!options.shape.empty()) {
    HEDDLE_TRY(wanted.shape, numbers_of(kShapeOption, options.shape));
  }
  if (!options.element.empty()) {
    HEDDLE_TRY(wanted.element, numbers_of(kLinearElement, options.element));
  }
  return options_for(format, wanted);
}

/// Refuses options that say nothing of an Axe layout.
Result<void> check_axe(const DrawOptions& options) {
  const std::pair<std::string_view, bool> others[] = {
      {"--tv", options.tv},
      {"--tile", !options.tile.empty()},
      {"--thread", options.thread.has_value()},
      {"--slice", !options.slice.empty()},
      {"--banks", options.banks.has_value()},
      {"--element-bits", options.element_bits.has_value()},
  };
  for (const auto& [name, is_given] : others) {
    if (is_given)
      return refuse("usage.option", fmt::format("{} says nothing of an Axe layout", name));
  }
  return {};
}

// Pictures.

/// Of an Axe layout; nothing for other values.
Result<std::optional<draw::Picture>> axe_picture(const Value& value, const DrawOptions& options,
                                                 PictureFormat format,
                                                 const notation::Environment& environment) {
  const bool is_axe = value.is<axe::Layout>() || value.is<axe::Mesh>() || value.is<axe::Sharded>();
  if (!is_axe) return std::nullopt;
  HEDDLE_CHECK(check_axe(options));
  HEDDLE_TRY(const std::optional<AxeView> view, axe_view_of(options.view));
  HEDDLE_TRY(const draw::AxeOptions wanted, axe_options(options, format, environment));
  return app::axe_picture(value, view, wanted);
}

/// A tile for what has one of its own.
Refusal refuse_tile(const Value& value) {
  return refuse(
      Diagnostic("usage.option",
                 fmt::format("--tile gives a layout its tile; {} knows it", kind_name(value)))
          .with_hint("drop --tile"));
}

/// Of a linear layout; nothing for other values.
Result<std::optional<draw::Picture>> linear_picture(const notation::Expression& expression,
                                                    const Value& value, const DrawOptions& options,
                                                    PictureFormat format) {
  if (!value.is<linear::LinearLayout>() && !value.is<linear::Encoding>()) return std::nullopt;
  if (!options.tile.empty()) return refuse_tile(value);
  if (!options.shape.empty()) return refuse("usage.option", "--shape goes with an Axe layout");
  HEDDLE_TRY(const LinearView view, view_of(options.view));
  HEDDLE_TRY(const draw::LinearOptions wanted, linear_options(options, format));
  return app::linear_picture(expression, value, view, wanted);
}

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
  return refuse_tile(value);
}

/// Of a linear layout or an Axe layout; nothing for others, which take no option of linear ones.
Result<std::optional<draw::Picture>> named_axes_picture(const notation::Expression& expression,
                                                        const Value& value,
                                                        const DrawOptions& options,
                                                        PictureFormat format,
                                                        const notation::Environment& environment) {
  HEDDLE_TRY(auto linear, linear_picture(expression, value, options, format));
  if (linear) return linear;
  HEDDLE_TRY(auto axe, axe_picture(value, options, format, environment));
  if (!axe) HEDDLE_CHECK(check_not_linear(options));
  return axe;
}

Result<draw::Picture> tv_picture(const std::string& text, const DrawOptions& options,
                                 PictureFormat format, const notation::Environment& environment) {
  HEDDLE_TRY(const notation::Expression expression, notation::parse_expression(text));
  HEDDLE_TRY(const Value value, notation::evaluate(expression, environment));
  HEDDLE_TRY(auto named, named_axes_picture(expression, value, options, format, environment));
  if (named) return *std::move(named);
  HEDDLE_TRY(const draw::TvOptions wanted, tv_options(options, format));
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
  HEDDLE_CHECK(check_not_linear(options));
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
  HEDDLE_TRY(const Value value, notation::evaluate(expression, environment));
  HEDDLE_TRY(auto named, named_axes_picture(expression, value, options, format, environment));
  if (named) return *std::move(named);
  return picture_of(expression, value, environment, picture_options(options, format),
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

#include "heddle/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "heddle/draw/html.h"
#include "heddle/draw/latex.h"
#include "heddle/draw/lego.h"
#include "heddle/draw/operation.h"
#include "heddle/draw/svg.h"
#include "heddle/draw/text.h"
#include "heddle/draw/view.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/triton.h"

namespace heddle::app {
namespace {

using notation::Expression;
using notation::Kind;
using notation::Value;

/// An operation with its operands as they are written.
struct Call {
  draw::DrawnOperation operation = draw::DrawnOperation::kComposition;
  const Expression* left = nullptr;
  const Expression* right = nullptr;
};

/// `composition(A, B)`, `A o B`; nothing for other expressions.
std::optional<Call> call_of(const Expression& expression,
                            const notation::Environment& environment) {
  if (std::holds_alternative<notation::Parentheses>(expression.node) &&
      expression.parts.size() == 1) {
    return call_of(expression.parts.front(), environment);
  }
  if (std::holds_alternative<notation::CompositionChain>(expression.node)) {
    if (expression.parts.size() != 2) return std::nullopt;
    return Call{draw::DrawnOperation::kComposition, &expression.parts[0], &expression.parts[1]};
  }
  const auto* application = std::get_if<notation::Application>(&expression.node);
  if (application == nullptr || expression.parts.size() != 3) return std::nullopt;
  const bool is_positional =
      std::ranges::all_of(application->names, [](std::string_view name) { return name.empty(); });
  const auto* name = std::get_if<notation::Reference>(&expression.parts.front().node);
  if (!is_positional || name == nullptr || environment.find(name->name) != nullptr)
    return std::nullopt;
  const auto operation = draw::find_drawn_operation(name->name);
  if (!operation) return std::nullopt;
  return Call{*operation, &expression.parts[1], &expression.parts[2]};
}

/// The right operand as the operation takes it; nothing where that is no tiler.
Result<std::optional<cute::Tiler>> tiler_of(draw::DrawnOperation operation, const Value& value) {
  const auto* row = notation::find_operation(draw::name_of(operation));
  HEDDLE_TRY(const auto taken, notation::convert(value, row->parameters[1].kind));
  if (!taken) return std::nullopt;
  if (const auto* layout = taken->get_if<cute::Layout>()) return cute::Tiler(cute::Tile(*layout));
  const auto* tiler = taken->get_if<cute::Tiler>();
  return tiler == nullptr ? std::nullopt : std::optional(*tiler);
}

/// The operation with its operands evaluated; nothing where these are not what has a picture.
Result<std::optional<draw::AppliedOperation>> application_of(
    const Call& call, const notation::Environment& environment, const cute::AnyLayout& result) {
  HEDDLE_TRY(const Value left, notation::evaluate(*call.left, environment));
  HEDDLE_TRY(const Value right, notation::evaluate(*call.right, environment));
  HEDDLE_TRY(const auto layout, notation::convert(left, Kind::kCuteLayout));
  HEDDLE_TRY(const auto tiler, tiler_of(call.operation, right));
  if (!layout || !tiler) return std::nullopt;
  HEDDLE_TRY(cute::AnyLayout first, layout_of(*layout));
  return draw::AppliedOperation{call.operation, std::move(first), *tiler, result};
}

// Threads.

/// Rows and columns of a tile, whose modes after the first make the columns.
Result<draw::TileSize> tile_of(const IntTuple& shape) {
  const Int rows = cute::size(shape.mode(0));
  const Int elements = cute::size(shape);
  if (!rows.is_constant() || !elements.is_constant() || !known_less(0, rows)) {
    return refuse("draw.symbolic", fmt::format("a picture shows numbers, and a tile of {} elements "
                                               "has no size",
                                               to_string(elements)));
  }
  return draw::TileSize{rows.value(), elements.value() / rows.value()};
}

Result<draw::Picture> copy_picture(const cute::TiledCopy& copy, draw::TvOptions options) {
  HEDDLE_TRY(const draw::TileSize tile, tile_of(tile_shape(copy)));
  HEDDLE_TRY(const cute::TvLayout source, layoutS_TV(copy));
  HEDDLE_TRY(const cute::TvLayout destination, layoutD_TV(copy));
  options.title = fmt::format("tiled copy of {} x {}", tile.rows, tile.columns);
  HEDDLE_TRY(draw::Picture picture, draw::tv_picture(source.layout, tile, options));
  HEDDLE_TRY(draw::Picture other, draw::tv_picture(destination.layout, tile, options));
  for (std::string& note : picture.notes) note.insert(0, "source: ");
  for (const std::string& note : other.notes) picture.notes.push_back("destination: " + note);
  picture.panels.front().label = "source: " + cute::to_string(source.layout);
  other.panels.front().label = "destination: " + cute::to_string(destination.layout);
  picture.panels.push_back(std::move(other.panels.front()));
  return picture;
}

Result<draw::Picture> mma_picture(const cute::TiledMma& mma, const draw::TvOptions& options) {
  const IntTuple shape = tile_shape(mma);
  HEDDLE_TRY(const draw::TileSize rows_and_columns,
             tile_of(IntTuple{shape.mode(0), shape.mode(1)}));
  HEDDLE_TRY(const draw::TileSize steps, tile_of(IntTuple{shape.mode(2), 1}));
  HEDDLE_TRY(const cute::TvLayout a, layoutA_TV(mma));
  HEDDLE_TRY(const cute::TvLayout b, layoutB_TV(mma));
  HEDDLE_TRY(const cute::TvLayout c, layoutC_TV(mma));
  return draw::mma_picture(
      {a.layout, b.layout, c.layout, rows_and_columns.rows, rows_and_columns.columns, steps.rows},
      options);
}

// Linear layouts.

/// The element type of `tensor<8x4xf16, …>`: what stands behind the last x of the sizes.
std::string_view element_type(std::string_view type) {
  const std::size_t open = type.find('<');
  std::string_view rest = type.substr(open == std::string_view::npos ? type.size() : open + 1);
  while (true) {
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos || rest[digits] != 'x') break;
    rest.remove_prefix(digits + 1);
  }
  return rest.substr(0, rest.find_first_of(",>"));
}

/// What the text of a type says besides its layout.
void add_type(const Expression& expression, const linear::LinearLayout& layout,
              draw::LinearOptions& options) {
  const auto* literal = std::get_if<notation::TritonLiteral>(&expression.node);
  if (literal == nullptr) return;
  const std::string_view text = literal->text;
  if (!text.starts_with('!') && !text.starts_with("tensor<")) return;
  options.title = std::string(text);
  const bool has_bits = options.element_bits.has_value() || !layout.has_in_dim("offset");
  if (!has_bits) options.element_bits = notation::element_bit_width(element_type(text));
}

// Axe layouts.

/// A layout with what is known of its tensor.
struct DrawnAxe {
  axe::Layout layout;
  std::vector<std::int64_t> shape;
  std::string title;
  AxeView view = AxeView::kTensor;
};

Result<std::optional<DrawnAxe>> drawn_of(const Value& value) {
  if (const auto* layout = value.get_if<axe::Layout>()) return DrawnAxe{*layout, {}, {}};
  if (const auto* mesh = value.get_if<axe::Mesh>()) {
    HEDDLE_TRY(axe::Grouping grouping, axe::layout(*mesh));
    return DrawnAxe{std::move(grouping.layout),
                    {mesh->extents().begin(), mesh->extents().end()},
                    axe::to_string(*mesh)};
  }
  const auto* sharded = value.get_if<axe::Sharded>();
  if (sharded == nullptr) return std::nullopt;
  DrawnAxe drawn{sharded->layout, {}, axe::to_string(*sharded), AxeView::kDevices};
  for (const Int& extent : sharded->shape) {
    if (extent.is_constant()) drawn.shape.push_back(extent.value());
  }
  return drawn;
}

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

Result<void> check_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder, error)) return {};
  return refuse(Diagnostic("draw.path", fmt::format("there is no folder {} for {}", folder, path))
                    .with_hint("mkdir -p " + folder));
}

/// What a link leads to is another file than the one that is named: nobody expects it to change.
Result<void> check_link(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return {};
  return refuse(Diagnostic("file.unwritable",
                           fmt::format("{} is a link to {}, which is not written over", path,
                                       std::filesystem::read_symlink(path, error).string()))
                    .with_hint("name the file itself, or remove the link"));
}

std::string contents_of(PictureFormat format, const draw::Picture& picture) {
  switch (format) {
    case PictureFormat::kSvg:
      return to_svg(picture);
    case PictureFormat::kHtml:
      return to_html(picture);
    case PictureFormat::kLatex:
      return to_latex(picture);
    default:
      return to_terminal(picture);
  }
}

}  // namespace

Result<PictureFormat> format_of(const std::string& path) {
  if (path.empty()) return PictureFormat::kTerminal;
  if (path.ends_with(".svg")) return PictureFormat::kSvg;
  if (path.ends_with(".html")) return PictureFormat::kHtml;
  if (path.ends_with(".tex")) return PictureFormat::kLatex;
  if (path.ends_with(".txt")) return PictureFormat::kText;
  return refuse(
      Diagnostic("file.unwritable", path + " is no name for a picture")
          .with_hint("pictures are written as .svg, .html, .tex and, in letters, as .txt"));
}

draw::PictureOptions options_for(PictureFormat format, draw::PictureOptions options) {
  constexpr std::size_t kTexCells = std::size_t{1} << 12;
  options.facts = format == PictureFormat::kHtml;
  const bool shows_usual = options.max_cells == draw::kUsualCells;
  if (format == PictureFormat::kLatex && shows_usual) options.max_cells = kTexCells;
  return options;
}

draw::LinearOptions options_for(PictureFormat format, draw::LinearOptions options) {
  constexpr std::size_t kTerminalCells = std::size_t{1} << 10;
  constexpr std::size_t kTerminalOwners = 2;
  options.facts = format == PictureFormat::kHtml;
  if (format != PictureFormat::kTerminal && format != PictureFormat::kText) return options;
  options.owners = kTerminalOwners;
  if (options.max_cells == draw::kUsualLinearCells) options.max_cells = kTerminalCells;
  return options;
}

draw::AxeOptions options_for(PictureFormat format, draw::AxeOptions options) {
  constexpr std::size_t kTerminalCells = std::size_t{1} << 10;
  options.facts = format == PictureFormat::kHtml;
  const bool is_text = format == PictureFormat::kTerminal || format == PictureFormat::kText;
  if (is_text && options.max_cells == draw::kUsualAxeCells) options.max_cells = kTerminalCells;
  return options;
}

Result<void> write_picture(const std::string& path, const draw::Picture& picture) {
  HEDDLE_TRY(const PictureFormat format, format_of(path));
  HEDDLE_CHECK(check_folder(path));
  HEDDLE_CHECK(check_link(path));
  return write_file(path, contents_of(format, picture));
}

Result<cute::AnyLayout> layout_of(const Value& value) {
  HEDDLE_TRY(const auto layout, notation::convert(value, Kind::kCuteLayout));
  if (!layout) {
    return refuse("call.type",
                  fmt::format("draw is given {}; a layout is needed", kind_name(value)));
  }
  if (const auto* plain = layout->get_if<cute::Layout>()) return *plain;
  return layout->get<cute::ComposedLayout>();
}

Result<std::optional<draw::Picture>> thread_picture(const Value& value,
                                                    const draw::TvOptions& options) {
  if (const auto* tv = value.get_if<cute::TvLayout>()) {
    HEDDLE_TRY(const draw::TileSize tile, tile_of(tile_shape(*tv)));
    return draw::tv_picture(tv->layout, tile, options);
  }
  if (const auto* copy = value.get_if<cute::TiledCopy>()) return copy_picture(*copy, options);
  if (const auto* mma = value.get_if<cute::TiledMma>()) return mma_picture(*mma, options);
  if (const auto* atom = value.get_if<cute::MmaAtom>()) {
    HEDDLE_TRY(const cute::TiledMma mma, cute::make_tiled_mma(*atom));
    return mma_picture(mma, options);
  }
  return std::nullopt;
}

Result<std::optional<draw::Picture>> linear_picture(const Expression& expression,
                                                    const Value& value, LinearView view,
                                                    draw::LinearOptions options) {
  if (value.is<linear::Encoding>()) {
    return refuse(
        Diagnostic("call.type",
                   "draw is given an encoding, which is a layout only of a "
                   "tensor of some shape")
            .with_hint("encoding_to_linear_layout(encoding, [128,64]), or its tensor type"));
  }
  const auto* layout = value.get_if<linear::LinearLayout>();
  if (layout == nullptr) return std::nullopt;
  add_type(expression, *layout, options);
  if (view == LinearView::kHardware) return draw::hardware_picture(*layout, options);
  if (view == LinearView::kMatrix) return draw::matrix_picture(*layout, options);
  return draw::tensor_picture(*layout, options);
}

Result<std::optional<draw::Picture>> axe_picture(const Value& value, std::optional<AxeView> view,
                                                 draw::AxeOptions options) {
  HEDDLE_TRY(const auto drawn, drawn_of(value));
  if (!drawn) return std::nullopt;
  if (options.shape.empty()) options.shape = drawn->shape;
  if (!drawn->title.empty()) options.title = drawn->title;
  switch (view.value_or(drawn->view)) {
    case AxeView::kHardware:
      return draw::hardware_picture(drawn->layout, options);
    case AxeView::kDevices:
      return draw::device_picture(drawn->layout, options);
    case AxeView::kTensor:
      return draw::tensor_picture(drawn->layout, options);
  }
  return std::nullopt;
}

Result<draw::Picture> picture_of(const Expression& expression, const Value& value,
                                 const notation::Environment& environment,
                                 const draw::PictureOptions& options, bool has_operands) {
  draw::TvOptions threads;
  threads.max_cells = options.max_cells;
  threads.facts = options.facts;
  HEDDLE_TRY(auto picture, thread_picture(value, threads));
  if (picture) return *std::move(picture);
  if (const auto* lego = value.get_if<lego::Layout>()) return draw::picture(*lego, options);
  if (const auto* relation = value.get_if<map::IntegerRelation>()) {
    return draw::picture(*relation, options);
  }
  if (const auto* table = value.get_if<form::Table>()) {
    HEDDLE_TRY(const map::View view, map::view(*table));
    return draw::picture(view, options);
  }
  const bool has_banks = options.color_by == draw::ColorBy::kBank;
  const auto* tensor = value.get_if<cute::Tensor>();
  if (has_banks && tensor != nullptr) return draw::picture(*tensor, options);
  HEDDLE_TRY(const cute::AnyLayout layout, layout_of(value));
  const auto call = has_operands && !has_banks ? call_of(expression, environment) : std::nullopt;
  if (!call) return draw::picture(layout, options);
  HEDDLE_TRY(const auto application, application_of(*call, environment, layout));
  return application ? draw::picture(*application, options) : draw::picture(layout, options);
}

Result<draw::Picture> picture_of(const Expression& expression,
                                 const notation::Environment& environment, PictureFormat format) {
  HEDDLE_TRY(const Value value, notation::evaluate(expression, environment));
  HEDDLE_TRY(auto linear, linear_picture(expression, value, LinearView::kTensor,
                                         options_for(format, draw::LinearOptions())));
  if (linear) return *std::move(linear);
  draw::AxeOptions usual;
  usual.axes = environment.axes();
  HEDDLE_TRY(auto axe, axe_picture(value, {}, options_for(format, usual)));
  if (axe) return *std::move(axe);
  return picture_of(expression, value, environment, options_for(format, draw::PictureOptions()),
                    true);
}

}  // namespace heddle::app

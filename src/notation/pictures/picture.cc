#include "heddle/notation/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "heddle/draw/axe.h"
#include "heddle/draw/linear.h"
#include "heddle/draw/operation.h"
#include "heddle/draw/tv.h"
#include "heddle/draw/view.h"
#include "heddle/machine/instruction_layout.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/triton.h"
#include "notation/operations/readers.h"
#include "notation/pictures/instruction_picture.h"
#include "notation/value/shard_pieces.h"

namespace heddle::notation {
namespace {

/// A value, and its expression if there is one.
struct Drawn {
  Value value;
  const Expression* expression = nullptr;
};

Result<cute::AnyLayout> layout_of(const Value& value) {
  HEDDLE_TRY(const auto layout, convert<cute::AnyLayout>(value));
  if (!layout) {
    return refuse("call.type",
                  fmt::format("draw is given {}; a layout is needed", kind_name(value)));
  }
  if (const auto* plain = layout->get_if<cute::Layout>()) return *plain;
  return layout->get<cute::ComposedLayout>();
}

// Operations with their operands.

/// An operation with the expressions of its operands.
struct Call {
  std::string operation;
  const Expression* left = nullptr;
  const Expression* right = nullptr;
};

/// The call in `composition(A, B)`, `A o B`; nullopt for other expressions.
std::optional<Call> call_of(const Expression& expression, const Environment& environment) {
  if (is_group(expression)) {
    return call_of(expression.parts.front(), environment);
  }
  if (std::holds_alternative<CompositionChain>(expression.node)) {
    if (expression.parts.size() != 2) return std::nullopt;
    return Call{"composition", &expression.parts[0], &expression.parts[1]};
  }
  const auto* application = std::get_if<Application>(&expression.node);
  if (application == nullptr || expression.parts.size() != 3) return std::nullopt;
  const bool is_positional =
      std::ranges::all_of(application->names, [](std::string_view name) { return name.empty(); });
  const auto* name = std::get_if<Reference>(&expression.parts.front().node);
  if (!is_positional || name == nullptr || environment.find(name->name) != nullptr)
    return std::nullopt;
  if (!draw::is_drawn_operation(name->name)) return std::nullopt;
  return Call{std::string(name->name), &expression.parts[1], &expression.parts[2]};
}

/// The instruction in `instruction("dpas.8x8", arch="PVC")`; nullopt for other expressions.
Result<std::optional<form::Instruction>> instruction_of(const Expression* expression,
                                                        const Environment& environment) {
  constexpr std::array<std::string_view, 5> kParameters = {"name", "arch", "wave", "svl", "dtype"};
  const auto* call = expression == nullptr ? nullptr : std::get_if<Application>(&expression->node);
  if (call == nullptr) return std::nullopt;
  const auto* called = std::get_if<Reference>(&expression->parts.front().node);
  const bool is_instruction = called != nullptr && called->name == "instruction" &&
                              environment.find(called->name) == nullptr;
  if (!is_instruction) return std::nullopt;
  std::array<std::string, kParameters.size()> texts;
  std::array<std::int64_t, kParameters.size()> numbers{};
  for (std::size_t i = 0; i < call->names.size(); ++i) {
    const auto named = std::ranges::find(kParameters, call->names[i]);
    const auto parameter = static_cast<std::size_t>(
        named == kParameters.end() ? static_cast<std::ptrdiff_t>(i) : named - kParameters.begin());
    HEDDLE_TRY(const Value value, evaluate(expression->parts[i + 1], environment));
    if (const auto* text = value.get_if<std::string>()) texts.at(parameter) = *text;
    if (value.is_integer()) numbers.at(parameter) = value.get<IntTuple>().leaf().value();
  }
  return machine::instruction(
      texts[0],
      {.machine = texts[1], .lanes = numbers[2], .vector_bits = numbers[3], .type = texts[4]});
}

/// The right operand as a tiler, if the operation takes it as one.
Result<std::optional<cute::Tiler>> tiler_of(std::string_view operation, const Value& value) {
  const auto* row = find_operation(operation);
  HEDDLE_TRY(const auto taken, row->parameters[1].type->convert(value, {}));
  if (!taken) return std::nullopt;
  if (const auto* layout = taken->get_if<cute::Layout>()) return cute::Tiler(cute::Tile(*layout));
  const auto* tiler = taken->get_if<cute::Tiler>();
  return tiler == nullptr ? std::nullopt : std::optional(*tiler);
}

/// The operation with its operands evaluated, if they can be drawn.
Result<std::optional<draw::AppliedOperation>> application_of(const Call& call,
                                                             const Environment& environment,
                                                             const cute::AnyLayout& result) {
  HEDDLE_TRY(const Value left, evaluate(*call.left, environment));
  HEDDLE_TRY(const Value right, evaluate(*call.right, environment));
  HEDDLE_TRY(const auto layout, convert<cute::AnyLayout>(left));
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
    return refuse("draw.symbolic", fmt::format("a picture shows numbers, and a tile of {} "
                                               "has no size",
                                               counted(to_string(elements), "element")));
  }
  return draw::TileSize{rows.value(), elements.value() / rows.value()};
}

Result<draw::Picture> copy_picture(const cute::TiledCopy& copy, draw::PictureOptions options) {
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

Result<draw::Picture> mma_picture(const cute::TiledMma& mma, const draw::PictureOptions& options) {
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

/// The picture of values that map threads to elements: a thread-value layout with its tile, both
/// sides of a tiled copy, the operands of an MMA; nullopt for other values.
Result<std::optional<draw::Picture>> thread_picture(const Value& value,
                                                    const draw::PictureOptions& options) {
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

// Combinations of options.

bool shows_threads(const PictureRequest& request) { return request.tv || request.mma; }

Refusal refuse_lone(std::string_view option, std::string_view needed) {
  return refuse("usage.option", fmt::format("{} goes with {}", option, needed));
}

/// Refuses options that lack the options they need, or that conflict.
Result<void> check_together(const PictureRequest& request) {
  if (request.tv && request.mma)
    return refuse("usage.option", "tv draws one layout and mma three; one of them is needed");
  if (request.tile && !request.tv) return refuse_lone("tile", "tv");
  if (shows_threads(request) && (request.options.banks || request.options.element_bits))
    return refuse("usage.option", "threads have no banks: banks goes without tv and mma");
  return {};
}

bool is_memory_view(const PictureRequest& request) { return request.view == "memory"; }

/// Refuses options that only a linear or an Axe layout, or thread pictures, take.
Result<void> check_not_linear(const PictureRequest& request) {
  const bool is_alone = !shows_threads(request);
  const bool is_memory = is_memory_view(request);
  const std::tuple<std::string_view, std::string_view, bool> lone[] = {
      {"thread", "tv or mma", is_alone && request.options.thread},
      {"element", "tv or mma", is_alone && request.options.element},
      {"view", "one layout", request.view.has_value() && !is_alone},
      {"slice", "a linear layout", !request.options.slice.empty()},
      {"by", "a linear or an Axe layout, or the view of a memory",
       request.options.color_by.has_value() && !is_memory},
      {"shape", "an Axe layout or an encoding", !request.options.shape.empty()},
  };
  for (const auto& [name, needed, is_given] : lone) {
    if (is_given) return refuse_lone(name, needed);
  }
  return {};
}

/// Refuses options that do not apply to an Axe layout.
Result<void> check_axe(const PictureRequest& request) {
  const std::pair<std::string_view, bool> others[] = {
      {"tv", request.tv},
      {"tile", request.tile.has_value()},
      {"thread", request.options.thread.has_value()},
      {"slice", !request.options.slice.empty()},
      {"banks", request.options.banks.has_value()},
      {"element_bits", request.options.element_bits.has_value()},
  };
  for (const auto& [name, is_given] : others) {
    if (is_given)
      return refuse("usage.option", fmt::format("{} says nothing of an Axe layout", name));
  }
  return {};
}

/// The refusal of a tile for a value that has its own.
Refusal refuse_tile(const Value& value) {
  return refuse(Diagnostic("usage.option", fmt::format("tile gives a layout its tile; {} knows it",
                                                       kind_name(value)))
                    .with_hint("leave tile out"));
}

// Options of the pictures.

/// The options for a layout with one index per cell.
draw::PictureOptions options_of(const PictureRequest& request) {
  draw::PictureOptions options = request.options;
  if (request.all) options.max_cells = draw::kMaxCells + 1;
  options = notation::options_for(request.format, std::move(options));
  options.facts = options.facts && request.facts.value_or(true);
  return options;
}

/// The options for a layout on named axes, whose wider cells let fewer fit on a terminal.
draw::PictureOptions named_options_of(const PictureRequest& request) {
  constexpr std::size_t kTerminalCells = std::size_t{1} << 10;
  draw::PictureOptions options = options_of(request);
  if (request.format == PictureFormat::kText && !options.max_cells)
    options.max_cells = kTerminalCells;
  return options;
}

Result<draw::PictureOptions> tv_options(const PictureRequest& request) {
  const auto& element = request.options.element;
  if (!element || element->size() == 1 || element->size() == 2) return options_of(request);
  return refuse("usage.option", fmt::format("element is '{}'; an element is needed, as 3,4 or 35",
                                            fmt::join(*element, ",")));
}

/// The index of the view that the text names, the first by default; refuses `usage.option`.
Result<std::size_t> view_among(const std::optional<std::string>& text,
                               std::initializer_list<std::string_view> views,
                               std::string_view needed) {
  const auto found = text ? std::ranges::find(views, *text) : views.begin();
  if (found != views.end()) return static_cast<std::size_t>(found - views.begin());
  return refuse("usage.option", fmt::format("view is {}; {} is needed", quote(*text), needed));
}

// Linear layouts.

/// The element type of `tensor<8x4xf16, …>`, which follows the last x of the sizes.
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

Result<std::optional<draw::Picture>> encoding_picture(const Drawn& drawn,
                                                      const PictureRequest& request);

/// Adds what the text of a type states besides its layout.
void add_type(const Expression* expression, const linear::LinearLayout& layout,
              draw::PictureOptions& options) {
  const auto* literal =
      expression == nullptr ? nullptr : std::get_if<TritonLiteral>(&expression->node);
  if (literal == nullptr) return;
  const std::string_view text = literal->text;
  if (!text.starts_with('!') && !text.starts_with("tensor<")) return;
  options.title = std::string(text);
  const bool has_bits = options.element_bits.has_value() || !layout.has_in_dim("offset");
  if (!has_bits) options.element_bits = element_bit_width(element_type(text));
}

/// The picture of a linear layout; nullopt for other values.
Result<std::optional<draw::Picture>> linear_picture(const Drawn& drawn,
                                                    const PictureRequest& request) {
  if (drawn.value.is<linear::Encoding>()) return encoding_picture(drawn, request);
  const auto* layout = drawn.value.get_if<linear::LinearLayout>();
  if (layout == nullptr) return std::nullopt;
  if (request.tile) return refuse_tile(drawn.value);
  if (!request.options.shape.empty()) return refuse_lone("shape", "an Axe layout or an encoding");
  HEDDLE_TRY(const std::size_t view, view_among(request.view, {"tensor", "hardware", "matrix"},
                                                "tensor, hardware or matrix"));
  draw::PictureOptions options = named_options_of(request);
  constexpr std::size_t kTerminalOwners = 2;
  if (request.format == PictureFormat::kText) options.owners = kTerminalOwners;
  add_type(drawn.expression, *layout, options);
  if (view == 1) return draw::hardware_picture(*layout, options);
  return view == 2 ? draw::matrix_picture(*layout, options)
                   : draw::tensor_picture(*layout, options);
}

/// The picture of an encoding on a tensor of the shape that is given, or of the smallest that it
/// covers, which a note says.
Result<std::optional<draw::Picture>> encoding_picture(const Drawn& drawn,
                                                      const PictureRequest& request) {
  const auto& encoding = drawn.value.get<linear::Encoding>();
  linear::Sizes shape = request.options.shape;
  const bool is_assumed = shape.empty();
  if (is_assumed) {
    HEDDLE_TRY(shape, linear::smallest_shape(encoding));
  }
  HEDDLE_TRY(linear::LinearLayout layout, linear::to_linear_layout(encoding, shape));
  PictureRequest of_layout = request;
  of_layout.options.shape.clear();
  if (!of_layout.options.title) of_layout.options.title = to_string(drawn.value);
  HEDDLE_TRY(auto picture, linear_picture({Value(std::move(layout))}, of_layout));
  const std::string sizes = fmt::format("{}", fmt::join(shape, " x "));
  picture->notes.push_back(
      is_assumed ? fmt::format("the shape {} is assumed, the smallest tensor that the encoding "
                               "covers: shape gives another",
                               sizes)
                 : fmt::format("on a tensor of {}", sizes));
  return picture;
}

// Axe layouts.

/// A layout and its tensor.
struct DrawnAxe {
  axe::Layout layout;
  std::vector<std::int64_t> shape;
  std::string title;
  /// The default view.
  std::string view = "tensor";
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
  DrawnAxe drawn{sharded->layout, {}, axe::to_string(*sharded), "devices"};
  for (const Int& extent : sharded->shape) {
    if (extent.is_constant()) drawn.shape.push_back(extent.value());
  }
  return drawn;
}

/// The picture of an Axe layout, of a tensor over a mesh (showing its devices), or of a mesh
/// itself; nullopt for other values.
Result<std::optional<draw::Picture>> axe_picture(const Value& value, const PictureRequest& request,
                                                 const Environment& environment) {
  const bool is_axe = value.is<axe::Layout>() || value.is<axe::Mesh>() || value.is<axe::Sharded>();
  if (!is_axe) return std::nullopt;
  HEDDLE_CHECK(check_axe(request));
  HEDDLE_TRY(const std::optional<DrawnAxe> drawn, drawn_of(value));
  HEDDLE_TRY(const std::size_t view,
             view_among(request.view.value_or(drawn->view), {"tensor", "hardware", "devices"},
                        "of an Axe layout tensor, hardware or devices"));
  draw::PictureOptions options = named_options_of(request);
  const axe::AxisTable& axes = environment.axes();
  if (options.shape.empty()) options.shape = drawn->shape;
  if (!drawn->title.empty()) options.title = drawn->title;
  if (view == 1) return draw::hardware_picture(drawn->layout, options, axes);
  return view == 2 ? draw::device_picture(drawn->layout, options, axes)
                   : draw::tensor_picture(drawn->layout, options, axes);
}

/// The picture of a linear or an Axe layout; nullopt for others, for which it refuses the options
/// of linear ones.
Result<std::optional<draw::Picture>> named_axes_picture(const Drawn& drawn,
                                                        const PictureRequest& request,
                                                        const Environment& environment) {
  HEDDLE_TRY(auto linear, linear_picture(drawn, request));
  if (linear) return linear;
  HEDDLE_TRY(auto axe, axe_picture(drawn.value, request, environment));
  if (!axe) HEDDLE_CHECK(check_not_linear(request));
  return axe;
}

// One layout, or three.

Result<draw::Picture> tv_picture(const Value& value, const PictureRequest& request) {
  HEDDLE_TRY(const draw::PictureOptions wanted, tv_options(request));
  if (!request.tile) {
    HEDDLE_TRY(auto picture, thread_picture(value, wanted));
    if (picture) return *std::move(picture);
  }
  const bool has_tile =
      value.is<cute::TiledCopy>() || value.is<cute::TiledMma>() || value.is<cute::MmaAtom>();
  if (has_tile) return refuse_tile(value);
  HEDDLE_TRY(const cute::AnyLayout layout, layout_of(value));
  if (request.tile) {
    const linear::Sizes& sizes = *request.tile;
    if (sizes.size() == 2) return draw::tv_picture(layout, {sizes[0], sizes[1]}, wanted);
    return refuse("usage.option",
                  fmt::format("tile is '{}'; MxN is needed, as 16x8", fmt::join(sizes, "x")));
  }
  HEDDLE_TRY(const draw::TileSize tile, draw::inferred_tile(layout));
  HEDDLE_TRY(draw::Picture picture, draw::tv_picture(layout, tile, wanted));
  picture.notes.push_back(
      fmt::format("the tile is inferred: --tile {}x{}", tile.rows, tile.columns));
  return picture;
}

/// Each place of a memory with the elements in it.
Result<draw::Picture> memory_picture(const Value& value, const PictureRequest& request) {
  draw::PictureOptions options = named_options_of(request);
  if (const auto* relation = value.get_if<map::IntegerRelation>())
    return draw::memory_picture(*relation, options);
  HEDDLE_TRY(const auto boxed, convert<map::AnyLayout>(value));
  if (!boxed) {
    return refuse("call.type",
                  fmt::format("draw is given {}; a layout is needed", kind_name(value)));
  }
  HEDDLE_TRY(const map::View view, map::view(Reader<map::AnyLayout>::read(*boxed), options.limits));
  if (!options.title) options.title = to_string(value);
  return draw::memory_picture(view, options);
}

Result<draw::Picture> plain_picture(const Drawn& drawn, const PictureRequest& request,
                                    const Environment& environment) {
  HEDDLE_TRY(const Value value, with_pieces(drawn.value));
  HEDDLE_TRY(const std::size_t direction,
             view_among(request.view, {"tensor", "memory"}, "of such a layout tensor or memory"));
  if (direction == 1) return memory_picture(value, request);
  const draw::PictureOptions options = options_of(request);
  HEDDLE_TRY(auto picture, thread_picture(value, options));
  if (picture) return *std::move(picture);
  if (const auto* lego = value.get_if<lego::Layout>()) return draw::picture(*lego, options);
  if (const auto* relation = value.get_if<map::IntegerRelation>()) {
    return draw::picture(*relation, options);
  }
  if (const auto* table = value.get_if<form::Table>()) {
    HEDDLE_TRY(const map::View view, map::view(*table));
    return draw::picture(view, options);
  }
  const bool has_banks = options.banks || options.element_bits;
  const auto* tensor = value.get_if<cute::Tensor>();
  if (has_banks && tensor != nullptr) return draw::picture(*tensor, options);
  HEDDLE_TRY(const cute::AnyLayout layout, layout_of(value));
  const bool has_operands = drawn.expression != nullptr && !request.result_only && !has_banks;
  const auto call = has_operands ? call_of(*drawn.expression, environment) : std::nullopt;
  if (!call) return draw::picture(layout, options);
  HEDDLE_TRY(const auto application, application_of(*call, environment, layout));
  return application ? draw::picture(*application, options) : draw::picture(layout, options);
}

/// The owners of the operands of an instruction; nullopt for other values.
Result<std::optional<draw::Picture>> owners_picture(const Drawn& drawn,
                                                    const PictureRequest& request,
                                                    const Environment& environment) {
  if (!drawn.value.is<Report>()) return std::nullopt;
  HEDDLE_TRY(const auto instruction, instruction_of(drawn.expression, environment));
  if (!instruction) return std::nullopt;
  if (request.tile) return refuse_tile(drawn.value);
  PictureRequest of_threads = request;
  of_threads.tv = true;
  HEDDLE_CHECK(check_together(of_threads));
  HEDDLE_CHECK(check_not_linear(of_threads));
  HEDDLE_TRY(const draw::PictureOptions options, tv_options(request));
  return instruction_picture(*instruction, options);
}

Result<draw::Picture> picture_of(const Drawn& drawn, const PictureRequest& request,
                                 const Environment& environment) {
  HEDDLE_TRY(auto owners, owners_picture(drawn, request, environment));
  if (owners) return *std::move(owners);
  HEDDLE_TRY(auto named, named_axes_picture(drawn, request, environment));
  if (named) return *std::move(named);
  return request.tv ? tv_picture(drawn.value, request) : plain_picture(drawn, request, environment);
}

/// Lists of numbers as a table, isl's text as a relation; any other value unchanged.
Result<Value> with_tables(const Value& value) {
  const bool may_be_table = value.is<cute::Tiler>() || value.is<TupleList>() || value.is<Datum>() ||
                            value.is<std::string>();
  if (!may_be_table) return value;
  HEDDLE_TRY(const std::optional<Value> layout, as_any_layout(value));
  return layout.value_or(value);
}

/// Evaluates a text as an expression; returns any other value unchanged.
Result<Value> evaluated(const Value& layout, const Environment& environment) {
  const auto* text = layout.get_if<std::string>();
  return text == nullptr ? layout : evaluate(*text, environment);
}

Result<draw::Picture> mma_picture(const std::vector<Value>& layouts, const PictureRequest& request,
                                  const Environment& environment) {
  HEDDLE_CHECK(check_not_linear(request));
  HEDDLE_TRY(const draw::PictureOptions wanted, tv_options(request));
  const linear::Sizes& sizes = *request.mma;
  if (sizes.size() != 3) {
    return refuse("usage.option",
                  fmt::format("mma is '{}'; M,N,K is needed, as 16,8,8", fmt::join(sizes, ",")));
  }
  std::vector<cute::AnyLayout> operands;
  for (const Value& layout : layouts) {
    HEDDLE_TRY(const Value value, evaluated(layout, environment));
    HEDDLE_TRY(cute::AnyLayout operand, layout_of(value));
    operands.push_back(std::move(operand));
  }
  return draw::mma_picture({operands[0], operands[1], operands[2], sizes[0], sizes[1], sizes[2]},
                           wanted);
}

/// In the order of PictureFormat.
constexpr std::array<std::string_view, 5> kFormats = {"text", "svg", "html", "latex", "json"};

std::size_t cell_count(const draw::Picture& picture) {
  std::size_t count = 0;
  for (const draw::Panel& panel : picture.panels) count += panel.cells.size();
  return count;
}

/// What `drawn` draws, without facts if the cells are many. How many there are is known only when
/// they are drawn, and facts cost more than all else.
Result<draw::Picture> with_facts(
    PictureRequest request,
    const std::function<Result<draw::Picture>(const PictureRequest&)>& drawn) {
  const std::size_t most = request.all ? draw::kMaxCells : request.options.max_cells.value_or(0);
  const bool has_facts = options_for(request.format, {}).facts;
  if (!has_facts || request.facts || most <= kMaxCellsWithFacts) return drawn(request);
  request.facts = false;
  HEDDLE_TRY(draw::Picture picture, drawn(request));
  if (cell_count(picture) > kMaxCellsWithFacts) return picture;
  request.facts = true;
  return drawn(request);
}

}  // namespace

std::string_view name_of(PictureFormat format) {
  return kFormats[static_cast<std::size_t>(format)];
}

std::optional<PictureFormat> find_picture_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name);
  if (found == kFormats.end()) return std::nullopt;
  return static_cast<PictureFormat>(found - kFormats.begin());
}

std::string to_text(const draw::Picture& picture, PictureFormat format,
                    const draw::TerminalStyle& style) {
  switch (format) {
    case PictureFormat::kSvg:
      return to_svg(picture);
    case PictureFormat::kHtml:
      return to_html(picture);
    case PictureFormat::kLatex:
      return to_latex(picture);
    case PictureFormat::kJson:
      return to_string(to_datum(picture));
    case PictureFormat::kText:
      break;
  }
  return to_terminal(picture, style);
}

draw::PictureOptions options_for(PictureFormat format, draw::PictureOptions options) {
  constexpr std::size_t kTexCells = std::size_t{1} << 12;
  options.facts = format == PictureFormat::kHtml || format == PictureFormat::kJson;
  options.elements = options.facts;
  if (format == PictureFormat::kLatex && !options.max_cells) options.max_cells = kTexCells;
  return options;
}

Result<draw::Picture> picture_of(const std::vector<Value>& layouts, const PictureRequest& request,
                                 const Environment& environment) {
  HEDDLE_CHECK(check_together(request));
  const std::size_t needed = request.mma ? 3 : 1;
  if (layouts.size() != needed) {
    return refuse("call.arity", fmt::format("the picture is of {} layout{}, not of {}", needed,
                                            needed == 1 ? "" : "s", layouts.size()));
  }
  if (request.mma) {
    return with_facts(request, [&](const PictureRequest& made) {
      return mma_picture(layouts, made, environment);
    });
  }
  HEDDLE_TRY(const Value value, with_tables(layouts.front()));
  const auto* text = value.get_if<std::string>();
  if (text == nullptr) {
    return with_facts(request, [&](const PictureRequest& made) {
      return picture_of(Drawn{value}, made, environment);
    });
  }
  HEDDLE_TRY(const Expression expression, parse_expression(*text));
  return picture_of(expression, request, environment);
}

Result<draw::Picture> picture_of(const Expression& expression, const PictureRequest& request,
                                 const Environment& environment) {
  HEDDLE_CHECK(check_together(request));
  HEDDLE_TRY(const Value value, evaluate(expression, environment));
  HEDDLE_TRY(const Value layout, with_tables(value));
  return with_facts(request, [&](const PictureRequest& made) {
    return picture_of(Drawn{layout, &expression}, made, environment);
  });
}

}  // namespace heddle::notation

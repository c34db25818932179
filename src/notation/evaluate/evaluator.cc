#include "heddle/notation/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/cute/atoms.h"
#include "heddle/cute/partition.h"
#include "heddle/notation/analyses.h"
#include "heddle/notation/assume.h"
#include "heddle/notation/linear.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/triton.h"
#include "notation/evaluate/declared_axes.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/comparators.h"
#include "notation/language/free_names.h"
#include "notation/operations/any_layout.h"
#include "notation/operations/axe_arithmetic.h"
#include "notation/operations/lego_arguments.h"
#include "notation/operations/tuples.h"
#include "notation/value/value_data.h"

namespace heddle::notation {

namespace {

using cute::AnyLayout;
using cute::Basis;
using cute::ComposedLayout;
using cute::Coordinate;
using cute::Layout;
using cute::Stride;
using cute::StrideTuple;
using cute::Swizzle;
using cute::Tiler;

template <class T>
Result<Value> to_value(Result<T> result) {
  if (!result) return refuse(std::move(result).error());
  return Value(*std::move(result));
}

/// The diagnostic about a piece of the text, its place that in the whole.
Diagnostic within(Diagnostic diagnostic, Span piece) {
  if (!diagnostic.span()) return std::move(diagnostic).with_span(piece);
  const Span inner = *diagnostic.span();
  return std::move(diagnostic).with_span({piece.begin + inner.begin, piece.begin + inner.end});
}

Result<Datum> datum(const Value& value, std::string_view what, Span span) {
  if (auto data = as_datum(value)) return *std::move(data);
  return wrong_kind(what, value, "a number, a text, a list or an object", span);
}

struct CuteName {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view kCopyAtom =
    "it is called copy_atom(INSTRUCTION, VALUE_BITS), as in copy_atom(SM75_U32x4_LDSM_N, 16)";
constexpr std::string_view kTakesThread =
    "partition_A(MMA, TENSOR, THREAD), partition_S(COPY, TENSOR, THREAD) take the thread's index";

// What CuTe calls otherwise, or what this version writes otherwise.
constexpr std::array kCuteNames = {
    CuteName{"group_modes", "it is called group(L, BEGIN, END)"},
    CuteName{"X", "write '_': the projection Step<_1,X,_1> is (1,_,1)"},
    CuteName{"Step", "write the projection with '_' for X: (1,_,1)"},
    CuteName{"make_tiled_copy_tv", "it is called make_tiled_copy(ATOM, THREADS, VALUES)"},
    CuteName{"retile_S", "it is called retile(COPY, FRAGMENT)"},
    CuteName{"retile_D", "it is called retile(COPY, FRAGMENT)"},
    CuteName{"get_slice", kTakesThread},
    CuteName{"get_thread_slice", kTakesThread},
    CuteName{"partition_fragment_A", "its shape is partition_shape_A(MMA, SHAPE)"},
    CuteName{"partition_fragment_B", "its shape is partition_shape_B(MMA, SHAPE)"},
    CuteName{"partition_fragment_C", "its shape is partition_shape_C(MMA, SHAPE)"},
    CuteName{"MMA_Atom", "an atom is named, SM80_16x8x16_F32F16F16F32_TN, or made by mma_atom_of"},
    CuteName{"Copy_Atom", kCopyAtom},
    CuteName{"make_copy_atom", kCopyAtom},
    CuteName{"UniversalCopy", "it is called universal_copy(BITS, VALUE_BITS)"},
    CuteName{"TiledMMA", "it is called make_tiled_mma(ATOM, ATOM_LAYOUT, PERMUTATION)"},
    CuteName{"TiledCopy", "it is called make_tiled_copy(ATOM, THREADS, VALUES)"},
    CuteName{"print_layout", "table(L) lists the indices; the statement draw L shows them"},
    CuteName{"print_latex", "the statement draw L to \"FILE.svg\" writes a picture"},
};

/// CuTe's orders of modes, by their names of today and of before.
std::optional<cute::Major> major_called(std::string_view name) {
  if (name == "LayoutLeft" || name == "GenColMajor") return cute::Major::kColumn;
  if (name == "LayoutRight" || name == "GenRowMajor") return cute::Major::kRow;
  return std::nullopt;
}

/// What helps whoever knows the name from CuTe; empty for other names.
std::string hint_for_cute_name(std::string_view name) {
  const auto found = std::ranges::find(kCuteNames, name, &CuteName::name);
  if (found != kCuteNames.end()) return std::string(found->hint);
  constexpr std::string_view kGet = "get_";
  if (!name.starts_with(kGet)) return {};
  const Operation* operation = find_operation(name.substr(kGet.size()));
  return operation == nullptr ? std::string() : "it is called " + signature(*operation);
}

AnyLayout any_layout(const Value& value) {
  if (const auto* layout = value.get_if<Layout>()) return *layout;
  return value.get<ComposedLayout>();
}

}  // namespace

Result<Value> Evaluator::observed(const Operation& operation, std::span<const Argument> arguments,
                                  Result<Value> value) const {
  if (observer_ != nullptr) (*observer_)(operation, arguments, value);
  return value;
}

const CallContext& Evaluator::context() const {
  if (!context_) {
    context_ = environment_.context();
    context_->decide.limits = context_->decide.limits.begun();
  }
  return *context_;
}

Result<Value> Evaluator::observed_call(std::string_view name,
                                       std::span<const Argument> arguments) const {
  const Operation& operation = *find_operation(name, arguments);
  return observed(operation, arguments, call(operation, arguments, context()));
}

Result<Evaluator::Parts> Evaluator::all(const std::vector<Expression>& expressions,
                                        Grouping grouping) const {
  Parts values;
  values.reserve(expressions.size());
  for (const Expression& expression : expressions) {
    HEDDLE_TRY(Value value, run(expression, grouping));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Int> Evaluator::integer(const Expression& expression, std::string_view what) const {
  HEDDLE_TRY(const Value value, run(expression));
  HEDDLE_TRY(const std::optional<Value> converted, convert(value, Kind::kInteger));
  if (!converted) return wrong_kind(what, value, "an integer", expression.span);
  return converted->get<IntTuple>().leaf();
}

namespace {

/// What helps with a name that resembles no other: it may be a number of which nothing is assumed.
std::string hint_for_new_name(std::string_view name, Use use) {
  if (name.starts_with("_Z") || name.starts_with("N4cute") || name.starts_with("N7cutlass")) {
    return "this is a mangled name: c++filt first";
  }
  constexpr std::size_t kLongestNumber = 8;
  if (use == Use::kCall || name.size() > kLongestNumber) return {};
  const bool is_lower_case = std::ranges::none_of(name, is_capital);
  return fmt::format("if it is a number, say what is known of it: --assume '{}>={}'", name,
                     is_lower_case ? 0 : 1);
}

}  // namespace

Refusal Evaluator::unknown_name(std::string_view name, Span span, Use use) const {
  if (name.starts_with('#')) {
    return refuse(Diagnostic("name.unknown", fmt::format("no encoding is called {}", quote(name)))
                      .with_span(span)
                      .with_hint(fmt::format("say what it is: {} = #ttg.blocked<{{…}}>; a comment "
                                             "has a space after its #",
                                             name)));
  }
  Diagnostic diagnostic("name.unknown", fmt::format("nothing is called {}", quote(name)));
  if (std::string hint = hint_for_cute_name(name); !hint.empty()) {
    return refuse(std::move(diagnostic).with_hint(std::move(hint)).with_span(span));
  }
  std::vector<std::string> names;
  for (const auto& [bound, value] : environment_.values()) names.push_back(bound);
  for (const Operation& operation : operations()) names.push_back(operation.name);
  std::ranges::move(cute::mma_atom_names(), std::back_inserter(names));
  std::ranges::move(cute::copy_atom_names(), std::back_inserter(names));
  const std::vector<std::string> nearest = nearest_names(name, names);
  std::string hint = nearest.empty() ? hint_for_new_name(name, use)
                                     : fmt::format("did you mean {}?", fmt::join(nearest, " or "));
  if (!hint.empty()) diagnostic = std::move(diagnostic).with_hint(std::move(hint));
  return refuse(std::move(diagnostic).with_span(span));
}

Result<Value> Evaluator::visit(const Reference& reference, const Expression& expression,
                               Grouping) const {
  if (const Value* value = find(reference.name)) return *value;
  const Bindings& assumed = environment_.assumptions().variables();
  if (const auto found = assumed.find(reference.name); found != assumed.end()) {
    return Value(found->second);
  }
  if (reference.name == "true" || reference.name == "True") return Value(true);
  if (reference.name == "false" || reference.name == "False") return Value(false);
  if (const auto major = major_called(reference.name)) return Value(*major);
  if (const Operation* operation = find_operation(reference.name)) {
    return refuse(Diagnostic("call.arity",
                             fmt::format("{} is an operation and needs arguments", reference.name))
                      .with_span(expression.span)
                      .with_hint("it is called as " + signature(*operation)));
  }
  if (sizes_.contains(reference.name)) {
    return Value(environment_.assumptions().variable(reference.name));
  }
  if (auto atom = cute::find_mma_atom(reference.name)) return Value(*std::move(atom));
  if (auto atom = cute::find_copy_atom(reference.name)) return Value(*std::move(atom));
  for (const std::string& name : inverse_names(reference.name)) {
    if (const Value* value = find(name)) return *value;
  }
  if (auto named = named_permutation(reference.name)) return Value(*std::move(named));
  return unknown_name(reference.name, expression.span, Use::kValue);
}

Result<Value> Evaluator::visit(const Parentheses&, const Expression& expression,
                               Grouping grouping) const {
  if (grouping != Grouping::kTuples && !is_tuple(expression)) return run(expression.parts.front());
  HEDDLE_TRY(const Parts parts, all(expression.parts, grouping));
  if (parts.size() == 2 && parts[0].is_integer() && parts[1].is<AxisStep>()) {
    const auto& step = parts[1].get<AxisStep>();
    return Value(axe::Iter{parts[0].get<IntTuple>().leaf(), step.value, step.axis});
  }
  // Names make it a list, as Python writes pairs: ("dim0", 16).
  const bool is_list = std::ranges::any_of(
      parts, [](const Value& part) { return part.is<std::string>() || part.is<Datum>(); });
  if (!is_list) return at(tuple_of(parts), expression.span);
  HEDDLE_CHECK(at(check_parts("the list", parts), expression.span));
  return list_of_data(parts, expression.parts);
}

Result<Value> Evaluator::visit(const TilerLiteral&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Parts parts, all(expression.parts, Grouping::kUsual));
  HEDDLE_CHECK(at(check_parts("the tiler", parts), expression.span));
  std::vector<Tiler> modes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    HEDDLE_TRY(const std::optional<Value> tile, convert(parts[i], Kind::kTiler));
    if (!tile) {
      return wrong_kind("a mode of a tiler", parts[i], "a layout, a size or '_'",
                        expression.parts[i].span);
    }
    modes.push_back(tile->get<Tiler>());
  }
  return Value(Tiler::of(modes));
}

Result<Value> Evaluator::list_of_data(const Parts& parts,
                                      const std::vector<Expression>& expressions) {
  Datum::List list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    HEDDLE_TRY(Datum item, datum(parts[i], "a part of a list", expressions[i].span));
    list.push_back(std::move(item));
  }
  return Value(Datum(std::move(list)));
}

/// A tiler where all parts are tiles; else a list of names, numbers and lists.
Result<Value> Evaluator::visit(const ListLiteral&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Parts parts, all(expression.parts, Grouping::kUsual));
  HEDDLE_CHECK(at(check_parts("the list", parts), expression.span));
  const bool are_iters = std::ranges::all_of(parts, &Value::is<axe::Iter>);
  if (are_iters && !parts.empty()) {
    IterList iters;
    for (const Value& part : parts) iters.push_back(part.get<axe::Iter>());
    return Value(std::move(iters));
  }
  std::vector<Tiler> modes;
  for (const Value& part : parts) {
    HEDDLE_TRY(const std::optional<Value> tile, convert(part, Kind::kTiler));
    if (tile) modes.push_back(tile->get<Tiler>());
  }
  if (!parts.empty() && modes.size() == parts.size()) return Value(Tiler::of(modes));
  return list_of_data(parts, expression.parts);
}

Result<Value> Evaluator::visit(const ObjectLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const Parts parts, all(expression.parts, Grouping::kUsual));
  HEDDLE_CHECK(at(check_parts("the object", parts), expression.span));
  Datum::Fields fields;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    HEDDLE_TRY(Datum item, datum(parts[i], "a field of an object", expression.parts[i].span));
    fields.emplace_back(node.names[i], std::move(item));
  }
  return at(value_of(Datum(std::move(fields))), expression.span);
}

Result<Value> Evaluator::visit(const TritonLiteral& literal, const Expression& expression,
                               Grouping) const {
  Result<Value> value = read_triton(literal.text);
  if (!value) return refuse(within(std::move(value).error(), expression.span));
  return value;
}

/// An attribute is an encoding, a type the layout of its tensor.
Result<Value> Evaluator::read_triton(std::string_view text) const {
  const Aliases aliases = [this](std::string_view name) -> const linear::Encoding* {
    const Value* bound = find(name);
    return bound == nullptr ? nullptr : bound->get_if<linear::Encoding>();
  };
  // Where a buffer lies is no layout, but it has an alias like one.
  if (text.ends_with(".shared_memory") || text.ends_with(".tensor_memory")) {
    return Value(std::string(text));
  }
  if (text.starts_with('#')) return to_value(parse_encoding(text, aliases));
  if (!text.starts_with('!') && !text.starts_with("tensor<")) {
    return to_value(parse_printed_layout(text));
  }
  HEDDLE_TRY(const TensorType type, parse_tensor_type(text, aliases));
  return to_value(to_linear_layout(type));
}

namespace {

/// `Axis`, `T.Axis`: what TVM's axes are members of.
bool is_axis_class(const Expression& expression) {
  if (const auto* member = std::get_if<Member>(&expression.node)) return member->name == "Axis";
  const auto* reference = std::get_if<Reference>(&expression.node);
  return reference != nullptr && reference->name == "Axis";
}

}  // namespace

/// A method is called on what stands in front of it, where that is a value; the name of a module or
/// a class, gl.BlockedLayout or LinearLayout.from_bases, says nothing.
Result<Value> Evaluator::visit(const Member& node, const Expression& expression, Grouping) const {
  if (is_axis_class(expression.parts.front())) return Value(std::string(node.name));
  return refuse_at(Diagnostic("call.arity", fmt::format("{} is not called", quote(node.name)))
                       .with_hint(fmt::format("write {}()", node.name)),
                   expression.span);
}

bool Evaluator::is_module(const Expression& expression) const {
  if (std::holds_alternative<Member>(expression.node)) return is_module(expression.parts.front());
  const auto* reference = std::get_if<Reference>(&expression.node);
  return reference != nullptr && find(reference->name) == nullptr &&
         !reference->name.starts_with('#');
}

Result<Value> Evaluator::visit(const LayoutLiteral&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Value shape, run(expression.parts[0], Grouping::kTuples));
  if (!shape.is<IntTuple>()) {
    return wrong_kind("the shape before ':'", shape, "an integer or a tuple",
                      expression.parts[0].span);
  }
  if (expression.parts.size() == 1) {
    HEDDLE_TRY(Layout layout, at(cute::make_layout(shape.get<IntTuple>()), expression.span));
    return Value(std::move(layout));
  }
  HEDDLE_TRY(const Value stride, run(expression.parts[1], Grouping::kTuples));
  if (!stride.is<IntTuple>() && !stride.is<StrideTuple>()) {
    return wrong_kind("the stride behind ':'", stride, "an integer or a tuple",
                      expression.parts[1].span);
  }
  HEDDLE_TRY(Layout layout,
             at(cute::make_layout(shape.get<IntTuple>(), strides_of(stride)), expression.span));
  return Value(std::move(layout));
}

Result<Value> Evaluator::visit(const OnTile&, const Expression& expression, Grouping) const {
  const Span span = expression.parts[0].span;
  HEDDLE_TRY(const Value given, run(expression.parts[0]));
  HEDDLE_TRY(const std::optional<Value> layout, at(convert(given, Kind::kLayout), span));
  if (!layout) return wrong_kind("what has a tile", given, "a layout (thread,value)", span);
  HEDDLE_TRY(const Value size, run(expression.parts[1]));
  HEDDLE_TRY(const std::optional<Value> tile, convert(size, Kind::kTiler));
  if (!tile) {
    return wrong_kind("the tile", size, "a shape or a tiler", expression.parts[1].span);
  }
  HEDDLE_TRY(cute::TvLayout tv, at(cute::on_tile(layout->get<Layout>(), tile->get<Tiler>()), span));
  return Value(std::move(tv));
}

/// A number that only the running program knows: an unknown of its own. In a shape or a stride it
/// is a size; elsewhere it may be a coordinate and so 0. What is assumed of its name, D0 for the
/// first, holds of it instead.
Result<Value> Evaluator::visit(const DynamicLiteral& literal, const Expression& expression,
                               Grouping grouping) const {
  const std::int64_t low = grouping == Grouping::kTuples ? 1 : 0;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::string& name = unknowns_.at(&expression);
  const Bindings& assumed = environment_.assumptions().variables();
  const auto found = assumed.find(name);
  const Int unknown =
      found == assumed.end() ? Int::variable(name, low, kMax / literal.divisor) : found->second;
  HEDDLE_TRY(
      const Int number,
      at(check_defined(literal.divisor * unknown, "a number that is not known"), expression.span));
  return Value(number);
}

Result<Value> Evaluator::visit(const PointerLiteral& node, const Expression& expression,
                               Grouping) const {
  cute::Pointer pointer;
  pointer.space = node.space;
  pointer.bits = node.bits;
  pointer.address = std::string(node.address);
  pointer.is_subbyte = node.is_subbyte;
  if (!expression.parts.empty()) {
    HEDDLE_TRY(const Value swizzle, run(expression.parts.front()));
    pointer.swizzle = swizzle.get<Swizzle>();
  }
  return Value(cute::Engine(std::move(pointer)));
}

Result<std::array<int, 3>> Evaluator::swizzle_numbers(const Expression& expression) const {
  std::array<int, 3> numbers = {};
  for (std::size_t i = 0; i < 3; ++i) {
    HEDDLE_TRY(const Int number, integer(expression.parts[i], "a number of a swizzle"));
    if (!number.is_constant()) {
      return refuse_at(Diagnostic("swizzle.parameters",
                                  fmt::format("the numbers of a swizzle are constants, not {}",
                                              to_string(number))),
                       expression.parts[i].span);
    }
    // Beyond a byte every number is wrong alike.
    constexpr std::int64_t kMost = 1000;
    numbers[i] = static_cast<int>(std::clamp(number.value(), -kMost, kMost));
  }
  return numbers;
}

Result<Value> Evaluator::visit(const SwizzleLiteral&, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const auto numbers, swizzle_numbers(expression));
  HEDDLE_TRY(const Swizzle swizzle,
             at(Swizzle::make(numbers[0], numbers[1], numbers[2]), expression.span));
  return Value(swizzle);
}

Result<Value> Evaluator::visit(const TvmSwizzleLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const auto numbers, swizzle_numbers(expression));
  HEDDLE_TRY(
      axe::Swizzle swizzle,
      at(axe::Swizzle::make(numbers[0], numbers[1], numbers[2], node.is_inner), expression.span));
  return Value(std::move(swizzle));
}

/// In strict mode refuses axes that nothing declares.
Result<Value> Evaluator::checked(Result<Value> value, Span span) const {
  if (value && environment_.is_strict()) {
    HEDDLE_CHECK(at(check_axes(*value, environment_.axes()), span));
  }
  return value;
}

/// A step along the axis; a swizzle of it.
Result<Value> Evaluator::visit(const OnAxis& node, const Expression& expression, Grouping) const {
  const Expression& scale = expression.parts.front();
  const Span name{scale.span.end, expression.span.end};
  HEDDLE_TRY(const Value value, run(scale));
  if (const auto* swizzle = value.get_if<axe::Swizzle>()) {
    axe::Swizzle placed = *swizzle;
    placed.axis = Axis(node.axis);
    return checked(Value(std::move(placed)), name);
  }
  HEDDLE_TRY(const std::optional<Value> number, convert(value, Kind::kInteger));
  if (!number) return wrong_kind("what stands before '@'", value, "an integer", scale.span);
  return checked(Value(AxisStep{number->get<IntTuple>().leaf(), Axis(node.axis)}), name);
}

namespace {

/// What stands in parentheses, one by one, or the expression alone.
std::span<const Expression> items_of(const Expression& expression) {
  if (std::holds_alternative<Parentheses>(expression.node)) return expression.parts;
  return {&expression, 1};
}

}  // namespace

Result<std::vector<Int>> Evaluator::extents_of(const Expression& expression) const {
  std::vector<Int> extents;
  const std::span<const Expression> items = items_of(expression);
  for (const Expression& item : items) {
    HEDDLE_TRY(const Value value, run(item, Grouping::kTuples));
    const auto* tuple = value.get_if<IntTuple>();
    const bool is_whole = items.size() == 1 && tuple != nullptr && tuple->depth() <= 1;
    if (!is_whole && (tuple == nullptr || !tuple->is_leaf())) {
      return wrong_kind("an extent", value, "an integer", item.span);
    }
    for (const Int& extent : tuple->leaves()) extents.push_back(extent);
  }
  return extents;
}

Result<std::vector<AxisStep>> Evaluator::steps_of(const Expression& expression) const {
  std::vector<AxisStep> steps;
  const std::span<const Expression> items = items_of(expression);
  for (const Expression& item : items) {
    HEDDLE_TRY(const Value value, run(item, Grouping::kTuples));
    const auto* tuple = value.get_if<IntTuple>();
    if (items.size() == 1 && tuple != nullptr && tuple->depth() == 1) {
      for (const Int& stride : tuple->leaves()) steps.push_back({stride, Axis::memory()});
      continue;
    }
    const bool is_nested = tuple != nullptr && !tuple->is_leaf();
    const std::optional<AxisStep> step = is_nested ? std::nullopt : as_step(value);
    if (!step) {
      return wrong_kind("a stride", value, "an integer, on an axis or alone,", item.span);
    }
    steps.push_back(*step);
  }
  return steps;
}

Result<Value> Evaluator::visit(const ItersLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const std::vector<Int> extents, extents_of(expression.parts[0]));
  std::vector<AxisStep> steps;
  const bool has_strides = expression.parts.size() > 1;
  if (has_strides) {
    HEDDLE_TRY(steps, steps_of(expression.parts[1]));
  }
  HEDDLE_TRY(std::vector<axe::Iter> iters,
             at(make_iters(extents, has_strides ? &steps : nullptr), expression.span));
  if (node.is_replica) {
    // The same checks as for a layout that has them.
    HEDDLE_CHECK(at(axe::Layout::make({}, iters), expression.span));
    return Value(AxePart{std::move(iters), {}});
  }
  HEDDLE_TRY(axe::Layout layout, at(axe::Layout::make(std::move(iters)), expression.span));
  return checked(Value(std::move(layout)), expression.span);
}

Result<Value> Evaluator::visit(const BasisLiteral& node, const Expression& expression,
                               Grouping) const {
  Int scale = 1;
  if (!expression.parts.empty()) {
    HEDDLE_TRY(scale, integer(expression.parts.front(), "the number before '@'"));
  }
  HEDDLE_TRY(const Basis basis, at(Basis::make(node.path), expression.span));
  return Value(StrideTuple(Stride(scale, basis)));
}

Result<Value> Evaluator::visit(const Negation&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Value operand, run(expression.parts.front()));
  return combine(TokenKind::kStar, Value(Int(-1)), operand, expression.span);
}

Result<Value> Evaluator::visit(const Arithmetic& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(Value left, run(expression.parts.front()));
  for (std::size_t i = 0; i < node.operators.size(); ++i) {
    HEDDLE_TRY(const Value right, run(expression.parts[i + 1]));
    const Span span{expression.span.begin, expression.parts[i + 1].span.end};
    HEDDLE_TRY(left, combine(node.operators[i], left, right, span));
  }
  return left;
}

Result<Value> Evaluator::combine(TokenKind sign, const Value& left, const Value& right,
                                 Span span) const {
  const bool is_linear = left.is<linear::LinearLayout>() || right.is<linear::LinearLayout>();
  if (is_linear && sign == TokenKind::kStar) {
    const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
    return at(observed_call("multiply", arguments), span);
  }
  HEDDLE_TRY(const std::optional<Value> of_axe, at(combine_axe(sign, left, right), span));
  if (of_axe) return *of_axe;
  HEDDLE_TRY(const std::optional<Value> a, convert(left, Kind::kInteger));
  HEDDLE_TRY(const std::optional<Value> b, convert(right, Kind::kInteger));
  if (a && b) {
    const Int& x = a->get<IntTuple>().leaf();
    const Int& y = b->get<IntTuple>().leaf();
    HEDDLE_CHECK(at(check_divisor(sign, x, y), span));
    HEDDLE_TRY(const Int result, at(calculate(sign, x, y), span));
    return Value(result);
  }
  // A multiple of a basis stride: 8*E<0,1>.
  const Value& factor = a ? left : right;
  const Value& other = a ? right : left;
  const auto* stride = other.get_if<StrideTuple>();
  if ((a || b) && sign == TokenKind::kStar && stride != nullptr && stride->is_leaf()) {
    const Stride product = factor.get<IntTuple>().leaf() * stride->leaf();
    HEDDLE_CHECK(at(check_defined(product.scale(), "a stride"), span));
    return Value(StrideTuple(product));
  }
  return wrong_kind("an operand of arithmetic", a ? right : left, "an integer", span);
}

Result<Value> Evaluator::compose(const Value& left, const Value& right, Span span) const {
  if (left.is<map::IntegerRelation>() || right.is<map::IntegerRelation>()) {
    const Argument relations[] = {{left, {}, span}, {right, {}, span}};
    return at(observed_call("compose", relations), span);
  }
  const auto* swizzle = left.get_if<axe::Swizzle>();
  if (const auto* layout = right.get_if<axe::Layout>(); layout != nullptr && swizzle != nullptr) {
    HEDDLE_TRY(axe::Layout result, at(swizzled(*swizzle, *layout), span));
    return Value(std::move(result));
  }
  if (left.is_axe() || right.is_axe()) {
    return wrong_kind(swizzle == nullptr ? "the left side of o" : "the right side of o",
                      swizzle == nullptr ? left : right,
                      swizzle == nullptr ? "a swizzle in TVM's order, SW(3,3,3)," : "an Axe layout",
                      span);
  }
  const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
  return at(observed_call("composition", arguments), span);
}

namespace {

Result<Value> compose_with_offset(const Swizzle& swizzle, const Int& offset, const Value& inner,
                                  Span span) {
  HEDDLE_TRY(const std::optional<Value> right, at(convert(inner, Kind::kAnyLayout), span));
  if (!right) return wrong_kind("what follows the offset", inner, "a layout", span);
  if (known_equal(offset, 0)) {
    const auto compose = [&](const auto& layout) { return cute::composition(swizzle, layout); };
    HEDDLE_TRY(const AnyLayout layout,
               at(right->is<Layout>() ? compose(right->get<Layout>())
                                      : compose(right->get<ComposedLayout>()),
                  span));
    return Value(layout);
  }
  if (!right->is<Layout>()) {
    return wrong_kind("what follows the offset", inner, "a plain layout", span);
  }
  HEDDLE_TRY(ComposedLayout layout,
             at(ComposedLayout::make(swizzle, offset, right->get<Layout>()), span));
  return Value(std::move(layout));
}

/// engine o layout.
Result<Value> tensor_of(const cute::Engine& engine, const Value& inner, Span span) {
  HEDDLE_TRY(const std::optional<Value> layout, at(convert(inner, Kind::kAnyLayout), span));
  if (!layout || inner.is<cute::Tensor>())
    return wrong_kind("what follows a pointer", inner, "a layout", span);
  return Value(cute::Tensor{engine, any_layout(*layout)});
}

/// swizzle o tensor: a swizzle in front of a pointer that is not set acts on its addresses.
Result<Value> swizzle_tensor(const Swizzle& swizzle, cute::Tensor tensor, Span span) {
  auto* pointer = std::get_if<cute::Pointer>(&tensor.engine);
  if (pointer == nullptr || !pointer->address.empty() || !pointer->swizzle.is_identity()) {
    return wrong_kind("what follows a swizzle", Value(std::move(tensor)),
                      "a layout, an offset or a pointer that is not set", span);
  }
  pointer->swizzle = swizzle;
  return Value(std::move(tensor));
}

/// left o offset o right, `left` a layout: with an offset of 0 the composition, else no layout is
/// made of it.
Refusal refuse_offset(const Value& left, const Int& offset, Span span) {
  return refuse_at(
      Diagnostic("composition.offset",
                 fmt::format("{} o {} o …: an offset between layouts other than 0 is "
                             "not carried",
                             to_string(left), to_string(offset)))
          .with_hint("an offset stands behind a swizzle: Sw<3,4,3> o 16 o (8,64):(64,1)"),
      span);
}

}  // namespace

/// From the right; an integer with something on both sides is an offset.
Result<Value> Evaluator::visit(const CompositionChain&, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const Parts parts, all(expression.parts, Grouping::kUsual));
  Value result = parts.back();
  for (std::size_t i = parts.size() - 1; i > 0; --i) {
    const Value& left = parts[i - 1];
    const Span span{expression.parts[i - 1].span.begin, expression.span.end};
    if (const auto* engine = left.get_if<cute::Engine>()) {
      HEDDLE_TRY(result, tensor_of(*engine, result, span));
      continue;
    }
    if (left.is<Swizzle>() && result.is<cute::Tensor>()) {
      HEDDLE_TRY(result, swizzle_tensor(left.get<Swizzle>(), result.get<cute::Tensor>(), span));
      continue;
    }
    HEDDLE_TRY(const auto offset, i >= 2 ? convert(left, Kind::kInteger) : std::nullopt);
    if (!offset) {
      HEDDLE_TRY(result, compose(left, result, span));
      continue;
    }
    const Value& outer = parts[i - 2];
    const Int& number = offset->get<IntTuple>().leaf();
    if (const auto* swizzle = outer.get_if<Swizzle>()) {
      HEDDLE_TRY(result, compose_with_offset(*swizzle, number, result, span));
    } else if (known_equal(number, 0)) {
      HEDDLE_TRY(result, compose(outer, result, span));
    } else {
      return refuse_offset(outer, number, span);
    }
    --i;
  }
  return result;
}

namespace {

bool compares(TokenKind comparator, int order) {
  switch (comparator) {
    case TokenKind::kEqual:
      return order == 0;
    case TokenKind::kNotEqual:
      return order != 0;
    case TokenKind::kLess:
      return order < 0;
    case TokenKind::kLessEqual:
      return order <= 0;
    case TokenKind::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

/// Of an answer about constants; of symbolic sizes a no only says that some values differ.
Verdict negation(const Verdict& verdict) {
  if (verdict.is_yes()) return Verdict::no(verdict.method()).with_remark(verdict.remark());
  if (!verdict.is_no()) return verdict;
  std::string evidence = verdict.method();
  if (const auto& witness = verdict.counterexample()) {
    evidence += fmt::format("; coordinate {}: {} and {}", witness->coordinate, witness->found,
                            witness->wanted);
  }
  return Verdict::yes(std::move(evidence)).with_remark(verdict.remark());
}

/// The same where sizes may be symbolic: that some values differ says nothing of all.
Verdict negation_of(const Verdict& verdict, const Value& left, const Value& right) {
  const bool is_symbolic = !variables(left).empty() || !variables(right).empty();
  if (!is_symbolic || !verdict.is_no()) return negation(verdict);
  return Verdict::unknown("they differ for some values; for all of them is not decided");
}

bool is_equality(TokenKind comparator) {
  return comparator == TokenKind::kEqual || comparator == TokenKind::kNotEqual;
}

/// A no for thread-value layouts of tiles that differ: the same number is another element.
std::optional<Verdict> same_tile(const Value& left, const Value& right) {
  const auto* a = left.get_if<cute::TvLayout>();
  const auto* b = right.get_if<cute::TvLayout>();
  if (a == nullptr || b == nullptr || tile_shape(*a) == tile_shape(*b)) return std::nullopt;
  return Verdict::no(fmt::format("the tiles {} and {} differ", to_string(Value(tile_shape(*a))),
                                 to_string(Value(tile_shape(*b)))));
}

}  // namespace

Result<Value> Evaluator::compare_linear(TokenKind comparator, const Value& left, const Value& right,
                                        Span span) const {
  const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
  HEDDLE_TRY(const Value verdict, at(observed_call("equal", arguments), span));
  if (comparator == TokenKind::kEqual) return verdict;
  return Value(negation(verdict.get<Verdict>()));
}

namespace {

/// The axes over which values of a side are partial.
std::vector<axe::PartialAxis> partial_of(const Value& side) {
  const auto* sharded = side.get_if<axe::Sharded>();
  return sharded == nullptr ? std::vector<axe::PartialAxis>() : sharded->partial;
}

}  // namespace

Result<Value> Evaluator::compare_axe(TokenKind comparator, const Value& left, const Value& right,
                                     Span span) const {
  for (const Value* side : {&left, &right}) {
    if (side->is<axe::Layout>() || side->is<axe::Sharded>()) continue;
    return wrong_kind("a side of ==", *side, "an Axe layout", span);
  }
  if (partial_of(left) != partial_of(right)) {
    const Verdict differ = Verdict::no("values over other axes of the mesh are partial");
    return Value(comparator == TokenKind::kEqual ? differ : negation(differ));
  }
  const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
  HEDDLE_TRY(const Value verdict, at(observed_call("equal", arguments), span));
  if (comparator == TokenKind::kEqual) return verdict;
  return Value(negation_of(verdict.get<Verdict>(), left, right));
}

Result<Value> Evaluator::compare_lego(TokenKind comparator, const Value& left, const Value& right,
                                      Span span) const {
  for (const Value* side : {&left, &right}) {
    if (!side->is<lego::Layout>()) return wrong_kind("a side of ==", *side, "a LEGO layout", span);
  }
  const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
  HEDDLE_TRY(const Value verdict, at(observed_call("equal", arguments), span));
  return comparator == TokenKind::kEqual ? verdict
                                         : Value(negation_of(verdict.get<Verdict>(), left, right));
}

/// Layouts of two systems, a relation or a table, or by a method that is asked for.
Result<Value> Evaluator::compare_by_hub(TokenKind comparator, const Value& left, const Value& right,
                                        Span span) const {
  const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
  const Operation& equal = *find_operation("equal", Kind::kHubLayout);
  HEDDLE_TRY(const Value verdict,
             at(observed(equal, arguments, call(equal, arguments, context())), span));
  return comparator == TokenKind::kEqual ? verdict
                                         : Value(negation_of(verdict.get<Verdict>(), left, right));
}

Result<Value> Evaluator::compare_layouts(TokenKind comparator, const Value& left,
                                         const Value& right, Span span) const {
  const map::DecideOptions& decide = context().decide;
  if (decide.method || decide.reading || are_for_the_hub(left, right)) {
    return compare_by_hub(comparator, left, right, span);
  }
  if (left.is<lego::Layout>() || right.is<lego::Layout>()) {
    return compare_lego(comparator, left, right, span);
  }
  if (left.is<linear::LinearLayout>() || right.is<linear::LinearLayout>()) {
    return compare_linear(comparator, left, right, span);
  }
  const auto is_axe = [](const Value& side) {
    return side.is<axe::Layout>() || side.is<axe::Sharded>();
  };
  if (is_axe(left) || is_axe(right)) {
    return compare_axe(comparator, left, right, span);
  }
  HEDDLE_TRY(const std::optional<Value> a, at(convert(left, Kind::kAnyLayout), span));
  HEDDLE_TRY(const std::optional<Value> b, at(convert(right, Kind::kAnyLayout), span));
  if (!a || !b) return wrong_kind("a side of ==", a ? right : left, "a layout", span);
  Verdict verdict = cute::equal(any_layout(*a), any_layout(*b));
  if (verdict.is_yes()) verdict = same_tile(left, right).value_or(verdict);
  const Argument arguments[] = {{*a, {}, span}, {*b, {}, span}};
  HEDDLE_CHECK(observed(*find_operation("equal"), arguments, Value(verdict)));
  if (comparator == TokenKind::kEqual) return Value(verdict);
  return Value(negation_of(verdict, *a, *b));
}

namespace {

/// Of constants a truth value; of symbolic integers a verdict about all their values.
Value compare_integers(TokenKind comparator, const Int& a, const Int& b) {
  if (a.is_constant() && b.is_constant()) {
    return Value(compares(comparator, a.value() < b.value() ? -1 : a.value() > b.value() ? 1 : 0));
  }
  return Value(prove(condition_of(comparator, a, b)));
}

/// Whether the leaves of two tuples that nest alike are equal, for all values of the variables.
Verdict all_leaves_equal(const IntTuple& a, const IntTuple& b) {
  Verdict all = Verdict::yes("leaf by leaf");
  for (std::size_t i = 0; i < a.leaves().size(); ++i) {
    Verdict leaf = prove({a.leaves()[i], Predicate::kEqual, b.leaves()[i]});
    if (leaf.is_no()) return leaf;
    if (leaf.is_unknown()) all = std::move(leaf);
  }
  return all;
}

/// Whether they differ, for all values: one leaf that always does is enough.
Verdict some_leaf_differs(const IntTuple& a, const IntTuple& b) {
  bool are_equal = true;
  for (std::size_t i = 0; i < a.leaves().size(); ++i) {
    if (known_different(a.leaves()[i], b.leaves()[i])) return Verdict::yes("ranges and divisors");
    are_equal = are_equal && known_equal(a.leaves()[i], b.leaves()[i]);
  }
  return are_equal ? Verdict::no("leaf by leaf")
                   : Verdict::unknown("they differ for some values or for none");
}

/// Tuples are equal where they nest alike and all their leaves are equal.
Value compare_tuples(TokenKind comparator, const IntTuple& a, const IntTuple& b) {
  if (a.is_leaf() && b.is_leaf()) return compare_integers(comparator, a.leaf(), b.leaf());
  const bool is_constant = std::ranges::all_of(a.leaves(), &Int::is_constant) &&
                           std::ranges::all_of(b.leaves(), &Int::is_constant);
  const bool wants_equal = comparator == TokenKind::kEqual;
  if (is_constant || a.profile() != b.profile()) return Value((a == b) == wants_equal);
  return Value(wants_equal ? all_leaves_equal(a, b) : some_leaf_differs(a, b));
}

/// The layout of what counts from a beginning that the other side has too.
Value without_counter(const Value& value) {
  const cute::Tensor& tensor = value.get<cute::Tensor>();
  return std::holds_alternative<cute::Counter>(tensor.engine) ? Value(tensor.layout) : value;
}

/// Refuses to compare what counts from different beginnings: the layouts alone would be misleading.
Result<void> check_origins(const cute::Tensor& a, const cute::Tensor& b, Span span) {
  const auto* left = std::get_if<cute::Counter>(&a.engine);
  const auto* right = std::get_if<cute::Counter>(&b.engine);
  if (left == nullptr && right == nullptr) return {};
  if (left != nullptr && right != nullptr && *left == *right) return {};
  return refuse_at(
      Diagnostic("call.type", fmt::format("{} and {} do not count from the same beginning",
                                          cute::to_string(a.engine), cute::to_string(b.engine)))
          .with_hint("layout(TENSOR) is the layout alone"),
      span);
}

}  // namespace

Result<Value> Evaluator::visit(const Comparison& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const Value left, run(expression.parts[0]));
  HEDDLE_TRY(const Value right, run(expression.parts[1]));
  const Span span = expression.span;
  if (is_equality(node.comparator)) {
    if (left.is<cute::Tensor>() && right.is<cute::Tensor>()) {
      HEDDLE_CHECK(check_origins(left.get<cute::Tensor>(), right.get<cute::Tensor>(), span));
      return compare_layouts(node.comparator, without_counter(left), without_counter(right), span);
    }
    if (left.has_map() || right.has_map())
      return compare_layouts(node.comparator, left, right, span);
    if (left.is<IntTuple>() && right.is<IntTuple>()) {
      return compare_tuples(node.comparator, left.get<IntTuple>(), right.get<IntTuple>());
    }
    if (left.is<TupleList>() != right.is<TupleList>()) {  // [4,1] may be written with parentheses
      const auto a = as_sizes(left);
      const auto b = as_sizes(right);
      if (a && b) return compare_tuples(node.comparator, a->get<IntTuple>(), b->get<IntTuple>());
    }
    if (left.data().index() == right.data().index()) {
      const bool alike = to_string(left) == to_string(right);
      if (!alike && (!variables(left).empty() || !variables(right).empty())) {
        return Value(Verdict::unknown("symbolic, and not written alike"));
      }
      return Value(compares(node.comparator, alike ? 0 : 1));
    }
    return wrong_kind("the right side of the comparison", right, std::string(kind_name(left)),
                      span);
  }
  HEDDLE_TRY(const Int a, integer(expression.parts[0], "the left side of the comparison"));
  HEDDLE_TRY(const Int b, integer(expression.parts[1], "the right side of the comparison"));
  return compare_integers(node.comparator, a, b);
}

Result<Value> Evaluator::visit(const Application& node, const Expression& expression,
                               Grouping) const {
  const Expression& function = expression.parts.front();
  if (const auto* member = std::get_if<Member>(&function.node)) {
    const bool gets_axis = member->name == "get" && is_axis_class(function.parts.front());
    if (gets_axis && expression.parts.size() == 2) return run(expression.parts[1]);
    return call_named(member->name, node, expression);
  }
  const auto* reference = std::get_if<Reference>(&function.node);
  if (reference == nullptr) {
    HEDDLE_TRY(const Value value, run(function));
    return apply(value, node, expression);
  }
  if (is_choice(*reference, expression)) {
    return choose(
        expression.parts[1], [&] { return run(expression.parts[2]); },
        [&] { return run(expression.parts[3]); });
  }
  // What is bound and can be applied hides an operation of its name; a bound number does not.
  const Value* bound = find(reference->name);
  const bool is_applicable =
      bound != nullptr && (bound->has_map() || bound->is<Swizzle>() || bound->is<axe::Swizzle>() ||
                           bound->is<cute::OffsetLayout>() || bound->is<LegoFunction>());
  if (is_applicable || (bound != nullptr && find_operation(reference->name) == nullptr)) {
    return apply(*bound, node, expression);
  }
  return call_named(reference->name, node, expression);
}

namespace {

/// TVM's methods that are called on the inner layout and take the outer one: inner.tile(outer, …).
bool is_of_the_inner_side(std::string_view method, const Value& receiver) {
  return receiver.is<axe::Layout>() && (method == "tile" || method == "direct_sum");
}

}  // namespace

Result<Value> Evaluator::call_named(std::string_view name, const Application& node,
                                    const Expression& expression) const {
  const Operation* operation = find_operation(name);
  if (operation == nullptr) {
    if (auto named = named_function(expression)) return Value(*std::move(named));
    return unknown_name(name, expression.parts.front().span, Use::kCall);
  }
  std::vector<Argument> arguments;
  const Expression& function = expression.parts.front();
  std::vector<std::string> types;
  for (const Expression& part : expression.parts) {
    if (const auto* type = std::get_if<TritonLiteral>(&part.node)) types.emplace_back(type->text);
  }
  const bool is_method = std::holds_alternative<Member>(function.node);
  if (is_method && !is_module(function.parts.front())) {
    HEDDLE_TRY(Value receiver, run(function.parts.front()));
    arguments.push_back({std::move(receiver), {}, function.parts.front().span});
  }
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& argument = expression.parts[i + 1];
    const bool is_asked = name == "apply" || name == "inv";
    if (is_asked && !arguments.empty()) {
      HEDDLE_TRY(arguments[0].value, tile_as_layout(arguments[0].value, expression.span));
    }
    const auto* layout = arguments.empty() ? nullptr : arguments[0].value.get_if<lego::Layout>();
    const std::span<const Expression> rest = std::span(expression.parts).subspan(i + 1);
    const bool is_plain = node.names[i].empty();
    if (!is_plain) HEDDLE_CHECK(at(check_keyword(name, node.names[i]), argument.span));
    if (layout != nullptr && is_plain && name == "apply") {
      return apply_lego(*layout, rest, expression.span);
    }
    if (layout != nullptr && is_plain && name == "inv" && rest.size() == 1) {
      return invert_lego(*layout, argument, expression.span);
    }
    const bool is_function = name == "GenP" && !arguments.empty();
    HEDDLE_TRY(Value value, is_function ? this->function(argument) : run(argument));
    arguments.push_back({std::move(value), std::string(node.names[i]), argument.span});
    const auto* quoted = std::get_if<StringLiteral>(&argument.node);
    if (quoted != nullptr) arguments.back().places = quoted->places;
  }
  if (is_method && arguments.size() > 1 && is_of_the_inner_side(name, arguments.front().value)) {
    std::swap(arguments[0], arguments[1]);
  }
  operation = find_operation(name, arguments);
  add_declared_axes(*operation, environment_, arguments);
  HEDDLE_CHECK(at(add_stated_elements(*operation, types, arguments), expression.span));
  return checked(
      at(observed(*operation, arguments, call(*operation, arguments, context())), expression.span),
      expression.span);
}

namespace {

/// The index of a coordinate, the offset included; or a slice, which begins at its own.
Result<Value> apply_placed(const cute::OffsetLayout& placed, const Value& at_coordinate) {
  HEDDLE_TRY(const std::optional<Value> converted, convert(at_coordinate, Kind::kCoordinate));
  if (!converted) {
    return refuse("call.type", fmt::format("a layout is applied to a coordinate, not to {}",
                                           kind_name(at_coordinate)));
  }
  const auto& coordinate = converted->get<Coordinate>();
  if (cute::has_underscore(coordinate)) {
    HEDDLE_TRY(cute::OffsetLayout slice, cute::pick(placed, {placed.layout, coordinate}));
    return Value(std::move(slice));
  }
  const cute::Tensor counted{cute::Counter{placed.offset}, placed.layout};
  HEDDLE_TRY(IntTuple index, cute::evaluate(counted, coordinate));
  return Value(std::move(index));
}

}  // namespace

/// L(lane=3, warp=1); an object, L({"lane": 3}), does as well.
Result<Value> Evaluator::apply_linear(const Value& layout, const Application& node,
                                      const Expression& expression) const {
  Datum::Fields point;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& part = expression.parts[i + 1];
    if (node.names[i].empty() && node.names.size() == 1) {
      HEDDLE_TRY(const Value whole, run(part));
      const Argument arguments[] = {{layout, {}, expression.span}, {whole, {}, part.span}};
      return at(observed_call("apply", arguments), expression.span);
    }
    if (node.names[i].empty()) {
      return refuse_at(Diagnostic("call.keyword", "a coordinate of a linear layout has names")
                           .with_hint("L(register=1, lane=3)"),
                       part.span);
    }
    HEDDLE_TRY(const Value coordinate, run(part));
    HEDDLE_TRY(Datum number, datum(coordinate, "a coordinate", part.span));
    point.emplace_back(std::string(node.names[i]), std::move(number));
  }
  const Argument arguments[] = {{layout, {}, expression.span},
                                {Value(Datum(std::move(point))), {}, expression.span}};
  return at(observed_call("apply", arguments), expression.span);
}

/// L(21); L(1,5) of as many numbers as there are iters; L(1,5, shape=(8,16)).
Result<Value> Evaluator::apply_axe(const Value& layout, const Application& node,
                                   const Expression& expression) const {
  std::vector<Argument> arguments = {{layout, {}, expression.parts.front().span}};
  Parts parts;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& part = expression.parts[i + 1];
    HEDDLE_TRY(Value value, run(part));
    if (node.names[i].empty()) {
      parts.push_back(std::move(value));
    } else {
      arguments.push_back({std::move(value), std::string(node.names[i]), part.span});
    }
  }
  if (parts.empty()) {
    return refuse_at(Diagnostic("call.arity", "a layout is applied to an index or a point"),
                     expression.span);
  }
  Value point = parts.front();
  if (parts.size() > 1) {
    HEDDLE_TRY(point, at(tuple_of(parts), expression.span));
  }
  arguments.insert(arguments.begin() + 1, Argument{std::move(point), {}, expression.span});
  return at(observed_call("apply", arguments), expression.span);
}

Result<Value> Evaluator::apply(const Value& applied, const Application& node,
                               const Expression& expression) const {
  const Span span = expression.span;
  HEDDLE_TRY(const Value function, tile_as_layout(applied, expression.parts.front().span));
  const auto* placed = function.get_if<cute::OffsetLayout>();
  const bool is_swizzle = function.is<Swizzle>() || function.is<axe::Swizzle>();
  if (!function.has_map() && !is_swizzle && placed == nullptr && !function.is<LegoFunction>()) {
    Refusal refusal =
        wrong_kind("what is applied", function, "a layout, a swizzle or the name of an operation",
                   expression.parts.front().span);
    const bool is_stride = function.is<IntTuple>() || function.is<cute::StrideTuple>();
    if (!is_stride) return refusal;
    return refuse(std::move(refusal.value())
                      .with_hint("a layout that is written out stands in parentheses: "
                                 "((4,8):(8,1))(3)"));
  }
  if (function.is<axe::Layout>() || function.is<axe::Sharded>()) {
    return apply_axe(function, node, expression);
  }
  if (function.is<linear::LinearLayout>()) return apply_linear(function, node, expression);
  if (const auto* layout = function.get_if<lego::Layout>()) {
    for (std::size_t i = 0; i < node.names.size(); ++i) {
      if (node.names[i].empty()) continue;
      return refuse_at(Diagnostic("call.keyword", "a coordinate of a LEGO layout has no names"),
                       expression.parts[i + 1].span);
    }
    return apply_lego(*layout, std::span(expression.parts).subspan(1), span);
  }
  if (const auto* named = function.get_if<LegoFunction>()) {
    const auto* formula = std::get_if<lego::Formula>(&named->function);
    if (formula != nullptr) return apply_function(*formula, expression);
  }
  Parts parts;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    if (!node.names[i].empty()) {
      return refuse_at(Diagnostic("call.keyword", "a coordinate has no named parts"),
                       expression.parts[i + 1].span);
    }
    HEDDLE_TRY(Value part, run(expression.parts[i + 1]));
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    return refuse_at(Diagnostic("call.arity", "a layout is applied to a coordinate"), span);
  Value coordinate = parts.front();
  if (parts.size() > 1) {
    HEDDLE_TRY(coordinate, at(tuple_of(parts), span));
  }
  if (const auto* swizzle = function.get_if<Swizzle>()) {
    HEDDLE_TRY(const std::optional<Value> address, convert(coordinate, Kind::kInteger));
    if (!address) return wrong_kind("an address", coordinate, "an integer", span);
    const Argument arguments[] = {{function, {}, span}, {*address, {}, span}};
    return observed(*find_operation("apply"), arguments,
                    Value((*swizzle)(address->get<IntTuple>().leaf())));
  }
  if (const auto* swizzle = function.get_if<axe::Swizzle>()) {
    HEDDLE_TRY(const std::optional<Value> address, convert(coordinate, Kind::kInteger));
    if (!address) return wrong_kind("an address", coordinate, "an integer", span);
    HEDDLE_TRY(
        const Int result,
        at(check_defined((*swizzle)(address->get<IntTuple>().leaf()), "a swizzled address"), span));
    return Value(result);
  }
  if (placed != nullptr) return at(apply_placed(*placed, coordinate), span);
  if (const auto* tensor = function.get_if<cute::Tensor>()) {
    HEDDLE_TRY(const std::optional<Value> whole, at(convert(coordinate, Kind::kCoordinate), span));
    if (whole && !cute::has_underscore(whole->get<Coordinate>())) {
      HEDDLE_TRY(IntTuple index, at(cute::evaluate(*tensor, whole->get<Coordinate>()), span));
      return Value(std::move(index));
    }
  }
  const Argument arguments[] = {{function, {}, span}, {coordinate, {}, span}};
  return at(observed_call("apply", arguments), span);
}

const Value* Environment::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

void Environment::take(const std::string& name) {
  ++taken_[name];
  while (is_taken(name_of_unknown(first_unknown_))) ++first_unknown_;
}

void Environment::release(const std::string& name) {
  const auto found = taken_.find(name);
  if (--found->second > 0) return;
  taken_.erase(found);
  const std::optional<std::size_t> number = unknown_called(name);
  if (number) first_unknown_ = std::min(first_unknown_, *number);
}

void Environment::bind(std::string name, Value value) {
  take(name);
  for (const std::string& variable : variables(value)) take(variable);
  if (const auto before = values_.find(name); before != values_.end()) {
    release(name);
    for (const std::string& variable : variables(before->second)) release(variable);
  }
  values_.insert_or_assign(std::move(name), std::move(value));
}

Result<void> Environment::bind(const std::vector<std::string>& names, const Value& value) {
  if (names.size() == 1) {
    bind(names.front(), value);
    return {};
  }
  std::vector<Value> parts;
  if (const auto* list = value.get_if<TupleList>()) parts.assign(list->begin(), list->end());
  if (const auto* tuple = value.get_if<IntTuple>(); tuple != nullptr && !tuple->is_leaf()) {
    for (std::size_t i = 0; i < tuple->rank(); ++i) parts.emplace_back(IntTuple(tuple->mode(i)));
  }
  if (parts.size() != names.size()) {
    return refuse("call.arity", fmt::format("{} names are bound to {}, which has {} parts",
                                            names.size(), kind_name(value), parts.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) bind(names[i], parts[i]);
  return {};
}

Result<void> Environment::declare_axis(std::string_view text) {
  HEDDLE_TRY(axe::AxisInfo axis, parse_axis(text));
  HEDDLE_TRY(axes_, axes_.declare(std::move(axis)));
  declared_axes_ += (declared_axes_.empty() ? "" : ", ") + std::string(trimmed(text));
  return {};
}

namespace {

Bindings integers_in(const std::map<std::string, Value, std::less<>>& values) {
  Bindings integers;
  for (const auto& [name, value] : values) {
    if (value.is_integer()) integers.emplace(name, value.get<IntTuple>().leaf());
  }
  return integers;
}

}  // namespace

Result<Value> call_in(const Environment& environment, const Operation& operation,
                      std::vector<Argument> arguments) {
  add_declared_axes(operation, environment, arguments);
  HEDDLE_TRY(Value result, call(operation, arguments, environment.context()));
  if (environment.is_strict()) HEDDLE_CHECK(check_axes(result, environment.axes()));
  return result;
}

Result<Value> call_in(const Environment& environment, std::string_view name,
                      std::vector<Argument> arguments) {
  const Operation& operation = *find_operation(name, arguments);
  return call_in(environment, operation, std::move(arguments));
}

Result<void> Environment::assume(std::string_view text) {
  HEDDLE_TRY(std::vector<Condition> stated, parse_assumptions(text));
  // Names that are bound to integers are these, not variables.
  const Bindings integers = integers_in(values_);
  for (Condition& condition : stated) {
    HEDDLE_TRY(condition.left, instantiate(condition.left, integers));
    HEDDLE_TRY(condition.right, instantiate(condition.right, integers));
  }
  std::vector<Condition> conditions = conditions_;
  conditions.insert(conditions.end(), stated.begin(), stated.end());
  HEDDLE_TRY(Assumptions assumptions, Assumptions::make(conditions));
  for (const auto& [name, value] : values_) {
    for (const std::string& variable : variables(value)) {
      if (assumptions.variable(variable) == assumptions_.variable(variable)) continue;
      return refuse(Diagnostic("assume.too_late",
                               fmt::format("{} holds {} without this assumption", name, variable))
                        .with_hint("assume first, bind then"));
    }
  }
  conditions_ = std::move(conditions);
  assumptions_ = std::move(assumptions);
  context_.sizes = assumptions_.variables();
  context_.assumed = conditions_;
  return {};
}

namespace {

/// Names for the numbers that the expression does not know: none that stands for something else in
/// it, or in a value that is bound.
std::map<const Expression*, std::string> fresh_unknowns(const Expression& expression,
                                                        const Environment& environment) {
  std::map<const Expression*, std::string> fresh;
  std::size_t number = environment.first_unknown();
  const std::set<std::string_view> written = names_in(expression);
  for (const Expression* unknown : unknowns_in(expression)) {
    std::string name;
    do {
      name = name_of_unknown(number++);
    } while (environment.is_taken(name) || written.contains(name));
    fresh.emplace(unknown, std::move(name));
  }
  return fresh;
}

}  // namespace

Result<Value> evaluate(const Expression& expression, const Environment& environment) {
  return Evaluator(environment, sizes_in(expression), fresh_unknowns(expression, environment))
      .run(expression);
}

Result<Value> evaluate_observed(const Expression& expression, const Environment& environment,
                                const Observer& observer) {
  return Evaluator(environment, sizes_in(expression), fresh_unknowns(expression, environment),
                   &observer)
      .run(expression);
}

Result<Value> evaluate_function(std::string_view text, const Environment& environment) {
  HEDDLE_TRY(const Expression expression, parse_expression(text));
  return Evaluator(environment, sizes_in(expression), fresh_unknowns(expression, environment))
      .function(expression);
}

Result<Value> evaluate(std::string_view text, const Environment& environment) {
  HEDDLE_TRY(const Expression expression, parse_expression(text));
  return evaluate(expression, environment);
}

}  // namespace heddle::notation

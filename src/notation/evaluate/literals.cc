// Numbers, texts, tuples, lists and objects; pointers; Triton's output.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"
#include "notation/evaluate/evaluation.h"
#include "notation/operations/tuples.h"
#include "notation/value/data.h"

namespace heddle::notation {

namespace {

using cute::Tiler;

/// The diagnostic about a piece of the text, with its place in the whole text.
Diagnostic within(Diagnostic diagnostic, Span piece) {
  if (!diagnostic.span()) return std::move(diagnostic).with_span(piece);
  const Span inner = *diagnostic.span();
  return std::move(diagnostic).with_span({piece.begin + inner.begin, piece.begin + inner.end});
}

Result<Value> list_of_parts(std::span<const Value> parts,
                            const std::vector<Expression>& expressions) {
  Datum::List list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    HEDDLE_TRY(Datum item, datum(parts[i], "a part of a list", expressions[i].span));
    list.push_back(std::move(item));
  }
  return Value(Datum(std::move(list)));
}

}  // namespace

Result<Datum> datum(const Value& value, std::string_view what, Span span) {
  if (auto data = datum_if_data(value)) return *std::move(data);
  return wrong_kind(what, value, "a number, a text, a list or an object", span);
}

Result<Value> Evaluator::visit(const Parentheses&, const Expression& expression,
                               Grouping grouping) const {
  const bool makes_tuples = grouping == Grouping::kTuples || grouping == Grouping::kStrides;
  if (!makes_tuples && !is_tuple(expression)) return run(expression.parts.front(), grouping);
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
  return list_of_parts(parts, expression.parts);
}

Result<Value> Evaluator::visit(const TilerLiteral&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Parts parts, all(expression.parts, Grouping::kSizes));
  HEDDLE_CHECK(at(check_parts("the tiler", parts), expression.span));
  std::vector<Tiler> modes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    HEDDLE_TRY(Tiler mode, converted<Tiler>(parts[i], "a mode of a tiler", expression.parts[i].span,
                                            "a layout, a size or '_'"));
    modes.push_back(std::move(mode));
  }
  return Value(Tiler::of(modes));
}

/// A tiler if all parts are tiles; otherwise a list of names, numbers and lists.
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
    HEDDLE_TRY(const std::optional<Value> tile, convert<cute::Tiler>(part));
    if (tile) modes.push_back(tile->get<Tiler>());
  }
  if (!parts.empty() && modes.size() == parts.size()) return Value(Tiler::of(modes));
  return list_of_parts(parts, expression.parts);
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

Aliases Evaluator::aliases() const {
  return [this](std::string_view name) -> const linear::Encoding* {
    const Value* bound = find(name);
    return bound == nullptr ? nullptr : bound->get_if<linear::Encoding>();
  };
}

Result<Value> Evaluator::described(const Expression& expression) const {
  Result<Value> value = run(expression);
  const auto* literal = std::get_if<TritonLiteral>(&expression.node);
  if (value || literal == nullptr || value.error().code() != "encoding.shape") return value;
  const Result<TensorType> type = parse_tensor_type(literal->text, aliases());
  const auto padded = type ? padded_layout(*type) : std::nullopt;
  if (!padded) return value;
  return Value(Report{
      fmt::format("no layout has the sizes {}, which are not all powers of two; padded to {}:\n{}",
                  fmt::join(type->shape, "x"), fmt::join(padded->shape, "x"),
                  to_string(padded->layout)),
      Datum::Fields{{"shape", list_of(type->shape)},
                    {"padded_shape", list_of(padded->shape)},
                    {"padded_layout", to_datum(padded->layout)}},
      Report::Outcome::kDone, std::move(value).error()});
}

/// An attribute becomes an encoding, a type the layout of its tensor.
Result<Value> Evaluator::read_triton(std::string_view text) const {
  // A memory space is no layout, but has an alias like one.
  if (text.ends_with(".shared_memory") || text.ends_with(".tensor_memory")) {
    return Value(std::string(text));
  }
  if (text.starts_with('#')) return as_value(parse_encoding(text, aliases()));
  if (!text.starts_with('!') && !text.starts_with("tensor<")) {
    return as_value(parse_printed_layout(text));
  }
  HEDDLE_TRY(const TensorType type, parse_tensor_type(text, aliases()));
  return as_value(to_linear_layout(type));
}

/// A number known only at run time becomes a separate unknown. In a shape it is a size; elsewhere
/// it may be a coordinate or a stride and so 0. Assumptions about its name, D0 for the first,
/// replace these ranges.
Result<Value> Evaluator::visit(const DynamicLiteral& literal, const Expression& expression,
                               Grouping grouping) const {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const bool is_size = grouping == Grouping::kTuples || grouping == Grouping::kSizes;
  const std::int64_t low = is_size ? 1 : 0;
  const auto called = unknowns_.find(&expression);
  if (called == unknowns_.end()) {
    return refuse_at(Diagnostic("assume.syntax", "nothing can be assumed of '?', which has no name")
                         .with_hint("give the number a name: assume M % 8 == 0"),
                     expression.span);
  }
  const std::string& name = called->second;
  const Bindings& assumed = environment_.assumptions().variables();
  const auto found = assumed.find(name);
  const Int unknown =
      found == assumed.end() ? Int::variable(name, low, kMax / literal.divisor) : found->second;
  return value_at(check_defined(literal.divisor * unknown, "a number that is not known"),
                  expression.span);
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
    pointer.swizzle = swizzle.get<cute::Swizzle>();
  }
  return Value(cute::Engine(std::move(pointer)));
}

}  // namespace heddle::notation

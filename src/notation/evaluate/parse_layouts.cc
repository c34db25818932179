// Parses texts that must be a layout of one system: expressions, refused if their value is of
// another kind.

#include "heddle/notation/cute.h"

#include <utility>

#include "heddle/notation/any_layout.h"
#include "heddle/notation/axe.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lego.h"
#include "heddle/notation/linear.h"
#include "notation/evaluate/evaluation.h"

namespace heddle::notation {
namespace {

/// The value of the text, converted to what a T is read from.
template <class T>
Result<T> read(std::string_view text) {
  HEDDLE_TRY(const Value value, evaluate(text));
  Result<T> read = converted<T>(value, "the text", {0, text.size()});
  const bool is_composed = value.is<cute::ComposedLayout>() && std::is_same_v<T, cute::Layout>;
  if (read || !is_composed) return read;
  return refuse(std::move(read).error().with_hint("parse_layout() reads composed layouts too"));
}

/// The value of a text, which must be a T without a conversion; `needed` names it in the refusal.
template <class T>
Result<T> exactly(std::string_view text, std::string_view needed) {
  HEDDLE_TRY(const Value value, evaluate(text));
  if (const auto* layout = value.get_if<T>()) return *layout;
  return wrong_kind("the text", value, needed, {0, text.size()});
}

}  // namespace

Result<map::AnyLayout> parse_any_layout(std::string_view text) {
  const Result<Value> value = evaluate(text);
  if (value) return to_any_layout(*value);
  if (auto relation = map::IntegerRelation::parse(text)) return *std::move(relation);
  return refuse(value.error());
}

Result<cute::Layout> parse_cute(std::string_view text) { return read<cute::Layout>(text); }
Result<cute::AnyLayout> parse_layout(std::string_view text) { return read<cute::AnyLayout>(text); }
Result<IntTuple> parse_int_tuple(std::string_view text) { return read<IntTuple>(text); }
Result<cute::Coordinate> parse_coordinate(std::string_view text) {
  return read<cute::Coordinate>(text);
}
Result<cute::Tiler> parse_tiler(std::string_view text) { return read<cute::Tiler>(text); }
Result<cute::Swizzle> parse_swizzle(std::string_view text) { return read<cute::Swizzle>(text); }

Result<linear::LinearLayout> parse_linear_layout(std::string_view text) {
  return exactly<linear::LinearLayout>(text, "a linear layout");
}

Result<axe::Layout> parse_axe(std::string_view text) {
  return exactly<axe::Layout>(text, "an Axe layout");
}

Result<lego::Layout> parse_lego(std::string_view text) {
  return exactly<lego::Layout>(text, "a LEGO layout");
}

}  // namespace heddle::notation

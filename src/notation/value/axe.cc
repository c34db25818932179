#include "notation/value/axe.h"

#include <utility>
#include <vector>

#include "heddle/emit/dialect.h"
#include "heddle/notation/sharding.h"
#include "notation/value/as_datum.h"

namespace heddle::notation {
namespace {

template <class View>
std::optional<IntTuple> tuple_from(View tiles) {
  if (tiles.is_leaf()) {
    if (tiles.leaf().size() == nullptr) return std::nullopt;
    return IntTuple(*tiles.leaf().size());
  }
  std::vector<IntTuple> modes;
  for (const auto mode : tiles.modes()) {
    std::optional<IntTuple> tuple = tuple_from(mode);
    if (!tuple) return std::nullopt;
    modes.push_back(*std::move(tuple));
  }
  return IntTuple::of(modes);
}

std::optional<IntTuple> tuple_from(const Datum& datum) {
  if (datum.number() != nullptr) return IntTuple(Int(*datum.number()));
  if (datum.list() == nullptr || datum.list()->empty()) return std::nullopt;
  std::vector<IntTuple> modes;
  for (const Datum& item : *datum.list()) {
    std::optional<IntTuple> tuple = tuple_from(item);
    if (!tuple) return std::nullopt;
    modes.push_back(*std::move(tuple));
  }
  return IntTuple::of(modes);
}

std::optional<IntTuple> int_tuple(const Value& value) {
  if (const auto* tuple = value.get_if<IntTuple>()) return *tuple;
  if (const auto* tiler = value.get_if<cute::Tiler>()) return tuple_from(tiler->view());
  if (const auto* datum = value.get_if<Datum>()) return tuple_from(*datum);
  return std::nullopt;
}

template <class Test>
bool all_modes(const IntTuple& tuple, Test holds) {
  for (const TupleView<Int> mode : tuple.modes()) {
    if (!holds(mode)) return false;
  }
  return true;
}

std::optional<axe::Iter> iter_of(const Datum& datum) {
  const Datum::List* list = datum.list();
  if (list == nullptr || list->size() != 3) return std::nullopt;
  const std::int64_t* extent = (*list)[0].number();
  const std::int64_t* stride = (*list)[1].number();
  const std::string* axis = (*list)[2].text();
  if (extent == nullptr || stride == nullptr || axis == nullptr) return std::nullopt;
  if (!is_axis_name(*axis)) return std::nullopt;
  return axe::Iter{*extent, *stride, Axis(*axis)};
}

}  // namespace

std::optional<Value> as_tuple(const Value& value) {
  std::optional<IntTuple> tuple = int_tuple(value);
  if (!tuple) return std::nullopt;
  return Value(*std::move(tuple));
}

std::optional<Value> as_shape(const Value& value) {
  const std::optional<IntTuple> tuple = int_tuple(value);
  if (!tuple || tuple->depth() > 1) return std::nullopt;
  return Value(*tuple);
}

std::optional<Value> as_shapes(const Value& value) {
  const std::optional<IntTuple> tuple = int_tuple(value);
  if (!tuple || tuple->is_leaf()) return std::nullopt;
  const bool are_shapes =
      all_modes(*tuple, [](const TupleView<Int>& mode) { return mode.depth() <= 1; });
  return are_shapes ? std::optional(Value(*tuple)) : std::nullopt;
}

std::optional<Value> as_region(const Value& value) {
  const std::optional<IntTuple> tuple = int_tuple(value);
  if (!tuple || tuple->is_leaf()) return std::nullopt;
  const bool are_pairs = all_modes(
      *tuple, [](const TupleView<Int>& mode) { return mode.depth() == 1 && mode.rank() == 2; });
  return are_pairs ? std::optional(Value(*tuple)) : std::nullopt;
}

std::optional<Value> as_axe(const Value& value) {
  if (value.is<axe::Layout>()) return value;
  const auto* sharded = value.get_if<axe::Sharded>();
  if (sharded == nullptr || !sharded->partial.empty()) return std::nullopt;
  return Value(sharded->layout);
}

bool is_axis_name(std::string_view name) {
  return emit::is_identifier(name) && name != "o" && name != "_";
}

std::optional<Value> as_iter(const Value& value) {
  if (value.is<axe::Iter>()) return value;
  const auto* datum = value.get_if<Datum>();
  const auto iter = datum == nullptr ? std::nullopt : iter_of(*datum);
  if (!iter) return std::nullopt;
  return Value(*iter);
}

std::optional<Value> as_iters(const Value& value) {
  if (value.is<IterList>()) return value;
  const auto* datum = value.get_if<Datum>();
  if (datum == nullptr || datum->list() == nullptr) return std::nullopt;
  IterList iters;
  for (const Datum& item : *datum->list()) {
    const auto iter = iter_of(item);
    if (!iter) return std::nullopt;
    iters.push_back(*iter);
  }
  return Value(std::move(iters));
}

Refusal without_place(Diagnostic diagnostic) {
  Diagnostic result(diagnostic.code(), diagnostic.message());
  for (const std::string& note : diagnostic.notes()) result = std::move(result).with_note(note);
  if (!diagnostic.hint().empty()) result = std::move(result).with_hint(diagnostic.hint());
  if (diagnostic.witness()) result = std::move(result).with_witness(*diagnostic.witness());
  return refuse(std::move(result));
}

Result<std::optional<Value>> as_mesh(const Value& value) {
  if (value.is<axe::Mesh>()) return value;
  if (const auto* sharded = value.get_if<axe::Sharded>()) return Value(sharded->mesh);
  std::optional<std::string> text;
  if (const auto* given = value.get_if<std::string>()) text = *given;
  if (const std::optional<Datum> datum = as_datum(value); !text && datum) text = to_string(*datum);
  if (!text) return std::nullopt;
  Result<axe::Mesh> mesh = parse_mesh(*text);
  if (!mesh) return without_place(std::move(mesh).error());
  return Value(*std::move(mesh));
}

}  // namespace heddle::notation

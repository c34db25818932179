#include "notation/value/as_datum.h"

#include <algorithm>
#include <utility>

#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"

namespace heddle::notation {
namespace {

std::optional<Datum> number_of(const Int& integer) {
  if (!integer.is_constant()) return std::nullopt;
  return Datum(integer.value());
}

std::optional<Datum> leaf_of(const Int& integer) { return number_of(integer); }
std::optional<Datum> leaf_of(const cute::Tile& tile) {
  return tile.size() == nullptr ? std::nullopt : number_of(*tile.size());
}

/// Tuples are lists: `[(1,1),(2,2)]`, `((1,1),(2,2))`.
template <class View>
std::optional<Datum> list_from(View tuple) {
  if (tuple.is_leaf()) return leaf_of(tuple.leaf());
  Datum::List list;
  for (const auto mode : tuple.modes()) {
    std::optional<Datum> item = list_from(mode);
    if (!item) return std::nullopt;
    list.push_back(*std::move(item));
  }
  return Datum(std::move(list));
}

}  // namespace

std::optional<Datum> as_datum(const Value& value) {
  if (const auto* datum = value.get_if<Datum>()) return *datum;
  if (const auto* text = value.get_if<std::string>()) return Datum(*text);
  if (const auto* truth = value.get_if<bool>()) return Datum(*truth);
  if (const auto* tuple = value.get_if<IntTuple>()) return list_from(tuple->view());
  if (const auto* tiler = value.get_if<cute::Tiler>()) return list_from(tiler->view());
  if (const auto* layout = value.get_if<linear::LinearLayout>()) return to_datum(*layout);
  if (const auto* encoding = value.get_if<linear::Encoding>()) return to_datum(*encoding);
  return std::nullopt;
}

Result<Value> value_of(Datum datum) {
  if (datum.field("ins") != nullptr) {
    HEDDLE_TRY(linear::LinearLayout layout, linear_layout_of(datum));
    return Value(std::move(layout));
  }
  if (datum.field("kind") != nullptr) {
    HEDDLE_TRY(linear::Encoding encoding, encoding_of(datum));
    return Value(std::move(encoding));
  }
  return Value(std::move(datum));
}

}  // namespace heddle::notation

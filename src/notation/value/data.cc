#include "notation/value/data.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/overloaded.h"
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

std::optional<Datum> datum_if_data(const Value& value) {
  if (const auto* datum = value.get_if<Datum>()) return *datum;
  if (const auto* text = value.get_if<std::string>()) return Datum(*text);
  if (const auto* truth = value.get_if<bool>()) return Datum(*truth);
  if (const auto* tuple = value.get_if<IntTuple>()) return list_from(tuple->view());
  if (const auto* tiler = value.get_if<cute::Tiler>()) return list_from(tiler->view());
  return is_written_as_object(value) ? std::optional(to_datum(value)) : std::nullopt;
}

namespace {

/// The nested lists of the dimensions from `dimension` on; `next` is the first value not yet used.
Datum nested_lists(const form::Table& table, std::size_t dimension, std::size_t& next) {
  if (dimension == table.extents.size()) {
    const auto image = std::span(table.values).subspan(next, table.axes.size());
    next += image.size();
    return image.size() == 1 ? Datum(image.front()) : list_of(image);
  }
  Datum::List list;
  list.reserve(static_cast<std::size_t>(table.extents[dimension]));
  for (std::int64_t i = 0; i < table.extents[dimension]; ++i) {
    list.push_back(nested_lists(table, dimension + 1, next));
  }
  return list;
}

/// One image as is, no image as null, several (copies) as `{"set":[0,4]}`, because a list is one
/// image on several axes.
Datum images_datum(const WitnessNumbers::Images& images) {
  if (images.empty()) return Datum(nullptr);
  if (images.size() == 1) return to_datum(images.front());
  return Datum::Fields{{"set", list_of_data(images)}};
}

void add_point(Datum::Fields& fields, const WitnessNumbers::Point& point) {
  fields.emplace_back("coordinate", to_datum(point.coordinate));
  if (point.flat) fields.emplace_back("flat", *point.flat);
}

Datum numbers_datum(const WitnessNumbers& numbers) {
  Datum::Fields fields;
  if (numbers.point) add_point(fields, *numbers.point);
  if (numbers.found) fields.emplace_back("found", images_datum(*numbers.found));
  if (numbers.wanted) fields.emplace_back("wanted", images_datum(*numbers.wanted));
  if (numbers.other) {
    Datum::Fields other;
    add_point(other, *numbers.other);
    fields.emplace_back("at", std::move(other));
  }
  if (numbers.sizes.empty()) return fields;
  Datum::Fields sizes;
  for (const auto& [name, size] : numbers.sizes) sizes.emplace_back(name, size);
  fields.emplace_back("sizes", std::move(sizes));
  return fields;
}

Datum witness_datum(const std::optional<Witness>& witness) {
  if (!witness) return Datum(nullptr);
  Datum::Fields fields = {
      {"coordinate", witness->coordinate}, {"found", witness->found}, {"wanted", witness->wanted}};
  if (witness->numbers) fields.emplace_back("numbers", numbers_datum(*witness->numbers));
  return fields;
}

}  // namespace

Datum to_datum(const Int& integer) {
  if (integer.is_constant()) return integer.value();
  return integer.is_defined() ? Datum(to_string(integer)) : Datum(nullptr);
}

Datum to_datum(const cute::TvLayout& tv) {
  return Datum::Fields{{"layout", cute::to_string(tv.layout)},
                       {"tiler", cute::to_string(tv.tiler)}};
}

Datum to_datum(const form::Table& table) {
  std::size_t next = 0;
  Datum lists = nested_lists(table, 0, next);
  if (table.axes.size() == 1 && table.axes.front() == Axis::memory()) return lists;
  Datum::List axes;
  for (const Axis& axis : table.axes) axes.emplace_back(axis.name());
  return Datum::Fields{{"table", std::move(lists)}, {"axes", std::move(axes)}};
}

Datum to_datum(const map::AnyLayout& layout) {
  return std::visit(Overloaded{[](const cute::TvLayout& tv) { return to_datum(tv); },
                               [](const linear::LinearLayout& plain) { return to_datum(plain); },
                               [](const form::Table& table) { return to_datum(table); },
                               [&](const auto&) { return Datum(map::to_string(layout)); }},
                    layout);
}

Datum to_datum(const NamedNumbers& numbers) {
  if (numbers.names.size() == numbers.numbers.size() && !numbers.names.empty()) {
    Datum::Fields fields;
    for (std::size_t i = 0; i < numbers.names.size(); ++i) {
      fields.emplace_back(numbers.names[i], numbers.numbers[i]);
    }
    return fields;
  }
  return numbers.numbers.size() == 1 ? Datum(numbers.numbers.front()) : list_of(numbers.numbers);
}

Datum to_datum(const Verdict& verdict) {
  const char* answer = verdict.is_yes() ? "yes" : verdict.is_no() ? "no" : "unknown";
  Datum::Fields fields = {{"verdict", answer},
                          {"method", verdict.method()},
                          {"counterexample", witness_datum(verdict.counterexample())}};
  if (!verdict.remark().empty()) fields.emplace_back("remark", verdict.remark());
  return fields;
}

Datum to_datum(const Diagnostic& diagnostic) {
  Datum::Fields fields = {{"code", diagnostic.code()},
                          {"message", diagnostic.message()},
                          {"notes", list_of(diagnostic.notes())},
                          {"hint", text_or_null(diagnostic.hint())},
                          {"witness", witness_datum(diagnostic.witness())}};
  if (const auto& span = diagnostic.span()) {
    fields.emplace_back("span", Datum::List{span->begin, span->end});
  }
  return fields;
}

}  // namespace heddle::notation

#include "notation/operations/readers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heddle/notation/sharding.h"
#include "heddle/notation/triton.h"
#include "notation/language/foreign/printed_layout.h"

namespace heddle::notation {
namespace {

/// Refuses a tensor that does not count from 0, as a plain layout does.
Result<void> check_origin(const cute::Tensor& tensor) {
  const auto* counter = std::get_if<cute::Counter>(&tensor.engine);
  if (counter == nullptr) return {};
  const bool is_zero = std::ranges::all_of(counter->origin.leaves(),
                                           [](const Int& start) { return known_equal(start, 0); });
  if (is_zero) return {};
  return refuse(
      Diagnostic("tensor.origin", fmt::format("{} does not count from 0, and a layout alone would",
                                              cute::to_string(tensor.engine)))
          .with_hint("layout(TENSOR) is the layout alone; a partition, or the tensor "
                     "applied to a coordinate, counts from its beginning"));
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

Result<Value> index_layout(const Value& value, Origin origin) {
  if (const auto* tv = value.get_if<cute::TvLayout>()) return Value(tv->layout);
  const auto* tensor = value.get_if<cute::Tensor>();
  if (tensor == nullptr) return value;
  if (origin == Origin::kZero) HEDDLE_CHECK(check_origin(*tensor));
  HEDDLE_TRY(const cute::AnyLayout layout, cute::as_position_independent_swizzle_layout(*tensor));
  return Value(layout);
}

ConvertedArgument Reader<linear::LinearLayout>::make(const Value& value) {
  const auto* text = value.get_if<std::string>();
  if (text == nullptr) return PlainReader::make(value);
  const std::string_view trimmed =
      std::string_view(*text).substr(std::min(text->find_first_not_of(" \n"), text->size()));
  if (!begins_printed_layout(trimmed) && !trimmed.starts_with('{')) return std::nullopt;
  HEDDLE_TRY(linear::LinearLayout layout, parse_linear_layout(*text));
  return Value(std::move(layout));
}

ConvertedArgument Reader<linear::Encoding>::make(const Value& value) {
  const auto* text = value.get_if<std::string>();
  if (text == nullptr) return PlainReader::make(value);
  if (!text->starts_with('#')) return std::nullopt;
  HEDDLE_TRY(linear::Encoding encoding, parse_encoding(*text));
  return Value(std::move(encoding));
}

ConvertedArgument Reader<axe::Sharding>::make(const Value& value) {
  if (value.is<axe::Sharding>()) return value;
  const std::optional<Value> text = Reader<ShardingSpec>::make(value);
  if (!text) return std::nullopt;
  HEDDLE_TRY(axe::Sharding sharding, parse_sharding(text->get<std::string>()));
  return Value(std::move(sharding));
}

std::optional<Value> Reader<ShardingSpec>::make(const Value& value) {
  if (value.is<std::string>()) return value;
  if (const auto* sharding = value.get_if<axe::Sharding>()) {
    return Value(axe::to_string(*sharding));
  }
  const auto* datum = value.get_if<Datum>();
  if (datum == nullptr || datum->list() == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Datum& item : *datum->list()) {
    if (item.text() == nullptr) return std::nullopt;
    texts.push_back(*item.text());
  }
  return Value(fmt::format("[{}]", fmt::join(texts, ", ")));
}

std::optional<Value> Reader<Region>::make(const Value& value) {
  std::optional<Value> tuple = as_tuple(value);
  if (!tuple || tuple->is_integer()) return std::nullopt;
  for (const TupleView<Int> mode : tuple->get<IntTuple>().modes()) {
    if (mode.depth() != 1 || mode.rank() != 2) return std::nullopt;
  }
  return tuple;
}

std::optional<Value> Reader<axe::Iter>::make(const Value& value) {
  if (value.is<axe::Iter>()) return value;
  const auto* datum = value.get_if<Datum>();
  const auto iter = datum == nullptr ? std::nullopt : iter_of(*datum);
  if (!iter) return std::nullopt;
  return Value(*iter);
}

std::optional<Value> Reader<IterList>::make(const Value& value) {
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

}  // namespace heddle::notation

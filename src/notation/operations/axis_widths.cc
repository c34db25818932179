#include "notation/operations/axis_widths.h"

#include <utility>

#include "notation/operations/axe_arithmetic.h"

namespace heddle::notation {

std::optional<Value> Reader<AxisWidths>::make(const Value& value) {
  if (const auto* datum = value.get_if<Datum>(); datum != nullptr && datum->fields() != nullptr) {
    for (const auto& [axis, width] : *datum->fields()) {
      if (width.number() == nullptr || !is_axis_name(axis)) return std::nullopt;
    }
    return value;
  }
  const std::optional<AxisStep> step = as_step(value);
  if (!step || value.is<std::string>() || value.is<Datum>()) return std::nullopt;
  return Value(*step);
}

AxisWidths Reader<AxisWidths>::read(const Value& value) {
  if (const auto* step = value.get_if<AxisStep>()) return {{{step->axis, step->value}}};
  AxisWidths result;
  for (const auto& [axis, width] : *value.get<Datum>().fields()) {
    result.widths.emplace_back(Axis(axis), *width.number());
  }
  return result;
}

std::optional<Value> Reader<Places>::make(const Value& value) {
  if (value.is<Places>()) return value;
  if (const auto* part = value.get_if<AxePart>(); part != nullptr && part->replica.empty()) {
    return Value(Places{part->offset});
  }
  const std::optional<AxisStep> step = as_step(value);
  if (!step || value.is<std::string>() || value.is<Datum>()) return std::nullopt;
  return Value(Places{axe::Coordinate{{step->axis, step->value}}});
}

}  // namespace heddle::notation

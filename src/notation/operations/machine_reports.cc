// Results about machines, as reports.

#include <fmt/format.h>

#include "core/format.h"
#include "heddle/notation/machine.h"

namespace heddle::notation {
namespace {

/// A number, or the text of a symbolic one.
Datum number_or_text(const Int& value) {
  if (value.is_constant()) return value.value();
  return to_string(value);
}

Datum numbers_or_texts(const std::vector<Int>& values) {
  Datum::List list;
  for (const Int& value : values) list.push_back(number_or_text(value));
  return list;
}

Datum map_datum(const machine::TensorMap& map) {
  Datum::List extents;
  Datum::List strides;
  Datum::List box;
  Datum::List element_strides;
  for (const machine::TmaDimension& dim : map.dims) {
    if (!extents.empty()) strides.push_back(number_or_text(dim.stride));
    extents.push_back(number_or_text(dim.extent));
    box.emplace_back(dim.box);
    element_strides.emplace_back(1);
  }
  return Datum::Fields{{"tensorDataType", std::string(map.element.name)},
                       {"tensorRank", map.dims.size()},
                       {"globalAddress", number_or_text(map.base)},
                       {"globalDim", extents},
                       {"globalStrides", strides},
                       {"boxDim", box},
                       {"elementStrides", element_strides},
                       {"interleave", "NONE"},
                       {"swizzle", std::string(map.swizzle.name)},
                       {"l2Promotion", "NONE"},
                       {"oobFill", "NONE"}};
}

Datum loops_datum(const std::vector<machine::TmaLoop>& loops) {
  Datum::List list;
  for (const machine::TmaLoop& loop : loops) {
    list.emplace_back(Datum::Fields{{"count", number_or_text(loop.count)},
                                    {"coordinates", numbers_or_texts(loop.coordinates)},
                                    {"shared", number_or_text(loop.shared)}});
  }
  return list;
}

/// A line a step: its title, how it works and its result.
std::string steps_text(const Explanation& explanation) {
  std::string text;
  for (const Explanation& step : explanation.steps) {
    text += fmt::format("{:<8}  {}", step.title.text, step.text);
    if (!step.result.text.empty()) text += " -> " + step.result.text;
    text += "\n";
  }
  return text;
}

Datum rules_datum(const std::vector<machine::TmaRule>& rules) {
  Datum::List list;
  for (const machine::TmaRule& rule : rules) {
    list.emplace_back(Datum::Fields{{"subject", rule.subject},
                                    {"condition", to_string(rule.condition)},
                                    {"proved", rule.is_proved}});
  }
  return list;
}

}  // namespace

Report report_of(const machine::TmaCopy& copy) {
  return {to_string(copy), Datum::Fields{{"tensor_map", map_datum(copy.map)},
                                         {"instructions", number_or_text(copy.instructions())},
                                         {"bytes", copy.box_size() * copy.map.element.bits / 8},
                                         {"coordinates", numbers_or_texts(copy.coordinates)},
                                         {"shared", number_or_text(copy.shared)},
                                         {"shared_alignment", copy.shared_alignment},
                                         {"loops", loops_datum(copy.loops)},
                                         {"rules", rules_datum(copy.rules)}}};
}

Report report_of_steps(const machine::TmaCopy& copy) {
  Report report = report_of(copy);
  report.text = steps_text(copy.explanation) + report.text;
  Datum::List steps;
  for (const Explanation& step : copy.explanation.steps) {
    steps.emplace_back(Datum::Fields{{"title", step.title.text},
                                     {"text", step.text},
                                     {"result", text_or_null(step.result.text)}});
  }
  Datum::Fields fields = *report.data.fields();
  fields.emplace_back("steps", std::move(steps));
  report.data = Datum(std::move(fields));
  return report;
}

Result<Report> report_of(const machine::MatrixDescriptor& descriptor, std::int64_t address) {
  HEDDLE_TRY(const std::uint64_t value, descriptor.bits(address));
  const std::string bits = fmt::format("{:#018x}", value);
  return Report{to_string(descriptor) + fmt::format("\n  bits     {} at address {}", bits, address),
                Datum::Fields{{"offset", descriptor.offset},
                              {"leading", descriptor.leading},
                              {"stride", descriptor.stride},
                              {"swizzle", std::string(descriptor.swizzle.name)},
                              {"address", address},
                              {"bits", bits}}};
}

}  // namespace heddle::notation

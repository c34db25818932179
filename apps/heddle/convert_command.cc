// heddle convert: one layout in another system's notation, or the proof that it has none there.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/commands.h"
#include "heddle/hub_text.h"
#include "heddle/notation/hub.h"

namespace heddle::app {
namespace {

using map::Converted;
using notation::Environment;

Result<Converted> converted(const std::string& expression, const ConvertCommandOptions& options,
                            const Environment& environment) {
  HEDDLE_TRY(const map::System to, notation::system_named(options.to));
  map::ConvertOptions how;
  HEDDLE_TRY(how.reading, reading_of(options.as));
  HEDDLE_TRY(how.shape, box_of(options.shape));
  how.limits = environment.context().decide.limits;
  HEDDLE_TRY(const map::AnyLayout layout, any_layout_of(expression, environment));
  return map::convert(layout, to, how);
}

nlohmann::ordered_json json_of(const Converted& converted) {
  nlohmann::ordered_json json;
  json["system"] = map::name(map::system_of(converted.layout));
  json["layout"] = nlohmann::ordered_json::parse(layout_json(converted.layout));
  json["shape"] = nlohmann::ordered_json::array();
  for (const Int& extent : converted.shape) {
    if (extent.is_constant()) json["shape"].push_back(extent.value());
    if (!extent.is_constant()) json["shape"].push_back(to_string(extent));
  }
  json["reading"] = map::name(converted.reading);
  json["remark"] = converted.remark;
  return json;
}

}  // namespace

ExitCode print_converted(const Console& console, const std::string& expression,
                         const ConvertCommandOptions& options, const Environment& environment) {
  const auto result = converted(expression, options, environment);
  if (!result) return console.fail(result.error(), {expression, ""});
  if (console.json()) {
    console.print_line(nlohmann::ordered_json{{"ok", true}, {"result", json_of(*result)}}.dump());
    return ExitCode::kDone;
  }
  const std::string text = std::holds_alternative<form::Table>(result->layout)
                               ? to_string(result->layout)
                               : layout_text(result->layout);
  console.print_text(text + "\n");
  if (const std::string remark = remark_text(*result); !remark.empty()) {
    console.print_text(fmt::format("  {}\n", remark));
  }
  return ExitCode::kDone;
}

}  // namespace heddle::app

// heddle emit: a layout as functions of a program.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/commands.h"
#include "heddle/emit/map_function.h"
#include "heddle/emit/print.h"
#include "heddle/hub_text.h"
#include "heddle/notation/hub.h"

namespace heddle::app {
namespace {

using notation::Environment;

struct Emitted {
  emit::TextOptions how;
  emit::MapFunction function;
  std::string text;
};

Result<emit::TextOptions> text_options(const EmitOptions& options) {
  emit::TextOptions how;
  HEDDLE_TRY(how.dialect, notation::program_dialect_named(options.target));
  how.name = options.name;
  how.openmp = options.openmp;
  how.mlir = {options.integers, options.gpu_module};
  const bool is_mlir = how.dialect == emit::Dialect::kMlir;
  if (is_mlir || (!options.integers && options.gpu_module.empty())) return how;
  return refuse(Diagnostic("usage.option", fmt::format("--integers and --gpu-module are of MLIR, "
                                                       "not of {}",
                                                       emit::title_of(how.dialect)))
                    .with_hint("--target mlir"));
}

Result<Emitted> emitted(const std::vector<std::string>& expressions, const EmitOptions& options,
                        const Environment& environment) {
  HEDDLE_TRY(emit::TextOptions how, text_options(options));
  emit::MapFunctionOptions wanted;
  wanted.coordinates.assign(expressions.begin() + 1, expressions.end());
  for (const std::string& name : wanted.coordinates) {
    if (emit::is_identifier(name)) continue;
    return refuse("usage.expression",
                  fmt::format("the coordinates of a function are names, and '{}' is none", name));
  }
  HEDDLE_TRY(wanted.shape, box_of(options.shape));
  const auto conditions = environment.conditions();
  wanted.assumed.assign(conditions.begin(), conditions.end());
  wanted.target = emit::usual_target(how.dialect);
  wanted.limits = environment.context().decide.limits;
  HEDDLE_TRY(const map::AnyLayout layout, any_layout_of(expressions.front(), environment));
  HEDDLE_TRY(emit::MapFunction function, emit::map_function(layout, wanted));
  if (options.inverse && !function.inverse) return refuse(function.inverse.error());
  HEDDLE_TRY(std::string text, emit::to_text(function, how));
  return Emitted{std::move(how), std::move(function), std::move(text)};
}

nlohmann::ordered_json json_of(const Emitted& emitted) {
  nlohmann::ordered_json json;
  json["target"] = emit::name_of(emitted.how.dialect);
  json["name"] = emitted.how.name;
  json["text"] = emitted.text;
  json["coordinates"] = emitted.function.coordinates;
  json["places"] = emitted.function.places;
  json["sizes"] = emitted.function.sizes;
  if (!emitted.function.inverse) {
    json["no_inverse"] =
        nlohmann::ordered_json::parse(notation::to_json(emitted.function.inverse.error()));
  }
  return json;
}

}  // namespace

ExitCode print_functions(const Console& console, const std::vector<std::string>& expressions,
                         const EmitOptions& options, const Environment& environment) {
  if (expressions.empty()) {
    return console.fail(Diagnostic("usage.expression", "emit needs a layout")
                            .with_hint("heddle emit '(4,8):(8,1)' --target cuda"));
  }
  const auto result = emitted(expressions, options, environment);
  if (!result) return console.fail(result.error(), {expressions.front(), ""});
  if (console.json()) {
    console.print_line(nlohmann::ordered_json{{"ok", true}, {"result", json_of(*result)}}.dump());
  } else {
    console.print_text(result->text);
  }
  return ExitCode::kDone;
}

}  // namespace heddle::app

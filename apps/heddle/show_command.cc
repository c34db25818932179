// heddle show: one layout in every notation that can write it, each converted back and compared.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "heddle/commands.h"
#include "heddle/hub_text.h"
#include "heddle/map/decide.h"

namespace heddle::app {
namespace {

using map::AnyLayout;
using map::Converted;
using map::System;
using notation::Environment;

/// The layout in one system: there, and whether what is there is the layout.
struct Shown {
  System system = System::kCute;
  Result<Converted> converted;
  /// Nothing for the system that the layout is of.
  std::optional<Verdict> same;
};

/// Read literally, it is the same map; else converted back by the same reading it is the layout
/// again.
Verdict comes_back(const AnyLayout& layout, const Converted& there,
                   const Environment& environment) {
  if (there.reading == map::Reading::kLiteral) {
    return map::equal(layout, there.layout, environment.context().decide);
  }
  map::ConvertOptions options;
  options.reading = there.reading;
  options.limits = environment.context().decide.limits;
  if (map::system_of(there.layout) == System::kAxe) options.shape = there.shape;
  const auto back = map::convert(there.layout, map::system_of(layout), options);
  if (!back) return Verdict::unknown("not converted back: " + back.error().message());
  return map::equal(layout, back->layout, environment.context().decide);
}

std::vector<Shown> shown_everywhere(const AnyLayout& layout, const map::ConvertOptions& options,
                                    const Environment& environment) {
  std::vector<Shown> all;
  for (const System system : map::systems()) {
    Shown shown{system, map::convert(layout, system, options), {}};
    if (shown.converted && system != map::system_of(layout)) {
      shown.same = comes_back(layout, *shown.converted, environment);
    }
    all.push_back(std::move(shown));
  }
  return all;
}

/// Of a proof its first line, of other refusals what they say and why.
std::string reason(const Diagnostic& refusal) {
  if (refusal.notes().empty()) return refusal.message();
  const std::string& note = refusal.notes().front();
  if (refusal.code() == "convert.no_layout") return note;
  return fmt::format("{}: {}", refusal.message(), note);
}

std::string verdict_text(const Verdict& verdict) {
  if (verdict.is_yes()) return fmt::format("proved equal ({})", verdict.method());
  return verdict.to_string();
}

void print_shown(const Console& console, const Shown& shown) {
  constexpr std::size_t kColumn = 10;
  const std::string name(map::name(shown.system));
  if (!shown.converted) {
    console.print_text(
        fmt::format("{:<10}not expressible because {}\n", name, reason(shown.converted.error())));
    return;
  }
  std::string text = layout_text(shown.converted->layout);
  // The lines of linear layouts begin with a blank, but for the last one.
  if (text.starts_with(' ')) {
    text.erase(0, 1);
    for (std::size_t at = text.find("\n "); at != std::string::npos;
         at = text.find("\n ", at + 1)) {
      text.erase(at + 1, 1);
    }
  }
  console.print_text(fmt::format("{:<10}{}\n", name, indented(text, kColumn)));
  std::string remark = remark_text(*shown.converted);
  if (shown.same) {
    remark += fmt::format("{}{}", remark.empty() ? "" : "; ", verdict_text(*shown.same));
  }
  if (!remark.empty()) console.print_text(fmt::format("{:<10}  {}\n", "", remark));
}

nlohmann::ordered_json json_of(const Shown& shown) {
  nlohmann::ordered_json json;
  json["system"] = map::name(shown.system);
  if (!shown.converted) {
    json["error"] = nlohmann::ordered_json::parse(notation::to_json(shown.converted.error()));
    return json;
  }
  json["layout"] = nlohmann::ordered_json::parse(layout_json(shown.converted->layout));
  json["remark"] = remark_text(*shown.converted);
  if (shown.same) {
    json["same"] = nlohmann::ordered_json::parse(notation::to_json(notation::Value(*shown.same)));
  }
  return json;
}

}  // namespace

ExitCode show_everywhere(const Console& console, const std::string& expression,
                         const ConvertCommandOptions& options, const Environment& environment) {
  map::ConvertOptions how;
  const auto reading = reading_of(options.as);
  if (!reading) return console.fail(reading.error());
  how.reading = *reading;
  const auto shape = box_of(options.shape);
  if (!shape) return console.fail(shape.error());
  how.shape = *shape;
  how.limits = environment.context().decide.limits;
  const auto layout = any_layout_of(expression, environment);
  if (!layout) return console.fail(layout.error(), {expression, ""});
  const std::vector<Shown> all = shown_everywhere(*layout, how, environment);
  if (console.json()) {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const Shown& shown : all) results.push_back(json_of(shown));
    console.print_line(nlohmann::ordered_json{{"ok", true}, {"result", results}}.dump());
  } else {
    for (const Shown& shown : all) print_shown(console, shown);
  }
  const bool differs = std::ranges::any_of(
      all, [](const Shown& shown) { return shown.same && shown.same->is_no(); });
  return differs ? ExitCode::kRefuted : ExitCode::kDone;
}

}  // namespace heddle::app

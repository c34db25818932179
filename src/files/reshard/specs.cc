#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "files/reshard/crew.h"
#include "files/reshard/sources.h"
#include "heddle/files/reshard.h"
#include "heddle/notation/sharding.h"

namespace heddle::files {
namespace {

using notation::Environment;
using notation::Value;

/// The mesh that a text says; nullopt for no text.
Result<std::optional<axe::Mesh>> usual_mesh(std::string_view text, const Environment& environment) {
  if (text.empty()) return std::nullopt;
  return mesh_in(text, environment).map([](axe::Mesh mesh) { return std::optional(mesh); });
}

Result<axe::Sharding> sharding_in(std::string_view text, const Environment& environment) {
  if (auto parsed = notation::parse_sharding(text)) return parsed;
  HEDDLE_TRY(const Value value, notation::evaluate(text, environment));
  if (const auto* sharding = value.get_if<axe::Sharding>()) return *sharding;
  return refuse(diagnose("reshard.spec", "{} is not a sharding", shortened(printable(text), 80))
                    .with_hint("shardings are written as P('x', None), [Shard(0), Replicate()] or "
                               "sharding([Shard(0)], DeviceMesh([0,1])); the files say the shape"));
}

struct Placed {
  axe::Sharding sharding;
  axe::Mesh mesh;
};

/// The sharding over its mesh, or else over the given one.
Result<Placed> over_mesh(axe::Sharding sharding, const std::optional<axe::Mesh>& mesh) {
  if (!sharding.major_to_minor.empty()) {
    return refuse(
        "reshard.spec",
        "{} orders the dimensions in memory, and the tensors of safetensors are row-major",
        axe::to_string(sharding));
  }
  auto own = axe::mesh_of(sharding);
  if (!own && mesh) {
    sharding.mesh = mesh;
    own = axe::mesh_of(sharding);
  }
  if (own) return Placed{std::move(sharding), *std::move(own)};
  if (mesh) return refuse(own.error());
  return refuse(
      diagnose("reshard.spec", "{} does not give its mesh", axe::to_string(sharding))
          .with_hint("--from-mesh or --to-mesh \"Mesh('x': 4)\" gives it, or the spec itself, "
                     "sharding(P('x'), Mesh('x': 4))"));
}

/// The two sides of `NAME = EXPRESSION`; nullopt for other lines.
std::optional<std::pair<std::string_view, std::string_view>> binding_in(std::string_view line) {
  const auto is_in_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos || line.substr(sign).starts_with("==")) return std::nullopt;
  const std::string_view name = trimmed(line.substr(0, sign));
  if (name.empty() || !std::ranges::all_of(name, is_in_name)) return std::nullopt;
  return std::pair(name, trimmed(line.substr(sign + 1)));
}

Diagnostic at_line(Diagnostic why, std::size_t number, std::string_view line) {
  return std::move(why).with_note(
      fmt::format("in line {} of the specs: {}", number, shortened(printable(line), 120)));
}

}  // namespace

Result<axe::Mesh> mesh_in(std::string_view text, const Environment& environment) {
  if (auto parsed = notation::parse_mesh(text)) return parsed;
  HEDDLE_TRY(const Value value, notation::evaluate(text, environment));
  if (const auto* mesh = value.get_if<axe::Mesh>()) return *mesh;
  return refuse(diagnose("reshard.spec", "{} is not a mesh", shortened(printable(text), 80))
                    .with_hint("meshes are written as Mesh('x': 4) or DeviceMesh([[0,1],[2,3]])"));
}

Result<Specs> Specs::of(std::string_view spec, std::string_view mesh,
                        const Environment& environment) {
  HEDDLE_TRY(const std::optional<axe::Mesh> usual, usual_mesh(mesh, environment));
  HEDDLE_TRY(axe::Sharding sharding, sharding_in(spec, environment));
  HEDDLE_TRY(Placed placed, over_mesh(std::move(sharding), usual));
  Specs specs;
  specs.lines_ = {{"*", std::move(placed.sharding), std::move(placed.mesh)}};
  return specs;
}

Result<Specs> Specs::of_lines(std::string_view lines, std::string_view mesh,
                              Environment environment) {
  HEDDLE_TRY(const std::optional<axe::Mesh> usual, usual_mesh(mesh, environment));
  Specs specs;
  specs.lines_.clear();
  const auto read = [&](std::string_view line) -> Result<void> {
    if (const auto binding = binding_in(line)) {
      HEDDLE_TRY(Value value, notation::evaluate(binding->second, environment));
      environment.bind(std::string(binding->first), std::move(value));
      return {};
    }
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) {
      return refuse(Diagnostic("reshard.spec", "a line of specs has a pattern, a colon and a spec")
                        .with_hint("layers.*.weight: P('x', None)"));
    }
    HEDDLE_TRY(axe::Sharding sharding, sharding_in(trimmed(line.substr(colon + 1)), environment));
    HEDDLE_TRY(Placed placed, over_mesh(std::move(sharding), usual));
    specs.lines_.push_back({std::string(trimmed(line.substr(0, colon))), std::move(placed.sharding),
                            std::move(placed.mesh)});
    return {};
  };
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = trimmed(lines.substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.starts_with("#")) continue;
    if (auto done = read(line); !done) return refuse(at_line(done.error(), number, line));
  }
  if (specs.lines_.empty()) return refuse(Diagnostic("reshard.spec", "there is no spec"));
  return specs;
}

Result<axe::Sharding> Specs::find(std::string_view tensor) const {
  for (const Line& line : lines_) {
    if (matches(line.pattern, tensor)) return line.sharding;
  }
  std::vector<std::string> patterns;
  constexpr std::size_t kShown = 8;
  for (const Line& line : lines_) {
    if (patterns.size() == kShown) break;
    patterns.push_back(printable(line.pattern));
  }
  if (lines_.size() > kShown) patterns.emplace_back("…");
  return refuse(
      diagnose("reshard.spec", "no pattern matches the name of the tensor {}", printable(tensor))
          .with_note(fmt::format("the patterns: {}", fmt::join(patterns, ", ")))
          .with_hint("add a line for it; a last line `*: SPEC` is for all other tensors, and with "
                     "P() each "
                     "device has all of them, the same in every file"));
}

std::string Specs::identity() const {
  std::vector<std::string> texts;
  for (const Line& line : lines_) {
    texts.insert(texts.end(), {line.pattern, axe::to_string(line.sharding), to_string(line.mesh)});
    const auto& shape = line.sharding.shape;
    std::string& stated = texts.emplace_back(shape ? "shape" : "");
    for (const Int& extent : shape.value_or(std::vector<Int>())) {
      stated += " " + heddle::to_string(extent);
    }
  }
  return joined(texts);
}

std::vector<std::int64_t> Specs::devices() const {
  std::set<std::int64_t> devices;
  for (const Line& line : lines_) {
    devices.insert(line.mesh.devices().begin(), line.mesh.devices().end());
  }
  return {devices.begin(), devices.end()};
}

}  // namespace heddle::files

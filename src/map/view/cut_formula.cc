// Functions on a box that is cut into boxes, each with its own formula: what a finite map always
// is.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heddle/core/exact.h"
#include "map/view/box_function.h"

namespace heddle::map {
namespace {

using Part = CutFormula::Part;

/// The number of its points.
exact::Value volume_of(const Part& part) {
  exact::Value volume = 1;
  for (std::size_t i = 0; volume && i < part.lows.size(); ++i) {
    const exact::Value last = exact::subtract(part.highs[i], part.lows[i]);
    const exact::Value extent = last ? exact::add(*last, 1) : last;
    volume = extent ? exact::multiply(*volume, *extent) : extent;
  }
  return volume;
}

bool have_common_points(const Part& a, const Part& b) {
  for (std::size_t i = 0; i < a.lows.size(); ++i) {
    if (a.highs[i] < b.lows[i] || b.highs[i] < a.lows[i]) return false;
  }
  return true;
}

/// The box from 0 that the parts cut up: they have no point in common, and as many as it has.
std::optional<std::vector<std::int64_t>> cut_box(std::span<const Part> parts) {
  std::vector<std::int64_t> extents(parts.front().lows.size(), 0);
  exact::Value points = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (parts[k].lows[i] < 0) return std::nullopt;
      extents[i] = std::max(extents[i], parts[k].highs[i] + 1);
    }
    for (std::size_t other = 0; other < k; ++other) {
      if (have_common_points(parts[other], parts[k])) return std::nullopt;
    }
    const exact::Value volume = volume_of(parts[k]);
    points = points && volume ? exact::add(*points, *volume) : std::nullopt;
  }
  exact::Value size = 1;
  for (const std::int64_t extent : extents) size = size ? exact::multiply(*size, extent) : size;
  if (!points || size != points) return std::nullopt;
  return extents;
}

std::string bounds_text(const std::string& name, std::int64_t low, std::int64_t high) {
  if (low == high) return fmt::format("{} = {}", name, low);
  return fmt::format("{} <= {} <= {}", low, name, high);
}

std::string part_text(const Part& part, std::span<const std::string> inputs,
                      std::span<const std::string> outputs) {
  std::vector<std::string> images;
  for (std::size_t i = 0; i < part.outputs.size(); ++i) {
    const std::string label = outputs[i].empty() ? "" : outputs[i] + " = ";
    images.push_back(label + to_string(part.outputs[i], inputs));
  }
  std::vector<std::string> bounds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    bounds.push_back(bounds_text(inputs[i], part.lows[i], part.highs[i]));
  }
  return fmt::format("[{}] -> [{}]{}{}", fmt::join(inputs, ", "), fmt::join(images, ", "),
                     bounds.empty() ? "" : " : ", fmt::join(bounds, " and "));
}

}  // namespace

std::optional<BoxFunction> box_function(const CutFormula& formula) {
  if (formula.parts.empty()) return std::nullopt;
  const auto extents = cut_box(formula.parts);
  if (!extents) return std::nullopt;
  Piecewise function{extents->size(), formula.parts.front().outputs.size(), {}};
  try {
    for (const Part& part : formula.parts) {
      AffinePiece piece = piece_of(part.outputs, *extents);
      piece.constraints.clear();
      for (std::size_t i = 0; i < part.lows.size(); ++i) {
        const bool is_fixed = part.lows[i] == part.highs[i];
        piece.constraints.push_back({{-part.lows[i], {{i, 1}}}, is_fixed});
        if (!is_fixed) piece.constraints.push_back({{part.highs[i], {{i, -1}}}, false});
      }
      function.pieces.push_back(std::move(piece));
    }
  } catch (const PastRange&) {
    return std::nullopt;
  }
  return box_function(std::move(function), {extents->begin(), extents->end()});
}

std::string to_string(const CutFormula& formula, std::span<const std::string> inputs,
                      std::span<const std::string> outputs) {
  std::vector<std::string> texts;
  for (const Part& part : formula.parts) texts.push_back(part_text(part, inputs, outputs));
  return fmt::format("{{ {} }}", fmt::join(texts, "; "));
}

}  // namespace heddle::map

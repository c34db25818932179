#pragma once

// A question to isl about one or two relations, with the points that show its answer.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "map/decide/methods.h"
#include "map/isl/door.h"

namespace heddle::map {

/// The numbers of a witness.
using WitnessPoint = std::vector<Int>;

/// Values of the parameters, and a point.
struct Sample {
  WitnessPoint parameters;
  WitnessPoint point;
};
/// Whether all its numbers fit into 64 bits; isl's own numbers are not limited.
[[nodiscard]] bool is_writable(const Sample& sample);
/// The least point for the least parameters, if there is one, else any; nullopt for an empty set.
[[nodiscard]] std::optional<Sample> least_sample(const isl::set& set);
/// The witness at the sample's values of the parameters of the set.
[[nodiscard]] Witness for_parameters(Witness witness, const isl::set& set, const Sample& at);

/// A point of a witness as text and numbers.
struct ShownPoint {
  std::string text;
  std::optional<WitnessNumbers::Point> numbers;
};

/// A side of a claim as isl's object.
struct IslSide {
  isl::map map;
  std::function<ShownPoint(const WitnessPoint&)> shown;
  /// The names of the axes of its images; empty if they have none.
  std::vector<std::string> axes;
};

/// nullopt past 64 bits.
[[nodiscard]] std::optional<NamedNumbers> named_numbers(std::span<const Int> numbers,
                                                        std::vector<std::string> names);

/// The image of the view at variables for its coordinates and for its copy.
[[nodiscard]] std::vector<Int> symbolic_image(const View& view);
/// The relation of a view from these expressions (layouts.cc). Throws NotAffine.
[[nodiscard]] isl::map map_of_expressions(IslSession& session, const View& view);

/// The answer to the claim for these sides instead of its maps. isl's exceptions are not caught.
[[nodiscard]] Verdict answered(const Claim& claim, IslSide a, std::optional<IslSide> b);

}  // namespace heddle::map

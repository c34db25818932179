#pragma once

// How a question about layouts is decided: by which method, within which limits, and how layouts
// are read.
//
//   DecideOptions options;
//   options.method = Method::kIsl;                    // this one only, as a second opinion
//   options.limits.steps = 20'000'000;

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "heddle/expr/int.h"
#include "heddle/map/limits.h"
#include "heddle/map/reading.h"

#pragma GCC visibility push(default)
namespace heddle::map {

enum class Method : std::uint8_t { kDigits, kBits, kExhaustive, kIsl, kZ3 };

/// `digits`, `bits`, `exhaustive`, `isl`, `z3`.
[[nodiscard]] std::string_view name(Method method);
[[nodiscard]] std::optional<Method> find_method(std::string_view name);

struct DecideOptions {
  /// Use only this method; the answer is unknown, with the reason, if it does not apply.
  std::optional<Method> method;
  Limits limits;
  /// Boxes of up to this many points are evaluated point by point.
  std::int64_t max_points = std::int64_t{1} << 20;
  /// By default literal. Then a no also says whether the layouts are equal under the reading that
  /// suits them, if that costs nothing.
  std::optional<Reading> reading;
  /// The shape of the elements of an Axe layout that is inverted. By default that of the other side
  /// if it has one (a tile, Triton's dims), else the extents of the shard.
  std::optional<std::vector<Int>> shape;
};

}  // namespace heddle::map
#pragma GCC visibility pop

#pragma once

// Options whose values are a few numbers: `--tile 16x8`, `--mma 16,8,8`, `--shape 128,64`.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"

namespace heddle::app {

/// Its name, how many numbers it takes, and what to say where they are not there.
struct NumbersOption {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view needed;
};

/// The sizes of a box.
inline constexpr NumbersOption kShapeOption = {"--shape", 1, 64, "a shape is needed, as 8,16"};

/// The numbers of `8x16`, `8,16` or `(8,16)`; refuses `usage.option` for other texts.
[[nodiscard]] Result<std::vector<std::int64_t>> numbers_of(const NumbersOption& option,
                                                           const std::string& text);

}  // namespace heddle::app

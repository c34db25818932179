#pragma once

// The colours of pictures, which readers of every colour vision can tell apart, on paper and on a
// terminal. Cells of one colour look alike in every format:
//
//   swatch(2, 8).background                    the third of eight tints
//   swatch(2, 8, Scale::kOrdered).background   the third of eight steps from dark to light

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)
namespace heddle::draw {

/// An sRGB colour, each part 0 to 255.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The appearance of the cells of one colour.
struct Swatch {
  Rgb background;
  /// Black or white, whichever reads better on the background.
  Rgb ink;
  /// The background as a number of the terminal's 256-colour table.
  unsigned terminal = 0;

  [[nodiscard]] bool has_white_ink() const { return ink.red != 0; }
};

/// Whether colours name things, or are steps of an order such as the banks of a memory.
enum class Scale { kDistinct, kOrdered };

/// The swatch of colour `color` among `colors`. Distinct ones: up to 8 colours are tints of the
/// palette of Okabe and Ito. More are taken from a table of 32 in which any two differ for readers
/// of every colour vision, and neighbours differ most. Ordered ones run through the hues of
/// viridis, and grow lighter for readers of every colour vision (tests/draw/palette_test.cc
/// measures both).
[[nodiscard]] Swatch swatch(std::size_t color, std::size_t colors, Scale scale = Scale::kDistinct);

}  // namespace heddle::draw
#pragma GCC visibility pop

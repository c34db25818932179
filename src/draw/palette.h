#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::draw {

/// A colour of the screen, each part 0 to 255.
struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The background of colour class `color`, light enough for black text. The first 8 are tints of
/// the Okabe-Ito palette, the next ones the same hues lighter and darker.
[[nodiscard]] Rgb background(std::size_t color);

/// The same as a number of the terminal's 256-colour table.
[[nodiscard]] unsigned terminal_background(std::size_t color);

}  // namespace heddle::draw

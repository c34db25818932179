#include "heddle/draw/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle::draw {
namespace {

/// Tints of Okabe and Ito's colours, grey for their black, and the nearest colours of a terminal.
/// The saturation of each hue, and the order, were chosen by search: the least distance of any two
/// in CIELAB, over normal vision and simulated protanopia, deuteranopia and tritanopia, is 15, of
/// neighbours 23.
struct Tint {
  Rgb background;
  unsigned terminal;
};
constexpr std::array<Tint, 8> kTints = {{
    {{188, 225, 247}, 195},  // sky blue
    {{234, 174, 39}, 178},   // orange
    {{197, 197, 197}, 251},  // grey
    {{13, 163, 122}, 72},    // bluish green
    {{246, 239, 142}, 228},  // yellow
    {{128, 185, 217}, 117},  // blue
    {{241, 199, 166}, 223},  // vermillion
    {{204, 121, 167}, 132},  // reddish purple
}};

/// Colours of the terminal's table, chosen and ordered in the same way: the least distance of any
/// two is 12, of neighbours 39.
constexpr std::array<unsigned, 32> kWide = {219, 65,  201, 124, 57,  166, 248, 127, 41,  96,  194,
                                            239, 33,  188, 92,  119, 182, 71,  170, 151, 208, 25,
                                            156, 225, 244, 213, 46,  139, 22,  114, 133, 108};

/// The colours 16 to 255 of xterm's table: a cube of 6 x 6 x 6, then a ramp of greys.
Rgb terminal_color(unsigned number) {
  if (number >= 232) {
    const auto grey = static_cast<std::uint8_t>(8 + 10 * (number - 232));
    return {grey, grey, grey};
  }
  constexpr std::array<std::uint8_t, 6> kSteps = {0, 95, 135, 175, 215, 255};
  const unsigned cube = number - 16;
  return {kSteps[cube / 36], kSteps[cube / 6 % 6], kSteps[cube % 6]};
}

/// The number of the terminal's colour that is nearest to this one.
unsigned nearest_terminal(Rgb color) {
  constexpr unsigned kFirst = 16;
  constexpr unsigned kLast = 255;
  const auto distance = [color](unsigned number) {
    const Rgb other = terminal_color(number);
    const auto square = [](int difference) { return difference * difference; };
    return square(color.red - other.red) + square(color.green - other.green) +
           square(color.blue - other.blue);
  };
  unsigned nearest = kFirst;
  for (unsigned number = kFirst; number <= kLast; ++number) {
    if (distance(number) < distance(nearest)) nearest = number;
  }
  return nearest;
}

/// Steps of viridis (van der Walt and Smith, 2015), between which colours are interpolated.
constexpr std::array<Rgb, 9> kViridis = {{{68, 1, 84},
                                          {72, 40, 120},
                                          {62, 73, 137},
                                          {49, 104, 142},
                                          {38, 130, 142},
                                          {31, 158, 137},
                                          {74, 193, 109},
                                          {160, 218, 57},
                                          {253, 231, 37}}};

Rgb ordered_color(std::size_t color, std::size_t colors) {
  const std::size_t last = std::max<std::size_t>(colors, 2) - 1;
  const double at = static_cast<double>(std::min(color, last)) / static_cast<double>(last) *
                    static_cast<double>(kViridis.size() - 1);
  const std::size_t step = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
  const double share = at - static_cast<double>(step);
  const auto between = [share](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
  };
  const Rgb& from = kViridis[step];
  const Rgb& to = kViridis[step + 1];
  return {between(from.red, to.red), between(from.green, to.green), between(from.blue, to.blue)};
}

/// Relative luminance as the Web Content Accessibility Guidelines define it.
double luminance(Rgb color) {
  const auto linear = [](std::uint8_t part) {
    const double value = part / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

/// Black has the greater contrast above a luminance of sqrt(1.05 * 0.05) - 0.05.
Rgb ink_on(Rgb background) {
  return luminance(background) > 0.179 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

}  // namespace

Swatch swatch(std::size_t color, std::size_t colors, Scale scale) {
  if (scale == Scale::kOrdered) {
    const Rgb background = ordered_color(color, colors);
    return {background, ink_on(background), nearest_terminal(background)};
  }
  if (colors <= kTints.size()) {
    const Tint& tint = kTints[color % kTints.size()];
    return {tint.background, ink_on(tint.background), tint.terminal};
  }
  const unsigned number = kWide[color % kWide.size()];
  const Rgb background = terminal_color(number);
  return {background, ink_on(background), number};
}

}  // namespace heddle::draw

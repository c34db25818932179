#include "draw/palette.h"

#include <array>

namespace heddle::draw {
namespace {

constexpr std::size_t kHues = 8;

/// Okabe and Ito's colours, grey for their black, ordered so that neighbours differ in lightness
/// too.
constexpr std::array<Rgb, kHues> kOkabeIto = {{
    {86, 180, 233},   // sky blue
    {230, 159, 0},    // orange
    {0, 158, 115},    // bluish green
    {240, 228, 66},   // yellow
    {0, 114, 178},    // blue
    {213, 94, 0},     // vermillion
    {204, 121, 167},  // reddish purple
    {153, 153, 153},  // grey
}};

/// How much of the hue is left, in percent: strong hues are thinned more, and the rounds of a
/// palette of more than 8 colours differ.
constexpr std::array<unsigned, kHues> kStrength = {45, 60, 50, 70, 60, 65, 60, 50};
constexpr std::array<unsigned, 4> kRounds = {100, 45, 140, 70};

std::uint8_t thin(std::uint8_t part, unsigned percent) {
  return static_cast<std::uint8_t>(255 - (255 - part) * percent / 100);
}

/// The numbers of like colours in the terminal's cube of 6 x 6 x 6 colours and its ramp of greys,
/// all different.
constexpr std::array<unsigned, kHues * kRounds.size()> kTerminal = {
    153, 215, 115, 228, 74,  167, 182, 250,  //
    195, 223, 158, 230, 147, 217, 225, 255,  //
    117, 178, 73,  226, 31,  166, 175, 247,  //
    189, 222, 152, 229, 116, 216, 219, 253};

}  // namespace

Rgb background(std::size_t color) {
  const Rgb hue = kOkabeIto[color % kHues];
  const unsigned percent = kStrength[color % kHues] * kRounds[color / kHues % kRounds.size()] / 100;
  return {thin(hue.red, percent), thin(hue.green, percent), thin(hue.blue, percent)};
}

unsigned terminal_background(std::size_t color) { return kTerminal[color % kTerminal.size()]; }

}  // namespace heddle::draw

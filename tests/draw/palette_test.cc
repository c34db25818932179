// Colours that readers can tell apart, measured: distances in CIELAB as the eye sees them, with
// normal colour vision and with each kind of dichromacy.
//
// Sources: Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color
// Vision Deficiency (2009), matrices of severity 1; CIE 15, CIELAB under D65; contrast as in the
// Web Content Accessibility Guidelines 2.

#include "heddle/draw/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace heddle::draw {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtanopia = {{{0.152286, 1.052583, -0.204868},
                                 {0.114503, 0.786281, 0.099216},
                                 {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeuteranopia = {{{0.367322, 0.860646, -0.227968},
                                   {0.280085, 0.672501, 0.047413},
                                   {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritanopia = {{{1.255528, -0.076749, -0.178779},
                                 {-0.078411, 0.930809, 0.147602},
                                 {0.004733, 0.691367, 0.303900}}};
constexpr std::array kVisions = {kNormal, kProtanopia, kDeuteranopia, kTritanopia};

Vector operator*(const Matrix& matrix, const Vector& vector) {
  Vector product = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * vector[j];
  }
  return product;
}

double linear(std::uint8_t part) {
  const double value = part / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

Vector linear(Rgb color) { return {linear(color.red), linear(color.green), linear(color.blue)}; }

Vector lab(Vector rgb) {
  for (double& part : rgb) part = std::clamp(part, 0.0, 1.0);
  constexpr Matrix kToXyz = {{{0.4124564, 0.3575761, 0.1804375},
                              {0.2126729, 0.7151522, 0.0721750},
                              {0.0193339, 0.1191920, 0.9503041}}};
  const Vector xyz = kToXyz * rgb;
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = f(xyz[0] / 0.95047);
  const double y = f(xyz[1]);
  const double z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// How far apart the eye that finds it hardest sees two colours.
double distance(Rgb a, Rgb b) {
  double least = std::numeric_limits<double>::max();
  for (const Matrix& vision : kVisions) {
    const Vector p = lab(vision * linear(a));
    const Vector q = lab(vision * linear(b));
    least = std::min(least, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  }
  return least;
}

using Look = std::function<Rgb(const Swatch&)>;

/// The least distance of colours that are `step` apart in the palette, the last next to the first;
/// of any two colours for step 0.
double least_distance(std::size_t colors, std::size_t step, const Look& look) {
  double least = std::numeric_limits<double>::max();
  for (std::size_t a = 0; a < colors; ++a) {
    for (std::size_t b = a + 1; b < colors; ++b) {
      if (step > 0 && (b - a) % colors != step && (a + colors - b) % colors != step) continue;
      least = std::min(least, distance(look(swatch(a, colors)), look(swatch(b, colors))));
    }
  }
  return least;
}

Rgb background(const Swatch& swatch) { return swatch.background; }

/// The colour that a terminal makes of the number, for those above 15.
Rgb terminal(const Swatch& swatch) {
  const auto part = [](unsigned step) {
    return static_cast<std::uint8_t>(step == 0 ? 0 : 55 + 40 * step);
  };
  const unsigned number = swatch.terminal;
  if (number >= 232) {
    const auto grey = static_cast<std::uint8_t>(8 + 10 * (number - 232));
    return {grey, grey, grey};
  }
  return {part((number - 16) / 36), part((number - 16) / 6 % 6), part((number - 16) % 6)};
}

double luminance(Rgb color) {
  const Vector parts = linear(color);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

double contrast(Rgb a, Rgb b) {
  const auto [less, more] = std::minmax({luminance(a), luminance(b)});
  return (more + 0.05) / (less + 0.05);
}

TEST(Palette, SimulatesWhatItSays) {
  // Red and green of one lightness are close for whoever misses the difference.
  const Rgb red = {200, 90, 60};
  const Rgb green = {120, 130, 50};
  EXPECT_GT(std::hypot(lab(linear(red))[1] - lab(linear(green))[1], 0), 40);
  EXPECT_LT(distance(red, green), 25);
  EXPECT_NEAR(lab(linear(Rgb{255, 255, 255}))[0], 100, 0.1);
  EXPECT_NEAR(lab(kDeuteranopia * linear(Rgb{255, 255, 255}))[1], 0, 0.1) << "white stays white";
}

TEST(Palette, OfEightDiffersForEveryColourVision) {
  EXPECT_GE(least_distance(8, 0, background), 15);
  EXPECT_GE(least_distance(8, 1, background), 23);
  EXPECT_GE(least_distance(8, 0, terminal), 15) << "as numbers of the terminal";
}

TEST(Palette, OfThirtyTwoDiffersForEveryColourVision) {
  EXPECT_GE(least_distance(32, 0, background), 12);
  EXPECT_GE(least_distance(32, 1, background), 39);
  // Banks that lie above one another where rows are 4 or 8 banks apart.
  EXPECT_GE(least_distance(32, 4, background), 25);
  EXPECT_GE(least_distance(32, 8, background), 25);
}

TEST(Palette, OfAnOrderGrowsLighterForEveryColourVision) {
  for (const std::size_t colors : {2UL, 4UL, 8UL, 32UL}) {
    for (std::size_t color = 1; color < colors; ++color) {
      const Rgb before = swatch(color - 1, colors, Scale::kOrdered).background;
      const Rgb now = swatch(color, colors, Scale::kOrdered).background;
      for (const Matrix& vision : kVisions) {
        EXPECT_GT(lab(vision * linear(now))[0], lab(vision * linear(before))[0])
            << color << " of " << colors;
      }
      if (colors > 8) continue;
      EXPECT_GE(distance(before, now), 9) << color << " of " << colors;
    }
  }
}

TEST(Palette, OfAnOrderIsNearToItsColoursOfATerminal) {
  for (std::size_t color = 0; color < 8; ++color) {
    const Swatch look = swatch(color, 8, Scale::kOrdered);
    EXPECT_LE(distance(terminal(look), look.background), 25) << color;
  }
}

TEST(Palette, OfThirtyTwoLooksTheSameOnATerminal) {
  for (std::size_t color = 0; color < 32; ++color) {
    EXPECT_EQ(terminal(swatch(color, 32)), swatch(color, 32).background) << color;
  }
}

TEST(Palette, HasTextThatCanBeRead) {
  for (const std::size_t colors : {std::size_t{8}, std::size_t{32}}) {
    for (std::size_t color = 0; color < colors; ++color) {
      const Swatch look = swatch(color, colors);
      EXPECT_GE(contrast(look.background, look.ink), 4.5) << color;
      EXPECT_GE(contrast(terminal(look), look.ink), 4.5) << color;
    }
  }
}

TEST(Palette, DiffersFromThePaper) {
  for (const std::size_t colors : {std::size_t{8}, std::size_t{32}}) {
    for (std::size_t color = 0; color < colors; ++color)
      EXPECT_GE(distance(swatch(color, colors).background, {255, 255, 255}), 12) << color;
  }
}

}  // namespace
}  // namespace heddle::draw

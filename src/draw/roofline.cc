#include "heddle/draw/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/printable.h"
#include "draw/markup.h"

namespace heddle::draw {
namespace {

double speed(const MeasuredProgram& program) { return program.operations / program.seconds; }
double intensity(const MeasuredProgram& program) { return program.operations / program.bytes; }
double ridge(const Roof& roof) { return roof.operations / roof.bytes; }

/// Whether both are at most 10^12 times more or less than 1.
bool is_near(double a, double b) {
  constexpr double kMost = 1e12;
  return std::max(a, b) <= kMost && std::min(a, b) >= 1 / kMost;
}

Result<void> check_roofline(const Roofline& roofline) {
  constexpr std::size_t kMost = 100;
  const auto& [title, roof, programs] = roofline;
  if (programs.empty() || programs.size() > kMost) {
    return refuse("draw.roofline",
                  fmt::format("a roofline is of 1 to {} programs, not {}", kMost, programs.size()));
  }
  const auto is_usual = [](double number) { return number > 1e-12 && number < 1e24; };
  if (!is_usual(roof.operations) || !is_usual(roof.bytes)) {
    return refuse("draw.roofline",
                  fmt::format("a machine does {} operations and moves {} bytes in a second; both "
                              "are greater than 0",
                              roof.operations, roof.bytes));
  }
  for (const MeasuredProgram& each : programs) {
    const bool has_numbers =
        is_usual(each.operations) && is_usual(each.bytes) && is_usual(each.seconds);
    if (has_numbers && !is_near(speed(each) / roof.operations, intensity(each) / ridge(roof))) {
      return refuse(
          "draw.roofline",
          fmt::format("{} is further than 10^12 times from what the machine does", each.name));
    }
    if (has_numbers) continue;
    return refuse("draw.roofline",
                  fmt::format("{} does {} operations and moves {} bytes in {} seconds; all are "
                              "greater than 0",
                              each.name, each.operations, each.bytes, each.seconds));
  }
  return {};
}

/// 98.6 and ` G`.
std::pair<double, std::string_view> scaled(double number) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  for (; number >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix) number /= 1000;
  return {number, kPrefixes[prefix]};
}

/// `98.6 G`
std::string with_prefix(double value) {
  const auto [number, prefix] = scaled(value);
  const int decimals = number < 9.95 ? 2 : (number < 99.5 ? 1 : 0);
  return fmt::format("{:.{}f}{}", number, decimals, prefix);
}

/// `sgemm 1024   98.6 G   86 %`
std::string list_line(const Roofline& roofline, const MeasuredProgram& program) {
  std::size_t longest = 0;
  for (const MeasuredProgram& each : roofline.programs) {
    longest = std::max(longest, code_points(printable(each.name)));
  }
  return fmt::format("{:<{}}{:>9}{:>6.0f} %", printable(program.name), longest,
                     with_prefix(speed(program)), 100 * share_of_roof(roofline.roof, program));
}

/// An axis with equal distances for equal ratios, between powers of two of a unit.
class Logarithmic {
 public:
  Logarithmic(std::pair<double, double> range, double unit, double from, double to)
      : unit_(unit), from_(from), to_(to) {
    constexpr double kMargin = 0.3;
    first_ = std::floor(exponent(range.first) - kMargin);
    last_ = std::ceil(exponent(range.second) + kMargin);
  }

  [[nodiscard]] double operator()(double value) const {
    return from_ + (to_ - from_) * (exponent(value) - first_) / (last_ - first_);
  }
  [[nodiscard]] double first() const { return value_of(first_); }
  /// The marks, some ten at most.
  [[nodiscard]] std::vector<double> marks() const {
    std::vector<double> marks;
    const double step = std::ceil((last_ - first_) / 10);
    for (double at = first_; at <= last_; at += step) marks.push_back(value_of(at));
    return marks;
  }

 private:
  [[nodiscard]] double exponent(double value) const { return std::log2(value / unit_); }
  [[nodiscard]] double value_of(double exponent) const { return unit_ * std::exp2(exponent); }

  double unit_;
  double from_;
  double to_;
  double first_ = 0;
  double last_ = 1;
};

/// 10^9 for 2 * 10^10: the unit of its prefix.
double unit_of(double number) { return std::pow(1000, std::floor(std::log10(number) / 3)); }

constexpr double kLeft = 76;
constexpr double kRight = 576;
constexpr double kTop = 56;
constexpr double kBottom = 436;
constexpr double kListLeft = 604;
constexpr double kListLine = 18;

class RooflineSvg {
 public:
  explicit RooflineSvg(const Roofline& roofline)
      : roofline_(roofline),
        x_(extremes(intensity, ridge(roofline.roof)), 1, kLeft, kRight),
        y_(extremes(speed, roofline.roof.operations), unit_of(roofline.roof.operations), kBottom,
           kTop) {}

  std::string draw() && {
    open();
    write_axes();
    write_roof();
    write_programs();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  /// The least and the greatest of the programs' numbers and `value`.
  template <class Of>
  [[nodiscard]] std::pair<double, double> extremes(const Of& of, double value) const {
    std::pair range{value, value};
    for (const MeasuredProgram& each : roofline_.programs) {
      range.first = std::min(range.first, of(each));
      range.second = std::max(range.second, of(each));
    }
    return range;
  }

  void open() {
    std::size_t longest = 0;
    for (const MeasuredProgram& each : roofline_.programs) {
      longest = std::max(longest, code_points(line_of(each)));
    }
    const double height = std::max(
        kBottom + 56, kTop + kListLine * static_cast<double>(roofline_.programs.size() + 1));
    write(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" {2} font-size=\"12\" fill=\"#1a1a1a\">\n<rect width=\"100%\" "
        "height=\"100%\" fill=\"#fff\"/>\n<text x=\"16\" y=\"30\" font-size=\"16\" "
        "font-weight=\"bold\">{3}</text>\n",
        kListLeft + 48 + 7.3 * static_cast<double>(longest), height, kFont,
        escape_xml(roofline_.title));
  }

  void write_axes() {
    for (const double mark : x_.marks()) {
      write("<path d=\"M{0:.1f} {1}V{2}\" stroke=\"#ddd\"/>", x_(mark), kTop, kBottom);
      write("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x_(mark),
            kBottom + 18, mark_text(mark));
    }
    for (const double mark : y_.marks()) {
      write("<path d=\"M{1} {0:.1f}H{2}\" stroke=\"#ddd\"/>", y_(mark), kLeft, kRight);
      write("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, y_(mark) + 4,
            mark_text(mark));
    }
    write("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">operations a byte</text>\n",
          (kLeft + kRight) / 2, kBottom + 40);
    write("<text x=\"16\" y=\"{}\">operations a second</text>\n", kTop - 8);
  }

  /// `1/4`, `16`, `32 G`
  static std::string mark_text(double mark) {
    if (mark < 1) return fmt::format("1/{:.0f}", 1 / mark);
    const auto [number, prefix] = scaled(mark);
    return fmt::format("{:.4g}{}", number, prefix);
  }

  /// The slope of the memory up to the ridge, then the flat part.
  void write_roof() {
    const Roof& roof = roofline_.roof;
    const double begin = std::max(x_.first(), y_.first() / roof.bytes);
    write(
        "<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}H{}\" fill=\"none\" stroke=\"#1a1a1a\" "
        "stroke-width=\"2\"/>\n",
        x_(begin), y_(attainable(roof, begin)), x_(ridge(roof)), y_(roof.operations), kRight);
    write("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{} operations a second</text>\n",
          kRight - 4, y_(roof.operations) - 6, with_prefix(roof.operations));
    const double middle = std::sqrt(begin * ridge(roof));
    write("<text x=\"{:.1f}\" y=\"{:.1f}\">{} bytes a second</text>\n", x_(middle) + 10,
          y_(attainable(roof, middle)) + 14, with_prefix(roof.bytes));
  }

  void write_programs() {
    std::vector<std::pair<double, double>> numbers;
    const Swatch left = swatch(0, 2);
    const Swatch right = swatch(1, 2);
    double line = kTop;
    for (std::size_t i = 0; i < roofline_.programs.size(); ++i) {
      const MeasuredProgram& each = roofline_.programs[i];
      const double x = x_(intensity(each));
      const double y = y_(speed(each));
      const Swatch& look = intensity(each) < ridge(roofline_.roof) ? left : right;
      const std::string dot =
          fmt::format("r=\"5\" fill=\"{}\" stroke=\"#1a1a1a\"", hex(look.background));
      write("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" {}><title>{}</title></circle>", x, y, dot,
            escape_xml(line_of(each)));
      const double at = free_place(numbers, x, y + 4);
      write("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\">{}</text>\n", x + 8, at, i + 1);
      line += kListLine;
      write("<circle cx=\"{}\" cy=\"{}\" {}/>", kListLeft + 30, line - 4, dot);
      write(
          "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><text x=\"{}\" y=\"{}\" "
          "xml:space=\"preserve\">{}</text>\n",
          kListLeft + 20, line, i + 1, kListLeft + 42, line, escape_xml(line_of(each)));
    }
  }

  /// Beside the dot, or further down where other numbers stand.
  static double free_place(std::vector<std::pair<double, double>>& taken, double x, double y) {
    const auto is_taken = [&](const auto& other) {
      return std::abs(other.first - x) < 14 && std::abs(other.second - y) < 10;
    };
    while (std::ranges::any_of(taken, is_taken)) y += 10;
    taken.emplace_back(x, y);
    return y;
  }

  [[nodiscard]] std::string line_of(const MeasuredProgram& each) const {
    return list_line(roofline_, each);
  }

  const Roofline& roofline_;
  Logarithmic x_;
  Logarithmic y_;
  std::string text_;
};

}  // namespace

double attainable(const Roof& roof, double operations_per_byte) {
  return std::min(roof.operations, roof.bytes * operations_per_byte);
}

double share_of_roof(const Roof& roof, const MeasuredProgram& program) {
  return speed(program) / attainable(roof, intensity(program));
}

Result<std::string> to_svg(const Roofline& roofline) {
  HEDDLE_CHECK(check_roofline(roofline));
  return RooflineSvg(roofline).draw();
}

Result<std::string> to_terminal(const Roofline& roofline) {
  HEDDLE_CHECK(check_roofline(roofline));
  constexpr double kBar = 30;
  std::string text = roofline.title.empty() ? "" : printable(roofline.title) + "\n";
  for (const MeasuredProgram& each : roofline.programs) {
    const double share = share_of_roof(roofline.roof, each);
    const auto length = static_cast<std::size_t>(std::lround(kBar * std::min(share, 1.0)));
    std::string bar;
    for (std::size_t i = 0; i < length; ++i) bar += "█";
    text += fmt::format("{}  {:<{}}  {}\n", list_line(roofline, each), bar,
                        static_cast<std::size_t>(kBar),
                        intensity(each) < ridge(roofline.roof) ? "memory" : "operations");
  }
  return text;
}

}  // namespace heddle::draw

// Finds shape and strides of a layout that is known as a function only.

#include <heddle/form/recover.h>

#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

using heddle::form::Digit;

namespace {

void recover(std::int64_t points, const std::function<std::int64_t(std::int64_t)>& f) {
  const auto sample = [&](std::int64_t point) { return std::vector<std::int64_t>{f(point)}; };
  const heddle::Result<std::vector<Digit>> digits = heddle::form::recover(points, 1, sample);
  if (!digits) {
    std::cout << digits.error() << "\n";
    return;
  }
  for (const Digit& digit : *digits)
    std::cout << "mode " << digit.extent << ':' << digit.stride[0] << "\n";
}

}  // namespace

int main() {
  // Eight rows of eight numbers, read in steps of three: 0 24 48 9 33 57.
  recover(6, [](std::int64_t i) { return 3 * i % 8 * 8 + 3 * i / 8; });
  // Four numbers, a gap, two numbers: 0 1 2 3 5 6.
  recover(6, [](std::int64_t i) { return i < 4 ? i : i + 1; });
  // Too many points to compare each.
  recover(2'000'000, [](std::int64_t i) { return i / 4; });
}

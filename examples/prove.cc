// Proves claims about layouts whose sizes are only names.

#include <heddle/heddle.h>

#include <iostream>

using namespace heddle;

int main() {
  const Symbol any_m("M");
  const Symbol any_k("K");
  const auto world = Assumptions::make({any_m % 128 == 0, any_k <= 64}).value();
  const Int m = world.variable("M");
  const Int k = world.variable("K");

  const cute::Layout matrix = cute::make_layout({m, k}, {k, 1}).value();
  std::cout << matrix << "\n";
  std::cout << "injective:            " << map::injective(matrix) << "\n";
  std::cout << "within a buffer of MK: " << map::within(matrix, 0, m * k) << "\n";
  std::cout << "within 64 numbers:    " << map::within(matrix, 0, 64) << "\n";

  // The same map, written by LEGO in tiles of 128 rows.
  const auto tiled = lego::tile_by({{floor_div(m, 128), 1}, {128, k}}).layout();
  std::cout << *tiled << "\n";

  // 24 does not divide every multiple of 128.
  std::cout << Assumptions::make({any_m % 128 == 0, any_m == 100}).error() << "\n";
}

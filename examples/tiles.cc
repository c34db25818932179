// Splits a row-major 4096 x 4096 matrix into tiles of 128 x 64 and lists the addresses that one
// thread touches in the tile (3,5).

#include <heddle/cute/algebra.h>

#include <iostream>

using heddle::Int;
using heddle::IntTuple;
using heddle::Result;
using heddle::cute::_;
using heddle::cute::Coordinate;
using heddle::cute::Layout;

namespace {

// 32 x 8 threads, neighbours along a row; each takes one element in four rows and eight columns.
Result<Layout> addresses_of_thread(const Layout& matrix, const Int& row, const Int& column) {
  HEDDLE_TRY(const Layout tiles,
             heddle::cute::zipped_divide(matrix, heddle::cute::to_tiler(IntTuple{128, 64})));
  const Coordinate one_tile{{_, _}, {3, 5}};
  HEDDLE_TRY(const Layout tile, heddle::cute::slice(one_tile, tiles));
  HEDDLE_TRY(const Layout threads,
             heddle::cute::zipped_divide(tile, heddle::cute::to_tiler(IntTuple{32, 8})));
  const Coordinate one_thread{{row, column}, {_, _}};
  return heddle::cute::slice(one_thread, threads);
}

}  // namespace

int main() {
  const Layout matrix = heddle::cute::make_layout_right(IntTuple{4096, 4096}).value();
  const Result<Layout> addresses = addresses_of_thread(matrix, 1, 2);
  if (!addresses) {
    std::cerr << addresses.error() << "\n";
    return 1;
  }
  std::cout << "matrix     " << matrix << "\n";
  std::cout << "one thread " << *addresses << "\n";
  std::cout << "its first eight steps:";
  for (int i = 0; i < 8; ++i) std::cout << ' ' << (*addresses)(i);
  std::cout << "\n";
}

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
using heddle::cute::OffsetLayout;

namespace {

// 32 x 8 threads, neighbours along a row; each takes one element in four rows and eight columns. A
// slice counts from where it begins, so the offsets of the tile and of the thread add up.
Result<OffsetLayout> addresses_of_thread(const Layout& matrix, const Int& row, const Int& column) {
  HEDDLE_TRY(const Layout tiles,
             heddle::cute::zipped_divide(matrix, heddle::cute::to_tiler(IntTuple{128, 64})));
  const Coordinate one_tile{{_, _}, {3, 5}};
  HEDDLE_TRY(const OffsetLayout tile, heddle::cute::slice_and_offset(one_tile, tiles));
  HEDDLE_TRY(const Layout threads,
             heddle::cute::zipped_divide(tile.layout, heddle::cute::to_tiler(IntTuple{32, 8})));
  const Coordinate one_thread{{row, column}, {_, _}};
  HEDDLE_TRY(const OffsetLayout thread, heddle::cute::slice_and_offset(one_thread, threads));
  return OffsetLayout{thread.layout, tile.offset.leaf() + thread.offset.leaf()};
}

}  // namespace

int main() {
  const Layout matrix = heddle::cute::make_layout_right(IntTuple{4096, 4096}).value();
  const Result<OffsetLayout> thread = addresses_of_thread(matrix, 1, 2);
  if (!thread) {
    std::cerr << thread.error() << "\n";
    return 1;
  }
  const Int begin = thread->offset.leaf();
  std::cout << "matrix     " << matrix << "\n";
  std::cout << "one thread " << thread->layout << " from " << begin << "\n";
  std::cout << "its first eight addresses:";
  for (int i = 0; i < 8; ++i) std::cout << ' ' << begin + thread->layout(i);
  std::cout << "\n";
}

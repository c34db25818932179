// Who holds what in a tensor-core GEMM: the accumulators of one thread, and the owner of an
// element.

#include <heddle/cute/atoms.h>
#include <heddle/cute/thread_value.h>
#include <heddle/cute/tiled_mma.h>

#include <iostream>
#include <vector>

using heddle::Int;
using heddle::IntTuple;
using heddle::Result;
using heddle::cute::Layout;
using heddle::cute::OffsetLayout;

namespace {

Result<void> show(const Int& thread) {
  const auto atom = heddle::cute::find_mma_atom("SM80_16x8x16_F32F16F16F32_TN");
  HEDDLE_TRY(const Layout atoms, heddle::cute::make_layout(IntTuple{2, 2, 1}));
  HEDDLE_TRY(const auto mma, heddle::cute::make_tiled_mma(*atom, atoms));
  std::cout << "tile    " << tile_shape(mma) << " by " << size(mma) << " threads\n";

  HEDDLE_TRY(const Layout c, heddle::cute::make_layout_right(IntTuple{128, 128}));
  HEDDLE_TRY(const OffsetLayout held, heddle::cute::partition_C(mma, c, thread));
  std::cout << "thread  " << thread << " holds " << held.layout << " from " << held.offset << "\n";

  HEDDLE_TRY(const auto tv, heddle::cute::layoutC_TV(mma));
  HEDDLE_TRY(const auto owners, heddle::cute::owners(tv.layout, IntTuple{9, 3}, tile_shape(tv)));
  std::cout << "element (9,3) of the tile is (thread,value) " << owners.front() << "\n";
  return {};
}

}  // namespace

int main() {
  if (const Result<void> shown = show(5); !shown) {
    std::cerr << shown.error() << "\n";
    return 1;
  }
}

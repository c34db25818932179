// Proves claims about layouts of several systems, and reads one as what they all are: a function on
// a box.

#include <heddle/cute/algebra.h>
#include <heddle/cute/atoms.h>
#include <heddle/map/composition_guard.h>
#include <heddle/map/decide.h>

#include <iostream>
#include <vector>

using heddle::Axis;
using heddle::Int;
namespace axe = heddle::axe;
namespace cute = heddle::cute;
namespace map = heddle::map;

int main() {
  const cute::Layout rows = cute::make_layout({4, 8}, {8, 1}).value();
  const axe::Layout line = axe::Layout::make({{32, 1, Axis::memory()}}).value();
  std::cout << map::equal(rows, line) << "\n";

  // The accumulator of mma.m16n8k16 in CuTe and in Axe: who owns which element?
  const cute::TiledMma mma =
      cute::make_tiled_mma(cute::find_mma_atom("SM80_16x8x16_F32F16F16F32_TN").value()).value();
  const cute::TvLayout held = cute::layoutC_TV(mma).value();
  const Axis lane("laneid");
  const Axis reg("reg");
  const axe::Layout places =
      axe::Layout::make({{2, 2, reg}, {8, 4, lane}, {4, 1, lane}, {2, 1, reg}}).value();
  map::DecideOptions owners;
  owners.reading = map::Reading::kOwnership;
  std::cout << map::equal(held, places, owners) << "\n";

  // Injective for all sizes; too long for a buffer of 100 elements for some.
  const Int m = Int::variable("M", 1, 64);
  const cute::Layout padded = cute::make_layout({m, 8}, {9, 1}).value();
  std::cout << map::injective(padded) << "\n" << map::within(padded, 0, 100) << "\n";

  // What a kernel has to test before it reads through the composition of the two.
  const cute::Layout left = cute::make_layout({2, 1}, {1, 80}).value();
  const cute::Layout right = cute::make_layout({2, 2}, {2, 1}).value();
  std::cout << map::composition_guard(left, right).value() << "\n";

  const map::View view = map::view(rows).value();
  const auto images = map::images(view, std::vector<Int>{1, 3}).value();
  std::cout << "(1,3) -> " << images.front().front() << "\n";
  std::cout << map::images(view, std::vector<Int>{1, 8}).error() << "\n";
  std::cout << map::reshaped(view, std::vector<Int>{4, 9}).error() << "\n";
}

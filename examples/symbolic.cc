// Tiles a matrix of M rows, M known only to be a multiple of 128, and puts a number in afterwards.

#include <heddle/cute/algebra.h>
#include <heddle/expr/assumptions.h>

#include <iostream>
#include <vector>

using heddle::Assumptions;
using heddle::Condition;
using heddle::Int;
using heddle::Predicate;
using heddle::Result;
using heddle::cute::Layout;
using heddle::cute::Tile;
using heddle::cute::Tiler;

int main() {
  const Int any = Int::variable("M");
  const Result<Assumptions> world =
      Assumptions::make(std::vector<Condition>{{128, Predicate::kDivides, any}});
  if (!world) {
    std::cerr << world.error() << "\n";
    return 1;
  }
  const Int m = world->variable("M");
  const Layout matrix = heddle::cute::make_layout({m, 64}, {64, 1}).value();

  const Tiler tiler{Tiler(Tile(Int(128))), Tiler(Tile(Int(8)))};
  const Layout tiles = heddle::cute::zipped_divide(matrix, tiler).value();
  std::cout << tiles << "\n" << instantiate(tiles, {{"M", 256}}).value() << "\n";

  // 100 rows contradict what is assumed.
  std::cout << instantiate(tiles, {{"M", 100}}).error() << "\n";

  // 24 does not divide every multiple of 128, so the last tile is over-covered.
  const Tiler uneven = Tiler::of(std::vector<Tiler>{Tiler(Tile(Int(24)))});
  std::cout << heddle::cute::zipped_divide(matrix, uneven).value() << "\n";

  // The index of thread t's element in row t of the first tile.
  const Int t = Int::variable("t", 0, 127);
  std::cout << tiles(t, 0) << "\n";
}

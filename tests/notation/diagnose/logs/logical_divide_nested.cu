#include <cute/tensor.hpp>
using namespace cute;

template <class Tile>
auto split(Tile const& tile) {
  return logical_divide(tile, Layout<_12>{});
}

int main() {
  print(split(Layout<Shape<_8, _8>, Stride<_8, _1>>{}));
}

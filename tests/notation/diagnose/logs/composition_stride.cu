#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto tile = Layout<Shape<_4, _6, _8>, Stride<_2, _9, _64>>{};
  auto every_sixth = Layout<_4, _6>{};
  print(composition(tile, every_sixth));
}

#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto overlapping = Layout<Shape<_4, _4>, Stride<_1, _2>>{};
  print(complement(overlapping, Int<64>{}));
}

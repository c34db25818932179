#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto layout = Layout<Shape<_16, _32>, Stride<_1, _16>>{};
  print(zipped_divide(layout, Shape<_4, _4, _2>{}));
}

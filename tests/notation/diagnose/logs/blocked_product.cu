#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto block = Layout<Shape<_2, _2>, Stride<_1, _1>>{};
  print(blocked_product(block, Layout<Shape<_3, _4>>{}));
}

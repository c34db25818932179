#include <cute/tensor.hpp>
using namespace cute;

int main() {
  print(left_inverse(Layout<Shape<_4, _4>, Stride<_2, _9>>{}));
}

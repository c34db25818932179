#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto smem = composition(Swizzle<3, 3, 3>{}, Int<0>{}, Layout<Shape<_8, _6>, Stride<_8, _1>>{});
  print(composition(smem, Layout<_12>{}));
}

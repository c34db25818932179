#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto bytes = Layout<Shape<_8, _12>, Stride<_1, _6>>{};
  print(recast_layout<uint8_t, uint32_t>(bytes));
}

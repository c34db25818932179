#include <cute/tensor.hpp>
using namespace cute;

void kernel(float* pointer, int block) {
  auto matrix = make_tensor(make_gmem_ptr(pointer), Layout<Shape<_128, _64>, Stride<_64, _1>>{});
  auto tile = local_tile(matrix, Shape<_32, Layout<_6, _5>, _2>{}, make_coord(block, 0, 0));
  print(tile);
}

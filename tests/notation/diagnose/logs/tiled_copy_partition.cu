#include <cute/tensor.hpp>
using namespace cute;

void kernel(half_t* pointer, int thread) {
  auto copy = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
                              Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _4>>{});
  auto gmem = make_tensor(make_gmem_ptr(pointer), Layout<Shape<_16, _32>, Stride<_32, _1>>{});
  auto mine = copy.get_thread_slice(thread).partition_S(gmem);
  print(mine);
}

#include <cute/tensor.hpp>
using namespace cute;

void kernel(half_t* pointer) {
  auto source = make_tensor(make_gmem_ptr(pointer), Layout<Shape<_8, _4, _2>>{});
  auto target = make_tensor<half_t>(Layout<Shape<_8, _8>>{});
  copy(Copy_Atom<UniversalCopy<uint16_t>, half_t>{}, source, target);
}

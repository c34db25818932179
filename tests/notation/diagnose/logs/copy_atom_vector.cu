#include <cute/tensor.hpp>
using namespace cute;

int main() {
  half_t storage[256];
  auto source = make_tensor(&storage[0], Layout<Shape<_4, _8>, Stride<_16, _2>>{});
  auto target = make_tensor<half_t>(Layout<Shape<_4, _8>, Stride<_8, _1>>{});
  copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, source, target);
}

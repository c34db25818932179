#include <cute/tensor.hpp>
using namespace cute;

int main() {
  using Mma = TiledMMA<MMA_Atom<SM80_16x8x16_F16F16F16F16_TN>, Layout<Shape<_2, _2>>>;
  auto a = make_tensor<half_t>(Layout<Shape<_16, _12>, Stride<_1, _16>>{});
  print(Mma{}.get_slice(0).partition_A(a));
}

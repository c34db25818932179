// The shared-memory tile of a GEMM, 128 x 64 half-precision numbers: the banks that a column of
// eight rows falls into, without and with the swizzle.

#include <heddle/cute/algebra.h>
#include <heddle/notation/cute.h>

#include <cstdint>
#include <iostream>

using heddle::Result;
using heddle::cute::ComposedLayout;
using heddle::cute::Layout;

namespace {

constexpr int kRows = 8;
constexpr std::int64_t kBytesOfElement = 2;
constexpr std::int64_t kBytesOfBank = 4;
constexpr std::int64_t kBanks = 32;

template <class AnyLayout>
void print_banks(const char* title, const AnyLayout& layout) {
  std::cout << title;
  for (int row = 0; row < kRows; ++row) {
    const std::int64_t element = layout(row, 0).value();
    std::cout << ' ' << element * kBytesOfElement / kBytesOfBank % kBanks;
  }
  std::cout << "\n";
}

}  // namespace

int main() {
  const Layout atom = heddle::notation::parse_cute("(8,64):(64,1)").value();
  const Layout plain = heddle::cute::tile_to_shape(atom, {128, 64}).value();
  const heddle::cute::Swizzle swizzle = heddle::cute::Swizzle::make(3, 3, 3).value();
  const ComposedLayout smem = ComposedLayout::make(swizzle, 0, plain).value();

  std::cout << smem << "\n";
  print_banks("banks of a column, plain:   ", plain);
  print_banks("banks of a column, swizzled:", smem);

  // What acts on coordinates leaves the swizzle where it is.
  const heddle::cute::Coordinate second_slab{heddle::cute::_, {heddle::cute::_, 0}};
  const Result<ComposedLayout> slab = heddle::cute::slice(second_slab, smem);
  std::cout << slab.value() << "\n";
}

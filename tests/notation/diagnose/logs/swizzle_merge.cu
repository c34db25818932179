#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto swizzle = composition(Swizzle<2, 0, 3>{}, Swizzle<2, 2, 4>{});
  print(swizzle);
}

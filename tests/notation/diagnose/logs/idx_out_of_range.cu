#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto layout = Layout<Shape<_4, _8>, Stride<_1, _4>>{};
  print(get<2>(layout));
  print(size<3>(layout));
}

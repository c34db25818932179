#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto layout = Layout<Shape<_4, _8>, Stride<_1, _4>>{};
  print(layout(make_coord(1, 2, 3)));
}

#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto layout = Layout<Shape<_4, Shape<_2, _4>>, Stride<_1, Stride<_4, _8>>>{};
  print(layout(_, make_coord(_, 1, 2)));
}

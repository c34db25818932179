#include <cute/tensor.hpp>
using namespace cute;

int main() {
  auto layout = Layout<Shape<_4, _8, _2>>{};
  print(take<1, 5>(layout));
}

#include <cute/tensor.hpp>
using namespace cute;

int main() {
  print(shape_div(Shape<_12, _8>{}, Int<18>{}));
}

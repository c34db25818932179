#include <cute/tensor.hpp>
using namespace cute;

// A tile of columns of a row-major matrix.
int main() {
  auto matrix = make_layout(make_shape(Int<8>{}, Int<8>{}), make_stride(Int<8>{}, Int<1>{}));
  auto columns = make_layout(Int<12>{}, Int<1>{});
  auto view = composition(matrix, columns);
  print(view);
}

#include <cute/tensor.hpp>
using namespace cute;

int main(int argc, char**) {
  auto layout = make_layout(make_shape(4, 8), make_stride(argc, 4 * argc));
  print(complement(layout, 64));
}

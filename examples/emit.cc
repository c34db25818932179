// The index of a layout as a CUDA function, and as an expression.

#include <heddle/heddle.h>

#include <iostream>

using namespace heddle;

int main() {
  const auto layout = notation::parse_any_layout("Sw<3,3,3> o 0 o (8,64):(64,1)").value();
  const Result<emit::MapFunction> function = emit::map_function(layout);
  if (!function) {
    std::cerr << function.error() << "\n";
    return 1;
  }
  std::cout << to_text(*function, {.dialect = emit::Dialect::kC, .name = "smem"}).value();

  // Evaluating a layout at named coordinates is its index expression.
  const Int i = Int::variable("i", 0, 7);
  const Int j = Int::variable("j", 0, 63);
  std::cout << map::evaluate(layout, {i, j}).value()[0][0] << "\n";
}

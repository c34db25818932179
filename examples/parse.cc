// Reads layouts of four systems from their own notations, and asks all of them the same questions.

#include <heddle/heddle.h>

#include <iostream>

namespace map = heddle::map;
namespace notation = heddle::notation;

int main() {
  for (const char* text : {"Sw<1,1,1> o 0 o (4,4):(4,1)",                            // CuTe
                           "S[(4,4):(4@m,1@m)]",                                     // Axe
                           "GroupBy([4,4]).OrderBy(Col(4,4))",                       // LEGO
                           "{ [i,j] -> [4i + j] : 0 <= i < 4 and 0 <= j <= i }"}) {  // isl
    const map::AnyLayout layout = notation::parse_any_layout(text).value();
    std::cout << layout << "\n  " << description(map::system_of(layout));
    const auto size = map::size(layout);
    if (!size) {
      std::cout << ": " << size.error() << "\n";
      continue;
    }
    const auto images = map::evaluate(layout, {2, 1}).value();
    std::cout << " of " << *size << " points; (2,1) maps to " << images[0][0] << "\n";
  }
  std::cout << notation::parse_any_layout("(4,4):(4,").error() << "\n";
}

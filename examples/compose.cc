// Composes layouts of one system and of two.

#include <heddle/heddle.h>

#include <iostream>
#include <string_view>

namespace {

void compose(std::string_view outer, std::string_view inner) {
  const auto a = heddle::notation::parse_any_layout(outer).value();
  const auto b = heddle::notation::parse_any_layout(inner).value();
  const auto composed = heddle::map::composition(a, b);
  if (composed) {
    std::cout << a << " o " << b << " = " << *composed << "\n";
  } else {
    std::cout << composed.error() << "\n";
  }
}

}  // namespace

int main() {
  compose("(6,2):(8,2)", "(4,3):(3,1)");
  compose("(4,6):(1,5)", "6:1");
  compose("GroupBy([4,8]).OrderBy(Col(4,8))", "(8,4):(4,1)");
  compose("S[(4,8):(8@m,1@m)]", "[[0,9],[18,27]]");
}

#include <heddle/cute/algebra.h>
#include <heddle/notation/cute.h>

#include <iostream>

int main() {
  const heddle::cute::Layout a = heddle::notation::parse_cute("(6,2):(8,2)").value();
  const heddle::cute::Layout b = heddle::notation::parse_cute("(4,3):(3,1)").value();
  std::cout << heddle::cute::composition(a, b).value() << '\n';
}

// Composes layouts, and asks why where there is no answer.

#include <heddle/cute/composition.h>
#include <heddle/notation/cute.h>

#include <iostream>
#include <string_view>

namespace {

void compose(std::string_view left, std::string_view right) {
  const heddle::cute::Layout a = heddle::notation::parse_cute(left).value();
  const heddle::cute::Layout b = heddle::notation::parse_cute(right).value();
  const heddle::Result<heddle::cute::Layout> result = heddle::cute::composition(a, b);
  if (!result) {
    std::cout << result.error() << "\n";
    return;
  }
  std::cout << a << " o " << b << " = " << *result << "\n";
}

}  // namespace

int main() {
  compose("(6,2):(8,2)", "(4,3):(3,1)");
  compose("(8,8):(8,1)", "6:3");
  compose("(4,6):(1,5)", "6:1");
}

// Puts layouts together as the modes of one.

#include <heddle/cute/layout.h>

#include <iostream>
#include <vector>

using heddle::cute::Layout;

namespace {

void print(const std::vector<Layout>& modes) {
  const heddle::Result<Layout> layout = heddle::cute::make_layout(modes);
  if (layout) {
    std::cout << *layout << "\n";
  } else {
    std::cout << layout.error() << "\n";
  }
}

}  // namespace

int main() {
  const Layout rows =
      heddle::cute::make_layout(heddle::IntTuple(4), heddle::cute::StrideTuple(64)).value();
  const Layout columns = heddle::cute::make_layout({8, 8}, {1, 8}).value();
  print({rows, columns});
  print({});
}

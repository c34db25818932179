// A picture shows numbers: sizes that are variables need values first.

#include <heddle/cute/layout.h>
#include <heddle/draw/text.h>

#include <iostream>

namespace {

/// The first rows of a matrix of n columns, one row after the other.
void draw(const heddle::Int& n) {
  const heddle::cute::Layout layout = heddle::cute::make_layout({2, n}, {n, 1}).value();
  const auto picture = heddle::draw::picture(layout);
  if (!picture) {
    std::cout << picture.error() << "\n";
    return;
  }
  std::cout << heddle::draw::to_terminal(*picture);
}

}  // namespace

int main() {
  draw(heddle::Int::variable("N", 1, 4096));
  draw(4);
}

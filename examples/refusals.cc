// Refusals that a text cannot provoke, because the expression language asks no such question.

#include <heddle/cute/algebra.h>
#include <heddle/draw/picture.h>

#include <iostream>
#include <vector>

using heddle::cute::Layout;

namespace {

template <class T>
void print(const heddle::Result<T>& result) {
  if (!result) std::cout << result.error() << "\n";
}

}  // namespace

int main() {
  print(heddle::cute::to_int_tuple(heddle::cute::Coordinate{1, heddle::cute::_}));
  print(heddle::cute::make_layout(std::vector<Layout>{}));
  heddle::draw::PictureOptions options;
  options.modulus = 0;
  print(heddle::draw::picture(Layout(), options));
}

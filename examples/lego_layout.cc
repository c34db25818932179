// A LEGO layout, checked once at the end of its chain.

#include <heddle/heddle.h>

#include <iostream>

using namespace heddle;

int main() {
  const Result<lego::Layout> layout =
      lego::group_by({{6, 4}})
          .order_by({lego::reg_p({2, 2}, {2, 1}), lego::gen_p({3, 2}, "reverse")})
          .layout();
  std::cout << *layout << "\n(4,1) is at " << layout->apply(std::vector<Int>{4, 1}).value() << "\n";
  std::cout << map::bijective(*layout) << "\n";

  // The permutation has 8 points, the view 24.
  std::cout << lego::group_by({{6, 4}}).order_by({lego::row({2, 4})}).layout().error() << "\n";
}

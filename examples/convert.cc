// Writes a layout in the notation of other systems, as the type that is asked for.

#include <heddle/heddle.h>

#include <iostream>

using namespace heddle;

int main() {
  const map::AnyLayout swizzled = notation::parse_any_layout("Sw<2,0,3> o 0 o (4,8):(8,1)").value();

  const Result<linear::LinearLayout> bits = map::convert_to<linear::LinearLayout>(swizzled);
  std::cout << *bits << "\n";
  std::cout << map::convert_to<axe::Layout>(swizzled).value() << "\n";
  std::cout << map::convert_to<lego::Layout>(swizzled).value() << "\n";

  // Back again: the map is the same.
  const auto back = map::convert_to<cute::ComposedLayout>(*bits);
  std::cout << *back << ": " << map::equal(*back, swizzled) << "\n";

  // A plain layout cannot have this map, and six points have no bits.
  std::cout << map::convert_to<cute::Layout>(swizzled).error() << "\n";
  const map::AnyLayout six = notation::parse_any_layout("(2,3):(3,1)").value();
  std::cout << map::convert_to<linear::LinearLayout>(six).error() << "\n";
}

// Draws a layout as text; to_svg (heddle/draw/formats.h) makes a file of the same picture.

#include <heddle/draw/formats.h>
#include <heddle/notation/cute.h>

#include <iostream>

int main() {
  const heddle::cute::AnyLayout layout =
      heddle::notation::parse_layout("(4,(2,2)):(2,(1,8))").value();
  heddle::draw::PictureOptions options;
  options.title = "two 4 x 2 blocks";
  std::cout << heddle::draw::to_terminal(heddle::draw::picture(layout, options).value());
}

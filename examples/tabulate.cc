// The addresses of a column-major matrix, row-major tile by tile, all at once.

#include <heddle/cute/tabulate.h>
#include <heddle/notation/cute.h>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  // Tile by tile, each of 2 x 4 elements and row-major, of a column-major 4 x 8 matrix.
  const heddle::cute::Layout tiles =
      heddle::notation::parse_cute("((4,2),(2,2)):((4,1),(2,16))").value();
  std::vector<std::int64_t> indices(32);
  if (const auto done = heddle::cute::tabulate(tiles, indices); !done) {
    std::cerr << done.error() << "\n";
    return 1;
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::cout << indices[i] << (i % 8 == 7 ? "\n" : " ");
  }

  // Some coordinates, replaced by their indices.
  std::vector<std::int64_t> some{31, 8};
  if (!heddle::cute::evaluate(tiles, some, some)) return 1;
  std::cout << some[0] << " " << some[1] << "\n";
}

// The bank conflicts of a column of a tile in shared memory, and the swizzle that removes them.

#include <heddle/heddle.h>

#include <iostream>

using namespace heddle;

int main() {
  const cute::Layout tile = notation::parse_cute("(64,64):(64,1)").value();
  // 32 threads, each of which reads 8 halves of one row: (thread, value) to the flat coordinate.
  const cute::Layout reads = notation::parse_cute("(32,8):(1,64)").value();
  const form::IndexMap accesses[] = {index_map(reads)};
  const Result<analyze::SwizzleSearch> search = analyze::find_swizzle(tile, accesses, 16);
  if (!search) {
    std::cerr << search.error() << "\n";
    return 1;
  }
  std::cout << to_string(*search) << "\n";
  std::cout << search->swizzled.layout << "\n";
}

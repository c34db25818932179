// Transposes in registers against plain loops, for every width of an element and of a vector that
// this machine has; what is beside them stays as it is.

#include "move/transpose.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/law.h"

namespace heddle::test {
namespace {

TEST(TransposeKernel, OfEveryVectorDoesWhatLoopsDo) {
  for_all_seeds([](Random& random) {
    const auto width = random.one_of<std::int64_t>({1, 2, 4, 8, 16});
    const auto kernel = move::transpose_kernel(width, random.one_of<std::int64_t>({16, 32, 64}));
    if (kernel == nullptr) return Finding(kSaysNothing);
    const std::int64_t rows = random.between(1, 70);
    const std::int64_t columns = random.between(1, 70);
    const std::int64_t from = width * (columns + random.between(0, 4));
    const std::int64_t to = width * (rows + random.between(0, 4));
    std::vector<std::byte> source(static_cast<std::size_t>(rows * from));
    for (std::byte& byte : source) byte = static_cast<std::byte>(random.between(0, 255));
    std::vector<std::byte> got(static_cast<std::size_t>(columns * to), std::byte{0x5A});
    std::vector<std::byte> wanted = got;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        std::memcpy(&wanted[static_cast<std::size_t>(c * to + r * width)],
                    &source[static_cast<std::size_t>(r * from + c * width)],
                    static_cast<std::size_t>(width));
      }
    }
    kernel(source.data(), from, got.data(), to, rows, columns);
    if (got == wanted) return Finding(kHolds);
    return found(rows, " x ", columns, " elements of ", width, " bytes");
  });
}

}  // namespace
}  // namespace heddle::test

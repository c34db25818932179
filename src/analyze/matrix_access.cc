#include "heddle/analyze/matrix_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "analyze/checks.h"
#include "core/text.h"
#include "heddle/analyze/banks.h"
#include "heddle/form/subspace.h"
#include "linear/bit_runs.h"

namespace heddle::analyze {
namespace {

using form::Subspace;
using Words = std::vector<std::uint64_t>;

constexpr int kRowBits = 128;
constexpr std::size_t kLaneBits = 5;

/// The requirements of one order: the part of the 16 bytes in a register, and the lanes of the
/// other parts.
struct Pattern {
  int part_bits;
  std::size_t first_lane;
  std::size_t lanes;
};

Pattern pattern_of(MatrixOrder order) {
  return order == MatrixOrder::kPlain ? Pattern{32, 0, 2} : Pattern{16, 2, 3};
}

Refusal no_matrix(std::string why) { return refuse("analyze.no_matrix", std::move(why)); }

/// Checks the arguments.
Result<void> check_offsets(const linear::LinearLayout& offsets, int element_bits,
                           const Pattern& pattern) {
  const Words registers = columns_of(offsets, "register");
  const Words lanes = columns_of(offsets, "lane");
  if (lanes.size() != kLaneBits)
    return no_matrix(fmt::format("{} lanes; all 32 of a warp take part", 1U << lanes.size()));
  if (element_bits > pattern.part_bits) {
    return no_matrix(fmt::format("elements of {} bits; a lane has parts of {} bits of a row",
                                 element_bits, pattern.part_bits));
  }
  const auto part = static_cast<std::uint64_t>(pattern.part_bits / element_bits);
  const auto row = static_cast<std::uint64_t>(kRowBits / element_bits);
  const Subspace held{std::span(registers)};
  for (std::uint64_t offset = 1; offset < part; offset *= 2) {
    if (held.contains(offset)) continue;
    return no_matrix(
        fmt::format("no register holds the element {} after another one, and a part "
                    "of a row is {} bits",
                    offset, pattern.part_bits));
  }
  const auto refuse_bit = [&](std::string_view dim, std::size_t bit, std::uint64_t offset,
                              const std::string& wanted) {
    return no_matrix(
        fmt::format("{}={} moves by {}; {}", dim, 1U << bit, counted(offset, "element"), wanted));
  };
  const std::string whole_rows = fmt::format("a multiple of {} (16 bytes) is needed", row);
  for (std::size_t bit = 0; bit < lanes.size(); ++bit) {
    const bool in_row = bit >= pattern.first_lane && bit < pattern.first_lane + pattern.lanes;
    if (in_row && lanes[bit] != part << (bit - pattern.first_lane)) {
      return refuse_bit("lane", bit, lanes[bit],
                        fmt::format("{} is needed", part << (bit - pattern.first_lane)));
    }
    if (!in_row && lanes[bit] % row != 0) return refuse_bit("lane", bit, lanes[bit], whole_rows);
  }
  // Registers may also move within the part.
  for (const auto& [dim, most] :
       {std::pair{"register", part}, std::pair{"warp", std::uint64_t{1}}}) {
    const Words columns = columns_of(offsets, dim);
    for (std::size_t bit = 0; bit < columns.size(); ++bit) {
      if (columns[bit] % row >= most) return refuse_bit(dim, bit, columns[bit], whole_rows);
    }
  }
  return {};
}

/// log2 of the wavefronts of a matrix whose rows have the span of these offsets.
int log2_wavefronts(Words rows, int element_bits) {
  // A row is four words, so the banks form eight groups of four.
  constexpr std::uint64_t kGroups = 8;
  for (std::uint64_t& offset : rows) offset /= static_cast<std::uint64_t>(kRowBits / element_bits);
  return log2_conflicts(rows, kGroups);
}

}  // namespace

Result<MatrixAccess> matrix_access(const linear::LinearLayout& offsets, int element_bits,
                                   MatrixOrder order) {
  HEDDLE_CHECK(check_element_bits(element_bits));
  HEDDLE_CHECK(check_size(offsets));
  const Pattern pattern = pattern_of(order);
  HEDDLE_CHECK(check_offsets(offsets, element_bits, pattern));

  const Words lanes = columns_of(offsets, "lane");
  const Words registers = columns_of(offsets, "register");
  const auto row = static_cast<std::uint64_t>(kRowBits / element_bits);
  int elements = static_cast<int>(Subspace(registers).dimension());
  int conflicts = 0;
  if (order == MatrixOrder::kPlain) {
    conflicts = log2_wavefronts({lanes[2], lanes[3], lanes[4]}, element_bits);
  } else {
    // Any register that moves to another row may be the other half.
    conflicts = static_cast<int>(kLaneBits);
    for (const std::uint64_t half : registers) {
      if (half / row == 0) continue;
      conflicts = std::min(conflicts, log2_wavefronts({half, lanes[0], lanes[1]}, element_bits));
    }
    if (conflicts == static_cast<int>(kLaneBits))
      return no_matrix("no register holds an element of another row: half of each would be empty");
  }
  const int words = elements - log2_exact(32 / element_bits);
  const int matrices = std::min(words, 2);
  MatrixAccess access;
  access.order = order;
  access.matrices = 1 << matrices;
  access.requests = std::int64_t{1} << (static_cast<std::size_t>(words - matrices) +
                                        columns_of(offsets, "warp").size());
  access.ideal = access.requests * access.matrices;
  access.wavefronts = access.ideal << conflicts;
  return access;
}

}  // namespace heddle::analyze

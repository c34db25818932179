// A matrix over GF(2) in the form that isl reads fastest: every bit is a variable of its own, and
// every row an equation
//
//   u0 + u3 + u5 = p0 + 2q0        the row's parity, and an even rest
//
// With 16 bits this takes isl milliseconds. The formula with its floors takes exponential time,
// because isl determines the values of each of them.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/map.h>

#include "core/bits.h"
#include "map/isl/pieces.h"

namespace heddle::map {
namespace {

/// Collects variables and their constraints.
class BitConstraints {
 public:
  explicit BitConstraints(const BitView& bits) : bits_(bits) {}

  /// `coordinate` is the sum of its bits, which begin at `first`.
  void add_coordinate(const std::string& coordinate, std::size_t first, int count) {
    std::vector<std::string> sum{"0"};
    for (int k = 0; k < count; ++k) {
      const std::string bit = fmt::format("heddle_u{}", first + static_cast<std::size_t>(k));
      add_bit(bit);
      sum.push_back(fmt::format("{}{}", std::int64_t{1} << k, bit));
    }
    conditions_.push_back(fmt::format("{} = {}", coordinate, fmt::join(sum, " + ")));
  }

  /// `axis` is the sum of the parities of these rows.
  void add_axis(const std::string& axis, std::size_t first, int count) {
    std::vector<std::string> sum{"0"};
    for (int k = 0; k < count; ++k) {
      const std::size_t row = first + static_cast<std::size_t>(k);
      add_row(row);
      sum.push_back(fmt::format("{}heddle_p{}", std::int64_t{1} << k, row));
    }
    conditions_.push_back(fmt::format("{} = {}", axis, fmt::join(sum, " + ")));
  }

  [[nodiscard]] std::string text() const {
    if (variables_.empty()) return fmt::format("{}", fmt::join(conditions_, " and "));
    return fmt::format("exists ({}: {})", fmt::join(variables_, ", "),
                       fmt::join(conditions_, " and "));
  }

 private:
  void add_bit(const std::string& bit) {
    variables_.push_back(bit);
    conditions_.push_back(fmt::format("0 <= {} <= 1", bit));
  }

  void add_row(std::size_t row) {
    std::vector<std::string> sum{((bits_.offset >> row) & 1) != 0 ? "1" : "0"};
    for (std::size_t i = 0; i < bits_.matrix.columns().size(); ++i) {
      if (((bits_.matrix.columns()[i] >> row) & 1) != 0)
        sum.push_back(fmt::format("heddle_u{}", i));
    }
    add_bit(fmt::format("heddle_p{}", row));
    variables_.push_back(fmt::format("heddle_q{}", row));
    conditions_.push_back(
        fmt::format("{} = heddle_p{} + 2heddle_q{}", fmt::join(sum, " + "), row, row));
  }

  const BitView& bits_;
  std::vector<std::string> variables_;
  std::vector<std::string> conditions_;
};

}  // namespace

bool is_read_as_bits(const BoxFunction& box) {
  constexpr std::size_t kMostQuotients = 8;
  if (!box.bits || !box.copies.empty() || box.function.pieces.size() != 1) return false;
  const bool is_digits = box.strided && !box.strided->swizzle;
  return !is_digits || box.function.pieces.front().quotients.size() > kMostQuotients;
}

isl::map read_bits(IslSession& session, const BoxFunction& box, std::span<const std::string> inputs,
                   std::span<const std::string> outputs) {
  BitConstraints constraints(*box.bits);
  std::size_t bit = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int count = log2_exact(box.extents[i].value());
    constraints.add_coordinate(inputs[i], bit, count);
    bit += static_cast<std::size_t>(count);
  }
  std::size_t row = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    constraints.add_axis(outputs[i], row, box.bits->widths[i]);
    row += static_cast<std::size_t>(box.bits->widths[i]);
  }
  const std::string text = fmt::format("{{ [{}] -> [{}] : {} }}", fmt::join(inputs, ", "),
                                       fmt::join(outputs, ", "), constraints.text());
  return adopt(session, isl_map_read_from_str(session.get(), text.c_str()));
}

}  // namespace heddle::map

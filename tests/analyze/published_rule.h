#pragma once

// The rule by which Triton chooses a shared layout for a conversion, written down anew from its
// description ("Linear Layouts", arXiv 2505.23819, and the comments of GenericSwizzling.h), for
// layouts whose bases are single bits. It is what ours is measured against.
//
//   vector   the registers of both sides; where 16 bytes are not to be had, filled up to a word by
//            the registers of one side, then by those of its registers that are lanes of the other
//   rows     bits that are in no tile of lanes, then XORs of a lane of src and a lane of dst, then
//            lanes of either, which collide
//   banks    what is left

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/linear/linear_layout.h"

namespace heddle::test {

class PublishedRule {
 public:
  using Words = std::vector<std::uint64_t>;

  PublishedRule(const linear::LinearLayout& src, const linear::LinearLayout& dst, int element_bits)
      : dim_(src.total_out_dim_size_log2()),
        bits_(element_bits),
        src_registers_(bases(src, "register", true)),
        dst_registers_(bases(dst, "register", true)),
        src_lanes_(bases(src, "lane", false)),
        dst_lanes_(bases(dst, "lane", false)) {}

  /// The images of the bits of the offset.
  [[nodiscard]] Words offset_bases() const {
    const Words common = in_both(src_registers_, dst_registers_);
    const auto full = log2(128 / bits_);
    if (common.size() >= full && src_lanes_.size() >= 3 && dst_lanes_.size() >= 3) {
      return assembled({common.begin(), common.begin() + static_cast<std::ptrdiff_t>(full)},
                       first(src_lanes_, 3), first(dst_lanes_, 3));
    }
    return with_narrow_vectors(common);
  }

 private:
  static Words bases(const linear::LinearLayout& layout, std::string_view name, bool drop_zeros) {
    Words result;
    std::size_t begin = 0;
    for (const linear::Dimension& dim : layout.in_dims()) {
      const auto size = static_cast<std::size_t>(dim.bits);
      for (std::size_t bit = 0; dim.name == name && bit < size; ++bit) {
        const std::uint64_t column = layout.matrix().columns()[begin + bit];
        if (column != 0 || !drop_zeros) result.push_back(column);
      }
      begin += size;
    }
    return result;
  }
  static std::size_t log2(int power) {
    std::size_t result = 0;
    while (power > 1) {
      power /= 2;
      ++result;
    }
    return result;
  }
  static bool contains(const Words& words, std::uint64_t word) {
    return std::ranges::find(words, word) != words.end();
  }
  static Words in_both(const Words& a, const Words& b) {
    Words result;
    for (const std::uint64_t word : a) {
      if (word != 0 && contains(b, word)) result.push_back(word);
    }
    return result;
  }
  static Words without(const Words& a, const Words& b) {
    Words result;
    for (const std::uint64_t word : a) {
      if (!contains(b, word)) result.push_back(word);
    }
    return result;
  }
  static Words first(const Words& words, std::size_t count) {
    return {words.begin(),
            words.begin() + static_cast<std::ptrdiff_t>(std::min(count, words.size()))};
  }
  static Words joined(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  [[nodiscard]] std::size_t word_bases() const {
    return bits_ >= 32 ? 0 : log2(32 / bits_);
  }
  /// Further registers of one side that are lanes of the other.
  [[nodiscard]] Words extra(const Words& registers, const Words& vector,
                            const Words& other_lanes) const {
    return first(in_both(without(registers, vector), other_lanes),
                 log2(128 / std::max(bits_, 32)));
  }
  [[nodiscard]] Words filled(const Words& registers, Words vector) const {
    for (const std::uint64_t word : without(registers, vector)) {
      if (vector.size() >= word_bases()) break;
      vector.push_back(word);
    }
    return vector;
  }
  /// How much of the vector the side moves at once.
  static std::size_t moved_at_once(const Words& registers, const Words& vector) {
    std::size_t count = 0;
    while (count < vector.size() && contains(registers, vector[count])) ++count;
    return count;
  }
  [[nodiscard]] Words tile(const Words& registers, const Words& lanes, const Words& vector) const {
    const std::size_t bits = static_cast<std::size_t>(bits_) << moved_at_once(registers, vector);
    const std::size_t dropped = bits > 32 ? log2(static_cast<int>(bits / 32)) : 0;
    return without(first(lanes, lanes.size() - std::min(dropped, lanes.size())), vector);
  }

  [[nodiscard]] Words with_narrow_vectors(const Words& common) const {
    Words vector = first(common, log2(128 / bits_));
    bool of_src = true;
    if (vector.size() < word_bases()) {
      const Words src = filled(src_registers_, vector);
      const Words dst = filled(dst_registers_, vector);
      of_src = extra(src_registers_, src, dst_lanes_).size() >=
               extra(dst_registers_, dst, src_lanes_).size();
      vector = of_src ? src : dst;
    }
    vector = joined(vector, of_src ? extra(src_registers_, vector, dst_lanes_)
                                   : extra(dst_registers_, vector, src_lanes_));
    return assembled(vector, tile(src_registers_, src_lanes_, vector),
                     tile(dst_registers_, dst_lanes_, vector));
  }

  [[nodiscard]] Words assembled(const Words& vector, const Words& src_tile,
                                const Words& dst_tile) const {
    const auto dim = static_cast<std::size_t>(dim_);
    const std::size_t row_begin = log2(32 * 32 / bits_);
    const std::size_t banks =
        std::min(row_begin > vector.size() ? row_begin - vector.size() : 0, dim - vector.size());
    const Words rows =
        rows_of(joined(vector, src_tile), joined(vector, dst_tile), dim - vector.size() - banks);
    return joined(joined(vector, complement(joined(vector, rows))), rows);
  }

  [[nodiscard]] Words rows_of(const Words& src, const Words& dst, std::size_t wanted) const {
    Words rows;
    for (int bit = 0; bit < dim_; ++bit) {
      const std::uint64_t unit = std::uint64_t{1} << bit;
      if (!contains(src, unit) && !contains(dst, unit)) rows.push_back(unit);
    }
    if (rows.size() >= wanted) return first(rows, wanted);
    Words a = without(without(src, dst), {0});
    Words b = without(without(dst, src), {0});
    if (a.size() > b.size()) std::swap(a, b);
    std::ranges::sort(a);
    std::ranges::sort(b);
    const std::size_t have = rows.size() + a.size();
    const std::size_t colliding = std::min(wanted > have ? wanted - have : 0, a.size());
    for (std::size_t i = colliding; i < a.size(); ++i) rows.push_back(a[i] ^ b[i]);
    rows = joined(rows, first(a, colliding));
    rows = joined(rows, first(b, colliding));
    return first(rows, wanted);
  }

  /// Single bits that complete the space.
  [[nodiscard]] Words complement(const Words& words) const {
    Words echelon;
    const auto reduced = [&](std::uint64_t word) {
      for (const std::uint64_t member : echelon) word = std::min(word, word ^ member);
      return word;
    };
    const auto insert = [&](std::uint64_t word) {
      word = reduced(word);
      if (word == 0) return false;
      echelon.push_back(word);
      std::ranges::sort(echelon, std::greater<>());
      return true;
    };
    for (const std::uint64_t word : words) insert(word);
    Words result;
    for (int bit = 0; bit < dim_; ++bit) {
      if (insert(std::uint64_t{1} << bit)) result.push_back(std::uint64_t{1} << bit);
    }
    return result;
  }

  int dim_;
  int bits_;
  Words src_registers_;
  Words dst_registers_;
  Words src_lanes_;
  Words dst_lanes_;
};

}  // namespace heddle::test

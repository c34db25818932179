#include "heddle/analyze/optimal_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/checks.h"
#include "heddle/form/subspace.h"
#include "linear/bit_runs.h"

namespace heddle::analyze {
namespace {

using form::Subspace;
using linear::LinearLayout;
using Words = std::vector<std::uint64_t>;

template <class... Others>
Words joined(Words all, const Others&... others) {
  (all.insert(all.end(), others.begin(), others.end()), ...);
  return all;
}

Subspace span_of(const Words& a, const Words& b = {}) { return Subspace(joined(a, b)); }

/// The candidates that are not in the space yet, added one after the other, at most `most`.
Words extend(Subspace& space, const Words& candidates, std::size_t most = 64) {
  Words chosen;
  for (const std::uint64_t candidate : candidates) {
    if (chosen.size() == most) break;
    if (space.insert(candidate)) chosen.push_back(candidate);
  }
  return chosen;
}

/// A direct sum of two spaces; splits a vector into its parts.
class DirectSum {
 public:
  DirectSum(const Words& first, const Words& second) : second_(second), first_(first.size()) {
    space_ = span_of(first, second);
  }

  [[nodiscard]] bool contains(std::uint64_t vector) const { return space_.contains(vector); }
  /// The part in the second space; `vector` must be in the sum.
  [[nodiscard]] std::uint64_t second_part(std::uint64_t vector) const {
    const std::uint64_t combination = *space_.express(vector) >> first_;
    std::uint64_t part = 0;
    for (std::size_t i = 0; i < second_.size(); ++i) {
      if ((combination >> i & 1U) != 0) part ^= second_[i];
    }
    return part;
  }

 private:
  Subspace space_;
  Words second_;
  std::size_t first_;
};

/// One side of the move: the elements of a thread, and the places of threads.
struct Side {
  Words registers;
  /// The vectors of lanes, then of warps.
  Words threads;
  std::size_t lanes = 0;
  Served served = {};

  /// The rule for accesses of that width. Where no document states one, buffer_costs() refuses.
  [[nodiscard]] ServingRule rule(int access_bits) const {
    return served.serving.rule(access_bits / 8, served.direction).value_or(ServingRule());
  }
  /// The lanes that are served together by accesses of that width.
  [[nodiscard]] Words phase(int access_bits) const {
    return rule(access_bits).vectors_of_phase(std::span(threads).first(lanes));
  }
};

Side side_of(const LinearLayout& layout, Served served = {}) {
  const Words lanes = columns_of(layout, "lane");
  return {columns_of(layout, "register"), joined(lanes, columns_of(layout, "warp")), lanes.size(),
          std::move(served)};
}

/// The bits of the offset by their use. Each member is a basis in the tensor.
struct Division {
  Words vector;  // the common vector, then the rest of the wide side's
  Words word;    // the rest of a 32-bit word
  Words bank;
  Words row;

  [[nodiscard]] Words all() const { return joined(vector, word, bank, row); }
};

/// The search: `wide` may move wider vectors than `narrow`.
class Divider {
 public:
  /// `tensor` spans the elements of the layout.
  Divider(const Side& wide, const Side& narrow, const Words& tensor, int element_bits)
      : wide_(wide),
        narrow_(narrow),
        tensor_(tensor),
        element_bits_(element_bits),
        threads_(joined(wide.threads, narrow.threads)) {
    choose_common();
    choose_rest();
  }

  /// log2 of the size of the common vector, and of the wide side's vector.
  [[nodiscard]] int common_bits() const { return static_cast<int>(common_.size()); }
  [[nodiscard]] int wide_bits() const { return static_cast<int>(common_.size() + extra_.size()); }

  [[nodiscard]] Division division() const {
    Division result;
    result.vector = joined(common_, extra_);
    const Words kept = kept_by_wide();
    Subspace used = span_of(result.vector);
    // If vectors are smaller than a word, any bits may fill the word.
    result.word = extend(used, joined(wide_.registers, narrow_.registers, kept),
                         missing(word_bits(), result.vector.size()));
    // Within `kept`, so that the wide side's vectors do not change.
    result.word = within(result.vector, kept, result.word);
    divide_banks(kept, result);
    return result;
  }

 private:
  [[nodiscard]] std::size_t max_vector() const {
    return static_cast<std::size_t>(log2_exact(kMaxAccessBits / element_bits_));
  }
  /// The number of offset bits within a word, and of those below the rows.
  [[nodiscard]] std::size_t word_bits() const {
    return element_bits_ >= 32 ? 0 : static_cast<std::size_t>(log2_exact(32 / element_bits_));
  }
  [[nodiscard]] std::size_t row_begin() const {
    const std::int64_t banks = std::max(wide_.rule(access_bits(wide_bits())).banks,
                                        narrow_.rule(access_bits(common_bits())).banks);
    return static_cast<std::size_t>(log2_exact(banks * kBankBytes * 8 / element_bits_));
  }
  static std::size_t missing(std::size_t wanted, std::size_t there) {
    return wanted > there ? wanted - there : 0;
  }
  /// The width of an access of so many elements, as a logarithm.
  [[nodiscard]] int access_bits(int vector_bits) const {
    return std::max(element_bits_ << vector_bits, 8);
  }
  [[nodiscard]] Words phase(const Side& side, std::size_t vector_bits) const {
    return side.phase(access_bits(static_cast<int>(vector_bits)));
  }

  /// The low bits: registers of both sides, independent of every thread's place.
  void choose_common() {
    const Subspace registers = intersection(span_of(wide_.registers), span_of(narrow_.registers));
    Words candidates;
    for (const std::uint64_t vector : wide_.registers) {
      if (registers.contains(vector)) candidates.push_back(vector);
    }
    Subspace used = span_of(threads_);
    common_ = extend(used, joined(candidates, registers.basis()), max_vector());
  }

  /// A complement of the low bits that contains every thread's place, and from it the remaining
  /// bits of the wide side's vectors.
  void choose_rest() {
    Subspace used = span_of(common_);
    rest_ = extend(used, joined(threads_, wide_.registers, narrow_.registers, tensor_));
    const DirectSum tensor(common_, rest_);
    Words registers;
    for (const std::uint64_t vector : wide_.registers) {
      registers.push_back(tensor.second_part(vector));
    }
    const std::size_t most = max_vector() - common_.size();
    Subspace taken = span_of(common_, wide_.threads);
    // First vectors that several lanes of the narrow side share, then those independent of its
    // lanes: both leave the narrow side free to spread the other lanes over the banks.
    const Words lanes = phase(narrow_, common_.size());
    extra_ = extend(taken, in_both(registers, lanes), most);
    Subspace apart = sum(taken, span_of(lanes));
    for (const std::uint64_t vector : registers) {
      if (extra_.size() == most || common_.size() + extra_.size() >= word_bits()) break;
      if (apart.insert(vector) && taken.insert(vector)) extra_.push_back(vector);
    }
    const Words others = extend(taken, registers, most - extra_.size());
    extra_ = joined(extra_, others);
  }

  /// A basis of the intersection of the vectors' and the lanes' spans, vectors that are lanes
  /// first.
  static Words in_both(const Words& vectors, const Words& lanes) {
    const Subspace common = intersection(span_of(vectors), span_of(lanes));
    Words result;
    for (const std::uint64_t vector : vectors) {
      if (common.contains(vector)) result.push_back(vector);
    }
    return joined(result, common.basis());
  }

  /// A complement of the wide side's vectors that contains its threads' places, and as few of the
  /// narrow side's lanes as possible: a lane that is independent of all that is taken is added
  /// after a shift by an extra bit of the vectors, each bit once.
  [[nodiscard]] Words kept_by_wide() const {
    const std::size_t in_word = std::min(missing(word_bits(), common_.size()), extra_.size());
    const auto middle = extra_.begin() + static_cast<std::ptrdiff_t>(in_word);
    const Words word = joined(common_, Words(extra_.begin(), middle));
    const Words beyond = {middle, extra_.end()};
    Subspace used = span_of(word, beyond);
    Words kept = extend(used, wide_.threads);

    const Words lanes = phase(narrow_, common_.size());
    const Words decided = intersection(span_of(lanes), used).basis();
    const DirectSum taken(joined(word, kept), beyond);
    Subspace shifts;
    for (const std::uint64_t lane : decided) shifts.insert(taken.second_part(lane));
    for (const std::uint64_t lane : lanes) {
      if (!used.insert(lane)) continue;
      std::uint64_t shift = 0;
      for (const std::uint64_t candidate : beyond) {
        if (!shifts.insert(candidate)) continue;
        shift = candidate;
        break;
      }
      kept.push_back(lane ^ shift);
    }
    return joined(kept, extend(used, rest_));
  }

  /// The bits that fill the word, shifted by bits of the vector into `kept`.
  static Words within(const Words& vector, const Words& kept, const Words& word) {
    const DirectSum tensor(vector, kept);
    Words result;
    for (const std::uint64_t bit : word) result.push_back(tensor.second_part(bit));
    return result;
  }

  void divide_banks(const Words& kept, Division& result) const {
    // The rest of `kept` besides the word.
    Subspace filled = span_of(result.word);
    const Words free = extend(filled, kept);
    const std::size_t below = result.vector.size() + result.word.size();
    const std::size_t banks = std::min(missing(row_begin(), below), free.size());

    Words a = seen_by(wide_, wide_bits(), result, free);
    Words b = seen_by(narrow_, common_bits(), result, free);
    if (a.size() > banks) a.resize(banks);
    if (b.size() > banks) b.resize(banks);
    result.row = common_complement(a, b, free, banks);
    result.bank = std::move(a);
  }

  /// A basis of the part of `free` that the lanes of one phase reach, whatever the bits of their
  /// vectors and words.
  [[nodiscard]] Words seen_by(const Side& side, int vector_bits, const Division& division,
                              const Words& free) const {
    Words low = joined(division.vector, division.word);
    low.resize(std::min(low.size(),
                        std::max<std::size_t>(static_cast<std::size_t>(vector_bits), word_bits())));
    const Words lanes = phase(side, static_cast<std::size_t>(vector_bits));
    const Subspace reached = intersection(span_of(lanes, low), span_of(free));
    const DirectSum tensor(low, free);
    // Lanes that are in `free` themselves come first, in their order.
    Words candidates;
    for (const std::uint64_t lane : lanes) {
      if (!tensor.contains(lane)) continue;
      const std::uint64_t part = tensor.second_part(lane);
      if (reached.contains(part)) candidates.push_back(part);
    }
    Subspace chosen;
    return extend(chosen, joined(candidates, reached.basis()));
  }

  /// A space that intersects neither a nor b except in 0, and completes each to the span of `free`.
  /// Both are extended to `dimension`, which is at least theirs.
  static Words common_complement(Words& a, Words& b, const Words& free, std::size_t dimension) {
    Subspace of_a = span_of(a);
    Subspace of_b = span_of(b);
    a = joined(a, extend(of_a, b, dimension - a.size()));
    b = joined(b, extend(of_b, a, dimension - b.size()));
    Subspace both = span_of(a, b);
    const Words more = extend(both, free, dimension - a.size());
    a = joined(a, more);
    b = joined(b, more);

    // {only_a} and {only_b} complete the intersection to a and to b.
    Subspace in_b = span_of(b);
    Subspace in_a = span_of(a);
    const Words only_a = extend(in_b, a);
    const Words only_b = extend(in_a, b);
    Words complement = extend(both, free);
    for (std::size_t i = 0; i < only_a.size(); ++i) complement.push_back(only_a[i] ^ only_b[i]);
    return complement;
  }

  const Side& wide_;
  const Side& narrow_;
  const Words& tensor_;
  int element_bits_;
  Words threads_;
  Words common_;
  /// The complement of the common vector that contains every thread's place.
  Words rest_;
  Words extra_;
};

/// The layout whose offset bits have these vectors, with the blocks of `like`.
Result<LinearLayout> shared_layout(const Division& division, const LinearLayout& like) {
  linear::InBases offset{"offset", {}};
  for (const std::uint64_t column : division.all()) {
    offset.vectors.push_back(linear::coordinates(like.out_dims(), column));
  }
  linear::InBases block{"block", {}};
  for (const std::uint64_t column : columns_of(like, "block")) {
    block.vectors.push_back(linear::coordinates(like.out_dims(), column));
  }
  return LinearLayout::make({std::move(offset), std::move(block)}, like.out_dim_sizes());
}

/// `(0, 64) (16, 0)`, or that there is one CTA.
std::string blocks_text(const LinearLayout& layout) {
  std::vector<std::string> bases;
  for (const std::uint64_t column : columns_of(layout, "block")) {
    bases.push_back(linear::vector_text(linear::coordinates(layout.out_dims(), column)));
  }
  return bases.empty() ? "nothing, with one CTA," : fmt::format("{}", fmt::join(bases, " "));
}

/// A basis of the elements of one CTA: all, if there is one CTA. Refuses `analyze.across_ctas` if
/// it is not the same in both.
Result<Words> elements_of_cta(const LinearLayout& src, const LinearLayout& dst) {
  const auto has_parts = [](const LinearLayout& layout) {
    return std::ranges::any_of(columns_of(layout, "block"), [](auto c) { return c != 0; });
  };
  if (!has_parts(src) && !has_parts(dst)) {
    Words units;
    for (int bit = 0; bit < src.total_out_dim_size_log2(); ++bit) {
      units.push_back(std::uint64_t{1} << bit);
    }
    return units;
  }
  const Side a = side_of(src);
  const Side b = side_of(dst);
  const bool same_blocks = columns_of(src, "block") == columns_of(dst, "block");
  if (same_blocks && span_of(a.registers, a.threads) == span_of(b.registers, b.threads))
    return joined(a.registers, a.threads);
  return refuse(
      Diagnostic("analyze.across_ctas",
                 "the CTAs of the two layouts hold different parts of the tensor: shared memory "
                 "does not lead from one to the other")
          .with_note(
              fmt::format("block leads to {} and to {}", blocks_text(src), blocks_text(dst))));
}

bool is_better(const SwizzledBuffer& a, const SwizzledBuffer& b) {
  const auto rank = [](const SwizzledBuffer& buffer) {
    const int write = buffer.write.vector_elements;
    const int read = buffer.read.vector_elements;
    return std::tuple(-std::min(write, read), -(write + read),
                      buffer.write.wavefronts + buffer.read.wavefronts);
  };
  return rank(a) < rank(b);
}

}  // namespace

Result<SwizzledBuffer> buffer_costs(const LinearLayout& src, const LinearLayout& dst,
                                    const LinearLayout& shared, int element_bits,
                                    const ServedMove& move) {
  const std::int64_t lanes = move.serving.warp_lanes();
  SwizzledBuffer buffer;
  buffer.layout = shared;
  HEDDLE_TRY(const LinearLayout stored, register_offsets(src, shared, lanes));
  HEDDLE_TRY(buffer.write, bank_counts(stored, element_bits, kMaxAccessBits, move.of_src()));
  HEDDLE_TRY(const LinearLayout loaded, register_offsets(dst, shared, lanes));
  HEDDLE_TRY(buffer.read, bank_counts(loaded, element_bits, kMaxAccessBits, move.of_dst()));
  HEDDLE_TRY(const std::int64_t elements, shared.in_dim_size("offset"));
  buffer.bytes = (elements * element_bits + 7) / 8;
  return buffer;
}

Result<SwizzledBuffer> optimal_swizzle(const LinearLayout& src, const LinearLayout& dst,
                                       int element_bits, const ServedMove& move) {
  HEDDLE_CHECK(check_element_bits(element_bits));
  HEDDLE_CHECK(check_registers(src, move.serving.warp_lanes()));
  HEDDLE_CHECK(check_registers(dst, move.serving.warp_lanes()));
  HEDDLE_CHECK(check_same_outputs(src, dst));
  HEDDLE_TRY(const Words tensor, elements_of_cta(src, dst));
  const Side from = side_of(src, move.of_src());
  const Side to = side_of(dst, move.of_dst());
  const Divider wide_write(from, to, tensor, element_bits);
  const Divider wide_read(to, from, tensor, element_bits);

  HEDDLE_TRY(const LinearLayout written, shared_layout(wide_write.division(), src));
  HEDDLE_TRY(SwizzledBuffer best, buffer_costs(src, dst, written, element_bits, move));
  if (wide_read.wide_bits() < wide_write.wide_bits()) return best;
  HEDDLE_TRY(const LinearLayout read, shared_layout(wide_read.division(), src));
  HEDDLE_TRY(SwizzledBuffer other, buffer_costs(src, dst, read, element_bits, move));
  return is_better(other, best) ? other : best;
}

}  // namespace heddle::analyze

#pragma once

// A subspace of GF(2)^64: all XORs of some given vectors. It is kept as a reduced echelon basis, by
// leading bits: every question looks at the bits of one word.
//
//   Subspace space;
//   space.insert(0b011);       true: new
//   space.insert(0b110);       true
//   space.insert(0b101);       false: 0b011 xor 0b110
//   space.reduce(0b111)        0b001: its remainder modulo the space

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle::form {

class Subspace {
 public:
  Subspace() = default;
  /// The space that the vectors span.
  explicit Subspace(std::span<const std::uint64_t> vectors);

  /// Extends the space by the vector; false if it is in there already. The label is what express()
  /// returns for the vector: by default the bit whose number is the count of vectors that were new
  /// before it; any other word may be given.
  bool insert(std::uint64_t vector) { return insert(vector, std::uint64_t{1} << size_ % 64); }
  bool insert(std::uint64_t vector, std::uint64_t label);

  [[nodiscard]] std::size_t dimension() const { return size_; }
  [[nodiscard]] bool contains(std::uint64_t vector) const { return reduce(vector) == 0; }
  /// The least of the vectors `vector ^ s`, s in the space: the one that has no leading bit of the
  /// basis.
  [[nodiscard]] std::uint64_t reduce(std::uint64_t vector) const;
  /// The vectors, new when inserted, whose XOR is this one, as the XOR of their labels. nullopt if
  /// the vector is not in the space.
  [[nodiscard]] std::optional<std::uint64_t> express(std::uint64_t vector) const;
  /// The leading bits of the vectors of the space.
  [[nodiscard]] std::uint64_t leading_bits() const { return leading_bits_; }

  /// The reduced echelon basis, ascending: each leading bit is in one vector only. Unique.
  [[nodiscard]] std::vector<std::uint64_t> basis() const;

  /// Whether they are equal as sets of vectors.
  friend bool operator==(const Subspace& a, const Subspace& b) { return a.basis() == b.basis(); }

 private:
  struct Member {
    std::uint64_t vector = 0;
    /// The XOR of the labels of the inserted vectors whose XOR it is.
    std::uint64_t label = 0;
  };
  Member reduced(Member member) const;

  /// Indexed by leading bit; each leading bit is in its own member only.
  std::array<Member, 64> members_{};
  std::uint64_t leading_bits_ = 0;
  std::size_t size_ = 0;
};

/// The vectors that are in both; for sum(), the XORs of a vector of a and a vector of b.
[[nodiscard]] Subspace intersection(const Subspace& a, const Subspace& b);
[[nodiscard]] Subspace sum(const Subspace& a, const Subspace& b);
/// Unit vectors, lowest first, that complete the space to GF(2)^bits: as many as are missing.
[[nodiscard]] std::vector<std::uint64_t> complement(const Subspace& space, std::size_t bits);

}  // namespace heddle::form
#pragma GCC visibility pop

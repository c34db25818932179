#pragma once

// The building blocks of operations on linear layouts: dimensions as runs of bits, and moves of
// bits from run to run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/format.h"
#include "heddle/linear/linear_layout.h"

namespace heddle::linear {

inline constexpr int kMaxBits = 64;
/// The most bits of one dimension, because its size is an int64.
inline constexpr int kMaxDimBits = 62;

/// The layout made from these parts, which must be consistent: names differ, each side has at most
/// 64 bits, the matrix has a column for each input bit and a row for each output bit.
[[nodiscard]] LinearLayout assembled(std::vector<Dimension> ins, std::vector<Dimension> outs,
                                     form::BitMatrix matrix);

/// A run of bits within the inputs or the outputs.
struct Run {
  std::size_t begin = 0;
  int bits = 0;

  [[nodiscard]] std::size_t end() const { return begin + static_cast<std::size_t>(bits); }
  [[nodiscard]] std::uint64_t of(std::uint64_t word) const;
};

/// The bits of the dimension with this name; nullopt if there is none.
[[nodiscard]] std::optional<Run> run_of(std::span<const Dimension> dims, std::string_view name);
/// The bits of each dimension in turn.
[[nodiscard]] std::vector<Run> runs_of(std::span<const Dimension> dims);
[[nodiscard]] int total_bits(std::span<const Dimension> dims);

/// A run that is copied to another place, possibly in another word.
struct Move {
  Run from;
  std::size_t to = 0;
};
[[nodiscard]] std::uint64_t moved(std::uint64_t word, std::span<const Move> moves);
/// The moves of the low bits of `from` to `to`, dimension by dimension, as many bits as both have.
/// Dimensions that only one side has are left out.
[[nodiscard]] std::vector<Move> moves_between(std::span<const Dimension> from,
                                              std::span<const Dimension> to);
/// The matrix with its rows moved, `rows` rows in all.
[[nodiscard]] form::BitMatrix moved_rows(const form::BitMatrix& matrix, std::span<const Move> moves,
                                         std::size_t rows);
/// The columns of the dimensions `from`, moved to their places among the dimensions `to`; columns
/// that `from` does not have are 0.
[[nodiscard]] form::BitMatrix rearranged_columns(const form::BitMatrix& matrix,
                                                 std::span<const Dimension> from,
                                                 std::span<const Dimension> to);
/// The columns in these runs, one run after the other.
[[nodiscard]] form::BitMatrix picked_columns(const form::BitMatrix& matrix,
                                             std::span<const Run> runs);

/// The images of the bits of an input dimension; empty if there is no such dimension.
[[nodiscard]] std::vector<std::uint64_t> columns_of(const LinearLayout& layout,
                                                    std::string_view dim);

/// A copy that the caller can change.
[[nodiscard]] std::vector<Dimension> copied(std::span<const Dimension> dims);
[[nodiscard]] Names names_of(std::span<const Dimension> dims);
[[nodiscard]] bool contains(const Names& names, std::string_view name);

/// log2 of a size. Refuses `linear.size` unless it is a power of two below 2^63.
[[nodiscard]] Result<int> log2_size(std::string_view dim, std::int64_t size);
/// Refuses `linear.duplicate_dim`, `linear.size`.
[[nodiscard]] Result<std::vector<Dimension>> dimensions(const NamedSizes& sizes);
/// Refuses `linear.duplicate_dim` and `linear.too_many_bits`.
[[nodiscard]] Result<void> check_dims(std::span<const Dimension> dims, std::string_view side);
/// The dimension of that name; refuses `linear.unknown_dim`.
[[nodiscard]] Result<Run> find_run(std::string_view name, std::span<const Dimension> dims,
                                   std::string_view side);
/// Refuses `linear.unknown_dim` for the first name that no dimension has.
[[nodiscard]] Result<void> check_known(const Names& names, std::span<const Dimension> dims,
                                       std::string_view side);
/// Refuses `linear.unknown_dim`: no dimension in `dims` is called `name`.
[[nodiscard]] Refusal unknown_dim(std::string_view name, std::span<const Dimension> dims,
                                  std::string_view side);
/// Checks that both have the same names, in any order; refuses `linear.dims_differ` with both
/// lists.
[[nodiscard]] Result<void> check_same_names(std::span<const Dimension> a,
                                            std::span<const Dimension> b,
                                            std::string_view question);
[[nodiscard]] Result<void> check_same_names(const Names& a, const Names& b,
                                            std::string_view question);

/// `[register (size 4), lane (size 32)]`, `(register, lane)`, `(1, 0)`.
[[nodiscard]] std::string dims_text(std::span<const Dimension> dims);
[[nodiscard]] std::string names_text(const Names& names);
[[nodiscard]] std::string vector_text(std::span<const std::int64_t> coordinates);
/// The coordinates of an output (or input) word on the dimensions.
[[nodiscard]] std::vector<std::int64_t> coordinates(std::span<const Dimension> dims,
                                                    std::uint64_t word);
/// The name of input bit `bit` as Triton writes it: `lane=4`.
[[nodiscard]] std::string bit_name(std::span<const Dimension> dims, std::size_t bit);

}  // namespace heddle::linear

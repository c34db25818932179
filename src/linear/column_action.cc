#include "heddle/linear/column_action.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/bits.h"
#include "core/text.h"
#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kRegisterDim = "register";
constexpr std::string_view kOffsetDim = "offset";
constexpr int kMaxAccessBits = 128;
constexpr int kMaxRegisterBits = 20;

Refusal bad_action(std::string message) {
  return refuse("linear.column_action", std::move(message));
}

std::string action_text(std::span<const int> action, std::string_view in_dim, int in_size_log2) {
  return fmt::format("ColumnAction([{}], {}, {})", fmt::join(action, ", "), in_dim, in_size_log2);
}

/// The register bases of `b`, in the places that a product with a quotient of `a` by `b` needs.
Result<std::vector<std::uint64_t>> register_bases_in_product(const LinearLayout& a,
                                                             const LinearLayout& b, bool left) {
  HEDDLE_CHECK(find_run(kRegisterDim, b.in_dims(), "input"));
  std::vector<Move> moves;
  for (const Dimension& out : b.out_dims()) {
    HEDDLE_TRY(const Run place, find_run(out.name, a.out_dims(), "output"));
    if (out.bits > place.bits) {
      return refuse("linear.not_divisible", "{} has size {} in a and {} in b", out.name,
                    std::int64_t{1} << place.bits, out.size());
    }
    const int below = left ? 0 : place.bits - out.bits;
    moves.push_back(
        {*run_of(b.out_dims(), out.name), place.begin + static_cast<std::size_t>(below)});
  }
  std::vector<std::uint64_t> bases = columns_of(b, kRegisterDim);
  for (std::uint64_t& base : bases) base = moved(base, moves);
  return bases;
}

/// The product of an action and a tile needs its registers at consecutive offsets.
Result<Vectorisation> vectorised(const LinearLayout& cvt, std::int64_t elements) {
  HEDDLE_TRY(const LinearLayout tile, identity_1d(elements, kRegisterDim, kOffsetDim));
  HEDDLE_TRY(ColumnAction permutation, reg_perm_for_divide(cvt, tile, /*left=*/true));
  HEDDLE_TRY(const LinearLayout permuted, permutation.apply(cvt));
  HEDDLE_CHECK(divide_left(permuted, tile));
  return Vectorisation{elements, std::move(permutation)};
}

}  // namespace

Result<ColumnAction> ColumnAction::make(std::vector<int> action, std::string in_dim,
                                        int in_size_log2) {
  if (in_size_log2 < 0 || in_size_log2 > kMaxDimBits) {
    return bad_action(
        fmt::format("{} cannot have 2^{} values: 2^0 to 2^{}", in_dim, in_size_log2, kMaxDimBits));
  }
  std::vector<bool> taken(static_cast<std::size_t>(in_size_log2));
  for (const int basis : action) {
    if (basis < 0 || basis >= in_size_log2) {
      return bad_action(fmt::format("{}: {} has {}; there is none at {}",
                                    action_text(action, in_dim, in_size_log2), in_dim,
                                    counted(in_size_log2, "basis"), basis));
    }
    if (taken[static_cast<std::size_t>(basis)]) {
      return bad_action(
          fmt::format("{} takes basis {} twice", action_text(action, in_dim, in_size_log2), basis));
    }
    taken[static_cast<std::size_t>(basis)] = true;
  }
  return ColumnAction(std::move(action), std::move(in_dim), in_size_log2);
}

Result<ColumnAction> ColumnAction::identity(std::string in_dim, int in_size_log2) {
  std::vector<int> action(static_cast<std::size_t>(std::clamp(in_size_log2, 0, kMaxDimBits)));
  std::iota(action.begin(), action.end(), 0);
  return make(std::move(action), std::move(in_dim), in_size_log2);
}

bool ColumnAction::is_identity() const {
  return is_permutation() && std::ranges::is_sorted(action_);
}

std::size_t ColumnAction::source(std::size_t index) const {
  std::size_t result = 0;
  for (const int basis : action_) {
    result |= (index & 1U) << basis;
    index >>= 1U;
  }
  return result;
}

Result<LinearLayout> ColumnAction::apply(const LinearLayout& layout) const {
  HEDDLE_TRY(const Run run, find_run(in_dim_, layout.in_dims(), "input"));
  if (run.bits != in_size_log2_) {
    return bad_action(fmt::format("{} is for 2^{} values of {}; the layout has 2^{}",
                                  to_string(*this), in_size_log2_, in_dim_, run.bits));
  }
  const auto before = layout.matrix().columns();
  std::vector<std::uint64_t> columns(before.begin(),
                                     before.begin() + static_cast<std::ptrdiff_t>(run.begin));
  for (const int basis : action_) {
    columns.push_back(before[run.begin + static_cast<std::size_t>(basis)]);
  }
  columns.insert(columns.end(), before.begin() + static_cast<std::ptrdiff_t>(run.end()),
                 before.end());
  std::vector<Dimension> ins = copied(layout.in_dims());
  std::ranges::find(ins, in_dim_, &Dimension::name)->bits = static_cast<int>(action_.size());
  return assembled(std::move(ins), copied(layout.out_dims()),
                   {layout.matrix().rows(), std::move(columns)});
}

Result<void> ColumnAction::check_values(std::size_t count) const {
  if (count == std::size_t{1} << in_size_log2_) return {};
  return bad_action(
      fmt::format("{} is for 2^{} values, not {}", to_string(*this), in_size_log2_, count));
}

Result<ColumnAction> inverse(const ColumnAction& action) {
  if (!action.is_permutation()) {
    return bad_action(fmt::format("{} drops bases, so it has no inverse", to_string(action)));
  }
  std::vector<int> inverted(action.action().size());
  for (std::size_t i = 0; i < inverted.size(); ++i) {
    inverted[static_cast<std::size_t>(action.action()[i])] = static_cast<int>(i);
  }
  return ColumnAction::make(std::move(inverted), action.in_dim(), action.in_size_log2());
}

Result<ColumnAction> left_compose(const ColumnAction& action, const ColumnAction& next) {
  if (action.in_dim() != next.in_dim() ||
      action.action().size() != static_cast<std::size_t>(next.in_size_log2())) {
    return bad_action(fmt::format("{} leaves {} of {}; {} is for {} of {}", to_string(action),
                                  counted(action.action().size(), "basis"), action.in_dim(),
                                  to_string(next), counted(next.in_size_log2(), "basis"),
                                  next.in_dim()));
  }
  std::vector<int> composed;
  for (const int basis : next.action()) {
    composed.push_back(action.action()[static_cast<std::size_t>(basis)]);
  }
  return ColumnAction::make(std::move(composed), action.in_dim(), action.in_size_log2());
}

std::string to_string(const ColumnAction& action) {
  return action_text(action.action(), action.in_dim(), action.in_size_log2());
}

Result<ColumnAction> action_remove_broadcasted_regs(const LinearLayout& layout) {
  HEDDLE_TRY(const Run run, find_run(kRegisterDim, layout.in_dims(), "input"));
  const std::vector<std::uint64_t> bases = columns_of(layout, kRegisterDim);
  std::vector<int> kept;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (bases[i] != 0) kept.push_back(static_cast<int>(i));
  }
  return ColumnAction::make(std::move(kept), std::string(kRegisterDim), run.bits);
}

Result<ColumnAction> reg_perm_for_divide(const LinearLayout& a, const LinearLayout& b, bool left) {
  HEDDLE_TRY(const Run run, find_run(kRegisterDim, a.in_dims(), "input"));
  HEDDLE_TRY(const std::vector<std::uint64_t> wanted, register_bases_in_product(a, b, left));
  const std::vector<std::uint64_t> bases = columns_of(a, kRegisterDim);
  std::vector<bool> used(bases.size());
  std::vector<int> of_b;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::size_t j = 0;
    while (j < bases.size() && (used[j] || bases[j] != wanted[i])) ++j;
    if (j == bases.size()) {
      return refuse("linear.not_divisible",
                    "no register basis of a is {}, as register={} of b needs",
                    vector_text(coordinates(a.out_dims(), wanted[i])), std::int64_t{1} << i);
    }
    used[j] = true;
    of_b.push_back(static_cast<int>(j));
  }
  std::vector<int> rest;
  for (std::size_t j = 0; j < bases.size(); ++j) {
    if (!used[j]) rest.push_back(static_cast<int>(j));
  }
  std::vector<int>& first = left ? of_b : rest;
  const std::vector<int>& second = left ? rest : of_b;
  first.insert(first.end(), second.begin(), second.end());
  return ColumnAction::make(std::move(first), std::string(kRegisterDim), run.bits);
}

Result<Vectorisation> largest_vectorisation(const LinearLayout& cvt, int bitwidth,
                                            std::optional<std::int64_t> max_vec_elems) {
  if (bitwidth > kMaxAccessBits || !is_power_of_two(bitwidth)) {
    return refuse("linear.element_bits",
                  "elements of {} bits: they must be a power of two up to {}", bitwidth,
                  kMaxAccessBits);
  }
  HEDDLE_TRY(const Run run, find_run(kRegisterDim, cvt.in_dims(), "input"));
  HEDDLE_CHECK(find_run(kOffsetDim, cvt.out_dims(), "output"));
  const std::int64_t limit = max_vec_elems.value_or(kMaxAccessBits / bitwidth);
  HEDDLE_CHECK(log2_size("max_vec_elems", limit));
  for (std::int64_t elements = limit; elements > 1; elements /= 2) {
    Result<Vectorisation> result = vectorised(cvt, elements);
    if (result && (!max_vec_elems || result->permutation.is_identity())) return result;
  }
  HEDDLE_TRY(ColumnAction nothing_moves,
             ColumnAction::identity(std::string(kRegisterDim), run.bits));
  return Vectorisation{1, std::move(nothing_moves)};
}

namespace detail {

Result<std::vector<std::size_t>> broadcast_sources(const LinearLayout& layout, std::size_t count) {
  HEDDLE_TRY(const Run run, find_run(kRegisterDim, layout.in_dims(), "input"));
  if (run.bits > kMaxRegisterBits) {
    return refuse("linear.too_large", "{} has size 2^{}, more than 2^{} values", kRegisterDim,
                  run.bits, kMaxRegisterBits);
  }
  // Each basis as an XOR of pivots up to it: the number of the register's value, bit by bit.
  const form::BitMatrix numbers =
      form::row_reduced({layout.matrix().rows(), columns_of(layout, kRegisterDim)});
  const std::size_t rank = numbers.rank();
  if (count != std::size_t{1} << rank) {
    return refuse("linear.values", "the bases of {} have rank {}, so there are {} values, not {}",
                  kRegisterDim, rank, std::size_t{1} << rank, count);
  }
  std::vector<std::size_t> sources;
  for (std::uint64_t index = 0; index < std::uint64_t{1} << run.bits; ++index) {
    sources.push_back(numbers(index));
  }
  return sources;
}

}  // namespace detail

}  // namespace heddle::linear

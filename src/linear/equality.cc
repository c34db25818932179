#include "heddle/linear/equality.h"

#include <fmt/format.h>

#include <algorithm>

#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

enum class Matching : std::uint8_t { kByName, kByPosition, kFlat };

bool same_names(std::span<const Dimension> a, std::span<const Dimension> b) {
  return std::ranges::is_permutation(a, b, {}, &Dimension::name, &Dimension::name);
}

bool same_bits(std::span<const Dimension> a, std::span<const Dimension> b) {
  return std::ranges::equal(a, b, {}, &Dimension::bits, &Dimension::bits);
}

Matching matching_of(bool by_name, std::span<const Dimension> a, std::span<const Dimension> b) {
  if (by_name) return Matching::kByName;
  return same_bits(a, b) ? Matching::kByPosition : Matching::kFlat;
}

/// `inputs matched by position: (lane) and (thread)`; empty if the dimensions are the same.
std::string remark(std::string_view side, Matching matching, std::span<const Dimension> a,
                   std::span<const Dimension> b) {
  if (std::ranges::equal(a, b)) return {};
  const bool sizes_matter = matching == Matching::kFlat || same_names(a, b);
  const std::string how = matching == Matching::kByName       ? "name"
                          : matching == Matching::kByPosition ? "position"
                                                              : "flat index";
  return fmt::format("{} matched by {}: {} and {}", side, how,
                     sizes_matter ? dims_text(a) : names_text(names_of(a)),
                     sizes_matter ? dims_text(b) : names_text(names_of(b)));
}

/// The coordinates of an output word, on the dimensions in the order of `order`.
std::vector<std::int64_t> image(std::span<const Dimension> dims, std::uint64_t word,
                                std::span<const Dimension> order) {
  const std::vector<std::int64_t> all = coordinates(dims, word);
  std::vector<std::int64_t> result;
  for (const Dimension& wanted : order) {
    const auto found = std::ranges::find(dims, wanted.name, &Dimension::name);
    result.push_back(all[static_cast<std::size_t>(found - dims.begin())]);
  }
  return result;
}

NamedNumbers named(std::span<const Dimension> dims, std::vector<std::int64_t> numbers) {
  return {std::move(numbers), names_of(dims)};
}

}  // namespace

Verdict equal(const LinearLayout& a, const LinearLayout& b) {
  if (a.total_in_dim_size_log2() != b.total_in_dim_size_log2()) {
    return Verdict::no(fmt::format("the inputs {} and {} differ in size", dims_text(a.in_dims()),
                                   dims_text(b.in_dims())));
  }
  const Matching ins =
      matching_of(std::ranges::is_permutation(a.in_dims(), b.in_dims()), a.in_dims(), b.in_dims());
  const Matching outs =
      matching_of(same_names(a.out_dims(), b.out_dims()), a.out_dims(), b.out_dims());
  std::string remarks = remark("inputs", ins, a.in_dims(), b.in_dims());
  const std::string of_outs = remark("outputs", outs, a.out_dims(), b.out_dims());
  if (!remarks.empty() && !of_outs.empty()) remarks += "; ";
  remarks += of_outs;

  const form::BitMatrix reordered = rearranged_columns(
      b.matrix(), b.in_dims(), ins == Matching::kByName ? a.in_dims() : b.in_dims());
  const auto left = a.matrix().columns();
  const auto right = reordered.columns();
  const std::span<const Dimension> order = outs == Matching::kByName ? a.out_dims() : b.out_dims();
  for (std::size_t bit = 0; bit < left.size(); ++bit) {
    const auto found = coordinates(a.out_dims(), left[bit]);
    const auto wanted = image(b.out_dims(), right[bit], order);
    const bool is_same = outs == Matching::kFlat ? left[bit] == right[bit] : found == wanted;
    if (is_same) continue;
    Witness witness{bit_name(a.in_dims(), bit), vector_text(found), vector_text(wanted)};
    const std::uint64_t flat = std::uint64_t{1} << bit;
    witness.numbers =
        WitnessNumbers{WitnessNumbers::Point{named(a.in_dims(), coordinates(a.in_dims(), flat)),
                                             static_cast<std::int64_t>(flat)},
                       WitnessNumbers::Images{named(a.out_dims(), found)},
                       WitnessNumbers::Images{
                           named(outs == Matching::kByName ? a.out_dims() : b.out_dims(), wanted)},
                       {},
                       {}};
    return Verdict::no("basis by basis", std::move(witness)).with_remark(remarks);
  }
  return Verdict::yes("basis by basis").with_remark(remarks);
}

}  // namespace heddle::linear

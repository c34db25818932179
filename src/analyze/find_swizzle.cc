#include "heddle/analyze/find_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/checks.h"
#include "heddle/analyze/matrix_access.h"
#include "heddle/cute/manipulation.h"
#include "heddle/form/table.h"
#include "map/view/shown_digits.h"

namespace heddle::analyze {
namespace {

using cute::Layout;
using cute::Swizzle;

constexpr std::int64_t kMaxTouched = std::int64_t{1} << 24;

/// The accesses to search for, from (thread, value) to coordinates, and what serves them.
struct Given {
  std::span<const form::IndexMap> accesses;
  int element_bits;
  Splitting split;
  const Served& served;
};

/// The accesses under a layout of elements.
using Accesses = std::vector<Access>;

Result<std::vector<BankCounts>> counts_of(const Accesses& accesses, const Served& served) {
  std::vector<BankCounts> counts;
  for (const Access& access : accesses) {
    HEDDLE_TRY(const BankReport report,
               bank_conflicts(access, kMaxAccessBits, served.serving, served.direction));
    counts.push_back(report.counts);
  }
  return counts;
}

Result<Accesses> composed(const form::IndexMap& layout, const Given& given) {
  Accesses result;
  for (const form::IndexMap& access : given.accesses) {
    HEDDLE_TRY(Access with_addresses, make_access(access, layout, given.element_bits));
    with_addresses.warp_lanes = given.served.serving.warp_lanes();
    result.push_back(std::move(with_addresses));
  }
  return result;
}

/// The swizzles of at most `bits` bits, without the identity.
std::vector<Swizzle> swizzles_of(int bits) {
  std::vector<Swizzle> swizzles;
  for (int count = 1; 2 * count <= bits; ++count) {
    for (int distance = count; count + distance <= bits; ++distance) {
      for (int base = 0; base + count + distance <= bits; ++base) {
        for (const int shift : {distance, -distance}) {
          if (auto swizzle = Swizzle::make(count, base, shift)) swizzles.push_back(*swizzle);
        }
      }
    }
  }
  return swizzles;
}

Accesses swizzled(Accesses accesses, const Swizzle& swizzle) {
  for (Access& access : accesses) {
    for (std::int64_t& address : access.addresses) address = swizzle(address);
  }
  return accesses;
}

/// A key for comparisons: greater is worse.
auto cost_of(const Candidate<Swizzle>& candidate) {
  const Swizzle& swizzle = candidate.layout;
  return std::tuple(candidate.wavefronts(), candidate.requests(), swizzle.bits(),
                    swizzle.is_identity() ? 0 : -swizzle.base(), std::abs(swizzle.shift()),
                    swizzle.shift() < 0);
}

/// The strides after which elements can be inserted: those that divide all greater ones.
std::set<std::int64_t> pitches_of(const Layout& layout) {
  std::set<std::int64_t> strides;
  for (std::size_t i = 0; i < layout.extents().size(); ++i) {
    const Int& stride = layout.strides()[i].scale();
    const bool steps = layout.extents()[i].value() > 1 && stride.is_constant();
    if (steps && stride.value() > 0) strides.insert(stride.value());
  }
  std::set<std::int64_t> pitches;
  for (const std::int64_t pitch : strides) {
    const bool divides_all = std::all_of(strides.upper_bound(pitch), strides.end(),
                                         [&](std::int64_t s) { return s % pitch == 0; });
    if (divides_all && pitch > *strides.begin()) pitches.insert(pitch);
  }
  return pitches;
}

/// The layout with `padding` elements after every `pitch`.
Result<Layout> padded(const Layout& layout, std::int64_t pitch, std::int64_t padding) {
  Layout::Extents extents(layout.extents().begin(), layout.extents().end());
  Layout::Strides strides;
  for (const cute::Stride& stride : layout.strides()) {
    const Int& scale = stride.scale();
    const bool is_longer = scale.is_constant() && scale.value() >= pitch;
    strides.push_back(is_longer
                          ? cute::Stride(scale.value() / pitch * (pitch + padding), stride.basis())
                          : stride);
  }
  return Layout::make(layout.profile(), std::move(extents), std::move(strides));
}

/// The number of address bits that a swizzle may permute: its size divides the number of addresses.
int memory_bits(std::int64_t cosize) {
  return std::countr_zero(static_cast<std::uint64_t>(std::max<std::int64_t>(cosize, 1)));
}

Result<void> check_trials(const Accesses& touched, std::int64_t trials) {
  std::int64_t points = 0;
  for (const Access& access : touched) points += access.threads * access.values;
  if (points <= kMaxTouched / std::max<std::int64_t>(trials, 1)) return {};
  return refuse(Diagnostic("analyze.too_large",
                           fmt::format("{} swizzles and paddings to try on accesses of {} values",
                                       trials, points))
                    .with_hint("give the accesses of one warp, or of one tile"));
}

/// Do the accesses move vectors at least as wide as those of the plain layout?
bool keeps_vectors(std::span<const BankCounts> plain, std::span<const BankCounts> counts) {
  return std::ranges::equal(plain, counts, std::ranges::less_equal{}, &BankCounts::vector_bits,
                            &BankCounts::vector_bits);
}

/// Does the swizzle keep rows of 16 bytes together?
bool keeps_rows(const Swizzle& swizzle, int element_bits) {
  constexpr std::int64_t kRowBits = 128;
  return swizzle.is_identity() || (std::int64_t{1} << swizzle.base()) * element_bits >= kRowBits;
}

/// Finds the best swizzle of the addresses, `search.swizzled` and `search.splitting`: the identity
/// if none is better.
void try_swizzles(const Accesses& touched, std::span<const Swizzle> swizzles, const Given& given,
                  SwizzleSearch& search) {
  search.swizzled = {Swizzle(), search.plain};
  Candidate<Swizzle> best = search.swizzled;
  for (const Swizzle& swizzle : swizzles) {
    auto counts = counts_of(swizzled(touched, swizzle), given.served);
    // Elements of less than a byte may be separated, and no document may state a narrower access.
    if (!counts) continue;
    const Candidate<Swizzle> candidate{swizzle, *std::move(counts)};
    if (cost_of(candidate) < cost_of(best)) best = candidate;
    const bool keeps = given.split == Splitting::kMaySplit || given_up(search, candidate).empty();
    if (keeps && cost_of(candidate) < cost_of(search.swizzled)) search.swizzled = candidate;
  }
  if (best.wavefronts() < search.swizzled.wavefronts()) search.splitting = std::move(best);
}

/// The access as a linear layout (register, lane, warp) -> element of a tensor of that many
/// elements; nullopt if it is not linear: threads and values must be powers of two, and the element
/// of an XOR the XOR of the elements. Addresses of the access are elements.
std::optional<linear::LinearLayout> linear_access(const Access& access, std::int64_t elements,
                                                  std::string_view out_dim) {
  const bool are_powers = is_power_of_two(access.threads) && is_power_of_two(access.values) &&
                          is_power_of_two(elements);
  if (!are_powers) return std::nullopt;
  linear::Bases bases = {{"register", {}}, {"lane", {}}, {"warp", {}}};
  for (std::int64_t bit = 1; bit < access.values; bit *= 2)
    bases[0].vectors.push_back({access.address(0, bit)});
  for (std::int64_t bit = 1; bit < access.threads; bit *= 2)
    bases[bit < access.warp_lanes ? 1 : 2].vectors.push_back({access.address(bit, 0)});
  const linear::NamedSizes outs = {{std::string(out_dim), elements}};
  auto layout = linear::LinearLayout::make(bases, outs);
  if (!layout) return std::nullopt;
  for (std::int64_t value = 0; value < access.values; ++value) {
    for (std::int64_t thread = 0; thread < access.threads; ++thread) {
      const auto point = static_cast<std::uint64_t>(value | thread * access.values);
      if (layout->matrix()(point) != static_cast<std::uint64_t>(access.address(thread, value)))
        return std::nullopt;
    }
  }
  return *std::move(layout);
}

/// The best linear layout of this many elements for one access or two to them.
std::optional<SwizzledBuffer> best_linear(const form::IndexMap& layout, const Given& given) {
  const Int elements = layout.size();
  const bool is_power = elements.is_constant() && is_power_of_two(elements.value());
  if (given.accesses.empty() || given.accesses.size() > 2 || !is_power) return std::nullopt;
  // The identity: the address of each element is its number.
  const form::IndexMap numbers(
      {layout.extents().begin(), layout.extents().end()}, layout.order(), {Axis::memory()},
      [layout](std::span<const Int> point) {
        return std::vector<Int>{map::flat_of(layout.extents(), layout.order(), point)};
      });
  const auto flat = composed(numbers, given);
  if (!flat) return std::nullopt;
  std::vector<linear::LinearLayout> sides;
  for (const Access& access : *flat) {
    auto side = linear_access(access, elements.value(), "dim0");
    if (!side) return std::nullopt;
    sides.push_back(*std::move(side));
  }
  const Direction direction = given.served.direction;
  const auto best = optimal_swizzle(sides.front(), sides.back(), given.element_bits,
                                    {given.served.serving, direction, direction});
  return best ? std::optional(*best) : std::nullopt;
}

/// Can ldmatrix load this access? Its addresses lie below `reach`.
bool has_matrix_rows(const Access& access, std::int64_t reach) {
  constexpr int kWidestElement = 16;
  if (access.element_bits > kWidestElement) return false;
  const auto memory = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(reach)));
  const auto offsets = linear_access(access, memory, "offset");
  return offsets && (matrix_access(*offsets, access.element_bits, MatrixOrder::kPlain) ||
                     matrix_access(*offsets, access.element_bits, MatrixOrder::kTransposed));
}

std::int64_t most_padding(int element_bits) {
  return std::max<std::int64_t>(kBanks * kBankBytes * 8 / element_bits, 1);
}

/// Tries all paddings after one of the pitches.
Result<void> try_paddings(const Layout& layout, const std::set<std::int64_t>& pitches,
                          const Given& given, SwizzleSearch& search) {
  const auto cost = [](const Candidate<Layout>& candidate) {
    return std::tuple(candidate.wavefronts(), candidate.requests(),
                      cute::cosize(candidate.layout).value().value());
  };
  for (const std::int64_t pitch : pitches) {
    for (std::int64_t padding = 1; padding <= most_padding(given.element_bits); ++padding) {
      ++search.paddings_tried;
      auto longer = padded(layout, pitch, padding);
      if (!longer) continue;
      HEDDLE_TRY(const Accesses touched, composed(index_map(*longer), given));
      auto counts = counts_of(touched, given.served);
      const bool may_split = given.split == Splitting::kMaySplit;
      if (!counts || !(may_split || keeps_vectors(search.plain, *counts))) continue;
      Candidate<Layout> candidate{*std::move(longer), *std::move(counts)};
      if (!search.padded || cost(candidate) < cost(*search.padded)) {
        search.padded = std::move(candidate);
      }
    }
  }
  return {};
}

/// One more than the greatest address.
Result<std::int64_t> reach_of(const form::IndexMap& layout) {
  HEDDLE_TRY(const form::Table table, form::table_of(layout));
  return std::ranges::max(table.values) + 1;
}

/// The search among swizzles of a memory of `reach` addresses, by default one more than the
/// layout's greatest, and among paddings of the strides, if there are any.
Result<SwizzleSearch> search_of(const form::IndexMap& map, std::optional<std::int64_t> reach,
                                const Layout* strided, const Given& given) {
  HEDDLE_TRY(const Accesses touched, composed(map, given));
  SwizzleSearch search;
  HEDDLE_TRY(search.plain, counts_of(touched, given.served));
  if (!reach) {
    HEDDLE_TRY(reach, reach_of(map));
  }
  const std::vector<Swizzle> swizzles = swizzles_of(memory_bits(*reach));
  search.swizzles_tried = static_cast<std::int64_t>(swizzles.size());
  std::set<std::int64_t> pitches;
  if (strided != nullptr) {
    search.layout = *strided;
    pitches = pitches_of(*strided);
  }
  HEDDLE_CHECK(
      check_trials(touched, search.swizzles_tried + static_cast<std::int64_t>(pitches.size()) *
                                                        most_padding(given.element_bits)));
  for (const Access& access : touched)
    search.has_matrix_rows.push_back(has_matrix_rows(access, *reach));
  try_swizzles(touched, swizzles, given, search);
  if (strided != nullptr) HEDDLE_CHECK(try_paddings(*strided, pitches, given, search));
  search.linear = best_linear(map, given);
  return search;
}

}  // namespace

std::int64_t wavefronts_of(std::span<const BankCounts> counts) {
  std::int64_t sum = 0;
  for (const BankCounts& count : counts) sum += count.wavefronts;
  return sum;
}

std::int64_t requests_of(std::span<const BankCounts> counts) {
  std::int64_t sum = 0;
  for (const BankCounts& count : counts) sum += count.requests;
  return sum;
}

cute::AnyLayout SwizzleSearch::swizzled_layout() const {
  if (swizzled.layout.is_identity()) return *layout;
  // Every swizzle that is tried fits the layout's addresses.
  return cute::composition(swizzled.layout, *layout).value();
}

std::vector<std::string> given_up(const SwizzleSearch& search,
                                  const Candidate<cute::Swizzle>& candidate) {
  std::vector<std::string> losses;
  for (std::size_t i = 0; i < search.plain.size(); ++i) {
    const BankCounts& before = search.plain[i];
    const BankCounts& after = candidate.counts[i];
    if (after.vector_bits < before.vector_bits) {
      losses.push_back(fmt::format("access {} has vectors of {} bits instead of {}", i + 1,
                                   after.vector_bits, before.vector_bits));
    } else if (search.has_matrix_rows[i] &&
               !keeps_rows(candidate.layout, before.vector_bits / before.vector_elements)) {
      losses.push_back(
          fmt::format("access {} has no rows of 16 bytes, so ldmatrix cannot load it", i + 1));
    }
  }
  return losses;
}

Result<SwizzleSearch> find_swizzle(const Layout& layout, std::span<const form::IndexMap> accesses,
                                   int element_bits, Splitting split, const Served& served) {
  const Int cosize = cute::cosize(layout).value_or(Int(1));
  return search_of(index_map(layout), cosize.value(), &layout,
                   {accesses, element_bits, split, served});
}

Result<SwizzleSearch> find_swizzle(const form::IndexMap& layout,
                                   std::span<const form::IndexMap> accesses, int element_bits,
                                   Splitting split, const Served& served) {
  return search_of(layout, std::nullopt, nullptr, {accesses, element_bits, split, served});
}

}  // namespace heddle::analyze

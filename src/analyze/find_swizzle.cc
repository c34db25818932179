#include "heddle/analyze/find_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

#include "analyze/checks.h"
#include "heddle/cute/manipulation.h"

namespace heddle::analyze {
namespace {

using cute::AnyLayout;
using cute::Layout;
using cute::Swizzle;

constexpr std::int64_t kMaxTouched = std::int64_t{1} << 26;

/// What accesses touch under a layout of elements.
using Accesses = std::vector<Access>;

Result<std::vector<BankCounts>> counts_of(const Accesses& accesses) {
  std::vector<BankCounts> counts;
  for (const Access& access : accesses) {
    HEDDLE_TRY(const BankReport report, bank_conflicts(access));
    counts.push_back(report.counts);
  }
  return counts;
}

Result<Accesses> composed(std::span<const form::IndexMap> accesses, const Layout& layout,
                          int element_bits) {
  Accesses result;
  for (const form::IndexMap& access : accesses) {
    HEDDLE_TRY(Access with_addresses, make_access(access, index_map(layout), element_bits));
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

/// Greater is worse.
auto cost_of(const Candidate<AnyLayout>& candidate) {
  const Swizzle swizzle = cute::get_swizzle_portion(candidate.layout);
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

class Search {
 public:
  Search(const Layout& layout, std::span<const form::IndexMap> accesses, int element_bits)
      : layout_(layout), accesses_(accesses), element_bits_(element_bits) {}

  Result<SwizzleSearch> run() {
    HEDDLE_TRY(touched_, composed(accesses_, layout_, element_bits_));
    HEDDLE_TRY(result_.plain.counts, counts_of(touched_));
    result_.plain.layout = layout_;
    HEDDLE_CHECK(check_size());
    HEDDLE_CHECK(try_swizzles());
    HEDDLE_CHECK(try_paddings());
    find_linear();
    return std::move(result_);
  }

 private:
  [[nodiscard]] int memory_bits() const {
    const Int cosize = cute::cosize(layout_).value_or(Int(1));
    return std::countr_zero(static_cast<std::uint64_t>(std::max<std::int64_t>(cosize.value(), 1)));
  }
  [[nodiscard]] std::int64_t most_padding() const {
    return std::max<std::int64_t>(kBanks * kBankBytes * 8 / element_bits_, 1);
  }

  [[nodiscard]] Result<void> check_size() const {
    std::int64_t points = 0;
    for (const Access& access : touched_) points += access.threads * access.values;
    const std::int64_t trials =
        static_cast<std::int64_t>(swizzles_of(memory_bits()).size()) +
        static_cast<std::int64_t>(pitches_of(layout_).size()) * most_padding();
    if (points <= kMaxTouched / std::max<std::int64_t>(trials, 1)) return {};
    return refuse(Diagnostic("analyze.too_large",
                             fmt::format("{} swizzles and paddings to try on accesses of {} values",
                                         trials, points))
                      .with_hint("give the accesses of one warp, or of one tile"));
  }

  Result<void> try_swizzles() {
    Candidate<AnyLayout> best{layout_, result_.plain.counts};
    for (const Swizzle& swizzle : swizzles_of(memory_bits())) {
      ++result_.swizzles_tried;
      auto counts = counts_of(swizzled(touched_, swizzle));
      if (!counts) continue;  // elements of less than a byte may be torn apart
      HEDDLE_TRY(auto layout, cute::composition(swizzle, layout_));
      Candidate<AnyLayout> candidate{std::move(layout), *std::move(counts)};
      if (cost_of(candidate) < cost_of(best)) best = std::move(candidate);
    }
    result_.swizzled = std::move(best);
    return {};
  }

  Result<void> try_paddings() {
    const auto cost = [](const Candidate<Layout>& candidate) {
      return std::tuple(candidate.wavefronts(), candidate.requests(),
                        cute::cosize(candidate.layout).value().value());
    };
    for (const std::int64_t pitch : pitches_of(layout_)) {
      for (std::int64_t padding = 1; padding <= most_padding(); ++padding) {
        ++result_.paddings_tried;
        auto layout = padded(layout_, pitch, padding);
        if (!layout) continue;
        HEDDLE_TRY(const Accesses touched, composed(accesses_, *layout, element_bits_));
        auto counts = counts_of(touched);
        if (!counts) continue;
        Candidate<Layout> candidate{*std::move(layout), *std::move(counts)};
        if (!result_.padded || cost(candidate) < cost(*result_.padded))
          result_.padded = std::move(candidate);
      }
    }
    return {};
  }

  void find_linear() {
    const auto elements = cute::size(layout_).value();
    if (accesses_.empty() || accesses_.size() > 2 || !is_power_of_two(elements)) return;
    std::vector<linear::LinearLayout> sides;
    for (const form::IndexMap& access : accesses_) {
      // Under the compact layout of the same shape addresses are flat coordinates.
      const auto compact = cute::make_layout(layout_.shape());
      if (!compact) return;
      const auto flat = make_access(access, index_map(*compact), element_bits_);
      if (!flat) return;
      auto side = linear_access(*flat, elements);
      if (!side) return;
      sides.push_back(*std::move(side));
    }
    const auto best = optimal_swizzle(sides.front(), sides.back(), element_bits_);
    if (best) result_.linear = *best;
  }

  const Layout& layout_;
  std::span<const form::IndexMap> accesses_;
  int element_bits_;
  Accesses touched_;
  SwizzleSearch result_;
};

}  // namespace

std::optional<linear::LinearLayout> linear_access(const Access& access, std::int64_t elements) {
  const bool are_powers = is_power_of_two(access.threads) && is_power_of_two(access.values) &&
                          is_power_of_two(elements);
  if (!are_powers) return std::nullopt;
  linear::Bases bases = {{"register", {}}, {"lane", {}}, {"warp", {}}};
  for (std::int64_t bit = 1; bit < access.values; bit *= 2)
    bases[0].vectors.push_back({access.address(0, bit)});
  for (std::int64_t bit = 1; bit < access.threads; bit *= 2)
    bases[bit < kWarpLanes ? 1 : 2].vectors.push_back({access.address(bit, 0)});
  const linear::NamedSizes outs = {{"dim0", elements}};
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

Result<SwizzleSearch> find_swizzle(const Layout& layout, std::span<const form::IndexMap> accesses,
                                   int element_bits) {
  return Search(layout, accesses, element_bits).run();
}

}  // namespace heddle::analyze

#include "heddle/analyze/conversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
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

/// From near to far.
constexpr std::array<std::string_view, 4> kLevels = {"register", "lane", "warp", "block"};

constexpr std::array<ConversionClass, 4> kKinds = {
    ConversionClass::kRegisters, ConversionClass::kWarp, ConversionClass::kSharedMemory,
    ConversionClass::kAcrossCtas};

/// Finds the elements of dst in src, preferring the nearest ones.
class Finder {
 public:
  Finder(const LinearLayout& src, const LinearLayout& dst) : src_(src), dst_(dst) {
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      const Words columns = columns_of(src, kLevels[level]);
      for (std::size_t bit = 0; bit < columns.size(); ++bit) {
        if (held_.insert(columns[bit])) basis_.push_back({level, bit});
      }
      reach_[level] = held_;
    }
    leaving_ = reach_[0];
  }

  /// The places, and the level of the farthest one.
  Result<Conversion> conversion() {
    Conversion result;
    linear::Bases bases;
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      linear::InBases images{std::string(kLevels[level]), {}};
      const Words wanted = columns_of(dst_, kLevels[level]);
      for (std::size_t bit = 0; bit < wanted.size(); ++bit) {
        HEDDLE_TRY(auto place, place_of(level, bit, wanted[bit]));
        images.vectors.push_back(std::move(place));
      }
      bases.push_back(std::move(images));
    }
    linear::NamedSizes sizes;
    for (const std::string_view level : kLevels) {
      sizes.emplace_back(level, std::int64_t{1} << columns_of(src_, level).size());
    }
    HEDDLE_TRY(result.places, LinearLayout::make(bases, sizes));
    HEDDLE_TRY(result.remaining, without_trivial(result.places));
    result.kind = kind_;
    result.log2_leaving = static_cast<int>(leaving_.dimension() - reach_[0].dimension());
    return result;
  }

 private:
  /// A bit of src.
  struct Bit {
    std::size_t level = 0;
    std::size_t bit = 0;
  };
  using Place = std::vector<std::int64_t>;

  /// The place in src of the element that dst holds at that bit: (register, lane, warp, block).
  Result<Place> place_of(std::size_t level, std::size_t bit, std::uint64_t wanted) {
    Place place(kLevels.size());
    const Words own = columns_of(src_, kLevels[level]);
    std::uint64_t missing = wanted;
    // Any register is equally near; of lanes, warps and blocks the same one is the nearest.
    if (bit < own.size() && (level > 0 || own[bit] == wanted)) {
      place[level] = std::int64_t{1} << bit;
      missing ^= own[bit];
    }
    // A copy in a register that src does not have takes an additional register.
    if (level == 0 && place[0] == 0) kind_ = std::max(kind_, ConversionClass::kRegisters);
    if (missing == 0) return place;
    const auto combination = held_.express(missing);
    if (!combination) {
      return refuse(
          "linear.no_solution",
          fmt::format("src holds nothing of what dst holds at {}={}: {}", kLevels[level],
                      std::int64_t{1} << bit,
                      linear::vector_text(linear::coordinates(dst_.out_dims(), missing))));
    }
    for (std::size_t i = 0; i < basis_.size(); ++i) {
      if ((*combination >> i & 1U) != 0) place[basis_[i].level] ^= std::int64_t{1} << basis_[i].bit;
    }
    leaving_.insert(missing);
    kind_ = std::max(kind_, kind_of(missing));
    return place;
  }

  [[nodiscard]] ConversionClass kind_of(std::uint64_t missing) const {
    std::size_t level = 0;
    while (!reach_[level].contains(missing)) ++level;
    return kKinds[level];
  }

  static Result<LinearLayout> without_trivial(LinearLayout places) {
    for (const std::string_view level : kLevels) {
      const linear::Names name = {std::string(level)};
      if (!linear::is_trivial_over(places, name)) continue;
      HEDDLE_TRY(places, linear::quotient(places, name));
    }
    return places;
  }

  const LinearLayout& src_;
  const LinearLayout& dst_;
  /// The span of src's bits, and the bits of its basis.
  Subspace held_;
  std::vector<Bit> basis_;
  /// The span of registers; of registers and lanes; ….
  std::array<Subspace, 4> reach_;
  /// The span of src's registers and of the vectors of dst that are missing there.
  Subspace leaving_;
  ConversionClass kind_ = ConversionClass::kNone;
};

/// Refuses different numbers of lanes, warps or CTAs on the two sides.
Result<void> check_same_threads(const LinearLayout& src, const LinearLayout& dst) {
  for (const std::string_view level : {"lane", "warp", "block"}) {
    const std::size_t from = columns_of(src, level).size();
    const std::size_t to = columns_of(dst, level).size();
    if (from == to) continue;
    return refuse(
        "analyze.dims",
        fmt::format("{} has size {} in src and {} in dst; a conversion is made by the same "
                    "threads",
                    level, std::uint64_t{1} << from, std::uint64_t{1} << to));
  }
  return {};
}

/// The shuffles of a conversion within warps: the words that a thread needs. Elements that both
/// sides have in one thread travel together. Words that no lane gets from another are not sent.
void count_shuffles(const LinearLayout& src, const LinearLayout& dst, int element_bits,
                    Conversion& conversion) {
  const Subspace held{std::span<const std::uint64_t>(columns_of(src, "register"))};
  const Subspace wanted{std::span<const std::uint64_t>(columns_of(dst, "register"))};
  const auto together = static_cast<int>(intersection(held, wanted).dimension());
  const int packed = element_bits >= 32 ? 0 : std::min(together, log2_exact(32 / element_bits));
  const std::int64_t elements = std::int64_t{1} << wanted.dimension();
  const std::int64_t words =
      element_bits > 32 ? elements * (element_bits / 32) : elements >> packed;
  conversion.elements_per_shuffle = std::int64_t{1} << packed;

  // A thread keeps the words whose elements it has; the lane that keeps the fewest decides.
  const Subspace in_thread = sum(held, wanted);
  const Words from = columns_of(src, "lane");
  const Words to = columns_of(dst, "lane");
  bool keeps_alike = true;
  for (std::size_t bit = 0; bit < to.size(); ++bit) {
    const std::uint64_t own = bit < from.size() ? from[bit] : 0;
    keeps_alike = keeps_alike && in_thread.contains(own ^ to[bit]);
  }
  const auto parts = static_cast<int>(in_thread.dimension() - held.dimension());
  conversion.shuffles = keeps_alike ? words - (words >> parts) : words;
}

}  // namespace

std::string_view name_of(ConversionClass conversion) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "registers", "warp", "shared memory",
                                                      "across CTAs"};
  return kNames[static_cast<std::size_t>(conversion)];
}

Result<Conversion> conversion_class(const LinearLayout& src, const LinearLayout& dst,
                                    int element_bits, const ServedMove& move) {
  HEDDLE_CHECK(check_element_bits(element_bits));
  HEDDLE_CHECK(check_registers(src, warp_lanes_of(src)));
  HEDDLE_CHECK(check_registers(dst, warp_lanes_of(dst)));
  HEDDLE_CHECK(check_same_outputs(src, dst));
  HEDDLE_CHECK(check_same_threads(src, dst));
  HEDDLE_TRY(Conversion conversion, Finder(src, dst).conversion());
  if (conversion.kind == ConversionClass::kWarp) {
    count_shuffles(src, dst, element_bits, conversion);
  }
  if (conversion.kind == ConversionClass::kWarp ||
      conversion.kind == ConversionClass::kSharedMemory) {
    auto buffer = optimal_swizzle(src, dst, element_bits, move);
    if (buffer) {
      conversion.buffer = *std::move(buffer);
    } else {
      conversion.uncounted = fmt::format("not counted: {}", buffer.error().message());
      const std::string& hint = buffer.error().hint();
      if (!hint.empty()) conversion.uncounted += fmt::format(" ({})", hint);
    }
  }
  return conversion;
}

}  // namespace heddle::analyze

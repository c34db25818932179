// Recovering a layout whose shape or whose strides are known.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "form/recovery.h"
#include "heddle/form/recover.h"

namespace heddle::form {
namespace {

/// Extents for given strides that make a layout of given digits: a mode of extent above 1 takes a
/// share of the digit that is being split, so its stride must be the next one that is needed.
class Apportionment {
 public:
  Apportionment(std::span<const Digit> digits, std::span<const Vector> strides)
      : digits_(digits), strides_(strides) {}

  /// One extent for each stride; nullopt if there are none. As many as possible are above 1.
  std::optional<Vector> run() {
    const Share* share = best(0, {});
    if (!share->is_possible) return std::nullopt;
    Vector extents;
    for (Place place; extents.size() < strides_.size();) {
      extents.push_back(best(extents.size(), place)->extent);
      place = advanced(place, extents.back());
    }
    return extents;
  }

 private:
  /// A position: how many steps of the digit with this index are already used.
  struct Place {
    std::size_t digit = 0;
    std::int64_t given = 1;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  /// The extent of the next mode, and how many modes from there on have an extent above 1.
  struct Share {
    bool is_possible = false;
    std::int64_t extent = 1;
    int used = 0;
  };

  [[nodiscard]] Place advanced(Place place, std::int64_t extent) const {
    if (place.digit == digits_.size()) return place;
    place.given *= extent;
    return Int(place.given) == digits_[place.digit].extent ? Place{place.digit + 1, 1} : place;
  }

  /// The best share of mode `mode`, from this position on, with all later modes.
  const Share* best(std::size_t mode, Place place) {
    const auto known = shares_.find({mode, place});
    if (known != shares_.end()) return &known->second;
    Share share;
    if (mode == strides_.size()) {
      share.is_possible = place.digit == digits_.size();
    } else {
      for (const std::int64_t extent : choices(mode, place)) {
        const Share* rest = best(mode + 1, advanced(place, extent));
        const int used = rest->used + (extent > 1 ? 1 : 0);
        if (!rest->is_possible || (share.is_possible && used <= share.used)) continue;
        share = {true, extent, used};
      }
    }
    return &shares_.emplace(std::pair(mode, place), share).first->second;
  }

  /// The extents that the mode may take: the rest of the digit, or as much of it as gives the
  /// stride of a later mode, or 1.
  [[nodiscard]] Vector choices(std::size_t mode, Place place) const {
    if (place.digit == digits_.size() || !is_due(strides_[mode], place)) return {1};
    const Digit& digit = digits_[place.digit];
    const std::int64_t rest = digit.extent.value() / place.given;
    Vector extents{rest, 1};
    const bool stays =
        std::ranges::all_of(digit.stride, [](const Int& step) { return step == Int(0); });
    if (stays) return extents;
    for (std::size_t later = mode + 1; later < strides_.size(); ++later) {
      const std::optional<std::int64_t> extent = ratio(strides_[later], strides_[mode]);
      if (extent && *extent > 1 && *extent < rest && rest % *extent == 0) {
        extents.push_back(*extent);
      }
    }
    return extents;
  }

  [[nodiscard]] bool is_due(const Vector& stride, Place place) const {
    const Digit& digit = digits_[place.digit];
    for (std::size_t axis = 0; axis < stride.size(); ++axis) {
      if (Wide{digit.stride[axis].value()} * place.given != stride[axis]) return false;
    }
    return true;
  }

  /// The n with a = n * b on every axis.
  static std::optional<std::int64_t> ratio(const Vector& a, const Vector& b) {
    std::optional<std::int64_t> ratio;
    for (std::size_t axis = 0; axis < a.size(); ++axis) {
      if (b[axis] == 0) {
        if (a[axis] != 0) return std::nullopt;
        continue;
      }
      // The least 64-bit number cannot be negated in 64 bits.
      const Wide quotient = Wide{a[axis]} / b[axis];
      if (quotient * b[axis] != a[axis] || (ratio && *ratio != quotient)) return std::nullopt;
      ratio = narrow(quotient);
      if (!ratio) return std::nullopt;
    }
    return ratio;
  }

  std::span<const Digit> digits_;
  std::span<const Vector> strides_;
  std::map<std::pair<std::size_t, Place>, Share> shares_;
};

/// `4:1 2:8`.
std::string digits_text(const std::vector<Digit>& digits) {
  std::string text;
  for (const Digit& digit : digits) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", to_string(digit.extent),
                        point_text(digit.stride));
  }
  return text.empty() ? "1:0" : text;
}

}  // namespace

Result<StridedMap> recover_with_shape(std::span<const std::int64_t> shape, std::size_t axes,
                                      const Sampler& f, const RecoverStridedOptions& options) {
  const std::string shape_text = point_text(shape);
  StridedMap map{{}, f(0)};
  std::int64_t step = 1;
  for (const std::int64_t extent : shape) {
    WideVector stride(axes, 0);
    const Vector image = extent > 1 ? f(step) : map.offset;
    for (std::size_t axis = 0; axis < axes; ++axis)
      stride[axis] = Wide{image[axis]} - map.offset[axis];
    const std::optional<Vector> fitting = narrow(stride);
    if (!fitting) {
      return refuse("recover.no_layout",
                    fmt::format("no layout of shape {} has this function: from coordinate 0 to {} "
                                "it steps by more than 64 bits hold",
                                shape_text, step));
    }
    map.modes.push_back({{extent, {fitting->begin(), fitting->end()}}});
    step *= extent;
  }
  HEDDLE_TRY(const CandidateCheck comparison, compare(map, f, options));
  if (comparison.is_equal) return map;
  return no_candidate(map, comparison, f,
                      fmt::format("no layout of shape {} has this function: the first step of "
                                  "each mode leaves only the strides of {}",
                                  shape_text, digits_text(map.digits())),
                      fmt::format("a layout of shape {}", shape_text));
}

Result<StridedMap> recover_with_strides(std::int64_t extent, std::span<const Vector> strides,
                                        const Sampler& f, const RecoverStridedOptions& options) {
  const std::size_t axes = f(0).size();
  HEDDLE_TRY(const StridedMap coalesced, recover_strided(extent, axes, f, options));
  const std::vector<Digit>& digits = coalesced.modes.front();
  const std::optional<Vector> extents = Apportionment(digits, strides).run();
  if (!extents) {
    std::vector<std::string> texts;
    for (const Vector& stride : strides) texts.push_back(point_text(stride));
    return refuse("recover.strides",
                  fmt::format("the function is {}; no extents with the strides ({}) give it",
                              digits_text(digits), fmt::join(texts, ",")));
  }
  StridedMap map{{}, coalesced.offset};
  for (std::size_t i = 0; i < strides.size(); ++i) {
    map.modes.push_back({{(*extents)[i], {strides[i].begin(), strides[i].end()}}});
  }
  return map;
}

}  // namespace heddle::form

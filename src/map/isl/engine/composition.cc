// Algorithm 4: composition, mode by mode of the right side.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "cute/algebra/primes.h"
#include "cute/layout/modes.h"
#include "form/divisors.h"
#include "heddle/map/isl_engine.h"
#include "map/isl/engine/mappings.h"

namespace heddle::map::isl_engine {
namespace {

/// The two sides of a composition.
struct Operands {
  /// The left side, extended as far as the right side reaches.
  Leaves a;
  Leaves b;
};

Result<Operands> composition_operands(const cute::Layout& a, const cute::Layout& b) {
  HEDDLE_TRY(Leaves left, leaves_of(a));
  HEDDLE_TRY(Leaves right, leaves_of(b));
  if (known_less(right.least(), 0)) {
    return refuse("composition.negative_coordinate",
                  fmt::format("{} o {}: the right side reaches {}, and the left side begins at 0",
                              to_string(a), to_string(b), to_string(right.least())));
  }
  const Int inner = floor_div(Int(left.size()), left.extents.back());
  const Int outer = max(left.extents.back(), floor_div(right.greatest(), inner) + 1);
  HEDDLE_CHECK(check_defined(
      inner * outer, [&] { return fmt::format("how far {} would have to run on", to_string(a)); }));
  left.extents.back() = outer.value();
  return Operands{std::move(left), std::move(right)};
}

/// Drops extents of 1 and joins neighbours s0:d0, s1:d1 with d1 = s0*d0.
cute::Modes joined_modes(const Leaves& leaves) {
  cute::Modes modes;
  for (std::size_t i = 0; i < leaves.extents.size(); ++i) {
    modes.push_back({Int(leaves.extents[i]), cute::Stride(leaves.strides[i])});
  }
  modes = cute::join_neighbours(modes);
  if (modes.empty()) modes.push_back({1, 0});
  return modes;
}

/// Composes a mode of the right side with the left side.
class ModeComposer {
 public:
  ModeComposer(const IslSession& session, const Leaves& a)
      : session_(session),
        mapping_(layout_mapping(session, a)),
        coordinates_(coordinate_mapping(session, a.extents)) {}

  /// The modes of the composition; nullopt if no layout has them.
  [[nodiscard]] Result<std::optional<cute::Modes>> compose(std::int64_t extent,
                                                           std::int64_t stride) const {
    const Leaves mode{{extent}, {stride}};
    const isl::map inner = layout_mapping(session_, mode);
    const isl::map composed = inner.apply_range(mapping_);
    HEDDLE_TRY(auto modes, in_shape(composed, mode.extents));
    if (modes) return modes;
    if (auto extents = grid_extents(inner.apply_range(coordinates_).range())) {
      std::erase(*extents, 1);
      HEDDLE_TRY(modes, in_shape(composed, *extents));
      if (modes) return modes;
    }
    return in_any_shape(composed, extent);
  }

  [[nodiscard]] const isl::map& mapping() const { return mapping_; }

 private:
  [[nodiscard]] Result<std::optional<cute::Modes>> in_shape(
      const isl::map& composed, std::span<const std::int64_t> extents) const {
    HEDDLE_TRY(const auto leaves, leaves_in_shape(session_, composed, extents));
    if (!leaves) return std::optional<cute::Modes>();
    return joined_modes(*leaves);
  }

  /// A layout in some shape is one in each finer shape too, so it is enough to try the finest ones:
  /// the prime factors in every order.
  [[nodiscard]] Result<std::optional<cute::Modes>> in_any_shape(const isl::map& composed,
                                                                std::int64_t extent) const {
    std::vector<std::int64_t> factors;
    for (const form::PrimePower& power : form::prime_powers(extent)) {
      factors.insert(factors.end(), static_cast<std::size_t>(power.exponent), power.prime);
    }
    do {
      session_.check();
      HEDDLE_TRY(auto modes, in_shape(composed, factors));
      if (modes) return modes;
    } while (std::next_permutation(factors.begin(), factors.end()));
    return std::optional<cute::Modes>();
  }

  const IslSession& session_;
  isl::map mapping_;
  isl::map coordinates_;
};

Diagnostic no_composition(const cute::Layout& a, const cute::Layout& b, std::string_view why) {
  return Diagnostic("composition.no_layout",
                    fmt::format("{} o {} is not a layout", to_string(a), to_string(b)))
      .with_note(fmt::format("isl engine: {}", why));
}

}  // namespace

Result<cute::Layout> composition(const cute::Layout& a, const cute::Layout& b,
                                 const Limits& limits) {
  HEDDLE_TRY(const Operands operands, composition_operands(a, b));
  IslSession session(limits);
  return session.ask("composition", [&]() -> Result<cute::Layout> {
    const ModeComposer composer(session, operands.a);
    std::vector<cute::Modes> images;
    for (std::size_t i = 0; i < operands.b.extents.size(); ++i) {
      const std::int64_t extent = operands.b.extents[i];
      const std::int64_t stride = operands.b.strides[i];
      HEDDLE_TRY(auto modes, composer.compose(extent, stride));
      if (!modes) {
        return refuse(
            no_composition(a, b,
                           fmt::format("the index mapping of {}:{} is affine in no shape of {}",
                                       extent, stride, counted(extent, "element"))));
      }
      images.push_back(*std::move(modes));
    }
    HEDDLE_TRY(cute::Layout result, cute::replace_leaves(b.profile(), images));
    HEDDLE_TRY(const Leaves leaves, leaves_of(result));
    const isl::map wanted = layout_mapping(session, operands.b).apply_range(composer.mapping());
    if (!layout_mapping(session, leaves).is_equal(wanted)) {
      return refuse(no_composition(a, b,
                                   "the modes of the right side, each a layout by itself, "
                                   "do not add up"));
    }
    return result;
  });
}

Result<bool> is_composition(const cute::Layout& a, const cute::Layout& b, const cute::Layout& r,
                            const Limits& limits) {
  HEDDLE_TRY(const Operands operands, composition_operands(a, b));
  HEDDLE_TRY(const Leaves result, leaves_of(r));
  IslSession session(limits);
  return session.ask("composition", [&] {
    const isl::map wanted =
        layout_mapping(session, operands.b).apply_range(layout_mapping(session, operands.a));
    return layout_mapping(session, result).is_equal(wanted);
  });
}

}  // namespace heddle::map::isl_engine

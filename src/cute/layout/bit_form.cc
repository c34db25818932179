#include "cute/layout/bit_form.h"

#include <bit>

#include "core/bits.h"
#include "cute/layout/modes.h"

namespace heddle::cute {
namespace {

constexpr std::size_t kAddressBits = 64;

bool is_power_of_two(const Int& n) { return n.is_constant() && heddle::is_power_of_two(n.value()); }

std::optional<form::BitMatrix> bit_form_of(const Layout& layout) {
  if (!layout.is_integral()) return std::nullopt;
  std::vector<std::uint64_t> columns;
  std::uint64_t used = 0;
  for (const Mode& mode : leaves(layout)) {
    if (!is_power_of_two(mode.extent)) return std::nullopt;
    if (!mode.stride.is_zero() && !is_power_of_two(mode.stride.scale())) return std::nullopt;
    for (std::int64_t digit = 1; digit < mode.extent.value(); digit *= 2) {
      const auto bit = static_cast<std::uint64_t>(digit * mode.stride.scale().value());
      if ((used & bit) != 0) return std::nullopt;
      used |= bit;
      columns.push_back(bit);
    }
  }
  return form::BitMatrix(kAddressBits, std::move(columns));
}

}  // namespace

std::optional<form::BitMatrix> bit_form(const AnyLayout& layout) {
  if (const Layout* plain = std::get_if<Layout>(&layout)) return bit_form_of(*plain);
  const ComposedLayout& composed = std::get<ComposedLayout>(layout);
  if (!known_equal(composed.offset(), 0)) return std::nullopt;
  const auto inner = bit_form_of(composed.layout());
  if (!inner) return std::nullopt;
  std::vector<std::uint64_t> columns;
  for (const std::uint64_t column : inner->columns()) {
    columns.push_back(
        static_cast<std::uint64_t>(composed.swizzle()(static_cast<std::int64_t>(column))));
  }
  return form::BitMatrix(kAddressBits, std::move(columns));
}

}  // namespace heddle::cute

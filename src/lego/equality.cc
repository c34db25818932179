#include "heddle/lego/equality.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expr/assume_needed.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "lego/digits.h"

namespace heddle::lego {
namespace {

/// Layouts of up to this many points are compared point by point.
constexpr std::int64_t kMaxPoints = std::int64_t{1} << 20;

Result<Int> position_at(const Layout& layout, const Int& flat) {
  return layout.apply(unflatten(layout.dims(), flat));
}

/// The positions of a coordinate in two layouts.
struct Positions {
  Int left;
  Int right;

  [[nodiscard]] bool are_numbers() const { return left.is_constant() && right.is_constant(); }
};

/// The positions; undefined if a layout refuses.
Positions positions_at(const Layout& a, const Layout& b, const Int& flat) {
  return {position_at(a, flat).value_or(Int::undefined()),
          position_at(b, flat).value_or(Int::undefined())};
}

std::optional<WitnessNumbers::Images> image_of(const Int& position) {
  if (!position.is_constant()) return std::nullopt;
  return one_number(position.value());
}

Verdict difference(const Positions& positions, std::int64_t flat, const Layout& other) {
  Witness witness{std::to_string(flat), to_string(positions.left), to_string(positions.right),
                  to_string(other)};
  witness.numbers = WitnessNumbers{WitnessNumbers::Point{{{flat}, {}}, flat},
                                   image_of(positions.left),
                                   image_of(positions.right),
                                   {},
                                   {}};
  return Verdict::no("evaluation", std::move(witness));
}

/// nullopt if a position cannot be computed or is symbolic.
std::optional<Verdict> compared_at_every_point(const Layout& a, const Layout& b,
                                               std::int64_t size) {
  for (std::int64_t flat = 0; flat < size; ++flat) {
    const Positions there = positions_at(a, b, flat);
    if (!there.are_numbers()) return std::nullopt;
    if (there.left != there.right) return difference(there, flat, b);
  }
  return Verdict::yes(fmt::format("evaluated all {} coordinates", size));
}

/// Compares them as index expressions in the flat coordinate.
Verdict compared_on_a_variable(const Layout& a, const Layout& b, const Int& size) {
  const Int flat = index_variable("flat", size);
  const auto [left, right] = positions_at(a, b, flat);
  if (!left.is_defined() || !right.is_defined()) {
    return Verdict::unknown("positions that are not defined everywhere");
  }
  if (known_equal(left, right)) return Verdict::yes("normal forms");
  return prove({left, Predicate::kEqual, right});
}

}  // namespace

Verdict equal(const Layout& a, const Layout& b) {
  if (a == b) return Verdict::yes("same text");
  const Int size = a.size();
  const std::optional<bool> same_size = answer_to({size, Predicate::kEqual, b.size()});
  if (same_size == false) {
    return Verdict::no("size", Witness{"size", to_string(size), to_string(b.size()), to_string(b)});
  }
  if (!same_size) return Verdict::unknown("sizes that are not known to be equal");
  if (size.is_constant() && size.value() <= kMaxPoints) {
    if (const auto verdict = compared_at_every_point(a, b, size.value())) return *verdict;
  }
  if (size.is_constant() && size.value() > kMaxPoints) {
    for (const std::int64_t flat : sampled_indices(size.value(), /*ends=*/64, /*anywhere=*/1024)) {
      const Positions there = positions_at(a, b, flat);
      if (there.are_numbers() && there.left != there.right) return difference(there, flat, b);
    }
  }
  return compared_on_a_variable(a, b, size);
}

}  // namespace heddle::lego

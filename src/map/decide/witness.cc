// Witnesses of a no: coordinates and images as text and numbers.

#include <fmt/format.h>

#include "expr/numbers_text.h"
#include "map/decide/methods.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// A point by its flat coordinate alone.
WitnessNumbers::Point numbered(std::int64_t flat) { return {{{flat}, {}}, flat}; }

/// Images on the axes of the map that those of another map were matched with.
std::optional<WitnessNumbers::Images> with_names_of(const FlatMap& map,
                                                    std::optional<WitnessNumbers::Images> images) {
  if (!images) return images;
  for (NamedNumbers& image : *images) {
    if (image.numbers.size() == map.axes.size()) image.names = given_names(map.axes);
  }
  return images;
}

}  // namespace

bool Claim::is_constant() const { return a.is_constant() && (!b || b->is_constant()); }

bool Claim::is_function() const {
  return known_equal(a.copies, 1) && (!b || known_equal(b->copies, 1));
}

Witness difference_at(const Claim& claim, std::int64_t flat) {
  const std::string point = claim.same_points ? claim.a.point_text(flat) : std::to_string(flat);
  Witness witness{point, claim.a.image_text(flat), claim.b->image_text(flat)};
  witness.numbers = WitnessNumbers{claim.same_points ? claim.a.point_numbers(flat) : numbered(flat),
                                   claim.a.image_numbers(flat),
                                   with_names_of(claim.a, claim.b->image_numbers(flat)),
                                   {},
                                   {}};
  return witness;
}

Witness collision_at(const FlatMap& x_map, std::int64_t x, const FlatMap& y_map, std::int64_t y) {
  Witness witness{x_map.point_text(x), x_map.image_text(x),
                  fmt::format("{} at {}", y_map.image_text(y), y_map.point_text(y))};
  witness.numbers = WitnessNumbers{x_map.point_numbers(x),
                                   x_map.image_numbers(x),
                                   with_names_of(x_map, y_map.image_numbers(y)),
                                   y_map.point_numbers(y),
                                   {}};
  return witness;
}

std::string below_text(const Int& limit) {
  const Int most = limit - 1;
  return most.is_defined() ? fmt::format("at most {}", to_string(most))
                           : fmt::format("less than {}", to_string(limit));
}

Witness outside_at(const FlatMap& map, std::int64_t flat, std::string wanted) {
  Witness witness{map.point_text(flat), map.image_text(flat), std::move(wanted), "the claim"};
  witness.numbers = WitnessNumbers{map.point_numbers(flat), map.image_numbers(flat), {}, {}, {}};
  return witness;
}

Witness not_met(std::span<const std::int64_t> image) {
  Witness witness{"", "no coordinate maps to " + point_text(image), "", "the claim"};
  const NamedNumbers missing{{image.begin(), image.end()}, {}};
  witness.numbers = WitnessNumbers{{}, {}, WitnessNumbers::Images{missing}, {}, {}};
  return witness;
}

Verdict first_not_restored(const FlatMap& map, Verdict out) {
  constexpr std::int64_t kMost = std::int64_t{1} << 16;
  const std::int64_t size = map.points.value();
  for (std::int64_t flat = 0; flat < std::min(size, kMost); ++flat) {
    const auto there = map.numbers_at(flat, 0);
    if (!there || there->front() < 0 || there->front() >= size) return out;
    const auto back = map.numbers_at(there->front(), 0);
    if (!back || back->front() != flat)
      return Verdict::no(out.method(), not_restored_at(map, flat));
  }
  return out;
}

Witness not_restored_at(const FlatMap& map, std::int64_t flat) {
  const auto there = map.numbers_at(flat, 0);
  const std::int64_t next = there && !there->empty() ? there->front() : 0;
  const bool is_coordinate = 0 <= next && known_less(Int(next), map.points);
  const std::string back =
      is_coordinate ? map.image_text(next) : fmt::format("{}, which is not a coordinate", next);
  Witness witness{map.point_text(flat), back, fmt::format("{} itself", flat), "the claim"};
  witness.numbers =
      WitnessNumbers{map.point_numbers(flat),
                     is_coordinate ? map.image_numbers(next) : std::optional(one_number(next)),
                     one_number(flat),
                     {},
                     {}};
  return witness;
}

}  // namespace heddle::map

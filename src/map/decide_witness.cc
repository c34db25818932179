// What shows a no: coordinates and images, written out.

#include <fmt/format.h>

#include "map/decide_methods.h"

namespace heddle::map {

bool Claim::is_constant() const { return a.is_constant() && (!b || b->is_constant()); }

bool Claim::is_function() const {
  return known_equal(a.copies, 1) && (!b || known_equal(b->copies, 1));
}

Witness difference_at(const Claim& claim, std::int64_t flat) {
  const std::string point = claim.same_points ? claim.a.point_text(flat) : std::to_string(flat);
  return {point, claim.a.image_text(flat), claim.b->image_text(flat)};
}

Witness collision_at(const FlatMap& x_map, std::int64_t x, const FlatMap& y_map, std::int64_t y) {
  return {x_map.point_text(x), x_map.image_text(x),
          fmt::format("{} at {}", y_map.image_text(y), y_map.point_text(y))};
}

Witness outside_at(const FlatMap& map, std::int64_t flat, std::string wanted) {
  return {map.point_text(flat), map.image_text(flat), std::move(wanted), "the claim"};
}

Witness not_met(std::span<const std::int64_t> image) {
  return {"", "no coordinate maps to " + image_text(image), "", "the claim"};
}

Verdict first_not_restored(const FlatMap& map, Verdict out) {
  constexpr std::int64_t kMost = std::int64_t{1} << 16;
  const std::int64_t size = map.size.value();
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
  const bool is_coordinate = 0 <= next && known_less(Int(next), map.size);
  const std::string back =
      is_coordinate ? map.image_text(next) : fmt::format("{}, which is no coordinate", next);
  return {map.point_text(flat), back, fmt::format("{} itself", flat), "the claim"};
}

}  // namespace heddle::map

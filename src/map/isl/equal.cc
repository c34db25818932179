// Whether two relations are equal, with the least point at which they differ.

#include <fmt/format.h>

#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <optional>

#include <algorithm>

#include "core/bits.h"
#include "expr/numbers_text.h"
#include "map/isl/pieces.h"
#include "map/view/digits.h"

namespace heddle::map {
namespace {

constexpr std::size_t kImagesShown = 4;

/// `5`, `{5, 9}`, `no image`.
std::string images_text(const isl::map& at_point) {
  struct Enough {};
  std::vector<std::vector<Int>> images;
  const isl::set range = at_point.range();
  if (isl_set_is_bounded(range.get()) != isl_bool_true) return "infinitely many images";
  try {
    range.foreach_point([&](const isl::point& image) {
      images.push_back(coordinates(image));
      if (images.size() > kImagesShown) throw Enough();
    });
  } catch (const Enough&) {
    return fmt::format("more than {} images", kImagesShown);
  }
  if (images.empty()) return "no image";
  if (images.size() == 1) return point_text(images.front());
  std::ranges::sort(images, [](const auto& a, const auto& b) {
    return std::ranges::lexicographical_compare(
        a, b, [](const Int& x, const Int& y) { return x.value() < y.value(); });
  });
  std::vector<std::string> texts;
  for (const std::vector<Int>& image : images) texts.push_back(point_text(image));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

/// Parameters, then the point: as dimensions of one set, where there is a least point of all.
isl::set with_parameters_as_dimensions(const isl::set& set) {
  const auto count = static_cast<unsigned>(dimension(set, isl_dim_param));
  return isl::manage(isl_set_move_dims(set.copy(), isl_dim_set, 0, isl_dim_param, 0, count));
}

/// Where two functions differ: where one of them is not defined, or where an image differs. No
/// relation has to be subtracted from another for that, which takes isl long.
isl::set points_apart(const isl::pw_multi_aff& a, const isl::pw_multi_aff& b) {
  isl::set apart = a.domain().subtract(b.domain()).unite(b.domain().subtract(a.domain()));
  const isl_size count = isl_pw_multi_aff_dim(a.get(), isl_dim_out);
  for (int i = 0; i < count; ++i) apart = apart.unite(a.at(i).ne_set(b.at(i)));
  return apart;
}

isl::set points_apart(const isl::map& a, const isl::map& b) {
  return a.is_equal(b) ? isl::set::empty(a.domain().space())
                       : a.subtract(b).unite(b.subtract(a)).domain();
}

/// The points of both on the same parameters.
isl::set points_apart(IslSession& session, const IntegerRelation& a, const IntegerRelation& b,
                      const isl::map& x, const isl::map& y) {
  const auto f = read_function(session, a);
  const auto g = read_function(session, b);
  const isl::set apart = f && g ? points_apart(*f, *g) : points_apart(x, y);
  return isl::manage(isl_set_align_params(apart.copy(), isl_map_get_space(x.get())));
}

/// The least of these points, with the images on both sides.
std::optional<Witness> difference(const isl::set& apart, const isl::map& a, const isl::map& b) {
  const isl::set points = with_parameters_as_dimensions(apart);
  bool has_least = true;
  for (std::size_t i = 0; has_least && i < dimension(points, isl_dim_set); ++i) {
    has_least = bounds(points, i).low.has_value();
  }
  const std::vector<Int> all = coordinates((has_least ? points.lexmin() : points).sample_point());
  const auto count = static_cast<std::ptrdiff_t>(dimension(a, isl_dim_param));
  const std::vector<Int> parameters(all.begin(), all.begin() + count);
  const std::vector<Int> point(all.begin() + count, all.end());
  if (!std::ranges::all_of(all, &Int::is_constant)) return std::nullopt;  // past 64 bits
  Witness witness;
  witness.coordinate = point_text(point);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const char* name = isl_map_get_dim_name(a.get(), isl_dim_param, static_cast<unsigned>(i));
    witness.coordinate +=
        fmt::format("{}{}={}", i == 0 ? " for " : ", ", name, to_string(parameters[i]));
  }
  const auto images_of = [&](const isl::map& map) {
    return images_text(fixed(fixed(map, isl_dim_param, parameters), isl_dim_in, point));
  };
  witness.found = images_of(a);
  witness.wanted = images_of(b);
  return witness;
}

/// The number of a bit's coordinate, and the bit's place in it.
std::vector<std::pair<std::size_t, int>> bits_of_points(std::span<const Int> extents) {
  std::vector<std::pair<std::size_t, int>> bits;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    for (int k = 0; k < log2_exact(extents[i].value()); ++k) bits.emplace_back(i, k);
  }
  return bits;
}

/// Both are matrices over GF(2), which are equal or not. Where 0 has the same image on both sides,
/// the least point with another is one with one bit: the last coordinate's lowest first.
std::optional<Verdict> equal_bits(const IntegerRelation& a, const IntegerRelation& b) {
  const auto f = box_function_of(a);
  const auto g = box_function_of(b);
  if (f == nullptr || g == nullptr || !f->bits || !g->bits || f->extents != g->extents) return {};
  const auto bits = bits_of_points(f->extents);
  std::optional<std::pair<std::size_t, int>> first;
  const auto differs_at = [&](std::uint64_t word) {
    return unpacked(*f->bits, f->bits->matrix(word) ^ f->bits->offset) !=
           unpacked(*g->bits, g->bits->matrix(word) ^ g->bits->offset);
  };
  std::vector<Int> point(f->extents.size(), Int(0));
  if (!differs_at(0)) {
    for (std::size_t i = 0; i < bits.size(); ++i) {
      if (!differs_at(std::uint64_t{1} << i)) continue;
      if (!first || first->first < bits[i].first) first = bits[i];
    }
    if (!first) return Verdict::yes("GF(2) form");
    point[first->first] = std::int64_t{1} << first->second;
  }
  const auto image = [&](const BoxFunction& function) { return tuple_text(function(point, 0)); };
  return Verdict::no("GF(2) form", Witness{tuple_text(point), image(*f), image(*g), {}});
}

}  // namespace

Verdict equal(const IntegerRelation& a, const IntegerRelation& b, const Limits& limits) {
  if (a.inputs().size() != b.inputs().size() || a.axes().size() != b.axes().size()) {
    return Verdict::no("isl").with_remark(fmt::format("they have {} -> {} and {} -> {} dimensions",
                                                      a.inputs().size(), a.axes().size(),
                                                      b.inputs().size(), b.axes().size()));
  }
  if (const auto decided = equal_bits(a, b)) return *decided;
  IslSession session(limits);
  const Result<Verdict> verdict = session.ask("comparing relations", [&]() -> Result<Verdict> {
    isl_map* first = read(session, a).release();
    isl_map* second = read(session, b).release();
    first = isl_map_align_params(first, isl_map_get_space(second));
    second = isl_map_align_params(second, isl_map_get_space(first));
    const isl::map x = isl::manage(first);
    const isl::map y = isl::manage(second);
    const isl::set apart = points_apart(session, a, b, x, y);
    if (apart.is_empty()) return Verdict::yes("isl");
    return Verdict::no("isl", difference(apart, x, y));
  });
  if (verdict) return *verdict;
  return Verdict::unknown("isl").with_remark(verdict.error().message());
}

}  // namespace heddle::map

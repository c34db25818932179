// Questions about relations as functions: single-valued, their domain, formulas and images.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/set.h>
#include <isl/space.h>

#include <algorithm>
#include <memory>

#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/expr/proof.h"
#include "map/isl/pieces.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxImages = std::size_t{1} << 20;

Refusal multi_valued(const TwoImages& found, std::string_view what) {
  return refuse(Diagnostic("relation.multi_valued",
                           fmt::format("{}: the relation has several images of one point", what))
                    .with_witness({point_text(found.point),
                                   fmt::format("{} and {}", point_text(found.first),
                                               point_text(found.second)),
                                   {},
                                   {}}));
}

/// Refuses a relation that is no function.
Result<isl::pw_multi_aff> checked_function(IslSession& session, const IntegerRelation& relation,
                                           std::string_view what) {
  if (auto function = function_of(session, relation)) return *std::move(function);
  const std::optional<TwoImages> found = two_images(read(session, relation));
  if (found) return multi_valued(*found, what);
  return refuse("relation.multi_valued",
                fmt::format("{}: the relation has several images of one point", what));
}

Refusal parameters_unbound(const IntegerRelation& relation) {
  return refuse(
      Diagnostic("relation.parameters",
                 fmt::format("the relation has a parameter that no value is given for: {}",
                             fmt::join(relation.parameters(), ", ")))
          .with_note(relation.text()));
}

Refusal past_64_bits(std::string_view what) {
  return refuse("overflow", fmt::format("{}: the relation has numbers past 64 bits", what));
}

/// The variables for the inputs and parameters, with the ranges that the domain gives them.
std::vector<Int> variables_of(const IntegerRelation& relation, const isl::set& domain) {
  std::vector<Int> variables;
  const auto add = [&](const std::string& name, const Bounds& range) {
    if (range.low && range.high && *range.low <= *range.high) {
      variables.push_back(Int::variable(name, *range.low, *range.high));
    } else {
      variables.push_back(Int::variable(name, range.low.value_or(Range::kNoLow),
                                        range.high.value_or(Range::kNoHigh)));
    }
  };
  for (std::size_t i = 0; i < relation.inputs().size(); ++i) {
    add(relation.inputs()[i], bounds(domain, i));
  }
  const auto count = static_cast<unsigned>(relation.parameters().size());
  // As dimensions, so that they have bounds of their own.
  isl_set* parameters = isl_set_params(domain.copy());
  parameters = isl_set_from_params(parameters);
  parameters = isl_set_move_dims(parameters, isl_dim_set, 0, isl_dim_param, 0, count);
  const isl::set values = isl::manage(parameters);
  for (unsigned i = 0; i < count; ++i) add(relation.parameters()[i], bounds(values, i));
  return variables;
}

/// As above for a domain that is a box.
std::vector<Int> variables_of(const IntegerRelation& relation, std::span<const Int> extents) {
  std::vector<Int> variables;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    variables.push_back(Int::variable(relation.inputs()[i], 0, extents[i].value() - 1));
  }
  return variables;
}

std::vector<Piece> pieces_over(const Piecewise& function, std::span<const Int> variables) {
  std::vector<Piece> result;
  for (const AffinePiece& affine : function.pieces) {
    if (auto piece = to_piece(affine, variables)) result.push_back(*std::move(piece));
  }
  return result;
}

form::IndexMap map_of(const IntegerRelation& relation,
                      const std::shared_ptr<const BoxFunction>& box) {
  return {box->extents,
          form::FlatOrder::kFirstFastest,
          {relation.axes().begin(), relation.axes().end()},
          [box](std::span<const Int> point) { return (*box)(point, 0); }};
}

/// The images, listed by isl.
Result<std::vector<std::vector<Int>>> listed_images(const isl::map& map, std::span<const Int> point,
                                                    std::string_view text) {
  const isl::set images = fixed(map, isl_dim_in, point).range();
  if (isl_set_is_bounded(images.get()) != isl_bool_true) {
    return refuse("relation.unbounded", fmt::format("point {} of {} has infinitely many images",
                                                    point_text(point), text));
  }
  std::optional<std::vector<std::vector<Int>>> found = listed_points(images, kMaxImages);
  if (!found) {
    return refuse("relation.unbounded", fmt::format("point {} of {} has more than {} images",
                                                    point_text(point), text, kMaxImages));
  }
  return *std::move(found);
}

Result<void> check_point(const IntegerRelation& relation, std::span<const Int> point) {
  if (!relation.parameters().empty()) return parameters_unbound(relation);
  const auto refusal = [&](std::string why) {
    return refuse("relation.coordinate", fmt::format("{} is not a point of {}: {}",
                                                     point_text(point), relation.text(), why));
  };
  if (point.size() != relation.inputs().size()) {
    return refusal(fmt::format("it has {}, the relation {}", counted(point.size(), "coordinate"),
                               relation.inputs().size()));
  }
  if (!constants(point)) return refusal("a coordinate is not a number");
  return {};
}

/// The pieces of the relation from its cache, if it is a function of numbers. isl gets only a part
/// of its steps to find them, because images can be listed without them.
Result<std::shared_ptr<const Piecewise>> cached_pieces(const IntegerRelation& relation,
                                                       const Limits& limits) {
  constexpr std::uint32_t kShare = 8;
  PiecesCache& cache = RelationAccess::cache(relation);
  Limits share = limits;
  share.steps = limits.steps / kShare;
  if (const auto known = cache.pieces(share.steps)) return *known;
  IslSession session(share);
  auto found = session.ask("the pieces of a relation", [&] {
    std::shared_ptr<const Piecewise> pieces;
    if (const auto function = function_of(session, relation)) {
      if (auto numbers = piecewise(*function)) {
        pieces = std::make_shared<Piecewise>(*std::move(numbers));
      }
    }
    return pieces;
  });
  if (!found && limits.are_over()) return refuse(found.error());
  cache.set(found.value_or(nullptr), share.steps);
  return found.value_or(nullptr);
}

/// Whether one of the first points has several images.
bool shows_copies(const BoxFunction& box) {
  constexpr std::int64_t kMaxImagesTried = 4096;
  const Int copies = box.copy_count();
  const Int size = product_of(box.extents);
  const std::int64_t tried =
      copies.is_constant() ? std::min<std::int64_t>(64, kMaxImagesTried / copies.value()) : 0;
  for (std::int64_t flat = 0; flat < tried && known_less(flat, size); ++flat) {
    const auto point = constants(point_of(box.extents, form::FlatOrder::kFirstFastest, flat));
    const auto images = box.images(*point);
    if (images && images->size() > 1) return true;
  }
  return false;
}

/// A point that shows that the domain is no box from 0.
std::optional<std::vector<Int>> point_off_box(const isl::set& domain, bool& is_in_domain) {
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < dimension(domain, isl_dim_set); ++i) {
    extents.push_back(std::max<std::int64_t>(bounds(domain, i).high.value_or(0), 0) + 1);
  }
  const isl::set hull = box_of(domain, extents);
  const isl::set beyond = domain.subtract(hull);
  is_in_domain = !beyond.is_empty();
  return least_point(is_in_domain ? beyond : hull.subtract(domain));
}

Result<std::vector<Int>> function_extents(const IntegerRelation& relation, const isl::map& map) {
  const isl::set domain = map.domain();
  if (domain.is_empty()) {
    return refuse(Diagnostic("relation.empty", "the relation has no points: it is not a layout")
                      .with_note(relation.text()));
  }
  if (isl_set_is_bounded(domain.get()) != isl_bool_true) {
    return refuse(Diagnostic("relation.unbounded",
                             "the domain of the relation has no end: it is not a layout")
                      .with_note(relation.text()));
  }
  const std::optional<std::vector<std::int64_t>> extents = box(domain);
  if (!extents) {
    bool is_in_domain = false;
    const std::optional<std::vector<Int>> point = point_off_box(domain, is_in_domain);
    Diagnostic diagnostic("relation.domain", "the domain of the relation is not a box from 0");
    if (point) {
      diagnostic =
          std::move(diagnostic)
              .with_note(is_in_domain
                             ? fmt::format("it has the point {}", point_text(*point))
                             : fmt::format("it lacks the point {}, which is between others",
                                           point_text(*point)));
    }
    return refuse(std::move(diagnostic).with_note(relation.text()));
  }
  return std::vector<Int>(extents->begin(), extents->end());
}

}  // namespace

std::shared_ptr<const BoxFunction> box_function_of(const IntegerRelation& relation) {
  PiecesCache& cache = RelationAccess::cache(relation);
  if (auto known = cache.box()) return *known;
  std::optional<BoxFunction> function;
  if (const auto read = read_formula(relation.text())) {
    function = box_function(read->formula);
  }
  std::shared_ptr<const BoxFunction> box;
  if (function) box = std::make_shared<const BoxFunction>(*std::move(function));
  cache.set(box);
  return box;
}

Result<bool> is_single_valued(const IntegerRelation& relation, const Limits& limits) {
  if (RelationAccess::is_function(relation)) return true;
  if (const auto box = box_function_of(relation); box != nullptr && shows_copies(*box)) {
    return false;
  }
  IslSession session(limits);
  return session.ask("whether the relation is single-valued",
                     [&] { return read(session, relation).is_single_valued(); });
}

Result<std::vector<std::pair<Int, Int>>> domain_bounds(const IntegerRelation& relation,
                                                       const Limits& limits) {
  using Pairs = std::vector<std::pair<Int, Int>>;
  if (const auto box = box_function_of(relation)) {
    Pairs result;
    for (const Int& extent : box->extents) result.emplace_back(0, extent - 1);
    return result;
  }
  IslSession session(limits);
  return session.ask("the bounds of the domain", [&]() -> Result<Pairs> {
    const isl::set domain = read(session, relation).domain();
    if (domain.is_empty()) {
      return refuse(
          Diagnostic("relation.empty", "the relation has no points").with_note(relation.text()));
    }
    Pairs result;
    for (std::size_t i = 0; i < relation.inputs().size(); ++i) {
      const Bounds range = bounds(domain, i);
      if (!range.low || !range.high) {
        return refuse(Diagnostic("relation.unbounded",
                                 fmt::format("the domain of the relation has no end in {}",
                                             relation.inputs()[i]))
                          .with_note(relation.text()));
      }
      result.emplace_back(*range.low, *range.high);
    }
    return result;
  });
}

Result<std::optional<std::vector<Int>>> domain_box(const IntegerRelation& relation,
                                                   const Limits& limits) {
  using Extents = std::optional<std::vector<Int>>;
  if (!relation.parameters().empty()) return Extents();
  if (const auto known = box_function_of(relation)) return Extents(known->extents);
  IslSession session(limits);
  return session.ask("the box of the domain", [&]() -> Result<Extents> {
    const auto found = box(read(session, relation).domain());
    return found ? Extents(std::vector<Int>(found->begin(), found->end())) : Extents();
  });
}

Result<std::vector<Piece>> pieces(const IntegerRelation& relation, const Limits& limits) {
  if (const auto box = box_function_of(relation); box != nullptr && box->copies.empty()) {
    return pieces_over(box->function, variables_of(relation, box->extents));
  }
  IslSession session(limits);
  return session.ask("the pieces of a relation", [&]() -> Result<std::vector<Piece>> {
    HEDDLE_TRY(const isl::pw_multi_aff found, checked_function(session, relation, "its pieces"));
    const std::optional<Piecewise> function = piecewise(found);
    if (!function) return past_64_bits("its pieces");
    return pieces_over(*function, variables_of(relation, found.domain()));
  });
}

Result<std::vector<std::vector<Int>>> images(const IntegerRelation& relation,
                                             std::span<const Int> point, const Limits& limits) {
  using Images = std::vector<std::vector<Int>>;
  HEDDLE_CHECK(check_point(relation, point));
  if (const auto box = box_function_of(relation)) {
    if (const auto found = box->images(*constants(point))) {
      Images all;
      for (const auto& image : *found) all.emplace_back(image.begin(), image.end());
      return all;
    }
  }
  HEDDLE_TRY(const std::shared_ptr<const Piecewise> function, cached_pieces(relation, limits));
  if (function != nullptr) {
    const PointImage image = (*function)(*constants(point));
    if (image.state == PointImage::State::kOutside) return Images();
    if (image.state == PointImage::State::kInside) {
      return Images{std::vector<Int>(image.values.begin(), image.values.end())};
    }
  }
  IslSession session(limits);
  return session.ask("the images of a point", [&] {
    return listed_images(read(session, relation), point, relation.text());
  });
}

Result<form::IndexMap> index_map(const IntegerRelation& relation, const Limits& limits) {
  if (!relation.parameters().empty()) return parameters_unbound(relation);
  if (const auto box = box_function_of(relation); box != nullptr && box->copies.empty()) {
    return map_of(relation, box);
  }
  IslSession session(limits);
  return session.ask("the relation as a function", [&]() -> Result<form::IndexMap> {
    HEDDLE_TRY(std::vector<Int> extents, function_extents(relation, read(session, relation)));
    HEDDLE_TRY(const isl::pw_multi_aff pieces, checked_function(session, relation, "as a layout"));
    std::optional<Piecewise> found = piecewise(pieces);
    if (!found) return past_64_bits("as a layout");
    const auto box =
        std::make_shared<const BoxFunction>(box_function(*std::move(found), std::move(extents)));
    RelationAccess::cache(relation).set(box);
    return map_of(relation, box);
  });
}

std::string to_string(std::span<const Piece> pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    if (!text.empty()) text += "; ";
    text += point_text(piece.outputs);
    for (std::size_t i = 0; i < piece.conditions.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? " where " : " and ", to_string(piece.conditions[i]));
    }
  }
  return text;
}

}  // namespace heddle::map

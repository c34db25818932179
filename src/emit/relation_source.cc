// Relations as functions: their pieces, and the domain on which they hold.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emit/function_source.h"

namespace heddle::emit {
namespace {

using map::IntegerRelation;
using map::Limits;
using map::Piece;

/// `a0, a1`: as many names as dimensions.
std::string dimensions(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("a{}", i));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The points of the domain, each to itself.
Result<IntegerRelation> identity_on_domain(const IntegerRelation& relation, const Limits& limits) {
  const std::string in = dimensions(relation.inputs().size());
  const std::string out = dimensions(relation.axes().size());
  const auto parsed = [&](const std::string& text) { return IntegerRelation::parse(text, limits); };
  HEDDLE_TRY(const IntegerRelation to_zero, parsed(fmt::format("{{ [{}] -> [0] }}", out)));
  HEDDLE_TRY(const IntegerRelation to_all, parsed(fmt::format("{{ [z] -> [{}] }}", in)));
  HEDDLE_TRY(const IntegerRelation identity, parsed(fmt::format("{{ [{0}] -> [{0}] }}", in)));
  HEDDLE_TRY(const IntegerRelation domain, map::compose(relation, to_zero, limits));
  HEDDLE_TRY(const IntegerRelation domain_to_all, map::compose(domain, to_all, limits));
  return map::intersect(identity, domain_to_all, limits);
}

Interval<Int> ends_of(const Range& values) {
  Interval<Int> ends;
  if (values.low != Range::kNoLow) ends.low = values.low;
  if (values.high != Range::kNoHigh) ends.end = Int(values.high) + 1;
  return ends;
}

/// The box that the domain lies in, and which of its points are in the domain.
Result<void> read_domain(FunctionSource& source, const IntegerRelation& relation,
                         const Limits& limits) {
  source.box.resize(relation.inputs().size());
  source.inside.variables = source.map.variables;
  const bool has_parameters = !relation.parameters().empty();
  if (!has_parameters) {
    HEDDLE_TRY(const auto bounds, map::domain_bounds(relation, limits));
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      source.box[i] = {bounds[i].first, bounds[i].second + 1};
    }
    HEDDLE_TRY(const auto box, map::domain_box(relation, limits));
    if (box) return {};
  }
  HEDDLE_TRY(const IntegerRelation domain, identity_on_domain(relation, limits));
  HEDDLE_TRY(std::vector<Piece> pieces, map::pieces(domain, limits));
  if (pieces.empty()) {
    return refuse(
        Diagnostic("relation.empty", "the relation has no points").with_note(relation.text()));
  }
  for (std::size_t i = 0; has_parameters && i < source.box.size(); ++i) {
    Range values = range(pieces.front().outputs[i]);
    for (const Piece& piece : pieces) {
      values = joined(values, range(piece.outputs[i]));
    }
    source.box[i] = ends_of(values);
  }
  for (Piece& piece : pieces) piece.outputs.clear();
  source.inside.variables.assign(domain.inputs().begin(), domain.inputs().end());
  source.inside.pieces = std::move(pieces);
  const bool is_whole_box =
      source.inside.pieces.size() == 1 && source.inside.pieces.front().conditions.empty();
  if (is_whole_box) source.inside.pieces.clear();
  return {};
}

/// A branch for each part: more of them nobody would run, and isl takes long to turn them round.
Result<void> check_parts(const IntegerRelation& relation) {
  constexpr std::int64_t kMaxParts = 512;
  const std::int64_t parts = 1 + std::ranges::count(relation.text(), ';');
  if (parts <= kMaxParts) return {};
  return refuse(
      Diagnostic("relation.too_large",
                 fmt::format("a function of {} parts; up to {} are emitted", parts, kMaxParts))
          .with_hint("hold the values as an array and read them from it"));
}

}  // namespace

Result<FunctionSource> source_of_relation(const IntegerRelation& relation, const Limits& limits) {
  HEDDLE_CHECK(check_parts(relation));
  FunctionSource source;
  source.coordinates.assign(relation.inputs().begin(), relation.inputs().end());
  for (const Axis& axis : relation.axes()) source.places.push_back(axis.name());
  source.map.variables = source.coordinates;
  HEDDLE_CHECK(read_domain(source, relation, limits));
  HEDDLE_TRY(source.map.pieces, map::pieces(relation, limits));
  source.relation = relation;
  return source;
}

}  // namespace heddle::emit

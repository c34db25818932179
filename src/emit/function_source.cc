#include "emit/function_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/free_names.h"
#include "core/text.h"
#include "heddle/map/recover.h"
#include "heddle/map/relations.h"
#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::emit {
namespace {

/// The view with the number of the copy as one more coordinate.
map::View with_copies_as_coordinate(map::View view) {
  if (view.is_function()) return view;
  view.extents.push_back(view.copies);
  view.names.emplace_back("copy");
  view.copies = 1;
  view.takes_any_shape = false;
  view.bits.reset();
  view.relation.reset();
  if (view.strided) view.strided->modes.push_back(std::exchange(view.strided->copies, {}));
  view.evaluate = [evaluate = view.evaluate](std::span<const Int> point, const Int&) {
    return evaluate(point.first(point.size() - 1), point.back());
  };
  return view;
}

/// The view on the requested box, or on one flat index.
Result<map::View> shaped(const map::AnyLayout& layout, const MapFunctionOptions& options) {
  HEDDLE_TRY(map::View view, map::view(layout, options.limits));
  HEDDLE_TRY(view, map::boxed(layout, view, options.shape));
  if (view.extents.empty() && view.system == map::System::kAxe) {
    HEDDLE_TRY(view, map::reshaped(view, std::vector<Int>{1}));
  }
  if (options.coordinates.size() != 1 || view.extents.size() == 1) return view;
  return map::reshaped(view, std::vector<Int>{view.size()});
}

// Names.

/// The names of sizes that occur in the extents, and in the images wherever they are evaluated.
std::vector<std::string> sizes_in(const map::View& view) {
  std::set<std::string> names = variables(view.extents);
  const std::vector<std::string> hidden = hidden_names(view.extents.size());
  names.merge(variables(view.evaluate(map::variable_point(view.extents, hidden), 0)));
  for (const std::string& name : hidden) names.erase(name);
  return {names.begin(), names.end()};
}

std::vector<std::string> usual_names(const map::View& view) {
  const bool has_names = view.system == map::System::kLinear ||
                         view.system == map::System::kCuteTv ||
                         view.system == map::System::kRelation;
  std::vector<std::string> names = coordinate_names(view.extents.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (has_names || view.names[i] == "copy") names[i] = view.names[i];
  }
  return names;
}

Result<std::vector<std::string>> names_given(const std::vector<std::string>& given,
                                             std::vector<std::string> usual, bool has_copies) {
  if (given.empty()) return usual;
  const std::size_t wanted = usual.size() - (has_copies ? 1 : 0);
  if (given.size() != wanted && given.size() != usual.size()) {
    return refuse(
        Diagnostic("emit.coordinates", fmt::format("the layout takes {}, not {}",
                                                   counted(wanted, "coordinate"), given.size()))
            .with_hint(fmt::format("{}; or one flat coordinate", fmt::join(usual, " "))));
  }
  std::ranges::copy(given, usual.begin());
  return usual;
}

/// Refuses a coordinate that has the name of a size, or of another one.
Result<void> check_names(std::vector<std::string> given, std::vector<std::string> sizes) {
  for (std::string& name : given) {
    if (std::ranges::find(sizes, name) != sizes.end()) {
      return refuse("emit.coordinates",
                    fmt::format("{} is a size of the layout, or named twice; a coordinate needs a "
                                "name of its own",
                                name));
    }
    sizes.push_back(std::move(name));
  }
  return {};
}

// Views.

/// nullopt if the view has no value at symbolic coordinates.
std::optional<FunctionSource> source_of_view(const map::View& view,
                                             std::vector<std::string> names) {
  FunctionSource source;
  std::vector<std::string> taken = sizes_in(view);
  for (std::string& name : names) name = free_name(std::move(name), taken);
  for (const Int& extent : view.extents) source.box.push_back({Int(0), extent});
  const std::vector<Int> point = map::variable_point(view.extents, names);
  std::vector<Int> values = view.evaluate(point, 0);
  if (!are_defined(point) || !are_defined(values)) return std::nullopt;
  source.map = {names, {{{}, std::move(values)}}};
  source.inside.variables = names;
  source.coordinates = std::move(names);
  source.places = map::names_of(view.axes);
  source.view = view;
  return source;
}

/// If a sum of bits has no expression, isl would not find its pieces in reasonable time either.
Result<void> check_bits(const map::View& view) {
  constexpr std::size_t kMaxBits = 12;
  if (!view.bits || view.bits->matrix.columns().size() <= kMaxBits) return {};
  return refuse(Diagnostic("overflow", fmt::format("the index expression of {} bits is too long",
                                                   view.bits->matrix.columns().size()))
                    .with_hint("a layout whose bits depend on fewer others has a shorter one"));
}

/// Adds the conditions of an ExpandBy; `view` has the coordinates of the layout, or one flat one.
Result<void> leave_out_expansion(FunctionSource& source, const lego::Layout& layout,
                                 const map::View& view) {
  const std::vector<Int> point = map::variable_point(view.extents, source.coordinates);
  const bool is_flat = point.size() != layout.dims().size();
  HEDDLE_TRY(lego::Placed placed,
             layout.place(is_flat ? lego::unflatten(layout.dims(), point.front()) : point));
  source.inside.pieces = {{std::move(placed.kept), {}}};
  return {};
}

// Relations: their pieces, and the domain on which they hold.

Interval<Int> ends_of(const Range& values) {
  Interval<Int> ends;
  if (values.low != Range::kNoLow) ends.low = values.low;
  if (values.high != Range::kNoHigh) ends.end = Int(values.high) + 1;
  return ends;
}

/// Sets the box of the domain, and the conditions for its points to be in the domain.
Result<void> read_domain(FunctionSource& source, const map::IntegerRelation& relation,
                         const map::Limits& limits) {
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
  HEDDLE_TRY(const map::IntegerRelation domain, map::identity_on_domain(relation, limits));
  HEDDLE_TRY(std::vector<map::Piece> pieces, map::pieces(domain, limits));
  if (pieces.empty()) {
    return refuse(
        Diagnostic("relation.empty", "the relation has no points").with_note(relation.text()));
  }
  for (std::size_t i = 0; has_parameters && i < source.box.size(); ++i) {
    Range values = range(pieces.front().outputs[i]);
    for (const map::Piece& piece : pieces) {
      values = joined(values, range(piece.outputs[i]));
    }
    source.box[i] = ends_of(values);
  }
  for (map::Piece& piece : pieces) piece.outputs.clear();
  source.inside.variables.assign(domain.inputs().begin(), domain.inputs().end());
  source.inside.pieces = std::move(pieces);
  const bool is_whole_box =
      source.inside.pieces.size() == 1 && source.inside.pieces.front().conditions.empty();
  if (is_whole_box) source.inside.pieces.clear();
  return {};
}

/// Limits the number of parts: each is a branch, and isl takes long to invert them.
Result<void> check_parts(const map::IntegerRelation& relation) {
  constexpr std::int64_t kMaxParts = 512;
  const std::int64_t parts = 1 + std::ranges::count(relation.text(), ';');
  if (parts <= kMaxParts) return {};
  return refuse(
      Diagnostic("relation.too_large",
                 fmt::format("a function of {} parts; up to {} are emitted", parts, kMaxParts))
          .with_hint("hold the values as an array and read them from it"));
}

/// The relation as a function on a domain of any form.
Result<FunctionSource> source_of_relation(const map::IntegerRelation& relation,
                                          const map::Limits& limits) {
  HEDDLE_CHECK(check_parts(relation));
  FunctionSource source;
  source.coordinates.assign(relation.inputs().begin(), relation.inputs().end());
  source.places = map::names_of(relation.axes());
  source.map.variables = source.coordinates;
  HEDDLE_CHECK(read_domain(source, relation, limits));
  HEDDLE_TRY(source.map.pieces, map::pieces(relation, limits));
  source.relation = relation;
  return source;
}

// Tables.

/// The table on the requested box, its points in row-major order: as given, or by one flat index.
Result<map::AnyLayout> reshaped_table(const map::AnyLayout& layout,
                                      const MapFunctionOptions& options) {
  const auto* table = std::get_if<form::Table>(&layout);
  if (table == nullptr) return layout;
  HEDDLE_TRY(const map::View view, map::view(layout, options.limits));
  const bool is_flat = options.coordinates.size() == 1 && !options.shape;
  if (!is_flat && !options.shape) return layout;
  HEDDLE_TRY(const map::View shaped,
             map::reshaped(view, is_flat ? std::vector<Int>{view.size()} : *options.shape));
  form::Table made = *table;
  made.extents.clear();
  for (const Int& extent : shaped.extents) {
    if (!extent.is_constant()) {
      return refuse("table.symbolic", fmt::format("a table has numbers for extents, not {}",
                                                  heddle::to_string(extent)));
    }
    made.extents.push_back(extent.value());
  }
  return made;
}

/// A table is replaced by a layout with the same map, if one is recovered.
map::AnyLayout without_table(const map::AnyLayout& layout, const map::Limits& limits) {
  if (!std::holds_alternative<form::Table>(layout)) return layout;
  map::RecoverOptions options;
  options.limits = limits;
  if (const auto mixed = map::recover_mixed(layout, options)) {
    return std::visit([](const auto& any) { return map::AnyLayout(any); }, *mixed);
  }
  if (auto bits = map::recover_bit_linear(layout, options)) return *std::move(bits);
  if (auto relation = map::relation(layout, limits)) return *std::move(relation);
  return layout;
}

}  // namespace

std::vector<std::string> hidden_names(std::size_t count) { return map::numbered_names(count, "?"); }

std::string free_name(std::string name, std::vector<std::string>& taken) {
  while (std::ranges::find(taken, name) != taken.end()) name += '_';
  taken.push_back(name);
  return name;
}

Result<FunctionSource> source_of(const map::AnyLayout& layout, const MapFunctionOptions& options) {
  HEDDLE_TRY(const map::AnyLayout given, reshaped_table(layout, options));
  const map::AnyLayout written = without_table(given, options.limits);
  const auto* table = std::get_if<form::Table>(&given);
  if (const auto* relation = std::get_if<map::IntegerRelation>(&written)) {
    HEDDLE_TRY(FunctionSource source, source_of_relation(*relation, options.limits));
    // Layouts recovered from a table have isl's names unless the layout had some.
    if (layout.index() != written.index()) {
      source.coordinates = coordinate_names(source.coordinates.size());
    }
    HEDDLE_CHECK(check_names(options.coordinates,
                             {relation->parameters().begin(), relation->parameters().end()}));
    HEDDLE_TRY(source.coordinates,
               names_given(options.coordinates, std::move(source.coordinates), false));
    return source;
  }
  // A recovered layout may have several modes for one index of a table, which keeps its shape.
  MapFunctionOptions on_box = options;
  if (table != nullptr) on_box.shape.emplace(table->extents.begin(), table->extents.end());
  HEDDLE_TRY(const map::View plain, shaped(written, on_box));
  const map::View view = with_copies_as_coordinate(plain);
  const std::vector<std::string> usual =
      table == nullptr ? usual_names(view) : coordinate_names(view.extents.size());
  HEDDLE_TRY(std::vector<std::string> names,
             names_given(options.coordinates, usual, !plain.is_function()));
  HEDDLE_CHECK(check_names(options.coordinates, sizes_in(view)));
  std::optional<FunctionSource> source = source_of_view(view, names);
  if (!source) {
    HEDDLE_CHECK(check_bits(view));
    HEDDLE_TRY(const map::IntegerRelation relation, map::relation(view, options.limits));
    HEDDLE_TRY(source, source_of_relation(relation, options.limits));
    source->coordinates = std::move(names);
    source->places = map::names_of(view.axes);
    return *std::move(source);
  }
  const auto* lego = std::get_if<lego::Layout>(&written);
  if (lego != nullptr && lego->expansion()) {
    HEDDLE_CHECK(leave_out_expansion(*source, *lego, view));
  }
  const bool is_as_written = !options.shape && view.extents.size() == plain.extents.size();
  if (lego != nullptr && is_as_written && view.extents.size() == lego->dims().size()) {
    source->lego = *lego;
  }
  return *std::move(source);
}

}  // namespace heddle::emit

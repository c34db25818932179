// Relations and sets from isl's text.

#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <vector>

#include "core/text.h"
#include "map/isl/door.h"
#include "map/isl/pieces.h"
#include "map/isl/relation_syntax.h"
#include "map/isl/terms.h"

namespace heddle::map {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// The object that isl read, and how far it read.
template <class T>
struct ReadPrefix {
  T* object = nullptr;
  std::size_t position = 0;
};

template <class T>
ReadPrefix<T> read_prefix(IslSession& session, std::string& text,
                          T* (*read_file)(isl_ctx*, std::FILE*)) {
  const std::unique_ptr<std::FILE, CloseFile> file(fmemopen(text.data(), text.size(), "r"));
  ReadPrefix<T> reading;
  if (file == nullptr) return reading;
  reading.object = read_file(session.get(), file.get());
  reading.position = static_cast<std::size_t>(std::max(std::ftell(file.get()), 0L));
  return reading;
}

/// Whether the parts of a union have different spaces, or there are no parts.
bool is_union(IslSession& session, const std::string& text) {
  isl_union_map* all = isl_union_map_read_from_str(session.get(), text.c_str());
  const bool result = all != nullptr;
  isl_union_map_free(all);
  isl_ctx_reset_error(session.get());
  return result;
}

Refusal differing_spaces(std::string_view what) {
  return refuse(
      Diagnostic("relation.spaces", "the parts of the union have different dimensions or names")
          .with_note(std::string(what)));
}

Result<void> check_dimensions(std::size_t count) {
  if (count <= kMaxIslDimensions) return {};
  return refuse("relation.too_large", fmt::format("a relation of {}; at most {} of "
                                                  "inputs, outputs or parameters are read",
                                                  counted(count, "dimension"), kMaxIslDimensions));
}

/// The map with plain dimensions: no names of tuples, no tuples in tuples.
isl::map plain(isl_map* map) {
  map = isl_map_flatten(map);
  map = isl_map_reset_tuple_id(map, isl_dim_in);
  return isl::manage(isl_map_reset_tuple_id(map, isl_dim_out));
}

/// The function, if the text is written as one. If the parts of a union overlap, isl adds their
/// images up, which is not the meaning of the relation.
std::optional<isl::pw_multi_aff> written_function(IslSession& session, const std::string& text,
                                                  const isl::map& map) {
  isl_pw_multi_aff* read = isl_pw_multi_aff_read_from_str(session.get(), text.c_str());
  if (read == nullptr) {
    session.check();
    isl_ctx_reset_error(session.get());
    return std::nullopt;
  }
  read = isl_pw_multi_aff_reset_tuple_id(read, isl_dim_in);
  const isl::pw_multi_aff function =
      isl::manage(isl_pw_multi_aff_reset_tuple_id(read, isl_dim_out));
  const bool is_flat =
      isl_space_is_equal(function.space().get(), map.space().get()) == isl_bool_true;
  if (!is_flat || !is_integral(function)) return std::nullopt;
  if (text.find(';') != std::string::npos && !function.as_map().is_equal(map)) {
    return std::nullopt;
  }
  return function;
}

Result<IntegerRelation> relation_of(IslSession& session, std::string text) {
  const ReadPrefix<isl_map> reading = read_prefix(session, text, isl_map_read_from_file);
  if (reading.object == nullptr) {
    session.check();
    isl_ctx_reset_error(session.get());
    if (is_union(session, text)) {
      return differing_spaces("a relation has one kind of point and one kind of image");
    }
    session.check();
    return refuse(relation_syntax_error(text, reading.position));
  }
  const isl::map map = plain(reading.object);
  for (const isl_dim_type type : {isl_dim_in, isl_dim_out, isl_dim_param}) {
    HEDDLE_CHECK(check_dimensions(dimension(map, type)));
  }
  if (const auto function = written_function(session, text, map)) return write(*function);
  return write(map);
}

Result<IntegerSet> set_of(IslSession& session, std::string text) {
  const ReadPrefix<isl_set> reading = read_prefix(session, text, isl_set_read_from_file);
  if (reading.object == nullptr) {
    session.check();
    isl_ctx_reset_error(session.get());
    isl_union_set* all = isl_union_set_read_from_str(session.get(), text.c_str());
    const bool is_union = all != nullptr;
    isl_union_set_free(all);
    isl_ctx_reset_error(session.get());
    session.check();
    if (is_union) return differing_spaces("a set has one kind of point");
    return refuse(set_syntax_error(text, reading.position));
  }
  const isl::set set = isl::manage(reading.object);
  for (const isl_dim_type type : {isl_dim_set, isl_dim_param}) {
    HEDDLE_CHECK(check_dimensions(dimension(set, type)));
  }
  return write(set);
}

/// Whether the formula has no more dimensions than a relation may have.
bool is_small(const BoxFormula& formula) {
  const BoxFormula::Part& part = formula.parts.front();
  return part.lows.size() <= kMaxIslDimensions && part.outputs.size() <= kMaxIslDimensions;
}

std::string dimensions_text(const IntegerRelation& relation) {
  return fmt::format("{} -> {}", relation.inputs().size(), relation.axes().size());
}

Result<void> check_same_dimensions(const IntegerRelation& a, const IntegerRelation& b,
                                   std::string_view what) {
  if (a.inputs().size() == b.inputs().size() && a.axes().size() == b.axes().size()) return {};
  return refuse("relation.dims_differ",
                fmt::format("{} of relations of {} and {}", what, dimensions_text(a),
                            counted(dimensions_text(b), "dimension")));
}

std::vector<Axis> axes_of(const IntegerRelation& relation) {
  return {relation.axes().begin(), relation.axes().end()};
}

/// Applies `operation` to both relations as isl's maps.
template <class Operation>
Result<IntegerRelation> combined(const IntegerRelation& a, const IntegerRelation& b,
                                 std::string_view what, const Limits& limits, Operation operation) {
  HEDDLE_CHECK(check_same_dimensions(a, b, what));
  IslSession session(limits);
  return session.ask(what, [&]() -> Result<IntegerRelation> {
    return write(coalesced(operation(read(session, a), read(session, b))), axes_of(a));
  });
}

}  // namespace

std::shared_ptr<PiecesCache> make_pieces_cache() { return std::make_shared<PiecesCache>(); }

Result<IntegerRelation> IntegerRelation::parse(std::string_view text, const Limits& limits) {
  HEDDLE_CHECK(check_relation_text(text));
  if (auto read = read_formula(text); read && is_small(read->formula)) {
    IntegerRelation relation =
        write(read->formula, read->inputs, axes_of(std::move(read->outputs)));
    if (read->formula.parts.size() == 1 || box_function_of(relation) != nullptr) return relation;
  }
  HEDDLE_CHECK(check_relation_parts(text));
  IslSession session(limits);
  return session.ask("reading a relation", [&] { return relation_of(session, std::string(text)); });
}

Result<IntegerSet> IntegerSet::parse(std::string_view text, const Limits& limits) {
  HEDDLE_CHECK(check_set_text(text));
  HEDDLE_CHECK(check_relation_parts(text));
  IslSession session(limits);
  return session.ask("reading a set", [&] { return set_of(session, std::string(text)); });
}

std::string to_string(const IntegerRelation& relation) { return relation.text(); }

std::ostream& operator<<(std::ostream& stream, const IntegerRelation& relation) {
  return stream << relation.text();
}

Result<IntegerRelation> compose(const IntegerRelation& relation, const IntegerRelation& outer,
                                const Limits& limits) {
  if (relation.axes().size() != outer.inputs().size()) {
    return refuse(
        "relation.dims_differ",
        fmt::format("a relation of {} after one of {}: the images of the inner "
                    "one have {}, the points of the outer one {}",
                    counted(dimensions_text(outer), "dimension"), dimensions_text(relation),
                    counted(relation.axes().size(), "coordinate"), outer.inputs().size()));
  }
  IslSession session(limits);
  return session.ask("composing relations", [&]() -> Result<IntegerRelation> {
    const auto first = read_function(session, relation);
    const auto second = read_function(session, outer);
    if (first && second) {
      isl_pw_multi_aff* both =
          isl_pw_multi_aff_pullback_pw_multi_aff(second->copy(), first->copy());
      return write(coalesced(isl::manage(both)), axes_of(outer));
    }
    return write(coalesced(read(session, relation).apply_range(read(session, outer))),
                 axes_of(outer));
  });
}

Result<IntegerRelation> reverse(const IntegerRelation& relation, const Limits& limits) {
  IslSession session(limits);
  return session.ask("reversing a relation", [&]() -> Result<IntegerRelation> {
    return write(read(session, relation).reverse());
  });
}

Result<IntegerRelation> identity_on_domain(const IntegerRelation& relation, const Limits& limits) {
  IslSession session(limits);
  return session.ask("the domain of a relation", [&]() -> Result<IntegerRelation> {
    return write(read(session, relation).domain().identity());
  });
}

Result<IntegerRelation> intersect(const IntegerRelation& a, const IntegerRelation& b,
                                  const Limits& limits) {
  return combined(a, b, "the intersection", limits,
                  [](const isl::map& x, const isl::map& y) { return x.intersect(y); });
}

Result<IntegerRelation> unite(const IntegerRelation& a, const IntegerRelation& b,
                              const Limits& limits) {
  return combined(a, b, "the union", limits,
                  [](const isl::map& x, const isl::map& y) { return x.unite(y); });
}

Result<IntegerRelation> subtract(const IntegerRelation& a, const IntegerRelation& b,
                                 const Limits& limits) {
  return combined(a, b, "the difference", limits,
                  [](const isl::map& x, const isl::map& y) { return x.subtract(y); });
}

// ---- Assumptions ----

isl::set agreeing_parameters(IslSession& session, std::span<const std::string> parameters,
                             const Bindings& known) {
  IslTerms terms(session, {});
  isl::set values = terms.universe();
  for (const std::string& parameter : parameters) {
    const auto found = known.find(parameter);
    if (found == known.end()) continue;
    isl_id* id = isl_id_alloc(session.get(), parameter.c_str(), nullptr);
    const isl::pw_aff named = isl::pw_aff::param_on_domain(values, isl::manage(id));
    values = values.intersect(named.eq_set(terms(found->second)));
  }
  return isl::manage(isl_set_params(values.intersect(terms.known()).release()));
}

namespace {

/// The places of the parameters that are known as numbers, from the last one on.
std::vector<unsigned> numbered(std::span<const std::string> parameters, const Bindings& known) {
  std::vector<unsigned> places;
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const auto found = known.find(parameters[i]);
    const bool is_number = found != known.end() && found->second.is_constant();
    if (is_number) places.push_back(static_cast<unsigned>(i));
  }
  return places;
}

bool is_any_known(std::span<const std::string> parameters, const Bindings& known) {
  return std::ranges::any_of(parameters,
                             [&](const std::string& name) { return known.contains(name); });
}

/// `restrict` is called with the values of the parameters that meet the assumptions.
template <class Described, class Restrict>
Result<Described> where_agreeing(const Described& described, const Bindings& known,
                                 const Limits& limits, Restrict restrict) {
  IslSession session(limits);
  return session.ask("assuming what is known of parameters", [&]() -> Result<Described> {
    try {
      return restrict(session, agreeing_parameters(session, described.parameters(), known));
    } catch (const NotAffine& reason) {
      return refuse("relation.not_affine",
                    fmt::format("what is assumed of the parameters of {} is not affine: {}",
                                described.text(), reason.reason));
    }
  });
}

}  // namespace

Result<IntegerRelation> assuming(const IntegerRelation& relation, const Bindings& known,
                                 const Limits& limits) {
  if (!is_any_known(relation.parameters(), known)) return relation;
  return where_agreeing(relation, known, limits, [&](IslSession& session, const isl::set& values) {
    isl_map* map = isl_map_intersect_params(read(session, relation).release(), values.copy());
    for (const unsigned i : numbered(relation.parameters(), known)) {
      map = isl_map_project_out(map, isl_dim_param, i, 1);
    }
    return write(isl::manage(map), {relation.axes().begin(), relation.axes().end()});
  });
}

Result<IntegerSet> assuming(const IntegerSet& set, const Bindings& known, const Limits& limits) {
  if (!is_any_known(set.parameters(), known)) return set;
  return where_agreeing(set, known, limits, [&](IslSession& session, const isl::set& values) {
    isl_set* points = isl_set_intersect_params(read(session, set).release(), values.copy());
    for (const unsigned i : numbered(set.parameters(), known)) {
      points = isl_set_project_out(points, isl_dim_param, i, 1);
    }
    return write(isl::manage(points));
  });
}

}  // namespace heddle::map

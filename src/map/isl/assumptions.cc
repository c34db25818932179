// What is assumed of sizes, as constraints on the parameters of a relation.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "heddle/map/integer_relation.h"
#include "map/isl/door.h"
#include "map/isl/terms.h"

namespace heddle::map {
namespace {

/// The values of the parameters that agree with what is known.
isl::set agreeing(IslSession& session, const IntegerRelation& relation, const Bindings& known) {
  IslTerms terms(session, {});
  isl::set values = terms.universe();
  for (const std::string& parameter : relation.parameters()) {
    const auto found = known.find(parameter);
    if (found == known.end()) continue;
    isl_id* id = isl_id_alloc(session.get(), parameter.c_str(), nullptr);
    const isl::pw_aff named = isl::pw_aff::param_on_domain(values, isl::manage(id));
    values = values.intersect(named.eq_set(terms(found->second)));
  }
  return isl::manage(isl_set_params(values.intersect(terms.known()).release()));
}

}  // namespace

Result<IntegerRelation> assuming(const IntegerRelation& relation, const Bindings& known,
                                 const Limits& limits) {
  const auto is_known = [&](const std::string& name) { return known.contains(name); };
  if (std::ranges::none_of(relation.parameters(), is_known)) return relation;
  IslSession session(limits);
  return session.ask("assuming what is known of parameters", [&]() -> Result<IntegerRelation> {
    try {
      const isl::set values = agreeing(session, relation, known);
      isl_map* map = isl_map_intersect_params(read(session, relation).release(), values.copy());
      return write(isl::manage(map), {relation.axes().begin(), relation.axes().end()});
    } catch (const NotAffine& reason) {
      return refuse("relation.not_affine",
                    fmt::format("what is assumed of the parameters of {} is not affine: {}",
                                relation.text(), reason.reason));
    }
  });
}

}  // namespace heddle::map

// Layouts of any systems: what is decided about them.

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "heddle/map/composition_guard.h"
#include "heddle/map/decide.h"
#include "heddle/notation/any_layout.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kDecisions = "decisions";

using ClaimOfTwo = Verdict (*)(const map::AnyLayout&, const map::AnyLayout&,
                               const map::DecideOptions&);

Result<void> check_box(std::span<const Int> shape) {
  for (const Int& extent : shape) {
    HEDDLE_CHECK(
        axe::check_extent(extent, [&] { return fmt::format("the shape {}", tuple_text(shape)); }));
  }
  return {};
}

/// A claim about two layouts, read as `as` says, on `shape` where an Axe layout is turned round.
Operation claim_of_two(const char* name, const char* summary, const char* example,
                       const char* result, ClaimOfTwo claim) {
  return operation(name, kDecisions, {"a", "b", "as", "shape"}, summary, example, result,
                   [claim](const CallContext& context, const map::AnyLayout& a,
                           const map::AnyLayout& b, const std::optional<std::string>& as,
                           const std::optional<AxeShape>& shape) -> Result<Verdict> {
                     map::DecideOptions options = context.decide;
                     if (as) {
                       HEDDLE_TRY(options.reading, reading_named(*as));
                     }
                     if (shape) options.shape = shape->extents;
                     if (options.shape) HEDDLE_CHECK(check_box(*options.shape));
                     return claim(a, b, options);
                   });
}

void add_map_comparing(std::vector<Operation>& table) {
  table.push_back(claim_of_two(
      "equal",
      "Whether layouts of any systems are the same map; a verdict with its method and, for no, the "
      "smallest coordinate that differs. Also: a == b. Read as 'literal', 'memory' or 'ownership' "
      "as convert reads them; `shape` is that of an Axe layout.",
      "equal((4,8):(8,1), GroupBy([4,8]))", "yes  (digit form)", map::equal));
  table.push_back(
      claim_of_two("disjoint_images", "Whether no image of one layout is one of the other.",
                   "disjoint_images(4:2, (2,2):(1,8))",
                   "no  (digit form)  counterexample: coordinate 0: 0 and 0 at 0 = (0,0)",
                   map::disjoint_images));
  table.push_back(claim_of_two("covers", "Whether every image of b is one of a.",
                               "covers(S[8:1], (2,2):(1,4))", "yes  (digit form)", map::covers));
}

void add_map_properties(std::vector<Operation>& table) {
  using Property = Verdict (*)(const map::AnyLayout&, const map::DecideOptions&);
  struct Row {
    const char* name;
    const char* summary;
    const char* example;
    const char* result;
    Property property;
  };
  const Row rows[] = {
      {"injective", "Whether no two points have an image in common.", "injective((4,8):(8,1))",
       "yes  (digit form)", map::injective},
      {"bijective",
       "Whether it is injective and its images are the whole box of its outputs where their sizes "
       "are declared (those of a linear layout), else [0, size), on several axes the box up to "
       "the greatest ones.",
       "bijective((4,8):(8,1))", "yes  (digit form)", map::bijective},
      {"contiguous",
       "Whether its images are all integers from the least to the greatest, each met once.",
       "contiguous((4,2):(2,1))", "yes  (digit form)", map::contiguous},
      {"is_involution", "Whether f(f(x)) = x for every flat x.",
       "is_involution(Sw<2,0,3> o 0 o 64:1)", "yes  (GF(2) form)", map::is_involution},
  };
  for (const Row& row : rows) {
    table.push_back(operation(
        row.name, kDecisions, {"layout"}, row.summary, row.example, row.result,
        [property = row.property](const CallContext& context, const map::AnyLayout& layout) {
          return property(layout, context.decide);
        }));
  }
  table.push_back(operation(
      "surjective_onto", kDecisions, {"layout", "sizes"},
      "Whether its images are all of [0, n), or of the box of these sizes on several axes.",
      "surjective_onto((4,8):(8,1), 32)", "yes  (digit form)",
      [](const CallContext& context, const map::AnyLayout& layout, const LegoTile& sizes) {
        return map::surjective_onto(layout, sizes.sizes, context.decide);
      }));
  table.push_back(
      operation("within", kDecisions, {"layout", "low", "high"},
                "Whether low <= x < high for every coordinate x of every image.",
                "within((4,8):(8,1), 0, 32)", "yes  (digit form)",
                [](const CallContext& context, const map::AnyLayout& layout, const Int& low,
                   const Int& high) { return map::within(layout, low, high, context.decide); }));
}

/// As text, and as data: `{"guard":["2*c0+c1 < 2"],"leaves":"{ … }"}`.
Report report_of(const map::CompositionGuard& guard) {
  Datum::List conditions;
  for (const Condition& condition : guard.conditions) conditions.emplace_back(to_string(condition));
  Datum::Fields fields;
  fields.emplace_back("guard", std::move(conditions));
  fields.emplace_back("leaves", guard.leaving ? Datum(guard.leaving->text()) : Datum::null());
  return {map::to_string(guard), Datum(std::move(fields))};
}

void add_guard(std::vector<Operation>& table) {
  table.push_back(
      operation("composition_guard", kDecisions, {"a", "b"},
                "The condition on the coordinates of b that a kernel must test before it reads "
                "through a o b, "
                "and the coordinates at which it fails, which composition extends a for.",
                "composition_guard((N):(1), 128:1)", "guard c0 < N",
                [](const CallContext& context, const map::AnyLayout& a,
                   const map::AnyLayout& b) -> Result<Report> {
                  HEDDLE_TRY(const map::CompositionGuard guard,
                             map::composition_guard(a, b, context.decide.limits));
                  return report_of(guard);
                }));
}

}  // namespace

void add_decision_operations(std::vector<Operation>& table) {
  add_map_comparing(table);
  add_map_properties(table);
  add_guard(table);
}

}  // namespace heddle::notation

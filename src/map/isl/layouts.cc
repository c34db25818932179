// Layouts as relations: each image is a sum of quotients of the point, which isl turns into
// constraints.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "heddle/expr/index_variable.h"
#include "heddle/map/relations.h"
#include "map/isl/pieces.h"
#include "map/isl/terms.h"
#include "map/isl/verdicts.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxTablePieces = 4096;
/// The number of points that are searched for runs if there is no formula.
constexpr std::int64_t kMaxTabulated = std::int64_t{1} << 16;

/// The parts of a relation: images over the point and the numbers of copies.
struct Draft {
  IslTerms terms;
  std::size_t inputs = 0;
  isl::set domain;
  std::vector<isl::pw_aff> outputs;
};

/// The prefix of the variables for coordinates; no size has such a name.
constexpr std::string_view kCoordinate = "coordinate ";

/// A draft without copies, as a function.
isl::pw_multi_aff function_of_draft(const Draft& draft, const View& view) {
  isl_pw_multi_aff* function =
      isl_pw_multi_aff_from_domain(isl_set_copy(draft.terms.universe().get()));
  for (const isl::pw_aff& output : draft.outputs) {
    function =
        isl_pw_multi_aff_flat_range_product(function, isl_pw_multi_aff_from_pw_aff(output.copy()));
  }
  function = isl_pw_multi_aff_intersect_domain(
      function, draft.domain.intersect(draft.terms.known()).release());
  for (std::size_t i = 0; i < draft.inputs; ++i) {
    if (!is_isl_name(view.names[i])) continue;
    isl_id* id = isl_id_alloc(isl_pw_multi_aff_get_ctx(function), view.names[i].c_str(), nullptr);
    function = isl_pw_multi_aff_set_dim_id(function, isl_dim_in, static_cast<unsigned>(i), id);
  }
  return coalesced(isl::manage(function));
}

/// The relation of a draft with copies: the union over their numbers.
isl::map map_of(const Draft& draft, const View& view) {
  isl_map* map = isl_map_from_domain(isl_set_copy(draft.terms.universe().get()));
  for (const isl::pw_aff& output : draft.outputs) {
    map = isl_map_flat_range_product(map, isl_map_from_pw_aff(output.copy()));
  }
  map = isl_map_intersect_domain(map, draft.domain.intersect(draft.terms.known()).release());
  const auto all = static_cast<std::size_t>(isl_map_dim(map, isl_dim_in));
  map = isl_map_project_out(map, isl_dim_in, static_cast<unsigned>(draft.inputs),
                            static_cast<unsigned>(all - draft.inputs));
  for (std::size_t i = 0; i < draft.inputs; ++i) {
    if (!is_isl_name(view.names[i])) continue;
    map = isl_map_set_dim_name(map, isl_dim_in, static_cast<unsigned>(i), view.names[i].c_str());
  }
  return coalesced(isl::manage(map));
}

/// 0 <= coordinate < extent.
isl::set between(const isl::pw_aff& coordinate, const isl::pw_aff& zero,
                 const isl::pw_aff& extent) {
  return coordinate.ge_set(zero).intersect(coordinate.lt_set(extent));
}

Draft begin_draft(IslSession& session, const View& view, std::span<const Int> copies) {
  const std::vector<std::string> names =
      numbered_names(view.extents.size() + copies.size(), kCoordinate);
  Draft draft{IslTerms(session, names), view.extents.size(), {}, {}};
  draft.domain = draft.terms.universe();
  const isl::pw_aff zero = draft.terms.constant(0);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Int& extent = i < view.extents.size() ? view.extents[i] : copies[i - draft.inputs];
    draft.domain =
        draft.domain.intersect(between(draft.terms.coordinate(i), zero, draft.terms(extent)));
  }
  return draft;
}

// ---- Evaluation ----

Draft draft_of(IslSession& session, const View& view) {
  const std::vector<Int> copies(view.is_function() ? 0 : 1, view.copies);
  Draft draft = begin_draft(session, view, copies);
  for (const Int& coordinate : symbolic_image(view)) {
    draft.outputs.push_back(draft.terms(coordinate));
  }
  return draft;
}

// ---- Tables ----

/// Points along the first coordinate whose images continue by the same steps.
struct Run {
  std::vector<Int> begin;
  std::int64_t count = 1;
  std::vector<Int> image;
  std::vector<Int> step;
};

/// nullopt if a number does not fit 64 bits.
std::optional<BoxFormula::Part> part_of(const Run& run, std::size_t inputs) {
  BoxFormula::Part part;
  for (std::size_t i = 0; i < inputs; ++i) part.lows.push_back(run.begin[i].value());
  part.highs = part.lows;
  if (inputs > 0) part.highs.front() += run.count - 1;
  for (std::size_t i = 0; i < run.image.size(); ++i) {
    const Int step = run.count == 1 ? Int(0) : run.step[i];
    const Int start = inputs == 0 ? run.image[i] : run.image[i] - step * run.begin.front();
    if (!start.is_constant() || !step.is_constant()) return std::nullopt;
    QuasiSum output{start.value(), {}};
    if (inputs > 0) output = plus(std::move(output), times(step.value(), coordinate(0)));
    part.outputs.push_back(std::move(output));
  }
  return part;
}

bool continues(const Run& run, std::span<const Int> image) {
  for (std::size_t i = 0; i < image.size(); ++i) {
    if (image[i] != run.image[i] + run.step[i] * Int(run.count)) return false;
  }
  return true;
}

Result<std::vector<Run>> runs_of(const View& view) {
  const form::IndexMap map = view.index_map();
  const std::int64_t row = view.extents.empty() ? 1 : view.extents.front().value();
  const std::int64_t rows = view.size().value() / row;
  const std::span<const Int> others = std::span(view.extents).subspan(view.extents.empty() ? 0 : 1);
  std::vector<Run> runs;
  for (std::int64_t j = 0; j < rows; ++j) {
    std::vector<Int> point = point_of(others, form::FlatOrder::kFirstFastest, j);
    point.insert(point.begin(), Int(0));
    bool is_first = true;
    for (std::int64_t i = 0; i < row; ++i) {
      point.front() = i;
      std::vector<Int> image = map(point);
      if (!is_first && runs.back().count == 1) {
        for (std::size_t k = 0; k < image.size(); ++k) {
          runs.back().step[k] = image[k] - runs.back().image[k];
        }
      }
      if (!is_first && continues(runs.back(), image)) {
        ++runs.back().count;
        continue;
      }
      if (runs.size() >= kMaxTablePieces) {
        return refuse(
            "relation.too_large",
            fmt::format("the table has more than {} runs of even steps", kMaxTablePieces));
      }
      is_first = false;
      const std::vector<Int> still(image.size(), Int(0));
      runs.push_back({point, 1, std::move(image), still});
    }
  }
  return runs;
}

/// The factor of a coordinate in a sum of coordinates.
std::int64_t factor_of(const QuasiSum& sum, std::size_t index) {
  for (const QuasiTerm& term : sum.terms) {
    if (term.coordinate == index) return term.factor;
  }
  return 0;
}

/// The sums for a fixed value of the coordinate, as sums of the others.
std::vector<QuasiSum> without_coordinate(const BoxFormula::Part& part, std::size_t index,
                                         std::int64_t value) {
  std::vector<QuasiSum> sums;
  for (const QuasiSum& sum : part.outputs) {
    const std::int64_t factor = factor_of(sum, index);
    QuasiSum rest = plus(sum, times(-1, times(factor, coordinate(index))));
    sums.push_back(plus(std::move(rest), {times(factor, {value, {}}).constant, {}}));
  }
  return sums;
}

/// Whether `next` continues `part` along the coordinate, by the step that `part` has along it, or
/// by the step between the two.
bool joins(BoxFormula::Part& part, const BoxFormula::Part& next, std::size_t index) {
  for (std::size_t i = 0; i < part.lows.size(); ++i) {
    if (i != index && (part.lows[i] != next.lows[i] || part.highs[i] != next.highs[i]))
      return false;
  }
  if (next.lows[index] != part.highs[index] + 1 || next.highs[index] != next.lows[index]) {
    return false;
  }
  const std::int64_t at = next.lows[index];
  const bool is_single = part.lows[index] == part.highs[index];
  std::vector<QuasiSum> joined = part.outputs;
  const auto here = without_coordinate(part, index, part.lows[index]);
  const auto there = without_coordinate(next, index, at);
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const QuasiSum step = plus(there[i], times(-1, here[i]));
    if (!step.terms.empty() || (!is_single && there[i] != without_coordinate(part, index, at)[i])) {
      return false;
    }
    if (!is_single) continue;
    joined[i] = plus(here[i], times(step.constant, coordinate(index)));
    joined[i] = plus(std::move(joined[i]), times(-1, times(step.constant, {part.lows[index], {}})));
  }
  part.outputs = std::move(joined);
  part.highs[index] = at;
  return true;
}

/// Joins parts that continue one another, coordinate by coordinate.
void join_parts(std::vector<BoxFormula::Part>& parts, std::size_t inputs) {
  for (std::size_t index = 1; index < inputs; ++index) {
    std::vector<BoxFormula::Part> joined;
    for (BoxFormula::Part& part : parts) {
      const auto before = std::ranges::find_if(
          joined, [&](BoxFormula::Part& other) { return joins(other, part, index); });
      if (before == joined.end()) joined.push_back(std::move(part));
    }
    parts = std::move(joined);
  }
}

/// The parts after join_parts(), or unchanged if that exceeds 64 bits.
std::vector<BoxFormula::Part> joined(std::vector<BoxFormula::Part> parts, std::size_t rank) {
  std::vector<BoxFormula::Part> result = parts;
  try {
    join_parts(result, rank);
  } catch (const PastRange&) {
    return parts;
  }
  return result;
}

Result<IntegerRelation> relation_of_table(const View& view) {
  HEDDLE_TRY(const std::vector<Run> runs, runs_of(view));
  BoxFormula formula;
  for (const Run& run : runs) {
    auto part = part_of(run, view.extents.size());
    if (!part) return refuse("overflow", "a value of the table runs past 64 bits");
    formula.parts.push_back(*std::move(part));
  }
  formula.parts = joined(std::move(formula.parts), view.extents.size());
  return write(formula, view.names, view.axes);
}

/// A function that is no sum of floors is tabulated piece by piece if it has few points.
bool is_tabulated(const View& view) {
  return view.is_function() && view.size().is_constant() && !view.extents.empty() &&
         view.size().value() <= kMaxTabulated;
}

/// The reason with the names of the view's indices.
std::string named(std::string reason, const View& view) {
  const std::vector<std::string> names = numbered_names(view.names.size(), kCoordinate);
  for (std::size_t i = names.size(); i-- > 0;) {
    for (std::size_t at; (at = reason.find(names[i])) != std::string::npos;) {
      reason.replace(at, names[i].size(), view.names[i]);
    }
  }
  return reason;
}

/// The relation of digits or bits, which needs no isl; the digits or bits are stored with it.
std::optional<IntegerRelation> relation_of_forms(const View& view) {
  const std::optional<BoxFormula> formula = box_formula(view);
  if (!formula) return std::nullopt;
  std::optional<BoxFunction> box = box_function(*formula);
  if (!box) return std::nullopt;
  box->strided = view.strided;
  box->bits = view.bits;
  IntegerRelation result = write(*formula, view.names, view.axes);
  RelationAccess::cache(result).set(std::make_shared<const BoxFunction>(*std::move(box)));
  return result;
}

}  // namespace

std::vector<Int> symbolic_image(const View& view) {
  const std::vector<Int> point =
      variable_point(view.extents, numbered_names(view.extents.size(), kCoordinate));
  if (view.is_function()) return view.evaluate(point, 0);
  return view.evaluate(point,
                       index_variable(fmt::format("{}{}", kCoordinate, point.size()), view.copies));
}

std::optional<SymbolicBox> symbolic_box(IslSession& session, const View& view) {
  try {
    const Draft draft = begin_draft(session, view, {});
    SymbolicBox box{draft.domain.intersect(draft.terms.known()), {}, {}};
    std::set<std::string> names = variables(view.extents);
    box.parameters.assign(names.begin(), names.end());
    names.merge(variables(symbolic_image(view)));
    std::erase_if(names, [](const std::string& name) { return name.starts_with(kCoordinate); });
    box.sizes.assign(names.begin(), names.end());
    return box;
  } catch (const NotAffine&) {
    return std::nullopt;
  }
}

isl::map map_of_expressions(IslSession& session, const View& view) {
  return map_of(draft_of(session, view), view);
}

Result<IntegerRelation> relation(const AnyLayout& layout, std::span<const Int> shape,
                                 const Limits& limits) {
  HEDDLE_TRY(const View own, view(layout, limits));
  HEDDLE_TRY(const View shaped, reshaped(own, shape));
  return relation(shaped, limits);
}

Result<IntegerRelation> relation(const View& view, const Limits& limits) {
  if (view.relation) return *view.relation;
  if (view.extents.size() > kMaxIslDimensions || view.axes.size() > kMaxIslDimensions) {
    return refuse("relation.too_large",
                  fmt::format("a layout of {} on {}; relations have at most {}",
                              counted(view.extents.size(), "index"),
                              counted(view.axes.size(), "axis"), kMaxIslDimensions));
  }
  if (auto known = relation_of_forms(view)) return *std::move(known);
  IslSession session(limits);
  return session.ask("the relation of a layout", [&]() -> Result<IntegerRelation> {
    try {
      if (view.system == System::kTable && !view.strided && !view.bits) {
        return relation_of_table(view);
      }
      const Draft draft = draft_of(session, view);
      const bool has_copies = dimension(draft.terms.universe(), isl_dim_set) > draft.inputs;
      return has_copies ? write(map_of(draft, view), view.axes)
                        : write(function_of_draft(draft, view), view.axes);
    } catch (const NotAffine& error) {
      if (is_tabulated(view)) {
        if (auto pieces = relation_of_table(view)) return *std::move(pieces);
      }
      return refuse(Diagnostic("relation.not_affine", "the layout is not a quasi-affine relation")
                        .with_note(named(error.reason, view)));
    }
  });
}

Result<IntegerRelation> relation(const AnyLayout& layout, const Limits& limits) {
  if (const auto* known = std::get_if<IntegerRelation>(&layout)) return *known;
  HEDDLE_TRY(const View found, view(layout, limits));
  return relation(found, limits);
}

}  // namespace heddle::map

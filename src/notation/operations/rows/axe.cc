// Axe layouts: constructors and questions.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/layout.h"
#include "notation/operations/axe_arithmetic.h"
#include "notation/operations/axis_widths.h"
#include "notation/operations/binding.h"
#include "notation/value/axe.h"

namespace heddle::notation {
namespace {

constexpr const char* kMaking = "making Axe layouts";
constexpr const char* kQuestions = "Axe questions";

// Making.

Result<axe::Swizzle> swizzle_of(const Int& per_element, const Int& swizzle_len, const Int& atom_len,
                                bool swizzle_inner) {
  int numbers[3] = {};
  const Int* given[] = {&per_element, &swizzle_len, &atom_len};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!given[i]->is_constant()) {
      return refuse(
          "swizzle.parameters",
          fmt::format("the numbers of a swizzle are constants, not {}", to_string(*given[i])));
    }
    constexpr std::int64_t kMost = 1000;
    numbers[i] = static_cast<int>(std::clamp(given[i]->value(), -kMost, kMost));
  }
  return axe::Swizzle::make(numbers[0], numbers[1], numbers[2], swizzle_inner);
}

/// ComposeLayout(3, 3, 3, TILE, swizzle_inner=True), and before TVM 0.25
/// ComposeLayout(SwizzleLayout(3, 3, 3), TILE).
Result<axe::Layout> compose_layout(const Value& first, const Value& second,
                                   const std::optional<Int>& atom_len,
                                   const std::optional<axe::Layout>& tile_layout,
                                   bool swizzle_inner) {
  const auto* swizzle = first.get_if<axe::Swizzle>();
  const auto* tile = second.get_if<axe::Layout>();
  if (swizzle != nullptr && tile != nullptr && !atom_len && !tile_layout) {
    return swizzled(*swizzle, *tile);
  }
  const auto* per_element = first.get_if<IntTuple>();
  const auto* swizzle_len = second.get_if<IntTuple>();
  const bool are_numbers = per_element != nullptr && per_element->is_leaf() &&
                           swizzle_len != nullptr && swizzle_len->is_leaf();
  if (!are_numbers || !atom_len || !tile_layout) {
    return refuse(
        Diagnostic(
            "call.type",
            "ComposeLayout takes three numbers and an Axe layout, or a swizzle and an Axe layout")
            .with_hint("ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))"));
  }
  HEDDLE_TRY(const axe::Swizzle made,
             swizzle_of(per_element->leaf(), swizzle_len->leaf(), *atom_len, swizzle_inner));
  return swizzled(made, *tile_layout);
}

Result<axe::Coordinate> offset_of(const Datum& fields) {
  axe::Coordinate offset;
  if (fields.list() != nullptr && fields.list()->empty()) return offset;
  bool is_offset = fields.fields() != nullptr;
  for (const auto& [axis, number] : is_offset ? *fields.fields() : Datum::Fields()) {
    is_offset = is_offset && number.number() != nullptr && is_axis_name(axis);
    if (is_offset) offset.add(Axis(axis), *number.number());
  }
  if (is_offset) return offset;
  return refuse("call.type",
                R"(the offset of from_iters is {"warpid": 5}, a number for each axis)");
}

Result<axe::Layout> from_iters(const IterList& shard, const std::optional<IterList>& replica,
                               const std::optional<Value>& offset) {
  axe::Coordinate shift;
  if (offset) {
    const auto* fields = offset->get_if<Datum>();
    HEDDLE_TRY(shift, offset_of(fields == nullptr ? Datum(0) : *fields));
  }
  return axe::Layout::make(shard, replica.value_or(IterList()), std::move(shift));
}

void add_making(const Rows& add) {
  add({.call = "TileLayout(layout)",
       .summary = "The layout itself, as TVM writes it; also T.TileLayout(…).",
       .example = {"TileLayout(S[(8,2):(2,1)] + R[2:4@warpid])",
                   "S[(8,2):(2@m,1@m)] + R[(2):(4@warpid)]"}},
      [](const axe::Layout& layout) { return layout; });
  add({.call = "from_iters(shard, replica, offset)",
       .summary = "From lists of iters and an offset, as in TVM.",
       .example = {R"(TileLayout.from_iters([Iter(8, 4, "laneid")], [], {"warpid": 5}))",
                   "S[(8):(4@laneid)] + 5@warpid"}},
      from_iters);
  add({.call = "Iter(extent, stride, axis)",
       .summary = "`extent` steps of `stride` along an axis. Also: (8, 4@laneid).",
       .example = {R"(Iter(8, 4, "laneid"))", "(8, 4@laneid)"}},
      [](const Int& extent, const Int& stride, const std::string& axis) -> Result<axe::Iter> {
        if (is_axis_name(axis)) return axe::Iter{extent, stride, Axis(axis)};
        return refuse("call.type", fmt::format("{} is not a name of an axis", quote(axis)));
      });
  add({.call = "SwizzleLayout(per_element, swizzle_len, atom_len, swizzle_inner=true)",
       .summary = "The swizzle SW(M,B,S) of address bits, as TVM writes it.",
       .example = {"SwizzleLayout(3, 3, 3)", "SW(3,3,3)"}},
      swizzle_of);
  add({.call = "ComposeLayout(per_element, swizzle_len, atom_len, tile_layout, swizzle_inner=true)",
       .summary = "A layout followed by a swizzle, as TVM writes it. Also: SW(3,3,3) o S[…], and "
                  "ComposeLayout(SWIZZLE, LAYOUT).",
       .example = {"ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))",
                   "SW(3,3,3) o S[(8,64):(64@m,1@m)]"}},
      compose_layout);
}

void add_writing(const Rows& add) {
  add({.call = "to_latex(layout)",
       .summary = "The layout as the paper sets it, which is read back too.",
       .example = {"to_latex(S[(8,2):(4@lane,1@m)] + 5@warp)",
                   "\\begin{pmatrix}8&2\\\\ "
                   "4@\\texttt{lane}&1@\\texttt{m}\\end{pmatrix}+5@\\texttt{warp}"}},
      [](const axe::Layout& layout) { return to_latex(layout); });
}

// Questions.

Result<Places> places_at(const axe::Layout& layout, const std::vector<Int>& point,
                         const std::optional<IntList>& shape) {
  if (shape) return axe::places(layout, *shape, point);
  if (point.size() == 1) return axe::places(layout, point.front());
  if (point.size() == layout.shard().size()) {
    return axe::places(layout, axe::extents_of(layout.shard()), point);
  }
  return refuse(
      Diagnostic("axe.point", fmt::format("a point of {} is not an index of {}, which has {}",
                                          counted(point.size(), "number"), axe::to_string(layout),
                                          counted(layout.shard().size(), "iter")))
          .with_hint("say of which shape the point is: shape=(8,16)"));
}

/// The set of places of each point.
Result<Value> places_at_all(const axe::Layout& layout, const Points& points,
                            const std::optional<IntList>& shape) {
  Datum::List answers;
  std::size_t count = 0;
  for (const std::vector<Int>& point : points.points) {
    HEDDLE_TRY(const Places places, places_at(layout, point, shape));
    count += places.size();
    if (count > static_cast<std::size_t>(axe::kMaxPlaces)) {
      return refuse("axe.undecided",
                    fmt::format("the points have more than {} places together", axe::kMaxPlaces));
    }
    answers.push_back(list_of_data(places));
  }
  return Value(Datum(std::move(answers)));
}

/// The number of indices, or the product of the shard's extents along the axis.
Result<Int> size_of(const axe::Layout& layout, const std::optional<std::string>& axis) {
  if (!axis) return axe::size(layout);
  Int product = 1;
  for (const axe::Iter& iter : layout.shard()) {
    if (iter.axis.name() == *axis) product *= iter.extent;
  }
  HEDDLE_CHECK(check_defined(product, "the size on an axis"));
  return product;
}

Result<Value> span_of(const axe::Layout& layout, const std::optional<std::string>& axis) {
  if (axis) return to_result(axe::span(layout, Axis(*axis)));
  Datum::Fields spans;
  for (const Axis& used : axe::axes(layout)) {
    HEDDLE_TRY(const Int span, axe::span(layout, used));
    spans.emplace_back(used.name(), to_datum(span));
  }
  return Value(Datum(std::move(spans)));
}

void add_evaluating(const Rows& add) {
  add({.call = "eval(layout, shape, points)",
       .summary = "For each point its places: sorted, by axis, without the zeros. Without points "
                  "the layout.",
       .example = {"eval(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)], (8,16), [[0,0],[1,5]])",
                   R"([[{}],[{"laneid":6,"m":1}]])"}},
      [](const axe::Layout& layout, const std::optional<IntList>& shape,
         const std::optional<Points>& points) -> Result<Value> {
        if (!points) return Value(layout);
        return places_at_all(layout, *points, shape);
      });
  add({.call = "apply(layout, point, shape)",
       .summary = "The set of places of a flat index, or of a point of the shape or of the iters. "
                  "Also: L(21), L(1,5, shape=(8,16)).",
       .example = {"apply(S[(8,2):(2,1)] + R[2:16], (1,1))", "{3@m, 19@m}"}},
      places_at);
}

/// Every sum or product of one place of each set, sorted and without repetition.
auto of_each_pair(axe::Coordinate (*combine)(const axe::Coordinate&, const axe::Coordinate&)) {
  return [combine](const Places& a, const Places& b) -> Result<Places> {
    constexpr auto kMost = static_cast<std::size_t>(axe::kMaxPlaces);
    if (!b.empty() && a.size() > kMost / b.size()) {
      return refuse("axe.undecided",
                    fmt::format("the sets have {} and {} places, more than {} pairs", a.size(),
                                b.size(), kMost));
    }
    Places all;
    for (const axe::Coordinate& x : a) {
      for (const axe::Coordinate& y : b) all.push_back(combine(x, y));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  };
}

axe::Coordinate sum_of(const axe::Coordinate& a, const axe::Coordinate& b) { return a + b; }

void add_sets(const Rows& add) {
  add({.call = "minkowski_sum(a, b)",
       .summary = "The sums of a place of one set and one of the other.",
       .example = {"minkowski_sum(1@m, apply(S[2] + R[2:4], 1))", "{2@m, 6@m}"}},
      of_each_pair(sum_of));
  add({.call = "hadamard(a, b)",
       .summary = "The products, axis by axis, of a place of one set and one of the other; an axis "
                  "that one does not mention is 0.",
       .example = {"hadamard(2@m + 3@laneid, 4@m + 5@laneid)", "{15@laneid + 8@m}"}},
      of_each_pair(axe::hadamard));
}

void add_measuring(const Rows& add) {
  add({.call = "size(layout, axis)",
       .summary =
           "The number of logical indices: replicas do not count. On an axis: the product of "
           "the extents that step along it.",
       .example = {"size(S[(8,4,2):(4@laneid,1@laneid,1@m)] + R[2:16], laneid)", "32"}},
      size_of);
  add({.call = "replication(layout)",
       .summary = "The number of copies, the product of the replica's extents.",
       .example = {"replication(S[8:1] + R[(2,3):(8,16)])", "6"}},
      axe::replication);
  add({.call = "span(layout, axis)",
       .summary = "1 + greatest - least coordinate on an axis; without an axis those of all that "
                  "are used.",
       .example = {R"(span(S[(8,2):(4@laneid,1@m)] + 5@m, "laneid"))", "29"}},
      span_of);
  add({.call = "admits(layout, shape)",
       .summary = "Whether the layout is one of a tensor of this shape: the sizes agree.",
       .example = {"admits(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)], (8,16))", "true"}},
      axe::admits);
  add({.call = "equal(a, b)",
       .summary = "Whether both are the same map to sets of places. Also: a == b.",
       .example = {"equal(S[(2,3,6):(18,6,1)], S[36])", "yes  (normal form)"}},
      [](const axe::Layout& a, const axe::Layout& b) { return axe::equal(a, b); });
}

}  // namespace

void add_axe_operations(std::vector<Operation>& table) {
  add_making({table, kMaking});
  add_writing({table, kMaking});
  add_evaluating({table, kQuestions});
  add_sets({table, kQuestions});
  add_measuring({table, kQuestions});
}

}  // namespace heddle::notation

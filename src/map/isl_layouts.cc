// Layouts as relations: each image as a sum of quotients of the point, which isl turns into
// constraints.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

#include "expr/numbers_text.h"
#include "heddle/expr/index_variable.h"
#include "heddle/map/relations.h"
#include "map/isl_pieces.h"
#include "map/isl_terms.h"
#include "map/view_parts.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxTablePieces = 4096;

/// What a relation is put together from: images over the point and the numbers of copies.
struct Draft {
  IslTerms terms;
  std::size_t inputs = 0;
  isl::set domain;
  std::vector<isl::pw_aff> outputs;
};

/// The variable that stands for a coordinate: of a name that no size can have.
std::string coordinate_name(std::size_t position) { return fmt::format("coordinate {}", position); }

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
  return isl::manage(isl_pw_multi_aff_coalesce(function));
}

/// The relation of a draft with copies: for some numbers of them.
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
  return isl::manage(isl_map_coalesce(map));
}

/// 0 <= coordinate < extent.
isl::set between(const isl::pw_aff& coordinate, const isl::pw_aff& zero,
                 const isl::pw_aff& extent) {
  return coordinate.ge_set(zero).intersect(coordinate.lt_set(extent));
}

Draft begin_draft(IslSession& session, const View& view, std::span<const Int> copies) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < view.extents.size() + copies.size(); ++i) {
    names.push_back(coordinate_name(i));
  }
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

// ---- Digits ----

bool is_constant(const Int& value) { return value.is_constant(); }

bool is_constant(const form::Digit& digit) {
  return digit.extent.is_constant() &&
         std::ranges::all_of(digit.stride, [](const Int& s) { return s.is_constant(); });
}

bool is_constant(const StridedView& strided) {
  const auto constant = [](const auto& part) { return is_constant(part); };
  return std::ranges::all_of(strided.offset, constant) &&
         std::ranges::all_of(strided.copies, constant) &&
         std::ranges::all_of(strided.modes, [&](const std::vector<form::Digit>& mode) {
           return std::ranges::all_of(mode, constant);
         });
}

/// The index on one axis of digits of a coordinate: digit k is floor(c / p) - e * floor(c / (p*e)),
/// so that each quotient is multiplied by what its stride has over that of the digit before.
isl::aff sum_of_digits(const Draft& draft, const isl::aff& coordinate,
                       std::span<const form::Digit> digits, std::size_t axis) {
  isl::aff sum = draft.terms.affine_constant(0);
  Int period = 1;
  Int carried = 0;
  for (const form::Digit& digit : digits) {
    if (known_equal(digit.extent, 1)) continue;
    const Int step = digit.stride[axis] - carried;
    carried = digit.stride[axis] * digit.extent;
    if (!step.is_defined() || !carried.is_defined() || !period.is_defined()) {
      throw NotAffine{"a stride or the size of a mode does not fit 64 bits"};
    }
    if (!known_equal(step, 0)) {
      sum = sum.add(multiplied(floor_divided(coordinate, period.value()), step.value()));
    }
    period *= digit.extent;
  }
  return sum;
}

/// address ^ ((address & source) >> shift).
isl::aff swizzled(const SwizzleStep& step, const isl::aff& address) {
  isl::aff result = address;
  for (int source = 0; source < 63; ++source) {
    if (((step.source >> source) & 1) == 0) continue;
    const int target = source - step.shift;
    if (target < 0) continue;
    if (target > 61) throw NotAffine{"a swizzle of more than 62 bits"};
    const isl::aff from = floor_divided(address, std::int64_t{1} << source);
    const isl::aff both = from.add(floor_divided(address, std::int64_t{1} << target));
    const isl::aff bit = both.sub(multiplied(floor_divided(both, 2), 2));
    result = result.add(multiplied(bit.sub(bit_of(address, target)), std::int64_t{1} << target));
  }
  return result;
}

Draft draft_of_digits(IslSession& session, const View& view) {
  const StridedView& strided = *view.strided;
  std::vector<Int> copies;
  for (const form::Digit& digit : strided.copies) copies.push_back(digit.extent);
  Draft draft = begin_draft(session, view, copies);
  for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
    isl::aff sum = draft.terms.affine_constant(strided.offset[axis].value());
    for (std::size_t i = 0; i < strided.modes.size(); ++i) {
      sum = sum.add(sum_of_digits(draft, draft.terms.affine_coordinate(i), strided.modes[i], axis));
    }
    for (std::size_t i = 0; i < copies.size(); ++i) {
      sum = sum.add(multiplied(draft.terms.affine_coordinate(draft.inputs + i),
                               strided.copies[i].stride[axis].value()));
    }
    if (strided.swizzle && strided.swizzle->axis == axis) sum = swizzled(*strided.swizzle, sum);
    draft.outputs.emplace_back(sum);
  }
  return draft;
}

// ---- Bits ----

/// A bit of the point: which coordinate, and which bit of it.
struct PointBit {
  std::size_t coordinate = 0;
  int position = 0;

  [[nodiscard]] bool precedes(const PointBit& next) const {
    return coordinate == next.coordinate && position + 1 == next.position;
  }
};

std::vector<PointBit> point_bits(const View& view) {
  std::vector<PointBit> bits;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    for (int k = 0; (std::int64_t{1} << k) < view.extents[i].value(); ++k) bits.push_back({i, k});
  }
  return bits;
}

/// The output bits of one axis.
class BitSum {
 public:
  BitSum(const Draft& draft, std::vector<PointBit> bits, const BitView& view)
      : draft_(draft), bits_(std::move(bits)), view_(view) {}

  /// `width` rows of the matrix from `first` on, as a number.
  [[nodiscard]] isl::aff operator()(std::size_t first, int width) const {
    isl::aff sum = draft_.terms.affine_constant(0);
    for (int k = 0; k < width;) {
      const std::size_t row = first + static_cast<std::size_t>(k);
      const int run = copied_bits(row, width - k);
      const isl::aff part = run > 0 ? copied(*single(row), run) : parity(row);
      sum = sum.add(multiplied(part, std::int64_t{1} << k));
      k += std::max(run, 1);
    }
    return sum;
  }

 private:
  [[nodiscard]] bool has(std::size_t row, std::size_t column) const {
    return ((view_.matrix.columns()[column] >> row) & 1) != 0;
  }
  [[nodiscard]] bool is_flipped(std::size_t row) const { return ((view_.offset >> row) & 1) != 0; }

  /// The one bit that the row is, unchanged.
  [[nodiscard]] std::optional<PointBit> single(std::size_t row) const {
    std::optional<PointBit> found;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (!has(row, i)) continue;
      if (found) return std::nullopt;
      found = bits_[i];
    }
    return is_flipped(row) ? std::nullopt : found;
  }

  /// How many rows from this one on are neighbouring bits of one coordinate.
  [[nodiscard]] int copied_bits(std::size_t row, int limit) const {
    std::optional<PointBit> last = single(row);
    int count = 0;
    while (last) {
      ++count;
      if (count == limit) break;
      const std::optional<PointBit> next = single(row + static_cast<std::size_t>(count));
      if (!next || !last->precedes(*next)) break;
      last = next;
    }
    return count;
  }

  /// `count` bits of a coordinate as a number; up to its last, no upper ones have to be cut off.
  [[nodiscard]] isl::aff copied(const PointBit& lowest, int count) const {
    const isl::aff coordinate = draft_.terms.affine_coordinate(lowest.coordinate);
    const isl::aff low = floor_divided(coordinate, std::int64_t{1} << lowest.position);
    const int end = lowest.position + count;
    const bool is_last = std::ranges::none_of(bits_, [&](const PointBit& bit) {
      return bit.coordinate == lowest.coordinate && bit.position == end;
    });
    if (is_last) return low;
    return low.sub(
        multiplied(floor_divided(coordinate, std::int64_t{1} << end), std::int64_t{1} << count));
  }

  /// The sum of the row's bits modulo 2: equation 21.
  [[nodiscard]] isl::aff parity(std::size_t row) const {
    isl::aff sum = draft_.terms.affine_constant(is_flipped(row) ? 1 : 0);
    bool is_zero = true;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      if (!has(row, i)) continue;
      is_zero = false;
      sum = sum.add(floor_divided(draft_.terms.affine_coordinate(bits_[i].coordinate),
                                  std::int64_t{1} << bits_[i].position));
    }
    return is_zero ? sum : sum.sub(multiplied(floor_divided(sum, 2), 2));
  }

  const Draft& draft_;
  std::vector<PointBit> bits_;
  const BitView& view_;
};

Draft draft_of_bits(IslSession& session, const View& view) {
  Draft draft = begin_draft(session, view, {});
  const BitSum sum(draft, point_bits(view), *view.bits);
  std::vector<isl::pw_aff> outputs;
  std::size_t row = 0;
  for (const int width : view.bits->widths) {
    outputs.emplace_back(sum(row, width));
    row += static_cast<std::size_t>(width);
  }
  draft.outputs = std::move(outputs);
  return draft;
}

// ---- Evaluation ----

Draft draft_of_terms(IslSession& session, const View& view) {
  const bool has_copies = !view.is_function();
  const std::vector<Int> copies(has_copies ? 1 : 0, view.copies);
  Draft draft = begin_draft(session, view, copies);
  std::vector<Int> point;
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    point.push_back(index_variable(coordinate_name(i), view.extents[i]));
  }
  const Int copy = has_copies ? index_variable(coordinate_name(draft.inputs), view.copies) : Int(0);
  for (const Int& coordinate : view.evaluate(point, copy)) {
    draft.outputs.push_back(draft.terms(coordinate));
  }
  return draft;
}

// ---- Tables ----

/// Points along the first coordinate whose images go on by the same steps.
struct Run {
  std::vector<Int> begin;
  std::int64_t count = 1;
  std::vector<Int> image;
  std::vector<Int> step;
};

std::string run_text(const Run& run) {
  std::vector<std::string> point{"c0"};
  for (std::size_t i = 1; i < run.begin.size(); ++i) point.push_back(to_string(run.begin[i]));
  std::vector<std::string> image;
  for (std::size_t i = 0; i < run.image.size(); ++i) {
    const Int step = run.count == 1 ? Int(0) : run.step[i];
    const Int start = run.image[i] - step * run.begin.front();
    if (!start.is_defined()) throw NotAffine{"a value of the table runs past 64 bits"};
    image.push_back(fmt::format("{}c0 {:+}", step.value(), start.value()));
  }
  const Int last = run.begin.front() + Int(run.count - 1);
  return fmt::format("[{}] -> [{}] : {} <= c0 <= {}", fmt::join(point, ", "),
                     fmt::join(image, ", "), to_string(run.begin.front()), to_string(last));
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

Result<IntegerRelation> relation_of_table(IslSession& session, const View& view) {
  if (view.extents.empty()) {
    const std::string text = fmt::format("{{ [] -> [{}] }}", commas(view.index_map()({})));
    return write(adopt(session, isl_map_read_from_str(session.get(), text.c_str())), view.axes);
  }
  HEDDLE_TRY(const std::vector<Run> runs, runs_of(view));
  std::vector<std::string> texts;
  for (const Run& run : runs) texts.push_back(run_text(run));
  const std::string text = fmt::format("{{ {} }}", fmt::join(texts, "; "));
  const isl::map map = adopt(session, isl_map_read_from_str(session.get(), text.c_str()));
  return write(isl::manage(isl_map_coalesce(map.copy())), view.axes);
}

/// The reason with the names of the view's indices.
std::string named(std::string reason, const View& view) {
  for (std::size_t i = view.names.size(); i-- > 0;) {
    const std::string name = coordinate_name(i);
    for (std::size_t at; (at = reason.find(name)) != std::string::npos;) {
      reason.replace(at, name.size(), view.names[i]);
    }
  }
  return reason;
}

Draft draft_of(IslSession& session, const View& view) {
  if (view.strided && is_constant(*view.strided)) return draft_of_digits(session, view);
  if (view.bits) return draft_of_bits(session, view);
  return draft_of_terms(session, view);
}

/// A function, with its pieces: they need not be found again in its text.
IntegerRelation written(const Draft& draft, const View& view) {
  const isl::pw_multi_aff function = function_of_draft(draft, view);
  IntegerRelation result = write(function, view.axes);
  const auto constant = [](const Int& extent) { return extent.is_constant(); };
  if (!result.parameters().empty() || !std::ranges::all_of(view.extents, constant)) return result;
  if (auto pieces = piecewise(function)) {
    RelationAccess::cache(result).set_on_box(std::make_shared<const Piecewise>(*std::move(pieces)),
                                             view.extents);
  }
  return result;
}

}  // namespace

Result<IntegerRelation> relation(const View& view, const Limits& limits) {
  if (view.relation) return *view.relation;
  if (view.extents.size() > kMaxIslDimensions || view.axes.size() > kMaxIslDimensions) {
    return refuse("relation.too_large",
                  fmt::format("a layout of {} indices on {} axes; relations have at most {}",
                              view.extents.size(), view.axes.size(), kMaxIslDimensions));
  }
  IslSession session(limits);
  return session.ask("the relation of a layout", [&]() -> Result<IntegerRelation> {
    try {
      if (view.system == System::kTable && !view.strided && !view.bits) {
        return relation_of_table(session, view);
      }
      const Draft draft = draft_of(session, view);
      const bool has_copies = dimension(draft.terms.universe(), isl_dim_set) > draft.inputs;
      return has_copies ? write(map_of(draft, view), view.axes) : written(draft, view);
    } catch (const NotAffine& error) {
      return refuse(Diagnostic("relation.not_affine", "the layout is no quasi-affine relation")
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

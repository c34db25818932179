// Questions about sets: comparisons, with a point that shows a no; points, and their number.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/set.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/map/integer_set.h"
#include "map/formula/count_points.h"
#include "map/isl/door.h"
#include "map/isl/pieces.h"
#include "map/isl/verdicts.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxPoints = std::size_t{1} << 20;
constexpr std::int64_t kMaxCountingSteps = std::int64_t{1} << 22;

// ---- Comparisons ----

isl::set unnamed(const isl::set& set) {
  isl_set* raw = set.copy();
  for (unsigned i = 0; i < dimension(set, isl_dim_set); ++i) {
    raw = isl_set_set_dim_name(raw, isl_dim_set, i, nullptr);
  }
  return isl::manage(raw);
}

/// No if there is such a point; `says` says what it shows.
Verdict none(const isl::set& points, const IntegerSet& named,
             const std::function<std::string(const std::string&)>& says) {
  const std::optional<Sample> at = least_sample(points);
  if (!at) return Verdict::yes("isl");
  if (!is_writable(*at))
    return Verdict::no("isl").with_remark("the witness does not fit into 64 bits");
  Witness witness{"", says(point_text(at->point)), "", "the claim"};
  std::vector<std::string> names(named.names().begin(), named.names().end());
  if (auto numbers = named_numbers(at->point, given_names(names))) {
    witness.numbers =
        WitnessNumbers{WitnessNumbers::Point{*std::move(numbers), {}}, {}, {}, {}, {}};
  }
  return Verdict::no("isl", for_parameters(std::move(witness), points, *at));
}

Verdict asked(const IntegerSet& a, const IntegerSet& b, const Limits& limits,
              const std::function<Verdict(const isl::set&, const isl::set&)>& decide) {
  if (a.names().size() != b.names().size()) {
    return Verdict::unknown(fmt::format("points of {} and of {}", a.names().size(),
                                        counted(b.names().size(), "coordinate")));
  }
  IslSession session(limits);
  const auto verdict = session.ask(
      "isl", [&] { return decide(unnamed(read(session, a)), unnamed(read(session, b))); });
  return verdict ? *verdict : Verdict::unknown(verdict.error().message());
}

// ---- Points ----

Refusal unbound(const IntegerSet& set) {
  return refuse(Diagnostic("relation.parameters",
                           fmt::format("the set has a parameter that no value is given for: {}",
                                       fmt::join(set.parameters(), ", ")))
                    .with_note(set.text()));
}

Refusal past_64_bits(const IntegerSet& set, std::string_view what) {
  return refuse("overflow", fmt::format("{} of {}: numbers past 64 bits", what, set.text()));
}

Refusal endless(const IntegerSet& set) {
  return refuse(
      Diagnostic("relation.unbounded", "the set has infinitely many points").with_note(set.text()));
}

// ---- The number of points ----

/// The count of numbers, part by part.
Result<Int> number_of_points(const IntegerSet& set, const isl::set& points) {
  if (isl_set_is_bounded(points.get()) != isl_bool_true) return endless(set);
  std::vector<isl::set> parts;
  isl_set* disjoint = isl_set_make_disjoint(isl_set_compute_divs(points.copy()));
  isl::manage(disjoint).foreach_basic_set(
      [&](const isl::basic_set& part) { parts.emplace_back(part); });
  std::int64_t steps = kMaxCountingSteps;
  Int count = 0;
  for (const isl::set& part : parts) {
    if (part.is_empty()) continue;
    const std::optional<Piecewise> pieces = parts_of(part);
    if (!pieces) return past_64_bits(set, "the number of points");
    std::vector<InputEnds> ends;
    for (std::size_t i = 0; i < dimension(part, isl_dim_set); ++i) {
      const Bounds range = bounds(part, i);
      if (!range.low || !range.high) return past_64_bits(set, "the number of points");
      ends.push_back({*range.low, *range.high});
    }
    for (const AffinePiece& piece : pieces->pieces) {
      const PointCount here = count_points(piece, ends, steps);
      if (here.state == PointCount::State::kTooManySteps) {
        return refuse(Diagnostic("count.too_large",
                                 fmt::format("counting takes more than {} steps: dimensions that "
                                             "share a constraint are enumerated, all but one",
                                             kMaxCountingSteps))
                          .with_note(set.text()));
      }
      if (here.state == PointCount::State::kOverflow) {
        return past_64_bits(set, "the number of points");
      }
      count += here.value;
    }
  }
  return count.is_defined() ? Result<Int>(count) : past_64_bits(set, "the number of points");
}

/// The numbers that dimension `at` takes, for each value of the parameters.
isl::set projected(const isl::set& points, unsigned at) {
  const auto count = static_cast<unsigned>(dimension(points, isl_dim_set));
  isl_set* one = isl_set_project_out(points.copy(), isl_dim_set, at + 1, count - at - 1);
  return isl::manage(isl_set_project_out(one, isl_dim_set, 0, at));
}

/// How many numbers there are, if they are those between two ends at one distance; otherwise
/// nullopt.
std::optional<isl::pw_aff> steps_in(IslSession& session, const isl::set& numbers) {
  const isl::val step = isl::manage(isl_set_get_stride(numbers.get(), 0));
  const std::optional<std::int64_t> distance = number(step);
  if (!distance) return std::nullopt;
  const isl::pw_aff low = isl::manage(isl_set_dim_min(numbers.copy(), 0));
  const isl::pw_aff high = isl::manage(isl_set_dim_max(numbers.copy(), 0));
  const auto from = [&](const isl::pw_aff& end, const std::string& relation) {
    return isl::manage(isl_set_from_pw_aff(end.copy()))
        .apply(adopt(session, isl_map_read_from_str(session.get(), relation.c_str())));
  };
  const isl::set all =
      from(low, fmt::format("{{ [y] -> [x] : y <= x and (x - y) mod {} = 0 }}", *distance))
          .intersect(from(high, "{ [y] -> [x] : x <= y }"));
  if (!all.is_equal(numbers)) return std::nullopt;
  isl_pw_aff* steps = isl_pw_aff_scale_down_val(high.sub(low).release(), step.copy());
  steps = isl_pw_aff_floor(steps);
  return isl::manage(
      isl_pw_aff_from_range(isl_pw_aff_add_constant_val(steps, isl_val_one(session.get()))));
}

/// Its value for all values of the parameters, 0 where it has none; nullopt past 64 bits.
std::optional<Int> value_of(const isl::pw_aff& function, std::span<const Int> parameters) {
  const auto pieces = piecewise(isl::manage(isl_pw_multi_aff_from_pw_aff(function.copy())));
  if (!pieces) return std::nullopt;
  Int result = 0;
  for (const AffinePiece& affine : pieces->pieces) {
    const auto piece = to_piece(affine, parameters);
    if (!piece) continue;
    Int here = piece->outputs.front();
    for (const Condition& condition : piece->conditions) here = select(condition, here, 0);
    result += here;
  }
  return result;
}

/// The extents without the conditions for the other dimensions, as functions that are positive
/// together only for parameters for which there are points, and 0 where they would be negative;
/// nullopt if they have no such forms.
std::optional<std::vector<isl::pw_aff>> extents_alone(const std::vector<isl::pw_aff>& extents,
                                                      const isl::set& points) {
  const isl::set sizes = isl::manage(isl_set_params(points.copy()));
  isl::set all_positive =
      isl::manage(isl_set_universe(isl_space_params(isl_set_get_space(points.get()))));
  std::vector<isl::pw_aff> alone;
  for (const isl::pw_aff& extent : extents) {
    const isl::pw_aff plain = isl::manage(isl_pw_aff_gist_params(extent.copy(), sizes.copy()));
    const isl::set positive = isl::manage(isl_pw_aff_pos_set(plain.copy()));
    all_positive = all_positive.intersect(isl::manage(isl_set_params(positive.copy())));
    alone.push_back(isl::manage(isl_pw_aff_intersect_domain(plain.copy(), positive.copy())));
  }
  if (!all_positive.is_subset(sizes)) return std::nullopt;
  return alone;
}

Result<Int> number_for_parameters(IslSession& session, const IntegerSet& set,
                                  const isl::set& points) {
  const auto refusal = [&](std::string_view why) {
    return refuse(
        Diagnostic("count.symbolic", fmt::format("the number of points depends on {}, and {}",
                                                 fmt::join(set.parameters(), ", "), why))
            .with_note(set.text())
            .with_hint("give the parameters values: --assume 'N==16'"));
  };
  if (isl_set_is_bounded(points.get()) != isl_bool_true) return endless(set);
  std::vector<Int> parameters;
  for (const std::string& name : set.parameters()) parameters.push_back(Int::variable(name));
  isl::set box = isl::manage(isl_set_universe(isl_set_get_space(points.get())));
  const auto count = static_cast<unsigned>(dimension(points, isl_dim_set));
  std::vector<isl::pw_aff> extents;
  for (unsigned i = 0; i < count; ++i) {
    const isl::set numbers = projected(points, i);
    isl_set* as_wide = isl_set_insert_dims(numbers.copy(), isl_dim_set, 0, i);
    box = box.intersect(isl::manage(isl_set_add_dims(as_wide, isl_dim_set, count - i - 1)));
    const std::optional<isl::pw_aff> steps = steps_in(session, numbers);
    if (!steps) return refusal("the numbers of a dimension are not a run of even steps");
    extents.push_back(*steps);
  }
  if (count == 0 || !box.is_equal(points)) return refusal("the set is not a box");
  if (const auto alone = extents_alone(extents, points)) extents = *alone;
  Int product = 1;
  for (const isl::pw_aff& extent : extents) {
    const std::optional<Int> value = value_of(extent, parameters);
    if (!value) return past_64_bits(set, "the number of points");
    product *= *value;
  }
  return product.is_defined() ? Result<Int>(product) : past_64_bits(set, "the number of points");
}

}  // namespace

Verdict equal(const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
  return asked(a, b, limits, [&](const isl::set& x, const isl::set& y) {
    Verdict first = none(x.subtract(y), a, [](const std::string& point) {
      return fmt::format("{} is in the first set only", point);
    });
    if (!first.is_yes()) return first;
    return none(y.subtract(x), b, [](const std::string& point) {
      return fmt::format("{} is in the second set only", point);
    });
  });
}

Verdict is_subset(const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
  return asked(a, b, limits, [&](const isl::set& x, const isl::set& y) {
    return none(x.subtract(y), a, [](const std::string& point) {
      return fmt::format("{} is in the first set only", point);
    });
  });
}

Verdict is_disjoint(const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
  return asked(a, b, limits, [&](const isl::set& x, const isl::set& y) {
    return none(x.intersect(y), a,
                [](const std::string& point) { return fmt::format("{} is in both sets", point); });
  });
}

Verdict is_empty(const IntegerSet& set, const Limits& limits) {
  return asked(set, set, limits, [&](const isl::set& points, const isl::set&) {
    return none(points, set,
                [](const std::string& point) { return fmt::format("it has {}", point); });
  });
}

Result<bool> contains(const IntegerSet& set, std::span<const Int> point, const Limits& limits) {
  if (!set.parameters().empty()) return unbound(set);
  const auto refusal = [&](std::string_view why) {
    return refuse("relation.coordinate", fmt::format("{} cannot be a point of {}: {}",
                                                     point_text(point), set.text(), why));
  };
  if (point.size() != set.names().size()) {
    return refusal(fmt::format("it has {}, the set {}", counted(point.size(), "coordinate"),
                               set.names().size()));
  }
  if (!constants(point)) return refusal("a coordinate is not a number");
  IslSession session(limits);
  return session.ask("whether a point is in a set", [&] {
    isl_set* points = read(session, set).release();
    for (std::size_t i = 0; i < point.size(); ++i) {
      points = isl_set_fix_val(points, isl_dim_set, static_cast<unsigned>(i),
                               value(session, point[i].value()).release());
    }
    return !isl::manage(points).is_empty();
  });
}

Result<std::optional<std::vector<Int>>> sample(const IntegerSet& set, const Limits& limits) {
  using Point = std::optional<std::vector<Int>>;
  if (!set.parameters().empty()) return unbound(set);
  IslSession session(limits);
  return session.ask("a point of a set", [&]() -> Result<Point> {
    const std::optional<Sample> found = least_sample(read(session, set));
    if (!found) return Point();
    if (!is_writable(*found)) return past_64_bits(set, "a point");
    return Point(found->point);
  });
}

Result<Int> count(const IntegerSet& set, const Limits& limits) {
  IslSession session(limits);
  return session.ask("the number of points", [&]() -> Result<Int> {
    const isl::set points = read(session, set);
    if (set.parameters().empty()) return number_of_points(set, points);
    return number_for_parameters(session, set, unnamed(points));
  });
}

Result<std::vector<std::vector<Int>>> points(const IntegerSet& set, const Limits& limits) {
  using Points = std::vector<std::vector<Int>>;
  if (!set.parameters().empty()) return unbound(set);
  IslSession session(limits);
  return session.ask("the points of a set", [&]() -> Result<Points> {
    const isl::set all = read(session, set);
    if (isl_set_is_bounded(all.get()) != isl_bool_true) return endless(set);
    std::optional<Points> found = listed_points(all, kMaxPoints);
    if (!found) {
      return refuse(Diagnostic("relation.unbounded",
                               fmt::format("the set has more than {} points", kMaxPoints))
                        .with_note(set.text()));
    }
    const bool fit =
        std::ranges::all_of(*found, [](const auto& at) { return constants(at).has_value(); });
    if (!fit) return past_64_bits(set, "a point");
    return *std::move(found);
  });
}

}  // namespace heddle::map

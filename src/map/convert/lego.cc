// Writes a map as a LEGO layout: a RegP if it is a bijection by digits, else a GenP with its
// formula, else a GenP with its values. Every function on a box can be written.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "heddle/form/table.h"
#include "heddle/map/lego_function.h"
#include "heddle/map/relations.h"
#include "map/forms/conversion.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

/// The digits slowest first, without those of extent 1, and the stride of each.
std::vector<form::Digit> slowest_first(const StridedView& strided) {
  std::vector<form::Digit> digits;
  for (const std::vector<form::Digit>& mode : strided.modes) {
    for (std::size_t i = mode.size(); i-- > 0;) {
      if (!known_equal(mode[i].extent, 1)) digits.push_back(mode[i]);
    }
  }
  return digits;
}

/// sigma of the RegP that places the digits at their strides, from the fastest on: nullopt if the
/// strides are not the products of the extents of others.
std::optional<std::vector<std::int64_t>> permutation_of(std::span<const form::Digit> digits) {
  std::vector<std::int64_t> sigma;
  std::vector<bool> used(digits.size(), false);
  Int stride = 1;
  while (sigma.size() < digits.size()) {
    std::size_t next = 0;
    while (next < digits.size() &&
           (used[next] || !known_equal(digits[next].stride.front(), stride))) {
      ++next;
    }
    if (next == digits.size()) return std::nullopt;
    used[next] = true;
    stride *= digits[next].extent;
    sigma.push_back(static_cast<std::int64_t>(next) + 1);
  }
  std::ranges::reverse(sigma);
  return sigma;
}

Result<lego::RegP> regular(lego::Sizes dims, std::vector<std::int64_t> sigma) {
  if (dims.empty()) return lego::RegP::row({1});
  if (std::ranges::is_sorted(sigma)) return lego::RegP::row(std::move(dims));
  if (std::ranges::is_sorted(sigma, std::ranges::greater())) {
    return lego::RegP::col(std::move(dims));
  }
  return lego::RegP::make(std::move(dims), std::move(sigma));
}

Result<std::optional<lego::Permutation>> regular_permutation(const StridedView& strided) {
  if (strided.swizzle || !known_equal(strided.offset.front(), 0)) {
    return std::optional<lego::Permutation>();
  }
  const std::vector<form::Digit> digits = slowest_first(strided);
  auto sigma = permutation_of(digits);
  if (!sigma) return std::optional<lego::Permutation>();
  lego::Sizes dims;
  for (const form::Digit& digit : digits) dims.push_back(digit.extent);
  HEDDLE_TRY(lego::RegP permutation, regular(std::move(dims), *std::move(sigma)));
  return std::optional<lego::Permutation>(std::move(permutation));
}

/// i, j, k, l, or i0, i1, … if there are more: the parameters of a formula, as variables of the
/// box.
std::vector<std::string> parameter_names(std::size_t count) {
  constexpr std::array kNames = {"i", "j", "k", "l"};
  if (count > kNames.size()) return numbered_names(count, "i");
  return {kNames.begin(), kNames.begin() + count};
}

/// The map as a formula, if evaluating it on variables gives one.
std::optional<lego::Formula> formula_of(const View& view) {
  lego::Formula formula;
  formula.parameters = parameter_names(view.extents.size());
  formula.results = view.evaluate(variable_point(view.extents, formula.parameters), 0);
  if (!formula.results.front().is_defined()) return std::nullopt;
  return formula;
}

/// The formula of a function over bits: shifts, masks and XORs.
std::optional<lego::Formula> formula_of_bits(const Task& task) {
  const auto written = write_linear(task);
  if (!written) return std::nullopt;
  const auto map = linear::index_map(std::get<linear::LinearLayout>(*written));
  View view = task.view;
  view.evaluate = [map](std::span<const Int> point, const Int&) { return map(point); };
  return formula_of(view);
}

/// A named permutation of GenP that has the values of the table.
std::optional<lego::GenP> known_by_name(const Task& task, const Samples& samples) {
  std::vector<lego::BuiltIn> candidates;
  for (const char* name : {"reverse", "antidiag", "morton", "xor"}) {
    candidates.push_back({name, {}});
  }
  const std::int64_t size = samples.size();
  // The image of the row-major index 1.
  const std::int64_t second =
      samples.extents.back() > 1 ? samples.at(size / samples.extents.back()).front() : 0;
  candidates.push_back({"fan", {second}});
  for (std::int64_t turn = 1; turn < std::min<std::int64_t>(samples.extents.back(), 64); ++turn) {
    candidates.push_back({"cyclic", {turn}});
  }
  for (std::int64_t group = 2; group < std::min<std::int64_t>(samples.extents.front(), 64);
       ++group) {
    candidates.push_back({"grouped", {group}});
  }
  for (const lego::BuiltIn& candidate : candidates) {
    auto made = lego::GenP::make(task.view.extents, candidate);
    if (!made) continue;
    bool agrees = true;
    for (std::int64_t flat = 0; agrees && flat < size; ++flat) {
      const std::vector<std::int64_t> point = samples.point(flat);
      const auto number = made->apply(std::vector<Int>(point.begin(), point.end()));
      agrees = number && *number == Int(samples.values[static_cast<std::size_t>(flat)]);
    }
    if (agrees) return *std::move(made);
  }
  return std::nullopt;
}

/// A layout of a single GenP, which can be any function.
Result<AnyLayout> with_genp(const Task& task, lego::GenP function) {
  HEDDLE_TRY(const lego::Layout grouped, lego::Layout::group_by({task.view.extents}));
  HEDDLE_TRY(lego::Layout layout, grouped.order_by({std::move(function)}));
  return layout;
}

Result<AnyLayout> with_formula(const Task& task, lego::Formula formula) {
  HEDDLE_TRY(lego::GenP function, lego::GenP::make(task.view.extents, std::move(formula)));
  return with_genp(task, std::move(function));
}

/// Writes a map that is neither strided nor linear and cannot be evaluated on variables: by a name
/// that GenP knows, or by its values.
Result<AnyLayout> write_values(const Task& task) {
  const auto samples = samples_of(task);
  if (!samples && samples.error().code() != "convert.undecided") return refuse(samples.error());
  if (samples) {
    if (auto known = known_by_name(task, *samples)) return with_genp(task, *std::move(known));
  }
  HEDDLE_TRY(const form::Table table, form::table_of(task.view.index_map()));
  HEDDLE_TRY(lego::GenP function, lego::GenP::make(task.view.extents, lego_function(table)));
  return with_genp(task, std::move(function));
}

/// The relation of a table, computed once when it is first needed.
class TablePieces {
 public:
  explicit TablePieces(form::Table table) : table_(std::move(table)) {}

  [[nodiscard]] std::vector<Int> operator()(std::span<const Int> point) const {
    std::call_once(once_, [&] { make(); });
    if (!pieces_) return std::vector<Int>(table_.axes.size(), Int::undefined());
    return (*pieces_)(point);
  }

 private:
  void make() const {
    const auto written = relation(AnyLayout(table_));
    if (!written) return;
    const auto map = index_map(*written);
    if (map) pieces_ = *map;
  }

  form::Table table_;
  mutable std::once_flag once_;
  mutable std::optional<form::IndexMap> pieces_;
};

}  // namespace

lego::NamedMap lego_function(const form::Table& table) {
  lego::NamedMap values = lego::named_map(table);
  const form::IndexMap& map = *values.map;
  const auto pieces = std::make_shared<const TablePieces>(table);
  const auto evaluate = [numbers = values.map, pieces](std::span<const Int> point) {
    return std::ranges::all_of(point, &Int::is_constant) ? (*numbers)(point) : (*pieces)(point);
  };
  const form::IndexMap both({map.extents().begin(), map.extents().end()}, map.order(),
                            {map.axes().begin(), map.axes().end()}, evaluate);
  return {std::move(values.text), std::make_shared<const form::IndexMap>(both)};
}

Result<AnyLayout> write_lego(const Task& given) {
  HEDDLE_CHECK(check_function(given));
  Task task = given;
  HEDDLE_TRY(task.view, on_one_axis(given, "m"));
  const auto strided = digit_form(task);
  if (strided) {
    HEDDLE_TRY(auto permutation, regular_permutation(coalesced(*strided)));
    if (permutation) {
      HEDDLE_TRY(const lego::Layout grouped, lego::Layout::group_by({task.view.extents}));
      HEDDLE_TRY(lego::Layout layout, grouped.order_by({*std::move(permutation)}));
      return layout;
    }
    task.view = with_digits(task.view, *strided);
  }
  if (auto formula = formula_of(task.view)) return with_formula(task, *std::move(formula));
  if (auto formula = formula_of_bits(task)) return with_formula(task, *std::move(formula));
  return write_values(task);
}

}  // namespace heddle::map

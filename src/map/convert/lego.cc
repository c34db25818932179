// Writing a map as a LEGO layout: one RegP where it is a bijection by digits, else a GenP of the
// formula that it is.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "map/conversion.h"
#include "map/view_parts.h"

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

/// sigma of the RegP that lays the digits down at their strides, from the fastest back: nothing
/// where the strides are not the products of the extents of others.
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

/// i, j, k, l, …: the parameters of a formula, as variables of the box.
std::string parameter_name(std::size_t index, std::size_t count) {
  constexpr std::array kNames = {"i", "j", "k", "l"};
  return count <= kNames.size() ? kNames[index] : fmt::format("i{}", index);
}

/// The map as a formula, where evaluating it on variables gives one.
std::optional<lego::Formula> formula_of(const View& view) {
  lego::Formula formula;
  std::vector<Int> point;
  const std::size_t rank = view.extents.size();
  for (std::size_t i = 0; i < rank; ++i) {
    formula.parameters.push_back(parameter_name(i, rank));
    point.push_back(index_variable(formula.parameters.back(), view.extents[i]));
  }
  formula.results = view.evaluate(point, 0);
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

/// A permutation that GenP knows by name, with the values of a table.
std::optional<lego::GenP> known_by_name(const Task& task, const Samples& samples) {
  std::vector<lego::BuiltIn> candidates;
  for (const char* name : {"reverse", "antidiag", "morton", "xor"}) {
    candidates.push_back({name, {}});
  }
  const std::int64_t size = samples.size();
  // What the row-major index 1 leads to.
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

Result<AnyLayout> with_formula(const Task& task, lego::Formula formula) {
  HEDDLE_TRY(lego::GenP permutation, lego::GenP::make(task.view.extents, std::move(formula)));
  HEDDLE_TRY(const lego::Layout grouped, lego::Layout::group_by({task.view.extents}));
  HEDDLE_TRY(lego::Layout layout, grouped.order_by({std::move(permutation)}));
  return layout;
}

/// Of a map that is neither strided nor linear, nor can be evaluated on variables.
Result<AnyLayout> write_known(const Task& task, const Diagnostic& proof) {
  HEDDLE_TRY(const Samples samples, samples_of(task));
  auto known = known_by_name(task, samples);
  if (!known) {
    return refuse(Diagnostic(proof).with_note(
        "GenP takes formulas, and none is found: it is neither strided, nor linear over bits, nor "
        "one that GenP knows by name"));
  }
  HEDDLE_TRY(const lego::Layout grouped, lego::Layout::group_by({task.view.extents}));
  HEDDLE_TRY(lego::Layout layout, grouped.order_by({*std::move(known)}));
  return layout;
}

}  // namespace

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
  return write_known(task, strided ? undecided(task) : strided.error());
}

}  // namespace heddle::map

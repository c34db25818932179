#include "heddle/form/fragment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace heddle::form {
namespace {

std::vector<Fragment::Extent> units(const std::vector<std::string_view>& names) {
  std::vector<Fragment::Extent> extents;
  for (const std::string_view name : names) extents.push_back({std::string(name), 1});
  return extents;
}

std::optional<std::size_t> find(const std::vector<Fragment::Extent>& extents,
                                std::string_view name) {
  const auto found = std::ranges::find(extents, name, &Fragment::Extent::name);
  if (found == extents.end()) return std::nullopt;
  return static_cast<std::size_t>(found - extents.begin());
}

/// Adds the mode where it belongs among those of its dimension, which are ordered by their steps.
void add_by_step(std::vector<Fragment::Mode>& modes, std::vector<std::int64_t>& steps,
                 Fragment::Mode mode, std::int64_t step) {
  const auto at = std::ranges::upper_bound(steps, step) - steps.begin();
  modes.insert(modes.begin() + at, mode);
  steps.insert(steps.begin() + at, step);
}

template <class Test>
bool any_mode(const std::vector<std::vector<Fragment::Mode>>& modes, const Test& test) {
  return std::ranges::any_of(modes,
                             [&](const auto& of_one) { return std::ranges::any_of(of_one, test); });
}

}  // namespace

Fragment::Fragment(std::vector<std::string_view> places, std::vector<std::string_view> dims,
                   const std::vector<Deal>& deals)
    : places_(units(places)), dims_(units(dims)), of_places_(places.size()), of_dims_(dims.size()) {
  std::vector<std::vector<std::int64_t>> steps(dims.size());
  for (const Deal& deal : deals) {
    if (deal.extent == 1) continue;
    const std::optional<std::size_t> place = find(places_, deal.place);
    const std::optional<std::size_t> dim = find(dims_, deal.dim);
    assert(place && (dim || deal.dim == kCopies || deal.dim == kUnused));
    std::int64_t& reached = places_[*place].size;
    if (dim) {
      std::int64_t& dealt = dims_[*dim].size;
      const std::int64_t step = deal.step == 0 ? dealt : deal.step;
      of_places_[*place].push_back({dim, deal.extent, step, deal.descending});
      add_by_step(of_dims_[*dim], steps[*dim], {place, deal.extent, reached, deal.descending},
                  step);
      dealt *= deal.extent;
    } else {
      of_places_[*place].push_back({{}, deal.extent, 0, false, deal.dim == kUnused, deal.held});
    }
    reached *= deal.extent;
  }
}

std::optional<std::size_t> Fragment::place(std::string_view name) const {
  return find(places_, name);
}

std::optional<std::size_t> Fragment::dim(std::string_view name) const { return find(dims_, name); }

std::int64_t Fragment::copies() const {
  std::int64_t copies = 1;
  for (const auto& modes : of_places_) {
    for (const Mode& mode : modes) copies *= mode.index || mode.unused ? 1 : mode.extent;
  }
  return copies;
}

bool Fragment::has_unused() const {
  return any_mode(of_places_, [](const Mode& mode) { return mode.unused; });
}

bool Fragment::has_descending() const {
  return any_mode(of_places_, [](const Mode& mode) { return mode.descending; });
}

bool Fragment::is_binary() const {
  return !any_mode(of_places_,
                   [](const Mode& mode) { return (mode.extent & (mode.extent - 1)) != 0; });
}

IndexMap index_map(const Fragment& fragment) {
  std::vector<Int> extents;
  std::vector<Axis> axes;
  for (const Fragment::Extent& place : fragment.places()) extents.emplace_back(place.size);
  for (const Fragment::Extent& dim : fragment.dims()) axes.emplace_back(dim.name);
  return {std::move(extents), FlatOrder::kFirstFastest, std::move(axes),
          [fragment](std::span<const Int> places) {
            std::vector<Int> element(fragment.dims().size());
            for (std::size_t place = 0; place < places.size(); ++place) {
              Int rest = places[place];
              for (const Fragment::Mode& mode : fragment.modes_of_place(place)) {
                const Int digit = mod(rest, mode.extent);
                rest = floor_div(rest, mode.extent);
                if (!mode.index) continue;
                const Int step = mode.descending ? Int(mode.extent - 1) - digit : digit;
                element[*mode.index] += step * mode.stride;
              }
            }
            return element;
          }};
}

std::string to_string(const Fragment& fragment) {
  std::string text;
  for (std::size_t place = 0; place < fragment.places().size(); ++place) {
    text += fmt::format("{}{}:", place == 0 ? "" : ", ", fragment.places()[place].name);
    const auto& modes = fragment.modes_of_place(place);
    for (const Fragment::Mode& mode : modes) {
      const std::string_view name = mode.index ? std::string_view(fragment.dims()[*mode.index].name)
                                               : (mode.unused ? kUnused : kCopies);
      text += fmt::format("{} {} {}{}", &mode == modes.data() ? "" : ",", name,
                          mode.descending ? "-" : "", mode.extent);
      if (mode.held != 0) text += fmt::format(" but {}", mode.held);
    }
    if (modes.empty()) text += " 1";
  }
  return text;
}

}  // namespace heddle::form

#include "heddle/map/fragment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace heddle::map {
namespace {

using form::Fragment;

/// Digit number `mode` of the number of a place, whose digits before it count to `reached`.
std::string digit_text(const Fragment::Extent& place, const Fragment::Mode& mode,
                       std::int64_t reached) {
  const std::string above =
      reached == 1 ? place.name : fmt::format("floor({}/{})", place.name, reached);
  if (reached * mode.extent == place.size) return above;
  return fmt::format("({} mod {})", above, mode.extent);
}

std::string step_text(const std::string& digit, const Fragment::Mode& mode) {
  if (!mode.descending) return fmt::format("{}*{}", mode.stride, digit);
  return fmt::format("{}*({} - {})", mode.stride, mode.extent - 1, digit);
}

}  // namespace

Result<IntegerRelation> relation(const Fragment& fragment) {
  std::vector<std::string> places;
  std::vector<std::string> conditions;
  std::vector<std::string> elements(fragment.dims().size());
  for (std::size_t index = 0; index < fragment.places().size(); ++index) {
    const Fragment::Extent& place = fragment.places()[index];
    places.push_back(place.name);
    conditions.push_back(fmt::format("0 <= {} < {}", place.name, place.size));
    std::int64_t reached = 1;
    for (const Fragment::Mode& mode : fragment.modes_of_place(index)) {
      const std::string digit = digit_text(place, mode, reached);
      if (mode.unused) conditions.push_back(fmt::format("{} = {}", digit, mode.held));
      if (mode.index) elements[*mode.index] += " + " + step_text(digit, mode);
      reached *= mode.extent;
    }
  }
  std::vector<std::string> dims;
  for (std::size_t dim = 0; dim < elements.size(); ++dim) {
    dims.push_back(fragment.dims()[dim].name);
    conditions.push_back(fmt::format("{} = 0{}", dims.back(), elements[dim]));
  }
  return IntegerRelation::parse(fmt::format("{{ [{}] -> [{}] : {} }}", fmt::join(places, ", "),
                                            fmt::join(dims, ", "), fmt::join(conditions, " and ")));
}

}  // namespace heddle::map

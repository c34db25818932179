#include "heddle/linear/fragment.h"

#include <bit>
#include <utility>

#include "core/format.h"

namespace heddle::linear {
namespace {

Result<void> check(const form::Fragment& fragment, std::size_t place) {
  for (const form::Fragment::Mode& mode : fragment.modes_of_place(place)) {
    const std::string& name = fragment.places()[place].name;
    if (mode.unused) {
      return refuse("fragment.unused",
                    "some of the {} {} places hold nothing; a linear layout maps every place",
                    fragment.places()[place].size, name);
    }
    if (!std::has_single_bit(static_cast<std::uint64_t>(mode.extent))) {
      return refuse("fragment.sizes", "{} has a run of {}, which is not a power of two", name,
                    mode.extent);
    }
    if (mode.descending) {
      return refuse("fragment.descending",
                    "{} 0 holds element {} of its run; a linear layout maps place 0 to 0", name,
                    mode.extent - 1);
    }
  }
  return {};
}

InBases bases_of(const form::Fragment& fragment, std::size_t place) {
  InBases bases{fragment.places()[place].name, {}};
  for (const form::Fragment::Mode& mode : fragment.modes_of_place(place)) {
    for (std::int64_t step = 1; step < mode.extent; step *= 2) {
      std::vector<std::int64_t>& image = bases.vectors.emplace_back(fragment.dims().size());
      if (mode.index) image[*mode.index] = step * mode.stride;
    }
  }
  return bases;
}

}  // namespace

Result<LinearLayout> linear_layout(const form::Fragment& fragment) {
  Bases bases;
  for (std::size_t place = 0; place < fragment.places().size(); ++place) {
    HEDDLE_CHECK(check(fragment, place));
    bases.push_back(bases_of(fragment, place));
  }
  NamedSizes sizes;
  for (const form::Fragment::Extent& dim : fragment.dims()) sizes.emplace_back(dim.name, dim.size);
  return LinearLayout::make(bases, sizes, Surjectivity::kRequired);
}

}  // namespace heddle::linear

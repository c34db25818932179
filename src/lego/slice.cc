#include "heddle/lego/slice.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "expr/format.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"

namespace heddle::lego {
namespace {

/// Names r0, r1, … but for those that are taken.
class RangeNames {
 public:
  void take(std::span<const Int> values) {
    for (const Int& value : values) {
      for (std::string& name : variables(value)) taken_.insert(std::move(name));
    }
  }
  [[nodiscard]] std::string next() {
    std::string name;
    do {
      name = fmt::format("r{}", count_++);
    } while (taken_.contains(name));
    return name;
  }

 private:
  std::set<std::string> taken_;
  int count_ = 0;
};

/// Takes the names of all variables that can come up in the layout's index.
void take_names(RangeNames& names, const Layout& layout) {
  names.take(layout.dims());
  for (const std::vector<Permutation>& permutations : layout.orders()) {
    for (const Permutation& permutation : permutations) {
      names.take(dims(permutation));
      const auto* const genp = std::get_if<GenP>(&permutation);
      if (genp == nullptr) continue;
      if (const auto* const formula = std::get_if<Formula>(&genp->function())) {
        names.take(formula->results);
      }
      if (const auto* const named = std::get_if<BuiltIn>(&genp->function())) {
        names.take(named->parameters);
      }
    }
  }
  if (const auto& expansion = layout.expansion()) names.take(expansion->original);
}

}  // namespace

Result<Slice> slice(const Layout& layout, std::span<const SliceIndex> coordinates) {
  const Sizes sizes = layout.dims();
  if (coordinates.size() != sizes.size()) {
    return refuse(
        "lego.coordinate",
        fmt::format("a slice of {} with {} coordinates, the view {} has {}", to_string(layout),
                    coordinates.size(), to_string(sizes), sizes.size()));
  }
  RangeNames names;
  take_names(names, layout);
  for (const SliceIndex& coordinate : coordinates) {
    if (coordinate) names.take({&*coordinate, 1});
  }
  Slice result;
  std::vector<Int> point;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (coordinates[i]) {
      point.push_back(*coordinates[i]);
      continue;
    }
    point.push_back(index_variable(names.next(), sizes[i]));
    result.ranges.push_back({point.back(), sizes[i], i, result.ranges.size()});
  }
  HEDDLE_TRY(result.index, layout.apply(point));
  return result;
}

}  // namespace heddle::lego

#include "heddle/lego/slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "lego/text.h"

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

/// `:` for the dimension of the range and `None` for the other ranges.
std::string range_text(const SliceRange& range, std::size_t count) {
  return fmt::format("tl.arange(0, {}){}", to_string(range.extent),
                     broadcast_text(range.position, count));
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

std::string broadcast_text(std::size_t position, std::size_t count) {
  if (count <= 1) return {};
  std::vector<std::string_view> places(count, "None");
  places[position] = ":";
  return fmt::format("[{}]", fmt::join(places, ", "));
}

std::string to_string(const Slice& slice) {
  Bindings spelled_out;
  for (const SliceRange& range : slice.ranges) {
    // A range of one value is 0 and does not occur in the index.
    if (!range.variable.is_symbolic()) continue;
    const std::string name = to_string(range.variable);
    spelled_out.emplace(name, Int::variable(range_text(range, slice.ranges.size())));
  }
  const Result<Int> index = heddle::instantiate(slice.index, spelled_out);
  return to_string(index ? *index : slice.index);
}

}  // namespace heddle::lego

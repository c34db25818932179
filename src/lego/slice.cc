#include "heddle/lego/slice.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "core/free_names.h"
#include "core/text.h"
#include "expr/format.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "lego/names.h"

namespace heddle::lego {
Result<Slice> slice(const Layout& layout, std::span<const SliceIndex> coordinates) {
  const Sizes sizes = layout.dims();
  if (coordinates.size() != sizes.size()) {
    return refuse("lego.coordinate", "a slice of {} with {}, the view {} has {}", to_string(layout),
                  counted(coordinates.size(), "coordinate"), to_string(sizes), sizes.size());
  }
  std::set<std::string> taken = variables_in(layout);
  for (const SliceIndex& coordinate : coordinates) {
    if (coordinate) taken.merge(variables(std::span(&*coordinate, 1)));
  }
  FreeNames names("r", std::move(taken));
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

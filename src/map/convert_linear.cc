// Writing a map as a linear layout.

#include <fmt/format.h>

#include "core/bits.h"
#include "map/conversion.h"
#include "map/view_parts.h"

namespace heddle::map {

Result<AnyLayout> write_linear(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  HEDDLE_TRY(const BitView bits, bit_form(task));
  linear::Bases bases;
  std::size_t column = 0;
  for (std::size_t mode = 0; mode < task.view.extents.size(); ++mode) {
    linear::InBases in{task.view.names[mode], {}};
    for (int bit = 0; bit < log2_exact(task.view.extents[mode].value()); ++bit, ++column) {
      in.vectors.push_back(unpacked(bits, bits.matrix.columns()[column]));
    }
    bases.push_back(std::move(in));
  }
  linear::NamedSizes sizes;
  for (std::size_t axis = 0; axis < task.view.axes.size(); ++axis) {
    constexpr int kMaxBits = 62;
    if (bits.widths[axis] > kMaxBits) {
      return refuse("overflow", fmt::format("the size of {}, 2^{}, does not fit into 64 bits",
                                            task.view.axes[axis].name(), bits.widths[axis]));
    }
    sizes.emplace_back(task.view.axes[axis].name(), std::int64_t{1} << bits.widths[axis]);
  }
  HEDDLE_TRY(linear::LinearLayout layout, linear::LinearLayout::make(bases, sizes));
  return layout;
}

}  // namespace heddle::map

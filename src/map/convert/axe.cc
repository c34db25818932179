// Writing a map as an Axe layout: digits slowest first, each on its axis.

#include "map/forms/conversion.h"
#include "map/forms/layouts_of_forms.h"

namespace heddle::map {

Result<AnyLayout> write_axe(const Task& task) {
  HEDDLE_TRY(const StridedView strided, digit_form(task));
  HEDDLE_TRY(axe::Layout layout, axe_layout(strided, task.view.axes, refusal_of(task)));
  return layout;
}

}  // namespace heddle::map

// Writing a map as a linear layout.

#include "map/forms/conversion.h"
#include "map/forms/layouts_of_forms.h"

namespace heddle::map {

Result<AnyLayout> write_linear(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  HEDDLE_TRY(const BitView bits, bit_form(task));
  HEDDLE_TRY(linear::LinearLayout layout, linear_layout(bits, task.view));
  return layout;
}

}  // namespace heddle::map

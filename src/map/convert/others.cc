// Writing a map as a table, and as a relation.

#include "heddle/form/table.h"
#include "heddle/map/relations.h"
#include "map/forms/conversion.h"

namespace heddle::map {

Result<AnyLayout> write_table(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  HEDDLE_TRY(form::Table table, form::table_of(task.view.index_map()));
  return table;
}

Result<AnyLayout> write_relation(const Task& task) {
  const auto shown = relation(task.view, task.limits);
  if (shown) return *shown;
  if (shown.error().code() != "relation.not_affine") return refuse(shown.error());
  // What is written as a product may still be a sum of digits.
  const auto digits = digit_form(task);
  if (!digits) return refuse(shown.error());
  HEDDLE_TRY(IntegerRelation written, relation(with_digits(task.view, *digits), task.limits));
  return written;
}

}  // namespace heddle::map

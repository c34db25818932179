// Writing a map as a table, and as a relation.

#include "heddle/form/table.h"
#include "heddle/map/relations.h"
#include "map/conversion.h"

namespace heddle::map {

Result<AnyLayout> write_table(const Task& task) {
  HEDDLE_CHECK(check_function(task));
  HEDDLE_TRY(form::Table table, form::table_of(task.view.index_map()));
  return table;
}

Result<AnyLayout> write_relation(const Task& task) {
  HEDDLE_TRY(IntegerRelation written, relation(task.view, task.limits));
  return written;
}

}  // namespace heddle::map

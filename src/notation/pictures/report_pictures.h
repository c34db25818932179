#pragma once

#include "notation/operations/binding.h"

namespace heddle::notation {

/// Adds `bank_picture`, `compare_picture` and `redistribute_picture` to the table.
void add_report_pictures(const Rows& add);

}  // namespace heddle::notation

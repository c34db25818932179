#pragma once

// Verdicts and reports as Python's data, and back: their texts do not say all of them.

#include "object.h"

namespace heddle::python {

/// `{"text": …, "data": …, "outcome": "done"}`
[[nodiscard]] nb::object data_of_report(const notation::Report& report);
/// Their inverses: of that, and of notation::data_of() of a verdict. Raise Refused (`call.type`).
[[nodiscard]] notation::Report report_of_data(nb::handle data);
[[nodiscard]] Verdict verdict_of_data(nb::handle data);

}  // namespace heddle::python

#pragma once

// Values as lists and objects, and lists and objects as values.

#include <optional>
#include <vector>

#include "heddle/notation/value.h"

namespace heddle::notation {

/// A list of numbers, texts and lists; an integer, a truth or a text alone; a linear layout or an
/// encoding as the object that it is written as. Nothing for what else there is.
[[nodiscard]] std::optional<Datum> as_datum(const Value& value);

/// What an object stands for: with "ins" and "outs" a linear layout, with "kind" an encoding, else
/// itself. Refuses what reading those refuses.
[[nodiscard]] Result<Value> value_of(Datum datum);

}  // namespace heddle::notation

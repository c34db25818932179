#pragma once

// What convert() writes: the notation of a system, or MLIR.

#include <optional>
#include <string>

#include "notation/operations/readers.h"

namespace heddle::notation {

/// A system by its name; none for `'mlir'`, which has no layouts of its own.
struct ConversionTarget {
  std::optional<map::System> system;
};
template <>
struct Reader<ConversionTarget> : Reader<std::string> {
  static Result<ConversionTarget> read(const Value& value) {
    if (value.get<std::string>() == "mlir") return ConversionTarget{};
    HEDDLE_TRY(const map::System system, Reader<map::System>::read(value));
    return ConversionTarget{system};
  }
};

}  // namespace heddle::notation

#pragma once

// Plans of redistributions out of the arguments of an operation.

#include <optional>
#include <variant>

#include "heddle/distribute/plan.h"
#include "notation/operations/binding.h"
#include "notation/operations/element_width.h"

namespace heddle::notation {

/// A tensor over devices, or what says how it is cut.
using OnDevices = std::variant<axe::Layout, axe::Sharded, axe::Sharding>;
template <>
struct Reader<OnDevices> : OneOf<OnDevices> {
  static constexpr std::string_view kDescription =
      "a sharding as JAX, PyTorch, Shardy or XLA write it, or an Axe layout on devices";
};

/// The plan of `redistribute`; its arguments as in the table.
[[nodiscard]] Result<distribute::Plan> planned(const OnDevices& from, const OnDevices& to,
                                               const ElementWidth& element,
                                               const std::optional<axe::Mesh>& mesh,
                                               const std::optional<IntList>& shape,
                                               const std::optional<linear::NamedSizes>& bandwidth);

}  // namespace heddle::notation

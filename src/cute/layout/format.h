#pragma once

// Texts of layouts, and the refusals and calls that contain them.

#include <string_view>

#include "cute/layout/modes.h"
#include "expr/format.h"
#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/stride.h"
#include "heddle/cute/swizzle.h"

template <>
struct fmt::formatter<heddle::cute::Layout> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::Stride> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::Index> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::Swizzle> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::cute::ComposedLayout> : fmt::ostream_formatter {};

/// `6:8`.
template <>
struct fmt::formatter<heddle::cute::Mode> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const heddle::cute::Mode& mode, Context& context) const {
    return fmt::format_to(context.out(), "{}:{}", mode.extent, mode.stride);
  }
};

namespace heddle::cute {

/// The text `name(operand,operand)` of a call, formatted only when it is needed.
template <class First, class... Rest>
[[nodiscard]] auto calling(std::string_view name, First& first, Rest&... rest) {
  return [name, &first, &rest...] {
    std::string text = fmt::format("{}({}", name, first);
    ((text += fmt::format(",{}", rest)), ...);
    return text + ")";
  };
}

}  // namespace heddle::cute

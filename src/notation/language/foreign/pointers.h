#pragma once

// Pointers as CuTe prints them, `smem_ptr[16b](0x7f1e00000400)`, and the widths of their element
// types.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// The memory space named `gmem`, `smem`, `rmem`, `tmem` or `generic`; nullopt for other words.
[[nodiscard]] std::optional<cute::MemorySpace> memory_space_named(std::string_view name);

struct PrintedPointer {
  PointerLiteral literal;
  /// Its length in bytes.
  std::size_t length = 0;
  /// It begins with the `_` that joins it to the preceding swizzle.
  bool is_swizzled = false;
};

/// The pointer at the beginning of the text: `gmem_ptr[32b](0x…)`, `ptr[8b](unset)`,
/// `subptr[4b](0x….3)`, `tmem_[32b](0x0000.0040)`, with a leading `_` after a swizzle; otherwise
/// nullopt. The literal points into the text.
[[nodiscard]] std::optional<PrintedPointer> match_pointer(std::string_view text);

/// The bits of an element type of C++ (`half_t`, `float`, `unsigned char`) or MLIR (`f16`, `i8`);
/// nullopt for unknown ones. Namespaces are left out.
[[nodiscard]] std::optional<std::int64_t> element_bits(std::string_view type);

}  // namespace heddle::notation

#pragma once

// Elements and swizzles as operations of hardware take them, in numbers or by TVM's names:
//
//   mma_shared_layout(16, 128, (64,128))           the width in bits, the swizzle in bytes
//   mma_shared_layout("float16", 3, (64,128))      a type, and the number of TVM's swizzle mode

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "notation/operations/readers.h"

namespace heddle::notation {

/// `16`, `"float16"`.
struct ElementWidth {
  std::int64_t bits = 0;
  /// The name of the type; empty for a number.
  std::string type = {};
};

/// The width of a type by any of its names (form/element_type.h), or as TVM writes it: float16,
/// float8_e4m3fn, int8.
[[nodiscard]] std::optional<std::int64_t> width_of_type(std::string_view type);

/// `128`, `3`, `"SWIZZLE_128B_ATOM"`: bytes, the number of a mode, or its name.
struct SwizzleMode {
  std::int64_t number = 0;
  bool is_named = false;
};

/// The bytes of a mode by its name: SWIZZLE_128B_ATOM, SWIZZLE_NONE.
[[nodiscard]] std::optional<std::int64_t> bytes_of_mode(std::string_view name);

template <>
struct Reader<ElementWidth> : SharedReader<ElementWidth> {
  static constexpr std::string_view kDescription =
      R"(a number of bits, or a type in quotes as in "float16")";
  static constexpr TextIs kText = TextIs::kName;
  static std::optional<Value> make(const Value& value) {
    if (value.is_integer()) return value;
    const auto* type = value.get_if<std::string>();
    return type != nullptr && width_of_type(*type) ? std::optional(value) : std::nullopt;
  }
  static Result<ElementWidth> read(const Value& value) {
    const auto* type = value.get_if<std::string>();
    if (type != nullptr) return ElementWidth{*width_of_type(*type), *type};
    HEDDLE_TRY(const std::int64_t bits, constant(value.get<IntTuple>().leaf()));
    return ElementWidth{bits};
  }
};

template <>
struct Reader<SwizzleMode> : SharedReader<SwizzleMode> {
  static constexpr std::string_view kDescription =
      "a number of bytes, or TVM's swizzle mode as in SwizzleMode.SWIZZLE_128B_ATOM";
  static std::optional<Value> make(const Value& value) {
    if (value.is_integer()) return value;
    const auto* name = value.get_if<std::string>();
    return name != nullptr && bytes_of_mode(*name) ? std::optional(value) : std::nullopt;
  }
  static Result<SwizzleMode> read(const Value& value) {
    const auto* name = value.get_if<std::string>();
    if (name != nullptr) return SwizzleMode{*bytes_of_mode(*name), true};
    HEDDLE_TRY(const std::int64_t number, constant(value.get<IntTuple>().leaf()));
    return SwizzleMode{number, false};
  }
};

}  // namespace heddle::notation

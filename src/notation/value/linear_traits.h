#pragma once

// Triton's types as values of the language.

#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"
#include "heddle/notation/value.h"
#include "notation/value/traits.h"

namespace heddle::notation {

template <>
struct ValueTraits<linear::LinearLayout> : SharedTraits<linear::LinearLayout> {
  static constexpr std::string_view kName = "a linear layout";
  static constexpr std::string_view kField = "ins";
  static Datum datum(const linear::LinearLayout& layout) { return to_datum(layout); }
  static Result<linear::LinearLayout> from_object(const Datum& datum) {
    return linear_layout_of(datum);
  }
};

template <>
struct ValueTraits<linear::Encoding> : SharedTraits<linear::Encoding> {
  static constexpr std::string_view kName = "an encoding";
  static constexpr std::string_view kField = "kind";
  static Datum datum(const linear::Encoding& encoding) { return to_datum(encoding); }
  static Result<linear::Encoding> from_object(const Datum& datum) { return encoding_of(datum); }
};

}  // namespace heddle::notation

#pragma once

// What Triton has, as values of the language.

#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"
#include "heddle/notation/value.h"
#include "notation/value/traits.h"

namespace heddle::notation {

template <>
struct ValueTraits<linear::LinearLayout> : SharedTraits<linear::LinearLayout> {
  static constexpr std::string_view kName = "a linear layout";
  static Datum datum(const linear::LinearLayout& layout) { return to_datum(layout); }
};

template <>
struct ValueTraits<linear::Encoding> : SharedTraits<linear::Encoding> {
  static constexpr std::string_view kName = "an encoding";
  static Datum datum(const linear::Encoding& encoding) { return to_datum(encoding); }
};

}  // namespace heddle::notation

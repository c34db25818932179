#pragma once

// Integer sets as parameters.

#include "heddle/map/integer_set.h"
#include "notation/operations/reader.h"
#include "notation/value/set_traits.h"

namespace heddle::notation {

template <>
struct Reader<map::IntegerSet> : PlainReader<map::IntegerSet> {
  /// A quoted text is read in isl's syntax.
  static ConvertedArgument make(const Value& value, const CallContext& context);
  static std::string hint(const Value& value);
};

}  // namespace heddle::notation

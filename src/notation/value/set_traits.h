#pragma once

// Integer sets as values of the language.

#include "heddle/notation/value.h"
#include "notation/value/traits.h"

namespace heddle::notation {

template <>
struct ValueTraits<map::IntegerSet> : SharedTraits<map::IntegerSet> {
  static constexpr std::string_view kName = "an integer set";
  static void integers(const map::IntegerSet& set, Integers& all) {
    for (const std::string& name : set.parameters()) all.add_name(name);
  }
  static std::size_t leaf_count(const map::IntegerSet& set) { return set.names().size(); }
};

}  // namespace heddle::notation

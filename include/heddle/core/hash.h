#pragma once

// The hash of a value by its text, for types whose equal values print alike.
//
//   template <>
//   struct std::hash<heddle::axe::Layout> : heddle::HashOfText<heddle::axe::Layout> {};

#include <cstddef>
#include <functional>
#include <string>

#pragma GCC visibility push(default)
namespace heddle {

/// Cost: that of to_string().
template <class T>
struct HashOfText {
  std::size_t operator()(const T& value) const {
    return std::hash<std::string>()(to_string(value));
  }
};

}  // namespace heddle
#pragma GCC visibility pop

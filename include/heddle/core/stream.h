#pragma once

// Stream output of a type through its to_string(). A folder whose types have one declares it once:
//
//   namespace heddle::axe {
//   using streams::operator<<;
//   }

#include <concepts>
#include <ostream>
#include <string>

#pragma GCC visibility push(default)
namespace heddle::streams {

/// Hides to_string() of other namespaces: only the one found by argument-dependent lookup counts.
void to_string() = delete;

template <class T>
concept HasText = requires(const T& value) {
  { to_string(value) } -> std::same_as<std::string>;
};

template <HasText T>
std::ostream& operator<<(std::ostream& stream, const T& value) {
  return stream << to_string(value);
}

}  // namespace heddle::streams
#pragma GCC visibility pop

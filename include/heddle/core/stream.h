#pragma once

// Stream output of a type by its text. A folder whose types have to_string() declares it once:
//
//   namespace heddle::axe {
//   using streams::operator<<;
//   }

#include <concepts>
#include <ostream>
#include <string>

#pragma GCC visibility push(default)
namespace heddle::streams {

/// Keeps to_string() of other namespaces out: only the one beside the type counts.
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

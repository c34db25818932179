#pragma once

// The properties of values, by type: one ValueTraits<T> for each alternative of Value. A new kind
// of value needs a file <name>_traits.h in this folder, and its name in the list of alternatives
// (heddle/notation/value.h).
//
//   template <>
//   struct ValueTraits<cute::Swizzle> : SharedTraits<cute::Swizzle> {
//     static constexpr std::string_view kName = "a swizzle";
//   };
//
// A kind that can also be written as a JSON object has kField, the field that identifies it, and
// from_object(datum), which reads the object.

#include <concepts>
#include <cstddef>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>

#include "heddle/expr/int.h"
#include "heddle/expr/proof.h"
#include "heddle/notation/datum.h"

namespace heddle::notation {

/// Collects the integers of a value: their symbolic sizes, and whether all are defined.
class Integers {
 public:
  void add(const Int& integer) {
    if (integer.is_constant()) return;
    are_defined_ = are_defined_ && integer.is_defined();
    for (std::string& name : heddle::variables(integer)) names_.insert(std::move(name));
  }
  void add(std::span<const Int> integers) {
    for (const Int& integer : integers) add(integer);
  }
  void add_name(const std::string& name) { names_.insert(name); }
  /// Adds the integers of a function, without its parameters, which have no meaning outside of it.
  void add_without(const Integers& inner, std::span<const std::string> parameters) {
    are_defined_ = are_defined_ && inner.are_defined_;
    names_.insert(inner.names_.begin(), inner.names_.end());
    for (const std::string& name : parameters) names_.erase(name);
  }

  [[nodiscard]] const std::set<std::string>& names() const { return names_; }
  [[nodiscard]] bool are_defined() const { return are_defined_; }

 private:
  std::set<std::string> names_;
  bool are_defined_ = true;
};

template <class T>
struct ValueTraits;

/// The defaults for most kinds of values; each kind defines kName and what differs.
template <class T>
struct SharedTraits {
  static std::string_view name(const T&) { return ValueTraits<T>::kName; }
  static std::string text(const T& value) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  }
  /// Its text, in a notation that can be parsed.
  static Datum datum(const T& value) { return ValueTraits<T>::text(value); }
  static void integers(const T&, Integers&) {}
  static std::size_t leaf_count(const T& value) {
    if constexpr (requires { value.leaves().size(); }) return value.leaves().size();
    return 1;
  }
  static std::size_t depth(const T& value) {
    if constexpr (requires { value.profile().depth(); }) return value.profile().depth();
    return 0;
  }
};

/// Adds the integers of a value within another one.
template <class T>
void add_integers(const T& value, Integers& all) {
  ValueTraits<T>::integers(value, all);
}
template <class T>
[[nodiscard]] std::size_t leaves_of(const T& value) {
  return ValueTraits<T>::leaf_count(value);
}

}  // namespace heddle::notation

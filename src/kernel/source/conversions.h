#pragma once

// Conversions between the types of elements and those that are computed in, as functions of the
// emitted source.
//
//   f32_of_f16(bits)      float from the bits of an f16
//   i8_of_f32(x)          towards zero, past the ends the end, NaN is 0

#include <set>
#include <string>
#include <string_view>

#include "heddle/kernel/dtype.h"
#include "heddle/kernel/source.h"

namespace heddle::kernel {

/// `float`, `unsigned short`: the type of an element in memory.
[[nodiscard]] std::string_view stored_as(DType type, Target target);
/// `float`, `long long`: the type of a computed value.
[[nodiscard]] std::string_view computed_as(DType type, Target target);

/// The functions that a program needs.
class Conversions {
 public:
  explicit Conversions(Target target) : target_(target) {}
  /// The computed value of a stored element.
  std::string load(DType type, const std::string& element);
  /// The stored element of a value of a computed type.
  std::string store(DType type, DType computed, const std::string& value);
  /// The value as another computed type.
  std::string as(DType to, DType from, const std::string& value);
  /// `quotient_i32(a, b)`, Euclidean.
  std::string divided(std::string_view name, DType type, const std::string& a,
                      const std::string& b);
  /// The texts of the functions that were used.
  [[nodiscard]] std::string text() const;

 private:
  std::string call(const std::string& name, const std::string& value);
  std::string saturated(DType to, DType from, const std::string& value);

  Target target_;
  std::set<std::string> used_;
};

}  // namespace heddle::kernel

#pragma once

// Conversions between the types of elements and those that are computed in, as functions of the
// emitted source.
//
//   f32_of_f16(bits)      float from the bits of an f16
//   i8_of_f32(x)          towards zero, past the ends the end, NaN is 0

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "heddle/kernel/dtype.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel/space.h"
#include "kernel/targets/support.h"

namespace heddle::kernel {

/// `float`, `unsigned short`: the type of an element in memory. One of 4 bits is in the low bits of
/// a byte, two of them where global memory has it.
[[nodiscard]] std::string_view stored_as(DType type, Target target);
/// `float`, `long long`: the type of a computed value.
[[nodiscard]] std::string_view computed_as(DType type, Target target);

/// `unsigned`: where as many bits fit.
[[nodiscard]] std::string_view unsigned_for(std::int64_t bits, Target target);

/// `__local `: what OpenCL C says of a pointer to this memory.
[[nodiscard]] std::string_view space_of_opencl(Space space);

/// What stands in front of a function that sources of the target call.
[[nodiscard]] std::string_view function_qualifiers(Target target);

/// The functions that a program needs.
class Conversions {
 public:
  explicit Conversions(Target target) : target_(target) {}
  /// The computed value of a stored element.
  std::string load(DType type, const std::string& element);
  /// The stored element of a value of a computed type.
  std::string store(DType type, DType computed, const std::string& value);
  /// The bits of a stored element, unsigned; the stored element that has the low ones of these.
  std::string bits_of(DType type, const std::string& element);
  std::string of_bits(DType type, const std::string& bits);
  /// The value as another computed type.
  std::string as(DType to, DType from, const std::string& value);
  /// `quotient_i32(a, b)`, Euclidean.
  std::string divided(std::string_view name, DType type, const std::string& a,
                      const std::string& b);
  /// The functions that were used.
  [[nodiscard]] Support support() const;

 private:
  std::string call(const std::string& name, const std::string& value);
  std::string saturated(DType to, DType from, const std::string& value);

  Target target_;
  std::set<std::string> used_;
};

}  // namespace heddle::kernel

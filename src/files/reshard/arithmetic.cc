#include "files/reshard/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "heddle/form/element_type.h"
#include "heddle/kernel/dtype.h"

namespace heddle::files {
namespace {

using kernel::DType;

/// The type of numbers that safetensors calls so; nullopt for one without arithmetic.
std::optional<DType> number_type(std::string_view safetensors_type) {
  const form::ElementType* known = form::element_type_of_safetensors(safetensors_type);
  return known == nullptr ? std::nullopt : kernel::find_dtype(known->name);
}

enum class Reduction : std::uint8_t { kSum, kProduct, kMax, kMin, kAnd, kOr, kXor };

std::optional<Reduction> reduction_named(std::string_view op) {
  if (op == "sum" || op == "avg") return Reduction::kSum;
  if (op == "product") return Reduction::kProduct;
  if (op == "max") return Reduction::kMax;
  if (op == "min") return Reduction::kMin;
  if (op == "band") return Reduction::kAnd;
  if (op == "bor") return Reduction::kOr;
  if (op == "bxor") return Reduction::kXor;
  return std::nullopt;
}

/// What NaN makes of two floats: it loses against any number in maxima and minima, as in C's fmax()
/// and fmin() and in PTX, and makes everything else NaN. nullopt if neither is NaN.
template <class T>
std::optional<T> reduced_nan(Reduction reduction, T a, T b) {
  if (!std::isnan(a) && !std::isnan(b)) return std::nullopt;
  const bool is_end = reduction == Reduction::kMax || reduction == Reduction::kMin;
  if (is_end && !std::isnan(a)) return a;
  if (is_end && !std::isnan(b)) return b;
  return std::numeric_limits<T>::quiet_NaN();
}

template <class T>
T reduced(Reduction reduction, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto special = reduced_nan(reduction, a, b)) return *special;
  }
  if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    // Sums and products of integers wrap around, as those of unsigned numbers do.
    if (reduction == Reduction::kSum || reduction == Reduction::kProduct) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(reduced(reduction, static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
    }
  }
  switch (reduction) {
    case Reduction::kSum:
      return static_cast<T>(a + b);
    case Reduction::kProduct:
      return static_cast<T>(a * b);
    case Reduction::kMax:
      return std::max(a, b);
    case Reduction::kMin:
      return std::min(a, b);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (reduction == Reduction::kAnd) return static_cast<T>(a & b);
    if (reduction == Reduction::kOr) return static_cast<T>(a | b);
    return static_cast<T>(a ^ b);
  }
  return a;
}

/// Elements of a type whose memory the machine reads. They need not be aligned.
template <class T>
void combine_as(Reduction reduction, std::span<std::byte> into, std::span<const std::byte> from) {
  for (std::size_t at = 0; at + sizeof(T) <= into.size(); at += sizeof(T)) {
    T a;
    T b;
    std::memcpy(&a, into.data() + at, sizeof(T));
    std::memcpy(&b, from.data() + at, sizeof(T));
    a = reduced(reduction, a, b);
    std::memcpy(into.data() + at, &a, sizeof(T));
  }
}

/// Calls `act` with the bits of each element of so many bytes, and stores what it returns.
template <class Act>
void each_element(std::size_t width, std::span<std::byte> elements, const Act& act) {
  for (std::size_t at = 0; at + width <= elements.size(); at += width) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, elements.data() + at, width);
    bits = act(at, bits);
    std::memcpy(elements.data() + at, &bits, width);
  }
}

/// Small floats, small integers and booleans, by the numbers that their bits mean. Floats are
/// computed as doubles: these have 53 bits, and sums and products of floats of p bits that are
/// rounded to 2p + 2 bits or more, and then to p, are the nearest ones (Figueroa 1995).
void combine_numbers(DType type, Reduction reduction, std::span<std::byte> into,
                     std::span<const std::byte> from) {
  const auto width = static_cast<std::size_t>(kernel::bits(type) / 8);
  each_element(width, into, [&](std::size_t at, std::uint64_t bits) {
    std::uint64_t other = 0;
    std::memcpy(&other, from.data() + at, width);
    const kernel::Number a = kernel::decode(type, bits);
    const kernel::Number b = kernel::decode(type, other);
    return kernel::encode(type, a.is_real
                                    ? kernel::Number(reduced(reduction, a.real, b.real))
                                    : kernel::Number(reduced(reduction, a.integer, b.integer)));
  });
}

void combine(DType type, Reduction reduction, std::span<std::byte> into,
             std::span<const std::byte> from) {
  switch (type) {
    case DType::kF64:
      return combine_as<double>(reduction, into, from);
    case DType::kF32:
      return combine_as<float>(reduction, into, from);
    case DType::kI64:
      return combine_as<std::int64_t>(reduction, into, from);
    case DType::kU64:
      return combine_as<std::uint64_t>(reduction, into, from);
    default:
      return combine_numbers(type, reduction, into, from);
  }
}

void divide(DType type, std::span<std::byte> elements, std::int64_t by) {
  const auto width = static_cast<std::size_t>(kernel::bits(type) / 8);
  each_element(width, elements, [&](std::size_t /*at*/, std::uint64_t bits) {
    const double number = kernel::decode(type, bits).real;
    return kernel::encode(type, kernel::Number(number / static_cast<double>(by)));
  });
}

}  // namespace

std::pair<std::string, std::string> element_texts(std::string_view safetensors_type,
                                                  std::uint64_t first, std::uint64_t second) {
  if (const std::optional<DType> type = number_type(safetensors_type)) {
    const auto text = [&](std::uint64_t bits) {
      const kernel::Number number = kernel::decode(*type, bits);
      return number.is_real ? fmt::format("{}", number.real) : fmt::format("{}", number.integer);
    };
    std::pair texts(text(first), text(second));
    if (texts.first != texts.second) return texts;
  }
  return {fmt::format("{:#x}", first), fmt::format("{:#x}", second)};
}

Result<distribute::Arithmetic> arithmetic_of(std::string_view safetensors_type,
                                             std::string_view reduce_op) {
  const std::optional<DType> known = number_type(safetensors_type);
  const auto reduction = reduction_named(reduce_op);
  // Scales, which are powers of two, have no sums.
  const bool is_known = known && *known != DType::kE8m0 && reduction;
  const bool is_float = is_known && kernel::is_float(*known);
  const bool is_of_bits = is_known && *reduction >= Reduction::kAnd;
  if (!is_known || (is_float && is_of_bits) || (!is_float && reduce_op == "avg")) {
    return refuse("reshard.arithmetic", "partial values of the type {} are not reduced by {}",
                  printable(safetensors_type), printable(reduce_op));
  }
  const DType type = *known;
  return distribute::Arithmetic{
      [type, op = *reduction](std::span<std::byte> into, std::span<const std::byte> from) {
        combine(type, op, into, from);
      },
      [type](std::span<std::byte> elements, std::int64_t by) { divide(type, elements, by); }};
}

}  // namespace heddle::files

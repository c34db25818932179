#include "kernel/meaning/lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernel/sticky.h"

namespace heddle::kernel::meaning {
namespace {

double rounded_to(DType type, double value) {
  return type == DType::kF32 ? static_cast<double>(static_cast<float>(value)) : value;
}

std::int64_t wrapped_to(DType type, std::int64_t value) {
  return type == DType::kI32 ? static_cast<std::int32_t>(value) : value;
}

std::uint64_t as_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

/// A value of type u64 as a double that rounds to shorter formats as it does.
bool is_large(DType type, std::int64_t value) { return type == DType::kU64 && value < 0; }

double integer_as_real(DType from, DType to, std::int64_t value) {
  const bool is_unsigned = from == DType::kU64;
  if (to == DType::kF32) {
    return is_unsigned ? static_cast<float>(as_unsigned(value)) : static_cast<float>(value);
  }
  return is_unsigned ? static_cast<double>(as_unsigned(value)) : static_cast<double>(value);
}

double greater_number(double a, double b) { return b > a || std::isnan(a) ? b : a; }
double lesser_number(double a, double b) { return b < a || std::isnan(a) ? b : a; }

bool is_less(DType type, std::int64_t a, std::int64_t b) {
  return type == DType::kU64 ? as_unsigned(a) < as_unsigned(b) : a < b;
}

/// Euclidean, modulo 2^64.
std::int64_t quotient(DType type, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (type == DType::kU64) return as_signed(as_unsigned(a) / as_unsigned(b));
  if (b == -1) return as_signed(0 - as_unsigned(a));
  const std::int64_t toward_zero = a / b;
  if (a % b >= 0) return toward_zero;
  return b > 0 ? toward_zero - 1 : toward_zero + 1;
}

std::int64_t remainder_of(DType type, std::int64_t a, std::int64_t b) {
  if (b == 0) return a;
  return as_signed(as_unsigned(a) - as_unsigned(quotient(type, a, b)) * as_unsigned(b));
}

double sum(DType type, double a, double b) {
  return type == DType::kF32 ? static_cast<float>(a) + static_cast<float>(b) : a + b;
}
double product(DType type, double a, double b) {
  return type == DType::kF32 ? static_cast<float>(a) * static_cast<float>(b) : a * b;
}

double fused(DType type, double a, double b, double c) {
  if (type != DType::kF32) return std::fma(a, b, c);
  return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}

/// Calls `each(a, b)` for the values of two operands and puts the results into the first.
template <class Each>
void map_reals(std::span<Lanes> operands, std::size_t count, Each each) {
  double* a = operands[0].real.data();
  const double* b = operands[operands.size() > 1 ? 1 : 0].real.data();
  for (std::size_t i = 0; i != count; ++i) a[i] = each(a[i], b[i]);
}

template <class Each>
void map_integers(std::span<Lanes> operands, std::size_t count, Each each) {
  std::int64_t* a = operands[0].integer.data();
  const std::int64_t* b = operands[operands.size() > 1 ? 1 : 0].integer.data();
  for (std::size_t i = 0; i != count; ++i) a[i] = each(a[i], b[i]);
}

void divide_reals(std::span<Lanes> operands, std::size_t count) {
  if (operands[0].type != DType::kF32) {
    return map_reals(operands, count, [](double a, double b) { return a / b; });
  }
  map_reals(operands, count, [](double a, double b) -> double {
    return static_cast<float>(a) / static_cast<float>(b);
  });
}

void apply_reals(Function function, std::span<Lanes> operands, std::size_t count) {
  const DType type = operands[0].type;
  const auto map = [&](auto each) { map_reals(operands, count, each); };
  /// A function of the C library, rounded once.
  const auto call = [&](auto each) {
    map_reals(operands, count, [&](double a, double) { return rounded_to(type, each(a)); });
  };
  switch (function) {
    case Function::kAdd:
      return map([type](double a, double b) { return sum(type, a, b); });
    case Function::kSubtract:
      return map([type](double a, double b) { return sum(type, a, -b); });
    case Function::kMultiply:
      return map([type](double a, double b) { return product(type, a, b); });
    case Function::kDivide:
      return divide_reals(operands, count);
    case Function::kNegate:
      return map([](double a, double) { return -a; });
    case Function::kAbs:
      return map([](double a, double) { return std::fabs(a); });
    case Function::kFloor:
      return map([](double a, double) { return std::floor(a); });
    case Function::kMin:
      return map(lesser_number);
    case Function::kMax:
      return map(greater_number);
    case Function::kExp:
      return call([](double a) { return std::exp(a); });
    case Function::kExp2:
      return call([](double a) { return std::exp2(a); });
    case Function::kLog:
      return call([](double a) { return std::log(a); });
    case Function::kLog2:
      return call([](double a) { return std::log2(a); });
    case Function::kSqrt:
      return call([](double a) { return std::sqrt(a); });
    case Function::kRsqrt:
      return call([](double a) { return 1 / std::sqrt(a); });
    case Function::kTanh:
      return call([](double a) { return std::tanh(a); });
    case Function::kErf:
      return call([](double a) { return std::erf(a); });
    case Function::kFma:
      break;
    default:
      return;
  }
  for (std::size_t i = 0; i != count; ++i) {
    operands[0].real[i] =
        fused(type, operands[0].real[i], operands[1].real[i], operands[2].real[i]);
  }
}

void apply_integers(Function function, std::span<Lanes> operands, std::size_t count) {
  const DType type = operands[0].type;
  const auto map = [&](auto each) {
    map_integers(operands, count, [&](std::int64_t a, std::int64_t b) {
      return wrapped_to(type, as_signed(each(as_unsigned(a), as_unsigned(b))));
    });
  };
  const auto map_signed = [&](auto each) {
    map_integers(operands, count,
                 [&](std::int64_t a, std::int64_t b) { return wrapped_to(type, each(a, b)); });
  };
  using Word = std::uint64_t;
  switch (function) {
    case Function::kAdd:
      return map([](Word a, Word b) { return a + b; });
    case Function::kSubtract:
      return map([](Word a, Word b) { return a - b; });
    case Function::kMultiply:
      return map([](Word a, Word b) { return a * b; });
    case Function::kNegate:
      return map([](Word a, Word) { return 0 - a; });
    case Function::kQuotient:
      return map_signed([type](std::int64_t a, std::int64_t b) { return quotient(type, a, b); });
    case Function::kRemainder:
      return map_signed(
          [type](std::int64_t a, std::int64_t b) { return remainder_of(type, a, b); });
    case Function::kMin:
      return map_signed(
          [type](std::int64_t a, std::int64_t b) { return is_less(type, b, a) ? b : a; });
    case Function::kMax:
      return map_signed(
          [type](std::int64_t a, std::int64_t b) { return is_less(type, a, b) ? b : a; });
    case Function::kAbs:
      if (type == DType::kU64) return;
      return map_signed(
          [](std::int64_t a, std::int64_t) { return a < 0 ? as_signed(0 - as_unsigned(a)) : a; });
    case Function::kFma:
      break;
    default:
      return;
  }
  for (std::size_t i = 0; i != count; ++i) {
    const Word scaled = as_unsigned(operands[0].integer[i]) * as_unsigned(operands[1].integer[i]);
    operands[0].integer[i] =
        wrapped_to(type, as_signed(scaled + as_unsigned(operands[2].integer[i])));
  }
}

template <class Value, class Less>
void compare_values(Function function, const Value* a, const Value* b, std::int64_t* result,
                    std::size_t count, Less less) {
  for (std::size_t i = 0; i != count; ++i) {
    switch (function) {
      case Function::kEqual:
        result[i] = a[i] == b[i] ? 1 : 0;
        break;
      case Function::kNotEqual:
        result[i] = a[i] != b[i] ? 1 : 0;
        break;
      case Function::kLess:
        result[i] = less(a[i], b[i]) ? 1 : 0;
        break;
      default:
        result[i] = less(a[i], b[i]) || a[i] == b[i] ? 1 : 0;
        break;
    }
  }
}

void compare(Function function, std::span<Lanes> operands, std::size_t count) {
  Lanes& a = operands[0];
  const Lanes& b = operands[1];
  if (a.is_real()) {
    compare_values(function, a.real.data(), b.real.data(), a.integer.data(), count,
                   [](double x, double y) { return x < y; });
  } else {
    compare_values(function, a.integer.data(), b.integer.data(), a.integer.data(), count,
                   [type = a.type](std::int64_t x, std::int64_t y) { return is_less(type, x, y); });
  }
  a.type = DType::kI32;
}

/// Truth values as 0 and 1.
void apply_logical(Function function, std::span<Lanes> operands, std::size_t count) {
  map_integers(operands, count, [function](std::int64_t a, std::int64_t b) -> std::int64_t {
    if (function == Function::kNot) return a == 0 ? 1 : 0;
    if (function == Function::kAnd) return a != 0 && b != 0 ? 1 : 0;
    return a != 0 || b != 0 ? 1 : 0;
  });
}

void choose(std::span<Lanes> operands, std::size_t count) {
  Lanes& result = operands[0];
  result.type = operands[1].type;
  for (std::size_t i = 0; i != count; ++i) {
    const Lanes& chosen = operands[result.integer[i] != 0 ? 1 : 2];
    if (result.is_real()) {
      result.real[i] = chosen.real[i];
    } else {
      result.integer[i] = chosen.integer[i];
    }
  }
}

/// A truth value as a number of a computed type.
Number truth_number(bool holds, DType type) {
  return is_float(type) ? Number(holds ? 1.0 : 0.0) : Number(std::int64_t{holds});
}

Number number_at(const Lanes& lanes, std::size_t i) {
  if (lanes.is_real()) return Number(lanes.real[i]);
  if (!is_large(lanes.type, lanes.integer[i])) return Number(lanes.integer[i]);
  return Number(with_sticky_bit(as_unsigned(lanes.integer[i])));
}

void encode_floats(const Lanes& lanes, std::span<std::uint64_t> bits) {
  const std::uint64_t nan = encode(DType::kF32, Number(std::nan("")));
  for (std::size_t i = 0; i != bits.size(); ++i) {
    const double value = lanes.real[i];
    bits[i] = value == value ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : nan;
  }
}

}  // namespace

void decode_lanes(DType type, std::span<const std::uint64_t> bits, Lanes& lanes) {
  lanes.type = computed_in(type);
  for (std::size_t i = 0; i != bits.size(); ++i) {
    if (type == DType::kF32) {
      lanes.real[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits[i]));
    } else if (type == DType::kI32) {
      lanes.integer[i] = static_cast<std::int32_t>(bits[i]);
    } else if (is_float(type)) {
      lanes.real[i] = decode(type, bits[i]).real;
    } else {
      lanes.integer[i] = decode(type, bits[i]).integer;
    }
  }
}

void encode_lanes(DType type, const Lanes& lanes, std::span<std::uint64_t> bits) {
  if (type == DType::kF32 && lanes.is_real()) return encode_floats(lanes, bits);
  if (type == DType::kF64 && !lanes.is_real()) {
    for (std::size_t i = 0; i != bits.size(); ++i) {
      bits[i] = encode(type, Number(integer_as_real(lanes.type, type, lanes.integer[i])));
    }
    return;
  }
  if (is_float(type) || lanes.is_real()) {
    for (std::size_t i = 0; i != bits.size(); ++i) bits[i] = encode(type, number_at(lanes, i));
    return;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - kernel::bits(type));
  for (std::size_t i = 0; i != bits.size(); ++i) {
    bits[i] = type == DType::kBool ? static_cast<std::uint64_t>(lanes.integer[i] != 0)
                                   : as_unsigned(lanes.integer[i]) & mask;
  }
}

void convert_lanes(Lanes& lanes, DType type, std::size_t count) {
  const DType from = lanes.type;
  if (from == type) return;
  const bool was_real = lanes.is_real();
  lanes.type = type;
  for (std::size_t i = 0; i != count; ++i) {
    if (lanes.is_real()) {
      lanes.real[i] = was_real ? rounded_to(type, lanes.real[i])
                               : integer_as_real(from, type, lanes.integer[i]);
    } else {
      lanes.integer[i] = was_real ? converted(type, Number(lanes.real[i])).integer
                                  : wrapped_to(type, lanes.integer[i]);
    }
  }
}

void fill_lanes(Lanes& lanes, const Number& value, std::size_t count) {
  lanes.type = value.is_real ? DType::kF64 : DType::kI64;
  if (value.is_real) {
    std::fill_n(lanes.real.begin(), count, value.real);
  } else {
    std::fill_n(lanes.integer.begin(), count, value.integer);
  }
}

void apply_lanes(Function function, std::span<Lanes> operands, std::size_t count) {
  if (function == Function::kSelect) return choose(operands, count);
  if (function >= Function::kEqual && function <= Function::kAtMost) {
    return compare(function, operands, count);
  }
  if (function >= Function::kAnd && function <= Function::kNot) {
    return apply_logical(function, operands, count);
  }
  if (operands[0].is_real()) return apply_reals(function, operands, count);
  apply_integers(function, operands, count);
}

Number folded(Fold fold, DType type, const Number& a, const Number& b) {
  const auto is_true = [](const Number& x) { return x.is_real ? x.real != 0 : x.integer != 0; };
  if (fold == Fold::kAny) return truth_number(is_true(a) || is_true(b), type);
  if (fold == Fold::kAll) return truth_number(is_true(a) && is_true(b), type);
  if (is_float(type)) {
    if (fold == Fold::kSum) return Number(sum(type, a.real, b.real));
    if (fold == Fold::kProduct) return Number(product(type, a.real, b.real));
    return Number(fold == Fold::kMaximum ? greater_number(a.real, b.real)
                                         : lesser_number(a.real, b.real));
  }
  const std::uint64_t x = as_unsigned(a.integer);
  const std::uint64_t y = as_unsigned(b.integer);
  if (fold == Fold::kSum) return Number(wrapped_to(type, as_signed(x + y)));
  if (fold == Fold::kProduct) return Number(wrapped_to(type, as_signed(x * y)));
  const bool takes_second = fold == Fold::kMaximum ? is_less(type, a.integer, b.integer)
                                                   : is_less(type, b.integer, a.integer);
  return takes_second ? b : a;
}

}  // namespace heddle::kernel::meaning

#include "form/machine/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace heddle::form {
namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

/// What one type is called: by PTX, by other vendors, by C++ and CUTLASS, by Python and MLIR.
constexpr std::array<std::array<std::string_view, 6>, 17> kTypeNames = {{
    {"f64", "fp64", "double", "float64"},
    {"f32", "fp32", "float", "float32"},
    {"f16", "fp16", "half", "half_t", "float16"},
    {"bf16", "bfloat", "bfloat16", "bfloat16_t"},
    {"tf32", "tfloat32", "tfloat32_t"},
    {"s32", "i32", "int32", "int32_t", "int"},
    {"s16", "i16", "int16", "int16_t"},
    {"s8", "i8", "int8", "int8_t"},
    {"u8", "uint8", "uint8_t"},
    {"s4", "i4", "int4", "int4_t", "int4b_t"},
    {"u4", "uint4", "uint4_t", "uint4b_t"},
    {"e4m3", "float_e4m3_t", "f8e4m3fn", "float8_e4m3fn", "fp8e4nv"},
    {"e5m2", "float_e5m2_t", "f8e5m2", "float8_e5m2", "fp8e5"},
    {"e3m2", "float_e3m2_t", "f6e3m2fn"},
    {"e2m3", "float_e2m3_t", "f6e2m3fn"},
    {"e2m1", "float_e2m1_t", "f4e2m1fn", "float4_e2m1fn"},
    {"ue8m0", "e8m0", "float_ue8m0_t", "f8e8m0fnu", "float8_e8m0fnu"},
}};

/// The first name of the type; the name itself if no other is known.
std::string_view first_name(std::string_view type) {
  for (const auto& names : kTypeNames) {
    const auto found = std::ranges::find_if(
        names, [&](std::string_view name) { return !name.empty() && same_name(name, type); });
    if (found != names.end()) return names.front();
  }
  return type;
}

}  // namespace

bool same_type(std::string_view a, std::string_view b) {
  return same_name(first_name(a), first_name(b));
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string lower_case(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string> expand(std::string_view pattern) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return {std::string(pattern)};
  const std::size_t close = pattern.find('}', open);
  const std::vector<std::string> tails = expand(pattern.substr(close + 1));
  std::vector<std::string> names;
  for (const std::string_view choice : split(pattern.substr(open + 1, close - open - 1), ',')) {
    for (const std::string& tail : tails) {
      names.push_back(std::string(pattern.substr(0, open)) + std::string(choice) + tail);
    }
  }
  return names;
}

}  // namespace heddle::form

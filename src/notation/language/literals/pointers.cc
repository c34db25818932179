#include "notation/language/literals/pointers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"

namespace heddle::notation {
namespace {

using cute::MemorySpace;

struct Prefix {
  std::string_view text;
  MemorySpace space;
};

constexpr std::array kPrefixes = {
    Prefix{"gmem_", MemorySpace::kGlobal},
    Prefix{"smem_", MemorySpace::kShared},
    Prefix{"rmem_", MemorySpace::kRegister},
    Prefix{"tmem_", MemorySpace::kTensor},
};

/// Uses `word` at the beginning of the text, if it is there.
bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// What may stand between the parentheses: an address, also as `%p` prints a null pointer or as
/// documents shorten it.
std::optional<std::string_view> match_address(std::string_view& text) {
  for (const std::string_view none : {"unset", "(nil)", "nullptr"}) {
    const std::string_view before = text;
    if (skip(text, none) && skip(text, ")"))
      return none == "unset" ? std::string_view() : before.substr(0, none.size());
    text = before;
  }
  constexpr std::string_view kAddressCharacters = "0123456789abcdefABCDEFx.\u2026";
  const std::size_t length = text.find_first_not_of(kAddressCharacters);
  if (length == std::string_view::npos || length == 0 || text[length] != ')') return std::nullopt;
  const std::string_view address = text.substr(0, length);
  text.remove_prefix(length + 1);
  return address;
}

struct Width {
  std::string_view type;
  std::int64_t bits;
};

// sizeof_bits of CuTe's and C++'s types, and MLIR's names.
constexpr std::array kWidths = {
    Width{"half_t", 16},
    Width{"bfloat16_t", 16},
    Width{"tfloat32_t", 32},
    Width{"float", 32},
    Width{"double", 64},
    Width{"__half", 16},
    Width{"__nv_bfloat16", 16},
    Width{"float_e4m3_t", 8},
    Width{"float_e5m2_t", 8},
    Width{"float_ue4m3_t", 8},
    Width{"float_ue8m0_t", 8},
    Width{"float_e3m2_t", 6},
    Width{"float_e2m3_t", 6},
    Width{"float_e2m1_t", 4},
    Width{"__nv_fp8_e4m3", 8},
    Width{"__nv_fp8_e5m2", 8},
    Width{"char", 8},
    Width{"signed char", 8},
    Width{"unsigned char", 8},
    Width{"bool", 8},
    Width{"short", 16},
    Width{"unsigned short", 16},
    Width{"int", 32},
    Width{"unsigned int", 32},
    Width{"unsigned", 32},
    Width{"long", 64},
    Width{"unsigned long", 64},
    Width{"long long", 64},
    Width{"unsigned long long", 64},
    Width{"int8_t", 8},
    Width{"uint8_t", 8},
    Width{"int16_t", 16},
    Width{"uint16_t", 16},
    Width{"int32_t", 32},
    Width{"uint32_t", 32},
    Width{"int64_t", 64},
    Width{"uint64_t", 64},
    Width{"size_t", 64},
    Width{"uint128_t", 128},
    Width{"int128_t", 128},
    Width{"uint256_t", 256},
    Width{"int2b_t", 2},
    Width{"uint2b_t", 2},
    Width{"int2_t", 2},
    Width{"uint2_t", 2},
    Width{"int4b_t", 4},
    Width{"uint4b_t", 4},
    Width{"int4_t", 4},
    Width{"uint4_t", 4},
    Width{"int6_t", 6},
    Width{"uint6_t", 6},
    Width{"uint1b_t", 1},
    Width{"bin1_t", 1},
    Width{"uint1_t", 1},
    Width{"bf16", 16},
    Width{"tf32", 32},
    Width{"f8E4M3FN", 8},
    Width{"f8E5M2", 8},
    Width{"f8E4M3", 8},
    Width{"f8E8M0FNU", 8},
    Width{"f6E3M2FN", 6},
    Width{"f6E2M3FN", 6},
    Width{"f4E2M1FN", 4},
};

/// `f16`, `i8`, `ui8`, `si32`: a letter or two and the width.
std::optional<std::int64_t> numbered_width(std::string_view type) {
  for (const std::string_view kind : {"f", "i", "ui", "si", "u", "s"}) {
    std::string_view digits = type;
    if (!skip(digits, kind)) continue;
    const std::optional<std::int64_t> bits = integer_in(digits);
    if (bits && *bits > 0 && *bits <= 1024) return bits;
  }
  return std::nullopt;
}

}  // namespace

std::optional<PrintedPointer> match_pointer(std::string_view text) {
  PrintedPointer pointer;
  std::string_view rest = text;
  pointer.is_swizzled = skip(rest, "_");
  for (const Prefix& prefix : kPrefixes) {
    if (!skip(rest, prefix.text)) continue;
    pointer.literal.space = prefix.space;
    break;
  }
  pointer.literal.is_subbyte = skip(rest, "subptr");
  const bool has_word = pointer.literal.is_subbyte || skip(rest, "ptr");
  const bool is_bare = pointer.literal.space == MemorySpace::kTensor;
  if ((!has_word && !is_bare) || !skip(rest, "[")) return std::nullopt;
  pointer.literal.bits = take_integer(rest).value_or(0);
  if (pointer.literal.bits < 1) return std::nullopt;
  if (!skip(rest, "b](")) return std::nullopt;
  const auto address = match_address(rest);
  if (!address) return std::nullopt;
  pointer.literal.address = *address;
  pointer.length = text.size() - rest.size();
  return pointer;
}

std::optional<std::int64_t> element_bits(std::string_view type) {
  const auto found = std::ranges::find(kWidths, type, &Width::type);
  if (found != kWidths.end()) return found->bits;
  return numbered_width(type);
}

}  // namespace heddle::notation

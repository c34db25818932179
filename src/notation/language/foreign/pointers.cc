#include "notation/language/foreign/pointers.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "core/text.h"
#include "core/words.h"

namespace heddle::notation {
namespace {

using cute::MemorySpace;

struct SpaceName {
  std::string_view text;
  MemorySpace space;
};

constexpr std::array kSpaces = {
    SpaceName{"gmem", MemorySpace::kGlobal},     SpaceName{"smem", MemorySpace::kShared},
    SpaceName{"rmem", MemorySpace::kRegister},   SpaceName{"tmem", MemorySpace::kTensor},
    SpaceName{"generic", MemorySpace::kGeneric},
};

/// Consumes `word` if the text begins with it.
bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// The address between the parentheses, also as `%p` prints a null pointer, or as documents write
/// it: shortened, or with names, `GMEM_ADDR_A + offset`.
std::optional<std::string_view> match_address(std::string_view& text) {
  for (const std::string_view none : {"unset", "(nil)", "nullptr"}) {
    const std::string_view before = text;
    if (skip(text, none) && skip(text, ")"))
      return none == "unset" ? std::string_view() : before.substr(0, none.size());
    text = before;
  }
  constexpr std::string_view kSigns = " .+-*\u2026";
  std::size_t length = 0;
  while (length < text.size() &&
         (is_word_character(text[length]) || kSigns.find(text[length]) != kSigns.npos))
    ++length;
  if (length == text.size() || length == 0 || text[length] != ')') return std::nullopt;
  const std::string_view address = text.substr(0, length);
  text.remove_prefix(length + 1);
  return address;
}

/// The element types of one width, separated by commas.
struct Width {
  std::int64_t bits;
  std::string_view types;
};

// sizeof_bits of CuTe's and C++'s types, and the names of MLIR and of Triton in Python.
constexpr std::array kWidths = {
    Width{1, "uint1b_t,bin1_t,uint1_t,int1"},
    Width{2, "int2b_t,uint2b_t,int2_t,uint2_t"},
    Width{4, "float_e2m1_t,int4b_t,uint4b_t,int4_t,uint4_t,f4E2M1FN"},
    Width{6, "float_e3m2_t,float_e2m3_t,int6_t,uint6_t,f6E3M2FN,f6E2M3FN"},
    Width{8,
          "float_e4m3_t,float_e5m2_t,float_ue4m3_t,float_ue8m0_t,__nv_fp8_e4m3,__nv_fp8_e5m2,"
          "char,signed char,unsigned char,bool,int8_t,uint8_t,f8E4M3FN,f8E5M2,f8E4M3,f8E8M0FNU,"
          "int8,uint8,float8e5,float8e5b16,float8e4nv,float8e4b8,float8e4b15"},
    Width{16,
          "half_t,bfloat16_t,__half,__nv_bfloat16,short,unsigned short,int16_t,uint16_t,bf16,"
          "float16,bfloat16,int16,uint16"},
    Width{32,
          "tfloat32_t,float,int,unsigned int,unsigned,int32_t,uint32_t,tf32,float32,int32,"
          "uint32"},
    Width{64,
          "double,long,unsigned long,long long,unsigned long long,int64_t,uint64_t,size_t,"
          "float64,int64,uint64"},
    Width{128, "uint128_t,int128_t"},
    Width{256, "uint256_t"},
};

bool is_listed(std::string_view word, std::string_view list) {
  return std::ranges::any_of(list | std::views::split(','), [&](auto item) {
    return std::string_view(item.begin(), item.end()) == word;
  });
}

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

std::optional<MemorySpace> memory_space_named(std::string_view name) {
  const auto found = std::ranges::find(kSpaces, name, &SpaceName::text);
  return found == kSpaces.end() ? std::nullopt : std::optional(found->space);
}

std::optional<PrintedPointer> match_pointer(std::string_view text) {
  PrintedPointer pointer;
  std::string_view rest = text;
  pointer.is_swizzled = skip(rest, "_");
  constexpr std::size_t kLength = 4;  // of gmem, smem, rmem and tmem
  const bool has_space = rest.size() > kLength && rest[kLength] == '_';
  if (const auto space = memory_space_named(rest.substr(0, kLength)); has_space && space) {
    pointer.literal.space = *space;
    rest.remove_prefix(kLength + 1);
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
  const auto found = std::ranges::find_if(
      kWidths, [&](const Width& width) { return is_listed(type, width.types); });
  if (found != kWidths.end()) return found->bits;
  return numbered_width(type);
}

}  // namespace heddle::notation

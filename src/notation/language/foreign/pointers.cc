#include "notation/language/foreign/pointers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "core/words.h"
#include "heddle/form/element_type.h"

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
  const form::ElementType* known = form::find_element_type(type);
  return known != nullptr ? std::optional(known->bits) : numbered_width(type);
}

}  // namespace heddle::notation

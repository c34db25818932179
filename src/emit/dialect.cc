// The names of the languages, and the names that they reserve.

#include "heddle/emit/dialect.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "core/words.h"

namespace heddle::emit {
namespace {

struct DialectText {
  Dialect dialect;
  std::string_view name;
  std::string_view title;
};

constexpr std::array kTexts = {
    DialectText{Dialect::kHeddle, "heddle", "the expression language"},
    DialectText{Dialect::kC, "c", "C"},
    DialectText{Dialect::kCpp, "cpp", "C++"},
    DialectText{Dialect::kCuda, "cuda", "CUDA"},
    DialectText{Dialect::kHip, "hip", "HIP"},
    DialectText{Dialect::kOpenCl, "opencl", "OpenCL C"},
    DialectText{Dialect::kTriton, "triton", "Triton"},
    DialectText{Dialect::kPython, "python", "Python"},
    DialectText{Dialect::kMlir, "mlir", "MLIR"},
    DialectText{Dialect::kLatex, "latex", "LaTeX"},
};

constexpr auto kDialects = [] {
  std::array<Dialect, kTexts.size()> dialects{};
  std::ranges::transform(kTexts, dialects.begin(), &DialectText::dialect);
  return dialects;
}();

/// Words of C, C++ and the GPU dialects together, because code is pasted from one into another.
constexpr std::string_view kWordsOfC =
    " NULL _Bool alignas alignof and and_eq asm auto bitand bitor bool break case catch char"
    " char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast"
    " constant consteval constexpr constinit continue decltype default delete do double"
    " dynamic_cast else enum explicit export extern false float for friend global goto half if"
    " inline int int16_t int32_t int64_t int8_t kernel linux local long main mutable namespace new"
    " noexcept not not_eq nullptr operator or or_eq private protected public register"
    " reinterpret_cast requires restrict return short signed size_t sizeof static static_assert"
    " static_cast struct switch template this thread_local throw true try typedef typeid typename"
    " typeof uint16_t uint32_t uint64_t uint8_t union unix unsigned using virtual void volatile"
    " wchar_t while xor xor_eq ";

/// Further definitions of GPU headers, only those that could be the name of a coordinate.
constexpr std::string_view kWordsOfGpus =
    " blockDim blockIdx char2 dim3 double2 float2 float4 gridDim int2 int3 int4 long2 max min"
    " sampler_t threadIdx uchar uint ulong ushort warpSize ";

constexpr std::string_view kWordsOfPython =
    " False None True and as assert async await break class continue def del elif else except"
    " finally for from gcd global if import in is isqrt lambda max min nonlocal not or pass raise"
    " return try while with yield ";

const DialectText& text_of(Dialect dialect) { return kTexts[static_cast<std::size_t>(dialect)]; }

/// Whether the word is among `words`, each of which has a blank on either side.
bool is_among(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

/// Whether MLIR prints values under such a name: `%c8`, `%c8_0`, `%true`, `%arg0`.
bool is_value_of_mlir(std::string_view word) {
  const auto is_numbered = [&](std::string_view stem) {
    return word.size() > stem.size() && word.starts_with(stem) && is_digit(word[stem.size()]);
  };
  const bool is_truth = word.starts_with("true") || word.starts_with("false");
  return !word.ends_with('_') && (is_truth || is_numbered("c") || is_numbered("arg"));
}

}  // namespace

std::string_view name_of(Dialect dialect) { return text_of(dialect).name; }
std::string_view title_of(Dialect dialect) { return text_of(dialect).title; }

std::optional<Dialect> find_dialect(std::string_view name) {
  const auto found = std::ranges::find(kTexts, name, &DialectText::name);
  return found == kTexts.end() ? std::nullopt : std::optional(found->dialect);
}

std::span<const Dialect> dialects() { return kDialects; }

std::string names_of(std::span<const Dialect> dialects) {
  return fmt::format("{}", fmt::join(dialects | std::views::transform(name_of), ", "));
}

bool is_c_like(Dialect dialect) { return Dialect::kC <= dialect && dialect <= Dialect::kOpenCl; }
bool is_cpp_like(Dialect dialect) { return Dialect::kCpp <= dialect && dialect <= Dialect::kHip; }
bool is_python_like(Dialect dialect) {
  return dialect == Dialect::kTriton || dialect == Dialect::kPython;
}
bool is_program(Dialect dialect) {
  return is_c_like(dialect) || is_python_like(dialect) || dialect == Dialect::kMlir;
}

bool is_built(Dialect dialect) {
#ifdef HEDDLE_HAS_MLIR
  constexpr bool kHasMlir = true;
#else
  constexpr bool kHasMlir = false;
#endif
  return kHasMlir || dialect != Dialect::kMlir;
}

std::string_view comment_sign(Dialect dialect) {
  if (is_python_like(dialect)) return "#";
  return dialect == Dialect::kLatex ? "%" : "//";
}

bool is_identifier(std::string_view text) {
  return !text.empty() && begins_name(text.front()) && std::ranges::all_of(text, is_word_character);
}

bool is_reserved(std::string_view word, Dialect dialect) {
  if (!is_program(dialect)) return false;
  if (word.starts_with("heddle_")) return true;
  if (dialect == Dialect::kMlir) return is_value_of_mlir(word);
  if (is_c_like(dialect)) return is_among(kWordsOfC, word) || is_among(kWordsOfGpus, word);
  const bool is_module = dialect == Dialect::kTriton && (word == "tl" || word == "triton");
  return is_module || is_among(kWordsOfPython, word);
}

}  // namespace heddle::emit

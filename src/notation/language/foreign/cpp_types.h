#pragma once

// C++ types as in compiler output and in sources:
//
//   cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, cute::_1> >
//   Layout<Shape<_8,_64>, Stride<_64,_1>>
//
//   Layout                                  (8,64):(64,1) as an expression
//     tuple  C<8> C<64>
//     tuple  C<64> _1
//
// Reading has two steps: parsing to a tree of names and numbers, which knows only C++, and
// translation, which knows CuTe's names. Parts that are no types of CuTe (lambdas, function types)
// are skipped: they are refused only by the translation.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// A type, or another argument of a template.
struct CppType {
  enum class Kind : std::uint8_t {
    kName,     // cute::tuple<…>, unsigned long
    kInteger,  // 8, 8ul, (int)8, true
    kPack,     // <0, 1> or {0, 1}: what a pack of template parameters is
    kOpaque,   // anything else
  };

  Kind kind = Kind::kOpaque;
  /// `tuple`, without namespaces and the enclosing class; words of a built-in type are unchanged.
  std::string_view name;
  std::int64_t value = 0;
  /// Whether `<…>` follows, and how many `*`.
  bool is_template = false;
  int pointers = 0;
  std::vector<CppType> arguments;
  Span span;
};

/// Types nest at most this deep (`syntax.too_deep`) and have at most kMaxTerms parts
/// (`syntax.too_long`).
inline constexpr std::size_t kMaxTypeNesting = 128;

/// The type that begins at `position`, which moves past it, including `const`, `&` and `{}`.
/// Refuses `syntax.unbalanced`, `syntax.number` and the limits above.
[[nodiscard]] Result<CppType> read_cpp_type(std::string_view text, std::size_t& position);

/// The arguments in the `<…>` at `position`, which moves past it, as a pack.
[[nodiscard]] Result<CppType> read_cpp_pack(std::string_view text, std::size_t& position);

/// Names of template parameters with their types, in the order written.
using CppBindings = std::vector<std::pair<std::string_view, CppType>>;

/// The bindings of a `[with T = int; U = float]` (g++) or `[with T=int, U=float]` (nvcc) that
/// begins at `position`, which moves past it.
[[nodiscard]] Result<CppBindings> read_cpp_bindings(std::string_view text, std::size_t& position);

/// The type with every bound name replaced; a pack that is an argument by itself is expanded.
/// Refuses `syntax.too_long`.
[[nodiscard]] Result<CppType> substitute(const CppType& type, const CppBindings& bindings);

/// The expression of a type of CuTe: a layout, a tuple, an integer, a swizzle, a tensor, …. Refuses
/// `syntax.cpp_type` for other types and unknown template parameters.
/// `text` is the text of the type; the bindings are for integers that it computes: 2*kM.
[[nodiscard]] Result<Expression> expression_of(const CppType& type, std::string_view text,
                                               const CppBindings& bindings = {});

/// Whether the text begins with a name that only a C++ type begins with: a qualified one, or one of
/// CuTe's templates before its `<`.
[[nodiscard]] bool begins_cpp_type(std::string_view text);

}  // namespace heddle::notation

#pragma once

// Which call of CuTe an instantiated function template was, with its operands as expressions:
//
//   auto cute::composition(const cute::Layout<LShape, LStride> &, const Tiler &)
//     [with LShape=cute::tuple<cute::_8, cute::_8>, LStride=cute::tuple<cute::_8, cute::_1>,
//      Tiler=cute::C<12>]                                                      g++ and nvcc
//   cute::composition<cute::tuple<…>, cute::tuple<…>, cute::C<12>>                  clang
//
//   composition((8,8):(8,1), 12)

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// A call of CuTe in Heddle's words.
struct CuteCall {
  /// The function of CuTe: `composition`, `Layout::operator()`.
  std::string function;
  /// The call that asks the same of Heddle, `composition((8,8):(8,1), 12:1)`.
  std::string expression;
  /// The operands as texts, in the order of the call.
  std::vector<std::string> operands;
  /// Some of them are known only when the program runs: the expression has a `?`.
  bool is_dynamic = false;
  /// The expression does not do what the function does but measures what it asks for.
  bool is_measure = false;
};

/// The function that the text of an instantiation names: `composition`, `Layout::operator()`; empty
/// where it is none of CuTe's.
[[nodiscard]] std::string cute_function(std::string_view signature);

/// Whether calls of it can be made again here.
[[nodiscard]] bool is_known_function(std::string_view function);

/// The call; nothing where the function is none that Heddle knows, or an operand cannot be read.
[[nodiscard]] std::optional<CuteCall> cute_call(std::string_view signature);

/// An expression of literals and calls as text; a dynamic number is `?`. For expressions that
/// expression_of() (cpp_types.h) has made.
[[nodiscard]] std::string to_string(const Expression& expression);

}  // namespace heddle::notation

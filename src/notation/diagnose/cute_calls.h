#pragma once

// Finds the call of CuTe that instantiated a function template, with its operands as expressions:
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

/// A call of CuTe in Heddle's notation.
struct CuteCall {
  /// The function of CuTe: `composition`, `Layout::operator()`.
  std::string function;
  /// The equivalent call in Heddle, `composition((8,8):(8,1), 12:1)`.
  std::string expression;
  /// The operands as texts, in the order of the call.
  std::vector<std::string> operands;
  /// Some operands are known only at run time: the expression has a `?`.
  bool is_dynamic = false;
  /// The expression does not compute the function's result but measures what the function requires.
  bool is_measure = false;
};

/// The function that the text of an instantiation names: `composition`, `Layout::operator()`; empty
/// if it is none of CuTe's.
[[nodiscard]] std::string cute_function(std::string_view signature);

/// Whether Heddle can repeat calls of the function.
[[nodiscard]] bool is_known_function(std::string_view function);

/// The call; nullopt if Heddle does not know the function, or if an operand cannot be read.
[[nodiscard]] std::optional<CuteCall> cute_call(std::string_view signature);

/// An expression of literals and calls as text; a dynamic number is `?`. For expressions that
/// expression_of() (cpp_types.h) has made.
[[nodiscard]] std::string to_string(const Expression& expression);

}  // namespace heddle::notation

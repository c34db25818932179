#pragma once

// Files with placeholders, split into text and expressions to be replaced by code.
//
//   c_ptrs = c_ptr + {{ lc_optr }}        text `c_ptrs = c_ptr + `, placeholder `lc_optr`
//   int a[2][2] = {{1, 2}, {3, 4}};       text: a placeholder has a space after its {{
//   printf("{{{{ x }}");                  text: `{{{{` is written for `{{`
//
// (Seed 001, section IV-A: the placeholders of Jinja2.) Expressions are only split off here as
// text; the caller evaluates them.

#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

struct Delimiters {
  std::string open = "{{";
  std::string close = "}}";
};

/// Literal text, or a placeholder.
struct TemplatePiece {
  bool is_placeholder = false;
  /// The text with escapes replaced; the expression without the blanks around it.
  std::string text;
  /// The place of the text, or of the expression, in the file.
  Span span;
  /// For a placeholder: the line that its expression begins on, counted from 1.
  std::size_t line = 1;
};

/// The greatest length of a template, in bytes (`template.too_long`).
inline constexpr std::size_t kMaxTemplate = std::size_t{4} << 20;

/// The pieces of a file, in order. Refuses, with the place, `template.unclosed` for a placeholder
/// without end, `template.nested` for one that begins within another, `template.empty` for one
/// without an expression, `template.binary` for a file that is no text in UTF-8,
/// `template.too_long`, `template.delimiters` for delimiters that are empty, alike or hold blanks.
/// Cost: linear.
[[nodiscard]] Result<std::vector<TemplatePiece>> parse_template(std::string_view file,
                                                                const Delimiters& delimiters = {});

/// Two delimiters with a space between them: `<% %>`. Refuses `template.delimiters`.
[[nodiscard]] Result<Delimiters> delimiters_in(std::string_view text);

}  // namespace heddle::emit
#pragma GCC visibility pop

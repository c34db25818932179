#pragma once

// The languages that kernels and papers are written in.
//
//   find_dialect("opencl")            Dialect::kOpenCl
//   title_of(Dialect::kOpenCl)        "OpenCL C"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace heddle::emit {

enum class Dialect : std::uint8_t {
  kHeddle,  // the expression language
  kC,
  kCpp,
  kCuda,
  kHip,
  kOpenCl,
  kTriton,
  kPython,
  kMlir,
  kLatex,
};

/// `heddle`, `c`, `cpp`, `cuda`, `hip`, `opencl`, `triton`, `python`, `mlir`,
/// `latex`.
[[nodiscard]] std::string_view name_of(Dialect dialect);
/// `C++`, `OpenCL C`, …, for messages.
[[nodiscard]] std::string_view title_of(Dialect dialect);
/// The language of this name; nothing where there is none.
[[nodiscard]] std::optional<Dialect> find_dialect(std::string_view name);
/// All of them, the expression language first.
[[nodiscard]] std::span<const Dialect> dialects();
/// `c, cpp, cuda`, for messages.
[[nodiscard]] std::string names_of(std::span<const Dialect> dialects);

/// Its expressions are C's: C, C++, CUDA, HIP, OpenCL C.
[[nodiscard]] bool is_c_like(Dialect dialect);
/// C++, CUDA, HIP.
[[nodiscard]] bool is_cpp_like(Dialect dialect);
/// Python, Triton.
[[nodiscard]] bool is_python_like(Dialect dialect);
/// Functions are written in it by this build: MLIR only with the component HEDDLE_MLIR.
[[nodiscard]] bool is_built(Dialect dialect);
/// Programs are written in it: all but the expression language and LaTeX.
[[nodiscard]] bool is_program(Dialect dialect);

/// What makes the rest of a line a comment: `//`, `#`, `%`.
[[nodiscard]] std::string_view comment_sign(Dialect dialect);

/// A letter or `_`, then letters, digits and `_`.
[[nodiscard]] bool is_identifier(std::string_view text);
/// The word means something in the language, or may in what printed text comes with.
[[nodiscard]] bool is_reserved(std::string_view word, Dialect dialect);

}  // namespace heddle::emit
#pragma GCC visibility pop

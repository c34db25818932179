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
/// The language of this name; nullopt if there is none.
[[nodiscard]] std::optional<Dialect> find_dialect(std::string_view name);
/// All languages, the expression language first.
[[nodiscard]] std::span<const Dialect> dialects();
/// `c, cpp, cuda`, for messages.
[[nodiscard]] std::string names_of(std::span<const Dialect> dialects);

/// Whether its expressions are those of C: C, C++, CUDA, HIP, OpenCL C.
[[nodiscard]] bool is_c_like(Dialect dialect);
/// Whether it is C++, CUDA or HIP.
[[nodiscard]] bool is_cpp_like(Dialect dialect);
/// Whether it is Python or Triton.
[[nodiscard]] bool is_python_like(Dialect dialect);
/// Whether this build writes functions in it: MLIR only with the component HEDDLE_MLIR.
[[nodiscard]] bool is_built(Dialect dialect);
/// Whether programs are written in it: all but the expression language and LaTeX.
[[nodiscard]] bool is_program(Dialect dialect);

/// The start of a line comment: `//`, `#`, `%`.
[[nodiscard]] std::string_view comment_sign(Dialect dialect);

/// Whether the text is a letter or `_`, then letters, digits and `_`.
[[nodiscard]] bool is_identifier(std::string_view text);
/// Whether the word has a meaning in the language, or may have one in code around printed text.
[[nodiscard]] bool is_reserved(std::string_view word, Dialect dialect);

}  // namespace heddle::emit
#pragma GCC visibility pop

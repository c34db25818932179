// What CUDA, OpenCL, Triton, TileLang, C and Python write otherwise: the hint says what is typed
// here.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/kernel.h"

namespace heddle::notation {
namespace {

/// The refusal of a program: its code, message and hint.
std::string message_of(std::string_view text) {
  const auto kernels = parse_kernels(text);
  if (kernels) return "not refused";
  const Diagnostic& error = kernels.error();
  std::string shown = error.code() + ": " + error.message();
  if (!error.hint().empty()) shown += "\n  hint: " + error.hint();
  return shown;
}

/// The refusal of statements in a kernel.
std::string refused(std::string_view statements) {
  return message_of(
      "kernel f(A: f32[M,N], B: f32[N,M], X: f32[N], Y: f32[N], I: i32[M], eps: f32)\n"
      "  launch cta M, threads 128 {\n" +
      std::string(statements) + "\n}");
}

/// The hint alone.
std::string hint_of(std::string_view statements) {
  const std::string shown = refused(statements);
  const std::size_t at = shown.find("  hint: ");
  return at == std::string::npos ? shown : shown.substr(at + 8);
}

struct Case {
  std::string_view typed;
  std::string_view answer;
};

}  // namespace
}  // namespace heddle::notation

// Texts of kernels that are refused, each with its place and with what helps.

#include <heddle/notation/kernel.h>

#include <initializer_list>
#include <iostream>
#include <string>
#include <string_view>

int main() {
  const std::string head = "kernel f(A: f32[M,N], x: f32[N], I: i32[M]) launch cta M, threads 128";
  for (const std::string_view body : {
           "x[0] = alpha",
           "reg x: f32[8]",
           "reg s: f31",
           "x[I[bx]] = 0",
           "x[tx] = 0",
           "2*x = A[0]",
           "x = (x, 1)",
           "x = expp(x)",
           "for k in range(8, 0, -1) { x[k] = 0 }",
           "while true { x[bx] = 0 }",
           "copi(x, A[0])",
           "copy(x, pad=0, A[0])",
           "copy(x, A[0], pad=x[0])",
           "copy(x, A.permute(0, -1)[0])",
           "def half(v) { half(v) }; half(x)",
       }) {
    const std::string text = head + "\n{ " + std::string(body) + " }";
    std::cout << heddle::notation::parse_kernels(text).error().to_string(text) << "\n";
  }
  const std::string_view idle = "kernel f() launch cta 1, threads 0 {}";
  std::cout << heddle::notation::parse_kernels(idle).error().to_string(idle) << "\n";
}

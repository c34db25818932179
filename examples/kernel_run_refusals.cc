// Kernels that are refused when they are run, or with these arguments.

#include <heddle/kernel/meaning.h>
#include <heddle/notation/kernel.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

using heddle::kernel::Array;
using heddle::kernel::DType;

namespace {

void show(std::string_view text, const std::vector<Array>& arguments) {
  const auto kernels = heddle::notation::parse_kernels(text);
  if (!kernels) return void(std::cout << kernels.error().to_string(text) << "\n");
  const auto result = heddle::kernel::run(kernels->front(), arguments, {{}, 1'000'000});
  if (!result) std::cout << result.error().to_string(text) << "\n";
}

Array integers(std::vector<std::uint64_t> numbers) {
  return {DType::kI32, {static_cast<std::int64_t>(numbers.size())}, numbers};
}

}  // namespace

int main() {
  const std::vector<Array> arguments = {integers({1, 2, 3, 4}), integers({0, 2, 2, 9})};
  const std::string head = "kernel f(x: i32[4], y: i32[4]) launch cta 2, threads 32\n";
  for (const std::string_view body : {
           "{ x[0] = 1 }",
           "{ shared s: i32[4]; x[2*bx : +2] = s[0 : +2] }",
           "{ shared s: i32[4]; copy_async(s, y, group=\"loads\"); x[bx] = s[0] }",
           "{ shared s: i32[4]; gather(s, x, y, axis=0) }",
           "{ shared s: i32[4]; fill(s, 0); while s[0] == 0 { fill(s, 0) } }",
           "{ unchecked cuda \"__nanosleep(20);\" }",
       }) {
    show(head + std::string(body), arguments);
  }
  const std::string_view copies =
      "kernel f(x: i32[M], y: i32[M]) assume M % 8 == 0 launch cta 1, threads 32 { x = y }";
  show(copies, arguments);
  show(copies, {arguments[0]});
  show(copies, {arguments[0], integers({1, 2})});
  show("kernel f(x: i32[M], y: i32[M]) launch cta 1, threads 32 { x = y }",
       {arguments[0], integers({1, 2})});
}

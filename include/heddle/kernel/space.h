#pragma once

// Where the elements of a tensor are held.

#include <cstdint>
#include <string_view>

#pragma GCC visibility push(default)
namespace heddle::kernel {

enum class Space : std::uint8_t {
  kGlobal,    // parameters
  kShared,    // `shared`, of the block
  kRegister,  // `reg`, spread over the threads of the scope that declares it
  kValue,     // a parameter without a shape: `alpha: f32`
};
/// `global`, `shared`, `reg`, `value`.
[[nodiscard]] std::string_view name_of(Space space);

}  // namespace heddle::kernel
#pragma GCC visibility pop

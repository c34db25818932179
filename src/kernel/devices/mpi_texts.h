#pragma once

// What C that calls MPI has in front of the function of a kernel over devices.

#include <cstddef>
#include <string_view>

namespace heddle::kernel {

/// The most digits of a box in memory.
inline constexpr std::size_t kMaxBoxDigits = 8;
/// The most transfers of a step: each has a tag, and MPI promises tags up to 32767.
inline constexpr std::size_t kMaxTransfers = 32767;

/// What callers may ask for, behind a guard.
[[nodiscard]] std::string_view check_flags();
/// Boxes in memory and transfers, behind a guard, and the functions by which a step is done.
[[nodiscard]] std::string_view mpi_types();
[[nodiscard]] std::string_view mpi_functions();

}  // namespace heddle::kernel

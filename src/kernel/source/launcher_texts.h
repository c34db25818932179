#pragma once

// What all headers of launchers have in common: the types of arguments, and the checks of one.
// Several headers may be included together, so each text stands behind a guard.

#include <string>
#include <string_view>

#include "heddle/kernel/dtype.h"
#include "heddle/kernel/source.h"

namespace heddle::kernel {

/// The text in quotes, as C has it; trigraphs are taken apart.
[[nodiscard]] std::string literal_of_c(std::string_view text);
/// `HEDDLE_F32`: the type of a tensor's elements, in C.
[[nodiscard]] std::string type_constant(DType type);
/// `float`, `uint16_t`: an element in C, whose floats of fewer bits are held as integers.
[[nodiscard]] std::string type_in_c(DType type);
/// heddle_type, heddle_tensor and heddle_error; heddle_tensor_of() in C++.
[[nodiscard]] std::string launcher_types();
/// The functions by which launchers check arguments and those of the target, each group once a
/// file.
[[nodiscard]] std::string launcher_checks(Target target);

}  // namespace heddle::kernel

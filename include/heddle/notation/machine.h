#pragma once

// What is found about machines, as text for people and as data for programs.
//
//   report_of(*machine::tma_descriptor(global, shared, element)).text     "1 instruction of …"

#include "heddle/machine/matrix_descriptor.h"
#include "heddle/machine/tma.h"
#include "heddle/notation/report.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The tensor map, the instructions and what they need. The data has the arguments of
/// cuTensorMapEncodeTiled() by their names.
[[nodiscard]] Report report_of(const machine::TmaCopy& copy);
/// The same after the steps that led to it.
[[nodiscard]] Report report_of_steps(const machine::TmaCopy& copy);

/// The fields of a descriptor, and its 64 bits for the address 0.
[[nodiscard]] Report report_of(const machine::MatrixDescriptor& descriptor);

}  // namespace heddle::notation
#pragma GCC visibility pop

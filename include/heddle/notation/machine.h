#pragma once

// What is found about machines, as text for people and as data for programs.
//
//   report_of(*machine::tma_descriptor(global, shared, element)).text     "1 instruction of …"

#include <cstdint>

#include "heddle/core/result.h"
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

/// The fields of a descriptor, and its 64 bits for a buffer at the address. Refuses as bits().
[[nodiscard]] Result<Report> report_of(const machine::MatrixDescriptor& descriptor,
                                       std::int64_t address);

}  // namespace heddle::notation
#pragma GCC visibility pop

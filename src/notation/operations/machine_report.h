#pragma once

// Machines and their instructions as text for people and as data for programs.
//
//   xe-hpc (Intel): pvc, ponte vecchio, …
//     lanes              16 or 32            Intel GPU Occupancy Calculator
//     GRF                128 of 512 bits     oneAPI GPU Optimization Guide, …

#include "heddle/form/instruction.h"
#include "heddle/form/machine.h"
#include "heddle/notation/report.h"

namespace heddle::notation {

[[nodiscard]] Report report_of(const form::Machine& machine);
[[nodiscard]] Report report_of(const form::Instruction& instruction);

}  // namespace heddle::notation

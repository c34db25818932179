#pragma once

// The families of instructions, one file each: every function adds the listings of its family.
//
// A family is a rule and a list of names. The rule makes the fragments of an operand from the sizes
// of the instruction; what the names say (types, sizes) is read from them or listed beside them.

#include <vector>

#include "heddle/form/instruction.h"

namespace heddle::form {

using InstructionListings = std::vector<InstructionListing>;

void list_nvidia_mma(InstructionListings& listings);
void list_nvidia_wgmma(InstructionListings& listings);
void list_nvidia_tcgen05(InstructionListings& listings);
void list_nvidia_copies(InstructionListings& listings);
void list_amd_mfma(InstructionListings& listings);
void list_amd_wmma(InstructionListings& listings);
void list_amd_transposing_loads(InstructionListings& listings);
void list_iree_amd(InstructionListings& listings);
void list_iree_nvidia(InstructionListings& listings);
void list_intel_dpas(InstructionListings& listings);
void list_intel_amx(InstructionListings& listings);
void list_arm_sme(InstructionListings& listings);
void list_arm_mmla(InstructionListings& listings);
void list_power10_mma(InstructionListings& listings);
void list_apple(InstructionListings& listings);
void list_trainium(InstructionListings& listings);
void list_ascend(InstructionListings& listings);

}  // namespace heddle::form

#pragma once

// Copies that go along the elements of one side and across those of the other, in blocks that CPUs
// transpose in registers.
//
//   for (i = 0; i < 64; ++i) for (j = 0; j < M; ++j) B[M*i + j] = A[N*j + i]
//
//     for (block = 0; block < M / 16; ++block)
//       transpose 16 rows of A, 64 elements each, to B + 16*block
//     for (i = 0; i < 64; ++i) for (j = M / 16 * 16; j < M; ++j) B[M*i + j] = A[N*j + i]

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/passes/loops.h"

namespace heddle::kernel {

/// The type of the elements of a memory; nullopt for registers.
using TypeOfMemory = std::function<std::optional<DType>(const std::string& buffer)>;

/// Replaces pairs of loops that only copy elements of whole bytes, of one type, between two
/// memories. Memories of two names are taken not to overlap. Notes it in the choice of the
/// statement that the loops are of.
void find_transposes(ThreadBlock& block, const TypeOfMemory& type_of, const Fresh& fresh,
                     std::vector<Choice>& choices);

}  // namespace heddle::kernel

#pragma once

// Which instructions of a machine move an access between memory and registers:
//
//   A of mma.m16n8k16, 16 x 16 elements of 16 bits, in rows of 32 bytes
//
//     fits  SM75_U32x4_LDSM_N  1                       (ldmatrix)
//     fits  4 bytes a lane     4
//     no    8 bytes a lane     in thread 0, value 0 is at 0, and no other value is at 2
//
// Every such instruction takes rows of contiguous memory, each from an address that one lane gives,
// and hands their pieces to lanes. A load or store of one lane is the case that each lane has a
// row of its own; ldmatrix hands a row of 16 bytes to four lanes, or half of it to eight. So an
// instruction fits if the values can be divided so that each part comes from whole, aligned rows.
//
// Sources: the catalogue of instructions (heddle/form/instruction.h).

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/analyze/access.h"
#include "heddle/core/result.h"
#include "heddle/form/instruction.h"
#include "heddle/machine/copy_plan.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

/// What an instruction does between memory and registers.
struct Exchange {
  /// Lanes that execute it together.
  std::int64_t lanes = 1;
  /// Bits of a row, to which its address is aligned.
  std::int64_t row_bits = 128;
  /// Bits that are contiguous in a register and in the row.
  std::int64_t piece_bits = 128;
  /// Lanes with the same number have pieces of the same row.
  std::vector<std::int64_t> row_of_lane = {0};
  /// The first bit of each piece that a lane has of its row.
  std::vector<std::vector<std::int64_t>> first_bits = {{0}};
  /// A lane has pieces of so many rows.
  std::int64_t rows_of_lane = 1;
};

/// The access of one lane, of that many bits.
[[nodiscard]] Exchange lane_exchange(std::int64_t bits);
/// That of a copy in the catalogue; nullopt for what does not move between memory and registers, or
/// not by rows.
[[nodiscard]] std::optional<Exchange> exchange_of(const form::Instruction& instruction);

/// How the values of an access are moved.
struct ExchangeFit {
  /// For each instruction its values: those of the first row of a lane, then those of the next.
  /// Values with the same addresses as another one in every thread are omitted.
  std::vector<std::vector<std::int64_t>> instructions;
};
/// The instructions of one warp that move the access, or what is in the way. Cost: the points of
/// the access times the log of the values.
[[nodiscard]] std::variant<ExchangeFit, std::string> fit(const Exchange& exchange,
                                                         const Access& access);

/// How a machine moves an access: each lane by itself, and with each of its instructions between
/// memory and registers that the lanes of a warp execute together. Refuses `machine.unknown`,
/// `copy.machine`, `copy.bits` as machine::copy_plan().
[[nodiscard]] Result<machine::CopyPlan> copy_plan(const Access& access, Direction direction,
                                                  std::string_view machine);

}  // namespace heddle::analyze
#pragma GCC visibility pop

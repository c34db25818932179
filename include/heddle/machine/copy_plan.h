#pragma once

// Which instructions of a machine copy a tensor from one layout to another, how many it takes, and
// why the others do not fit:
//
//   copy_plan((64,64):(64,1), Sw<3,3,3> o 0 o (64,64):(64,1), "sm_90", 16)
//
//     fits  16 bytes a thread                  512
//     fits  cp.async of 16 bytes               512
//     fits  cp.async.bulk.tensor (TMA)         1     of 8192 bytes
//
// Here both layouts are of memory. heddle/analyze/copy_plan.h plans copies between memory and
// registers.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/machine.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

/// One way to copy.
struct CopyChoice {
  /// A mnemonic, or `16 bytes a thread`.
  std::string instruction;
  /// How often it is executed, by each thread or each warp as the plan says; 0 if it does not fit.
  std::int64_t count = 0;
  /// What it moves at once, or what stands in the way.
  std::string note = {};

  [[nodiscard]] bool fits() const { return count != 0; }
};

struct CopyPlan {
  /// What is copied from where to where, and what the counts count.
  std::string title;
  /// Those that fit first, as the machine lists them.
  std::vector<CopyChoice> choices;
};

/// The widths in bytes of one lane's access to memory that hold an element, the widest first.
/// Refuses `copy.machine` for a machine whose accesses no document states, `copy.bits` for elements
/// that none of them holds.
[[nodiscard]] Result<std::vector<std::int64_t>> access_sizes(const form::Machine& machine,
                                                             std::int64_t element_bits);

/// The plan with the choices that fit in front.
[[nodiscard]] CopyPlan make_copy_plan(std::string title, std::vector<CopyChoice> choices);

/// How a machine copies one memory to another: the threads together, each element once, or its
/// copy unit. Refuses `machine.unknown`, `copy.machine` for a machine whose accesses no document
/// states, and what copy_width() refuses; layouts of other systems are converted to CuTe's.
[[nodiscard]] Result<CopyPlan> copy_plan(const map::AnyLayout& source,
                                         const map::AnyLayout& destination,
                                         std::string_view machine, std::int64_t element_bits);

/// One line for each choice.
[[nodiscard]] std::string to_string(const CopyPlan& plan);

}  // namespace heddle::machine
#pragma GCC visibility pop

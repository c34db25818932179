#pragma once

// What C for CPUs has to copy rows of a matrix into the order in which tiles of a product read them
// (PackPanel in heddle/kernel/thread_program.h), converted on the way:
//
//   heddle_pack_f32_of_f16(12, to, to_step, from, row, step, rows, depth)
//   heddle_pack_bytes_of_i8(12, to, to_step, from, row, step, rows, depth)   four steps in each
//   element

#include <map>
#include <string>
#include <string_view>

#include "heddle/kernel/thread_program.h"
#include "kernel/targets/support.h"

namespace heddle::kernel {

/// The functions of this kind that a text calls.
class CpuPanels {
 public:
  /// The name of the one that copies as the panel says, by `loaded`, which is the value of x.
  std::string add(const PackPanel& panel, std::string_view loaded);
  [[nodiscard]] Support support() const;

 private:
  /// By their names.
  std::map<std::string, Support> functions_;
};

}  // namespace heddle::kernel

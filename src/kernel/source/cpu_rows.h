#pragma once

// What C for CPUs has to permute rows of 16 bytes in registers (PermuteRows in
// heddle/kernel/thread_program.h): a function for each such copy of a kernel.
//
//   heddle_permute_vnni_0(to, from, N);
//
//     for each tile: heddle_row row[2]; row[0] = heddle_row_at(from); row[1] = heddle_row_at(from +
//     N);
//                    heddle_exchange_64(&row[0], &row[1]); row[0] = heddle_shuffled(row[0], 0, 1,
//                    …); heddle_put_row(to, row[0]); …

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/kernel/thread_program.h"
#include "kernel/source/cpu_texts.h"
#include "kernel/targets/support.h"

namespace heddle::kernel {

/// A copy by rows, with its integers as texts.
struct RowsText {
  std::string name;
  /// What these texts name.
  std::vector<std::string> sizes;
  /// Of the elements of both sides.
  std::string type;
  struct Row {
    std::string from;
    std::string to;
  };
  std::vector<Row> rows;
  /// What is fetched for the next tiles, behind `from`, if they are streamed.
  std::vector<std::string> fetches;
  /// The places of the rows in the order in which they are written.
  std::vector<std::size_t> order;
  std::vector<move::ShuffleStep> steps;
  struct Loop {
    std::string extent;
    std::string from;
    std::string to;
  };
  std::vector<Loop> loops;
  bool streams = false;
};

/// The functions of this kind that a text calls.
class CpuRows {
 public:
  /// The parameters are `to`, `from`, the sizes and, if it streams, whether it does.
  void add(const RowsText& rows);
  [[nodiscard]] Support support() const;

 private:
  /// The bits that are exchanged.
  std::set<int> exchanges_;
  Support functions_;
};

}  // namespace heddle::kernel

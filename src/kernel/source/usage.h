#pragma once

// What a program does with its buffers and variables, found before it is written.
//
//   if (m < M) C[m] = acc[0] + shuffle(acc[0])      loaded: acc; written: C; variables: m, M;
//                                                   has_shuffles

#include <cstddef>
#include <set>
#include <span>
#include <string>

#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

struct Usage {
  /// Buffers.
  std::set<std::string> loaded;
  std::set<std::string> written;
  /// Those of all integers.
  std::set<std::string> variables;
  /// The counters of loops, and the integers that are defined.
  std::set<std::string> defined;
  bool has_shuffles = false;
  bool has_atomics = false;
  /// Whether there is a text of a target, which may use any name.
  bool has_verbatim = false;

  /// Adds what these statements do. Cost: linear in them and their integers.
  void read(std::span<const ThreadStatement> statements);
};

/// Whether an instruction writes this operand of it, and whether it reads it.
[[nodiscard]] bool is_written(const Instruction& instruction, std::size_t operand);
[[nodiscard]] bool is_loaded(const Instruction& instruction, std::size_t operand);

}  // namespace heddle::kernel

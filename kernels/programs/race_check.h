// Runs a lowered program statement by statement, each by all threads of a block at once, and finds
// races: two threads that touch one element of memory with no barrier between, of which one writes.
// It shares nothing with what puts the barriers in.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "heddle/kernel/array.h"
#include "heddle/kernel/thread_program.h"

namespace heddle::kernels {

struct RaceCheck {
  // The first race, or a barrier that not all threads come to; empty if there is none.
  std::string race = {};
  // The barriers that threads came to.
  std::set<const kernel::ThreadStatement*> barriers = {};
  // The arguments afterwards.
  std::vector<kernel::Array> arguments = {};
};

// For programs of integers of up to 32 bits, without instructions and views of bits.
RaceCheck run_for_races(const kernel::ThreadProgram& program, std::vector<kernel::Array> arguments);

}  // namespace heddle::kernels

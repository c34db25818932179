#pragma once

// A plan as calls of NCCL, and copies around them.
//
//   all-gather of [0,2) x [0,4), … on 4 ranks, whose rows lie one after the other
//     a collective of 8 elements; rank r sends from its source 0, and gets to its destination 0
//   where they do not
//     it gets to its scratch memory, and copies put the parts in their places

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// A place in one of the memories of a rank, counted in elements.
struct Position {
  Memory memory = Memory::kSource;
  std::int64_t first = 0;
};

/// What is done with an element that is read, and the place that is written.
enum class Action : std::uint8_t { kCopy, kReduce, kDivide };

/// A kernel: element i goes from read(i) to written(i), counted from two positions.
struct CopyKernel {
  axe::Layout read;
  axe::Layout written;
  Action action = Action::kCopy;
};

/// The call of a kernel by a rank; without one the elements lie one after the other on both sides.
struct CopyCall {
  std::size_t rank = 0;
  std::optional<std::size_t> kernel;
  std::int64_t elements = 0;
  Position from;
  Position to;
};

struct Message {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t elements = 0;
  Position sent;
  Position received;
};

/// The part of a rank in a collective.
struct Part {
  Position sent;
  Position received;
  /// The number of the root in the group, where the collective has one.
  std::size_t root = 0;
};

/// One call of NCCL by all ranks of a group.
struct CollectiveCall {
  /// `ncclAllGather`, ….
  std::string_view function;
  bool reduces = false;
  bool has_root = false;
  std::int64_t elements = 0;
  /// Which of the splits has the groups; none where all ranks are one.
  std::optional<std::size_t> split;
  /// By rank.
  std::vector<Part> parts;
};

/// What follows is done one after the other.
struct Round {
  /// The steps of the plan that it is.
  std::string title;
  std::vector<CopyCall> before;
  std::vector<Message> messages;
  std::optional<CollectiveCall> collective;
  std::vector<CopyCall> after;
};

struct NcclProgram {
  std::vector<CopyKernel> kernels;
  std::vector<Round> rounds;
  /// For each split the number of each rank's group; none for a rank that is in no group.
  std::vector<std::vector<std::optional<std::size_t>>> splits;
  /// The elements of scratch memory by rank.
  std::vector<std::int64_t> scratch;
  /// Whether NCCL divides the sums of an average.
  bool nccl_averages = false;
};

/// Refuses as to_source().
[[nodiscard]] Result<NcclProgram> nccl_program(const Plan& plan);

}  // namespace heddle::distribute

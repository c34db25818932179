#pragma once

// What each thread does, in loops, loads, stores and barriers, with addresses: what kernels become
// (lower.h), and what back ends write (source.h).
//
//   for (i0 = 0; i0 < 2; ++i0)
//     apply a copy of 4 elements: As[512*i0 + 4*tx] = A[512*i0 + 1024*k + 4*tx]
//   barrier
//
// Addresses count elements. Those of 4 bits are packed in global memory, two in a byte; in shared
// memory and in registers each has a byte of its own. Integers are Ints over the kernel's sizes,
// bx, by, bz, tx, counters, and names of loaded integers, all of which are variables of the emitted
// function.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/kernel/dtype.h"
#include "heddle/kernel/program.h"
#include "heddle/move/shuffle_step.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// Memory of a thread, of a block, or of a parameter: `elements` of a type, one after the other.
struct Buffer {
  std::string name;
  DType type = DType::kF32;
  Space space = Space::kRegister;
  Int elements = 1;
  /// Of shared memory: its first byte in that of the block.
  std::int64_t offset = 0;
};

/// The bits of elements seen as an element of another type, the first of them the lowest ones.
struct SeenBits {
  DType type = DType::kU8;
  /// Which part of the element it is, counted in elements of the type.
  Int part = 0;
  /// The addresses of the elements behind the first, if it has the bits of several.
  std::vector<Int> others = {};
  friend bool operator==(const SeenBits&, const SeenBits&) = default;
};

/// The element of a buffer at an address.
struct Location {
  std::string buffer;
  Int address = 0;
  std::optional<SeenBits> seen = {};
  friend bool operator==(const Location&, const Location&) = default;
};

/// A value that a thread computes, in a computed type.
struct Computation {
  struct Literal {
    Number value;
  };
  struct Index {
    Int value;
  };
  /// The element, or `otherwise` where a condition fails; nothing is read there.
  struct Load {
    Location from;
    std::vector<Condition> inside = {};
    Number otherwise = {};
  };
  /// The operands, converted to a computed type (the condition of a select is not).
  struct Apply {
    Function function = Function::kAdd;
    DType combined_in = DType::kF32;
  };
  /// Rounds to the type, which need not be a computed one.
  struct Convert {
    DType type = DType::kF32;
  };
  /// The operand of the thread whose laneid differs from this one's in the bits of `distance`.
  struct Shuffle {
    std::int64_t distance = 1;
  };
  using Node = std::variant<Literal, Index, Load, Apply, Convert, Shuffle>;

  Node node;
  /// The computed type of the result; kBool for truth values.
  DType type = DType::kF32;
  std::vector<Computation> operands = {};
};

struct ThreadStatement;
using ThreadBlock = std::vector<ThreadStatement>;

/// One element is written.
struct StoreElement {
  Location to;
  Computation value;
};
/// An instruction on the elements from these places on, one for each operand: all that its layouts
/// say of them is proved. Where a target has no text of it, its operation is done on each element.
struct ApplyInstruction {
  Instruction instruction;
  std::vector<Location> places;
  /// What a function does, in statements; a copy means the elements in order.
  ThreadBlock meaning;
  /// The function of the target that does it, given a pointer to each place; empty for the text of
  /// the instruction.
  std::string intrinsic = {};
  /// Of a copy that is done later: what must hold for the elements to be read, all of them or none;
  /// zeros are written in their place.
  std::vector<Condition> inside = {};
};
/// Copies that are done later, from the last of these on, are waited for together.
struct CommitCopies {};
/// Waits for the copies of this thread, but for those of the last `pending` commits.
struct AwaitCopies {
  std::int64_t pending = 0;
};
struct AtomicAdd {
  Location to;
  Computation value;
};
/// The most rows and columns of a tile of C. Columns are whole vectors on every CPU: a multiple of
/// 64 bytes.
struct TileSize {
  std::int64_t rows = 12;
  std::int64_t columns = 16;
  friend auto operator<=>(const TileSize&, const TileSize&) = default;
};
/// C += A B for a tile of C that fits into the vector registers of a core: `rows` times `columns`
/// elements, `depth` products each. Elements of A are a_row apart from row to row and a_step from
/// step to step, those of B b_step from step to step, rows of C c_row; columns lie side by side.
/// What B has beyond `columns`, up to those of the size, is read. Operands of bytes (i8 or u8, with
/// sums of i32) have four steps in an element, which the strides and `depth` count.
struct MultiplyTile {
  DType type = DType::kF32;
  TileSize size = {};
  DType a_type = DType::kF32;
  DType b_type = DType::kF32;
  Location c;
  Location a;
  Location b;
  Int c_row = 1;
  Int a_row = 1;
  Int a_step = 1;
  Int b_step = 1;
  Int depth = 1;
  Int rows = 1;
  Int columns = 1;
  /// If it is 0, what C holds is not added to: C = A B.
  Int adds = 1;
};
/// Copies rows of a matrix so that tiles read them in order: element k of row i, which is `row` and
/// `step` apart from the next ones, to k*to_step + i behind `to`, as an element of the type of
/// `to`; 0 for i from `rows` to `side`.
struct PackPanel {
  Location to;
  Location from;
  DType type = DType::kF32;
  DType from_type = DType::kF32;
  std::int64_t side = 1;
  Int row = 1;
  Int step = 1;
  Int rows = 1;
  Int depth = 1;
  /// The steps of an element behind `to`: 1, or 4 bytes in one of i32.
  std::int64_t together = 1;
  /// At least `side`.
  Int to_step = 1;
};
/// Copies elements in rows of 16 bytes: those of a tile are read, permuted in registers by the
/// steps, and written, tile after tile. Addresses count elements. No two rows are written to one
/// place, and none where one is read.
struct PermuteRows {
  Location to;
  Location from;
  DType type = DType::kF32;
  /// So far behind `from` a row is read, and behind `to` what the steps make of it is written. They
  /// may be of several tiles, those of one together, as many as the steps speak of.
  struct Row {
    Int from;
    Int to;
  };
  std::vector<Row> rows;
  /// The order in which they are written.
  std::vector<std::size_t> order;
  std::vector<move::ShuffleStep> steps;
  /// Around the tile, the outermost first.
  struct Loop {
    Int extent;
    Int from;
    Int to;
  };
  std::vector<Loop> loops;
  /// When rows that fill lines of the caches are written past them; nullopt for never.
  std::optional<Condition> streams;
};
/// An integer variable of the function: `const int n = …`. Its statement's place, if it is one.
struct Define {
  std::string name;
  Computation value;
  Span span = {};
  /// Whether compilers keep it in a register rather than compute it again.
  bool is_held = false;
};
/// All threads of the block wait for each other.
struct Barrier {};
/// The counter goes from `begin` to `extent`, which is not included.
struct ThreadLoop {
  std::string counter;
  Int extent = 1;
  ThreadBlock body;
  /// Its registers are named by constants once it is unrolled.
  bool is_unrolled = false;
  /// Of the kernel's own loops.
  Span span = {};
  Int begin = 0;
  /// Whether iterations may be done several at a time, if what they add up, each to a register of
  /// one element, is added up in the end. While a kernel is lowered: whether they have no order.
  bool is_vector = false;
  struct Sum {
    Location place;
    Function function = Function::kAdd;
    DType type = DType::kF32;
  };
  std::vector<Sum> sums = {};
};
struct ThreadWhile {
  Computation condition;
  ThreadBlock body;
};
/// If all conditions hold; else the other block. Without conditions, a block whose names are its
/// own.
struct Guarded {
  std::vector<Condition> conditions;
  ThreadBlock body;
  ThreadBlock otherwise;
};
struct ThreadBranch {
  Computation condition;
  ThreadBlock then;
  ThreadBlock otherwise;
  /// Whether all threads of the block find the same.
  bool is_common = false;
};
struct LeaveLoop {};
struct NextIteration {};
/// The text of the statement of the kernel that what follows is made from.
struct Origin {
  std::string text;
  Span span;
};
/// A target's own text.
struct Verbatim {
  std::string target;
  std::string text;
  Span span = {};
};

struct ThreadStatement {
  using Node =
      std::variant<StoreElement, ApplyInstruction, AtomicAdd, MultiplyTile, PackPanel, PermuteRows,
                   Define, Barrier, ThreadLoop, ThreadWhile, Guarded, ThreadBranch, LeaveLoop,
                   NextIteration, Origin, Verbatim, Buffer, CommitCopies, AwaitCopies>;
  Node node;
};

/// One way to do an operator, and why it was not taken.
struct Candidate {
  std::string schedule;
  /// Empty for the one that is taken.
  std::string reason = {};
  /// The steps of a thread: what it loads, stores, computes and exchanges, a vector at once, and
  /// the barriers. Only if it can be done, and if the steps are known.
  std::optional<std::int64_t> cost = {};
};
/// How an operator is done.
struct Choice {
  std::string statement;
  Span span;
  std::vector<Candidate> candidates;
  /// What the taken one does, each with the word that it is about: `spread`, `tiles`.
  struct Note {
    std::string about;
    std::string text;
    friend bool operator==(const Note&, const Note&) = default;
  };
  std::vector<Note> notes;
  /// The options with which `using` the one that is taken does the same on any machine.
  Options options = {};
  /// The matrix instruction that it uses, and the machine, as the catalogue has them
  /// (form/instruction.h); empty for none.
  std::string instruction = {};
  std::string machine = {};
};

struct ThreadProgram {
  /// The kernel that it does.
  std::string name;
  std::vector<Tensor> parameters;
  std::vector<std::string> sizes;
  Launch launch;
  std::vector<Condition> assumed;
  /// Shared memory, as it is planned: what is not used at the same time may lie at one place, if a
  /// barrier stands between.
  std::vector<Buffer> shared;
  std::int64_t shared_bytes = 0;
  ThreadBlock body;
  std::vector<Choice> choices;
  /// Of the kernel's name.
  Place place = {};
};

/// The bits that an element takes in a memory: a whole byte at least but in global memory.
[[nodiscard]] std::int64_t held_bits(DType type, Space space);
/// The bytes of shared memory that a buffer takes: whole pieces of 16, for vectors.
[[nodiscard]] std::int64_t planned_bytes(const Buffer& buffer);
/// The bytes of shared memory that a launch on an NVIDIA GPU asks for; 0 if the kernel declares
/// what it needs, up to 48 KiB (CUDA C++ programming guide, shared memory).
[[nodiscard]] std::int64_t launched_shared_bytes(const ThreadProgram& program);
/// Whether some buffers of shared memory have bytes in common.
[[nodiscard]] bool has_shared_places(const ThreadProgram& program);

}  // namespace heddle::kernel
#pragma GCC visibility pop

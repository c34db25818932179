#pragma once

// A kernel ready to be run: its statements with their names resolved to memory and to places in the
// rows of integers that every part of a block has.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/meaning.h"
#include "heddle/kernel/program.h"
#include "kernel/meaning/expression.h"
#include "kernel/meaning/formula.h"
#include "kernel/meaning/lanes.h"
#include "kernel/meaning/places.h"
#include "kernel/meaning/storage.h"

namespace heddle::kernel::meaning {

struct CodeStatement;
using CodeBlock = std::vector<CodeStatement>;

struct DeclareCode {
  Storage* storage;
};
struct LetCode {
  Expression value;
  std::size_t slot;
};
/// Assignments, copies, fills and casts; with a group, a copy that is to be waited for.
struct AssignCode {
  Places destination;
  Expression value;
  std::optional<Number> padding = {};
  std::optional<std::string> group = {};
};
struct WaitCode {
  std::string group;
};
struct ReduceCode {
  Places destination;
  Expression source;
  std::vector<bool> is_reduced;
  Fold fold = Fold::kSum;
  /// argmax and argmin: the place of what the fold finds.
  bool finds_position = false;
  bool accumulates = false;
};
struct ScanCode {
  Places destination;
  Expression source;
  std::size_t axis = 0;
  Fold fold = Fold::kSum;
  bool is_exclusive = false;
};
struct GemmCode {
  Places c;
  Expression a;
  Expression b;
  Number alpha;
  Number beta;
  /// Of a sparse A.
  std::optional<Expression> index = {};
};
/// Gathers from the whole to the picked elements, or scatters these into the whole.
struct PickCode {
  Places whole;
  Places picked;
  Expression index;
  std::size_t axis = 0;
  bool is_gather = true;
};
struct AtomicAddCode {
  Places destination;
  Expression current;
  Expression value;
};
struct BarrierCode {};

struct ForCode {
  std::size_t slot;
  Formula extent;
  CodeBlock body;
};
struct WhileCode {
  Expression condition;
  CodeBlock body;
};
struct BreakCode {};
struct ContinueCode {};
struct IfCode {
  Expression condition;
  CodeBlock then;
  CodeBlock otherwise;
};
struct ScopeCode {
  /// Threads of a part; 0 for all of them.
  std::int64_t unit = 1;
  /// Only the first part.
  bool is_elected = false;
  std::optional<std::pair<std::int64_t, std::int64_t>> range = {};
  CodeBlock body;
  CodeBlock otherwise;
};

struct CodeStatement {
  std::variant<DeclareCode, LetCode, AssignCode, WaitCode, ReduceCode, ScanCode, GemmCode, PickCode,
               AtomicAddCode, BarrierCode, ForCode, WhileCode, BreakCode, ContinueCode, IfCode,
               ScopeCode>
      node;
  Span span = {};
  /// The memory that it writes and others see too; nullptr if there is none.
  Storage* shared_destination = nullptr;
};

/// The first slots of each row.
enum Slot : std::size_t { kThreadSlot, kLaneSlot, kWarpSlot, kBlockSlots };

struct Code {
  std::vector<std::int64_t> grid;
  std::int64_t threads = 1;
  /// The parameters first; addresses stay.
  std::deque<Storage> storages;
  /// The integers of a row.
  std::size_t slots = 0;
  CodeBlock body;
};

/// The statements of a kernel that passes check(), at these sizes. Refuses what Expression::make()
/// refuses, `kernel.unchecked`, `kernel.work` for tensors that are too large.
[[nodiscard]] Result<std::unique_ptr<Code>> make_code(const Kernel& kernel, const Sizes& sizes);

/// Counts the elements that are read and written.
class Budget {
 public:
  explicit Budget(std::int64_t limit) : limit_(limit), left_(limit) {}
  /// Refuses `kernel.work` past the limit.
  [[nodiscard]] Result<void> spend(std::int64_t elements, std::int64_t times = 1);

 private:
  std::int64_t limit_;
  std::int64_t left_;
};

/// Performs an operator once. All views are resolved in it.
[[nodiscard]] Result<void> perform(AssignCode& code, const Performance& performance,
                                   Budget& budget);
[[nodiscard]] Result<void> perform(ReduceCode& code, const Performance& performance,
                                   Budget& budget);
[[nodiscard]] Result<void> perform(ScanCode& code, const Performance& performance, Budget& budget);
[[nodiscard]] Result<void> perform(GemmCode& code, const Performance& performance, Budget& budget);
[[nodiscard]] Result<void> perform(PickCode& code, const Performance& performance, Budget& budget);
[[nodiscard]] Result<void> perform(AtomicAddCode& code, const Performance& performance,
                                   Budget& budget);
/// The value of an expression without dimensions.
[[nodiscard]] Result<Number> scalar(Expression& value, const Performance& performance,
                                    Budget& budget);

/// Runs all blocks. Refuses what operators refuse, with the place of the statement.
[[nodiscard]] Result<void> run(Code& code, Memory& memory, Budget& budget);

}  // namespace heddle::kernel::meaning

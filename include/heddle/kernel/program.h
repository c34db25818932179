#pragma once

// Kernels as programs: what is computed, at the granularity that suits each line.
//
//   kernel scale(X: f32[M,N], Y: f32[M,N], alpha: f32)
//     launch cta M, threads 128
//   {
//     for k in N // 128 {
//       reg x: f32[128]
//       copy(x, X[bx, 128*k : +128])
//       Y[bx, 128*k : +128] = alpha*x
//     }
//   }
//
// A kernel has parameters in global memory, a launch (how many blocks of how many threads) and a
// body. Tensors are logical arrays with a type, a shape, a memory space and, where it matters, a
// layout of any system; operators work on whole views of them. What an operator means does not
// depend on layouts or threads (meaning.h); how it is done does (lower.h).
//
// The parts are values: copy, compare, build by hand. Names refer to the nearest declaration
// outwards. Integers (sizes, slices, loops) are Ints over named variables:
//
//   bx by bz          the block, in its grid
//   tx laneid warpid  the thread, inside `thread`, `warp` or a set of them
//   k                 the counter of `for k in …`
//   M N               sizes, with the kernel's assumptions
//
// Equality is of what is written; places in a text do not count.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/expr/assumptions.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/kernel/dtype.h"
#include "heddle/kernel/instruction.h"
#include "heddle/kernel/space.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The place of something in the text that it was read from; equality ignores it.
struct Place {
  Span span = {};
  friend bool operator==(const Place&, const Place&) { return true; }
};

struct Tensor {
  std::string name;
  DType type = DType::kF32;
  std::vector<Int> shape;
  Space space = Space::kGlobal;
  /// From coordinates to elements of memory, or to threads (tx, laneid, warpid) and registers (m).
  /// Without one, memory is row-major and registers are spread as the compiler chooses.
  std::optional<map::AnyLayout> layout = {};
  /// The place of its declaration, if it is a parameter.
  Place place = {};

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// What one subscript of a view takes of a dimension, or adds.
struct Subscript {
  enum class Kind : std::uint8_t {
    kIndex,  // A[i]: one index, the dimension is gone
    kRange,  // A[i : +n]: the indices i, …, i + n - 1; some may be outside
    kWhole,  // A[:]
    kNew,    // A[None]: a dimension of extent 1
  };
  Kind kind = Kind::kWhole;
  Int begin = 0;
  Int extent = 1;

  friend bool operator==(const Subscript&, const Subscript&) = default;
};

/// A[i, 0 : +8, None]: one subscript for each dimension; those that are left out are whole.
struct Sliced {
  std::vector<Subscript> subscripts;
  friend bool operator==(const Sliced&, const Sliced&) = default;
};
/// A.permute(1,0), A.T: dimension d of the result is dimension order[d].
struct Permuted {
  std::vector<std::size_t> order;
  friend bool operator==(const Permuted&, const Permuted&) = default;
};
/// A.reshape(8,16): the same elements, row-major.
struct Reshaped {
  std::vector<Int> shape;
  friend bool operator==(const Reshaped&, const Reshaped&) = default;
};
/// A.relayout(L): another layout over the same memory, on the extents of L's own box.
struct Relaid {
  map::AnyLayout layout;
  friend bool operator==(const Relaid&, const Relaid&) = default;
};
/// A.bits(u8): the same bits as elements of another type, along the last dimension.
struct Recast {
  DType type = DType::kU8;
  friend bool operator==(const Recast&, const Recast&) = default;
};

/// A part of a tensor, or the tensor read in another way: steps from left to right. Nothing is
/// copied.
struct View {
  using Step = std::variant<Sliced, Permuted, Reshaped, Relaid, Recast>;
  std::string tensor;
  std::vector<Step> steps;
  friend bool operator==(const View&, const View&) = default;
};

/// What is computed element by element.
enum class Function : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,    // `/` of floats
  kQuotient,  // `//`, Euclidean, of integers
  kRemainder,
  kNegate,
  kEqual,
  kNotEqual,
  kLess,
  kAtMost,
  kAnd,
  kOr,
  kNot,
  kSelect,  // a if c else b: operands c, a, b
  kExp,
  kExp2,
  kLog,
  kLog2,
  kSqrt,
  kRsqrt,
  kTanh,
  kErf,
  kMin,
  kMax,
  kFma,
  kAbs,
  kFloor,
};
/// `exp`, `min`; the sign of an operator: `+`, `<=`.
[[nodiscard]] std::string_view name_of(Function function);
/// The function that is called by this name; nullopt for signs and unknown names.
[[nodiscard]] std::optional<Function> find_function(std::string_view name);
/// The function of that name or sign that has so many operands.
[[nodiscard]] std::optional<Function> find_function(std::string_view name, std::size_t operands);
[[nodiscard]] std::size_t operand_count(Function function);

/// An expression of whole views, element by element, with NumPy's broadcasts.
struct Elementwise {
  /// A number as it is written: 0.5 takes the type of what it meets.
  struct Literal {
    Number value;
    friend bool operator==(const Literal&, const Literal&) = default;
  };
  /// An integer of the kernel, as a value of type i64: 32*k + 1.
  struct Index {
    Int value;
    friend bool operator==(const Index&, const Index&) = default;
  };
  /// A function of the operands.
  struct Apply {
    Function function = Function::kAdd;
    friend bool operator==(const Apply&, const Apply&) = default;
  };
  /// f16(x): the operand rounded to the type.
  struct Convert {
    DType type = DType::kF32;
    friend bool operator==(const Convert&, const Convert&) = default;
  };
  using Node = std::variant<Literal, Index, View, Apply, Convert>;

  Node node;
  std::vector<Elementwise> operands = {};

  friend bool operator==(const Elementwise&, const Elementwise&) = default;
};

struct Statement;
using Block = std::vector<Statement>;

/// `shared X: f16[128,64]`, `reg acc: f32[64]`; in a kernel over devices, outside of `device`,
/// `global P: f32[4,64] = S[(4,64):(1@gpuid,1@m)]`.
struct Declaration {
  Tensor tensor;
  friend bool operator==(const Declaration&, const Declaration&) = default;
};
/// `let n = lengths[bx]`: an integer that is read from memory, known as the variable `n`.
struct Let {
  std::string name;
  View value;
  friend bool operator==(const Let&, const Let&) = default;
};
/// `D = exp(A - m[:, None])`; the destination has the shape of the result, or a broadcast of it.
struct Assign {
  View destination;
  Elementwise value;
  friend bool operator==(const Assign&, const Assign&) = default;
};

/// What an option of an operator is set to.
using OptionValue = std::variant<bool, double, std::string, std::vector<std::int64_t>>;

using Options = std::map<std::string, OptionValue>;

/// The number that an option is set to, of which elements of integers keep the low bits as they do
/// of an integer in an expression; `otherwise` if it is not set.
[[nodiscard]] Number number_in(const Options& options, const std::string& name, double otherwise);

/// `copy(As, A[0 : +16], pad=0) using vector`: an operator, its operands in order, its options by
/// name, and the schedule that it must be done by, with its options: `using tiles(rows=6, kc=256)`.
struct Call {
  std::string operation;
  std::vector<Elementwise> operands;
  Options options = {};
  std::optional<std::string> schedule = {};
  Options schedule_options = {};
  friend bool operator==(const Call&, const Call&) = default;
};
/// `for k in N // 128 { … }`: k counts from 0 to the extent, which is not included.
struct For {
  std::string counter;
  Int extent = 1;
  Block body;
  friend bool operator==(const For&, const For&);
};
/// `while c { … }`, of a condition without dimensions.
struct While {
  Elementwise condition;
  Block body;
  friend bool operator==(const While&, const While&);
};
struct Break {
  friend bool operator==(const Break&, const Break&) = default;
};
struct Continue {
  friend bool operator==(const Continue&, const Continue&) = default;
};
/// `if c { … } else { … }`.
struct If {
  Elementwise condition;
  Block then;
  Block otherwise;
  friend bool operator==(const If&, const If&);
};

/// Which threads perform what is inside. Without a range, each part of that kind does it on its
/// own: `warp { … }` is done by every warp. With one, the threads of those parts do it together,
/// as one set: `warp[0:4] { … }`. In `cluster { … }` there are `cta` scopes only, each of them for
/// the blocks of the cluster, or for some: `cluster { cta[0] { … } else { … } }`. `device { … }` is
/// the outermost scope of a kernel over devices: each does the whole launch on its parts.
struct Scope {
  enum class Kind : std::uint8_t { kCluster, kCta, kWarpgroup, kWarp, kThread, kElect, kDevice };
  struct Part {
    Int begin = 0;
    Int end = 1;
    friend bool operator==(const Part&, const Part&) = default;
  };
  Kind kind = Kind::kThread;
  std::optional<Part> part;
  Block body;
  /// What the other threads of the scope around it do; only with a range.
  Block otherwise;
  friend bool operator==(const Scope&, const Scope&);
};
/// `cluster`, `cta`, `warpgroup`, `warp`, `thread`, `elect`, `device`.
[[nodiscard]] std::string_view name_of(Scope::Kind kind);

/// `unchecked cuda "__nanosleep(20);"`: the target's own text, of which nothing is known.
struct Unchecked {
  std::string target;
  std::string text;
  friend bool operator==(const Unchecked&, const Unchecked&) = default;
};

/// `pipeline k in K // 32, stages 3 { load { … } compute { … } }`: for each k, what `load` copies
/// and then what `compute` does with it. A target may do the loads of `stages - 1` iterations
/// early, so `load` has only copies from tensors that nothing in the kernel writes to shared ones,
/// of which each iteration has a stage of its own: As[stage], where `stage` is k % stages.
struct Pipeline {
  std::string counter;
  Int extent = 1;
  std::int64_t stages = 2;
  Block load;
  Block compute;
  friend bool operator==(const Pipeline&, const Pipeline&);
};
/// The pipeline as a loop, with one iteration after the other: what it means.
[[nodiscard]] For loop_of(const Pipeline& pipeline);

struct Statement {
  using Node = std::variant<Declaration, Let, Assign, Call, For, While, Break, Continue, If, Scope,
                            Unchecked, Pipeline>;
  Node node;
  /// Its place in the text that it was read from.
  Span span = {};
  friend bool operator==(const Statement& a, const Statement& b) { return a.node == b.node; }
};

/// `launch devices 4, cta (M // 128, N // 128), cluster (2, 1), threads 128`.
struct Launch {
  /// One to three extents: of bx, by, bz.
  std::vector<Int> grid = {Int(1)};
  std::int64_t threads = 1;
  /// How many blocks a cluster has along each of the first extents, which are multiples of it;
  /// empty for none.
  std::vector<std::int64_t> cluster = {};
  /// How many devices there are, gpuid 0 and on; 0 for a kernel that runs on one (devices.h).
  std::int64_t devices = 0;
  friend bool operator==(const Launch&, const Launch&) = default;
};

/// How an operator is done, in statements (schedule.h):
///
///   schedule in_rows for copy(D: f32[M,N], S: f32[M,N]) { for i in M { copy(D[i], S[i]) } }
///
/// The parameters are views of the operands, of any memory. What the operator means stays as it is.
struct Schedule {
  std::string name;
  std::string operation;
  std::vector<Tensor> parameters;
  /// Those that a call must have to be done by it.
  Options options = {};
  Block body = {};
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

struct Kernel {
  std::string name;
  std::vector<Tensor> parameters;
  /// `assume M % 128 == 0`, over plain variables; the Ints of the kernel carry them.
  std::vector<Condition> assumed = {};
  Launch launch = {};
  Block body = {};
  /// Ways to do its operators, in addition to those of the library.
  std::vector<Instruction> instructions = {};
  std::vector<Schedule> schedules = {};
  /// The place of its name.
  Place place = {};
  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// The kernel as text, which notation::parse_kernels() reads: parsed, it is the kernel again, if it
/// passes check().
[[nodiscard]] std::string to_string(const Kernel& kernel);
/// Its parts as that text has them, for messages. A statement with a body is its first line.
[[nodiscard]] std::string to_string(const Tensor& tensor);
[[nodiscard]] std::string to_string(const View& view);
[[nodiscard]] std::string to_string(const Elementwise& value);
[[nodiscard]] std::string to_string(const Statement& statement);
[[nodiscard]] std::string to_string(const Schedule& schedule);
/// `(64,N)`
[[nodiscard]] std::string shape_text(const std::vector<Int>& shape);

/// The most threads of a block, as on every GPU.
inline constexpr std::int64_t kMaxThreads = 1024;
/// The most blocks of a cluster that every GPU with clusters takes (CUDA C++ programming guide,
/// thread block clusters).
inline constexpr std::int64_t kMaxClusterBlocks = 8;
/// The threads of a warp, and the warps of a warpgroup.
inline constexpr std::int64_t kWarpThreads = 32;
inline constexpr std::int64_t kWarpgroupWarps = 4;

/// The most devices of a launch.
inline constexpr std::int64_t kMaxDevices = 4096;

/// The most stages of a pipeline.
inline constexpr std::int64_t kMaxStages = 16;

/// Visits the statements of a block and of what is in them, each before its own.
void for_each_statement(const Block& block, const std::function<void(const Statement&)>& visit);

/// Visits the views of an expression, or of a statement itself, but for those of its blocks.
void for_each_view(const Elementwise& value, const std::function<void(const View&)>& visit);
void for_each_view(const Statement& statement, const std::function<void(const View&)>& visit);

/// `bx`, `by`, `bz`: the variables of a launch, within its grid.
[[nodiscard]] std::vector<Int> block_variables(const Launch& launch);
/// `cbx`, `cby`, `cbz`: the block in its cluster, along the extents that clusters have.
[[nodiscard]] std::vector<Int> cluster_indices(const Launch& launch);
/// What `cluster { … }` means: each `cta[0:2] { … } else { … }` in it, which holds nothing else, is
/// a branch on the rank of the block in its cluster, cbx fastest. The kernel passes check().
[[nodiscard]] Block blocks_of_cluster(const Launch& launch, const Scope& cluster);
/// The variable of an integer that `let` reads from memory, with the range of its type.
[[nodiscard]] Int let_variable(std::string_view name, DType type);
/// The sizes that the shapes of parameters name, in order, each once.
[[nodiscard]] std::vector<std::string> size_names(const Kernel& kernel);
/// The same, and after them the sizes that only assumptions name.
[[nodiscard]] std::vector<std::string> given_names(const Kernel& kernel);

}  // namespace heddle::kernel
#pragma GCC visibility pop

#pragma once

// Syntax trees of kernels, as they are written: macros are not expanded, names have no meaning yet.
//
//   for k in range(0, N, 32) { copy(x, A[k : +32]) }
//
//   ForSyntax k, the application of range
//     CallSyntax, the application of copy
//
// Names point into the text, which must outlive the tree.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/kernel/program.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// A name and its place.
struct NameSyntax {
  std::string_view text;
  Span span;
};

struct StatementSyntax;
using BlockSyntax = std::vector<StatementSyntax>;

/// `X: f16[128,64] = (128,64):(64,1)`
struct TensorSyntax {
  NameSyntax name;
  NameSyntax type;
  /// nullopt without brackets.
  std::optional<std::vector<Expression>> shape;
  std::optional<Expression> layout;
  Span span;
};

struct DeclarationSyntax {
  kernel::Space space = kernel::Space::kShared;
  TensorSyntax tensor;
};
struct LetSyntax {
  NameSyntax name;
  Expression value;
};
struct AssignSyntax {
  Expression destination;
  Expression value;
};
/// `pad=0`
struct OptionSyntax {
  NameSyntax name;
  Expression value;
};
/// An operator or a macro that is called: `gemm(acc, A, B.T) using tiles(rows=6)`.
struct CallSyntax {
  Expression call;
  std::optional<NameSyntax> schedule;
  std::vector<OptionSyntax> schedule_options = {};
};
/// The extent, or an application of `range`.
struct ForSyntax {
  NameSyntax counter;
  Expression extent;
  BlockSyntax body;
};
/// `pipeline k in K // 32, stages 3 { load { … } compute { … } }`
struct PipelineSyntax {
  NameSyntax counter;
  Expression extent;
  Expression stages;
  BlockSyntax load;
  BlockSyntax compute;
};
struct WhileSyntax {
  Expression condition;
  BlockSyntax body;
};
struct BreakSyntax {};
struct ContinueSyntax {};
struct IfSyntax {
  Expression condition;
  BlockSyntax then;
  BlockSyntax otherwise;
};
/// `warp[0:4] { … }`: the part is in `range`, a subscript.
struct ScopeSyntax {
  kernel::Scope::Kind kind = kernel::Scope::Kind::kThread;
  std::optional<Expression> range;
  BlockSyntax body;
  BlockSyntax otherwise;
};
struct UncheckedSyntax {
  std::string_view target;
  std::string text;
};
/// `def load(x, i) { … }`
struct MacroSyntax {
  NameSyntax name;
  std::vector<NameSyntax> parameters;
  BlockSyntax body;
  Span span;
};

struct StatementSyntax {
  using Node = std::variant<DeclarationSyntax, LetSyntax, AssignSyntax, CallSyntax, ForSyntax,
                            WhileSyntax, BreakSyntax, ContinueSyntax, IfSyntax, ScopeSyntax,
                            UncheckedSyntax, MacroSyntax, PipelineSyntax>;
  Node node;
  /// Of its first line.
  Span span;
};

/// `D: f32[4] reg`
struct InstructionOperandSyntax {
  TensorSyntax tensor;
  std::optional<NameSyntax> space;
};
/// `cuda "…"`
struct TextSyntax {
  NameSyntax target;
  std::string text;
  Span span;
};
/// `instruction load(D: f32[4] reg, S: f32[4] global) for copy aligned 16 cuda "…"`
struct InstructionSyntax {
  NameSyntax name;
  std::vector<InstructionOperandSyntax> operands;
  NameSyntax operation;
  bool is_of_warp = false;
  std::optional<Expression> alignment;
  std::vector<TextSyntax> texts;
};
/// `schedule rows for copy(D: f32[M,N], S: f32[M,N]) { … }`
struct ScheduleSyntax {
  NameSyntax name;
  NameSyntax operation;
  std::vector<TensorSyntax> parameters;
  std::vector<OptionSyntax> options;
  BlockSyntax body;
  Span span;
};

struct KernelSyntax {
  NameSyntax name;
  std::vector<TensorSyntax> parameters;
  /// The text of each `assume`.
  std::vector<Span> assumptions;
  std::optional<Expression> devices;
  /// Left out with the threads by `launch devices 4`.
  std::optional<Expression> grid;
  std::optional<Expression> cluster;
  std::optional<Expression> threads;
  Span launch;
  BlockSyntax body;
  Span span;
};

}  // namespace heddle::notation

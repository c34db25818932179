#pragma once

// Syntax trees: expressions, each with its place in the text, and the statements around them.
// Evaluation is in evaluator.h.
//
//   composition(A, (4,3):(3,1))
//
//   Application composition
//     Reference A
//     LayoutLiteral
//       Parentheses 4 3        (before a `:` parentheses make tuples)
//       Parentheses 3 1
//
// Names point into the text, which must outlive the tree.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/cute/tensor.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/quoted.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

struct IntegerLiteral {
  std::int64_t value = 0;
};
/// `0.5`, `1e-5`, in kernels.
struct RealLiteral {
  double value = 0;
};
/// `_`; as an index also `:`, all of its dimension.
struct UnderscoreLiteral {};
/// `"out/a.svg"`
struct StringLiteral {
  std::string value;
  TextPlaces places;
};
/// A bound name, or the operation of an application.
struct Reference {
  std::string_view name;
};
/// `(…)`: a tuple if it has commas, or is a literal of integers and `_`, or contains a tuple, or is
/// next to `:`; otherwise a group.
struct Parentheses {
  bool has_trailing_comma = false;
  /// It contains only integers, `_` and parentheses.
  bool is_literal = false;
};
/// `<8:4,16,_>` or `[8:4;16;_]`
struct TilerLiteral {};
/// `[8:4,16,_]`, a tiler; `["dim0", "dim1"]`, `[[0,1],[]]`, a list.
struct ListLiteral {};
/// `{"dim0": 16, "dim1": 8}`, a name for each part.
struct ObjectLiteral {
  std::vector<std::string> names;
};
/// Triton's output as it is in the text: a linear layout, an attribute, a type.
struct TritonLiteral {
  std::string_view text;
};
/// `shape:stride`: two parts; one part, the shape, is column-major.
struct LayoutLiteral {};
/// `((4,8),(2,2)):((32,1),(16,8)) tile (16,8)`: two parts, a thread-value layout and its tile.
struct OnTile {};
/// `?`, `?{div=16}`, the `int` of a C++ type: a number known only at run time, a multiple of
/// `divisor`.
struct DynamicLiteral {
  std::int64_t divisor = 1;
};
/// `smem_ptr[16b](0x400)`; the address is empty for `unset`. It has one part, the swizzle, if one
/// precedes it: `Sw<3,4,3>_smem_ptr[16b](0x400)`.
struct PointerLiteral {
  cute::MemorySpace space = cute::MemorySpace::kGeneric;
  std::int64_t bits = 8;
  std::string_view address;
  bool is_subbyte = false;
};
/// `R<1,16>`, which CuTe prints as `_1/_16`: a fraction, a stride in front of which a coordinate is
/// rounded towards 0 (CuTe's integral_ratio.hpp).
struct FractionLiteral {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
/// `Sw<3,4,3>`: three parts.
struct SwizzleLiteral {};
/// `8@1@0` (one part, the scale) or `E<0,1>` (none, the scale is 1); the path from the outermost
/// mode.
struct BasisLiteral {
  std::vector<std::size_t> path;
};
/// `S[(8,2):(4@laneid,1@m)]`, `R[2:4@warpid]`, or a LaTeX matrix: two parts, extents and strides;
/// one part, row-major extents in memory.
struct ItersLiteral {
  bool is_replica = false;
};
/// `4@laneid`, `4 @ Axis.laneid`, `SW(3,3,3)@F`: one part.
struct OnAxis {
  std::string axis;
};
/// `SW(3,3,3)`, `SW(0,3,3,outer)`: three parts, in TVM's order M, B, S.
struct TvmSwizzleLiteral {
  bool is_inner = true;
};
/// `-x`
struct Negation {};
/// `a + b - c`, `a * b // c % d`: operators of one precedence level, left to right, one fewer than
/// parts.
struct Arithmetic {
  std::vector<TokenKind> operators;
};
/// `a o b o c`
struct CompositionChain {};
/// `a == b`, `a < b`, …: two parts.
struct ComparisonNode {
  TokenKind comparator = TokenKind::kEqual;
};
/// `gl.BlockedLayout`, `L.invert`: the part before the dot, and the name after it.
struct Member {
  std::string_view name;
};
/// `f(x, name=y)`: an operation called, a layout evaluated or sliced. The first part is `f`; each
/// other one has its keyword here, or an empty text.
struct Application {
  std::vector<std::string_view> names;
};

/// `DL_a[i, k, :, :]`: a layout sliced. The first part is the layout, the others are indices; in
/// kernels also ranges, `a:b` and `a : +n`, which are LayoutLiterals.
struct Subscript {};
/// `(i,j) -> i+j`: one part, the body.
struct FunctionLiteral {
  std::vector<std::string_view> parameters;
};
/// `if c then a else b`, `a if c else b`: the three parts c, a, b.
struct Choice {};
/// `a < b and c < d`, `… or …`: two parts or more.
struct Connective {
  bool is_and = true;
};

/// One node, its children, and the piece of text it was read from.
struct Expression {
  using Node =
      std::variant<IntegerLiteral, RealLiteral, UnderscoreLiteral, StringLiteral, Reference,
                   Parentheses, TilerLiteral, ListLiteral, ObjectLiteral, TritonLiteral,
                   LayoutLiteral, OnTile, DynamicLiteral, PointerLiteral, FractionLiteral,
                   SwizzleLiteral, BasisLiteral, ItersLiteral, OnAxis, TvmSwizzleLiteral, Negation,
                   Arithmetic, CompositionChain, ComparisonNode, Member, Application, Subscript,
                   FunctionLiteral, Choice, Connective>;

  Node node;
  std::vector<Expression> parts;
  Span span;
  /// The longest path down to a leaf, which bounds the recursion of a walk over the tree.
  std::size_t height = 1;
};

/// Makes a node from its parts, and sets its height.
[[nodiscard]] Expression make_expression(Expression::Node node, Span span,
                                         std::vector<Expression> parts = {});

/// Whether these parentheses are a tuple anywhere: (4,8), (4,), (8), ((M,N)).
[[nodiscard]] bool is_tuple(const Expression& expression);
/// Whether these parentheses only group: (a), ((a)).
[[nodiscard]] bool is_group(const Expression& expression);
/// Whether the expression is what the parser makes of `not a`: false if `a`, true otherwise,
/// neither of which is in the text.
[[nodiscard]] bool is_denial(const Expression& expression);

enum class StatementKind : std::uint8_t {
  kExpression,  // A
  kBinding,     // name = A; i, j = A
  kAssert,      // assert A == B
  kRefuse,      // refuse A
  kDraw,        // draw A to "path"
  kAssume,      // assume M%128==0
  kAxis,        // axis stage: memory
};

struct Statement {
  StatementKind kind = StatementKind::kExpression;
  Expression expression;
  /// The names of a binding; several names take the parts of its value.
  std::vector<std::string> names;
  /// The path of a drawing, if it has one.
  std::optional<std::string> path;
  /// The text of an assumption (notation/assume.h) or of an axis declaration (notation/axe.h);
  /// these have no expression.
  std::string_view assumption;
  Span span;
};

}  // namespace heddle::notation
#pragma GCC visibility pop

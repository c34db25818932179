#pragma once

// A general permutation numbers the points of a tile by any function, with its inverse if one is
// given or found.
//
//   GenP([3,2],(i,j) -> 5-2*i-j,x -> (2-x//2,1-x%2))       two formulas
//   GenP([5,5],antidiag)                                   one that is known by name
//   GenP([8,8],(8,8):(1,8))                                an index map, by its original text
//   GenP([4],[2,0,3,1])                                    a table: any function at all
//
// The pair is *proved* to be a permutation of [0, size) and its inverse: at every point if the
// sizes are constants, by an argument about all sizes for the named ones, by simplification or a
// solver elsewhere. If none of these decides, it is assumed, and evidence() says so. An inverse
// that is not given is searched: a function that is strided or linear over bits has a formula for
// it, and small tiles have a table. If none is found, only inv() is refused.
//
// Known by name (N is the size of the tile):
//
//   reverse           N-1-flat
//   antidiag          a square, antidiagonal by antidiagonal (figure 7; its inverse as corrected)
//   morton            the bits of the coordinates in turn, the last dimension's first (Z-order)
//   xor               (i,j) -> i*C + (j xor i%C), C a power of two
//   swizzle(B,M,S)    the flat index with its bits [M, M+B) XORed by those S places up
//   cyclic(a)         (i,j) -> i*C + (j + a*i)%C: every row rotated by a more than the one before
//   fan(a)            a*flat % N, where a and N are coprime
//   grouped(g)        matmul tiles in groups of g rows, column by column in each group, the last
//                     group smaller where g does not divide the rows: Triton's swizzled tile order
//
// (Seed 001, section III-B and figures 4 and 7.)

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/form/table.h"
#include "heddle/lego/permutation.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

/// `(i,j) -> 5-2*i-j`, `x -> (2-x//2,1-x%2)`: expressions in parameters. A parameter is any
/// variable of that name in the results; other variables stay as they are.
struct Formula {
  std::vector<std::string> parameters;
  std::vector<Int> results;

  friend bool operator==(const Formula&, const Formula&) = default;
};

[[nodiscard]] std::string to_string(const Formula& formula);

/// The results at these arguments, one for each parameter. Refuses `overflow` for a result that is
/// not defined there.
[[nodiscard]] Result<std::vector<Int>> evaluate(const Formula& formula,
                                                std::span<const Int> arguments);

/// `antidiag`, `grouped(GM)`.
struct BuiltIn {
  std::string name;
  std::vector<Int> parameters;

  friend bool operator==(const BuiltIn&, const BuiltIn&) = default;
};

[[nodiscard]] std::string to_string(const BuiltIn& named);

/// The names that GenP knows, in order.
[[nodiscard]] std::vector<std::string> built_in_names();

/// An index map with the text that it prints as. Two are equal if they are one object.
struct NamedMap {
  std::string text;
  std::shared_ptr<const form::IndexMap> map;

  friend bool operator==(const NamedMap&, const NamedMap&) = default;
};

/// A table by its values.
[[nodiscard]] NamedMap named_map(const form::Table& table);

/// How it is known that a GenP is a permutation, and its inverse the inverse.
enum class Evidence : std::uint8_t {
  kConstruction,    // an argument about all sizes, at the definition of the named ones
  kEvaluation,      // at every point
  kSimplification,  // ranges and normal forms of the expressions
  kSolver,          // the prover that make() was given
  kAssumed,         // by the user's word only, checked at some 2^16 points of a larger tile
  kNone,            // it is not a permutation: for injective layouts only
};

/// `proved by evaluation`, `assumed`, ….
[[nodiscard]] std::string to_string(Evidence evidence);

/// The origin of the inverse.
enum class InverseKind : std::uint8_t { kGiven, kStrided, kBitLinear, kTable, kMissing };

/// An inverse that was found: src/lego/prove_genp.h.
struct FoundInverse;
/// A formula that is compiled for constants: src/lego/formula.h.
class FastFormula;

/// Decides conditions that ranges and normal forms leave open, such as an SMT solver.
using Prover = std::function<Verdict(const Condition&)>;

class GenP {
 public:
  /// The function as it was written.
  using Function = std::variant<Formula, BuiltIn, NamedMap>;

  /// Tiles of at most this many points are proved point by point, unless their formulas are so long
  /// that it takes more than kMaxOperations.
  static constexpr std::int64_t kMaxEvaluated = std::int64_t{1} << 20;
  static constexpr std::int64_t kMaxOperations = std::int64_t{1} << 27;

  /// Without an inverse the function may turn out to be no permutation: evidence() is kNone then,
  /// not_a_permutation() says why, and only an injective layout accepts it. With an inverse this is
  /// refused at once: `lego.genp_range` and `lego.genp_repeated` with the coordinates,
  /// `lego.genp_inverse` if the two are not each other's inverse.
  ///
  /// Also refuses `lego.genp`: another number of parameters or results than the tile has
  /// dimensions, a name that is not known, parameters or sizes that the named one cannot have (with
  /// the condition that fails), an index map on another box or with more than one axis;
  /// `arithmetic.zero_divisor` for a formula that divides by 0 within the tile, with the point;
  /// `assume.needed` if such a condition is not known to hold; `lego.tile`, `lego.extent`,
  /// `overflow`. Cost: two evaluations for each point, for at most kMaxEvaluated points.
  [[nodiscard]] static Result<GenP> make(Sizes dims, Function function,
                                         std::optional<Formula> inverse = {},
                                         const Prover& prover = {});

  [[nodiscard]] std::span<const Int> dims() const { return dims_; }
  [[nodiscard]] const Function& function() const { return function_; }
  /// The inverse as it was given.
  [[nodiscard]] const std::optional<Formula>& inverse() const { return inverse_; }
  [[nodiscard]] Evidence evidence() const { return evidence_; }
  /// The refusal with its coordinate, for kNone.
  [[nodiscard]] const std::optional<Diagnostic>& not_a_permutation() const { return failure_; }
  [[nodiscard]] InverseKind inverse_kind() const;
  /// The cost of applying it to a number and back, in operations of its formulas.
  [[nodiscard]] std::size_t evaluation_cost() const;

  /// The number of the point. The point must be in the tile.
  [[nodiscard]] Result<Int> apply(std::span<const Int> point) const;
  /// The point with this number in [0, size). Refuses `lego.no_inverse` if none was given and none
  /// is found, or if it is a table and the number is symbolic.
  [[nodiscard]] Result<std::vector<Int>> inv(const Int& flat) const;

  /// The inverse as a permutation of numbers: GenP([size], x -> number of the point, …), known by
  /// the same evidence. `reverse` is its own; a pair of formulas changes places; a permutation
  /// without formulas has a table. Refuses as inv(), and `overflow` for a formula that does not
  /// fit.
  [[nodiscard]] Result<GenP> inverted() const;

  /// Compares what was written; the evidence follows from it.
  friend bool operator==(const GenP& a, const GenP& b) {
    return a.dims_ == b.dims_ && a.function_ == b.function_ && a.inverse_ == b.inverse_;
  }

 private:
  GenP(Sizes dims, Function function, std::optional<Formula> inverse);

  Sizes dims_;
  Function function_;
  std::optional<Formula> inverse_;
  Evidence evidence_ = Evidence::kAssumed;
  std::optional<Diagnostic> failure_;
  std::shared_ptr<const FoundInverse> found_;
  std::shared_ptr<const FastFormula> fast_function_;
  std::shared_ptr<const FastFormula> fast_inverse_;
};

/// The function as it was written.
[[nodiscard]] std::string to_string(const GenP::Function& function);
/// `GenP([3,2],(i,j) -> …,x -> …)`, `GenP([5,5],antidiag)`.
[[nodiscard]] std::string to_string(const GenP& permutation);

}  // namespace heddle::lego
#pragma GCC visibility pop

template <>
struct std::hash<heddle::lego::GenP> : heddle::HashOfText<heddle::lego::GenP> {};

#pragma once

// Symbolic integers as isl's piecewise quasi-affine expressions.
//
//   3*i + floor_div(i, 4)                    3i + floor(i/4)
//   bit_xor(i, 5)                            bit by bit: i + (1 - 2*(i mod 2)) + …
//   select({i, Predicate::kLess, n}, i, 0)    two pieces; n is a parameter
//
// All functions are called within IslSession::ask(), and throw NotAffine for terms that are no
// quasi-affine expressions: a product of variables, a division by one, a square root.

#include <string>
#include <unordered_map>
#include <vector>

#include "expr/term/term.h"
#include "heddle/expr/condition.h"
#include "map/isl/door.h"

namespace heddle::map {

/// Thrown with the reason if a term cannot be translated.
struct NotAffine {
  std::string reason;
};

/// isl's expressions over the points of a space. Variables that are not among its coordinates are
/// parameters.
class IslTerms {
 public:
  /// `coordinates` are the names of the variables for the coordinates.
  IslTerms(IslSession& session, std::vector<std::string> coordinates);

  [[nodiscard]] isl::pw_aff operator()(const Int& value);
  [[nodiscard]] isl::set operator()(const Condition& condition);

  [[nodiscard]] isl::pw_aff constant(std::int64_t number) const;
  [[nodiscard]] isl::pw_aff coordinate(std::size_t position) const;
  /// All points.
  [[nodiscard]] const isl::set& universe() const { return universe_; }
  /// The constraints on the parameters that have occurred so far.
  [[nodiscard]] const isl::set& known() const { return known_; }

 private:
  isl::pw_aff atom(const expr::AtomPointer& atom);
  isl::pw_aff translated(const expr::Atom& atom);
  isl::pw_aff variable(const expr::Atom& atom);
  isl::pw_aff parameter(const expr::Variable& variable);
  isl::pw_aff bits(const expr::Atom& atom);
  isl::pw_aff power_of_two(const expr::Atom& atom);

  IslSession& session_;
  std::vector<std::string> coordinates_;
  isl::set universe_;
  isl::set known_;
  std::unordered_map<const expr::Atom*, isl::pw_aff> atoms_;
  /// Keeps the remembered atoms alive.
  std::vector<expr::AtomPointer> kept_;
  std::vector<std::string> parameters_;
};

}  // namespace heddle::map

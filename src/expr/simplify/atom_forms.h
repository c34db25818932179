#pragma once

// The ways in which integers can be written over their atoms.
//
//   x%d     as it is, or x - d*(x//d)
//   x//d    as it is; (x//a)//b for d = a*b where x//a occurs; where d divides what it is
//           multiplied by, c*d*(x//d) as c*x - c*(x%d), or as c*bit_and(x,-d) for a power of two
//
// One way is chosen for each atom; a choice for all of them makes a system.

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/simplify/sum_system.h"
#include "expr/term/term.h"

namespace heddle::expr {

/// How one atom is written.
struct Form {
  enum class Kind : std::uint8_t {
    kPlain,
    kDifference,  // unit * atom = whole - scale * other
    kNested,      // a quotient: whole//unit
    kMasked,      // unit * atom = left & -unit
  };
  Kind kind = Kind::kPlain;
  Int unit;
  Int whole;
  Int scale;
  /// The partner, or the digit within another quotient.
  Int other;
  /// The law, for an explanation.
  std::string_view rule;
};

/// An atom with the ways to write it, the plain one first.
struct Writable {
  AtomPointer atom;
  std::vector<Form> forms;
  /// The index of the quotient or remainder of the same two numbers.
  std::optional<std::size_t> partner;
};

class Forms {
 public:
  Forms(std::span<const Int> values, std::span<const Condition> guards, const Target& target);

  /// The atoms for which there is a choice.
  [[nodiscard]] const std::vector<Writable>& writables() const { return writables_; }
  /// The index of the form of each writable.
  using Choice = std::vector<std::uint8_t>;
  /// nullopt if a coefficient exceeds 64 bits.
  [[nodiscard]] std::optional<System> write(const Choice& choice) const;

 private:
  friend class FormWriter;

  void collect(const Int& value);
  void collect(const AtomPointer& atom);
  void add_forms(const AtomPointer& atom, const Target& target);
  void add_quotient_forms(Writable& writable, const Target& target);
  void find_partners();

  std::span<const Int> values_;
  std::span<const Condition> guards_;
  std::vector<AtomPointer> atoms_;
  AtomMap<bool> seen_;
  std::vector<Writable> writables_;
  AtomMap<std::size_t> index_;
};

}  // namespace heddle::expr

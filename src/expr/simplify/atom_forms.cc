#include "expr/simplify/atom_forms.h"

#include <algorithm>

#include "core/bits.h"
#include "expr/term/bounds.h"
#include "expr/term/conditions.h"
#include "expr/term/operation.h"

namespace heddle::expr {
namespace {

/// Past this many atoms only the plain form is written.
constexpr std::size_t kMaxAtoms = 400;
constexpr std::size_t kMaxNested = 3;

/// x//d, where x%d does not simplify; of x = y//a it is y//(a*d). Nothing is proved anew.
Int quotient_beside(const Atom& remainder) {
  const AtomPointer inner = as_atom(remainder.left());
  const bool joins = inner && inner->operation() == Operator::kQuotient &&
                     interval_of(inner->right()).low >= 1 &&
                     interval_of(remainder.right()).low >= 1;
  if (!joins) return make_operation(Operator::kQuotient, remainder.left(), remainder.right());
  return make_operation(Operator::kQuotient, inner->left(), inner->right() * remainder.right());
}

Int remainder_beside(const Int& value, const Int& divisor) {
  return make_operation(Operator::kRemainder, value, divisor);
}

/// A sum that ends in 1.
bool is_one_more(const Int& value) { return value.is_symbolic() && constant_of(value) == 1; }

/// The same condition with fewer operations: a < b + 1 is a <= b, and a + 1 <= b is a < b.
Condition shortest(const Condition& condition) {
  const auto& [left, predicate, right] = condition;
  if (predicate == Predicate::kLess && is_one_more(right)) {
    return {left, Predicate::kAtMost, right - 1};
  }
  if (predicate == Predicate::kAtMost && is_one_more(left))
    return {left - 1, Predicate::kLess, right};
  return condition;
}

/// Whether a side is safe to compute: the condition `given` computes it too, or it fits into the
/// narrowest type of any program. A sum that is moved to the other side may overflow where the
/// given one does not.
bool is_safe_side(const Int& side, const Condition& given) {
  if (side.is_constant() || side == given.left || side == given.right) return true;
  if (Products(side).size() == 1) return true;
  const Range values = range(side);
  return values.low >= INT32_MIN && values.high <= INT32_MAX;
}

}  // namespace

Forms::Forms(std::span<const Int> values, std::span<const Condition> guards, const Target& target)
    : values_(values), guards_(guards) {
  for (const Int& value : values) collect(value);
  for (const Condition& guard : guards) {
    collect(guard.left);
    collect(guard.right);
  }
  if (atoms_.size() > kMaxAtoms) return;
  // Atoms added on the way are not examined again, so the loop ends.
  const std::vector<AtomPointer> given = atoms_;
  for (const AtomPointer& atom : given) {
    if (atom->operation() == Operator::kRemainder) collect(quotient_beside(*atom));
  }
  const std::vector<AtomPointer> all = atoms_;
  for (const AtomPointer& atom : all) add_forms(atom, target);
  find_partners();
}

void Forms::find_partners() {
  for (std::size_t i = 0; i < writables_.size(); ++i) {
    for (const Form& form : writables_[i].forms) {
      const bool names_partner =
          form.kind == Form::Kind::kDifference && form.whole == writables_[i].atom->left();
      const AtomPointer other = names_partner ? as_atom(form.other) : nullptr;
      const auto found = other ? index_.find(other) : index_.end();
      if (found != index_.end()) writables_[i].partner = found->second;
    }
  }
}

void Forms::collect(const Int& value) {
  for_each_factor(value, [this](const AtomPointer& atom) { collect(atom); });
}

void Forms::collect(const AtomPointer& atom) {
  if (atom->operation() == Operator::kVariable || !seen_.emplace(atom, true).second) return;
  for_each_operand(*atom, [this](const Int& operand) { collect(operand); });
  atoms_.push_back(atom);
}

void Forms::add_forms(const AtomPointer& atom, const Target& target) {
  Writable writable{atom, {Form{}}, std::nullopt};
  if (atom->operation() == Operator::kRemainder) {
    writable.forms.push_back({Form::Kind::kDifference, 1, atom->left(), atom->right(),
                              quotient_beside(*atom), "x%d = x - d*(x//d)"});
  } else if (atom->operation() == Operator::kQuotient) {
    add_quotient_forms(writable, target);
  }
  if (writable.forms.size() == 1) return;
  index_.emplace(atom, writables_.size());
  writables_.push_back(std::move(writable));
}

void Forms::add_quotient_forms(Writable& writable, const Target& target) {
  const Atom& atom = *writable.atom;
  std::size_t nested = 0;
  for (const AtomPointer& other : atoms_) {
    const bool is_same = other->operation() == Operator::kQuotient && !same(*other, atom) &&
                         other->left() == atom.left();
    if (!is_same || nested == kMaxNested) continue;
    const std::optional<Int> part = exact_quotient(atom.right(), other->right());
    const bool is_positive =
        part && interval_of(*part).low >= 1 && interval_of(other->right()).low >= 1;
    if (!is_positive) continue;
    ++nested;
    const Int whole = make_int(other);
    writable.forms.push_back({Form::Kind::kNested, *part, whole, 0, 0, "x//(a*b) = (x//a)//b"});
    writable.forms.push_back({Form::Kind::kDifference, *part, whole, 1,
                              remainder_beside(whole, *part), "b*(x//(a*b)) = x//a - (x//a)%b"});
  }
  writable.forms.push_back({Form::Kind::kDifference, atom.right(), atom.left(), 1,
                            remainder_beside(atom.left(), atom.right()), "d*(x//d) = x - x%d"});
  if (target.has_bits && atom.right().is_constant() && is_power_of_two(atom.right().value())) {
    writable.forms.push_back(
        {Form::Kind::kMasked, atom.right(), 0, 0, 0, "d*(x//d) = bit_and(x,-d)"});
  }
}

/// Writes integers as sums over symbols, for one choice of forms. A sum is nullopt if a coefficient
/// exceeds 64 bits, or if its value is undefined, as a partner in a form may be.
class FormWriter {
 public:
  FormWriter(const Forms& forms, const Forms::Choice& choice) : forms_(forms), choice_(choice) {}

  std::optional<System> run() && {
    for (const Int& value : forms_.values_) {
      const std::optional<Sum> sum = written(value);
      if (!sum) return std::nullopt;
      system_.results.push_back(system_.sum_id(*sum));
    }
    for (const Condition& guard : forms_.guards_) {
      const std::optional<Sum> sum = guard_sum(guard);
      if (!sum) return std::nullopt;
      system_.guards.push_back(system_.sum_id(*sum));
    }
    return std::move(system_);
  }

 private:
  std::optional<Sum> written(const Int& value) {
    if (!value.is_defined()) return std::nullopt;
    if (value.is_constant()) return constant_sum(value.value());
    const auto known = written_.find(value);
    if (known != written_.end()) return known->second;
    Sum sum;
    for (const Product& product : value.term().products()) {
      const std::optional<Sum> part = written(product);
      if (!part) return std::nullopt;
      sum.append(part->begin(), part->end());
    }
    std::optional<Sum> made = gather(std::move(sum));
    if (made) written_.emplace(value, *made);
    return made;
  }

  static Sum constant_sum(std::int64_t value) {
    return value == 0 ? Sum() : Sum(1, Summand{value, {}});
  }
  static std::optional<Sum> sum_of(std::optional<SymbolId> symbol) {
    if (!symbol) return std::nullopt;
    return Sum(1, Summand{1, Factors(1, *symbol)});
  }

  [[nodiscard]] std::optional<SumId> id_of(const std::optional<Sum>& sum) {
    return sum ? std::optional(system_.sum_id(*sum)) : std::nullopt;
  }
  std::optional<SymbolId> symbol_of(CodeOperation operation,
                                    std::initializer_list<std::optional<SumId>> operands,
                                    Int value) {
    Symbol symbol{.operation = operation, .operands = {}, .name = {}, .value = std::move(value)};
    for (const std::optional<SumId>& operand : operands) {
      if (!operand) return std::nullopt;
      symbol.operands.push_back(*operand);
    }
    return system_.symbol_id(std::move(symbol));
  }

  [[nodiscard]] const Form* form_of(const AtomPointer& atom) const {
    const auto found = forms_.index_.find(atom);
    if (found == forms_.index_.end() || choice_[found->second] == 0) return nullptr;
    return &forms_.writables_[found->second].forms[choice_[found->second]];
  }

  /// The first atom that has another form here takes the other factors with it.
  std::optional<Sum> written(const Product& product) {
    for (std::size_t i = 0; i < product.atoms.size(); ++i) {
      const Form* form = form_of(product.atoms[i]);
      if (form == nullptr) continue;
      Product others = product;
      others.atoms.erase(others.atoms.begin() + static_cast<std::ptrdiff_t>(i));
      std::optional<Sum> sum = rewritten(*product.atoms[i], *form, make_int(Polynomial(1, others)));
      if (sum) return sum;
    }
    return plainly_written(product);
  }

  /// factor * atom in the given form; nullopt if the form does not fit.
  std::optional<Sum> rewritten(const Atom& atom, const Form& form, const Int& factor) {
    if (form.kind == Form::Kind::kNested) return std::nullopt;
    const std::optional<Int> multiple = exact_quotient(factor, form.unit);
    if (!multiple) return std::nullopt;
    if (form.kind == Form::Kind::kMasked) {
      const std::optional<Sum> scale = written(*multiple);
      return times(scale, sum_of(masked(atom)));
    }
    // The remainder stays as it is: its own form may use this very quotient.
    const AtomPointer other = as_atom(form.other);
    const bool is_remainder = other && other->operation() == Operator::kRemainder;
    const std::optional<Sum> part =
        is_remainder ? sum_of(plain_symbol(other, nullptr)) : written(form.other);
    const std::optional<Sum> rest = times(written(form.scale), part);
    const std::optional<Sum> scale = written(*multiple);
    return times(scale, plus(written(form.whole), times(rest, constant_sum(-1))));
  }

  // Products of atoms as they are.

  /// Multiplies variables by the divisors that were split off, so that 128*(M//128) is M.
  std::optional<Sum> plainly_written(const Product& product) {
    Product rest = product;
    std::optional<Sum> sum = constant_sum(1);
    take_apart(rest, [&](const AtomPointer& atom) {
      if (!sum) return;
      sum = times(sum, atom->operation() == Operator::kVariable
                           ? variable_sum(atom, rest)
                           : sum_of(plain_symbol(atom, form_of(atom))));
    });
    return times(sum, constant_sum(rest.coefficient));
  }

  /// The quotient atom of a variable: the variable itself over those of its divisors that `rest`
  /// lacks.
  std::optional<Sum> variable_sum(const AtomPointer& atom, Product& rest) {
    const Variable& variable = atom->variable();
    const SymbolId leaf = variable_symbol(atom);
    if (variable.residue != 0 && rest.coefficient % variable.divisor == 0) {
      rest.coefficient /= variable.divisor;
      return plus(sum_of(leaf), constant_sum(-variable.residue));
    }
    const Int below = taken_back(variable, rest);
    if (below == Int(1)) return sum_of(leaf);
    const std::optional<Sum> divisor = written(below);
    // The atom is over all of its divisors; this quotient over the missing ones.
    const Int quotient = floor_div(system_.symbol(leaf).value, below);
    return sum_of(symbol_of(CodeOperation::kQuotient, {id_of(sum_of(leaf)), id_of(divisor)},
                            quotient.is_defined() ? quotient : make_int(atom)));
  }

  SymbolId variable_symbol(const AtomPointer& atom) {
    return system_.symbol_id(
        {CodeOperation::kVariable, {}, atom->variable().name, whole_variable(atom)});
  }

  std::optional<SymbolId> masked(const Atom& atom) {
    return symbol_of(CodeOperation::kAnd,
                     {id_of(written(atom.left())), id_of(constant_sum(-atom.right().value()))},
                     atom.left() - remainder_beside(atom.left(), atom.right()));
  }

  /// Writes `(M//128)//2`, which is a multiple of 128 halved past 128, as M//256.
  std::optional<SymbolId> quotient_of_variable(const AtomPointer& quotient) {
    const AtomPointer atom = as_atom(quotient->left());
    const bool is_whole = quotient->operation() == Operator::kQuotient && atom &&
                          atom->operation() == Operator::kVariable &&
                          atom->variable().factors.empty() && atom->variable().divisor != 1;
    if (!is_whole || !quotient->right().is_constant()) return std::nullopt;
    const Int below = Int(atom->variable().divisor) * quotient->right();
    if (!below.is_defined()) return std::nullopt;
    return symbol_of(CodeOperation::kQuotient,
                     {id_of(sum_of(variable_symbol(atom))), id_of(constant_sum(below.value()))},
                     make_int(quotient));
  }

  std::optional<SymbolId> plain_symbol(const AtomPointer& atom, const Form* form) {
    if (std::optional<SymbolId> whole = quotient_of_variable(atom)) return whole;
    const bool is_nested = form != nullptr && form->kind == Form::Kind::kNested;
    const auto left = [&] { return id_of(written(is_nested ? form->whole : atom->left())); };
    const auto right = [&] { return id_of(written(is_nested ? form->unit : atom->right())); };
    switch (atom->operation()) {
      case Operator::kSelect:
        return symbol_of(atom->operation(),
                         {id_of(sum_of(condition_symbol(atom->condition()))), left(), right()},
                         make_int(atom));
      case Operator::kSquareRoot:
        return symbol_of(atom->operation(), {left()}, make_int(atom));
      default:
        return symbol_of(atom->operation(), {left(), right()}, make_int(atom));
    }
  }

  // Truth values.

  std::optional<SymbolId> condition_symbol(const Condition& given) {
    const Condition condition = shortest(given);
    const std::optional<Sum> left = written(condition.left);
    const std::optional<Sum> right = written(condition.right);
    return symbol_of(operation_of(condition.predicate), {id_of(left), id_of(right)},
                     Int::undefined());
  }

  std::optional<Sum> guard_sum(const Condition& guard) {
    if (known(guard)) return constant_sum(1);
    if (known_false(guard)) return constant_sum(0);
    const auto [normal, is_turned] = normal_condition(guard);
    const Condition found = shortest(is_turned ? *opposite_of(normal) : normal);
    const bool is_safe = is_safe_side(found.left, guard) && is_safe_side(found.right, guard);
    return sum_of(condition_symbol(is_safe ? found : guard));
  }

  const Forms& forms_;
  const Forms::Choice& choice_;
  System system_;
  std::unordered_map<Int, Sum> written_;
};

std::optional<System> Forms::write(const Choice& choice) const {
  return FormWriter(*this, choice).run();
}

}  // namespace heddle::expr

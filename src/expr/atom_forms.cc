#include "expr/atom_forms.h"
#include "expr/divisors.h"

#include <algorithm>
#include <bit>

#include "expr/bounds.h"
#include "expr/select.h"

namespace heddle::expr {
namespace {

/// Past this many atoms only the plain form is written.
constexpr std::size_t kMaxAtoms = 400;
constexpr std::size_t kMaxNested = 3;

bool is_power_of_two_divisor(const Int& divisor) {
  return divisor.is_constant() && divisor.value() > 1 &&
         std::has_single_bit(static_cast<std::uint64_t>(divisor.value()));
}

CodeOperation operation_of(Predicate predicate) {
  switch (predicate) {
    case Predicate::kEqual:
      return CodeOperation::kEqual;
    case Predicate::kNotEqual:
      return CodeOperation::kNotEqual;
    case Predicate::kLess:
      return CodeOperation::kLess;
    case Predicate::kAtMost:
      return CodeOperation::kAtMost;
    case Predicate::kDivides:
      break;
  }
  return CodeOperation::kDivides;
}

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
bool is_one_more(const Int& value) {
  if (value.is_constant()) return false;
  const Products products(value);
  const Product& last = products.back();
  return last.degree() == 0 && last.coefficient == 1;
}

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

/// What a machine computes for it, it computes for the condition `given` too, or it fits into the
/// narrowest type of any program: a sum that is brought to the other side may overflow where the
/// one that was given does not.
bool is_safe_side(const Int& side, const Condition& given) {
  if (side.is_constant() || side == given.left || side == given.right) return true;
  if (Products(side).size() == 1) return true;
  const Range values = range(side);
  return values.low >= INT32_MIN && values.high <= INT32_MAX;
}

}  // namespace

CodeOperation operation_of(Operator operation) {
  switch (operation) {
    case Operator::kQuotient:
      return CodeOperation::kQuotient;
    case Operator::kRemainder:
      return CodeOperation::kRemainder;
    case Operator::kMinimum:
      return CodeOperation::kMinimum;
    case Operator::kMaximum:
      return CodeOperation::kMaximum;
    case Operator::kGcd:
      return CodeOperation::kGcd;
    case Operator::kSquareRoot:
      return CodeOperation::kSquareRoot;
    case Operator::kAnd:
      return CodeOperation::kAnd;
    case Operator::kOr:
      return CodeOperation::kOr;
    case Operator::kXor:
      return CodeOperation::kXor;
    case Operator::kPowerOfTwo:
      return CodeOperation::kShiftLeft;
    case Operator::kSelect:
      return CodeOperation::kSelect;
    case Operator::kVariable:
      break;
  }
  return CodeOperation::kVariable;
}

Forms::Forms(std::span<const Int> values, std::span<const Condition> guards, const Target& target)
    : values_(values), guards_(guards) {
  for (const Int& value : values) collect(value);
  for (const Condition& guard : guards) {
    collect(guard.left);
    collect(guard.right);
  }
  if (atoms_.size() > kMaxAtoms) return;
  // What is added on the way is not looked at again: that ends.
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
          form.kind == Form::Kind::kByQuotient || form.kind == Form::Kind::kByRemainder;
      const AtomPointer other =
          names_partner && form.other.is_defined() ? as_atom(form.other) : nullptr;
      const auto found = other ? index_.find(other) : index_.end();
      if (found != index_.end()) writables_[i].partner = found->second;
    }
  }
}

void Forms::collect(const Int& value) {
  if (!value.is_symbolic()) return;
  for (const Product& product : value.term().products()) {
    for (const AtomPointer& atom : product.atoms) collect(atom);
  }
}

void Forms::collect(const AtomPointer& atom) {
  if (atom->operation() == Operator::kVariable || !seen_.emplace(atom, true).second) return;
  if (atom->operation() == Operator::kSelect) {
    collect(atom->condition().left);
    collect(atom->condition().right);
  }
  collect(atom->left());
  collect(atom->right());
  atoms_.push_back(atom);
}

void Forms::add_forms(const AtomPointer& atom, const Target& target) {
  Writable writable{atom, {Form{}}, std::nullopt};
  if (atom->operation() == Operator::kRemainder) {
    writable.forms.push_back(
        {Form::Kind::kByQuotient, quotient_beside(*atom), 0, 0, "x%d = x - d*(x//d)"});
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
    writable.forms.push_back({Form::Kind::kNested, whole, *part, 0, "x//(a*b) = (x//a)//b"});
    writable.forms.push_back({Form::Kind::kByDigit, remainder_beside(whole, *part), *part, whole,
                              "b*(x//(a*b)) = x//a - (x//a)%b"});
  }
  writable.forms.push_back({Form::Kind::kByRemainder, remainder_beside(atom.left(), atom.right()),
                            0, 0, "d*(x//d) = x - x%d"});
  if (target.has_bits && is_power_of_two_divisor(atom.right())) {
    writable.forms.push_back({Form::Kind::kMasked, 0, 0, 0, "d*(x//d) = bit_and(x,-d)"});
  }
}

/// Writes integers as sums over symbols, for one choice of forms.
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
      const std::optional<SymbolId> symbol = guard_symbol(guard);
      if (!symbol) return std::nullopt;
      system_.guards.push_back(*symbol);
    }
    return std::move(system_);
  }

 private:
  /// Nothing for what is undefined, as a partner in a form may be.
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
  static Sum symbol_sum(SymbolId symbol) {
    Summand summand{1, {}};
    summand.factors.push_back(symbol);
    return Sum(1, summand);
  }

  [[nodiscard]] const Form* form_of(const AtomPointer& atom) const {
    const auto found = forms_.index_.find(atom);
    if (found == forms_.index_.end() || choice_[found->second] == 0) return nullptr;
    return &forms_.writables_[found->second].forms[choice_[found->second]];
  }

  /// The first atom that is written in another way here takes the others with it.
  std::optional<Sum> written(const Product& product) {
    for (std::size_t i = 0; i < product.atoms.size(); ++i) {
      const Form* form = form_of(product.atoms[i]);
      if (form == nullptr) continue;
      Product others = product;
      others.atoms.erase(others.atoms.begin() + static_cast<std::ptrdiff_t>(i));
      std::optional<Sum> sum = rewritten(product.atoms[i], *form, make_int(Polynomial(1, others)));
      if (sum) return sum;
    }
    return plainly_written(product);
  }

  /// factor * atom in the given form; nothing where the form does not fit.
  std::optional<Sum> rewritten(const AtomPointer& atom, const Form& form, const Int& factor) {
    switch (form.kind) {
      case Form::Kind::kByQuotient:
        return difference(factor, atom->left(), written(atom->right()), written(form.other));
      case Form::Kind::kByRemainder:
        return by_multiple(factor, atom->right(), atom->left(), form.other);
      case Form::Kind::kByDigit:
        return by_multiple(factor, form.part, form.whole, form.other);
      case Form::Kind::kMasked: {
        const std::optional<Int> multiple = exact_quotient(factor, atom->right());
        const std::optional<Sum> scale = multiple ? written(*multiple) : std::nullopt;
        const std::optional<SymbolId> symbol = masked(*atom);
        return scale && symbol ? times(*scale, symbol_sum(*symbol)) : std::nullopt;
      }
      case Form::Kind::kNested:
      case Form::Kind::kPlain:
        break;
    }
    return std::nullopt;
  }

  /// factor * (value - a*b)
  std::optional<Sum> difference(const Int& factor, const Int& value, const std::optional<Sum>& a,
                                const std::optional<Sum>& b) {
    const std::optional<Sum> scale = written(factor);
    const std::optional<Sum> whole = written(value);
    if (!scale || !whole || !a || !b) return std::nullopt;
    const std::optional<Sum> taken = times(*a, *b);
    const std::optional<Sum> negated = taken ? times(*taken, constant_sum(-1)) : std::nullopt;
    const std::optional<Sum> sum = negated ? plus(*whole, *negated) : std::nullopt;
    return sum ? times(*scale, *sum) : std::nullopt;
  }

  /// factor * quotient, where unit * quotient = whole - rest: only if the unit divides the factor.
  std::optional<Sum> by_multiple(const Int& factor, const Int& unit, const Int& whole,
                                 const Int& rest) {
    const std::optional<Int> multiple = exact_quotient(factor, unit);
    if (!multiple) return std::nullopt;
    const AtomPointer remainder = as_atom(rest);
    const std::optional<Sum> plain = remainder ? plain_sum(remainder) : written(rest);
    return difference(*multiple, whole, plain, constant_sum(1));
  }

  std::optional<Sum> plain_sum(const AtomPointer& atom) {
    if (atom->operation() == Operator::kVariable) return written(make_int(atom));
    const std::optional<SymbolId> symbol = plain_symbol(atom, nullptr);
    return symbol ? std::optional(symbol_sum(*symbol)) : std::nullopt;
  }

  // Products of atoms as they are.

  /// Variables take back what divides them, so that 128*(M//128) is M.
  std::optional<Sum> plainly_written(const Product& product) {
    Product rest = product;
    Sum sum = constant_sum(1);
    for (const bool with_factors : {true, false}) {
      for (std::size_t i = 0; i < rest.atoms.size();) {
        const AtomPointer atom = rest.atoms[i];
        const bool is_variable = atom->operation() == Operator::kVariable;
        if (with_factors && (!is_variable || atom->variable().factors.empty())) {
          ++i;
          continue;
        }
        rest.atoms.erase(rest.atoms.begin() + static_cast<std::ptrdiff_t>(i));
        const std::optional<Sum> factor = is_variable ? variable_sum(atom, rest) : atom_sum(atom);
        const std::optional<Sum> longer = factor ? times(sum, *factor) : std::nullopt;
        if (!longer) return std::nullopt;
        sum = *longer;
        i = 0;
      }
    }
    return times(sum, constant_sum(rest.coefficient));
  }

  std::optional<Sum> atom_sum(const AtomPointer& atom) {
    const std::optional<SymbolId> symbol = plain_symbol(atom, form_of(atom));
    return symbol ? std::optional(symbol_sum(*symbol)) : std::nullopt;
  }

  /// The quotient atom of a variable: the variable itself over what `rest` lacks of its divisors.
  std::optional<Sum> variable_sum(const AtomPointer& atom, Product& rest) {
    const Variable& variable = atom->variable();
    const SymbolId leaf = variable_symbol(atom);
    if (variable.residue != 0) return variable_with_residue(atom, leaf, rest);
    const std::int64_t common = common_divisor(rest.coefficient, variable.divisor);
    rest.coefficient /= common;
    Int below = variable.divisor / common;
    for (const AtomPointer& factor : variable.factors) {
      const auto found = std::ranges::find_if(
          rest.atoms, [&](const AtomPointer& other) { return same(*factor, *other); });
      if (found != rest.atoms.end()) {
        rest.atoms.erase(found);
      } else {
        below *= make_int(factor);
      }
    }
    if (below == Int(1)) return symbol_sum(leaf);
    return quotient_of_leaf(leaf, below, make_int(atom));
  }

  std::optional<Sum> variable_with_residue(const AtomPointer& atom, SymbolId leaf, Product& rest) {
    const Variable& variable = atom->variable();
    if (rest.coefficient % variable.divisor != 0) {
      return quotient_of_leaf(leaf, variable.divisor, make_int(atom));
    }
    rest.coefficient /= variable.divisor;
    return plus(symbol_sum(leaf), constant_sum(-variable.residue));
  }

  std::optional<Sum> quotient_of_leaf(SymbolId leaf, const Int& below, const Int& value) {
    const std::optional<Sum> divisor = written(below);
    if (!divisor) return std::nullopt;
    Symbol symbol;
    symbol.operation = CodeOperation::kQuotient;
    symbol.operands = {system_.sum_id(symbol_sum(leaf)), system_.sum_id(*divisor)};
    // The atom is over all of its divisors; this quotient over what is missing of them.
    const Int whole = system_.symbol(leaf).value;
    const Int quotient = floor_div(whole, below);
    symbol.value = quotient.is_defined() ? quotient : value;
    return symbol_sum(system_.symbol_id(std::move(symbol)));
  }

  SymbolId variable_symbol(const AtomPointer& atom) {
    Symbol symbol;
    symbol.name = atom->variable().name;
    symbol.value = whole_variable(atom);
    return system_.symbol_id(std::move(symbol));
  }

  std::optional<SymbolId> masked(const Atom& atom) {
    const std::optional<Sum> left = written(atom.left());
    if (!left) return std::nullopt;
    Symbol symbol;
    symbol.operation = CodeOperation::kAnd;
    symbol.operands = {system_.sum_id(*left), system_.sum_id(constant_sum(-atom.right().value()))};
    symbol.value = atom.left() - remainder_beside(atom.left(), atom.right());
    return system_.symbol_id(std::move(symbol));
  }

  /// `(M//128)//2`, which is what a multiple of 128 halved past 128 comes to, is M//256.
  std::optional<SymbolId> quotient_of_variable(const AtomPointer& quotient) {
    const AtomPointer atom = as_atom(quotient->left());
    const bool is_whole = quotient->operation() == Operator::kQuotient && atom &&
                          atom->operation() == Operator::kVariable &&
                          atom->variable().factors.empty() && atom->variable().divisor != 1;
    if (!is_whole || !quotient->right().is_constant()) return std::nullopt;
    const Int below = Int(atom->variable().divisor) * quotient->right();
    if (!below.is_defined()) return std::nullopt;
    Symbol symbol;
    symbol.operation = CodeOperation::kQuotient;
    symbol.operands = {system_.sum_id(symbol_sum(variable_symbol(atom))),
                       system_.sum_id(constant_sum(below.value()))};
    symbol.value = make_int(quotient);
    return system_.symbol_id(std::move(symbol));
  }

  std::optional<SymbolId> plain_symbol(const AtomPointer& atom, const Form* form) {
    if (std::optional<SymbolId> whole = quotient_of_variable(atom)) return whole;
    Int left = atom->left();
    Int right = atom->right();
    if (form != nullptr && form->kind == Form::Kind::kNested) {
      left = form->other;
      right = form->part;
    }
    if (atom->operation() == Operator::kPowerOfTwo) {
      right = left;
      left = 1;
    }
    Symbol symbol;
    symbol.operation = operation_of(atom->operation());
    symbol.value = make_int(atom);
    if (atom->operation() == Operator::kSelect) {
      const std::optional<SymbolId> condition = condition_symbol(atom->condition());
      if (!condition) return std::nullopt;
      symbol.operands.push_back(system_.sum_id(symbol_sum(*condition)));
    }
    const bool is_unary = atom->operation() == Operator::kSquareRoot;
    for (const Int* operand : {&left, &right}) {
      if (is_unary && operand == &right) break;
      const std::optional<Sum> sum = written(*operand);
      if (!sum) return std::nullopt;
      symbol.operands.push_back(system_.sum_id(*sum));
    }
    return system_.symbol_id(std::move(symbol));
  }

  // Truth values.

  std::optional<SymbolId> condition_symbol(const Condition& given) {
    const Condition condition = shortest(given);
    const std::optional<Sum> left = written(condition.left);
    const std::optional<Sum> right = written(condition.right);
    if (!left || !right) return std::nullopt;
    Symbol symbol;
    symbol.operation = operation_of(condition.predicate);
    symbol.operands = {system_.sum_id(*left), system_.sum_id(*right)};
    return system_.symbol_id(std::move(symbol));
  }

  std::optional<SymbolId> guard_symbol(const Condition& guard) {
    if (known(guard)) return System::kTrue;
    if (known_false(guard)) return System::kFalse;
    const auto [normal, is_turned] = normal_condition(guard);
    const Condition found = shortest(is_turned ? *opposite_of(normal) : normal);
    const bool is_safe = is_safe_side(found.left, guard) && is_safe_side(found.right, guard);
    return condition_symbol(is_safe ? found : guard);
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

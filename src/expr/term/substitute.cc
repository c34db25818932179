#include "expr/term/substitute.h"

#include <algorithm>
#include <array>

namespace heddle::expr {
namespace {

class Collector {
 public:
  explicit Collector(bool assumed) : assumed_(assumed) {}

  void visit(const Int& value) {
    for_each_factor(value, [this](const AtomPointer& atom) { visit(atom); });
  }

  std::vector<AtomPointer> found() && { return std::move(found_); }

 private:
  void visit(const AtomPointer& atom) {
    for_each_operand(*atom, [this](const Int& operand) { visit(operand); });
    if (atom->operation() != Operator::kVariable) return;
    if (std::ranges::any_of(found_, SameAs{*atom})) return;
    if (assumed_) {
      const Variable& variable = atom->variable();
      for (const AtomPointer& factor : variable.factors) visit(factor);
      for (const Int& part : variable.multiple_of) visit(part);
      for (const Int& bound : variable.at_least) visit(bound);
      for (const Int& bound : variable.at_most) visit(bound);
    }
    found_.push_back(atom);
  }

  bool assumed_;
  std::vector<AtomPointer> found_;
};

}  // namespace

std::vector<AtomPointer> variable_atoms(std::span<const Int> values, bool assumed) {
  Collector collector(assumed);
  for (const Int& value : values) collector.visit(value);
  return std::move(collector).found();
}

std::optional<std::string> name_of(const Int& value) {
  const std::vector<AtomPointer> atoms = variable_atoms(value);
  if (atoms.size() != 1 || whole_variable(atoms.front()) != value) return std::nullopt;
  return atoms.front()->variable().name;
}

std::set<std::string> names_assumed_beside(std::span<const Int> values) {
  std::set<std::string> names;
  std::set<std::string> beside;
  for (const AtomPointer& atom : variable_atoms(values, true)) {
    names.insert(atom->variable().name);
    if (atom->variable().joint == nullptr) continue;
    for (const Condition& condition : atom->variable().joint->conditions) {
      beside.merge(variables(std::array{condition.left, condition.right}));
    }
  }
  for (const std::string& name : names) beside.erase(name);
  return beside;
}

Int substitute(const Int& value, const std::function<Int(const AtomPointer&)>& image) {
  return with_factors(value, [&](const AtomPointer& atom) {
    if (atom->operation() == Operator::kVariable) return image(atom);
    return with_operands(*atom, [&](const Int& operand) { return substitute(operand, image); });
  });
}

}  // namespace heddle::expr

namespace heddle {

std::vector<std::string> variables(const Int& value) {
  const std::set<std::string> names = variables({&value, 1});
  return {names.begin(), names.end()};
}

std::set<std::string> variables(std::span<const Int> values) {
  std::set<std::string> names;
  for (const expr::AtomPointer& atom : expr::variable_atoms(values)) {
    names.insert(atom->variable().name);
  }
  return names;
}

}  // namespace heddle

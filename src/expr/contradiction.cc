#include "expr/contradiction.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "expr/operation.h"
#include "expr/program.h"

namespace heddle::expr {
namespace {

/// Values tried, all variables together.
constexpr std::int64_t kMaxTried = 1 << 16;

/// A condition that can be looked at once the variables before `needs` have values.
struct Check {
  Predicate predicate;
  Program program;
  std::size_t needs = 0;
};

/// Nothing is known where a side is undefined.
bool breaks(Predicate predicate, const exact::Value& left, const exact::Value& right) {
  return left && right && computed(operation_of(predicate), *left, *right) == 0;
}

/// Values in a domain: -1 where there are more than can be tried.
std::int64_t count_of(const Domain& domain) {
  if (!domain.range.is_bounded()) return -1;
  const exact::Value width = exact::subtract(domain.range.high, domain.range.low);
  if (!width) return -1;
  const std::int64_t count = *width / domain.modulus + 1;
  return count <= kMaxTried ? count : -1;
}

class Trial {
 public:
  Trial(std::span<const Condition> conditions, const std::map<std::string, Domain>& domains) {
    std::vector<std::pair<std::int64_t, std::string>> ordered;
    for (const auto& [name, domain] : domains) {
      if (const std::int64_t count = count_of(domain); count >= 0)
        ordered.emplace_back(count, name);
    }
    std::ranges::sort(ordered);
    for (auto& [count, name] : ordered) {
      domains_.push_back(domains.at(name));
      names_.push_back(std::move(name));
    }
    for (const Condition& condition : conditions) add(condition);
  }

  /// All was tried and nothing found.
  bool run() {
    if (checks_.empty()) return false;
    values_.assign(names_.size(), 0);
    return !is_met_from(0);
  }

 private:
  void add(const Condition& condition) {
    const std::vector<Int> sides = {condition.left, condition.right};
    std::optional<Program> program = Program::compile(sides, names_);
    if (!program) return;
    std::size_t needs = 0;
    for (const Int& side : sides) {
      for (const std::string& name : variables(side)) {
        const auto place = std::ranges::find(names_, name) - names_.begin();
        needs = std::max(needs, static_cast<std::size_t>(place) + 1);
      }
    }
    last_ = std::max(last_, needs);
    checks_.push_back({condition.predicate, *std::move(program), needs});
  }

  /// There are, or may be, values for the variables from here on.
  bool is_met_from(std::size_t place) {
    if (place == last_) return true;
    const Domain& domain = domains_[place];
    const std::int64_t offset = exact::floor_modulo(domain.residue, domain.modulus).value() -
                                exact::floor_modulo(domain.range.low, domain.modulus).value();
    exact::Value value =
        exact::add(domain.range.low, offset < 0 ? offset + domain.modulus : offset);
    for (; value && *value <= domain.range.high; value = exact::add(*value, domain.modulus)) {
      if (++tried_ > kMaxTried) return true;
      values_[place] = *value;
      if (holds_so_far(place + 1) && is_met_from(place + 1)) return true;
    }
    return false;
  }

  bool holds_so_far(std::size_t count) {
    return std::ranges::none_of(checks_, [&](const Check& check) {
      if (check.needs != count) return false;
      check.program.run(values_, registers_);
      return breaks(check.predicate, registers_[check.program.result(0)],
                    registers_[check.program.result(1)]);
    });
  }

  std::vector<std::string> names_;
  std::vector<Domain> domains_;
  std::vector<Check> checks_;
  /// No condition needs the variables past these.
  std::size_t last_ = 0;
  std::vector<std::int64_t> values_;
  std::vector<exact::Value> registers_;
  std::int64_t tried_ = 0;
};

}  // namespace

bool exhausts(std::span<const Condition> conditions, const std::map<std::string, Domain>& domains) {
  return Trial(conditions, domains).run();
}

}  // namespace heddle::expr

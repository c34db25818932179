#include "heddle/lego/slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "expr/format.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/simplify.h"

namespace heddle::lego {
namespace {

/// Names r0, r1, … but for those that are taken.
class RangeNames {
 public:
  void take(std::span<const Int> values) {
    for (const Int& value : values) {
      for (std::string& name : variables(value)) taken_.insert(std::move(name));
    }
  }
  [[nodiscard]] std::string next() {
    std::string name;
    do {
      name = fmt::format("r{}", count_++);
    } while (taken_.contains(name));
    return name;
  }

 private:
  std::set<std::string> taken_;
  int count_ = 0;
};

/// Takes the names of all variables that can come up in the layout's index.
void take_names(RangeNames& names, const Layout& layout) {
  names.take(layout.dims());
  for (const std::vector<Permutation>& permutations : layout.orders()) {
    for (const Permutation& permutation : permutations) {
      names.take(dims(permutation));
      const auto* const genp = std::get_if<GenP>(&permutation);
      if (genp == nullptr) continue;
      if (const auto* const formula = std::get_if<Formula>(&genp->function())) {
        names.take(formula->results);
      }
      if (const auto* const named = std::get_if<BuiltIn>(&genp->function())) {
        names.take(named->parameters);
      }
    }
  }
  if (const auto& expansion = layout.expansion()) names.take(expansion->original);
}

/// `:` for the dimension of the range and `None` for the other ranges.
std::string range_text(const SliceRange& range, std::size_t count) {
  return fmt::format("tl.arange(0, {}){}", to_string(range.extent),
                     broadcast_text(range.position, count));
}

/// The expression with the definitions of its kernel written out.
Expression written_out(const Expression& expression,
                       const std::map<std::string, Expression>& definitions) {
  if (expression.operation() == Operation::kDefinition) return definitions.at(expression.name());
  if (expression.operands().empty()) return expression;
  std::vector<Expression> operands;
  for (const Expression& operand : expression.operands()) {
    operands.push_back(written_out(operand, definitions));
  }
  return Expression::make(expression.operation(), std::move(operands), expression.value());
}

/// The index by as few operations as are found, in one expression; in normal form where writing
/// out what they share makes it longer.
std::string shortest_text(const Int& index) {
  constexpr std::size_t kMostDefinitions = 16;  // written out they may double each other
  std::string plain = to_string(index);
  const Result<Simplified> found = simplify({&index, 1}, {}, {.target = Target::operations()});
  if (!found || found->kernel.definitions.size() > kMostDefinitions) return plain;
  std::map<std::string, Expression> definitions;
  for (const heddle::Definition& definition : found->kernel.definitions) {
    definitions.emplace(definition.name, written_out(definition.value, definitions));
  }
  std::string factored = to_string(written_out(found->kernel.results.front(), definitions));
  return definitions.empty() || factored.size() < plain.size() ? factored : plain;
}

}  // namespace

Result<Slice> slice(const Layout& layout, std::span<const SliceIndex> coordinates) {
  const Sizes sizes = layout.dims();
  if (coordinates.size() != sizes.size()) {
    return refuse(
        "lego.coordinate",
        fmt::format("a slice of {} with {} coordinates, the view {} has {}", to_string(layout),
                    coordinates.size(), to_string(sizes), sizes.size()));
  }
  RangeNames names;
  take_names(names, layout);
  for (const SliceIndex& coordinate : coordinates) {
    if (coordinate) names.take({&*coordinate, 1});
  }
  Slice result;
  std::vector<Int> point;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (coordinates[i]) {
      point.push_back(*coordinates[i]);
      continue;
    }
    point.push_back(index_variable(names.next(), sizes[i]));
    result.ranges.push_back({point.back(), sizes[i], i, result.ranges.size()});
  }
  HEDDLE_TRY(result.index, layout.apply(point));
  return result;
}

std::string broadcast_text(std::size_t position, std::size_t count) {
  if (count <= 1) return {};
  std::vector<std::string_view> places(count, "None");
  places[position] = ":";
  return fmt::format("[{}]", fmt::join(places, ", "));
}

std::string to_string(const Slice& slice) {
  Bindings spelled_out;
  for (const SliceRange& range : slice.ranges) {
    // A range of one value is 0 and does not occur in the index.
    if (!range.variable.is_symbolic()) continue;
    spelled_out.emplace(to_string(range.variable),
                        index_variable(range_text(range, slice.ranges.size()), range.extent));
  }
  const Result<Int> index = heddle::instantiate(slice.index, spelled_out);
  return shortest_text(index ? *index : slice.index);
}

}  // namespace heddle::lego

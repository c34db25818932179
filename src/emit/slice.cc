// Slices as Triton writes them.

#include "heddle/emit/slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/simplify.h"

namespace heddle::emit {
namespace {

/// `:` for the dimension of the range and `None` for the other ranges.
std::string range_text(const lego::SliceRange& range, std::size_t count) {
  return fmt::format("tl.arange(0, {}){}", heddle::to_string(range.extent),
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
  std::string plain = heddle::to_string(index);
  const Result<Simplified> found = simplify({&index, 1}, {}, {.target = Target::operations()});
  if (!found || found->kernel.definitions.size() > kMostDefinitions) return plain;
  std::map<std::string, Expression> definitions;
  for (const heddle::Definition& definition : found->kernel.definitions) {
    definitions.emplace(definition.name, written_out(definition.value, definitions));
  }
  std::string factored = heddle::to_string(written_out(found->kernel.results.front(), definitions));
  return definitions.empty() || factored.size() < plain.size() ? factored : plain;
}

}  // namespace

std::string broadcast_text(std::size_t position, std::size_t count) {
  if (count <= 1) return {};
  std::vector<std::string_view> places(count, "None");
  places[position] = ":";
  return fmt::format("[{}]", fmt::join(places, ", "));
}

std::string to_string(const lego::Slice& slice) {
  Bindings spelled_out;
  for (const lego::SliceRange& range : slice.ranges) {
    // A range of one value is 0 and does not occur in the index.
    if (!range.variable.is_symbolic()) continue;
    spelled_out.emplace(heddle::to_string(range.variable),
                        index_variable(range_text(range, slice.ranges.size()), range.extent));
  }
  const Result<Int> index = heddle::instantiate(slice.index, spelled_out);
  return shortest_text(index ? *index : slice.index);
}

}  // namespace heddle::emit

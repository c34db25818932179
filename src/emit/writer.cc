#include "emit/writer.h"

#include <fmt/format.h>

namespace heddle::emit {

std::string Writer::helpers() const {
  std::string text;
  for (const std::string& helper : needed_) {
    text += may_repeat_ ? fmt::format("#ifndef HEDDLE_HAS_{0}\n#define HEDDLE_HAS_{0}\n{1}#endif\n",
                                      helper_prefix_ + helper, helper_text(helper))
                        : helper_text(helper);
  }
  return text;
}

const std::string& spelled(const std::string& name, const Spelling& spelling) {
  const auto found = spelling.find(name);
  return found == spelling.end() ? name : found->second;
}

std::string Writer::name_text(const std::string& name) const { return spelled(name, *spelling_); }

Written Writer::call_helper(const std::string& name, const CodeExpression& expression) {
  need(name);
  const std::string full_name = helper_prefix_ + name;
  return write(expression, expr::Notation{full_name});
}

std::optional<Written> ProgramWriter::exception(const CodeExpression& expression) {
  switch (expression.operation()) {
    case CodeOperation::kQuotient:
      if (divides_alike(expression)) return std::nullopt;
      return call_helper("quotient", expression);
    case CodeOperation::kRemainder:
      if (divides_alike(expression)) return std::nullopt;
      return call_helper("remainder", expression);
    case CodeOperation::kDivides:
      return divides(expression);
    case CodeOperation::kSelect:
      return choice(write(expression.operand(0)), write(expression.operand(1)),
                    write(expression.operand(2)));
    default:
      return std::nullopt;
  }
}

/// 0 divides only 0; a remainder of 0 is 0 by any convention.
Written ProgramWriter::divides(const CodeExpression& expression) {
  const std::string by = operand(expression, 0, Precedence::kAtom);
  const std::string number = operand(expression, 1, Precedence::kAtom);
  const Written even{fmt::format("{} % {} == 0", number, by), Precedence::kComparison};
  if (known_different(expression.operand(0).value(), 0)) return even;
  return choice({by + " == 0", Precedence::kComparison},
                {number + " == 0", Precedence::kComparison}, even);
}

}  // namespace heddle::emit

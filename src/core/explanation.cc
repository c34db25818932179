#include "heddle/core/explanation.h"

namespace heddle {

MarkedText MarkedText::whole(std::string text, std::size_t part) {
  const std::size_t end = text.size();
  return {std::move(text), {{0, end, part}}};
}

MarkedText& MarkedText::operator+=(const MarkedText& more) {
  const std::size_t before = text.size();
  text += more.text;
  for (const Mark& mark : more.marks) {
    marks.push_back({before + mark.begin, before + mark.end, mark.part});
  }
  return *this;
}

Explanation step(MarkedText title, std::string text, MarkedText result) {
  Explanation explanation;
  explanation.title = std::move(title);
  explanation.text = std::move(text);
  explanation.result = std::move(result);
  return explanation;
}

Explanation explained_call(std::string_view name, const std::vector<MarkedText>& operands) {
  Explanation explanation;
  explanation.operation = name;
  explanation.title = explanation.operation + "(";
  for (const MarkedText& operand : operands) {
    if (!explanation.operands.empty()) explanation.title += ", ";
    explanation.title += operand;
    explanation.operands.push_back(operand.text);
  }
  explanation.title += ")";
  return explanation;
}

}  // namespace heddle

// The expression language of the command, and its line protocol, from a program.

#include <heddle/notation/batch.h>
#include <heddle/notation/evaluator.h>

#include <iostream>
#include <string_view>

namespace notation = heddle::notation;

namespace {

void show(std::string_view text, const notation::Environment& environment) {
  const heddle::Result<notation::Value> value = notation::evaluate(text, environment);
  if (value) {
    std::cout << text << "  ->  " << notation::to_string(*value) << "\n";
  } else {
    std::cout << value.error().to_string(text) << "\n";
  }
}

}  // namespace

int main() {
  notation::Environment environment;
  environment.bind("A", notation::evaluate("(4,(2,2)):(2,(1,8))").value());
  show("A(1,3)", environment);
  show("A(1,_)", environment);
  show("coalesce(A o 4:1)", environment);
  show("A o (3:1", environment);

  std::cout << notation::answer(R"json({"id":7,"op":"table","args":["(4,2):(2,1)"]})json") << "\n";
}

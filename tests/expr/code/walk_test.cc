#include "heddle/expr/code_expression.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

CodeExpression named(const char* name) {
  return CodeExpression::variable(name, Int::variable(name));
}

CodeExpression sum(const CodeExpression& a, const CodeExpression& b) {
  return CodeExpression::make(CodeOperation::kAdd, {a, b}, a.value() + b.value());
}

CodeExpression renamed(const CodeExpression& node) {
  if (node.operation() != CodeOperation::kVariable) return node;
  return CodeExpression::variable(node.name() + "'", node.value());
}

std::vector<std::string> visited(const CodeExpression& expression) {
  std::vector<std::string> texts;
  for_each_node(expression, [&](const CodeExpression& node) { texts.push_back(to_string(node)); });
  return texts;
}

/// Lets go of the last first: of what is deep, level by level.
class Levels {
 public:
  Levels() = default;
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;
  ~Levels() {
    while (!nodes_.empty()) nodes_.pop_back();
  }
  const CodeExpression& hold(const CodeExpression& node) { return nodes_.emplace_back(node); }

 private:
  std::vector<CodeExpression> nodes_;
};

TEST(Walk, VisitsOperandsFirst) {
  EXPECT_EQ(visited(sum(named("a"), sum(named("b"), named("c")))),
            (std::vector<std::string>{"a", "b", "c", "b+c", "a+(b+c)"}));
}

TEST(Walk, VisitsWhatIsSharedOnce) {
  const CodeExpression shared = sum(named("a"), named("b"));
  EXPECT_EQ(visited(sum(shared, shared)), (std::vector<std::string>{"a", "b", "a+b", "a+b+(a+b)"}));
}

TEST(Walk, VisitsAKernelInItsOrder) {
  const CodeExpression t = CodeExpression::definition("t0", Int::variable("a"));
  const Kernel kernel{{{"t0", named("a")}}, {sum(t, named("b")), t}, {named("c")}};
  std::vector<std::string> texts;
  for_each_node(kernel, [&](const CodeExpression& node) { texts.push_back(to_string(node)); });
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "t0", "b", "t0+b", "c"}));
}

TEST(Walk, TransformsFromTheLeavesUp) {
  const CodeExpression made =
      transformed(sum(named("a"), named("b")), [](const CodeExpression& node) {
        return node.operation() == CodeOperation::kAdd ? sum(node, node) : renamed(node);
      });
  EXPECT_EQ(to_string(made), "a'+b'+(a'+b')");
}

TEST(Walk, TransformedKeepsWhatIsShared) {
  const CodeExpression shared = sum(named("a"), named("b"));
  const CodeExpression made = transformed(sum(shared, shared), renamed);
  EXPECT_EQ(to_string(made), "a'+b'+(a'+b')");
  EXPECT_TRUE(made.operand(0).is(made.operand(1)));
}

TEST(Walk, TransformedKeepsWhatTheRuleKeeps) {
  const CodeExpression expression = sum(named("a"), sum(named("b"), named("c")));
  const CodeExpression same =
      transformed(expression, [](const CodeExpression& node) { return node; });
  EXPECT_TRUE(same.is(expression));
}

TEST(Walk, TransformsAKernel) {
  const CodeExpression shared = sum(named("a"), named("b"));
  const Kernel made = transformed(Kernel{{{"t0", shared}}, {shared}, {named("a")}}, renamed);
  EXPECT_EQ(to_string(made), "t0 = a'+b'\na'+b'\na'\n");
  EXPECT_TRUE(made.definitions.front().value.is(made.results.front()));
}

TEST(Walk, DeepExpressions) {
  constexpr int kLevels = 100'000;
  Levels levels;
  const CodeExpression one = CodeExpression::constant(1);
  CodeExpression deep = levels.hold(named("x"));
  for (int i = 0; i < kLevels; ++i) {
    deep = levels.hold(CodeExpression::make(CodeOperation::kAdd, {deep, one}, 0));
  }
  EXPECT_EQ(count_operations(deep).operations, kLevels);
  const CodeExpression made =
      transformed(deep, [&](const CodeExpression& node) { return levels.hold(renamed(node)); });
  EXPECT_EQ(count_operations(made).operations, kLevels);
}

}  // namespace
}  // namespace heddle::test

#include "heddle/expr/walk.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

Expression named(const char* name) { return Expression::variable(name, Int::variable(name)); }

Expression sum(const Expression& a, const Expression& b) {
  return Expression::make(Operation::kAdd, {a, b}, a.value() + b.value());
}

Expression renamed(const Expression& node) {
  if (node.operation() != Operation::kVariable) return node;
  return Expression::variable(node.name() + "'", node.value());
}

std::vector<std::string> visited(const Expression& expression) {
  std::vector<std::string> texts;
  for_each_node(expression, [&](const Expression& node) { texts.push_back(to_string(node)); });
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
  const Expression& hold(const Expression& node) { return nodes_.emplace_back(node); }

 private:
  std::vector<Expression> nodes_;
};

TEST(Walk, VisitsOperandsFirst) {
  EXPECT_EQ(visited(sum(named("a"), sum(named("b"), named("c")))),
            (std::vector<std::string>{"a", "b", "c", "b+c", "a+(b+c)"}));
}

TEST(Walk, VisitsWhatIsSharedOnce) {
  const Expression shared = sum(named("a"), named("b"));
  EXPECT_EQ(visited(sum(shared, shared)), (std::vector<std::string>{"a", "b", "a+b", "a+b+(a+b)"}));
}

TEST(Walk, VisitsAKernelInItsOrder) {
  const Expression t = Expression::definition("t0", Int::variable("a"));
  const Kernel kernel{{{"t0", named("a")}}, {sum(t, named("b")), t}, {named("c")}};
  std::vector<std::string> texts;
  for_each_node(kernel, [&](const Expression& node) { texts.push_back(to_string(node)); });
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "t0", "b", "t0+b", "c"}));
}

TEST(Walk, TransformsFromTheLeavesUp) {
  const Expression made = transformed(sum(named("a"), named("b")), [](const Expression& node) {
    return node.operation() == Operation::kAdd ? sum(node, node) : renamed(node);
  });
  EXPECT_EQ(to_string(made), "a'+b'+(a'+b')");
}

TEST(Walk, TransformedKeepsWhatIsShared) {
  const Expression shared = sum(named("a"), named("b"));
  const Expression made = transformed(sum(shared, shared), renamed);
  EXPECT_EQ(to_string(made), "a'+b'+(a'+b')");
  EXPECT_TRUE(made.operand(0).is(made.operand(1)));
}

TEST(Walk, TransformedKeepsWhatTheRuleKeeps) {
  const Expression expression = sum(named("a"), sum(named("b"), named("c")));
  const Expression same = transformed(expression, [](const Expression& node) { return node; });
  EXPECT_TRUE(same.is(expression));
}

TEST(Walk, TransformsAKernel) {
  const Expression shared = sum(named("a"), named("b"));
  const Kernel made = transformed(Kernel{{{"t0", shared}}, {shared}, {named("a")}}, renamed);
  EXPECT_EQ(to_string(made), "t0 = a'+b'\na'+b'\na'\n");
  EXPECT_TRUE(made.definitions.front().value.is(made.results.front()));
}

TEST(Walk, DeepExpressions) {
  constexpr int kLevels = 100'000;
  Levels levels;
  const Expression one = Expression::constant(1);
  Expression deep = levels.hold(named("x"));
  for (int i = 0; i < kLevels; ++i) {
    deep = levels.hold(Expression::make(Operation::kAdd, {deep, one}, 0));
  }
  EXPECT_EQ(count_operations(deep).operations, kLevels);
  const Expression made =
      transformed(deep, [&](const Expression& node) { return levels.hold(renamed(node)); });
  EXPECT_EQ(count_operations(made).operations, kLevels);
}

}  // namespace
}  // namespace heddle::test

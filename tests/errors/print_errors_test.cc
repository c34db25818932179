// The texts of refusals of the printers.

#include <gtest/gtest.h>

#include "heddle/emit/map_function.h"
#include "heddle/emit/print.h"
#include "heddle/notation/any_layout.h"
#include "support/any_layout.h"

namespace heddle::emit {
namespace {

TEST(ErrorText, print_name) {
  const Kernel kernel{{}, {CodeExpression::variable("int", Int::variable("int"))}, {}};
  const auto printed = print(kernel, {.dialect = Dialect::kC});
  ASSERT_FALSE(printed);
  EXPECT_EQ(printed.error().to_string(),
            "error print.name: 'int' means something else in C\n"
            "  hint: give the variable another name");
}

TEST(ErrorText, print_operation) {
  const Int x = Int::variable("x", 0, 99);
  const CodeExpression variable = CodeExpression::variable("x", x);
  const Kernel kernel{
      {}, {CodeExpression::make(CodeOperation::kSquareRoot, {variable}, isqrt(x))}, {}};
  const auto printed = print(kernel, {.dialect = Dialect::kTriton});
  ASSERT_FALSE(printed);
  EXPECT_EQ(printed.error().to_string(),
            "error print.operation: Triton has no square root of integers, which isqrt(x) needs\n"
            "  hint: --target python, in a function that is called per element");
}

TEST(ErrorText, emit_no_inverse) {
  const auto function = map_function(test::layout_of_text("(4,8):(8,2)"));
  ASSERT_TRUE(function);
  ASSERT_FALSE(function->inverse);
  EXPECT_EQ(function->inverse.error().to_string(),
            "error emit.no_inverse: (4,8):(8,2) has no inverse: several points have one place\n"
            "  no  (digit form)  counterexample: coordinate 16 = (0,4): 8 and 8 at 1 = (1,0)");
}

TEST(ErrorText, emit_coordinates) {
  MapFunctionOptions options;
  options.coordinates = {"i", "j", "k"};
  const auto function = map_function(test::layout_of_text("(4,8):(8,1)"), options);
  ASSERT_FALSE(function);
  EXPECT_EQ(function.error().to_string(),
            "error emit.coordinates: the layout takes 2 coordinates, not 3\n"
            "  hint: or one flat coordinate, or none for names of their own");
}

TEST(ErrorText, emit_target) {
  const auto dialect = notation::program_dialect_named("fortran");
  ASSERT_FALSE(dialect);
  EXPECT_EQ(dialect.error().to_string(),
            "error emit.target: functions are not written in 'fortran'\n"
            "  hint: the targets are c, cpp, cuda, hip, opencl, triton, python, mlir, latex");
}

}  // namespace
}  // namespace heddle::emit

// The texts of refusals of the printers.

#include <gtest/gtest.h>

#include "heddle/emit/print.h"

namespace heddle {
namespace {

TEST(ErrorText, print_name) {
  const Kernel kernel{{}, {Expression::variable("int", Int::variable("int"))}, {}};
  const auto printed = emit::print(kernel, {.dialect = emit::Dialect::kC});
  ASSERT_FALSE(printed);
  EXPECT_EQ(printed.error().to_string(),
            "error print.name: 'int' means something else in C\n"
            "  hint: give the variable another name");
}

}  // namespace
}  // namespace heddle

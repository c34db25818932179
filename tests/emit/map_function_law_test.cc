// Law: at every point of random layouts of every system the C that is emitted computes what plain
// evaluation of the layout gives; its inverse leads back and is there exactly where there is one;
// its guard holds on the domain and nowhere beside it. Under the sanitizer for undefined behaviour.

#include <gtest/gtest.h>

#include "emit/c_programs.h"
#include "emit/program.h"

namespace heddle::emit {
namespace {

class MapFunctionLaw : public testing::TestWithParam<Source> {};

TEST_P(MapFunctionLaw, CComputesTheMapItsInverseAndItsGuard) {
  const int count = std::max(1, test::property_count() / 10);
  const std::vector<DrawnFunction> functions = drawn_functions(GetParam(), count);
  for (const DrawnFunction& drawn : functions) expect_inverse(drawn);
  test::expect_silent("law.c", c_program(functions, Dialect::kC),
                      "cc -std=c99 -O0 -Wall -Wextra -Werror -Wno-overlength-strings "
                      "-Wno-unused-function -fsanitize=undefined "
                      "-fno-sanitize-recover=undefined law.c -o law && ./law");
}

INSTANTIATE_TEST_SUITE_P(Systems, MapFunctionLaw, testing::ValuesIn(sources()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace heddle::emit

#include "notation/value/constants.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::notation {
namespace {

constexpr std::int64_t kMostNames = 1000;

}  // namespace

std::string on_example(std::string_view call) {
  constexpr std::string_view kExample =
      R"({"ins":[["register",[[0,1]]],["lane",[[1,0],[2,0]]]],"outs":[["dim0",4],["dim1",2]]})";
  return fmt::format(fmt::runtime(call), kExample);
}

Result<std::int64_t> constant(const Int& number) {
  if (number.is_constant()) return number.value();
  return refuse("call.type", fmt::format("{} is symbolic; linear layouts have constant sizes",
                                         to_string(number)));
}

Result<int> small_constant(const Int& number) {
  HEDDLE_TRY(const std::int64_t value, constant(number));
  return static_cast<int>(std::clamp(value, -kMostNames, kMostNames));
}

linear::Order order_of(const linear::Sizes& sizes) {
  linear::Order order;
  for (const std::int64_t dim : sizes) {
    order.push_back(static_cast<int>(std::clamp<std::int64_t>(dim, -1, kMostNames)));
  }
  return order;
}

}  // namespace heddle::notation

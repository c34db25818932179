// Text as an integer set relation: nothing crashes, every refusal is within the limits, and what is
// read means what its own text means.

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "heddle/map/decide.h"
#include "heddle/map/integer_relation.h"

namespace {

using namespace heddle;
using map::IntegerRelation;

void require(bool law) {
  if (!law) std::abort();
}

map::Limits short_limits() {
  map::Limits limits;
  limits.steps = 20'000;
  limits.memory_bytes = std::size_t{256} << 20;
  return limits;
}

/// The point with this number in every coordinate has the same images in both, where both can tell.
void check_point(const IntegerRelation& a, const IntegerRelation& b, std::int64_t number) {
  const std::vector<Int> point(a.inputs().size(), Int(number));
  const auto wanted = images(a, point, short_limits());
  const auto got = images(b, point, short_limits());
  require(!wanted || !got || *wanted == *got);
}

void check_relation(const IntegerRelation& relation) {
  const Result<IntegerRelation> again = IntegerRelation::parse(relation.text(), short_limits());
  if (!again) {
    require(again.error().code() == "relation.gave_up");
    return;
  }
  require(again->inputs().size() == relation.inputs().size());
  require(again->axes().size() == relation.axes().size());
  for (const std::int64_t number : {0, 1, 3, -2}) check_point(relation, *again, number);
  map::DecideOptions options;
  options.limits = short_limits();
  require(!map::equal(relation, *again, options).is_no());
  static_cast<void>(pieces(relation, short_limits()));
  static_cast<void>(index_map(relation, short_limits()));
  static_cast<void>(reverse(relation, short_limits()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxLength = 512;
  if (size > kMaxLength) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<IntegerRelation> relation = IntegerRelation::parse(text, short_limits());
  if (relation) {
    check_relation(*relation);
  } else {
    require(!relation.error().to_string(text).empty());
  }
  return 0;
}

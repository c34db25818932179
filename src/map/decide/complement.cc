#include "heddle/map/complement.h"

#include <fmt/format.h>

#include <utility>

#include "expr/assume_needed.h"
#include "expr/format.h"
#include "heddle/cute/admissibility.h"
#include "heddle/cute/manipulation.h"
#include "heddle/map/decide.h"

namespace heddle::map {

Result<Verdict> is_complement(const cute::Layout& layout, const cute::Layout& rest,
                              const Int& target, const DecideOptions& options) {
  const auto call = [&] {
    return fmt::format("is_complement({},{},{})", cute::to_string(layout), cute::to_string(rest),
                       target);
  };
  HEDDLE_TRY(const bool is_positive, decide({1, Predicate::kAtMost, target}, call));
  if (!is_positive) {
    return refuse("complement.target", call() + ": the target is not positive");
  }
  HEDDLE_TRY(Verdict rises, cute::is_increasing(rest));
  if (!rises.is_yes()) {
    return Verdict::no("it is not strictly increasing: " + rises.method(), rises.counterexample());
  }
  HEDDLE_TRY(const cute::Layout own, cute::filter(layout));
  const Int wanted = floor_div(target, own.size());
  HEDDLE_TRY(const bool has_enough, decide({wanted, Predicate::kAtMost, rest.size()}, call));
  if (!has_enough) {
    return Verdict::no(
        fmt::format("it has {} of {}//{} = {} copies", rest.size(), target, own.size(), wanted));
  }
  Verdict apart = disjoint_apart_from_zero(layout, rest, options);
  if (apart.is_no()) {
    return Verdict::no("the images meet in other numbers than 0: " + apart.method(),
                       apart.counterexample());
  }
  if (apart.is_unknown()) return apart;
  return Verdict::yes(
      fmt::format("strictly increasing, {} of {} copies, images that meet in 0 alone: {}",
                  rest.size(), wanted, apart.method()));
}

}  // namespace heddle::map

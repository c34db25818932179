#pragma once

// Who called a shape_div whose compile-time numbers do not divide, where the log ends before the
// caller. Compilers cut long traces, and shape_div is called by folds and transforms that other
// functions of CuTe consist of; these show whose they are:
//
//   shape_div<_96, C<64>> from layout.hpp, in a fold over tuple<_64> that begins with
//   (tuple<>, _96)                        composition: the extent 96 of B runs through (64) of A
//   shape_div<_136, _64> from int_tuple.hpp, in a transform of (_64,_136) and (64,64)
//                                         shape_div((64,136), (64,64))

#include <optional>
#include <string>
#include <string_view>

#include "notation/diagnose/compiler_log.h"

namespace heddle::notation {

struct ShapeDivCaller {
  /// The call as text, or what is known of it.
  std::string text;
  /// The same call in Heddle; empty where its operands are not all known.
  std::string expression;
};

/// nullopt if the assertion is none of shape_div, or if nothing shows the caller.
[[nodiscard]] std::optional<ShapeDivCaller> caller_of_shape_div(const FailedAssertion& failed);

}  // namespace heddle::notation

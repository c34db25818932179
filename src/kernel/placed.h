#pragma once

#include <utility>

#include "heddle/core/diagnostic.h"
#include "heddle/core/result.h"

namespace heddle::kernel {

/// The refusal, at this place if it has none of its own and there is one.
inline Refusal refuse_at(Span span, Diagnostic diagnostic) {
  if (diagnostic.span() || span == Span()) return refuse(std::move(diagnostic));
  return refuse(std::move(diagnostic).with_span(span));
}

}  // namespace heddle::kernel

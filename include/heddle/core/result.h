#pragma once

// A value, or the reason why there is none. Operations that can be refused return one; none throws.
//
//   Result<Layout> view = composition(a, b);
//   if (!view) return report(view.error());
//   use(*view);

#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "heddle/core/diagnostic.h"

#pragma GCC visibility push(default)
namespace heddle {

template <class T>
using Result = tl::expected<T, Diagnostic>;

/// The refusal itself, for `return refuse("code", "message");` in a function that returns a Result.
using Refusal = tl::unexpected<Diagnostic>;

[[nodiscard]] inline Refusal refuse(Diagnostic diagnostic) {
  return Refusal(std::move(diagnostic));
}

[[nodiscard]] Refusal refuse(std::string_view code, std::string_view message);

}  // namespace heddle
#pragma GCC visibility pop

#define HEDDLE_CONCATENATE_(a, b) a##b
#define HEDDLE_CONCATENATE(a, b) HEDDLE_CONCATENATE_(a, b)

/// `HEDDLE_TRY(const Int n, size(x));` declares `n` as the value, or returns the refusal to the
/// caller. It expands to several statements: within an `if` it needs braces.
#define HEDDLE_TRY(declaration, expression) \
  HEDDLE_TRY_(HEDDLE_CONCATENATE(heddle_try_, __LINE__), declaration, expression)
#define HEDDLE_TRY_(result, declaration, expression)               \
  auto result = (expression);                                      \
  if (!result) return ::heddle::refuse(std::move(result).error()); \
  declaration = *std::move(result)

/// As HEDDLE_TRY, for an expression whose value is not needed.
#define HEDDLE_CHECK(expression)                                                 \
  do {                                                                           \
    auto heddle_check = (expression);                                            \
    if (!heddle_check) return ::heddle::refuse(std::move(heddle_check).error()); \
  } while (false)

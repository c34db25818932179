#pragma once

// Refusals as exceptions of Python, and work that Ctrl-C may stop.

#include <functional>
#include <utility>

#include "heddle/core/result.h"
#include "heddle/map/limits.h"
#include "object.h"

namespace heddle::python {

/// Raises heddle.Refused, or heddle.Misused if the call is at fault; or an exception of this class.
[[noreturn]] void raise(const Diagnostic& why, const nb::object& kind = nb::none());

template <class T>
T unwrapped(Result<T> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}

/// How long work may be: kShort runs in the calling thread.
enum class Length { kShort, kLong };

/// Runs the work without the interpreter's lock, under the settings in force. Long work runs beside
/// the calling thread, which looks for Ctrl-C and then asks the work to stop.
[[nodiscard]] Value run(Length length,
                        const std::function<Result<Value>(const Environment&)>& work);

}  // namespace heddle::python

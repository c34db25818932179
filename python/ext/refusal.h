#pragma once

// Refusals as exceptions of Python, and work that Ctrl-C may stop.

#include <functional>
#include <stop_token>
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

/// Runs the work on a thread of its own and without the interpreter's lock, under the settings in
/// force. The calling thread looks for Ctrl-C, asks the work to stop by its limits and by the
/// token, and raises what the signal raises once the work has ended.
void interruptible(const std::function<void(const Environment&, const std::stop_token&)>& work);

/// How long work may be: kShort runs in the calling thread.
enum class Length { kShort, kLong };

/// Runs the work without the interpreter's lock, under the settings in force. Long work runs beside
/// the calling thread, which looks for Ctrl-C and then asks the work to stop.
[[nodiscard]] Value run(Length length,
                        const std::function<Result<Value>(const Environment&)>& work);

}  // namespace heddle::python

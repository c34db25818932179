#pragma once

// Lets fmt print whatever has a stream operator, and formats the messages of refusals. Include it
// in source files only.

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "heddle/core/result.h"
#include "heddle/core/tuple.h"

// libfmt 9 exports this function and its header does not say so, so that each source would compile
// it.
#if FMT_VERSION >= 90000 && FMT_VERSION < 100000 && !defined(__clang__)
extern template void fmt::detail::vformat_to<char>(buffer<char>&, string_view, format_args,
                                                   locale_ref);
#endif

template <class Leaf>
struct fmt::formatter<heddle::Tuple<Leaf>> : fmt::ostream_formatter {};
template <class Leaf>
struct fmt::formatter<heddle::TupleView<Leaf>> : fmt::ostream_formatter {};

namespace heddle {

/// A diagnostic whose message is formatted as by fmt::format().
template <class... Values>
[[nodiscard]] Diagnostic diagnose(std::string_view code, fmt::format_string<Values...> message,
                                  Values&&... values) {
  return Diagnostic(code, fmt::format(message, std::forward<Values>(values)...));
}

/// A refusal whose message is formatted as by fmt::format().
template <class... Values>
  requires(sizeof...(Values) > 0)
[[nodiscard]] Refusal refuse(std::string_view code, fmt::format_string<Values...> message,
                             Values&&... values) {
  return refuse(diagnose(code, message, std::forward<Values>(values)...));
}

}  // namespace heddle

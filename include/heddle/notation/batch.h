#pragma once

// Answers for programs: JSON Lines in, JSON Lines out.
//
//   {"id":1,"op":"composition","args":["(6,2):(8,2)","(4,3):(3,1)"]}
//     -> {"id":1,"ok":true,"result":"((2,2),3):((24,2),8)"}
//   {"id":2,"op":"table","args":["(4,2):(2,1)"],"kwargs":{"limit":3}}
//     -> {"id":2,"ok":true,"result":[0,2,4]}
//   {"id":3,"op":"composition","args":["(4,6):(1,5)","6:1"]}
//     -> {"id":3,"ok":false,"error":{"code":"composition.no_layout","message":…,"notes":[…],…}}
//
// `op` is any operation (operations.h); `eval` has an expression as its argument. Strings are read
// as expressions unless the parameter is a text; numbers and arrays are integers and tuples. The
// parts of an array are integers, arrays, and strings that are tuples, `_` or layouts; anything
// else is refused with `call.type`. Assumptions about symbolic sizes are under "assume", a text or
// an array of texts: {"op":"size","args":["(M,8)"],"assume":"M%8==0"}. Definitions, as statements
// of the language, are under "let": {"op":"size","args":["A"],"let":"A = (4,8):(8,1)"}. A request
// has no keys but id, op, args, kwargs, assume and let. The id is echoed; a number is echoed as
// written, even beyond 64 bits.

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "heddle/notation/evaluator.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The longest line in bytes, so that input that never ends does not fill the memory.
inline constexpr std::size_t kMaxLine = std::size_t{1} << 28;

/// The answer to one line, without the newline. A line that cannot be read is answered with
/// "id":null and an error `batch.…` or `syntax.…`.
[[nodiscard]] std::string answer(std::string_view line, const Environment& environment = {});

/// The keys that a request may have: `id`, `op`, ….
[[nodiscard]] std::span<const std::string_view> request_keys();

/// Answers every line that is not blank, in order, one at a time: the memory needed is that of the
/// longest line. Output is flushed whenever no more input is waiting. Ends when reading or writing
/// fails, as the state of the streams shows, and at a line of more than kMaxLine bytes, which is
/// answered with `syntax.too_long` and counts as failed reading.
void run_batch(std::istream& input, std::ostream& output, const Environment& environment = {});

}  // namespace heddle::notation
#pragma GCC visibility pop

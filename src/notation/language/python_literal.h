#pragma once

// The tree of Python's printed form of plain data and of objects that print as calls.
//
//   NamedSharding(mesh=Mesh('x': 2), spec=PartitionSpec('x', None))

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/core/result.h"

namespace heddle::notation {

struct PythonLiteral {
  /// A name (None and True too), a string, an integer; a call; a sequence in parentheses, brackets
  /// or braces.
  enum class Kind : std::uint8_t { kName, kString, kInteger, kCall, kTuple, kList, kSet };

  Kind kind = Kind::kName;
  /// The name without its modules, or the contents of a string.
  std::string text = {};
  std::int64_t number = 0;
  /// Arguments and elements; `items` and `keys` have the same length, and a missing key is empty:
  /// `dim=0`, `'x': 2`, `Mesh: [0]`.
  std::vector<PythonLiteral> items = {};
  std::vector<std::string> keys = {};
  Span span = {};

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  [[nodiscard]] bool is_name(std::string_view wanted) const {
    return kind == Kind::kName && text == wanted;
  }
  [[nodiscard]] bool is_call(std::string_view wanted) const {
    return kind == Kind::kCall && text == wanted;
  }
  [[nodiscard]] bool is_sequence() const { return kind >= Kind::kTuple; }
  /// The item of that key, or nullptr.
  [[nodiscard]] const PythonLiteral* keyed(std::string_view key) const;
  /// The items without a key.
  [[nodiscard]] std::vector<const PythonLiteral*> positional() const;
  /// The argument of that name, otherwise the positional one of that number; nullptr without
  /// either.
  [[nodiscard]] const PythonLiteral* argument(std::string_view key, std::size_t position) const;
};

/// Parses the whole text; several literals separated by commas are a tuple. `x.reshape(2, 2)` is
/// the call reshape(x, 2, 2). Refuses `syntax.sharding` with the place, also past 32 levels and
/// past 2^17 literals.
[[nodiscard]] Result<PythonLiteral> parse_python_literal(std::string_view text);

/// Refuses `syntax.sharding` at the literal: `there is … where … is expected`.
[[nodiscard]] Refusal refuse_literal(std::string_view source, const PythonLiteral& literal,
                                     std::string_view wanted);

}  // namespace heddle::notation

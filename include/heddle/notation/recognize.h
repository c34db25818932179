#pragma once

// What a text is that someone pastes, and the layouts in it.
//
//   recognize("(4,8):(8,1)")              a CuTe layout
//   recognize("A = 8:1; B = A o 4:2")     a program: A and B
//   recognize("#blocked = #ttg.bl…")      an encoding, on the smallest tensor that it covers
//   recognize("%3 = tt.load %2 : ten…")   a dump of TTGIR: its types
//   recognize("a.cu:3: error: static …")  a compiler's log: the calls whose assertions failed
//   recognize("layout = S[8:1@m]  # …")   a TVM script: the Axe layouts in it, by name
//   recognize("kernel add(X: f32[N]…")    kernels
//   recognize("0\t1\n2\t3")               a table: [[0,1],[2,3]]

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/datum.h"
#include "heddle/notation/evaluator.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// A layout in a text: a text of its own, which needs no names but those of the environment.
struct FoundLayout {
  /// The name that the text gives it, or one that is made.
  std::string name;
  std::string text;
  /// `a CuTe layout`.
  std::string kind;
  /// Where it stands, if it stands in one place.
  std::optional<Span> span = {};
  /// The shape of the tensor that it is of, where its text does not say it: that of its buffer, the
  /// one that was asked for, or an assumed one; empty if there is none.
  std::vector<std::int64_t> shape = {};
  /// What was assumed, for want of it in the text: `the shape 16 x 32, the smallest tensor …`.
  std::string assumed = {};
  /// The width of its elements as analyses count it, if it is a type that states one.
  std::optional<int> element_bits = {};

  friend bool operator==(const FoundLayout&, const FoundLayout&) = default;
};

struct Recognized {
  /// `a CuTe layout`, `a program`, `a dump of TTGIR`, `a compiler's log`, `a TVM script`,
  /// `a table`, `a kernel: add`, or the kind of the value of an expression that is no layout.
  std::string kind = {};
  std::vector<FoundLayout> layouts = {};
  /// What the text assumes of sizes.
  std::vector<std::string> assumptions = {};
  /// What was found and is no layout: why a type of a dump has none, what a failed assertion means.
  std::vector<std::string> remarks = {};
  /// The names of its kernels.
  std::vector<std::string> kernels = {};
  /// What the operation `diagnose` says of a log, as data; null for other texts.
  Datum diagnosis = nullptr;

  friend bool operator==(const Recognized&, const Recognized&) = default;
};

/// The largest number of layouts taken from one text.
inline constexpr std::size_t kMaxFoundLayouts = 256;

/// Expressions, programs and kernels may use the names of the environment, and its assumptions.
/// Encodings and Axe layouts, whose texts state no shape, are of a tensor of the given one. Refuses
/// a text that is none of these as the reader of expressions does, and kernels as parse_kernels(),
/// with the place.
[[nodiscard]] Result<Recognized> recognize(std::string_view text,
                                           const Environment& environment = {},
                                           const std::vector<std::int64_t>& shape = {});

[[nodiscard]] std::string to_string(const Recognized& recognized);
/// {"kind":…,"layouts":[{"name":…,"text":…,"kind":…,"span":[…],"shape":[…],"assumed":…,
/// "element_bits":…}],"assumptions":[…],"remarks":[…],"kernels":[…],"diagnosis":…}
[[nodiscard]] Datum to_datum(const Recognized& recognized);

}  // namespace heddle::notation
#pragma GCC visibility pop

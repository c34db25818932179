#pragma once

// A Diagnostic is what an operation returns instead of a wrong answer: which condition failed, for
// which operands, with which numbers, where, and what would help.
//
//   error composition.no_layout: (4,6):(1,5) o 6:1 is not a layout
//     6:1 runs through the left side's first mode (4) and 2 of its second (6); 6 is not …
//     witness: coordinate 4 maps to 5; a mode 6:1 would need 4
//
// The first line is the message, then come notes, the witness and a hint. The code is stable:
// programs may compare it, and docs/errors/<code>.md explains it.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle {

/// A half-open range of bytes [begin, end) in a source text, for errors in something that was read.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// A point or an image as numbers, with the names of its coordinates if the layout names them.
struct NamedNumbers {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> names;

  friend bool operator==(const NamedNumbers&, const NamedNumbers&) = default;
};

/// The numbers of a witness, for programs to read.
struct WitnessNumbers {
  struct Point {
    NamedNumbers coordinate;
    std::optional<std::int64_t> flat;

    friend bool operator==(const Point&, const Point&) = default;
  };
  /// A point has several images if it has copies, and none if the layout does not map it.
  using Images = std::vector<NamedNumbers>;

  std::optional<Point> point;
  std::optional<Images> found;
  std::optional<Images> wanted;
  /// The point at which `wanted` was found.
  std::optional<Point> other;
  /// The values of the symbolic sizes for which the witness holds.
  std::vector<std::pair<std::string, std::int64_t>> sizes;

  friend bool operator==(const WitnessNumbers&, const WitnessNumbers&) = default;
};

/// The image of a point that maps to a single number.
[[nodiscard]] inline WitnessNumbers::Images one_number(std::int64_t number) {
  return {NamedNumbers{{number}, {}}};
}

/// A coordinate that shows the failure: it maps to `found`, where `wanted_by` (such as "a mode
/// 6:1") would need `wanted`. All are texts in the notation of the operands; `wanted` may be empty.
struct Witness {
  std::string coordinate;
  std::string found;
  std::string wanted;
  std::string wanted_by = "a layout";
  /// The witness in numbers, if it was found in numbers.
  std::optional<WitnessNumbers> numbers = {};

  friend bool operator==(const Witness&, const Witness&) = default;
};

/// `coordinate 4 maps to 5; a mode 6:1 would need 4`.
[[nodiscard]] std::string to_string(const Witness& witness);

/// Why an operation was refused. A value: copy, compare, print. It is one pointer, because every
/// function that can be refused carries one; a moved-from diagnostic can only be assigned to or
/// destroyed.
class Diagnostic {
 public:
  /// `code` is a stable dotted name such as "composition.no_layout"; `message` is one sentence with
  /// the operands and the offending numbers, without the code.
  Diagnostic(std::string_view code, std::string_view message);
  Diagnostic(const Diagnostic& other);
  Diagnostic(Diagnostic&& other) noexcept;
  Diagnostic& operator=(const Diagnostic& other);
  Diagnostic& operator=(Diagnostic&& other) noexcept;
  ~Diagnostic();

  [[nodiscard]] const std::string& code() const;
  [[nodiscard]] const std::string& message() const;
  [[nodiscard]] const std::vector<std::string>& notes() const;
  [[nodiscard]] const std::string& hint() const;
  [[nodiscard]] const std::optional<Span>& span() const;
  [[nodiscard]] const std::optional<Witness>& witness() const;

  /// Returns the diagnostic with one more note, or with a hint, a place or a witness.
  [[nodiscard]] Diagnostic with_note(std::string note) &&;
  [[nodiscard]] Diagnostic with_hint(std::string hint) &&;
  [[nodiscard]] Diagnostic with_span(Span span) &&;
  [[nodiscard]] Diagnostic with_witness(Witness witness) &&;

  /// The text shown on the terminal: `error CODE: MESSAGE`, then notes, witness and hint, indented.
  /// If `source`, the text that the span points into, is given, also its line with a caret under
  /// the place.
  [[nodiscard]] std::string to_string(std::string_view source = {}) const;

  friend bool operator==(const Diagnostic& a, const Diagnostic& b);

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

std::ostream& operator<<(std::ostream& stream, const Diagnostic& diagnostic);

}  // namespace heddle
#pragma GCC visibility pop

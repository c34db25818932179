#pragma once

// The colour of a cell: that of a number, of a memory bank, or none.
//
//   index 21, modulus 8, run 2             floor(21 / 2) mod 8: colour 2
//   element 21 of 16 bits, 32 banks        bytes 42 and 43, word 10: bank 10, `b10`

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/draw/picture.h"

namespace heddle::draw {

/// Refuses `draw.color` for a modulus or a run out of range; `one` and `many` name the coloured
/// things, `index` and `indices`.
[[nodiscard]] Result<void> check_colors(const PictureOptions& options, std::string_view one,
                                        std::string_view many);
/// Refuses a name by which a view cannot be coloured.
[[nodiscard]] Refusal no_such_color(std::string_view name, const std::vector<std::string>& names);

/// A number and its colour.
struct ColorRule {
  /// The name of the number; empty for no colours.
  std::string name;
  std::int64_t run = 1;
  std::int64_t modulus = 0;
  /// The numbers are below this; nullopt for no limit.
  std::optional<Int> size = {};

  /// The number of colours: at most the number of runs.
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::size_t of(const Int& number) const;
  [[nodiscard]] std::string legend() const;
};

/// The rule of the options for a number of this name; without a name for no colours.
[[nodiscard]] ColorRule color_rule(const PictureOptions& options, std::string name,
                                   std::optional<Int> size = {});

/// The memory banks of elements.
struct Banks {
  std::int64_t count = 32;
  std::int64_t element_bits = 32;
  /// The address of index 0.
  std::optional<std::uint64_t> address = {};

  static constexpr std::int64_t kBits = 32;

  /// The banks of the options. Refuses `draw.color` for widths and numbers out of range.
  [[nodiscard]] static Result<Banks> make(const PictureOptions& options);
  /// The bank of a bit of the element.
  [[nodiscard]] std::int64_t at(std::int64_t element, std::int64_t bit = 0) const;
  /// `b5`, or `b4-7` for an element in several banks.
  [[nodiscard]] std::string text(std::int64_t element) const;
  [[nodiscard]] std::string legend() const;
  /// The number of elements in one round of the banks; nullopt unless it is a power of two.
  [[nodiscard]] std::optional<std::int64_t> elements_in_round() const;
};
/// Whether the options ask for the colours of banks.
[[nodiscard]] bool has_banks(const PictureOptions& options);

/// The look of a cell besides its text.
struct Look {
  std::size_t color = kPlain;
  std::string note;
  /// The note and the colour as a fact.
  std::string fact;
};

/// The colours of indices, by number or by bank.
class IndexColors {
 public:
  /// `name` is the name of the number. Refuses `draw.color`.
  [[nodiscard]] static Result<IndexColors> make(const PictureOptions& options,
                                                std::string name = "index");

  [[nodiscard]] bool are_banks() const { return banks_.has_value(); }
  [[nodiscard]] Look look(const Int& index) const;
  /// Sets a picture's number of colours, their scale and their meaning.
  void describe(Picture& picture) const;

 private:
  ColorRule rule_;
  std::optional<Banks> banks_;
};

}  // namespace heddle::draw

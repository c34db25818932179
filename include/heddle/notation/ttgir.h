#pragma once

// The layouts in a dump of Triton's TTGIR.
//
//   #blocked = #ttg.blocked<{sizePerThread = [1, 4], …}>
//   …
//   %3 = tt.load %2 : tensor<128x64x!tt.ptr<f16>, #blocked>
//   %4 = ttg.convert_layout %3 : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #mma>
//
//   Result<TtgirDump> dump = read_ttgir(text);
//   dump->types[0].text         "tensor<128x64x!tt.ptr<f16>, #blocked>"
//   *dump->types[0].layout      (register, lane, warp, block) -> (dim0, dim1)
//   dump->conversions[0]        from type 1 to type 2, in line 4
//
// The text is searched, not parsed: it may be a log that contains a dump, or part of one, with
// lines wrapped or not. Several modules (MLIR_ENABLE_DUMP=1) have aliases of their own: they hold
// up to `// -----`, and once an alias is defined again, the later definition counts.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/analyze/conversion.h"
#include "heddle/core/result.h"
#include "heddle/notation/triton.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// An operation that a type occurs at, `tt.load`, and the lines, counted from 1.
struct TypeUse {
  std::string operation;
  std::vector<std::size_t> lines;

  friend bool operator==(const TypeUse&, const TypeUse&) = default;
};

/// A type of a tensor or a buffer, listed once, or twice if its alias has two encodings.
struct ListedType {
  /// As written in the dump, joined into one line.
  std::string text;
  /// The parsed type, or why it cannot be parsed: an undefined alias, an encoding of another
  /// target.
  Result<TensorType> type;
  /// Its layout, or why it has none. For padded_shared, the layout without the padding.
  Result<linear::LinearLayout> layout;
  std::vector<TypeUse> uses;
  /// For a tensor that has no layout only because its sizes are no powers of two.
  std::optional<PaddedLayout> padded;

  /// Whether all is known: the layout, or that the compiler has not inferred it yet, or the padded
  /// one.
  [[nodiscard]] bool is_described() const;
};

/// An encoding that has a name, in a part of the text without any type.
struct ListedAlias {
  /// `#blocked`
  std::string name;
  std::size_t line = 0;
  Result<linear::Encoding> encoding;
};

/// A ttg.convert_layout; both numbers are indices into TtgirDump::types.
struct ListedConversion {
  std::size_t line = 0;
  /// `%4`, or empty text.
  std::string result;
  std::size_t source = 0;
  std::size_t target = 0;

  friend bool operator==(const ListedConversion&, const ListedConversion&) = default;
};

struct TtgirDump {
  /// `cuda:90`, and the numbers of warps, threads and CTAs that the module states.
  std::optional<std::string> target;
  std::optional<std::int64_t> num_warps;
  std::optional<std::int64_t> num_ctas;
  std::optional<std::int64_t> threads_per_warp;
  /// Types with an encoding, in the order of their first use.
  std::vector<ListedType> types;
  std::vector<ListedConversion> conversions;
  /// Encodings of the sections without a type.
  std::vector<ListedAlias> aliases;
};

/// The maximum number of listed types.
inline constexpr std::size_t kMaxListedTypes = 4096;

/// Refuses `syntax.encoding` (NUL bytes, invalid UTF-8), `ttgir.no_layout` if the text has no
/// encoding, and `ttgir.too_many_types`. Cost: linear in the text, plus one layout per
/// type.
[[nodiscard]] Result<TtgirDump> read_ttgir(std::string_view text);

/// The data movement of a conversion. Refuses what the layouts of its two types refused,
/// `ttgir.element_type` if the width of an element is not known, and what conversion_class()
/// refuses. Elements of less than a byte are moved as bytes, as Triton does.
[[nodiscard]] Result<analyze::Conversion> conversion_of(const TtgirDump& dump,
                                                        const ListedConversion& conversion);

/// Extra text for a type, shown below its layout.
using TypePicture = std::function<std::string(const ListedType&)>;

/// The types with their layouts and uses, then the conversions, as text.
[[nodiscard]] std::string to_string(const TtgirDump& dump, const TypePicture& picture = {});
/// {"target":…,"num_warps":…,"types":[{"type":…,"shape":…,"element_type":…,"encoding":…,
/// "layout":…,"uses":[{"operation":…,"lines":[…]}]}],"aliases":[…],"conversions":[{"line":…,"result":…,"source":
/// …,"target":…,"move":…,"shuffles":…,"write":…,"read":…}]}; source and target are indices into
/// "types", from 0, and what a conversion does not take is left out.
[[nodiscard]] Datum to_datum(const TtgirDump& dump);

}  // namespace heddle::notation
#pragma GCC visibility pop

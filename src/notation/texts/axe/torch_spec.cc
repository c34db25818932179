// What PyTorch prints of a tensor over a mesh: `Spec(S(0)R on (16, 4)) @ mesh: (2, 2)`.

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/text.h"
#include "core/words.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/sharding.h"
#include "notation/language/placement_text.h"
#include "notation/language/scanner.h"
#include "notation/texts/axe/sharding_readers.h"

namespace heddle::notation {
namespace {

using axe::Sharding;
using Extents = std::vector<std::int64_t>;

class TorchSpecReader {
 public:
  explicit TorchSpecReader(std::string_view text) : scanner_(text, "syntax.sharding") {}

  Result<Sharding> read() {
    Sharding sharding;
    if (scanner_.accept("Spec(")) {
      HEDDLE_CHECK(begins_tensor() ? tensor(sharding, "(", ")") : placed(sharding));
      HEDDLE_CHECK(scanner_.expect(")"));
      HEDDLE_CHECK(mesh(sharding));
    } else {
      HEDDLE_CHECK(tensor(sharding, "[", "]"));
    }
    if (!scanner_.at_end()) return scanner_.refuse_here("the end");
    return sharding;
  }

 private:
  /// `f32[16, 4]…`
  bool begins_tensor() {
    const std::string_view rest = scanner_.rest();
    return rest.substr(first_word(rest).size()).starts_with('[') && !first_word(rest).empty();
  }

  /// `f32[16, 4](S(0)R)`, `f32[16, 4][S(0), R]`
  Result<void> tensor(Sharding& sharding, std::string_view open, std::string_view close) {
    HEDDLE_CHECK(scanner_.expect_word("an element type"));
    HEDDLE_CHECK(shape(sharding, "[", "]"));
    if (!scanner_.rest().starts_with(open)) return scanner_.expect(open);
    if (placement_list_length(scanner_.rest()) > 0) return placements(sharding);
    HEDDLE_CHECK(scanner_.expect(open));
    HEDDLE_CHECK(placements(sharding));
    return scanner_.expect(close);
  }

  /// `(Shard(dim=0), Replicate()) on (16, 4)`
  Result<void> placed(Sharding& sharding) {
    HEDDLE_CHECK(placements(sharding));
    HEDDLE_CHECK(scanner_.expect("on"));
    return shape(sharding, "(", ")");
  }

  Result<void> placements(Sharding& sharding) {
    const std::string_view rest = scanner_.rest();
    std::size_t length = placement_list_length(rest);
    if (length == 0) length = compact_length(rest);
    if (length == 0) length = placement_length(rest);
    if (length == 0) return scanner_.refuse_here("placements");
    const std::string_view found = rest.substr(0, length);
    HEDDLE_TRY(axe::Placements parsed,
               parse_placements(listed_placements(found).value_or(std::string(found))));
    sharding.spec = std::move(parsed);
    return scanner_.expect(found);
  }

  Result<void> shape(Sharding& sharding, std::string_view open, std::string_view close) {
    HEDDLE_TRY(const Extents extents, integers(open, close));
    sharding.shape.emplace(extents.begin(), extents.end());
    return {};
  }

  /// ` @ mesh: (2, 2)`
  Result<void> mesh(Sharding& sharding) {
    if (!scanner_.accept("@")) return {};
    HEDDLE_CHECK(scanner_.expect("mesh"));
    HEDDLE_CHECK(scanner_.expect(":"));
    HEDDLE_TRY(Extents extents, integers("(", ")"));
    HEDDLE_TRY(sharding.mesh, axe::Mesh::make(std::move(extents)));
    return {};
  }

  Result<Extents> integers(std::string_view open, std::string_view close) {
    HEDDLE_CHECK(scanner_.expect(open));
    Extents result;
    while (!scanner_.accept(close)) {
      HEDDLE_TRY(result.emplace_back(), scanner_.expect_integer("a size"));
      if (scanner_.accept(",")) continue;
      HEDDLE_CHECK(scanner_.expect(close));
      break;
    }
    return result;
  }

  Scanner scanner_;
};

}  // namespace

Result<Sharding> read_torch_spec(std::string_view text) { return TorchSpecReader(text).read(); }

}  // namespace heddle::notation

// Linear layouts as Triton prints them.

#include <fmt/format.h>

#include <utility>

#include "heddle/notation/linear.h"
#include "notation/language/literals/printed_layout.h"
#include "notation/language/scanner.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;

class PrintedLayoutReader {
 public:
  explicit PrintedLayoutReader(std::string_view text) : scanner_(text, "syntax.linear_layout") {}

  Result<LinearLayout> read() {
    if (scanner_.accept(kEmptyLayout)) return at_end(LinearLayout());
    while (!scanner_.accept(kOutDims)) HEDDLE_CHECK(read_line());
    HEDDLE_TRY(const NamedSizes outs, read_out_dims());
    HEDDLE_TRY(LinearLayout layout, LinearLayout::make(bases_, outs));
    return at_end(std::move(layout));
  }

 private:
  /// ` - lane=1 -> (1, 0)`, `   lane=2 -> (2, 0)` or ` - block is a size 1 dimension`.
  Result<void> read_line() {
    const bool begins_dim = scanner_.accept("-");
    HEDDLE_TRY(const std::string name, scanner_.expect_name("an input dimension"));
    if (begins_dim) bases_.push_back({name, {}});
    if (bases_.empty() || bases_.back().name != name) {
      return scanner_.refuse_here(fmt::format("'-' before the first basis of {}", name));
    }
    if (begins_dim && scanner_.accept(kSizeOne)) return {};
    return read_basis(bases_.back());
  }

  Result<void> read_basis(linear::InBases& in) {
    HEDDLE_CHECK(scanner_.expect("="));
    constexpr std::size_t kMostBits = 62;
    const std::int64_t wanted =
        in.vectors.size() < kMostBits ? std::int64_t{1} << in.vectors.size() : -1;
    HEDDLE_TRY(const std::int64_t coordinate, scanner_.expect_integer("a coordinate"));
    if (coordinate != wanted) {
      return refuse("syntax.linear_layout",
                    fmt::format("the image of {}={} follows where that of {}={} is expected",
                                in.name, coordinate, in.name, wanted));
    }
    HEDDLE_CHECK(scanner_.expect("->"));
    HEDDLE_CHECK(scanner_.expect("("));
    std::vector<std::int64_t>& vector = in.vectors.emplace_back();
    if (scanner_.accept(")")) return {};
    do {
      HEDDLE_TRY(const std::int64_t part, scanner_.expect_integer("a coordinate"));
      vector.push_back(part);
    } while (scanner_.accept(","));
    return scanner_.expect(")");
  }

  /// `[dim0 (size 16), dim1 (size 8)]`.
  Result<NamedSizes> read_out_dims() {
    NamedSizes outs;
    HEDDLE_CHECK(scanner_.expect("["));
    if (scanner_.accept("]")) return outs;
    do {
      HEDDLE_TRY(std::string name, scanner_.expect_name("an output dimension"));
      HEDDLE_CHECK(scanner_.expect("(size "));
      HEDDLE_TRY(const std::int64_t size, scanner_.expect_integer("a size"));
      HEDDLE_CHECK(scanner_.expect(")"));
      outs.emplace_back(std::move(name), size);
    } while (scanner_.accept(","));
    HEDDLE_CHECK(scanner_.expect("]"));
    return outs;
  }

  Result<LinearLayout> at_end(LinearLayout layout) {
    if (scanner_.at_end()) return layout;
    return scanner_.refuse_here("the end");
  }

  Scanner scanner_;
  Bases bases_;
};

}  // namespace

Result<LinearLayout> parse_printed_layout(std::string_view text) {
  return PrintedLayoutReader(text).read();
}

}  // namespace heddle::notation

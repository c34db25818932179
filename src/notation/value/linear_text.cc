// Linear layouts as Triton prints them.

#include <fmt/format.h>

#include <utility>

#include "heddle/notation/linear.h"
#include "notation/printed_layout.h"
#include "notation/scanner.h"

namespace heddle::notation {
namespace {

using linear::Bases;
using linear::LinearLayout;
using linear::NamedSizes;

constexpr std::string_view kEmpty = "(empty layout)";
constexpr std::string_view kOutDims = "where out dims are:";
constexpr std::string_view kNoBits = "is a size 1 dimension";

class PrintedLayoutReader {
 public:
  explicit PrintedLayoutReader(std::string_view text) : scanner_(text, "syntax.linear_layout") {}

  Result<LinearLayout> read() {
    if (scanner_.accept(kEmpty)) return at_end(LinearLayout());
    while (!scanner_.accept(kOutDims)) HEDDLE_CHECK(read_line());
    HEDDLE_TRY(const NamedSizes outs, read_out_dims());
    HEDDLE_TRY(LinearLayout layout, LinearLayout::make(bases_, outs));
    return at_end(std::move(layout));
  }

 private:
  /// ` - lane=1 -> (1, 0)`, `   lane=2 -> (2, 0)` or ` - block is a size 1 dimension`.
  Result<void> read_line() {
    const bool begins_dim = scanner_.accept("-");
    HEDDLE_TRY(const std::string_view name, scanner_.expect_word("an input dimension"));
    if (begins_dim) bases_.push_back({std::string(name), {}});
    if (bases_.empty() || bases_.back().name != name) {
      return scanner_.refuse_here(fmt::format("'-' before the first basis of {}", name));
    }
    if (begins_dim && scanner_.accept(kNoBits)) return {};
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
      HEDDLE_TRY(const std::string_view name, scanner_.expect_word("an output dimension"));
      HEDDLE_CHECK(scanner_.expect("(size "));
      HEDDLE_TRY(const std::int64_t size, scanner_.expect_integer("a size"));
      HEDDLE_CHECK(scanner_.expect(")"));
      outs.emplace_back(name, size);
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

bool begins_printed_layout(std::string_view text) {
  constexpr std::string_view kBeginnings = "-(w";
  if (text.empty() || kBeginnings.find(text.front()) == std::string_view::npos) return false;
  if (text.starts_with(kEmpty) || text.starts_with(kOutDims)) return true;
  Scanner scanner(text, "");
  if (!scanner.accept("-") || !scanner.word()) return false;
  if (scanner.accept(kNoBits)) return true;
  return scanner.accept("=") && scanner.expect_integer("") && scanner.accept("->");
}

std::size_t printed_layout_length(std::string_view text) {
  if (text.starts_with(kEmpty)) return kEmpty.size();
  const std::size_t dims = text.find(kOutDims);
  if (dims == std::string_view::npos) return text.size();
  const std::size_t close = text.find(']', dims);
  return close == std::string_view::npos ? text.size() : close + 1;
}

Result<LinearLayout> parse_printed_layout(std::string_view text) {
  return PrintedLayoutReader(text).read();
}

}  // namespace heddle::notation

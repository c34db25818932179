#include "notation/operations/format_tag.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "heddle/cute/stride.h"
#include "heddle/form/index_map.h"

namespace heddle::notation {
namespace {

/// A letter of a tag: a dimension, or a block of one.
struct Digit {
  std::size_t dim = 0;
  /// 0 for what is left of the dimension outside of its blocks.
  std::int64_t block = 0;
};

Refusal no_tag(std::string_view tag, std::string_view why) {
  return refuse(
      Diagnostic("call.type", fmt::format("'{}' is not a format tag of oneDNN: {}", tag, why))
          .with_hint("tags look like nchw, nChw16c, OIhw4i16o4i and aBcd16b"));
}

char lower_case(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The tag without `dnnl::memory::format_tag::` or `dnnl_` in front of it.
std::string_view without_prefix(std::string_view tag) {
  tag.remove_prefix(tag.rfind(':') == std::string_view::npos ? 0 : tag.rfind(':') + 1);
  constexpr std::string_view kPrefix = "dnnl_";
  if (tag.starts_with(kPrefix)) tag.remove_prefix(kPrefix.size());
  return tag;
}

/// The letters of the dimensions, first dimension first: in alphabetical order where they begin
/// with a and have no gaps, else those of images, weights or recurrent networks.
std::string dimensions_of(std::string letters) {
  std::ranges::sort(letters);
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  const bool is_alphabet =
      !letters.empty() && letters.back() == static_cast<char>('a' + letters.size() - 1);
  if (is_alphabet) return letters;
  const auto has = [&](char letter) { return letters.find(letter) != std::string::npos; };
  const std::string_view order = has('l')   ? "ldncigo"
                                 : has('t') ? "tnc"
                                 : has('o') ? "goidhw"
                                            : "ncdhw";
  std::string dims;
  for (const char letter : order) {
    if (has(letter)) dims += letter;
  }
  return dims.size() == letters.size() ? dims : "";
}

Result<std::vector<Digit>> digits_of(std::string_view tag, const std::string& dims) {
  std::vector<Digit> digits;
  std::int64_t block = 0;
  for (const char letter : tag) {
    if (letter >= '0' && letter <= '9') {
      block = 10 * block + (letter - '0');
      if (block > (std::int64_t{1} << 20)) return no_tag(tag, "a block is too large");
      continue;
    }
    const bool comes_after_blocks = !digits.empty() && digits.back().block != 0;
    if (comes_after_blocks && block == 0) return no_tag(tag, "its blocks come last");
    digits.push_back({dims.find(lower_case(letter)), block});
    block = 0;
  }
  if (block != 0) return no_tag(tag, "it ends with a number");
  return digits;
}

/// Refuses a dimension that is not there once, or is a capital letter without having blocks.
Result<void> check_dimensions(std::string_view tag, const std::string& dims,
                              const std::vector<Digit>& digits) {
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const auto count = [&](bool is_block) {
      return std::ranges::count_if(digits, [&](const Digit& digit) {
        return digit.dim == dim && (digit.block != 0) == is_block;
      });
    };
    if (count(false) != 1) return no_tag(tag, fmt::format("{} must occur once", dims[dim]));
    const bool is_capital =
        tag.find(dims[dim]) > tag.find(static_cast<char>(dims[dim] - 'a' + 'A'));
    if (is_capital != (count(true) > 0)) {
      return no_tag(tag, "the dimensions that have blocks, and only these, are capital letters");
    }
  }
  return {};
}

/// A leaf, or the tuple of several.
template <class Leaf>
Tuple<Leaf> mode_of(const std::vector<Leaf>& leaves) {
  return leaves.size() == 1 ? Tuple<Leaf>(leaves.front()) : Tuple<Leaf>::flat(leaves);
}

}  // namespace

Result<cute::Layout> layout_of_tag(const std::string& text, const IntTuple& extents) {
  const std::string_view tag = without_prefix(text);
  std::string letters;
  for (const char letter : tag) {
    const char lower = lower_case(letter);
    if (lower >= 'a' && lower <= 'z')
      letters += lower;
    else if (letter < '0' || letter > '9')
      return no_tag(tag, "it has other signs than letters and digits");
  }
  const std::string dims = dimensions_of(letters);
  if (dims.empty()) return no_tag(tag, "its letters name no dimensions");
  HEDDLE_TRY(const std::vector<Digit> digits, digits_of(tag, dims));
  HEDDLE_CHECK(check_dimensions(tag, dims, digits));
  if (extents.leaves().size() != dims.size()) {
    return no_tag(tag, fmt::format("it has {}, and the shape has {}",
                                   counted(dims.size(), "dimension"), extents.leaves().size()));
  }
  // From the innermost digit on: the extents and strides of each dimension, innermost first.
  std::vector<std::vector<Int>> shapes(dims.size());
  std::vector<std::vector<cute::Stride>> strides(dims.size());
  Int stride = 1;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    Int extent = digit->block;
    if (digit->block == 0) {
      extent = ceil_div(extents.leaves()[digit->dim], form::product(shapes[digit->dim]));
    }
    shapes[digit->dim].push_back(extent);
    strides[digit->dim].emplace_back(stride);
    stride *= extent;
  }
  std::vector<IntTuple> shape;
  std::vector<cute::StrideTuple> steps;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    shape.push_back(mode_of(shapes[dim]));
    steps.push_back(mode_of(strides[dim]));
  }
  return cute::Layout::make(IntTuple::of(shape), cute::StrideTuple::of(steps));
}

}  // namespace heddle::notation

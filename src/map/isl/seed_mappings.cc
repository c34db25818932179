// The mappings of which seed 000 composes layouts.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/format.h"
#include "heddle/cute/manipulation.h"
#include "heddle/map/relations.h"
#include "map/isl/door.h"
#include "map/isl/relation_texts.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::size_t kMaxSpaces = 1024;

Result<IntegerRelation> parsed(const std::string& text, const Limits& limits) {
  return IntegerRelation::parse(text, limits);
}

/// { [c] -> [c0, c1, …] }: equations 17 and 19.
std::string unflattening(char letter, std::span<const std::int64_t> extents) {
  std::vector<std::string> digits;
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    digits.push_back(i + 1 < extents.size()
                         ? fmt::format("floor({}/{}) mod {}", letter, stride, extents[i])
                         : fmt::format("floor({}/{})", letter, stride));
    stride *= extents[i];
  }
  return fmt::format("{{ [{}] -> [{}] : 0 <= {} < {} }}", letter, fmt::join(digits, ", "), letter,
                     stride);
}

/// Algorithm 1 of section 4: the bits, highest first; y is the mask of the bits that are read.
std::string binary_swizzle(const cute::Swizzle& swizzle, int count) {
  const std::int64_t y = swizzle.source_mask();
  std::vector<std::string> images;
  for (int j = 0; j < count; ++j) {
    // The bit that is read for bit j is s places higher: before it.
    const int from = j - swizzle.shift();
    const bool reads = from >= 0 && from < count && ((y >> (count - 1 - from)) & 1) != 0;
    images.push_back(reads ? fmt::format("(c{} + c{}) mod 2", from, j) : fmt::format("c{}", j));
  }
  return fmt::format("{{ [{}] -> [{}] : {} }}", names_text('c', static_cast<std::size_t>(count)),
                     fmt::join(images, ", "),
                     box_conditions('c', twos(static_cast<std::size_t>(count))));
}

/// Equation 11: the bits of a number, highest first; and its reverse.
std::string bits_of_number(int count) {
  std::vector<std::string> bits;
  for (int i = count; i-- > 0;) {
    bits.push_back(i + 1 == count ? fmt::format("floor(c/{})", std::int64_t{1} << i)
                                  : fmt::format("floor(c/{}) mod 2", std::int64_t{1} << i));
  }
  return fmt::format("{{ [c] -> [{}] : 0 <= c < {} }}", fmt::join(bits, ", "),
                     std::int64_t{1} << count);
}

std::string number_of_bits(int count) {
  std::vector<std::string> terms{"0"};
  for (int j = 0; j < count; ++j) {
    terms.push_back(fmt::format("{}*i{}", std::int64_t{1} << (count - 1 - j), j));
  }
  return fmt::format("{{ [{}] -> [{}] : {} }}", names_text('i', static_cast<std::size_t>(count)),
                     fmt::join(terms, " + "),
                     box_conditions('i', twos(static_cast<std::size_t>(count))));
}

/// The shapes that a mode's coordinates may have, itself first.
std::vector<IntTuple> spaces_of(const IntTuple& shape) {
  if (shape.is_leaf()) return {shape};
  std::vector<std::vector<IntTuple>> choices{{}};
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const std::vector<IntTuple> modes = spaces_of(shape.mode(i));
    std::vector<std::vector<IntTuple>> longer;
    for (const std::vector<IntTuple>& before : choices) {
      for (const IntTuple& mode : modes) {
        longer.push_back(before);
        longer.back().push_back(mode);
        if (longer.size() > kMaxSpaces) return {};
      }
    }
    choices = std::move(longer);
    if (choices.empty()) return {};
  }
  std::vector<IntTuple> spaces;
  for (const std::vector<IntTuple>& modes : choices) spaces.push_back(IntTuple::of(modes));
  spaces.emplace_back(product_of(shape.leaves()));
  return spaces;
}

View view_of_flat(const cute::Layout& layout) { return *view(AnyLayout(cute::flatten(layout))); }

}  // namespace

Result<IntegerRelation> coordinate_mapping(const IntTuple& shape, const Limits& limits) {
  // The layout as a function of the flat coordinate, with one axis for each leaf.
  View flat;
  const Int size = product_of(shape.leaves());
  HEDDLE_CHECK(check_defined(size, [&] { return fmt::format("the size of {}", shape); }));
  // A box without points has no coordinates, and there would be a division by 0.
  HEDDLE_CHECK(cute::make_layout(shape));
  flat.extents = {size};
  flat.names = {"c"};
  StridedView strided;
  strided.modes.emplace_back();
  const std::size_t rank = shape.leaves().size();
  for (std::size_t i = 0; i < rank; ++i) {
    std::vector<Int> stride(rank, Int(0));
    stride[i] = 1;
    strided.modes.front().push_back({shape.leaves()[i], std::move(stride)});
    flat.axes.emplace_back(fmt::format("{}", i));
    flat.bounds.emplace_back(shape.leaves()[i]);
  }
  strided.offset.assign(rank, Int(0));
  flat.evaluate = [strided](std::span<const Int> point, const Int& copy) {
    return image_of(strided, point, copy);
  };
  flat.strided = std::move(strided);
  return relation(flat, limits);
}

Result<IntegerRelation> index_mapping(const cute::Layout& layout, const Limits& limits) {
  return relation(view_of_flat(layout), limits);
}

Result<IntegerRelation> index_mapping(const cute::Layout& layout, const IntTuple& shape,
                                      const Limits& limits) {
  HEDDLE_TRY(const View found, reshaped(view_of_flat(layout), shape.leaves()));
  return relation(found, limits);
}

Result<IntegerRelation> layout_mapping(const cute::Layout& layout, const Limits& limits) {
  HEDDLE_TRY(View found, reshaped(view_of_flat(layout), std::vector<Int>{layout.size()}));
  found.names = {"c"};
  return relation(found, limits);
}

Result<std::vector<IntTuple>> coordinate_spaces(const IntTuple& shape) {
  std::vector<IntTuple> spaces = spaces_of(shape);
  if (!spaces.empty()) return spaces;
  return refuse("relation.too_large",
                fmt::format("{} has more than {} coordinate spaces", shape, kMaxSpaces));
}

Result<SwizzleMappings> swizzle_mappings(const cute::Swizzle& swizzle, const Limits& limits) {
  const int shift = swizzle.shift() < 0 ? -swizzle.shift() : swizzle.shift();
  const int count = swizzle.bits() + swizzle.base() + shift;
  HEDDLE_TRY(const IntegerRelation coordinate, parsed(bits_of_number(count), limits));
  HEDDLE_TRY(const IntegerRelation binary, parsed(binary_swizzle(swizzle, count), limits));
  HEDDLE_TRY(const IntegerRelation bits, compose(coordinate, binary, limits));
  HEDDLE_TRY(const IntegerRelation back, parsed(number_of_bits(count), limits));
  HEDDLE_TRY(const IntegerRelation layout, compose(bits, back, limits));
  return SwizzleMappings{coordinate, binary, layout};
}

Result<LinearMappings> linear_mappings(const linear::LinearLayout& layout, const Limits& limits) {
  const int ins = layout.total_in_dim_size_log2();
  const int outs = layout.total_out_dim_size_log2();
  HEDDLE_TRY(const IntegerRelation integral,
             parsed(flattening('c', sizes_of(layout.in_dims())), limits));
  HEDDLE_TRY(const IntegerRelation bits,
             parsed(unflattening('c', twos(static_cast<std::size_t>(ins))), limits));
  HEDDLE_TRY(const IntegerRelation matrix, parsed(binary_vector_space(layout), limits));
  HEDDLE_TRY(const IntegerRelation index,
             parsed(flattening('i', twos(static_cast<std::size_t>(outs))), limits));
  HEDDLE_TRY(const IntegerRelation natural,
             parsed(unflattening('i', sizes_of(layout.out_dims())), limits));
  return LinearMappings{integral, bits, matrix, index, natural};
}

Result<IntegerRelation> layout_mapping(const LinearMappings& mappings, const Limits& limits) {
  HEDDLE_TRY(const IntegerRelation to_bits,
             compose(mappings.integral_coordinate, mappings.binary_coordinate, limits));
  HEDDLE_TRY(const IntegerRelation bits, compose(to_bits, mappings.binary_vector_space, limits));
  HEDDLE_TRY(const IntegerRelation flat, compose(bits, mappings.linear_index, limits));
  return compose(flat, mappings.natural_index, limits);
}

}  // namespace heddle::map

#include "heddle/emit/slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace heddle::emit {

std::string broadcast_text(std::size_t position, std::size_t count) {
  if (count <= 1) return {};
  std::vector<std::string_view> places(count, "None");
  places[position] = ":";
  return fmt::format("[{}]", fmt::join(places, ", "));
}

std::string range_text(std::string_view extent, std::size_t position, std::size_t count) {
  return fmt::format("tl.arange(0, {}){}", extent, broadcast_text(position, count));
}

Result<Spelling> spelling_of(std::span<const lego::SliceRange> ranges, Dialect dialect) {
  const bool has_ranges = dialect == Dialect::kTriton || dialect == Dialect::kHeddle;
  if (!ranges.empty() && !has_ranges) {
    return refuse(Diagnostic("template.range", fmt::format("':' is a range of Triton; {} has none",
                                                           title_of(dialect)))
                      .with_hint("name the coordinate, as a loop or a thread does"));
  }
  Spelling spelling;
  for (const lego::SliceRange& range : ranges) {
    if (!range.variable.is_symbolic()) continue;  // a range of one value is 0
    HEDDLE_TRY(const InlineText extent, inline_text(range.extent, dialect));
    spelling.emplace(heddle::to_string(range.variable),
                     range_text(extent.text, range.position, ranges.size()));
  }
  return spelling;
}

std::string to_string(const lego::Slice& slice) {
  std::string plain = heddle::to_string(slice.index);
  const Result<Spelling> spelling = spelling_of(slice.ranges, Dialect::kHeddle);
  if (!spelling) return plain;
  plain = spelled_words(plain, *spelling);
  const Result<InlineText> factored = inline_text(slice.index, Dialect::kHeddle, *spelling);
  return factored && factored->text.size() <= plain.size() ? factored->text : plain;
}

}  // namespace heddle::emit

#pragma once

// Finds placements of PyTorch's DTensor in a text; parse_placements() reads them
// (heddle/notation/sharding.h).
//
//   (Shard(dim=0), Replicate())      [S(0), R]      S(0)R

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::notation {

/// The length of one placement at the beginning of the text: `Shard(dim=0)`, `Replicate()`, `S(0)`,
/// `R`, `P(sum)`, `_SS(0, split_factor=2)`; 0 if there is none.
[[nodiscard]] std::size_t placement_length(std::string_view text);

/// The length of placements in brackets, at least one of which is written as a call; 0 if there are
/// none.
[[nodiscard]] std::size_t placement_list_length(std::string_view text);

/// The length of placements without anything between them, `S(0)R`, at least two of them; 0 if
/// there are none.
[[nodiscard]] std::size_t compact_length(std::string_view text);

/// Such placements with commas between them, in brackets; nullopt unless they are the whole text.
[[nodiscard]] std::optional<std::string> listed_placements(std::string_view text);

}  // namespace heddle::notation

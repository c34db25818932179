#pragma once

// Checksums of tensors, which files of safetensors have in their metadata.
//
//   {"checksum.layers.0.weight": "xxh3-64:7d9f1c0a55e2b3c4", …}

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace heddle::files {

/// `xxh3-64:` and 16 digits: the 64 bits of XXH3.
[[nodiscard]] std::string checksum_of(std::span<const std::byte> bytes);
/// A text that is as long, for a place that a checksum gets later.
[[nodiscard]] std::string no_checksum();
/// Whether it is a text of checksum_of(), and not one of another program.
[[nodiscard]] bool is_checksum(std::string_view text);

/// The name of a tensor's checksum in the metadata.
[[nodiscard]] std::string checksum_key(std::string_view tensor);

}  // namespace heddle::files

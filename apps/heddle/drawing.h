#pragma once

// Pictures as files, in the format of the file name's extension.

#include <string>
#include <string_view>

#include "heddle/console.h"
#include "heddle/notation/picture.h"

namespace heddle::app {

/// The format of a file, by its extension; text for an empty name. Refuses `file.unwritable` for
/// other extensions.
[[nodiscard]] Result<notation::PictureFormat> format_of(const std::string& path);

/// Writes a picture, or its text. Refuses `file.unwritable`, and `draw.path` if its folder does not
/// exist.
[[nodiscard]] Result<void> write_picture(const std::string& path, std::string_view text);
[[nodiscard]] Result<void> write_picture(const std::string& path, const draw::Picture& picture);

}  // namespace heddle::app

#pragma once

// Pictures as files, whose names say their formats.

#include <string>
#include <string_view>

#include "heddle/console.h"
#include "heddle/notation/picture.h"

namespace heddle::app {

/// The format of a file, by the end of its name; text for no name. Refuses `file.unwritable` for
/// other endings.
[[nodiscard]] Result<notation::PictureFormat> format_of(const std::string& path);

/// Writes a picture, or its text. Refuses `file.unwritable`, and `draw.path` where its folder does
/// not exist.
[[nodiscard]] Result<void> write_picture(const std::string& path, std::string_view text);
[[nodiscard]] Result<void> write_picture(const std::string& path, const draw::Picture& picture);

}  // namespace heddle::app

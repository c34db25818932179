#pragma once

// What `heddle draw` and the statement `draw` share: from an expression to a picture, and from a
// picture to a file of the format that its name asks for.

#include <optional>
#include <string>

#include "heddle/console.h"
#include "heddle/draw/picture.h"
#include "heddle/draw/tv.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/syntax.h"

namespace heddle::app {

enum class PictureFormat { kTerminal, kText, kSvg, kHtml, kLatex };

/// The format of a file, by the end of its name; kTerminal for no name. Refuses `file.unwritable`
/// for other endings.
[[nodiscard]] Result<PictureFormat> format_of(const std::string& path);

/// `options` for a format: pages to explore have facts, and TeX draws no more than it can.
[[nodiscard]] draw::PictureOptions options_for(PictureFormat format, draw::PictureOptions options);

/// Writes a picture in the format of the name. Refuses `file.unwritable`, and `draw.path` where its
/// folder does not exist.
[[nodiscard]] Result<void> write_picture(const std::string& path, const draw::Picture& picture);

/// The value as a layout. Refuses `call.type`.
[[nodiscard]] Result<cute::AnyLayout> layout_of(const notation::Value& value);

/// The picture of what says which thread holds which element: a thread-value layout with its tile,
/// both sides of a tiled copy, the operands of an MMA; nothing for other values. Refuses what
/// draw::tv_picture() and the layouts' functions refuse.
[[nodiscard]] Result<std::optional<draw::Picture>> thread_picture(const notation::Value& value,
                                                                  const draw::TvOptions& options);

/// The picture of an expression: of a layout, or thread_picture(). That of an operation on layouts
/// has its operands, where `has_operands` and where colours are not banks. Refuses what evaluating
/// it, layout_of() and draw::picture() refuse.
[[nodiscard]] Result<draw::Picture> picture_of(const notation::Expression& expression,
                                               const notation::Environment& environment,
                                               const draw::PictureOptions& options,
                                               bool has_operands);

}  // namespace heddle::app

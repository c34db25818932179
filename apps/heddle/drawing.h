#pragma once

// What `heddle draw` and the statement `draw` share: from an expression to a picture, and from a
// picture to a file of the format that its name asks for.

#include <optional>
#include <string>

#include "heddle/console.h"
#include "heddle/draw/axe.h"
#include "heddle/draw/linear.h"
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

/// What of a linear layout is drawn.
enum class LinearView { kTensor, kHardware, kMatrix };

/// The options of a linear layout's picture for a format: terminals are shown less of large ones.
[[nodiscard]] draw::LinearOptions options_for(PictureFormat format, draw::LinearOptions options);

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

/// The picture of an expression whose value is a linear layout; nothing for other values. A type of
/// Triton gives its text as title, and for buffers the width of their elements. Refuses what
/// draw::tensor_picture(), hardware_picture() and matrix_picture() refuse, and `call.type` for an
/// encoding, which is no layout until it has a shape.
[[nodiscard]] Result<std::optional<draw::Picture>> linear_picture(
    const notation::Expression& expression, const notation::Value& value, LinearView view,
    draw::LinearOptions options);

/// What of an Axe layout is drawn.
enum class AxeView { kTensor, kHardware, kDevices };

/// The options of an Axe layout's picture for a format.
[[nodiscard]] draw::AxeOptions options_for(PictureFormat format, draw::AxeOptions options);

/// The picture of an Axe layout, of a tensor over a mesh or of a mesh itself; nothing for other
/// values. Without a view tensors over meshes show their devices, the others the tensor view.
/// Refuses what draw::tensor_picture(), hardware_picture() and device_picture() refuse, and
/// axe::layout() of a mesh.
[[nodiscard]] Result<std::optional<draw::Picture>> axe_picture(const notation::Value& value,
                                                               std::optional<AxeView> view,
                                                               draw::AxeOptions options);

/// The picture of an expression and its value: of a layout, or thread_picture(). That of an
/// operation on layouts has its operands, where `has_operands` and where colours are not banks.
/// Refuses what layout_of() and draw::picture() refuse.
[[nodiscard]] Result<draw::Picture> picture_of(const notation::Expression& expression,
                                               const notation::Value& value,
                                               const notation::Environment& environment,
                                               const draw::PictureOptions& options,
                                               bool has_operands);

/// The usual picture of an expression: of a linear or an Axe layout its tensor, of anything else
/// picture_of() with operands. Refuses what evaluating it and these refuse.
[[nodiscard]] Result<draw::Picture> picture_of(const notation::Expression& expression,
                                               const notation::Environment& environment,
                                               PictureFormat format);

}  // namespace heddle::app

#pragma once

// The `svg` element of a picture, which is a file of its own or part of a page that shows what the
// pointer is at:
//
//   svg_element(picture, CellData::kTitle)      <rect …><title>(1,3) → 11</title></rect>
//   svg_element(picture, CellData::kFacts)      <rect … data-f="(1,3)|…|11|…"/>

#include <string>

#include "heddle/draw/picture.h"

namespace heddle::draw {

/// What cells carry besides their look: a title that browsers show when it is pointed at, or the
/// facts, for a page that has a script to show them.
enum class CellData { kTitle, kFacts };

/// The picture as an `svg` element. Everything has the colours of a light page; a style sheet may
/// change those of the classes `page`, `plain`, `ink`, `label`, `digit` and `lines`.
[[nodiscard]] std::string svg_element(const Picture& picture, CellData data);

/// The text as XML and HTML have it between tags and in attributes.
[[nodiscard]] std::string escape_xml(std::string_view text);

}  // namespace heddle::draw

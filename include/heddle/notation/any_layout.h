#pragma once

// Texts and values of the expression language as layouts of any system (heddle/map/any_layout.h).
//
//   parse_any_layout("GroupBy([4,8])")     a lego::Layout
//   parse_any_layout("[0,4,1,5]")          a form::Table

#include <string_view>

#include "heddle/core/result.h"
#include "heddle/emit/dialect.h"
#include "heddle/form/index_map.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/convert.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// A value as a layout of any system: a tuple is the column-major layout of that shape, a list of
/// numbers a table, a text in isl's syntax a relation. Refuses `call.type` for values that are no
/// layout.
[[nodiscard]] Result<map::AnyLayout> to_any_layout(const Value& value,
                                                   const CallContext& context = {});

/// Parses a layout of any system: CuTe's, Triton's, Axe's and LEGO's notations, isl's relations,
/// tables, and expressions of them. Refuses what evaluate() and to_any_layout() refuse.
[[nodiscard]] Result<map::AnyLayout> parse_any_layout(std::string_view text);

/// The index map of a layout: CuTe's, plain or composed or with a tile, a linear one, one of Axe
/// (on the shape of its iters, without replicas) or of LEGO, a relation or a table; a tuple is the
/// column-major layout of that shape. Refuses `call.type` for values that are no layout, and what
/// making the map refuses.
[[nodiscard]] Result<form::IndexMap> index_map_of(const Value& value);

/// A layout of any system as a value.
[[nodiscard]] Value to_value(const map::AnyLayout& layout);

/// The system, and the way to read layouts (map/convert.h), of this name. Refuse `convert.system`
/// and `convert.reading`, listing the valid names.
[[nodiscard]] Result<map::System> system_named(std::string_view name);
[[nodiscard]] Result<map::Reading> reading_named(std::string_view name);
/// The target language of this name for emitted functions. Refuses `emit.target`, listing the valid
/// names.
[[nodiscard]] Result<emit::Dialect> program_dialect_named(std::string_view name);

}  // namespace heddle::notation
#pragma GCC visibility pop

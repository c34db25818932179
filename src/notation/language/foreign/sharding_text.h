#pragma once

// Shardings, meshes and arrays as JAX, PyTorch, Shardy and XLA write them, within an expression.
//
//   P('x', None)                            a sharding, as sharding("P('x', None)")
//   Mesh('x': 2, 'y': 4)                    a mesh, as mesh("Mesh('x': 2, 'y': 4)")
//   f32[8,128]{1,0:T(8,128)}                an array, as xla_layout("f32[8,128]{1,0:T(8,128)}")
//   #sdy.sharding<@mesh, [{"x"}, {}]>       {devices=[2,1]<=[2]}       [Shard(0), Replicate()]

#include <cstddef>
#include <string_view>

#include "heddle/core/result.h"
#include "notation/language/foreign/foreign_texts.h"

namespace heddle::notation {

/// The length of a sharding at the beginning of the text; 0 if none begins there, or if it is not
/// closed.
[[nodiscard]] std::size_t sharding_length(std::string_view text);
/// The length of a mesh, likewise.
[[nodiscard]] std::size_t mesh_length(std::string_view text);
/// The length of an array or a layout of XLA: `f32[8,128]{1,0}`, `{1,0:T(8,128)}`, `f32[8@x]`,
/// `Layout(major_to_minor=(1, 0))`.
[[nodiscard]] std::size_t xla_length(std::string_view text);

/// The length up to the bracket that closes the one at the beginning; brackets in quotes, arrows
/// and comparisons do not count. 0 if it is not closed.
[[nodiscard]] std::size_t closed_length(std::string_view text);
/// The call of an operation with a piece of the text.
[[nodiscard]] Expression call_with_text(std::string_view operation, std::string_view text,
                                        Span span);

/// The call of `sharding`, `mesh` or `xla_layout` with the text at `position`, which moves past it.
[[nodiscard]] Result<Expression> read_sharding_text(std::string_view text, std::size_t& position,
                                                    const ParsePiece& parse);
[[nodiscard]] Result<Expression> read_mesh_text(std::string_view text, std::size_t& position,
                                                const ParsePiece& parse);

[[nodiscard]] Result<Expression> read_xla_text(std::string_view text, std::size_t& position,
                                               const ParsePiece& parse);

}  // namespace heddle::notation

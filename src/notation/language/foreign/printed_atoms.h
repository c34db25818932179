#pragma once

// Atoms and what is tiled with them, as CuTe prints them over several lines:
//
//   TiledCopy                                          make_tiled_copy_impl(
//     Tiler_MN:       (_16,_64)                            copy_atom_of(1:0,
//     (1,8), (1,8), (1,8), 16), TiledLayout_TV: ((_8,_16),_8):((_128,_1),_16)
//     ((8,16),8):((128,1),16), (16,64))
//   Copy_Atom
//     ThrID:        _1:_0
//     ValLayoutSrc: (_1,_8):(_0,_1)
//     …
//
// CuTe DSL prints the same lines with blanks in the names: `Tiled Copy`, `TV
// Layout Src: …`.

#include <cstddef>
#include <string_view>

#include "heddle/core/result.h"
#include "notation/language/foreign/foreign_texts.h"

namespace heddle::notation {

/// The length of the first word if such lines begin there; 0 otherwise.
[[nodiscard]] std::size_t begins_printed_atom(std::string_view rest);

/// The lines at `position`, which moves past them, as a call of what makes the
/// atom. Refuses `syntax.unexpected` if a line is missing, and what `parse`
/// refuses.
[[nodiscard]] Result<Expression> read_printed_atom(std::string_view text, std::size_t& position,
                                                   const ParsePiece& parse);

}  // namespace heddle::notation

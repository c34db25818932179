#pragma once

// Arrays and layouts as XLA and JAX print them.
//
//   parse_xla("f32[8,128]{1,0:T(8,128)}")       an array with its layout
//   parse_xla("{1,0:T(8,128)(2,1)S(1)}")        a layout alone
//   parse_xla("f32[8@x,4@y]")                   a sharding of an array: P('x', 'y') on (8,4)
//   parse_xla("Layout(major_to_minor=(1, 0))")  a layout of JAX

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"
#include "heddle/map/xla_layout.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// `f32[8,128]{1,0}`: the last dimension is fastest if no layout is given. Of a dynamic extent,
/// `<=8`, the bound.
struct XlaArray {
  std::string element;
  std::vector<Int> shape;
  map::XlaLayout layout;

  friend bool operator==(const XlaArray&, const XlaArray&) = default;
};

using XlaText = std::variant<map::XlaLayout, XlaArray, axe::Sharding>;

/// Refuses `syntax.xla` with the place, and for parts of a layout that are not read: physical
/// shapes, dimensions that are not dense, splits.
[[nodiscard]] Result<XlaText> parse_xla(std::string_view text);

}  // namespace heddle::notation
#pragma GCC visibility pop

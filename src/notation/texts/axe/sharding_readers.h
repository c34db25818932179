#pragma once

// The readers of the several notations of shardings; parse_sharding() and parse_mesh() choose one
// (heddle/notation/sharding.h).

#include <string_view>

#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"

namespace heddle::notation {

/// `#sdy.sharding<@mesh, [{"x"}]>`, `#sdy.sharding_per_value<[…]>`. Refuses `syntax.sharding`, and
/// `axe.sharding_spec` for what Shardy refuses of every mesh: devices used twice, a priority of
/// a dimension that is not cut, and parts of axes that are out of order or could be one.
[[nodiscard]] Result<axe::Sharding> read_shardy(std::string_view text);
/// `sdy.mesh @mesh = <["x"=2]>`, `#sdy.mesh<…>`, `<["x"=2], device_ids=[1, 0]>`.
[[nodiscard]] Result<axe::Mesh> read_shardy_mesh(std::string_view text);
[[nodiscard]] bool begins_shardy_mesh(std::string_view text);

/// `{devices=[2,1]<=[2]}`, `{replicated}`, `{{maximal device=0}, {manual}}`.
[[nodiscard]] Result<axe::Sharding> read_hlo_sharding(std::string_view text);

/// `Spec(S(0)R on (16, 4)) @ mesh: (2, 2)`, `Spec(f32[16, 4](S(0)R))`, `fp32[16, 4][S(0), R]`.
[[nodiscard]] Result<axe::Sharding> read_torch_spec(std::string_view text);

}  // namespace heddle::notation

#pragma once

// The readers of the several notations of shardings; parse_sharding() and parse_mesh() choose one
// (heddle/notation/sharding.h).

#include <string_view>

#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"
#include "notation/language/scanner.h"

namespace heddle::notation {

/// `#sdy.sharding<@mesh, [{"x"}]>`, `#sdy.sharding_per_value<[…]>`. Refuses `syntax.sharding`, and
/// `axe.sharding_spec` for what Shardy refuses of every mesh: devices used twice, a priority of
/// a dimension that is not cut, and parts of axes that are out of order or could be one.
[[nodiscard]] Result<axe::Sharding> read_shardy(std::string_view text);
/// `sdy.mesh @mesh = <["x"=2]>`, `#sdy.mesh<…>`, `<["x"=2], device_ids=[1, 0]>`.
[[nodiscard]] Result<axe::Mesh> read_shardy_mesh(std::string_view text);
[[nodiscard]] bool begins_shardy_mesh(std::string_view text);

/// `{devices=[2,1]<=[2]}`, `{replicated}`, `{{maximal device=0}, {manual}}`, and over a mesh with
/// names `{mesh['x'=2], [{'x'}, {}]}`.
[[nodiscard]] Result<axe::Sharding> read_hlo_sharding(std::string_view text);
/// Of the latter what is in the braces, without metadata: `mesh['x'=2], [{'x'}, {}], manual={'y'}`,
/// `mesh['x'=2], replicated`, `@mesh, [{'x'}]`. Refuses as read_shardy().
[[nodiscard]] Result<axe::Sharding> read_hlo_over_mesh(Scanner& scanner);
/// Refuses `axe.sharding_spec` if there are not as many devices as places in the grid.
[[nodiscard]] Result<void> check_hlo_grid(const axe::HloSpec& spec, Span span);

/// `Spec(S(0)R on (16, 4)) @ mesh: (2, 2)`, `Spec(f32[16, 4](S(0)R))`, `fp32[16, 4][S(0), R]`.
[[nodiscard]] Result<axe::Sharding> read_torch_spec(std::string_view text);

}  // namespace heddle::notation

#pragma once

// How the dimensions of a tensor are cut over the axes of a mesh: the common form of all the
// frameworks' specs, and its layout.
//
//   64 x 128, axis x of 2 cuts dimension 0, axis y of 2 the pieces of 8 of dimension 1:
//     dimension 0   2 on x, 32
//     dimension 1   16, 2 on y, 4

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/axe/mesh.h"
#include "heddle/axe/sharding.h"
#include "heddle/axe/sharding_spec.h"

namespace heddle::axe {

/// A digit of a dimension: either a device holds all of it, or it runs over an axis of the mesh.
struct Part {
  Int extent = 1;
  std::optional<std::size_t> axis;
};
/// The parts of a dimension, coarsest first.
using Parts = std::vector<Part>;
/// How much of the dimension a device holds.
[[nodiscard]] Int whole_size(const Parts& parts);

/// A cut by an axis of each of the `split_factor` pieces of the part that is still whole in a
/// dimension.
struct Cut {
  std::size_t axis = 0;
  std::size_t dim = 0;
  Int split_factor = 1;
};

/// The parts of every dimension after the cuts, which are made in order. Refuses `axe.extent`,
/// `axe.uneven_shard`, `assume.needed`.
[[nodiscard]] Result<std::vector<Parts>> cut_up(const Mesh& mesh, std::span<const Int> shape,
                                                std::span<const Cut> cuts);

/// The layout of these parts; axes that cut none replicate. Refuses `axe.sharding_spec` unless
/// there is one stride for each dimension, `axe.mesh_layout`, and as Layout::make().
[[nodiscard]] Result<Layout> layout_of(const Mesh& mesh, std::span<const Parts> dims,
                                       const LocalStrides& strides);

/// The cuts of placements in their order. Refuses `axe.sharding_spec`.
[[nodiscard]] Result<std::vector<Cut>> cuts_of(const Mesh& mesh, const Placements& placements,
                                               std::span<const Int> shape);

/// What a spec does to a tensor: cuts over the axes of a mesh, made in order, and values that are
/// partial over others. Shardy's mesh has the parts of axes that its spec names as axes of their
/// own.
struct Division {
  Mesh mesh;
  std::vector<Cut> cuts;
  std::vector<PartialAxis> partial;
};

/// Both refuse `axe.sharding_spec`.
[[nodiscard]] Result<Division> division_of(const Mesh& mesh, const Placements& placements,
                                           std::span<const Int> shape);
[[nodiscard]] Result<Division> division_of(const Mesh& mesh, const PartitionSpec& spec,
                                           std::span<const Int> shape);

/// Of a sharding with mesh and shape. Refuses as place().
[[nodiscard]] Result<Division> division_of(const Sharding& sharding);

/// Refuses `axe.element_bits` for less than 1 or more than 2^16 bits.
[[nodiscard]] Result<void> check_element_bits(std::int64_t element_bits);

/// Refuses `axe.sharding_spec` for an axis that the mesh does not have.
[[nodiscard]] Result<std::size_t> axis_named(const Mesh& mesh, const std::string& name);

}  // namespace heddle::axe

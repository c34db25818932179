#include "map/isl/engine/mappings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/constraint.h>
#include <isl/mat.h>

#include <string>
#include <utility>

#include "map/isl/relation_texts.h"

namespace heddle::map::isl_engine {
namespace {

std::optional<std::int64_t> element(isl_mat* matrix, std::size_t row, std::size_t column) {
  return number(isl::manage(
      isl_mat_get_element_val(matrix, static_cast<int>(row), static_cast<int>(column))));
}

struct FreeMatrix {
  void operator()(isl_mat* matrix) const { isl_mat_free(matrix); }
};

}  // namespace

std::int64_t Leaves::size() const {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  return size;
}

Int Leaves::least() const {
  Int sum = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (strides[i] < 0) sum += Int(extents[i] - 1) * strides[i];
  }
  return sum;
}

Int Leaves::greatest() const {
  Int sum = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (strides[i] > 0) sum += Int(extents[i] - 1) * strides[i];
  }
  return sum;
}

Result<Leaves> leaves_of(const cute::Layout& layout) {
  Leaves leaves;
  for (std::size_t i = 0; i < layout.extents().size(); ++i) {
    const Int& extent = layout.extents()[i];
    const cute::Stride& stride = layout.strides()[i];
    if (!extent.is_constant() || !stride.basis().empty() || !stride.scale().is_constant()) {
      return refuse(
          "isl_engine.operand",
          fmt::format("the isl engine takes layouts of numbers on one axis; {} is not one",
                      to_string(layout)));
    }
    leaves.append(extent.value(), stride.scale().value());
  }
  const bool is_small = leaves.size() <= kMostPoints &&
                        known_at_most(-kMostPoints, leaves.least()) &&
                        known_at_most(leaves.greatest(), kMostPoints);
  if (is_small) return leaves;
  return refuse("isl_engine.operand",
                fmt::format("the isl engine takes layouts of up to 2^62 elements and indices; {} "
                            "has more",
                            to_string(layout)));
}

Result<void> check_operand(const linear::LinearLayout& layout) {
  constexpr int kMostBits = 62;
  const int ins = layout.total_in_dim_size_log2();
  const int outs = layout.total_out_dim_size_log2();
  if (ins <= kMostBits && outs <= kMostBits) return {};
  return refuse("isl_engine.operand",
                fmt::format("the isl engine takes linear layouts of up to {} bits; this one has {} "
                            "in and {} out",
                            kMostBits, ins, outs));
}

Result<cute::Layout> flat_layout(const Leaves& leaves) {
  if (leaves.extents.empty()) return cute::Layout();
  const std::size_t rank = leaves.extents.size();
  cute::Layout::Extents extents;
  cute::Layout::Strides strides;
  for (std::size_t i = 0; i < rank; ++i) {
    extents.push_back(Int(leaves.extents[i]));
    strides.push_back(cute::Stride(leaves.strides[i]));
  }
  return cute::Layout::make(rank == 1 ? Profile() : Profile::flat(rank), std::move(extents),
                            std::move(strides));
}

isl::map parse_map(const IslSession& session, const std::string& text) {
  return isl::map(session.context(), text);
}

isl::set interval(const IslSession& session, std::int64_t begin, std::int64_t end) {
  return isl::set(session.context(), fmt::format("{{ [i] : {} <= i < {} }}", begin, end));
}

isl::map coordinate_mapping(const IslSession& session, std::span<const std::int64_t> extents) {
  const std::vector<std::int64_t> strides = colexicographic_strides(extents);
  const std::size_t rank = extents.size();
  if (rank == 0) return parse_map(session, "{ [c] -> [] : c = 0 }");
  std::string constraints = fmt::format("0 <= c < {} and {}", strides.back() * extents.back(),
                                        box_conditions('c', extents));
  for (std::size_t i = rank; i-- > 0;) {
    const std::string rest = i + 1 < rank ? fmt::format("(c mod {})", strides[i + 1]) : "c";
    constraints += fmt::format(" and c{} = floor({}/{})", i, rest, strides[i]);
  }
  return parse_map(session,
                   fmt::format("{{ [c] -> [{}] : {} }}", names_text('c', rank), constraints));
}

isl::map index_mapping(const IslSession& session, const Leaves& leaves) {
  return parse_map(
      session, fmt::format("{{ [{}] -> [{}] : {} }}", names_text('c', leaves.extents.size()),
                           weighted_sum(leaves.strides, 'c'), box_conditions('c', leaves.extents)));
}

isl::map layout_mapping(const IslSession& session, const Leaves& leaves) {
  return coordinate_mapping(session, leaves.extents).apply_range(index_mapping(session, leaves));
}

isl::map layout_mapping(const IslSession& session, const linear::LinearLayout& layout) {
  const auto flattened = [&](const std::vector<std::int64_t>& extents) {
    return parse_map(session, flattening('c', extents));
  };
  const auto bits = [](int count) { return twos(static_cast<std::size_t>(count)); };
  const isl::map natural = flattened(sizes_of(layout.in_dims()));
  const isl::map to_bits = flattened(bits(layout.total_in_dim_size_log2())).reverse();
  const isl::map between_bits = parse_map(session, binary_vector_space(layout));
  const isl::map from_bits = flattened(bits(layout.total_out_dim_size_log2()));
  const isl::map to_natural = flattened(sizes_of(layout.out_dims())).reverse();
  return natural.apply_range(to_bits)
      .apply_range(between_bits)
      .apply_range(from_bits)
      .apply_range(to_natural);
}

Result<std::optional<std::vector<std::int64_t>>> affine_strides(
    const isl::map& index_mapping, std::span<const std::int64_t> extents) {
  using Strides = std::optional<std::vector<std::int64_t>>;
  // The affine hull holds all affine equations of the pairs: if the index is an affine function of
  // coordinates that fill a box, a single equality says so, besides those that fix coordinates to
  // 0.
  const isl::basic_map hull = index_mapping.affine_hull();
  const std::unique_ptr<isl_mat, FreeMatrix> matrix(isl_basic_map_equalities_matrix(
      hull.get(), isl_dim_out, isl_dim_in, isl_dim_cst, isl_dim_div, isl_dim_param));
  if (matrix == nullptr) isl::exception::throw_last_error(hull.ctx());
  const auto rows = static_cast<std::size_t>(isl_mat_rows(matrix.get()));
  const auto columns = static_cast<std::size_t>(isl_mat_cols(matrix.get()));
  for (std::size_t row = 0; row < rows; ++row) {
    const auto output = element(matrix.get(), row, 0);
    if (!output) return refuse("overflow", "a stride is not an integer of 64 bits");
    if (*output == 0) continue;
    for (std::size_t i = extents.size() + 1; i < columns; ++i) {
      if (element(matrix.get(), row, i) != 0) return Strides();
    }
    std::vector<std::int64_t> strides;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const auto factor = element(matrix.get(), row, i + 1);
      if (!factor) return refuse("overflow", "a stride is not an integer of 64 bits");
      if (extents[i] > 1 && *factor % *output != 0) return Strides();
      strides.push_back(extents[i] == 1 ? 0 : -*factor / *output);
    }
    return strides;
  }
  return Strides();
}

Result<std::optional<Leaves>> leaves_in_shape(const IslSession& session, const isl::map& mapping,
                                              std::span<const std::int64_t> extents) {
  const isl::map in_shape = coordinate_mapping(session, extents).reverse().apply_range(mapping);
  HEDDLE_TRY(auto strides, affine_strides(in_shape, extents));
  if (!strides) return std::optional<Leaves>();
  return Leaves{{extents.begin(), extents.end()}, *std::move(strides)};
}

std::optional<std::vector<std::int64_t>> grid_extents(const isl::set& set) {
  std::vector<std::int64_t> extents;
  isl::set grid = isl::set::universe(set.space());
  const std::size_t rank = dimension(set, isl_dim_set);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto at = static_cast<int>(i);
    const auto low = number(set.dim_min_val(at));
    const auto high = number(set.dim_max_val(at));
    const auto stride = number(set.stride(at));
    if (!low || !high || !stride || *low != 0) return std::nullopt;
    // isl gives a fixed coordinate the stride 0.
    const std::int64_t step = *stride == 0 ? 1 : *stride;
    extents.push_back(*high / step + 1);
    grid = grid.intersect(
        isl::set(set.ctx(), fmt::format("{{ [{}] : 0 <= c{} <= {} and c{} mod {} = 0 }}",
                                        names_text('c', rank), i, *high, i, step)));
  }
  if (!grid.is_equal(set)) return std::nullopt;
  return extents;
}

}  // namespace heddle::map::isl_engine

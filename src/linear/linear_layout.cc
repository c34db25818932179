#include "heddle/linear/linear_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/printable.h"
#include "core/text.h"
#include "core/words.h"
#include "linear/bit_runs.h"

namespace heddle::linear {
namespace {

const Dimension* find(std::span<const Dimension> dims, std::string_view name) {
  const auto found = std::find_if(dims.begin(), dims.end(),
                                  [&](const Dimension& dim) { return dim.name == name; });
  return found == dims.end() ? nullptr : &*found;
}

NamedSizes sizes_of(std::span<const Dimension> dims) {
  NamedSizes sizes;
  sizes.reserve(dims.size());
  for (const Dimension& dim : dims) sizes.emplace_back(dim.name, dim.size());
  return sizes;
}

/// `L(lane=4) = (1, 9)`
std::string basis_text(const InBases& in, std::size_t position) {
  return fmt::format("L({}={}) = {}", in.name, std::int64_t{1} << position,
                     vector_text(in.vectors[position]));
}

Result<std::vector<Dimension>> in_dims_of(const Bases& bases) {
  std::vector<Dimension> ins;
  ins.reserve(bases.size());
  for (const InBases& in : bases) {
    if (in.vectors.size() > kMaxDimBits) {
      return refuse("linear.too_many_bits", "dimension {} has {}, at most {}", in.name,
                    counted(in.vectors.size(), "basis"), kMaxDimBits);
    }
    ins.push_back({in.name, static_cast<int>(in.vectors.size())});
  }
  HEDDLE_CHECK(check_dims(ins, "input"));
  return ins;
}

Result<void> check_vector(const InBases& in, std::size_t position,
                          std::span<const Dimension> outs) {
  const auto& vector = in.vectors[position];
  if (vector.size() != outs.size()) {
    return refuse("linear.basis", "{} has {}; there are {} output dimensions: {}",
                  basis_text(in, position), counted(vector.size(), "coordinate"), outs.size(),
                  names_text(names_of(outs)));
  }
  for (std::size_t i = 0; i < outs.size(); ++i) {
    if (vector[i] >= 0) continue;
    return refuse("linear.basis", "{} is negative on {}", basis_text(in, position), outs[i].name);
  }
  return {};
}

Result<void> check_vectors(const Bases& bases, std::span<const Dimension> outs) {
  for (const InBases& in : bases) {
    for (std::size_t i = 0; i < in.vectors.size(); ++i) HEDDLE_CHECK(check_vector(in, i, outs));
  }
  return {};
}

Result<std::uint64_t> column_of(const InBases& in, std::size_t position,
                                std::span<const Dimension> outs) {
  std::uint64_t column = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < outs.size(); ++i) {
    const std::int64_t coordinate = in.vectors[position][i];
    if (coordinate >= outs[i].size()) {
      return refuse("linear.basis", "{} is outside {}, which has size {}", basis_text(in, position),
                    outs[i].name, outs[i].size());
    }
    if (coordinate != 0) column |= static_cast<std::uint64_t>(coordinate) << begin;
    begin += static_cast<std::size_t>(outs[i].bits);
  }
  return column;
}

Result<void> check_surjective(const LinearLayout& layout) {
  if (layout.is_surjective()) return {};
  const auto missing = form::complement(layout.matrix().image(), layout.matrix().rows()).front();
  return refuse(diagnose("linear.not_surjective", "the layout reaches {} of the {} bits of {}",
                         layout.matrix().rank(), layout.matrix().rows(),
                         dims_text(layout.out_dims()))
                    .with_note(fmt::format("no input leads to {}",
                                           vector_text(coordinates(layout.out_dims(), missing)))));
}

/// The layout of bases whose vectors have been checked.
Result<LinearLayout> layout_of(const Bases& bases, std::vector<Dimension> ins,
                               std::vector<Dimension> outs, Surjectivity surjectivity) {
  std::vector<std::uint64_t> columns;
  columns.reserve(static_cast<std::size_t>(total_bits(ins)));
  for (const InBases& in : bases) {
    for (std::size_t i = 0; i < in.vectors.size(); ++i) {
      HEDDLE_TRY(columns.emplace_back(), column_of(in, i, outs));
    }
  }
  const auto rows = static_cast<std::size_t>(total_bits(outs));
  LinearLayout layout = assembled(std::move(ins), std::move(outs), {rows, std::move(columns)});
  if (surjectivity == Surjectivity::kRequired) HEDDLE_CHECK(check_surjective(layout));
  return layout;
}

std::vector<Dimension> single(std::string_view name, int bits) {
  std::vector<Dimension> dims;
  dims.push_back({std::string(name), bits});
  return dims;
}

}  // namespace

Result<LinearLayout> LinearLayout::make(const Bases& bases, const Names& out_dims) {
  std::vector<Dimension> outs;
  outs.reserve(out_dims.size());
  for (const std::string& name : out_dims) outs.push_back({name, 0});
  HEDDLE_CHECK(check_vectors(bases, outs));
  for (std::size_t i = 0; i < outs.size(); ++i) {
    std::int64_t largest = 0;
    for (const InBases& in : bases) {
      for (const auto& vector : in.vectors) largest = std::max(largest, vector[i]);
    }
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest)));
    if (bits > kMaxDimBits) {
      return refuse("linear.too_many_bits",
                    "{} has a basis with coordinate {}: sizes go up to 2^{}", out_dims[i], largest,
                    kMaxDimBits);
    }
    outs[i].bits = bits;
  }
  HEDDLE_TRY(std::vector<Dimension> ins, in_dims_of(bases));
  HEDDLE_CHECK(check_dims(outs, "output"));
  auto layout = layout_of(bases, std::move(ins), std::move(outs), Surjectivity::kRequired);
  if (layout || layout.error().code() != "linear.not_surjective") return layout;
  return refuse(std::move(layout).error().with_hint("give the sizes of the output dimensions"));
}

Result<LinearLayout> LinearLayout::make(const Bases& bases, const NamedSizes& out_dims,
                                        Surjectivity surjectivity) {
  HEDDLE_TRY(std::vector<Dimension> ins, in_dims_of(bases));
  HEDDLE_TRY(std::vector<Dimension> outs, dimensions(out_dims));
  HEDDLE_CHECK(check_dims(outs, "output"));
  HEDDLE_CHECK(check_vectors(bases, outs));
  return layout_of(bases, std::move(ins), std::move(outs), surjectivity);
}

const Dimension* LinearLayout::find_in(std::string_view name) const { return find(ins_, name); }
const Dimension* LinearLayout::find_out(std::string_view name) const { return find(outs_, name); }

Result<int> LinearLayout::in_dim_size_log2(std::string_view name) const {
  if (const Dimension* dim = find_in(name)) return dim->bits;
  return unknown_dim(name, ins_, "input");
}
Result<int> LinearLayout::out_dim_size_log2(std::string_view name) const {
  if (const Dimension* dim = find_out(name)) return dim->bits;
  return unknown_dim(name, outs_, "output");
}
Result<std::int64_t> LinearLayout::in_dim_size(std::string_view name) const {
  if (const Dimension* dim = find_in(name)) return dim->size();
  return unknown_dim(name, ins_, "input");
}
Result<std::int64_t> LinearLayout::out_dim_size(std::string_view name) const {
  if (const Dimension* dim = find_out(name)) return dim->size();
  return unknown_dim(name, outs_, "output");
}

Names LinearLayout::in_dim_names() const { return names_of(ins_); }
Names LinearLayout::out_dim_names() const { return names_of(outs_); }
NamedSizes LinearLayout::in_dim_sizes() const { return sizes_of(ins_); }
NamedSizes LinearLayout::out_dim_sizes() const { return sizes_of(outs_); }

Bases LinearLayout::bases() const {
  Bases result;
  std::size_t bit = 0;
  for (const Dimension& in : ins_) {
    InBases& bases = result.emplace_back(InBases{in.name, {}});
    for (int i = 0; i < in.bits; ++i) {
      bases.vectors.push_back(coordinates(outs_, matrix_.columns()[bit++]));
    }
  }
  return result;
}

Result<std::vector<std::int64_t>> LinearLayout::basis(std::string_view name, int position) const {
  HEDDLE_TRY(const Run run, find_run(name, ins_, "input"));
  if (position < 0 || position >= run.bits) {
    return refuse("linear.coordinate", "{} has {}; there is none at {}", name,
                  counted(run.bits, "basis"), position);
  }
  return coordinates(outs_, matrix_.columns()[run.begin + static_cast<std::size_t>(position)]);
}

Result<NamedSizes> LinearLayout::apply(const NamedSizes& point) const {
  std::uint64_t word = 0;
  Names given;
  for (const auto& [name, coordinate] : point) {
    HEDDLE_TRY(const Run run, find_run(name, ins_, "input"));
    if (contains(given, name)) {
      return refuse("linear.duplicate_dim", "the point gives {} twice", name);
    }
    given.push_back(name);
    if (coordinate < 0 || coordinate >= std::int64_t{1} << run.bits) {
      return refuse("linear.coordinate", "{}={} is outside [0, {})", name, coordinate,
                    std::int64_t{1} << run.bits);
    }
    if (coordinate != 0) word |= static_cast<std::uint64_t>(coordinate) << run.begin;
  }
  for (const Dimension& in : ins_) {
    if (contains(given, in.name)) continue;
    return refuse("linear.missing_dim", "the point does not give {}, one of {}", in.name,
                  dims_text(ins_));
  }
  NamedSizes image;
  const auto values = coordinates(outs_, matrix_(word));
  for (std::size_t i = 0; i < values.size(); ++i) {
    image.emplace_back(outs_[i].name, values[i]);
  }
  return image;
}

bool LinearLayout::is_surjective() const { return matrix_.rank() == matrix_.rows(); }
bool LinearLayout::is_injective() const { return matrix_.rank() == matrix_.columns().size(); }
bool LinearLayout::is_invertible() const {
  return matrix_.rows() == matrix_.columns().size() && is_surjective();
}

std::string to_string(const LinearLayout& layout) {
  if (layout.in_dims().empty() && layout.out_dims().empty()) return "(empty layout)";
  std::string text;
  for (const InBases& in : layout.bases()) {
    const std::string name = written_name(in.name);
    if (in.vectors.empty()) {
      text += fmt::format(" - {} is a size 1 dimension\n", name);
      continue;
    }
    for (std::size_t i = 0; i < in.vectors.size(); ++i) {
      text += fmt::format(" {} {}={} -> {}\n", i == 0 ? '-' : ' ', name, std::int64_t{1} << i,
                          vector_text(in.vectors[i]));
    }
  }
  return text + fmt::format("where out dims are: {}", dims_text(layout.out_dims()));
}

// ---- Identities, strides and zeros ----

Result<LinearLayout> identity_1d(std::int64_t size, std::string_view in_dim,
                                 std::string_view out_dim) {
  return strided_1d(size, 1, in_dim, out_dim);
}

Result<LinearLayout> strided_1d(std::int64_t size, std::int64_t stride, std::string_view in_dim,
                                std::string_view out_dim) {
  HEDDLE_TRY(const int bits, log2_size(in_dim, size));
  HEDDLE_TRY(const int stride_bits, log2_size(out_dim, stride));
  // A layout of one point reaches only 0, whatever its stride.
  const int out_bits = bits == 0 ? 0 : bits + stride_bits;
  if (out_bits > kMaxDimBits) {
    return refuse("linear.too_many_bits", "{} would have size {} * {}, above 2^{}", out_dim, size,
                  stride, kMaxDimBits);
  }
  HEDDLE_CHECK(check_name(in_dim));
  HEDDLE_CHECK(check_name(out_dim));
  std::vector<std::uint64_t> columns;
  columns.reserve(static_cast<std::size_t>(bits));
  for (int bit = 0; bit < bits; ++bit) columns.push_back(std::uint64_t{1} << (bit + stride_bits));
  return assembled(single(in_dim, bits), single(out_dim, out_bits),
                   {static_cast<std::size_t>(out_bits), std::move(columns)});
}

Result<LinearLayout> zeros_1d(std::int64_t size, std::string_view in_dim, std::string_view out_dim,
                              std::int64_t out_dim_size) {
  HEDDLE_TRY(const int bits, log2_size(in_dim, size));
  HEDDLE_TRY(const int out_bits, log2_size(out_dim, out_dim_size));
  HEDDLE_CHECK(check_name(in_dim));
  HEDDLE_CHECK(check_name(out_dim));
  return assembled(
      single(in_dim, bits), single(out_dim, out_bits),
      form::BitMatrix::zeros(static_cast<std::size_t>(out_bits), static_cast<std::size_t>(bits)));
}

Result<LinearLayout> identity_standard_nd(std::string_view in_dim,
                                          std::span<const std::int64_t> shape,
                                          std::span<const int> order) {
  const Names names = standard_out_dim_names(shape.size());
  std::vector<bool> taken(shape.size());
  Result<LinearLayout> product = empty();
  for (const int dim : order) {
    const auto index = static_cast<std::size_t>(dim);
    if (dim < 0 || index >= shape.size() || taken[index]) {
      return refuse("linear.order", "order ({}) is not a permutation of 0..{}",
                    fmt::join(order, ", "), shape.size() - 1);
    }
    taken[index] = true;
    product = std::move(product) * identity_1d(shape[index], in_dim, names[index]);
  }
  if (order.size() != shape.size()) {
    return refuse("linear.order", "order ({}) has {}, the shape {}", fmt::join(order, ", "),
                  counted(order.size(), "entry"), shape.size());
  }
  return product;
}

LinearLayout zeros_like(const LinearLayout& layout) {
  return assembled(
      {layout.in_dims().begin(), layout.in_dims().end()},
      {layout.out_dims().begin(), layout.out_dims().end()},
      form::BitMatrix::zeros(layout.matrix().rows(), layout.matrix().columns().size()));
}

Names standard_out_dim_names(std::size_t rank) {
  Names names;
  for (std::size_t i = 0; i < rank; ++i) names.push_back(fmt::format("dim{}", i));
  return names;
}

NamedSizes standard_out_dim_pairs(std::span<const std::int64_t> shape) {
  NamedSizes pairs;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    pairs.emplace_back(fmt::format("dim{}", i), shape[i]);
  }
  return pairs;
}

}  // namespace heddle::linear

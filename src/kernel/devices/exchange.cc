#include "kernel/devices/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "heddle/axe/mesh.h"
#include "heddle/axe/sharding.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"

namespace heddle::kernel {

namespace {

using axe::Iter;

bool selects_devices(const Iter& iter) { return iter.axis == axe::device_axis(); }

/// The devices that some digits lead to, as axes of a mesh.
class MeshOfIters {
 public:
  explicit MeshOfIters(std::int64_t first) : devices_({first}) {}

  /// The name of the axis that this digit is; none for a digit of one device.
  std::optional<std::string> add(const Iter& iter) {
    if (iter.extent.value() == 1) return std::nullopt;
    std::vector<std::int64_t> devices;
    for (const std::int64_t device : devices_) {
      for (std::int64_t i = 0; i != iter.extent.value(); ++i) {
        devices.push_back(device + i * iter.stride.value());
      }
    }
    devices_ = std::move(devices);
    extents_.push_back(iter.extent.value());
    return std::to_string(extents_.size() - 1);
  }

  [[nodiscard]] Result<axe::Mesh> mesh() const {
    if (extents_.empty()) return axe::Mesh::make({1}, {}, devices_);
    return axe::Mesh::make(extents_, {}, devices_);
  }

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> devices_;
};

/// Gives the digits of memory the strides of row-major elements.
void make_dense(std::vector<Iter>& iters) {
  Int stride = 1;
  for (std::size_t i = iters.size(); i-- != 0;) {
    if (selects_devices(iters[i])) continue;
    iters[i].stride = stride;
    stride = stride * iters[i].extent;
  }
}

}  // namespace

bool ExchangedDimensions::is_reduced(std::size_t dimension) const {
  return std::ranges::binary_search(reduced, dimension);
}

ExchangedDimensions dimensions_of(const Call& call, std::size_t rank) {
  ExchangedDimensions dimensions;
  dimensions.order.resize(rank);
  std::iota(dimensions.order.begin(), dimensions.order.end(), std::size_t{0});
  for (const View::Step& step : std::get<View>(call.operands[1].node).steps) {
    const std::vector<std::size_t> before = dimensions.order;
    const std::vector<std::size_t>& order = std::get<Permuted>(step).order;
    for (std::size_t d = 0; d != rank; ++d) dimensions.order[d] = before[order[d]];
  }
  if (call.operation != "reduce") return dimensions;
  const auto& op = std::get<std::string>(call.options.at("op"));
  dimensions.reduce_op = op == "prod" ? "product" : op;
  for (const std::int64_t axis : std::get<std::vector<std::int64_t>>(call.options.at("axis"))) {
    dimensions.reduced.push_back(dimensions.order[static_cast<std::size_t>(axis)]);
  }
  std::ranges::sort(dimensions.reduced);
  return dimensions;
}

bool is_cut_to_terms(const Part& part, const ExchangedDimensions& dimensions) {
  return std::ranges::all_of(dimensions.reduced, [&](std::size_t dimension) {
    return known_equal(part.local.shape[dimension], 1);
  });
}

Tensor reduced_part(const Part& part, const ExchangedDimensions& dimensions, std::string name) {
  Tensor into{std::move(name), part.local.type, {}};
  for (const std::size_t dimension : dimensions.order) {
    if (!dimensions.is_reduced(dimension)) into.shape.push_back(part.local.shape[dimension]);
  }
  return into;
}

Kernel reducing_kernel(const Part& part, const Tensor& into, const Call& call,
                       const ExchangedDimensions& dimensions, std::string name) {
  constexpr std::int64_t kThreads = 128;
  Kernel kernel{std::move(name), {part.local, into}};
  kernel.launch.threads = kThreads;
  Call reduce = call;
  View source = std::get<View>(call.operands[1].node);
  View target{into.name, {}};
  // A block for each index of the first dimension that is kept.
  const auto kept = std::ranges::find_if(
      dimensions.order, [&](std::size_t each) { return !dimensions.is_reduced(each); });
  if (kept != dimensions.order.end()) {
    kernel.launch.grid = {into.shape.front()};
    const Subscript at{Subscript::Kind::kRange, block_variables(kernel.launch).front(), 1};
    Sliced sliced{{static_cast<std::size_t>(kept - dimensions.order.begin()), Subscript()}};
    sliced.subscripts.push_back(at);
    source.steps.emplace_back(std::move(sliced));
    target.steps.emplace_back(Sliced{{at}});
  }
  reduce.operands = {{std::move(target)}, {std::move(source)}};
  kernel.body = {{reduce}};
  return kernel;
}

Result<distribute::Distribution> distribution_of(const Part& part,
                                                 const ExchangedDimensions& dimensions,
                                                 bool is_dense) {
  const axe::Grouping& grouping = part.grouping;
  const axe::Layout& whole = grouping.layout;
  MeshOfIters devices(whole.offset()[axe::device_axis()].value());
  std::vector<Iter> shard;
  std::vector<Int> shape;
  for (const std::size_t dimension : dimensions.order) {
    if (dimensions.is_reduced(dimension)) continue;
    Int extent = 1;
    for (const Iter& iter : grouping.block(dimension)) {
      if (selects_devices(iter)) devices.add(iter);
      shard.push_back(iter);
      extent = extent * iter.extent;
    }
    shape.push_back(extent);
  }
  std::vector<Iter> replica(whole.replica().begin(), whole.replica().end());
  for (const Iter& iter : replica) devices.add(iter);
  std::vector<axe::PartialAxis> partial;
  for (const std::size_t dimension : dimensions.reduced) {
    for (const Iter& iter : grouping.block(dimension)) {
      if (!selects_devices(iter)) continue;
      replica.push_back(iter);
      if (const auto axis = devices.add(iter)) partial.push_back({*axis, dimensions.reduce_op});
    }
  }
  axe::Coordinate offset = whole.offset();
  if (is_dense) {
    make_dense(shard);
    offset.set(Axis::memory(), 0);
  }
  HEDDLE_TRY(const axe::Mesh mesh, devices.mesh());
  HEDDLE_TRY(const axe::Layout layout,
             axe::Layout::make(std::move(shard), std::move(replica), offset,
                               is_dense ? std::nullopt : whole.swizzle()));
  return distribute::Distribution::make(axe::Sharded{layout, mesh, shape, std::move(partial)});
}

}  // namespace heddle::kernel

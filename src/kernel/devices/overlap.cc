#include "kernel/devices/overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "heddle/expr/proof.h"
#include "heddle/kernel/operators.h"

namespace heddle::kernel {

namespace {

using distribute::Box;
using distribute::Transfer;

/// The most blocks of all devices together that are ordered.
constexpr std::int64_t kMaxOrdered = std::int64_t{1} << 16;
/// The most messages that one transfer is cut into.
constexpr std::size_t kMaxTiles = 16;

/// What a statement writes, if it is the tensor.
void add_written(const Statement& statement, const std::string& tensor, std::vector<View>& views) {
  if (const auto* assign = std::get_if<Assign>(&statement.node)) {
    if (assign->destination.tensor == tensor) views.push_back(assign->destination);
  }
  const auto* call = std::get_if<Call>(&statement.node);
  const OperatorRule* rule = call == nullptr ? nullptr : find_operator(call->operation);
  for (std::size_t i = 0; rule != nullptr && i != call->operands.size(); ++i) {
    const auto* view = std::get_if<View>(&call->operands[i].node);
    const bool is_written = rule->operands[i].role != Role::kReads;
    if (is_written && view != nullptr && view->tensor == tensor) views.push_back(*view);
  }
}

/// The boxes of a part that the blocks of a launch write.
class WrittenBoxes {
 public:
  WrittenBoxes(const LocalKernel& local, const Sizes& sizes, const Tensor& part)
      : shape_(numbers_of(part.shape)) {
    for (const auto& [name, size] : sizes) values_[name] = size;
    for_each_statement(local.kernel.body, [&](const Statement& statement) {
      add_written(statement, part.name, views_);
    });
    for (const Int& extent : local.kernel.launch.grid) {
      const auto number = instantiate(extent, values_);
      grid_.push_back(number && number->is_constant() ? number->value() : 0);
    }
  }

  [[nodiscard]] bool is_written() const { return !views_.empty(); }
  [[nodiscard]] std::int64_t blocks() const {
    std::int64_t count = 1;
    for (const std::int64_t extent : grid_) {
      if (extent < 1 || extent > kMaxOrdered / count) return kMaxOrdered + 1;
      count *= extent;
    }
    return count;
  }

  /// Those of a block; nullopt if they do not follow from its index alone.
  std::optional<std::vector<Box>> of_block(std::int64_t block) {
    constexpr std::array<const char*, 3> kNames = {"bx", "by", "bz"};
    for (std::size_t d = 0; d != grid_.size(); ++d) {
      values_[kNames[d]] = block % grid_[d];
      block /= grid_[d];
    }
    std::vector<Box> boxes;
    for (const View& view : views_) {
      const auto box = box_of(view);
      if (!box) return std::nullopt;
      if (distribute::volume(*box) != 0) boxes.push_back(*box);
    }
    return boxes;
  }

 private:
  [[nodiscard]] std::optional<std::int64_t> number(const Int& value) const {
    const auto at = instantiate(value, values_);
    if (!at || !at->is_constant()) return std::nullopt;
    return at->value();
  }

  [[nodiscard]] std::optional<Box> box_of(const View& view) const {
    Box box;
    if (view.steps.size() > 1) return std::nullopt;
    if (!view.steps.empty()) {
      const auto* sliced = std::get_if<Sliced>(&view.steps.front());
      if (sliced == nullptr) return std::nullopt;
      for (const Subscript& subscript : sliced->subscripts) {
        if (subscript.kind == Subscript::Kind::kNew) continue;
        const std::int64_t extent = shape_[box.size()];
        if (subscript.kind == Subscript::Kind::kWhole) {
          box.push_back({0, extent});
          continue;
        }
        const auto begin = number(subscript.begin);
        const bool is_index = subscript.kind == Subscript::Kind::kIndex;
        const auto length = is_index ? std::optional<std::int64_t>(1) : number(subscript.extent);
        if (!begin || !length) return std::nullopt;
        // What is outside is not written.
        const std::int64_t first = std::clamp<std::int64_t>(*begin, 0, extent);
        box.push_back({first, std::clamp<std::int64_t>(*begin + *length, first, extent)});
      }
    }
    while (box.size() < shape_.size()) box.push_back({0, shape_[box.size()]});
    return box;
  }

  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> grid_;
  std::vector<View> views_;
  Bindings values_;
};

/// The boxes of each block, in coordinates of the exchanged tensor.
using BlockBoxes = std::vector<std::vector<Box>>;

bool meets(const std::vector<Box>& boxes, const Box& box) {
  return std::ranges::any_of(
      boxes, [&](const Box& each) { return distribute::intersection(each, box).has_value(); });
}

/// Where intervals of blocks that write parts of the box begin along a dimension, ascending.
std::vector<std::int64_t> borders(const BlockBoxes& blocks, const Box& box, std::size_t dimension) {
  std::set<std::int64_t> begins;
  for (const std::vector<Box>& boxes : blocks) {
    for (const Box& each : boxes) {
      const auto common = distribute::intersection(each, box);
      if (common) begins.insert((*common)[dimension].begin);
    }
  }
  begins.insert(box[dimension].begin);
  return {begins.begin(), begins.end()};
}

/// The box in pieces that blocks make, along the dimension that they cut most.
std::vector<Box> tiles_of(const BlockBoxes& blocks, const Box& box) {
  std::vector<std::int64_t> cuts;
  std::size_t along = 0;
  for (std::size_t d = 0; d != box.size(); ++d) {
    std::vector<std::int64_t> found = borders(blocks, box, d);
    if (found.size() <= cuts.size()) continue;
    cuts = std::move(found);
    along = d;
  }
  if (cuts.size() < 2) return {box};
  const std::size_t count = std::min(cuts.size(), kMaxTiles);
  std::vector<Box> tiles;
  for (std::size_t i = 0; i != count; ++i) {
    const std::size_t next = (i + 1) * cuts.size() / count;
    Box tile = box;
    tile[along] = {cuts[i * cuts.size() / count],
                   next == cuts.size() ? box[along].end : cuts[next]};
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

bool is_sent_from_source(const Transfer& transfer) {
  return transfer.from == transfer.to || transfer.read == distribute::Memory::kSource;
}

/// The first step in which something that the source holds is sent.
std::optional<std::size_t> first_sending(std::span<const distribute::Step> steps) {
  for (std::size_t i = 0; i != steps.size(); ++i) {
    const auto is_sent = [](const Transfer& each) { return each.from != each.to; };
    if (std::ranges::none_of(steps[i].transfers, is_sent)) continue;
    if (std::ranges::all_of(steps[i].transfers, is_sent_from_source)) return i;
    return std::nullopt;
  }
  return std::nullopt;
}

class Overlapping {
 public:
  Overlapping(const ExchangedDimensions& dimensions, ExchangeStep& exchange)
      : dimensions_(dimensions), exchange_(exchange) {}

  /// Empty, or why nothing is overlapped.
  std::string find(WrittenBoxes& written, std::int64_t devices) {
    if (!written.is_written()) return "the blocks do not write what is sent";
    if (exchange_.plan.from().is_flat()) return "what a device sends is not a box";
    const std::int64_t count = written.blocks();
    if (count > kMaxOrdered / devices) {
      return fmt::format("more than {} blocks would have to be ordered", kMaxOrdered);
    }
    const auto step = first_sending(exchange_.steps);
    if (!step) return "what is sent is not what the blocks write";
    for (std::int64_t block = 0; block != count; ++block) {
      auto boxes = written.of_block(block);
      if (!boxes) return "what a block writes does not follow from its index";
      blocks_.push_back(*std::move(boxes));
    }
    exchange_.overlapped = *step;
    order(devices);
    return {};
  }

 private:
  /// The boxes of all blocks of a device in the exchanged tensor.
  [[nodiscard]] std::optional<BlockBoxes> on_device(std::int64_t device) const {
    const auto held = exchange_.plan.from().blocks(device);
    if (held.size() != 1) return std::nullopt;
    BlockBoxes result;
    for (const std::vector<Box>& boxes : blocks_) {
      std::vector<Box>& moved = result.emplace_back();
      for (const Box& box : boxes) moved.push_back(exchanged(box, held.front().box));
    }
    return result;
  }

  /// Without the reduced dimensions, in their order, from where the part of the device begins.
  [[nodiscard]] Box exchanged(const Box& local, const Box& held) const {
    Box box;
    for (const std::size_t dimension : dimensions_.order) {
      if (dimensions_.is_reduced(dimension)) continue;
      const std::int64_t first = held[box.size()].begin;
      box.push_back({first + local[dimension].begin, first + local[dimension].end});
    }
    return box;
  }

  void order(std::int64_t devices) {
    distribute::Step& step = exchange_.steps[exchange_.overlapped];
    const std::vector<Transfer> whole = std::exchange(step.transfers, {});
    std::vector<std::vector<std::size_t>> sent(static_cast<std::size_t>(devices));
    std::vector<std::optional<BlockBoxes>> boxes;
    for (std::int64_t device = 0; device != devices; ++device) boxes.push_back(on_device(device));
    for (const Transfer& transfer : whole) {
      const auto from = static_cast<std::size_t>(transfer.from);
      const bool is_cut = boxes[from] && transfer.from != transfer.to;
      for (const Box& tile :
           is_cut ? tiles_of(*boxes[from], transfer.box) : std::vector<Box>{transfer.box}) {
        if (transfer.from != transfer.to) sent[from].push_back(step.transfers.size());
        step.transfers.push_back(transfer);
        step.transfers.back().box = tile;
      }
    }
    for (std::int64_t device = 0; device != devices; ++device) {
      const auto index = static_cast<std::size_t>(device);
      order_device(device, devices, boxes[index], std::move(sent[index]));
    }
  }

  /// What goes farthest comes first, counted around all devices, so that no two of them begin with
  /// the same one.
  void order_device(std::int64_t device, std::int64_t devices,
                    const std::optional<BlockBoxes>& boxes, std::vector<std::size_t> sent) {
    const auto& transfers = exchange_.steps[exchange_.overlapped].transfers;
    std::ranges::stable_sort(sent, std::greater(), [&](std::size_t transfer) {
      return (transfers[transfer].to - device + devices) % devices;
    });
    std::vector<bool> is_done(blocks_.size());
    const auto add = [&](std::optional<std::size_t> transfer) {
      SentBlocks& sending = exchange_.order.emplace_back(SentBlocks{device, {}, transfer});
      for (std::size_t block = 0; block != blocks_.size(); ++block) {
        const bool is_needed =
            !transfer || !boxes || meets((*boxes)[block], transfers[*transfer].box);
        if (is_done[block] || !is_needed) continue;
        is_done[block] = true;
        sending.blocks.push_back(static_cast<std::int64_t>(block));
      }
    };
    for (const std::size_t transfer : sent) add(transfer);
    add(std::nullopt);
  }

  const ExchangedDimensions& dimensions_;
  ExchangeStep& exchange_;
  BlockBoxes blocks_;
};

}  // namespace

void overlap(const LocalKernel& local, const Sizes& sizes, std::int64_t devices,
             const Tensor& source, const ExchangedDimensions& dimensions, ExchangeStep& exchange) {
  WrittenBoxes written(local, sizes, source);
  exchange.not_overlapped = Overlapping(dimensions, exchange).find(written, devices);
}

}  // namespace heddle::kernel

// Laws of copies by tensor maps: what is planned is what a plain copy does, and what is refused no
// instruction does.

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "heddle/expr/proof.h"
#include "machine/tma/copies.h"
#include "support/law.h"
#include "support/refusal.h"

namespace heddle::test {
namespace {

using axe::Iter;
using machine::SharedSwizzle;
using machine::TmaCopy;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// The swizzle on elements that a mode is.
std::optional<axe::Swizzle> swizzle_of(const SharedSwizzle& mode, int bits) {
  if (mode.bits == 0) return std::nullopt;
  int low = mode.low;
  for (int width = bits; width > 8; width /= 2) --low;
  return *axe::Swizzle::make(low, mode.bits, mode.shift);
}

/// A digit of the region: its dimension and its weight within it.
struct Part {
  std::size_t dim;
  std::int64_t extent;
  std::int64_t weight;
};

/// A tensor whose contiguous dimension is the last one of `order`, a region of it, and a shared
/// layout made of the same digits in some order, without gaps or with some.
class CopyMaker {
 public:
  explicit CopyMaker(Random& random) : random_(random) {}

  RandomCopy make() {
    copy_.bits = random_.one_of(std::vector<int>{8, 16, 32, 64});
    const auto& modes = machine::shared_swizzles();
    mode_ = modes[static_cast<std::size_t>(
        random_.between(0, static_cast<std::int64_t>(modes.size()) - 1))];
    make_global();
    make_shared();
    return copy_;
  }

 private:
  [[nodiscard]] std::int64_t bytes() const { return copy_.bits / 8; }

  void make_global() {
    const auto rank = static_cast<std::size_t>(random_.between(1, 4));
    inner_ = static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(rank) - 1));
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < rank; ++j) {
      if (j != inner_) order.push_back(j);
      std::int64_t most =
          j == inner_ ? 1 : random_.one_of(std::vector<std::int64_t>{1, 2, 3, 4, 8});
      if (j == inner_) {
        const std::int64_t row = mode_.span == 0 ? 16 * random_.between(1, 6) : mode_.span;
        most = row * random_.between(1, 2) / bytes();
      }
      lengths_.push_back(most);
    }
    random_.shuffle(order);
    strides_.assign(rank, 1);
    std::vector<std::int64_t> extents(rank, 1);
    std::int64_t reach = 1;
    const auto place = [&](std::size_t j) {
      strides_[j] = reach;
      extents[j] = lengths_[j] + (random_.chance(50) ? random_.between(0, 20) : 0);
      reach *= extents[j];
      if (random_.chance(90)) reach = rounded_up(reach, 16 / bytes());
    };
    place(inner_);
    for (const std::size_t j : order) place(j);
    std::vector<Iter> shard;
    for (std::size_t j = 0; j < rank; ++j) {
      const std::int64_t begin = random_.between(0, extents[j] - lengths_[j]);
      copy_.global_shape.emplace_back(extents[j]);
      copy_.global_region.push_back({begin, begin + lengths_[j]});
      add_dimension(shard, extents[j], strides_[j]);
    }
    axe::Coordinate offset;
    if (random_.chance(20)) offset.add(Axis::memory(), random_.between(0, 40));
    copy_.global = *axe::Layout::make(std::move(shard), {}, offset);
  }

  /// Sometimes as two iters, which are one step only if they are merged.
  void add_dimension(std::vector<Iter>& shard, std::int64_t extent, std::int64_t stride) {
    if (extent % 2 == 0 && random_.chance(20)) {
      shard.push_back({extent / 2, 2 * stride, Axis::memory()});
      shard.push_back({2, stride, Axis::memory()});
    } else {
      shard.push_back({extent, stride, Axis::memory()});
    }
  }

  void make_shared() {
    std::vector<Part> rest;
    const std::int64_t row =
        mode_.span == 0 ? lengths_[inner_] : std::min(lengths_[inner_], mode_.span / bytes());
    for (std::size_t j = 0; j < lengths_.size(); ++j) {
      std::int64_t weight = j == inner_ ? row : 1;
      std::int64_t length = lengths_[j] / weight;
      if (length % 2 == 0 && random_.chance(30)) {
        rest.push_back({j, 2, weight});
        weight *= 2;
        length /= 2;
      }
      if (length > 1) rest.push_back({j, length, weight});
    }
    if (random_.chance(60)) random_.shuffle(rest);
    std::vector<Part> parts = {{inner_, row, 1}};
    parts.insert(parts.end(), rest.begin(), rest.end());
    std::vector<std::vector<std::pair<Part, std::int64_t>>> of_dim(lengths_.size());
    std::int64_t reach = 1;
    for (const Part& part : parts) {
      if (reach > 1 && random_.chance(10)) reach = rounded_up(reach, 1024 / bytes()) * 2;
      of_dim[part.dim].emplace_back(part, reach);
      reach *= part.extent;
    }
    std::vector<Iter> shard;
    const std::int64_t stage = rounded_up(reach, 1024 / bytes());
    const bool has_stages = random_.chance(30);
    if (has_stages) {
      const std::int64_t used = random_.between(0, 2);
      shard.push_back({3, stage, Axis::memory()});
      copy_.shared_shape.emplace_back(3);
      copy_.shared_region.push_back({used, used + 1});
    }
    for (std::size_t j = 0; j < of_dim.size(); ++j) {
      std::ranges::sort(
          of_dim[j], [](const auto& a, const auto& b) { return a.first.weight > b.first.weight; });
      for (const auto& [part, stride] : of_dim[j]) {
        shard.push_back({part.extent, stride, Axis::memory()});
      }
      copy_.shared_shape.emplace_back(lengths_[j]);
      copy_.shared_region.push_back({0, lengths_[j]});
    }
    copy_.shared = *axe::Layout::make(std::move(shard), {}, {}, swizzle_of(mode_, copy_.bits));
  }

  Random& random_;
  RandomCopy copy_;
  SharedSwizzle mode_;
  std::size_t inner_ = 0;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> strides_;
};

Finding differs_from_the_plain_copy(const RandomCopy& copy, const TmaCopy& plan,
                                    std::int64_t buffer) {
  Emulator emulator(plan, buffer);
  const Landed landed = emulator.run();
  if (!emulator.problem.empty())
    return found(emulator.problem, ": ", copy.text(), "\n", to_string(plan));
  if (landed != plain_copy(copy))
    return found("copies otherwise: ", copy.text(), "\n", to_string(plan));
  return kHolds;
}

TEST(TmaLaw, APlanIsThePlainCopy) {
  for_all_seeds({.one_in = 1, .percent = 40}, [](Random& random) -> Finding {
    const RandomCopy copy = CopyMaker(random).make();
    const auto plan = copy.plan();
    if (!plan) return kSaysNothing;
    return differs_from_the_plain_copy(copy, *plan, 1024 * random.between(0, 3));
  });
}

// ---- Refusals ----

/// All ways to write a number as a product of up to `most` factors, the first one that of the
/// contiguous dimension.
void factorizations(std::int64_t size, std::size_t most, std::vector<std::int64_t>& factors,
                    const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  if (size == 1 && !factors.empty()) visit(factors);
  if (factors.size() == most) return;
  for (std::int64_t factor = 2; factor <= size; ++factor) {
    if (size % factor != 0) continue;
    factors.push_back(factor);
    factorizations(size / factor, most, factors, visit);
    factors.pop_back();
  }
}

/// Whether instructions can do it, by looking at every box and every tensor map: the strides of a
/// map are decided by the elements one step away from the first.
class AllBoxes {
 public:
  AllBoxes(const RandomCopy& copy, std::string mode, std::int64_t span)
      : bytes_(copy.bits / 8), span_(span) {
    const Landed wanted = plain_copy(copy);
    size_ = static_cast<std::int64_t>(wanted.size());
    // The swizzle is its own inverse.
    for (const auto& [place, element] : wanted) {
      from_[swizzled_address(mode, place * bytes_)] = element;
    }
  }

  /// The fewest instructions that do it, all with one box and one tensor map, whose strides lead
  /// from each to the next; nullopt if none do.
  /// A box fills shared memory without a gap, so the first place that is still empty begins one.
  [[nodiscard]] std::optional<std::int64_t> fewest() const {
    for (std::int64_t count = 1; count <= size_; ++count) {
      if (size_ % count == 0 && is_run_of_boxes(size_ / count)) return count;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_run_of_boxes(std::int64_t box_size) const {
    bool result = false;
    std::vector<std::int64_t> factors;
    factorizations(box_size, 5, factors, [&](const std::vector<std::int64_t>& box) {
      result = result || are_boxes(box, box_size);
    });
    return result;
  }

  /// Whether shared memory is a row of such boxes with the same strides in global memory.
  [[nodiscard]] bool are_boxes(const std::vector<std::int64_t>& box, std::int64_t box_size) const {
    std::optional<std::vector<std::int64_t>> strides;
    auto next = from_.begin();
    while (next != from_.end()) {
      const std::int64_t start = next->first;
      if (start % 128 != 0) return false;
      for (std::int64_t i = 0; i < box_size; ++i, ++next) {
        if (next == from_.end() || next->first != start + i * bytes_) return false;
      }
      const auto of_box = strides_of(box, start, box_size);
      if (!of_box || (strides && *strides != *of_box)) return false;
      // Coordinates along strides of the tensor map lead there from the first box.
      if ((at(start, 0) - from_.begin()->second) * bytes_ % 16 != 0) return false;
      strides = of_box;
    }
    return true;
  }

  /// The strides in global memory of a box that begins there; nullopt if it is none.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> strides_of(
      const std::vector<std::int64_t>& box, std::int64_t start, std::int64_t box_size) const {
    const std::int64_t row = box.front() * bytes_;
    if (row % 16 != 0 || row > 256 * bytes_) return std::nullopt;
    if (span_ != 0 && (row > span_ || (row < span_ && box.size() > 1))) return std::nullopt;
    std::vector<std::int64_t> strides;
    std::int64_t weight = 1;
    for (const std::int64_t extent : box) {
      const std::int64_t step = at(start, weight) - at(start, 0);
      if (step < 0 || (strides.empty() ? step != 1 : step * bytes_ % 16 != 0)) return std::nullopt;
      strides.push_back(step);
      weight *= extent;
    }
    for (std::int64_t linear = 0; linear < box_size; ++linear) {
      std::int64_t element = at(start, 0);
      std::int64_t rest = linear;
      for (std::size_t d = 0; d < box.size(); ++d) {
        element += rest % box[d] * strides[d];
        rest /= box[d];
      }
      if (element != at(start, linear)) return std::nullopt;
    }
    return strides;
  }

  [[nodiscard]] std::int64_t at(std::int64_t start, std::int64_t linear) const {
    return from_.at(start + linear * bytes_);
  }

  std::int64_t bytes_;
  std::int64_t span_;
  std::int64_t size_ = 0;
  /// The element that each byte address before the swizzle gets.
  std::map<std::int64_t, std::int64_t> from_;
};

/// A small region of any layouts, most of which no tensor map describes.
RandomCopy small_copy(Random& random) {
  RandomCopy copy;
  copy.bits = random.one_of(std::vector<int>{16, 32, 64});
  const auto rank = static_cast<std::size_t>(random.between(1, 3));
  std::vector<Iter> global;
  std::vector<Iter> shared;
  std::vector<std::size_t> order;
  std::vector<std::int64_t> lengths;
  for (std::size_t j = 0; j < rank; ++j) {
    order.push_back(j);
    lengths.push_back(random.one_of(std::vector<std::int64_t>{1, 2, 4, 8, 16, 3, 6}));
  }
  const auto strided = [&](int gap_percent, std::int64_t unit) {
    std::vector<Iter> iters(rank);
    std::int64_t reach = 1;
    for (const std::size_t j : order) {
      iters[j] = {lengths[j], reach, Axis::memory()};
      reach *= lengths[j];
      if (random.chance(gap_percent)) reach = rounded_up(reach + random.between(0, 2), unit);
    }
    return iters;
  };
  random.shuffle(order);
  global = strided(70, random.one_of(std::vector<std::int64_t>{1, 8, 16}));
  if (random.chance(25)) random.shuffle(order);
  shared = strided(15, 64);
  for (std::size_t j = 0; j < rank; ++j) {
    copy.global_shape.emplace_back(lengths[j]);
    copy.global_region.push_back({0, lengths[j]});
  }
  copy.shared_shape = copy.global_shape;
  copy.shared_region = copy.global_region;
  const auto& modes = machine::shared_swizzles();
  const SharedSwizzle mode =
      random.chance(60) ? modes.front() : random.one_of(std::vector(modes.begin(), modes.end()));
  copy.global = *axe::Layout::make(std::move(global));
  copy.shared = *axe::Layout::make(std::move(shared), {}, {}, swizzle_of(mode, copy.bits));
  return copy;
}

/// With any of the swizzles: where the layout's changes nothing, others do as well.
std::optional<std::int64_t> fewest_instructions(const RandomCopy& copy) {
  std::optional<std::int64_t> fewest;
  for (const SharedSwizzle& mode : machine::shared_swizzles()) {
    const auto count = AllBoxes(copy, std::string(mode.name), mode.span).fewest();
    if (count && (!fewest || *count < *fewest)) fewest = count;
  }
  return fewest;
}

TEST(TmaLaw, InstructionsArePlannedExactlyWhereThereAreAnyAndTheFewest) {
  Tally single;
  Tally several;
  Tally refused;
  for_all_seeds([&](Random& random) -> Finding {
    const RandomCopy copy = small_copy(random);
    const auto plan = copy.plan();
    const auto fewest = fewest_instructions(copy);
    if (fewest) (*fewest == 1 ? single : several).count();
    if (!plan) {
      refused.count();
      return fewest ? found("refused ", plan.error().code(), ": ", copy.text()) : kHolds;
    }
    if (!fewest || !known_equal(plan->instructions(), *fewest)) {
      return found(fewest.value_or(0), " would do: ", copy.text(), "\n", to_string(*plan));
    }
    return differs_from_the_plain_copy(copy, *plan, 0);
  });
  single.expect_at_least(5);
  several.expect_at_least(1);
  refused.expect_at_least(20);
}

// ---- Symbolic sizes ----

Int instantiated(const Int& value, const Bindings& values) { return *instantiate(value, values); }

TmaCopy instantiated(TmaCopy copy, const Bindings& values) {
  copy.map.base = instantiated(copy.map.base, values);
  copy.shared = instantiated(copy.shared, values);
  for (machine::TmaDimension& dim : copy.map.dims) {
    dim.extent = instantiated(dim.extent, values);
    dim.stride = instantiated(dim.stride, values);
  }
  for (Int& coordinate : copy.coordinates) coordinate = instantiated(coordinate, values);
  for (machine::TmaLoop& loop : copy.loops) {
    loop.count = instantiated(loop.count, values);
    loop.shared = instantiated(loop.shared, values);
    for (Int& step : loop.coordinates) step = instantiated(step, values);
  }
  return copy;
}

TEST(TmaLaw, ASymbolicPlanIsThePlainCopyAtAllSizes) {
  for_all_seeds({.one_in = 4, .percent = 80}, [](Random& random) -> Finding {
    // A tile of 64 columns of a tensor whose rows are a multiple of 16 bytes, in stage s.
    const Int m = Int::variable("M", 16, 1 << 20);
    const Int k8 = Int::variable("K8", 8, 1 << 20);
    const Int row = Int::variable("i", 0, 1 << 20);
    const Int stage = Int::variable("s", 0, 2);
    const auto layout_of = [](const Int& rows, const Int& columns) {
      return *axe::Layout::make({{rows, columns, kM}, {columns, 1, kM}});
    };
    const std::int64_t tall = random.one_of(std::vector<std::int64_t>{1, 2, 16});
    RandomCopy copy;
    const auto swizzle =
        random.chance(50) ? std::optional(*axe::Swizzle::make(3, 3, 3)) : std::nullopt;
    copy.shared =
        *axe::Layout::make({{3, 64 * 16, kM}, {tall, 64, kM}, {64, 1, kM}}, {}, {}, swizzle);
    copy.shared_shape = {3, tall, 64};
    copy.shared_region = {{stage, stage + 1}, {0, tall}, {0, 64}};
    const Int eight = 8 * Int::variable("j8", 0, 1 << 16);
    copy.global = layout_of(m + row, 8 * k8 + eight);
    copy.global_shape = {m + row, 8 * k8 + eight};
    copy.global_region = {{row, row + tall}, {eight, eight + 64}};
    const auto plan = copy.plan();
    if (!plan) return found("refused: ", plan.error().to_string());
    const std::int64_t numbers[] = {random.between(16, 40), random.between(8, 20),
                                    random.between(0, 30), random.between(0, 9),
                                    random.between(0, 2)};
    const Bindings values = {{"M", numbers[0]},
                             {"K8", numbers[1]},
                             {"i", numbers[2]},
                             {"j8", numbers[3]},
                             {"s", numbers[4]}};
    RandomCopy at = copy;
    const std::int64_t columns = 8 * (numbers[1] + numbers[3]);
    at.global = layout_of(numbers[0] + numbers[2], columns);
    at.global_shape = {numbers[0] + numbers[2], columns};
    at.global_region = {{numbers[2], numbers[2] + tall}, {8 * numbers[3], 8 * numbers[3] + 64}};
    at.shared_region[0] = {numbers[4], numbers[4] + 1};
    return differs_from_the_plain_copy(at, instantiated(*plan, values), 2048);
  });
}

}  // namespace
}  // namespace heddle::test

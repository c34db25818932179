#pragma once

// The transfers of a plan as they are found, in the steps in which they run:
//
//   copies within devices     what a device wants and has; its own term, where it sums
//   sums, level by level      over the fastest links first, up to the slowest
//   copies, level by level    over the slowest links first, down to the fastest

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "distribute/cells.h"
#include "distribute/levels.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// A device that has what is asked for, in one of its memories.
struct Holder {
  std::int64_t device = 0;
  Memory memory = Memory::kSource;
};
using Holders = std::vector<Holder>;

[[nodiscard]] bool has(const Holders& holders, std::int64_t device);
/// Devices that have it in the memory of the source.
[[nodiscard]] Holders in_source(std::span<const std::int64_t> devices);
[[nodiscard]] Devices without(const Devices& devices, std::int64_t device);

class Steps {
 public:
  static constexpr std::size_t kMaxTransfers = std::size_t{1} << 21;

  Steps(const Levels& levels, const Distance& distance)
      : levels_(levels), distance_(distance), sums_(levels.size()), copies_(levels.size()) {}

  [[nodiscard]] const Levels& levels() const { return levels_; }
  [[nodiscard]] const Distance& distance() const { return distance_; }

  void keep(std::int64_t device, const Box& box, Memory written);
  /// A term or a copy over the links of a level. The transfer has all but the sender.
  void sum(std::size_t level, const Holder& from, const Transfer& transfer);
  void copy(std::size_t level, const Holder& from, const Transfer& transfer);

  /// The holder with the fastest links to the device; of several the one that differs from it along
  /// the fewest axes, and then the one that has sent the least.
  [[nodiscard]] const Holder& nearest(const Holders& holders, std::int64_t device) const;
  /// The elements that a device sends.
  [[nodiscard]] std::int64_t sent(std::int64_t device) const;

  /// Whether there are more than kMaxTransfers, of which the others are left out.
  [[nodiscard]] bool has_too_many() const { return count_ > kMaxTransfers; }
  /// Those that are not empty, in the order in which they run, each with the boxes joined that go
  /// from one memory to another, by destination; those that replace come before those that reduce,
  /// whose order is that of the senders.
  [[nodiscard]] std::vector<std::vector<Transfer>> in_order() &&;

 private:
  void send(std::vector<Transfer>& step, const Holder& from, const Transfer& transfer);

  const Levels& levels_;
  const Distance& distance_;
  std::vector<Transfer> local_;
  std::vector<std::vector<Transfer>> sums_;
  std::vector<std::vector<Transfer>> copies_;
  std::map<std::int64_t, std::int64_t> sent_;
  std::size_t count_ = 0;
};

}  // namespace heddle::distribute

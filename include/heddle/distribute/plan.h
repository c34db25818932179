#pragma once

// Redistribution: a plan by which every device gets its part of a tensor from those that hold it.
//
//   from [Shard(0)] to [Replicate()] over 4 devices, (8,4) of 32 bits
//     local        each device keeps [2d,2d+2) x [0,4)
//     all-gather   each device sends its 32 bytes to the 3 others     384 bytes in all
//     at least     384 bytes: each device misses 96 bytes
//
//   from [Partial()] to [Shard(0)]     a reduce-scatter of 3/4 of the tensor out of each device
//   from [Partial()] to [Replicate()]  an all-reduce: a reduce-scatter, then an all-gather
//
// How it is made: the boxes of both sides are cut at each other's borders into cells. A cell that a
// device wants and does not hold comes once into each group of near devices, from the nearest of
// its holders that has sent the least, and then to the members of the group; what nobody has near
// crosses the slow links once. Partial values of a cell are reduced at one of the devices that want
// it and hold a term, and copied from there. Where all links are alike, both take as few bytes as
// any plan can (lower_bound()). A step in which all devices do the same thing gets
// the name of the collective that does it.
//
// (Seed 002, sections 3.2 and 4.2 and figure 8.)

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/distribute/distribution.h"

#pragma GCC visibility push(default)
namespace heddle::distribute {

enum class Collective : std::uint8_t {
  /// Every device copies from its own source to its own destination.
  kLocal,
  /// Each sends one part to all others of its group.
  kAllGather,
  /// Each gets the terms of its part from all others of its group, and reduces them.
  kReduceScatter,
  /// Each sends a part of its own to each other of its group.
  kAllToAll,
  /// One of a group gets the terms of all others; one sends all of its part to all others; one
  /// sends each other a part of its own; one gets a part of each other.
  kReduce,
  kBroadcast,
  kScatter,
  kGather,
  /// Each sends to at most one, and gets from at most one.
  kPermute,
  /// Anything else.
  kExchange,
};

/// `local`, `all-gather`, `reduce-scatter`, …
[[nodiscard]] std::string_view name(Collective collective);

/// The memories that a device has for a tensor.
enum class Memory : std::uint8_t {
  kSource,
  kDestination,
  /// For sums of terms that are sent on: Plan::scratch() says what lies where.
  kScratch,
};

/// `source`, `destination`, `scratch`.
[[nodiscard]] std::string_view name(Memory memory);

/// A box of the tensor that goes from one device to another, or is kept by one.
struct Transfer {
  std::int64_t from = 0;
  std::int64_t to = 0;
  Box box;
  /// The memory of `from` that is read, and that of `to` that is written.
  Memory read = Memory::kSource;
  Memory written = Memory::kDestination;
  /// Whether it is combined with what is there, and does not replace it.
  bool reduces = false;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

/// Transfers that may run at the same time: none of them reads what another one of them writes.
/// Those into one device that reduce do so in the order of the list.
struct Step {
  Collective collective = Collective::kExchange;
  /// The devices that have to do with one another, each ascending; empty for a local step.
  std::vector<std::vector<std::int64_t>> groups;
  std::vector<Transfer> transfers;

  friend bool operator==(const Step&, const Step&) = default;
};

/// How fast the links are that join devices which differ along an axis of a mesh.
struct Topology {
  /// Bytes a second, into each device, by the name of the axis. Two devices are joined by the
  /// slowest of the axes along which they differ; an axis that is not named is faster than all that
  /// are. Empty: every link is like every other.
  std::map<std::string, double> bandwidth;
  /// The mesh whose axes these are; by default that of the destination. It has all devices.
  std::optional<axe::Mesh> mesh = {};

  friend bool operator==(const Topology&, const Topology&) = default;
};

/// The bytes that have to be moved, and by which links.
struct Traffic {
  /// Over all links, local copies not counted.
  std::int64_t total = 0;
  /// Into the device that gets the most, and out of the one that sends the most.
  std::int64_t most_in = 0;
  std::int64_t most_out = 0;
  /// Over the links of each kind and all slower ones, the slowest kind first: the axes, or
  /// `devices` for the links that no bandwidth is known of.
  std::vector<std::pair<std::string, std::int64_t>> by_link;
  /// For the kinds of links whose bandwidth is known: the bytes into the group of near devices that
  /// gets the most, by the bandwidth of its members together; of a plan the sum over the kinds, of
  /// a lower bound the greatest.
  double seconds = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct RedistributeOptions {
  Topology topology;
};

/// A plan; a value, immutable.
class Plan {
 public:
  [[nodiscard]] const Distribution& from() const { return parts_.from; }
  [[nodiscard]] const Distribution& to() const { return parts_.to; }
  /// The sums of terms that devices keep for a while which do not want them.
  [[nodiscard]] const Distribution& scratch() const { return parts_.scratch; }
  [[nodiscard]] std::int64_t element_bits() const { return parts_.element_bits; }
  [[nodiscard]] const Topology& topology() const { return parts_.topology; }
  /// Run one after the other; those without transfers are left out.
  [[nodiscard]] std::span<const Step> steps() const { return parts_.steps; }
  /// How terms are reduced: `sum`, `max`, …; empty if none are. `avg` sums, and divides at the end
  /// by averaged_over().
  [[nodiscard]] const std::string& reduce_op() const { return parts_.reduce_op; }
  [[nodiscard]] std::int64_t averaged_over() const { return parts_.averaged_over; }
  /// All devices of both sides, ascending.
  [[nodiscard]] std::span<const std::int64_t> devices() const { return parts_.devices; }

 private:
  struct Parts {
    Distribution from;
    Distribution to;
    Distribution scratch;
    std::int64_t element_bits = 8;
    Topology topology;
    std::vector<Step> steps;
    std::string reduce_op;
    std::int64_t averaged_over = 1;
    std::vector<std::int64_t> devices;
  };
  explicit Plan(Parts parts) : parts_(std::move(parts)) {}
  friend struct PlanAccess;  // src/distribute/plan_access.h

  Parts parts_;
};

/// The plan from one distribution of a tensor to another, over the same mesh or another one.
///
/// Refuses `distribute.shapes` if the tensors differ, `distribute.partial` if the destination is
/// partial over an axis over which the source is not, if both are and their meshes differ, or if
/// terms are reduced in different ways; `distribute.device` for an element that nobody holds;
/// `distribute.overlap` as Distribution::check_writable(); `distribute.bits` for elements of other
/// than 1 to 2^20 bits; `distribute.topology` for an axis or a device that its mesh does not have,
/// or a bandwidth that is not positive; `distribute.too_large` past 2^20 cells, 2^21 pairs of a
/// cell and a device, or 2^21 transfers; `overflow`. Cost: linear in these pairs times the number
/// of different bandwidths, and for a cell in the devices that hold it times those that want it.
[[nodiscard]] Result<Plan> redistribute(const Distribution& from, const Distribution& to,
                                        std::int64_t element_bits,
                                        const RedistributeOptions& options = {});

/// What the plan moves.
[[nodiscard]] Traffic traffic(const Plan& plan);
/// What any plan has to move for this pair: of an element with p terms, q devices that want it and
/// h of those that hold it, q - h if p = 1, else p + q - 1, and one less if one that wants it holds
/// a term: no device holds the sum before p - 1 messages, and each that wants it gets one more. For
/// links of one kind: what the members of a group of near devices want, and none of them holds.
/// Refuses as redistribute().
[[nodiscard]] Result<Traffic> lower_bound(const Distribution& from, const Distribution& to,
                                          std::int64_t element_bits, const Topology& topology = {});

/// Whether after the plan every device holds all that it should, each element having come once, and
/// every term of it once; and no device sends what it does not have. Decided by the algebra of the
/// boxes alone, apart from how the plan was made. The remark of a no names the transfer or the
/// element that is wrong.
[[nodiscard]] Verdict is_complete(const Plan& plan);

/// What is done, a pair of a title and a text for each line: the steps, with up to
/// `shown_transfers` transfers each, then what is moved and the lower bound.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> lines_of(
    const Plan& plan, std::size_t shown_transfers = 0);

/// The titles in a column.
[[nodiscard]] std::string text_of(std::span<const std::pair<std::string, std::string>> lines);

///   local       32 bytes on 4 devices
///   all-gather  1 group of 4: 32 bytes from one device to another, 384 bytes in all
///   moves       384 bytes, at most 96 into and 96 out of a device
///   at least    384 bytes, 96 into and 96 out of a device
[[nodiscard]] std::string to_string(const Plan& plan, std::size_t shown_transfers = 0);

}  // namespace heddle::distribute
#pragma GCC visibility pop

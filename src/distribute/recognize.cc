#include "distribute/recognize.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace heddle::distribute {
namespace {

using Device = std::int64_t;

/// The devices that transfers join, as sets that are merged (union by find).
class Unions {
 public:
  void join(Device a, Device b) { parent_[root(a)] = root(b); }

  [[nodiscard]] Device root(Device device) {
    Device at = device;
    while (parent_.try_emplace(at, at).first->second != at) at = parent_[at];
    while (parent_[device] != at) device = std::exchange(parent_[device], at);
    return at;
  }

  /// The sets, each ascending, in the order of their first device.
  [[nodiscard]] std::vector<std::vector<Device>> sets() {
    std::map<Device, std::vector<Device>> by_root;
    std::vector<Device> devices;
    for (const auto& [device, parent] : parent_) devices.push_back(device);
    for (const Device device : devices) by_root[root(device)].push_back(device);
    std::vector<std::vector<Device>> sets;
    for (auto& [root, members] : by_root) sets.push_back(std::move(members));
    std::ranges::sort(sets);
    return sets;
  }

 private:
  std::map<Device, Device> parent_;
};

/// What the devices of one group send to one another.
struct Group {
  std::size_t devices = 0;
  bool reduces = false;
  /// The boxes by sender, and by receiver.
  std::map<Device, std::map<Device, std::vector<Box>>> out;
  std::map<Device, std::map<Device, std::vector<Box>>> in;
};

/// Whether all entries have the same boxes.
bool are_same(const std::map<Device, std::vector<Box>>& boxes) {
  return std::ranges::all_of(
      boxes, [&](const auto& entry) { return entry.second == boxes.begin()->second; });
}

/// Whether a device is to have all of the boxes.
bool wants(const Distribution& to, Device device, const std::vector<Box>& boxes) {
  return std::ranges::all_of(boxes, [&](const Box& box) {
    std::vector<Box> rest = {box};
    for (const Block& block : to.blocks_near(device, box)) {
      rest = difference(std::move(rest), std::span(&block.box, 1));
    }
    return rest.empty();
  });
}

/// Whether every sender wants what it sends, too.
bool senders_keep(const Group& group, const Distribution& to) {
  return std::ranges::all_of(group.out, [&](const auto& sender) {
    return std::ranges::all_of(sender.second, [&](const auto& receiver) {
      return wants(to, sender.first, receiver.second);
    });
  });
}

bool send_the_same_to_all(const Group& group) {
  return std::ranges::all_of(group.out, [](const auto& sender) { return are_same(sender.second); });
}

/// Whether every device of the group sends to every other one.
bool is_full(const Group& group) {
  return group.out.size() == group.devices &&
         std::ranges::all_of(group.out, [&](const auto& sender) {
           return sender.second.size() + 1 == group.devices;
         });
}

/// Whether some sender does not send all that it had, each part to one device.
bool some_keep_a_part(const Group& group, const Distribution& from) {
  return std::ranges::any_of(group.out, [&](const auto& sender) {
    std::int64_t kept = 0;
    for (const Block& block : from.blocks(sender.first)) kept += volume(block.box);
    for (const auto& [receiver, boxes] : sender.second) {
      for (const Box& box : boxes) kept -= volume(box);
    }
    return kept > 0;
  });
}

bool is_permutation(const Group& group) {
  const auto one = [](const auto& entry) { return entry.second.size() == 1; };
  return std::ranges::all_of(group.out, one) && std::ranges::all_of(group.in, one);
}

Collective reduction_of(const Group& group) {
  const bool same =
      std::ranges::all_of(group.in, [](const auto& receiver) { return are_same(receiver.second); });
  if (!same) return Collective::kExchange;
  if (is_full(group)) return Collective::kReduceScatter;
  const bool all_send = group.in.size() == 1 && group.out.size() + 1 == group.devices;
  return all_send ? Collective::kReduce : Collective::kExchange;
}

Collective collective_of(const Group& group, const Distribution& from, const Distribution& to) {
  if (group.reduces) return reduction_of(group);
  const bool same = send_the_same_to_all(group);
  const bool keep = same && senders_keep(group, to);
  if (is_full(group) && keep) return Collective::kAllGather;
  if (group.out.size() == 1 && keep) return Collective::kBroadcast;
  // Two devices that send to one another may also swap all that they have.
  if (is_full(group) && (group.devices > 2 || some_keep_a_part(group, from))) {
    return Collective::kAllToAll;
  }
  if (is_permutation(group)) return Collective::kPermute;
  if (group.out.size() == 1) return same ? Collective::kBroadcast : Collective::kScatter;
  if (group.in.size() == 1) return Collective::kGather;
  return Collective::kExchange;
}

}  // namespace

Step recognized(std::vector<Transfer> transfers, const Distribution& from, const Distribution& to) {
  Step step;
  Unions unions;
  for (const Transfer& transfer : transfers) {
    if (transfer.from != transfer.to) unions.join(transfer.from, transfer.to);
  }
  step.groups = unions.sets();
  step.collective = step.groups.empty() ? Collective::kLocal : Collective::kExchange;
  std::map<Device, Group> groups;
  for (const std::vector<Device>& members : step.groups) {
    groups[unions.root(members.front())].devices = members.size();
  }
  for (const Transfer& transfer : transfers) {
    if (transfer.from == transfer.to) continue;
    Group& group = groups[unions.root(transfer.from)];
    group.reduces = group.reduces || transfer.reduces;
    group.out[transfer.from][transfer.to].push_back(transfer.box);
    group.in[transfer.to][transfer.from].push_back(transfer.box);
  }
  std::set<Collective> found;
  for (const auto& [root, group] : groups) found.insert(collective_of(group, from, to));
  if (found.size() == 1) step.collective = *found.begin();
  step.transfers = std::move(transfers);
  return step;
}

std::string_view name(Memory memory) {
  if (memory == Memory::kSource) return "source";
  return memory == Memory::kDestination ? "destination" : "scratch";
}

std::string_view name(Collective collective) {
  switch (collective) {
    case Collective::kLocal:
      return "local";
    case Collective::kAllGather:
      return "all-gather";
    case Collective::kReduceScatter:
      return "reduce-scatter";
    case Collective::kAllToAll:
      return "all-to-all";
    case Collective::kReduce:
      return "reduce";
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kScatter:
      return "scatter";
    case Collective::kGather:
      return "gather";
    case Collective::kPermute:
      return "permute";
    case Collective::kExchange:
      break;
  }
  return "exchange";
}

}  // namespace heddle::distribute

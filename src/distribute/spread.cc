#include "distribute/spread.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "distribute/cells.h"

namespace heddle::distribute {

Holders Senders::free() const {
  Holders free;
  for (const Holder& holder : holders) {
    const auto found = sent.find(holder.device);
    if (found == sent.end() || found->second < share) free.push_back(holder);
  }
  return free.empty() ? holders : free;
}

void Spreading::spread(std::size_t level, const Box& box, const Holders& holders,
                       const Devices& lacking) {
  const Levels& levels = steps_.levels();
  if (lacking.empty() || level == levels.size()) return;
  std::map<std::size_t, Devices> groups;
  for (const std::int64_t device : lacking) groups[levels.group(level, device)].push_back(device);
  std::map<std::size_t, Holders> near;
  for (const Holder& holder : holders) {
    const std::size_t group = levels.group(level, holder.device);
    if (groups.contains(group)) near[group].push_back(holder);
  }
  const auto far = static_cast<std::int64_t>(groups.size() - near.size());
  const auto count = static_cast<std::int64_t>(holders.size());
  Senders senders{.holders = holders, .share = (far * volume(box) + count - 1) / count};
  for (const auto& [group, members] : groups) {
    if (const auto found = near.find(group); found != near.end()) {
      spread(level + 1, box, found->second, members);
    } else {
      bring(level, box, senders, members, lacking.size());
    }
  }
}

void Spreading::bring(std::size_t level, const Box& box, Senders& senders, const Devices& members,
                      std::size_t all_lacking) {
  const Holders& holders = senders.holders;
  const std::size_t sending = members.size() == 1 ? holders.size() / all_lacking : 1;
  const std::size_t most = std::max(members.size(), sending);
  const bool is_large = volume(box) > elements_ / static_cast<std::int64_t>(most);
  const std::vector<std::vector<Box>> shares = shares_of(box, is_large ? most : 1);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::int64_t receiver =
        shares.size() == 1 ? receiver_among(members, holders) : members[i % members.size()];
    for (const Box& part : shares[i]) {
      const Holders free = senders.free();
      const Holder from = steps_.nearest(free, receiver);
      received_[receiver] += volume(part);
      senders.sent[from.device] += volume(part);
      steps_.copy(level, from, {.to = receiver, .box = part});
      spread(level + 1, part, {{receiver, Memory::kDestination}}, without(members, receiver));
    }
  }
}

std::int64_t Spreading::receiver_among(const Devices& members, const Holders& holders) {
  return *std::ranges::min_element(members, {}, [&](std::int64_t member) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const Holder& holder : holders) {
      least = std::min(least, steps_.distance()(holder.device, member));
    }
    return std::tuple(least, received_[member], member);
  });
}

}  // namespace heddle::distribute

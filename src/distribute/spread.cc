#include "distribute/spread.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "distribute/cells.h"

namespace heddle::distribute {

void Spreading::spread(std::size_t level, const Box& box, const Holders& holders,
                       const Devices& lacking) {
  const Levels& levels = steps_.levels();
  if (lacking.empty() || level == levels.size()) return;
  std::map<std::size_t, Devices> groups;
  for (const std::int64_t device : lacking) groups[levels.group(level, device)].push_back(device);
  for (const auto& [group, members] : groups) {
    Holders near;
    for (const Holder& holder : holders) {
      if (levels.group(level, holder.device) == group) near.push_back(holder);
    }
    if (near.empty()) {
      bring(level, box, holders, members, lacking.size());
    } else {
      spread(level + 1, box, near, members);
    }
  }
}

void Spreading::bring(std::size_t level, const Box& box, const Holders& holders,
                      const Devices& members, std::size_t all_lacking) {
  const std::size_t senders = members.size() == 1 ? holders.size() / all_lacking : 1;
  const std::size_t most = std::max(members.size(), senders);
  const bool is_large = volume(box) > elements_ / static_cast<std::int64_t>(most);
  const std::vector<std::vector<Box>> shares = shares_of(box, is_large ? most : 1);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::int64_t receiver =
        shares.size() == 1 ? receiver_among(members, holders) : members[i % members.size()];
    for (const Box& part : shares[i]) {
      received_[receiver] += volume(part);
      steps_.copy(level, steps_.nearest(holders, receiver), {.to = receiver, .box = part});
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

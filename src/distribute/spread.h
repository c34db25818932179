#pragma once

// Bringing a box to all that lack it.
//
//   node 0: devices 0 (has it), 1     node 1: devices 2, 3; all want it
//     level 0, between nodes          0 -> 2, or where it is large half to 2 and half to 3
//     level 1, within nodes           0 -> 1, 2 -> 3 (and 3 -> 2 its half)

#include <cstddef>
#include <cstdint>
#include <map>

#include "distribute/steps.h"

namespace heddle::distribute {

/// Those who have a box, and how much of it each of them has sent. None sends more than its share
/// while others have sent less, though it may be nearer.
struct Senders {
  const Holders& holders;
  /// The elements that each has to send, on the average.
  std::int64_t share = 0;
  std::map<std::int64_t, std::int64_t> sent = {};

  /// Those who have not sent their share.
  [[nodiscard]] Holders free() const;
};

class Spreading {
 public:
  /// For a tensor of so many elements.
  Spreading(Steps& steps, std::int64_t elements) : steps_(steps), elements_(elements) {}

  /// Over the links of the level, and then of faster ones. All are in one group around the level.
  void spread(std::size_t level, const Box& box, const Holders& holders, const Devices& lacking);

 private:
  /// Into a group that does not have it: to one of its members, or a share to each where the box is
  /// more than its share of the tensor; or, where only one device lacks what many hold, a share
  /// from each holder.
  void bring(std::size_t level, const Box& box, Senders& senders, const Devices& members,
             std::size_t all_lacking);
  /// The member that is nearest to a holder; of several the one that has received the least.
  [[nodiscard]] std::int64_t receiver_among(const Devices& members, const Holders& holders);

  Steps& steps_;
  std::int64_t elements_ = 0;
  std::map<std::int64_t, std::int64_t> received_;
};

}  // namespace heddle::distribute

#include "distribute/steps.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::distribute {
namespace {

/// The transfers between the same memories with their boxes joined, by destination; the ones that
/// replace come before those that reduce, whose order is that of the senders.
std::vector<Transfer> joined(const std::vector<Transfer>& transfers) {
  const auto key = [](const Transfer& transfer) {
    return std::tuple(transfer.to, transfer.written, transfer.reduces, transfer.from,
                      transfer.read);
  };
  std::map<decltype(key(transfers.front())), std::vector<Box>> boxes;
  for (const Transfer& transfer : transfers) boxes[key(transfer)].push_back(transfer.box);
  std::vector<Transfer> joined;
  for (auto& [of, parts] : boxes) {
    const auto& [to, written, reduces, from, read] = of;
    for (Box& box : merged(std::move(parts))) {
      joined.push_back({from, to, std::move(box), read, written, reduces});
    }
  }
  return joined;
}

}  // namespace

bool has(const Holders& holders, std::int64_t device) {
  return std::ranges::find(holders, device, &Holder::device) != holders.end();
}

Holders in_source(std::span<const std::int64_t> devices) {
  Holders holders;
  for (const std::int64_t device : devices) holders.push_back({device, Memory::kSource});
  return holders;
}

Devices without(const Devices& devices, std::int64_t device) {
  Devices others = devices;
  std::erase(others, device);
  return others;
}

void Steps::keep(std::int64_t device, const Box& box, Memory written) {
  if (++count_ > kMaxTransfers) return;
  local_.push_back({device, device, box, Memory::kSource, written, false});
}

void Steps::sum(std::size_t level, const Holder& from, const Transfer& transfer) {
  send(sums_[level], from, transfer);
}

void Steps::copy(std::size_t level, const Holder& from, const Transfer& transfer) {
  send(copies_[level], from, transfer);
}

void Steps::send(std::vector<Transfer>& step, const Holder& from, const Transfer& transfer) {
  if (++count_ > kMaxTransfers) return;
  step.push_back(transfer);
  step.back().from = from.device;
  step.back().read = from.memory;
  sent_[from.device] += volume(transfer.box);
}

const Holder& Steps::nearest(const Holders& holders, std::int64_t device) const {
  return *std::ranges::min_element(holders, {}, [&](const Holder& holder) {
    return std::tuple(levels_.size() - levels_.between(holder.device, device),
                      distance_(holder.device, device), sent(holder.device), holder.device);
  });
}

std::int64_t Steps::sent(std::int64_t device) const {
  const auto found = sent_.find(device);
  return found == sent_.end() ? 0 : found->second;
}

std::vector<std::vector<Transfer>> Steps::in_order() && {
  std::vector<std::vector<Transfer>> all;
  all.push_back(joined(local_));
  for (std::size_t level = sums_.size(); level-- > 0;) all.push_back(joined(sums_[level]));
  for (const std::vector<Transfer>& step : copies_) all.push_back(joined(step));
  std::erase_if(all, [](const std::vector<Transfer>& step) { return step.empty(); });
  return all;
}

}  // namespace heddle::distribute

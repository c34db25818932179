#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "heddle/distribute/plan.h"
#include "heddle/distribute/run.h"

namespace heddle::distribute {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string bytes_text(std::int64_t bytes) {
  return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
}

/// `32 bytes` where all are the same, else `8 to 32 bytes`.
std::string range_text(const std::vector<std::int64_t>& bytes) {
  const auto [least, most] = std::ranges::minmax(bytes);
  return least == most ? bytes_text(least) : fmt::format("{} to {}", least, bytes_text(most));
}

std::string local_text(const Plan& plan, const Step& step) {
  std::map<std::int64_t, std::int64_t> kept;
  for (const Transfer& transfer : step.transfers) {
    kept[transfer.to] += message_bytes(plan, transfer);
  }
  std::vector<std::int64_t> bytes;
  for (const auto& [device, sum] : kept) bytes.push_back(sum);
  return fmt::format("{} on {} {}", range_text(bytes), kept.size(),
                     kept.size() == 1 ? "device" : "devices");
}

/// `2 groups of 4`.
std::string groups_text(const Step& step) {
  std::map<std::size_t, std::size_t> count;
  for (const auto& group : step.groups) ++count[group.size()];
  std::vector<std::string> texts;
  for (const auto& [size, groups] : count) {
    texts.push_back(fmt::format("{} {} of {}", groups, groups == 1 ? "group" : "groups", size));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string step_text(const Plan& plan, const Step& step) {
  if (step.groups.empty()) return local_text(plan, step);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sent;
  std::int64_t total = 0;
  for (const Transfer& transfer : step.transfers) {
    const std::int64_t bytes = message_bytes(plan, transfer);
    sent[{transfer.from, transfer.to}] += bytes;
    total += bytes;
  }
  std::vector<std::int64_t> bytes;
  for (const auto& [pair, sum] : sent) bytes.push_back(sum);
  return fmt::format("{}: {} from one device to another, {} in all", groups_text(step),
                     range_text(bytes), bytes_text(total));
}

/// `0 -> 1    [0,2) x [0,8)`, `0 +> 1` where a term is combined with what is there.
void add_transfers(const Step& step, std::size_t shown, Lines& lines) {
  for (std::size_t i = 0; i < std::min(shown, step.transfers.size()); ++i) {
    const Transfer& transfer = step.transfers[i];
    lines.emplace_back(
        fmt::format("  {} {} {}", transfer.from, transfer.reduces ? "+>" : "->", transfer.to),
        to_string(transfer.box));
  }
  if (shown > 0 && step.transfers.size() > shown) {
    lines.emplace_back("  …", fmt::format("{} more", step.transfers.size() - shown));
  }
}

void add_traffic(const std::string& title, std::string text, const Traffic& traffic, Lines& lines) {
  lines.emplace_back(title, std::move(text));
  for (const auto& [link, bytes] : traffic.by_link) {
    if (traffic.by_link.size() > 1) {
      lines.emplace_back("", fmt::format("{} over {}", bytes_text(bytes), link));
    }
  }
  if (traffic.seconds > 0) lines.emplace_back("", fmt::format("{:.3g} s", traffic.seconds));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> lines_of(const Plan& plan,
                                                          std::size_t shown_transfers) {
  Lines lines;
  for (const Step& step : plan.steps()) {
    lines.emplace_back(name(step.collective), step_text(plan, step));
    add_transfers(step, shown_transfers, lines);
  }
  const Traffic moved = traffic(plan);
  add_traffic("moves",
              fmt::format("{}, at most {} into and {} out of a device", bytes_text(moved.total),
                          moved.most_in, moved.most_out),
              moved, lines);
  const auto bound = lower_bound(plan.from(), plan.to(), plan.element_bits(), plan.topology());
  if (!bound) return lines;
  add_traffic("at least",
              fmt::format("{}, {} into and {} out of a device", bytes_text(bound->total),
                          bound->most_in, bound->most_out),
              *bound, lines);
  return lines;
}

std::string text_of(std::span<const std::pair<std::string, std::string>> lines) {
  std::size_t width = 0;
  for (const auto& [title, text] : lines) width = std::max(width, title.size());
  std::string text;
  for (const auto& [title, line] : lines) {
    text += fmt::format("{}{:<{}}  {}", text.empty() ? "" : "\n", title, width, line);
  }
  return text;
}

std::string to_string(const Plan& plan, std::size_t shown_transfers) {
  return text_of(lines_of(plan, shown_transfers));
}

}  // namespace heddle::distribute

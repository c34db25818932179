#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/distribute/plan.h"

namespace heddle::distribute {
namespace {

using Device = std::int64_t;
/// Terms by their holders; a value that is whole has one term.
using Terms = std::set<std::int64_t>;

/// Elements that are there, and the terms of which they are sums.
struct Known {
  Box box;
  Terms terms;
};
/// Parts that do not meet one another.
using Contents = std::vector<Known>;

std::string element(const Box& box) {
  std::vector<std::int64_t> first;
  for (const Extent& extent : box) first.push_back(extent.begin);
  return fmt::format("({})", fmt::join(first, ","));
}

/// What lies where, as transfers are followed one by one. It knows nothing of how they were chosen.
class State {
 public:
  explicit State(const Plan& plan) : plan_(plan) {
    for (const axe::PartialAxis& axis : plan.from().partial()) {
      const auto& kept = plan.to().partial();
      const bool is_reduced = std::ranges::find(kept, axis) == kept.end();
      (is_reduced ? reduced_ : kept_).push_back(*plan.from().mesh().axis(axis.axis));
    }
    for (const std::size_t axis : reduced_) terms_ *= plan.from().mesh().extents()[axis];
    for (const Block& block : plan.from().blocks()) {
      const Terms own = {reduced_.empty() ? 0 : along(reduced_, block.device)};
      at(block.device, Memory::kSource).push_back({block.box, own});
    }
  }

  /// What is wrong, if anything is. What a step reads is what was there before it.
  std::optional<std::string> follow(const Step& step) {
    const std::map<Key, Contents> before = contents_;
    for (const Transfer& transfer : step.transfers) {
      if (along(kept_, transfer.from) != along(kept_, transfer.to)) {
        return text(transfer) + " mixes values that stay apart";
      }
      const auto found = before.find({transfer.from, transfer.read});
      static const Contents nothing;
      const Contents& there = found == before.end() ? nothing : found->second;
      if (auto wrong = arrive(transfer, there)) return wrong;
    }
    return std::nullopt;
  }

  /// The first element that a device wants and does not have as it should.
  std::optional<std::string> lacking() {
    for (const Block& block : plan_.to().blocks()) {
      std::vector<Box> whole;
      for (const Known& known : at(block.device, Memory::kDestination)) {
        if (static_cast<std::int64_t>(known.terms.size()) == terms_) whole.push_back(known.box);
      }
      const std::vector<Box> rest = difference({block.box}, whole);
      if (rest.empty()) continue;
      return fmt::format("device {} does not have element {}", block.device, element(rest.front()));
    }
    return std::nullopt;
  }

 private:
  using Key = std::pair<Device, Memory>;

  Contents& at(Device device, Memory memory) { return contents_[{device, memory}]; }

  static std::string text(const Transfer& transfer) {
    return fmt::format("{} from {} to {}", to_string(transfer.box), transfer.from, transfer.to);
  }

  std::int64_t along(std::span<const std::size_t> axes, Device device) const {
    if (axes.empty()) return 0;
    const axe::Mesh& mesh = plan_.from().mesh();
    const auto coordinate = mesh.coordinate(device);
    std::int64_t number = 0;
    for (const std::size_t axis : axes) {
      number = number * mesh.extents()[axis] + (coordinate ? (*coordinate)[axis] : 0);
    }
    return number;
  }

  /// Whether the written memory has a place for the box.
  bool has_room(const Transfer& transfer) const {
    const Distribution& memory =
        transfer.written == Memory::kScratch ? plan_.scratch() : plan_.to();
    std::vector<Box> blocks;
    for (const Block& block : memory.blocks(transfer.to)) blocks.push_back(block.box);
    return difference({transfer.box}, blocks).empty();
  }

  std::optional<std::string> arrive(const Transfer& transfer, const Contents& there) {
    if (transfer.written == Memory::kSource || !has_room(transfer)) {
      return text(transfer) + " has no place there";
    }
    std::vector<Box> unread = {transfer.box};
    for (const Known& known : there) {
      const std::optional<Box> part = intersection(known.box, transfer.box);
      if (!part) continue;
      if (auto wrong = put(transfer, {*part, known.terms})) return wrong;
      unread = difference(std::move(unread), std::span(&*part, 1));
    }
    if (unread.empty()) return std::nullopt;
    return fmt::format("{}: the sender does not have element {} in its {} memory", text(transfer),
                       element(unread.front()), name(transfer.read));
  }

  std::optional<std::string> put(const Transfer& transfer, const Known& arriving) {
    Contents& memory = at(transfer.to, transfer.written);
    if (transfer.reduces) return combine(transfer, arriving, memory);
    for (const Known& known : memory) {
      if (!meet(known.box, arriving.box)) continue;
      const Box common = *intersection(known.box, arriving.box);
      return fmt::format("{}: element {} comes twice", text(transfer), element(common));
    }
    memory.push_back(arriving);
    return std::nullopt;
  }

  static std::optional<std::string> combine(const Transfer& transfer, const Known& arriving,
                                            Contents& memory) {
    Contents after;
    std::vector<Box> unmet = {arriving.box};
    for (Known& known : memory) {
      const std::optional<Box> common = intersection(known.box, arriving.box);
      if (!common) {
        after.push_back(std::move(known));
        continue;
      }
      Terms terms = known.terms;
      for (const std::int64_t term : arriving.terms) {
        if (terms.insert(term).second) continue;
        return fmt::format("{}: term {} of element {} comes twice", text(transfer), term,
                           element(*common));
      }
      for (Box& rest : difference(known.box, *common)) after.push_back({rest, known.terms});
      after.push_back({*common, std::move(terms)});
      unmet = difference(std::move(unmet), std::span(&*common, 1));
    }
    memory = std::move(after);
    if (unmet.empty()) return std::nullopt;
    return fmt::format("{}: nothing is there to combine element {} with", text(transfer),
                       element(unmet.front()));
  }

  const Plan& plan_;
  std::vector<std::size_t> reduced_;
  std::vector<std::size_t> kept_;
  std::int64_t terms_ = 1;
  std::map<Key, Contents> contents_;
};

}  // namespace

Verdict is_complete(const Plan& plan) {
  const std::string method = "algebra of boxes";
  State state(plan);
  for (const Step& step : plan.steps()) {
    if (auto wrong = state.follow(step)) return Verdict::no(method).with_remark(*std::move(wrong));
  }
  if (auto wrong = state.lacking()) return Verdict::no(method).with_remark(*std::move(wrong));
  return Verdict::yes(method);
}

}  // namespace heddle::distribute

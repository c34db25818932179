#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/distribute/plan.h"

namespace heddle::distribute {
namespace {

using Device = std::int64_t;
/// A set of terms, a bit for each, which many elements have in common; a value that is whole has
/// one term.
using Terms = std::shared_ptr<const std::vector<std::uint64_t>>;

constexpr std::size_t kWord = 64;

Terms one_term(std::size_t term) {
  std::vector<std::uint64_t> bits(term / kWord + 1, 0);
  bits.back() = std::uint64_t{1} << term % kWord;
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(bits));
}

/// Both sets together; null if they have a term in common.
Terms joined(const Terms& a, const Terms& b) {
  std::vector<std::uint64_t> bits = *a;
  bits.resize(std::max(a->size(), b->size()), 0);
  for (std::size_t i = 0; i < b->size(); ++i) {
    if ((bits[i] & (*b)[i]) != 0) return nullptr;
    bits[i] |= (*b)[i];
  }
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(bits));
}

std::int64_t count(const Terms& terms) {
  std::int64_t sum = 0;
  for (const std::uint64_t word : *terms) sum += std::popcount(word);
  return sum;
}

/// Elements that are there, and the terms of which they are sums.
struct Known {
  Box box;
  Terms terms;
};

/// Parts that do not meet one another, by where they begin along the first dimension.
class Contents {
 public:
  void add(Known known) {
    const Extent along = first_of(known.box);
    longest_ = std::max(longest_, along.end - along.begin);
    parts_.emplace(along.begin, std::move(known));
  }

  /// Calls `visit(known)` for the parts that meet the box.
  template <class Visit>
  void for_meeting(const Box& box, Visit visit) const {
    const auto [first, end] = near(box);
    for (auto part = first; part != end; ++part) {
      if (meet(part->second.box, box)) visit(part->second);
    }
  }

  /// Takes out the parts that meet the box.
  std::vector<Known> take_meeting(const Box& box) {
    std::vector<Known> taken;
    const auto [first, end] = near(box);
    for (auto part = first; part != end;) {
      const bool meets = meet(part->second.box, box);
      if (meets) taken.push_back(std::move(part->second));
      part = meets ? parts_.erase(part) : std::next(part);
    }
    return taken;
  }

 private:
  using Parts = std::multimap<std::int64_t, Known>;

  static Extent first_of(const Box& box) { return box.empty() ? Extent{} : box.front(); }

  template <class Self>
  static auto range(Self& self, const Box& box) {
    const Extent along = first_of(box);
    return std::pair(self.parts_.upper_bound(along.begin - self.longest_),
                     self.parts_.lower_bound(along.end));
  }
  std::pair<Parts::const_iterator, Parts::const_iterator> near(const Box& box) const {
    return range(*this, box);
  }
  std::pair<Parts::iterator, Parts::iterator> near(const Box& box) { return range(*this, box); }

  Parts parts_;
  std::int64_t longest_ = 0;
};

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
      const std::int64_t term = reduced_.empty() ? 0 : along(reduced_, block.device);
      at(block.device, Memory::kSource).add({block.box, one_term(static_cast<std::size_t>(term))});
    }
  }

  /// What is wrong, if anything is. What a step reads is what was there before it.
  std::optional<std::string> follow(const Step& step) {
    std::vector<std::pair<const Transfer*, Known>> arriving;
    for (const Transfer& transfer : step.transfers) {
      if (along(kept_, transfer.from) != along(kept_, transfer.to)) {
        return text(transfer) + " mixes values that stay apart";
      }
      if (transfer.written == Memory::kSource || !has_room(transfer)) {
        return text(transfer) + " has no place there";
      }
      if (auto wrong = read(transfer, arriving)) return wrong;
    }
    for (const auto& [transfer, known] : arriving) {
      if (auto wrong = put(*transfer, known)) return wrong;
    }
    return std::nullopt;
  }

  /// The first element that a device wants and does not have as it should.
  std::optional<std::string> lacking() {
    for (const Block& block : plan_.to().blocks()) {
      std::vector<Box> rest = {block.box};
      at(block.device, Memory::kDestination).for_meeting(block.box, [&](const Known& known) {
        if (count(known.terms) != terms_) return;
        rest = difference(std::move(rest), std::span(&known.box, 1));
      });
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
    std::vector<Box> rest = {transfer.box};
    for (const Block& block : memory.blocks_near(transfer.to, transfer.box)) {
      rest = difference(std::move(rest), std::span(&block.box, 1));
    }
    return rest.empty();
  }

  /// Adds what a transfer brings to what arrives.
  std::optional<std::string> read(const Transfer& transfer,
                                  std::vector<std::pair<const Transfer*, Known>>& arriving) {
    std::vector<Box> unread = {transfer.box};
    at(transfer.from, transfer.read).for_meeting(transfer.box, [&](const Known& known) {
      const Box part = *intersection(known.box, transfer.box);
      arriving.emplace_back(&transfer, Known{part, known.terms});
      unread = difference(std::move(unread), std::span(&part, 1));
    });
    if (unread.empty()) return std::nullopt;
    return fmt::format("{}: the sender does not have element {} in its {} memory", text(transfer),
                       element(unread.front()), name(transfer.read));
  }

  std::optional<std::string> put(const Transfer& transfer, const Known& arriving) {
    Contents& memory = at(transfer.to, transfer.written);
    if (transfer.reduces) return combine(transfer, arriving, memory);
    std::optional<std::string> wrong;
    memory.for_meeting(arriving.box, [&](const Known& known) {
      const Box common = *intersection(known.box, arriving.box);
      wrong = fmt::format("{}: element {} comes twice", text(transfer), element(common));
    });
    if (!wrong) memory.add(arriving);
    return wrong;
  }

  static std::optional<std::string> combine(const Transfer& transfer, const Known& arriving,
                                            Contents& memory) {
    std::vector<Box> unmet = {arriving.box};
    for (const Known& known : memory.take_meeting(arriving.box)) {
      const Box common = *intersection(known.box, arriving.box);
      Terms terms = joined(known.terms, arriving.terms);
      if (!terms) {
        return fmt::format("{}: a term of element {} comes twice", text(transfer), element(common));
      }
      for (Box& rest : difference(known.box, common)) memory.add({std::move(rest), known.terms});
      memory.add({common, std::move(terms)});
      unmet = difference(std::move(unmet), std::span(&common, 1));
    }
    if (unmet.empty()) return std::nullopt;
    return fmt::format("{}: there is nothing to combine element {} with", text(transfer),
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

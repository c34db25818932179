#include "distribute/source/nccl_program.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "axe/layout/iters.h"
#include "core/format.h"
#include "distribute/distribution_access.h"
#include "distribute/source/pieces.h"
#include "heddle/axe/canonical.h"

namespace heddle::distribute {
namespace {

using axe::Layout;
using Transfers = std::vector<Transfer>;
using Members = std::vector<std::int64_t>;
/// By sender and receiver.
using Pairs = std::map<std::pair<std::int64_t, std::int64_t>, Transfer>;

/// Whether index i is at place i.
bool is_dense(const Layout& layout) {
  return !layout.swizzle() && layout.replica().empty() && layout.shard().size() == 1 &&
         (layout.shard()[0].extent == Int(1) || layout.shard()[0].stride == Int(1));
}

/// A layout, and how far its places are moved.
struct Moved {
  Layout layout;
  std::int64_t by = 0;
};

/// The layout without its offset. That of a swizzled one is swizzled, too, and stays.
Result<Moved> without_offset(const Layout& layout) {
  HEDDLE_TRY(const Layout normal, axe::canonicalize(layout));
  if (normal.swizzle()) return Moved{normal, 0};
  const std::int64_t by = normal.offset()[Axis::memory()].value();
  const auto shard = normal.shard();
  const auto replica = normal.replica();
  HEDDLE_TRY(Layout at_zero,
             Layout::make({shard.begin(), shard.end()}, {replica.begin(), replica.end()}));
  return Moved{std::move(at_zero), by};
}

/// One layout for each replica.
Result<std::vector<Layout>> copies_of(const Layout& layout) {
  if (layout.replica().empty()) return std::vector{layout};
  const auto shifts = axe::points(layout.replica());
  if (!shifts) return refuse(check_pieces(kMaxPieces + 1).error());
  HEDDLE_CHECK(check_pieces(shifts->size()));
  std::vector<Layout> copies;
  const auto shard = layout.shard();
  for (const std::int64_t shift : *shifts) {
    axe::Coordinate offset = layout.offset();
    offset.add(Axis::memory(), shift);
    HEDDLE_TRY(copies.emplace_back(),
               Layout::make({shard.begin(), shard.end()}, {}, offset, layout.swizzle()));
  }
  return copies;
}

/// The transfers of a step by the two devices; nullopt if two have several.
std::optional<Pairs> pairs_of(const Step& step) {
  Pairs pairs;
  for (const Transfer& transfer : step.transfers) {
    if (!pairs.try_emplace({transfer.from, transfer.to}, transfer).second) return std::nullopt;
  }
  return pairs;
}

bool all_reduce_from_source(const Step& step) {
  return std::ranges::all_of(step.transfers, [](const Transfer& transfer) {
    return transfer.reduces && transfer.read == Memory::kSource;
  });
}

bool are_even(const Step& step) {
  const std::int64_t elements = volume(step.transfers.front().box);
  return std::ranges::all_of(
      step.transfers, [&](const Transfer& transfer) { return volume(transfer.box) == elements; });
}

/// The box that a device gets, or sends, in a step where all its boxes are the same.
const Transfer& any_into(const Pairs& pairs, std::int64_t device) {
  return std::ranges::find(pairs, device, [](const auto& entry) { return entry.second.to; })
      ->second;
}
const Transfer& any_from(const Pairs& pairs, std::int64_t device) {
  return std::ranges::find(pairs, device, [](const auto& entry) { return entry.second.from; })
      ->second;
}

class Builder {
 public:
  explicit Builder(const Plan& plan) : plan_(plan) {
    for (std::size_t rank = 0; rank < plan.devices().size(); ++rank) {
      const std::int64_t device = plan.devices()[rank];
      ranks_[device] = rank;
      program_.scratch.push_back(plan.scratch().memory(device));
    }
    for (const Step& step : plan.steps()) {
      const bool reduces = std::ranges::any_of(step.transfers, &Transfer::reduces);
      reductions_ += reduces ? 1 : 0;
    }
  }

  Result<NcclProgram> build() && {
    std::vector<Round> rounds;
    const std::span<const Step> steps = plan_.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].groups.empty()) continue;
      begin(steps[i]);
      HEDDLE_TRY(const bool are_two,
                 i + 1 < steps.size() ? all_reduce(steps[i], steps[i + 1]) : Result<bool>(false));
      if (are_two) {
        ++i;
      } else {
        HEDDLE_CHECK(add_step(steps[i]));
      }
      has_reduced_ |= std::ranges::any_of(steps[i].transfers, &Transfer::reduces) || are_two;
      rounds.push_back(std::move(round_));
    }
    HEDDLE_CHECK(add_local(rounds));
    HEDDLE_CHECK(add_division());
    return std::move(program_);
  }

 private:
  std::size_t rank(std::int64_t device) const { return ranks_.at(device); }

  void begin(const Step& step) {
    round_ = {.title = std::string(name(step.collective)),
              .before = {},
              .messages = {},
              .collective = {},
              .after = {}};
    used_.clear();
  }

  Result<void> add_step(const Step& step) {
    HEDDLE_TRY(const bool is_collective, collective(step));
    return is_collective ? Result<void>() : exchange(step);
  }

  // ---- copies ----

  /// Room for a message in the scratch memory of a device, free again when the round is over.
  Position reserve(std::int64_t device, std::int64_t elements) {
    const std::int64_t kept = plan_.scratch().memory(device);
    std::int64_t& used = used_.try_emplace(device, kept).first->second;
    const Position position = {Memory::kScratch, used};
    used += elements;
    std::int64_t& most = program_.scratch[rank(device)];
    most = std::max(most, used);
    return position;
  }

  std::optional<std::size_t> kernel(const CopyKernel& wanted) {
    const bool is_plain = is_dense(wanted.read) && is_dense(wanted.written);
    if (wanted.action == Action::kCopy && is_plain) return std::nullopt;
    const std::string key = fmt::format("{} {} {}", to_string(wanted.read),
                                        to_string(wanted.written), int(wanted.action));
    const auto [found, is_new] = kernels_.try_emplace(key, program_.kernels.size());
    if (is_new) program_.kernels.push_back(wanted);
    return found->second;
  }

  /// The copy of a piece, of which every replica is written and one is read.
  Result<void> add_copies(std::int64_t device, const Piece& piece, Position from, Position to,
                          Action action, std::vector<CopyCall>& calls) {
    HEDDLE_TRY(const std::vector<Layout> sources, copies_of(piece.read));
    HEDDLE_TRY(const std::vector<Layout> targets, copies_of(piece.written));
    HEDDLE_TRY(const Moved read, without_offset(sources.front()));
    from.first += read.by;
    for (const Layout& target : targets) {
      HEDDLE_TRY(const Moved written, without_offset(target));
      calls.push_back({.rank = rank(device),
                       .kernel = kernel({read.layout, written.layout, action}),
                       .elements = axe::size(piece.read).value(),
                       .from = from,
                       .to = {to.memory, to.first + written.by}});
      HEDDLE_CHECK(check_pieces(++count_));
    }
    return {};
  }

  Result<void> pack(const Transfer& transfer, Position message) {
    HEDDLE_TRY(const std::vector<Piece> pieces, packed_pieces(plan_, transfer));
    for (const Piece& piece : pieces) {
      HEDDLE_CHECK(add_copies(transfer.from, piece, {transfer.read, 0}, message, Action::kCopy,
                              round_.before));
    }
    return {};
  }

  Result<void> unpack(const Transfer& transfer, Position message) {
    HEDDLE_TRY(const std::vector<Piece> pieces, unpacked_pieces(plan_, transfer));
    const Action action = transfer.reduces ? Action::kReduce : Action::kCopy;
    for (const Piece& piece : pieces) {
      HEDDLE_CHECK(
          add_copies(transfer.to, piece, message, {transfer.written, 0}, action, round_.after));
    }
    return {};
  }

  // ---- messages ----

  enum class Side : std::uint8_t { kSent, kReceived };

  /// Where a message lies in the memory itself, if it lies there in one piece.
  Result<std::optional<Position>> direct(const Transfer& transfer, Side side) {
    const bool is_sent = side == Side::kSent;
    HEDDLE_TRY(const std::vector<Piece> pieces,
               is_sent ? packed_pieces(plan_, transfer) : unpacked_pieces(plan_, transfer));
    if (pieces.size() != 1) return std::optional<Position>();
    HEDDLE_TRY(const Moved moved,
               without_offset(is_sent ? pieces.front().read : pieces.front().written));
    if (!is_dense(moved.layout)) return std::optional<Position>();
    return std::optional(Position{is_sent ? transfer.read : transfer.written, moved.by});
  }

  /// Where messages lie one after the other, if they do.
  Result<std::optional<Position>> in_order(const Transfers& transfers, Side side) {
    std::optional<Position> first;
    std::int64_t next = 0;
    for (const Transfer& transfer : transfers) {
      HEDDLE_TRY(const std::optional<Position> position, direct(transfer, side));
      if (!position || (first && position->first != next)) return std::optional<Position>();
      if (!first) first = position;
      next = position->first + volume(transfer.box);
    }
    return first;
  }

  static std::int64_t elements_of(const Transfers& transfers) {
    std::int64_t elements = 0;
    for (const Transfer& transfer : transfers) elements += volume(transfer.box);
    return elements;
  }

  /// Where the messages of one sender are sent from, one after the other.
  Result<Position> sent(const Transfers& transfers) {
    HEDDLE_TRY(const std::optional<Position> found, in_order(transfers, Side::kSent));
    if (found) return *found;
    const Position first = reserve(transfers.front().from, elements_of(transfers));
    Position at = first;
    for (const Transfer& transfer : transfers) {
      HEDDLE_CHECK(pack(transfer, at));
      at.first += volume(transfer.box);
    }
    return first;
  }

  /// Where the messages to one receiver arrive. What does not lie there as it comes is put in its
  /// place later; `has_own` if a device has its own message there already.
  Result<Position> received(const Transfers& transfers, bool has_own = false) {
    const bool reduces = transfers.front().reduces;
    HEDDLE_TRY(const std::optional<Position> found,
               reduces ? Result<std::optional<Position>>(std::nullopt)
                       : in_order(transfers, Side::kReceived));
    if (found) return *found;
    const Position first = reserve(transfers.front().to, elements_of(transfers));
    Position at = first;
    for (const Transfer& transfer : transfers) {
      const bool is_there = has_own && transfer.from == transfer.to;
      if (!is_there) HEDDLE_CHECK(unpack(transfer, at));
      at.first += volume(transfer.box);
    }
    return first;
  }

  Result<void> exchange(const Step& step) {
    for (const Transfer& transfer : step.transfers) {
      HEDDLE_TRY(const Position from, sent({transfer}));
      HEDDLE_TRY(const Position to, received({transfer}));
      round_.messages.push_back({.from = rank(transfer.from),
                                 .to = rank(transfer.to),
                                 .elements = volume(transfer.box),
                                 .sent = from,
                                 .received = to});
      HEDDLE_CHECK(check_pieces(++count_));
    }
    return {};
  }

  // ---- collectives ----

  Result<bool> collective(const Step& step) {
    const std::optional<Pairs> pairs = pairs_of(step);
    if (!pairs || !are_even(step)) return false;
    const std::int64_t elements = volume(step.transfers.front().box);
    const bool may_reduce = !has_reduced_ && all_reduce_from_source(step);
    switch (step.collective) {
      case Collective::kAllGather:
        start_collective("ncclAllGather", step, elements);
        return all_parts(step, [&](const Members& group) { return all_gather(*pairs, group); });
      case Collective::kBroadcast:
        start_collective("ncclBroadcast", step, elements);
        round_.collective->has_root = true;
        return all_parts(step, [&](const Members& group) { return broadcast(*pairs, group); });
      case Collective::kReduceScatter:
        if (!may_reduce) return false;
        start_collective("ncclReduceScatter", step, elements);
        return all_parts(step, [&](const Members& group) { return reduce_scatter(*pairs, group); });
      case Collective::kReduce:
        if (!may_reduce) return false;
        start_collective("ncclReduce", step, elements);
        round_.collective->has_root = true;
        return all_parts(step, [&](const Members& group) { return reduce(*pairs, group); });
      default:
        return false;
    }
  }

  void start_collective(std::string_view function, const Step& step, std::int64_t elements) {
    const bool reduces = step.transfers.front().reduces;
    round_.collective = {.function = function,
                         .reduces = reduces,
                         .has_root = false,
                         .elements = elements,
                         .split = split_of(step.groups),
                         .parts = std::vector<Part>(ranks_.size())};
    const bool averages = plan_.averaged_over() > 1 && reductions_ == 1 && reduces;
    program_.nccl_averages |=
        averages && std::ranges::all_of(step.groups, [&](const Members& group) {
          return static_cast<std::int64_t>(group.size()) == plan_.averaged_over();
        });
  }

  template <class Add>
  Result<bool> all_parts(const Step& step, Add add) {
    for (const Members& group : step.groups) HEDDLE_CHECK(add(group));
    return true;
  }

  /// The number of the split into these groups; nullopt if all ranks are one group.
  std::optional<std::size_t> split_of(const std::vector<Members>& groups) {
    if (groups.size() == 1 && groups.front().size() == ranks_.size()) return std::nullopt;
    std::vector<std::optional<std::size_t>> split(ranks_.size());
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const std::int64_t device : groups[group]) split[rank(device)] = group;
    }
    auto& splits = program_.splits;
    const auto found = std::ranges::find(splits, split);
    if (found != splits.end()) return static_cast<std::size_t>(found - splits.begin());
    splits.push_back(std::move(split));
    return splits.size() - 1;
  }

  Part& part(std::int64_t device) { return round_.collective->parts[rank(device)]; }

  Result<void> all_gather(const Pairs& pairs, const Members& group) {
    for (const std::int64_t device : group) {
      const Transfer& own = any_from(pairs, device);
      Transfers arriving;
      for (const std::int64_t other : group) {
        arriving.push_back(any_from(pairs, other));
        arriving.back().to = device;
      }
      HEDDLE_TRY(part(device).sent, sent({own}));
      HEDDLE_TRY(part(device).received, received(arriving, true));
      const bool is_in_place = part(device).received.memory != Memory::kScratch;
      if (is_in_place && own.read == Memory::kSource) remake(arriving);
    }
    return {};
  }

  /// The terms that a device sends, one for each member of the group, and its own among them.
  static Transfers terms_from(const Pairs& pairs, const Members& group, std::int64_t device) {
    Transfers terms;
    for (const std::int64_t other : group) {
      terms.push_back(any_into(pairs, other));
      terms.back().from = device;
    }
    return terms;
  }

  /// The sum that a device gets, as a message of its own that replaces what is there.
  static Transfer sum_at(const Pairs& pairs, std::int64_t device) {
    Transfer sum = any_into(pairs, device);
    sum.from = device;
    sum.reduces = false;
    return sum;
  }

  Result<void> reduce_scatter(const Pairs& pairs, const Members& group) {
    for (const std::int64_t device : group) {
      const Transfer sum = sum_at(pairs, device);
      HEDDLE_TRY(part(device).sent, sent(terms_from(pairs, group, device)));
      HEDDLE_TRY(part(device).received, received({sum}));
      remake({sum});
    }
    return {};
  }

  Result<void> reduce(const Pairs& pairs, const Members& group) {
    const std::int64_t root = root_among(pairs, group, &Transfer::to);
    const Transfer sum = sum_at(pairs, root);
    for (const std::int64_t device : group) {
      Transfer term = sum;
      term.from = device;
      HEDDLE_TRY(part(device).sent, sent({term}));
      // Ranks that are not the root get nothing.
      part(device).received = {Memory::kScratch, 0};
      part(device).root = number_in(group, root);
    }
    HEDDLE_TRY(part(root).received, received({sum}));
    remake({sum});
    return {};
  }

  static std::int64_t root_among(const Pairs& pairs, const Members& group,
                                 std::int64_t Transfer::* end) {
    for (const auto& [pair, transfer] : pairs) {
      if (std::ranges::find(group, transfer.*end) != group.end()) return transfer.*end;
    }
    return group.front();
  }

  static std::size_t number_in(const Members& group, std::int64_t device) {
    return static_cast<std::size_t>(std::ranges::find(group, device) - group.begin());
  }

  Result<void> broadcast(const Pairs& pairs, const Members& group) {
    const std::int64_t root = root_among(pairs, group, &Transfer::from);
    for (const std::int64_t device : group) {
      Part& mine = part(device);
      mine.root = number_in(group, root);
      if (device == root) {
        HEDDLE_TRY(mine.sent, sent({any_from(pairs, root)}));
        // In place: NCCL does not write what the root sends from.
        mine.received = mine.sent;
      } else {
        HEDDLE_TRY(mine.received, received({any_into(pairs, device)}));
        mine.sent = mine.received;
      }
    }
    return {};
  }

  /// A reduce-scatter and the all-gather of its sums, as one call; false if the two are no such
  /// steps.
  Result<bool> all_reduce(const Step& terms, const Step& sums) {
    const bool are_named = terms.collective == Collective::kReduceScatter &&
                           sums.collective == Collective::kAllGather && terms.groups == sums.groups;
    if (!are_named || has_reduced_ || !all_reduce_from_source(terms)) return false;
    const std::optional<Pairs> parts = pairs_of(terms);
    const std::optional<Pairs> gathered = pairs_of(sums);
    if (!parts || !gathered) return false;
    std::set<std::int64_t> sizes;
    for (const Members& group : terms.groups) {
      sizes.insert(elements_of(terms_from(*parts, group, group.front())));
    }
    const bool are_the_sums = std::ranges::all_of(sums.transfers, [&](const Transfer& transfer) {
      const Transfer& sum = any_into(*parts, transfer.from);
      return transfer.box == sum.box && transfer.read == sum.written;
    });
    if (!are_the_sums || sizes.size() != 1) return false;
    start_collective("ncclAllReduce", terms, *sizes.begin());
    round_.title += fmt::format(" and {}", name(sums.collective));
    for (const Members& group : terms.groups) {
      HEDDLE_CHECK(add_all_reduce(*parts, *gathered, group));
    }
    return true;
  }

  Result<void> add_all_reduce(const Pairs& parts, const Pairs& gathered, const Members& group) {
    for (const std::int64_t device : group) {
      Transfers arriving;
      for (const std::int64_t other : group) {
        arriving.push_back(any_from(gathered, other));
        arriving.back().to = device;
      }
      HEDDLE_TRY(part(device).sent, sent(terms_from(parts, group, device)));
      HEDDLE_TRY(part(device).received, received(arriving));
      remake({sum_at(parts, device)});
    }
    return {};
  }

  // ---- copies within devices ----

  /// What a collective writes, so that no copy needs to before it.
  void remake(const Transfers& transfers) {
    for (const Transfer& transfer : transfers) {
      remade_[{transfer.to, transfer.written}].push_back(transfer.box);
    }
  }

  bool is_remade(const Transfer& transfer) const {
    const auto found = remade_.find({transfer.to, transfer.written});
    return found != remade_.end() && difference({transfer.box}, found->second).empty();
  }

  /// Copies that a device makes for itself, in front of all rounds.
  Result<void> add_local(std::vector<Round>& rounds) {
    round_ = {};
    for (const Step& step : plan_.steps()) {
      if (!step.groups.empty()) continue;
      round_.title = name(step.collective);
      for (const Transfer& transfer : step.transfers) {
        if (is_remade(transfer)) continue;
        HEDDLE_TRY(const std::vector<Piece> pieces, kept_pieces(plan_, transfer));
        for (const Piece& piece : pieces) {
          HEDDLE_CHECK(add_copies(transfer.to, piece, {transfer.read, 0}, {transfer.written, 0},
                                  Action::kCopy, round_.before));
        }
      }
    }
    if (!round_.before.empty()) program_.rounds.push_back(std::move(round_));
    std::ranges::move(rounds, std::back_inserter(program_.rounds));
    return {};
  }

  /// What is left of an average when its terms are summed.
  Result<void> add_division() {
    if (plan_.averaged_over() == 1 || program_.nccl_averages) return {};
    Round round = {
        .title = "division", .before = {}, .messages = {}, .collective = {}, .after = {}};
    for (const Block& block : plan_.to().blocks()) {
      const Position start = {Memory::kDestination, 0};
      HEDDLE_CHECK(add_copies(block.device, {row_major(block.box), block.place}, start, start,
                              Action::kDivide, round.after));
    }
    program_.rounds.push_back(std::move(round));
    return {};
  }

  const Plan& plan_;
  std::map<std::int64_t, std::size_t> ranks_;
  NcclProgram program_;
  std::map<std::string, std::size_t> kernels_;
  std::size_t count_ = 0;
  std::size_t reductions_ = 0;
  bool has_reduced_ = false;
  Round round_;
  std::map<std::int64_t, std::int64_t> used_;
  std::map<std::pair<std::int64_t, Memory>, std::vector<Box>> remade_;
};

}  // namespace

Result<NcclProgram> nccl_program(const Plan& plan) { return Builder(plan).build(); }

}  // namespace heddle::distribute

#include "kernel/lower/barriers.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "kernel/meaning/formula.h"
#include "kernel/passes/bounds.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

/// `owners[i]`: the thread that touches element base + low + i.
struct Footprint {
  static constexpr std::int32_t kNobody = -1;
  static constexpr std::int32_t kSeveral = -2;

  /// What all threads have in common.
  Int base = 0;
  std::int64_t low = 0;
  std::vector<std::int32_t> owners;

  [[nodiscard]] std::int64_t end() const { return low + std::ssize(owners); }
};

namespace {

/// The most threads times iterations that are gone through for one access.
constexpr std::int64_t kMostPoints = std::int64_t{1} << 18;
/// The farthest elements that are told apart.
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;
/// The most iterations of a loop that are compared with each other one by one.
constexpr std::int64_t kMostRuns = 64;

// --- what is accessed ----------------------------------------------------------------------------

class AccessFinder {
 public:
  explicit AccessFinder(const std::function<bool(const std::string&)>& is_memory)
      : is_memory_(is_memory) {}

  void visit(const ThreadBlock& block) {
    for (const ThreadStatement& statement : block) visit(statement);
  }
  void read(const Computation& value) {
    for_each_load(value, [&](const Computation::Load& load) {
      const std::size_t outer = conditions_.size();
      conditions_.insert(conditions_.end(), load.inside.begin(), load.inside.end());
      note(load.from, Access::Kind::kRead);
      conditions_.resize(outer);
    });
  }
  [[nodiscard]] std::vector<Access> take() { return std::move(accesses_); }

 private:
  void visit(const ThreadStatement& statement) {
    for_each_value(statement, [&](const Computation& value) { read(value); });
    if (const auto* store = std::get_if<StoreElement>(&statement.node)) {
      note(store->to, Access::Kind::kWrite);
    } else if (const auto* atomic = std::get_if<AtomicAdd>(&statement.node)) {
      note(atomic->to, Access::Kind::kAtomic);
    } else if (const auto* applied = std::get_if<ApplyInstruction>(&statement.node)) {
      note(*applied);
    } else if (const auto* tile = std::get_if<MultiplyTile>(&statement.node)) {
      note(*tile);
    } else if (const auto* panel = std::get_if<PackPanel>(&statement.node)) {
      note(*panel);
    } else if (const auto* guarded = std::get_if<Guarded>(&statement.node)) {
      const std::size_t outer = conditions_.size();
      conditions_.insert(conditions_.end(), guarded->conditions.begin(), guarded->conditions.end());
      visit(guarded->body);
      conditions_.resize(outer);
      visit(guarded->otherwise);
    } else if (const auto* loop = std::get_if<ThreadLoop>(&statement.node)) {
      loops_.push_back({loop->counter, loop->extent});
      visit(loop->body);
      loops_.pop_back();
    } else {
      for_each_block(statement, [&](const ThreadBlock& block) { visit(block); });
    }
  }

  void note(const ApplyInstruction& applied) {
    for (std::size_t i = 0; i != applied.places.size(); ++i) {
      if (!is_memory_(applied.places[i].buffer)) continue;
      note_atom(applied.places[i], places_of(applied.instruction.operands[i]),
                i == 0 ? Access::Kind::kWrite : Access::Kind::kRead);
    }
  }
  void note(const MultiplyTile& tile) {
    note_rows(tile.c, {tile.rows, tile.c_row}, {tile.columns, 1}, Access::Kind::kRead);
    note_rows(tile.a, {tile.rows, tile.a_row}, {tile.depth, tile.a_step}, Access::Kind::kRead);
    note_rows(tile.b, {tile.depth, tile.b_step}, {tile.size.columns, 1}, Access::Kind::kRead);
    note_rows(tile.c, {tile.rows, tile.c_row}, {tile.columns, 1}, Access::Kind::kWrite);
  }
  void note(const PackPanel& panel) {
    const Int count = ceil_div(panel.depth, panel.together);
    note_rows(panel.from, {min(panel.side, panel.rows), panel.row}, {panel.depth, panel.step},
              Access::Kind::kRead);
    note_rows(panel.to, {count, panel.to_step}, {panel.side, 1}, Access::Kind::kWrite);
  }
  struct Along {
    Int extent;
    Int stride;
  };
  void note_rows(const Location& first, const Along& rows, const Along& columns,
                 Access::Kind kind) {
    loops_.push_back({"#row", rows.extent});
    loops_.push_back({"#element", columns.extent});
    note({first.buffer, first.address + index_variable("#row", rows.extent) * rows.stride +
                            index_variable("#element", columns.extent) * columns.stride},
         kind);
    loops_.pop_back();
    loops_.pop_back();
  }
  void note_atom(const Location& first, const std::vector<std::int64_t>& places,
                 Access::Kind kind) {
    const std::int64_t count = std::ssize(places);
    if (!std::ranges::equal(places, std::views::iota(std::int64_t{0}, count))) {
      for (const std::int64_t place : places) note({first.buffer, first.address + place}, kind);
      return;
    }
    loops_.push_back({"#element", count});
    note({first.buffer, first.address + index_variable("#element", count)}, kind);
    loops_.pop_back();
  }

  void note(const Location& location, Access::Kind kind) {
    if (!is_memory_(location.buffer)) return;
    accesses_.push_back({location.buffer, kind, location.address, loops_, conditions_});
    if (!location.seen) return;
    for (const Int& other : location.seen->others) {
      accesses_.push_back({location.buffer, kind, other, loops_, conditions_});
    }
  }

  const std::function<bool(const std::string&)>& is_memory_;
  std::vector<Access> accesses_;
  std::vector<Access::Loop> loops_;
  std::vector<Condition> conditions_;
};

/// Whether the name, which none of its own loops counts, stands in the access.
bool mentions(const Access& access, const std::string& name) {
  if (std::ranges::find(access.loops, name, &Access::Loop::counter) != access.loops.end()) {
    return false;
  }
  return depends_on(access.address, name) ||
         std::ranges::any_of(access.conditions, [&](const Condition& condition) {
           return depends_on(condition, name);
         });
}

bool is_same(const Access& a, const Access& b) {
  return a.buffer == b.buffer && a.kind == b.kind && a.address == b.address && a.loops == b.loops &&
         a.conditions == b.conditions && a.is_exclusive == b.is_exclusive &&
         a.is_known == b.is_known && a.is_done_later == b.is_done_later;
}

// --- the elements of an access -------------------------------------------------------------------

/// Goes through the threads and loops of an access.
class FootprintMaker {
 public:
  FootprintMaker(const Access& access, std::int64_t threads) : access_(access) {
    axes_.push_back({"tx", threads});
    for (const Access::Loop& loop : access.loops) axes_.push_back({loop.counter, loop.extent});
    for (std::size_t i = 0; i != axes_.size(); ++i) variables_.slots[axes_[i].counter] = i;
    variables_.slots["laneid"] = axes_.size();
    variables_.slots["warpid"] = axes_.size() + 1;
  }

  std::shared_ptr<const Footprint> make() {
    if (!split() || !find_extents()) return nullptr;
    std::vector<std::pair<std::int64_t, std::int32_t>> touched;
    std::vector<std::int64_t> row(axes_.size() + 2, 0);
    const std::int64_t points = std::ranges::count(extents_, 0) != 0 ? 0 : points_;
    for (std::int64_t i = 0; i != points; ++i, advance(row)) {
      if (!std::ranges::all_of(tests_, [&](const Test& test) { return test.holds(row); })) continue;
      const exact::Value element = address_.at(row);
      if (!element) return nullptr;
      touched.emplace_back(*element, is_of_all_ || access_.is_done_later
                                         ? Footprint::kSeveral
                                         : static_cast<std::int32_t>(row[0]));
    }
    return of(touched);
  }

 private:
  struct Test {
    meaning::Formula left;
    Predicate predicate = Predicate::kEqual;
    meaning::Formula right;

    [[nodiscard]] bool holds(const std::vector<std::int64_t>& row) const {
      const exact::Value a = left.at(row);
      const exact::Value b = right.at(row);
      return !a || !b || known({*a, predicate, *b});
    }
  };

  /// What is common to all threads, and the rest, which is numbers.
  bool split() {
    Bindings zeros;
    for (const auto& [name, slot] : variables_.slots) zeros[name] = 0;
    const auto base = instantiate(access_.address, zeros);
    if (!base) return false;
    base_ = *base;
    const Int rest = access_.address - base_;
    auto address = meaning::Formula::make(rest, variables_);
    if (!address) return false;
    address_ = *std::move(address);
    used_ = heddle::variables(rest);
    for (const Condition& condition : access_.conditions) {
      auto left = meaning::Formula::make(condition.left, variables_);
      auto right = meaning::Formula::make(condition.right, variables_);
      if (!left || !right) continue;
      tests_.push_back({*std::move(left), condition.predicate, *std::move(right)});
      std::ranges::move(heddle::variables(condition.left), std::back_inserter(used_));
      std::ranges::move(heddle::variables(condition.right), std::back_inserter(used_));
    }
    return true;
  }

  /// How far each axis is gone through: not at all where nothing depends on it.
  bool find_extents() {
    const auto is_named = [&](const std::string& name) {
      return std::ranges::find(used_, name) != used_.end();
    };
    const bool is_in_warps = is_named("laneid") || is_named("warpid");
    for (const Access::Loop& axis : axes_) {
      const bool is_used = is_named(axis.counter) || (extents_.empty() && is_in_warps);
      const Range extents = range(axis.extent);
      if (is_used && !extents.is_bounded()) return false;
      extents_.push_back(is_used ? std::max<std::int64_t>(extents.high, 0) : 1);
      if (extents_.back() > kMostPoints / std::max<std::int64_t>(points_, 1)) return false;
      points_ *= extents_.back();
    }
    is_of_all_ = extents_[0] == 1 && !known_equal(axes_[0].extent, 1);
    return true;
  }

  void advance(std::vector<std::int64_t>& row) const {
    std::size_t i = 0;
    while (i != axes_.size() && ++row[i] == extents_[i]) row[i++] = 0;
    row[axes_.size()] = row[0] % kWarpThreads;
    row[axes_.size() + 1] = row[0] / kWarpThreads;
  }

  [[nodiscard]] std::shared_ptr<const Footprint> of(
      const std::vector<std::pair<std::int64_t, std::int32_t>>& touched) const {
    Footprint footprint{base_, 0, {}};
    if (touched.empty()) return std::make_shared<const Footprint>(std::move(footprint));
    const auto [low, high] = std::ranges::minmax(touched | std::views::keys);
    const exact::Value reach = exact::subtract(high, low);
    if (!reach || *reach >= kMostElements) return nullptr;
    footprint.low = low;
    footprint.owners.assign(static_cast<std::size_t>(high - low + 1), Footprint::kNobody);
    for (const auto& [element, thread] : touched) {
      std::int32_t& owner = footprint.owners[static_cast<std::size_t>(element - low)];
      const bool is_first = owner == Footprint::kNobody || owner == thread;
      owner = is_first ? thread : Footprint::kSeveral;
    }
    return std::make_shared<const Footprint>(std::move(footprint));
  }

  const Access& access_;
  std::vector<Access::Loop> axes_;
  meaning::Variables variables_;
  Int base_ = 0;
  meaning::Formula address_;
  std::vector<Test> tests_;
  std::vector<std::string> used_;
  std::vector<std::int64_t> extents_;
  std::int64_t points_ = 1;
  /// Whether every thread touches the same elements.
  bool is_of_all_ = false;
};

const Footprint* footprint_of(Access& access, std::int64_t threads) {
  if (!access.footprint) access.footprint = FootprintMaker(access, threads).make();
  return access.footprint->get();
}

Range range_of(Access& access) {
  if (!access.range) access.range = range(access.address);
  return *access.range;
}

/// Whether an address tells all values of its variables apart: each counts by more than all smaller
/// ones together.
bool is_injective(const Int& address, const std::vector<Access::Loop>& counted) {
  struct Part {
    Int stride;
    Int extent;
  };
  std::vector<Part> parts;
  Int rest = address;
  for (const auto& [name, extent] : counted) {
    const Int variable = index_variable(name, extent);
    if (variable.is_constant()) continue;
    const auto first = instantiate(rest, {{name, 0}});
    const auto second = instantiate(rest, {{name, 1}});
    if (!first || !second) return false;
    const Int stride = *second - *first;
    if (!stride.is_constant() || stride.value() <= 0) return false;
    if (!known_equal(rest - *first, stride * variable)) return false;
    const Range values = range(variable);
    parts.push_back({stride, values.is_bounded() ? Int(values.high) + 1 : Int::undefined()});
    rest = *first;
  }
  // Lanes and warps are threads, too.
  if (depends_on(rest, "laneid") || depends_on(rest, "warpid")) return false;
  std::ranges::sort(parts, {}, [](const Part& part) { return part.stride.value(); });
  Int below = 0;
  for (const Part& part : parts) {
    if (!below.is_defined() || !known_less(below, part.stride)) return false;
    below += (part.extent - 1) * part.stride;
  }
  return true;
}

// --- races ---------------------------------------------------------------------------------------

/// Two accesses that may be of different threads.
struct Pair {
  Access& before;
  Access& next;
  std::int64_t threads;
  /// The counters of loops around both.
  std::span<const Int> around = {};

  /// Whether they may race where all that is not their own is the same for both.
  [[nodiscard]] bool race() {
    if (are_apart()) return false;
    if (!before.is_known || !next.is_known) return true;
    if (are_far_apart() || is_by_one_thread({})) return false;
    const std::optional<bool> found = meet();
    return found ? *found : !is_free_of_races_in_each_run();
  }

  /// Whether they may race where the counter is greater for the next one.
  [[nodiscard]] bool race_in_later_run(const std::string& counter, const Int& extent) {
    if (counter.empty() || (!mentions(before, counter) && !mentions(next, counter))) return race();
    if (are_apart()) return false;
    if (!before.is_known || !next.is_known) return true;
    if (are_far_apart() || is_by_one_thread({{counter, extent}})) return false;
    if (is_past_its_step(counter, extent)) return false;
    return !extent.is_constant() || extent.value() > kMostRuns ||
           race_in_runs(counter, extent.value());
  }

 private:
  [[nodiscard]] bool are_apart() const {
    if (before.buffer != next.buffer) return true;
    return before.kind == next.kind && before.kind != Access::Kind::kWrite;
  }

  [[nodiscard]] bool are_far_apart() const {
    const Range a = range_of(before);
    const Range b = range_of(next);
    return a.high < b.low || b.high < a.low;
  }

  /// Whether equal addresses are by one thread, and in one iteration of these loops.
  [[nodiscard]] bool is_by_one_thread(std::vector<Access::Loop> counted) const {
    if (before.is_done_later || next.is_done_later) return false;
    if (before.address != next.address) return false;
    const auto holds_too = [](const Access& of, const Access& other) {
      return of.is_exclusive && of.loops == other.loops &&
             std::ranges::all_of(of.conditions, [&](const Condition& each) {
               return std::ranges::find(other.conditions, each) != other.conditions.end();
             });
    };
    if (counted.empty() && (holds_too(before, next) || holds_too(next, before))) return true;
    counted.push_back({"tx", threads});
    for (const Access* access : {&before, &next}) {
      std::ranges::copy_if(access->loops, std::back_inserter(counted), [&](const auto& loop) {
        return std::ranges::find(counted, loop) == counted.end();
      });
    }
    return is_injective(before.address, counted);
  }

  [[nodiscard]] static bool overlap(const Footprint& a, const Footprint& b, std::int64_t distance) {
    const std::int64_t end = std::min(a.end(), b.end() + distance);
    for (std::int64_t i = std::max(a.low, b.low + distance); i < end; ++i) {
      const std::int32_t one = a.owners[static_cast<std::size_t>(i - a.low)];
      const std::int32_t other = b.owners[static_cast<std::size_t>(i - distance - b.low)];
      if (one == Footprint::kNobody || other == Footprint::kNobody) continue;
      if (one != other || one == Footprint::kSeveral) return true;
    }
    return false;
  }

  /// Whether the address grows by more for each run than elements of one run are apart.
  [[nodiscard]] bool is_past_its_step(const std::string& counter, const Int& extent) {
    const Footprint* a = footprint_of(before, threads);
    const Footprint* b = a == nullptr ? nullptr : footprint_of(next, threads);
    if (b == nullptr) return false;
    if (a->owners.empty() || b->owners.empty()) return true;
    const auto first = instantiate(a->base, {{counter, 0}});
    const auto second = instantiate(a->base, {{counter, 1}});
    if (!first || !second) return false;
    const Int step = *second - *first;
    const Int distance = b->base - a->base;
    if (!step.is_constant() || !distance.is_constant()) return false;
    if (!known_equal(a->base - *first, step * index_variable(counter, extent))) {
      return false;
    }
    // step*(later - earlier) = element of a - element of b - distance
    const std::int64_t most = a->end() - 1 - b->low - distance.value();
    const std::int64_t least = a->low - (b->end() - 1) - distance.value();
    return step.value() > 0 ? most < step.value() : step.value() < 0 && least > step.value();
  }

  /// The access in one run of the loop.
  [[nodiscard]] static std::optional<Access> in_run(const Access& access,
                                                    const std::string& counter, std::int64_t run) {
    Access result = access;
    if (!mentions(access, counter)) return result;
    result.footprint.reset();
    result.range.reset();
    const auto address = instantiate(access.address, {{counter, run}});
    if (!address) return std::nullopt;
    result.address = *address;
    for (Condition& condition : result.conditions) {
      auto instance = instantiate(condition, {{counter, run}});
      if (!instance) return std::nullopt;
      condition = *std::move(instance);
    }
    return result;
  }

  /// Whether two threads touch one element; nullopt where that cannot be gone through.
  [[nodiscard]] std::optional<bool> meet() {
    const Footprint* a = footprint_of(before, threads);
    const Footprint* b = a == nullptr ? nullptr : footprint_of(next, threads);
    if (b == nullptr) return std::nullopt;
    const Int distance = b->base - a->base;
    if (!distance.is_constant()) return std::nullopt;
    return overlap(*a, *b, distance.value());
  }

  /// Whether a loop around both has few runs, none of which lets them race.
  [[nodiscard]] bool is_free_of_races_in_each_run() const {
    // A counter of a loop around one of them only may have the same name.
    const auto counts_itself = [](const Access& access, const std::string& name) {
      return std::ranges::find(access.loops, name, &Access::Loop::counter) != access.loops.end();
    };
    return std::ranges::any_of(around, [&](const Int& counter) {
      const Range runs = range(counter);
      const std::string name = heddle::to_string(counter);
      if (!runs.is_bounded() || runs.low != 0 || runs.high >= kMostRuns) return false;
      if (counts_itself(before, name) || counts_itself(next, name)) return false;
      return (mentions(before, name) || mentions(next, name)) && !race_in_each(name, runs.high + 1);
    });
  }

  [[nodiscard]] bool race_in_each(const std::string& counter, std::int64_t runs) const {
    for (std::int64_t run = 0; run != runs; ++run) {
      std::optional<Access> a = in_run(before, counter, run);
      std::optional<Access> b = in_run(next, counter, run);
      if (!a || !b || Pair{*a, *b, threads}.meet().value_or(true)) return true;
    }
    return false;
  }

  [[nodiscard]] bool race_in_runs(const std::string& counter, std::int64_t runs) const {
    std::vector<Access> earlier;
    for (std::int64_t run = 0; run != runs; ++run) {
      std::optional<Access> later = in_run(next, counter, run);
      if (!later) return true;
      for (Access& each : earlier) {
        if (Pair{each, *later, threads}.race()) return true;
      }
      std::optional<Access> now = in_run(before, counter, run);
      if (!now) return true;
      earlier.push_back(*std::move(now));
    }
    return false;
  }
};

}  // namespace

std::vector<Access> accesses_of(const ThreadBlock& block,
                                const std::function<bool(const std::string&)>& is_memory) {
  AccessFinder finder(is_memory);
  finder.visit(block);
  return finder.take();
}

std::vector<Access> accesses_of(const Computation& value,
                                const std::function<bool(const std::string&)>& is_memory) {
  AccessFinder finder(is_memory);
  finder.read(value);
  return finder.take();
}

const Access* Accesses::conflict(std::vector<Access>& next, std::span<const Int> around) {
  const auto found = std::ranges::find_if(state_.pending, [&](Access& before) {
    return std::ranges::any_of(
        next, [&](Access& each) { return Pair{before, each, threads_, around}.race(); });
  });
  return found == state_.pending.end() ? nullptr : &*found;
}

void Accesses::note(const std::vector<Access>& next) {
  const auto add_new = [&](std::vector<Access>& list, std::size_t first) {
    for (const Access& access : next) {
      const auto same = [&](const Access& other) { return is_same(access, other); };
      const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::none_of(begin, list.end(), same)) list.push_back(access);
    }
  };
  add_new(state_.pending, state_.own);
  if (!state_.has_barrier) add_new(state_.leading, 0);
}

void Accesses::clear() {
  state_.pending.clear();
  state_.own = 0;
  state_.has_barrier = true;
}

bool Accesses::is_pending(std::string_view buffer) const {
  return std::ranges::any_of(state_.pending,
                             [&](const Access& access) { return access.buffer == buffer; });
}

void Accesses::end_loop(const std::string& counter, const Int& extent) {
  for (std::vector<Access>* list : {&state_.pending, &state_.leading, &left_}) {
    for (Access& access : *list) {
      if (!mentions(access, counter)) continue;
      access.loops.push_back({counter, extent});
      access.is_exclusive = false;
      access.footprint.reset();
    }
  }
}

void Accesses::forget(const std::string& name) {
  for (std::vector<Access>* list : {&state_.pending, &state_.leading, &left_}) {
    for (Access& access : *list) {
      if (!mentions(access, name)) continue;
      // Without a condition it is made in more cases, which it is safe to wait for.
      std::erase_if(access.conditions,
                    [&](const Condition& each) { return depends_on(each, name); });
      access.is_exclusive = false;
      access.footprint.reset();
      access.is_known = access.is_known && !mentions(access, name);
    }
  }
}

void Accesses::leave() { left_.insert(left_.end(), state_.pending.begin(), state_.pending.end()); }

std::vector<Access> Accesses::take_left(std::vector<Access> before) {
  return std::exchange(left_, std::move(before));
}

void Accesses::add_pending(const std::vector<Access>& accesses) {
  state_.pending.insert(state_.pending.end(), accesses.begin(), accesses.end());
}

Accesses::State Accesses::begin() {
  State before = state_;
  state_.leading.clear();
  state_.own = state_.pending.size();
  state_.has_barrier = false;
  return before;
}

Accesses::State Accesses::end(State before) {
  State part = state_;
  if (part.has_barrier) {
    // The part may not run at all: what was pending before it still is.
    state_.pending.insert(state_.pending.begin(), before.pending.begin(), before.pending.end());
  } else {
    const auto older = static_cast<std::ptrdiff_t>(before.pending.size());
    part.pending.erase(part.pending.begin(), part.pending.begin() + older);
  }
  state_.leading = std::move(before.leading);
  state_.own = before.own;
  state_.has_barrier = before.has_barrier;
  if (!state_.has_barrier) {
    state_.leading.insert(state_.leading.end(), part.leading.begin(), part.leading.end());
  }
  return part;
}

const Access* Accesses::between_runs(State& part, const std::string& counter,
                                     const Int& extent) const {
  for (Access& last : part.pending) {
    for (Access& first : part.leading) {
      if (Pair{last, first, threads_}.race_in_later_run(counter, extent)) return &last;
    }
  }
  return nullptr;
}

}  // namespace heddle::kernel

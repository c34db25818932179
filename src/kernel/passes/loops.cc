#include "kernel/passes/loops.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/overloaded.h"
#include "heddle/expr/proof.h"
#include "kernel/passes/bounds.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

void add_conditions(const Computation& value, std::vector<Condition>& conditions) {
  for_each_load(value, [&](const Computation::Load& load) {
    for (const Condition& each : load.inside) {
      if (std::ranges::find(conditions, each) == conditions.end()) conditions.push_back(each);
    }
  });
}

void drop_conditions(Computation& value) {
  for_each_load(value, [](Computation::Load& load) { load.inside.clear(); });
}

class LoopBounder {
 public:
  explicit LoopBounder(const Fresh& fresh) : fresh_(fresh) {}

  void visit(ThreadBlock& block) {
    ThreadBlock result;
    for (ThreadStatement& statement : block) {
      for_each_block(statement, [&](ThreadBlock& inner) { visit(inner); });
      if (auto* loop = std::get_if<ThreadLoop>(&statement.node)) {
        add(std::move(*loop), result);
      } else {
        result.push_back(std::move(statement));
      }
    }
    block = std::move(result);
  }

 private:
  /// The loop, with the conditions on all that it does as bounds.
  void add(ThreadLoop loop, ThreadBlock& result) {
    auto* guard = loop.body.size() == 1 ? std::get_if<Guarded>(&loop.body.front().node) : nullptr;
    if (guard == nullptr || guard->conditions.empty()) return add_split(std::move(loop), result);
    if (!guard->otherwise.empty()) return add_both(std::move(loop), result);
    Bounds bounds;
    std::vector<Condition> outer;
    std::vector<Condition> inner;
    for (const Condition& each : guard->conditions) {
      if (!depends_on(each, loop.counter)) {
        outer.push_back(each);
      } else if (!bounds.add(each, loop.counter)) {
        inner.push_back(each);
      }
    }
    guard->conditions = std::move(inner);
    if (guard->conditions.empty()) {
      ThreadBlock body = std::move(guard->body);
      loop.body = std::move(body);
    }
    if (outer.empty()) return add_bounded(std::move(loop), bounds, result);
    Guarded around{std::move(outer), {}, {}};
    add_bounded(std::move(loop), bounds, around.body);
    result.push_back({std::move(around)});
  }

  /// The loop within bounds; if it is short, once more as it is usually, of constant length.
  void add_bounded(ThreadLoop loop, const Bounds& bounds, ThreadBlock& result) {
    constexpr std::int64_t kShort = 64;
    ThreadLoop bounded = loop;
    bounded.begin = bounds.begin_from(loop.begin);
    bounded.extent = bounds.end_up_to(loop.extent);
    const bool has_versions = loop.extent.is_constant() && loop.extent.value() <= kShort &&
                              !bounds.empty() && are_all_stores(loop.body);
    if (!has_versions) return add_split(std::move(bounded), result);
    Guarded versions;
    for (const Int& end : bounds.ends) {
      versions.conditions.push_back({loop.extent, Predicate::kAtMost, end});
    }
    for (const Int& begin : bounds.begins) {
      versions.conditions.push_back({begin, Predicate::kAtMost, loop.begin});
    }
    add_split(std::move(loop), versions.body);
    add_split(std::move(bounded), versions.otherwise);
    result.push_back({std::move(versions)});
  }

  static bool are_all_stores(const ThreadBlock& block) {
    return std::ranges::all_of(block, [](const ThreadStatement& statement) {
      return std::holds_alternative<StoreElement>(statement.node);
    });
  }

  /// Of a loop over `if … else …`: the first block in the middle part, the other one around it.
  void add_both(ThreadLoop loop, ThreadBlock& result) {
    auto& guard = std::get<Guarded>(loop.body.front().node);
    Bounds bounds;
    std::vector<Condition> outer;
    if (!divide(guard.conditions, loop.counter, bounds, outer)) {
      return result.push_back({std::move(loop)});
    }
    ThreadLoop plain = loop;
    plain.body = std::move(guard.body);
    ThreadBlock rest = std::move(guard.otherwise);
    loop.body = std::move(rest);
    add_parts(std::move(loop), std::move(plain), bounds, std::move(outer), result);
  }

  /// The loop, in three parts if loads have conditions: in the middle one they hold.
  void add_split(ThreadLoop loop, ThreadBlock& result) {
    if (!are_all_stores(loop.body)) return result.push_back({std::move(loop)});
    std::vector<Condition> conditions;
    for (const ThreadStatement& statement : loop.body) {
      add_conditions(std::get<StoreElement>(statement.node).value, conditions);
    }
    constexpr std::size_t kMost = 32;
    Bounds bounds;
    std::vector<Condition> outer;
    const bool is_usual = !conditions.empty() && conditions.size() <= kMost;
    if (!is_usual || !divide(conditions, loop.counter, bounds, outer)) {
      return result.push_back({std::move(loop)});
    }
    ThreadLoop plain = loop;
    for (ThreadStatement& statement : plain.body) {
      drop_conditions(std::get<StoreElement>(statement.node).value);
    }
    add_parts(std::move(loop), std::move(plain), bounds, std::move(outer), result);
  }

  /// Notes what conditions say of the counter, and those that do not name it; false if one says
  /// something else.
  static bool divide(const std::vector<Condition>& conditions, const std::string& counter,
                     Bounds& bounds, std::vector<Condition>& outer) {
    for (const Condition& each : conditions) {
      if (!depends_on(each, counter)) {
        outer.push_back(each);
      } else if (!bounds.add(each, counter)) {
        return false;
      }
    }
    return true;
  }

  /// `plain` where all conditions hold, the loop elsewhere.
  void add_parts(ThreadLoop loop, ThreadLoop plain, const Bounds& bounds,
                 std::vector<Condition> outer, ThreadBlock& result) {
    ThreadBlock parts;
    if (bounds.empty()) {
      parts.push_back({std::move(plain)});
    } else {
      parts = in_parts(loop, std::move(plain), bounds);
    }
    if (outer.empty()) return void(std::ranges::move(parts, std::back_inserter(result)));
    ThreadBlock otherwise;
    otherwise.push_back({std::move(loop)});
    result.push_back({Guarded{std::move(outer), std::move(parts), std::move(otherwise)}});
  }

  ThreadBlock in_parts(const ThreadLoop& loop, ThreadLoop plain, const Bounds& bounds) {
    ThreadBlock parts;
    const auto named = [&](std::string_view name, const Int& value) {
      const std::string called = fresh_(name);
      parts.push_back({Define{called, {Computation::Index{value}, DType::kI64, {}}}});
      return Int::variable(called);
    };
    const Int begin = bounds.begins.empty()
                          ? loop.begin
                          : named("first", min(bounds.begin_from(loop.begin), loop.extent));
    const Int end =
        bounds.ends.empty() ? loop.extent : named("end", max(begin, bounds.end_up_to(loop.extent)));
    const auto add = [&](ThreadLoop part, const Int& from, const Int& to) {
      part.begin = from;
      part.extent = to;
      parts.push_back({std::move(part)});
    };
    if (!bounds.begins.empty()) add(loop, loop.begin, begin);
    add(std::move(plain), begin, end);
    if (!bounds.ends.empty()) add(loop, end, loop.extent);
    return parts;
  }

  const Fresh& fresh_;
};

// --- iterations apart from each other ------------------------------------------------------------

/// What the iterations of a loop do with memory.
class IterationReader {
 public:
  explicit IterationReader(std::string counter) : counter_(std::move(counter)) {}

  /// Whether iterations may be done several at a time, as far as this block says.
  bool visit(const ThreadBlock& block) {
    return std::ranges::all_of(block, [&](const ThreadStatement& statement) {
      return std::visit(Overloaded{[&](const StoreElement& node) { return visit(node); },
                                   [&](const Guarded& node) {
                                     return !node.conditions.empty() && visit(node.body) &&
                                            visit(node.otherwise);
                                   },
                                   [&](const Buffer& node) {
                                     own_.push_back(node.name);
                                     return known_equal(node.elements, 1);
                                   },
                                   [&](const Define& node) {
                                     defined_.push_back(node.name);
                                     return visit(node.value);
                                   },
                                   [](const Origin& /*node*/) { return true; },
                                   [](const auto& /*node*/) { return false; }},
                        statement.node);
    });
  }

  /// Whether no iteration reads or writes what another one writes, but for what is added up.
  [[nodiscard]] bool are_apart() const {
    return std::ranges::all_of(written_, [&](const Location& to) {
      // Others are stored one by one anyway.
      const std::optional<Int> stride = stride_along(to.address, counter_);
      if (!stride || !known_equal(*stride, 1)) return false;
      const auto is_same = [&](const Location& other) {
        return other.buffer != to.buffer || known_equal(other.address, to.address);
      };
      return std::ranges::all_of(written_, is_same) && std::ranges::all_of(read_, is_same);
    });
  }

  /// `sum = sum + x`: where to, and what is added up how.
  struct Sum {
    Location to;
    Function function = Function::kAdd;
    DType type = DType::kF32;
  };
  [[nodiscard]] const std::vector<Sum>& sums() const { return sums_; }
  /// Whether what is added up is used for nothing else.
  [[nodiscard]] bool are_sums_apart() const {
    return std::ranges::all_of(sums_, [&](const Sum& sum) {
      const auto is_other = [&](const Location& other) { return other.buffer != sum.to.buffer; };
      const auto count = std::ranges::count_if(
          sums_, [&](const Sum& other) { return other.to.buffer == sum.to.buffer; });
      return count == 1 && std::ranges::all_of(written_, is_other) &&
             std::ranges::all_of(read_, is_other);
    });
  }

 private:
  [[nodiscard]] bool is_own(const std::string& buffer) const {
    return std::ranges::find(own_, buffer) != own_.end();
  }

  bool visit(const StoreElement& node) {
    if (node.to.seen) return false;
    if (is_own(node.to.buffer)) return visit(node.value);
    // Where that is, each iteration finds out.
    const auto is_found = [&](const std::string& name) {
      return depends_on(node.to.address, name);
    };
    if (std::ranges::any_of(defined_, is_found)) return false;
    if (!depends_on(node.to.address, counter_)) return visit_sum(node);
    written_.push_back(node.to);
    return visit(node.value);
  }

  bool visit_sum(const StoreElement& node) {
    const auto* apply = std::get_if<Computation::Apply>(&node.value.node);
    if (apply == nullptr || node.value.operands.size() != 2) return false;
    const Function function = apply->function;
    const bool is_sum = function == Function::kAdd || function == Function::kMultiply ||
                        function == Function::kMax || function == Function::kMin;
    const auto* load = std::get_if<Computation::Load>(&node.value.operands[0].node);
    if (!is_sum || load == nullptr || load->from != node.to || !load->inside.empty()) return false;
    if (node.value.operands[1].type != node.value.type) return false;
    sums_.push_back({node.to, function, node.value.type});
    return visit(node.value.operands[1]);
  }

  bool visit(const Computation& value) {
    if (const auto* load = std::get_if<Computation::Load>(&value.node)) {
      if (!is_own(load->from.buffer)) read_.push_back(load->from);
    }
    return std::ranges::all_of(value.operands,
                               [&](const Computation& operand) { return visit(operand); });
  }

  std::string counter_;
  std::vector<std::string> own_;
  std::vector<std::string> defined_;
  std::vector<Location> written_;
  std::vector<Location> read_;
  std::vector<Sum> sums_;
};

/// Reads and writes another place instead.
void replace(ThreadBlock& block, const Location& from, const Location& to) {
  for (ThreadStatement& statement : block) {
    for_each_place(statement, [&](Location& place) {
      if (place == from) place = to;
    });
    for_each_block(statement, [&](ThreadBlock& inner) { replace(inner, from, to); });
  }
}

class VectorFinder {
 public:
  explicit VectorFinder(const Fresh& fresh) : fresh_(fresh) {}

  void visit(ThreadBlock& block) {
    ThreadBlock result;
    for (ThreadStatement& statement : block) {
      auto* loop = std::get_if<ThreadLoop>(&statement.node);
      if (loop != nullptr && mark(*loop)) {
        add(std::move(*loop), result);
        continue;
      }
      for_each_block(statement, [&](ThreadBlock& inner) { visit(inner); });
      result.push_back(std::move(statement));
    }
    block = std::move(result);
  }

 private:
  bool mark(ThreadLoop& loop) {
    // What statements of the kernel add up is added up in their order.
    const bool has_order = !std::exchange(loop.is_vector, false);
    IterationReader reader(loop.counter);
    loop.is_vector = reader.visit(loop.body) && reader.are_apart() && reader.are_sums_apart() &&
                     (!has_order || reader.sums().empty());
    if (!loop.is_vector) return false;
    for (const auto& sum : reader.sums()) {
      loop.sums.push_back({sum.to, sum.function, sum.type});
    }
    return true;
  }

  static Computation load(const Location& from, DType type) {
    return {Computation::Load{from, {}, {}}, type, {}};
  }

  /// The loop, with what it adds up in registers of its own.
  void add(ThreadLoop loop, ThreadBlock& result) {
    if (loop.sums.empty()) return result.push_back({std::move(loop)});
    Guarded apart;
    ThreadBlock behind;
    for (ThreadLoop::Sum& sum : loop.sums) {
      const Location own{fresh_("part"), 0};
      apart.body.push_back({Buffer{own.buffer, sum.type, Space::kRegister, 1}});
      apart.body.push_back({StoreElement{own, load(sum.place, sum.type)}});
      behind.push_back({StoreElement{sum.place, load(own, sum.type)}});
      replace(loop.body, sum.place, own);
      sum.place = own;
    }
    if (is_long(loop) && is_light(loop.body)) {
      add_lanes(loop, apart.body);
    } else {
      apart.body.push_back({std::move(loop)});
    }
    std::ranges::move(behind, std::back_inserter(apart.body));
    result.push_back({std::move(apart)});
  }

  static bool is_long(const ThreadLoop& loop) {
    return !loop.extent.is_constant() || loop.extent.value() >= 4 * kLanes;
  }

  /// Whether what is added up is found sooner than an addition that waits for the one before.
  static bool is_light(const ThreadBlock& body) {
    return std::ranges::all_of(body, [](const ThreadStatement& statement) {
      const auto* store = std::get_if<StoreElement>(&statement.node);
      return store != nullptr && is_light(store->value);
    });
  }

  static bool is_light(const Computation& value) {
    const auto* apply = std::get_if<Computation::Apply>(&value.node);
    constexpr std::array kLight = {Function::kAdd, Function::kSubtract, Function::kMultiply,
                                   Function::kMax, Function::kMin,      Function::kAbs};
    if (apply != nullptr && std::ranges::find(kLight, apply->function) == kLight.end())
      return false;
    return std::ranges::all_of(value.operands,
                               [](const Computation& operand) { return is_light(operand); });
  }

  /// `kLanes` iterations at a time, each with a sum of its own, then those that are left; the sums
  /// are added up in the end.
  void add_lanes(const ThreadLoop& loop, ThreadBlock& result) {
    const Int count = max(loop.extent - loop.begin, 0);
    const std::string whole = fresh_("whole");
    const Int turns = Int::variable(whole);
    result.push_back(
        {Define{whole, {Computation::Index{floor_div(count, kLanes)}, DType::kI64, {}}}});
    ThreadLoop lanes = over_lanes(kLanes);
    ThreadLoop left = over_lanes(count - kLanes * turns);
    const std::string turn = fresh_("turn");
    add_part(loop, loop.begin + kLanes * Int::variable(turn), lanes);
    add_part(loop, loop.begin + kLanes * turns, left);
    ThreadBlock behind;
    for (const ThreadLoop::Sum& sum : loop.sums) {
      const std::string own = fresh_("lanes");
      result.push_back({Buffer{own, sum.type, Space::kRegister, kLanes}});
      begin_lanes(sum, own, result);
      for (ThreadLoop* part : {&lanes, &left}) {
        replace(part->body, sum.place, {own, Int::variable(part->counter)});
      }
      join_lanes(sum, own, behind);
    }
    result.push_back({ThreadLoop{turn, turns, {{std::move(lanes)}}}});
    result.push_back({std::move(left)});
    std::ranges::move(behind, std::back_inserter(result));
  }

  /// What the loop does from `begin` on, in each lane.
  static void add_part(const ThreadLoop& loop, const Int& begin, ThreadLoop& lanes) {
    const Int at = begin + Int::variable(lanes.counter, 0, kLanes - 1);
    lanes.body.push_back({Define{loop.counter, {Computation::Index{at}, DType::kI64, {}}}});
    std::ranges::copy(loop.body, std::back_inserter(lanes.body));
  }

  ThreadLoop over_lanes(const Int& count) {
    ThreadLoop loop{fresh_("lane"), count, {}};
    loop.is_vector = true;
    return loop;
  }

  /// Lanes begin with what changes nothing.
  void begin_lanes(const ThreadLoop::Sum& sum, const std::string& own, ThreadBlock& result) {
    Computation first = load(sum.place, sum.type);
    if (sum.function == Function::kAdd) first.node = Computation::Literal{number(0, sum.type)};
    if (sum.function == Function::kMultiply) first.node = Computation::Literal{number(1, sum.type)};
    ThreadLoop lanes = over_lanes(kLanes);
    const Location each{own, Int::variable(lanes.counter)};
    lanes.body.push_back({StoreElement{each, std::move(first)}});
    result.push_back({std::move(lanes)});
  }

  /// Half of the lanes to the other half, until one is left, which is added to the sum.
  void join_lanes(const ThreadLoop::Sum& sum, const std::string& own, ThreadBlock& result) {
    const auto joined = [&](const Location& to, const Location& from) {
      return ThreadStatement{StoreElement{to,
                                          {Computation::Apply{sum.function, sum.type},
                                           sum.type,
                                           {load(to, sum.type), load(from, sum.type)}}}};
    };
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
      ThreadLoop lanes = over_lanes(half);
      const Int lane = Int::variable(lanes.counter);
      lanes.body.push_back(joined({own, lane}, {own, lane + half}));
      result.push_back({std::move(lanes)});
    }
    result.push_back(joined(sum.place, {own, 0}));
  }

  static Number number(std::int64_t value, DType type) {
    return is_float(type) ? Number(static_cast<double>(value)) : Number(value);
  }

  /// Additions of so many lanes do not wait for each other on any CPU: 256 bytes of f32 are four
  /// vectors of AVX-512.
  static constexpr std::int64_t kLanes = 64;

  const Fresh& fresh_;
};

}  // namespace

void bound_loops(ThreadBlock& block, const Fresh& fresh) { LoopBounder(fresh).visit(block); }
void find_vectors(ThreadBlock& block, const Fresh& fresh) { VectorFinder(fresh).visit(block); }

}  // namespace heddle::kernel

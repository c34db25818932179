#include "race_check.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <variant>

#include "heddle/expr/proof.h"
#include "kernel/meaning/formula.h"

namespace heddle::kernels {
namespace {

using kernel::Array;
using kernel::Computation;
using kernel::DType;
using kernel::Function;
using kernel::Location;
using kernel::ThreadBlock;

// Who touched an element since the last barrier.
struct Touched {
  static constexpr int kNobody = -1;
  static constexpr int kSeveral = -2;
  int reader = kNobody;
  int writer = kNobody;
  int adder = kNobody;

  static void note(int& who, int thread) {
    who = who == kNobody || who == thread ? thread : kSeveral;
  }
  static bool is_other(int who, int thread) { return who != kNobody && who != thread; }
};

struct WatchedArray {
  DType type = DType::kI32;
  std::vector<std::int64_t> elements;
  std::vector<Touched> touched;
};

enum class Kind { kRead, kWrite, kAdd };

// The threads that are here.
using Mask = std::vector<char>;

bool any(const Mask& mask) {
  return std::ranges::any_of(mask, [](char each) { return each != 0; });
}

std::int64_t wrapped(DType type, std::int64_t value) {
  if (type == DType::kBool) return value != 0 ? 1 : 0;
  return decode(type, encode(type, kernel::Number(value))).integer;
}

class Block {
 public:
  Block(const kernel::ThreadProgram& program, std::map<std::string, WatchedArray>& global,
        const std::map<std::string, std::int64_t>& values)
      : global_(global), threads_(static_cast<int>(program.launch.threads)) {
    for (const auto& [name, memory] : global_)
      global_[name].touched.assign(memory.elements.size(), {});
    for (const kernel::Buffer& buffer : program.shared) {
      const auto size = static_cast<std::size_t>(buffer.elements.value());
      shared_[buffer.name] = {buffer.type, std::vector<std::int64_t>(size), {}};
      shared_[buffer.name].touched.resize(size);
    }
    const auto set = [&](const std::string& name, auto of_thread) {
      const std::size_t slot = slot_of(name);
      for (int t = 0; t != threads_; ++t) rows_[static_cast<std::size_t>(t)][slot] = of_thread(t);
    };
    rows_.assign(static_cast<std::size_t>(threads_), std::vector<std::int64_t>(kMostNames));
    for (const auto& [name, value] : values) {
      set(name, [number = value](int) { return number; });
    }
    set("tx", [](int t) { return t; });
    set("laneid", [](int t) { return t % 32; });
    set("warpid", [](int t) { return t / 32; });
    run(program.body, Mask(static_cast<std::size_t>(threads_), 1));
  }

  [[nodiscard]] const std::string& race() const { return race_; }
  [[nodiscard]] const std::set<const kernel::ThreadStatement*>& barriers() const {
    return barriers_;
  }

 private:
  static constexpr std::size_t kMostNames = 256;
  using Values = std::vector<std::int64_t>;

  // --- integers

  std::size_t slot_of(const std::string& name) {
    const auto [found, is_new] = variables_.slots.try_emplace(name, variables_.slots.size());
    if (found->second >= kMostNames) throw std::runtime_error("too many names");
    return found->second;
  }
  const kernel::meaning::Formula& formula(const Int& value) {
    const auto found = formulas_.find(&value);
    if (found != formulas_.end()) return found->second;
    for (const std::string& name : variables(value)) slot_of(name);
    return formulas_.emplace(&value, kernel::meaning::Formula::make(value, variables_).value())
        .first->second;
  }
  std::int64_t at(const Int& value, std::size_t thread) {
    return formula(value).at(rows_[thread]).value();
  }
  bool holds(const Condition& condition, std::size_t thread) {
    const std::int64_t a = at(condition.left, thread);
    const std::int64_t b = at(condition.right, thread);
    return known({a, condition.predicate, b});
  }
  bool hold(const std::vector<Condition>& conditions, std::size_t thread) {
    return std::ranges::all_of(conditions,
                               [&](const Condition& each) { return holds(each, thread); });
  }

  // --- memory

  std::int64_t& element(const Location& location, std::size_t thread, Kind kind) {
    if (location.seen) throw std::runtime_error("views of bits are not run");
    return element(location.buffer, at(location.address, thread), thread, kind);
  }
  std::int64_t& element(const std::string& buffer, std::int64_t address, std::size_t thread,
                        Kind kind) {
    if (const auto own = registers_.find(buffer); own != registers_.end()) {
      return own->second.elements.at(thread).at(static_cast<std::size_t>(address));
    }
    const auto found = shared_.find(buffer);
    WatchedArray& memory = found != shared_.end() ? found->second : global_.at(buffer);
    touch(buffer, memory.touched.at(static_cast<std::size_t>(address)), address,
          static_cast<int>(thread), kind);
    return memory.elements[static_cast<std::size_t>(address)];
  }
  void touch(const std::string& buffer, Touched& touched, std::int64_t address, int thread,
             Kind kind) {
    const bool races = Touched::is_other(touched.writer, thread) ||
                       (kind != Kind::kAdd && Touched::is_other(touched.adder, thread)) ||
                       (kind != Kind::kRead && Touched::is_other(touched.reader, thread));
    if (races && race_.empty()) {
      race_ = "thread " + std::to_string(thread) + " and another one touch " + buffer + "[" +
              std::to_string(address) + "]";
    }
    Touched::note(kind == Kind::kRead    ? touched.reader
                  : kind == Kind::kWrite ? touched.writer
                                         : touched.adder,
                  thread);
  }
  DType type_of(const std::string& buffer) {
    const auto own = registers_.find(buffer);
    if (own != registers_.end()) return own->second.type;
    const auto found = shared_.find(buffer);
    return found != shared_.end() ? found->second.type : global_.at(buffer).type;
  }

  // --- values

  Values compute(const Computation& value, const Mask& mask) {
    std::vector<Values> operands;
    for (const Computation& operand : value.operands) operands.push_back(compute(operand, mask));
    Values results(mask.size());
    for (std::size_t t = 0; t != mask.size(); ++t) {
      if (mask[t] == 0) continue;
      results[t] =
          std::visit([&](const auto& node) { return of(node, value, operands, t); }, value.node);
    }
    return results;
  }
  std::int64_t of(const Computation::Literal& node, const Computation& value,
                  const std::vector<Values>&, std::size_t) {
    return wrapped(value.type, node.value.is_real ? static_cast<std::int64_t>(node.value.real)
                                                  : node.value.integer);
  }
  std::int64_t of(const Computation::Index& node, const Computation&, const std::vector<Values>&,
                  std::size_t t) {
    return at(node.value, t);
  }
  std::int64_t of(const Computation::Load& node, const Computation&, const std::vector<Values>&,
                  std::size_t t) {
    if (hold(node.inside, t)) return element(node.from, t, Kind::kRead);
    return node.otherwise.is_real ? static_cast<std::int64_t>(node.otherwise.real)
                                  : node.otherwise.integer;
  }
  std::int64_t of(const Computation::Apply& node, const Computation& value,
                  const std::vector<Values>& operands, std::size_t t) {
    const std::int64_t a = operands[0][t];
    const std::int64_t b = operands.size() > 1 ? operands[1][t] : 0;
    const std::int64_t c = operands.size() > 2 ? operands[2][t] : 0;
    return wrapped(value.type, applied(node.function, a, b, c));
  }
  std::int64_t of(const Computation::Convert& node, const Computation& value,
                  const std::vector<Values>& operands, std::size_t t) {
    return wrapped(value.type, wrapped(node.type, operands[0][t]));
  }
  std::int64_t of(const Computation::Shuffle& node, const Computation&,
                  const std::vector<Values>& operands, std::size_t t) {
    return operands[0][t ^ static_cast<std::size_t>(node.distance)];
  }
  static std::int64_t applied(Function function, std::int64_t a, std::int64_t b, std::int64_t c) {
    switch (function) {
      case Function::kAdd:
        return a + b;
      case Function::kSubtract:
        return a - b;
      case Function::kMultiply:
        return a * b;
      case Function::kRemainder:
        return b == 0 ? a : ((a % b) + std::abs(b)) % std::abs(b);
      case Function::kQuotient:
        return b == 0 ? 0 : (a - ((a % b) + std::abs(b)) % std::abs(b)) / b;
      case Function::kEqual:
        return a == b ? 1 : 0;
      case Function::kLess:
        return a < b ? 1 : 0;
      case Function::kAtMost:
        return a <= b ? 1 : 0;
      case Function::kAnd:
        return a != 0 && b != 0 ? 1 : 0;
      case Function::kOr:
        return a != 0 || b != 0 ? 1 : 0;
      case Function::kSelect:
        return a != 0 ? b : c;
      case Function::kMin:
        return std::min(a, b);
      case Function::kMax:
        return std::max(a, b);
      default:
        throw std::runtime_error("a function that is not run");
    }
  }

  // --- statements

  // Those of the threads that go on; a loop around finds the others in `left_` and `next_`.
  Mask run(const ThreadBlock& block, Mask mask) {
    for (const kernel::ThreadStatement& statement : block) {
      if (!any(mask)) return mask;
      if (std::holds_alternative<kernel::Barrier>(statement.node)) barriers_.insert(&statement);
      std::visit([&](const auto& node) { run(node, mask); }, statement.node);
    }
    return mask;
  }
  void run(const kernel::StoreElement& node, Mask& mask) {
    const Values values = compute(node.value, mask);
    for_each(mask, [&](std::size_t t) {
      element(node.to, t, Kind::kWrite) = wrapped(type_of(node.to.buffer), values[t]);
    });
  }
  void run(const kernel::ApplyInstruction& node, Mask& mask) {
    const auto to = places_of(node.instruction.operands[0]);
    const auto from = places_of(node.instruction.operands[1]);
    const auto element_at = [&](std::size_t operand, std::int64_t place, std::size_t t,
                                Kind kind) -> std::int64_t& {
      const Location& first = node.places[operand];
      return element(first.buffer, at(first.address, t) + place, t, kind);
    };
    for_each(mask, [&](std::size_t t) {
      std::vector<std::int64_t> values;
      for (const std::int64_t place : from) values.push_back(element_at(1, place, t, Kind::kRead));
      for (std::size_t i = 0; i != to.size(); ++i) {
        element_at(0, to[i], t, Kind::kWrite) = values[i];
      }
    });
  }
  void run(const kernel::AtomicAdd& node, Mask& mask) {
    const Values values = compute(node.value, mask);
    for_each(mask, [&](std::size_t t) {
      std::int64_t& to = element(node.to, t, Kind::kAdd);
      to = wrapped(type_of(node.to.buffer), to + values[t]);
    });
  }
  void run(const kernel::Define& node, Mask& mask) {
    const Values values = compute(node.value, mask);
    const std::size_t slot = slot_of(node.name);
    for_each(mask, [&](std::size_t t) { rows_[t][slot] = values[t]; });
  }
  void run(const kernel::Barrier&, Mask& mask) {
    if (std::ranges::count(mask, 0) != 0 && race_.empty()) race_ = "not all threads wait";
    for (auto* memories : {&shared_, &global_}) {
      for (auto& [name, memory] : *memories) std::ranges::fill(memory.touched, Touched{});
    }
  }
  void run(const kernel::ThreadLoop& node, Mask& mask) {
    const std::size_t slot = slot_of(node.counter);
    Mask active = mask;
    for (std::int64_t i = 0;; ++i) {
      for_each(active, [&](std::size_t t) { active[t] = i < at(node.extent, t) ? 1 : 0; });
      if (!any(active)) return;
      for_each(active, [&](std::size_t t) { rows_[t][slot] = i; });
      active = iteration(node.body, std::move(active));
    }
  }
  void run(const kernel::ThreadWhile& node, Mask& mask) {
    Mask active = mask;
    for (;;) {
      const Values tested = compute(node.condition, active);
      for_each(active, [&](std::size_t t) { active[t] = tested[t] != 0 ? 1 : 0; });
      if (!any(active)) return;
      active = iteration(node.body, std::move(active));
    }
  }
  // The threads that come back to the head of the loop.
  Mask iteration(const ThreadBlock& body, Mask active) {
    Mask outer = std::exchange(next_, Mask(active.size(), 0));
    active = run(body, std::move(active));
    for (std::size_t t = 0; t != active.size(); ++t) active[t] |= next_[t];
    next_ = std::move(outer);
    return active;
  }
  void run(const kernel::Guarded& node, Mask& mask) {
    Values tested(mask.size());
    for_each(mask, [&](std::size_t t) { tested[t] = hold(node.conditions, t) ? 1 : 0; });
    branch(tested, node.body, node.otherwise, mask);
  }
  void run(const kernel::ThreadBranch& node, Mask& mask) {
    branch(compute(node.condition, mask), node.then, node.otherwise, mask);
  }
  void branch(const Values& tested, const ThreadBlock& then, const ThreadBlock& otherwise,
              Mask& mask) {
    Mask one = mask;
    Mask other = mask;
    for_each(mask, [&](std::size_t t) { (tested[t] != 0 ? other : one)[t] = 0; });
    one = run(then, std::move(one));
    other = run(otherwise, std::move(other));
    for (std::size_t t = 0; t != mask.size(); ++t) mask[t] = one[t] | other[t];
  }
  void run(const kernel::LeaveLoop&, Mask& mask) { std::ranges::fill(mask, 0); }
  void run(const kernel::NextIteration&, Mask& mask) {
    for (std::size_t t = 0; t != mask.size(); ++t) next_[t] |= mask[t];
    std::ranges::fill(mask, 0);
  }
  void run(const kernel::Buffer& node, Mask& mask) {
    auto& own = registers_[node.name];
    own.type = node.type;
    own.elements.assign(mask.size(), Values(static_cast<std::size_t>(node.elements.value())));
  }
  void run(const kernel::Origin&, Mask&) {}
  template <class Node>
  void run(const Node&, Mask&) {
    throw std::runtime_error("a statement that is not run");
  }
  template <class Visit>
  void for_each(const Mask& mask, const Visit& visit) {
    for (std::size_t t = 0; t != mask.size(); ++t) {
      if (mask[t] != 0) visit(t);
    }
  }

  struct Registers {
    DType type = DType::kI32;
    std::vector<Values> elements;
  };

  std::map<std::string, WatchedArray>& global_;
  int threads_;
  std::map<std::string, WatchedArray> shared_;
  std::map<std::string, Registers> registers_;
  kernel::meaning::Variables variables_;
  std::unordered_map<const Int*, kernel::meaning::Formula> formulas_;
  std::vector<Values> rows_;
  Mask next_;
  std::string race_;
  std::set<const kernel::ThreadStatement*> barriers_;
};

}  // namespace

RaceCheck run_for_races(const kernel::ThreadProgram& program, std::vector<Array> arguments) {
  std::map<std::string, WatchedArray> global;
  std::vector<kernel::Places> places;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    places.push_back(places_of(program.parameters[i], arguments[i], {}).value());
    WatchedArray& memory = global[program.parameters[i].name];
    memory.type = arguments[i].type;
    for (const std::uint64_t bits : spread_out(arguments[i], places.back()).elements) {
      memory.elements.push_back(decode(memory.type, bits).integer);
    }
  }
  RaceCheck result;
  const std::int64_t blocks = program.launch.grid.front().value();
  for (std::int64_t bx = 0; bx != blocks && result.race.empty(); ++bx) {
    const Block block(program, global, {{"bx", bx}, {"by", 0}, {"bz", 0}});
    result.race = block.race();
    result.barriers.insert(block.barriers().begin(), block.barriers().end());
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const WatchedArray& memory = global.at(program.parameters[i].name);
    Array array{memory.type, {}, {}};
    for (const std::int64_t element : memory.elements) {
      array.elements.push_back(encode(memory.type, kernel::Number(element)));
    }
    arguments[i] = gathered(std::move(arguments[i]), places[i], array);
  }
  result.arguments = std::move(arguments);
  return result;
}

}  // namespace heddle::kernels

#include "kernel/passes/hold.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/term/bounds.h"
#include "expr/term/short_xors.h"
#include "expr/term/substitute.h"
#include "heddle/expr/proof.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

namespace {

bool has_intrinsic(const ThreadBlock& block) {
  return std::ranges::any_of(block, [](const ThreadStatement& statement) {
    const auto* applied = std::get_if<ApplyInstruction>(&statement.node);
    bool has_any = applied != nullptr && !applied->intrinsic.empty();
    for_each_block(statement,
                   [&](const ThreadBlock& inner) { has_any = has_any || has_intrinsic(inner); });
    return has_any;
  });
}

/// The integers that a loop changes: its counter, and what is counted and read within it.
void add_changing(const ThreadStatement& statement, std::set<std::string>& names) {
  if (const auto* loop = std::get_if<ThreadLoop>(&statement.node)) names.insert(loop->counter);
  if (const auto* define = std::get_if<Define>(&statement.node)) names.insert(define->name);
  for_each_block(statement, [&](const ThreadBlock& inner) {
    for (const ThreadStatement& each : inner) add_changing(each, names);
  });
}

/// Takes addresses apart for one loop.
class Holder {
 public:
  Holder(std::set<std::string> changing, const Fresh& fresh)
      : changing_(std::move(changing)), fresh_(fresh) {}

  [[nodiscard]] Int in_loop(const Int& address) {
    Int same = 0;
    Int other = 0;
    for (const Int& product : products_of(address)) {
      if (changes(product)) {
        other += product;
      } else {
        same += product;
      }
    }
    return held(same) + with_held_xors(other);
  }

  [[nodiscard]] std::vector<Define> take() { return std::move(defined_); }

 private:
  [[nodiscard]] static std::vector<Int> products_of(const Int& value) {
    if (!value.is_symbolic()) return {value};
    std::vector<Int> products;
    for (const expr::Product& product : value.term().products()) {
      Int part = product.coefficient;
      for (const expr::AtomPointer& atom : product.atoms) part *= expr::make_int(atom);
      products.push_back(std::move(part));
    }
    return products;
  }

  [[nodiscard]] bool changes(const Int& value) const {
    return std::ranges::any_of(variables(value),
                               [&](const std::string& name) { return changing_.contains(name); });
  }
  [[nodiscard]] static bool is_of_thread(const Int& value) {
    const std::vector<std::string> names = variables(value);
    return std::ranges::find(names, "tx") != names.end();
  }

  /// In each x ^ (a + b) of which the loop changes a alone, in bits that b does not have, x ^ b.
  [[nodiscard]] Int with_held_xors(const Int& value) {
    return expr::with_factors(value, [&](const expr::AtomPointer& atom) -> Int {
      if (atom->operation() != expr::Operator::kXor) return expr::make_int(atom);
      Int fixed = atom->left();
      Int mixed = atom->right();
      if (changes(fixed)) std::swap(fixed, mixed);
      if (changes(fixed)) return expr::make_int(atom);
      Int counted = 0;
      Int same = 0;
      for (const Int& product : products_of(mixed)) (changes(product) ? counted : same) += product;
      if (!are_apart(counted, same)) return expr::make_int(atom);
      return bit_xor(held(bit_xor(fixed, same)), counted);
    });
  }

  /// Whether no bit is set in both: one has the low bits, the other is a multiple of what they
  /// count.
  [[nodiscard]] static bool are_apart(const Int& a, const Int& b) {
    const auto is_below = [](const Int& low, const Int& high) {
      const Range bits = range(low);
      if (bits.low < 0 || !bits.is_bounded() || range(high).low < 0) return false;
      std::int64_t unit = 1;
      while (unit <= bits.high) unit *= 2;
      return known_divides(unit, high);
    };
    return is_below(a, b) || is_below(b, a);
  }

  [[nodiscard]] Int held(const Int& value) {
    if (!is_of_thread(value)) return value;
    const auto known = names_.find(value);
    if (known != names_.end()) return known->second;
    const std::string name = fresh_("at");
    defined_.push_back({name, {Computation::Index{value}, DType::kI64, {}}, {}, true});
    const Range bounds = range(value);
    return names_.emplace(value, Int::variable(name, bounds.low, bounds.high)).first->second;
  }

  std::set<std::string> changing_;
  const Fresh& fresh_;
  std::vector<Define> defined_;
  std::unordered_map<Int, Int> names_;
};

class HoldPass {
 public:
  HoldPass(const ThreadProgram& program, const Fresh& fresh) : fresh_(fresh) {
    for (const Buffer& buffer : program.shared) memories_.insert(buffer.name);
    for (const Tensor& parameter : program.parameters) memories_.insert(parameter.name);
  }

  void visit(ThreadBlock& block) const {
    for (std::size_t i = 0; i < block.size(); ++i) {
      for_each_block(block[i], [&](ThreadBlock& inner) { visit(inner); });
      const auto* loop = std::get_if<ThreadLoop>(&block[i].node);
      if (loop == nullptr || loop->is_unrolled || !has_intrinsic(loop->body)) continue;
      std::vector<Define> held = hold(block[i]);
      std::vector<ThreadStatement> statements;
      for (Define& define : held) statements.push_back({std::move(define)});
      const auto place = block.begin() + static_cast<std::ptrdiff_t>(i);
      block.insert(place, std::make_move_iterator(statements.begin()),
                   std::make_move_iterator(statements.end()));
      i += held.size();
    }
  }

 private:
  [[nodiscard]] std::vector<Define> hold(ThreadStatement& loop) const {
    std::set<std::string> changing;
    add_changing(loop, changing);
    Holder holder(std::move(changing), fresh_);
    replace(loop, holder);
    return holder.take();
  }

  void replace(ThreadStatement& statement, Holder& holder) const {
    if (auto* applied = std::get_if<ApplyInstruction>(&statement.node)) {
      for (Location& place : applied->places) {
        if (applied->intrinsic.empty() || !memories_.contains(place.buffer)) continue;
        place.address = holder.in_loop(expr::with_short_xors(place.address));
      }
    }
    for_each_block(statement, [&](ThreadBlock& inner) {
      for (ThreadStatement& each : inner) replace(each, holder);
    });
  }

  const Fresh& fresh_;
  std::set<std::string> memories_;
};

}  // namespace

void hold_addresses(ThreadProgram& program, const Fresh& fresh) {
  HoldPass(program, fresh).visit(program.body);
}

}  // namespace heddle::kernel

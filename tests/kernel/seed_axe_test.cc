// Seed 002, section 3.1: a copy as CuTe writes it, loops of threads over atoms, and as Triton
// writes it, of a block, is the same copy.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "heddle/expr/proof.h"
#include "heddle/kernel/lower.h"
#include "lowered.h"

namespace heddle::kernel {
namespace {

/// The addresses that one thread reads in a buffer, in order.
class Addresses {
 public:
  Addresses(std::string buffer, Bindings values)
      : buffer_(std::move(buffer)), values_(std::move(values)) {}

  void add(const ThreadBlock& block) {
    for (const ThreadStatement& statement : block) {
      const auto& node = statement.node;
      if (const auto* store = std::get_if<StoreElement>(&node)) add(store->value);
      if (const auto* applied = std::get_if<ApplyInstruction>(&node)) add(*applied);
      if (const auto* guard = std::get_if<Guarded>(&node)) {
        add(hold(guard->conditions) ? guard->body : guard->otherwise);
      }
      if (const auto* loop = std::get_if<ThreadLoop>(&node)) {
        for (std::int64_t i = 0; i != number(loop->extent); ++i) {
          values_[loop->counter] = i;
          add(loop->body);
        }
      }
    }
  }
  [[nodiscard]] const std::vector<std::int64_t>& found() const { return found_; }

 private:
  [[nodiscard]] std::int64_t number(const Int& value) const {
    return instantiate(value, values_).value().value();
  }
  [[nodiscard]] bool hold(const std::vector<Condition>& conditions) const {
    return std::ranges::all_of(conditions, [&](const Condition& each) {
      return known(instantiate(each, values_).value());
    });
  }
  void add(const Computation& value) {
    if (const auto* load = std::get_if<Computation::Load>(&value.node)) {
      if (load->from.buffer == buffer_ && hold(load->inside)) {
        found_.push_back(number(load->from.address));
      }
    }
    for (const Computation& operand : value.operands) add(operand);
  }
  void add(const ApplyInstruction& node) {
    if (node.places[1].buffer != buffer_) return;
    const std::int64_t first = number(node.places[1].address);
    for (const std::int64_t place : places_of(node.instruction.operands[1])) {
      found_.push_back(first + place);
    }
  }

  std::string buffer_;
  Bindings values_;
  std::vector<std::int64_t> found_;
};

std::vector<std::int64_t> read_by(const ThreadProgram& program, std::int64_t thread) {
  Addresses addresses("C", {{"tx", thread}, {"bx", 0}, {"by", 0}, {"bz", 0}});
  addresses.add(program.body);
  return addresses.found();
}

/// Rows x columns of C from (row, column) on, a row of C being `pitch` long: each thread has
/// `atoms` atoms of `width` elements side by side.
struct Region {
  std::int64_t row, column, rows, columns, pitch, atoms, width;

  [[nodiscard]] std::int64_t across() const { return columns / (atoms * width); }
  [[nodiscard]] std::int64_t threads() const { return rows * across(); }
};

std::string head(const Region& region) {
  return fmt::format("kernel f(C: f32[{},{}], D: f32[{},{}]) launch cta 1, threads {} {{\n",
                     region.row + region.rows, region.pitch, region.rows, region.columns,
                     region.threads());
}

/// Loops over atoms, bound to threads: (rows, across, atoms, width) with steps of m.
std::string by_threads(const Region& r) {
  const std::int64_t each = r.atoms * r.width;
  return head(r) +
         fmt::format(
             "  thread {{\n    reg local: f32[{},{}]\n    for i in {} {{\n"
             "      copy(local[i], C.relayout(S[({},{},{},{}):({}@m,{}@m,{}@m,1@m)] + {}@m)"
             ".reshape({},{},{},{})[tx // {}, tx % {}, i])\n    }}\n"
             "    copy(D[tx // {}, {}*(tx % {}) : +{}], local.reshape({}))\n  }}\n}}\n",
             r.atoms, r.width, r.atoms, r.rows, r.across(), r.atoms, r.width, r.pitch, each,
             r.width, r.row * r.pitch + r.column, r.rows, r.across(), r.atoms, r.width, r.across(),
             r.across(), r.across(), each, r.across(), each, each);
}

/// A copy of the block into a tensor of its registers.
std::string by_block(const Region& r) {
  const std::int64_t each = r.atoms * r.width;
  return head(r) + fmt::format(
                       "  reg local: f32[{},{}] = S[({},{},{}):({}@tx,1@tx,1@m)]\n"
                       "  copy(local, C[{} : +{}, {} : +{}])\n  copy(D, local)\n}}\n",
                       r.rows, r.columns, r.rows, r.across(), each, r.across(), r.row, r.rows,
                       r.column, r.columns);
}

void expect_the_same(const Region& region) {
  const auto cute = lowered(by_threads(region));
  const auto triton = lowered(by_block(region));
  ASSERT_TRUE(cute.has_value()) << cute.error() << by_threads(region);
  ASSERT_TRUE(triton.has_value()) << triton.error() << by_block(region);
  for (std::int64_t thread = 0; thread != region.threads(); ++thread) {
    const std::vector<std::int64_t> found = read_by(*triton, thread);
    ASSERT_EQ(std::ssize(found), region.atoms * region.width);
    ASSERT_EQ(read_by(*cute, thread), found) << by_threads(region) << by_block(region);
  }
}

TEST(SeedAxe, LoopsOfThreadsAndACopyOfTheBlockReadTheSameAddressesInTheSameOrder) {
  const Region seed{16, 64, 16, 64, 128, 2, 4};
  EXPECT_EQ(read_by(lowered(by_block(seed)).value(), 9),
            (std::vector<std::int64_t>{2248, 2249, 2250, 2251, 2252, 2253, 2254, 2255}));
  expect_the_same(seed);
}

TEST(SeedAxe, SoDoThoseOfOtherRegions) {
  std::mt19937 random(20261126);
  const auto one_of = [&](std::vector<std::int64_t> list) { return list[random() % list.size()]; };
  for (int round = 0; round != 60; ++round) {
    Region region{};
    region.atoms = one_of({1, 2, 3});
    region.width = one_of({1, 2, 4});
    region.rows = one_of({1, 3, 8, 16});
    region.columns = region.atoms * region.width * one_of({1, 2, 4, 8});
    region.row = one_of({0, 1, 16});
    region.column = one_of({0, 3, 4, 64});
    region.pitch = region.column + region.columns + one_of({0, 1, 64});
    expect_the_same(region);
  }
}

}  // namespace
}  // namespace heddle::kernel

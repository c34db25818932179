#pragma once

// What the statements of threads consist of, so that those who go through a program need not list
// their kinds. Statements, blocks and values may be const.

#include <algorithm>
#include <span>
#include <variant>

#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// Visits the blocks of a statement: the bodies of loops, the branches.
template <class Statement, class Visit>
void for_each_block(Statement& statement, const Visit& visit) {
  std::visit(
      [&](auto& node) {
        if constexpr (requires { node.body; }) visit(node.body);
        if constexpr (requires { node.then; }) visit(node.then);
        if constexpr (requires { node.otherwise; }) visit(node.otherwise);
      },
      statement.node);
}

/// Whether a barrier stands in the block, at any depth.
inline bool has_barrier(std::span<const ThreadStatement> block) {
  return std::ranges::any_of(block, [](const ThreadStatement& statement) {
    bool has_any = std::holds_alternative<Barrier>(statement.node);
    for_each_block(statement,
                   [&](const ThreadBlock& inner) { has_any = has_any || has_barrier(inner); });
    return has_any;
  });
}

/// Visits the values that a statement itself computes.
template <class Statement, class Visit>
void for_each_value(Statement& statement, const Visit& visit) {
  std::visit(
      [&](auto& node) {
        if constexpr (requires { node.value; }) visit(node.value);
        if constexpr (requires { node.condition; }) visit(node.condition);
      },
      statement.node);
}

/// Visits the loads of a value.
template <class Value, class Visit>
void for_each_load(Value& value, const Visit& visit) {
  if (auto* load = std::get_if<Computation::Load>(&value.node)) visit(*load);
  for (auto& operand : value.operands) for_each_load(operand, visit);
}

/// Visits the places that a statement itself reads or writes, but for its blocks. What an
/// instruction means is at its places, and is not visited.
template <class Statement, class Visit>
void for_each_place(Statement& statement, const Visit& visit) {
  for_each_value(statement,
                 [&](auto& value) { for_each_load(value, [&](auto& load) { visit(load.from); }); });
  std::visit(
      [&](auto& node) {
        if constexpr (requires { node.to; }) visit(node.to);
        if constexpr (requires { node.from; }) visit(node.from);
        if constexpr (requires { node.places; }) {
          for (auto& place : node.places) visit(place);
        }
        if constexpr (requires { node.a_step; }) {
          visit(node.c);
          visit(node.a);
          visit(node.b);
        }
      },
      statement.node);
}

/// Visits the integers of a place, of a value with its operands, and of conditions.
template <class Place, class Visit>
  requires requires(Place& place) { place.address; }
void for_each_integer_of(Place& place, const Visit& visit) {
  visit(place.address);
  if (!place.seen) return;
  visit(place.seen->part);
  for (auto& other : place.seen->others) visit(other);
}
template <class Conditions, class Visit>
  requires requires(Conditions& conditions) { conditions.front().predicate; }
void for_each_integer_of(Conditions& conditions, const Visit& visit) {
  for (auto& condition : conditions) {
    visit(condition.left);
    visit(condition.right);
  }
}
template <class Value, class Visit>
  requires requires(Value& value) { value.operands; }
void for_each_integer_of(Value& value, const Visit& visit) {
  if (auto* index = std::get_if<Computation::Index>(&value.node)) visit(index->value);
  if (auto* load = std::get_if<Computation::Load>(&value.node)) {
    for_each_integer_of(load->from, visit);
    for_each_integer_of(load->inside, visit);
  }
  for (auto& operand : value.operands) for_each_integer_of(operand, visit);
}

/// Visits the integers that a statement itself has, but for those of its blocks.
template <class Statement, class Visit>
void for_each_integer(Statement& statement, const Visit& visit) {
  for_each_value(statement, [&](auto& value) { for_each_integer_of(value, visit); });
  std::visit(
      [&](auto& node) {
        if constexpr (requires { node.to.address; }) for_each_integer_of(node.to, visit);
        if constexpr (requires { node.from.address; }) for_each_integer_of(node.from, visit);
        if constexpr (requires { node.places; }) {
          for (auto& place : node.places) for_each_integer_of(place, visit);
          for_each_integer_of(node.inside, visit);
        }
        if constexpr (requires { node.conditions; }) for_each_integer_of(node.conditions, visit);
        if constexpr (requires { node.extent; }) {
          visit(node.begin);
          visit(node.extent);
        }
        if constexpr (requires { node.a_step; }) {
          for (auto* place : {&node.a, &node.b, &node.c}) for_each_integer_of(*place, visit);
          for (auto* each : {&node.c_row, &node.a_row, &node.a_step, &node.b_step, &node.depth,
                             &node.rows, &node.columns, &node.adds}) {
            visit(*each);
          }
        }
        if constexpr (requires { node.streams; }) {
          for (auto& row : node.rows) {
            visit(row.from);
            visit(row.to);
          }
          for (auto& loop : node.loops) {
            visit(loop.extent);
            visit(loop.from);
            visit(loop.to);
          }
          if (node.streams) {
            visit(node.streams->left);
            visit(node.streams->right);
          }
        }
        if constexpr (requires { node.to_step; }) {
          for (auto* each : {&node.to_step, &node.row, &node.step, &node.rows, &node.depth}) {
            visit(*each);
          }
        }
      },
      statement.node);
}

}  // namespace heddle::kernel

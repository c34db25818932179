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

}  // namespace heddle::kernel

#include "kernel/passes/bind.h"

#include <utility>

#include "heddle/expr/proof.h"
#include "kernel/thread_walk.h"

namespace heddle::kernel {

Result<void> bind(ThreadBlock& block, const std::string& name, const Int& value) {
  Result<void> bound;
  const auto replace = [&](Int& integer) {
    if (!bound) return;
    auto replaced = instantiate(integer, {{name, value}});
    if (replaced) {
      integer = *std::move(replaced);
    } else {
      bound = refuse(std::move(replaced).error());
    }
  };
  const auto bind_inner = [&](ThreadBlock& inner) {
    if (bound) bound = bind(inner, name, value);
  };
  for (ThreadStatement& statement : block) {
    for_each_integer(statement, replace);
    for_each_block(statement, bind_inner);
    if (auto* applied = std::get_if<ApplyInstruction>(&statement.node)) {
      bind_inner(applied->meaning);
    }
  }
  return bound;
}

}  // namespace heddle::kernel

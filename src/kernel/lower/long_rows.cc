// Rows whose length is known at run time only, by vectors in a loop: at each step every thread has
// one vector.
//
//   Y[bx] = X[bx] * r       f16, N % 8 == 0, by 128 threads
//
//     for (chunk = 0; chunk < (N + 1023) / 1024; ++chunk)
//       Y[bx, 1024*chunk : +1024] = X[bx, 1024*chunk : +1024] * r        16 bytes a thread

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/view.h"
#include "kernel/assumption.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

std::string vectors_text(std::int64_t width, DType type) {
  return fmt::format("vector of {} bits", width * bits(type));
}

}  // namespace

bool Lowerer::is_long_row(const std::vector<Int>& shape, const Team& team) const {
  if (options_.has_one_worker || team.is_alone || team.is_divergent || team.threads == 1 ||
      shape.empty()) {
    return false;
  }
  const bool is_row = std::all_of(shape.begin(), shape.end() - 1,
                                  [](const Int& each) { return known_equal(each, 1); });
  return is_row && !row_spread(shape, team.threads, 1).registers.is_constant();
}

Lowerer::LongRow Lowerer::long_row(const Int& length, std::int64_t width, const Team& team) {
  LongRow row;
  row.width = width;
  row.chunk = width * team.threads;
  row.steps = ceil_div(length, row.chunk);
  row.name = fresh("chunk");
  row.counter = index_variable(row.name, row.steps);
  row.length = length;
  return row;
}

/// The elements of a view at a step; a view that is the same for all elements stays as it is.
Result<View> Lowerer::chunk_of(View view, const LongRow& row) const {
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({view}));
  if (shape.empty() || known_equal(shape.back(), 1)) return view;
  Sliced step;
  step.subscripts.resize(shape.size());
  step.subscripts.back() = {Subscript::Kind::kRange, row.counter * row.chunk, row.chunk};
  view.steps.emplace_back(std::move(step));
  return view;
}

Result<Elementwise> Lowerer::chunk_of(Elementwise value, const LongRow& row) const {
  for (Elementwise& operand : value.operands) {
    HEDDLE_TRY(operand, chunk_of(std::move(operand), row));
  }
  if (const auto* view = std::get_if<View>(&value.node)) {
    HEDDLE_TRY(value.node, chunk_of(*view, row));
  }
  return value;
}

/// Adds the loop; `fill` does one step.
Result<void> Lowerer::over_row(const LongRow& row, const Team& team,
                               const std::function<Result<void>()>& fill) {
  counters_.push_back(row.counter);
  auto body = loop_body(fill, team, row.name, row.steps);
  counters_.pop_back();
  if (!body) return refuse(std::move(body).error());
  accesses_.end_loop(row.name, row.steps);
  add(ThreadLoop{row.name, row.steps, *std::move(body)});
  return {};
}

/// Why a row cannot be gone through by vectors of a width, with what would have to be assumed;
/// empty if its length is a multiple.
std::string Lowerer::reason_of_length(const Int& length, std::int64_t width) {
  const Condition divides{width, Predicate::kDivides, length};
  if (known(divides)) return {};
  return fmt::format("{} is not known to be a multiple of {}: {}", to_string(length), width,
                     assumption(divides));
}

std::string Lowerer::text_of(const LongRow& row) {
  return fmt::format("{0} elements of {1} at a time, {2} a thread, as {1} is a multiple of {2}",
                     row.chunk, to_string(row.length), row.width);
}

/// An assignment to a long row; false, with the reasons, where vectors cannot do it.
Result<bool> Lowerer::try_long_row(const View& destination, const Elementwise& value,
                                   const Team& team) {
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  HEDDLE_TRY(const DType type, type_of({destination}));
  for (std::int64_t width = options_.vector_bits / bits(type); width > 1; width /= 2) {
    std::string reason = reason_of_length(shape.back(), width);
    if (reason.empty()) {
      const LongRow row = long_row(shape.back(), width, team);
      HEDDLE_TRY(const View to, chunk_of(destination, row));
      HEDDLE_TRY(const Elementwise from, chunk_of(value, row));
      auto found = stored_in_vectors(to, from, team, width);
      if (found) {
        Choice& choice = choose(vectors_text(width, type));
        choice.notes.push_back({"spread", to_string(found->spread)});
        choice.notes.push_back({"row", text_of(row)});
        HEDDLE_CHECK(over_row(row, team, [&] { return by_vectors(to, from, team, *found); }));
        return true;
      }
      reason = found.error().message();
    }
    reject(vectors_text(width, type), std::move(reason));
  }
  return false;
}

/// The least bits of an element of what is read along all of a row; nullopt if nothing is read from
/// memory.
std::optional<DType> Lowerer::narrowest_of_row(const Elementwise& value, const Int& length) const {
  std::optional<DType> narrowest;
  if (const auto* view = std::get_if<View>(&value.node)) {
    const Placed& placed = *find(view->tensor);
    const auto shape = kernel::shape_of(*view, placed.tensor);
    const bool is_memory =
        placed.tensor.space == Space::kGlobal || placed.tensor.space == Space::kShared;
    if (shape && is_memory && shape->type == placed.tensor.type && !shape->extents.empty() &&
        known_equal(shape->extents.back(), length)) {
      narrowest = shape->type;
    }
  }
  for (const Elementwise& operand : value.operands) {
    const std::optional<DType> other = narrowest_of_row(operand, length);
    if (other && (!narrowest || bits(*other) < bits(*narrowest))) narrowest = other;
  }
  return narrowest;
}

bool Lowerer::loads_vectors(const Elementwise& value, const Spread& spread, const Team& team) {
  const auto* view = std::get_if<View>(&value.node);
  if (view != nullptr && loaded_in_vectors(*view, spread, team)) return true;
  return std::ranges::any_of(value.operands, [&](const Elementwise& operand) {
    return loads_vectors(operand, spread, team);
  });
}

/// How a long row is reduced by vectors; nullopt, with the reasons, if it cannot be.
Result<std::optional<Lowerer::LongRow>> Lowerer::row_of_vectors(const Elementwise& source,
                                                                const Int& length,
                                                                const Team& team) {
  const std::optional<DType> type = narrowest_of_row(source, length);
  if (!type) return std::nullopt;
  for (std::int64_t width = options_.vector_bits / bits(*type); width > 1; width /= 2) {
    std::string reason = reason_of_length(length, width);
    if (reason.empty()) {
      const LongRow row = long_row(length, width, team);
      HEDDLE_TRY(const Elementwise chunk, chunk_of(source, row));
      if (loads_vectors(chunk, row_spread({row.chunk}, team.threads, width), team)) return row;
      reason = "no row is known to begin at a multiple of it";
    }
    reject(vectors_text(width, *type), std::move(reason));
  }
  return std::nullopt;
}

}  // namespace heddle::kernel

// Elementwise assignments to memory by vectors: what is read is loaded into registers, the value is
// computed there, and it is stored from there, each a vector at once.
//
//   C[1024*bx : +1024] = A[1024*bx : +1024] + B[1024*bx : +1024]      by 128 threads
//
//     A_1 = vectors of A;  B_1 = vectors of B;  C_1 = A_1 + B_1;  vectors of C = C_1
//
// Operands that are broadcast, or not known to be contiguous and aligned, are read one by one.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/expr/proof.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

/// The most elements of one operand that a thread holds for the sake of vectors.
constexpr std::int64_t kMostHeld = 64;

std::string vectors_of(std::int64_t width, DType type) {
  return fmt::format("vector of {} bits", width * bits(type));
}

/// Whether a slice begins, along the last dimension, at no multiple of the width. It is hardly ever
/// aligned then, and to find that there is no proof takes long for a layout of many digits.
bool begins_between(const View& view, const Tensor& tensor, std::int64_t width) {
  const auto* sliced = view.steps.size() == 1 ? std::get_if<Sliced>(&view.steps.front()) : nullptr;
  if (sliced == nullptr) return false;
  const auto dimensions = std::ranges::count_if(
      sliced->subscripts, [](const Subscript& each) { return each.kind != Subscript::Kind::kNew; });
  if (!std::cmp_equal(dimensions, tensor.shape.size()) || dimensions == 0) return false;
  const Subscript& last = sliced->subscripts.back();
  return last.kind == Subscript::Kind::kRange && !known_divides(width, last.begin);
}

}  // namespace

/// How the destination is stored by vectors of this width, or why it cannot be.
Result<Lowerer::Tiling> Lowerer::stored_in_vectors(const View& destination,
                                                   const Elementwise& value, const Team& team,
                                                   std::int64_t width) {
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  HEDDLE_TRY(const std::optional<Spread> of_value, spread_in(value, shape));
  Spread spread = of_value ? *of_value : row_spread(shape, team.threads, width);
  if (!spread.registers.is_constant() || spread.registers.value() > kMostHeld) {
    return refuse("kernel.schedule",
                  fmt::format("a thread would hold {} elements, and {} are held at most",
                              to_string(spread.registers), kMostHeld));
  }
  HEDDLE_TRY(const DType type, type_of({destination}));
  const View stored{"value#", {}};
  put({{stored.tensor, type, shape, Space::kRegister}, {}, std::move(spread)});
  auto found = tiled(vector_copy(type, width), {destination, stored}, team);
  forget_to(placed_.size() - 1);
  return found;
}

/// A tensor in registers of its own.
View Lowerer::held(std::string_view name, DType type, std::vector<Int> shape, Spread spread) {
  Tensor tensor{fmt::format("{}#{}", name, placed_.size() + 1), type, std::move(shape),
                Space::kRegister};
  return {put_buffer(fresh(name), std::move(tensor), std::move(spread)).tensor.name, {}};
}

/// How a view of memory is loaded into registers of this spread by the widest vectors that hold;
/// nullopt if none do.
std::optional<Lowerer::Tiling> Lowerer::loaded_in_vectors(const View& view, const Spread& spread,
                                                          const Team& team) {
  const Tensor tensor = find(view.tensor)->tensor;
  if (tensor.space != Space::kGlobal && tensor.space != Space::kShared) return std::nullopt;
  const auto shape = kernel::shape_of(view, tensor);
  const bool is_alike = shape && shape->type == tensor.type &&
                        std::ranges::equal(shape->extents, spread.shape, known_equal);
  if (!is_alike) return std::nullopt;
  put({{"value#", tensor.type, spread.shape, Space::kRegister}, {}, spread});
  std::optional<Tiling> widest;
  for (std::int64_t width = options_.vector_bits / bits(tensor.type); width > 1 && !widest;
       width /= 2) {
    if (begins_between(view, tensor, width)) continue;
    auto found = tiled(vector_copy(tensor.type, width), {{"value#", {}}, view}, team);
    if (found) widest = *std::move(found);
  }
  forget_to(placed_.size() - 1);
  return widest;
}

/// The expression with what can be loaded by vectors read from registers, into which it is loaded
/// first; `known` gets what was.
Result<Elementwise> Lowerer::loaded(Elementwise value, const Spread& spread, const Team& team,
                                    std::vector<std::pair<View, View>>& known) {
  for (Elementwise& operand : value.operands) {
    HEDDLE_TRY(operand, loaded(std::move(operand), spread, team, known));
  }
  const auto* view = std::get_if<View>(&value.node);
  if (view == nullptr) return value;
  const auto same = std::ranges::find(known, *view, &std::pair<View, View>::first);
  if (same != known.end()) return Elementwise{same->second};
  const std::optional<Tiling> found = loaded_in_vectors(*view, spread, team);
  if (!found) return value;
  const Tensor tensor = find(view->tensor)->tensor;
  const View in_registers = held(tensor.name, tensor.type, spread.shape, spread);
  HEDDLE_CHECK(apply(in_registers, *view, team, *found, Number(0.0)));
  known.emplace_back(*view, in_registers);
  return Elementwise{in_registers};
}

/// Into registers: operands in memory are loaded by vectors where that is possible.
Result<void> Lowerer::into_held(const View& destination, const Elementwise& value,
                                const Team& team) {
  const Placed& placed = *find(destination.tensor);
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  const Spread spread = placed.is_private ? row_spread(shape, 1, 1) : *placed.spread;
  std::vector<std::pair<View, View>> known;
  Elementwise computed = value;
  const bool is_held = (placed.is_private || destination.steps.empty()) &&
                       spread.registers.is_constant() && spread.registers.value() <= kMostHeld;
  if (is_held) {
    HEDDLE_TRY(computed, loaded(value, spread, team, known));
  }
  choose(known.empty() ? "element" : "element, operands by vectors");
  return pointwise(destination, computed, team, Number(0.0));
}

Result<void> Lowerer::by_vectors(const View& destination, const Elementwise& value,
                                 const Team& team, const Tiling& vectors) {
  std::vector<std::pair<View, View>> known;
  HEDDLE_TRY(const Elementwise computed, loaded(value, vectors.spread, team, known));
  const Tensor tensor = find(destination.tensor)->tensor;
  const View stored = held(tensor.name, tensor.type, vectors.spread.shape, vectors.spread);
  HEDDLE_CHECK(pointwise(stored, computed, team, Number(0.0)));
  return apply(destination, stored, team, vectors, Number(0.0));
}

/// Assignments, fill and cast: by an instruction for the function, else by the widest vectors that
/// hold, else element by element.
Result<void> Lowerer::elementwise(const View& destination, const Elementwise& value,
                                  const Team& team, const std::optional<std::string>& schedule) {
  const Placed& placed = *find(destination.tensor);
  HEDDLE_TRY(const DType type, type_of({destination}));
  if (!schedule) {
    HEDDLE_TRY(const std::optional<Tiling> found, by_function(destination, value, team));
    if (found) return apply_function(destination, value, team, *found);
  }
  if (placed.spread && !schedule) return into_held(destination, value, team);
  HEDDLE_TRY(const bool is_early, overtakes(destination, value, team));
  std::string reason = is_early ? "the source is overwritten while it is read" : "";
  if (placed.spread) reason = "registers are assigned one by one";
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  const bool is_long = is_long_row(shape, team) && schedule != "element" && reason.empty();
  if (is_long) {
    HEDDLE_TRY(const bool is_done, try_long_row(destination, value, team));
    if (is_done) return {};
  }
  for (std::int64_t width = options_.vector_bits / bits(type);
       width > 1 && reason.empty() && !is_long; width /= 2) {
    if (schedule == "element") {
      reject(vectors_of(width, type), "`using element` is forced");
      continue;
    }
    auto found = stored_in_vectors(destination, value, team, width);
    if (!found) {
      reject(vectors_of(width, type), found.error().message());
      continue;
    }
    choose(vectors_of(width, type)).notes.push_back({"spread", to_string(found->spread)});
    return by_vectors(destination, value, team, *found);
  }
  if (!reason.empty()) reject("vector", reason);
  if (schedule == "vector") {
    const std::string why =
        choice_.candidates.empty() ? "elements are too wide" : choice_.candidates.back().reason;
    return refuse("kernel.schedule",
                  fmt::format("{} cannot be done by vectors: {}", to_string(*statement_), why));
  }
  choose("element");
  return pointwise(destination, value, team, Number(0.0));
}

}  // namespace heddle::kernel

// Names elements and goes over them: where an element of a view is, its value, the loops over what
// a thread holds, and the exchange of what other threads hold.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/overloaded.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/check.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/lowerer.h"
#include "kernel/source_names.h"
#include "kernel/value_type.h"

namespace heddle::kernel {

namespace {

/// The most registers that loops name one by one.
constexpr std::int64_t kMaxUnrolled = 256;

/// The most accesses without a barrier. Each is compared with those before it: in kernels of
/// thousands of statements an unneeded barrier costs less than that.
constexpr std::size_t kMostPending = 1024;

/// Whether the view is all of its tensor, in its own order.
bool is_whole(const View& view) {
  return std::ranges::all_of(view.steps, [](const View::Step& step) {
    const auto* sliced = std::get_if<Sliced>(&step);
    return sliced != nullptr &&
           std::ranges::all_of(sliced->subscripts, [](const Subscript& subscript) {
             return subscript.kind == Subscript::Kind::kWhole;
           });
  });
}

const View* first_view(const Elementwise& value, const std::function<bool(const View&)>& wanted) {
  if (const auto* view = std::get_if<View>(&value.node)) return wanted(*view) ? view : nullptr;
  for (const Elementwise& operand : value.operands) {
    if (const View* found = first_view(operand, wanted)) return found;
  }
  return nullptr;
}

/// The elements of the tensor whose bits an element of a view has: several of a recast to a wider
/// type.
std::vector<Element> holders_of_bits(const Element& element, const Tensor& tensor) {
  if (!element.recast) return {element};
  const std::int64_t held = bits(tensor.type);
  const std::int64_t seen = bits(*element.recast);
  std::vector<Element> holders(static_cast<std::size_t>(std::max<std::int64_t>(1, seen / held)),
                               element);
  for (std::size_t i = 0; i != holders.size(); ++i) {
    Int& last = holders[i].coordinate.back();
    last = seen < held ? floor_div(last, held / seen)
                       : last * (seen / held) + static_cast<std::int64_t>(i);
  }
  return holders;
}

}  // namespace

bool is_recast(const View& view) {
  return std::ranges::any_of(
      view.steps, [](const View::Step& step) { return std::holds_alternative<Recast>(step); });
}

const Placed* Lowerer::find(std::string_view name) const {
  const auto found = places_of_names_.find(name);
  return found == places_of_names_.end() ? nullptr : &placed_[found->second.back()];
}

Placed& Lowerer::put(Placed placed) {
  places_of_names_[placed.tensor.name].push_back(placed_.size());
  return placed_.emplace_back(std::move(placed));
}

void Lowerer::forget_to(std::size_t size) {
  for (; placed_.size() > size; placed_.pop_back()) {
    const auto found = places_of_names_.find(placed_.back().tensor.name);
    found->second.pop_back();
    if (found->second.empty()) places_of_names_.erase(found);
  }
}

Names Lowerer::names() const {
  return Names([this](std::string_view name) -> const Tensor* {
    const Placed* placed = find(name);
    return placed == nullptr ? nullptr : &placed->tensor;
  });
}

std::string Lowerer::fresh(std::string_view name) {
  // All names that begin like some functions are theirs, whatever stands behind.
  const std::string base = is_used_in_sources(fmt::format("{}_1", name))
                               ? fmt::format("own_{}", name)
                               : std::string(name);
  std::string candidate = base;
  int& last = numbered_[base];
  while (is_used_in_sources(candidate) || !taken_.insert(candidate).second) {
    candidate = fmt::format("{}_{}", base, ++last);
  }
  return candidate;
}

Placed& Lowerer::place(Tensor tensor, std::optional<Spread> spread) {
  const std::string buffer = fresh(tensor.name);
  return put_buffer(buffer, std::move(tensor), std::move(spread));
}

Placed& Lowerer::put_buffer(const std::string& name, Tensor tensor, std::optional<Spread> spread) {
  Placed placed{std::move(tensor), name, std::move(spread)};
  Buffer buffer{placed.buffer, placed.tensor.type, placed.tensor.space, 1};
  if (placed.spread) buffer.elements = placed.spread->registers;
  if (placed.tensor.space == Space::kRegister) add(buffer);
  return put(std::move(placed));
}

Placed Lowerer::scratch(DType type, std::vector<Int> shape, const Team& team) {
  const std::size_t number = exchanges_[type]++;
  std::string& name = exchange_names_[{type, number}];
  if (name.empty()) name = fresh(fmt::format("exchange_{}", name_of(type)));
  const Int size = form::product(shape);
  const Int threads = kernel_.launch.threads;
  const Int elements = team.unit == 0 ? size : size * ceil_div(threads, team.unit);
  const auto found = std::ranges::find(program_.shared, name, &Buffer::name);
  if (found == program_.shared.end()) {
    program_.shared.push_back({name, type, Space::kShared, elements});
    shared_spans_[name] = statement_->span;
  } else {
    found->elements = max(found->elements, elements);
  }
  Placed placed;
  placed.tensor = {fmt::format("{}#{}", name, placed_.size()), type, std::move(shape),
                   Space::kShared};
  placed.buffer = name;
  if (team.unit != 0) {
    placed.origin = floor_div(index_variable("tx", threads), team.unit) * size;
  }
  return put(std::move(placed));
}

Result<std::vector<Int>> Lowerer::shape_of(const Elementwise& value) const {
  HEDDLE_TRY(const ViewShape shape, kernel::shape_of(value, names()));
  return shape.extents;
}

Result<DType> Lowerer::type_of(const Elementwise& value) const {
  HEDDLE_TRY(const ViewShape shape, kernel::shape_of(value, names()));
  return shape.type;
}

Result<Lowerer::Found> Lowerer::locate(const View& view, const std::vector<Int>& point,
                                       const Team& /*team*/) const {
  const Placed& placed = *find(view.tensor);
  HEDDLE_TRY(const Element element, element_at(view, placed.tensor, point));
  return found_at(element, placed);
}

Result<Lowerer::Found> Lowerer::found_at(const Element& element, const Placed& placed) {
  const DType held = placed.tensor.type;
  Found found{
      {placed.buffer, 0}, element.inside, element.recast.value_or(held), placed.tensor.space};
  std::vector<Int> addresses;
  for (const Element& holder : holders_of_bits(element, placed.tensor)) {
    HEDDLE_TRY(addresses.emplace_back(), address_of(holder, placed));
  }
  found.location.address = addresses.front();
  if (found.type == held) return found;
  SeenBits seen{found.type, 0, {addresses.begin() + 1, addresses.end()}};
  if (bits(found.type) < bits(held)) {
    seen.part = mod(element.coordinate.back(), bits(held) / bits(found.type));
  }
  found.location.seen = std::move(seen);
  return found;
}

/// The register, or the place in memory, of an element of the tensor.
Result<Int> Lowerer::address_of(const Element& element, const Placed& placed) {
  if (placed.spread) return register_of(*placed.spread, element.coordinate);
  if (placed.tensor.space == Space::kValue) return Int(0);
  HEDDLE_TRY(const std::vector<Int> place, place_of(element, placed.tensor));
  if (place.size() != 1) {
    return refuse("kernel.layout",
                  fmt::format("{}: the layout of memory has {} coordinates, and one is needed",
                              to_string(placed.tensor), place.size()));
  }
  return check_defined(place.front() + placed.origin, "an address");
}

Refusal Lowerer::refuse_halves(const View& view, std::string_view reason) {
  return refuse(
      Diagnostic("kernel.not_lowered",
                 fmt::format("{} has two elements of 4 bits in a byte, which one thread "
                             "must write together: {}",
                             to_string(view), reason))
          .with_hint("let a thread write both at once, from registers that hold them side "
                     "by side, at even places; or write elements of 8 bits"));
}

/// Refuses a place in memory that is written in part of a byte.
Result<void> Lowerer::check_bytes(const View& view, const Found& found) const {
  const Placed& placed = *find(view.tensor);
  const std::int64_t held = held_bits(placed.tensor.type, placed.tensor.space);
  const bool has_part = bits(found.type) < 8 && bits(found.type) != bits(placed.tensor.type);
  if (placed.spread || (held >= 8 && !has_part)) return {};
  std::vector<Int> addresses = {found.location.address};
  if (found.location.seen) {
    std::ranges::copy(found.location.seen->others, std::back_inserter(addresses));
  }
  if (has_part || addresses.size() == 1) {
    return refuse_halves(view, "it is written element by element");
  }
  for (std::size_t i = 0; i != addresses.size(); i += 2) {
    if (known_divides(2, addresses[i]) && known_equal(addresses[i] + 1, addresses[i + 1])) continue;
    return refuse_halves(view, fmt::format("the places {} and {} are not known to be one byte",
                                           to_string(addresses[i]), to_string(addresses[i + 1])));
  }
  return {};
}

Result<Lowerer::Found> Lowerer::locate_written(const View& view, const std::vector<Int>& point,
                                               const Team& team) const {
  HEDDLE_TRY(Found found, locate(view, point, team));
  HEDDLE_CHECK(check_bytes(view, found));
  return found;
}

Result<Lowerer::Found> Lowerer::locate_byte(const View& view, const std::vector<Int>& point) const {
  const Placed& placed = *find(view.tensor);
  std::vector<Int> next = point;
  next.back() += 1;
  HEDDLE_TRY(Element low, element_at(view, placed.tensor, point));
  HEDDLE_TRY(Element high, element_at(view, placed.tensor, next));
  if (!std::ranges::equal(low.inside, high.inside, holds_alike)) {
    return refuse_halves(view, "one of them may be inside, and the other not");
  }
  const Int first = low.coordinate.back();
  high.coordinate.back() -= 1;
  const bool is_pair = !low.layout && known_divides(2, first) &&
                       std::ranges::equal(low.coordinate, high.coordinate, known_equal);
  if (!is_pair) {
    return refuse_halves(view, fmt::format("the elements at {} and after it are not known to be "
                                           "one byte",
                                           shape_text(low.coordinate)));
  }
  low.coordinate.back() = floor_div(first, 2);
  low.recast = DType::kU8;
  HEDDLE_TRY(Found found, found_at(low, placed));
  HEDDLE_CHECK(check_bytes(view, found));
  return found;
}

Result<Computation> Lowerer::compute(const Elementwise& value, const std::vector<Int>& point,
                                     const Team& team, const Number& outside) const {
  HEDDLE_TRY(const DType type, type_of(value));
  Computation result{Computation::Literal{}, type == DType::kBool ? type : computed_in(type), {}};
  std::vector<ValueType> types;
  for (const Elementwise& operand : value.operands) {
    HEDDLE_TRY(Computation each, compute(operand, point, team, outside));
    HEDDLE_TRY(const DType operand_type, type_of(operand));
    result.operands.push_back(std::move(each));
    types.push_back({operand_type, is_number(operand)});
  }
  const auto of_view = [&](const View& view) -> Result<Computation> {
    HEDDLE_TRY(const ViewShape shape, kernel::shape_of(view, find(view.tensor)->tensor));
    HEDDLE_TRY(Found found, locate(view, broadcast_point(shape.extents, point), team));
    result.node = Computation::Load{std::move(found.location), std::move(found.inside),
                                    converted(result.type, outside)};
    return std::move(result);
  };
  return std::visit(Overloaded{[&](const Elementwise::Literal& node) -> Result<Computation> {
                                 result.node = Computation::Literal{node.value};
                                 return std::move(result);
                               },
                               [&](const Elementwise::Index& node) -> Result<Computation> {
                                 result.node = Computation::Index{node.value};
                                 return std::move(result);
                               },
                               of_view,
                               [&](const Elementwise::Apply& node) -> Result<Computation> {
                                 result.node = Computation::Apply{
                                     node.function, combined_in(node.function, types)};
                                 return std::move(result);
                               },
                               [&](const Elementwise::Convert& node) -> Result<Computation> {
                                 result.node = Computation::Convert{node.type};
                                 return std::move(result);
                               }},
                    value.node);
}

Result<View> Lowerer::exchanged(const View& view, const Team& team) {
  const Placed source = *find(view.tensor);
  const Placed through = scratch(source.tensor.type, source.tensor.shape, team);
  const View all{through.tensor.name, {}};
  HEDDLE_CHECK(pointwise(all, {View{view.tensor, {}}}, team, Number(0.0)));
  return View{through.tensor.name, view.steps};
}

Result<Elementwise> Lowerer::apart_from(std::string_view tensor, Elementwise value,
                                        const Team& team) {
  for (Elementwise& operand : value.operands) {
    HEDDLE_TRY(operand, apart_from(tensor, std::move(operand), team));
  }
  const auto* view = std::get_if<View>(&value.node);
  if (view == nullptr || view->tensor != tensor) return value;
  HEDDLE_TRY(ViewShape shape, kernel::shape_of(*view, find(tensor)->tensor));
  if (!std::ranges::all_of(shape.extents, &Int::is_constant)) {
    return refuse(
        Diagnostic("kernel.not_lowered",
                   fmt::format("{} is read while {} is written, and its shape {} is not "
                               "constant",
                               to_string(*view), tensor, shape_text(shape.extents)))
            .with_hint("write another tensor, or a tile of both at a time, X[128*bx : +128]"));
  }
  const View copy{scratch(shape.type, std::move(shape.extents), team).tensor.name, {}};
  HEDDLE_CHECK(pointwise(copy, value, team, Number(0.0)));
  return Elementwise{copy};
}

Result<Elementwise> Lowerer::within_reach(Elementwise value, const Spread& spread, const Team& team,
                                          const PointOf& point_of) {
  for (Elementwise& operand : value.operands) {
    HEDDLE_TRY(operand, within_reach(std::move(operand), spread, team, point_of));
  }
  const auto* view = std::get_if<View>(&value.node);
  if (view == nullptr) return value;
  const Placed& placed = *find(view->tensor);
  if (!placed.spread) return value;
  std::vector<Int> counters;
  for (const SpreadDigit& digit : register_digits(spread)) {
    counters.push_back(index_variable(fmt::format("c#{}", counters.size()), digit.extent));
  }
  const std::vector<Int> point = point_of(coordinate_at(spread, team.rank, counters));
  HEDDLE_TRY(const ViewShape shape, kernel::shape_of(*view, placed.tensor));
  HEDDLE_TRY(const Element element,
             element_at(*view, placed.tensor, broadcast_point(shape.extents, point)));
  const auto is_at_hand = [&](const Element& holder) {
    return is_held(*placed.spread, team.rank, holder.coordinate);
  };
  if (std::ranges::all_of(holders_of_bits(element, placed.tensor), is_at_hand)) return value;
  HEDDLE_TRY(value.node, exchanged(*view, team));
  return value;
}

Result<std::optional<Spread>> Lowerer::spread_in(const Elementwise& value,
                                                 const std::vector<Int>& shape) const {
  const View* view = first_view(value, [&](const View& each) {
    const Placed* placed = find(each.tensor);
    return placed->spread && is_whole(each) &&
           std::ranges::equal(placed->tensor.shape, shape, known_equal);
  });
  if (view == nullptr) return std::nullopt;
  return find(view->tensor)->spread;
}

Result<void> Lowerer::by_members(const Team& team, const std::function<Result<void>()>& fill) {
  return guarded(team.members, fill);
}

Result<void> Lowerer::guarded(std::vector<Condition> conditions,
                              const std::function<Result<void>()>& fill) {
  std::erase_if(conditions, known);
  if (conditions.empty()) return fill();
  const std::size_t outer = guards_.size();
  guards_.insert(guards_.end(), conditions.begin(), conditions.end());
  auto filled = nested(fill);
  guards_.resize(outer);
  HEDDLE_TRY(ThreadBlock body, std::move(filled));
  if (!body.empty()) add(Guarded{std::move(conditions), std::move(body), {}});
  return {};
}

/// `i0`, in a loop within it `i1`: what no name of the kernel is.
std::string Lowerer::counter_name() const {
  std::string name = fmt::format("i{}", loops_);
  while (taken_.contains(name)) name += "_";
  return name;
}

Result<void> Lowerer::loops(const std::vector<SpreadDigit>& digits, std::vector<Int>& counters,
                            const std::function<Result<void>()>& visit) {
  // The last digit is the outermost loop.
  const std::size_t done = counters.size();
  if (done == digits.size()) {
    std::ranges::reverse(counters);
    auto visited = visit();
    std::ranges::reverse(counters);
    return visited;
  }
  const SpreadDigit& digit = digits[digits.size() - 1 - done];
  if (known_equal(digit.extent, 1)) {
    counters.emplace_back(0);
    auto visited = loops(digits, counters, visit);
    counters.pop_back();
    return visited;
  }
  const std::string name = counter_name();
  counters.push_back(index_variable(name, digit.extent));
  ++loops_;
  HEDDLE_TRY(ThreadBlock body, nested([&] { return loops(digits, counters, visit); }));
  --loops_;
  counters.pop_back();
  const bool is_unrolled =
      digit.extent.is_constant() && digit.extent.value() <= kMaxUnrolled && digit.stride != 0;
  ThreadLoop loop{name, digit.extent, std::move(body), is_unrolled};
  loop.is_vector = options_.has_one_worker;
  add(std::move(loop));
  return {};
}

Result<void> Lowerer::for_each(const Spread& spread, const Team& team, bool is_once,
                               const Visit& visit) {
  std::vector<Condition> outer = team.members;
  if (is_once) std::ranges::move(is_first_copy(spread, team.rank), std::back_inserter(outer));
  std::vector<Int> counters;
  return guarded(std::move(outer), [&] {
    return loops(register_digits(spread), counters, [&]() -> Result<void> {
      const std::vector<Int> coordinate = coordinate_at(spread, team.rank, counters);
      return guarded(inside(spread, coordinate), [&] { return visit(coordinate, counters); });
    });
  });
}

Result<Int> Lowerer::memory_of(const Tensor& tensor) const {
  const Int size = form::product(tensor.shape);
  if (!tensor.layout) return size;
  HEDDLE_TRY(map::View view, map::view(*tensor.layout));
  HEDDLE_TRY(view, map::reshaped(view, tensor.shape));
  std::int64_t greatest = 0;
  for (std::int64_t i = 0; i != size.value(); ++i) {
    const std::vector<Int> place = view.evaluate(form::unflatten(tensor.shape, i), 0);
    if (place.size() == 1 && place.front().is_constant() && place.front().value() >= 0) {
      greatest = std::max(greatest, place.front().value());
      continue;
    }
    return refuse("kernel.layout",
                  fmt::format("{}: the places of the layout are not known to be numbers from 0 to "
                              "a bound",
                              to_string(tensor)));
  }
  return Int(greatest) + 1;
}

// --- barriers ------------------------------------------------------------------------------------

Result<void> Lowerer::check_barrier(const Team& team, std::string_view reason) const {
  if (leaving_.breaks || leaving_.skips) {
    return refuse(
        Diagnostic("kernel.barrier",
                   fmt::format("threads use what others wrote to {}, in a loop that some of them "
                               "may have left, where a barrier is impossible",
                               reason))
            .with_hint("end the loop before this statement, or let all threads leave it alike"));
  }
  if (!team.is_divergent) return {};
  return refuse(
      Diagnostic("kernel.barrier",
                 fmt::format("threads use what others wrote to {}, under a condition that may "
                             "differ between them, where a barrier is impossible",
                             reason))
          .with_hint("write `barrier()` before the condition, which all threads reach, or end the "
                     "condition before this statement: what is outside of a tensor is read as 0 "
                     "and not written without one"));
}

/// What the loads of a pipeline have copied before it has arrived.
ThreadBlock Lowerer::barrier() const {
  if (!is_loading_ahead_) return {{Barrier{}}};
  return {{CommitCopies{}}, {AwaitCopies{0}}, {Barrier{}}};
}

Result<void> Lowerer::add_barrier(const Team& team, std::string_view reason) {
  HEDDLE_CHECK(check_barrier(team, reason));
  std::ranges::move(barrier(), std::back_inserter(*open_));
  accesses_.clear();
  return {};
}

bool Lowerer::is_memory(const std::string& buffer) const {
  const auto is_this = [&](const Tensor& parameter) {
    return parameter.name == buffer && parameter.space == Space::kGlobal;
  };
  return std::ranges::any_of(program_.parameters, is_this) ||
         std::ranges::find(program_.shared, buffer, &Buffer::name) != program_.shared.end();
}

bool Lowerer::is_common(const std::string& name) const {
  if (name == "bx" || name == "by" || name == "bz" || common_.contains(name)) return true;
  return std::ranges::find(program_.sizes, name) != program_.sizes.end() ||
         std::ranges::any_of(
             counters_, [&](const Int& counter) { return variables(counter).front() == name; });
}

Result<void> Lowerer::touch(std::vector<Access> accesses, const Team& team, const View* written) {
  const auto is_relaid = [](const View::Step& step) {
    return std::holds_alternative<Relaid>(step) || std::holds_alternative<Recast>(step);
  };
  const bool is_exclusive = written != nullptr && !team.is_alone && team.unit == 0 &&
                            find(written->tensor)->is_one_to_one &&
                            std::ranges::none_of(written->steps, is_relaid);
  for (Access& access : accesses) {
    access.conditions.insert(access.conditions.end(), guards_.begin(), guards_.end());
    if (options_.has_one_worker && !team.is_alone) {
      // One of the threads stands for all that do it together.
      const std::int64_t threads = kernel_.launch.threads;
      const std::int64_t together = team.unit == 0 ? threads : team.unit;
      access.conditions.push_back(
          {mod(index_variable("tx", threads), together), Predicate::kEqual, 0});
    }
    access.is_exclusive = is_exclusive && access.kind == Access::Kind::kWrite;
    access.is_known = is_known_here(access);
    access.is_done_later = is_loading_ahead_;
  }
  const bool may_wait =
      !team.is_divergent && !leaving_.breaks && !leaving_.skips && !is_loading_ahead_;
  if (may_wait && accesses_.pending() > kMostPending) HEDDLE_CHECK(add_barrier(team, {}));
  if (const Access* before = accesses_.conflict(accesses, counters_)) {
    HEDDLE_CHECK(add_barrier(team, before->buffer));
  }
  accesses_.note(accesses);
  return {};
}

bool Lowerer::is_known_here(const Access& access) const {
  return std::ranges::all_of(variables(access.address), [&](const std::string& name) {
    return name == "tx" || name == "laneid" || name == "warpid" || is_common(name) ||
           std::ranges::find(access.loops, name, &Access::Loop::counter) != access.loops.end();
  });
}

Result<void> Lowerer::read(const Computation& value, const Team& team) {
  return touch(accesses_of(value, [&](const std::string& buffer) { return is_memory(buffer); }),
               team);
}

Result<void> Lowerer::in_order(const Team& team, const View* written,
                               const std::function<Result<void>()>& fill) {
  HEDDLE_TRY(ThreadBlock block, nested(fill));
  HEDDLE_CHECK(
      touch(accesses_of(block, [&](const std::string& buffer) { return is_memory(buffer); }), team,
            written));
  std::ranges::move(block, std::back_inserter(*open_));
  return {};
}

}  // namespace heddle::kernel

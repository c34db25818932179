// Reductions: each thread adds up what it has, then threads along the reduced dimensions combine
// what they found, by shuffles within a warp and through shared memory between warps. Scans go
// along their axis in one thread for each line.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/text.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/view.h"
#include "kernel/fold.h"
#include "kernel/lower/lowerer.h"

namespace heddle::kernel {

namespace {

Computation literal(DType type, const Number& value) {
  return {Computation::Literal{value}, type, {}};
}

Computation load(DType type, const Location& from) {
  return {Computation::Load{from, {}, {}}, type, {}};
}

/// A function of operands of one type.
Computation applied(Function function, DType type, std::vector<Computation> operands) {
  const DType combined = operands.front().type;
  return {Computation::Apply{function, combined}, type, std::move(operands)};
}

Number number(DType type, int value) {
  return is_float(type) ? Number(double(value)) : Number(std::int64_t{value});
}

/// The expression in the computed type of its results, of which the destination may ask for more
/// bits. Truth values are counted as integers.
Elementwise widened(std::string_view op, Elementwise value, DType source, DType destination) {
  const DType wanted = computed_in(destination);
  if (source == DType::kBool) {
    if (op == "any" || op == "all") return value;
    const bool is_wide = !is_float(wanted) && bits(wanted) == 64;
    return {Elementwise::Convert{is_wide ? DType::kI64 : DType::kI32}, {std::move(value)}};
  }
  if (is_float(source) != is_float(wanted)) return value;
  const DType wide = common_type(computed_in(source), wanted);
  if (wide == computed_in(source)) return value;
  return {Elementwise::Convert{wide}, {std::move(value)}};
}

/// `a op b` of two values.
Computation joined(std::string_view op, DType type, Computation a, Computation b) {
  if (op == "prod") return applied(Function::kMultiply, type, {std::move(a), std::move(b)});
  if (op == "max") return applied(Function::kMax, type, {std::move(a), std::move(b)});
  if (op == "min") return applied(Function::kMin, type, {std::move(a), std::move(b)});
  if (op == "any") return applied(Function::kOr, DType::kBool, {std::move(a), std::move(b)});
  if (op == "all") return applied(Function::kAnd, DType::kBool, {std::move(a), std::move(b)});
  return applied(Function::kAdd, type, {std::move(a), std::move(b)});
}

/// Whether a value is not 0, for `or` and `and`.
Elementwise as_truth(Elementwise value, DType type) {
  if (type == DType::kBool) return value;
  return {Elementwise::Apply{Function::kNotEqual},
          {std::move(value), {Elementwise::Literal{number(type, 0)}}}};
}

/// Whether the value at `index` comes before the best one so far: greater, or less, or the same at
/// a smaller index.
Computation is_better(std::string_view op, const Computation& value, const Computation& index,
                      const Computation& best, const Computation& best_index) {
  const bool is_greatest = op == "argmax";
  const Computation better =
      applied(Function::kLess, DType::kBool,
              is_greatest ? std::vector{best, value} : std::vector{value, best});
  const Computation same = applied(Function::kEqual, DType::kBool, {value, best});
  const Computation before = applied(Function::kLess, DType::kBool, {index, best_index});
  return applied(Function::kOr, DType::kBool,
                 {better, applied(Function::kAnd, DType::kBool, {same, before})});
}

/// Takes out of the loads what must hold for their elements to exist.
void take_conditions(Computation& value, std::vector<Condition>& conditions) {
  if (auto* from = std::get_if<Computation::Load>(&value.node)) {
    std::ranges::move(from->inside, std::back_inserter(conditions));
    from->inside.clear();
  }
  for (Computation& operand : value.operands) take_conditions(operand, conditions);
}

/// Digits of threads, those of lanes and those of warps apart; one that is no power of two is of
/// warps.
struct WarpDigits {
  std::vector<SpreadDigit> lanes;
  std::vector<SpreadDigit> warps;
};
WarpDigits split_at_warps(const std::vector<SpreadDigit>& digits) {
  WarpDigits split;
  for (SpreadDigit digit : digits) {
    const std::int64_t left = std::max<std::int64_t>(1, kWarpThreads / digit.stride);
    const std::int64_t along = std::min(digit.extent.value(), left);
    const bool is_split = std::has_single_bit(static_cast<std::uint64_t>(along)) &&
                          std::has_single_bit(static_cast<std::uint64_t>(digit.stride)) &&
                          digit.extent.value() % along == 0 && along > 1;
    if (is_split) {
      split.lanes.push_back(digit);
      split.lanes.back().extent = along;
      digit.extent = digit.extent.value() / along;
      digit.step *= along;
      digit.stride *= along;
    }
    if (digit.extent.value() > 1) split.warps.push_back(digit);
  }
  return split;
}

/// The shuffles by which threads along these digits combine their registers, each with an
/// operation.
std::int64_t steps_of_shuffles(const Spread& kept, const std::vector<SpreadDigit>& digits) {
  std::int64_t rounds = 0;
  for (const SpreadDigit& digit : digits) {
    const auto last = static_cast<std::uint64_t>(digit.extent.value() - 1);
    rounds += static_cast<std::int64_t>(std::bit_width(last));
  }
  return 2 * rounds * kept.registers.value();
}

/// The same through shared memory: a store, a barrier, and a load and an operation for each thread.
std::int64_t steps_through_memory(const Spread& kept, const std::vector<SpreadDigit>& digits) {
  if (digits.empty()) return 0;
  std::int64_t partners = 1;
  for (const SpreadDigit& digit : digits) partners *= digit.extent.value();
  return kept.registers.value() * (1 + 2 * partners) + 1;
}

}  // namespace

struct Lowerer::Reduction {
  std::string op;
  Axes axes;
  View destination;
  Elementwise source;
  bool accumulates = false;
  /// Of the source, and of what is left of it.
  Spread spread;
  Spread kept;
  /// The type that is added up in; truth values as kBool.
  DType type = DType::kF32;
  /// What every sum begins with.
  Number first;
  std::string sum;
  /// Where a position is asked for, the registers of the best one so far.
  std::string position;
  /// The digits of threads that shuffles combine, and those that shared memory does.
  std::vector<SpreadDigit> lanes;
  std::vector<SpreadDigit> warps;
  /// If the source is a long row that is gone through by vectors; the spread is that of a step.
  std::optional<LongRow> row;

  [[nodiscard]] bool is_position() const { return !position.empty(); }
  /// The digits of threads along the reduced dimensions.
  [[nodiscard]] std::vector<SpreadDigit> thread_digits() const {
    std::vector<SpreadDigit> digits;
    for (const SpreadDigit& digit : spread.digits) {
      const bool is_reduced =
          std::ranges::find(axes, static_cast<std::int64_t>(digit.dimension)) != axes.end();
      if (digit.is_thread && is_reduced) digits.push_back(digit);
    }
    return digits;
  }
};

namespace {

/// How many threads next to each other have one sum after the shuffles, and need one element of
/// shared memory for it.
std::int64_t threads_of_sum(const std::vector<SpreadDigit>& lanes,
                            const std::vector<SpreadDigit>& warps) {
  if (lanes.size() != 1 || lanes.front().stride != 1) return 1;
  const std::int64_t count = lanes.front().extent.value();
  const auto is_apart = [&](const SpreadDigit& digit) { return digit.stride % count == 0; };
  return std::ranges::all_of(warps, is_apart) ? count : 1;
}

}  // namespace

std::string Lowerer::temporary(std::string_view name, DType type, const Int& elements) {
  std::string buffer = fresh(name);
  add(Buffer{buffer, type, Space::kRegister, elements});
  return buffer;
}

/// Each sum begins with what leaves other values as they are.
Result<void> Lowerer::begin_sums(const Reduction& reduction) {
  std::vector<Int> counters;
  return loops(register_digits(reduction.kept), counters, [&]() -> Result<void> {
    const Int number = register_at(reduction.kept, counters);
    add(StoreElement{{reduction.sum, number}, literal(reduction.type, reduction.first)});
    if (reduction.is_position()) {
      add(StoreElement{{reduction.position, number},
                       literal(DType::kI64, end_of(DType::kI64, false))});
    }
    return {};
  });
}

/// Each thread adds up its own elements, into one register for each that is kept.
Result<void> Lowerer::add_up(const Reduction& reduction, const Team& team) {
  HEDDLE_CHECK(begin_sums(reduction));
  return add_elements(reduction, reduction.source, team);
}

/// The same of a long row, from vectors that are loaded at each step.
Result<void> Lowerer::add_up_row(const Reduction& reduction, const Team& team) {
  HEDDLE_CHECK(begin_sums(reduction));
  const LongRow& row = *reduction.row;
  const Spread& spread = reduction.spread;
  const std::vector<Int> zeros(register_digits(spread).size(), Int(0));
  // All elements of a vector are inside, or none of them.
  const Int first = coordinate_at(spread, team.rank, zeros).front() + row.counter * row.chunk;
  return over_row(row, team, [&]() -> Result<void> {
    std::vector<std::pair<View, View>> known;
    HEDDLE_TRY(Elementwise chunk, chunk_of(reduction.source, row));
    HEDDLE_TRY(const Elementwise source, loaded(std::move(chunk), spread, team, known));
    return in_order(team, nullptr, [&] {
      return guarded({{first, Predicate::kLess, row.length}},
                     [&] { return add_elements(reduction, source, team); });
    });
  });
}

Result<void> Lowerer::add_elements(const Reduction& reduction, const Elementwise& source,
                                   const Team& team) {
  const Spread& spread = reduction.spread;
  const auto is_kept = [&](const SpreadDigit& digit) {
    const auto dimension = static_cast<std::int64_t>(digit.dimension);
    return std::ranges::find(reduction.axes, dimension) == reduction.axes.end();
  };
  const auto at = [&](const std::vector<Int>& kept) {
    return Location{reduction.sum, register_at(reduction.kept, kept)};
  };
  const auto best_at = [&](const std::vector<Int>& kept) {
    return Location{reduction.position, register_at(reduction.kept, kept)};
  };
  return for_each(
      spread, team, false,
      [&](const std::vector<Int>& coordinate, const std::vector<Int>& all) -> Result<void> {
        std::vector<Int> kept;
        const auto digits = register_digits(spread);
        for (std::size_t i = 0; i != digits.size(); ++i) {
          if (is_kept(digits[i])) kept.push_back(all[i]);
        }
        HEDDLE_TRY(Computation value, compute(source, coordinate, team));
        std::vector<Condition> conditions;
        take_conditions(value, conditions);
        const Computation so_far = load(reduction.type, at(kept));
        return guarded(std::move(conditions), [&]() -> Result<void> {
          if (!reduction.is_position()) {
            add(StoreElement{at(kept), joined(reduction.op, reduction.type, so_far, value)});
            return {};
          }
          const auto axis = static_cast<std::size_t>(reduction.axes.front());
          const Computation index{Computation::Index{coordinate[axis]}, DType::kI64, {}};
          const Computation best = load(DType::kI64, best_at(kept));
          ThreadBranch branch{is_better(reduction.op, value, index, so_far, best), {}, {}};
          branch.then.push_back({StoreElement{best_at(kept), index}});
          branch.then.push_back({StoreElement{at(kept), value}});
          add(std::move(branch));
          return {};
        });
      });
}

/// Threads along the reduced dimensions combine their registers, so that each has the result.
Result<void> Lowerer::combine(const Reduction& reduction, const Team& team) {
  const auto kept_digits = register_digits(reduction.kept);
  std::vector<Int> counters;
  if (!reduction.lanes.empty()) {
    HEDDLE_CHECK(by_members(team, [&] {
      return loops(kept_digits, counters, [&]() -> Result<void> {
        const Location at{reduction.sum, register_at(reduction.kept, counters)};
        for (const SpreadDigit& digit : reduction.lanes) {
          for (std::int64_t bit = 1; bit < digit.extent.value(); bit *= 2) {
            const Computation mine = load(reduction.type, at);
            const Computation theirs{
                Computation::Shuffle{bit * digit.stride}, reduction.type, {mine}};
            add(StoreElement{at, joined(reduction.op, reduction.type, mine, theirs)});
          }
        }
        return {};
      });
    }));
  }
  const std::vector<SpreadDigit>& digits = reduction.warps;
  if (digits.empty()) return {};
  const Int threads = kernel_.launch.threads;
  const Int registers = reduction.kept.registers;
  const std::int64_t of_sum = threads_of_sum(reduction.lanes, digits);
  const Int slots = ceil_div(threads, of_sum);
  const Placed sums = scratch(reduction.type, {registers, slots}, {});
  std::optional<Placed> positions;
  if (reduction.is_position()) positions = scratch(DType::kI64, {registers, slots}, {});
  const Int tx = index_variable("tx", threads);
  const Int own = floor_div(tx, of_sum);
  const auto write_own = [&]() -> Result<void> {
    const Int number = register_at(reduction.kept, counters);
    const Int slot = number * slots + own;
    add(StoreElement{{sums.buffer, slot}, load(reduction.type, {reduction.sum, number})});
    if (positions) {
      add(StoreElement{{positions->buffer, slot}, load(DType::kI64, {reduction.position, number})});
    }
    return {};
  };
  HEDDLE_CHECK(in_order(team, nullptr, [&] {
    return by_members(team, [&] {
      std::vector<Condition> is_first;
      if (of_sum != 1) is_first.push_back({mod(tx, of_sum), Predicate::kEqual, 0});
      return guarded(std::move(is_first), [&] { return loops(kept_digits, counters, write_own); });
    });
  }));
  const auto read_all = [&]() -> Result<void> {
    return loops(kept_digits, counters, [&]() -> Result<void> {
      const Int number = register_at(reduction.kept, counters);
      const Location at{reduction.sum, number};
      const Location best_at{reduction.position, number};
      add(StoreElement{at, literal(reduction.type, reduction.first)});
      if (positions) {
        add(StoreElement{best_at, literal(DType::kI64, end_of(DType::kI64, false))});
      }
      // What the thread wrote that has the same digits but for those along the reduced dimensions.
      Int first = own;
      std::vector<SpreadDigit> partners = digits;
      for (SpreadDigit& digit : partners) {
        digit.stride /= of_sum;
        first -= mod(floor_div(team.rank, digit.stride * of_sum), digit.extent) * digit.stride;
      }
      std::vector<Int> partner;
      return loops(partners, partner, [&]() -> Result<void> {
        Int slot = number * slots + first;
        for (std::size_t i = 0; i != partners.size(); ++i) slot += partner[i] * partners[i].stride;
        const Computation value = load(reduction.type, {sums.buffer, slot});
        const Computation so_far = load(reduction.type, at);
        if (!positions) {
          add(StoreElement{at, joined(reduction.op, reduction.type, so_far, value)});
          return {};
        }
        const Computation index = load(DType::kI64, {positions->buffer, slot});
        ThreadBranch branch{
            is_better(reduction.op, value, index, so_far, load(DType::kI64, best_at)), {}, {}};
        branch.then.push_back({StoreElement{best_at, index}});
        branch.then.push_back({StoreElement{at, value}});
        add(std::move(branch));
        return {};
      });
    });
  };
  return in_order(team, nullptr, [&] { return by_members(team, read_all); });
}

/// The position is 0 where nothing was found.
Result<void> Lowerer::find_none(const Reduction& reduction, const Team& team) {
  std::vector<Int> counters;
  return by_members(team, [&] {
    return loops(register_digits(reduction.kept), counters, [&]() -> Result<void> {
      const Location at{reduction.position, register_at(reduction.kept, counters)};
      const Computation position = load(DType::kI64, at);
      const Computation is_none =
          applied(Function::kEqual, DType::kBool,
                  {position, literal(DType::kI64, end_of(DType::kI64, false))});
      add(StoreElement{at,
                       {Computation::Apply{Function::kSelect, DType::kI64},
                        DType::kI64,
                        {is_none, literal(DType::kI64, Number(std::int64_t{0})), position}}});
      return {};
    });
  });
}

/// Writes the results where the destination is.
Result<void> Lowerer::store(const Reduction& reduction, const Team& team) {
  const Placed placed = *find(reduction.destination.tensor);
  const DType source_type = reduction.is_position() ? DType::kI64 : reduction.type;
  const std::string& buffer = reduction.is_position() ? reduction.position : reduction.sum;
  // The registers as a tensor, which is assigned like any other.
  Tensor results{fmt::format("{}#{}", buffer, placed_.size()), source_type, reduction.kept.shape,
                 Space::kRegister};
  const std::string name = results.name;
  put({std::move(results), buffer, reduction.kept});
  Elementwise result{View{name, {}}};
  if (!reduction.accumulates) return pointwise(reduction.destination, result, team, Number(0.0));
  Elementwise held{reduction.destination};
  Function function = Function::kAdd;
  if (reduction.op == "prod") function = Function::kMultiply;
  if (reduction.op == "max") function = Function::kMax;
  if (reduction.op == "min") function = Function::kMin;
  if (reduction.op == "any") function = Function::kOr;
  if (reduction.op == "all") function = Function::kAnd;
  if (function == Function::kOr || function == Function::kAnd) {
    HEDDLE_TRY(const DType held_type, type_of(held));
    held = as_truth(std::move(held), held_type);
    result = as_truth(std::move(result), source_type);
  }
  return pointwise(reduction.destination,
                   {Elementwise::Apply{function}, {std::move(held), std::move(result)}}, team,
                   Number(0.0));
}

Result<void> Lowerer::reduce(const Call& node, const Team& team) {
  HEDDLE_CHECK(check_forced(node));
  Reduction reduction;
  reduction.op = std::get<std::string>(node.options.at("op"));
  reduction.axes = std::get<Axes>(node.options.at("axis"));
  reduction.destination = std::get<View>(node.operands[0].node);
  const auto accum = node.options.find("accum");
  reduction.accumulates = accum != node.options.end() && std::get<bool>(accum->second);
  HEDDLE_TRY(const std::vector<Int> shape, shape_of(node.operands[1]));
  HEDDLE_TRY(const std::optional<Spread> of_source, spread_in(node.operands[1], shape));
  reduction.spread = of_source ? *of_source : row_spread(shape, team.threads, 1);
  reduction.kept = reduced(reduction.spread, reduction.axes);
  const auto same = [](const std::vector<Int>& coordinate) { return coordinate; };
  HEDDLE_TRY(reduction.source, within_reach(node.operands[1], reduction.spread, team, same));
  HEDDLE_TRY(const DType source_type, type_of(reduction.source));
  HEDDLE_TRY(const DType destination_type, type_of({reduction.destination}));
  reduction.source =
      widened(reduction.op, std::move(reduction.source), source_type, destination_type);
  HEDDLE_TRY(const DType type, type_of(reduction.source));
  reduction.type = type == DType::kBool ? type : computed_in(type);
  const bool is_position = reduction.op == "argmax" || reduction.op == "argmin";
  reduction.first = first_of(fold_named(reduction.op), reduction.type,
                             is_position ? reduction.type : destination_type);
  if (!reduction.kept.registers.is_constant()) {
    return refuse(Diagnostic("kernel.not_lowered",
                             fmt::format("{}: each of {} would keep {} results, which is not "
                                         "constant",
                                         to_string(*statement_), counted(team.threads, "thread"),
                                         to_string(reduction.kept.registers)))
                      .with_hint("a part of the results for each block, as a row of them: "
                                 "launch cta M, and reduce(Y[bx], X[bx], op=\"sum\", axis=0)"));
  }
  if (!of_source && !is_position && shape.size() == 1 && is_long_row(shape, team)) {
    HEDDLE_TRY(reduction.row, row_of_vectors(reduction.source, shape.front(), team));
  }
  if (reduction.row) {
    const std::int64_t chunk = reduction.row->chunk;
    reduction.spread = row_spread({chunk}, team.threads, chunk / team.threads);
  }
  const std::vector<SpreadDigit> digits = reduction.thread_digits();
  const WarpDigits split = split_at_warps(digits);
  const bool is_whole_warps = team.threads % kWarpThreads == 0;
  std::string_view reason;
  if (!is_whole_warps) reason = "the threads do not fill whole warps";
  if (is_position) reason = "a position and its value are found together";
  if (!options_.has_shuffles) reason = "the target has no exchange between lanes";
  const bool has_shuffles = reason.empty() && !split.lanes.empty();
  const bool is_in_warps = split.warps.empty();
  if (reason.empty() && !is_in_warps) reason = "the threads of one result are in several warps";
  std::string_view chosen = "registers";
  if (!digits.empty()) chosen = !has_shuffles ? "shared" : is_in_warps ? "shuffle" : "warps";
  const bool is_shared = node.schedule && *node.schedule == "shared" && !digits.empty();
  if (node.schedule && *node.schedule != chosen && !is_shared) {
    return refuse("kernel.schedule",
                  fmt::format("{} cannot be done by {}: {}", to_string(*statement_), *node.schedule,
                              digits.empty()   ? "no thread needs what another one has"
                              : reason.empty() ? "threads need what others have"
                                               : reason));
  }
  const bool is_shuffled = has_shuffles && !is_shared;
  if (is_shuffled) reduction.lanes = split.lanes;
  reduction.warps = is_shuffled ? split.warps : digits;
  const std::int64_t more = steps_through_memory(reduction.kept, digits) -
                            steps_of_shuffles(reduction.kept, split.lanes) -
                            steps_through_memory(reduction.kept, split.warps);
  if (is_shuffled) reject("shared", "more steps", more);
  if (has_shuffles && is_shared) reject(chosen, "`using shared` is forced", -more);
  if (!digits.empty() && !reason.empty()) reject("shuffle", std::string(reason));
  if (!digits.empty()) reject("registers", "threads need what others have");
  Choice& choice = choose(node.schedule ? *node.schedule : std::string(chosen));
  choice.notes.push_back({"spread", to_string(reduction.spread)});
  if (reduction.row) choice.notes.push_back({"row", text_of(*reduction.row)});

  reduction.sum = temporary(reduction.op, reduction.type, reduction.kept.registers);
  if (is_position) {
    reduction.position = temporary("position", DType::kI64, reduction.kept.registers);
  }
  if (reduction.row) {
    HEDDLE_CHECK(add_up_row(reduction, team));
  } else {
    HEDDLE_CHECK(in_order(team, nullptr, [&] { return add_up(reduction, team); }));
  }
  HEDDLE_CHECK(combine(reduction, team));
  if (is_position) HEDDLE_CHECK(find_none(reduction, team));
  return store(reduction, team);
}

Result<void> Lowerer::scan(const Call& node, const Team& team) {
  HEDDLE_CHECK(check_forced(node));
  choose("lines");
  const std::string op = std::get<std::string>(node.options.at("op"));
  const auto axis = static_cast<std::size_t>(std::get<Axes>(node.options.at("axis")).front());
  const auto exclusive = node.options.find("exclusive");
  const bool is_exclusive = exclusive != node.options.end() && std::get<bool>(exclusive->second);
  HEDDLE_TRY(const std::vector<Int> shape, shape_of(node.operands[1]));
  const View destination = std::get<View>(node.operands[0].node);
  HEDDLE_TRY(const bool is_early, overtakes(destination, node.operands[1], team));
  // Lines in registers of several threads are read from shared memory, and written through it.
  Elementwise source = node.operands[1];
  View target = destination;
  if (is_early) {
    HEDDLE_TRY(source, apart_from(destination.tensor, std::move(source), team));
  }
  if (team.threads > 1) {
    HEDDLE_TRY(source, lines_in_memory(std::move(source), team));
    if (find(destination.tensor)->spread) {
      HEDDLE_TRY(const DType held, type_of({destination}));
      target = {scratch(held, shape, team).tensor.name, {}};
    }
  }
  std::vector<Int> lines = shape;
  lines[axis] = 1;
  const Spread spread = row_spread(lines, team.threads, 1);
  HEDDLE_TRY(const DType source_type, type_of(source));
  HEDDLE_TRY(const DType destination_type, type_of({destination}));
  source = widened(op, std::move(source), source_type, destination_type);
  HEDDLE_TRY(const DType type, type_of(source));
  const DType computed = computed_in(type);
  const Number first = first_of(fold_named(op), computed, destination_type);
  const Location sum{temporary("sum", computed, 1), 0};
  const Visit scan_line = [&](const std::vector<Int>& coordinate,
                              const std::vector<Int>&) -> Result<void> {
    add(StoreElement{sum, literal(computed, first)});
    std::vector<Int> counter;
    const std::vector<SpreadDigit> along = {{axis, shape[axis], 1, false, 0}};
    return loops(along, counter, [&]() -> Result<void> {
      std::vector<Int> point = coordinate;
      point[axis] = counter.front();
      HEDDLE_TRY(Computation value, compute(source, point, team));
      HEDDLE_TRY(Found to, locate_written(target, point, team));
      const Location next{temporary("next", computed, 1), 0};
      add(StoreElement{next, load(computed, sum)});
      std::vector<Condition> conditions;
      take_conditions(value, conditions);
      HEDDLE_CHECK(guarded(std::move(conditions), [&]() -> Result<void> {
        add(StoreElement{next, joined(op, computed, load(computed, sum), value)});
        return {};
      }));
      HEDDLE_CHECK(guarded(std::move(to.inside), [&]() -> Result<void> {
        add(StoreElement{to.location, load(computed, is_exclusive ? sum : next)});
        return {};
      }));
      add(StoreElement{sum, load(computed, next)});
      return {};
    });
  };
  HEDDLE_CHECK(in_order(team, &target, [&] { return for_each(spread, team, true, scan_line); }));
  if (target == destination) return {};
  return pointwise(destination, {target}, team, Number(0.0));
}

/// The expression with every view of registers read from shared memory.
Result<Elementwise> Lowerer::lines_in_memory(Elementwise value, const Team& team) {
  for (Elementwise& operand : value.operands) {
    HEDDLE_TRY(operand, lines_in_memory(std::move(operand), team));
  }
  const auto* view = std::get_if<View>(&value.node);
  if (view != nullptr && find(view->tensor)->spread) {
    HEDDLE_TRY(value.node, exchanged(*view, team));
  }
  return value;
}

}  // namespace heddle::kernel

// Copies: by instructions, from the widest, where one is proved to do it (apply.cc); on a CPU by
// permuting rows in registers (permute.h); else element by element.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/view.h"
#include "kernel/lower/lowerer.h"
#include "move/nest.h"

namespace heddle::kernel {

namespace {

std::int64_t atom_bits(const Instruction& instruction) {
  return size(instruction.operands.front()) * instruction.operands.front().bits;
}

Refusal refuse_way(std::string reason) { return refuse("kernel.schedule", std::move(reason)); }

/// Lines of tensors that fill the caches are written past them.
std::optional<Condition> streamed_if(const Tensor& tensor) {
  if (tensor.space != Space::kGlobal) return std::nullopt;
  const Condition is_large{move::kCached * 8 / held_bits(tensor.type, tensor.space),
                           Predicate::kAtMost, form::product(tensor.shape)};
  return known_false(is_large) ? std::nullopt : std::optional(is_large);
}

}  // namespace

/// What a copy may be done by, from the widest: the kernel's own instructions in front of the
/// target's vectors of the same width.
std::vector<Lowerer::Way> Lowerer::ways_to_copy(const Call& node, DType type) const {
  std::vector<Way> ways;
  for (std::int64_t width = options_.vector_bits / bits(type); width > 1; width /= 2) {
    Way way{fmt::format("vector of {} bits", width * bits(type)), vector_copy(type, width)};
    if (node.schedule && node.schedule != "vector") {
      way.reason = fmt::format("`using {}` is forced", *node.schedule);
    }
    ways.push_back(std::move(way));
  }
  for (const Instruction& instruction : kernel_.instructions) {
    if (instruction.operation != "copy") continue;
    const bool has_text = instruction.texts.contains(options_.target);
    Way way{instruction.name, instruction};
    if (node.schedule != instruction.name) {
      if (!has_text) way.reason = "it has no text for the target";
      if (node.schedule) way.reason = fmt::format("`using {}` is forced", *node.schedule);
    } else if (!has_text) {
      way.name += ", by its meaning: it has no text for the target";
    }
    const auto narrower = std::ranges::find_if(ways, [&](const Way& other) {
      return atom_bits(other.instruction) <= atom_bits(instruction);
    });
    ways.insert(narrower, std::move(way));
  }
  return ways;
}

/// The copy as one of addresses. Refuses, as text for explanations, what is no such copy.
Result<BoxCopy> Lowerer::box_copy(const CopyViews& views, const Team& team) const {
  const auto& [destination, source, outside] = views;
  const Placed& to = *find(destination.tensor);
  const Placed& from = *find(source.tensor);
  const auto is_memory = [](const Tensor& tensor) {
    return tensor.space == Space::kGlobal || tensor.space == Space::kShared;
  };
  if (!is_memory(to.tensor) || !is_memory(from.tensor)) {
    return refuse_way("registers are not rows of bytes");
  }
  if (to.buffer == from.buffer) return refuse_way("both sides are of one tensor");
  HEDDLE_TRY(const std::vector<Int> shape, shape_of({destination}));
  HEDDLE_TRY(const std::vector<Int> other, shape_of({source}));
  HEDDLE_TRY(const DType type, type_of({destination}));
  HEDDLE_TRY(const DType read, type_of({source}));
  BoxCopy copy;
  copy.extents = shape;
  copy.type = type;
  copy.bits = held_bits(to.tensor.type, to.tensor.space);
  const bool is_alike = std::ranges::equal(shape, other, known_equal) && type == read &&
                        copy.bits == held_bits(from.tensor.type, from.tensor.space);
  if (!is_alike) return refuse_way("the shapes are not the same, or the types");
  const auto is_relaid = [](const View::Step& step) {
    return std::holds_alternative<Relaid>(step);
  };
  if (std::ranges::any_of(destination.steps, is_relaid)) {
    return refuse_way(fmt::format("{} is written through a relayout", to.tensor.name));
  }
  std::vector<Int> point;
  for (const Int& extent : shape) {
    copy.names.push_back(fmt::format("c#{}", copy.names.size()));
    point.push_back(index_variable(copy.names.back(), extent));
  }
  HEDDLE_TRY(Found written, locate(destination, point, team));
  HEDDLE_TRY(Found there, locate(source, point, team));
  copy.to = std::move(written.location);
  copy.from = std::move(there.location);
  copy.inside = std::move(written.inside);
  std::ranges::move(there.inside, std::back_inserter(copy.inside));
  copy.streams = streamed_if(to.tensor);
  return copy;
}

/// The copy by rows, or where their conditions fail, element by element.
Result<void> Lowerer::copy_rows(PermutedBox rows, const BoxCopy& box, const CopyViews& views,
                                const Team& team) {
  auto plain = nested([&] { return copy_elements(views, team, nullptr); });
  // Parts of bytes are written by rows alone; what they touch is what the elements do.
  if (!plain && rows.conditions.empty())
    plain = nested([&] { return touch_box(box, views, team); });
  if (!plain) return refuse(std::move(plain).error());
  // What is before it stays before it.
  while (!plain->empty() && std::holds_alternative<Barrier>(plain->front().node)) {
    add(Barrier{});
    plain->erase(plain->begin());
  }
  if (rows.conditions.empty()) {
    std::ranges::move(rows.body, std::back_inserter(*open_));
  } else {
    add(Guarded{std::move(rows.conditions), std::move(rows.body), *std::move(plain)});
  }
  return {};
}

/// Goes through the elements of a copy only to know what they touch.
Result<void> Lowerer::touch_box(const BoxCopy& box, const CopyViews& views, const Team& team) {
  return in_order(team, &views.destination, [&]() -> Result<void> {
    const DType computed = computed_in(box.type);
    ThreadStatement statement{
        StoreElement{box.to, {Computation::Load{box.from, {}, {}}, computed, {}}}};
    for (std::size_t d = 0; d != box.names.size(); ++d) {
      ThreadLoop loop{box.names[d], box.extents[d], {}};
      loop.body.push_back(std::move(statement));
      statement = {std::move(loop)};
    }
    open_->push_back(std::move(statement));
    return {};
  });
}

/// Notes how elements are spread in a choice, if one is given.
Result<void> Lowerer::copy_elements(const CopyViews& views, const Team& team, Choice* choice) {
  const auto& [destination, source, outside] = views;
  HEDDLE_TRY(const DType type, type_of({destination}));
  HEDDLE_TRY(const bool is_early, overtakes(destination, {source}, team));
  auto found = is_early ? refuse_way("") : tiled(vector_copy(type, 1), {destination, source}, team);
  if (!found) return pointwise(destination, {source}, team, outside);
  if (choice != nullptr) choice->notes.push_back({"spread", to_string(found->spread)});
  return apply(destination, source, team, *found, outside);
}

/// A load of registers from shared memory by a matrix instruction, of as many matrices as it can
/// be.
Result<Lowerer::Tiling> Lowerer::matrix_load(const View& destination, const View& source,
                                             const Team& team) {
  const Tensor& tensor = find(destination.tensor)->tensor;
  const std::int64_t width = bits(tensor.type);
  if (width < 8 || width > 32) {
    return refuse_way(
        fmt::format("it loads elements of 8, 16 or 32 bits, and these have {}", width));
  }
  std::vector<Instruction>& loads = matrix_loads_[width];
  if (loads.empty()) loads = matrix_loads(width);
  std::string reason;
  for (const Instruction& load : loads) {
    auto found = tiled(load, {destination, source}, team);
    if (found) {
      found->intrinsic = load.name;
      return found;
    }
    if (reason.empty()) reason = found.error().message();
  }
  return refuse_way(reason);
}

/// What copies to shared memory may be done by, so that they are waited for later: 16, 8 or 4
/// bytes.
std::vector<Lowerer::Way> Lowerer::ways_to_copy_later(const Call& node, DType type) const {
  if (!options_.has_async_copies || !(is_loading_ahead_ || node.operation == "copy_async"))
    return {};
  std::vector<Way> ways;
  const bool is_zero = encode(type, number_in(node.options, "pad", 0)) == 0;
  for (std::int64_t bytes = 16; bytes >= 4; bytes /= 2) {
    if (bytes * 8 % bits(type) != 0) continue;
    Way way{fmt::format("cp_async of {} bytes", bytes), async_copy(type, bytes * 8 / bits(type))};
    if (node.schedule && node.schedule != "cp_async") {
      way.reason = fmt::format("`using {}` is forced", *node.schedule);
    } else if (!is_zero) {
      way.reason = "elements outside become 0, and the copy needs another pad";
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

/// Copies that are done later. Those of a pipeline are waited for by it.
Result<void> Lowerer::apply_later(const View& destination, const View& source, const Team& team,
                                  const Tiling& tiling) {
  const auto visit = [&](const std::vector<Int>& coordinate, const Location& to) -> Result<void> {
    HEDDLE_TRY(Found from, locate(source, coordinate, team));
    add(ApplyInstruction{tiling.instruction,
                         {to, std::move(from.location)},
                         {},
                         tiling.instruction.name,
                         std::move(from.inside)});
    return {};
  };
  HEDDLE_CHECK(over_tiler(destination, team, tiling, visit));
  if (is_loading_ahead_) return {};
  add(CommitCopies{});
  copied_later_.insert(find(destination.tensor)->buffer);
  are_copies_under_way_ = true;
  return {};
}

/// By a load of matrices, or copies that are waited for later; false where they are not proved.
Result<bool> Lowerer::try_asynchronous(const Call& node, const CopyViews& views, const Team& team) {
  HEDDLE_TRY(const DType type, type_of({views.destination}));
  const Tensor& to = find(views.destination.tensor)->tensor;
  const Tensor& from = find(views.source.tensor)->tensor;
  const bool may_load_matrices = options_.has_matrix_loads && to.space == Space::kRegister &&
                                 from.space == Space::kShared &&
                                 node.schedule.value_or("ldmatrix") == "ldmatrix";
  if (may_load_matrices) {
    auto found = matrix_load(views.destination, views.source, team);
    if (found) {
      choose(found->intrinsic).notes.push_back({"spread", to_string(found->spread)});
      HEDDLE_CHECK(apply(views.destination, views.source, team, *found, views.outside));
      return true;
    }
    reject("ldmatrix", found.error().message());
  }
  for (Way& way : ways_to_copy_later(node, type)) {
    auto found = way.reason.empty()
                     ? tiled(way.instruction, {views.destination, views.source}, team)
                     : refuse_way(way.reason);
    if (found) {
      choose(way.name).notes.push_back({"spread", to_string(found->spread)});
      HEDDLE_CHECK(apply_later(views.destination, views.source, team, *found));
      return true;
    }
    reject(way.name, found.error().message());
  }
  return false;
}

/// By the widest instruction that is proved to do it; false where none is. That vectors do not do a
/// long row is known.
Result<bool> Lowerer::try_instructions(const Call& node, const CopyViews& views, const Team& team,
                                       bool is_long_row) {
  HEDDLE_TRY(const DType type, type_of({views.destination}));
  for (Way& way : ways_to_copy(node, type)) {
    if (is_long_row && way.name.starts_with("vector of ")) continue;
    if (!way.reason.empty()) {
      reject(way.name, std::move(way.reason));
      continue;
    }
    auto found = tiled(way.instruction, {views.destination, views.source}, team);
    if (found) {
      choose(way.name).notes.push_back({"spread", to_string(found->spread)});
      HEDDLE_CHECK(apply(views.destination, views.source, team, *found, views.outside));
      return true;
    }
    reject(way.name, found.error().message());
  }
  return false;
}

/// By rows, where one worker does it; false where they are not found.
Result<bool> Lowerer::try_rows(const Call& node, const CopyViews& views, const Team& team) {
  if (!options_.has_one_worker || node.schedule.value_or("rows") != "rows") return false;
  auto box = box_copy(views, team);
  if (box) box->is_forced = node.schedule.has_value();
  const Fresh unused = [&](std::string_view name) { return fresh(name); };
  auto rows = box ? permuted(*box, unused) : refuse(box.error());
  if (!rows) {
    reject("rows", rows.error().message());
    return false;
  }
  choose("rows").notes = rows->notes;
  HEDDLE_CHECK(copy_rows(*std::move(rows), *box, views, team));
  return true;
}

/// Says why the copy is not done as it is forced to be.
Refusal Lowerer::refuse_forced(const Call& node, bool is_early) const {
  std::string reason = is_early ? "the source is overwritten while it is read" : "";
  for (const Candidate& each : choice_.candidates) {
    if (each.schedule.starts_with(*node.schedule)) reason = each.reason;
  }
  if (reason.empty()) {
    reason = node.schedule == "cp_async" ? "it is for copy_async, and for the loads of pipelines"
                                         : "it is for copies from shared memory to registers";
  }
  const std::string by = node.schedule == "vector" ? "vectors" : *node.schedule;
  return refuse("kernel.schedule",
                fmt::format("{} cannot be done by {}: {}", to_string(*statement_), by, reason));
}

Result<void> Lowerer::copy(const Call& node, const Team& team) {
  HEDDLE_CHECK(check_forced(node));
  CopyViews views{std::get<View>(node.operands[0].node), std::get<View>(node.operands[1].node),
                  number_in(node.options, "pad", 0)};
  HEDDLE_TRY(const DType source_type, type_of({views.source}));
  HEDDLE_TRY(const DType type, type_of({views.destination}));
  // Bits are copied as they are, and the padding is an element among them.
  if (source_type == type) views.outside = decode(type, encode(type, views.outside));
  HEDDLE_TRY(const bool is_early, overtakes(views.destination, {views.source}, team));
  if (!is_early) {
    HEDDLE_TRY(const bool is_done, try_asynchronous(node, views, team));
    if (is_done) return {};
    HEDDLE_TRY(const std::vector<Int> shape, shape_of({views.destination}));
    const bool is_long = is_long_row(shape, team) && node.schedule.value_or("vector") == "vector" &&
                         encode(type, views.outside) == 0 && source_type == type &&
                         !find(views.destination.tensor)->spread;
    if (is_long) {
      HEDDLE_TRY(const bool is_by_rows, try_long_row(views.destination, {views.source}, team));
      if (is_by_rows) return {};
    }
    HEDDLE_TRY(const bool is_applied, try_instructions(node, views, team, is_long));
    if (is_applied) return {};
    HEDDLE_TRY(const bool is_in_rows, try_rows(node, views, team));
    if (is_in_rows) return {};
  } else if (options_.has_one_worker) {
    reject("rows", "the source is overwritten while it is read");
  }
  if (node.schedule && node.schedule != "element") return refuse_forced(node, is_early);
  return copy_elements(views, team, &choose("element"));
}

}  // namespace heddle::kernel

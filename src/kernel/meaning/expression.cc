#include "kernel/meaning/expression.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/format.h"
#include "fmt/ranges.h"
#include "kernel/value_type.h"

namespace heddle::kernel::meaning {

Result<Storage*> Surroundings::find(std::string_view name) const {
  for (std::size_t i = storages.size(); i-- != 0;) {
    if (storages[i]->tensor.name == name) return storages[i];
  }
  return refuse("kernel.name", "unknown tensor '{}'", name);
}

Result<void> read_elements(const Places& places, std::int64_t first, std::size_t count,
                           const Performance& performance, Elements& elements) {
  places.locate(first, count, elements.located);
  const std::span<std::uint64_t> bits(elements.bits.data(), count);
  HEDDLE_CHECK(
      performance.memory.read(places.storage(), elements.located, performance.actor, bits));
  std::array<std::uint64_t, kChunk> part_bits;
  for (std::int64_t part = 1; part < places.parts(); ++part) {
    places.locate(first, count, elements.located, part);
    HEDDLE_CHECK(performance.memory.read(places.storage(), elements.located, performance.actor,
                                         std::span(part_bits.data(), count)));
    for (std::size_t i = 0; i != count; ++i) bits[i] |= part_bits[i] << (part * places.part_bits());
  }
  return {};
}

Result<void> write_elements(const Places& places, std::int64_t first, std::size_t count,
                            const Performance& performance, std::span<const std::uint64_t> bits) {
  Located located;
  places.locate(first, count, located);
  HEDDLE_CHECK(performance.memory.write(places.storage(), located, performance.actor, bits));
  std::array<std::uint64_t, kChunk> part_bits;
  for (std::int64_t part = 1; part < places.parts(); ++part) {
    places.locate(first, count, located, part);
    for (std::size_t i = 0; i != count; ++i) part_bits[i] = bits[i] >> (part * places.part_bits());
    HEDDLE_CHECK(performance.memory.write(places.storage(), located, performance.actor,
                                          std::span(part_bits.data(), count)));
  }
  return {};
}

bool broadcast_to(std::vector<std::int64_t>& shape, std::span<const std::int64_t> other) {
  if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
  const std::size_t lead = shape.size() - other.size();
  for (std::size_t d = 0; d != other.size(); ++d) {
    std::int64_t& extent = shape[lead + d];
    if (extent == 1) extent = other[d];
    if (other[d] != 1 && other[d] != extent) return false;
  }
  return true;
}

struct Expression::Compiler {
  const Surroundings& surroundings;
  Expression expression;
  std::size_t depth = 0;
  std::size_t greatest_depth = 1;

  /// A value: its type, and the computed type of its lanes.
  struct Typed : ValueType {
    Typed(ValueType of, DType lanes_type) : ValueType(of), lanes(lanes_type) {}

    DType lanes;
  };

  void push() { greatest_depth = std::max(greatest_depth, ++depth); }

  [[nodiscard]] Result<Typed> value(const Elementwise& value) {
    return std::visit([&](const auto& node) { return this->node(node, value.operands); },
                      value.node);
  }

  [[nodiscard]] Result<Typed> node(const Elementwise::Literal& node,
                                   const std::vector<Elementwise>& /*operands*/) {
    expression.code_.emplace_back(Constant{node.value});
    push();
    if (node.value.is_real) return Typed({DType::kF32, true}, DType::kF64);
    return Typed({DType::kI32, true}, DType::kI64);
  }

  [[nodiscard]] Result<Typed> node(const Elementwise::Index& node,
                                   const std::vector<Elementwise>& /*operands*/) {
    HEDDLE_TRY(Formula formula, Formula::make(node.value, surroundings.variables));
    expression.code_.emplace_back(Index{std::move(formula)});
    push();
    return Typed({DType::kI64}, DType::kI64);
  }

  [[nodiscard]] Result<Typed> node(const View& node, const std::vector<Elementwise>& /*operands*/) {
    HEDDLE_TRY(Storage * storage, surroundings.find(node.tensor));
    HEDDLE_TRY(Places places, Places::make(node, *storage, surroundings.variables));
    const DType type = places.type();
    expression.code_.emplace_back(Load{expression.views_.size()});
    expression.views_.push_back(std::move(places));
    push();
    return Typed({type}, computed_in(type));
  }

  [[nodiscard]] Result<Typed> node(const Elementwise::Convert& node,
                                   const std::vector<Elementwise>& operands) {
    HEDDLE_CHECK(value(operands.front()));
    expression.code_.emplace_back(Round{node.type});
    return Typed({node.type}, computed_in(node.type));
  }

  [[nodiscard]] Result<Typed> node(const Elementwise::Apply& node,
                                   const std::vector<Elementwise>& operands) {
    const Function function = node.function;
    std::vector<Typed> types;
    for (const Elementwise& operand : operands) {
      HEDDLE_TRY(const Typed each, value(operand));
      types.push_back(each);
    }
    const std::vector<ValueType> plain(types.begin(), types.end());
    const DType combined = computed_in(combined_in(function, plain));
    for (std::size_t i = first_combined(function); i != types.size(); ++i) {
      if (types[i].lanes == combined) continue;
      expression.code_.emplace_back(Convert{combined, types.size() - 1 - i});
    }
    expression.code_.emplace_back(Apply{function, types.size()});
    depth -= types.size() - 1;
    const ValueType result = result_of(function, plain);
    return Typed(result, computed_in(result.type));
  }
};

Result<Expression> Expression::make(const Elementwise& value, const Surroundings& surroundings) {
  Compiler compiler{surroundings, {}};
  HEDDLE_TRY(const Compiler::Typed type, compiler.value(value));
  compiler.expression.type_ = type.lanes;
  compiler.expression.stack_.resize(compiler.greatest_depth);
  return std::move(compiler.expression);
}

Result<void> Expression::resolve(const Performance& performance) {
  extents_.clear();
  for (Places& view : views_) {
    HEDDLE_CHECK(view.resolve(performance.row, performance.actor.part));
    if (broadcast_to(extents_, view.extents())) continue;
    return refuse("kernel.broadcast", "the shapes ({}) and ({}) do not broadcast",
                  fmt::join(extents_, ","), fmt::join(view.extents(), ","));
  }
  return {};
}

void Expression::spread(std::span<const std::int64_t> box) {
  for (Places& view : views_) view.spread(box);
}

Places* Expression::single_view() {
  return code_.size() == 1 && views_.size() == 1 ? &views_.front() : nullptr;
}

bool Expression::reads(const Storage& storage) const {
  return std::ranges::any_of(views_,
                             [&](const Places& view) { return &view.storage() == &storage; });
}

Result<void> Expression::load(const Load& instruction, std::int64_t first, std::size_t count,
                              const Performance& performance, Lanes& lanes) {
  const Places& view = views_[instruction.view];
  HEDDLE_CHECK(read_elements(view, first, count, performance, elements_));
  decode_lanes(view.type(), std::span(elements_.bits.data(), count), lanes);
  for (std::size_t i = 0; i != count; ++i) {
    if (elements_.located.places[i] < 0) are_inside_[i] = false;
  }
  if (!padding_) return {};
  const Number padding = converted(lanes.type, *padding_);
  for (std::size_t i = 0; i != count; ++i) {
    if (elements_.located.places[i] >= 0) continue;
    lanes.real[i] = padding.real;
    lanes.integer[i] = padding.integer;
  }
  return {};
}

Result<void> Expression::evaluate(std::int64_t first, std::size_t count,
                                  const Performance& performance) {
  std::fill_n(are_inside_.begin(), count, true);
  std::size_t top = 0;  // one past the last operand
  for (const Instruction& instruction : code_) {
    if (const auto* load = std::get_if<Load>(&instruction)) {
      HEDDLE_CHECK(this->load(*load, first, count, performance, stack_[top++]));
    } else if (const auto* apply = std::get_if<Apply>(&instruction)) {
      top -= apply->operands;
      apply_lanes(apply->function, std::span(&stack_[top++], apply->operands), count);
    } else if (const auto* convert = std::get_if<Convert>(&instruction)) {
      convert_lanes(stack_[top - 1 - convert->below], convert->type, count);
    } else if (const auto* constant = std::get_if<Constant>(&instruction)) {
      fill_lanes(stack_[top++], constant->value, count);
    } else if (const auto* round = std::get_if<Round>(&instruction)) {
      const std::span<std::uint64_t> bits(elements_.bits.data(), count);
      encode_lanes(round->type, stack_[top - 1], bits);
      decode_lanes(round->type, bits, stack_[top - 1]);
    } else if (const auto* index = std::get_if<Index>(&instruction)) {
      const exact::Value value = index->formula.at(performance.row);
      if (!value) return refuse("overflow", "an integer of the kernel is not a 64-bit number");
      fill_lanes(stack_[top++], Number(*value), count);
    }
  }
  return {};
}

}  // namespace heddle::kernel::meaning

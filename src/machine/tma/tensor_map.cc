// The names, numbers and texts of tensor maps.

#include <fmt/format.h>

#include <array>

#include "core/format.h"
#include "core/text.h"
#include "expr/numbers_text.h"
#include "heddle/form/element_type.h"
#include "heddle/form/index_map.h"
#include "heddle/machine/tma.h"
#include "machine/tma/pairing.h"

namespace heddle::machine {
namespace {

std::string rule_text(const TmaRule& rule) {
  return fmt::format("{}: {}", rule.subject, to_string(rule.condition));
}

/// `+ 64*i0 + 128*i1`, without what is 0.
std::string steps_text(const std::vector<TmaLoop>& loops, const auto& step_of) {
  std::string text;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Int& step = step_of(loops[i]);
    if (known_equal(step, 0)) continue;
    const std::string factor = to_string(step);
    const bool is_sum = factor.find_first_of("+-") != std::string::npos;
    text += fmt::format(" + {}*i{}", is_sum ? "(" + factor + ")" : factor, i);
  }
  return text;
}

std::string at_text(const Int& start, const std::string& steps) {
  if (steps.empty()) return to_string(start);
  return known_equal(start, 0) ? steps.substr(3) : to_string(start) + steps;
}

}  // namespace

Result<TmaElement> tma_element(std::string_view type) {
  if (const form::ElementType* known = form::find_element_type(type)) {
    const std::string_view name = known->tensor_map;
    if (!name.empty()) return TmaElement{name, static_cast<int>(known->bits)};
    // Bytes of any kind.
    if (known->bits == 8) return TmaElement{"UINT8", 8};
  }
  return refuse(
      diagnose("tma.element", "no tensor map has elements of the type {}", type)
          .with_hint("known are f16, bf16, f32, tf32, f64, f8e4m3, i8 to i64 and u8 to u64"));
}

Result<TmaElement> tma_element(std::int64_t bits) {
  constexpr std::array<TmaElement, 4> kUnsigned = {
      {{"UINT8", 8}, {"UINT16", 16}, {"UINT32", 32}, {"UINT64", 64}}};
  for (const TmaElement& element : kUnsigned) {
    if (element.bits == bits) return element;
  }
  return refuse(
      diagnose("tma.element", "no tensor map has elements of {} bits", bits)
          .with_hint("8, 16, 32 and 64 bits are; pack() reads smaller elements as wider ones"));
}

Int TmaCopy::instructions() const {
  Int count = 1;
  for (const TmaLoop& loop : loops) count *= loop.count;
  return count;
}

std::int64_t TmaCopy::box_size() const {
  std::int64_t size = 1;
  for (const TmaDimension& dim : map.dims) size *= dim.box;
  return size;
}

std::string instructions_text(const TmaCopy& copy) {
  const Int count = copy.instructions();
  if (count.is_constant()) return counted(count.value(), "instruction");
  return to_string(count) + " instructions";
}

std::string to_string(const TmaCopy& copy) {
  const TensorMap& map = copy.map;
  std::string text = fmt::format("{} of {} bytes", instructions_text(copy),
                                 copy.box_size() * map.element.bits / 8);
  text += fmt::format("\n  tensor map  {}, rank {}, swizzle {}", map.element.name, map.dims.size(),
                      map.swizzle.name);
  text += fmt::format("\n    address   global + {}", map.base);
  std::vector<Int> extents;
  std::vector<Int> strides;
  std::vector<std::int64_t> box;
  for (const TmaDimension& dim : map.dims) {
    extents.push_back(dim.extent);
    if (extents.size() > 1) strides.push_back(dim.stride);
    box.push_back(dim.box);
  }
  text += fmt::format("\n    extents   {}", tuple_text(extents));
  if (!strides.empty()) text += fmt::format("\n    strides   {} bytes", tuple_text(strides));
  text += fmt::format("\n    box       {}", tuple_text(box));
  for (std::size_t i = 0; i < copy.loops.size(); ++i) {
    text += fmt::format("\n  {}i{} < {}", i == 0 ? "for         " : "            ", i,
                        copy.loops[i].count);
  }
  std::string coordinates;
  for (std::size_t d = 0; d < map.dims.size(); ++d) {
    if (d > 0) coordinates += ", ";
    coordinates +=
        at_text(copy.coordinates[d], steps_text(copy.loops, [&](const TmaLoop& loop) -> const Int& {
                  return loop.coordinates[d];
                }));
  }
  text += fmt::format(
      "\n  copy        box at ({}) -> shared + {}", coordinates,
      at_text(copy.shared, steps_text(copy.loops, [](const TmaLoop& loop) -> const Int& {
                return loop.shared;
              })));
  text += fmt::format("\n  needs       global address: a multiple of 16; shared address: of {}",
                      copy.shared_alignment);
  for (const TmaRule& rule : copy.rules) {
    if (!rule.is_proved) text += "\n              " + rule_text(rule);
  }
  return text;
}

}  // namespace heddle::machine

#include "form/machine/amd_names.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "form/machine/names.h"

namespace heddle::form {
namespace {

AmdType type_of(std::string_view name, bool fnuz) {
  using Named = std::pair<std::string_view, AmdType>;
  constexpr std::array<Named, 13> kTypes = {{{"f64", {"fp64", 64}},
                                             {"f32", {"fp32", 32}},
                                             {"xf32", {"xf32", 32}},
                                             {"f16", {"fp16", 16}},
                                             {"bf16", {"bf16", 16}},
                                             {"fp8", {"fp8", 8}},
                                             {"bf8", {"bf8", 8}},
                                             {"f8f6f4", {"fp8", 8}},
                                             {"f4", {"fp4", 4}},
                                             {"i32", {"int32", 32}},
                                             {"i8", {"int8", 8}},
                                             {"iu8", {"iu8", 8}},
                                             {"iu4", {"iu4", 4}}}};
  if (fnuz && name == "fp8") return {"amd_fp8", 8};
  if (fnuz && name == "bf8") return {"amd_bf8", 8};
  const auto* const found = std::ranges::find(kTypes, name, &Named::first);
  assert(found != kTypes.end());
  return found->second;
}

bool is_shape(std::string_view part) {
  return part.find('x') != std::string_view::npos && part.front() >= '0' && part.front() <= '9';
}

}  // namespace

AmdName parse_amd_name(std::string_view mnemonic, bool fnuz) {
  const std::vector<std::string_view> parts = split(mnemonic, '_');
  const auto shape = std::ranges::find_if(parts, is_shape);
  assert(shape - parts.begin() >= 3 && shape + 1 < parts.end());

  AmdName name;
  name.shape = *shape;
  const std::vector<std::string_view> mnk = split(*shape, 'x');
  name.sizes = {number(mnk[0]), number(mnk[1]), number(mnk[2]), 1};
  auto type = shape + 1;
  if (type->front() >= '0' && type->front() <= '9') {
    name.blocks = *type++;
    name.sizes.blocks = number(name.blocks);
  }
  name.types.assign(type, parts.end());
  name.a = type_of(name.types.front(), fnuz);
  name.b = type_of(name.types.back(), fnuz);

  // Of bf16f32, D is bf16 and C is f32.
  const std::string_view result = *(shape - 1);
  const bool mixed = result == "bf16f32";
  name.d = type_of(mixed ? "bf16" : result, fnuz);
  name.c = mixed ? type_of("f32", fnuz) : name.d;
  if (parts[2] == "scale") name.scale = 32;
  if (parts[2] == "scale16") name.scale = 16;
  return name;
}

std::string old_amd_name(std::string_view mnemonic) {
  const AmdName name = parse_amd_name(mnemonic);
  std::string old(mnemonic.substr(0, mnemonic.find(name.shape) + name.shape.size()));
  for (const std::string_view type : name.types) old += type;
  return old;
}

InstructionOperand amd_operand(std::string name, const AmdType& type, Fragment fragment) {
  return {std::move(name), std::string(type.name), type.bits, std::move(fragment)};
}

InstructionOperand sparse_operand(const AmdType& type, Fragment groups) {
  InstructionOperand a = amd_operand("A", type, std::move(groups));
  a.group = kSparseKept;
  a.slot_bits = kSparseKept * a.bits;
  a.note = "the 2 kept elements of k = 4*kgroup … 4*kgroup + 3";
  return a;
}

InstructionOperand index_operand(Fragment groups) {
  InstructionOperand index = amd_operand("K", {"index2bit", 2}, std::move(groups));
  index.group = kSparseKept;
  index.slot_bits = kSparseKept * index.bits;
  index.note = "two numbers from 0 to 3: which of the 4 elements are kept";
  return index;
}

}  // namespace heddle::form

// The table of operations, and its operations by name.

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heddle/notation/operations.h"
#include "notation/operations/binding.h"

namespace heddle::notation {

namespace {

std::vector<Operation> make_table() {
  std::vector<Operation> table;
  add_tuple_operations(table);
  add_layout_operations(table);
  add_slicing_operations(table);
  add_algebra_operations(table);
  add_swizzle_operations(table);
  add_permutation_operations(table);
  add_partition_operations(table);
  add_tiled_mma_operations(table);
  add_tiled_copy_operations(table);
  add_tensor_operations(table);
  add_linear_operations(table);
  add_linear_dims_operations(table);
  add_linear_question_operations(table);
  add_column_action_operations(table);
  add_encoding_operations(table);
  add_analyze_operations(table);
  add_axe_operations(table);
  add_axe_grouping_operations(table);
  add_axe_tile_operations(table);
  add_axe_hardware_operations(table);
  add_axe_mesh_operations(table);
  add_lego_operations(table);
  add_lego_question_operations(table);
  add_relation_operations(table);
  add_decision_operations(table);
  add_conversion_operations(table);
  add_recovery_operations(table);
  add_emit_operations(table);
  add_index_operations(table);
  add_instantiate_operations(table);
  add_picture_operations(table);
  return table;
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> table = make_table();
  return table;
}

std::span<const Operation* const> operations_named(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, std::vector<const Operation*>> by_name;
    for (const Operation& operation : operations()) by_name[operation.name].push_back(&operation);
    // CuTe's names of two of them.
    by_name["get_swizzle_portion"] = by_name.at("swizzle_portion");
    by_name["get_nonswizzle_portion"] = by_name.at("nonswizzle_portion");
    for (const char* maker : {"make_shape", "make_stride", "make_coord", "make_tile", "make_step"})
      by_name[maker] = by_name.at("make_tuple");
    return by_name;
  }();
  const auto found = index.find(name);
  if (found == index.end()) return {};
  return found->second;
}

const Operation* find_operation(std::string_view name) {
  const auto named = operations_named(name);
  return named.empty() ? nullptr : named.front();
}

const Operation* find_operation(std::string_view name, Kind first) {
  for (const Operation* operation : operations_named(name)) {
    if (operation->parameters.empty()) continue;
    if (operation->parameters.front().kind == first) return operation;
  }
  return nullptr;
}

bool has_parameter(const Operation& operation, std::string_view name) {
  return std::ranges::find(operation.parameters, name, &Parameter::name) !=
         operation.parameters.end();
}

std::string signature(const Operation& operation) {
  std::string text = operation.name + "(";
  bool first = true;
  for (const Parameter& parameter : operation.parameters) {
    const bool is_optional = parameter.need == Need::kOptional;
    if (is_optional) text += '[';
    if (!first) text += ", ";
    text += parameter.name;
    if (!parameter.default_text.empty()) text += "=" + parameter.default_text;
    if (is_optional) text += ']';
    if (parameter.need == Need::kRepeated) text += "…";
    first = false;
  }
  return text + ")";
}

}  // namespace heddle::notation

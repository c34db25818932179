// The table of operations, and look-up by name.

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/notation/operations.h"
#include "notation/language/free_names.h"
#include "notation/operations/binding.h"

namespace heddle::notation {

// The functions that add rows, one per file: most files are in operations/rows, those that evaluate
// texts in templates, pictures, dumps and diagnose. A new file is listed only here.
using AddRows = void(std::vector<Operation>& table);
AddRows add_tuple_operations, add_layout_operations, add_slicing_operations, add_algebra_operations,
    add_permutation_operations, add_partition_operations, add_linear_operations,
    add_linear_question_operations, add_encoding_operations, add_analyze_operations,
    add_axe_operations, add_axe_grouping_operations, add_axe_hardware_operations,
    add_axe_mesh_operations, add_lego_operations, add_relation_operations, add_set_operations,
    add_loop_operations, add_any_layout_operations, add_emit_operations, add_index_operations,
    add_instantiate_operations, add_picture_operations, add_ttgir_operations,
    add_diagnose_operations, add_machine_operations, add_machine_copy_operations,
    add_machine_gemm_operations, add_machine_tma_operations, add_move_operations,
    add_distribute_operations, add_kernel_operations, add_page_operations, add_roofline_operations;

namespace {

/// CuTe DSL's names of the parameters of an operation, and those here.
struct DslKeywords {
  std::string_view operations;
  std::vector<std::pair<std::string_view, std::string_view>> names;
};

const std::vector<DslKeywords>& dsl_keywords() {
  static const std::vector<DslKeywords> keywords = {
      {"local_tile", {{"input", "tensor"}, {"coord", "coordinate"}, {"proj", "projection"}}},
      {"local_partition", {{"target", "tensor"}, {"tiler", "threads"}, {"proj", "projection"}}},
      {"logical_divide zipped_divide tiled_divide flat_divide", {{"target", "layout"}}},
      {"composition", {{"lhs", "a"}, {"rhs", "b"}}},
      {"complement right_inverse left_inverse filter_zeros", {{"input", "layout"}}},
      {"select", {{"input", "layout"}, {"mode", "modes"}}},
      {"coalesce filter", {{"input", "layout"}, {"target_profile", "profile"}}},
      {"prepend append", {{"input", "layout"}, {"elem", "mode"}, {"up_to_rank", "rank"}}},
      {"group shape", {{"input", "layout"}}},
      {"slice", {{"src", "layout"}, {"coord", "coordinate"}}},
      {"dice", {{"src", "layout"}, {"dicer", "coordinate"}}},
      {"get", {{"input", "x"}, {"mode", "path"}}},
      {"size cosize", {{"a", "layout"}, {"a", "x"}}},
      {"rank depth flatten", {{"a", "x"}}},
      {"product", {{"a", "tuple"}}},
      {"crd2idx", {{"coord", "coordinate"}}},
      {"idx2crd", {{"idx", "index"}}},
      {"ceil_div", {{"input", "a"}, {"tiler", "b"}}},
      {"elem_less", {{"lhs", "a"}, {"rhs", "b"}}},
      {"domain_offset", {{"coord", "coordinate"}, {"tensor", "layout"}}},
      {"tile_to_shape", {{"atom", "block"}, {"trg_shape", "shape"}}},
      {"make_layout_tv make_tiled_copy", {{"thr_layout", "threads"}, {"val_layout", "values"}}},
      {"make_tiled_copy_impl", {{"tiler_mn", "tiler"}}},
      {"make_tiled_copy_A make_tiled_copy_B make_tiled_copy_C make_tiled_copy_C_atom",
       {{"copy_atom", "atom"}, {"tiled_mma", "mma"}}},
      {"make_tiled_copy_S make_tiled_copy_D", {{"copy_atom", "atom"}, {"tiled_copy", "copy"}}},
      {"make_tiled_mma",
       {{"op_or_atom", "atom"}, {"atom_layout_mnk", "atoms"}, {"permutation_mnk", "permutation"}}},
  };
  return keywords;
}

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

void add_dsl_keywords(std::vector<Operation>& table) {
  for (const auto& [operations, names] : dsl_keywords()) {
    for (Operation& operation : table) {
      if (!has_word(operations, operation.name)) continue;
      for (const auto& [alias, name] : names) {
        const auto parameter = std::ranges::find(operation.parameters, name, &Parameter::name);
        if (parameter != operation.parameters.end() && !has_parameter(operation, alias)) {
          parameter->aliases.push_back(alias);
        }
      }
    }
  }
}

std::vector<Operation> make_table() {
  std::vector<Operation> table;
  for (AddRows* const add : {add_tuple_operations,        add_layout_operations,
                             add_slicing_operations,      add_algebra_operations,
                             add_permutation_operations,  add_partition_operations,
                             add_linear_operations,       add_linear_question_operations,
                             add_encoding_operations,     add_analyze_operations,
                             add_axe_operations,          add_axe_grouping_operations,
                             add_axe_hardware_operations, add_axe_mesh_operations,
                             add_lego_operations,         add_relation_operations,
                             add_set_operations,          add_loop_operations,
                             add_any_layout_operations,   add_emit_operations,
                             add_index_operations,        add_instantiate_operations,
                             add_picture_operations,      add_roofline_operations,
                             add_ttgir_operations,        add_diagnose_operations,
                             add_machine_operations,      add_machine_copy_operations,
                             add_machine_gemm_operations, add_machine_tma_operations,
                             add_move_operations,         add_distribute_operations,
                             add_kernel_operations,       add_page_operations}) {
    add(table);
  }
  add_dsl_keywords(table);
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
    // CuTe's names for operations.
    by_name["make_composed_layout"] = by_name.at("composed");
    by_name["get_swizzle_portion"] = by_name.at("swizzle_portion");
    by_name["get_nonswizzle_portion"] = by_name.at("nonswizzle_portion");
    for (const std::string_view maker : kTupleMakers) by_name[maker] = by_name.at("make_tuple");
    // CuTe DSL's names.
    by_name["group_modes"] = by_name.at("group");
    by_name["slice_"] = by_name.at("slice");
    by_name["make_tiled_copy_tv"] = by_name.at("make_tiled_copy");
    by_name["make_tiled_copy"].push_back(by_name.at("make_tiled_copy_impl").front());
    by_name["make_swizzle"].push_back(by_name.at("Swizzle").front());
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

const Operation* find_operation(std::string_view name, const ParameterType& first) {
  for (const Operation* operation : operations_named(name)) {
    if (operation->parameters.empty()) continue;
    if (*operation->parameters.front().type == first) return operation;
  }
  return nullptr;
}

namespace {

/// The parameters of "append(layout, mode=1:0, rank)", with their defaults.
std::vector<std::pair<std::string, std::string>> parameters_of(std::string_view call) {
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string_view rest = call.substr(0, call.size() - 1).substr(call.find('(') + 1);
  while (!rest.empty()) {
    const std::string_view written = rest.substr(0, rest.find(", "));
    rest.remove_prefix(std::min(written.size() + 2, rest.size()));
    const std::size_t sign = std::min(written.find('='), written.size());
    parameters.emplace_back(written.substr(0, sign),
                            written.substr(std::min(sign + 1, written.size())));
  }
  return parameters;
}

/// The value of a parameter's default: an integer, a boolean or a word. Throws std::logic_error if
/// the parameter does not take it: the row is then wrong.
Value default_of(const ParameterType& type, const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const bool is_number = std::from_chars(text.data(), end, number).ptr == end;
  const bool is_truth = text == "true" || text == "false";
  const Value written = is_number             ? Value(Int(number))
                        : is_truth            ? Value(text == "true")
                        : text.front() == '"' ? Value(text.substr(1, text.size() - 2))
                                              : Value(text);
  const ConvertedArgument value = type.convert(written, {});
  if (!value || !*value) throw std::logic_error(text);
  return **value;
}

}  // namespace

std::vector<std::string> Row::parameter_names() const {
  std::vector<std::string> names;
  for (auto& [name, default_text] : parameters_of(call)) names.push_back(std::move(name));
  return names;
}

Operation& Rows::begin(Row row, const Parameters& types) const {
  Operation& operation = table.emplace_back();
  operation.name = row.call.substr(0, row.call.find('('));
  operation.family = family;
  auto parameters = parameters_of(row.call);
  if (parameters.size() != types.size()) throw std::logic_error(row.call);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& [type, need] = types[i];
    auto& [name, default_text] = parameters[i];
    Parameter parameter{std::move(name), type, need, std::move(default_text), {}};
    if (need == Need::kRequired && !parameter.default_text.empty()) {
      parameter.need = Need::kOptional;
      parameter.default_value = default_of(*type, parameter.default_text);
    }
    operation.parameters.push_back(std::move(parameter));
  }
  operation.summary = std::move(row.summary);
  operation.example = std::move(row.example.call);
  operation.example_result = std::move(row.example.result);
  return operation;
}

bool Parameter::is_called(std::string_view keyword) const {
  return name == keyword || std::ranges::find(aliases, keyword) != aliases.end();
}

const Parameter* find_parameter(const Operation& operation, std::string_view name) {
  const auto found = std::ranges::find_if(
      operation.parameters, [&](const Parameter& parameter) { return parameter.is_called(name); });
  return found == operation.parameters.end() ? nullptr : &*found;
}

bool has_parameter(const Operation& operation, std::string_view name) {
  return find_parameter(operation, name) != nullptr;
}

std::string signature(const Operation& operation) {
  std::string text = operation.name + "(";
  bool first = true;
  for (const Parameter& parameter : operation.parameters) {
    const bool may_be_none = parameter.need == Need::kRepeated && !parameter.default_text.empty();
    const bool is_optional = parameter.need == Need::kOptional || may_be_none;
    if (is_optional) text += '[';
    if (!first) text += ", ";
    text += parameter.name;
    if (parameter.need == Need::kRepeated) text += "…";
    if (!parameter.default_text.empty() && !may_be_none) text += "=" + parameter.default_text;
    if (is_optional) text += ']';
    first = false;
  }
  return text + ")";
}

}  // namespace heddle::notation

#include "notation/language/foreign/sharding_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/words.h"
#include "notation/language/foreign/triton_text.h"
#include "notation/language/placement_text.h"

namespace heddle::notation {
namespace {

constexpr std::array<std::string_view, 6> kShardingModules = {
    "jax.sharding.", "jax.experimental.", "jax.", "sharding.", "mesh_utils.", "torch.distributed."};

std::string_view without_blanks_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

std::size_t modules_length(std::string_view text) {
  for (const std::string_view module : kShardingModules) {
    if (text.starts_with(module)) return module.size() + modules_length(text.substr(module.size()));
  }
  return 0;
}

/// Whether what follows `P(` is a PartitionSpec: strings, None, or nothing; P may be a layout.
bool begins_partitions(std::string_view arguments) {
  const std::string_view first =
      arguments.substr(std::min(arguments.find_first_not_of("([ \t\r\n"), arguments.size()));
  for (const std::string_view start : {"'", "\"", "None", "P.UNCONSTRAINED", "UNCONSTRAINED",
                                       "PartitionSpec.UNCONSTRAINED", "unreduced=", "reduced="}) {
    if (first.starts_with(start)) return true;
  }
  return without_blanks_before(arguments.substr(1)).starts_with(')');
}

/// The length of the call of one of these names, with its modules.
template <std::size_t Count>
std::size_t call_length(std::string_view text, const std::array<std::string_view, Count>& names) {
  const std::size_t modules = modules_length(text);
  const std::string_view rest = text.substr(modules);
  const std::string_view name = first_word(rest);
  if (std::ranges::find(names, name) == names.end()) return 0;
  std::size_t open = name.size();
  // PyTorch prints DeviceMesh:([0, 1]) too.
  if (name == "DeviceMesh" && rest.substr(open).starts_with(":(")) ++open;
  if (!rest.substr(open).starts_with('(')) return 0;
  const std::size_t length = closed_length(rest.substr(open));
  return length > 0 ? modules + open + length : 0;
}

/// `P(…)`, `jax.P(…)`.
std::size_t partition_spec_length(std::string_view text) {
  const std::size_t modules = modules_length(text);
  const std::string_view rest = text.substr(modules);
  if (!rest.starts_with("P(")) return 0;
  if (modules == 0 && !begins_partitions(rest.substr(1))) return 0;
  const std::size_t length = closed_length(rest.substr(1));
  return length > 0 ? modules + 1 + length : 0;
}

/// `Spec(…)` and the ` @ mesh: (2, 2)` behind it; `fp32[16, 4][S(0), R]`.
std::size_t torch_spec_length(std::string_view text) {
  const std::string_view name = first_word(text);
  if (name.empty()) return 0;
  const std::string_view rest = text.substr(name.size());
  const std::size_t length = closed_length(rest);
  if (length == 0) return 0;
  const std::string_view after = rest.substr(length);
  if (name == "Spec" && rest.starts_with('(')) {
    constexpr std::string_view kMesh = "@ mesh:";
    const std::string_view on = without_blanks_before(after);
    if (!on.starts_with(kMesh)) return name.size() + length;
    const std::string_view sizes = without_blanks_before(on.substr(kMesh.size()));
    const std::size_t closed = sizes.starts_with('(') ? closed_length(sizes) : 0;
    return closed > 0 ? text.size() - sizes.size() + closed : 0;
  }
  const std::size_t placements =
      rest.starts_with('[') && after.starts_with('[') ? placement_list_length(after) : 0;
  return placements > 0 ? name.size() + length + placements : 0;
}

/// `#sdy.sharding<…>`, `#sdy.sharding_per_value<…>`, `<@mesh, …>`.
std::size_t shardy_length(std::string_view text) {
  for (const std::string_view start :
       {"#sdy.sharding_per_value<", "#sdy.sharding<", "<@", "<mesh<"}) {
    if (!text.starts_with(start)) continue;
    const std::size_t name = text.find('<');
    const std::size_t length = closed_length(text.substr(name));
    return length > 0 ? name + length : 0;
  }
  return 0;
}

/// `{replicated}`, `{devices=…}`, `{{maximal device=0}}`, `{mesh['x'=2], …}`; objects begin with
/// other names.
std::size_t hlo_length(std::string_view text) {
  if (!text.starts_with('{')) return 0;
  std::string_view first = without_blanks_before(text.substr(1));
  if (first.starts_with('{')) first = without_blanks_before(first.substr(1));
  const std::string_view word = first_word(first);
  const std::string_view after = without_blanks_before(first.substr(word.size()));
  constexpr std::array<std::string_view, 4> kWords = {"replicated", "manual", "unknown",
                                                      "unreduced"};
  const bool is_word = std::ranges::find(kWords, word) != kWords.end() && !after.starts_with(':') &&
                       !after.starts_with('=') && !after.starts_with(',');
  const bool is_grid = word == "devices" && after.starts_with("=[");
  const bool is_maximal = word == "maximal" && after.starts_with("device");
  constexpr std::array<std::string_view, 3> kMeshes = {"mesh", "maximal_mesh", "single_device"};
  const bool is_mesh =
      (std::ranges::find(kMeshes, word) != kMeshes.end() && after.starts_with('[')) ||
      (word.empty() && first.starts_with('@'));
  return is_word || is_grid || is_maximal || is_mesh ? closed_length(text) : 0;
}

/// `{0: [1], 1: [0]}`: for each dimension the axes of a mesh.
std::size_t shard_order_length(std::string_view text) {
  if (!text.starts_with('{')) return 0;
  const std::string_view number = first_word(without_blanks_before(text.substr(1)));
  if (number.empty() || !std::ranges::all_of(number, is_digit)) return 0;
  const std::size_t end = static_cast<std::size_t>(number.data() - text.data()) + number.size();
  const std::string_view colon = without_blanks_before(text.substr(end));
  if (!colon.starts_with(':')) return 0;
  return without_blanks_before(colon.substr(1)).starts_with('[') ? closed_length(text) : 0;
}

// ---- XLA ----

/// `{1,0:T(8,128)}` or `{}`: objects begin with names, relations with brackets.
std::size_t xla_layout_length(std::string_view text) {
  if (!text.starts_with('{')) return 0;
  std::size_t at = 1;
  while (at < text.size() && (is_digit(text[at]) || text[at] == ',')) ++at;
  if (at == 1 && !text.starts_with("{}")) return 0;
  if (at == text.size() || (text[at] != ':' && text[at] != '}')) return 0;
  return closed_length(text);
}

/// Whether XLA or JAX calls a type of elements so.
bool is_element_type(std::string_view word) {
  constexpr std::array<std::string_view, 5> kWords = {"pred", "bool", "bf16", "bfloat16", "token"};
  if (std::ranges::find(kWords, word) != kWords.end()) return true;
  for (const std::string_view kind :
       {"float", "uint", "int", "complex", "fp", "f", "u", "s", "c"}) {
    if (!word.starts_with(kind)) continue;
    const std::string_view bits = word.substr(kind.size());
    return !bits.empty() && is_digit(bits.front());
  }
  return false;
}

/// `f32[8,<=128]`, `f32[8@x, 4]`
std::size_t xla_array_length(std::string_view text) {
  const std::string_view word = first_word(text);
  if (!is_element_type(word) || !text.substr(word.size()).starts_with('[')) return 0;
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos) return 0;
  const std::string_view inside = text.substr(word.size() + 1, close - word.size() - 1);
  const bool are_extents = std::ranges::all_of(inside, [](char c) {
    return is_word_character(c) || std::string_view(",@<=() ").find(c) != std::string_view::npos;
  });
  return are_extents ? close + 1 : 0;
}

/// Whether the text before gives a value to a name by which placements are abbreviated.
bool is_any_bound(std::string_view before) {
  for (std::size_t at = before.find('='); at != std::string_view::npos;
       at = before.find('=', at + 1)) {
    if (before.substr(at).starts_with("==")) {
      ++at;
      continue;
    }
    const std::size_t end = before.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
    if (at == 0 || end == std::string_view::npos) continue;
    const std::string_view name = last_word(before.substr(0, end + 1));
    if (name == "S" || name == "R" || name == "P") return true;
  }
  return false;
}

/// `[S(1), S(2)]` where S is a layout.
Result<Expression> list_of_calls(std::string_view text, Span span, const ParsePiece& parse) {
  std::vector<Expression> parts;
  std::size_t begin = span.begin + 1;
  std::size_t depth = 0;
  for (std::size_t i = begin; i < span.end; ++i) {
    const bool ends = depth == 0 && (text[i] == ',' || i + 1 == span.end);
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && depth > 0) --depth;
    if (!ends) continue;
    if (text.substr(begin, i - begin).find_first_not_of(" \t\r\n") != std::string_view::npos) {
      HEDDLE_TRY(parts.emplace_back(), parse({begin, i}));
    }
    begin = i + 1;
  }
  if (text[span.begin] == '[') return make_expression(ListLiteral{}, span, std::move(parts));
  return make_expression(Parentheses{}, span, std::move(parts));
}

}  // namespace

std::size_t closed_length(std::string_view text) {
  const bool is_open = !text.empty() && std::string_view("([{<").find(text.front()) != text.npos;
  if (!is_open) return 0;
  std::size_t depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    const bool is_sign = c == '>' || c == '<';
    const bool is_arrow =
        is_sign && ((i > 0 && text[i - 1] == '-') || (i + 1 < text.size() && text[i + 1] == '='));
    if (is_arrow) continue;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c != ')' && c != ']' && c != '}' && c != '>') continue;
    if (depth == 0) return 0;
    if (--depth == 0) return i + 1;
  }
  return 0;
}

Expression call_with_text(std::string_view operation, std::string_view text, Span span) {
  std::vector<std::size_t> places;
  for (std::size_t i = span.begin; i <= span.end; ++i) places.push_back(i);
  std::vector<Expression> parts;
  parts.push_back(make_expression(Reference{operation}, span));
  parts.push_back(make_expression(
      StringLiteral{std::string(text_at(text, span)), TextPlaces(std::move(places))}, span));
  return make_expression(Application{{std::string_view()}}, span, std::move(parts));
}

std::size_t sharding_length(std::string_view text) {
  constexpr std::array<std::string_view, 5> kCalls = {"PartitionSpec", "NamedSharding",
                                                      "GSPMDSharding", "DTensorSpec", "Format"};
  if (text.empty()) return 0;
  switch (text.front()) {
    case '#':
    case '<':
      return shardy_length(text);
    case '{':
      return std::max(hlo_length(text), shard_order_length(text));
    case '(':
    case '[':
      return placement_list_length(text);
    default:
      break;
  }
  if (!begins_name(text.front())) return 0;
  if (const std::size_t length = call_length(text, kCalls); length > 0) return length;
  if (const std::size_t length = partition_spec_length(text); length > 0) return length;
  if (const std::size_t length = torch_spec_length(text); length > 0) return length;
  if (const std::size_t length = compact_length(text); length > 0) return length;
  // A letter alone, or S(0), is something else as likely.
  const std::size_t length = placement_length(text);
  return length > 0 && first_word(text).size() > 3 ? length : 0;
}

std::size_t mesh_length(std::string_view text) {
  constexpr std::array<std::string_view, 6> kCalls = {
      "Mesh", "AbstractMesh", "make_mesh", "DeviceMesh", "init_device_mesh", "create_device_mesh"};
  if (text.starts_with("sdy.mesh @")) {
    const std::string_view rest = text.substr(std::min(text.find('<'), text.size()));
    const std::size_t length = closed_length(rest);
    return length > 0 ? text.size() - rest.size() + length : 0;
  }
  for (const std::string_view start : {"#sdy.mesh<", "mesh<[", "<[\"", "<[]"}) {
    if (!text.starts_with(start)) continue;
    const std::size_t name = text.find('<');
    const std::size_t length = closed_length(text.substr(name));
    return length > 0 ? name + length : 0;
  }
  return call_length(text, kCalls);
}

std::size_t xla_length(std::string_view text) {
  constexpr std::array<std::string_view, 2> kCalls = {"Layout", "DeviceLocalLayout"};
  // Alone, {} is an object.
  if (text.starts_with('{')) return text.starts_with("{}") ? 0 : xla_layout_length(text);
  const std::size_t array = xla_array_length(text);
  if (array > 0) {
    const std::string_view after = text.substr(array);
    const bool has_reductions = after.starts_with("{U:") || after.starts_with("{R:");
    return array + (has_reductions ? closed_length(after) : xla_layout_length(after));
  }
  const std::size_t length = call_length(text, kCalls);
  const bool is_jax = text.substr(0, length).find("(major_to_minor=") != std::string_view::npos;
  return is_jax ? length : 0;
}

Result<Expression> read_sharding_text(std::string_view text, std::size_t& position,
                                      const ParsePiece& parse) {
  const Span span{position, position + sharding_length(text.substr(position))};
  position = span.end;
  const bool is_list = text[span.begin] == '[' || text[span.begin] == '(';
  if (is_list && is_any_bound(text.substr(0, span.begin))) return list_of_calls(text, span, parse);
  return call_with_text("sharding", text, span);
}

Result<Expression> read_xla_text(std::string_view text, std::size_t& position, const ParsePiece&) {
  const Span span{position, position + xla_length(text.substr(position))};
  position = span.end;
  return call_with_text("xla_layout", text, span);
}

Result<Expression> read_mesh_text(std::string_view text, std::size_t& position, const ParsePiece&) {
  const Span span{position, position + mesh_length(text.substr(position))};
  position = span.end;
  return call_with_text("mesh", text, span);
}

}  // namespace heddle::notation

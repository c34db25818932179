#include "notation/diagnose/cute_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/words.h"
#include "notation/language/foreign/cpp_types.h"
#include "notation/language/foreign/triton_text.h"

namespace heddle::notation {
namespace {

constexpr auto kNoCall = std::string_view::npos;

// The operands of CuTe's function templates. `parameters` are the template parameters in the order
// of the definition, the last may take all that remain; `operands` are C++ types in terms of them.
// The first row of a function applies that has the same number of parameters and readable operands.
struct CallPattern {
  /// One name, or several separated by blanks.
  std::string_view functions;
  std::string_view parameters;
  std::string_view operands;
  /// Heddle's name of the operation; empty if it is CuTe's. For local_tile, inner_partition and
  /// outer_partition it is the division of the tensor, from which they take a part.
  std::string_view operation = {};
  bool is_measure = false;
  /// Applies only if the compiler names the parameters: by order alone it could be another
  /// overload.
  bool needs_names = false;
};

constexpr std::string_view kTwoLayouts = "Layout<LShape,LStride>, Layout<RShape,RStride>";
constexpr std::string_view kOneLayout = "Layout<Shape,Stride>";
constexpr std::string_view kLayoutAndTiler = "Layout<LShape,LStride>, Tiler";
constexpr std::string_view kComposedAndTiler = "ComposedLayout<A,O,B>, Tiler";
constexpr std::string_view kTensorAndTiler = "Tensor, Tiler";

constexpr std::array kRows = {
    CallPattern{"composition", "LShape LStride RShape RStride", kTwoLayouts},
    CallPattern{"logical_divide logical_product", "LShape LStride TShape TStride",
                "Layout<LShape,LStride>, Layout<TShape,TStride>"},
    CallPattern{"composition logical_divide zipped_divide tiled_divide flat_divide", "A O B Tiler",
                kComposedAndTiler},
    CallPattern{"composition logical_divide zipped_divide tiled_divide flat_divide logical_product "
                "zipped_product tiled_product flat_product",
                "LShape LStride Tiler", kLayoutAndTiler},
    CallPattern{"composition", "ShapeA StrideA A O B",
                "Layout<ShapeA,StrideA>, ComposedLayout<A,O,B>"},
    CallPattern{"composition", "B0 M0 S0 B1 M1 S1", "Swizzle<B0,M0,S0>, Swizzle<B1,M1,S1>"},
    CallPattern{"composition_impl", "LShape LStride RShape RStride", kTwoLayouts, "composition"},
    CallPattern{"complement", "Shape Stride CoTarget", "Layout<Shape,Stride>, CoTarget"},
    CallPattern{"complement right_inverse left_inverse", "Shape Stride", kOneLayout},
    CallPattern{"right_inverse left_inverse", "A O B", "ComposedLayout<A,O,B>"},
    CallPattern{"max_common_layout max_common_vector", "ShapeA StrideA ShapeB StrideB",
                "Layout<ShapeA,StrideA>, Layout<ShapeB,StrideB>"},
    CallPattern{"logical_divide zipped_divide tiled_divide flat_divide", "Tensor Tiler",
                kTensorAndTiler},
    CallPattern{"local_tile inner_partition outer_partition", "Tensor Tiler Coord", kTensorAndTiler,
                "zipped_divide"},
    CallPattern{"blocked_product raked_product", "TShape TStride UShape UStride",
                "Layout<TShape,TStride>, Layout<UShape,UStride>"},
    CallPattern{"tile_to_shape", "Shape Stride TrgShape ModeOrder",
                "Layout<Shape,Stride>, TrgShape, ModeOrder"},
    CallPattern{"tile_to_shape", "A O B Shape ModeOrder",
                "ComposedLayout<A,O,B>, Shape, ModeOrder"},
    CallPattern{"tile_to_shape", "Shape Stride TrgShape LayoutLeft",
                "Layout<Shape,Stride>, TrgShape"},
    CallPattern{"tile_to_shape", "A O B Shape LayoutLeft", "ComposedLayout<A,O,B>, Shape"},
    CallPattern{"coalesce filter", "Shape Stride IntTuple", "Layout<Shape,Stride>, IntTuple"},
    CallPattern{"coalesce_x", "Shape Stride IntTuple", "Layout<Shape,Stride>, IntTuple",
                "coalesce"},
    CallPattern{"recast_layout", "OldType NewType Shape Stride",
                "Layout<Shape,Stride>, sizeof_bits<OldType>, sizeof_bits<NewType>", "recast"},
    CallPattern{"recast_layout", "OldType NewType A O B",
                "ComposedLayout<A,O,B>, sizeof_bits<OldType>, sizeof_bits<NewType>", "recast"},
    CallPattern{"recast_layout", "OldType NewType B M S",
                "Swizzle<B,M,S>, sizeof_bits<OldType>, sizeof_bits<NewType>", "recast"},
    CallPattern{"upcast downcast", "N Shape Stride", "Layout<Shape,Stride>, C<N>"},
    CallPattern{"upcast downcast", "N B M S", "Swizzle<B,M,S>, C<N>"},
    CallPattern{"shape_div ceil_div round_up inner_product", "IntTupleA IntTupleB",
                "IntTupleA, IntTupleB"},
    CallPattern{"compact_order", "Shape Order", "Shape, Order"},
    CallPattern{"crd2idx", "Coord Shape Stride", "Layout<Shape,Stride>, Coord", "apply"},
    CallPattern{"crd2idx", "Coord Shape", "Coord, Shape"},
    CallPattern{"idx2crd", "Index Shape Stride", "Index, Shape, Stride"},
    CallPattern{"idx2crd", "Index Shape", "Index, Shape"},
    CallPattern{"crd2crd", "Coord SShape DShape", "Coord, SShape, DShape"},
    CallPattern{"slice dice", "Coord Shape Stride", "Coord, Layout<Shape,Stride>"},
    CallPattern{"slice dice", "A B", "A, B"},
    CallPattern{"Layout::operator()", "Shape Stride Coord", "Layout<Shape,Stride>, Coord", "apply"},
    CallPattern{"Layout::operator()", "Shape Stride Coord0 Coord1 Coords...",
                "Layout<Shape,Stride>, tuple<Coord0,Coord1,Coords>", "apply"},
    CallPattern{"Tensor::operator()", "Engine Layout Coord", "Layout, Coord", "apply"},
    CallPattern{"Tensor::operator()", "Engine Layout Coord0 Coord1 Coords...",
                "Layout, tuple<Coord0,Coord1,Coords>", "apply"},
    CallPattern{"take group", "B E Shape Stride", "Layout<Shape,Stride>, C<B>, C<E>"},
    CallPattern{"get", "Is Shape Stride", "Layout<Shape,Stride>, C<Is>", "", false, true},
    CallPattern{"get", "I T...", "tuple<T>, C<I>", "", false, true},
    CallPattern{"size", "Is Shape Stride", "Layout<Shape,Stride>, C<Is>", "get", false, true},
    CallPattern{"make_swizzle", "Y Z", "C<Y>, C<Z>"},
    CallPattern{"copy", "CopyOp T SrcEngine SrcLayout DstEngine DstLayout", "SrcLayout, DstLayout",
                "max_common_vector", true},
    CallPattern{"copy", "SrcEngine SrcLayout DstEngine DstLayout", "SrcLayout, DstLayout",
                "max_common_vector", true},
    CallPattern{"Copy_Atom::call", "CopyOp T SEngine SLayout DEngine DLayout", "SLayout, DLayout",
                "max_common_vector", true},
    CallPattern{"make_tiled_copy", "CopyOp T ThrLayout ValLayout",
                "Copy_Atom<CopyOp,T>, ThrLayout, ValLayout"},
    CallPattern{"make_tiled_copy_impl", "CopyOp T LayoutCopy_TV Tiler",
                "Copy_Atom<CopyOp,T>, LayoutCopy_TV, Tiler"},
    CallPattern{"make_tiled_copy_A make_tiled_copy_B make_tiled_copy_C make_tiled_copy_C_atom",
                "CopyOp T Atom Atoms Permutation",
                "Copy_Atom<CopyOp,T>, TiledMMA<Atom,Atoms,Permutation>"},
    CallPattern{"make_tiled_copy_S make_tiled_copy_D", "CopyOp T Atom LayoutCopy_TV ShapeTiler_MN",
                "Copy_Atom<CopyOp,T>, TiledCopy<Atom,LayoutCopy_TV,ShapeTiler_MN>"},
    CallPattern{"TiledCopy", "Copy_Atom LayoutCopy_TV ShapeTiler_MN",
                "Copy_Atom, LayoutCopy_TV, ShapeTiler_MN", "make_tiled_copy_impl"},
    CallPattern{"TiledMMA", "MMA_Atom AtomLayoutMNK PermutationMNK", "AtomLayoutMNK", "rank", true},
    CallPattern{"TiledMMA", "MMA_Atom AtomLayoutMNK", "AtomLayoutMNK", "rank", true},
};

/// The name before the parameters of a signature, and the places of its template arguments.
struct SignatureParts {
  /// cute, detail, composition; for a member also its class.
  std::vector<std::string_view> names;
  /// The places of each `<…>` after a name: the arguments themselves or only their names.
  std::vector<std::size_t> argument_lists;
  /// The place of `[with …]`, or kNoCall.
  std::size_t with = kNoCall;
};

/// The place after the bracket pair that opens at `begin` with `<`, `(`, `[` or `{`.
std::size_t skip_bracket(std::string_view text, std::size_t begin) {
  const auto length = bracketed_length(text.substr(begin));
  return length ? begin + *length : text.size();
}

/// `operator()`, `operator|` or a plain name.
std::string_view name_at(std::string_view text, std::size_t begin) {
  const std::string_view name = first_word(text.substr(begin));
  if (name != "operator") return name;
  const std::size_t end = begin + name.size();
  const std::string_view rest = text.substr(end);
  if (rest.starts_with("()")) return text.substr(begin, end + 2 - begin);
  // operator| and operator<: the sign is at least one character long.
  return text.substr(begin, text.find_first_of("(<", end + 1) - begin);
}

/// Reads `constexpr auto cute::Layout<…>::operator()<…>(…) const [with …]` from left to right;
/// nullopt for a lambda.
std::optional<SignatureParts> parts_of(std::string_view text) {
  SignatureParts parts;
  parts.with = text.find("[with ");
  const std::string_view head = text.substr(0, parts.with);
  bool is_joined = false;
  for (std::size_t i = 0; i < head.size();) {
    if (is_word_character(head[i])) {
      const std::string_view name = name_at(head, i);
      if (!is_joined) parts = SignatureParts{{}, {}, parts.with};
      is_joined = false;
      parts.names.push_back(name);
      i += name.size();
    } else if (head.substr(i).starts_with("::")) {
      is_joined = true;
      i += 2;
    } else if (head[i] == '<') {
      if (!parts.names.empty()) parts.argument_lists.push_back(i);
      i = skip_bracket(head, i);
    } else if (head[i] == '(') {
      i = skip_bracket(head, i);
      if (parts.names.empty() || parts.names.back() == "decltype") continue;
      if (head.substr(i).starts_with("::")) return std::nullopt;
      break;
    } else {
      ++i;
    }
  }
  return parts;
}

/// `composition`, `Layout::operator()`, `TiledMMA`.
std::string function_of(const SignatureParts& parts) {
  const auto& names = parts.names;
  if (names.size() < 2 || names.front() != "cute") return {};
  const std::string_view owner = names[names.size() - 2];
  const bool is_member = !owner.empty() && owner.front() >= 'A' && owner.front() <= 'Z';
  return is_member ? fmt::format("{}::{}", owner, names.back()) : std::string(names.back());
}

void flatten_into(std::vector<CppType>& flat, const CppType& type) {
  if (type.kind != CppType::Kind::kPack) {
    flat.push_back(type);
    return;
  }
  flat.insert(flat.end(), type.arguments.begin(), type.arguments.end());
}

/// The template arguments of a signature, by name and in order.
struct TemplateArguments {
  CppBindings named;
  std::vector<CppType> in_order;
};

Result<TemplateArguments> arguments_of(std::string_view signature, const SignatureParts& parts) {
  TemplateArguments arguments;
  if (parts.with != kNoCall) {
    std::size_t position = parts.with;
    HEDDLE_TRY(arguments.named, read_cpp_bindings(signature, position));
    for (const auto& [name, type] : arguments.named) flatten_into(arguments.in_order, type);
  } else {
    for (std::size_t position : parts.argument_lists) {
      HEDDLE_TRY(const CppType pack, read_cpp_pack(signature, position));
      flatten_into(arguments.in_order, pack);
    }
  }
  // Parameters that only select the template: nullptr, (void *)nullptr.
  const auto is_selector = [](const CppType& type) {
    return type.kind == CppType::Kind::kOpaque || type.name == "nullptr";
  };
  while (!arguments.in_order.empty() && is_selector(arguments.in_order.back())) {
    arguments.in_order.pop_back();
  }
  return arguments;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_of(const CallPattern& row, std::string_view function) {
  const std::vector<std::string_view> functions = words_of(row.functions);
  return std::ranges::find(functions, function) != functions.end();
}

constexpr std::string_view kPack = "...";

/// Whether a parameter of a row is itself the name of a type.
bool is_type(std::string_view parameter) { return parameter == "LayoutLeft"; }

/// Whether the type is LayoutLeft, under its current or older name.
bool is_layout_left(const CppType& type) {
  return type.name == "LayoutLeft" || type.name == "GenColMajor";
}

/// The row's parameters bound by the compiler's names; nullopt if one that the operands use is
/// missing.
std::optional<CppBindings> bound_by_name(const CallPattern& row, const CppBindings& named) {
  CppBindings bindings;
  for (std::string_view parameter : words_of(row.parameters)) {
    const bool is_pack = parameter.ends_with(kPack);
    if (is_pack) parameter.remove_suffix(kPack.size());
    const auto found =
        is_type(parameter)
            ? std::ranges::find_if(named, is_layout_left, &CppBindings::value_type::second)
            : std::ranges::find(named, parameter, &CppBindings::value_type::first);
    if (found != named.end()) {
      bindings.emplace_back(parameter, found->second);
    } else if (is_type(parameter) || row.operands.find(parameter) != kNoCall) {
      return std::nullopt;
    }
  }
  return bindings;
}

/// The row's parameters bound in order; nullopt if the numbers differ.
std::optional<CppBindings> bound_in_order(const CallPattern& row,
                                          const std::vector<CppType>& types) {
  CppBindings bindings;
  std::size_t next = 0;
  for (std::string_view parameter : words_of(row.parameters)) {
    if (parameter.ends_with(kPack)) {
      CppType pack;
      pack.kind = CppType::Kind::kPack;
      while (next < types.size()) pack.arguments.push_back(types[next++]);
      parameter.remove_suffix(kPack.size());
      bindings.emplace_back(parameter, std::move(pack));
      continue;
    }
    if (next == types.size()) return std::nullopt;
    if (is_type(parameter) && !is_layout_left(types[next])) return std::nullopt;
    bindings.emplace_back(parameter, types[next++]);
  }
  return next == types.size() ? std::optional(bindings) : std::nullopt;
}

bool is_dynamic(const Expression& expression) {
  return std::holds_alternative<DynamicLiteral>(expression.node) ||
         std::ranges::any_of(expression.parts, is_dynamic);
}

/// The call of a row with these bindings.
Result<CuteCall> call_of(const std::string& function, const CallPattern& row,
                         const CppBindings& bindings) {
  CuteCall call;
  call.function = function;
  call.is_measure = row.is_measure;
  for (std::size_t position = 0; position < row.operands.size();) {
    HEDDLE_TRY(const CppType written, read_cpp_type(row.operands, position));
    HEDDLE_TRY(const CppType type, substitute(written, bindings));
    HEDDLE_TRY(const Expression operand, expression_of(type, {}));
    call.operands.push_back(to_string(operand));
    call.is_dynamic = call.is_dynamic || is_dynamic(operand);
    position = std::min(row.operands.find_first_not_of(", ", position), row.operands.size());
  }
  call.expression = fmt::format("{}({})", row.operation.empty() ? function : row.operation,
                                fmt::join(call.operands, ", "));
  return call;
}

// Expressions as text.

std::string joined(const std::vector<Expression>& parts, std::string_view separator) {
  std::string text;
  for (const Expression& part : parts) {
    if (!text.empty()) text += separator;
    text += to_string(part);
  }
  return text;
}

/// `(4,8)`; with a comma after a single mode that is no literal, so that it stays a tuple.
std::string tuple_text(const Expression& expression) {
  const auto& node = expression.parts.front().node;
  const bool is_single_layout =
      expression.parts.size() == 1 && (std::holds_alternative<LayoutLiteral>(node) ||
                                       std::holds_alternative<CompositionChain>(node));
  return fmt::format("({}{})", joined(expression.parts, ","), is_single_layout ? "," : "");
}

std::string basis_text(const Expression& expression, const BasisLiteral& basis) {
  std::string text = expression.parts.empty() ? "1" : to_string(expression.parts.front());
  for (auto step = basis.path.rbegin(); step != basis.path.rend(); ++step) {
    text += fmt::format("@{}", *step);
  }
  return text;
}

std::string pointer_text(const Expression& expression, const PointerLiteral& literal) {
  cute::Pointer pointer;
  pointer.space = literal.space;
  pointer.bits = literal.bits;
  pointer.address = std::string(literal.address);
  pointer.is_subbyte = literal.is_subbyte;
  const std::string text = cute::to_string(cute::Engine(pointer));
  if (expression.parts.empty()) return text;
  const std::string_view joint = pointer.address.empty() ? " o " : "_";
  return fmt::format("{}{}{}", to_string(expression.parts.front()), joint, text);
}

}  // namespace

std::string to_string(const Expression& expression) {
  const auto& parts = expression.parts;
  if (const auto* integer = std::get_if<IntegerLiteral>(&expression.node))
    return std::to_string(integer->value);
  if (std::holds_alternative<UnderscoreLiteral>(expression.node)) return "_";
  if (std::holds_alternative<DynamicLiteral>(expression.node)) return "?";
  if (std::holds_alternative<Parentheses>(expression.node)) return tuple_text(expression);
  if (std::holds_alternative<SwizzleLiteral>(expression.node))
    return fmt::format("Sw<{}>", joined(parts, ","));
  if (std::holds_alternative<TilerLiteral>(expression.node))
    return fmt::format("<{}>", joined(parts, ","));
  if (std::holds_alternative<CompositionChain>(expression.node)) return joined(parts, " o ");
  if (const auto* basis = std::get_if<BasisLiteral>(&expression.node))
    return basis_text(expression, *basis);
  if (const auto* pointer = std::get_if<PointerLiteral>(&expression.node))
    return pointer_text(expression, *pointer);
  if (const auto* reference = std::get_if<Reference>(&expression.node))
    return std::string(reference->name);
  if (std::holds_alternative<LayoutLiteral>(expression.node)) {
    return parts.size() == 1 ? fmt::format("make_layout({})", to_string(parts[0]))
                             : joined(parts, ":");
  }
  if (std::holds_alternative<Application>(expression.node)) {
    const std::string arguments =
        joined(std::vector<Expression>(parts.begin() + 1, parts.end()), ",");
    return fmt::format("{}({})", to_string(parts.front()), arguments);
  }
  return "?";
}

std::string cute_function(std::string_view signature) {
  const auto parts = parts_of(signature);
  return parts ? function_of(*parts) : std::string();
}

bool is_known_function(std::string_view function) {
  return std::ranges::any_of(kRows, [&](const CallPattern& row) { return is_of(row, function); });
}

std::optional<CuteCall> cute_call(std::string_view signature) {
  const auto parts = parts_of(signature);
  if (!parts) return std::nullopt;
  const std::string function = function_of(*parts);
  if (!is_known_function(function)) return std::nullopt;
  const auto arguments = arguments_of(signature, *parts);
  if (!arguments) return std::nullopt;
  for (const CallPattern& row : kRows) {
    if (!is_of(row, function)) continue;
    auto bindings = bound_by_name(row, arguments->named);
    if (!bindings && !row.needs_names) bindings = bound_in_order(row, arguments->in_order);
    if (!bindings) continue;
    if (auto call = call_of(function, row, *bindings)) return *std::move(call);
  }
  return std::nullopt;
}

}  // namespace heddle::notation

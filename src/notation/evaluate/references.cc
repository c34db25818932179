// The values of names, and hints for unknown names.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/cute/atoms.h"
#include "heddle/notation/operations.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/free_names.h"
#include "notation/operations/lego_arguments.h"

namespace heddle::notation {

namespace {

struct CuteName {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view kCopyAtom =
    "it is called copy_atom(INSTRUCTION, VALUE_BITS), as in copy_atom(SM75_U32x4_LDSM_N, 16)";
constexpr std::string_view kTakesThread =
    "partition_A(MMA, TENSOR, THREAD), partition_S(COPY, TENSOR, THREAD) take the thread's index";

// Names that CuTe uses for something that has another name or notation here.
constexpr std::array kCuteNames = {
    CuteName{"X", "write '_': the projection Step<_1,X,_1> is (1,_,1)"},
    CuteName{"Step", "write the projection with '_' for X: (1,_,1)"},
    CuteName{"make_tiled_copy_tv", "it is called make_tiled_copy(ATOM, THREADS, VALUES)"},
    CuteName{"retile_S", "it is called retile(COPY, FRAGMENT)"},
    CuteName{"retile_D", "it is called retile(COPY, FRAGMENT)"},
    CuteName{"get_slice", kTakesThread},
    CuteName{"get_thread_slice", kTakesThread},
    CuteName{"partition_fragment_A", "its shape is partition_shape_A(MMA, SHAPE)"},
    CuteName{"partition_fragment_B", "its shape is partition_shape_B(MMA, SHAPE)"},
    CuteName{"partition_fragment_C", "its shape is partition_shape_C(MMA, SHAPE)"},
    CuteName{"MMA_Atom", "an atom is named, SM80_16x8x16_F32F16F16F32_TN, or made by mma_atom_of"},
    CuteName{"Copy_Atom", kCopyAtom},
    CuteName{"make_copy_atom", kCopyAtom},
    CuteName{"UniversalCopy", "it is called universal_copy(BITS, VALUE_BITS)"},
    CuteName{"TiledMMA", "it is called make_tiled_mma(ATOM, ATOM_LAYOUT, PERMUTATION)"},
    CuteName{"TiledCopy", "it is called make_tiled_copy(ATOM, THREADS, VALUES)"},
    CuteName{"print_layout", "table(L) lists the indices; the statement draw L shows them"},
    CuteName{"print_latex", "the statement draw L to \"FILE.svg\" writes a picture"},
};

/// CuTe's orders of modes, by their current and older names.
std::optional<cute::Major> major_called(std::string_view name) {
  if (name == "LayoutLeft" || name == "GenColMajor") return cute::Major::kColumn;
  if (name == "LayoutRight" || name == "GenRowMajor") return cute::Major::kRow;
  return std::nullopt;
}

/// A hint for a name of CuTe; empty for other names.
std::string hint_for_cute_name(std::string_view name) {
  const auto found = std::ranges::find(kCuteNames, name, &CuteName::name);
  if (found != kCuteNames.end()) return std::string(found->hint);
  constexpr std::string_view kGet = "get_";
  if (!name.starts_with(kGet)) return {};
  const Operation* operation = find_operation(name.substr(kGet.size()));
  return operation == nullptr ? std::string() : "it is called " + signature(*operation);
}

/// A hint for a name that resembles no other: it may be a number without assumptions.
std::string hint_for_new_name(std::string_view name, Use use) {
  if (name.starts_with("_Z") || name.starts_with("N4cute") || name.starts_with("N7cutlass")) {
    return "this is a mangled name: c++filt first";
  }
  constexpr std::size_t kLongestNumber = 8;
  if (use == Use::kCall || name.size() > kLongestNumber) return {};
  const bool is_lower_case = std::ranges::none_of(name, is_capital);
  return fmt::format("if it is a number, say what is known of it: --assume '{}>={}'", name,
                     is_lower_case ? 0 : 1);
}

}  // namespace

const Value* Evaluator::find(std::string_view name) const {
  const auto parameter = parameters_.find(name);
  return parameter == parameters_.end() ? environment_.find(name) : &parameter->second;
}

Refusal Evaluator::unknown_name(std::string_view name, Span span, Use use) const {
  if (name.starts_with('#')) {
    return refuse(Diagnostic("name.unknown", fmt::format("no encoding is called {}", quote(name)))
                      .with_span(span)
                      .with_hint(fmt::format("say what it is: {} = #ttg.blocked<{{…}}>; a comment "
                                             "has a space after its #",
                                             name)));
  }
  std::vector<std::string> names;
  for (const auto& [bound, value] : environment_.values()) names.push_back(bound);
  for (const Operation& operation : operations()) names.push_back(operation.name);
  std::ranges::move(cute::mma_atom_names(), std::back_inserter(names));
  std::ranges::move(cute::copy_atom_names(), std::back_inserter(names));
  std::string hint = hint_for_cute_name(name);
  if (hint.empty()) hint = did_you_mean(name, names);
  if (hint.empty()) hint = hint_for_new_name(name, use);
  return refuse(Diagnostic("name.unknown", fmt::format("nothing is called {}", quote(name)))
                    .with_span(span)
                    .with_hint(std::move(hint)));
}

Result<Value> Evaluator::visit(const Reference& reference, const Expression& expression,
                               Grouping) const {
  if (const Value* value = find(reference.name)) return *value;
  const Bindings& assumed = environment_.assumptions().variables();
  if (const auto found = assumed.find(reference.name); found != assumed.end()) {
    return Value(found->second);
  }
  if (reference.name == "true" || reference.name == "True") return Value(true);
  if (reference.name == "false" || reference.name == "False") return Value(false);
  if (const auto major = major_called(reference.name)) return Value(*major);
  if (const Operation* operation = find_operation(reference.name)) {
    return refuse(Diagnostic("call.arity",
                             fmt::format("{} is an operation and needs arguments", reference.name))
                      .with_span(expression.span)
                      .with_hint("it is called as " + signature(*operation)));
  }
  if (sizes_.contains(reference.name)) {
    return Value(environment_.assumptions().variable(reference.name));
  }
  if (auto atom = cute::find_mma_atom(reference.name)) return Value(*std::move(atom));
  if (auto atom = cute::find_copy_atom(reference.name)) return Value(*std::move(atom));
  for (const std::string& name : inverse_names(reference.name)) {
    if (const Value* value = find(name)) return *value;
  }
  if (auto named = named_permutation(reference.name)) return Value(*std::move(named));
  return unknown_name(reference.name, expression.span, Use::kValue);
}

bool is_axis_class(const Expression& expression) {
  if (const auto* member = std::get_if<Member>(&expression.node)) return member->name == "Axis";
  const auto* reference = std::get_if<Reference>(&expression.node);
  return reference != nullptr && reference->name == "Axis";
}

/// A method is called on the value before its dot; the name of a module or a class there,
/// gl.BlockedLayout or LinearLayout.from_bases, is ignored.
Result<Value> Evaluator::visit(const Member& node, const Expression& expression, Grouping) const {
  if (is_axis_class(expression.parts.front())) return Value(std::string(node.name));
  return refuse_at(Diagnostic("call.arity", fmt::format("{} is not called", quote(node.name)))
                       .with_hint(fmt::format("write {}()", node.name)),
                   expression.span);
}

bool Evaluator::is_module(const Expression& expression) const {
  if (std::holds_alternative<Member>(expression.node)) return is_module(expression.parts.front());
  const auto* reference = std::get_if<Reference>(&expression.node);
  return reference != nullptr && find(reference->name) == nullptr &&
         !reference->name.starts_with('#');
}

}  // namespace heddle::notation

// The values of names, and hints for unknown names.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/core/nearest_names.h"
#include "heddle/cute/atoms.h"
#include "heddle/form/element_type.h"
#include "heddle/notation/operations.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/foreign/pointers.h"
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

constexpr std::string_view kTensor =
    "write the layout in place of the tensor: make_layout(SHAPE, STRIDE)";

// Names that CuTe, TVM and the commands use for something that has another name or notation here.
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
    CuteName{"banks", "the operation is bank_conflicts(ACCESS, MEMORY, BITS)"},
    CuteName{"draw", "the operation is picture(LAYOUT)"},
    CuteName{"prove", "equal(A, B), or the claim itself, A == B"},
    CuteName{"layouts", "the operation is ttgir_layouts(DUMP)"},
    CuteName{"relayout", "the operation is relayout_plan(FROM, TO, BITS)"},
    CuteName{"make_tensor", kTensor},
    CuteName{"make_gmem_ptr", kTensor},
    CuteName{"make_smem_ptr", kTensor},
    CuteName{"make_counting_tensor", kTensor},
    CuteName{"make_identity_tensor", "it is called make_identity_layout(SHAPE)"},
    CuteName{"recast_layout", "it is called recast(LAYOUT, OLD_BITS, NEW_BITS)"},
    CuteName{"print", "a value that is written alone is printed"},
    CuteName{"print_layout", "table(L) lists the indices; the statement draw L shows them"},
    CuteName{"print_latex", "the statement draw L to \"FILE.svg\" writes a picture"},
};

/// CuTe's orders of modes, by their current and older names.
std::optional<cute::Major> major_called(std::string_view name) {
  if (name == "LayoutLeft" || name == "GenColMajor") return cute::Major::kColumn;
  if (name == "LayoutRight" || name == "GenRowMajor") return cute::Major::kRow;
  return std::nullopt;
}

/// A hint for a name that resembles no other: it may be a number without assumptions.
std::string hint_for_new_name(std::string_view name, Use use) {
  if (cute::is_bulk_copy(name)) {
    return fmt::format("how many bits it moves is found in the tile: Copy_Traits<{}, C<BITS>>{{}}",
                       name);
  }
  if (name.starts_with("_Z") || name.starts_with("N4cute") || name.starts_with("N7cutlass")) {
    return "this is a mangled name: c++filt first";
  }
  constexpr std::size_t kLongestNumber = 8;
  if (use == Use::kCall || name.size() > kLongestNumber) return {};
  const bool is_lower_case = std::ranges::none_of(name, is_capital);
  return fmt::format("if it is a number, say what is known of it: --assume '{}>={}'", name,
                     is_lower_case ? 0 : 1);
}

/// `bf16` where a type of elements is meant; i4 and u8 are more likely to be sizes.
bool is_type_name(std::string_view name) {
  constexpr std::size_t kShortest = 3;
  return name.size() >= kShortest && form::find_element_type(name) != nullptr;
}

}  // namespace

std::string hint_for_foreign_name(std::string_view name) {
  const auto found = std::ranges::find(kCuteNames, name, &CuteName::name);
  if (found != kCuteNames.end()) return std::string(found->hint);
  constexpr std::string_view kGet = "get_";
  if (!name.starts_with(kGet)) return {};
  const Operation* operation = find_operation(name.substr(kGet.size()));
  return operation == nullptr ? std::string() : "it is called " + signature(*operation);
}

const Value* Evaluator::find(std::string_view name) const {
  const auto parameter = parameters_.find(name);
  return parameter == parameters_.end() ? environment_.find(name) : &parameter->second;
}

bool Evaluator::is_known(std::string_view name) const {
  return find(name) != nullptr || sizes_.contains(name) ||
         environment_.assumptions().variables().contains(name) || find_operation(name) != nullptr;
}

Refusal Evaluator::unknown_name(std::string_view name, Span span, Use use) const {
  if (name.starts_with('#')) {
    return refuse(Diagnostic("name.unknown", fmt::format("unknown encoding {}", quote(name)))
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
  std::string hint = hint_for_foreign_name(name);
  if (hint.empty() && !cute::is_bulk_copy(name)) hint = did_you_mean(name, names);
  if (hint.empty()) hint = hint_for_new_name(name, use);
  return refuse(Diagnostic("name.unknown", fmt::format("unknown name {}", quote(name)))
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
  if (is_type_name(reference.name)) return Value(std::string(reference.name));
  return unknown_name(reference.name, expression.span, Use::kValue);
}

namespace {

/// The last name of a path, Axis in T.Axis; empty for another expression.
std::string_view last_name(const Expression& path) {
  if (const auto* member = std::get_if<Member>(&path.node)) return member->name;
  const auto* reference = std::get_if<Reference>(&path.node);
  return reference == nullptr ? std::string_view() : reference->name;
}

}  // namespace

bool is_axis_class(const Expression& expression) { return last_name(expression) == "Axis"; }

bool is_enumeration(const Expression& expression) { return last_name(expression) == "SwizzleMode"; }

/// The axis that a name without a value stands for: laneid, as TVM's modules import it.
std::optional<std::string> Evaluator::axis_called(const Expression& expression) const {
  const auto* reference = std::get_if<Reference>(&expression.node);
  if (reference == nullptr || is_known(reference->name)) return std::nullopt;
  const bool is_axis = environment_.axes().find(Axis(std::string(reference->name))).has_value();
  return is_axis ? std::optional<std::string>(reference->name) : std::nullopt;
}

/// A method is called on the value before its dot; the name of a module or a class there,
/// gl.BlockedLayout or LinearLayout.from_bases, is ignored.
Result<Value> Evaluator::visit(const Member& node, const Expression& expression, Grouping) const {
  const Expression& front = expression.parts.front();
  if (is_axis_class(front) || is_enumeration(front)) return Value(std::string(node.name));
  // A type of elements, gl.float16.
  const auto is_value = is_receiver(front, node.name);
  if (is_value && !*is_value && element_bits(node.name)) return Value(std::string(node.name));
  // A field of what only the program knows, cfg.layout.
  if (const auto root = is_receiver(front, "layout"); !root) return refuse(root.error());
  return refuse_at(Diagnostic("call.arity", fmt::format("{} is not called", quote(node.name)))
                       .with_hint(fmt::format("write {}()", node.name)),
                   expression.span);
}

namespace {

/// The modules of the systems, under the names that their documents import them by.
constexpr std::string_view kModules[] = {
    "amd",   "amd_layouts", "blackwell", "cpasync", "cute",   "cutlass",      "dist",
    "gl",    "gluon",       "heddle",    "hopper",  "jax",    "jnp",          "language",
    "lego",  "mesh_utils",  "np",        "numpy",   "nvgpu",  "nvidia",       "pycute",
    "rubin", "sharding",    "sp",        "sympy",   "T",      "tcgen05",      "tensor_layouts",
    "tirx",  "tl",          "tlx",       "torch",   "triton", "triton_gluon", "ttgl",
    "tvm",   "Tx",          "warpgroup", "xla"};

/// LEGO's links are called on a layout or a chain, though they begin with a capital letter.
constexpr std::array<std::string_view, 4> kLinks = {"GroupBy", "OrderBy", "TileBy", "TileOrderBy"};

bool is_class(std::string_view name) {
  return is_capital(name.front()) && std::ranges::find(kLinks, name) == kLinks.end();
}

/// The name that a path begins with, gl in gl.amd.AMDMFMALayout; nullptr for another expression.
const Expression* root_of(const Expression& path) {
  if (std::holds_alternative<Member>(path.node)) return root_of(path.parts.front());
  return std::holds_alternative<Reference>(path.node) ? &path : nullptr;
}

}  // namespace

/// Whether the part before a dot is a value, on which `called` is called. A class may stand in any
/// module, or be made by a function of a class, LinearLayout.from_bases; any other function stands
/// in a module of a system. Everything else is a value, even if nothing has its name.
Result<bool> Evaluator::is_receiver(const Expression& front, std::string_view called) const {
  const Expression* root = root_of(front);
  if (root == nullptr) return true;
  const std::string_view name = std::get<Reference>(root->node).name;
  const bool is_alias = name.starts_with('#');
  if (is_alias || find(name) != nullptr) return true;
  const bool is_module = std::ranges::find(kModules, name) != std::end(kModules);
  const bool is_made_by_class = is_class(name) && find_operation(name) != nullptr;
  if (is_module || is_class(called) || is_made_by_class) return false;
  return refuse(Diagnostic("name.unknown", fmt::format("unknown name {}", quote(name)))
                    .with_span(root->span)
                    .with_hint(fmt::format("say what it is in front: {0} = …; a number has a name "
                                           "without a dot: --assume '{1}>=0'",
                                           name, called)));
}

}  // namespace heddle::notation

// The head of a kernel: what is assumed, its sizes, its launch, its parameters.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/words.h"
#include "heddle/core/plain_text.h"
#include "heddle/expr/variables.h"
#include "heddle/kernel/check.h"
#include "heddle/notation/index_expression.h"
#include "notation/kernel/kernel_builder.h"
#include "notation/kernel/kernel_parser.h"
#include "notation/language/free_names.h"

namespace heddle::notation {

namespace {

std::set<std::string> variables_of(const Condition& condition) {
  std::set<std::string> names;
  for (const Int& side : {condition.left, condition.right}) {
    for (std::string& name : variables(side)) names.insert(std::move(name));
  }
  return names;
}

/// The conditions about these names, about names that share a condition with them, and so on.
std::vector<Condition> conditions_about(std::set<std::string> names,
                                        std::span<const Condition> conditions) {
  std::vector<bool> is_about(conditions.size());
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i != conditions.size(); ++i) {
      const std::set<std::string> own = variables_of(conditions[i]);
      const bool shares =
          std::ranges::any_of(own, [&](const std::string& name) { return names.contains(name); });
      if (is_about[i] || !shares) continue;
      is_about[i] = grows = true;
      names.insert(own.begin(), own.end());
    }
  }
  std::vector<Condition> about;
  for (std::size_t i = 0; i != conditions.size(); ++i) {
    if (is_about[i]) about.push_back(conditions[i]);
  }
  return about;
}

/// How deep brackets nest in a text, outside of quotes.
std::size_t bracket_depth(std::string_view text) {
  constexpr std::string_view kOpening = "([{";
  constexpr std::string_view kClosing = ")]}";
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted && text[i] == '\\') ++i;
    if (is_quoted) continue;
    if (kOpening.find(text[i]) != std::string_view::npos) deepest = std::max(deepest, ++depth);
    if (kClosing.find(text[i]) != std::string_view::npos && depth > 0) --depth;
  }
  return deepest;
}

}  // namespace

Result<void> KernelBuilder::check_nesting(const std::string& printed, Span span) const {
  if (bracket_depth(printed) <= kMaxKernelNesting) return {};
  return refuse_in_kernel(
      "syntax.too_deep",
      fmt::format("the kernel nests more than {} deep, its macros expanded", kMaxKernelNesting),
      span);
}

namespace {

/// `(2, 1)` or `2`: the extents of a launch.
std::span<const Expression> parts_of(const Expression& extents) {
  const bool is_list = std::holds_alternative<Parentheses>(extents.node) && !only_groups(extents);
  return is_list ? std::span(extents.parts) : std::span(&extents, 1);
}

}  // namespace

Result<kernel::Kernel> KernelBuilder::build(const KernelSyntax& syntax,
                                            const Additions& additions) {
  KernelNames names(&program_);
  used_ = names_in(syntax.span);
  HEDDLE_CHECK(assume(syntax, names));
  HEDDLE_CHECK(declare_sizes(syntax, names));
  kernel::Kernel kernel;
  kernel.name = std::string(syntax.name.text);
  kernel.assumed = conditions_about(names_behind(syntax.span), names.environment().conditions());
  kernel.place = {syntax.name.span};
  HEDDLE_TRY(kernel.launch, launch(syntax, names));
  HEDDLE_CHECK(bind_indices(kernel.launch, syntax, names));
  for (const TensorSyntax& parameter : syntax.parameters) {
    const auto space = parameter.shape ? kernel::Space::kGlobal : kernel::Space::kValue;
    HEDDLE_TRY(kernel.parameters.emplace_back(), tensor(parameter, space, names));
  }
  HEDDLE_TRY(kernel.body, block(syntax.body, names));
  HEDDLE_CHECK(check_nesting(to_string(kernel), syntax.name.span));
  kernel.instructions = additions.instructions;
  kernel.schedules = additions.schedules;
  HEDDLE_CHECK(kernel::check(kernel));
  return kernel;
}

Result<kernel::Launch> KernelBuilder::launch(const KernelSyntax& syntax, const KernelNames& names) {
  const KernelValues head = values(names);
  kernel::Launch launch;
  if (syntax.devices) {
    HEDDLE_TRY(launch.devices, head.constant(*syntax.devices));
    if (launch.devices < 1 || launch.devices > kernel::kMaxDevices) {
      return refuse_in_kernel("kernel.launch",
                              fmt::format("a kernel is launched over 1 to {} devices, not {}",
                                          kernel::kMaxDevices, launch.devices),
                              syntax.devices->span);
    }
  }
  if (!syntax.grid) return launch;
  HEDDLE_TRY(launch.grid, head.integers(parts_of(*syntax.grid)));
  if (syntax.cluster) {
    for (const Expression& extent : parts_of(*syntax.cluster)) {
      HEDDLE_TRY(launch.cluster.emplace_back(), head.constant(extent));
    }
  }
  auto threads = head.constant(*syntax.threads);
  if (!threads && std::holds_alternative<Parentheses>(syntax.threads->node)) {
    return refuse(std::move(threads).error().with_hint(
        "threads is their number, 128 for (32,4); tx counts from 0 to 127"));
  }
  HEDDLE_TRY(launch.threads, std::move(threads));
  return launch;
}

/// Every name in a part of the text.
std::set<std::string> KernelBuilder::names_in(Span span) const {
  std::set<std::string> names;
  Lexer lexer(text_.substr(0, span.end));
  lexer.continue_at(span.begin);
  lexer.read_kernel(true);
  while (true) {
    const Result<Token> token = lexer.next();
    if (!token || token->kind == TokenKind::kEnd) return names;
    if (token->kind == TokenKind::kName) names.emplace(lexer.text(token->span));
  }
}

/// The names in the kernel, in the macros that it may call, and in values of the program that it
/// may use.
std::set<std::string> KernelBuilder::names_behind(Span span) const {
  std::set<std::string> found;
  std::vector<Span> parts = {span};
  while (!parts.empty()) {
    const std::set<std::string> names = names_in(parts.back());
    parts.pop_back();
    for (const std::string& name : names) {
      if (!found.insert(name).second) continue;
      if (const auto* macro = program_.find_as<Macro>(name)) parts.push_back(macro->syntax->span);
      const Value* value = program_.environment().find(name);
      if (value == nullptr) continue;
      for (std::string& variable : variables(*value)) found.insert(std::move(variable));
    }
  }
  return found;
}

Result<void> KernelBuilder::assume(const KernelSyntax& syntax, KernelNames& names) {
  for (const Span span : syntax.assumptions) {
    auto assumed = names.environment().assume(text_at(text_, span));
    // A place in its refusal is one in the text of the assumption.
    if (!assumed) return refuse(std::move(assumed).error().with_span(span));
  }
  return {};
}

/// The names without a meaning in the shapes of parameters are sizes.
Result<void> KernelBuilder::declare_sizes(const KernelSyntax& syntax, KernelNames& names) {
  for (const TensorSyntax& parameter : syntax.parameters) {
    for (const Expression& extent : parameter.shape.value_or(std::vector<Expression>())) {
      for (const std::string& size : free_names_in(extent, names.environment())) {
        HEDDLE_CHECK(check_integer_name({size, extent.span}));
        if (unknown_called(size) && names.environment().is_taken(size)) {
          return refuse_in_kernel("kernel.name_taken",
                                  fmt::format("{} is the name of a '?' already", quote(size)),
                                  extent.span, "choose another name");
        }
        names.bind(size, names.environment().assumptions().variable(size));
      }
    }
  }
  return {};
}

/// Binds bx, by, bz, and in clusters cbx, cby, cbz.
Result<void> KernelBuilder::bind_indices(const kernel::Launch& launch, const KernelSyntax& syntax,
                                         KernelNames& names) {
  if (launch.grid.empty() || launch.grid.size() > 3) {
    return refuse_in_kernel(
        "kernel.launch",
        fmt::format("the grid has {} extents; it has one to three", launch.grid.size()),
        syntax.grid ? syntax.grid->span : syntax.launch,
        "launch cta (M // 128, N // 128), threads 128");
  }
  if (launch.threads < 1 || launch.threads > kernel::kMaxThreads) {
    return refuse_in_kernel(
        "kernel.launch",
        fmt::format("a block has 1 to {} threads, not {}", kernel::kMaxThreads, launch.threads),
        syntax.threads ? syntax.threads->span : syntax.launch);
  }
  threads_ = launch.threads;
  devices_ = launch.devices;
  constexpr std::string_view kNames[] = {"bx", "by", "bz"};
  const std::vector<Int> blocks = kernel::block_variables(launch);
  for (std::size_t d = 0; d != blocks.size(); ++d) {
    if (!blocks[d].is_defined()) {
      return refuse_in_kernel(
          "kernel.launch",
          fmt::format("there are no blocks: the grid is {}", kernel::shape_text(launch.grid)),
          syntax.grid ? syntax.grid->span : syntax.launch);
    }
    indices_.emplace_back(kNames[d], blocks[d]);
    names.bind(kNames[d], blocks[d]);
  }
  constexpr std::string_view kInCluster[] = {"cbx", "cby", "cbz"};
  const std::vector<Int> indices = kernel::cluster_indices(launch);
  for (std::size_t d = 0; d != indices.size(); ++d) {
    indices_.emplace_back(kInCluster[d], indices[d]);
    names.bind(kInCluster[d], indices[d]);
  }
  return {};
}

Result<kernel::Tensor> KernelBuilder::tensor(const TensorSyntax& syntax, kernel::Space space,
                                             KernelNames& names) {
  const KernelValues read = values(names);
  kernel::Tensor tensor;
  tensor.space = space;
  HEDDLE_TRY(tensor.type, dtype_called(syntax.type));
  if (syntax.shape) {
    HEDDLE_TRY(tensor.shape, read.integers(*syntax.shape));
  }
  if (syntax.layout) {
    auto layout = read.layout(*syntax.layout);
    const bool is_number = std::holds_alternative<IntegerLiteral>(syntax.layout->node) ||
                           std::holds_alternative<RealLiteral>(syntax.layout->node);
    if (!layout && is_number) {
      return refuse(std::move(layout).error().with_hint(
          fmt::format("leave `= {0}` out, then fill({1}, {0})", text_at(text_, syntax.layout->span),
                      syntax.name.text)));
    }
    HEDDLE_TRY(tensor.layout, std::move(layout));
  }
  HEDDLE_TRY(tensor.name, declared(syntax.name, names));
  tensor.place = {syntax.span};
  names.bind(syntax.name.text, TypedView{{tensor.name, {}}, tensor.type});
  return tensor;
}

// Names.

namespace {

bool is_plain_name(std::string_view name) {
  return std::ranges::all_of(name, is_word_character) && begins_name(name.front());
}

}  // namespace

/// Refuses names that mean something else where they are printed.
Result<void> KernelBuilder::check_name(const NameSyntax& name) const {
  if (is_plain_name(name.text) && !is_kernel_word(name.text)) return {};
  return refuse_in_kernel("syntax.reserved",
                          fmt::format("{} is not a possible name in a kernel", quote(name.text)),
                          name.span, "choose another name");
}

/// Integers may stand in layouts, where `o` is composition.
Result<void> KernelBuilder::check_integer_name(const NameSyntax& name) const {
  HEDDLE_CHECK(check_name(name));
  if (name.text != "o") return {};
  return refuse_in_kernel("syntax.reserved", "no integer can be called 'o', which joins layouts",
                          name.span, "choose another name");
}

Result<std::string> KernelBuilder::declared(const NameSyntax& name, const KernelNames& names) {
  HEDDLE_CHECK(check_name(name));
  const bool is_macro = !expanded_.empty();
  if (names.find(name.text) != nullptr || (!is_macro && is_variable(name.text, names))) {
    return refuse_in_kernel(
        "kernel.name_taken", fmt::format("{} has a meaning here already", quote(name.text)),
        name.span, fmt::format("choose another name, such as my_{}", name.text));
  }
  return is_macro ? fresh(name.text, names) : std::string(name.text);
}

/// Whether a variable of this name is assumed to be something, or is part of a value.
bool KernelBuilder::is_variable(std::string_view name, const KernelNames& names) {
  const Environment& known = names.environment();
  return known.assumptions().variables().contains(name) ||
         (known.is_taken(name) && known.find(name) == nullptr);
}

/// The name, or the first of name_1, name_2, … that is not used.
std::string KernelBuilder::fresh(std::string_view name, const KernelNames& names) {
  std::string made(name);
  std::size_t& last = last_.try_emplace(made, 0).first->second;
  while (is_variable(made, names) || !used_.insert(made).second) {
    made = fmt::format("{}_{}", name, ++last);
  }
  return made;
}

}  // namespace heddle::notation

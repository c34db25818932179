// The statements of a kernel, one for one; `let` and `def` leave none.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/overloaded.h"
#include "heddle/expr/index_variable.h"
#include "heddle/kernel/operators.h"
#include "notation/kernel/kernel_builder.h"

namespace heddle::notation {

namespace {

using kernel::Scope;

/// The indices of threads, or of the device, that a scope gives to what is inside.
std::vector<std::pair<std::string, Int>> thread_indices(const kernel::Scope& scope,
                                                        std::int64_t threads,
                                                        std::int64_t devices) {
  const bool is_thread = scope.kind == Scope::Kind::kThread || scope.kind == Scope::Kind::kElect;
  const bool is_warp = scope.kind == Scope::Kind::kWarp;
  const bool is_set = scope.part && (is_warp || scope.kind == Scope::Kind::kWarpgroup);
  std::vector<std::pair<std::string, Int>> indices;
  if (scope.kind == Scope::Kind::kDevice) {
    indices.emplace_back("gpuid", index_variable("gpuid", std::max<std::int64_t>(devices, 1)));
  }
  if (is_thread || is_set) indices.emplace_back("tx", index_variable("tx", threads));
  if (!is_thread && !is_warp) return indices;
  const Int warps = ceil_div(threads, kernel::kWarpThreads);
  indices.emplace_back("laneid", index_variable("laneid", kernel::kWarpThreads));
  indices.emplace_back("warpid", index_variable("warpid", warps));
  return indices;
}

}  // namespace

Result<void> KernelBuilder::check_depth(Span span) const {
  if (depth_ <= kMaxKernelNesting) return {};
  return refuse_in_kernel("syntax.too_deep",
                          fmt::format("blocks nest more than {} deep", kMaxKernelNesting), span);
}

Result<kernel::Block> KernelBuilder::block(const BlockSyntax& syntax, const KernelNames& outer) {
  KernelNames names(&outer);
  return block_with(syntax, names);
}

Result<kernel::Block> KernelBuilder::block_with(const BlockSyntax& syntax, KernelNames& names) {
  ++depth_;
  if (!syntax.empty()) HEDDLE_CHECK(check_depth(syntax.front().span));
  kernel::Block block;
  for (const StatementSyntax& statement : syntax) HEDDLE_CHECK(add(statement, names, block));
  --depth_;
  return block;
}

Result<void> KernelBuilder::add(const StatementSyntax& syntax, KernelNames& names,
                                kernel::Block& block) {
  HEDDLE_CHECK(values(names).count(1, syntax.span));
  if (const auto* macro = std::get_if<MacroSyntax>(&syntax.node)) return define(*macro, names);
  if (const auto* called = std::get_if<CallSyntax>(&syntax.node)) {
    return call(*called, names, block, syntax.span);
  }
  if (const auto* let = std::get_if<LetSyntax>(&syntax.node)) {
    return add_let(*let, names, block, syntax.span);
  }
  const auto make = [&](const auto& statement) -> Made {
    if constexpr (requires { made(statement, names); }) return made(statement, names);
    return kernel::Break{};  // calls, macros and lets are above
  };
  HEDDLE_TRY(kernel::Statement::Node node, std::visit(make, syntax.node));
  block.push_back({std::move(node), syntax.span});
  return {};
}

Result<void> KernelBuilder::define(const MacroSyntax& syntax, KernelNames& names) {
  HEDDLE_CHECK(check_macro(syntax, names));
  names.bind(syntax.name.text, Macro{&syntax, &names});
  return {};
}

/// `let x = 32*bx` gives an integer a name; `let n = lengths[bx]` reads one.
Result<void> KernelBuilder::add_let(const LetSyntax& syntax, KernelNames& names,
                                    kernel::Block& block, Span span) {
  const KernelValues read = values(names);
  HEDDLE_CHECK(check_integer_name(syntax.name));
  if (!read.is_view(syntax.value)) {
    if (!read.is_integer(syntax.value) && read.value(syntax.value)) {
      const std::string_view value = text_at(text_, syntax.value.span);
      return refuse_in_kernel(
          "kernel.integer",
          fmt::format("let is for integers, and {} is computed element by element", quote(value)),
          syntax.value.span,
          fmt::format("reg {0}: f32[], then {0} = {1}", syntax.name.text, value));
    }
    HEDDLE_TRY(Int value, read.integer(syntax.value));
    HEDDLE_CHECK(declared(syntax.name, names));
    names.bind(syntax.name.text, std::move(value));
    return {};
  }
  HEDDLE_TRY(TypedView element, read.view(syntax.value));
  HEDDLE_TRY(std::string name, declared(syntax.name, names));
  names.bind(syntax.name.text, kernel::let_variable(name, element.type));
  block.push_back({kernel::Let{std::move(name), std::move(element.view)}, span});
  return {};
}

Result<kernel::Statement::Node> KernelBuilder::made(const DeclarationSyntax& syntax,
                                                    KernelNames& names) {
  HEDDLE_TRY(kernel::Tensor declared, tensor(syntax.tensor, syntax.space, names));
  return kernel::Declaration{std::move(declared)};
}

Result<kernel::Statement::Node> KernelBuilder::made(const AssignSyntax& syntax,
                                                    KernelNames& names) {
  HEDDLE_TRY(TypedView destination, values(names).view(syntax.destination));
  HEDDLE_TRY(KernelValue value, values(names).value(syntax.value));
  return kernel::Assign{std::move(destination.view), std::move(value.value)};
}

// Loops.

Result<KernelBuilder::Counted> KernelBuilder::counted(const Expression& extent,
                                                      const KernelNames& names) {
  const KernelValues read = values(names);
  const bool is_range = std::holds_alternative<Application>(extent.node) &&
                        std::holds_alternative<Reference>(extent.parts.front().node) &&
                        std::get<Reference>(extent.parts.front().node).name == "range";
  if (!is_range) {
    HEDDLE_TRY(Int count, read.integer(extent));
    return Counted{0, 1, std::move(count)};
  }
  HEDDLE_TRY(const std::vector<Int> ends, read.integers(std::span(extent.parts).subspan(1)));
  if (ends.empty() || ends.size() > 3) {
    return refuse_in_kernel(
        "kernel.loop", fmt::format("range takes 1 to 3 integers, not {}", ends.size()), extent.span,
        "range(END), range(BEGIN, END) or range(BEGIN, END, STEP)");
  }
  Counted counted;
  counted.begin = ends.size() == 1 ? Int(0) : ends[0];
  if (ends.size() == 3) counted.step = ends[2];
  if (!known_less(0, counted.step)) {
    return refuse_in_kernel(
        "kernel.loop",
        fmt::format("the step {} is not known to be 1 or more", to_string(counted.step)),
        extent.parts.back().span, "count up, and subtract in the body: let i = N - 1 - k");
  }
  const Int& end = ends.size() == 1 ? ends[0] : ends[1];
  counted.extent = max(0, ceil_div(end - counted.begin, counted.step));
  HEDDLE_TRY(counted.extent, check_defined(counted.extent, "the extent of a loop"));
  return counted;
}

Result<kernel::Statement::Node> KernelBuilder::made(const ForSyntax& syntax, KernelNames& names) {
  HEDDLE_TRY(const Counted values, counted(syntax.extent, names));
  HEDDLE_CHECK(check_integer_name(syntax.counter));
  HEDDLE_TRY(std::string counter, declared(syntax.counter, names));
  Int index = index_variable(counter, values.extent);
  // A loop that is never entered: its body has no value of the counter.
  if (!index.is_defined()) index = 0;
  const Int value = values.begin + values.step * index;
  HEDDLE_CHECK(check_defined(value, "the value of a counter"));
  KernelNames inner(&names);
  inner.bind(syntax.counter.text, value);
  HEDDLE_TRY(kernel::Block body, block_with(syntax.body, inner));
  return kernel::For{std::move(counter), values.extent, std::move(body)};
}

Result<kernel::Statement::Node> KernelBuilder::made(const PipelineSyntax& syntax,
                                                    KernelNames& names) {
  HEDDLE_TRY(const Int extent, values(names).integer(syntax.extent));
  HEDDLE_TRY(const Int stages, values(names).integer(syntax.stages));
  if (!stages.is_constant() || stages.value() < 1 || stages.value() > kernel::kMaxStages) {
    return refuse_in_kernel(
        "kernel.pipeline",
        fmt::format("a pipeline has 1 to {} stages, not {}", kernel::kMaxStages, to_string(stages)),
        syntax.stages.span);
  }
  HEDDLE_CHECK(check_integer_name(syntax.counter));
  HEDDLE_TRY(std::string counter, declared(syntax.counter, names));
  Int index = index_variable(counter, extent);
  if (!index.is_defined()) index = 0;
  KernelNames inner(&names);
  inner.bind(syntax.counter.text, index);
  inner.bind("stage", mod(index, stages));
  HEDDLE_TRY(kernel::Block load, block(syntax.load, inner));
  HEDDLE_TRY(kernel::Block compute, block(syntax.compute, inner));
  return kernel::Pipeline{std::move(counter), extent, stages.value(), std::move(load),
                          std::move(compute)};
}

Result<kernel::Statement::Node> KernelBuilder::made(const WhileSyntax& syntax, KernelNames& names) {
  HEDDLE_TRY(KernelValue condition, values(names).value(syntax.condition));
  HEDDLE_TRY(kernel::Block body, block(syntax.body, names));
  return kernel::While{std::move(condition.value), std::move(body)};
}

Result<kernel::Statement::Node> KernelBuilder::made(const IfSyntax& syntax, KernelNames& names) {
  HEDDLE_TRY(KernelValue condition, values(names).value(syntax.condition));
  HEDDLE_TRY(kernel::Block then, block(syntax.then, names));
  HEDDLE_TRY(kernel::Block otherwise, block(syntax.otherwise, names));
  return kernel::If{std::move(condition.value), std::move(then), std::move(otherwise)};
}

// Scopes.

/// `[0:4]`, or `[0]` for one part.
Result<kernel::Scope::Part> KernelBuilder::part(const Expression& range, const KernelNames& names) {
  const KernelValues read = values(names);
  if (!std::holds_alternative<Subscript>(range.node) || range.parts.size() != 2 ||
      !std::holds_alternative<Reference>(range.parts.front().node)) {
    return refuse_in_kernel("kernel.scope", "a scope has one range, from its first part to its end",
                            range.span, "warp[0:4] is the warps 0, 1, 2 and 3");
  }
  const Expression& ends = range.parts.back();
  if (std::holds_alternative<LayoutLiteral>(ends.node)) {
    HEDDLE_TRY(const kernel::Subscript parts, read.range(ends));
    return kernel::Scope::Part{parts.begin, parts.begin + parts.extent};
  }
  HEDDLE_TRY(const Int only, read.integer(ends));
  return kernel::Scope::Part{only, only + 1};
}

Result<kernel::Statement::Node> KernelBuilder::made(const ScopeSyntax& syntax, KernelNames& names) {
  kernel::Scope scope;
  scope.kind = syntax.kind;
  if (syntax.range) {
    HEDDLE_TRY(scope.part, part(*syntax.range, names));
    HEDDLE_CHECK(check_defined(scope.part->end, "the end of a scope"));
  }
  const std::size_t before = indices_.size();
  KernelNames inner(&names);
  for (auto& [name, index] : thread_indices(scope, threads_, devices_)) {
    inner.bind(name, index);
    indices_.emplace_back(name, index);
  }
  HEDDLE_TRY(scope.body, block_with(syntax.body, inner));
  indices_.resize(before);
  HEDDLE_TRY(scope.otherwise, block(syntax.otherwise, names));
  return scope;
}

}  // namespace heddle::notation

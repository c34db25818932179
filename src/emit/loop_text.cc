// Loop nests in C, C++, CUDA, HIP and Python.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/overloaded.h"
#include "emit/function_texts.h"
#include "emit/loop_plan.h"
#include "emit/writer.h"

namespace heddle::emit {
namespace {

constexpr std::array kLoopDialects = {Dialect::kC,   Dialect::kCpp,    Dialect::kCuda,
                                      Dialect::kHip, Dialect::kPython, Dialect::kMlir};

Result<void> check_target(const LoopTextOptions& options) {
  if (std::ranges::find(kLoopDialects, options.dialect) == kLoopDialects.end()) {
    return refuse(Diagnostic("emit.target",
                             fmt::format("loops are not written in {}", title_of(options.dialect)))
                      .with_hint("the targets are " + names_of(kLoopDialects)));
  }
  if (!is_identifier(options.name) || is_reserved(options.name, options.dialect) ||
      options.name == "visit" || options.name == "data") {
    return refuse(Diagnostic("print.name", fmt::format("'{}' is not a name for a function in {}",
                                                       options.name, title_of(options.dialect)))
                      .with_hint("--name scan"));
  }
  const bool has_openmp = options.dialect == Dialect::kC || options.dialect == Dialect::kCpp;
  if (!options.openmp || has_openmp) return {};
  return refuse(Diagnostic("emit.target", fmt::format("OpenMP is of C and C++, not of {}",
                                                      title_of(options.dialect)))
                    .with_hint("--target cpp"));
}

struct LoopCount {
  int all = 0;
  int parallel = 0;
};

LoopCount count_loops(const std::vector<map::LoopNode>& nodes) {
  LoopCount count;
  const auto add = [&](const std::vector<map::LoopNode>& inner) {
    const LoopCount more = count_loops(inner);
    count.all += more.all;
    count.parallel += more.parallel;
  };
  for (const map::LoopNode& node : nodes) {
    std::visit(Overloaded{[&](const map::Loop& loop) {
                            ++count.all;
                            count.parallel += loop.is_parallel ? 1 : 0;
                            add(loop.body);
                          },
                          [&](const map::LoopGuard& guard) {
                            add(guard.then);
                            add(guard.otherwise);
                          },
                          [](const map::Visit&) {}},
               node.node);
  }
  return count;
}

Result<void> check_parallel(const map::LoopNest& nest, const LoopTextOptions& options) {
  if (!options.openmp) return {};
  const LoopCount count = count_loops(nest.nodes);
  if (count.all == 0 || count.parallel > 0) return {};
  return refuse(
      Diagnostic("loops.not_parallel",
                 fmt::format("no loop over {} is known to be parallel: its iterations may "
                             "have places in common",
                             in_a_comment(nest.visited)))
          .with_hint("the loops over its points alone may run in any order: loops(domain(L), "
                     "openmp=true)"));
}

void add_kernels(const std::vector<LoopPlan>& plans, const Spelling& spelling,
                 std::vector<SpelledKernel>& kernels) {
  for (const LoopPlan& plan : plans) {
    kernels.push_back({&plan.kernel, spelling});
    add_kernels(plan.body, spelling, kernels);
    add_kernels(plan.otherwise, spelling, kernels);
  }
}

class LoopText {
 public:
  LoopText(const map::LoopNest& nest, const LoopTextOptions& options, const LoopNames& names,
           const std::vector<LoopPlan>& plans)
      : nest_(nest), options_(options), names_(names), plans_(plans) {}

  Result<std::string> run() && {
    std::vector<SpelledKernel> kernels;
    add_kernels(plans_, names_.variables, kernels);
    // A nest that visits nothing has no kernel, from which the type would be read.
    const Kernel none;
    kernels.push_back({&none, names_.variables});
    HEDDLE_TRY(printed_,
               print_together(kernels, {options_.dialect, true, false, options_.name + "_"}));
    for (const SpelledKernel& kernel : kernels) {
      for_each_node(*kernel.kernel, [&](const CodeExpression& node) {
        if (node.operation() == CodeOperation::kVariable) {
          read_.push_back(spelled(node.name(), kernel.spelling));
        }
      });
    }
    is_python() ? write_python() : write_c();
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool is_python() const { return options_.dialect == Dialect::kPython; }
  void line_of(const std::string& line) { text_ += line + '\n'; }
  void statement(const std::string& line) { line_of(indent_ + line); }

  // The function.

  void write_c() {
    const bool is_cpp = is_cpp_like(options_.dialect);
    const std::string& type = printed_.front().type;
    if (options_.dialect == Dialect::kHip) line_of("#include <hip/hip_runtime.h>\n");
    line_of(is_cpp ? "#include <cstdint>\n" : "#include <stdint.h>\n");
    for (const std::string& line : comments_of(nest_, names_, options_)) line_of("// " + line);
    if (!printed_.front().helpers.empty()) line_of("\n" + printed_.front().helpers);
    const auto typed = [&](const Names& names) {
      Names all;
      for (const std::string& name : names) all.push_back(fmt::format("{} {}", type, name));
      return all;
    };
    Names point = typed(names_.coordinates);
    for (const std::string& place : typed(names_.places)) point.push_back(place);
    Names own;
    if (is_cpp) {
      line_of("template <class Visit>");
      own.emplace_back("Visit&& visit");
    } else {
      point.emplace_back("void* data");
      own = {fmt::format("void (*visit)({})", listed(point)), "void* data"};
    }
    for (const std::string& size : typed(names_.sizes)) own.push_back(size);
    line_of(fmt::format("{} void {}({}) {{", qualifiers(), options_.name, listed(own)));
    indent_ = "  ";
    for (const std::string& size : names_.sizes) {
      if (std::ranges::find(read_, size) == read_.end()) statement(fmt::format("(void){};", size));
    }
    if (plans_.empty()) statement(is_cpp ? "(void)visit;" : "(void)visit, (void)data;");
    write_all(plans_);
    line_of("}");
  }

  [[nodiscard]] std::string_view qualifiers() const {
    return options_.openmp && options_.dialect == Dialect::kCpp
               ? "inline"  // a pragma is nothing for a constant expression
               : function_qualifiers(options_.dialect);
  }

  void write_python() {
    const std::vector<std::string> about = comments_of(nest_, names_, options_);
    for (const std::string& line : about) line_of("# " + line);
    if (!printed_.front().helpers.empty()) line_of("\n\n" + printed_.front().helpers);
    line_of("\n");
    line_of(fmt::format("def {}({}):", options_.name, listed(names_.sizes)));
    indent_ = "    ";
    if (plans_.empty()) statement("yield from ()");
    write_all(plans_);
  }

  // Nodes.

  void write_all(const std::vector<LoopPlan>& plans) {
    for (const LoopPlan& plan : plans) {
      const PrintedKernel& printed = printed_[next_++];
      for (const std::string& definition : printed.definitions) statement(definition);
      std::visit([&](const auto& kind) { write(kind, plan, printed); }, plan.node->node);
    }
  }

  void write_block(const std::string& head, const std::vector<LoopPlan>& body) {
    statement(head);
    const std::size_t depth = indent_.size();
    indent_ += is_python() ? "    " : "  ";
    write_all(body);
    if (is_python() && body.empty()) statement("pass");
    indent_.resize(depth);
  }

  void write(const map::Loop& loop, const LoopPlan& plan, const PrintedKernel& printed) {
    const std::string& name = names_.variables.at(loop.name);
    const std::string& first = printed.results[0];
    const std::string& end = printed.results[1];
    if (is_python()) {
      Names arguments = {first, plan.ends_with_last ? as_operand(end) + " + 1" : end};
      if (loop.step != 1) arguments.push_back(std::to_string(loop.step));
      if (first == "0" && loop.step == 1) arguments.erase(arguments.begin());
      write_block(fmt::format("for {} in range({}):", name, listed(arguments)), plan.body);
      return;
    }
    if (options_.openmp && loop.is_parallel) line_of("#pragma omp parallel for");
    const std::string step =
        loop.step == 1 ? "++" + name : fmt::format("{} += {}", name, loop.step);
    write_block(fmt::format("for ({} {} = {}; {} {} {}; {}) {{", printed.type, name, first, name,
                            plan.ends_with_last ? "<=" : "<", as_operand(end), step),
                plan.body);
    statement("}");
  }

  void write(const map::LoopGuard& guard, const LoopPlan& plan, const PrintedKernel& printed) {
    const std::string_view both = is_python() ? " and " : " && ";
    const std::string_view either = is_python() ? " or " : " || ";
    Names parts;
    std::size_t next = 0;
    for (const auto& conditions : guard.alternatives) {
      Names all;
      for (std::size_t i = 0; i < conditions.size(); ++i) all.push_back(operand(printed, next++));
      const bool is_alone = guard.alternatives.size() == 1 || all.size() == 1;
      const std::string text = joined(all, both, is_python() ? "True" : "1");
      parts.push_back(is_alone ? text : "(" + text + ")");
    }
    const std::string condition = joined(parts, either);
    write_block(
        is_python() ? fmt::format("if {}:", condition) : fmt::format("if ({}) {{", condition),
        plan.body);
    if (!plan.otherwise.empty()) write_block(is_python() ? "else:" : "} else {", plan.otherwise);
    if (!is_python()) statement("}");
  }

  /// The end of a loop as an operand of `+` in Python or of `<=` in C: in parentheses if that would
  /// split it.
  [[nodiscard]] std::string as_operand(const std::string& end) const {
    constexpr std::string_view kLooseInC[] = {"&", "|", "^", "?"};
    constexpr std::string_view kLooseInPython[] = {"&", "|", "^", "<", ">", "=", " if ", " or "};
    const bool is_loose =
        is_python() ? has_outside(end, kLooseInPython) : has_outside(end, kLooseInC);
    return is_loose ? "(" + end + ")" : end;
  }

  /// A condition among others needs parentheses only if it is a choice.
  [[nodiscard]] std::string operand(const PrintedKernel& printed, std::size_t i) const {
    const std::string_view sign = is_python() ? " if " : " ? ";
    const std::string& condition = printed.guards[i];
    return has_outside(condition, {&sign, 1}) ? "(" + condition + ")" : condition;
  }

  void write(const map::Visit& visit, const LoopPlan&, const PrintedKernel& printed) {
    if (!is_python()) {
      Names arguments = printed.results;
      if (!is_cpp_like(options_.dialect)) arguments.emplace_back("data");
      statement(fmt::format("visit({});", listed(arguments)));
      return;
    }
    const auto split = printed.results.begin() + static_cast<std::ptrdiff_t>(visit.point.size());
    const std::string point = python_tuple({printed.results.begin(), split});
    statement(visit.image.empty() ? "yield " + point
                                  : fmt::format("yield {}, {}", point,
                                                python_tuple({split, printed.results.end()})));
  }

  /// One number as it is, several as a tuple.
  static std::string python_tuple(const Names& numbers) {
    return numbers.size() == 1 ? numbers.front() : "(" + listed(numbers) + ")";
  }

  const map::LoopNest& nest_;
  const LoopTextOptions& options_;
  const LoopNames& names_;
  const std::vector<LoopPlan>& plans_;
  std::vector<PrintedKernel> printed_;
  std::vector<std::string> read_;
  std::size_t next_ = 0;
  std::string indent_;
  std::string text_;
};

}  // namespace

#ifndef HEDDLE_HAS_MLIR
Result<std::string> mlir_loops(const map::LoopNest& /*nest*/, const LoopTextOptions& /*options*/) {
  return refuse(Diagnostic("emit.target", "this build of Heddle does not write MLIR")
                    .with_hint("build it with the component: cmake -DHEDDLE_MLIR=ON (Debian: "
                               "libmlir-19-dev)"));
}
#endif

Result<std::string> to_text(const map::LoopNest& nest, const LoopTextOptions& options) {
  HEDDLE_CHECK(check_target(options));
  HEDDLE_CHECK(check_parallel(nest, options));
  if (options.dialect == Dialect::kMlir) return mlir_loops(nest, options);
  const LoopNames names = loop_names(nest, options);
  HEDDLE_TRY(const std::vector<LoopPlan> plans,
             plan_of(nest, names, usual_target(options.dialect), LoopBounds::kOne));
  return LoopText(nest, options, names, plans).run();
}

}  // namespace heddle::emit

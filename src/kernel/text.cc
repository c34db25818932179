// Kernels as text: `kernel scale(X: f32[M,N]) …`, which notation::parse_kernels() reads again.
//
//   Apply(kMultiply, {Index 32*k, View x})      (32*k) * x
//
// An integer is in parentheses beside an operator, so that the two stay apart when they are read.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/overloaded.h"
#include "core/words.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

namespace {

/// How tightly the parts of an expression hold together, from the loosest.
enum Level : int { kChoice, kEither, kBoth, kDenial, kComparison, kSum, kProduct, kSign, kAtom };

Level level_of(Function function) {
  switch (function) {
    case Function::kSelect:
      return kChoice;
    case Function::kOr:
      return kEither;
    case Function::kAnd:
      return kBoth;
    case Function::kNot:
      return kDenial;
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kAtMost:
      return kComparison;
    case Function::kAdd:
    case Function::kSubtract:
      return kSum;
    case Function::kMultiply:
    case Function::kDivide:
    case Function::kQuotient:
    case Function::kRemainder:
      return kProduct;
    case Function::kNegate:
      return kSign;
    default:
      return kAtom;
  }
}

/// A text in quotes, with JSON's escapes.
std::string string_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

/// The shortest number that reads as this one, `0.5`, `2.0`, `-inf`.
std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  const bool is_plain = text.find_first_not_of("-0123456789") == std::string::npos;
  return is_plain ? text + ".0" : text;
}

std::string number_text(const Number& number) {
  return number.is_real ? real_text(number.real) : std::to_string(number.integer);
}

std::string list_text(const std::vector<Int>& values) {
  std::vector<std::string> texts;
  for (const Int& value : values) texts.push_back(to_string(value));
  return fmt::format("{}", fmt::join(texts, ","));
}

/// A linear layout as data, on one line: {"ins":[["lane",[[1],[2]]]],"outs":[["dim0",4]]}.
std::string linear_text(const linear::LinearLayout& layout) {
  std::vector<std::string> ins;
  for (const auto& [name, images] : layout.bases()) {
    std::vector<std::string> texts;
    for (const auto& image : images) texts.push_back(fmt::format("[{}]", fmt::join(image, ",")));
    ins.push_back(fmt::format("[{},[{}]]", string_text(name), fmt::join(texts, ",")));
  }
  std::vector<std::string> outs;
  for (const auto& [name, size] : layout.out_dim_sizes()) {
    outs.push_back(fmt::format("[{},{}]", string_text(name), size));
  }
  return fmt::format(R"({{"ins":[{}],"outs":[{}]}})", fmt::join(ins, ","), fmt::join(outs, ","));
}

std::string layout_text(const map::AnyLayout& layout) {
  const auto* linear = std::get_if<linear::LinearLayout>(&layout);
  return linear == nullptr ? map::to_string(layout) : linear_text(*linear);
}

std::string subscript_text(const Subscript& subscript) {
  switch (subscript.kind) {
    case Subscript::Kind::kIndex:
      return to_string(subscript.begin);
    case Subscript::Kind::kRange:
      return fmt::format("{} : +{}", to_string(subscript.begin), to_string(subscript.extent));
    case Subscript::Kind::kWhole:
      return ":";
    case Subscript::Kind::kNew:
      return "None";
  }
  return {};
}

std::string step_text(const Sliced& step) {
  std::vector<std::string> texts;
  for (const Subscript& subscript : step.subscripts) texts.push_back(subscript_text(subscript));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string step_text(const Permuted& step) {
  if (step.order == std::vector<std::size_t>{1, 0}) return ".T";
  return fmt::format(".permute({})", fmt::join(step.order, ","));
}

std::string step_text(const Reshaped& step) {
  return fmt::format(".reshape({})", list_text(step.shape));
}

std::string step_text(const Relaid& step) {
  return fmt::format(".relayout({})", layout_text(step.layout));
}

std::string step_text(const Recast& step) { return fmt::format(".bits({})", name_of(step.type)); }

/// Expressions as text: an operand is in parentheses if it holds together less than its place asks.
class ValueWriter {
 public:
  static std::string text(const Elementwise& value, Level needed = kChoice) {
    const auto [written, level] =
        std::visit([&](const auto& node) { return write(node, value.operands); }, value.node);
    return level < needed ? fmt::format("({})", written) : written;
  }

 private:
  struct Written {
    std::string text;
    Level level = kAtom;
  };
  using Operands = std::vector<Elementwise>;

  static Written write(const Elementwise::Literal& literal, const Operands&) {
    std::string text = number_text(literal.value);
    const Level level = text.starts_with('-') ? kSign : kAtom;
    return {std::move(text), level};
  }

  static Written write(const Elementwise::Index& index, const Operands&) {
    std::string text = to_string(index.value);
    const bool is_name = std::ranges::all_of(text, is_word_character);
    return {std::move(text), is_name ? kAtom : kChoice};
  }

  static Written write(const View& view, const Operands&) { return {to_string(view)}; }

  static Written write(const Elementwise::Convert& convert, const Operands& operands) {
    return {call(name_of(convert.type), operands)};
  }

  static Written write(const Elementwise::Apply& apply, const Operands& operands) {
    const Function function = apply.function;
    const std::string_view name = name_of(function);
    if (operands.size() != operand_count(function)) return {call(name, operands)};
    const Level level = level_of(function);
    switch (level) {
      case kAtom:
        return {call(name, operands)};
      case kChoice:
        return {fmt::format("{} if {} else {}", text(operands[1], kEither),
                            text(operands[0], kEither), text(operands[2], kEither)),
                kChoice};
      case kDenial:
        return {fmt::format("not ({})", text(operands[0])), kDenial};
      case kSign:
        return {"-" + text(operands[0], kAtom), kSign};
      default:
        return {binary(name, level, operands), level};
    }
  }

  /// Operators group to the left; comparisons do not follow one another.
  static std::string binary(std::string_view sign, Level level, const Operands& operands) {
    const auto tighter = static_cast<Level>(level + 1);
    return fmt::format("{} {} {}", text(operands[0], level == kComparison ? tighter : level), sign,
                       text(operands[1], tighter));
  }

  static std::string call(std::string_view name, const Operands& operands) {
    std::vector<std::string> texts;
    for (const Elementwise& operand : operands) texts.push_back(text(operand));
    return fmt::format("{}({})", name, fmt::join(texts, ", "));
  }
};

std::string option_text(bool flag) { return flag ? "true" : "false"; }
std::string option_text(double number) { return fmt::format("{}", number); }
std::string option_text(const std::string& name) { return string_text(name); }
std::string option_text(const std::vector<std::int64_t>& axes) {
  if (axes.size() == 1) return std::to_string(axes.front());
  return fmt::format("({})", fmt::join(axes, ","));
}

void add_options(const Options& options, std::vector<std::string>& arguments) {
  for (const auto& [name, value] : options) {
    arguments.push_back(fmt::format(
        "{}={}", name, std::visit([](const auto& set) { return option_text(set); }, value)));
  }
}

/// The first line of a statement, with the brace that opens its body.
std::string head_of(const Declaration& node) {
  return fmt::format("{} {}", name_of(node.tensor.space), to_string(node.tensor));
}

std::string head_of(const Let& node) {
  return fmt::format("let {} = {}", node.name, to_string(node.value));
}

std::string head_of(const Assign& node) {
  return fmt::format("{} = {}", to_string(node.destination), to_string(node.value));
}

std::string head_of(const Call& node) {
  std::vector<std::string> arguments;
  for (const Elementwise& operand : node.operands) arguments.push_back(to_string(operand));
  add_options(node.options, arguments);
  std::string text = fmt::format("{}({})", node.operation, fmt::join(arguments, ", "));
  if (node.schedule) text += " using " + *node.schedule;
  if (node.schedule_options.empty()) return text;
  std::vector<std::string> settings;
  add_options(node.schedule_options, settings);
  return fmt::format("{}({})", text, fmt::join(settings, ", "));
}

std::string head_of(const For& node) {
  return fmt::format("for {} in {} {{", node.counter, to_string(node.extent));
}

std::string head_of(const Pipeline& node) {
  return fmt::format("pipeline {} in {}, stages {} {{", node.counter, to_string(node.extent),
                     node.stages);
}

std::string head_of(const While& node) {
  return fmt::format("while {} {{", to_string(node.condition));
}

std::string head_of(const Break&) { return "break"; }
std::string head_of(const Continue&) { return "continue"; }

std::string head_of(const If& node) { return fmt::format("if {} {{", to_string(node.condition)); }

std::string head_of(const Scope& node) {
  if (!node.part) return fmt::format("{} {{", name_of(node.kind));
  return fmt::format("{}[{}:{}] {{", name_of(node.kind), to_string(node.part->begin),
                     to_string(node.part->end));
}

std::string head_of(const Unchecked& node) {
  return fmt::format("unchecked {} {}", node.target, string_text(node.text));
}

/// Writes statements, one a line, each level of blocks two columns further in.
class BlockWriter {
 public:
  void write(const Block& block) {
    ++depth_;
    for (const Statement& statement : block) {
      line(to_string(statement));
      std::visit([&](const auto& node) { write_rest(node); }, statement.node);
    }
    --depth_;
  }

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  void line(std::string_view words) { text_ += fmt::format("{:{}}{}\n", "", 2 * depth_, words); }

  template <class Simple>
  void write_rest(const Simple&) {}
  void write_rest(const For& node) { close(node.body); }
  void write_rest(const While& node) { close(node.body); }
  void write_rest(const Pipeline& node) {
    ++depth_;
    for (const auto& [word, part] : {std::pair("load", &node.load), {"compute", &node.compute}}) {
      line(std::string(word) + " {");
      close(*part);
    }
    --depth_;
    line("}");
  }
  void write_rest(const Scope& node) { close(node.body, node.otherwise); }
  void write_rest(const If& node) {
    const If* chosen = &node;
    for (const If* next = else_if(*chosen); next != nullptr; next = else_if(*chosen)) {
      write(chosen->then);
      line("} else " + head_of(*next));
      chosen = next;
    }
    close(chosen->then, chosen->otherwise);
  }

  /// The `if` that is all of the other branch.
  static const If* else_if(const If& node) {
    return node.otherwise.size() == 1 ? std::get_if<If>(&node.otherwise.front().node) : nullptr;
  }

  void close(const Block& body, const Block& otherwise = {}) {
    write(body);
    if (!otherwise.empty()) {
      line("} else {");
      write(otherwise);
    }
    line("}");
  }

  std::string text_;
  int depth_ = 0;
};

std::string launch_text(const Launch& launch) {
  const std::string devices =
      launch.devices == 0 ? "" : fmt::format("devices {}, ", launch.devices);
  const std::string grid = list_text(launch.grid);
  const bool is_list = launch.grid.size() != 1;
  std::string cluster;
  if (!launch.cluster.empty()) {
    cluster = fmt::format(", cluster ({})", fmt::join(launch.cluster, ", "));
  }
  return fmt::format("launch {}cta {}{}, threads {}", devices,
                     is_list ? fmt::format("({})", grid) : grid, cluster, launch.threads);
}

}  // namespace

std::string shape_text(const std::vector<Int>& shape) {
  return fmt::format("({})", list_text(shape));
}

std::string to_string(const Tensor& tensor) {
  std::string text = fmt::format("{}: {}", tensor.name, name_of(tensor.type));
  const bool is_array = tensor.space == Space::kGlobal || !tensor.shape.empty();
  if (is_array) text += fmt::format("[{}]", list_text(tensor.shape));
  if (tensor.layout) text += " = " + layout_text(*tensor.layout);
  return text;
}

std::string to_string(const View& view) {
  std::string text = view.tensor;
  for (const View::Step& step : view.steps) {
    text += std::visit([](const auto& taken) { return step_text(taken); }, step);
  }
  return text;
}

std::string to_string(const Elementwise& value) { return ValueWriter::text(value); }

std::string to_string(const Statement& statement) {
  return std::visit([](const auto& node) { return head_of(node); }, statement.node);
}

std::string to_string(const InstructionOperand& operand) {
  std::string text = fmt::format(
      "{}: {}[{}]", operand.name,
      operand.type ? std::string(name_of(*operand.type)) : fmt::format("b{}", operand.bits),
      fmt::join(operand.shape, ","));
  if (operand.space) text += fmt::format(" {}", name_of(*operand.space));
  if (operand.layout) text += " = " + layout_text(*operand.layout);
  return text;
}

std::string to_string(const Instruction& instruction) {
  std::vector<std::string> operands;
  for (const InstructionOperand& operand : instruction.operands) {
    operands.push_back(to_string(operand));
  }
  std::string text =
      fmt::format("instruction {}({}) for {}{}\n", instruction.name, fmt::join(operands, ", "),
                  instruction.operation, instruction.threads == 1 ? "" : " by warp");
  text += fmt::format("  aligned {}\n", instruction.alignment);
  for (const auto& [target, statements] : instruction.texts) {
    text += fmt::format("  {} {}\n", target, string_text(statements));
  }
  return text;
}

std::string to_string(const Schedule& schedule) {
  std::vector<std::string> arguments;
  for (const Tensor& parameter : schedule.parameters) arguments.push_back(to_string(parameter));
  add_options(schedule.options, arguments);
  BlockWriter body;
  body.write(schedule.body);
  return fmt::format("schedule {} for {}({}) {{\n{}}}\n", schedule.name, schedule.operation,
                     fmt::join(arguments, ", "), std::move(body).text());
}

std::string to_string(const Kernel& kernel) {
  std::vector<std::string> parameters;
  for (const Tensor& parameter : kernel.parameters) parameters.push_back(to_string(parameter));
  std::string text;
  for (const Instruction& instruction : kernel.instructions) text += to_string(instruction);
  for (const Schedule& schedule : kernel.schedules) text += to_string(schedule);
  text += fmt::format("kernel {}({})\n", kernel.name, fmt::join(parameters, ", "));
  std::vector<std::string> assumed;
  for (const Condition& condition : kernel.assumed) assumed.push_back(to_string(condition));
  if (!assumed.empty()) text += fmt::format("  assume {}\n", fmt::join(assumed, ", "));
  text += fmt::format("  {}\n{{\n", launch_text(kernel.launch));
  BlockWriter body;
  body.write(kernel.body);
  return text + std::move(body).text() + "}\n";
}

}  // namespace heddle::kernel

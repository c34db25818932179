#include "heddle/kernel/program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/overloaded.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/variables.h"

namespace heddle::kernel {

namespace {

struct FunctionRow {
  Function function;
  std::string_view name;
  std::size_t operands;
  bool is_sign;
};

constexpr FunctionRow kFunctions[] = {
    {Function::kAdd, "+", 2, true},         {Function::kSubtract, "-", 2, true},
    {Function::kMultiply, "*", 2, true},    {Function::kDivide, "/", 2, true},
    {Function::kQuotient, "//", 2, true},   {Function::kRemainder, "%", 2, true},
    {Function::kNegate, "-", 1, true},      {Function::kEqual, "==", 2, true},
    {Function::kNotEqual, "!=", 2, true},   {Function::kLess, "<", 2, true},
    {Function::kAtMost, "<=", 2, true},     {Function::kAnd, "and", 2, true},
    {Function::kOr, "or", 2, true},         {Function::kNot, "not", 1, true},
    {Function::kSelect, "select", 3, true}, {Function::kExp, "exp", 1, false},
    {Function::kExp2, "exp2", 1, false},    {Function::kLog, "log", 1, false},
    {Function::kLog2, "log2", 1, false},    {Function::kSqrt, "sqrt", 1, false},
    {Function::kRsqrt, "rsqrt", 1, false},  {Function::kTanh, "tanh", 1, false},
    {Function::kErf, "erf", 1, false},      {Function::kMin, "min", 2, false},
    {Function::kMax, "max", 2, false},      {Function::kFma, "fma", 3, false},
    {Function::kAbs, "abs", 1, false},      {Function::kFloor, "floor", 1, false},
};

const FunctionRow& row_of(Function function) {
  return *std::ranges::find(kFunctions, function, &FunctionRow::function);
}

}  // namespace

std::string_view name_of(Space space) {
  constexpr std::array<std::string_view, 4> kNames = {"global", "shared", "reg", "value"};
  return kNames[static_cast<std::size_t>(space)];
}

std::string_view name_of(Function function) { return row_of(function).name; }

std::optional<Function> find_function(std::string_view name) {
  for (const FunctionRow& row : kFunctions) {
    if (!row.is_sign && row.name == name) return row.function;
  }
  return std::nullopt;
}

std::optional<Function> find_function(std::string_view name, std::size_t operands) {
  for (const FunctionRow& row : kFunctions) {
    if (row.name == name && row.operands == operands) return row.function;
  }
  return std::nullopt;
}

std::size_t operand_count(Function function) { return row_of(function).operands; }

std::string_view name_of(Scope::Kind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"cluster", "cta",   "warpgroup", "warp",
                                                      "thread",  "elect", "device"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool operator==(const For& a, const For& b) {
  return a.counter == b.counter && a.extent == b.extent && a.body == b.body;
}

bool operator==(const While& a, const While& b) {
  return a.condition == b.condition && a.body == b.body;
}

bool operator==(const If& a, const If& b) {
  return a.condition == b.condition && a.then == b.then && a.otherwise == b.otherwise;
}

bool operator==(const Scope& a, const Scope& b) {
  return a.kind == b.kind && a.part == b.part && a.body == b.body && a.otherwise == b.otherwise;
}

bool operator==(const Pipeline& a, const Pipeline& b) {
  return a.counter == b.counter && a.extent == b.extent && a.stages == b.stages &&
         a.load == b.load && a.compute == b.compute;
}

For loop_of(const Pipeline& pipeline) {
  For loop{pipeline.counter, pipeline.extent, pipeline.load};
  loop.body.insert(loop.body.end(), pipeline.compute.begin(), pipeline.compute.end());
  return loop;
}

void for_each_statement(const Block& block, const std::function<void(const Statement&)>& visit) {
  const auto all = [&](const Block& inner) { for_each_statement(inner, visit); };
  for (const Statement& statement : block) {
    visit(statement);
    std::visit(Overloaded{[&](const For& node) { all(node.body); },
                          [&](const While& node) { all(node.body); },
                          [&](const If& node) {
                            all(node.then);
                            all(node.otherwise);
                          },
                          [&](const Scope& node) {
                            all(node.body);
                            all(node.otherwise);
                          },
                          [&](const Pipeline& node) {
                            all(node.load);
                            all(node.compute);
                          },
                          [](const auto&) {}},
               statement.node);
  }
}

void for_each_view(const Elementwise& value, const std::function<void(const View&)>& visit) {
  if (const auto* view = std::get_if<View>(&value.node)) visit(*view);
  for (const Elementwise& operand : value.operands) for_each_view(operand, visit);
}
void for_each_view(const Statement& statement, const std::function<void(const View&)>& visit) {
  std::visit(
      Overloaded{[&](const Let& node) { visit(node.value); },
                 [&](const Assign& node) {
                   visit(node.destination);
                   for_each_view(node.value, visit);
                 },
                 [&](const Call& node) {
                   for (const Elementwise& each : node.operands) for_each_view(each, visit);
                 },
                 [&](const While& node) { for_each_view(node.condition, visit); },
                 [&](const If& node) { for_each_view(node.condition, visit); }, [](const auto&) {}},
      statement.node);
}

std::vector<Int> block_variables(const Launch& launch) {
  constexpr std::array<std::string_view, 3> kNames = {"bx", "by", "bz"};
  std::vector<Int> blocks;
  for (std::size_t d = 0; d != launch.grid.size(); ++d) {
    blocks.push_back(index_variable(kNames[d], launch.grid[d]));
  }
  return blocks;
}

std::vector<Int> cluster_indices(const Launch& launch) {
  std::vector<Int> indices = block_variables(launch);
  indices.resize(std::min(indices.size(), launch.cluster.size()));
  for (std::size_t d = 0; d != indices.size(); ++d) indices[d] = mod(indices[d], launch.cluster[d]);
  return indices;
}

Block blocks_of_cluster(const Launch& launch, const Scope& cluster) {
  const std::vector<Int> indices = cluster_indices(launch);
  Int rank = 0;
  for (std::size_t d = indices.size(); d-- != 0;) rank = rank * launch.cluster[d] + indices[d];
  const auto compared = [](Function sign, Elementwise::Node a, Elementwise::Node b) -> Elementwise {
    return {Elementwise::Apply{sign}, {{std::move(a)}, {std::move(b)}}};
  };
  const auto literal = [](const Int& number) {
    return Elementwise::Literal{Number(number.value())};
  };
  Block blocks;
  for (const Statement& statement : cluster.body) {
    const auto& some = std::get<Scope>(statement.node);
    if (!some.part) {
      blocks.push_back(statement);
      continue;
    }
    const auto& [begin, end] = *some.part;
    const Elementwise::Index index{rank};
    Elementwise is_part = compared(Function::kLess, index, literal(end));
    if (begin != Int(0)) {
      is_part = {Elementwise::Apply{Function::kAnd},
                 {compared(Function::kAtMost, literal(begin), index), is_part}};
    }
    blocks.push_back({If{std::move(is_part), some.body, some.otherwise}, statement.span});
  }
  return blocks;
}

Int let_variable(std::string_view name, DType type) {
  const std::int64_t width = bits(type);
  if (type == DType::kBool) return Int::variable(name, 0, 1);
  // Numbers of u64 from 2^63 on are negative integers.
  if (is_float(type) || width == 64) return Int::variable(name);
  if (!is_signed(type)) {
    const std::uint64_t high = (std::uint64_t{1} << width) - 1;
    return Int::variable(name, 0, static_cast<std::int64_t>(high));
  }
  const std::int64_t half = std::int64_t{1} << (width - 1);
  return Int::variable(name, -half, half - 1);
}

std::vector<std::string> size_names(const Kernel& kernel) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Tensor& parameter : kernel.parameters) {
    for (const Int& extent : parameter.shape) {
      for (std::string& name : variables(extent)) {
        if (seen.insert(name).second) names.push_back(std::move(name));
      }
    }
  }
  return names;
}

Number number_in(const Options& options, const std::string& name, double otherwise) {
  const auto found = options.find(name);
  const double number = found == options.end() ? otherwise : std::get<double>(found->second);
  const bool is_integer = std::abs(number) <= 0x1p53 && number == std::floor(number) &&
                          !(number == 0 && std::signbit(number));
  return is_integer ? Number(static_cast<std::int64_t>(number)) : Number(number);
}

std::vector<std::string> given_names(const Kernel& kernel) {
  std::vector<std::string> names = size_names(kernel);
  for (const Condition& condition : kernel.assumed) {
    for (const Int& side : {condition.left, condition.right}) {
      for (std::string& name : variables(side)) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
      }
    }
  }
  return names;
}

}  // namespace heddle::kernel

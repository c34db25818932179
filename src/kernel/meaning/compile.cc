// Resolves the names of a kernel, from its first statement to its last.

#include <algorithm>
#include <array>
#include <utility>

#include "core/format.h"
#include "kernel/meaning/code.h"

namespace heddle::kernel::meaning {
namespace {

template <class T>
T option_or(const Options& options, std::string_view name, T otherwise) {
  const auto option = options.find(std::string(name));
  if (option == options.end()) return otherwise;
  const T* value = std::get_if<T>(&option->second);
  return value == nullptr ? otherwise : *value;
}

std::vector<std::int64_t> axes_option(const Options& options) {
  return option_or<std::vector<std::int64_t>>(options, "axis", {});
}

std::int64_t unit_of_scope(Scope::Kind kind) {
  switch (kind) {
    case Scope::Kind::kWarp:
      return kWarpThreads;
    case Scope::Kind::kWarpgroup:
      return kWarpThreads * kWarpgroupWarps;
    case Scope::Kind::kThread:
    case Scope::Kind::kElect:
      return 1;
    default:
      return 0;
  }
}

class CodeMaker {
 public:
  explicit CodeMaker(Code& code) : code_(code) {}

  Result<void> make(const Kernel& kernel, const Sizes& sizes) {
    Variables& variables = surroundings_.variables;
    for (const auto& [name, number] : sizes) variables.numbers.emplace(name, number);
    launch_ = kernel.launch;
    code_.threads = kernel.launch.threads;
    for (const Int& extent : kernel.launch.grid) {
      HEDDLE_TRY(const Formula formula, Formula::make(extent, variables));
      HEDDLE_TRY(const std::int64_t number, extent_at(formula, {}));
      code_.grid.push_back(number);
    }
    constexpr std::array<std::string_view, 3> kBlocks = {"bx", "by", "bz"};
    for (std::size_t d = 0; d != kBlocks.size(); ++d) {
      variables.slots.emplace(kBlocks[d], kBlockSlots + d);
    }
    code_.slots = kBlockSlots + kBlocks.size();
    for (const Tensor& parameter : kernel.parameters)
      HEDDLE_CHECK(declare(parameter).and_then(ignore));
    HEDDLE_TRY(code_.body, block(kernel.body));
    return {};
  }

 private:
  static Result<void> ignore(Storage* /*storage*/) { return {}; }

  Result<Storage*> declare(const Tensor& tensor) {
    Storage& storage = code_.storages.emplace_back();
    storage.tensor = tensor;
    for (const Int& extent : tensor.shape) {
      HEDDLE_TRY(const Formula formula, Formula::make(extent, surroundings_.variables));
      HEDDLE_TRY(const std::int64_t number, extent_at(formula, {}));
      storage.extents.push_back(number);
    }
    const exact::Value size = product_of(storage.extents);
    if (!size || *size > kMaxWords) {
      return refuse(diagnose("kernel.work", "{} of ({}) is too large to be interpreted",
                             tensor.name, fmt::join(storage.extents, ","))
                        .with_hint("run it with smaller sizes, --size N=64"));
    }
    storage.size = *size;
    surroundings_.storages.push_back(&storage);
    return &storage;
  }

  Result<CodeBlock> block(const Block& statements) {
    const Surroundings outer = surroundings_;
    CodeBlock result;
    for (const Statement& statement : statements) {
      target_ = nullptr;
      auto node = std::visit([&](const auto& each) { return make_node(each); }, statement.node);
      if (!node) {
        Diagnostic diagnostic = std::move(node).error();
        if (diagnostic.span()) return refuse(std::move(diagnostic));
        return refuse(std::move(diagnostic).with_span(statement.span));
      }
      result.push_back({std::move(*node), statement.span, target_});
    }
    surroundings_ = outer;
    return result;
  }

  using Node = decltype(CodeStatement::node);

  std::size_t new_slot(const std::string& name) {
    surroundings_.variables.slots.insert_or_assign(name, code_.slots);
    surroundings_.variables.loaded.erase(name);
    return code_.slots++;
  }

  Result<Places> read_view(const View& view) const {
    HEDDLE_TRY(Storage * storage, surroundings_.find(view.tensor));
    return Places::make(view, *storage, surroundings_.variables);
  }

  /// The view of an operand that a statement writes.
  Result<Places> written(const View& view) {
    HEDDLE_TRY(Places places, read_view(view));
    if (!places.storage().is_private()) target_ = &places.storage();
    return places;
  }
  Result<Places> written(const Elementwise& operand) {
    return written(std::get<View>(operand.node));
  }

  Result<Expression> value(const Elementwise& value) const {
    return Expression::make(value, surroundings_);
  }

  Result<Node> make_node(const Declaration& node) {
    HEDDLE_TRY(Storage * storage, declare(node.tensor));
    return Node(DeclareCode{storage});
  }

  Result<Node> make_node(const Let& node) {
    HEDDLE_TRY(Expression read, value({node.value, {}}));
    const std::size_t slot = new_slot(node.name);
    surroundings_.variables.loaded.insert(node.name);
    return Node(LetCode{std::move(read), slot});
  }

  Result<Node> make_node(const Assign& node) {
    HEDDLE_TRY(Places destination, written(node.destination));
    HEDDLE_TRY(Expression read, value(node.value));
    return Node(AssignCode{std::move(destination), std::move(read)});
  }

  Result<Node> make_node(const Call& node) {
    const std::string& operation = node.operation;
    if (operation == "barrier") return Node(BarrierCode{});
    if (operation == "wait")
      return Node(WaitCode{option_or<std::string>(node.options, "group", "")});
    if (operation == "reduce") return reduce(node);
    if (operation == "scan") return scan(node);
    if (operation == "gemm" || operation == "gemm_sparse") return gemm(node);
    if (operation == "gather" || operation == "scatter") return pick(node);
    if (operation == "atomic_add") return atomic_add(node);
    return copy(node);
  }

  /// copy, copy_async, fill and cast.
  Result<Node> copy(const Call& node) {
    HEDDLE_TRY(Places destination, written(node.operands[0]));
    HEDDLE_TRY(Expression read, value(node.operands[1]));
    AssignCode code{std::move(destination), std::move(read)};
    if (node.options.contains("pad")) {
      code.padding = number_in(node.options, "pad", 0);
      code.value.set_padding(*code.padding);
    }
    if (node.operation == "copy_async")
      code.group = option_or<std::string>(node.options, "group", "");
    return Node(std::move(code));
  }

  Result<Node> reduce(const Call& node) {
    HEDDLE_TRY(Places destination, written(node.operands[0]));
    HEDDLE_TRY(Expression source, value(node.operands[1]));
    const auto op = option_or<std::string>(node.options, "op", "sum");
    ReduceCode code{std::move(destination), std::move(source), {}, fold_named(op)};
    code.finds_position = op.starts_with("arg");
    code.accumulates = option_or(node.options, "accum", false);
    if (code.finds_position && code.accumulates) {
      return refuse(diagnose("kernel.option",
                             "{} has option 'accum', but a position is not a sum of positions", op)
                        .with_hint("leave accum out"));
    }
    for (const std::int64_t axis : axes_option(node.options)) {
      code.is_reduced.resize(std::max(code.is_reduced.size(), static_cast<std::size_t>(axis) + 1));
      code.is_reduced[static_cast<std::size_t>(axis)] = true;
    }
    return Node(std::move(code));
  }

  Result<Node> scan(const Call& node) {
    HEDDLE_TRY(Places destination, written(node.operands[0]));
    HEDDLE_TRY(Expression source, value(node.operands[1]));
    return Node(ScanCode{std::move(destination), std::move(source),
                         static_cast<std::size_t>(axes_option(node.options).front()),
                         fold_named(option_or<std::string>(node.options, "op", "sum")),
                         option_or(node.options, "exclusive", false)});
  }

  Result<Node> gemm(const Call& node) {
    HEDDLE_TRY(Places c, written(node.operands[0]));
    HEDDLE_TRY(Expression a, value(node.operands[1]));
    HEDDLE_TRY(Expression b, value(node.operands[2]));
    const double beta = option_or(node.options, "accum", true) ? 1 : 0;
    GemmCode code{std::move(c), std::move(a), std::move(b), number_in(node.options, "alpha", 1),
                  number_in(node.options, "beta", beta)};
    if (node.operation == "gemm_sparse") {
      HEDDLE_TRY(code.index, value(node.operands[3]));
    }
    return Node(std::move(code));
  }

  Result<Node> pick(const Call& node) {
    const bool is_gather = node.operation == "gather";
    HEDDLE_TRY(Places destination, written(node.operands[0]));
    HEDDLE_TRY(Places source, read_view(std::get<View>(node.operands[1].node)));
    HEDDLE_TRY(Expression index, value(node.operands[2]));
    if (is_gather) std::swap(destination, source);
    return Node(PickCode{std::move(destination), std::move(source), std::move(index),
                         static_cast<std::size_t>(axes_option(node.options).front()), is_gather});
  }

  Result<Node> atomic_add(const Call& node) {
    HEDDLE_TRY(Places destination, written(node.operands[0]));
    HEDDLE_TRY(Expression current, value(node.operands[0]));
    HEDDLE_TRY(Expression added, value(node.operands[1]));
    return Node(AtomicAddCode{std::move(destination), std::move(current), std::move(added)});
  }

  Result<Node> make_node(const For& node) {
    HEDDLE_TRY(Formula extent, Formula::make(node.extent, surroundings_.variables));
    const Surroundings outer = surroundings_;
    const std::size_t slot = new_slot(node.counter);
    HEDDLE_TRY(CodeBlock body, block(node.body));
    surroundings_ = outer;
    target_ = nullptr;
    return Node(ForCode{slot, std::move(extent), std::move(body)});
  }

  Result<Node> make_node(const Pipeline& node) { return make_node(loop_of(node)); }

  Result<Node> make_node(const While& node) {
    HEDDLE_TRY(Expression condition, value(node.condition));
    HEDDLE_TRY(CodeBlock body, block(node.body));
    target_ = nullptr;
    return Node(WhileCode{std::move(condition), std::move(body)});
  }

  Result<Node> make_node(const Break& /*node*/) const { return Node(BreakCode{}); }
  Result<Node> make_node(const Continue& /*node*/) const { return Node(ContinueCode{}); }

  Result<Node> make_node(const If& node) {
    HEDDLE_TRY(Expression condition, value(node.condition));
    HEDDLE_TRY(CodeBlock then, block(node.then));
    HEDDLE_TRY(CodeBlock otherwise, block(node.otherwise));
    target_ = nullptr;
    return Node(IfCode{std::move(condition), std::move(then), std::move(otherwise)});
  }

  Result<Node> make_node(const Scope& node) {
    if (node.kind == Scope::Kind::kCluster) {
      return make_node(Scope{Scope::Kind::kCta, {}, blocks_of_cluster(launch_, node), {}});
    }
    ScopeCode code;
    code.unit = unit_of_scope(node.kind);
    code.is_elected = node.kind == Scope::Kind::kElect;
    if (node.part) {
      HEDDLE_TRY(const Formula begin, Formula::make(node.part->begin, surroundings_.variables));
      HEDDLE_TRY(const Formula end, Formula::make(node.part->end, surroundings_.variables));
      HEDDLE_TRY(const std::int64_t from, extent_at(begin, {}));
      HEDDLE_TRY(const std::int64_t to, extent_at(end, {}));
      code.range = std::pair(from, to);
    }
    HEDDLE_TRY(code.otherwise, block(node.otherwise));
    const Surroundings outer = surroundings_;
    name_threads(code);
    HEDDLE_TRY(code.body, block(node.body));
    surroundings_ = outer;
    target_ = nullptr;
    return Node(std::move(code));
  }

  /// What the threads of a scope have in common has a name in it.
  void name_threads(const ScopeCode& scope) {
    auto& slots = surroundings_.variables.slots;
    const std::int64_t parts = scope.range ? scope.range->second - scope.range->first : 1;
    const std::int64_t threads = scope.unit * parts;
    if (scope.unit == kWarpThreads && parts == 1) slots.insert_or_assign("warpid", kWarpSlot);
    if (threads != 1) return;
    slots.insert_or_assign("tx", kThreadSlot);
    slots.insert_or_assign("laneid", kLaneSlot);
    slots.insert_or_assign("warpid", kWarpSlot);
  }

  Result<Node> make_node(const Unchecked& node) const {
    return refuse(diagnose("kernel.unchecked",
                           "the text of {} has no meaning that can be computed "
                           "here",
                           node.target)
                      .with_hint("run the kernel on " + node.target));
  }

  Code& code_;
  Launch launch_;
  Surroundings surroundings_;
  /// What the statement writes and others see.
  Storage* target_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Code>> make_code(const Kernel& kernel, const Sizes& sizes) {
  auto code = std::make_unique<Code>();
  HEDDLE_CHECK(CodeMaker(*code).make(kernel, sizes));
  return code;
}

}  // namespace heddle::kernel::meaning

#include "kernel/pipeline.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/overloaded.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/operators.h"
#include "kernel/placed.h"

namespace heddle::kernel {

namespace {

Refusal refuse_pipeline(Span span, std::string_view reason, std::string hint) {
  return refuse_at(span, Diagnostic("kernel.pipeline", reason).with_hint(std::move(hint)));
}

/// The tensors that the statements of a block write.
std::set<std::string> written_in(const Block& block) {
  std::set<std::string> written;
  for_each_statement(block, [&](const Statement& statement) {
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      written.insert(assign->destination.tensor);
    }
    const auto* call = std::get_if<Call>(&statement.node);
    if (call == nullptr) return;
    const OperatorRule& rule = *find_operator(call->operation);
    for (std::size_t i = 0; i != call->operands.size(); ++i) {
      if (rule.operands[i].role == Role::kReads) continue;
      written.insert(std::get<View>(call->operands[i].node).tensor);
    }
  });
  return written;
}

/// `stage`; 0 in a pipeline that has no iteration, as its counter is.
Int stage_of(const Pipeline& pipeline) {
  const Int counter = index_variable(pipeline.counter, pipeline.extent);
  return counter.is_defined() ? mod(counter, pipeline.stages) : Int(0);
}

class PipelineCheck {
 public:
  PipelineCheck(const Kernel& kernel, const Pipeline& pipeline)
      : pipeline_(pipeline), stage_(stage_of(pipeline)), written_(written_in(kernel.body)) {
    for_each_statement(kernel.body, [&](const Statement& statement) {
      const auto* declared = std::get_if<Declaration>(&statement.node);
      if (declared != nullptr && declared->tensor.space == Space::kShared) {
        shared_.emplace(declared->tensor.name, &declared->tensor);
      }
    });
  }

  Result<void> run() {
    HEDDLE_CHECK(check_load(pipeline_.load));
    HEDDLE_CHECK(check_stages(pipeline_.load));
    return check_stages(pipeline_.compute);
  }

 private:
  Result<void> check_load(const Block& block) {
    for (const Statement& statement : block) {
      auto checked = std::visit(
          Overloaded{[&](const Call& node) { return check_copy(node, statement.span); },
                     [&](const Let& node) { return check_source(node.value, statement.span); },
                     [&](const For& node) { return check_load(node.body); },
                     [&](const If& node) -> Result<void> {
                       HEDDLE_CHECK(check_load(node.then));
                       return check_load(node.otherwise);
                     },
                     [&](const auto& /*node*/) -> Result<void> {
                       return refuse_pipeline(statement.span,
                                              fmt::format("`load` does {}, which may not run early",
                                                          to_string(statement)),
                                              "`load` has copies; do the rest in `compute`");
                     }},
          statement.node);
      if (!checked) return checked;
    }
    return {};
  }

  Result<void> check_copy(const Call& node, Span span) {
    if (node.operation != "copy") {
      return refuse_pipeline(
          span, fmt::format("`load` does {}, which may not run early", to_string(Statement{node})),
          "`load` has copies; do the rest in `compute`");
    }
    const View& destination = std::get<View>(node.operands[0].node);
    const auto tensor = shared_.find(destination.tensor);
    const bool has_stages = tensor != shared_.end() && !tensor->second->shape.empty() &&
                            known_equal(tensor->second->shape.front(), pipeline_.stages);
    if (!has_stages) {
      return refuse_pipeline(
          span,
          fmt::format("`load` writes {}, which is not a shared tensor of {} stages",
                      to_string(destination), pipeline_.stages),
          fmt::format("declare it with a stage for each iteration: shared T: f16[{},64,32]",
                      pipeline_.stages));
    }
    staged_.insert(destination.tensor);
    return check_source(std::get<View>(node.operands[1].node), span);
  }

  Result<void> check_source(const View& source, Span span) const {
    if (!written_.contains(source.tensor)) return {};
    return refuse_pipeline(
        span,
        fmt::format("`load` reads {}, which the kernel writes, and `load` may run before that",
                    to_string(source)),
        "copy it in `compute`, or in a kernel of its own");
  }

  /// Every view of what is loaded is one of its stage.
  [[nodiscard]] Result<void> check_stages(const Block& block) const {
    Result<void> checked;
    for_each_statement(block, [&](const Statement& statement) {
      for_each_view(statement, [&](const View& view) {
        if (!checked || !staged_.contains(view.tensor) || is_of_stage(view)) return;
        checked = refuse_pipeline(
            statement.span,
            fmt::format("{} is not of the stage of this iteration", to_string(view)),
            fmt::format("write {}[stage]", view.tensor));
      });
    });
    return checked;
  }

  [[nodiscard]] bool is_of_stage(const View& view) const {
    std::span<const View::Step> steps = view.steps;
    // The bits of elements are read along the last dimension.
    const bool is_recast = !steps.empty() && std::holds_alternative<Recast>(steps.front());
    if (is_recast && shared_.at(view.tensor)->shape.size() > 1) steps = steps.subspan(1);
    const auto* sliced = steps.empty() ? nullptr : std::get_if<Sliced>(&steps.front());
    if (sliced == nullptr || sliced->subscripts.empty()) return false;
    const Subscript& first = sliced->subscripts.front();
    return first.kind == Subscript::Kind::kIndex && known_equal(first.begin, stage_);
  }

  const Pipeline& pipeline_;
  Int stage_;
  std::set<std::string> written_;
  std::map<std::string, const Tensor*> shared_;
  std::set<std::string> staged_;
};

}  // namespace

Result<void> check_pipeline(const Kernel& kernel, const Pipeline& pipeline) {
  return PipelineCheck(kernel, pipeline).run();
}

}  // namespace heddle::kernel

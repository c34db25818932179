// Operations on kernels: what `heddle kernel` does without arrays, of texts.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/kernel/devices.h"
#include "heddle/kernel/launcher.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"
#include "notation/operations/binding.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

/// A kernel of a text, as the threads of a target do it.
struct LoweredText {
  kernel::Target target = kernel::Target::kCuda;
  kernel::Kernel kernel;
  /// One of the two: the second one if the kernel is launched over devices.
  std::optional<kernel::ThreadProgram> program;
  std::optional<kernel::DevicesProgram> over_devices;
};

Result<LoweredText> lowered_text(const CallContext& context, const std::string& text,
                                 const std::optional<std::string>& name, const std::string& target,
                                 bool is_explained) {
  LoweredText lowered;
  HEDDLE_TRY(const kernel::TargetMachine destination, kernel::parse_target(target));
  lowered.target = destination.target;
  HEDDLE_TRY(const Environment environment, environment_of(context));
  HEDDLE_TRY(lowered.kernel, parse_kernel(text, name.value_or(""), environment));
  if (lowered.kernel.launch.devices != 0 && destination.target == kernel::Target::kCpu) {
    HEDDLE_TRY(lowered.over_devices,
               lower_over_devices(lowered.kernel, {}, kernel::options_for(destination)));
    return lowered;
  }
  HEDDLE_TRY(lowered.program, is_explained
                                  ? lower_beside_family(lowered.kernel, destination)
                                  : lower(lowered.kernel, kernel::options_for(destination)));
  return lowered;
}

/// Without the ends of its last lines.
Result<std::string> without_end(Result<std::string> text) {
  if (text) text->erase(text->find_last_not_of('\n') + 1);
  return text;
}

Datum datum_of(const kernel::Tensor& tensor) {
  Datum::List shape;
  for (const Int& extent : tensor.shape) shape.emplace_back(to_string(extent));
  Datum::Fields fields = {{"name", tensor.name},
                          {"space", std::string(name_of(tensor.space))},
                          {"type", std::string(name_of(tensor.type))},
                          {"shape", std::move(shape)}};
  if (tensor.layout) fields.emplace_back("layout", to_datum(*tensor.layout));
  return fields;
}

/// The parameters and what the body declares; those with a layout have the one that is written.
Datum tensors_of(const kernel::Kernel& kernel) {
  Datum::List tensors;
  for (const kernel::Tensor& parameter : kernel.parameters) tensors.push_back(datum_of(parameter));
  kernel::for_each_statement(kernel.body, [&](const kernel::Statement& statement) {
    const auto* declared = std::get_if<kernel::Declaration>(&statement.node);
    if (declared != nullptr) tensors.push_back(datum_of(declared->tensor));
  });
  return tensors;
}

Datum choices_of(const kernel::ThreadProgram& program) {
  Datum::List choices;
  for (const kernel::Choice& choice : program.choices) {
    Datum::List candidates;
    for (const kernel::Candidate& each : choice.candidates) {
      Datum::Fields fields = {{"schedule", each.schedule}, {"taken", each.reason.empty()}};
      if (!each.reason.empty()) fields.emplace_back("reason", each.reason);
      if (each.cost) fields.emplace_back("cost", *each.cost);
      candidates.emplace_back(std::move(fields));
    }
    Datum::List notes;
    for (const kernel::Choice::Note& note : choice.notes) {
      notes.emplace_back(Datum::Fields{{"about", note.about}, {"text", note.text}});
    }
    choices.emplace_back(Datum::Fields{{"statement", choice.statement},
                                       {"candidates", std::move(candidates)},
                                       {"notes", std::move(notes)}});
  }
  return choices;
}

Report report_of_choices(const LoweredText& lowered) {
  const kernel::ThreadProgram& program = *lowered.program;
  return {*without_end(explanation(program)), Datum::Fields{{"kernel", program.name},
                                                            {"threads", program.launch.threads},
                                                            {"shared_bytes", program.shared_bytes},
                                                            {"tensors", tensors_of(lowered.kernel)},
                                                            {"choices", choices_of(program)}}};
}

/// What devices exchange: the bytes that are moved, and that have to be.
Datum datum_of(const kernel::ExchangeStep& exchange) {
  Datum::List steps;
  for (const distribute::Step& step : exchange.plan.steps()) {
    steps.emplace_back(std::string(distribute::name(step.collective)));
  }
  const distribute::Plan& plan = exchange.plan;
  Datum::Fields fields = {{"statement", exchange.text},
                          {"steps", std::move(steps)},
                          {"bytes", distribute::traffic(plan).total}};
  const auto least = distribute::lower_bound(plan.from(), plan.to(), plan.element_bits());
  if (least) fields.emplace_back("at_least", least->total);
  fields.emplace_back("overlapped", !exchange.order.empty());
  return fields;
}

Report report_of_devices(const LoweredText& lowered) {
  const kernel::DevicesProgram& program = *lowered.over_devices;
  Datum::List steps;
  for (const auto& step : program.steps) {
    if (const auto* exchange = std::get_if<kernel::ExchangeStep>(&step)) {
      steps.push_back(datum_of(*exchange));
      continue;
    }
    const kernel::ThreadProgram& local = std::get<kernel::LocalStep>(step).program;
    steps.emplace_back(Datum::Fields{{"kernel", local.name}, {"choices", choices_of(local)}});
  }
  return {*without_end(explanation(program)),
          Datum::Fields{{"kernel", program.kernel.name},
                        {"devices", program.kernel.launch.devices},
                        {"tensors", tensors_of(lowered.kernel)},
                        {"statements", std::move(steps)}}};
}

}  // namespace

void add_kernel_operations(std::vector<Operation>& table) {
  const Rows add = {table, "kernels"};
  add({.call = "kernel_source(text, name, target=cuda, emit=source)",
       .summary = "A kernel of a text, by its name if there are several, as source in 'cuda', "
                  "'opencl' or 'cpu'; with emit='header' as a header that launches it from C and "
                  "C++. What is refused has its place in the text.",
       .example = {"kernel_source('kernel f(X: f32[N]) launch cta N, threads 1 { X[bx] = 2 }', "
                   "target='cuda')",
                   "// f, written by heddle for CUDA C++.\n"
                   "\n"
                   "extern \"C\" __global__ void __launch_bounds__(1)\n"
                   "f(float* __restrict__ X, int N) {\n"
                   "  const int bx = blockIdx.x;\n"
                   "  // X[bx] = 2\n"
                   "  X[bx] = 2.0f;\n"
                   "}"}},
      [](const CallContext& context, const std::string& text,
         const std::optional<std::string>& name, const std::string& target,
         const std::string& emit) -> Result<std::string> {
        HEDDLE_TRY(const LoweredText lowered, lowered_text(context, text, name, target, false));
        const auto& devices = lowered.over_devices;
        if (emit == "header") {
          return without_end(devices ? to_header(*devices)
                                     : to_header(*lowered.program, lowered.target));
        }
        if (emit == "source") {
          return without_end(devices ? to_source(*devices)
                                     : to_source(*lowered.program, lowered.target));
        }
        return refuse(
            Diagnostic("emit.target", fmt::format("emit={} is not supported", quote(emit)))
                .with_hint("emit='source' or emit='header'"));
      });
  add({.call = "kernel_explain(text, name, target=cuda)",
       .summary = "How each operator of a kernel is lowered on 'cuda', 'opencl' or 'cpu', what it "
                  "costs, and why other schedules are not taken.",
       .example = {"kernel_explain('kernel f(X: f32[N]) launch cta N, threads 1 { X[bx] = 2 }')",
                   "f: 1 threads a block, 0 bytes of shared memory\n"
                   "\n"
                   "X[bx] = 2\n"
                   "  taken      element   cost 1\n"
                   "  not taken  vector of 128 bits: the shapes are not the same\n"
                   "  not taken  vector of 64 bits: the shapes are not the same"}},
      [](const CallContext& context, const std::string& text,
         const std::optional<std::string>& name, const std::string& target) -> Result<Report> {
        HEDDLE_TRY(const LoweredText lowered, lowered_text(context, text, name, target, true));
        return lowered.over_devices ? report_of_devices(lowered) : report_of_choices(lowered);
      });
}

}  // namespace heddle::notation

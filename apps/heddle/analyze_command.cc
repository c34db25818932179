// heddle banks, swizzle and coalescing: what accesses to memory cost, as text, data and picture.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/draw/banks.h"
#include "heddle/draw/formats.h"
#include "heddle/drawing.h"
#include "heddle/notation/analyses.h"
#include "heddle/numbers_option.h"
#include "heddle/operation_call.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;
using Expressions = std::vector<std::string>;

// Options.

Result<int> width_of(const std::optional<std::int64_t>& bits, std::string_view option) {
  if (!bits) {
    return refuse(Diagnostic("usage.option", fmt::format("{} is needed: how many bits an element "
                                                         "has",
                                                         option))
                      .with_hint(fmt::format("{} 16 for f16 and bf16", option)));
  }
  if (*bits < 0 || *bits > (1 << 20))
    return refuse("usage.option",
                  fmt::format("{} is {}; a number of bits is needed", option, *bits));
  return static_cast<int>(*bits);
}

/// The sizes of `128,64` or `128x64`; none of an empty text.
Result<linear::Sizes> shape_of(const std::string& text) {
  constexpr NumbersOption kTensorShape = {"--shape", 1, 64, "sizes are needed, as 128,64"};
  if (text.empty()) return linear::Sizes();
  return numbers_of(kTensorShape, text);
}

/// What the elements of the tensor are.
struct Elements {
  int bits = 0;
  /// Empty where nothing says it.
  linear::Sizes shape;
};

/// As the options say, else as the types among the expressions state.
Result<Elements> elements_of(const Expressions& expressions, const AnalyzeOptions& options) {
  Elements elements;
  HEDDLE_TRY(const notation::StatedElements stated, notation::stated_elements(expressions));
  const std::optional<std::int64_t> bits = stated.bits;
  HEDDLE_TRY(elements.bits, width_of(options.bits ? options.bits : bits, "--bits"));
  HEDDLE_TRY(elements.shape, shape_of(options.shape));
  if (elements.shape.empty()) elements.shape = stated.shape;
  return elements;
}

/// Values, what options say of their elements, and the texts of the values, which may be types.
struct Accesses {
  std::vector<Value> values;
  Elements elements;
  Expressions texts;
};

Result<void> check_count(const Expressions& expressions, std::size_t least, std::size_t most,
                         std::string_view needed, std::string_view example) {
  if (expressions.size() >= least && expressions.size() <= most) return {};
  return refuse(Diagnostic("usage.expression",
                           fmt::format("{}; there {} {}", needed,
                                       expressions.size() == 1 ? "is" : "are", expressions.size()))
                    .with_hint(std::string(example)));
}

/// Evaluates the expressions, and prints what `body` makes of the values and their elements, or why
/// it does not.
template <class Body>
ExitCode with_values(const Console& console, const Expressions& expressions,
                     const AnalyzeOptions& options, const Environment& environment, Body body) {
  Accesses accesses;
  for (const std::string& expression : expressions) {
    auto value = notation::evaluate(expression, environment);
    if (!value) return console.fail(value.error(), {expression, ""});
    accesses.values.push_back(*std::move(value));
  }
  auto elements = elements_of(expressions, options);
  if (!elements) return console.fail(elements.error());
  accesses.elements = *std::move(elements);
  accesses.texts = expressions;
  const Result<ExitCode> done = body(accesses);
  return done ? *done : console.fail(done.error());
}

/// Calls an analysis, which is told what the texts state that are types.
Result<Value> call_on(const Accesses& accesses, std::string_view name, Arguments arguments,
                      const Environment& environment) {
  std::vector<notation::Argument> list = std::move(arguments).list();
  const notation::Operation& operation = *notation::find_operation(name, list);
  HEDDLE_CHECK(notation::add_stated_elements(operation, accesses.texts, list));
  return notation::call_in(environment, operation, std::move(list));
}

void add_shape(Arguments& arguments, const Elements& elements) {
  if (elements.shape.empty()) return;
  const std::vector<Int> extents(elements.shape.begin(), elements.shape.end());
  arguments.add("shape", Value(IntTuple::flat(extents)));
}

// The picture of an instruction.

draw::BankPhase drawn_phase(const analyze::Request& request, const analyze::Phase& phase,
                            std::int64_t bytes) {
  draw::BankPhase drawn;
  drawn.label = fmt::format("lanes {} to {}", phase.first_lane, phase.first_lane + phase.lanes - 1);
  const std::int64_t words = std::max<std::int64_t>(bytes / analyze::kBankBytes, 1);
  for (std::int64_t lane = phase.first_lane; lane < phase.first_lane + phase.lanes; ++lane) {
    const std::int64_t first = request.bytes[static_cast<std::size_t>(lane)] / analyze::kBankBytes;
    for (std::int64_t word = first; word < first + words; ++word)
      drawn.accesses.push_back({lane, word});
  }
  return drawn;
}

/// All phases of the worst instruction, or the worst one of them.
Result<draw::Picture> worst_picture(const analyze::BankReport& report, bool all, bool facts) {
  const analyze::Request& request = report.requests[report.worst()];
  std::vector<analyze::Phase> phases = report.phases(report.worst());
  if (!all) {
    const auto worst = std::ranges::max_element(phases, {}, &analyze::Phase::wavefronts);
    phases = {*worst};
  }
  draw::BankAccess access;
  access.title = fmt::format("warp {}, value{} {}", request.warp,
                             request.values.size() == 1 ? "" : "s", fmt::join(request.values, " "));
  access.banks = analyze::kBanks;
  for (const analyze::Phase& phase : phases)
    access.phases.push_back(drawn_phase(request, phase, report.counts.vector_bits / 8));
  draw::PictureOptions options;
  options.facts = facts;
  return draw::bank_picture(access, options);
}

/// Whether a report says that no bank is asked twice.
bool is_conflict_free(const notation::Report& report) {
  const notation::Datum* wavefronts = report.data.field("wavefronts");
  const notation::Datum* ideal = report.data.field("ideal");
  return wavefronts != nullptr && ideal != nullptr && *wavefronts == *ideal;
}

/// What the picture is of, which the report does not hold.
Result<analyze::BankReport> drawn_report(const Accesses& accesses, const AnalyzeOptions& options) {
  const auto& [values, elements, texts] = accesses;
  HEDDLE_TRY(const int most, width_of(options.max_bits, "--max-bits"));
  const auto shared = values.size() > 1 ? std::optional(values[1]) : std::nullopt;
  HEDDLE_TRY(const analyze::Access access,
             notation::access_of(values[0], shared, elements.bits, elements.shape));
  return analyze::bank_conflicts(access, most);
}

Result<void> show_picture(const Console& console, const notation::Report& report,
                          const Accesses& accesses, const AnalyzeOptions& options) {
  HEDDLE_TRY(const notation::PictureFormat format, format_of(options.output));
  const bool is_file = !options.output.empty();
  const bool wanted = options.all || (!options.no_picture && !is_conflict_free(report));
  if (!is_file && (!wanted || console.json())) return {};
  HEDDLE_TRY(const analyze::BankReport drawn, drawn_report(accesses, options));
  const bool facts = is_file && options_for(format, draw::PictureOptions{}).facts;
  HEDDLE_TRY(const draw::Picture picture, worst_picture(drawn, is_file || options.all, facts));
  if (!is_file) {
    console.print_text(to_terminal(picture, terminal_style(options.color)));
    return {};
  }
  HEDDLE_CHECK(write_picture(options.output, picture));
  if (!console.json()) console.print(Value("wrote " + options.output));
  return {};
}

// The commands.

/// The arguments that every analysis of an access takes; `memory` is what it calls the second.
Arguments access_arguments(const Accesses& accesses, std::string memory) {
  const auto& [values, elements, texts] = accesses;
  Arguments arguments;
  arguments.add(values[0]);
  if (values.size() > 1) arguments.add(std::move(memory), values[1]);
  arguments.add("element_bits", Value(Int(elements.bits)));
  add_shape(arguments, elements);
  return arguments;
}

Result<ExitCode> banks(const Console& console, const Accesses& accesses,
                       const AnalyzeOptions& options, const Environment& environment) {
  HEDDLE_TRY(const int most, width_of(options.max_bits, "--max-bits"));
  Arguments arguments = access_arguments(accesses, "shared");
  arguments.add("max_bits", Value(Int(most)));
  HEDDLE_TRY(const Value report,
             call_on(accesses, "bank_conflicts", std::move(arguments), environment));
  const ExitCode code = answer(console, report);
  HEDDLE_CHECK(show_picture(console, report.get<notation::Report>(), accesses, options));
  return code;
}

Result<ExitCode> coalescing(const Console& console, const Accesses& accesses,
                            const AnalyzeOptions& options, const Environment& environment) {
  HEDDLE_TRY(const int most, width_of(options.max_bits, "--max-bits"));
  Arguments arguments = access_arguments(accesses, "memory");
  arguments.add("max_bits", Value(Int(most))).add("alignment", Value(Int(options.alignment)));
  HEDDLE_TRY(const Value report,
             call_on(accesses, "coalescing", std::move(arguments), environment));
  return answer(console, report);
}

/// An encoding is a layout of the tensor's shape.
Result<Value> with_shape(const Value& access, const Elements& elements,
                         const Environment& environment) {
  if (!access.is<linear::Encoding>() || elements.shape.empty()) return access;
  Arguments arguments;
  arguments.add(access).add("shape", Value(notation::list_of(elements.shape)));
  return notation::call_in(environment, "to_linear", std::move(arguments).list());
}

/// Of two register layouts the buffer between them, of a layout and accesses to it the best
/// swizzle.
Result<ExitCode> swizzle(const Console& console, const Accesses& accesses,
                         const Environment& environment) {
  const auto& [values, elements, texts] = accesses;
  Arguments arguments;
  arguments.add(values[0]);
  if (notation::is_register_layout(values[0], elements.shape)) {
    arguments.add(values[1]).add("element_bits", Value(Int(elements.bits)));
    add_shape(arguments, elements);
    return answer(console, call_on(accesses, "swizzle_costs", std::move(arguments), environment));
  }
  arguments.add(Value(Int(elements.bits)));
  for (std::size_t i = 1; i < values.size(); ++i) {
    HEDDLE_TRY(Value access, with_shape(values[i], elements, environment));
    arguments.add(std::move(access));
  }
  return answer(console, call_on(accesses, "swizzle_search", std::move(arguments), environment));
}

}  // namespace

ExitCode print_banks(const Console& console, const std::vector<std::string>& expressions,
                     const AnalyzeOptions& options, const Environment& environment) {
  const auto counted = check_count(expressions, 1, 2, "banks needs an access and a shared layout",
                                   "heddle banks '(32,8):(1,64)' '(64,64):(64,1)' --bits 16");
  if (!counted) return console.fail(counted.error());
  return with_values(console, expressions, options, environment, [&](const Accesses& accesses) {
    return banks(console, accesses, options, environment);
  });
}

ExitCode print_coalescing(const Console& console, const std::vector<std::string>& expressions,
                          const AnalyzeOptions& options, const Environment& environment) {
  const auto counted =
      check_count(expressions, 1, 2, "coalescing needs an access and a layout of global memory",
                  "heddle coalescing '(32,4):(4,1)' '(128,64):(64,1)' --bits 16");
  if (!counted) return console.fail(counted.error());
  return with_values(console, expressions, options, environment, [&](const Accesses& accesses) {
    return coalescing(console, accesses, options, environment);
  });
}

ExitCode print_swizzle(const Console& console, const std::vector<std::string>& expressions,
                       const AnalyzeOptions& options, const Environment& environment) {
  constexpr std::size_t kMostAccesses = 16;
  const auto counted =
      check_count(expressions, 2, kMostAccesses,
                  "swizzle needs a layout and the accesses to it, or two register layouts",
                  "heddle swizzle '(64,64):(64,1)' '(32,8):(1,64)' --bits 16");
  if (!counted) return console.fail(counted.error());
  return with_values(console, expressions, options, environment, [&](const Accesses& accesses) {
    return swizzle(console, accesses, environment);
  });
}

}  // namespace heddle::app

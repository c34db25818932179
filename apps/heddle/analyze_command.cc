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
#include "heddle/draw/text.h"
#include "heddle/drawing.h"
#include "heddle/notation/analyses.h"
#include "heddle/notation/triton.h"
#include "heddle/numbers_option.h"

namespace heddle::app {
namespace {

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
  constexpr NumbersOption kShape = {"--shape", 1, 64, "sizes are needed, as 128,64"};
  if (text.empty()) return linear::Sizes();
  return numbers_of(kShape, text);
}

/// What the elements of the tensor are.
struct Elements {
  int bits = 0;
  /// Empty where nothing says it.
  linear::Sizes shape;
};

/// The width that the types among the expressions state; elements of less than a byte take one.
Result<std::optional<std::int64_t>> stated_bits(const Expressions& expressions) {
  constexpr int kByte = 8;
  std::optional<std::int64_t> stated;
  for (const std::string& expression : expressions) {
    const auto type = notation::stated_type(expression);
    const auto width = type ? notation::element_bit_width(type->element_type) : std::nullopt;
    if (!width) continue;
    const std::int64_t bits = std::max(*width, kByte);
    if (stated && *stated != bits) {
      return refuse("usage.option",
                    fmt::format("the types have elements of {} and of {} bits", *stated, bits));
    }
    stated = bits;
  }
  return stated;
}

/// The shape of the first tensor among the expressions.
linear::Sizes stated_shape(const Expressions& expressions) {
  for (const std::string& expression : expressions) {
    const auto type = notation::stated_type(expression);
    if (type && !type->is_memdesc) return type->shape;
  }
  return {};
}

/// As the options say and the types among the expressions state, who must agree.
Result<Elements> elements_of(const Expressions& expressions, const AnalyzeOptions& options) {
  Elements elements;
  HEDDLE_TRY(const auto stated, stated_bits(expressions));
  HEDDLE_TRY(elements.bits, width_of(options.bits ? options.bits : stated, "--bits"));
  if (stated && *stated != elements.bits) {
    return refuse("usage.option", fmt::format("--bits is {}; the type has elements of {} bits",
                                              elements.bits, *stated));
  }
  HEDDLE_TRY(elements.shape, shape_of(options.shape));
  const linear::Sizes shape = stated_shape(expressions);
  if (elements.shape.empty()) elements.shape = shape;
  if (shape.empty() || shape == elements.shape) return elements;
  return refuse("usage.option", fmt::format("--shape is {}; the tensor has the shape {}",
                                            options.shape, fmt::join(shape, ",")));
}

Result<void> check_count(const Expressions& expressions, std::size_t least, std::size_t most,
                         std::string_view needed, std::string_view example) {
  if (expressions.size() >= least && expressions.size() <= most) return {};
  return refuse(Diagnostic("usage.expression",
                           fmt::format("{}; there {} {}", needed,
                                       expressions.size() == 1 ? "is" : "are", expressions.size()))
                    .with_hint(std::string(example)));
}

/// What went wrong, and the expression that it has a place in.
struct Failure {
  Diagnostic diagnostic;
  std::string source;
};
template <class T>
using Outcome = tl::expected<T, Failure>;

Outcome<std::vector<Value>> evaluated(const Expressions& expressions,
                                      const notation::Environment& environment) {
  std::vector<Value> values;
  for (const std::string& expression : expressions) {
    auto value = notation::evaluate(expression, environment);
    if (!value) return tl::unexpected(Failure{std::move(value).error(), expression});
    values.push_back(*std::move(value));
  }
  return values;
}

/// Evaluates the expressions, and prints what `body` makes of the values and their elements, or why
/// it does not.
template <class Body>
ExitCode with_values(const Console& console, const Expressions& expressions,
                     const AnalyzeOptions& options, const notation::Environment& environment,
                     Body body) {
  const auto values = evaluated(expressions, environment);
  if (!values) return console.fail(values.error().diagnostic, {values.error().source, ""});
  const auto elements = elements_of(expressions, options);
  if (!elements) return console.fail(elements.error());
  const Result<ExitCode> done = body(*values, *elements);
  return done ? *done : console.fail(done.error());
}

std::optional<Value> second_of(const std::vector<Value>& values) {
  return values.size() > 1 ? std::optional(values[1]) : std::nullopt;
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
  draw::BankOptions options;
  options.facts = facts;
  return draw::bank_picture(access, options);
}

Result<ExitCode> show_picture(const Console& console, const analyze::BankReport& report,
                              const AnalyzeOptions& options) {
  HEDDLE_TRY(const PictureFormat format, format_of(options.output));
  if (!options.output.empty()) {
    const bool facts = options_for(format, draw::PictureOptions{}).facts;
    HEDDLE_TRY(const draw::Picture picture, worst_picture(report, true, facts));
    HEDDLE_CHECK(write_picture(options.output, picture));
    if (!console.json()) console.print(Value("wrote " + options.output));
    return ExitCode::kDone;
  }
  const bool wanted = options.all || (!options.no_picture && !report.counts.is_conflict_free());
  if (!wanted || console.json()) return ExitCode::kDone;
  HEDDLE_TRY(const draw::Picture picture, worst_picture(report, options.all, false));
  console.print_text(to_terminal(picture, terminal_style(options.color)));
  return ExitCode::kDone;
}

// The commands.

Result<ExitCode> banks(const Console& console, const std::vector<Value>& values,
                       const Elements& elements, const AnalyzeOptions& options) {
  HEDDLE_TRY(const int most, width_of(options.max_bits, "--max-bits"));
  HEDDLE_TRY(const analyze::Access access,
             notation::access_of(values[0], second_of(values), elements.bits, elements.shape));
  HEDDLE_TRY(const analyze::BankReport report, analyze::bank_conflicts(access, most));
  console.print(Value(notation::report_of(report)));
  return show_picture(console, report, options);
}

Result<ExitCode> coalescing(const Console& console, const std::vector<Value>& values,
                            const Elements& elements, const AnalyzeOptions& options) {
  HEDDLE_TRY(const int most, width_of(options.max_bits, "--max-bits"));
  HEDDLE_TRY(const analyze::Access access,
             notation::access_of(values[0], second_of(values), elements.bits, elements.shape));
  HEDDLE_TRY(const analyze::CoalescingReport report,
             analyze::coalescing(access, most, options.alignment));
  console.print(Value(notation::report_of(report)));
  return ExitCode::kDone;
}

/// Of two register layouts the buffer between them.
Result<notation::Report> buffer_report(const std::vector<Value>& values, const Elements& elements) {
  HEDDLE_TRY(const linear::LinearLayout src,
             notation::register_layout_of(values[0], elements.shape));
  HEDDLE_TRY(const linear::LinearLayout dst,
             notation::register_layout_of(values[1], elements.shape));
  HEDDLE_TRY(const analyze::SwizzledBuffer buffer,
             analyze::optimal_swizzle(src, dst, elements.bits));
  return notation::report_of(buffer);
}

/// Of a layout and accesses to it the best swizzle.
Result<notation::Report> search_report(const std::vector<Value>& values, const Elements& elements) {
  HEDDLE_TRY(const cute::AnyLayout layout, layout_of(values[0]));
  const auto* plain = std::get_if<cute::Layout>(&layout);
  if (plain == nullptr) {
    return refuse(
        Diagnostic("call.type", fmt::format("{} has a swizzle; the search is for a plain layout",
                                            cute::to_string(layout)))
            .with_hint(fmt::format("heddle swizzle '{}' …",
                                   cute::to_string(cute::get_nonswizzle_portion(layout)))));
  }
  std::vector<form::IndexMap> accesses;
  for (std::size_t i = 1; i < values.size(); ++i) {
    HEDDLE_TRY(form::IndexMap access, notation::thread_value_map_of(values[i], elements.shape));
    accesses.push_back(std::move(access));
  }
  HEDDLE_TRY(const analyze::SwizzleSearch search,
             analyze::find_swizzle(*plain, accesses, elements.bits));
  return notation::report_of(search);
}

Result<ExitCode> swizzle(const Console& console, const std::vector<Value>& values,
                         const Elements& elements) {
  const bool has_registers = notation::is_register_layout(values[0]);
  HEDDLE_TRY(notation::Report report,
             has_registers ? buffer_report(values, elements) : search_report(values, elements));
  console.print(Value(std::move(report)));
  return ExitCode::kDone;
}

}  // namespace

ExitCode print_banks(const Console& console, const std::vector<std::string>& expressions,
                     const AnalyzeOptions& options, const notation::Environment& environment) {
  const auto counted = check_count(expressions, 1, 2, "banks needs an access and a shared layout",
                                   "heddle banks '(32,8):(1,64)' '(64,64):(64,1)' --bits 16");
  if (!counted) return console.fail(counted.error());
  return with_values(console, expressions, options, environment,
                     [&](const auto& values, const Elements& elements) {
                       return banks(console, values, elements, options);
                     });
}

ExitCode print_coalescing(const Console& console, const std::vector<std::string>& expressions,
                          const AnalyzeOptions& options, const notation::Environment& environment) {
  const auto counted =
      check_count(expressions, 1, 2, "coalescing needs an access and a layout of global memory",
                  "heddle coalescing '(32,4):(4,1)' '(128,64):(64,1)' --bits 16");
  if (!counted) return console.fail(counted.error());
  return with_values(console, expressions, options, environment,
                     [&](const auto& values, const Elements& elements) {
                       return coalescing(console, values, elements, options);
                     });
}

ExitCode print_swizzle(const Console& console, const std::vector<std::string>& expressions,
                       const AnalyzeOptions& options, const notation::Environment& environment) {
  constexpr std::size_t kMostAccesses = 16;
  const auto counted =
      check_count(expressions, 2, kMostAccesses,
                  "swizzle needs a layout and the accesses to it, or two register layouts",
                  "heddle swizzle '(64,64):(64,1)' '(32,8):(1,64)' --bits 16");
  if (!counted) return console.fail(counted.error());
  return with_values(console, expressions, options, environment,
                     [&](const auto& values, const Elements& elements) {
                       return swizzle(console, values, elements);
                     });
}

}  // namespace heddle::app

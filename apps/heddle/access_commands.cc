// heddle banks, swizzle and coalescing: what accesses to memory cost, as text, data and picture.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/draw/banks.h"
#include "heddle/draw/formats.h"
#include "heddle/drawing.h"
#include "heddle/notation/analyses.h"

namespace heddle::app {
namespace {

using notation::Environment;
using notation::Value;

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

/// The widest access of a lane, in bits.
Result<int> widest_of(const Said& said) {
  return width_of(said.number("--max-bits").value_or(analyze::kMaxAccessBits), "--max-bits");
}

/// The bits of the tensor's elements, and its shape.
struct Elements {
  int bits = 0;
  /// Empty if not stated.
  linear::Sizes shape;
};

/// From the options, otherwise from the types among the expressions.
Result<Elements> elements_of(const Call& call) {
  constexpr NumbersOption kTensorShape = {"--shape", 1, 64, "sizes are needed, as 128,64"};
  Elements elements;
  HEDDLE_TRY(const notation::StatedElements stated, notation::stated_elements(call.expressions));
  const std::optional<std::int64_t> bits = call.said.number("--bits");
  HEDDLE_TRY(elements.bits,
             width_of(bits ? bits : std::optional<std::int64_t>(stated.bits), "--bits"));
  HEDDLE_TRY(elements.shape, numbers_of(kTensorShape, call.said));
  if (elements.shape.empty()) elements.shape = stated.shape;
  return elements;
}

/// The values of the expressions, and what is known of their elements.
struct Accesses {
  std::vector<Value> values;
  Elements elements;
};

/// How many expressions a command takes.
struct Needed {
  std::size_t least;
  std::size_t most;
  std::string_view text;
  std::string_view example;
};

/// Calls `body` with the values of the expressions and their elements.
template <class Body>
Outcome with_values(const Call& call, const Needed& needed, Body body) {
  const std::size_t count = call.expressions.size();
  if (count < needed.least || count > needed.most) {
    return refuse(Diagnostic("usage.expression", fmt::format("{}; there {} {}", needed.text,
                                                             count == 1 ? "is" : "are", count))
                      .with_hint(std::string(needed.example)));
  }
  Accesses accesses;
  for (const std::string& expression : call.expressions) {
    HEDDLE_TRY(Value value, in({expression, ""}, notation::evaluate(expression, call.environment)));
    accesses.values.push_back(std::move(value));
  }
  HEDDLE_TRY(accesses.elements, elements_of(call));
  return body(accesses);
}

/// Calls an analysis, with the element width and shape that types among the texts state.
Result<Value> call_on(const Call& call, std::string_view name, Arguments arguments) {
  std::vector<notation::Argument> list = std::move(arguments).list();
  const notation::Operation& operation = *notation::find_operation(name, list);
  HEDDLE_CHECK(notation::add_stated_elements(operation, call.expressions, list));
  return notation::call_in(call.environment, operation, std::move(list));
}

void add_shape(Arguments& arguments, const Elements& elements) {
  if (elements.shape.empty()) return;
  const std::vector<Int> extents(elements.shape.begin(), elements.shape.end());
  arguments.add("shape", Value(IntTuple::flat(extents)));
}

// The picture of an instruction.

/// Whether a report has no bank conflicts.
bool is_conflict_free(const notation::Report& report) {
  const notation::Datum* wavefronts = report.data.field("wavefronts");
  const notation::Datum* ideal = report.data.field("ideal");
  return wavefronts != nullptr && ideal != nullptr && *wavefronts == *ideal;
}

/// The machine whose shared memory is accessed; NVIDIA's by default.
Result<analyze::Serving> serving_of(const Said& said) {
  const std::string& machine = said.text("--machine");
  return machine.empty() ? analyze::Serving() : analyze::serving(machine);
}

analyze::Direction direction_of(const Said& said) {
  return said.flag("--write") ? analyze::Direction::kWrite : analyze::Direction::kRead;
}

/// The data for the picture, which the report does not hold.
Result<analyze::BankReport> drawn_report(const Accesses& accesses, const Said& said) {
  const auto& [values, elements] = accesses;
  HEDDLE_TRY(const int most, widest_of(said));
  const auto shared = values.size() > 1 ? std::optional(values[1]) : std::nullopt;
  HEDDLE_TRY(const analyze::Serving serving, serving_of(said));
  HEDDLE_TRY(const Value side, notation::accessing_side(values[0], direction_of(said)));
  HEDDLE_TRY(
      const analyze::Access access,
      notation::access_of(side, shared, elements.bits, elements.shape, serving.warp_lanes()));
  return analyze::bank_conflicts(access, most, serving, direction_of(said));
}

Result<void> show_picture(const Call& call, const notation::Report& report,
                          const Accesses& accesses, ColorChoice color) {
  const std::string& output = call.said.text("--output");
  HEDDLE_TRY(const notation::PictureFormat format, format_of(output));
  const bool is_file = !output.empty();
  const bool all = call.said.flag("--all");
  const bool wanted = all || (!call.said.flag("--no-picture") && !is_conflict_free(report));
  if (!is_file && (!wanted || call.console.json())) return {};
  HEDDLE_TRY(const analyze::BankReport drawn, drawn_report(accesses, call.said));
  const auto options =
      is_file ? options_for(format, draw::PictureOptions()) : draw::PictureOptions();
  HEDDLE_TRY(const draw::Picture picture, notation::worst_picture(drawn, is_file || all, options));
  if (!is_file) {
    call.console.print_text(to_terminal(picture, terminal_style(color)));
    return {};
  }
  HEDDLE_CHECK(write_picture(output, picture));
  if (!call.console.json()) call.console.print(Value("wrote " + output));
  return {};
}

// The commands.

/// The arguments that every analysis of an access takes; `memory` is the name of the second.
Arguments access_arguments(const Accesses& accesses, std::string memory) {
  const auto& [values, elements] = accesses;
  Arguments arguments;
  arguments.add(values[0]);
  if (values.size() > 1) arguments.add(std::move(memory), values[1]);
  arguments.add("element_bits", Value(Int(elements.bits)));
  add_shape(arguments, elements);
  return arguments;
}

/// Adds the options, and the direction if the accesses write.
void add_served(Arguments& arguments, const Said& said, std::string_view operation) {
  if (said.flag("--write")) arguments.add("direction", Value(std::string("write")));
  arguments.add_options(said, operation);
}

Outcome banks(const Call& call, const Accesses& accesses, ColorChoice color) {
  HEDDLE_TRY(const int most, widest_of(call.said));
  Arguments arguments = access_arguments(accesses, "shared");
  arguments.add("max_bits", Value(Int(most)));
  add_served(arguments, call.said, "bank_conflicts");
  HEDDLE_TRY(const Value report, call_on(call, "bank_conflicts", std::move(arguments)));
  HEDDLE_TRY(const ExitCode code, answer(call.console, report));
  HEDDLE_CHECK(show_picture(call, report.get<notation::Report>(), accesses, color));
  return code;
}

Outcome coalescing(const Call& call, const Accesses& accesses) {
  HEDDLE_TRY(const int most, widest_of(call.said));
  Arguments arguments = access_arguments(accesses, "memory");
  arguments.add("max_bits", Value(Int(most))).add_options(call.said, "coalescing");
  HEDDLE_TRY(const Value report, call_on(call, "coalescing", std::move(arguments)));
  return answer(call.console, report);
}

/// An encoding as its layout on the tensor's shape.
Result<Value> with_shape(const Value& access, const Elements& elements,
                         const Environment& environment) {
  if (!access.is<linear::Encoding>() || elements.shape.empty()) return access;
  Arguments arguments;
  arguments.add(access).add("shape", Value(notation::list_of(elements.shape)));
  return std::move(arguments).call("to_linear", environment);
}

/// For two register layouts, the buffer between them; for a layout and accesses to it, the best
/// swizzle.
Outcome swizzle(const Call& call, const Accesses& accesses) {
  const auto& [values, elements] = accesses;
  Arguments arguments;
  arguments.add(values[0]);
  if (notation::is_register_layout(values[0], elements.shape)) {
    arguments.add(values[1]).add("element_bits", Value(Int(elements.bits)));
    add_shape(arguments, elements);
    arguments.add_options(call.said, "swizzle_costs");
    return answer(call.console, call_on(call, "swizzle_costs", std::move(arguments)));
  }
  arguments.add(Value(Int(elements.bits)));
  add_served(arguments, call.said, "swizzle_search");
  for (std::size_t i = 1; i < values.size(); ++i) {
    HEDDLE_TRY(Value access, with_shape(values[i], elements, call.environment));
    arguments.add(std::move(access));
  }
  return answer(call.console, call_on(call, "swizzle_search", std::move(arguments)));
}

}  // namespace

Outcome banks_command(const Call& call) {
  HEDDLE_TRY(const ColorChoice color, color_of(call.said));
  return with_values(call,
                     {1, 2, "banks needs an access and a shared layout",
                      "heddle banks '(32,8):(1,64)' '(64,64):(64,1)' --bits 16"},
                     [&](const Accesses& accesses) { return banks(call, accesses, color); });
}

Outcome coalescing_command(const Call& call) {
  return with_values(call,
                     {1, 2, "coalescing needs an access and a layout of global memory",
                      "heddle coalescing '(32,4):(4,1)' '(128,64):(64,1)' --bits 16"},
                     [&](const Accesses& accesses) { return coalescing(call, accesses); });
}

Outcome swizzle_command(const Call& call) {
  constexpr std::size_t kMostAccesses = 16;
  return with_values(
      call,
      {2, kMostAccesses, "swizzle needs a layout and the accesses to it, or two register layouts",
       "heddle swizzle '(64,64):(64,1)' '(32,8):(1,64)' --bits 16"},
      [&](const Accesses& accesses) { return swizzle(call, accesses); });
}

}  // namespace heddle::app

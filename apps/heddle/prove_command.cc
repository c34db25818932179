// heddle prove: decides a claim about layouts.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/map/decide.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/lexer.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::Value;

Result<std::optional<map::Method>> method_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto method = map::find_method(text)) return method;
  return refuse("usage.option",
                fmt::format("--method is {}; digits, bits, exhaustive, isl or z3 is needed",
                            notation::quote(text)));
}

/// How the claim is read and decided.
Result<map::DecideOptions> decide_options(const Call& call) {
  map::DecideOptions decide = call.environment.context().decide;
  HEDDLE_TRY(decide.reading, reading_of(call.said));
  HEDDLE_TRY(decide.shape, box_of(call.said));
  HEDDLE_TRY(decide.method, method_of(call.said.text("--method")));
  return decide;
}

/// The verdict of a value that is a claim.
Result<Verdict> verdict_of_claim(const Value& value) {
  if (auto verdict = verdict_of(value)) return *std::move(verdict);
  return refuse(Diagnostic("call.type",
                           fmt::format("prove is given {}; a comparison or another claim is needed",
                                       kind_name(value)))
                    .with_hint("heddle prove 'A == B', 'injective(A)', 'within(A, 0, N)'"));
}

}  // namespace

Outcome prove_command(const Call& call) {
  HEDDLE_TRY(const std::string claim, expression_of(call));
  HEDDLE_TRY(const map::DecideOptions decide, decide_options(call));
  const auto evaluated = [&] {
    const Search search(call.console, "proving");
    notation::Environment limited = call.environment;
    notation::CallContext context = limited.context();
    context.decide = decide;
    limited.set_context(std::move(context));
    return notation::evaluate(claim, search.within(std::move(limited)));
  };
  HEDDLE_TRY(const Value value, in({claim, ""}, evaluated()));
  HEDDLE_TRY(const Verdict verdict, verdict_of_claim(value));
  call.console.print(Value(verdict));
  return exit_code(verdict);
}

}  // namespace heddle::app

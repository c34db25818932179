// heddle prove: a claim about layouts, decided.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

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

/// A claim is what is true or false.
Result<Verdict> verdict_of_claim(const Value& value) {
  if (auto verdict = verdict_of(value)) return *std::move(verdict);
  return refuse(Diagnostic("call.type",
                           fmt::format("prove is given {}; a comparison or another claim is needed",
                                       kind_name(value)))
                    .with_hint("heddle prove 'A == B', 'injective(A)', 'within(A, 0, N)'"));
}

}  // namespace

ExitCode prove_claim(const Console& console, const std::string& claim, const ProveOptions& options,
                     const notation::Environment& environment) {
  const auto method = method_of(options.method);
  if (!method) return console.fail(method.error());
  const auto decide = [&] {
    const Search search(console, "proving");
    notation::Environment limited = search.within(environment);
    notation::CallContext context = limited.context();
    context.decide.method = *method;
    limited.set_context(std::move(context));
    return notation::evaluate(claim, limited);
  };
  const auto value = decide();
  if (!value) return console.fail(value.error(), {claim, ""});
  const auto verdict = verdict_of_claim(*value);
  if (!verdict) return console.fail(verdict.error());
  console.print(Value(*verdict));
  return exit_code(*verdict);
}

}  // namespace heddle::app

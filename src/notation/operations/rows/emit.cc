// Layouts as functions of a program.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/emit/map_function.h"
#include "heddle/emit/print.h"
#include "heddle/expr/variables.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/lexer.h"
#include "notation/operations/binding.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

/// The arguments of a call after the layout, in order.
struct Wanted {
  std::string target;
  std::string name;
  std::optional<IntList> shape;
  std::optional<linear::Names> coordinates;
  bool inverse = false;
  bool openmp = false;
  bool integers = false;
  std::optional<std::string> gpu_module;
};

std::string call_of(std::string_view name) {
  return fmt::format(
      "{}(layout, target=c, name=idx, shape, coordinates, inverse=false, openmp=false, "
      "integers=false, gpu_module)",
      name);
}

struct Emitted {
  emit::TextOptions how;
  emit::MapFunction function;
  std::string text;
  /// What is known of each size, as data.
  Datum::List ranges;
};

/// {"size":"M","least":128,"greatest":null,"divisor":128}
Datum range_datum(const std::string& size, const Bindings& known) {
  const auto found = known.find(size);
  const Range values = found == known.end() ? Range{1, Range::kNoHigh} : range(found->second);
  const auto bound = [](std::int64_t at, std::int64_t none) {
    return at == none ? Datum(nullptr) : Datum(at);
  };
  return Datum::Fields{{"size", size},
                       {"least", bound(values.low, Range::kNoLow)},
                       {"greatest", bound(values.high, Range::kNoHigh)},
                       {"divisor", found == known.end() ? 1 : known_divisor(found->second)}};
}

Result<emit::TextOptions> text_options(const Wanted& wanted) {
  emit::TextOptions how;
  HEDDLE_TRY(how.dialect, program_dialect_named(wanted.target));
  how.name = wanted.name;
  how.openmp = wanted.openmp;
  how.mlir = {wanted.integers, wanted.gpu_module.value_or("")};
  const bool is_mlir = how.dialect == emit::Dialect::kMlir;
  if (is_mlir || (!wanted.integers && !wanted.gpu_module)) return how;
  return refuse(
      Diagnostic("emit.target", fmt::format("integers and gpu_module are of MLIR, not of {}",
                                            emit::title_of(how.dialect)))
          .with_hint("they need the target mlir"));
}

Result<emit::MapFunctionOptions> function_options(const CallContext& context,
                                                  const BoxedLayout& boxed, const Wanted& wanted) {
  emit::MapFunctionOptions options;
  options.coordinates = wanted.coordinates.value_or(linear::Names());
  for (const std::string& name : options.coordinates) {
    if (emit::is_identifier(name)) continue;
    return refuse(
        "call.type",
        fmt::format("the coordinates of a function are names, and {} is not one", quote(name)));
  }
  options.shape = wanted.shape ? wanted.shape : boxed.shape;
  options.assumed = context.assumed;
  options.limits = context.decide.limits;
  return options;
}

Result<Emitted> emitted(const CallContext& context, const BoxedLayout& boxed,
                        const Wanted& wanted) {
  HEDDLE_TRY(emit::TextOptions how, text_options(wanted));
  HEDDLE_TRY(emit::MapFunctionOptions options, function_options(context, boxed, wanted));
  options.target = emit::usual_target(how.dialect);
  HEDDLE_TRY(emit::MapFunction function, emit::map_function(boxed.layout, options));
  if (wanted.inverse && !function.inverse) return refuse(function.inverse.error());
  HEDDLE_TRY(std::string text, emit::to_text(function, how));
  while (text.ends_with('\n')) text.pop_back();
  Datum::List ranges;
  for (const std::string& size : function.sizes) ranges.push_back(range_datum(size, context.sizes));
  return Emitted{std::move(how), std::move(function), std::move(text), std::move(ranges)};
}

Report report_of_emitted(Emitted emitted) {
  Datum::Fields data = {{"target", std::string(emit::name_of(emitted.how.dialect))},
                        {"name", emitted.how.name},
                        {"text", emitted.text + "\n"},
                        {"coordinates", list_of(emitted.function.coordinates)},
                        {"places", list_of(emitted.function.places)},
                        {"sizes", list_of(emitted.function.sizes)},
                        {"ranges", std::move(emitted.ranges)}};
  if (!emitted.function.inverse) {
    data.emplace_back("no_inverse", to_datum(emitted.function.inverse.error()));
  }
  return {std::move(emitted.text), std::move(data)};
}

/// Emits the functions and applies `finish`.
template <class Finish>
auto finished(Finish finish) {
  return [finish](const CallContext& context, const BoxedLayout& boxed, const std::string& target,
                  const std::string& called, const std::optional<IntList>& shape,
                  const std::optional<linear::Names>& coordinates, bool inverse, bool openmp,
                  bool integers, const std::optional<std::string>& gpu_module)
             -> Result<std::invoke_result_t<Finish, Emitted>> {
    HEDDLE_TRY(Emitted done, emitted(context, boxed,
                                     {target, called, shape, coordinates, inverse, openmp, integers,
                                      gpu_module}));
    return finish(std::move(done));
  };
}

}  // namespace

Result<emit::Dialect> program_dialect_named(std::string_view name) {
  const std::optional<emit::Dialect> dialect = emit::find_dialect(name);
  if (dialect && dialect != emit::Dialect::kHeddle) return *dialect;
  const std::string names = emit::names_of(emit::dialects().subspan(1));  // all except `heddle`
  return refuse(
      Diagnostic("emit.target", fmt::format("functions are not written in {}", quote(name)))
          .with_hint("the targets are " + names));
}

void add_emit_operations(std::vector<Operation>& table) {
  const Rows add = {table, "emit"};
  add({.call = call_of("emit"),
       .summary = "The layout as functions of a program: NAME is the map, NAME_inverse leads back, "
                  "NAME_guard says whether coordinates are a point; in 'c', 'cpp', 'cuda', 'hip', "
                  "'opencl', 'triton', 'python', 'mlir' or 'latex'; `shape` says on which box an "
                  "Axe layout is, `coordinates` what they are called. `inverse` refuses a layout "
                  "without one; `openmp` is of C and C++; `integers` and `gpu_module` are of MLIR.",
       .example =
           {"emit((4,8):(8,1), 'latex', 'f')",
            "% f: the map of (4,8):(8,1), a CuTe layout.\n"
            "\\begin{align*}\n"
            "  \\operatorname{f}(i, j) &= 8 i + j\n"
            "\\end{align*}\n"
            "\\begin{align*}\n"
            "  \\operatorname{f}^{-1}(m) &= \\left(\\left\\lfloor \\frac{m}{8} \\right\\rfloor, m "
            "\\bmod 8\\right)\n"
            "\\end{align*}\n"
            "\\begin{align*}\n"
            "  \\operatorname{f\\_guard}(i, j) &\\iff 0 \\le i < 4 \\text{ and } 0 \\le j < 8\n"
            "\\end{align*}"}},
      finished([](Emitted done) { return std::move(done.text); }));
  add({.call = call_of("emit_report"),
       .summary = "The same, as data with the names of its coordinates, places and sizes, what is "
                  "known of the sizes, and why it has no inverse.",
       .example = {"emit_report(S[2:3@m], 'latex', 'f')",
                   "% f: the map of S[(2):(3@m)], an Axe layout.\n"
                   "\\begin{align*}\n"
                   "  \\operatorname{f}(i) &= 3 i\n"
                   "\\end{align*}\n"
                   "\\begin{align*}\n"
                   "  \\operatorname{f}^{-1}(m) &= \\left\\lfloor \\frac{m}{3} \\right\\rfloor\n"
                   "\\end{align*}\n"
                   "\\begin{align*}\n"
                   "  \\operatorname{f\\_guard}(i) &\\iff 0 \\le i < 2\n"
                   "\\end{align*}"}},
      finished([](Emitted done) { return report_of_emitted(std::move(done)); }));
}

}  // namespace heddle::notation

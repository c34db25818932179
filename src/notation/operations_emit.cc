// Layouts as functions of a program.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "heddle/emit/map_function.h"
#include "heddle/notation/hub.h"
#include "heddle/notation/lexer.h"
#include "notation/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kEmit = "emit";

Result<std::string> emitted(const CallContext& context, const map::AnyLayout& layout,
                            const std::optional<std::string>& target,
                            const std::optional<std::string>& name,
                            const std::optional<AxeShape>& shape) {
  emit::TextOptions text;
  HEDDLE_TRY(text.dialect, program_dialect_named(target.value_or("c")));
  text.name = name.value_or("idx");
  emit::MapFunctionOptions options;
  options.limits = context.decide.limits;
  if (shape) options.shape = shape->extents;
  HEDDLE_TRY(std::string lines, emit::map_text(layout, text, std::move(options)));
  while (lines.ends_with('\n')) lines.pop_back();
  return lines;
}

}  // namespace

Result<emit::Dialect> program_dialect_named(std::string_view name) {
  const std::optional<emit::Dialect> dialect = emit::find_dialect(name);
  if (dialect && dialect != emit::Dialect::kHeddle) return *dialect;
  const std::string names = emit::names_of(emit::dialects().subspan(1));  // but `heddle`
  return refuse(
      Diagnostic("emit.target", fmt::format("functions are not written in {}", quote(name)))
          .with_hint("the targets are " + names));
}

void add_emit_operations(std::vector<Operation>& table) {
  table.push_back(operation(
      "emit", kEmit, {"layout", "target=c", "name=idx", "shape"},
      "The layout as functions of a program: NAME is the map, NAME_inverse leads back, NAME_guard "
      "says whether coordinates are a point; in 'c', 'cpp', 'cuda', 'hip', 'opencl', 'triton', "
      "'python', 'mlir' or 'latex'; `shape` says on which box an Axe layout is.",
      "emit((4,8):(8,1), 'latex', 'f')",
      "% f: the map of (4,8):(8,1), a CuTe layout.\n"
      "\\begin{align*}\n"
      "  \\operatorname{f}(i, j) &= 8 i + j\n"
      "\\end{align*}\n"
      "\\begin{align*}\n"
      "  \\operatorname{f}^{-1}(m) &= \\left(\\left\\lfloor \\frac{m}{8} \\right\\rfloor, m \\bmod "
      "8\\right)\n"
      "\\end{align*}\n"
      "\\begin{align*}\n"
      "  \\operatorname{f\\_guard}(i, j) &\\iff 0 \\le i < 4 \\text{ and } 0 \\le j < 8\n"
      "\\end{align*}",
      [](const CallContext& context, const map::AnyLayout& layout,
         const std::optional<std::string>& target, const std::optional<std::string>& name,
         const std::optional<AxeShape>& shape) {
        return emitted(context, layout, target, name, shape);
      }));
}

}  // namespace heddle::notation

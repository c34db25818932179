// The operation `instantiate`: a template filled with the index expressions of layouts.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/notation/any_layout.h"
#include "heddle/notation/instantiate.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

/// The data has the whole text; the printed text drops the last newline, so that no empty line
/// follows.
Report report_of_instantiated(Instantiated made) {
  Datum::List placeholders;
  for (const auto& [expression, text, line] : made.instances) {
    placeholders.emplace_back(
        Datum::Fields{{"line", line}, {"placeholder", expression}, {"text", text}});
  }
  Datum::Fields data = {{"text", made.text}, {"placeholders", std::move(placeholders)}};
  if (made.text.ends_with('\n')) made.text.pop_back();
  return {std::move(made.text), std::move(data)};
}

}  // namespace

void add_instantiate_operations(std::vector<Operation>& table) {
  const Rows add = {table, "templates"};
  add({.call = "instantiate(template, target, layouts, definitions, names, name, delimiters={{ }})",
       .summary = "The text of a template, in a language that emit() knows, with its placeholders "
                  "filled. They are expressions over the names that the texts of `layouts` give, "
                  "statement by statement, and `definitions` before these. With the `name` of the "
                  "template, and the `names` of the layouts, a comment says where the expressions "
                  "come from. What is refused has its place in all texts line after line: the "
                  "template, definitions, layouts.",
       .example = {"instantiate('x = a[{{ A[i, j] }}];', 'c', 'A = (4,8):(8,1)')",
                   "x = a[(i << 3) + j];"}},
      [](const CallContext& context, const std::string& text, const std::string& target,
         const std::optional<linear::Names>& layouts,
         const std::optional<linear::Names>& definitions, const std::optional<linear::Names>& names,
         const std::optional<std::string>& name,
         const std::optional<std::string>& delimiters) -> Result<Report> {
        InstantiateOptions options;
        HEDDLE_TRY(options.dialect, program_dialect_named(target));
        if (delimiters) {
          HEDDLE_TRY(options.delimiters, emit::delimiters_in(*delimiters));
        }
        options.name = name.value_or("");
        HEDDLE_TRY(options.environment, environment_of(context));
        std::vector<LayoutsFile> files;
        for (std::size_t i = 0; definitions && i < definitions->size(); ++i) {
          files.push_back({"--define", (*definitions)[i], /*must_be_used=*/false});
        }
        for (std::size_t i = 0; layouts && i < layouts->size(); ++i) {
          files.push_back({names && i < names->size() ? (*names)[i] : "layouts", (*layouts)[i]});
        }
        HEDDLE_TRY(Instantiated made, instantiate(text, files, std::move(options)));
        return report_of_instantiated(std::move(made));
      });
}

}  // namespace heddle::notation

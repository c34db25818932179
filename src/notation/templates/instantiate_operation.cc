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

/// What is refused in a text that begins there, with its place among all texts.
template <class T>
Result<T> in_text(Result<T> result, std::size_t begin) {
  if (result || !result.error().span()) return result;
  const Span span = *result.error().span();
  return refuse(std::move(result).error().with_span({span.begin + begin, span.end + begin}));
}

/// What a call says besides the template.
struct FilledTemplate {
  std::vector<std::string> definitions;
  std::vector<std::string> layouts;
  std::vector<std::string> names;
};

Result<Instantiated> instantiated(const std::string& text, const FilledTemplate& filling,
                                  InstantiateOptions options) {
  // Where a text begins that follows those so far, with a line end between.
  auto begin_of = [end = std::size_t{0}](std::string_view next) mutable {
    return std::exchange(end, end + next.size() + 1);
  };
  const std::size_t whole = begin_of(text);
  HEDDLE_TRY(Instantiation made, in_text(Instantiation::of(text, std::move(options)), whole));
  for (const std::string& definition : filling.definitions) {
    HEDDLE_CHECK(in_text(made.read_layouts("--define", definition), begin_of(definition)));
  }
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < filling.layouts.size(); ++i) {
    const std::string& layouts = filling.layouts[i];
    begins.push_back(begin_of(layouts));
    const std::string name = i < filling.names.size() ? filling.names[i] : "layouts";
    HEDDLE_CHECK(in_text(made.read_layouts(name, layouts), begins.back()));
  }
  HEDDLE_TRY(Instantiated done, in_text(made.finish(), whole));
  for (std::size_t i = 0; i < begins.size(); ++i) {
    HEDDLE_CHECK(in_text(made.check_used(filling.definitions.size() + i), begins[i]));
  }
  return done;
}

/// For programs the whole text; printed as a value it ends as any other, without an empty line.
Report report_of_instantiated(Instantiated made) {
  Datum::List placeholders;
  for (const auto& [expression, text, line] : made.instances) {
    placeholders.emplace_back(Datum::Fields{
        {"line", static_cast<std::int64_t>(line)}, {"placeholder", expression}, {"text", text}});
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
        const linear::Names none;
        HEDDLE_TRY(Instantiated made, instantiated(text,
                                                   {definitions.value_or(none),
                                                    layouts.value_or(none), names.value_or(none)},
                                                   std::move(options)));
        return report_of_instantiated(std::move(made));
      }); /*FAM "templates"*/
}

}  // namespace heddle::notation

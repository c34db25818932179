// heddle instantiate: a template filled with the index expressions of layouts.

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "heddle/commands.h"
#include "heddle/emit/dialect.h"
#include "heddle/operation_call.h"

namespace heddle::app {
namespace {

using emit::Dialect;
using notation::Datum;
using notation::Value;

struct Ending {
  std::string_view ending;
  Dialect dialect;
};

constexpr std::array kEndings = {
    Ending{".cu", Dialect::kCuda},   Ending{".cuh", Dialect::kCuda},
    Ending{".hip", Dialect::kHip},   Ending{".cl", Dialect::kOpenCl},
    Ending{".c", Dialect::kC},       Ending{".cc", Dialect::kCpp},
    Ending{".cpp", Dialect::kCpp},   Ending{".cxx", Dialect::kCpp},
    Ending{".h", Dialect::kCpp},     Ending{".hpp", Dialect::kCpp},
    Ending{".hh", Dialect::kCpp},    Ending{".py", Dialect::kPython},
    Ending{".mlir", Dialect::kMlir}, Ending{".tex", Dialect::kLatex},
};

/// The language of a file by its name, and by its text where Python may be Triton.
std::optional<Dialect> dialect_of_file(std::filesystem::path path, std::string_view text) {
  if (path.extension() == ".in") path = path.stem();
  for (const auto& [ending, dialect] : kEndings) {
    if (path.extension() != ending) continue;
    const bool is_triton =
        dialect == Dialect::kPython && text.find("triton") != std::string_view::npos;
    return is_triton ? Dialect::kTriton : dialect;
  }
  return std::nullopt;
}

/// The language that is said, or that the names of the files tell.
Result<std::string> target_of(const InstantiateOptions& options, std::string_view text) {
  if (!options.target.empty()) return options.target;
  for (const std::string& name : {options.output, options.files.front()}) {
    if (const auto dialect = dialect_of_file(name, text)) {
      return std::string(emit::name_of(*dialect));
    }
  }
  return refuse(Diagnostic("usage.option", fmt::format("the name {} does not tell the language",
                                                       options.files.front()))
                    .with_hint("say it: --target cuda"));
}

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The texts of the files, the template first. Refuses to read the file that is to be written.
Result<std::vector<std::string>> texts_of_files(const InstantiateOptions& options) {
  std::vector<std::string> texts;
  for (const std::string& path : options.files) {
    std::error_code is_none;
    if (std::filesystem::equivalent(path, options.output, is_none)) {
      return refuse("usage.option",
                    fmt::format("{} is read; it is not written over", options.output));
    }
    HEDDLE_TRY(std::string text, read_file(path));
    texts.push_back(std::move(text));
  }
  return texts;
}

/// The text that a place among all texts is in, as the operation counts, and the place there.
struct Located {
  Diagnostic why;
  std::string_view text;
  std::string path;
};

Located located(const Diagnostic& why, const InstantiateOptions& options,
                const std::vector<std::string>& texts) {
  if (!why.span()) return {why, {}, {}};
  std::vector<Source> sources = {{texts.front(), options.files.front()}};
  for (const std::string& definition : options.definitions) {
    sources.push_back({definition, "--define"});
  }
  for (std::size_t i = 1; i < texts.size(); ++i) sources.push_back({texts[i], options.files[i]});
  Span span = *why.span();
  for (const Source& source : sources) {
    if (span.begin <= source.text.size()) {
      return {Diagnostic(why).with_span(span), source.text, source.name};
    }
    span = {span.begin - source.text.size() - 1, span.end - source.text.size() - 1};
  }
  return {why, {}, {}};
}

Result<Value> instantiated(const InstantiateOptions& options, const std::vector<std::string>& texts,
                           const notation::Environment& environment) {
  HEDDLE_TRY(const std::string target, target_of(options, texts.front()));
  std::vector<std::string> names;
  for (const std::string& path : options.files) names.push_back(name_of_file(path));
  Arguments arguments;
  arguments.add(texts.front())
      .add(target)
      .add_names("layouts", std::vector(texts.begin() + 1, texts.end()))
      .add_names("definitions", options.definitions)
      .add_names("names", std::vector(names.begin() + 1, names.end()))
      .add_text("name", options.no_comment ? "" : names.front())
      .add_text("delimiters", options.delimiters);
  return notation::call_in(environment, "instantiate", std::move(arguments).list());
}

/// The filled template, or in JSON what stands for each placeholder; the text is in `output` where
/// that is the name of a file.
ExitCode print_answer(const Console& console, const notation::Report& report,
                      const std::string& output) {
  const std::string& text = *report.data.field("text")->text();
  if (output.empty() && !console.json()) {
    console.print_text(text);
    return ExitCode::kDone;
  }
  if (!output.empty()) {
    if (const auto written = write_file(output, text); !written) {
      return console.fail(written.error());
    }
  }
  Datum::Fields data = *report.data.fields();
  if (!output.empty()) data.erase(data.begin());
  if (console.json()) console.print(Value(notation::Report{report.text, std::move(data)}));
  return ExitCode::kDone;
}

}  // namespace

ExitCode instantiate_template(const Console& console, const InstantiateOptions& options,
                              const notation::Environment& environment) {
  if (options.files.empty()) {
    return console.fail(
        Diagnostic("usage.expression", "instantiate needs a template")
            .with_hint("heddle instantiate kernel.cu.in layouts.heddle -o kernel.cu"));
  }
  const auto texts = texts_of_files(options);
  if (!texts) return console.fail(texts.error());
  const auto made = instantiated(options, *texts, environment);
  if (made) return print_answer(console, made->get<notation::Report>(), options.output);
  const Located located = app::located(made.error(), options, *texts);
  return console.fail(located.why, {located.text, located.path});
}

}  // namespace heddle::app

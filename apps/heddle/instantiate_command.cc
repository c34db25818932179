// heddle instantiate: a template filled with the index expressions of layouts.

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/emit/dialect.h"

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

/// The language of a file by its name, and by its text to tell Triton from plain Python.
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

/// The language of the option, or else that of the file names.
Result<std::string> target_of(const Said& said, std::string_view text) {
  if (!said.text("--target").empty()) return said.text("--target");
  for (const std::string& name : {said.text("--output"), said.list("files").front()}) {
    if (const auto dialect = dialect_of_file(name, text)) {
      return std::string(emit::name_of(*dialect));
    }
  }
  return refuse(
      Diagnostic("usage.option", fmt::format("the language cannot be inferred from the name {}",
                                             said.list("files").front()))
          .with_hint("name it: --target cuda"));
}

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// The texts of the files, the template first. Refuses if an input is also the output file.
Result<std::vector<std::string>> texts_of_files(const Said& said) {
  std::vector<std::string> texts;
  for (const std::string& path : said.list("files")) {
    std::error_code is_none;
    if (std::filesystem::equivalent(path, said.text("--output"), is_none)) {
      return refuse("usage.option",
                    fmt::format("{} is an input, and is not overwritten", said.text("--output")));
    }
    HEDDLE_TRY(std::string text, read_file(path));
    texts.push_back(std::move(text));
  }
  return texts;
}

/// The hint with a definition in place of --assume, an option that the command does not have.
std::string with_definitions(std::string hint) {
  constexpr std::string_view kOption = "--assume '";
  for (std::size_t at = 0; (at = hint.find(kOption, at)) != std::string::npos;) {
    hint.replace(at, kOption.size(), "-D 'assume ");
  }
  return hint;
}

/// The failure with its place in one of the texts: the operation counts places through all texts.
Failure located(Diagnostic why, const Said& said, const std::vector<std::string>& texts) {
  std::string hint = with_definitions(why.hint());
  why = std::move(why).with_hint(std::move(hint));
  if (!why.span()) return why;
  std::vector<Source> sources = {{texts.front(), said.list("files").front()}};
  for (const std::string& definition : said.list("--define")) {
    sources.push_back({definition, "--define"});
  }
  for (std::size_t i = 1; i < texts.size(); ++i)
    sources.push_back({texts[i], said.list("files")[i]});
  Span span = *why.span();
  for (const Source& source : sources) {
    if (span.begin <= source.text.size()) return {Diagnostic(why).with_span(span), source};
    span = {span.begin - source.text.size() - 1, span.end - source.text.size() - 1};
  }
  return why;
}

Result<Value> instantiated(const Said& said, const std::vector<std::string>& texts,
                           const notation::Environment& environment) {
  HEDDLE_TRY(const std::string target, target_of(said, texts.front()));
  std::vector<std::string> names;
  for (const std::string& path : said.list("files")) names.push_back(name_of_file(path));
  Arguments arguments;
  arguments.add(texts.front())
      .add(target)
      .add_names("layouts", std::vector(texts.begin() + 1, texts.end()))
      .add_names("definitions", said.list("--define"))
      .add_names("names", std::vector(names.begin() + 1, names.end()))
      .add_text("name", said.flag("--no-comment") ? "" : names.front())
      .add_text("delimiters", said.text("--delimiters"));
  return std::move(arguments).call("instantiate", environment);
}

/// Prints the filled template, or in JSON the replacement of each placeholder; the text goes to the
/// file `output` if that is given.
Outcome print_answer(const Console& console, const notation::Report& report,
                     const std::string& output) {
  const std::string& text = *report.data.field("text")->text();
  if (output.empty() && !console.json()) {
    console.print_text(text);
    return ExitCode::kDone;
  }
  if (!output.empty()) {
    HEDDLE_CHECK(write_file(output, text));
  }
  Datum::Fields data = *report.data.fields();
  if (!output.empty()) data.erase(data.begin());
  if (console.json()) console.print(Value(notation::Report{report.text, std::move(data)}));
  return ExitCode::kDone;
}

}  // namespace

Outcome instantiate_command(const Call& call) {
  const Said& said = call.said;
  if (said.list("files").empty()) {
    return refuse(Diagnostic("usage.expression", "instantiate needs a template")
                      .with_hint("heddle instantiate kernel.cu.in layouts.heddle -o kernel.cu"));
  }
  HEDDLE_TRY(const std::vector<std::string> texts, texts_of_files(said));
  const auto made = instantiated(said, texts, call.environment);
  if (!made) return refuse(located(made.error(), said, texts));
  return print_answer(call.console, made->get<notation::Report>(), said.text("--output"));
}

}  // namespace heddle::app

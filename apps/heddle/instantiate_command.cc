// heddle instantiate: a template filled with the index expressions of layouts.

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "heddle/commands.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/instantiate.h"

namespace heddle::app {
namespace {

using emit::Dialect;

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

Result<Dialect> dialect_of(const InstantiateOptions& options, std::string_view text) {
  if (!options.target.empty()) return notation::program_dialect_named(options.target);
  for (const std::string& name : {options.output, options.files.front()}) {
    if (const auto dialect = dialect_of_file(name, text)) return *dialect;
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

/// Statements that give names, and where they are from.
struct LayoutsText {
  std::string name;
  std::string text;
  /// For messages.
  std::string path;
};

/// Those of --define, then those of the files behind the template.
std::vector<LayoutsText> layouts_of(const InstantiateOptions& options,
                                    const std::vector<std::string>& texts) {
  std::vector<LayoutsText> layouts;
  for (const std::string& definition : options.definitions) {
    layouts.push_back({"--define", definition, "--define"});
  }
  for (std::size_t i = 1; i < texts.size(); ++i) {
    layouts.push_back({name_of_file(options.files[i]), texts[i], options.files[i]});
  }
  return layouts;
}

Result<notation::InstantiateOptions> wanted_of(const InstantiateOptions& options,
                                               std::string_view text,
                                               const notation::Environment& environment) {
  notation::InstantiateOptions wanted;
  HEDDLE_TRY(wanted.dialect, dialect_of(options, text));
  if (!options.delimiters.empty()) {
    HEDDLE_TRY(wanted.delimiters, emit::delimiters_in(options.delimiters));
  }
  if (!options.no_comment) wanted.name = name_of_file(options.files.front());
  wanted.environment = environment;
  return wanted;
}

ExitCode print_answer(const Console& console, const notation::Instantiated& made,
                      const std::string& output) {
  if (!output.empty()) {
    if (const auto written = write_file(output, made.text); !written) {
      return console.fail(written.error());
    }
  }
  if (console.json()) {
    nlohmann::ordered_json json;
    if (output.empty()) json["text"] = made.text;
    json["placeholders"] = nlohmann::ordered_json::array();
    for (const auto& [expression, text, line] : made.instances) {
      json["placeholders"].push_back({{"line", line}, {"placeholder", expression}, {"text", text}});
    }
    console.print_line(nlohmann::ordered_json{{"ok", true}, {"result", json}}.dump());
  } else if (output.empty()) {
    console.print_text(made.text);
  }
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
  auto wanted = wanted_of(options, texts->front(), environment);
  if (!wanted) return console.fail(wanted.error());
  const Source whole{texts->front(), options.files.front()};
  auto instantiation = notation::Instantiation::of(whole.text, *std::move(wanted));
  if (!instantiation) return console.fail(instantiation.error(), whole);
  const std::vector<LayoutsText> layouts = layouts_of(options, *texts);
  for (const auto& [name, text, path] : layouts) {
    const auto done = instantiation->read_layouts(name, text);
    if (!done) return console.fail(done.error(), {text, path});
  }
  const auto made = instantiation->finish();
  if (!made) return console.fail(made.error(), whole);
  for (std::size_t i = options.definitions.size(); i < layouts.size(); ++i) {
    const auto done = instantiation->check_used(i);
    if (!done) return console.fail(done.error(), {layouts[i].text, layouts[i].path});
  }
  return print_answer(console, *made, options.output);
}

}  // namespace heddle::app

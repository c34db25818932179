// heddle instantiate: a template filled with the index expressions of layouts.

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "heddle/commands.h"
#include "heddle/notation/hub.h"
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
  std::vector<std::string> texts;
  for (const std::string& path : options.files) {
    std::error_code is_none;
    if (std::filesystem::equivalent(path, options.output, is_none)) {
      return console.fail(Diagnostic(
          "usage.option", fmt::format("{} is read; it is not written over", options.output)));
    }
    auto text = read_file(path);
    if (!text) return console.fail(text.error());
    texts.push_back(*std::move(text));
  }
  const std::string& path = options.files.front();
  notation::InstantiateOptions wanted;
  const auto dialect = dialect_of(options, texts.front());
  if (!dialect) return console.fail(dialect.error());
  wanted.dialect = *dialect;
  if (!options.delimiters.empty()) {
    const auto delimiters = emit::delimiters_in(options.delimiters);
    if (!delimiters) return console.fail(delimiters.error());
    wanted.delimiters = *delimiters;
  }
  if (!options.no_comment) wanted.name = name_of_file(path);
  wanted.environment = environment;
  auto instantiation = notation::Instantiation::of(texts.front(), std::move(wanted));
  if (!instantiation) return console.fail(instantiation.error(), {texts.front(), path});
  for (const std::string& definition : options.definitions) {
    const auto done = instantiation->read_layouts("--define", definition);
    if (!done) return console.fail(done.error(), {definition, "--define"});
  }
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const auto done = instantiation->read_layouts(name_of_file(options.files[i]), texts[i]);
    if (!done) return console.fail(done.error(), {texts[i], options.files[i]});
  }
  const auto made = instantiation->finish();
  if (!made) return console.fail(made.error(), {texts.front(), path});
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const auto done = instantiation->check_used(options.definitions.size() + i - 1);
    if (!done) return console.fail(done.error(), {texts[i], options.files[i]});
  }
  return print_answer(console, *made, options.output);
}

}  // namespace heddle::app

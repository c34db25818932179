// Everything in the documents that can be executed is, and prints what they say.
//
//   HEDDLE_UPDATE_DOCS=1 build/quick/tests/test_docs     writes into them what is printed now

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "docs/markdown.h"
#include "docs/shell.h"

namespace heddle::test {
namespace {

// Commands that install, build or run the project itself. The first ones are what continuous
// integration and tests/install run; a document may show no others in a `sh` block.
const std::set<std::string_view> kNotRunHere = {
    "mlir-opt-19 --gpu-lower-to-nvvm-pipeline=\"cubin-chip=sm_90 cubin-format=isa\" idx.mlir",
    "scripts/demo",
    "scripts/test",
    "scripts/test --long",
    "scripts/test --preset asan --compiler clang++-19",
    "scripts/test --preset tsan --compiler clang++-19",
    "scripts/test -R composition",
    "scripts/test -LE slow",
    "heddle kernel compile examples/kernels/add.heddle add --emit binary --arch sm_80 --arch sm_90 "
    "-o add.fatbin",
    "python bench/python/arrays.py",
    "python bench/python/drop_ins.py",
    "bench/sass/compare --write docs/speed.md",
    "HEDDLE_MOVE_MB=128 scripts/bench",
    "scripts/bench",
    "scripts/lint",
    "scripts/lint --fix",
    "scripts/lint --all",
    "scripts/corpus",
    "scripts/corpus --failing 'cute printed'",
    "scripts/fuzz",
    "scripts/fuzz 600 expression",
    ".ci/run",
    ".ci/run --fast",
    "pip install .",
    "scripts/python",
    "scripts/wheel",
    "scripts/release-check",
    "cmake --preset release",
    "cmake --build --preset release",
    "cmake --install build/release --prefix ~/.local",
    "c++ -std=c++20 main.cc $(pkg-config --cflags --libs heddle)",
    "HEDDLE_UPDATE_DOCS=1 build/quick/tests/test_docs",
};

bool updating() { return std::getenv("HEDDLE_UPDATE_DOCS") != nullptr; }

std::string place(const Document& document, std::size_t line) {
  return document.path + ":" + std::to_string(line + 1);
}

/// A command of a console block, `$ ` and the lines `> ` that go on with it, and what it prints.
struct Exchange {
  std::size_t line = 0;
  std::vector<std::string> shown;
  std::string command;
  std::string expected;
};

std::vector<Exchange> exchanges_in(const Block& block) {
  std::vector<Exchange> exchanges;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string& line = block.lines[i];
    if (line.starts_with("$ ")) {
      Exchange exchange{block.fence + 1 + i, {line}, line.substr(2), ""};
      while (i + 1 < block.lines.size() && block.lines[i + 1].starts_with("> ")) {
        exchange.shown.push_back(block.lines[++i]);
        exchange.command += "\n" + block.lines[i].substr(2);
      }
      exchanges.push_back(std::move(exchange));
    } else if (!exchanges.empty()) {
      exchanges.back().expected += line + "\n";
    } else {
      ADD_FAILURE() << "a console block begins with '$ ', not with: " << line;
    }
  }
  return exchanges;
}

constexpr std::string_view kImages = "docs/images/";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

/// Runs a command that makes images of the documents, but makes them elsewhere, and compares them.
std::string check_images(const std::string& where, const std::string& command) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("heddle-images-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string elsewhere = folder.string() + "/";
  std::string printed = run_in_shell(replaced(command, kImages, elsewhere)).output;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path image =
        source_root() / std::string(kImages) / entry.path().filename();
    if (updating()) {
      std::filesystem::copy_file(entry, image, std::filesystem::copy_options::overwrite_existing);
    }
    EXPECT_TRUE(contents(entry.path()) == contents(image)) << where << ": " << image;
  }
  std::filesystem::remove_all(folder);
  return replaced(std::move(printed), elsewhere, kImages);
}

/// Without the line that AddressSanitizer prints at the first fiber of a process; the checker's
/// threads are fibers.
std::string without_fiber_warning(const std::string& printed) {
  std::string kept;
  for (const std::string& line : split_lines(printed)) {
    if (line.find("ASan doesn't fully support makecontext") == std::string::npos) {
      kept += line + "\n";
    }
  }
  return kept;
}

std::string output_of(const std::string& where, const std::string& command) {
  if (command.find(kImages) != std::string::npos) return check_images(where, command);
  return without_fiber_warning(run_in_shell(command).output);
}

/// The block as it should read.
std::vector<std::string> check_console(const Document& document, const Block& block) {
  std::vector<std::string> actual;
  for (const Exchange& exchange : exchanges_in(block)) {
    std::string printed = output_of(place(document, exchange.line), exchange.command);
    if (!printed.empty() && !printed.ends_with('\n')) printed += '\n';
    if (!updating()) {
      EXPECT_EQ(exchange.expected, printed)
          << place(document, exchange.line) << "\n$ " << exchange.command;
    }
    actual.insert(actual.end(), exchange.shown.begin(), exchange.shown.end());
    for (std::string& line : split_lines(printed)) actual.push_back(std::move(line));
  }
  return actual;
}

/// What the program prints.
std::string run_program(const Document& document, const Block& block) {
  const std::string program = "cat > \"$TMP/program.heddle\"; heddle run \"$TMP/program.heddle\"";
  const Ran printed =
      run_in_shell("TMP=$(mktemp -d); trap 'rm -rf \"$TMP\"' EXIT; printf %s " +
                   quoted_for_shell(join_lines(block.lines)) + " | { " + program + "; }");
  EXPECT_EQ(printed.code, 0) << place(document, block.fence) << "\n" << printed.output;
  return printed.output;
}

void check_output(const Document& document, const Block& block, const std::string& printed) {
  if (!updating()) {
    EXPECT_EQ(join_lines(block.lines), printed) << place(document, block.fence);
  }
}

void check_source(const Document& document, const Block& block) {
  const std::string text = join_lines(block.lines);
  const std::string source = contents(source_root() / block.source);
  if (block.language == "cpp") {
    EXPECT_TRUE(block.source.starts_with("examples/"))
        << place(document, block.fence) << " is not a file of examples/";
    if (!updating()) {
      EXPECT_EQ(text, source) << place(document, block.fence);
    }
  } else {
    EXPECT_NE(source.find(text), std::string::npos)
        << place(document, block.fence) << " is not a part of '" << block.source << "'";
  }
}

void check_commands(const Document& document, const Block& block) {
  for (const std::string& line : block.lines) {
    EXPECT_TRUE(kNotRunHere.contains(line)) << place(document, block.fence) << ": '" << line
                                            << "' is neither executed nor excepted by name";
  }
}

/// Checks every block; where that is asked for, writes the document anew.
void check_document(Document document) {
  std::string printed;
  std::string previous;
  std::vector<std::pair<std::size_t, std::vector<std::string>>> corrections;
  for (const Block& block : document.blocks) {
    std::vector<std::string> actual = block.lines;
    if (block.language == "console") {
      actual = check_console(document, block);
    } else if (block.language == "heddle") {
      printed = run_program(document, block);
    } else if (block.language == "output") {
      EXPECT_EQ(previous, "heddle") << place(document, block.fence) << ": the output of what?";
      check_output(document, block, printed);
      actual = split_lines(printed);
    } else if (block.language == "cpp") {
      check_source(document, block);
      actual = split_lines(contents(source_root() / block.source));
    } else if (block.language == "cmake") {
      check_source(document, block);
    } else if (block.language == "sh") {
      check_commands(document, block);
    } else if (block.language != "python") {  // python/tests/test_documents.py runs those
      EXPECT_EQ(block.language, "text")
          << place(document, block.fence) << ": nobody checks blocks of this kind";
    }
    previous = block.language;
    corrections.emplace_back(block.fence, std::move(actual));
  }
  if (!updating()) return;
  // From the last block to the first, so that the places of the others stay right.
  std::ranges::reverse(corrections);
  for (const auto& [fence, lines] : corrections) {
    const auto begin = document.lines.begin() + static_cast<std::ptrdiff_t>(fence) + 1;
    const auto end = std::find(begin, document.lines.end(), "```");
    document.lines.insert(document.lines.erase(begin, end), lines.begin(), lines.end());
  }
  std::ofstream(source_root() / document.path) << join_lines(document.lines);
}

void check_folder(std::string_view folder) {
  for (Document& document : documents(folder)) check_document(std::move(document));
}

TEST(DocumentedExamples, Root) { check_folder(""); }
TEST(DocumentedExamples, Guides) { check_folder("docs"); }
TEST(DocumentedExamples, Kernels) { check_folder("docs/kernels"); }
TEST(DocumentedExamples, Operations) { check_folder("docs/operations"); }
TEST(DocumentedExamples, Errors) { check_folder("docs/errors"); }
TEST(DocumentedExamples, Gallery) { check_folder("docs/gallery"); }

TEST(DocumentedExamples, NoOtherFolderHoldsDocuments) {
  const std::set<std::string> known = {"docs/kernels", "docs/operations", "docs/errors",
                                       "docs/gallery", "docs/images"};
  for (const auto& entry : std::filesystem::directory_iterator(source_root() / "docs")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(known.contains("docs/" + entry.path().filename().string())) << entry.path();
  }
}

/// Every image is shown, and made by a command that is shown.
TEST(DocumentedExamples, ImagesAreMadeByCommands) {
  std::string all;
  for (const Document& document : all_documents()) all += join_lines(document.lines);
  const std::string pictures = contents(source_root() / "tests/explorer/browser/test_explorer.py");
  for (const auto& entry : std::filesystem::directory_iterator(source_root() / "docs/images")) {
    const std::string name = entry.path().filename().string();
    EXPECT_NE(all.find("](images/" + name + ")"), std::string::npos) << name << " is not shown";
    // The tests of the explorer take pictures of its page: explorer_first.png is "first".
    const std::string stem = entry.path().stem().string();
    const bool is_of_page = name.ends_with(".png") && stem.starts_with("explorer_");
    const std::string maker =
        is_of_page ? "save(\"" + stem.substr(9) + "\")" : "-o docs/images/" + name;
    EXPECT_NE((is_of_page ? pictures : all).find(maker), std::string::npos)
        << "what makes " << name << "?";
  }
}

}  // namespace
}  // namespace heddle::test

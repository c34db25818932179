// The documents and the sources say the same: every error code and every operation has its place,
// and no link leads nowhere.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "docs/markdown.h"
#include "docs/shell.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/operations.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

// Error codes.

/// The text without the lines that are comments.
std::string code_of_file(const fs::path& path) {
  std::string code;
  for (const std::string& line : split_lines(contents(path))) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && line.compare(begin, 2, "//") != 0) code += line + "\n";
  }
  return code;
}

std::set<std::string> read_codes_in_sources() {
  // `refuse("overflow", …)`, `Diagnostic diagnostic("name.unknown", …)`, and any dotted name that
  // is not a file, nor an attribute of Triton, Gluon or jax.numpy.
  const std::regex named(R"re((?:refuse|Diagnostic)(?:\s+\w+)?\s*[({]\s*"([a-z0-9_.]+)"\s*,)re");
  const std::regex dotted(R"re("([a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)")re");
  const std::regex other(
      R"re(.*\.(h|hpp|c|cc|cu|md|svg|heddle|txt|out|js|css|html)|(answers|package)\.json|(gluon|jnp|ttn?g|ttig)\..*)re");
  std::set<std::string> codes;
  for (const char* folder : {"src", "include", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source_root() / folder)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = code_of_file(entry.path());
      for (const std::regex* pattern : {&named, &dotted}) {
        for (std::sregex_iterator match(text.begin(), text.end(), *pattern), end; match != end;
             ++match) {
          const std::string code = (*match)[1];
          if (!std::regex_match(code, other)) codes.insert(code);
        }
      }
    }
  }
  return codes;
}

/// All sources are read once.
const std::set<std::string>& codes_in_sources() {
  static const std::set<std::string> codes = read_codes_in_sources();
  return codes;
}

/// The codes that only the explorer's page makes: no command prints them.
std::set<std::string> codes_of_the_page() {
  const std::regex named(R"re("(explore\.[a-z_]+)")re");
  std::set<std::string> codes;
  for (const auto& entry : fs::directory_iterator(source_root() / "explorer")) {
    if (entry.path().extension() != ".js") continue;
    const std::string text = code_of_file(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), named), end; match != end; ++match)
      codes.insert((*match)[1]);
  }
  for (const std::string& code : codes_in_sources()) codes.erase(code);
  return codes;
}

std::vector<Document> error_pages() {
  std::vector<Document> pages = documents("docs/errors");
  std::erase_if(pages, [](const Document& page) { return page.path == "docs/errors/README.md"; });
  return pages;
}

std::string code_of(const Document& page) { return fs::path(page.path).stem().string(); }

TEST(ErrorPages, OneForEachCodeOfTheSources) {
  std::set<std::string> documented;
  for (const Document& page : error_pages()) documented.insert(code_of(page));
  std::set<std::string> made = codes_in_sources();
  made.merge(codes_of_the_page());
  EXPECT_EQ(documented, made);
}

/// What the commands and examples of a page print.
std::string printed_on(const Document& page) {
  std::string printed;
  for (const Block& block : page.blocks) {
    static const std::set<std::string> kOfThePage = codes_of_the_page();
    const bool is_of_page = block.language == "text" && kOfThePage.contains(code_of(page));
    if (block.language == "console" || block.language == "output" || is_of_page) {
      printed += join_lines(block.lines);
    } else if (block.language == "cpp") {
      printed += contents((source_root() / block.source).replace_extension(".out"));
    }
  }
  return printed;
}

TEST(ErrorPages, ShowTheirError) {
  for (const Document& page : error_pages()) {
    const std::string code = code_of(page);
    ASSERT_FALSE(page.lines.empty()) << page.path;
    EXPECT_EQ(page.lines.front(), "# " + code);
    const std::string printed = printed_on(page);
    const bool shown = printed.find("error " + code + ":") != std::string::npos ||
                       printed.find("\"code\":\"" + code + "\"") != std::string::npos;
    EXPECT_TRUE(shown) << page.path << " shows no example that prints its code";
  }
}

TEST(ErrorPages, AreAllInTheirIndex) {
  const std::string index = contents(source_root() / "docs/errors/README.md");
  for (const Document& page : error_pages()) {
    const std::string code = code_of(page);
    EXPECT_NE(index.find("[" + code + "](" + code + ".md)"), std::string::npos) << code;
  }
}

// Operations.

constexpr std::string_view kOpen = "<!-- operations: ";
constexpr std::string_view kClose = "<!-- end of operations -->";

/// Compares the lines of a page between two comments with these; where that is asked for, writes
/// them there instead. False where the page has no such comment.
bool check_between(Document& page, std::string_view begin, std::string_view end,
                   const std::vector<std::string>& wanted) {
  const auto open = std::ranges::find_if(
      page.lines, [&](const std::string& line) { return line.starts_with(begin); });
  if (open == page.lines.end()) return false;
  const auto close = std::find(open, page.lines.end(), end);
  EXPECT_NE(close, page.lines.end()) << page.path;
  if (close == page.lines.end()) return true;
  if (std::getenv("HEDDLE_UPDATE_DOCS") == nullptr) {
    EXPECT_EQ(join_lines({open + 1, close}), join_lines(wanted)) << page.path;
    return true;
  }
  page.lines.insert(page.lines.erase(open + 1, close), wanted.begin(), wanted.end());
  std::ofstream(source_root() / page.path) << join_lines(page.lines);
  return true;
}

/// The lines of a text as code within the cell of a table.
std::string code_of(const std::string& text) {
  return "`" + std::regex_replace(text, std::regex("\n"), "`<br>`") + "`";
}

std::string row_of(const notation::Operation& operation) {
  return "| `" + notation::signature(operation) + "` | " + operation.summary + " | " +
         code_of(operation.example) + " → " + code_of(operation.example_result) + " |";
}

std::vector<std::string> table_of(const std::set<std::string>& families) {
  std::vector<std::string> lines = {"", "| operation | computes | example |", "|---|---|---|"};
  for (const notation::Operation& operation : notation::operations()) {
    if (families.contains(operation.family)) lines.push_back(row_of(operation));
  }
  lines.emplace_back();
  return lines;
}

std::set<std::string> families_named(std::string_view line) {
  line.remove_prefix(kOpen.size());
  line = line.substr(0, line.find(" -->"));
  std::set<std::string> families;
  while (!line.empty()) {
    const std::size_t length = std::min(line.find(", "), line.size());
    families.emplace(line.substr(0, length));
    line.remove_prefix(std::min(length + 2, line.size()));
  }
  return families;
}

TEST(OperationTables, ListEveryOperationOnceAsTheCommandDoes) {
  std::map<std::string, std::string> page_of;
  for (Document& page : all_documents()) {
    const auto open = std::ranges::find_if(
        page.lines, [](const std::string& line) { return line.starts_with(kOpen); });
    if (open == page.lines.end()) continue;
    const std::set<std::string> families = families_named(*open);
    for (const std::string& family : families) {
      EXPECT_TRUE(page_of.emplace(family, page.path).second)
          << "the family '" << family << "' is on " << page_of[family] << " and on " << page.path;
    }
    (void)check_between(page, kOpen, kClose, table_of(families));
  }
  for (const notation::Operation& operation : notation::operations()) {
    EXPECT_TRUE(page_of.contains(operation.family))
        << operation.name << " is of the family '" << operation.family << "', which has no page";
  }
}

// Commands.

/// A line for each command of the table, as `heddle help commands` tells them.
std::vector<std::string> command_lines() {
  std::vector<std::string> lines = {""};
  for (const std::string& line : split_lines(run_in_shell("heddle help commands --json").output)) {
    const auto command = nlohmann::json::parse(line);
    const auto text = [&](const char* key) { return command.at(key).get<std::string>(); };
    lines.push_back("- `heddle " + text("command") + " " + text("usage") + "`: " + text("summary"));
  }
  lines.emplace_back();
  return lines;
}

TEST(CommandLists, AreThoseOfTheTable) {
  const std::vector<std::string> wanted = command_lines();
  EXPECT_GT(wanted.size(), 20U);
  for (const char* path : {"README.md", "docs/README.md"}) {
    Document page = read_document(source_root() / path);
    EXPECT_TRUE(check_between(page, "<!-- commands -->", "<!-- end of commands -->", wanted))
        << path << " has no list of commands";
  }
}

TEST(CommandLists, HelpShowsEveryCommand) {
  const std::string help = run_in_shell("heddle help").output;
  for (const std::string& line : command_lines()) {
    if (line.empty()) continue;
    const std::string call = line.substr(3, line.find("`:") - 3);
    EXPECT_NE(help.find("  " + call), std::string::npos) << call;
  }
}

// Batch.

/// The keys in the first column of the table below a heading.
std::set<std::string> keys_below(const std::vector<std::string>& lines, std::string_view heading) {
  const std::regex row(R"re(\| `(\w+)` \|.*)re");
  std::set<std::string> keys;
  std::smatch match;
  for (auto line = std::ranges::find(lines, heading); line != lines.end(); ++line) {
    if (std::regex_match(*line, match, row)) keys.insert(match[1]);
    if (line->starts_with("## ") && *line != heading) break;
  }
  return keys;
}

TEST(BatchPage, NamesEveryKeyOfARequest) {
  const auto keys = notation::request_keys();
  const Document page = read_document(source_root() / "docs/batch.md");
  EXPECT_EQ(keys_below(page.lines, "## A request"),
            std::set<std::string>(keys.begin(), keys.end()));
}

// Links.

/// The anchor that Markdown viewers give a heading.
std::string anchor_of(std::string_view heading) {
  heading.remove_prefix(std::min(heading.find_first_not_of("# "), heading.size()));
  std::string anchor;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(letter) != 0 || c == '-' || c == '_' || letter >= 0x80)
      anchor += static_cast<char>(std::tolower(letter));
  }
  return anchor;
}

std::set<std::string> anchors_in(const Document& document) {
  std::set<std::string> anchors;
  for (const std::string& line : document.lines) {
    if (line.starts_with("#")) anchors.insert(anchor_of(line));
  }
  return anchors;
}

/// The targets of the links outside fenced blocks and code.
std::vector<std::string> links_in(const Document& document) {
  const std::regex code("`[^`]*`");
  const std::regex link(R"re(\]\(([^()\s]+)\))re");
  std::vector<std::string> targets;
  bool fenced = false;
  for (const std::string& written : document.lines) {
    if (written.starts_with("```")) fenced = !fenced;
    if (fenced) continue;
    const std::string line = std::regex_replace(written, code, "");
    for (std::sregex_iterator match(line.begin(), line.end(), link), end; match != end; ++match) {
      targets.push_back((*match)[1]);
    }
  }
  return targets;
}

bool is_external(std::string_view target) { return target.find("://") != std::string_view::npos; }

TEST(Links, LeadToFilesAndHeadings) {
  for (const Document& document : all_documents()) {
    for (const std::string& target : links_in(document)) {
      if (is_external(target)) continue;
      const std::size_t hash = std::min(target.find('#'), target.size());
      const fs::path folder = fs::path(document.path).parent_path();
      const std::string file = target.substr(0, hash);
      const fs::path path = file.empty() ? fs::path(document.path) : folder / file;
      EXPECT_TRUE(fs::exists(source_root() / path)) << document.path << " links to " << target;
      if (hash == target.size()) continue;
      const std::set<std::string> anchors = anchors_in(read_document(source_root() / path));
      EXPECT_TRUE(anchors.contains(target.substr(hash + 1)))
          << document.path << " links to the heading " << target;
    }
  }
}

TEST(Links, NameFilesThatThereAre) {
  const std::regex path(
      "`((?:src|include|apps|tests|docs|fuzz|bench|examples|scripts|cmake)/[\\w./-]+)`");
  for (const Document& document : all_documents()) {
    for (const std::string& line : document.lines) {
      for (std::sregex_iterator match(line.begin(), line.end(), path), end; match != end; ++match) {
        EXPECT_TRUE(fs::exists(source_root() / std::string((*match)[1])))
            << document.path << " names " << (*match)[1];
      }
    }
  }
}

TEST(Links, ReachEveryPageFromTheReadme) {
  std::vector<std::string> waiting = {"README.md"};
  std::set<std::string> reached;
  while (!waiting.empty()) {
    const std::string path = waiting.back();
    waiting.pop_back();
    if (!reached.insert(path).second) continue;
    if (!path.ends_with(".md") || !fs::exists(source_root() / path)) continue;
    for (const std::string& target : links_in(read_document(source_root() / path))) {
      if (is_external(target)) continue;
      const fs::path file = target.substr(0, target.find('#'));
      if (file.empty()) continue;
      waiting.push_back((fs::path(path).parent_path() / file).lexically_normal().generic_string());
    }
  }
  for (const Document& document : all_documents()) {
    EXPECT_TRUE(reached.contains(document.path)) << "no link leads to " << document.path;
  }
}

// Examples.

TEST(ExamplePrograms, SayWhatTheyPrint) {
  for (const auto& entry : fs::directory_iterator(source_root() / "examples")) {
    if (entry.path().extension() != ".cc") continue;
    fs::path printed = entry.path();
    EXPECT_TRUE(fs::exists(printed.replace_extension(".out"))) << entry.path();
  }
}

}  // namespace
}  // namespace heddle::test

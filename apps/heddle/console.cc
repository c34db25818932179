#include "heddle/console.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <istream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "heddle/core/plain_text.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {
namespace {

constexpr std::size_t kContinued = 4;
/// The maximum number of bytes read from a file: some files never end.
constexpr std::size_t kMaxBytes = std::size_t{1} << 28;

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The message with the line it is about, unless that is the whole source.
std::string with_place(const Diagnostic& diagnostic, const Source& source) {
  const auto span = diagnostic.span();
  if (!span || source.text.empty()) return diagnostic.to_string();
  if (!source.name.empty()) {
    const std::size_t begin = std::min(span->begin, source.text.size());
    const auto line = 1 + std::ranges::count(source.text.substr(0, begin), '\n');
    return fmt::format("{}:{}: {}", printable_lines(source.name), line,
                       diagnostic.to_string(source.text));
  }
  const bool is_whole = span->end - span->begin >= trimmed(source.text).size();
  return diagnostic.to_string(is_whole ? std::string_view() : source.text);
}

bool wants_color(ColorChoice choice) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  const bool is_forbidden = no_color != nullptr && *no_color != '\0';
  return !is_forbidden && isatty(STDOUT_FILENO) != 0;
}

/// Reads the rest of a stream block by block; unlike stream iterators, read() does not throw on
/// errors.
Result<std::string> read_stream(std::istream& stream, const std::string& name) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  std::string contents;
  std::string block(kBlock, '\0');
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    contents.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (contents.size() > kMaxBytes) {
      return refuse(unreadable(name, fmt::format("it is longer than {} bytes", kMaxBytes)));
    }
  }
  if (stream.bad()) return refuse(unreadable(name));
  return contents;
}

ExitCode exit_code(notation::Report::Outcome outcome) {
  using enum notation::Report::Outcome;
  if (outcome == kDone) return ExitCode::kDone;
  if (outcome == kRefuted) return ExitCode::kRefuted;
  return outcome == kUnknown ? ExitCode::kUnknown : ExitCode::kRefused;
}

/// Why the file cannot be opened or read; empty if no reason is known.
std::string_view obstacle(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "there is no such file";
  if (status.type() == std::filesystem::file_type::directory) return "it is a folder";
  return access(path.c_str(), R_OK) == 0 ? "" : "it may not be read";
}

}  // namespace

Diagnostic unreadable(const std::string& path, std::string_view why) {
  const std::string name = path == "-" ? "standard input" : path;
  return Diagnostic("file.unreadable",
                    fmt::format("{} cannot be read{}{}", name, why.empty() ? "" : ": ", why));
}

ExitCode exit_code(const Diagnostic& diagnostic) {
  const std::string& code = diagnostic.code();
  for (const std::string_view family :
       {"syntax.", "name.", "call.", "file.", "usage.", "assume.syntax", "draw.path"}) {
    if (code.starts_with(family)) return ExitCode::kUsage;
  }
  return ExitCode::kRefused;
}

ExitCode exit_code(const Verdict& verdict) {
  if (verdict.is_yes()) return ExitCode::kDone;
  return verdict.is_no() ? ExitCode::kRefuted : ExitCode::kUnknown;
}

ExitCode exit_code(const notation::Value& value) {
  if (const auto verdict = verdict_of(value)) return exit_code(*verdict);
  if (const auto* report = value.get_if<notation::Report>()) return exit_code(report->outcome);
  const auto* divisibility = value.get_if<cute::Divisibility>();
  return divisibility != nullptr && !divisibility->holds ? ExitCode::kRefuted : ExitCode::kDone;
}

ExitCode worse(ExitCode a, ExitCode b) {
  // The weights of kDone, kRefuted, kUsage, kUnknown and kRefused.
  constexpr int kWeights[] = {0, 2, 3, 1, 3};
  return kWeights[static_cast<int>(a)] >= kWeights[static_cast<int>(b)] ? a : b;
}

void Console::print(const notation::Value& value) const {
  if (json_)
    return print_line(fmt::format(R"({{"ok":true,"result":{}}})", notation::to_json(value)));
  // The text of a table may be very large, so it is not copied.
  if (const auto* report = value.get_if<notation::Report>()) {
    return print_line(printable_lines(report->text));
  }
  print_line(printable_lines(notation::to_string(value)));
}

void Console::print(std::string_view statement, const notation::Value& value) const {
  if (json_) {
    return print_line(fmt::format(R"({{"ok":true,"statement":{},"result":{}}})",
                                  json_string(statement), notation::to_json(value)));
  }
  fmt::print(std::cout, "{}\n{}\n", printable_lines(statement),
             indented(printable_lines(notation::to_string(value)), kContinued));
}

void Console::print(std::string_view statement, const Diagnostic& refusal) const {
  if (json_) {
    return print_line(fmt::format(R"({{"ok":true,"statement":{},"refused":{}}})",
                                  json_string(statement), notation::to_json(refusal)));
  }
  fmt::print(std::cout, "{}\n{}\n", printable_lines(statement),
             indented(refusal.to_string(), kContinued));
}

void Console::print_text(std::string_view text) const {
  if (json_) return print_line(fmt::format(R"({{"ok":true,"result":{}}})", json_string(text)));
  std::cout << text;
}

void Console::print_line(std::string_view line) const { std::cout << line << '\n'; }

void Console::note(std::string_view text) const { std::cerr << "note: " << text << '\n'; }

ExitCode Console::fail(const Diagnostic& diagnostic, const Source& source) const {
  std::cout.flush();
  if (json_) {
    print_line(fmt::format(R"({{"ok":false,"error":{}}})", notation::to_json(diagnostic)));
  } else {
    std::cerr << with_place(diagnostic, source) << '\n';
  }
  return exit_code(diagnostic);
}

ExitCode flushed(ExitCode code) {
  std::cout.flush();
  if (std::cout) return code;
  const Diagnostic lost("file.unwritable", "standard output cannot be written");
  std::cerr << lost.to_string() << '\n';
  return exit_code(lost);
}

draw::TerminalStyle terminal_style(ColorChoice choice) {
  draw::TerminalStyle style;
  style.color = wants_color(choice);
  const char* depth = std::getenv("COLORTERM");
  style.true_color = depth != nullptr &&
                     (std::string_view(depth) == "truecolor" || std::string_view(depth) == "24bit");
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    style.width = size.ws_col;
  return style;
}

bool input_is_terminal() { return isatty(STDIN_FILENO) != 0; }

Result<void> check_readable(const std::string& path) {
  const std::string_view why = obstacle(path);
  if (why.empty()) return {};
  return refuse(unreadable(path, why));
}

Result<std::string> read_file(const std::string& path) {
  if (path == "-") return read_stream(std::cin, path);
  HEDDLE_CHECK(check_readable(path));
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse(unreadable(path));
  return read_stream(file, path);
}

Result<void> check_file_name(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(path, ignored).parent_path();
  if (!std::filesystem::is_directory(path, ignored) &&
      std::filesystem::is_directory(folder, ignored)) {
    return {};
  }
  return refuse("file.unwritable", fmt::format("{} cannot be written", path));
}

Result<void> write_file(const std::string& path, std::string_view contents) {
  if (path == "-") {
    std::cout << contents;
    return {};
  }
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (file) return {};
  return refuse("file.unwritable", fmt::format("{} cannot be written", path));
}

}  // namespace heddle::app

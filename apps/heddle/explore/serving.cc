#include "heddle/explore/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "heddle/commands.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/page_files.h"

namespace heddle::app {
namespace {

constexpr std::string_view kPagePath = "/";
constexpr std::string_view kFilesPath = "/explorer/";

std::string_view media_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  return "application/json";
}

std::optional<ServedFile> file_named(std::string_view name) {
  const auto& files = notation::page_files();
  const auto found = std::ranges::find(files, name, &notation::PageFile::name);
  if (found == files.end()) return std::nullopt;
  return ServedFile{media_type(name), found->text};
}

/// The refusal of an operation that is only a command, which may open files, compile or run;
/// nullopt for all others. The id is echoed.
std::optional<std::string> refused_command(std::string_view line) {
  const auto request = nlohmann::ordered_json::parse(line, nullptr, false);
  if (!request.is_object() || !request.contains("op") || !request["op"].is_string())
    return std::nullopt;
  const auto name = request["op"].get<std::string>();
  const bool is_operation = name == "eval" || notation::find_operation(name) != nullptr;
  const bool is_command =
      std::ranges::any_of(commands(), [&](const Command& command) { return name == command.name; });
  if (is_operation || !is_command) return std::nullopt;
  const Diagnostic why =
      Diagnostic("explore.not_served",
                 fmt::format("{} is a command, which may open files, compile or run; the explorer "
                             "only calculates",
                             name))
          .with_hint(fmt::format("heddle {} in a terminal", name));
  nlohmann::ordered_json answer = {{"id", request.value("id", nlohmann::ordered_json())},
                                   {"ok", false}};
  answer["error"] = nlohmann::ordered_json::parse(notation::to_json(why));
  return answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::optional<ServedFile> served_file(std::string_view path) {
  if (path == kPagePath) return file_named("index.html");
  if (!path.starts_with(kFilesPath)) return std::nullopt;
  return file_named(path.substr(kFilesPath.size()));
}

std::string content_security_policy() {
  constexpr std::string_view kBefore = "http-equiv=\"Content-Security-Policy\" content=\"";
  const auto page = file_named("index.html");
  const std::size_t at = page ? page->text.find(kBefore) : std::string_view::npos;
  // A page without a policy of its own loads nothing.
  if (at == std::string_view::npos) return "default-src 'none'; frame-ancestors 'none'";
  const std::size_t begin = at + kBefore.size();
  const std::string_view policy = page->text.substr(begin, page->text.find('"', begin) - begin);
  return fmt::format("{}; frame-ancestors 'none'", policy);
}

Result<void> check_visitor(const Visitor& visitor, int port) {
  const std::string names[] = {fmt::format("127.0.0.1:{}", port),
                               fmt::format("localhost:{}", port)};
  const bool is_host = std::ranges::find(names, visitor.host) != std::end(names);
  const bool is_own =
      visitor.origin.empty() || visitor.origin == fmt::format("http://{}", visitor.host);
  if (is_host && is_own) return {};
  return refuse(
      Diagnostic("explore.host",
                 fmt::format("the request comes to {} from {}, and this server answers "
                             "its own page at {} alone",
                             visitor.host.empty() ? "no host" : visitor.host,
                             visitor.origin.empty() ? "no page" : visitor.origin, names[0]))
          .with_hint("open the address that heddle explore prints"));
}

Result<void> check_token(std::string_view given, std::string_view token) {
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(given.size(), token.size()); ++i)
    difference |= static_cast<unsigned>(given[i] ^ token[i]);
  if (difference == 0) return {};
  return refuse(Diagnostic("explore.token", "the request does not have the token of this server")
                    .with_hint("open the address that heddle explore prints, with its token"));
}

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

std::string answers_to(std::string_view body, const notation::Environment& environment,
                       std::stop_token stop) {
  std::string answers;
  while (!body.empty() && !stop.stop_requested()) {
    const std::string_view line = body.substr(0, body.find('\n'));
    body.remove_prefix(std::min(body.size(), line.size() + 1));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    notation::Environment limited = environment;
    notation::CallContext context = limited.context();
    context.decide.limits.time = kMaxAnswerTime;
    context.decide.limits.end = std::chrono::steady_clock::now() + kMaxAnswerTime;
    context.decide.limits.stop = stop;
    limited.set_context(std::move(context));
    const auto refused = refused_command(line);
    answers += refused ? *refused : notation::answer(line, limited);
    answers += '\n';
  }
  return answers;
}

}  // namespace heddle::app

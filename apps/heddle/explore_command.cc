// heddle explore: layouts in the browser, from a server on this machine or as a folder of pages.

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <iostream>
#include <thread>

#include "heddle/commands.h"
#include "heddle/explore/fragment.h"
#include "heddle/explore/server.h"
#include "heddle/explore/static_pages.h"
#include "heddle/search.h"

extern char** environ;  // NOLINT: of POSIX, where no header must declare it

namespace heddle::app {
namespace {

constexpr std::int64_t kLastPort = 65535;

Result<int> port_of(const Said& said) {
  const std::int64_t port = said.number("--port").value_or(0);
  if (port >= 0 && port <= kLastPort) return static_cast<int>(port);
  return refuse("usage.option", fmt::format("--port is {}; ports are 1 to {}", port, kLastPort));
}

/// Opens the address in the user's browser; whether a program for that was found.
bool open_browser(const std::string& address) {
  std::string program = "xdg-open";
  std::string argument = address;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t process = 0;
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1 /* O_WRONLY */, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1 /* O_WRONLY */, 0);
  const int error = posix_spawnp(&process, program.c_str(), &quiet, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (error != 0) return false;
  std::thread([process] { waitpid(process, nullptr, 0); }).detach();
  return true;
}

Outcome serve(const Call& call, const std::vector<NamedText>& texts) {
  HEDDLE_TRY(const int port, port_of(call.said));
  HEDDLE_TRY(const auto server, ExploreServer::make(port, call.environment));
  std::string address = server->address();
  if (!texts.empty()) address += "#" + fragment_of(texts);
  const Interrupts interrupts([&] { server->stop(); });
  call.console.print_text(address + "\n");
  std::cout << std::flush;
  const bool is_opened = !call.said.flag("--no-browser") && open_browser(address);
  call.console.note(is_opened ? "opened in the browser; Ctrl-C ends it"
                              : "open this address in a browser; Ctrl-C ends it");
  server->run();
  return ExitCode::kDone;
}

}  // namespace

Outcome explore_command(const Call& call) {
  const std::string& folder = call.said.text("--static");
  HEDDLE_TRY(const std::vector<NamedText> texts, texts_of(call.expressions));
  if (folder.empty()) return serve(call, texts);
  HEDDLE_CHECK(write_static_pages(folder, texts, call.environment));
  call.console.print_text(fmt::format("wrote {}\n", folder));
  return ExitCode::kDone;
}

}  // namespace heddle::app

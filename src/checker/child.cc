#include "checker/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>

namespace heddle::checker {

namespace {

using Clock = std::chrono::steady_clock;

/// One end of a pipe.
class End {
 public:
  explicit End(int file) : file_(file) {}
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  ~End() { close(); }
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_;
};

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Behind its length.
[[noreturn]] void write_and_end(int file, const std::function<std::string()>& work) {
#ifdef __linux__
  // Whoever waits for it may be ended.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const std::string bytes = work();
  const std::uint64_t size = bytes.size();
  std::array<char, sizeof size> head{};
  std::memcpy(head.data(), &size, sizeof size);
  write_all(file, {head.data(), head.size()});
  write_all(file, bytes);
  _exit(0);
}

/// What is written until the end, or until the time is over.
std::string read_all(int file, Clock::time_point until, bool& is_late) {
  std::string bytes;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    is_late = left <= 0;
    if (is_late) return bytes;
    pollfd waits{file, POLLIN, 0};
    constexpr std::int64_t kLongest = 1'000'000;
    if (poll(&waits, 1, static_cast<int>(std::min<std::int64_t>(left, kLongest))) <= 0) continue;
    const ssize_t got = read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(part.data(), static_cast<std::size_t>(got));
  }
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("ends the process by the signal {}", WTERMSIG(status));
  }
  return fmt::format("ends the process with status {}", WEXITSTATUS(status));
}

}  // namespace

Result<ChildResult> in_child(const std::function<std::string()>& work, std::int64_t seconds) {
  std::array<int, 2> files{};
  const bool has_pipe = pipe2(files.data(), O_CLOEXEC) == 0;
  const pid_t child = has_pipe ? fork() : -1;
  if (child < 0) {
    const std::string why = std::generic_category().message(errno);
    for (const int file : files) {
      if (has_pipe) close(file);
    }
    return refuse("kernel.no_device",
                  fmt::format("no process can be made for the kernel to run in: {}", why));
  }
  End reads(files[0]);
  End writes(files[1]);
  if (child == 0) {
    reads.close();
    write_and_end(writes.file(), work);
  }
  writes.close();
  ChildResult result;
  const std::string bytes =
      read_all(reads.file(), Clock::now() + std::chrono::seconds(seconds), result.is_late);
  if (result.is_late) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  std::uint64_t size = 0;
  if (bytes.size() >= sizeof size) {
    std::memcpy(&size, bytes.data(), sizeof size);
    result.written = bytes.substr(sizeof size);
    result.is_whole = result.written.size() == size;
  }
  if (!result.is_whole) result.end = end_text(status);
  return result;
}

}  // namespace heddle::checker

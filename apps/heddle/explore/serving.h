#pragma once

// What the explorer's server answers, apart from any network: which file a path names, which
// requests are let in, and the answers to a body of JSON Lines.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/notation/evaluator.h"

namespace heddle::app {

/// A body has at most so many bytes and so much time to arrive, and a request of the page so much
/// time.
inline constexpr std::size_t kMaxBody = std::size_t{8} << 20;
inline constexpr std::chrono::seconds kMaxBodyTime{4};
inline constexpr std::chrono::seconds kMaxAnswerTime{60};

/// A file to send.
struct ServedFile {
  std::string_view type;
  std::string_view text;
};

/// The file of a path, `/` or `/explorer/picture.js`; nullopt for every other path. Only files that
/// are within the library are served: nothing is read from the disk.
[[nodiscard]] std::optional<ServedFile> served_file(std::string_view path);

/// The policy of the page for what it may load, as the page itself states it.
[[nodiscard]] std::string content_security_policy();

/// Who is at the door: the headers of a request that say where it comes from.
struct Visitor {
  std::string_view host;
  /// Empty if there is none.
  std::string_view origin;
};
/// Refuses `explore.host` unless the request was sent to this server by its own page: other sites
/// must not ask, even under a name of their own that leads to 127.0.0.1.
[[nodiscard]] Result<void> check_visitor(const Visitor& visitor, int port);
/// Refuses `explore.token` for another token; takes as long for every token of the same length.
[[nodiscard]] Result<void> check_token(std::string_view given, std::string_view token);
/// 128 random bits, as 32 digits.
[[nodiscard]] std::string random_token();

/// The answers to the lines of a body, one a line, as `heddle batch` gives them, each within
/// kMaxAnswerTime. The names of commands that open files, compile or run are refused with
/// `explore.not_served`.
[[nodiscard]] std::string answers_to(std::string_view body,
                                     const notation::Environment& environment,
                                     std::stop_token stop);

}  // namespace heddle::app

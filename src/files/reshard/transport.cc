#include "heddle/files/transport.h"

#include <cassert>
#include <utility>

#include "files/reshard/crew.h"

namespace heddle::files {
namespace {

/// What a text begins with that a process says, or a refusal.
constexpr char kSaid = '+';
constexpr char kRefused = '-';

std::string refusal_text(const Diagnostic& why) {
  std::vector<std::string> parts = {why.code(), why.message(), why.hint()};
  parts.insert(parts.end(), why.notes().begin(), why.notes().end());
  return joined(parts);
}

Diagnostic refusal_in(std::string_view text) {
  const std::vector<std::string> parts = separated(text);
  Diagnostic why(parts.at(0), parts.at(1));
  for (std::size_t i = 3; i < parts.size(); ++i) why = std::move(why).with_note(parts[i]);
  return parts.at(2).empty() ? why : std::move(why).with_hint(parts.at(2));
}

}  // namespace

// Alone there is nobody to speak to.

std::size_t Transport::send(std::size_t /*to*/, std::span<const std::byte> /*message*/) {
  assert(false);
  return 0;
}

std::size_t Transport::receive(std::size_t /*from*/, std::span<std::byte> /*message*/) {
  assert(false);
  return 0;
}

void Transport::finish(std::size_t /*message*/) { assert(false); }

Result<std::vector<std::string>> gather(Transport& transport, const Result<std::string>& said) {
  const std::string mine = said ? kSaid + *said : kRefused + refusal_text(said.error());
  std::vector<std::string> all = transport.gather(mine);
  for (std::string& text : all) {
    if (text.front() == kRefused) return refuse(refusal_in(std::string_view(text).substr(1)));
    text.erase(0, 1);
  }
  return all;
}

Result<void> agree(Transport& transport, const Result<void>& done) {
  HEDDLE_CHECK(gather(transport, done.map([] { return std::string(); })));
  return {};
}

}  // namespace heddle::files

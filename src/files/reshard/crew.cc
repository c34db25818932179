#include "files/reshard/crew.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "core/format.h"
#include "core/little_endian.h"
#include "core/text.h"

namespace heddle::files {
namespace {

constexpr std::size_t kLengthBytes = 8;
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

std::string joined(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) {
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
      all += static_cast<char>(text.size() >> (8 * i) & 0xFF);
    }
    all += text;
  }
  return all;
}

std::vector<std::string> separated(std::string_view joined) {
  std::vector<std::string> texts;
  while (joined.size() >= kLengthBytes) {
    const auto length = static_cast<std::size_t>(little_endian(joined.substr(0, kLengthBytes)));
    texts.emplace_back(joined.substr(kLengthBytes, length));
    joined.remove_prefix(kLengthBytes + texts.back().size());
  }
  return texts;
}

Result<Crew> Crew::make(const Specs& from, const Specs& to, Transport& transport) {
  const std::vector<std::int64_t> sources = from.devices();
  const std::vector<std::int64_t> destinations = to.devices();
  std::vector<std::int64_t> devices;
  std::ranges::set_union(sources, destinations, std::back_inserter(devices));
  if (transport.size() != 1 && transport.size() != devices.size()) {
    return refuse(diagnose("reshard.ranks", "{} processes run, and both sides together have {}",
                           transport.size(),
                           counted(static_cast<std::int64_t>(devices.size()), "device"))
                      .with_hint(fmt::format("mpirun -n {} starts one for each", devices.size())));
  }
  return Crew(transport, std::move(devices));
}

std::size_t Crew::process_of(std::int64_t device) const {
  if (transport_->size() == 1) return 0;
  const auto found = std::ranges::lower_bound(devices_, device);
  assert(found != devices_.end() && *found == device);
  return static_cast<std::size_t>(found - devices_.begin());
}

Result<std::vector<std::string>> Crew::gather(const Result<std::string>& said) const {
  const std::string mine = said ? kSaid + *said : kRefused + refusal_text(said.error());
  std::vector<std::string> all = transport_->gather(mine);
  for (std::string& text : all) {
    if (text.front() == kRefused) return refuse(refusal_in(std::string_view(text).substr(1)));
    text.erase(0, 1);
  }
  return all;
}

Result<void> Crew::agree(const Result<void>& done) const {
  HEDDLE_CHECK(gather(done.map([] { return std::string(); })));
  return {};
}

}  // namespace heddle::files

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

}  // namespace heddle::files

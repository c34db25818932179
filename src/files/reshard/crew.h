#pragma once

// The devices of a run, and the processes that work for them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/files/reshard.h"
#include "heddle/files/transport.h"

namespace heddle::files {

/// Texts of any bytes as one: each behind its length.
[[nodiscard]] std::string joined(std::span<const std::string> texts);
[[nodiscard]] std::vector<std::string> separated(std::string_view joined);

/// One process works for all devices, or one for each.
class Crew {
 public:
  /// Of all devices of both sides. Refuses `reshard.ranks` for another number of processes than
  /// devices, unless there is one process.
  [[nodiscard]] static Result<Crew> make(const Specs& from, const Specs& to, Transport& transport);

  [[nodiscard]] Transport& transport() const { return *transport_; }
  /// Ascending.
  [[nodiscard]] std::span<const std::int64_t> devices() const { return devices_; }
  /// The process that works for a device.
  [[nodiscard]] std::size_t process_of(std::int64_t device) const;
  [[nodiscard]] bool is_mine(std::int64_t device) const {
    return process_of(device) == transport_->rank();
  }

  /// What all processes say; if one of them is refused, its refusal, in all of them alike.
  [[nodiscard]] Result<std::vector<std::string>> gather(const Result<std::string>& said) const {
    return files::gather(*transport_, said);
  }
  [[nodiscard]] Result<void> agree(const Result<void>& done) const {
    return files::agree(*transport_, done);
  }

 private:
  Crew(Transport& transport, std::vector<std::int64_t> devices)
      : transport_(&transport), devices_(std::move(devices)) {}

  Transport* transport_;
  std::vector<std::int64_t> devices_;
};

}  // namespace heddle::files

#pragma once

// Files as the system has them: descriptors, mappings that are written, and why something fails.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/core/result.h"

namespace heddle::files {

/// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

/// The bytes of an open file, mapped into memory for writing.
class WritableMapping {
 public:
  /// Of so many bytes. Room is taken before: writing to the mapping of a file on a full disk would
  /// end the process. Refuses `file.unwritable`.
  [[nodiscard]] static Result<WritableMapping> make(const std::string& path, int number,
                                                    std::size_t size);
  WritableMapping(const WritableMapping&) = delete;
  WritableMapping& operator=(const WritableMapping&) = delete;
  WritableMapping(WritableMapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  WritableMapping& operator=(WritableMapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~WritableMapping();

  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  /// Waits until all is on the disk; false, and an error number, if it cannot be.
  [[nodiscard]] bool sync() const;

 private:
  explicit WritableMapping(std::span<std::byte> bytes) : bytes_(bytes) {}

  std::span<std::byte> bytes_;
};

/// Says that mapped bytes are not needed for now: they stay in their file, and count no longer to
/// the memory of the process.
void release(std::span<const std::byte> mapped);

/// What the system says of an error number.
[[nodiscard]] std::string reason(int error);
[[nodiscard]] Refusal unreadable(const std::string& path, std::string_view why);
[[nodiscard]] Refusal unwritable(const std::string& path, std::string_view why);

/// Refuses to write what is no file under its own name.
[[nodiscard]] Result<void> check_writable(const std::string& path);

}  // namespace heddle::files

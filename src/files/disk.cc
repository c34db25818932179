#include "files/disk.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "core/format.h"

namespace heddle::files {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Result<WritableMapping> WritableMapping::make(const std::string& path, int number,
                                              std::size_t size) {
  if (size == 0) return WritableMapping({});
  const int error = posix_fallocate(number, 0, static_cast<off_t>(size));
  if (error != 0) return unwritable(path, reason(error));
  void* begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
  if (begin == MAP_FAILED) return unwritable(path, reason(errno));  // NOLINT: the macro casts
  return WritableMapping({static_cast<std::byte*>(begin), size});
}

WritableMapping::~WritableMapping() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

bool WritableMapping::sync() const {
  return bytes_.empty() || msync(bytes_.data(), bytes_.size(), MS_SYNC) == 0;
}

void release(std::span<const std::byte> mapped) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(mapped.data());
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + mapped.size()) / page * page;
  // Pages that other bytes share are kept.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // NOLINT
}

std::string reason(int error) { return std::generic_category().message(error); }

Refusal unreadable(const std::string& path, std::string_view why) {
  return refuse("file.unreadable", "{} cannot be read: {}", path, why);
}

Refusal unwritable(const std::string& path, std::string_view why) {
  return refuse("file.unwritable", "{} cannot be written: {}", path, why);
}

Result<void> check_writable(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored)) {
    return unwritable(path, "it is a link, and is not overwritten");
  }
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    return unwritable(path, "it is not a file");
  }
  return {};
}

}  // namespace heddle::files

#include "heddle/files/tensor_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "files/disk.h"
#include "files/formats.h"
#include "heddle/notation/npy.h"

namespace heddle::files {
namespace {

/// Calls `fill` with the bytes of an open file, mapped into memory.
Result<void> with_mapping(const std::string& path, int number, std::size_t size,
                          const std::function<Result<void>(std::span<std::byte>)>& fill) {
  HEDDLE_TRY(const WritableMapping mapping, WritableMapping::make(path, number, size));
  return fill(mapping.bytes());
}

/// A file beside its final name, which is removed unless it is given that name.
class Draft {
 public:
  Draft(std::string path, std::string name, int number)
      : path_(std::move(path)), name_(std::move(name)), file_(number) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (!name_.empty()) unlink(name_.c_str());
  }

  [[nodiscard]] int number() const { return file_.number(); }

  /// Gives it the final name, once its contents are on the disk.
  [[nodiscard]] Result<void> publish() {
    if (fsync(number()) != 0 || rename(name_.c_str(), path_.c_str()) != 0) {
      return unwritable(path_, reason(errno));
    }
    name_.clear();
    return {};
  }

 private:
  std::string path_;
  std::string name_;
  Descriptor file_;
};

/// A new file whose name no other has, with the rights of any new file; -1 if none can be opened.
std::pair<std::string, int> open_beside(const std::string& path) {
  constexpr int kTries = 100;
  constexpr mode_t kUsual = 0666;
  for (int i = 0; i < kTries; ++i) {
    std::uint32_t suffix = 0;
    if (getrandom(&suffix, sizeof(suffix), 0) < 0) suffix = static_cast<std::uint32_t>(i);
    std::string name = fmt::format("{}.{:06x}", path, suffix & 0xFFFFFF);
    const int number = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kUsual);
    if (number >= 0 || errno != EEXIST) return {std::move(name), number};
  }
  return {{}, -1};
}

}  // namespace

class TensorFile::Mapping {
 public:
  Mapping(const void* begin, std::size_t size) : begin_(begin), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (size_ > 0) munmap(const_cast<void*>(begin_), size_);  // NOLINT: what mmap() gave
  }

  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(begin_), size_}; }

 private:
  const void* begin_;
  std::size_t size_;
};

Format format_of(std::string_view path) {
  if (path.ends_with(".npy")) return Format::kNpy;
  if (path.ends_with(".npz")) return Format::kNpz;
  if (path.ends_with(".safetensors")) return Format::kSafetensors;
  return Format::kRaw;
}

namespace {

Result<Contents> without_metadata(Result<std::vector<Tensor>> tensors) {
  return std::move(tensors).map(
      [](std::vector<Tensor> all) { return Contents{std::move(all), {}}; });
}

Result<Contents> contents_of(std::string_view bytes) {
  if (notation::looks_like_npy(bytes)) return without_metadata(npy_tensors(bytes));
  if (looks_like_zip(bytes)) return without_metadata(npz_tensors(bytes));
  if (looks_like_safetensors(bytes)) return safetensors_contents(bytes);
  Tensor raw;
  raw.shape = {static_cast<std::int64_t>(bytes.size())};
  raw.bytes = bytes.size();
  return Contents{{std::move(raw)}, {}};
}

}  // namespace

Result<std::vector<Tensor>> tensors_of(std::string_view bytes) {
  HEDDLE_TRY(Contents contents, contents_of(bytes));
  return std::move(contents.tensors);
}

Result<TensorFile> TensorFile::open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file.is_open() || fstat(file.number(), &status) != 0) return unreadable(path, reason(errno));
  if (!S_ISREG(status.st_mode)) return unreadable(path, "it is not a file");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* begin = nullptr;
  if (size > 0) {
    begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (begin == MAP_FAILED) return unreadable(path, reason(errno));  // NOLINT: the macro casts
  }
  auto mapping = std::make_shared<const Mapping>(begin, size);
  HEDDLE_TRY(Contents contents, contents_of(mapping->bytes()));
  return TensorFile(std::move(mapping), std::move(contents.tensors), std::move(contents.metadata));
}

Result<Tensor> TensorFile::find(std::string_view name) const {
  std::vector<std::string> names;
  for (const Tensor& tensor : tensors_) {
    if (tensor.name == name || (name.empty() && tensors_.size() == 1)) return tensor;
    constexpr std::size_t kShown = 8;
    if (names.size() < kShown) names.push_back(printable(tensor.name));
  }
  if (tensors_.size() > names.size()) names.emplace_back("…");
  Diagnostic diagnostic =
      name.empty() ? diagnose("tensor.unknown", "the file has {}; which one?",
                              counted(tensors_.size(), "tensor"))
                   : diagnose("tensor.unknown", "the file has no tensor {}", printable(name));
  if (tensors_.size() == 1 && tensors_.front().name.empty()) {
    return refuse(std::move(diagnostic).with_hint("it has one tensor, which has no name"));
  }
  return refuse(
      std::move(diagnostic).with_hint(fmt::format("its tensors: {}", fmt::join(names, ", "))));
}

std::string_view TensorFile::all() const { return mapping_->bytes(); }

std::span<const std::byte> TensorFile::bytes(const Tensor& tensor) const {
  const std::string_view all = this->all();
  if (tensor.begin > all.size() || tensor.bytes > all.size() - tensor.begin) return {};
  return std::as_bytes(std::span(all.substr(tensor.begin, tensor.bytes)));
}

namespace {

/// Writes a file of this size under a name of its own, and gives it the final one.
Result<void> write_whole(const std::string& path, std::size_t size,
                         const std::function<Result<void>(std::span<std::byte>)>& fill) {
  HEDDLE_CHECK(check_writable(path));
  const auto [name, number] = open_beside(path);
  if (number < 0) return unwritable(path, reason(errno));
  Draft draft(path, name, number);
  HEDDLE_CHECK(with_mapping(path, number, size, fill));
  return draft.publish();
}

}  // namespace

Result<void> write_bytes(const std::string& path, std::string_view bytes) {
  return write_whole(path, bytes.size(), [&](std::span<std::byte> to) -> Result<void> {
    std::ranges::copy(std::as_bytes(std::span(bytes)), to.begin());
    return {};
  });
}

Result<void> write_tensor(const std::string& path, const Tensor& tensor,
                          const std::function<Result<void>(std::span<std::byte>)>& fill,
                          const Metadata& metadata) {
  if (format_of(path) == Format::kNpz) {
    return refuse(
        Diagnostic("npz.header", "archives of arrays are read and not written")
            .with_hint("name the file .npy or .safetensors; any other name is for raw bytes"));
  }
  if (format_of(path) == Format::kSafetensors) {
    Tensor named = tensor;
    if (named.name.empty()) named.name = "tensor";
    return write_tensors(
        path, {&named, 1}, metadata,
        [&](std::span<const std::span<std::byte>> bytes) { return fill(bytes.front()); });
  }
  const std::string beginning = format_of(path) == Format::kNpy ? npy_beginning(tensor) : "";
  return write_whole(path, beginning.size() + tensor.bytes, [&](std::span<std::byte> bytes) {
    std::ranges::copy(std::as_bytes(std::span(beginning)), bytes.begin());
    return fill(bytes.subspan(beginning.size()));
  });
}

Result<void> write_tensors(
    const std::string& path, std::span<const Tensor> tensors, const Metadata& metadata,
    const std::function<Result<void>(std::span<const std::span<std::byte>>)>& fill) {
  HEDDLE_TRY(const std::string beginning, safetensors_beginning(tensors, metadata));
  std::size_t size = beginning.size();
  for (const Tensor& tensor : tensors) size += tensor.bytes;
  return write_whole(path, size, [&](std::span<std::byte> bytes) {
    std::ranges::copy(std::as_bytes(std::span(beginning)), bytes.begin());
    std::vector<std::span<std::byte>> parts;
    std::size_t at = beginning.size();
    for (const Tensor& tensor : tensors) {
      parts.push_back(bytes.subspan(at, tensor.bytes));
      at += tensor.bytes;
    }
    return fill(parts);
  });
}

Result<void> change_tensor(const std::string& path, const Tensor& tensor,
                           const std::function<Result<void>(std::span<std::byte>)>& change) {
  HEDDLE_CHECK(check_writable(path));
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat status{};
  if (!file.is_open() || fstat(file.number(), &status) != 0) return unwritable(path, reason(errno));
  if (status.st_nlink > 1) return unwritable(path, "it has other names, which would change too");
  std::string beginning;
  {
    HEDDLE_TRY(const TensorFile before, TensorFile::open(path));
    const std::string_view bytes = before.all();
    if (looks_like_zip(bytes) || looks_like_safetensors(bytes)) {
      return unwritable(path, "only a .npy file and raw bytes are changed in place");
    }
    if (notation::looks_like_npy(bytes)) {
      HEDDLE_TRY(beginning, npy_beginning(tensor, tensor.begin));
    }
  }
  const std::string name = path + ".moving";
  if (renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) != 0) {
    return unwritable(path, fmt::format("its name while it moves, {}: {}", name, reason(errno)));
  }
  const auto changed =
      with_mapping(path, file.number(), static_cast<std::size_t>(status.st_size),
                   [&](std::span<std::byte> bytes) -> Result<void> {
                     HEDDLE_CHECK(change(bytes.subspan(tensor.begin)));
                     std::ranges::copy(std::as_bytes(std::span(beginning)), bytes.begin());
                     return {};
                   });
  if ((changed && fsync(file.number()) != 0) ||
      renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
    return unwritable(path, fmt::format("{}; the file is {}", reason(errno), name));
  }
  return changed;
}

}  // namespace heddle::files

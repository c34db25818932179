#pragma once

// The files that a checkpoint is read from, and what each device has in them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/reshard/crew.h"
#include "heddle/core/result.h"
#include "heddle/files/tensor_file.h"

namespace heddle::files {

/// Whether the text is what a pattern stands for, in which `*` is any text.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

/// The files that a checkpoint names, in the order of the devices. Refuses `reshard.files`.
[[nodiscard]] Result<std::vector<std::string>> checkpoint_files(
    std::span<const std::string> checkpoint);

/// A tensor of one device.
struct SourceTensor {
  Tensor tensor;
  /// The number of its file.
  std::size_t file = 0;
  /// As its file has it; empty if it has none.
  std::string checksum;
  /// The shape of the whole, if its file says it.
  std::optional<std::vector<std::int64_t>> whole;
};

/// What the metadata say of a tensor whose parts are padded: the shape of the whole, which the
/// parts do not tell.
[[nodiscard]] std::pair<std::string, std::string> stated_shape(std::string_view tensor,
                                                               std::span<const std::int64_t> shape);

/// Erases what metadata say of single tensors, which is not true of others: checksums and shapes.
void erase_of_tensors(Metadata& metadata);

/// What every process knows of all files, and the bytes of its own devices' files.
class Sources {
 public:
  /// Opens the files of this process's devices, and tells the other processes what they have.
  /// Refuses `reshard.files`, `reshard.surplus`, and what TensorFile::open() refuses.
  [[nodiscard]] static Result<Sources> open(std::span<const std::string> checkpoint,
                                            std::span<const std::int64_t> devices,
                                            const Crew& crew);

  [[nodiscard]] const std::set<std::string>& names() const { return names_; }
  /// The tensor of a device; nullptr if it has none of this name.
  [[nodiscard]] const SourceTensor* find(std::int64_t device, std::string_view name) const;
  /// The bytes of a tensor of one of this process's devices.
  [[nodiscard]] std::span<const std::byte> bytes(const SourceTensor& tensor) const;
  [[nodiscard]] const std::string& path(const SourceTensor& tensor) const {
    return paths_[tensor.file];
  }
  /// The path of the first file of a device.
  [[nodiscard]] std::string path_of(std::int64_t device) const;
  /// What all files say about themselves, but for what is said of a single tensor.
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  /// A text that is another one for other files.
  [[nodiscard]] const std::string& identity() const { return identity_; }

 private:
  /// The text by which a process tells the others what one of its files has.
  [[nodiscard]] Result<std::string> opened(std::size_t file);
  [[nodiscard]] Result<void> add(std::size_t file, const std::string& told);

  std::vector<std::string> paths_;
  /// By file.
  std::vector<std::int64_t> devices_;
  std::vector<std::optional<TensorFile>> files_;
  std::map<std::int64_t, std::map<std::string, SourceTensor, std::less<>>> tensors_;
  std::set<std::string> names_;
  std::optional<Metadata> common_;
  Metadata metadata_;
  std::string identity_;
};

}  // namespace heddle::files

#pragma once

// Files of tensors: NumPy's .npy and .npz, safetensors, and raw bytes.
//
//   TensorFile file = TensorFile::open("model.safetensors").value();
//   file.tensors().front()              name "w", type "BF16", 16 bits, shape 4096 x 4096
//   file.bytes(file.tensors().front())  its elements, mapped into memory: read when they are used
//
// Files are mapped, so they may be larger than memory. A header is not trusted: what it says is
// checked against the length of the file. A file is told by how it begins, not by its name.
//
// What is written is written beside its name and renamed when it is whole, so that a full disk or
// the end of the process leaves nothing under that name, or what was there before.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::files {

enum class Format : std::uint8_t { kRaw, kNpy, kNpz, kSafetensors };

/// The format that the extension of a path names; raw for any other one.
[[nodiscard]] Format format_of(std::string_view path);

/// A tensor in a file.
struct Tensor {
  /// Empty in formats that name none.
  std::string name;
  /// As NumPy writes it, `<f4`; `|u1` for raw bytes.
  std::string type = "|u1";
  /// As safetensors names it, `BF16`; empty if it has no name for it.
  std::string safetensors_type = "U8";
  std::int64_t element_bits = 8;
  std::vector<std::int64_t> shape;
  bool first_fastest = false;
  /// Where its bytes are in the file.
  std::size_t begin = 0;
  std::size_t bytes = 0;
};

/// What a file says beside its tensors: the `__metadata__` of safetensors.
using Metadata = std::map<std::string, std::string, std::less<>>;

/// The tensors of a file that is given as bytes. Refuses `npy.header`, `npy.version`, `npy.dtype`,
/// `npy.size`, `npz.header`, `npz.compressed`, `safetensors.header`.
[[nodiscard]] Result<std::vector<Tensor>> tensors_of(std::string_view bytes);

class TensorFile {
 public:
  /// Maps the file. Refuses `file.unreadable`, and what tensors_of() refuses.
  [[nodiscard]] static Result<TensorFile> open(const std::string& path);

  [[nodiscard]] std::span<const Tensor> tensors() const { return tensors_; }
  /// Empty in formats that have none. What is no text is left out.
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  /// The tensor with this name; the only one for an empty name. Refuses `tensor.unknown`.
  [[nodiscard]] Result<Tensor> find(std::string_view name) const;
  /// The bytes of one of tensors(); empty for a tensor that reaches past the end of this file.
  [[nodiscard]] std::span<const std::byte> bytes(const Tensor& tensor) const;
  /// The whole file, its header included.
  [[nodiscard]] std::string_view all() const;

 private:
  class Mapping;
  TensorFile(std::shared_ptr<const Mapping> mapping, std::vector<Tensor> tensors, Metadata metadata)
      : mapping_(std::move(mapping)),
        tensors_(std::move(tensors)),
        metadata_(std::move(metadata)) {}

  std::shared_ptr<const Mapping> mapping_;
  std::vector<Tensor> tensors_;
  Metadata metadata_;
};

/// Writes a file of one tensor, in the format that the path names; its bytes are zero until `fill`
/// sets them. The type, the shape and the number of bytes of the tensor are used, and the metadata
/// by a format that has any. Refuses `file.unwritable`, also for a link or a full disk,
/// `npz.header` for .npz, which can only be read, and what `fill` refuses; no file is left then.
[[nodiscard]] Result<void> write_tensor(
    const std::string& path, const Tensor& tensor,
    const std::function<Result<void>(std::span<std::byte>)>& fill, const Metadata& metadata = {});

/// Writes a safetensors file of these tensors, one after the other; `fill` gets the bytes of each,
/// which are zero. The names, the types, the shapes and the numbers of bytes are used. Refuses as
/// write_tensor(), and `safetensors.header` for two tensors of one name, or too many.
[[nodiscard]] Result<void> write_tensors(
    const std::string& path, std::span<const Tensor> tensors, const Metadata& metadata,
    const std::function<Result<void>(std::span<const std::span<std::byte>>)>& fill);

/// Writes a file of these bytes. Refuses `file.unwritable`, also for a link or a full disk; then
/// there is no file, or the one that was there.
[[nodiscard]] Result<void> write_bytes(const std::string& path, std::string_view bytes);

/// Changes the elements of the tensor of a .npy file or of raw bytes within the file, and what the
/// header says of them: its new type and shape, which take as many bytes. While it changes, the
/// file is called `PATH.moving`: the end of the process leaves nothing under `path` that is not
/// whole. What `change` refuses must leave the bytes as they were. Refuses `file.unreadable`;
/// `file.unwritable`, also for a link, a file with several names, one of another format, and if
/// there is a `PATH.moving`; `tensor.shape` if the header has no room for the shape; and what
/// `change` refuses.
[[nodiscard]] Result<void> change_tensor(
    const std::string& path, const Tensor& tensor,
    const std::function<Result<void>(std::span<std::byte>)>& change);

}  // namespace heddle::files
#pragma GCC visibility pop

#pragma once

// The formats of tensor files, each read from the bytes of a whole file.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/files/tensor_file.h"

namespace heddle::files {

[[nodiscard]] bool looks_like_zip(std::string_view bytes);
/// Whether a length and a JSON object follow.
[[nodiscard]] bool looks_like_safetensors(std::string_view bytes);

[[nodiscard]] Result<std::vector<Tensor>> npy_tensors(std::string_view bytes);
[[nodiscard]] Result<std::vector<Tensor>> npz_tensors(std::string_view bytes);

/// What a file has.
struct Contents {
  std::vector<Tensor> tensors;
  Metadata metadata;
};
[[nodiscard]] Result<Contents> safetensors_contents(std::string_view bytes);
/// The same of what a file begins with, up to its elements, before so many bytes of elements.
[[nodiscard]] Result<Contents> safetensors_contents(std::string_view beginning, std::size_t data);
/// The part of a file before its elements. The file must be one of safetensors.
[[nodiscard]] std::string_view safetensors_beginning(std::string_view bytes);

/// The bytes before the elements of a file of this one tensor.
[[nodiscard]] std::string npy_beginning(const Tensor& tensor);
/// The same in so many bytes. Refuses `tensor.shape` if they are too few.
[[nodiscard]] Result<std::string> npy_beginning(const Tensor& tensor, std::size_t bytes);
/// The bytes before the elements of tensors that follow one another without gaps. Refuses
/// `safetensors.header` for two of one name, and for a header that is too long to be read.
[[nodiscard]] Result<std::string> safetensors_beginning(std::span<const Tensor> tensors,
                                                        const Metadata& metadata);

/// Sets the type by NumPy's name, and by that of safetensors. nullopt for an unknown one.
[[nodiscard]] std::optional<Tensor> tensor_of_npy_type(std::string_view type);
[[nodiscard]] std::optional<Tensor> tensor_of_safetensors_type(std::string_view type);

/// The bytes that a tensor of this shape takes; nullopt past 2^62 bits.
[[nodiscard]] std::optional<std::int64_t> bytes_of(const Tensor& tensor);

}  // namespace heddle::files

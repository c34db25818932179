#include "heddle/notation/npy.h"
#include "core/format.h"
#include "core/printable.h"
#include "files/formats.h"

namespace heddle::files {

Result<std::vector<Tensor>> npy_tensors(std::string_view bytes) {
  HEDDLE_TRY(const notation::NpyHeader header, notation::read_npy_header(bytes));
  std::optional<Tensor> tensor = tensor_of_npy_type(header.type);
  if (!tensor) {
    return refuse("npy.dtype", "the elements are '{}', whose width is not known",
                  printable(header.type));
  }
  tensor->shape = header.shape;
  tensor->first_fastest = header.first_fastest;
  tensor->begin = header.begin;
  const std::size_t data = bytes.size() - header.begin;
  const auto wanted = bytes_of(*tensor);
  if (!wanted || static_cast<std::size_t>(*wanted) != data) {
    return refuse("npy.size", "the elements of '{}' take {} bytes, and {} follow the header",
                  printable(header.type), wanted ? std::to_string(*wanted) : "more than 2^59",
                  data);
  }
  tensor->bytes = data;
  return std::vector{*std::move(tensor)};
}

std::string npy_beginning(const Tensor& tensor) {
  return notation::npy_header_text({tensor.type, tensor.first_fastest, tensor.shape, 0});
}

Result<std::string> npy_beginning(const Tensor& tensor, std::size_t bytes) {
  // Version 1 says in the last two of ten bytes how long the text is.
  constexpr std::size_t kBeforeText = 10;
  std::string beginning = npy_beginning(tensor);
  const std::size_t text = bytes - kBeforeText;
  if (beginning.size() > bytes || text > UINT16_MAX) {
    return refuse("tensor.shape",
                  "the header of the file has {} bytes, and the shape ({}) takes {}", bytes,
                  fmt::join(tensor.shape, ","), beginning.size());
  }
  beginning.insert(beginning.size() - 1, bytes - beginning.size(), ' ');
  beginning[kBeforeText - 2] = static_cast<char>(text & 0xFF);
  beginning[kBeforeText - 1] = static_cast<char>(text >> 8);
  return beginning;
}

}  // namespace heddle::files

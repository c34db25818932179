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

}  // namespace heddle::files

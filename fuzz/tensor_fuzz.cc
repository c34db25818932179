// Any bytes may be a file of tensors: read or refused, and what is read lies within the bytes.

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "heddle/files/tensor_file.h"

namespace {

using namespace heddle;

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tensors = files::tensors_of(bytes);
  if (!tensors) {
    static const std::set<std::string, std::less<>> kCodes = {
        "npy.dtype",      "npy.header", "npy.size",          "npy.version",
        "npz.compressed", "npz.header", "safetensors.header"};
    require(kCodes.contains(tensors.error().code()));
    return 0;
  }
  for (const files::Tensor& tensor : *tensors) {
    require(tensor.begin <= size && tensor.bytes <= size - tensor.begin);
    require(tensor.element_bits > 0);
    if (tensor.bytes == 0) continue;
    std::int64_t bits = tensor.element_bits;
    for (const std::int64_t extent : tensor.shape) {
      require(extent > 0);
      bits *= extent;
    }
    require((bits + 7) / 8 == static_cast<std::int64_t>(tensor.bytes));
  }
  return 0;
}

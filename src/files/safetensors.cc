#include <algorithm>
#include <cstring>

#include "core/format.h"
#include "core/printable.h"
#include "files/formats.h"
#include "notation/json/nlohmann.h"

namespace heddle::files {
namespace {

using Json = notation::Json;

constexpr std::size_t kLength = 8;
/// As the format's own readers have it.
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

Refusal bad_header(std::string_view why) {
  return refuse("safetensors.header", "this is no file of safetensors: {}", why);
}

std::uint64_t length_of(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = kLength; i-- > 0;) {
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

std::optional<std::vector<std::int64_t>> numbers_of(const Json& json, std::string_view field) {
  const auto found = json.find(field);
  if (found == json.end() || !found->is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Json& item : *found) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    numbers.push_back(item.get<std::int64_t>());
  }
  return numbers;
}

/// The tensor that an entry describes, whose bytes must be within `data` bytes.
Result<Tensor> tensor_of(const std::string& name, const Json& entry, std::size_t data) {
  const auto refusal = [&](std::string_view why) {
    return bad_header(fmt::format("the tensor {} {}", printable(name), why));
  };
  if (!entry.is_object()) return refusal("is no object");
  const auto type = entry.find("dtype");
  if (type == entry.end() || !type->is_string()) return refusal("has no dtype");
  auto tensor = tensor_of_safetensors_type(type->get_ref<const std::string&>());
  if (!tensor) {
    return refusal(fmt::format("has the dtype {}, which is not known",
                               printable(type->get_ref<const std::string&>())));
  }
  const auto shape = numbers_of(entry, "shape");
  const auto offsets = numbers_of(entry, "data_offsets");
  if (!shape) return refusal("has no shape");
  if (!offsets || offsets->size() != 2) return refusal("has no data_offsets");
  tensor->name = name;
  tensor->shape = *shape;
  const auto begin = static_cast<std::size_t>(offsets->front());
  const auto end = static_cast<std::size_t>(offsets->back());
  if (begin > end || end > data) {
    return refusal(fmt::format("is at [{},{}) of {} bytes", begin, end, data));
  }
  const auto wanted = bytes_of(*tensor);
  if (!wanted || static_cast<std::size_t>(*wanted) != end - begin) {
    return refusal(fmt::format("has {} bytes, which is not what its shape takes", end - begin));
  }
  tensor->begin = begin;
  tensor->bytes = end - begin;
  return *std::move(tensor);
}

}  // namespace

bool looks_like_safetensors(std::string_view bytes) {
  return bytes.size() > kLength && bytes[kLength] == '{' &&
         length_of(bytes) <= std::min<std::uint64_t>(bytes.size() - kLength, kMaxSafetensorsHeader);
}

Result<std::vector<Tensor>> safetensors(std::string_view bytes) {
  if (!looks_like_safetensors(bytes)) return bad_header("its header is not as long as it says");
  const auto length = static_cast<std::size_t>(length_of(bytes));
  const std::string_view text = bytes.substr(kLength, length);
  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) return bad_header("its header is no JSON object");
  const std::size_t begin = kLength + length;
  std::vector<Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    HEDDLE_TRY(Tensor tensor, tensor_of(name, entry, bytes.size() - begin));
    tensor.begin += begin;
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::string safetensors_beginning(const Tensor& tensor) {
  Json entry;
  entry["dtype"] = tensor.safetensors_type;
  entry["shape"] = tensor.shape;
  entry["data_offsets"] = {std::size_t{0}, tensor.bytes};
  Json header;
  header[tensor.name.empty() ? "tensor" : tensor.name] = std::move(entry);
  std::string text = notation::dump(header);
  // The elements begin at a multiple of 64 bytes.
  constexpr std::size_t kAlignment = 64;
  text.append((kAlignment - (kLength + text.size()) % kAlignment) % kAlignment, ' ');
  std::string bytes;
  for (std::size_t i = 0; i < kLength; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return bytes + text;
}

}  // namespace heddle::files

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/format.h"
#include "core/little_endian.h"
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
  return refuse("safetensors.header", "this is not a safetensors file: {}", why);
}

std::uint64_t length_of(std::string_view bytes) { return little_endian(bytes.substr(0, kLength)); }

/// Makes tensors of the header's JSON while it is read, in no more memory than they take: the
/// header is not trusted, and nothing in it lies deeper than the numbers of a shape.
class HeaderReader {
 public:
  explicit HeaderReader(std::size_t data) : data_(data) {}

  /// In the order of the header, with places from the end of the header on.
  Result<Contents> contents() && {
    if (!why_.empty()) return bad_header(why_);
    std::vector<std::string_view> names;
    for (const Tensor& tensor : tensors_) names.push_back(tensor.name);
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) {
      return bad_header(fmt::format("the tensor {} occurs twice", printable(*twice)));
    }
    return Contents{std::move(tensors_), std::move(metadata_)};
  }

  // What the parser calls; false ends it.

  bool null() { return other(); }
  bool boolean(bool /*value*/) { return other(); }
  bool number_integer(std::int64_t /*value*/) { return other(); }
  bool number_float(double /*value*/, const std::string& /*text*/) { return other(); }
  bool binary(Json::binary_t& /*value*/) { return other(); }

  bool number_unsigned(std::uint64_t value) {
    if (numbers_ == nullptr || value > INT64_MAX) return other();
    numbers_->push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(const std::string& value) {
    if (depth_ == kEntry && is_metadata()) metadata_[key_] = value;
    if (depth_ != kEntry || key_ != "dtype" || is_metadata()) return other();
    if (type_) return fails("has two of dtype");
    type_ = value;
    return true;
  }

  bool start_object(std::size_t /*size*/) {
    if (depth_ >= kEntry && !other()) return false;
    if (++depth_ > kDeepest) return fails("is nested too deeply");
    if (depth_ == kEntry) {
      type_.reset();
      shape_.reset();
      offsets_.reset();
    }
    return true;
  }

  bool key(const std::string& name) {
    if (depth_ < kDeepest) (depth_ == kEntry ? key_ : name_) = name;
    return true;
  }

  bool end_object() { return depth_-- != kEntry || is_metadata() || add(); }

  bool start_array(std::size_t /*size*/) {
    if (depth_ < kEntry || numbers_ != nullptr) return other();
    if (++depth_ > kDeepest) return fails("is nested too deeply");
    if (is_metadata() || (key_ != "shape" && key_ != "data_offsets")) return true;
    auto& field = key_ == "shape" ? shape_ : offsets_;
    if (field) return fails(fmt::format("has two of {}", key_));
    numbers_ = &field.emplace();
    return true;
  }

  bool end_array() {
    --depth_;
    numbers_ = nullptr;
    return true;
  }

  bool parse_error(std::size_t /*place*/, const std::string& /*text*/,
                   const Json::exception& /*error*/) {
    why_ = "its header is not a JSON object";
    return false;
  }

 private:
  /// How many objects and arrays are open within the entry of a tensor, and within its fields.
  static constexpr int kEntry = 2;
  static constexpr int kDeepest = 3;

  [[nodiscard]] bool is_metadata() const { return name_ == "__metadata__"; }

  bool fails(std::string_view why) {
    why_ = fmt::format("the tensor {} {}", printable(name_), why);
    return false;
  }

  /// A value that stands where it means nothing.
  bool other() {
    if (depth_ < kEntry) return fails("is not an object");
    if (numbers_ != nullptr) return fails(fmt::format("has no {}", key_));
    return true;
  }

  bool add() {
    if (!type_) return fails("has no dtype");
    auto tensor = tensor_of_safetensors_type(*type_);
    if (!tensor) {
      return fails(fmt::format("has the dtype {}, which is not known", printable(*type_)));
    }
    if (!shape_) return fails("has no shape");
    if (!offsets_ || offsets_->size() != 2) return fails("has no data_offsets");
    tensor->name = name_;
    tensor->shape = *std::move(shape_);
    const auto begin = static_cast<std::size_t>(offsets_->front());
    const auto end = static_cast<std::size_t>(offsets_->back());
    if (begin > end || end > data_) {
      return fails(fmt::format("is at [{},{}) of {} bytes", begin, end, data_));
    }
    const auto wanted = bytes_of(*tensor);
    if (!wanted || static_cast<std::size_t>(*wanted) != end - begin) {
      return fails(fmt::format("has {} bytes, which is not what its shape takes", end - begin));
    }
    tensor->begin = begin;
    tensor->bytes = end - begin;
    tensors_.push_back(*std::move(tensor));
    return true;
  }

  std::size_t data_;
  int depth_ = 0;
  std::string name_;
  std::string key_;
  std::optional<std::string> type_;
  std::optional<std::vector<std::int64_t>> shape_;
  std::optional<std::vector<std::int64_t>> offsets_;
  /// Where numbers go: the shape or the offsets.
  std::vector<std::int64_t>* numbers_ = nullptr;
  std::vector<Tensor> tensors_;
  Metadata metadata_;
  std::string why_;
};

}  // namespace

bool looks_like_safetensors(std::string_view bytes) {
  return bytes.size() > kLength && bytes[kLength] == '{' &&
         length_of(bytes) <= std::min<std::uint64_t>(bytes.size() - kLength, kMaxSafetensorsHeader);
}

std::string_view safetensors_beginning(std::string_view bytes) {
  return bytes.substr(0, kLength + static_cast<std::size_t>(length_of(bytes)));
}

Result<Contents> safetensors_contents(std::string_view beginning, std::size_t data) {
  if (!looks_like_safetensors(beginning)) {
    return bad_header("its header is not as long as it says");
  }
  HeaderReader reader(data);
  Json::sax_parse(beginning.substr(kLength), &reader);
  HEDDLE_TRY(Contents contents, std::move(reader).contents());
  for (Tensor& tensor : contents.tensors) tensor.begin += beginning.size();
  return contents;
}

Result<Contents> safetensors_contents(std::string_view bytes) {
  if (!looks_like_safetensors(bytes)) return bad_header("its header is not as long as it says");
  const std::string_view beginning = safetensors_beginning(bytes);
  return safetensors_contents(beginning, bytes.size() - beginning.size());
}

Result<std::string> safetensors_beginning(std::span<const Tensor> tensors,
                                          const Metadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const Tensor& tensor : tensors) {
    if (header.contains(tensor.name)) {
      return bad_header(fmt::format("the tensor {} occurs twice", printable(tensor.name)));
    }
    Json& entry = header[tensor.name];
    entry["dtype"] = tensor.safetensors_type;
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {begin, begin + tensor.bytes};
    begin += tensor.bytes;
  }
  std::string text = notation::dump(header);
  // The elements begin at a multiple of 64 bytes.
  constexpr std::size_t kAlignment = 64;
  text.append((kAlignment - (kLength + text.size()) % kAlignment) % kAlignment, ' ');
  if (text.size() > kMaxSafetensorsHeader) {
    return bad_header(fmt::format("its header would have {} bytes, and is read up to {}",
                                  text.size(), kMaxSafetensorsHeader));
  }
  std::string bytes;
  for (std::size_t i = 0; i < kLength; ++i)
    bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return bytes + text;
}

}  // namespace heddle::files

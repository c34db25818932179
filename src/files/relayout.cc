#include "heddle/files/relayout.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/format.h"
#include "files/formats.h"
#include "files/reshard/sources.h"
#include "heddle/cute/layout.h"
#include "heddle/files/tensor_file.h"

namespace heddle::files {
namespace {

/// How the elements lie in the file, on the tensor's shape.
Result<map::AnyLayout> layout_of(const Tensor& tensor) {
  if (std::ranges::find(tensor.shape, 0) != tensor.shape.end()) {
    return refuse("tensor.shape", "the tensor ({}) has no elements", fmt::join(tensor.shape, ","));
  }
  std::vector<cute::Layout> modes;
  std::vector<std::int64_t> strides(tensor.shape.size());
  std::int64_t step = 1;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const std::size_t at = tensor.first_fastest ? i : strides.size() - 1 - i;
    strides[at] = step;
    step *= tensor.shape[at];
  }
  for (std::size_t i = 0; i < strides.size(); ++i) {
    HEDDLE_TRY(cute::Layout mode,
               cute::make_layout(IntTuple(tensor.shape[i]), cute::StrideTuple(strides[i])));
    modes.push_back(std::move(mode));
  }
  if (modes.empty()) return map::AnyLayout(cute::make_layout(IntTuple(1)).value());
  HEDDLE_TRY(cute::Layout layout, cute::make_layout(modes));
  return map::AnyLayout(std::move(layout));
}

/// A tensor of at least so many bytes with the elements that the plan moves: of the same type if it
/// has their width, else of bytes.
Result<Tensor> written_tensor(const Tensor& read, const move::Plan& plan, std::int64_t bytes,
                              const RelayoutRequest& request, Format format) {
  Tensor tensor = read;
  std::vector<std::int64_t> shape = request.shape;
  const bool is_named = format != Format::kSafetensors || !tensor.safetensors_type.empty();
  const bool is_same = (plan.element_bits() == read.element_bits || request.keeps_type) && is_named;
  if (!is_same || (format == Format::kNpy && tensor.element_bits % 8 != 0)) {
    tensor.type = "|u1";
    tensor.safetensors_type = "U8";
    tensor.element_bits = 8;
    if (request.keeps_type && !shape.empty()) shape.back() = shape.back() * read.element_bits / 8;
  }
  tensor.first_fastest = false;
  tensor.shape = shape.empty() ? std::vector{8 * bytes / tensor.element_bits} : shape;
  const auto wanted = bytes_of(tensor);
  if (!wanted || *wanted < bytes) {
    return refuse(
        "tensor.shape",
        "the layout reaches {} bytes, more than the shape ({}) of elements of {} bits takes", bytes,
        fmt::join(tensor.shape, ","), tensor.element_bits);
  }
  tensor.bytes = static_cast<std::size_t>(*wanted);
  return tensor;
}

/// The plan that the request asks for, of this tensor.
Result<move::Plan> plan_of(const Tensor& tensor, const RelayoutRequest& request) {
  const std::int64_t bits = request.element_bits.value_or(tensor.element_bits);
  std::optional<map::AnyLayout> from = request.from;
  if (!from) {
    // Elements of another width are counted through the memory of the tensor.
    Tensor counted = tensor;
    if (bits > 0 && bits != tensor.element_bits) {
      counted.element_bits = bits;
      counted.shape = {8 * static_cast<std::int64_t>(tensor.bytes) / bits};
    }
    HEDDLE_TRY(from, layout_of(counted));
  }
  return move::make_plan(*from, request.to, bits, request.plan);
}

}  // namespace

Result<move::Plan> relayout(const std::string& input, const std::string& output,
                            const RelayoutRequest& request) {
  HEDDLE_TRY(const TensorFile file, TensorFile::open(input));
  HEDDLE_TRY(const Tensor tensor, file.find(request.tensor));
  HEDDLE_TRY(move::Plan plan, plan_of(tensor, request));
  HEDDLE_TRY(const Tensor written,
             written_tensor(tensor, plan, plan.destination_bytes(), request, format_of(output)));
  std::vector<move::Plan> rest;
  for (const RelayoutRequest::Rest& part : request.rest) {
    HEDDLE_TRY(move::Plan moves,
               move::make_plan(part.from, part.to, plan.element_bits(), request.plan));
    rest.push_back(std::move(moves));
  }
  const auto move_all = [&](std::span<std::byte> bytes) -> Result<void> {
    HEDDLE_CHECK(plan.run(file.bytes(tensor), bytes, request.run));
    for (const move::Plan& part : rest) {
      HEDDLE_CHECK(part.run(file.bytes(tensor), bytes, request.run));
    }
    return {};
  };
  Metadata metadata = file.metadata();
  erase_of_tensors(metadata);
  HEDDLE_CHECK(write_tensor(output, written, move_all, metadata));
  return plan;
}

Result<move::Plan> relayout_in_place(const std::string& path, const RelayoutRequest& request) {
  HEDDLE_TRY(const TensorFile file, TensorFile::open(path));
  HEDDLE_TRY(const Tensor tensor, file.find(request.tensor));
  if (!request.rest.empty()) {
    return refuse(Diagnostic("move.in_place", "partial blocks are filled up, which takes more room")
                      .with_hint("write another file with -o"));
  }
  HEDDLE_TRY(move::Plan plan, plan_of(tensor, request));
  const auto bytes = static_cast<std::int64_t>(tensor.bytes);
  HEDDLE_TRY(const Tensor written, written_tensor(tensor, plan, bytes, request, Format::kNpy));
  if (written.bytes != tensor.bytes) {
    return refuse("tensor.shape", "the shape ({}) takes {} bytes, and the file has {}",
                  fmt::join(written.shape, ","), written.bytes, tensor.bytes);
  }
  HEDDLE_CHECK(change_tensor(path, written, [&](std::span<std::byte> within) {
    return plan.run_in_place(within, request.run);
  }));
  return plan;
}

}  // namespace heddle::files

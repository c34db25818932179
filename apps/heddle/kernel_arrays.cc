#include "heddle/kernel_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "heddle/expr/proof.h"
#include "heddle/files/tensor_file.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/kernel/operators.h"
#include "heddle/options.h"

namespace heddle::app {
namespace {

using kernel::DType;

struct FileType {
  DType type;
  std::string_view numpy;
  std::string_view safetensors;
};
constexpr FileType kFileTypes[] = {
    {DType::kF64, "<f8", "F64"},      {DType::kF32, "<f4", "F32"},
    {DType::kTf32, "<f4", "F32"},     {DType::kF16, "<f2", "F16"},
    {DType::kBf16, "<V2", "BF16"},    {DType::kE4m3, "|V1", "F8_E4M3"},
    {DType::kE5m2, "|V1", "F8_E5M2"}, {DType::kE8m0, "|V1", "F8_E8M0"},
    {DType::kI64, "<i8", "I64"},      {DType::kI32, "<i4", "I32"},
    {DType::kI16, "<i2", "I16"},      {DType::kI8, "|i1", "I8"},
    {DType::kU64, "<u8", "U64"},      {DType::kU32, "<u4", "U32"},
    {DType::kU16, "<u2", "U16"},      {DType::kU8, "|u1", "U8"},
    {DType::kBool, "|b1", "BOOL"},
};

/// Whether elements of the file may be those of the parameter: of one width, and of one kind if
/// the file says a kind.
bool may_hold(const files::Tensor& tensor, DType type) {
  return std::ranges::any_of(kFileTypes, [&](const FileType& known) {
    return known.type == type &&
           (known.numpy == tensor.type || known.safetensors == tensor.safetensors_type);
  });
}

Result<kernel::Array> array_in(const std::string& path, const kernel::Tensor& parameter) {
  HEDDLE_TRY(const files::TensorFile file, files::TensorFile::open(path));
  HEDDLE_TRY(const files::Tensor tensor,
             file.find(file.tensors().size() == 1 ? "" : parameter.name));
  if (!may_hold(tensor, parameter.type)) {
    return refuse("kernel.argument",
                  fmt::format("{} has elements of type {}, and {} is needed for {}", path,
                              tensor.type, name_of(parameter.type), parameter.name));
  }
  if (tensor.first_fastest && tensor.shape.size() > 1) {
    return refuse(
        Diagnostic("kernel.argument", fmt::format("{} is in Fortran's order, columns first", path))
            .with_hint("save it in C's order: numpy.ascontiguousarray"));
  }
  if (tensor.shape.size() != parameter.shape.size()) {
    return refuse("kernel.argument",
                  fmt::format("{} has the rank {}, and {} has {}", path, tensor.shape.size(),
                              to_string(parameter), parameter.shape.size()));
  }
  return kernel::array_of(parameter.type, tensor.shape, file.bytes(tensor));
}

Result<kernel::Array> number_argument(const std::string& text, const kernel::Tensor& parameter) {
  const char* end = text.data() + text.size();
  if (!is_float(parameter.type)) {
    std::int64_t integer = 0;
    const auto [at, error] = std::from_chars(text.data(), end, integer);
    if (error == std::errc() && at == end) {
      return kernel::Array{parameter.type, {}, {encode(parameter.type, kernel::Number(integer))}};
    }
  }
  double real = 0;
  const auto [at, error] = std::from_chars(text.data(), end, real);
  if (error == std::errc() && at == end && is_float(parameter.type)) {
    return kernel::Array{parameter.type, {}, {encode(parameter.type, kernel::Number(real))}};
  }
  return refuse("kernel.argument", fmt::format("{} is no number of type {}, which is needed for {}",
                                               text, name_of(parameter.type), parameter.name));
}

}  // namespace

Result<KernelArguments> arguments_of(const kernel::Kernel& kernel,
                                     const std::vector<std::string>& given, std::size_t outputs,
                                     const std::vector<std::string>& sizes) {
  KernelArguments result;
  HEDDLE_TRY(const Bindings stated, stated_sizes(sizes));
  for (const auto& [name, size] : stated) result.sizes[name] = size.value();
  const std::vector<std::size_t> written = kernel::written_parameters(kernel);
  if (outputs > written.size()) {
    return refuse("kernel.arguments", fmt::format("{} writes {} of its parameters, and {} files "
                                                  "are to be written",
                                                  kernel.name, written.size(), outputs));
  }
  result.results.assign(written.end() - static_cast<std::ptrdiff_t>(outputs), written.end());
  const std::size_t needed = kernel.parameters.size();
  const bool are_results_new = given.size() + outputs == needed;
  if (given.size() != needed && !are_results_new) {
    return refuse("kernel.arguments",
                  fmt::format("{} has {} parameters, of which {} may be left out for -o; {} "
                              "arguments are given",
                              kernel.name, needed, outputs, given.size()));
  }
  result.arrays.resize(needed);
  std::size_t next = 0;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i != needed; ++i) {
    const kernel::Tensor& parameter = kernel.parameters[i];
    const bool is_result = std::ranges::find(result.results, i) != result.results.end();
    if (are_results_new && given.size() != needed && is_result) {
      missing.push_back(i);
      continue;
    }
    const bool is_value = parameter.space == kernel::Space::kValue;
    HEDDLE_TRY(result.arrays[i], is_value ? number_argument(given[next], parameter)
                                          : array_in(given[next], parameter));
    ++next;
  }
  if (!missing.empty()) {
    HEDDLE_TRY(result.sizes, kernel::told_sizes(kernel, result.arrays, result.sizes));
  }
  for (const std::size_t i : missing) {
    HEDDLE_TRY(result.arrays[i], kernel::zeros(kernel.parameters[i], result.sizes));
  }
  return result;
}

Result<KernelArguments> made_arguments(const kernel::Kernel& kernel,
                                       const std::vector<std::string>& sizes) {
  KernelArguments result;
  HEDDLE_TRY(const Bindings stated, stated_sizes(sizes));
  for (const auto& [name, size] : stated) result.sizes[name] = size.value();
  HEDDLE_TRY(result.arrays, kernel::made_arguments(kernel, result.sizes));
  return result;
}

Result<void> write_results(const kernel::Kernel& kernel, const KernelArguments& arguments,
                           const std::vector<kernel::Array>& results,
                           const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i != paths.size(); ++i) {
    const std::size_t parameter = arguments.results[i];
    const kernel::Array& array = results[parameter];
    const auto* known = std::ranges::find(kFileTypes, array.type, &FileType::type);
    if (known == std::end(kFileTypes)) {
      return refuse("kernel.argument",
                    fmt::format("files have no elements of {}, the type of {}", name_of(array.type),
                                kernel.parameters[parameter].name));
    }
    const std::vector<std::byte> bytes = bytes_of(array);
    files::Tensor tensor;
    tensor.type = known->numpy;
    tensor.safetensors_type = known->safetensors;
    tensor.element_bits = bits(array.type);
    tensor.shape = array.shape;
    tensor.bytes = bytes.size();
    const auto fill = [&](std::span<std::byte> memory) {
      std::ranges::copy(bytes, memory.begin());
      return Result<void>();
    };
    HEDDLE_CHECK(files::write_tensor(paths[i], tensor, fill));
  }
  return {};
}

}  // namespace heddle::app

#include "heddle/kernel_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "heddle/expr/proof.h"
#include "heddle/files/tensor_file.h"
#include "heddle/form/element_type.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/kernel/operators.h"
#include "heddle/options.h"

namespace heddle::app {
namespace {

using kernel::DType;

/// The names of the type in files; empty where files have no such elements.
const form::ElementType& in_files(DType type) { return *form::find_element_type(name_of(type)); }

/// Whether elements of the file may be those of the parameter: of one width, and of one kind if
/// the file says a kind.
bool may_hold(const files::Tensor& tensor, DType type) {
  const form::ElementType& known = in_files(type);
  return !known.numpy.empty() &&
         (known.numpy == tensor.type || known.safetensors == tensor.safetensors_type);
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

/// The number that is all of a text.
template <class T>
std::optional<T> number_of(const std::string& text) {
  T number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

Result<kernel::Array> number_argument(const std::string& text, const kernel::Tensor& parameter) {
  const kernel::DType type = parameter.type;
  if (is_float(type)) {
    if (const auto real = number_of<double>(text))
      return array_of(parameter, kernel::Number(*real));
  } else if (const auto integer = number_of<std::int64_t>(text)) {
    return array_of(parameter, kernel::Number(*integer));
  } else if (const auto bits = number_of<std::uint64_t>(text);
             bits && type == kernel::DType::kU64) {
    return kernel::Array{type, {}, {*bits}};
  }
  return refuse_number(parameter, text);
}

/// What is said of a parameter, `eps=1e-5`.
struct NamedArgument {
  std::string_view name;
  std::string_view text;
};
std::optional<NamedArgument> named_text(std::string_view said) {
  const std::size_t equals = said.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return NamedArgument{said.substr(0, equals), said.substr(equals + 1)};
}

std::optional<std::size_t> parameter_called(const kernel::Kernel& kernel, std::string_view name) {
  const auto found = std::ranges::find(kernel.parameters, name, &kernel::Tensor::name);
  if (found == kernel.parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kernel.parameters.begin());
}

/// `scale X=X.npy eps=1 -o Y.npy`: the kernel with an argument for each parameter.
std::string arguments_of_all(const kernel::Kernel& kernel) {
  const std::vector<std::size_t> written = kernel::written_parameters(kernel);
  std::string text = kernel.name;
  for (std::size_t i = 0; i != kernel.parameters.size(); ++i) {
    const kernel::Tensor& parameter = kernel.parameters[i];
    if (std::ranges::find(written, i) != written.end()) {
      text += fmt::format(" -o {}.npy", parameter.name);
    } else if (parameter.shape.empty()) {
      text += fmt::format(" {}=1", parameter.name);
    } else {
      text += fmt::format(" {0}={0}.npy", parameter.name);
    }
  }
  return text;
}

/// The argument of each parameter, by its name or in order; nullopt for a result that is left out.
Result<std::vector<std::optional<std::string>>> assigned(const kernel::Kernel& kernel,
                                                         const std::vector<std::string>& given,
                                                         std::span<const std::size_t> results) {
  const std::size_t needed = kernel.parameters.size();
  std::vector<std::optional<std::string>> assigned(needed);
  std::vector<std::string> in_order;
  for (const std::string& each : given) {
    const auto named = named_text(each);
    const auto parameter = named ? parameter_called(kernel, named->name) : std::nullopt;
    if (!parameter) {
      in_order.push_back(each);
      continue;
    }
    if (assigned[*parameter]) {
      return refuse("kernel.arguments", fmt::format("{} is given twice", named->name));
    }
    assigned[*parameter] = std::string(named->text);
  }
  const bool are_results_new = given.size() + results.size() == needed;
  if (given.size() != needed && !are_results_new) {
    return refuse(
        Diagnostic(
            "kernel.arguments",
            fmt::format("{} has {} parameter{}, of which {} may be left out for -o; {} given",
                        kernel.name, needed, needed == 1 ? "" : "s", results.size(),
                        given.size() == 1 ? "1 argument is"
                                          : fmt::format("{} arguments are", given.size())))
            .with_hint(arguments_of_all(kernel)));
  }
  auto next = in_order.begin();
  for (std::size_t i = 0; i != needed; ++i) {
    const bool is_left_out =
        given.size() != needed && std::ranges::find(results, i) != results.end();
    if (assigned[i] || is_left_out) continue;
    // Where a result is given by its name, one of the others is not given.
    if (next == in_order.end()) {
      return refuse("kernel.arguments",
                    fmt::format("no argument is given for {}", kernel.parameters[i].name));
    }
    assigned[i] = *next++;
  }
  return assigned;
}

Result<double> number_in(std::string_view text, const kernel::Sizes& sizes, std::string_view said) {
  if (const auto size = sizes.find(text); size != sizes.end()) {
    return static_cast<double>(size->second);
  }
  double number = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [at, error] = std::from_chars(begin, end, number);
  if (error == std::errc() && at == end && !text.empty()) return number;
  std::vector<std::string_view> known;
  for (const auto& [name, size] : sizes) known.push_back(name);
  return refuse(
      Diagnostic("usage.option", fmt::format("{}: '{}' is neither a number nor a size", said, text))
          .with_hint(known.empty() ? "--size says what sizes are"
                                   : fmt::format("the sizes are {}", fmt::join(known, ", "))));
}

}  // namespace

Result<kernel::DataRules> data_rules(const kernel::Kernel& kernel,
                                     const std::vector<std::string>& values,
                                     const std::vector<std::string>& ranges,
                                     const kernel::Sizes& sizes) {
  kernel::DataRules rules;
  for (const std::string& said : values) {
    const auto named = named_text(said);
    if (!named) {
      return refuse(
          Diagnostic("usage.option",
                     fmt::format("--value {} does not name a parameter and a number", said))
              .with_hint("--value eps=1e-5"));
    }
    if (!parameter_called(kernel, named->name)) continue;
    HEDDLE_TRY(rules.values[std::string(named->name)],
               number_in(named->text, sizes, "--value " + said));
  }
  for (const std::string& said : ranges) {
    const auto named = named_text(said);
    const std::size_t colon = named ? named->text.find(':') : std::string_view::npos;
    if (colon == std::string_view::npos) {
      return refuse(
          Diagnostic("usage.option",
                     fmt::format("--range {} does not name a parameter and a range", said))
              .with_hint("--range table=0:64, from 0 to 63"));
    }
    if (!parameter_called(kernel, named->name)) continue;
    kernel::NumberRange& range = rules.ranges[std::string(named->name)];
    HEDDLE_TRY(range.from, number_in(named->text.substr(0, colon), sizes, "--range " + said));
    HEDDLE_TRY(range.to, number_in(named->text.substr(colon + 1), sizes, "--range " + said));
  }
  return rules;
}

Result<KernelArguments> arguments_of(const kernel::Kernel& kernel,
                                     const std::vector<std::string>& given, std::size_t outputs,
                                     const std::vector<std::string>& sizes) {
  KernelArguments result;
  HEDDLE_TRY(const Bindings stated, stated_sizes(sizes));
  for (const auto& [name, size] : stated) result.sizes[name] = size.value();
  const std::vector<std::size_t> written = kernel::written_parameters(kernel);
  if (outputs > written.size()) {
    return refuse("kernel.arguments",
                  fmt::format("{} writes {} of its parameters, and {} to "
                              "be written",
                              kernel.name, written.size(),
                              outputs == 1 ? "1 file is" : fmt::format("{} files are", outputs)));
  }
  result.results.assign(written.end() - static_cast<std::ptrdiff_t>(outputs), written.end());
  HEDDLE_TRY(const auto texts, assigned(kernel, given, result.results));
  result.arrays.resize(texts.size());
  for (std::size_t i = 0; i != texts.size(); ++i) {
    if (!texts[i]) continue;
    const kernel::Tensor& parameter = kernel.parameters[i];
    const bool is_value = parameter.space == kernel::Space::kValue;
    HEDDLE_TRY(result.arrays[i],
               is_value ? number_argument(*texts[i], parameter) : array_in(*texts[i], parameter));
  }
  if (std::ranges::any_of(texts, [](const auto& text) { return !text; })) {
    HEDDLE_TRY(result.sizes, kernel::told_sizes(kernel, result.arrays, result.sizes));
  }
  for (std::size_t i = 0; i != texts.size(); ++i) {
    if (texts[i]) continue;
    HEDDLE_TRY(result.arrays[i], kernel::zeros(kernel.parameters[i], result.sizes));
  }
  return result;
}

Result<KernelArguments> made_arguments(const kernel::Kernel& kernel,
                                       const std::vector<std::string>& sizes,
                                       const kernel::DataRules& rules) {
  KernelArguments result;
  HEDDLE_TRY(const Bindings stated, stated_sizes(sizes));
  for (const auto& [name, size] : stated) result.sizes[name] = size.value();
  HEDDLE_TRY(result.arrays, kernel::made_arguments(kernel, result.sizes, rules));
  return result;
}

Result<void> write_results(const kernel::Kernel& kernel, const KernelArguments& arguments,
                           const std::vector<kernel::Array>& results,
                           const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i != paths.size(); ++i) {
    const std::size_t parameter = arguments.results[i];
    const kernel::Array& array = results[parameter];
    const form::ElementType& known = in_files(array.type);
    if (known.numpy.empty()) {
      return refuse("kernel.argument",
                    fmt::format("files have no elements of {}, the type of {}", name_of(array.type),
                                kernel.parameters[parameter].name));
    }
    const std::vector<std::byte> bytes = bytes_of(array);
    files::Tensor tensor;
    tensor.type = known.numpy;
    tensor.safetensors_type = known.safetensors;
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

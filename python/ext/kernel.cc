// Kernels as Python has them: read from text, compiled, and called with arrays, in whose memory
// they leave their results.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/kernel/device.h"
#include "heddle/kernel/launcher.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/kernel/meaning.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel/tune.h"
#include "heddle/notation/kernel.h"
#include "memory.h"
#include "object.h"
#include "refusal.h"

namespace heddle::python {
namespace {

using kernel::Array;
using kernel::DType;

/// A kernel, and what runs it: its meaning without a device.
struct Callable {
  kernel::Kernel kernel;
  std::string text;
  std::optional<kernel::DeviceKernel> device;
  kernel::Workers workers;
};

/// Raises a refusal with its line of the text.
[[noreturn]] void raise_in(const Diagnostic& why, const std::string& text) {
  if (!why.span()) raise(why);
  const std::size_t begin = std::min(why.span()->begin, text.size());
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  const std::size_t first = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  const std::size_t last = std::min(text.find('\n', begin), text.size());
  raise(Diagnostic(why).with_note("line " + std::to_string(line + 1) + ": " +
                                  text.substr(first, last - first)));
}

kernel::TargetMachine target_named(const std::string& name) {
  return unwrapped(kernel::parse_target(name));
}

/// Refuses negative numbers of threads, and of cores except -1.
kernel::Workers workers_of(int threads, int first_core) {
  if (threads < 0) {
    raise(Diagnostic("call.type", "threads is " + std::to_string(threads) + ", a negative number")
              .with_hint("threads=0 is the number that OpenMP is set to"));
  }
  if (first_core < -1) {
    raise(Diagnostic("call.type",
                     "first_core is " + std::to_string(first_core) + ", not the number of a core")
              .with_hint("first_core=-1 is any core"));
  }
  return {threads, first_core};
}

Callable read(const std::string& text, const std::string& name, const std::string& target,
              int threads, int first_core) {
  const kernel::Workers workers = workers_of(threads, first_core);
  auto parsed = notation::parse_kernel(text, name);
  if (!parsed) raise_in(parsed.error(), text);
  Callable callable{*std::move(parsed), text, std::nullopt, workers};
  if (target == "meaning") return callable;
  auto compiled = kernel::DeviceKernel::compile(callable.kernel, target_named(target));
  if (!compiled) raise_in(compiled.error(), text);
  callable.device = *std::move(compiled);
  return callable;
}

/// A kernel of a shared object.
Callable load(const std::string& path, const std::string& name, int threads, int first_core) {
  const kernel::Workers workers = workers_of(threads, first_core);
  const std::string text = unwrapped(kernel::DeviceKernel::text_in(path, name));
  kernel::Kernel parsed = unwrapped(notation::parse_kernel(text, name));
  kernel::DeviceKernel device = unwrapped(kernel::DeviceKernel::load(parsed, path));
  return {std::move(parsed), text, std::move(device), workers};
}

/// What the buffer protocol and DLPack call elements of the type; 0 if they have no name for it.
char kind_of(DType type) {
  switch (type) {
    case DType::kF64:
    case DType::kF32:
    case DType::kTf32:
    case DType::kF16:
      return 'f';
    case DType::kBool:
      return 'b';
    default:
      return is_float(type) ? '\0' : (kernel::is_signed(type) ? 'i' : 'u');
  }
}

void check_elements(const Memory& memory, const kernel::Tensor& parameter, bool is_written) {
  const char kind = kind_of(parameter.type);
  const bool is_alike = kind == 0 || memory.kind() == 0 || kind == memory.kind();
  if (memory.element_bits() != kernel::bits(parameter.type) || !is_alike) {
    raise(Diagnostic("kernel.argument", "the array for " + to_string(parameter) +
                                            " has other elements: of " +
                                            std::to_string(memory.element_bits()) + " bits" +
                                            (is_alike ? "" : ", of another kind")));
  }
  if (memory.is_big_endian()) {
    raise(Diagnostic("kernel.argument", "the array for " + to_string(parameter) +
                                            " has the bytes of its elements in the other order")
              .with_hint(is_written
                             ? "y = x.astype(x.dtype.newbyteorder('=')) makes an array for the "
                               "kernel to write, and x[...] = y copies the results back"
                             : "X.astype(X.dtype.newbyteorder('=')) makes an array in this "
                               "machine's"));
  }
  if (memory.is_in_rows()) return;
  raise(Diagnostic("kernel.argument",
                   "the array for " + to_string(parameter) + " has strides of its own")
            .with_hint(is_written
                           ? "y = numpy.ascontiguousarray(x) makes an array for the kernel to "
                             "write, and x[...] = y copies the results back"
                           : "numpy.ascontiguousarray makes an array without gaps, rows last"));
}

/// The integer that an object is, for NumPy's and for tensors without dimensions too.
nb::object index_of(nb::handle object) {
  nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) PyErr_Clear();
  return index;
}

/// The digits of an integer that has no more than a message has room for.
std::string digits_of(nb::handle index) {
  constexpr std::size_t kMost = 60;
  // Python refuses to write very long ones.
  const nb::object text = nb::steal(PyObject_Str(index.ptr()));
  if (!text.is_valid()) PyErr_Clear();
  const std::string digits = text.is_valid() ? nb::cast<std::string>(text) : "";
  return digits.empty() || digits.size() > kMost ? "an integer past 64 bits" : digits;
}

bool is_truth_of_numpy(nb::handle object) {
  const nb::object type = nb::getattr(object, "dtype", nb::none());
  return nb::cast<std::string>(nb::str(type)) == "bool" &&
         nb::getattr(object, "ndim", nb::none()).equal(nb::int_(0));
}

Array value_of(nb::handle object, const kernel::Tensor& parameter) {
  const DType type = parameter.type;
  double real = 0;
  if (is_float(type) && nb::try_cast(nb::borrow(object), real)) {
    return unwrapped(array_of(parameter, kernel::Number(real)));
  }
  if (type == DType::kBool && is_truth_of_numpy(object)) {
    return {type, {}, {std::uint64_t{PyObject_IsTrue(object.ptr()) == 1}}};
  }
  const nb::object index = is_float(type) ? nb::object() : index_of(object);
  if (index.is_valid()) {
    std::int64_t integer = 0;
    std::uint64_t bits = 0;
    if (nb::try_cast(index, integer, false)) {
      return unwrapped(array_of(parameter, kernel::Number(integer)));
    }
    if (type == DType::kU64 && nb::try_cast(index, bits, false)) return {type, {}, {bits}};
    raise(kernel::refuse_number(parameter, digits_of(index)).value());
  }
  raise(Diagnostic("call.type", std::string("the ") + nb::type_name(object.type()).c_str() +
                                    " for " + to_string(parameter) +
                                    " is not a number of that type"));
}

/// Refuses arrays of which some lie on the GPU, and others do not.
void check_places(const std::vector<std::unique_ptr<Memory>>& memories) {
  const auto is_on = [](bool on_gpu) {
    return [on_gpu](const auto& each) { return each != nullptr && each->is_on_gpu() == on_gpu; };
  };
  if (std::ranges::any_of(memories, is_on(true)) && std::ranges::any_of(memories, is_on(false))) {
    raise(Diagnostic("kernel.argument", "some arrays are on the GPU, and others in this process")
              .with_hint("all on the GPU are taken as they are; all in this process are copied"));
  }
}

/// Whether the kernel works on the memory of arrays as it is: row-major, elements of whole bytes,
/// none of what is written in common with other arrays but all of it.
bool is_run_in_place(const Callable& callable, const std::vector<std::unique_ptr<Memory>>& memories,
                     const std::vector<std::size_t>& written) {
  const auto is_plain = [](const kernel::Tensor& parameter) {
    return parameter.space == kernel::Space::kValue ||
           (!parameter.layout && kernel::bits(parameter.type) >= 8);
  };
  const auto overlaps_others = [&](std::size_t i) {
    const std::span<std::byte> own = memories[i]->bytes();
    return std::ranges::any_of(memories, [&](const std::unique_ptr<Memory>& other) {
      if (other == nullptr || other == memories[i]) return false;
      const std::span<std::byte> bytes = other->bytes();
      const bool is_same = bytes.data() == own.data() && bytes.size() == own.size();
      return !is_same && bytes.data() < own.data() + own.size() &&
             own.data() < bytes.data() + bytes.size();
    });
  };
  const bool is_on_gpu = std::ranges::any_of(
      memories, [](const auto& each) { return each != nullptr && each->is_on_gpu(); });
  const auto place = is_on_gpu ? kernel::InPlace::kOnGpu : kernel::InPlace::kInProcess;
  return callable.device && callable.device->in_place() == place &&
         std::ranges::all_of(callable.kernel.parameters, is_plain) &&
         std::ranges::none_of(written, overlaps_others);
}

void call_in_place(const Callable& callable, const std::vector<Array>& arrays,
                   const std::vector<std::unique_ptr<Memory>>& memories,
                   const kernel::Sizes& given) {
  std::vector<std::vector<std::byte>> values(arrays.size());
  std::vector<void*> pointers;
  for (std::size_t i = 0; i != arrays.size(); ++i) {
    if (memories[i] == nullptr) values[i] = bytes_of(arrays[i]);
    pointers.push_back(memories[i] == nullptr ? values[i].data() : memories[i]->bytes().data());
  }
  std::optional<Result<void>> done;
  interruptible([&](const Environment&, const std::stop_token&) {
    done = callable.device->run_in(arrays, pointers, given, callable.workers);
  });
  if (!*done) raise_in(done->error(), callable.text);
}

/// Refuses a name that the kernel has no size of.
kernel::Sizes sizes_in(const kernel::Kernel& kernel, const nb::dict& sizes) {
  const std::vector<std::string> known = kernel::given_names(kernel);
  kernel::Sizes given;
  for (const auto& [name, size] : sizes) {
    std::string called = nb::cast<std::string>(name);
    if (std::ranges::find(known, called) == known.end()) {
      std::string all;
      for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
      raise(Diagnostic("kernel.arguments",
                       "no size " + called + ": " +
                           (all.empty() ? kernel.name + " has no sizes"
                                        : "those of " + kernel.name + " are " + all)));
    }
    const std::int64_t number = given_integer(size, "the size " + called);
    given[std::move(called)] = number;
  }
  return given;
}

/// The arguments in the order of the parameters, and what else is given by name.
struct CallArguments {
  std::vector<nb::object> arguments;
  nb::dict sizes;
};
CallArguments arguments_of(const kernel::Kernel& kernel, const nb::args& by_position,
                           const nb::kwargs& named) {
  CallArguments given;
  for (const nb::handle each : by_position) given.arguments.push_back(nb::borrow(each));
  const std::size_t count = std::max(kernel.parameters.size(), given.arguments.size());
  given.arguments.resize(count);
  std::size_t by_name = 0;
  for (const auto& [key, value] : named) {
    const auto name = nb::cast<std::string>(key);
    const auto found = std::ranges::find(kernel.parameters, name, &kernel::Tensor::name);
    if (found == kernel.parameters.end()) {
      given.sizes[key] = value;
      continue;
    }
    nb::object& argument =
        given.arguments[static_cast<std::size_t>(found - kernel.parameters.begin())];
    if (argument.is_valid()) {
      raise(Diagnostic("kernel.arguments", kernel.name + " is given " + name + " twice"));
    }
    argument = nb::borrow(value);
    ++by_name;
  }
  const auto is_given = [](const nb::object& each) { return each.is_valid(); };
  if (count == kernel.parameters.size() && std::ranges::all_of(given.arguments, is_given)) {
    return given;
  }
  std::string names;
  for (const kernel::Tensor& parameter : kernel.parameters) {
    names += (names.empty() ? "" : ", ") + parameter.name;
  }
  raise(Diagnostic("kernel.arguments", kernel.name + " takes the arguments " + names + "; " +
                                           std::to_string(by_position.size() + by_name) +
                                           " are given"));
}

void call(const Callable& callable, const nb::args& by_position, const nb::kwargs& named) {
  const kernel::Kernel& kernel = callable.kernel;
  const auto [arguments, sizes] = arguments_of(kernel, by_position, named);
  const kernel::Sizes given = sizes_in(kernel, sizes);
  const std::vector<std::size_t> written = kernel::written_parameters(kernel);
  const bool takes_gpu = callable.device && callable.device->in_place() == kernel::InPlace::kOnGpu;
  const Where where = takes_gpu ? Where::kProcessOrGpu : Where::kProcess;
  std::vector<std::unique_ptr<Memory>> memories;
  std::vector<Array> arrays;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    const kernel::Tensor& parameter = kernel.parameters[i];
    memories.emplace_back();
    if (parameter.space == kernel::Space::kValue) {
      arrays.push_back(value_of(arguments[i], parameter));
      continue;
    }
    const bool is_written = std::ranges::find(written, i) != written.end();
    memories.back() =
        std::make_unique<Memory>(arguments[i], is_written ? Access::kWrite : Access::kRead, where);
    check_elements(*memories.back(), parameter, is_written);
    arrays.push_back({parameter.type, memories.back()->shape(), {}});
  }
  check_places(memories);
  if (is_run_in_place(callable, memories, written))
    return call_in_place(callable, arrays, memories, given);
  if (std::ranges::any_of(memories, [](const auto& m) { return m != nullptr && m->is_on_gpu(); })) {
    raise(Diagnostic("kernel.argument",
                     "arrays on the GPU are taken where parameters are row-major "
                     "with elements of whole bytes, and nothing overlaps")
              .with_hint("arrays in this process are copied and laid out"));
  }
  for (std::size_t i = 0; i != arrays.size(); ++i) {
    if (memories[i] == nullptr) continue;
    arrays[i] = kernel::array_of(arrays[i].type, arrays[i].shape, memories[i]->bytes());
  }
  std::optional<Result<std::vector<Array>>> results;
  interruptible([&](const Environment&, const std::stop_token&) {
    results = callable.device ? callable.device->run(arrays, given, callable.workers)
                              : kernel::run(kernel, arrays, {given});
  });
  if (!*results) raise_in(results->error(), callable.text);
  for (const std::size_t i : written) {
    std::ranges::copy(bytes_of((**results)[i]), memories[i]->bytes().begin());
  }
}

/// Tunes for arguments that are made for the sizes.
kernel::Tuning tune(const std::string& text, const std::string& name, const std::string& target,
                    double seconds, const nb::dict& sizes) {
  auto parsed = notation::parse_kernel(text, name);
  if (!parsed) raise_in(parsed.error(), text);
  const kernel::TargetMachine destination = target_named(target);
  const kernel::Sizes given = sizes_in(*parsed, sizes);
  kernel::TuneOptions options;
  options.seconds = seconds;
  std::optional<Result<kernel::Tuning>> tuned;
  interruptible([&](const Environment&, const std::stop_token& stop) {
    options.stop = stop;
    auto arguments = kernel::made_arguments(*parsed, given);
    tuned = arguments ? kernel::tune(*parsed, destination, *arguments, given, options)
                      : Result<kernel::Tuning>(tl::unexpected(arguments.error()));
  });
  if (!*tuned) raise_in(tuned->error(), text);
  return **std::move(tuned);
}

nb::list trials_of(const kernel::Tuning& tuning) {
  nb::list trials;
  for (const kernel::Trial& trial : tuning.trials) {
    nb::dict fields;
    fields["statement"] = trial.statement;
    fields["change"] = trial.change;
    fields["seconds"] = trial.seconds ? nb::cast(*trial.seconds) : nb::none();
    fields["reason"] = trial.reason;
    trials.append(fields);
  }
  return trials;
}

void bind_tuning(nb::module_& m) {
  nb::class_<kernel::Tuning>(m, "Tuning", "The result of tuning a kernel by measurement.")
      .def_prop_ro(
          "text", [](const kernel::Tuning& tuning) { return to_string(tuning.kernel); },
          "The kernel with the fastest choices written in.")
      .def_prop_ro("trials", trials_of,
                   "What was tried: each change with its seconds, or the reason for none.")
      .def_ro("before", &kernel::Tuning::before, "The seconds of the original kernel.")
      .def_ro("after", &kernel::Tuning::after, "The seconds of the best kernel.")
      .def("__str__", [](const kernel::Tuning& tuning) { return to_string(tuning); });
  m.def("_tune", tune, nb::arg("text"), nb::arg("name"), nb::arg("target"), nb::arg("seconds"),
        nb::arg("sizes"));
}

kernel::ThreadProgram lowered(const Callable& callable, kernel::TargetMachine target) {
  auto program = lower(callable.kernel, kernel::options_for(target));
  if (!program) raise_in(program.error(), callable.text);
  return *std::move(program);
}

}  // namespace

void bind_kernel(nb::module_& m) {
  nb::class_<Callable>(m, "Kernel",
                       "A kernel, called with an array or a number for each parameter.")
      .def_prop_ro("name", [](const Callable& callable) { return callable.kernel.name; })
      .def_prop_ro(
          "device",
          [](const Callable& callable) {
            return callable.device ? std::optional(callable.device->device()) : std::nullopt;
          },
          "The device that runs it; None for the reference interpreter.")
      .def("__str__", [](const Callable& callable) { return to_string(callable.kernel); })
      .def("__call__", call,
           "Runs the kernel, which leaves its results in the arrays. Arguments may be passed by "
           "name, as sizes that no shape gives are.")
      .def(
          "source",
          [](const Callable& callable, const std::string& name) {
            const kernel::TargetMachine target = target_named(name);
            return unwrapped(to_source(lowered(callable, target), target.target));
          },
          nb::arg("target") = "cuda", "Its source, in CUDA C++, OpenCL C or C.")
      .def(
          "header",
          [](const Callable& callable, const std::string& name) {
            const kernel::TargetMachine target = target_named(name);
            return unwrapped(to_header(lowered(callable, target), target.target));
          },
          nb::arg("target") = "cuda",
          "A header for C11 and C++17: for GPUs with its source and a launcher that checks "
          "arguments, for this CPU with the declaration of its function.")
      .def(
          "explain",
          [](const Callable& callable, const std::string& name) {
            const auto program = lower_beside_family(callable.kernel, target_named(name));
            if (!program) raise_in(program.error(), callable.text);
            return explanation(*program);
          },
          nb::arg("target") = "cuda", "How each operator is done there, and what was not taken.");
  m.def("_kernel", read);
  bind_tuning(m);
  m.def("_kernel_of_object", load);
}

}  // namespace heddle::python

// Runs kernels over devices on this machine: mpicc compiles them, mpirun starts a process for each
// device, and files hold the parts.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/devices.h"
#include "heddle/kernel/meaning.h"
#include "kernel/device/programs.h"
#include "kernel/parts/part.h"
#include "kernel/source/conversions.h"
#include "kernel/source/launcher_texts.h"

namespace heddle::kernel {

namespace {

/// Reads the parts of a process, runs the kernel and writes them. The kernel's text stands before.
std::string main_of(const DevicesProgram& program) {
  std::string read;
  std::string written;
  std::vector<std::string> arguments;
  std::size_t next = 0;
  for (std::size_t i = 0; i != program.kernel.parameters.size(); ++i) {
    const Tensor& parameter = program.kernel.parameters[i];
    if (parameter.space == Space::kValue) {
      const std::string type(stored_as(parameter.type, Target::kCpu));
      read += fmt::format(
          "  {0} value_{1};\n  memcpy(&value_{1}, heddle_read({1}, rank, sizeof(value_{1})), "
          "sizeof value_{1});\n",
          type, i);
      arguments.push_back(fmt::format("value_{}", i));
      continue;
    }
    const DevicesTensor& tensor = program.tensors[next++];
    const std::vector<std::int64_t> shape = numbers_of(tensor.local.shape);
    const std::int64_t bytes = tensor.elements * bits(parameter.type) / 8;
    read += fmt::format(
        "  heddle_tensor tensor_{} = {{heddle_read({}, rank, {}), {}, {}, {{{}}}, NULL}};\n", i, i,
        bytes, type_constant(parameter.type), shape.size(),
        shape.empty() ? "0" : fmt::format("{}", fmt::join(shape, ", ")));
    written += fmt::format("  heddle_write({0}, rank, tensor_{0}.data, {1});\n", i, bytes);
    arguments.push_back(fmt::format("tensor_{}", i));
  }
  return fmt::format(R"(
static const char* heddle_folder;
static FILE* heddle_open(int parameter, int rank, const char* mode) {{
  char name[4096];
  snprintf(name, sizeof name, "%s/%d.%d", heddle_folder, parameter, rank);
  FILE* file = fopen(name, mode);
  if (file != NULL) return file;
  fprintf(stderr, "%s cannot be opened\n", name);
  MPI_Abort(MPI_COMM_WORLD, 3);
  return NULL;
}}
static void* heddle_read(int parameter, int rank, size_t bytes) {{
  void* memory = aligned_alloc(64, (bytes + 64) / 64 * 64);
  FILE* file = heddle_open(parameter, rank, "rb");
  if (memory == NULL || fread(memory, 1, bytes, file) != bytes) MPI_Abort(MPI_COMM_WORLD, 3);
  fclose(file);
  return memory;
}}
static void heddle_write(int parameter, int rank, const void* memory, size_t bytes) {{
  FILE* file = heddle_open(parameter, rank, "wb");
  const int is_written = fwrite(memory, 1, bytes, file) == bytes;
  if (fclose(file) != 0 || !is_written) MPI_Abort(MPI_COMM_WORLD, 3);
}}
int main(int count, char** words) {{
  int rank = 0;
  heddle_error error;
  if (count != 2) return 3;
  heddle_folder = words[1];
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
{0}  if ({1}(MPI_COMM_WORLD, {2}, 1, HEDDLE_CHECK_COPIES, &error) != 0) {{
    if (rank == 0) fprintf(stderr, "%s\n", error.text);
    MPI_Finalize();
    return 2;
  }}
{3}  MPI_Finalize();
  return 0;
}}
)",
                     read, program.kernel.name, fmt::join(arguments, ", "), written);
}

Result<std::string> find_mpi(std::string_view name, std::string_view code) {
  if (auto path = in_search_path(name)) return *std::move(path);
  return refuse(Diagnostic(std::string(code), fmt::format("there is no {} in PATH", name))
                    .with_hint("apt install openmpi-bin libopenmpi-dev has it; --emit source needs "
                               "none"));
}

Result<void> compile_mpi(const std::string& source, const TemporaryFolder& folder) {
  HEDDLE_TRY(const std::string compiler, find_mpi("mpicc", "kernel.no_compiler"));
  HEDDLE_CHECK(write_text(folder.file("kernel.c"), source));
  std::vector<std::string> words = {compiler,
                                    "-std=gnu17",
                                    "-O3",
                                    "-march=native",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-ffp-contract=off",
                                    "-fopenmp",
                                    "-o",
                                    folder.file("run"),
                                    folder.file("kernel.c"),
                                    "-lm"};
  const auto has_succeeded = run_program(std::move(words), folder.file("log"));
  if (has_succeeded.value_or(false)) return {};
  return refuse(Diagnostic("kernel.compile", "mpicc rejects the source of the kernel")
                    .with_note(fmt::format("{} says: {}", compiler,
                                           shortened(has_succeeded ? contents(folder.file("log"))
                                                                   : has_succeeded.error(),
                                                     2000))));
}

Result<void> start(const TemporaryFolder& folder, std::int64_t devices) {
  HEDDLE_TRY(const std::string runner, find_mpi("mpirun", "kernel.no_device"));
  std::vector<std::string> words = {runner, "--oversubscribe", "-n", std::to_string(devices)};
  if (geteuid() == 0) words.insert(words.begin() + 1, "--allow-run-as-root");
  words.insert(words.end(), {folder.file("run"), folder.file(".")});
  const auto has_succeeded = run_program(std::move(words), folder.file("log"));
  if (has_succeeded.value_or(false)) return {};
  const std::string said = has_succeeded ? contents(folder.file("log")) : has_succeeded.error();
  return refuse(Diagnostic("kernel.mpi", "the kernel did not finish on all devices")
                    .with_note(fmt::format("mpirun says: {}", shortened(said, 2000))));
}

/// The parts of one tensor as the memories of the devices.
class PartFiles {
 public:
  PartFiles(const DevicesTensor& tensor, Part part, Places places)
      : tensor_(tensor),
        part_(std::move(part)),
        holding_(holding_of(part_)),
        places_(std::move(places)) {}

  [[nodiscard]] std::vector<std::byte> memory_of(const Array& whole, std::int64_t device) const {
    const Array part = part_on(holding_, part_, device, whole);
    return bytes_of(spread_out(part, places_));
  }

  /// Puts a device's part into the whole. Refuses another copy than a device before it has.
  Result<void> put(const std::string& bytes, std::int64_t device, Array& whole,
                   std::vector<bool>& is_done) const {
    const Array memory = array_of(whole.type, {places_.elements},
                                  std::as_bytes(std::span(bytes.data(), bytes.size())));
    is_done.resize(whole.elements.size());
    for (std::size_t e = 0; e != whole.elements.size(); ++e) {
      const std::int64_t further = device - holding_.device[e];
      if (std::ranges::find(holding_.copies, further) == holding_.copies.end()) continue;
      const auto place = static_cast<std::size_t>(holding_.place[e]);
      const std::uint64_t found =
          memory.elements[static_cast<std::size_t>(places_.of_element[place])];
      if (is_done[e] && found != whole.elements[e]) {
        return refuse("kernel.replicas",
                      fmt::format("device {} has a different {} from an earlier device: element {}",
                                  device, tensor_.whole.name, e));
      }
      is_done[e] = true;
      whole.elements[e] = found;
    }
    return {};
  }

 private:
  const DevicesTensor& tensor_;
  Part part_;
  Holding holding_;
  Places places_;
};

/// The arguments of a program as files in a folder, one for each device.
class ArgumentFiles {
 public:
  ArgumentFiles(const DevicesProgram& program, const TemporaryFolder& folder)
      : program_(program), folder_(folder) {}

  Result<void> write(const std::vector<Array>& arguments) {
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const bool is_value = program_.kernel.parameters[i].space == Space::kValue;
      if (!is_value) HEDDLE_CHECK(add_part(arguments[i]));
      for (std::int64_t device = 0; device != program_.kernel.launch.devices; ++device) {
        const std::vector<std::byte> bytes =
            is_value ? bytes_of(arguments[i]) : files_.back().memory_of(arguments[i], device);
        const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        HEDDLE_CHECK(write_text(path(i, device), text));
      }
    }
    return {};
  }

  Result<void> read(std::vector<Array>& arguments) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      if (program_.kernel.parameters[i].space == Space::kValue) continue;
      const PartFiles& files = files_[next++];
      std::vector<bool> is_done;
      for (std::int64_t device = 0; device != program_.kernel.launch.devices; ++device) {
        HEDDLE_CHECK(files.put(contents(path(i, device)), device, arguments[i], is_done));
      }
    }
    return {};
  }

 private:
  Result<void> add_part(const Array& argument) {
    const DevicesTensor& tensor = program_.tensors[files_.size()];
    HEDDLE_TRY(Part part, part_of(tensor.whole, program_.kernel.launch.devices));
    Array local{argument.type, numbers_of(part.local.shape), {}};
    local.elements.resize(static_cast<std::size_t>(size(local)));
    HEDDLE_TRY(Places places, places_of(part.local, local, {}));
    files_.emplace_back(tensor, std::move(part), std::move(places));
    return {};
  }

  [[nodiscard]] std::string path(std::size_t parameter, std::int64_t device) const {
    return folder_.file(fmt::format("{}.{}", parameter, device));
  }

  const DevicesProgram& program_;
  const TemporaryFolder& folder_;
  std::vector<PartFiles> files_;
};

}  // namespace

Result<std::vector<Array>> run_on_mpi(const DevicesProgram& program, std::vector<Array> arguments) {
  HEDDLE_TRY(const Sizes sizes, sizes_of(program.kernel, arguments, program.sizes));
  HEDDLE_TRY(const std::string source, to_source(program));
  HEDDLE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  HEDDLE_CHECK(compile_mpi(source + main_of(program), folder));
  ArgumentFiles files(program, folder);
  HEDDLE_CHECK(files.write(arguments));
  HEDDLE_CHECK(start(folder, program.kernel.launch.devices));
  HEDDLE_CHECK(files.read(arguments));
  return arguments;
}

}  // namespace heddle::kernel

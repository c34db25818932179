#include "support/device.h"

#include "support/devices.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle::kernels {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<Device> open_device(const std::string& program, const std::string& twin) {
  if (program.ends_with(".cl")) return open_opencl(program);
  if (program.ends_with(".c.so")) return open_c(program);
  if (program.ends_with(".cu.so")) return open_cuda_on_cpu(program, twin);
  for (const char* kind : {".fatbin", ".cubin", ".ptx"}) {
    if (program.ends_with(kind)) return open_cuda(program, twin);
  }
  throw std::runtime_error(program +
                           ": a program ends in .cl, .c.so, .cu.so, .fatbin, .cubin or .ptx");
}

std::string variant_of(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return name.substr(0, name.find('.'));
}

std::vector<int> geometry(Device& device, std::size_t count) {
  Buffer<int> numbers(device, count);
  device.launch("geometry", {}, {}, numbers);
  return numbers.read();
}

}  // namespace heddle::kernels

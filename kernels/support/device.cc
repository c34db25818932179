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
  const std::string kind = std::filesystem::path(program).extension().string();
  if (kind == ".cl") return open_opencl(program);
  if (kind == ".fatbin" || kind == ".cubin" || kind == ".ptx") return open_cuda(program, twin);
  if (kind == ".so") return open_cuda_on_cpu(program, twin);
  throw std::runtime_error(program + ": a program ends in .cl, .fatbin, .cubin, .ptx or .so");
}

std::vector<int> geometry(Device& device, std::size_t count) {
  Buffer<int> numbers(device, count);
  device.launch("geometry", {}, {}, numbers);
  return numbers.read();
}

}  // namespace heddle::kernels

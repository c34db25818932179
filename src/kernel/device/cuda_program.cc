#include "kernel/device/cuda_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/kernel/cuda_compiler.h"
#include "kernel/device/cuda_driver.h"

namespace heddle::kernel {

namespace {

Result<void> check_status(const CudaDriver& driver, std::string_view what, cu::Status status) {
  if (status == 0) return {};
  const char* text = nullptr;
  driver.cuGetErrorString(status, &text);
  return refuse("kernel.no_device",
                fmt::format("CUDA's {} fails: {}", what, text == nullptr ? "unknown error" : text));
}

/// The context that this thread uses meanwhile; afterwards the one that it used before.
class ContextInUse {
 public:
  ContextInUse(const CudaDriver& driver, cu::Handle context)
      : driver_(&driver), status_(driver.cuCtxPushCurrent_v2(context)) {}
  ContextInUse(const ContextInUse&) = delete;
  ContextInUse& operator=(const ContextInUse&) = delete;
  ~ContextInUse() {
    cu::Handle used = nullptr;
    if (status_ == 0) driver_->cuCtxPopCurrent_v2(&used);
  }
  [[nodiscard]] Result<void> made() const {
    return check_status(*driver_, "cuCtxPushCurrent", status_);
  }

 private:
  const CudaDriver* driver_;
  cu::Status status_;
};

/// Memory of the GPU, which is freed at the end.
class GpuMemory {
 public:
  explicit GpuMemory(const CudaDriver& driver) : driver_(&driver) {}
  GpuMemory(GpuMemory&& other) noexcept
      : driver_(other.driver_), pointer_(std::exchange(other.pointer_, 0)) {}
  GpuMemory& operator=(GpuMemory&&) = delete;
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;
  ~GpuMemory() {
    if (pointer_ != 0) driver_->cuMemFree_v2(pointer_);
  }

  Result<void> hold(std::span<const std::byte> bytes) {
    HEDDLE_CHECK(
        check_status(*driver_, fmt::format("cuMemAlloc of {} bytes", bytes.size()),
                     driver_->cuMemAlloc_v2(&pointer_, std::max<std::size_t>(bytes.size(), 1))));
    if (bytes.empty()) return {};
    return check_status(*driver_, "cuMemcpyHtoD",
                        driver_->cuMemcpyHtoD_v2(pointer_, bytes.data(), bytes.size()));
  }
  [[nodiscard]] Result<void> read(std::span<std::byte> bytes) const {
    if (bytes.empty()) return {};
    return check_status(*driver_, "cuMemcpyDtoH",
                        driver_->cuMemcpyDtoH_v2(bytes.data(), pointer_, bytes.size()));
  }
  /// What a launch takes the address of.
  [[nodiscard]] cu::Pointer& pointer() { return pointer_; }

 private:
  const CudaDriver* driver_;
  cu::Pointer pointer_ = 0;
};

class CudaProgram final : public DeviceProgram {
 public:
  ~CudaProgram() override {
    if (module_ != nullptr) {
      const ContextInUse context(driver_, context_);
      driver_.cuModuleUnload(module_);
    }
    if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease_v2(gpu_);
  }
  CudaProgram() = default;
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  /// Finds the GPU and opens it.
  Result<void> open() {
    HEDDLE_TRY(driver_, load_cuda_driver());
    std::array<char, 256> name{};
    HEDDLE_CHECK(
        check("cuDeviceGetName",
              driver_.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, gpu_)));
    name_ = name.data();
    return check("cuDevicePrimaryCtxRetain", driver_.cuDevicePrimaryCtxRetain(&context_, gpu_));
  }

  /// With so many bytes of shared memory that a launch asks for.
  Result<void> compile(const std::string& source, const std::string& kernel,
                       std::int64_t shared_bytes) {
    HEDDLE_TRY(const std::string architecture, this->architecture());
    HEDDLE_TRY(binary_, compile_cuda(source, std::array{architecture}));
    const ContextInUse context(driver_, context_);
    HEDDLE_CHECK(context.made());
    HEDDLE_CHECK(check("cuModuleLoadData", driver_.cuModuleLoadData(&module_, binary_.c_str())));
    HEDDLE_CHECK(check("cuModuleGetFunction",
                       driver_.cuModuleGetFunction(&function_, module_, kernel.c_str())));
    shared_bytes_ = static_cast<unsigned>(shared_bytes);
    if (shared_bytes == 0) return {};
    return check("cuFuncSetAttribute", driver_.cuFuncSetAttribute(function_, cu::kMostSharedBytes,
                                                                  static_cast<int>(shared_bytes)));
  }

  [[nodiscard]] const std::string& device() const override { return name_; }
  [[nodiscard]] Result<std::string> binary() const override { return binary_; }

  [[nodiscard]] Result<void> run(const LaunchShape& shape,
                                 std::span<LaunchArgument> arguments) const override {
    const ContextInUse context(driver_, context_);
    HEDDLE_CHECK(context.made());
    std::vector<GpuMemory> memories;
    for (const LaunchArgument& argument : arguments) {
      memories.emplace_back(driver_);
      if (argument.is_memory) HEDDLE_CHECK(memories.back().hold(argument.bytes));
    }
    std::vector<void*> addresses;
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      addresses.push_back(arguments[i].is_memory ? static_cast<void*>(&memories[i].pointer())
                                                 : static_cast<void*>(arguments[i].bytes.data()));
    }
    HEDDLE_CHECK(launch(shape, addresses));
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      if (arguments[i].is_memory) HEDDLE_CHECK(memories[i].read(arguments[i].bytes));
    }
    return {};
  }

  [[nodiscard]] bool runs_in_place() const override { return true; }

  [[nodiscard]] Result<void> run_in(const LaunchShape& shape, std::span<void* const> tensors,
                                    std::span<void* const> values) const override {
    const ContextInUse context(driver_, context_);
    HEDDLE_CHECK(context.made());
    // Streams of other libraries may still write the tensors.
    HEDDLE_CHECK(check("cuCtxSynchronize", driver_.cuCtxSynchronize()));
    std::vector<void*> pointers(tensors.begin(), tensors.end());
    std::vector<void*> addresses;
    for (void*& pointer : pointers) addresses.push_back(static_cast<void*>(&pointer));
    addresses.insert(addresses.end(), values.begin(), values.end());
    return launch(shape, addresses);
  }

 private:
  /// To its end, with the addresses of what the function takes.
  [[nodiscard]] Result<void> launch(const LaunchShape& shape, std::vector<void*>& addresses) const {
    HEDDLE_CHECK(check_grid(shape));
    const auto number = [](std::size_t n) { return static_cast<unsigned>(n); };
    HEDDLE_CHECK(
        check("cuLaunchKernel",
              driver_.cuLaunchKernel(function_, number(shape.grid[0]), number(shape.grid[1]),
                                     number(shape.grid[2]), number(shape.threads), 1, 1,
                                     shared_bytes_, nullptr, addresses.data(), nullptr)));
    return check("cuCtxSynchronize", driver_.cuCtxSynchronize());
  }

  [[nodiscard]] Result<void> check(std::string_view what, cu::Status status) const {
    return check_status(driver_, what, status);
  }

  /// `sm_80`, `sm_90a`: with what only this architecture has.
  [[nodiscard]] Result<std::string> architecture() const {
    int major = 0;
    int minor = 0;
    HEDDLE_CHECK(check("cuDeviceGetAttribute",
                       driver_.cuDeviceGetAttribute(&major, cu::kMajorVersion, gpu_)));
    HEDDLE_CHECK(check("cuDeviceGetAttribute",
                       driver_.cuDeviceGetAttribute(&minor, cu::kMinorVersion, gpu_)));
    constexpr int kFirstWithOwn = 9;
    return fmt::format("sm_{}{}{}", major, minor, major >= kFirstWithOwn ? "a" : "");
  }

  /// CUDA's grids are long in the first extent only.
  static Result<void> check_grid(const LaunchShape& shape) {
    constexpr std::size_t kMost = 65535;
    const std::size_t largest = std::max(shape.grid[1], shape.grid[2]);
    if (largest <= kMost) return {};
    return refuse(Diagnostic("kernel.launch",
                             fmt::format("the second and third extents of CUDA's grids are at most "
                                         "{}, and one is {}",
                                         kMost, largest))
                      .with_hint("the first extent may be longer"));
  }

  CudaDriver driver_;
  cu::Device gpu_ = 0;
  std::string name_;
  std::string binary_;
  cu::Handle context_ = nullptr;
  cu::Handle module_ = nullptr;
  cu::Handle function_ = nullptr;
  unsigned shared_bytes_ = 0;
};

}  // namespace

Result<std::shared_ptr<const DeviceProgram>> load_cuda_program(const std::string& source,
                                                               const std::string& kernel,
                                                               std::int64_t shared_bytes) {
  auto program = std::make_shared<CudaProgram>();
  HEDDLE_CHECK(program->open());
  HEDDLE_CHECK(program->compile(source, kernel, shared_bytes));
  return program;
}

}  // namespace heddle::kernel

// A device that runs kernels, OpenCL's or CUDA's, behind one interface.
//
//   const auto device = open_device("padded.cl");         // OpenCL; "padded.fatbin" would be CUDA
//   Buffer<float> a(*device, input), b(*device, count);
//   device->launch("transpose", {8, 4}, {32, 8}, a, b, m, n);
//   const std::vector<float> result = b.read();
//
// Grids are counted in blocks, as CUDA does. Launches of one device run in order. What goes wrong
// is thrown: DeviceMissing where the machine has no such device, std::runtime_error for everything
// else.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::kernels {

// No device of this kind, or nothing to talk to it with. A driver exits with 77, which CTest takes
// for "skipped".
struct DeviceMissing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Blocks of a grid, or threads of a block.
struct Extent {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;
};

// In which order the threads of a block run where a device lets them run one after the other, each
// until it has to wait: what needs a barrier and has none goes wrong in one of the two.
enum class ThreadOrder { kFirstFirst, kLastFirst };

// Memory of a device, by a handle that only the device can read.
using Memory = std::uint64_t;

// An argument of a kernel, a number or memory, by its bytes.
class Argument {
 public:
  template <class Number>
    requires std::is_integral_v<Number> || std::is_same_v<Number, float>
  explicit Argument(Number number)
      : size_(sizeof number), is_floating_(std::is_floating_point_v<Number>) {
    static_assert(sizeof number <= sizeof bytes_);
    std::memcpy(bytes_.data(), &number, sizeof number);
  }

  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }
  bool is_floating() const { return is_floating_; }

 private:
  alignas(8) std::array<std::byte, 8> bytes_{};
  std::size_t size_;
  bool is_floating_;
};

template <class Element>
class Buffer;

// A device with one program loaded.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  // What the device calls itself, and which interface it is reached by.
  virtual std::string name() const = 0;
  virtual bool is_gpu() const = 0;

  // Starts `grid` blocks of `block` threads. Arguments are numbers and buffers, of the types that
  // the kernel declares: nothing checks them.
  template <class... Arguments>
  void launch(const std::string& kernel, Extent grid, Extent block, const Arguments&... arguments) {
    std::array<Argument, sizeof...(arguments)> list{argument(arguments)...};
    launch_with(kernel, grid, block, list);
  }

  // The same with arguments that are known at run time only.
  void launch(const std::string& kernel, Extent grid, Extent block, std::span<Argument> arguments) {
    launch_with(kernel, grid, block, arguments);
  }

  // For the launches that follow; devices whose threads run together ignore it.
  virtual void set_order(ThreadOrder /*order*/) {}

  // Seconds from the start of the first launch of `work` to the end of its last, by the device's
  // clock.
  virtual double seconds(const std::function<void()>& work) = 0;

  virtual void finish() = 0;

  virtual Memory allocate(std::size_t bytes) = 0;
  virtual void release(Memory memory) = 0;
  virtual void write(Memory memory, const void* from, std::size_t bytes) = 0;
  virtual void read(Memory memory, void* to, std::size_t bytes) = 0;

 protected:
  virtual void launch_with(const std::string& kernel, Extent grid, Extent block,
                           std::span<Argument> arguments) = 0;

 private:
  template <class Number>
  static Argument argument(Number number) {
    return Argument(number);
  }
  template <class Element>
  static Argument argument(const Buffer<Element>& buffer) {
    return Argument(buffer.memory());
  }
};

// Opens the device that a program is for and loads it: `.cl` is source text for OpenCL; `.fatbin`,
// `.cubin` and `.ptx` are for CUDA; `.c.so` is C, and `.cu.so` CUDA compiled for the CPU. A twin,
// for CUDA, is a program whose kernels are taken instead: `transpose_padded` for the kernel
// `transpose` of `padded`, or `transpose`; what it does not have the program has.
std::unique_ptr<Device> open_device(const std::string& program, const std::string& twin = {});

// The layouts that a program was made with: its name before the first dot.
std::string variant_of(const std::string& program);

// An array on a device.
template <class Element>
class Buffer {
 public:
  // Zeros.
  Buffer(Device& device, std::size_t size) : Buffer(device, std::vector<Element>(size)) {}
  Buffer(Device& device, const std::vector<Element>& elements)
      : device_(&device), size_(elements.size()) {
    memory_ = device.allocate(bytes());
    write(elements);
  }
  Buffer(Buffer&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)),
        memory_(other.memory_),
        size_(other.size_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (device_ != nullptr) device_->release(memory_);
  }

  Memory memory() const { return memory_; }
  std::size_t size() const { return size_; }

  void write(const std::vector<Element>& elements) {
    if (elements.size() != size_) throw std::runtime_error("a buffer is written as a whole");
    device_->write(memory_, elements.data(), bytes());
  }
  std::vector<Element> read() const {
    std::vector<Element> elements(size_);
    device_->read(memory_, elements.data(), bytes());
    return elements;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(Element); }

  Device* device_;
  Memory memory_ = 0;
  std::size_t size_;
};

// What a program says about itself: numbers that its kernel `geometry(int* out)` writes, such as
// the sizes of tiles, which the layouts decide.
std::vector<int> geometry(Device& device, std::size_t count);

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace heddle::kernels

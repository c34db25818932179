// Runs CUDA's kernels on the CPU, compiled as C++ with cuda_on_cpu.h: a thread is a context of its
// own (ucontext.h) that runs until it has to wait for others.

#include <dlfcn.h>
#include <ucontext.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "support/devices.h"

namespace {

struct Index {
  unsigned x, y, z;
};

}  // namespace

// What kernels see of the thread that runs.
extern "C" {
Index cuda_thread, cuda_block, cuda_threads, cuda_blocks;
float* cuda_warp_values;
void cuda_wait_for_block();
void cuda_wait_for_warp();
}

namespace heddle::kernels {
namespace {

// Integers and pointers are handed over in registers of their own, and so are floating-point
// numbers, on the machines that this is for: one type of function serves all kernels.
using Word = std::uint64_t;
using Function = void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                          float, float, float, float);

struct Call {
  Function function = nullptr;
  std::array<Word, 12> words{};
  std::array<float, 4> numbers{};

  void operator()() const {
    const auto& w = words;
    const auto& f = numbers;
    function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], f[0], f[1],
             f[2], f[3]);
  }
};

enum class State { kRuns, kWaitsForWarp, kWaitsForBlock, kDone };

constexpr std::size_t kStack = 1 << 16;
constexpr std::size_t kWarp = 32;

struct Thread {
  Index index{};
  State state = State::kRuns;
  ucontext_t context{};
};

// The threads of one block after another; there is one such crew at a time.
class Crew {
 public:
  explicit Crew(Call call, Extent block) : call_(call), stacks_(count(block) * kStack) {
    threads_.resize(count(block));
    values_.resize((threads_.size() + kWarp - 1) / kWarp * kWarp);
    std::size_t i = 0;
    for (unsigned z = 0; z < block.z; ++z) {
      for (unsigned y = 0; y < block.y; ++y) {
        for (unsigned x = 0; x < block.x; ++x) threads_[i++].index = {x, y, z};
      }
    }
    cuda_warp_values = values_.data();
    current_crew = this;
  }

  void run_block() {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      ucontext_t& context = threads_[i].context;
      getcontext(&context);
      context.uc_stack.ss_sp = &stacks_[i * kStack];
      context.uc_stack.ss_size = kStack;
      context.uc_link = &scheduler_;
      makecontext(&context, [] { current_crew->run_thread(); }, 0);
      threads_[i].state = State::kRuns;
    }
    do {
      for (Thread& thread : threads_) {
        if (thread.state != State::kRuns) continue;
        current_ = &thread;
        cuda_thread = thread.index;
        swapcontext(&scheduler_, &thread.context);
      }
    } while (wake());
  }

  void wait(State state) {
    current_->state = state;
    swapcontext(&current_->context, &scheduler_);
  }

  static inline Crew* current_crew = nullptr;

 private:
  static std::size_t count(Extent block) {
    return static_cast<std::size_t>(block.x * block.y * block.z);
  }

  void run_thread() {
    call_();
    current_->state = State::kDone;
  }

  // Lets those go on that have waited for each other: warps, or else the block. False: all are
  // done.
  bool wake() {
    bool woken = false;
    for (std::size_t first = 0; first < threads_.size(); first += kWarp) {
      woken |= wake(first, std::min(first + kWarp, threads_.size()), State::kWaitsForWarp);
    }
    return woken || wake(0, threads_.size(), State::kWaitsForBlock);
  }

  // Wakes these threads where all that are not done wait so.
  bool wake(std::size_t first, std::size_t last, State waiting) {
    bool woken = false;
    for (std::size_t i = first; i < last; ++i) {
      if (threads_[i].state == State::kDone) continue;
      if (threads_[i].state != waiting) return false;
    }
    for (std::size_t i = first; i < last; ++i) {
      if (threads_[i].state == State::kDone) continue;
      threads_[i].state = State::kRuns;
      woken = true;
    }
    return woken;
  }

  Call call_;
  std::vector<Thread> threads_;
  std::vector<char> stacks_;
  std::vector<float> values_;
  ucontext_t scheduler_{};
  Thread* current_ = nullptr;
};

void* open_library(const std::string& path) {
  void* library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(const std::string& program, const std::string& twin)
      : variant_(std::filesystem::path(program).stem().string()), program_(open_library(program)) {
    if (!twin.empty()) twin_ = open_library(twin);
  }

  std::string name() const override { return "CPU (CUDA)"; }
  bool is_gpu() const override { return false; }
  void finish() override {}

  // Nothing is measured that would mean anything.
  double seconds(const std::function<void()>& work) override {
    work();
    return 0;
  }

  Memory allocate(std::size_t bytes) override {
    return reinterpret_cast<Memory>(new std::byte[bytes]);
  }
  void release(Memory memory) override { delete[] reinterpret_cast<std::byte*>(memory); }
  void write(Memory memory, const void* from, std::size_t bytes) override {
    std::memcpy(reinterpret_cast<void*>(memory), from, bytes);
  }
  void read(Memory memory, void* to, std::size_t bytes) override {
    std::memcpy(to, reinterpret_cast<const void*>(memory), bytes);
  }

 protected:
  void launch_with(const std::string& kernel, Extent grid, Extent block,
                   std::span<Argument> arguments) override {
    Call call;
    call.function = find_kernel(kernel);
    auto word = call.words.begin();
    auto number = call.numbers.begin();
    for (Argument& argument : arguments) {
      if (argument.is_floating()) {
        if (number == call.numbers.end()) throw std::runtime_error(kernel + ": too many arguments");
        std::memcpy(&*number++, argument.data(), sizeof(float));
      } else {
        if (word == call.words.end()) throw std::runtime_error(kernel + ": too many arguments");
        std::memcpy(&*word++, argument.data(), argument.size());
      }
    }
    const auto index = [](Extent extent) {
      return Index{static_cast<unsigned>(extent.x), static_cast<unsigned>(extent.y),
                   static_cast<unsigned>(extent.z)};
    };
    cuda_blocks = index(grid);
    cuda_threads = index(block);
    Crew crew(call, block);
    for (unsigned z = 0; z < grid.z; ++z) {
      for (unsigned y = 0; y < grid.y; ++y) {
        for (unsigned x = 0; x < grid.x; ++x) {
          cuda_block = {x, y, z};
          crew.run_block();
        }
      }
    }
  }

 private:
  Function find_kernel(const std::string& name) {
    void* found = nullptr;
    if (twin_ != nullptr) {
      found = dlsym(twin_, (name + "_" + variant_).c_str());
      if (found == nullptr) found = dlsym(twin_, name.c_str());
    }
    // The twin has the kernels, the program what serves the driver.
    const bool is_servant = name == "geometry" || name == "arrange" || name == "restore";
    if (found == nullptr && (twin_ == nullptr || is_servant)) {
      found = dlsym(program_, name.c_str());
    }
    if (found == nullptr) throw std::runtime_error("no kernel is called " + name);
    return reinterpret_cast<Function>(found);
  }

  std::string variant_;
  void* program_;
  void* twin_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> open_cuda_on_cpu(const std::string& program, const std::string& twin) {
  return std::make_unique<CpuDevice>(program, twin);
}

}  // namespace heddle::kernels

void cuda_wait_for_block() {
  heddle::kernels::Crew::current_crew->wait(heddle::kernels::State::kWaitsForBlock);
}

void cuda_wait_for_warp() {
  heddle::kernels::Crew::current_crew->wait(heddle::kernels::State::kWaitsForWarp);
}

// Runs CUDA's kernels on the CPU, compiled as C++ with cuda_on_cpu.h: a thread is a context of its
// own (ucontext.h) that runs until it has to wait for others.

#include "support/cpu.h"
#include "support/devices.h"

#include <dlfcn.h>
#include <ucontext.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

struct Index {
  unsigned x, y, z;
};

}  // namespace

// What kernels see of the thread that runs.
extern "C" {
Index cuda_thread, cuda_block, cuda_threads, cuda_blocks;
unsigned long long* cuda_warp_values;
void cuda_wait_for_block();
void cuda_wait_for_warp();
void cuda_run(void (*call)(void*), void* data, const unsigned* blocks, const unsigned* threads);
}

namespace heddle::kernels {
namespace {

enum class State { kRuns, kWaitsForWarp, kWaitsForBlock, kDone };

// More than the 512 KiB of local memory that a thread of CUDA may have. Memory that is not touched
// costs nothing.
constexpr std::size_t kStack = 1 << 20;
constexpr std::size_t kWarp = 32;

struct Thread {
  Index index{};
  State state = State::kRuns;
  ucontext_t context{};
};

// The threads of one block after another; there is one such crew at a time.
class Crew {
 public:
  Crew(std::function<void()> call, Extent block, ThreadOrder order)
      : call_(std::move(call)),
        order_(order),
        stacks_(std::make_unique_for_overwrite<char[]>(count(block) * kStack)) {
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
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        Thread& thread = threads_[order_ == ThreadOrder::kFirstFirst ? i : threads_.size() - 1 - i];
        if (thread.state != State::kRuns) continue;
        current_ = &thread;
        cuda_thread = thread.index;
        swapcontext(&scheduler_, &thread.context);
      }
    } while (wake());
    for (const Thread& thread : threads_) {
      if (thread.state == State::kDone) continue;
      throw std::runtime_error("threads wait for others that wait for something else");
    }
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

  std::function<void()> call_;
  ThreadOrder order_;
  std::vector<Thread> threads_;
  std::unique_ptr<char[]> stacks_;
  std::vector<unsigned long long> values_;
  ucontext_t scheduler_{};
  Thread* current_ = nullptr;
};

// Blocks run one after the other.
void run_grid(std::function<void()> call, Extent grid, Extent block, ThreadOrder order) {
  const auto index = [](Extent extent) {
    return Index{static_cast<unsigned>(extent.x), static_cast<unsigned>(extent.y),
                 static_cast<unsigned>(extent.z)};
  };
  cuda_blocks = index(grid);
  cuda_threads = index(block);
  Crew crew(std::move(call), block, order);
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        cuda_block = {x, y, z};
        crew.run_block();
      }
    }
  }
}

class CudaOnCpu final : public CpuDevice {
 public:
  explicit CudaOnCpu(const std::string& program, const std::string& twin)
      : variant_(variant_of(program)), program_(open_library(program)) {
    if (!twin.empty()) twin_ = open_library(twin);
  }

  std::string name() const override { return "CPU (CUDA)"; }

  void set_order(ThreadOrder order) override { order_ = order; }

  // Nothing is measured that would mean anything.
  double seconds(const std::function<void()>& work) override {
    work();
    return 0;
  }

 protected:
  void launch_with(const std::string& kernel, Extent grid, Extent block,
                   std::span<Argument> arguments) override {
    run_grid(Call(kernel, find_kernel(kernel), arguments), grid, block, order_);
  }

 private:
  void* find_kernel(const std::string& name) {
    if (twin_ == nullptr) return dlsym(program_, name.c_str());
    if (void* const found = dlsym(twin_, (name + "_" + variant_).c_str())) return found;
    if (void* const found = dlsym(twin_, name.c_str())) return found;
    // The twin has the kernels, the program what serves the driver.
    const bool is_servant = name == "geometry" || name == "arrange" || name == "restore";
    return is_servant ? dlsym(program_, name.c_str()) : nullptr;
  }

  std::string variant_;
  ThreadOrder order_ = ThreadOrder::kFirstFirst;
  void* program_;
  void* twin_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> open_cuda_on_cpu(const std::string& program, const std::string& twin) {
  return std::make_unique<CudaOnCpu>(program, twin);
}

}  // namespace heddle::kernels

void cuda_wait_for_block() {
  heddle::kernels::Crew::current_crew->wait(heddle::kernels::State::kWaitsForBlock);
}

void cuda_wait_for_warp() {
  heddle::kernels::Crew::current_crew->wait(heddle::kernels::State::kWaitsForWarp);
}

void cuda_run(void (*call)(void*), void* data, const unsigned* blocks, const unsigned* threads) {
  heddle::kernels::run_grid([=] { call(data); }, {blocks[0], blocks[1], blocks[2]},
                            {threads[0], threads[1], threads[2]},
                            heddle::kernels::ThreadOrder::kFirstFirst);
}

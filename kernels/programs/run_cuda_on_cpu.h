// The device that CUDA's launchers are tested on: the tests' CUDA-on-CPU, whose memory is this one.

#include <cstdlib>
#include <cstring>

extern "C" {
int open_device() { return 0; }
void* make_memory(std::size_t bytes, const void* from) {
  void* memory = std::aligned_alloc(16, (bytes + 15) / 16 * 16);
  return std::memcpy(memory, from, bytes);
}
void read_memory(void* memory, std::size_t bytes, void* to) { std::memcpy(to, memory, bytes); }
void free_memory(void* memory) { std::free(memory); }
}

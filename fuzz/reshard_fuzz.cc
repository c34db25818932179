// Any two files may be given as shards of a checkpoint: a plan for each tensor, or a refusal. The
// bytes up to the first 0xFF are the first file, the others the second one.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heddle/files/reshard.h"

namespace {

using namespace heddle;

void require(bool condition) {
  if (!condition) std::abort();
}

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : number_(memfd_create("shard", MFD_CLOEXEC)) {
    require(write(number_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(number_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

files::Specs specs(const char* spec, const char* mesh) {
  return files::Specs::of(spec, mesh).value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(bytes.find('\xff'), size);
  const MemoryFile first(bytes.substr(0, end));
  const MemoryFile second(bytes.substr(std::min(size, end + 1)));
  static const files::Specs kSources[] = {
      specs("[Shard(0)]", "[0,1]"), specs("[Replicate()]", "[0,1]"), specs("[Partial()]", "[0,1]")};
  static const files::Specs kTarget = specs("[Shard(-1)]", "[2,1,0]");
  for (const files::Specs& source : kSources) {
    files::ReshardRequest request;
    request.checkpoint = {first.path(), second.path()};
    request.from = source;
    request.to = kTarget;
    request.is_dry = true;
    const auto plans = files::reshard(request);
    if (!plans) {
      require(!plans.error().message().empty());
      continue;
    }
    require(!to_string(*plans).empty());
    for (const files::ReshardedTensor& tensor : plans->tensors) {
      // Tensors without elements have none.
      if (tensor.plan) require(!distribute::is_complete(*tensor.plan).is_no());
    }
  }
  return 0;
}

// Cuts a tensor for two devices, and joins it again.

#include <heddle/files/reshard.h>
#include <heddle/files/tensor_file.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>

using heddle::files::reshard;
using heddle::files::ReshardRequest;
using heddle::files::Specs;

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "heddle-example-reshard";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  heddle::files::Tensor tensor;
  tensor.name = "w";
  tensor.shape = {4, 6};
  tensor.bytes = 24;
  const std::string whole = folder / "whole.safetensors";
  const auto written = heddle::files::write_tensors(
      whole, {&tensor, 1}, {}, [](std::span<const std::span<std::byte>> bytes) {
        std::ranges::fill(bytes.front(), std::byte{7});
        return heddle::Result<void>();
      });
  if (!written) return 1;

  ReshardRequest cut;
  cut.checkpoint = {whole};
  cut.to = Specs::of("[Shard(1)]", "DeviceMesh([0, 1])").value();
  cut.output = folder / "cut";
  const auto parts = reshard(cut);
  if (!parts) return 1;
  std::cout << to_string(*parts) << "\n";

  ReshardRequest join;
  join.checkpoint = parts->files;
  join.from = cut.to;
  join.output = folder / "again.safetensors";
  const auto joined = reshard(join);
  if (!joined) return 1;
  std::cout << to_string(*joined) << "\n";
  std::filesystem::remove_all(folder);
}

// Three processes are too few for four devices.

#include <heddle/files/reshard.h>

#include <cstddef>
#include <iostream>

/// The first of three processes, as far as it is asked.
class FirstOfThree : public heddle::files::Transport {
 public:
  [[nodiscard]] std::size_t size() const override { return 3; }
};

int main() {
  heddle::files::ReshardRequest request;
  request.checkpoint = {"whole.safetensors"};
  request.to = heddle::files::Specs::of("P('x')", "Mesh('x': 4)").value();
  request.output = "cut";
  FirstOfThree processes;
  std::cout << heddle::files::reshard(request, processes).error() << "\n";
}

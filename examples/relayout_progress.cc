// Says how far a long move is, and gives it up.

#include <heddle/move/relayout.h>
#include <heddle/notation/any_layout.h>

#include <cstddef>
#include <iostream>
#include <stop_token>
#include <thread>
#include <vector>

using heddle::move::make_plan;
using heddle::move::Plan;

int main() {
  const auto layout = [](const char* text) {
    return heddle::notation::parse_any_layout(text).value();
  };
  const Plan plan =
      make_plan(layout("(4096,4096):(4096,1)"), layout("(4096,4096):(1,4096)"), 8).value();
  const std::vector<std::byte> source(static_cast<std::size_t>(plan.source_bytes()));
  std::vector<std::byte> destination(static_cast<std::size_t>(plan.destination_bytes()));

  // Another thread may read the progress, and request the stop, while the plan runs.
  heddle::move::Progress progress;
  std::stop_source stop;
  std::jthread runner([&] {
    const auto moved = plan.run(source, destination,
                                {.threads = 2, .stop = stop.get_token(), .progress = &progress});
    std::cout << (moved ? "moved" : "refused") << "\n";
  });
  runner.join();
  std::cout << progress.moved << " of " << progress.of << " bytes\n";

  stop.request_stop();
  std::cout << plan.run(source, destination, {.stop = stop.get_token()}).error() << "\n";
}

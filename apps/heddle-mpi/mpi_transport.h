#pragma once

// Processes that speak over MPI: those of MPI_COMM_WORLD, by their ranks.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/files/transport.h"

namespace heddle::mpi {

/// MPI must be initialised while it lives. What MPI cannot do ends all processes.
class MpiTransport : public files::Transport {
 public:
  MpiTransport();

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::vector<std::string> gather(const std::string& said) override;
  [[nodiscard]] std::size_t send(std::size_t to, std::span<const std::byte> message) override;
  [[nodiscard]] std::size_t receive(std::size_t from, std::span<std::byte> message) override;
  void finish(std::size_t message) override;
  void leave() override { has_left_ = true; }
  void keep(std::vector<std::byte> bytes) override { kept_.push_back(std::move(bytes)); }

  /// Waits until all processes have come to their end. One that was refused waits for some seconds
  /// only, and then leaves: the others work on, and wait for it.
  void end(bool is_done);

  /// Whether this process has failed, and the others do not know.
  [[nodiscard]] bool has_left() const { return has_left_; }

 private:
  [[nodiscard]] std::size_t started(MPI_Request request);

  std::size_t size_ = 1;
  std::size_t rank_ = 0;
  std::map<std::size_t, MPI_Request> on_the_way_;
  std::size_t next_ = 0;
  bool has_left_ = false;
  std::vector<std::vector<std::byte>> kept_;
  /// For the end alone: processes that are not at their end gather in the other one.
  MPI_Comm at_end_ = MPI_COMM_NULL;
};

}  // namespace heddle::mpi

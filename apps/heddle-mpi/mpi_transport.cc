#include "heddle-mpi/mpi_transport.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace heddle::mpi {
namespace {

constexpr int kTag = 0;
/// MPI counts what it sends in an int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
/// What is refused in all processes alike is refused in all of them at about the same time.
constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::milliseconds kLook(1);

}  // namespace

MpiTransport::MpiTransport() {
  int size = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &at_end_);
  size_ = static_cast<std::size_t>(size);
  rank_ = static_cast<std::size_t>(rank);
}

std::vector<std::string> MpiTransport::gather(const std::string& said) {
  const auto length = static_cast<std::uint64_t>(said.size());
  std::vector<std::uint64_t> lengths(size_);
  MPI_Allgather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  std::vector<std::string> all(size_);
  for (std::size_t from = 0; from < size_; ++from) {
    std::string& text = all[from];
    text = from == rank_ ? said : std::string(lengths[from], '\0');
    for (std::size_t at = 0; at < text.size(); at += kMostBytes) {
      const std::size_t count = std::min(kMostBytes, text.size() - at);
      MPI_Bcast(text.data() + at, static_cast<int>(count), MPI_BYTE, static_cast<int>(from),
                MPI_COMM_WORLD);
    }
  }
  return all;
}

std::size_t MpiTransport::send(std::size_t to, std::span<const std::byte> message) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(to), kTag,
            MPI_COMM_WORLD, &request);
  return started(request);
}

std::size_t MpiTransport::receive(std::size_t from, std::span<std::byte> message) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(message.data(), static_cast<int>(message.size()), MPI_BYTE, static_cast<int>(from),
            kTag, MPI_COMM_WORLD, &request);
  return started(request);
}

void MpiTransport::finish(std::size_t message) {
  const auto found = on_the_way_.find(message);
  MPI_Wait(&found->second, MPI_STATUS_IGNORE);
  on_the_way_.erase(found);
}

void MpiTransport::end(bool is_done) {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(at_end_, &all);
  const auto last = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    int has_come = 0;
    MPI_Test(&all, &has_come, MPI_STATUS_IGNORE);
    if (has_come != 0) return;
    if (!is_done && std::chrono::steady_clock::now() > last) return leave();
    std::this_thread::sleep_for(kLook);
  }
}

std::size_t MpiTransport::started(MPI_Request request) {
  on_the_way_.emplace(next_, request);
  return next_++;
}

}  // namespace heddle::mpi

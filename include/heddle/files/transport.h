#pragma once

// The processes that work on one checkpoint, and how they speak to one another.
//
//   Transport alone;                 one process, which works for all devices
//   class MpiTransport : Transport   one process a device, over MPI: apps/heddle-mpi
//
// All processes run the same program, and call these functions in the same order.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::files {

/// One process alone.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// How many processes there are, and the number of this one.
  [[nodiscard]] virtual std::size_t size() const { return 1; }
  [[nodiscard]] virtual std::size_t rank() const { return 0; }

  /// What each process said, in their order; all of them call it, and none goes on before.
  [[nodiscard]] virtual std::vector<std::string> gather(const std::string& said) { return {said}; }

  /// Begins to send a message, of less than 2 GiB, to another process, or to get one. Messages
  /// between two processes arrive in the order in which they were sent. The bytes must stay until
  /// finish(). Returns the number of the message.
  [[nodiscard]] virtual std::size_t send(std::size_t to, std::span<const std::byte> message);
  [[nodiscard]] virtual std::size_t receive(std::size_t from, std::span<std::byte> message);
  /// Waits until the message has left, or has arrived.
  virtual void finish(std::size_t message);

  /// Says that this process fails and the others do not know: they may wait for it.
  virtual void leave() {}
  /// Takes the bytes of a message that a failing process does not finish(): they stay as long as
  /// this, because the message may still arrive.
  virtual void keep(std::vector<std::byte> /*bytes*/) {}
};

/// What all processes say; if one of them is refused, its refusal, in all of them alike.
[[nodiscard]] Result<std::vector<std::string>> gather(Transport& transport,
                                                      const Result<std::string>& said);
/// Nothing, or the refusal of the first process that is refused, in all of them alike.
[[nodiscard]] Result<void> agree(Transport& transport, const Result<void>& done);

}  // namespace heddle::files
#pragma GCC visibility pop

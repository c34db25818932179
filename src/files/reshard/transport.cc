#include "heddle/files/transport.h"

#include <cassert>

namespace heddle::files {

// Alone there is nobody to speak to.

std::size_t Transport::send(std::size_t /*to*/, std::span<const std::byte> /*message*/) {
  assert(false);
  return 0;
}

std::size_t Transport::receive(std::size_t /*from*/, std::span<std::byte> /*message*/) {
  assert(false);
  return 0;
}

void Transport::finish(std::size_t /*message*/) { assert(false); }

}  // namespace heddle::files

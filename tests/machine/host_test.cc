// This machine, as the processor and the system describe it.

#include <gtest/gtest.h>

#include "heddle/machine/machine.h"

namespace heddle::machine {
namespace {

TEST(Host, HasVectorRegistersAndCachesThatGrow) {
  const form::Machine& here = host();
  EXPECT_EQ(find("host").value(), &here);
  ASSERT_EQ(here.registers.size(), 1U);
  const std::int64_t bits = here.registers.front().bits->value;
  EXPECT_TRUE(bits == 128 || bits == 256 || bits == 512) << bits;
  const form::MachineMemory* before = nullptr;
  for (const form::MachineMemory& cache : here.memories) {
    EXPECT_GE(cache.bytes->value, 4 << 10) << cache.name;
    if (before != nullptr) {
      EXPECT_LT(before->name, cache.name);
    }
    before = &cache;
  }
}

}  // namespace
}  // namespace heddle::machine

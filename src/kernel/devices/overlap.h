#pragma once

// Sending what a device has computed while it computes the rest.
//
//   device { gemm(P[0, 64*bx : +64], …) }        block bx makes the rows from 64*bx on
//   reduce(C, P, op="sum", axis=0)                device 1 is sent the rows 128 to 255
//
//   device 0   does blocks 12, 13, 14, 15, sends rows to device 3, does 8, 9, 10, 11, …
//
// A block has to be done before what it writes is sent; the rest is an order of the blocks.

#include <cstdint>

#include "heddle/kernel/devices.h"
#include "kernel/devices/exchange.h"
#include "kernel/parts/split.h"

namespace heddle::kernel {

/// Finds the order in which each device does its blocks of `local`, and cuts the transfers of the
/// exchange, which sends parts of `source` that the blocks write. Where that cannot be done, says
/// why in the exchange.
void overlap(const LocalKernel& local, const Sizes& sizes, std::int64_t devices,
             const Tensor& source, const ExchangedDimensions& dimensions, ExchangeStep& exchange);

}  // namespace heddle::kernel

#include "heddle/analyze/coalescing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/bits.h"

namespace heddle::analyze {
namespace {

/// The number of different blocks of `block` bytes that the runs of `length` bytes touch.
std::int64_t blocks_touched(const std::vector<std::int64_t>& begins, std::int64_t length,
                            std::int64_t block) {
  std::int64_t count = 0;
  std::int64_t next = 0;  // the first block that is not counted yet; begins ascend
  for (const std::int64_t begin : begins) {
    const std::int64_t first = std::max(begin / block, next);
    const std::int64_t end = (begin + length - 1) / block + 1;
    if (end <= first) continue;
    count += end - first;
    next = end;
  }
  return count;
}

RequestTraffic traffic_of(const Request& request, std::int64_t length) {
  std::vector<std::int64_t> begins = request.bytes;
  std::ranges::sort(begins);
  RequestTraffic traffic;
  traffic.bytes = blocks_touched(begins, length, 1);
  traffic.sectors = blocks_touched(begins, length, kSectorBytes);
  traffic.ideal = (traffic.bytes + kSectorBytes - 1) / kSectorBytes;
  traffic.lines = blocks_touched(begins, length, kLineBytes);
  return traffic;
}

Result<int> aligned_bits(int max_bits, std::int64_t alignment) {
  if (!is_power_of_two(alignment)) {
    return refuse("analyze.alignment",
                  fmt::format("memory aligned to {} bytes: a power of two is needed", alignment));
  }
  return static_cast<int>(std::min<std::int64_t>(max_bits, std::min(alignment, kLineBytes) * 8));
}

}  // namespace

std::size_t CoalescingReport::worst() const {
  const auto most = std::ranges::max_element(traffic, {}, &RequestTraffic::sectors);
  return static_cast<std::size_t>(most - traffic.begin());
}

Result<CoalescingReport> coalescing(const Access& access, int max_bits, std::int64_t alignment) {
  HEDDLE_TRY(const int bits, aligned_bits(max_bits, alignment));
  HEDDLE_TRY(const Vectors vectors, widest_vectors(access, bits));
  CoalescingReport report;
  report.vector_elements = vectors.elements;
  report.vector_bits = vectors.elements * access.element_bits;
  report.requests = requests(access, vectors);
  for (const Request& request : report.requests) {
    const RequestTraffic traffic = traffic_of(request, report.vector_bits / 8);
    report.traffic.push_back(traffic);
    report.total.bytes += traffic.bytes;
    report.total.sectors += traffic.sectors;
    report.total.ideal += traffic.ideal;
    report.total.lines += traffic.lines;
  }
  return report;
}

}  // namespace heddle::analyze

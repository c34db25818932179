#include "checker/watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <tuple>

namespace heddle::checker {

namespace {

constexpr std::size_t kMostFindings = 16;
/// A byte that is not a small number; two or four of them are a NaN in every float type.
constexpr int kPoison = 0xff;

std::string_view verb_of(HeddleAccess kind) {
  if (kind == kHeddleAtomic) return "updates";
  return kind == kHeddleRead ? "reads" : "writes";
}

/// `threads 0 to 31, 40`.
std::string threads_text(std::vector<unsigned> threads) {
  std::ranges::sort(threads);
  std::vector<std::string> runs;
  for (std::size_t first = 0; first != threads.size();) {
    std::size_t last = first;
    while (last + 1 != threads.size() && threads[last + 1] == threads[last] + 1) ++last;
    runs.push_back(first == last ? fmt::format("{}", threads[first])
                                 : fmt::format("{} to {}", threads[first], threads[last]));
    first = last + 1;
  }
  return fmt::format("thread{} {}", threads.size() == 1 ? "" : "s", fmt::join(runs, ", "));
}

std::string_view name_of(const Waiting& waiting) {
  return waiting.what == nullptr ? waiting.barrier->name : waiting.what->name;
}

unsigned lane_of(unsigned thread) { return thread % kWarpSize; }

/// The lanes as a mask.
unsigned mask_of(std::span<const Waiting> lanes) {
  unsigned mask = 0;
  for (const Waiting& each : lanes) mask |= 1U << lane_of(each.thread);
  return mask;
}

void join(Counts& all, const Counts& counts) {
  std::ranges::transform(all, counts, all.begin(), [](auto a, auto b) { return std::max(a, b); });
}

}  // namespace

std::uint32_t Image::offset(const void* site) const {
  // What returns there was called before.
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(site) - first - 1);
}

bool Image::is_of_code(const void* at) const {
  const std::less<> before;
  const auto is_in = [&](const std::byte* begin, std::size_t size) {
    return !before(at, begin) && before(at, begin + size);
  };
  return is_in(first, bytes) && !is_in(shared, shared_bytes);
}

Watch::Watch(Image image, std::vector<Window> windows, const RunOptions& options)
    : image_(image), windows_(std::move(windows)), options_(options), random_(options.seed) {}

std::uint32_t Watch::call_at(const void* place) {
  const std::uint32_t offset = image_.offset(place);
  calls_.try_emplace(offset, static_cast<const HeddlePlace*>(place));
  return offset;
}

std::string Watch::line_of(std::uint32_t site) const {
  const auto call = calls_.find(site);
  if (call == calls_.end()) return {};
  const std::string_view file = call->second->file;
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), call->second->line);
}

std::string Watch::place_of(std::uint32_t site) const {
  const std::string line = line_of(site);
  return line.empty() ? fmt::format("{{+{:x}}}", site) : line;
}

// --- blocks and barriers ---

void Watch::block_begins() {
  ++block_;
  blocks_.push_back(crew_->block());
  barriers_ = 0;
  constexpr unsigned kMostThreads = 1024;
  known_warps_.assign(kMostThreads / kWarpSize, {});
  known_lanes_.assign(kMostThreads, {});
  fences_.clear();
  acquired_.clear();
  index_ = {};
  pending_.assign(kMostThreads, {});
  places_.clear();
  copies_.clear();
  for (Window& window : windows_) {
    if (!window.is_shared()) continue;
    std::memset(window.first(), kPoison, static_cast<std::size_t>(window.bytes()));
  }
}

void Watch::block_ends() { traffic_.end_block(); }

void Watch::thread_ends(unsigned thread) {
  settle_index();
  Pending& pending = pending_[thread];
  for (const auto& group : pending.groups)
    std::ranges::copy(group, std::back_inserter(pending.loose));
  for (const std::uint32_t number : pending.loose) {
    const Copy& copy = copies_[number - 1];
    add(FindingKind::kNotAwaited, copy.site,
        fmt::format("thread {} does not wait for its copy to {} at {} before it ends", thread,
                    copy.to_window->text(copy.to_window->offset(copy.to)), place_of(copy.site)));
    await(number, now(thread, copy.site));
  }
  pending = {};
}

bool Watch::barrier(unsigned thread, const HeddleBarrier& barrier, const void* site) {
  constexpr int kBarriers = 16;
  constexpr int kMostThreads = 1024;
  settle_index();
  const std::uint32_t offset = call_at(site);
  site_of(SiteKind::kBarrier, offset);
  if (is_mutated(offset, Change::kDrop)) return false;
  const bool is_one = barrier.number >= 0 && barrier.number < kBarriers && barrier.threads >= 0 &&
                      barrier.threads <= kMostThreads &&
                      barrier.threads % static_cast<int>(kWarpSize) == 0;
  if (is_one) return true;
  add(FindingKind::kDivergent, offset,
      fmt::format("thread {} waits at {} ({}) for barrier {} of {} threads: there are barriers 0 "
                  "to {}, and they are for whole warps",
                  who(now(thread, offset)), place_of(offset), barrier.name, barrier.number,
                  barrier.threads, kBarriers - 1));
  crew_->stop();
  return false;
}

void Watch::barrier_passed(std::span<const Waiting> threads, bool is_of_all) {
  if (is_of_all) {
    ++barriers_;
  } else {
    check_warps(threads);
    join_warps(threads);
  }
  // Producers and consumers are at places of their own, at a barrier for some of the warps.
  const Waiting& first = threads.front();
  const auto is_alike = [&](const Waiting& each) {
    return is_of_all ? each.site == first.site && each.barrier->threads == 0
                     : each.barrier->threads == first.barrier->threads;
  };
  if (std::ranges::all_of(threads, is_alike)) return;
  add(FindingKind::kDivergent, image_.offset(first.site),
      fmt::format("the threads of a block are at several barriers: {}", where(threads)));
}

/// Whether the threads of a barrier are whole warps, but for threads that have ended.
void Watch::check_warps(std::span<const Waiting> threads) {
  std::map<unsigned, unsigned> lanes;
  for (const Waiting& each : threads) ++lanes[each.thread / kWarpSize];
  for (const auto& [warp, count] : lanes) {
    if (count == kWarpSize) continue;
    add(FindingKind::kDivergent, image_.offset(threads.front().site),
        fmt::format("{} lanes of warp {} pass a barrier of {} threads, which is for whole warps: "
                    "{}",
                    count, warp, threads.size(), where(threads)));
  }
}

/// Each of the warps knows what all of them know.
void Watch::join_warps(std::span<const Waiting> threads) {
  std::set<std::size_t> warps;
  for (const Waiting& each : threads) warps.insert(each.thread / kWarpSize);
  Counts known{};
  for (const std::size_t warp : warps) {
    ++known_warps_[warp][warp];
    join(known, known_warps_[warp]);
  }
  for (const std::size_t warp : warps) known_warps_[warp] = known;
}

/// Each of the lanes knows what all of them know.
void Watch::join_lanes(std::span<const Waiting> lanes) {
  Counts known{};
  for (const Waiting& each : lanes) {
    ++known_lanes_[each.thread][lane_of(each.thread)];
    join(known, known_lanes_[each.thread]);
  }
  for (const Waiting& each : lanes) known_lanes_[each.thread] = known;
}

bool Watch::collective(unsigned thread, const HeddleCollective& what, const void* site) {
  settle_index();
  const std::uint32_t offset = call_at(site);
  if ((what.mask >> lane_of(thread) & 1U) == 0) {
    add(FindingKind::kDivergent, offset,
        fmt::format("thread {} calls {} at {} with the mask {:#x}, in which its lane, {}, is not",
                    who(now(thread, offset)), what.name, place_of(offset), what.mask,
                    lane_of(thread)));
    crew_->stop();
    return false;
  }
  if (what.operation != kHeddleSyncWarp) return true;
  site_of(SiteKind::kWarpBarrier, offset);
  return !is_mutated(offset, Change::kDrop);
}

void Watch::warp_meets(std::span<const Waiting> lanes) {
  switch (lanes.front().what->operation) {
    case kHeddleSyncWarp:
      return join_lanes(lanes);
    case kHeddleMatrices:
      return check_lanes(lanes) ? read_rows(lanes) : crew_->stop();
    case kHeddleMultiply:
      if (!check_lanes(lanes)) return crew_->stop();
      ++multiplications_;
      return;
    case kHeddleShuffle:
      return suspect_lanes(lanes);
    case kHeddleGather:
      return;
  }
}

/// Whether all 32 lanes of the warp are there, and at one place, as what is `.aligned` in PTX
/// needs.
bool Watch::check_lanes(std::span<const Waiting> lanes) {
  const Waiting& first = lanes.front();
  const std::uint32_t site = image_.offset(first.site);
  const auto is_there = [&](const Waiting& each) { return each.site == first.site; };
  if (!std::ranges::all_of(lanes, is_there)) {
    add(FindingKind::kDivergent, site,
        fmt::format("the lanes of a warp do different things: {}", where(lanes)));
    return false;
  }
  if (lanes.size() == kWarpSize) return true;
  add(FindingKind::kDivergent, site,
      fmt::format(
          "{} at {} needs the 32 lanes of a warp, and {} of them have ended or are not there",
          first.what->name, place_of(site), kWarpSize - lanes.size()));
  return false;
}

/// What a shuffle takes from a lane that is not there is not defined. That does no harm if nobody
/// uses it.
void Watch::suspect_lanes(std::span<const Waiting> lanes) {
  const unsigned there = mask_of(lanes);
  for (const Waiting& each : lanes) {
    const auto from = static_cast<unsigned>(each.what->number) % kWarpSize;
    if ((there >> from & 1U) != 0) continue;
    const bool is_named = (each.what->mask >> from & 1U) != 0;
    const std::uint32_t site = image_.offset(each.site);
    return add_suspicion(
        site, fmt::format("thread {} takes by {} at {} what lane {} has, which {}",
                          who(now(each.thread, site)), each.what->name, place_of(site), from,
                          is_named ? "has ended"
                                   : fmt::format("is not in the mask {:#x}", each.what->mask)));
  }
}

/// The lanes whose rows ldmatrix reads.
void Watch::read_rows(std::span<const Waiting> lanes) {
  constexpr std::int64_t kRow = 16;
  const auto count = 8 * static_cast<std::size_t>(lanes.front().what->number);
  const std::uint32_t offset = image_.offset(lanes.front().site);
  Site& site = site_of(SiteKind::kMatrices, offset);
  std::vector<std::int64_t> rows;
  Window* window = nullptr;
  for (const Waiting& lane : lanes.first(count)) {
    const void* row = lane.what->a;
    const void* const before = exchange_place(lane.thread, site, row);
    if (before != nullptr && is_mutated(offset, Change::kStale)) {
      const_cast<HeddleCollective*>(lane.what)->a = row = before;  // NOLINT: it is on the stack
    }
    window = window_of(lane.thread, row, kRow, "reads", offset);
    if (window == nullptr) return;
    if (!window->is_shared()) {
      add(FindingKind::kOutside, offset,
          fmt::format("thread {} gives ldmatrix at {} a row of {}, which is not shared memory",
                      lane.thread, place_of(offset), window->text(window->offset(row))));
      return crew_->stop();
    }
    if (!check_aligned(lane.thread, *window, row, kRow, "reads", offset)) return;
    rows.push_back(window->offset(row));
    touch(*window, rows.back(), kRow, now(lane.thread, offset));
  }
  traffic_.touch_rows(offset, window->name(), rows);
}

void Watch::too_long(unsigned thread, const void* site) {
  settle_index();
  const std::string why =
      is_late_ ? fmt::format("{} s have gone by", options_.seconds)
               : fmt::format("the threads have run {} pieces of code", options_.steps);
  add(FindingKind::kTooLong, 0,
      fmt::format("thread {} still runs at {}, and is stopped: {}", who(now(thread, 0)),
                  place_of(image_.offset(site)), why));
  crew_->stop();
}

bool Watch::late(unsigned thread, const void* site) {
  is_late_ = true;
  // What was interrupted elsewhere may hold what a report needs.
  if (!image_.is_of_code(site)) return false;
  too_long(thread, site);
  return true;
}

void Watch::fault(unsigned thread, int signal, std::span<void* const> calls) {
  std::string_view what = "accesses memory that is not there";
  if (signal == SIGFPE) what = "divides an integer by zero";
  if (signal == SIGILL || signal == SIGTRAP) what = "traps";
  if (signal == SIGABRT) what = "calls abort()";
  ends(thread, what, calls);
}

void Watch::ends(unsigned thread, std::string_view what, std::span<void* const> calls) {
  settle_index();
  add(FindingKind::kFault, 0,
      fmt::format("thread {} {}{}", who(now(thread, 0)), what, where(calls)));
}

void Watch::print(std::string_view text) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  constexpr std::string_view kMore = "…\n";
  if (printed_.size() >= kMost) return;
  printed_ += text;
  if (printed_.size() < kMost) return;
  printed_.resize(kMost);
  printed_ += kMore;
}

std::string Watch::where(std::span<void* const> calls) const {
  std::string text;
  for (void* const at : calls) {
    if (image_.is_of_code(at)) text += fmt::format("+{:x}", image_.offset(at));
  }
  return text.empty() ? text : fmt::format(" at {{{}}}", text);
}

void Watch::stuck(std::span<const Waiting> threads) {
  // The lanes of a warp that only waits for itself wait for each other.
  for (unsigned first = 0; first <= threads.back().thread; first += kWarpSize) {
    std::vector<Waiting> lanes;
    std::ranges::copy_if(threads, std::back_inserter(lanes), [&](const Waiting& each) {
      return each.thread / kWarpSize == first / kWarpSize && each.what != nullptr;
    });
    if (lanes.empty() || mask_of(lanes) != crew_->lanes_left(first)) continue;
    return add(FindingKind::kDivergent, image_.offset(lanes.front().site),
               fmt::format("the lanes of a warp do different things: {}", where(lanes)));
  }
  add(FindingKind::kStuck, image_.offset(threads.front().site),
      fmt::format("no thread can go on: {}", where(threads)));
}

/// `threads 0 to 15 wait at gemm.cu:12 (__syncthreads), …`.
std::string Watch::where(std::span<const Waiting> threads) const {
  using Place = std::tuple<unsigned, unsigned, std::uint32_t, std::string_view>;
  std::map<Place, std::vector<unsigned>> groups;
  for (const Waiting& each : threads) {
    const auto& call = *static_cast<const HeddlePlace*>(each.site);
    groups[{call.line, call.column, image_.offset(each.site), name_of(each)}].push_back(
        each.thread);
  }
  std::vector<std::string> texts;
  for (const auto& [place, members] : groups) {
    const auto& [line, column, site, name] = place;
    texts.push_back(fmt::format("{} wait{} at {} ({})", threads_text(members),
                                members.size() == 1 ? "s" : "", place_of(site), name));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// --- accesses ---

Stamp Watch::now(unsigned thread, std::uint32_t site, HeddleAccess kind) const {
  return {block_,
          barriers_,
          known_lanes_[thread][lane_of(thread)],
          known_warps_[thread / kWarpSize][thread / kWarpSize],
          site,
          static_cast<std::uint16_t>(thread),
          kind,
          false};
}

Known Watch::known(unsigned thread) const {
  return {&known_warps_[thread / kWarpSize], &known_lanes_[thread], &acquired_};
}

Window* Watch::window_of(unsigned thread, const void* at, std::int64_t bytes, std::string_view verb,
                         std::uint32_t site) {
  Window* nearest = nullptr;
  std::int64_t distance = 0;
  for (Window& window : windows_) {
    if (window.contains(at, bytes)) return &window;
    const std::int64_t offset = window.offset(at);
    const std::int64_t away =
        offset < 0 ? -offset : std::max<std::int64_t>(offset - window.bytes(), 0);
    if (nearest == nullptr || away < distance) {
      nearest = &window;
      distance = away;
    }
  }
  const std::string what = nearest == nullptr ? "memory outside every buffer"
                                              : fmt::format("{}, outside of the {} bytes of {}",
                                                            nearest->text(nearest->offset(at)),
                                                            nearest->bytes(), nearest->name());
  add(FindingKind::kOutside, site,
      fmt::format("thread {} {} {} at {}", who(now(thread, site)), verb, what, place_of(site)));
  crew_->stop();
  return nullptr;
}

bool Watch::check_aligned(unsigned thread, const Window& window, const void* at, std::int64_t bytes,
                          std::string_view verb, std::uint32_t site) {
  const std::int64_t offset = window.offset(at);
  if (offset % bytes == 0) return true;
  add(FindingKind::kUnaligned, site,
      fmt::format(
          "thread {} {} {} bytes from byte {} of {} on at {}, which is not a multiple of {}",
          who(now(thread, site)), verb, bytes, offset, window.name(), place_of(site), bytes));
  crew_->stop();
  return false;
}

void Watch::access(unsigned thread, const void* at, std::size_t bytes, HeddleAccess kind,
                   const void* site) {
  const auto size = static_cast<std::int64_t>(bytes);
  const std::uint32_t offset = image_.offset(site);
  if (image_.is_of_code(at)) return;
  Window* window = window_of(thread, at, size, verb_of(kind), offset);
  if (window == nullptr) return;
  if (index_ && index_->thread == thread && index_->is_in_rows(window->offset(at) / size)) {
    index_ = {};
  }
  settle_index();
  const bool is_vector = std::has_single_bit(bytes) && bytes <= 16;
  if (is_vector && !check_aligned(thread, *window, at, size, verb_of(kind), offset)) return;
  ++accesses_;
  const std::int64_t place = window->offset(at);
  if (window->is_shared()) {
    traffic_.touch(thread, offset, crew_->moment(), window->name(), place, size,
                   kind != kHeddleRead);
  }
  const Stamp stamp = now(thread, offset, kind);
  if (kind == kHeddleAtomic && !window->is_shared()) release(at, stamp);
  touch(*window, place, size, stamp);
  if (options_.arrival == Arrival::kRandom) arrive_at_random(thread);
}

bool Watch::Index::is_in_rows(std::int64_t element) const {
  std::vector<std::int64_t> extents;
  for (std::size_t at = type.find('['); at != std::string::npos; at = type.find('[', at + 1)) {
    extents.push_back(std::max(std::atoll(type.c_str() + at + 1), 1LL));
  }
  if (extents.empty()) return false;
  const std::int64_t row =
      std::accumulate(extents.begin() + 1, extents.end(), std::int64_t{1}, std::multiplies<>());
  const std::int64_t first = element / row - number;
  return first >= 0 && first % extents.front() == 0;
}

void Watch::index(unsigned thread, std::int64_t index, std::string_view type, const void* site) {
  settle_index();
  index_ = {thread, index, std::string(type), image_.offset(site)};
}

void Watch::settle_index() {
  const std::optional<Index> past = std::exchange(index_, {});
  if (!past) return;
  add(FindingKind::kOutside, past->site,
      fmt::format("thread {} uses the index {} of an array that is {} at {}",
                  who(now(past->thread, past->site)), past->number, past->type,
                  place_of(past->site)));
}

void Watch::unaligned(unsigned thread, const void* at, std::size_t bytes, HeddleAccess kind,
                      const void* site) {
  const auto size = static_cast<std::int64_t>(bytes);
  for (const Window& window : windows_) {
    if (!window.contains(at, 1)) continue;
    check_aligned(thread, window, at, size, verb_of(kind), image_.offset(site));
    return;
  }
}

void Watch::fence(unsigned thread) { fences_[thread] = barriers_; }

/// An atomic update tells of what the thread has done, and knows, before its last fence, and the
/// thread knows what others have told by earlier ones.
void Watch::release(const void* at, const Stamp& stamp) {
  const auto found = releases_.find(at);
  const auto fence = fences_.find(stamp.thread);
  if (found != releases_.end()) {
    for (const Release& each : found->second) {
      if (each.block != block_) acquired_.insert({each, stamp.thread, barriers_});
    }
  }
  if (fence == fences_.end()) return;
  std::set<Release>& told = releases_[at];
  told.insert({block_, stamp.thread, fence->second});
  for (const Acquired& each : acquired_) {
    if (each.thread == stamp.thread || each.barrier < fence->second) told.insert(each.release);
  }
}

void Watch::touch(Window& window, std::int64_t offset, std::int64_t bytes, const Stamp& stamp) {
  const HeddleAccess kind = stamp.kind;
  if (window.is_read_only() && kind != kHeddleRead) {
    add(FindingKind::kReadOnly, stamp.site,
        fmt::format("thread {} {} {} at {}, which the kernel only reads", who(stamp), verb_of(kind),
                    window.text(offset), place_of(stamp.site)));
  }
  window.for_each_cell(offset, bytes, [&](Cell& cell, std::int64_t place) {
    const auto add_found = [&](FindingKind found, std::string_view why) {
      add(found, stamp.site,
          fmt::format("thread {} {} {} at {}, which {}", who(stamp), verb_of(kind),
                      window.text(place), place_of(stamp.site), why));
    };
    if (window.is_shared()) cell.forget_before(block_);
    if (cell.writing != 0) add_on_its_way(window, place, stamp, cell.writing);
    const bool is_empty = cell.write.block == 0 && cell.atomic.block == 0 && cell.writing == 0;
    if (kind != kHeddleWrite && window.is_shared() && is_empty) {
      add_found(FindingKind::kUninitialised, "no thread of the block has written");
    }
    if (kind != kHeddleRead && cell.reading != 0) {
      add_found(FindingKind::kOnItsWay, "an asynchronous copy still reads");
    }
    if (const Stamp* earlier = cell.race_of(stamp, known(stamp.thread)))
      add_race(window, place, stamp, *earlier);
    cell.note(stamp);
  });
}

// --- asynchronous copies ---

void Watch::copy(unsigned thread, void* to, const void* from, int bytes, int size,
                 const void* site) {
  settle_index();
  const std::uint32_t offset = call_at(site);
  Site& place = site_of(SiteKind::kCopy, offset);
  place.is_partial = place.is_partial || bytes != size;
  const void* const before = exchange_place(thread, place, to);
  if (is_mutated(offset, Change::kDrop)) return;
  if (is_mutated(offset, Change::kWhole)) bytes = size;
  if (is_mutated(offset, Change::kStale) && before != nullptr) {
    to = const_cast<void*>(
        before);  // NOLINT(cppcoreguidelines-pro-type-const-cast): it came as this
  }
  if (bytes < 0 || bytes > size) {
    add(FindingKind::kOutside, offset,
        fmt::format("thread {} copies {} bytes by a copy of {} at {}", who(now(thread, offset)),
                    bytes, size, place_of(offset)));
    return crew_->stop();
  }
  Copy copy{.to = static_cast<std::byte*>(to),
            .from = static_cast<const std::byte*>(from),
            .bytes = bytes,
            .size = size,
            .thread = thread,
            .site = offset};
  copy.to_window = window_of(thread, to, size, "copies to", offset);
  if (copy.to_window == nullptr) return;
  if (!check_aligned(thread, *copy.to_window, to, size, "copies", offset)) return;
  if (bytes > 0) {
    copy.from_window = window_of(thread, from, bytes, "copies from", offset);
    if (copy.from_window == nullptr) return;
    if (!check_aligned(thread, *copy.from_window, from, size, "copies from", offset)) return;
  }
  if (!copy.to_window->is_shared() || (bytes > 0 && copy.from_window->is_shared())) {
    add(FindingKind::kOutside, offset,
        fmt::format("thread {} does not copy from global to shared memory at {}",
                    who(now(thread, offset)), place_of(offset)));
    return crew_->stop();
  }
  traffic_.touch(thread, offset, crew_->moment(), copy.to_window->name(),
                 copy.to_window->offset(to), size, true);
  issue(copy);
}

void Watch::issue(Copy copy) {
  ++all_copies_;
  touch(*copy.to_window, copy.to_window->offset(copy.to), copy.size,
        now(copy.thread, copy.site, kHeddleWrite));
  copies_.push_back(copy);
  const auto number = static_cast<std::uint32_t>(copies_.size());
  copy.to_window->for_each_cell(copy.to_window->offset(copy.to), copy.size,
                                [&](Cell& cell, std::int64_t) { cell.writing = number; });
  if (copy.bytes > 0) {
    const std::int64_t offset = copy.from_window->offset(copy.from);
    touch(*copy.from_window, offset, copy.bytes, now(copy.thread, copy.site));
    copy.from_window->for_each_cell(offset, copy.bytes,
                                    [](Cell& cell, std::int64_t) { ++cell.reading; });
  }
  std::memset(copy.to, kPoison, static_cast<std::size_t>(copy.size));
  pending_[copy.thread].loose.push_back(number);
  if (options_.arrival == Arrival::kEarly) arrive(copies_.back());
}

void Watch::arrive(Copy& copy) {
  if (std::exchange(copy.has_arrived, true)) return;
  const auto read = static_cast<std::size_t>(copy.bytes);
  if (read > 0) std::memcpy(copy.to, copy.from, read);
  std::memset(copy.to + read, 0, static_cast<std::size_t>(copy.size) - read);
}

void Watch::arrive_at_random(unsigned thread) {
  Pending& pending = pending_[thread];
  if (pending.groups.empty() || random_() % 8 != 0) return;
  for (const auto& group : pending.groups) {
    for (const std::uint32_t number : group) {
      if (random_() % 2 == 0) arrive(copies_[number - 1]);
    }
  }
}

/// The thread sees what was copied, as if it had written it now.
void Watch::await(std::uint32_t number, const Stamp& stamp) {
  Copy& copy = copies_[number - 1];
  arrive(copy);
  Stamp written = stamp;
  written.site = copy.site;
  written.kind = kHeddleWrite;
  written.is_copy = true;
  copy.to_window->for_each_cell(copy.to_window->offset(copy.to), copy.size,
                                [&](Cell& cell, std::int64_t) {
                                  if (cell.writing != number) return;
                                  cell.writing = 0;
                                  cell.note(written);
                                });
  if (copy.bytes == 0) return;
  written.kind = kHeddleRead;
  copy.from_window->for_each_cell(copy.from_window->offset(copy.from), copy.bytes,
                                  [&](Cell& cell, std::int64_t) {
                                    --cell.reading;
                                    cell.note(written);
                                  });
}

void Watch::commit(unsigned thread, const void* site) {
  const std::uint32_t offset = call_at(site);
  site_of(SiteKind::kCommit, offset);
  if (is_mutated(offset, Change::kDrop)) return;
  Pending& pending = pending_[thread];
  pending.groups.push_back(std::exchange(pending.loose, {}));
}

void Watch::wait(unsigned thread, int left, const void* site) {
  const std::uint32_t offset = call_at(site);
  Site& place = site_of(SiteKind::kWait, offset);
  if (is_mutated(offset, Change::kDrop)) return;
  if (is_mutated(offset, Change::kLoosen)) ++left;
  auto& groups = pending_[thread].groups;
  while (!groups.empty() && std::ssize(groups) > left) {
    place.has_waited = place.has_waited || !groups.front().empty();
    for (const std::uint32_t number : groups.front()) await(number, now(thread, offset));
    groups.pop_front();
  }
}

// --- sites and findings ---

bool Watch::is_mutated(std::uint32_t site, Change change) const {
  return options_.mutation && options_.mutation->offset == site &&
         options_.mutation->change == change;
}

Site& Watch::site_of(SiteKind kind, std::uint32_t offset) {
  Site& site = sites_[offset];
  site.kind = kind;
  site.offset = offset;
  return site;
}

const void* Watch::exchange_place(unsigned thread, Site& site, const void* now) {
  const void*& place = places_[{thread, site.offset}];
  site.moves = site.moves || (place != nullptr && place != now);
  return std::exchange(place, now);
}

void Watch::add(FindingKind kind, std::uint32_t site, std::string message) {
  if (findings_.size() >= kMostFindings || !found_.emplace(kind, site).second) return;
  findings_.push_back({kind, std::move(message)});
}

void Watch::add_suspicion(std::uint32_t site, std::string message) {
  if (suspicions_.size() >= kMostFindings) return;
  if (!found_.emplace(FindingKind::kUndefined, site).second) return;
  suspicions_.push_back({FindingKind::kUndefined, std::move(message)});
}

std::string Watch::who(const Stamp& stamp) const {
  if (stamp.block <= 1 && block_ <= 1) return fmt::format("{}", stamp.thread);
  const CudaIndex& block = blocks_[stamp.block - 1];
  return fmt::format("{} of block ({},{},{})", stamp.thread, block.x, block.y, block.z);
}

void Watch::add_race(const Window& window, std::int64_t offset, const Stamp& now,
                     const Stamp& earlier) {
  const std::string_view why = now.block != earlier.block ? "blocks have no order"
                               : earlier.is_copy
                                   ? "there is no barrier between the wait of that thread and this"
                                   : "there is no barrier between them";
  add(FindingKind::kRace, now.site,
      fmt::format("thread {} {} {} at {}, which {} {} {} at {}: {}", who(now), verb_of(now.kind),
                  window.text(offset), place_of(now.site),
                  earlier.is_copy ? "an asynchronous copy of thread" : "thread", who(earlier),
                  verb_of(earlier.kind), place_of(earlier.site), why));
}

void Watch::add_on_its_way(const Window& window, std::int64_t offset, const Stamp& now,
                           std::uint32_t copy) {
  const Copy& moving = copies_[copy - 1];
  add(FindingKind::kOnItsWay, now.site,
      fmt::format(
          "thread {} {} {} at {}, which an asynchronous copy of thread {} at {} still writes: "
          "that thread has not waited for it",
          who(now), verb_of(now.kind), window.text(offset), place_of(now.site), moving.thread,
          place_of(moving.site)));
}

Report Watch::report() const {
  Report report;
  report.findings = findings_;
  report.suspicions = suspicions_;
  report.traffic = traffic_.total();
  report.places = traffic_.places();
  for (const auto& [offset, site] : sites_) {
    report.sites.push_back(site);
    report.sites.back().line = line_of(offset);
  }
  std::ranges::stable_sort(report.sites, {}, [&](const Site& site) {
    const HeddlePlace& call = *calls_.at(site.offset);
    return std::pair(call.line, call.column);
  });
  for (SiteTraffic& place : report.places) place.line = line_of(place.offset);
  report.accesses = accesses_;
  report.copies = all_copies_;
  report.multiplications = multiplications_;
  report.printed = printed_;
  return report;
}

}  // namespace heddle::checker

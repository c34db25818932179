#include "checker/shadow.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace heddle::checker {

namespace {

/// Whether a fence orders what another block did before what a thread does now.
bool is_before(const Stamp& earlier, const Stamp& now, const std::set<Acquired>& blocks) {
  for (auto each = blocks.lower_bound({.release = {.block = earlier.block}});
       each != blocks.end() && each->release.block == earlier.block; ++each) {
    const Release& release = each->release;
    const bool is_released = release.thread == earlier.thread || earlier.barrier < release.barrier;
    if (is_released && (each->thread == now.thread || each->barrier < now.barrier)) return true;
  }
  return false;
}

}  // namespace

bool races(const Stamp& earlier, const Stamp& now, const Known& known) {
  if (earlier.block == 0) return false;
  if (earlier.block != now.block) return !is_before(earlier, now, *known.blocks);
  if (earlier.thread == now.thread || earlier.barrier < now.barrier) return false;
  if ((*known.warps)[earlier.warp()] > earlier.part_barrier) return false;
  return earlier.warp() != now.warp() ||
         (*known.lanes)[earlier.thread % 32] <= earlier.lane_barrier;
}

void Cell::note_read(const Stamp& now) {
  if (read.is_same_thread(now) || read.block == 0) {
    read = now;
  } else if (read.block == now.block && read.warp() == now.warp()) {
    read_in_warp = std::exchange(read, now);
  } else {
    read_elsewhere = std::exchange(read, now);
    read_in_warp = {};
  }
}

void Cell::note(const Stamp& now) {
  if (now.kind == kHeddleRead) return note_read(now);
  (now.kind == kHeddleWrite ? write : atomic) = now;
}

const Stamp* Cell::race_of(const Stamp& now, const Known& known) const {
  if (races(write, now, known)) return &write;
  if (now.kind != kHeddleAtomic && races(atomic, now, known)) return &atomic;
  if (now.kind == kHeddleRead) return nullptr;
  for (const Stamp* each : {&read, &read_in_warp, &read_elsewhere}) {
    if (races(*each, now, known)) return each;
  }
  return nullptr;
}

void Cell::forget_before(std::uint32_t block) {
  for (Stamp* each : {&write, &atomic, &read, &read_in_warp, &read_elsewhere}) {
    if (each->block != block) *each = {};
  }
}

Window::Window(std::string name, std::byte* first, std::int64_t bytes, std::int64_t element_bytes,
               bool is_shared, bool is_read_only)
    : name_(std::move(name)),
      first_(first),
      bytes_(bytes),
      element_bytes_(element_bytes),
      cell_bytes_(is_shared ? 1 : std::max<std::int64_t>(element_bytes, 1)),
      is_shared_(is_shared),
      is_read_only_(is_read_only),
      pages_(no_pages()) {}

Window::Pages Window::no_pages() const {
  return Pages(static_cast<std::size_t>(bytes_ / cell_bytes_ / kPage + 1));
}

void Window::split() {
  const std::int64_t parts = std::exchange(cell_bytes_, 1);
  const Pages whole = std::exchange(pages_, no_pages());
  for (std::size_t page = 0; page != whole.size(); ++page) {
    if (whole[page] == nullptr) continue;
    const std::int64_t first = static_cast<std::int64_t>(page) * kPage * parts;
    for (std::int64_t i = 0; i != std::min(kPage * parts, bytes_ - first); ++i) {
      cell(first + i) = whole[page][static_cast<std::size_t>(i / parts)];
    }
  }
}

std::int64_t Window::offset(const void* at) const {
  return static_cast<const std::byte*>(at) - first_;
}

bool Window::contains(const void* at, std::int64_t bytes) const {
  const std::less<> before;
  if (before(at, first_) || !before(at, first_ + bytes_ + (bytes == 0 ? 1 : 0))) return false;
  return offset(at) + bytes <= bytes_;
}

std::string Window::text(std::int64_t offset) const {
  if (element_bytes_ == 0) return fmt::format("byte {} of {}", offset, name_);
  // Towards minus infinity.
  const std::int64_t element = offset / element_bytes_ - (offset % element_bytes_ < 0 ? 1 : 0);
  return fmt::format("{}[{}]", name_, element);
}

Cell& Window::cell(std::int64_t index) {
  auto& page = pages_[static_cast<std::size_t>(index / kPage)];
  if (page == nullptr) page = std::make_unique<Cell[]>(kPage);
  return page[static_cast<std::size_t>(index % kPage)];
}

}  // namespace heddle::checker

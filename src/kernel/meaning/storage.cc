#include "kernel/meaning/storage.h"

#include <algorithm>
#include <utility>

#include "core/format.h"
#include "core/text.h"
#include "fmt/ranges.h"

namespace heddle::kernel::meaning {
namespace {

/// Marks of Uses: several have read, or all have written by atomic operations.
constexpr std::uint64_t kSeveral = std::uint64_t{1} << 63;
constexpr std::uint64_t kAtomically = std::uint64_t{1} << 62;
constexpr std::uint64_t kWho = kAtomically - 1;
/// A part of a block and the number of its statement in one word.
constexpr int kPartBits = 11;

std::vector<std::int64_t> point_of(std::span<const std::int64_t> extents, std::int64_t flat) {
  std::vector<std::int64_t> point(extents.size());
  for (std::size_t d = extents.size(); d-- != 0;) {
    point[d] = flat % extents[d];
    flat /= extents[d];
  }
  return point;
}

std::uint64_t mask_of(std::int64_t width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

}  // namespace

std::string element_text(const Storage& storage, std::int64_t place) {
  if (storage.extents.empty()) return storage.tensor->name;
  return fmt::format("{}[{}]", storage.tensor->name,
                     fmt::join(point_of(storage.extents, place % storage.size), ","));
}

/// Follows who uses the elements of one storage, for one of the two kinds of users.
struct Memory::Tracker {
  const std::vector<std::int64_t>& grid;
  const Storage& storage;
  std::vector<Uses>& uses;
  std::uint64_t me;
  bool are_blocks;
  bool is_atomic;

  /// Uses of statements before this one are over.
  [[nodiscard]] std::uint64_t current(std::uint64_t user) const {
    const bool is_over = !are_blocks && (user & kWho) >> kPartBits != me >> kPartBits;
    return is_over ? 0 : user;
  }

  [[nodiscard]] bool is_other(std::uint64_t user) const {
    return user != 0 && ((user & kSeveral) != 0 || (user & kWho) != me);
  }

  /// The users of before and this one.
  [[nodiscard]] std::uint64_t joined(std::uint64_t user) const {
    if (user == 0) return me;
    return is_other(user) ? user | kSeveral : user;
  }

  /// False, with nothing noted, for a use that races with another.
  [[nodiscard]] bool notes_read(std::int64_t place) const {
    Uses& use = uses[static_cast<std::size_t>(place)];
    const std::uint64_t writer = current(use.writer);
    const bool are_both_atomic = is_atomic && (writer & kAtomically) != 0;
    if (is_other(writer) && !are_both_atomic) return false;
    if (!is_atomic) use.reader = joined(current(use.reader));
    return true;
  }
  [[nodiscard]] bool notes_write(std::int64_t place) const {
    Uses& use = uses[static_cast<std::size_t>(place)];
    if (is_other(current(use.reader))) return false;
    const std::uint64_t writer = current(use.writer);
    const bool are_both_atomic = is_atomic && (writer == 0 || (writer & kAtomically) != 0);
    if (is_other(writer) && !are_both_atomic) return false;
    use.writer = are_both_atomic ? joined(writer) | kAtomically : me;
    return true;
  }

  [[nodiscard]] Result<void> read(const Located& located) const {
    for (std::size_t i = 0; i != located.count; ++i) {
      const std::int64_t place = located.places[i];
      if (place < 0 || notes_read(place)) continue;
      return refuse_read(place, uses[static_cast<std::size_t>(place)].writer, me);
    }
    return {};
  }
  [[nodiscard]] Result<void> write(const Located& located) const {
    for (std::size_t i = 0; i != located.count; ++i) {
      const std::int64_t place = located.places[i];
      if (place < 0 || notes_write(place)) continue;
      const Uses& use = uses[static_cast<std::size_t>(place)];
      if (is_other(current(use.reader))) return refuse_read(place, me, use.reader);
      return refuse(advised(diagnose("kernel.race", "{} and {} both write {}", name(use.writer),
                                     name(me), element_text(storage, place))));
    }
    return {};
  }

  [[nodiscard]] Refusal refuse_read(std::int64_t place, std::uint64_t writer,
                                    std::uint64_t reader) const {
    return refuse(advised(diagnose("kernel.race", "{} reads {}, which {} writes", name(reader),
                                   element_text(storage, place), name(writer))));
  }

  [[nodiscard]] Diagnostic advised(Diagnostic diagnostic) const {
    if (are_blocks) {
      return std::move(diagnostic)
          .with_hint("blocks run in any order: divide the work, or use atomic_add");
    }
    return std::move(diagnostic)
        .with_hint(
            "threads do a statement at the same time: divide the work, use two statements "
            "with barrier() between them, or atomic_add");
  }

  [[nodiscard]] std::string name(std::uint64_t user) const {
    if ((user & kSeveral) != 0 && (user & kWho) == me) {
      return are_blocks ? "another block" : "another thread";
    }
    const auto number = static_cast<std::int64_t>(user & kWho) - 1;
    if (!are_blocks) return fmt::format("thread {}", number % (1 << kPartBits));
    std::vector<std::int64_t> point;
    std::int64_t rest = number;
    for (const std::int64_t extent : grid) {
      point.push_back(rest % extent);
      rest /= extent;
    }
    return point.size() == 1 ? fmt::format("block {}", point[0])
                             : fmt::format("block ({})", fmt::join(point, ","));
  }
};

namespace {

Result<void> check_readable(const Storage& storage, const Located& located) {
  const std::uint64_t mask = mask_of(located.width);
  for (std::size_t i = 0; i != located.count; ++i) {
    const std::int64_t place = located.places[i];
    if (place < 0) continue;
    const std::uint64_t needed = mask << located.shifts[i];
    if ((storage.known[static_cast<std::size_t>(place)] & needed) == needed) continue;
    return refuse(diagnose("kernel.uninitialized", "{} is read before it is written",
                           element_text(storage, place))
                      .with_hint("fill the tensor first, for instance by fill(" +
                                 storage.tensor->name + ", 0)"));
  }
  return {};
}

Result<void> check_awaited(const Storage& storage, const Located& located) {
  for (std::size_t i = 0; i != located.count; ++i) {
    const std::int64_t place = located.places[i];
    if (place < 0 || storage.pending[static_cast<std::size_t>(place)] == 0) continue;
    return refuse(diagnose("kernel.pending",
                           "{} is used before copy_async, which writes it, has been waited for",
                           element_text(storage, place))
                      .with_hint("put wait(group=…) with the copy's group before this statement"));
  }
  return {};
}

std::uint64_t user_of(const Actor& actor) {
  return (actor.statement << kPartBits) + static_cast<std::uint64_t>(actor.thread) + 1;
}

}  // namespace

Result<void> Memory::read(Storage& storage, const Located& located, const Actor& actor,
                          std::span<std::uint64_t> bits) const {
  if (!storage.known.empty()) HEDDLE_CHECK(check_readable(storage, located));
  if (!storage.pending.empty()) HEDDLE_CHECK(check_awaited(storage, located));
  if (!storage.blocks.empty()) {
    const Tracker tracker{grid_,          storage,
                          storage.blocks, static_cast<std::uint64_t>(actor.block) + 1,
                          true,           actor.is_atomic};
    HEDDLE_CHECK(tracker.read(located));
  }
  if (!storage.parts.empty() && actor.statement != 0) {
    const Tracker tracker{grid_, storage, storage.parts, user_of(actor), false, actor.is_atomic};
    HEDDLE_CHECK(tracker.read(located));
  }
  const std::uint64_t mask = mask_of(located.width);
  for (std::size_t i = 0; i != located.count; ++i) {
    const std::int64_t place = located.places[i];
    bits[i] = place < 0
                  ? 0
                  : (storage.elements[static_cast<std::size_t>(place)] >> located.shifts[i]) & mask;
  }
  return {};
}

Result<void> Memory::write(Storage& storage, const Located& located, const Actor& actor,
                           std::span<const std::uint64_t> bits) const {
  if (!storage.pending.empty()) HEDDLE_CHECK(check_awaited(storage, located));
  if (!storage.blocks.empty()) {
    const Tracker tracker{grid_,          storage,
                          storage.blocks, static_cast<std::uint64_t>(actor.block) + 1,
                          true,           actor.is_atomic};
    HEDDLE_CHECK(tracker.write(located));
  }
  if (!storage.parts.empty() && actor.statement != 0) {
    const Tracker tracker{grid_, storage, storage.parts, user_of(actor), false, actor.is_atomic};
    HEDDLE_CHECK(tracker.write(located));
  }
  const std::uint64_t mask = mask_of(located.width);
  for (std::size_t i = 0; i != located.count; ++i) {
    if (located.places[i] < 0) continue;
    const auto place = static_cast<std::size_t>(located.places[i]);
    const std::uint64_t taken = mask << located.shifts[i];
    std::uint64_t& element = storage.elements[place];
    element = (element & ~taken) | ((bits[i] & mask) << located.shifts[i]);
    if (!storage.known.empty()) storage.known[place] |= taken;
  }
  return {};
}

Result<void> Memory::reserve(std::int64_t words) {
  if (words <= kMaxWords - words_) {
    words_ += words;
    return {};
  }
  return refuse(diagnose("kernel.work",
                         "the tensors of the kernel take more than {} MiB of memory when it is "
                         "interpreted",
                         kMaxWords >> 17)
                    .with_hint("run it with smaller sizes, --size N=64"));
}

}  // namespace heddle::kernel::meaning

#pragma once

// Watches the threads of a kernel: what they access (shadow.h), their asynchronous copies, where
// they meet, and the bank conflicts of shared memory (traffic.h).

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/crew.h"
#include "checker/shadow.h"
#include "checker/traffic.h"
#include "heddle/checker/checker.h"

namespace heddle::checker {

/// Where the kernel's code and constants are, and between them the section of shared memory.
struct Image {
  std::byte* first = nullptr;
  std::size_t bytes = 0;
  std::byte* shared = nullptr;
  std::size_t shared_bytes = 0;

  /// The offset of a call, given its return address.
  [[nodiscard]] std::uint32_t offset(const void* site) const;
  /// Whether the address is within, and not in shared memory.
  [[nodiscard]] bool is_of_code(const void* at) const;
};

class Watch final : public Watcher {
 public:
  Watch(Image image, std::vector<Window> windows, const RunOptions& options);

  /// Who runs the threads; before they run.
  void set_crew(Crew& crew) { crew_ = &crew; }
  /// What was seen. Sites have no line, and in messages `{+1f0}` stands for it, but where the text
  /// calls what threads do together.
  [[nodiscard]] Report report() const;

  void block_begins() override;
  void block_ends() override;
  void thread_ends(unsigned thread) override;
  void access(unsigned thread, const void* at, std::size_t bytes, HeddleAccess kind,
              const void* site) override;
  void unaligned(unsigned thread, const void* at, std::size_t bytes, HeddleAccess kind,
                 const void* site) override;
  void index(unsigned thread, std::int64_t index, std::string_view type, const void* site) override;
  void fence(unsigned thread) override;
  bool barrier(unsigned thread, const HeddleBarrier& barrier, const void* site) override;
  void barrier_passed(std::span<const Waiting> threads, bool is_of_all) override;
  bool collective(unsigned thread, const HeddleCollective& what, const void* site) override;
  void warp_meets(std::span<const Waiting> lanes) override;
  void copy(unsigned thread, void* to, const void* from, int bytes, int size,
            const void* site) override;
  void commit(unsigned thread, const void* site) override;
  void wait(unsigned thread, int left, const void* site) override;
  void too_long(unsigned thread, const void* site) override;
  void fault(unsigned thread, int signal, std::span<void* const> calls) override;
  void ends(unsigned thread, std::string_view what, std::span<void* const> calls) override;
  bool late(unsigned thread, const void* site) override;
  void print(std::string_view text) override;
  void stuck(std::span<const Waiting> threads) override;

 private:
  struct Copy {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    std::int64_t bytes = 0;
    std::int64_t size = 0;
    unsigned thread = 0;
    std::uint32_t site = 0;
    Window* to_window = nullptr;
    Window* from_window = nullptr;
    bool has_arrived = false;
    bool is_awaited = false;
  };
  /// Numbers of copies: those of each group that is pending, and those in no group yet.
  struct Pending {
    std::deque<std::vector<std::uint32_t>> groups;
    std::vector<std::uint32_t> loose;
  };

  /// An index past the end of an array, before the access that it is for.
  struct Index {
    unsigned thread = 0;
    std::int64_t number = 0;
    std::string type;
    std::uint32_t site = 0;

    /// Whether an access of this element of a buffer may be by the index: it is of an array of
    /// several rows, one of which ends before it.
    [[nodiscard]] bool is_in_rows(std::int64_t element) const;
  };

  /// The offset of a HeddlePlace, which is noted.
  std::uint32_t call_at(const void* place);
  /// `gemm.cu:31`; empty if it is not a place that was noted.
  [[nodiscard]] std::string line_of(std::uint32_t site) const;
  [[nodiscard]] std::string place_of(std::uint32_t site) const;
  [[nodiscard]] Known known(unsigned thread) const;
  void settle_index();
  [[nodiscard]] Stamp now(unsigned thread, std::uint32_t site,
                          HeddleAccess kind = kHeddleRead) const;
  /// The window of these bytes; nullptr, and the run is at its end, if they are not in one.
  Window* window_of(unsigned thread, const void* at, std::int64_t bytes, std::string_view verb,
                    std::uint32_t site);
  bool check_aligned(unsigned thread, const Window& window, const void* at, std::int64_t bytes,
                     std::string_view verb, std::uint32_t site);
  void touch(Window& window, std::int64_t offset, std::int64_t bytes, const Stamp& stamp);
  void read_rows(std::span<const Waiting> lanes);
  bool check_lanes(std::span<const Waiting> lanes);
  void suspect_lanes(std::span<const Waiting> lanes);
  void join_lanes(std::span<const Waiting> lanes);
  void release(const void* at, const Stamp& stamp);
  void check_warps(std::span<const Waiting> threads);
  void join_warps(std::span<const Waiting> threads);

  void issue(Copy copy);
  void arrive(Copy& copy);
  void await(std::uint32_t number, const Stamp& stamp);
  void arrive_at_random(unsigned thread);

  [[nodiscard]] bool is_mutated(std::uint32_t site, Change change) const;
  Site& site_of(SiteKind kind, std::uint32_t offset);
  /// What the thread has there now, and had there before.
  const void* exchange_place(unsigned thread, Site& site, const void* now);

  void add(FindingKind kind, std::uint32_t site, std::string message);
  void add_suspicion(std::uint32_t site, std::string message);
  void add_race(const Window& window, std::int64_t offset, const Stamp& now, const Stamp& earlier);
  void add_on_its_way(const Window& window, std::int64_t offset, const Stamp& now,
                      std::uint32_t copy);
  [[nodiscard]] std::string who(const Stamp& stamp) const;
  [[nodiscard]] std::string where(std::span<const Waiting> threads) const;
  /// ` at {+1f0+2c4}`: the innermost of these calls that the kernel's text makes.
  [[nodiscard]] std::string where(std::span<void* const> calls) const;

  Image image_;
  std::vector<Window> windows_;
  RunOptions options_;
  Crew* crew_ = nullptr;
  std::mt19937_64 random_;
  std::uint32_t block_ = 0;
  std::uint32_t barriers_ = 0;
  /// The counts known to each warp and to each thread.
  std::vector<Counts> known_warps_;
  std::vector<Counts> known_lanes_;
  /// How many barriers of the block each thread that has fenced had passed then.
  std::map<unsigned, std::uint32_t> fences_;
  std::set<Acquired> acquired_;
  /// By what was updated.
  std::map<const void*, std::set<Release>> releases_;
  std::optional<Index> index_;
  std::vector<Copy> copies_;
  std::vector<Pending> pending_;
  TrafficCounter traffic_;
  std::map<std::uint32_t, Site> sites_;
  std::map<std::pair<unsigned, std::uint32_t>, const void*> places_;
  std::set<std::pair<FindingKind, std::uint32_t>> found_;
  std::vector<Finding> findings_;
  std::vector<Finding> suspicions_;
  std::map<std::uint32_t, const HeddlePlace*> calls_;
  std::int64_t accesses_ = 0;
  std::int64_t all_copies_ = 0;
  std::int64_t multiplications_ = 0;
  std::vector<CudaIndex> blocks_;
  std::string printed_;
  /// Whether the time is over.
  bool is_late_ = false;
};

}  // namespace heddle::checker

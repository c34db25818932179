#include "heddle/files/reshard.h"

#include <algorithm>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "files/disk.h"
#include "files/reshard/checksum.h"
#include "files/reshard/crew.h"
#include "files/reshard/exchange.h"
#include "files/reshard/job.h"
#include "files/reshard/replicas.h"
#include "files/reshard/sources.h"
#include "files/reshard/staging.h"

namespace heddle::files {
namespace {

Resharded description_of(const std::vector<Job>& jobs) {
  Resharded resharded;
  for (const Job& job : jobs) {
    resharded.tensors.push_back({job.tensor.name, job.tensor.safetensors_type, job.tensor.shape,
                                 job.movement->plan, job.movement->moved, job.movement->at_least});
  }
  return resharded;
}

/// Replicas of which the checksums in the files already say that they differ are refused before
/// anything is moved, also in a dry run.
Result<void> check_stated(const std::vector<Job>& jobs, const Sources& sources, const Crew& crew,
                          const ReshardRequest& request) {
  if (request.trusts_replicas) return {};
  for (const Job& job : jobs) {
    if (stated_replicas(job, sources) != StatedReplicas::kDifferent) continue;
    HEDDLE_CHECK(check_replicas(job, sources, crew, request));
  }
  return {};
}

/// Moves the tensors of a checkpoint that are not done, one after the other.
class Mover {
 public:
  Mover(const ReshardRequest& request, const Crew& crew, const Sources& sources,
        const std::vector<Job>& jobs, Staging& staging)
      : request_(request), crew_(crew), sources_(sources), jobs_(jobs), staging_(staging) {}

  /// Says how many tensors need not be moved; all processes find the same ones.
  Result<std::size_t> skip_done() {
    std::string mine;
    for (const Job& job : jobs_) {
      const bool is_done = std::ranges::all_of(
          staging_.files(), [&](const auto& file) { return file.second.is_done(job.tensor.name); });
      mine += is_done ? '1' : '0';
    }
    HEDDLE_TRY(const std::vector<std::string> all, crew_.gather(mine));
    is_done_.assign(jobs_.size(), true);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      for (const std::string& of_process : all) is_done_[i] = is_done_[i] && of_process[i] == '1';
    }
    return static_cast<std::size_t>(std::ranges::count(is_done_, true));
  }

  Result<void> run() {
    if (request_.progress != nullptr) {
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (!is_done_[i]) request_.progress->of += incoming_bytes(jobs_[i], crew_);
      }
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (is_done_[i]) continue;
      HEDDLE_CHECK(compare(jobs_[i]));
      HEDDLE_CHECK(alone(move(jobs_[i])));
      // Waiting for the disk after each small tensor would take longer than to write them.
      if (unnoted_bytes_ >= request_.noted_bytes) HEDDLE_CHECK(alone(note()));
    }
    return alone(note());
  }

 private:
  /// What this process may be refused while the others are not: they wait for it.
  Result<void> alone(Result<void> done) {
    if (!done) crew_.transport().leave();
    return done;
  }

  /// Equal checksums are verified when the tensor is moved.
  Result<void> compare(const Job& job) {
    if (request_.trusts_replicas) return {};
    if (stated_replicas(job, sources_) == StatedReplicas::kSame) return {};
    return check_replicas(job, sources_, crew_, request_);
  }

  Result<void> move(const Job& job) {
    if (job.movement->plan) HEDDLE_CHECK(move_elements(job));
    for (auto& [device, file] : staging_.files()) file.finish(job.tensor.name);
    return {};
  }

  Result<void> move_elements(const Job& job) {
    Memories memories;
    std::vector<WritableMapping> scratch;
    for (const std::int64_t device : crew_.devices()) {
      if (!crew_.is_mine(device)) continue;
      distribute::DeviceMemory memory;
      if (const SourceTensor* source = sources_.find(device, job.tensor.name)) {
        HEDDLE_TRY(memory.source, verified(*source));
      }
      const auto file = staging_.files().find(device);
      if (file != staging_.files().end()) {
        memory.destination = file->second.bytes(job.tensor.name);
      }
      unnoted_bytes_ += static_cast<std::int64_t>(memory.destination.size());
      const std::int64_t kept =
          distribute::memory_bytes(*job.movement->plan, distribute::Memory::kScratch, device);
      if (kept > 0) {
        HEDDLE_TRY(WritableMapping mapping, staging_.scratch(kept));
        memory.scratch = mapping.bytes();
        scratch.push_back(std::move(mapping));
      }
      memories.emplace(device, memory);
    }
    HEDDLE_CHECK(exchange(job, memories, crew_, request_));
    for (const auto& [device, memory] : memories) release(memory.source);
    return {};
  }

  /// The bytes of a tensor, which have the checksum that their file says, if it says one.
  Result<std::span<const std::byte>> verified(const SourceTensor& source) {
    const std::span<const std::byte> bytes = sources_.bytes(source);
    if (source.checksum.empty()) return bytes;
    const std::string checksum = checksum_of(bytes);
    if (checksum == source.checksum) return bytes;
    return refuse(
        diagnose("reshard.checksum", "the tensor {} of {} has the checksum {}, not {}",
                 printable(source.tensor.name), printable(sources_.path(source)), checksum,
                 source.checksum)
            .with_hint("the file has changed since it was written; take another copy of it"));
  }

  Result<void> note() {
    for (auto& [device, file] : staging_.files()) HEDDLE_CHECK(file.note());
    unnoted_bytes_ = 0;
    return {};
  }

  const ReshardRequest& request_;
  const Crew& crew_;
  const Sources& sources_;
  const std::vector<Job>& jobs_;
  Staging& staging_;
  std::vector<bool> is_done_;
  std::int64_t unnoted_bytes_ = 0;
};

// ---- Texts ----

std::string collectives_of(const ReshardedTensor& tensor) {
  const std::vector<std::string_view> names = tensor.collectives();
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

/// What all processes have to be asked alike, so that they do the same.
std::string question(const ReshardRequest& request) {
  std::string links;
  for (const auto& [axis, bytes] : request.topology.bandwidth) {
    links += fmt::format("{} {}\n", axis, bytes);
  }
  if (request.topology.mesh) links += to_string(*request.topology.mesh);
  const std::vector<std::string> parts = {
      request.from.identity(), request.to.identity(), request.output, links,
      fmt::format("{} {} {} {} {}", request.is_dry, request.resumes, request.verifies,
                  request.trusts_replicas, request.piece_bytes)};
  return joined(parts);
}

/// Processes on several hosts may read different files of specs.
Result<void> check_alike(const ReshardRequest& request, Transport& transport) {
  HEDDLE_TRY(const std::vector<std::string> all, gather(transport, question(request)));
  const auto other = std::ranges::find_if(all, [&](const auto& one) { return one != all.front(); });
  if (other == all.end()) return {};
  return refuse(diagnose("reshard.spec", "process {} has other specs or options than process 0",
                         other - all.begin())
                    .with_hint("a file of specs has to be the same on all hosts"));
}

}  // namespace

std::vector<std::string_view> ReshardedTensor::collectives() const {
  std::vector<std::string_view> names;
  if (!plan) return names;
  for (const distribute::Step& step : plan->steps()) {
    names.push_back(distribute::name(step.collective));
  }
  return names;
}

Result<Resharded> reshard(const ReshardRequest& request, Transport& transport) {
  HEDDLE_CHECK(check_alike(request, transport));
  HEDDLE_TRY(const Crew crew, Crew::make(request.from, request.to, transport));
  HEDDLE_TRY(const Sources sources,
             Sources::open(request.checkpoint, request.from.devices(), crew));
  HEDDLE_TRY(const std::vector<Job> jobs, jobs_of(sources, request));
  HEDDLE_CHECK(check_stated(jobs, sources, crew, request));
  Resharded resharded = description_of(jobs);
  if (request.is_dry) return resharded;
  HEDDLE_TRY(Staging staging, Staging::open(request, jobs, sources, crew));
  Mover mover(request, crew, sources, jobs, staging);
  HEDDLE_TRY(resharded.resumed, mover.skip_done());
  HEDDLE_CHECK(mover.run());
  HEDDLE_TRY(resharded.files, staging.publish(request.verifies, crew));
  return resharded;
}

Result<Resharded> reshard(const ReshardRequest& request) {
  Transport alone;
  return reshard(request, alone);
}

std::string to_string(const Resharded& resharded) {
  std::vector<std::vector<std::string>> rows;
  std::int64_t moved = 0;
  std::int64_t at_least = 0;
  for (const ReshardedTensor& tensor : resharded.tensors) {
    rows.push_back({printable(tensor.name),
                    fmt::format("{} ({})", tensor.type, fmt::join(tensor.shape, ",")),
                    collectives_of(tensor)});
    moved += tensor.moved.total;
    at_least += tensor.at_least.total;
  }
  std::vector<std::size_t> widths(3);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], code_points(row[i]));
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const std::string& cell = rows[i][column];
      text += cell + std::string(widths[column] - code_points(cell) + 2, ' ');
    }
    text += fmt::format("{}, at least {}\n", counted(resharded.tensors[i].moved.total, "byte"),
                        resharded.tensors[i].at_least.total);
  }
  return text + fmt::format("in all  {}, {} between devices, at least {}",
                            counted(static_cast<std::int64_t>(rows.size()), "tensor"),
                            counted(moved, "byte"), at_least);
}

}  // namespace heddle::files

#include "files/reshard/staging.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "files/formats.h"
#include "files/reshard/checksum.h"

namespace heddle::files {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kRights = 0666;
constexpr mode_t kFolderRights = 0777;
constexpr std::string_view kSafetensors = ".safetensors";

Refusal bad_output(const std::string& path, std::string_view why, std::string_view hint) {
  return refuse(
      diagnose("reshard.output", "{} {}", printable(path), why).with_hint(std::string(hint)));
}

/// The whole of a file, which is small.
std::string text_in(int number) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count =
        pread(number, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

/// Makes the names in a folder last.
void sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.is_open()) fsync(folder.number());
}

std::string parent_of(const std::string& path) { return fs::path(path).parent_path(); }

}  // namespace

// ---- The file of a device ----

Result<StagedFile> StagedFile::open(const std::string& path, std::vector<Tensor> tensors,
                                    const Metadata& metadata, const std::string& identity) {
  const std::string journal_path = path + ".journal";
  Descriptor journal(
      ::open(journal_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kRights));
  if (!journal.is_open()) return unwritable(journal_path, reason(errno));
  if (flock(journal.number(), LOCK_EX | LOCK_NB) != 0) {
    return bad_output(path, "is being written by another process", "wait until it ends");
  }
  StagedFile file(path, std::move(tensors), metadata, std::move(journal));
  for (std::size_t i = 0; i < file.tensors_.size(); ++i) {
    file.places_.emplace(file.tensors_[i].name, i);
    file.metadata_[checksum_key(file.tensors_[i].name)] = no_checksum();
  }
  const std::string first_line = fmt::format("heddle reshard 1 {}\n", identity);
  HEDDLE_TRY(const bool goes_on, file.read_journal(first_line));
  HEDDLE_CHECK(file.map_file(goes_on));
  if (!goes_on) {
    HEDDLE_CHECK(file.append(first_line));
    return file;
  }
  // Only what is still as it was when it was noted is done.
  std::erase_if(file.checksums_, [&](const auto& entry) {
    return !file.places_.contains(entry.first) ||
           checksum_of(file.bytes(entry.first)) != entry.second;
  });
  return file;
}

/// Whether there is a journal that begins with this line.
Result<bool> StagedFile::read_journal(const std::string& first_line) {
  const std::string text = text_in(journal_.number());
  if (text.size() < first_line.size() && first_line.starts_with(text)) {
    if (ftruncate(journal_.number(), 0) != 0) return unwritable(path_, reason(errno));
    return false;
  }
  if (!text.starts_with(first_line)) {
    return bad_output(path_, "was begun by a run with another checkpoint or other specs",
                      "remove the folder, or resume with what it was begun with");
  }
  // The last line may have been cut off when the process ended: it has no end then.
  for (std::size_t begin = first_line.size(); begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t blank = line.find(' ');
    const auto place = integer_in(line.substr(0, blank));
    if (!place || blank == std::string_view::npos || *place < 0) continue;
    const auto index = static_cast<std::size_t>(*place);
    if (index < tensors_.size()) checksums_[tensors_[index].name] = line.substr(blank + 1);
  }
  return true;
}

Result<void> StagedFile::map_file(bool goes_on) {
  const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (goes_on ? 0 : O_TRUNC);
  const Descriptor file(::open(path_.c_str(), flags, kRights));
  if (!file.is_open()) return unwritable(path_, reason(errno));
  HEDDLE_TRY(const std::string beginning, safetensors_beginning(tensors_, metadata_));
  std::size_t size = beginning.size();
  for (Tensor& tensor : tensors_) {
    tensor.begin = size;
    size += tensor.bytes;
  }
  HEDDLE_TRY(WritableMapping mapping, WritableMapping::make(path_, file.number(), size));
  std::ranges::copy(std::as_bytes(std::span(beginning)), mapping.bytes().begin());
  mapping_ = std::move(mapping);
  return {};
}

std::span<std::byte> StagedFile::bytes(const std::string& name) const {
  const auto place = places_.find(name);
  if (place == places_.end()) return {};
  const Tensor& tensor = tensors_[place->second];
  return mapping_->bytes().subspan(tensor.begin, tensor.bytes);
}

bool StagedFile::is_done(const std::string& name) const {
  return checksums_.contains(name) || !places_.contains(name);
}

Result<void> StagedFile::append(const std::string& lines) const {
  const ssize_t written = ::write(journal_.number(), lines.data(), lines.size());
  if (written != static_cast<ssize_t>(lines.size()) || fdatasync(journal_.number()) != 0) {
    return unwritable(path_ + ".journal", reason(errno));
  }
  return {};
}

void StagedFile::finish(const std::string& name) {
  if (is_done(name)) return;
  const std::span<const std::byte> whole = bytes(name);
  const std::string checksum = checksum_of(whole);
  release(whole);
  lines_ += fmt::format("{} {}\n", places_.find(name)->second, checksum);
  checksums_[name] = checksum;
}

Result<void> StagedFile::note() {
  if (lines_.empty()) return {};
  if (!mapping_->sync()) return unwritable(path_, reason(errno));
  HEDDLE_CHECK(append(lines_));
  lines_.clear();
  return {};
}

Result<void> StagedFile::seal() {
  for (const auto& [name, checksum] : checksums_) metadata_[checksum_key(name)] = checksum;
  // Checksums are as long as what stood for them, and so is the header.
  HEDDLE_TRY(const std::string beginning, safetensors_beginning(tensors_, metadata_));
  std::ranges::copy(std::as_bytes(std::span(beginning)), mapping_->bytes().begin());
  if (!mapping_->sync()) return unwritable(path_, reason(errno));
  mapping_.reset();
  return {};
}

Result<void> StagedFile::verify() const {
  // What is in memory is forgotten, so that the disk is read.
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.is_open()) (void)posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
  HEDDLE_TRY(const TensorFile read, TensorFile::open(path_));
  for (const Tensor& tensor : tensors_) {
    HEDDLE_TRY(const Tensor found, read.find(tensor.name));
    const auto wanted = read.metadata().find(checksum_key(tensor.name));
    const std::string checksum = checksum_of(read.bytes(found));
    if (wanted != read.metadata().end() && wanted->second == checksum) continue;
    return refuse("reshard.checksum", "the tensor {} of {} has the checksum {} on the disk, not {}",
                  printable(tensor.name), printable(path_), checksum,
                  checksums_.find(tensor.name)->second);
  }
  return {};
}

Result<void> StagedFile::remove_journal() const {
  const std::string journal_path = path_ + ".journal";
  if (unlink(journal_path.c_str()) != 0) return unwritable(journal_path, reason(errno));
  return {};
}

// ---- The folder ----

Result<Staging> Staging::open(const ReshardRequest& request, const std::vector<Job>& jobs,
                              const Sources& sources, const Crew& crew) {
  Staging staging;
  staging.output_ = request.output;
  while (staging.output_.size() > 1 && staging.output_.ends_with('/')) staging.output_.pop_back();
  staging.folder_ = staging.output_ + ".partial";
  staging.is_file_ = staging.output_.ends_with(kSafetensors);
  if (staging.is_file_ && request.to.devices().size() > 1) {
    return bad_output(
        staging.output_,
        fmt::format("is one file, and the destination has {} devices", request.to.devices().size()),
        "name a folder, which gets a file for each device");
  }
  HEDDLE_CHECK(crew.agree(staging.check(request.resumes)));
  if (auto created = crew.agree(staging.create(request, jobs, sources, crew)); !created) {
    // There may be no room: what nothing was written to is not worth its place.
    if (!request.resumes) staging.discard(request, crew);
    return refuse(std::move(created).error());
  }
  return staging;
}

Result<void> Staging::check(bool resumes) const {
  if (output_.empty()) return bad_output("the output", "has no name", "name a folder with -o");
  std::error_code ignored;
  if (is_file_) {
    HEDDLE_CHECK(check_writable(output_));
  } else if (fs::exists(fs::symlink_status(output_, ignored))) {
    const bool is_empty =
        fs::is_directory(fs::symlink_status(output_, ignored)) && fs::is_empty(output_, ignored);
    if (!is_empty) {
      return bad_output(output_, "exists, and a checkpoint is written as a new folder",
                        "name another folder, or remove it");
    }
  }
  if (resumes || !fs::exists(fs::symlink_status(folder_, ignored))) return {};
  return bad_output(folder_, "is what an earlier run has left",
                    "--resume goes on with it; remove it to begin anew");
}

Result<void> Staging::create(const ReshardRequest& request, const std::vector<Job>& jobs,
                             const Sources& sources, const Crew& crew) {
  if (mkdir(folder_.c_str(), kFolderRights) != 0 && errno != EEXIST) {
    return unwritable(folder_, reason(errno));
  }
  std::string all = sources.identity();
  Metadata metadata = sources.metadata();
  for (const Job& job : jobs) {
    if (job.movement->is_padded) metadata.insert(stated_shape(job.tensor.name, job.tensor.shape));
    all +=
        fmt::format("\n{} {} {}", job.tensor.name, job.tensor.safetensors_type, job.movement->key);
  }
  const std::string identity = checksum_of(std::as_bytes(std::span(all)));
  for (const std::int64_t device : request.to.devices()) {
    if (!crew.is_mine(device)) continue;
    HEDDLE_TRY(std::vector<Tensor> tensors, written_tensors(jobs, device));
    HEDDLE_TRY(StagedFile file,
               StagedFile::open(staged_path(device), std::move(tensors), metadata, identity));
    files_.emplace(device, std::move(file));
  }
  return {};
}

void Staging::discard(const ReshardRequest& request, const Crew& crew) {
  files_.clear();
  for (const std::int64_t device : request.to.devices()) {
    if (!crew.is_mine(device)) continue;
    unlink(staged_path(device).c_str());
    unlink((staged_path(device) + ".journal").c_str());
  }
  rmdir(folder_.c_str());
}

std::string Staging::staged_path(std::int64_t device) const {
  return fmt::format("{}/device-{}{}", folder_, device, kSafetensors);
}

Result<WritableMapping> Staging::scratch(std::int64_t bytes) const {
  const std::string path = folder_ + "/scratch.XXXXXX";
  std::string name = path;
  const Descriptor file(mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) return unwritable(path, reason(errno));
  unlink(name.c_str());
  return WritableMapping::make(path, file.number(), static_cast<std::size_t>(bytes));
}

std::string Staging::final_path(const StagedFile& file) const {
  return is_file_ ? output_ : output_ + file.path().substr(folder_.size());
}

Result<std::vector<std::string>> Staging::publish(bool verifies, const Crew& crew) {
  const auto each = [&](const auto& act) -> Result<void> {
    for (auto& [device, file] : files_) HEDDLE_CHECK(act(file));
    return {};
  };
  HEDDLE_CHECK(crew.agree(each([](StagedFile& file) { return file.seal(); })));
  if (verifies) {
    HEDDLE_CHECK(crew.agree(each([](StagedFile& file) { return file.verify(); })));
  }
  // From here on there is nothing to go on with: the files are whole.
  HEDDLE_CHECK(crew.agree(each([](StagedFile& file) { return file.remove_journal(); })));
  HEDDLE_CHECK(crew.agree(rename_all()));
  std::vector<std::string> paths;
  for (const auto& [device, file] : files_) paths.push_back(final_path(file));
  return paths;
}

Result<void> Staging::rename_all() const {
  sync_folder(folder_);
  for (const auto& [device, file] : files_) {
    const std::string path = final_path(file);
    const std::string& from = is_file_ ? file.path() : folder_;
    const std::string& to = is_file_ ? path : output_;
    // The folder may have got its name from another process, or with another file.
    struct stat status{};
    if (rename(from.c_str(), to.c_str()) == 0 || stat(path.c_str(), &status) == 0) continue;
    return unwritable(output_, reason(errno));
  }
  if (is_file_) rmdir(folder_.c_str());
  sync_folder(parent_of(output_));
  return {};
}

}  // namespace heddle::files

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
constexpr mode_t kPrivateRights = 0600;
constexpr mode_t kFolderRights = 0777;
constexpr std::string_view kSafetensors = ".safetensors";
constexpr std::string_view kJournal = ".journal";

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

/// Whether the file has this name, and not another one that has taken its place.
bool is_at(const Descriptor& file, const std::string& path) {
  struct stat own{};
  struct stat named{};
  return fstat(file.number(), &own) == 0 && stat(path.c_str(), &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

/// Writes the whole of a text; false, and an error number, if it cannot be.
bool write_all(int number, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(number, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

std::string parent_of(const std::string& path) { return fs::path(path).parent_path(); }

}  // namespace

// ---- The file of a device ----

Result<StagedFile> StagedFile::lock(const std::string& path, std::vector<Tensor> tensors,
                                    const Metadata& metadata) {
  Descriptor data(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kRights));
  if (!data.is_open()) return unwritable(path, reason(errno));
  // Whoever published the file held the lock until it had its final name.
  if (flock(data.number(), LOCK_EX | LOCK_NB) != 0 || !files::is_at(data, path)) {
    return bad_output(path, "is being written by another process", "wait until it ends");
  }
  StagedFile file(path, std::move(tensors), metadata, std::move(data));
  for (std::size_t i = 0; i < file.tensors_.size(); ++i) {
    file.places_.emplace(file.tensors_[i].name, i);
    file.metadata_[checksum_key(file.tensors_[i].name)] = no_checksum();
  }
  return file;
}

Result<void> StagedFile::begin(const std::string& identity) {
  const std::string first_line = fmt::format("heddle reshard 1 {}\n", identity);
  HEDDLE_TRY(const bool goes_on, read_journal(first_line));
  is_new_ = !goes_on;
  if (is_new_ && ftruncate(data_.number(), 0) != 0) return unwritable(path_, reason(errno));
  HEDDLE_CHECK(map_file());
  if (is_new_) return append(first_line);
  // Only what is still as it was when it was noted is done.
  std::erase_if(checksums_, [&](const auto& entry) {
    return !places_.contains(entry.first) || checksum_of(bytes(entry.first)) != entry.second;
  });
  return {};
}

std::string StagedFile::journal_path() const { return path_ + std::string(kJournal); }

/// Whether there is a journal that begins with this line. Its last line may have been cut off when
/// the process ended, and has no end then: it goes, so that the next line is whole.
Result<bool> StagedFile::read_journal(const std::string& first_line) {
  const Descriptor journal(::open(journal_path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!journal.is_open()) {
    return errno == ENOENT ? Result<bool>(false) : unwritable(journal_path(), reason(errno));
  }
  const std::string text = text_in(journal.number());
  const bool is_begun = text.size() >= first_line.size() || !first_line.starts_with(text);
  if (is_begun && !text.starts_with(first_line)) {
    return bad_output(path_, "was begun by a run with another checkpoint or other specs",
                      "remove the folder, or resume with what it was begun with");
  }
  const std::size_t whole = is_begun ? text.rfind('\n') + 1 : 0;
  if (ftruncate(journal.number(), static_cast<off_t>(whole)) != 0) {
    return unwritable(journal_path(), reason(errno));
  }
  if (is_begun) read_lines(std::string_view(text).substr(0, whole).substr(first_line.size()));
  return is_begun;
}

void StagedFile::read_lines(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    const std::size_t blank = line.find(' ');
    const auto place = integer_in(line.substr(0, blank));
    if (!place || blank == std::string_view::npos || *place < 0) continue;
    const auto index = static_cast<std::size_t>(*place);
    if (index < tensors_.size()) checksums_[tensors_[index].name] = line.substr(blank + 1);
  }
}

Result<void> StagedFile::map_file() {
  HEDDLE_TRY(const std::string beginning, safetensors_beginning(tensors_, metadata_));
  std::size_t size = beginning.size();
  for (Tensor& tensor : tensors_) {
    tensor.begin = size;
    size += tensor.bytes;
  }
  HEDDLE_TRY(WritableMapping mapping, WritableMapping::make(path_, data_.number(), size));
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
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  const Descriptor journal(::open(journal_path().c_str(), flags, kRights));
  if (!journal.is_open() || !write_all(journal.number(), lines) ||
      fdatasync(journal.number()) != 0) {
    return unwritable(journal_path(), reason(errno));
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

bool StagedFile::is_at(const std::string& path) const { return files::is_at(data_, path); }

void StagedFile::discard() const {
  if (!is_new_) return;
  unlink(path_.c_str());
  unlink(journal_path().c_str());
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
    return bad_output(staging.output_,
                      fmt::format("is one file, and the destination has {}",
                                  counted(request.to.devices().size(), "device")),
                      "name a folder, which gets a file for each device");
  }
  HEDDLE_CHECK(crew.agree(staging.check(request.resumes)));
  if (auto created = crew.agree(staging.create(request, jobs, sources, crew)); !created) {
    // There may be no room: what nothing was written to is not worth its place.
    if (!request.resumes) staging.discard();
    return refuse(std::move(created).error());
  }
  return staging;
}

Result<void> Staging::check(bool resumes) const {
  if (output_.empty()) return bad_output("the output", "has no name", "name a folder with -o");
  const std::string last = fs::path(output_).filename();
  if (last == "." || last == "..") {
    return bad_output(output_, "is an existing folder, and the output must be a new one",
                      "give it a name of its own");
  }
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
  return bad_output(folder_, "was left by an earlier run",
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
               StagedFile::lock(staged_path(device), std::move(tensors), metadata));
    // It is among the files before it is begun, so that a refusal discards it.
    HEDDLE_CHECK(files_.emplace(device, std::move(file)).first->second.begin(identity));
  }
  return {};
}

void Staging::discard() {
  for (const auto& [device, file] : files_) file.discard();
  files_.clear();
  // Where another process has files, it stays.
  rmdir(folder_.c_str());
}

std::string Staging::staged_path(std::int64_t device) const {
  return fmt::format("{}/device-{}{}", folder_, device, kSafetensors);
}

Result<WritableMapping> Staging::scratch(std::int64_t bytes) const {
  const std::string path = folder_ + "/scratch.XXXXXX";
  Descriptor file(::open(folder_.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, kPrivateRights));
  if (!file.is_open() && (errno == EOPNOTSUPP || errno == EISDIR)) {
    // A file system that has no files without names.
    std::string name = path;
    file = Descriptor(mkostemp(name.data(), O_CLOEXEC));
    if (file.is_open()) unlink(name.c_str());
  }
  if (!file.is_open()) return unwritable(path, reason(errno));
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
  HEDDLE_CHECK(crew.agree(rename_all()));
  remove_journals();
  std::vector<std::string> paths;
  for (const auto& [device, file] : files_) paths.push_back(final_path(file));
  return paths;
}

Result<void> Staging::rename_all() const {
  if (files_.empty()) return {};
  sync_folder(folder_);
  const StagedFile& first = files_.begin()->second;
  const std::string& from = is_file_ ? first.path() : folder_;
  const int error = rename(from.c_str(), output_.c_str()) == 0 ? 0 : errno;
  // The folder may have got its name from another process, and has our files then.
  const bool is_named = error == ENOENT && std::ranges::all_of(files_, [&](const auto& entry) {
                          return entry.second.is_at(final_path(entry.second));
                        });
  if (error != 0 && !is_named) return unwritable(output_, reason(error));
  sync_folder(parent_of(output_));
  return {};
}

void Staging::remove_journals() const {
  // The files are whole: a journal that stays does no harm.
  for (const auto& [device, file] : files_) {
    const std::string& path = is_file_ ? file.path() : final_path(file);
    unlink((path + std::string(kJournal)).c_str());
  }
  if (is_file_) rmdir(folder_.c_str());
}

}  // namespace heddle::files

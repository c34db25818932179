#pragma once

// The files of a new checkpoint while they are written, and their journals.
//
//   narrow.partial/device-0.safetensors             at its full length from the beginning
//   narrow.partial/device-0.safetensors.journal     a line for each tensor that is on the disk
//
// When all files are whole the folder is called `narrow`. Until then a later run can go on: a
// tensor whose bytes have the checksum that the journal says is not written again.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/disk.h"
#include "files/reshard/crew.h"
#include "files/reshard/job.h"
#include "heddle/core/result.h"

namespace heddle::files {

/// The file of one device.
class StagedFile {
 public:
  /// Opens the file, or makes it, and keeps other processes from it while this value lives.
  /// Refuses `reshard.output` for a file that another process writes, and `file.unwritable`.
  [[nodiscard]] static Result<StagedFile> lock(const std::string& path, std::vector<Tensor> tensors,
                                               const Metadata& metadata);
  /// Takes the room for all tensors. What a journal of the same identity says is done. Refuses
  /// `reshard.output` for a journal of another one, and `file.unwritable`.
  [[nodiscard]] Result<void> begin(const std::string& identity);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The bytes of a tensor; empty if the device has none of it.
  [[nodiscard]] std::span<std::byte> bytes(const std::string& name) const;
  /// Whether the tensor is there and has been verified, or the device has none of it.
  [[nodiscard]] bool is_done(const std::string& name) const;
  /// Says that a tensor is whole.
  void finish(const std::string& name);
  /// Notes the tensors that are whole, once they are on the disk.
  [[nodiscard]] Result<void> note();
  /// Writes the checksums into the header, and unmaps the file once it is on the disk.
  [[nodiscard]] Result<void> seal();
  /// Reads the sealed file from the disk. Refuses `reshard.checksum`.
  [[nodiscard]] Result<void> verify() const;
  /// Whether it is this file that has the name.
  [[nodiscard]] bool is_at(const std::string& path) const;
  /// Removes a file that was begun anew.
  void discard() const;

 private:
  StagedFile(std::string path, std::vector<Tensor> tensors, Metadata metadata, Descriptor data)
      : path_(std::move(path)),
        tensors_(std::move(tensors)),
        metadata_(std::move(metadata)),
        data_(std::move(data)) {}
  [[nodiscard]] std::string journal_path() const;
  [[nodiscard]] Result<bool> read_journal(const std::string& first_line);
  void read_lines(std::string_view lines);
  [[nodiscard]] Result<void> map_file();
  [[nodiscard]] Result<void> append(const std::string& lines) const;

  std::string path_;
  /// With their places in the file.
  std::vector<Tensor> tensors_;
  Metadata metadata_;
  /// Locked. Renaming keeps the lock, so that nobody writes a file under its final name.
  Descriptor data_;
  /// Whether no earlier run has begun it.
  bool is_new_ = false;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::optional<WritableMapping> mapping_;
  /// Of the tensors that are whole.
  std::map<std::string, std::string, std::less<>> checksums_;
  /// Lines of the journal that are not written yet.
  std::string lines_;
};

/// The files of this process's devices.
class Staging {
 public:
  /// Refuses `reshard.output` and `file.unwritable`, in all processes alike.
  [[nodiscard]] static Result<Staging> open(const ReshardRequest& request,
                                            const std::vector<Job>& jobs, const Sources& sources,
                                            const Crew& crew);

  /// Memory for what a plan keeps for a while, in a file without a name. Refuses `file.unwritable`.
  [[nodiscard]] Result<WritableMapping> scratch(std::int64_t bytes) const;
  /// By device.
  [[nodiscard]] std::map<std::int64_t, StagedFile>& files() { return files_; }
  /// Seals the files, verifies them if that is wished, and gives them their final names.
  [[nodiscard]] Result<std::vector<std::string>> publish(bool verifies, const Crew& crew);

 private:
  [[nodiscard]] Result<void> check(bool resumes) const;
  [[nodiscard]] Result<void> create(const ReshardRequest& request, const std::vector<Job>& jobs,
                                    const Sources& sources, const Crew& crew);
  /// Removes what create() has begun.
  void discard();
  [[nodiscard]] std::string staged_path(std::int64_t device) const;
  [[nodiscard]] Result<void> rename_all() const;
  void remove_journals() const;
  [[nodiscard]] std::string final_path(const StagedFile& file) const;

  std::string output_;
  std::string folder_;
  /// Whether the output is one file.
  bool is_file_ = false;
  std::map<std::int64_t, StagedFile> files_;
};

}  // namespace heddle::files

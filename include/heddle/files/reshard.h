#pragma once

// Resharding: the files of a checkpoint, one a device, written anew for other devices.
//
//   ReshardRequest request;
//   request.checkpoint = {"model-*.safetensors"};           of devices 0 to 3
//   request.from = Specs::of("P('x')", "Mesh('x': 4)").value();
//   request.to = Specs::of("P(None, 'y')", "Mesh('y': 2)").value();
//   request.output = "narrow";                              narrow/device-0.safetensors, …
//   reshard(request)                                        what was moved, and what had to be
//
// Each tensor is moved by a plan (distribute/plan.h) in pieces, from mapped files into mapped
// files, so that a checkpoint may be larger than memory. What is written stands in a folder beside
// the output, `narrow.partial`, until all of it is whole; then the folder gets its name. Each
// tensor has a checksum in the `__metadata__` of its file, which is verified when it is read again.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/axe/mesh.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"
#include "heddle/files/transport.h"
#include "heddle/move/relayout.h"
#include "heddle/notation/evaluator.h"

#pragma GCC visibility push(default)
namespace heddle::files {

/// The mesh that a text says, in any notation of a mesh. Refuses `reshard.spec`, and what
/// evaluating the text refuses.
[[nodiscard]] Result<axe::Mesh> mesh_in(std::string_view text,
                                        const notation::Environment& environment = {});

/// Which tensors are sharded how. By default every tensor is whole, on device 0.
class Specs {
 public:
  /// One spec for every tensor: a text in any notation of a sharding, over the mesh that it says,
  /// or else this one. Refuses `reshard.spec` for what is no sharding or has no mesh, and what
  /// evaluating the texts refuses.
  [[nodiscard]] static Result<Specs> of(std::string_view spec, std::string_view mesh = {},
                                        const notation::Environment& environment = {});
  /// Lines `PATTERN: SPEC`, of which the first whose pattern has the name of a tensor holds for it;
  /// a `*` stands for any text. A line `NAME = EXPRESSION` gives a name to a mesh or a spec, and
  /// one that begins with `#` is a comment. Refuses the same, with the line.
  [[nodiscard]] static Result<Specs> of_lines(std::string_view lines, std::string_view mesh = {},
                                              notation::Environment environment = {});

  /// The sharding of the tensor with this name, with a mesh and without a shape, unless it is
  /// stated. Refuses `reshard.spec` if no pattern has the name.
  [[nodiscard]] Result<axe::Sharding> find(std::string_view tensor) const;
  /// All devices of all meshes, ascending.
  [[nodiscard]] std::vector<std::int64_t> devices() const;
  /// A text that is another one for other specs.
  [[nodiscard]] std::string identity() const;

 private:
  struct Line {
    std::string pattern;
    axe::Sharding sharding;
    axe::Mesh mesh;
  };
  std::vector<Line> lines_ = {{"*", {.spec = axe::PartitionSpec{}, .mesh = axe::Mesh()}, {}}};
};

struct ReshardRequest {
  /// Files of safetensors, patterns with `*` in the name of the file, or folders of such files. In
  /// the order of the devices, ascending: patterns and folders in the natural order of the names,
  /// so that 10 comes after 9. A single device may have several files with other tensors each.
  std::vector<std::string> checkpoint;
  Specs from;
  Specs to;
  /// A folder, which gets a file `device-N.safetensors` for each device; for a single device it may
  /// be the name of a file that ends in `.safetensors`.
  std::string output;
  /// Only makes the plans.
  bool is_dry = false;
  /// Goes on with what an earlier run has left in `OUTPUT.partial`.
  bool resumes = false;
  /// Reads what was written back from the disk, and verifies its checksums.
  bool verifies = false;
  /// Takes any one of several devices' copies of one part, without comparing them.
  bool trusts_replicas = false;
  /// The most bytes of a message, up to 1 GiB.
  std::int64_t piece_bytes = std::int64_t{4} << 20;
  /// A run can be resumed from where so many bytes were written since the last time.
  std::int64_t noted_bytes = std::int64_t{256} << 20;
  /// Which links are slow. If it has no mesh, each tensor's links are those of its new mesh or its
  /// old one, whichever has all its devices and knows more of the axes.
  distribute::Topology topology;
  std::stop_token stop = {};
  /// Counts the bytes of the tensors that are written by this process.
  move::Progress* progress = nullptr;
};

/// What became of one tensor.
struct ReshardedTensor {
  std::string name;
  /// As safetensors names it.
  std::string type;
  std::vector<std::int64_t> shape;
  /// nullptr for a tensor without elements, of which nothing is moved.
  std::shared_ptr<const distribute::Plan> plan;
  distribute::Traffic moved;
  distribute::Traffic at_least;

  /// The names of the plan's steps.
  [[nodiscard]] std::vector<std::string_view> collectives() const;
};

struct Resharded {
  /// In the order in which they lie in the files.
  std::vector<ReshardedTensor> tensors;
  /// The files that this process has written; none of a dry run.
  std::vector<std::string> files;
  /// How many tensors an earlier run had finished.
  std::size_t resumed = 0;
};

/// Writes the checkpoint in its new sharding. Over a transport of several processes each of them
/// works for one device: the process of number r for the r-th of all devices of both sides.
///
/// Refuses `reshard.ranks` for another number of processes than devices; `reshard.files` for
/// another number of files than devices, for names that are no files, and for files in the order of
/// a shell, 10 before 2; `reshard.missing` for a
/// tensor that a device should have and its file has not, `reshard.surplus` for the opposite,
/// `reshard.type` for two types of one tensor, `reshard.shape` for shards that are none of one
/// tensor, `reshard.replica` for copies of one part that are not the same (a dry run compares only
/// the checksums that the files state); `reshard.spec` for a
/// tensor that has none, one that cuts it into too many pieces, and processes with other ones;
/// `reshard.arithmetic` for partial values of a type that is not reduced
/// in this way; `reshard.checksum` for a tensor that is not what it was when its checksum was
/// made; `reshard.output` if there is something under the name of the folder, and for an earlier
/// run that was not finished, or not one of this request; `distribute.topology` for
/// an axis that no tensor has; `move.stopped`, after which the run can
/// be resumed; what TensorFile::open(), redistribute() and writing a file refuse. What is refused
/// leaves nothing under the name of the output that was not there before.
[[nodiscard]] Result<Resharded> reshard(const ReshardRequest& request, Transport& transport);
[[nodiscard]] Result<Resharded> reshard(const ReshardRequest& request);

/// One line for each tensor: its collectives, the bytes that are moved, and the lower bound; then
/// the sums.
[[nodiscard]] std::string to_string(const Resharded& resharded);

}  // namespace heddle::files
#pragma GCC visibility pop

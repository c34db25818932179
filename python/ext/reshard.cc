// Checkpoints for other devices, as Python has them.

#include "heddle/files/reshard.h"

#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "object.h"
#include "refusal.h"

namespace heddle::python {
namespace {

using files::ReshardRequest;
using files::Specs;

/// The specs of one side: a text, whether it is lines, and the mesh of those that say none. Without
/// a text every tensor is whole.
using Side = std::tuple<std::optional<std::string>, bool, std::string>;

Result<Specs> specs_of(const Side& side, const Environment& environment) {
  const auto& [text, is_lines, mesh] = side;
  if (!text) return Specs();
  return is_lines ? Specs::of_lines(*text, mesh, environment) : Specs::of(*text, mesh, environment);
}

nb::dict fields_of(const files::ReshardedTensor& tensor) {
  nb::list steps;
  for (const std::string_view collective : tensor.collectives()) {
    steps.append(std::string(collective));
  }
  nb::dict fields;
  fields["name"] = tensor.name;
  fields["type"] = tensor.type;
  fields["shape"] = nb::tuple(nb::cast(tensor.shape));
  fields["steps"] = nb::tuple(steps);
  fields["bytes"] = tensor.moved.total;
  fields["at_least"] = tensor.at_least.total;
  return fields;
}

nb::tuple reshard(const std::vector<std::string>& checkpoint, const Side& from, const Side& to,
                  const std::string& output, bool is_dry, bool resumes, bool verifies,
                  bool trusts_replicas) {
  std::optional<Result<files::Resharded>> done;
  const auto run = [&](const Environment& environment,
                       const std::stop_token& stop) -> Result<files::Resharded> {
    ReshardRequest request;
    request.checkpoint = checkpoint;
    HEDDLE_TRY(request.from, specs_of(from, environment));
    HEDDLE_TRY(request.to, specs_of(to, environment));
    request.output = output;
    request.is_dry = is_dry;
    request.resumes = resumes;
    request.verifies = verifies;
    request.trusts_replicas = trusts_replicas;
    request.stop = stop;
    return files::reshard(request);
  };
  interruptible([&](const Environment& environment, const std::stop_token& stop) {
    done = run(environment, stop);
  });
  const files::Resharded resharded = unwrapped(*std::move(done));
  nb::list tensors;
  for (const files::ReshardedTensor& tensor : resharded.tensors) tensors.append(fields_of(tensor));
  return nb::make_tuple(tensors, nb::cast(resharded.files), resharded.resumed,
                        to_string(resharded));
}

/// The boxes that the devices of a sharding hold of a tensor: for each the device, the offsets and
/// the lengths.
nb::list boxes(const Side& side, const std::string& tensor,
               const std::vector<std::int64_t>& shape) {
  std::optional<Result<distribute::Distribution>> done;
  const auto find = [&](const Environment& environment) -> Result<distribute::Distribution> {
    HEDDLE_TRY(const Specs specs, specs_of(side, environment));
    HEDDLE_TRY(axe::Sharding sharding, specs.find(tensor));
    if (!sharding.shape) sharding.shape.emplace(shape.begin(), shape.end());
    return distribute::Distribution::make(sharding);
  };
  interruptible(
      [&](const Environment& environment, const std::stop_token&) { done = find(environment); });
  const distribute::Distribution distribution = unwrapped(*std::move(done));
  if (!distribution.partial().empty()) {
    raise(
        Diagnostic("reshard.spec", "the parts of " + tensor + " are terms, which are not written"));
  }
  nb::list all;
  for (const distribute::Block& block : distribution.blocks()) {
    std::vector<std::int64_t> offsets;
    for (const distribute::Extent& extent : block.box) offsets.push_back(extent.begin);
    all.append(nb::make_tuple(block.device, nb::tuple(nb::cast(offsets)),
                              nb::tuple(nb::cast(distribute::extents_of(block.box)))));
  }
  return all;
}

}  // namespace

void bind_reshard(nb::module_& m) {
  m.def("_reshard", reshard);
  m.def("_boxes", boxes);
}

}  // namespace heddle::python

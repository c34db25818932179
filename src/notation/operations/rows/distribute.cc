// Plans of redistributions: how a tensor gets from one distribution over devices to another.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "heddle/distribute/plan.h"
#include "heddle/distribute/run.h"
#include "heddle/distribute/source.h"
#include "heddle/notation/lexer.h"
#include "notation/operations/planned.h"

namespace heddle::notation {

namespace {

using distribute::Distribution;
using distribute::Plan;
using distribute::Step;
using distribute::Transfer;

/// The mesh and the shape that one side has, or that are given for both.
struct GivenMesh {
  std::optional<axe::Mesh> mesh;
  std::optional<IntList> shape;
};

Result<Distribution> distribution_of(const axe::Sharding& sharding, const GivenMesh& given) {
  axe::Sharding complete = sharding;
  if (!complete.mesh) complete.mesh = given.mesh;
  if (!complete.shape && given.shape) complete.shape = *given.shape;
  return Distribution::make(complete);
}

Result<Distribution> distribution_of(const axe::Sharded& sharded, const GivenMesh&) {
  return Distribution::make(sharded);
}

Result<Distribution> distribution_of(const axe::Layout& layout, const GivenMesh& given) {
  if (given.mesh && given.shape) {
    return Distribution::make(axe::Sharded{layout, *given.mesh, *given.shape, {}});
  }
  return refuse(Diagnostic("call.arity",
                           "a layout alone does not say over which mesh it is, and "
                           "of which shape")
                    .with_hint("give mesh=[0,1,2,3] and shape=(64,128)"));
}

/// What a side that is complete says of the other one.
GivenMesh given_by(const OnDevices& side, GivenMesh given) {
  std::optional<axe::Mesh> mesh;
  std::optional<std::vector<Int>> shape;
  if (const auto* sharded = std::get_if<axe::Sharded>(&side)) {
    mesh = sharded->mesh;
    shape = sharded->shape;
  } else if (const auto* sharding = std::get_if<axe::Sharding>(&side)) {
    mesh = sharding->mesh;
    shape = sharding->shape;
  }
  if (!given.mesh) given.mesh = std::move(mesh);
  if (!given.shape && shape) given.shape = IntList(*shape);
  return given;
}

distribute::Topology topology_of(const std::optional<linear::NamedSizes>& bandwidth,
                                 const std::optional<axe::Mesh>& mesh) {
  constexpr double kGiga = 1e9;
  distribute::Topology topology;
  if (!bandwidth) return topology;
  for (const auto& [axis, number] : *bandwidth) {
    topology.bandwidth[axis] = static_cast<double>(number) * kGiga;
  }
  topology.mesh = mesh;
  return topology;
}

Datum datum_of(const Transfer& transfer) {
  Datum::List box;
  for (const distribute::Extent& extent : transfer.box) {
    box.emplace_back(Datum::List{extent.begin, extent.end});
  }
  return Datum::Fields{{"from", transfer.from},
                       {"to", transfer.to},
                       {"box", std::move(box)},
                       {"read", std::string(distribute::name(transfer.read))},
                       {"written", std::string(distribute::name(transfer.written))},
                       {"reduces", transfer.reduces}};
}

/// A step with its first transfers; a plan for many devices has millions.
Datum datum_of(const Step& step) {
  constexpr std::size_t kMaxTransfers = 4096;
  Datum::List groups;
  for (const auto& group : step.groups) groups.push_back(list_of(group));
  Datum::List transfers;
  for (std::size_t i = 0; i < std::min(kMaxTransfers, step.transfers.size()); ++i) {
    transfers.push_back(datum_of(step.transfers[i]));
  }
  return Datum::Fields{{"collective", std::string(distribute::name(step.collective))},
                       {"groups", std::move(groups)},
                       {"transfer_count", step.transfers.size()},
                       {"transfers", std::move(transfers)}};
}

Datum datum_of(const distribute::Traffic& traffic) {
  Datum::Fields links;
  for (const auto& [link, bytes] : traffic.by_link) links.emplace_back(link, bytes);
  return Datum::Fields{{"total_bytes", traffic.total},
                       {"most_in", traffic.most_in},
                       {"most_out", traffic.most_out},
                       {"by_link", std::move(links)}};
}

Result<Report> report_of_plan(const Plan& plan) {
  HEDDLE_TRY(const distribute::Traffic bound,
             distribute::lower_bound(plan.from(), plan.to(), plan.element_bits(), plan.topology()));
  const Verdict complete = distribute::is_complete(plan);
  Datum::List steps;
  for (const Step& step : plan.steps()) steps.push_back(datum_of(step));
  constexpr std::size_t kShownTransfers = 8;
  auto lines = distribute::lines_of(plan, kShownTransfers);
  lines.emplace_back("complete", complete.to_string());
  return Report{.text = distribute::text_of(lines),
                .data = Datum::Fields{{"steps", std::move(steps)},
                                      {"moves", datum_of(distribute::traffic(plan))},
                                      {"at_least", datum_of(bound)},
                                      {"complete", complete.to_string()}},
                .outcome = complete.is_yes() ? Report::Outcome::kDone : Report::Outcome::kRefuted};
}

Result<Report> redistribute_report(const OnDevices& from, const OnDevices& to,
                                   const ElementWidth& element,
                                   const std::optional<axe::Mesh>& mesh,
                                   const std::optional<IntList>& shape,
                                   const std::optional<linear::NamedSizes>& bandwidth) {
  HEDDLE_TRY(const Plan plan, planned(from, to, element, mesh, shape, bandwidth));
  return report_of_plan(plan);
}

Result<std::string> redistribute_source(const OnDevices& from, const OnDevices& to,
                                        const ElementWidth& element, const std::string& target,
                                        const std::optional<axe::Mesh>& mesh,
                                        const std::optional<IntList>& shape,
                                        const std::optional<linear::NamedSizes>& bandwidth,
                                        const std::string& name) {
  const auto found = distribute::find_source_target(target);
  if (!found) {
    return refuse(
        Diagnostic("emit.target", fmt::format("plans are not written in {}", quote(target)))
            .with_hint("the targets are nccl and jax"));
  }
  HEDDLE_TRY(const Plan plan, planned(from, to, element, mesh, shape, bandwidth));
  HEDDLE_TRY(std::string text,
             distribute::to_source(plan, *found, {.name = name, .element = element.type}));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Result<Plan> planned(const OnDevices& from, const OnDevices& to, const ElementWidth& element,
                     const std::optional<axe::Mesh>& mesh, const std::optional<IntList>& shape,
                     const std::optional<linear::NamedSizes>& bandwidth) {
  const GivenMesh given = given_by(to, given_by(from, {mesh, shape}));
  const auto made = [&](const auto& side) { return distribution_of(side, given); };
  HEDDLE_TRY(const Distribution source, std::visit(made, from));
  HEDDLE_TRY(const Distribution destination, std::visit(made, to));
  return distribute::redistribute(source, destination, element.bits,
                                  {.topology = topology_of(bandwidth, mesh)});
}

void add_distribute_operations(std::vector<Operation>& table) {
  const Rows add{table, "redistribution"};
  add({.call = "redistribute(from, to, element_bits, mesh, shape, bandwidth)",
       .summary = "How a tensor over devices gets from one distribution to another: the "
                  "collectives, what goes from which device to which, and how many bytes any plan "
                  "moves at least. Mesh and shape are those of a side that does not say them; the "
                  "bandwidths are in gigabytes a second, by axis.",
       .example = {"redistribute([Shard(0)], [Replicate()], 32, mesh=[0,1], shape=(4,8))",
                   "local       64 bytes on 2 devices\n"
                   "  0 -> 0    [0,2) x [0,8)\n"
                   "  1 -> 1    [2,4) x [0,8)\n"
                   "all-gather  1 group of 2: 64 bytes from one device to another, 128 bytes in "
                   "all\n"
                   "  1 -> 0    [2,4) x [0,8)\n"
                   "  0 -> 1    [0,2) x [0,8)\n"
                   "moves       128 bytes, at most 64 into and 64 out of a device\n"
                   "at least    128 bytes, 64 into and 64 out of a device\n"
                   "complete    yes  (algebra of boxes)"}},
      redistribute_report);
  add({.call = "redistribute_source(from, to, element_bits, target=nccl, mesh, shape, bandwidth, "
               "name=redistribute)",
       .summary = "The same as a program: a C++ file for NCCL and CUDA (target='nccl'), or a "
                  "Python module for JAX's shard_map (target='jax'). Where terms are reduced, NCCL "
                  "needs the type of the elements, as in \"float32\".",
       .example =
           {"redistribute_source([Shard(0)], [Shard(1)], 32, 'jax', mesh=[0,1], "
            "shape=(4,8))",
            "# A tensor of shape (4,8) from P('0', None) to P(None, '0'), by JAX.\n"
            "#\n"
            "#   local           32 bytes on 2 devices\n"
            "#   all-to-all      1 group of 2: 32 bytes from one device to another, 64 bytes in "
            "all\n"
            "#   moves           64 bytes, at most 32 into and 32 out of a device\n"
            "#   at least        64 bytes, 32 into and 32 out of a device\n"
            "\n"
            "import jax\n"
            "import numpy as np\n"
            "from jax import lax\n"
            "from jax.sharding import Mesh, PartitionSpec as P\n"
            "\n"
            "AXES = ('0',)\n"
            "MESH = (2,)\n"
            "# The numbers of the devices, in the order of the mesh.\n"
            "DEVICES = (0, 1)\n"
            "IN_SPECS = P('0', None)\n"
            "OUT_SPECS = P(None, '0')\n"
            "\n"
            "\n"
            "def redistribute(shard):\n"
            "    \"\"\"In a shard_map: the shard (4, 4) of a device out of its shard (2, "
            "8).\"\"\"\n"
            "    shard = lax.all_to_all(shard, '0', split_axis=1, concat_axis=0, tiled=True)\n"
            "    return shard\n"
            "\n"
            "\n"
            "def redistribute_on(devices=None):\n"
            "    \"\"\"redistribute() for arrays over the mesh of these devices.\"\"\"\n"
            "    devices = np.array(jax.devices() if devices is None else devices)\n"
            "    mesh = Mesh(devices[list(DEVICES)].reshape(MESH), AXES)\n"
            "    return jax.shard_map(redistribute, mesh=mesh, in_specs=IN_SPECS, "
            "out_specs=OUT_SPECS,\n"
            "                         check_vma=False)"}},
      redistribute_source);
}

}  // namespace heddle::notation

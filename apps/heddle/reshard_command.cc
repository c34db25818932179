// heddle reshard: a checkpoint, one file a device, written anew for other devices.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "heddle/commands.h"
#include "heddle/console.h"
#include "heddle/files/reshard.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::Datum;

/// The specs of one side: a spec, or the name of a file of lines.
Result<files::Specs> specs_of(const Call& call, const std::string& side) {
  const std::string& text = call.said.text(side);
  const std::string& mesh = call.said.text(side + "-mesh");
  if (text.empty()) {
    if (mesh.empty()) return files::Specs();
    return refuse(Diagnostic("usage.option", fmt::format("{0}-mesh needs a spec, {0}", side)));
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(text, ignored)) {
    return files::Specs::of(text, mesh, call.environment);
  }
  HEDDLE_TRY(const std::string lines, read_file(text));
  return files::Specs::of_lines(lines, mesh, call.environment);
}

/// The bandwidths of `--bandwidth x=900e9`, and the mesh of `--bandwidth-mesh`.
Result<distribute::Topology> topology_of(const Call& call) {
  distribute::Topology topology;
  if (const std::string& mesh = call.said.text("--bandwidth-mesh"); !mesh.empty()) {
    HEDDLE_TRY(topology.mesh, files::mesh_in(mesh, call.environment));
  }
  for (const std::string& text : call.said.list("--bandwidth")) {
    const std::size_t sign = text.find('=');
    double bytes = 0;
    const char* const end = text.data() + text.size();
    const char* const begin = text.data() + std::min(sign, text.size() - 1) + 1;
    const auto [read, error] = std::from_chars(begin, end, bytes);
    if (sign == std::string::npos || error != std::errc() || read != end) {
      return refuse(Diagnostic("usage.option",
                               "a bandwidth is an axis and its bytes per second, as x=900e9"));
    }
    topology.bandwidth[text.substr(0, sign)] = bytes;
  }
  return topology;
}

Result<files::ReshardRequest> request_of(const Call& call) {
  files::ReshardRequest request;
  request.checkpoint = call.said.list("checkpoint");
  if (call.said.text("--from").empty() && call.said.text("--to").empty()) {
    return refuse(
        Diagnostic("usage.option",
                   "reshard needs the sharding of the checkpoint, --from, or the new one, "
                   "--to; without one of them each tensor is whole there")
            .with_hint("heddle reshard 'model-*.safetensors' --from \"P('x')\" "
                       "--from-mesh \"Mesh('x': 4)\" -o model.safetensors"));
  }
  HEDDLE_TRY(request.from, specs_of(call, "--from"));
  HEDDLE_TRY(request.to, specs_of(call, "--to"));
  HEDDLE_TRY(request.topology, topology_of(call));
  request.output = call.said.text("--output");
  request.is_dry = call.said.flag("--dry-run");
  request.resumes = call.said.flag("--resume");
  request.verifies = call.said.flag("--verify");
  request.trusts_replicas = call.said.flag("--trust-replicas");
  if (request.is_dry && !request.output.empty()) {
    return refuse(
        Diagnostic("usage.option", "reshard takes -o or --dry-run, not both")
            .with_hint("leave out -o " + request.output + ", or --dry-run, which writes nothing"));
  }
  if (!request.is_dry && request.output.empty()) {
    return refuse(
        Diagnostic("usage.option", "reshard needs a folder or a file to write, -o, or --dry-run")
            .with_hint("-o model.safetensors, -o folder/, or --dry-run"));
  }
  return request;
}

/// `43 %, 2.1 GB/s, 7 s`: how far it is, and how fast it has been.
std::string share_line(const move::Progress& progress, std::chrono::seconds spent) {
  const auto moved = static_cast<double>(progress.moved);
  const auto of = static_cast<double>(std::max<std::int64_t>(1, progress.of));
  return fmt::format("resharding: {:.0f} %, {:.2f} GB/s, {} s (Ctrl-C stops; --resume goes on)",
                     100 * moved / of, moved / 1e9 / static_cast<double>(spent.count()),
                     spent.count());
}

Datum data_of(const files::ReshardedTensor& tensor) {
  Datum::List steps;
  for (const std::string_view collective : tensor.collectives()) {
    steps.emplace_back(std::string(collective));
  }
  return Datum::Fields{{"name", tensor.name},
                       {"type", tensor.type},
                       {"shape", notation::list_of(tensor.shape)},
                       {"steps", std::move(steps)},
                       {"bytes", tensor.moved.total},
                       {"at_least", tensor.at_least.total}};
}

/// Each plan in full, before the table of all tensors.
std::string plans_text(const files::Resharded& resharded) {
  std::string text;
  for (const files::ReshardedTensor& tensor : resharded.tensors) {
    text +=
        fmt::format("{}\n{}\n", printable_lines(tensor.name),
                    indented(tensor.plan ? distribute::to_string(*tensor.plan) : "no elements", 2));
  }
  return text;
}

notation::Report report_of(const files::Resharded& resharded,
                           const files::ReshardRequest& request) {
  std::string text = (request.is_dry ? plans_text(resharded) : "") + to_string(resharded);
  if (resharded.resumed > 0) {
    text += fmt::format("\n{} of the tensors were there from an earlier run", resharded.resumed);
  }
  if (!request.is_dry) text += fmt::format("\nwritten to {}", printable_lines(request.output));
  Datum::List tensors;
  for (const files::ReshardedTensor& tensor : resharded.tensors) {
    tensors.push_back(data_of(tensor));
  }
  return {.text = std::move(text),
          .data = Datum::Fields{{"tensors", std::move(tensors)},
                                {"resumed", resharded.resumed},
                                {"output", notation::text_or_null(request.output)}}};
}

}  // namespace

Outcome reshard_command(const Call& call) {
  auto asked = request_of(call);
  HEDDLE_CHECK(files::agree(call.transport, asked.map([](const auto& /*request*/) {})));
  files::ReshardRequest request = *std::move(asked);
  move::Progress moved;
  const StopOnInterrupt interrupts;
  request.stop = interrupts.token();
  request.progress = &moved;
  const auto line = [&](std::chrono::seconds spent) { return share_line(moved, spent); };
  std::optional<Progress> progress(std::in_place, call.console, line);
  const auto resharded = files::reshard(request, call.transport);
  progress.reset();
  if (!resharded) return refuse(resharded.error());
  call.console.print(notation::Value(report_of(*resharded, request)));
  return ExitCode::kDone;
}

}  // namespace heddle::app

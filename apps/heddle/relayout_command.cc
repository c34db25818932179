// heddle relayout: a tensor in a file, moved to another layout in another file.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/files/relayout.h"
#include "heddle/notation/any_layout.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::Value;

Result<map::AnyLayout> layout_of(const std::string& text, const notation::Environment& environment) {
  HEDDLE_TRY(const Value value, value_in(text, environment));
  return notation::to_any_layout(value);
}

Result<files::RelayoutRequest> request_of(const Call& call) {
  const std::string& to = call.said.text("--to");
  if (to.empty()) {
    return refuse(Diagnostic("usage.option", "relayout needs the layout to write: --to")
                      .with_hint("heddle relayout in.npy --to '(64,64):(1,64)' -o out.npy"));
  }
  files::RelayoutRequest request;
  HEDDLE_TRY(request.to, layout_of(to, call.environment));
  if (const std::string& from = call.said.text("--from"); !from.empty()) {
    HEDDLE_TRY(request.from, layout_of(from, call.environment));
  }
  request.tensor = call.said.text("--tensor");
  request.element_bits = call.said.number("--bits");
  HEDDLE_TRY(request.plan.reading, reading_of(call.said));
  HEDDLE_TRY(request.shape, numbers_of(kShapeOption, call.said));
  request.threads = static_cast<int>(std::clamp<std::int64_t>(
      call.said.number("--threads").value_or(std::thread::hardware_concurrency()), 1, 256));
  return request;
}

}  // namespace

Outcome relayout_command(const Call& call) {
  const std::string& input = call.said.text("file");
  const std::string& output = call.said.text("--output");
  HEDDLE_TRY(files::RelayoutRequest request, request_of(call));
  const Progress progress(call.console, "moving");
  HEDDLE_TRY(const move::Plan plan, files::relayout(input, output, request));
  call.console.print(
      Value(fmt::format("{} elements of {} bits, {} bytes written to {}", plan.elements(),
                        plan.element_bits(), plan.destination_bytes(), output)));
  return ExitCode::kDone;
}

}  // namespace heddle::app

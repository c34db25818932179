// heddle relayout: a tensor in a file, moved to another layout in another file.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/files/relayout.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/repackings.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::Value;

Result<map::AnyLayout> layout_of(const std::string& text, const notation::Environment& environment) {
  HEDDLE_TRY(const Value value, value_in(text, environment));
  return notation::to_any_layout(value);
}

/// The sizes of `C=64`.
Result<Bindings> sizes_of(const std::vector<std::string>& texts) {
  Bindings sizes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    std::int64_t size = 0;
    const char* end = text.data() + text.size();
    const bool is_read = equals != std::string::npos &&
                         std::from_chars(text.data() + equals + 1, end, size).ptr == end;
    if (!is_read || size < 1) {
      return refuse(Diagnostic("usage.option", "--size " + text + " is no size of a name")
                        .with_hint("--size C=64"));
    }
    sizes[text.substr(0, equals)] = size;
  }
  return sizes;
}

Result<files::RelayoutRequest> request_of(const Call& call) {
  files::RelayoutRequest request;
  const std::string& to = call.said.text("--to");
  const std::string& from = call.said.text("--from");
  const std::string& recipe = call.said.text("--recipe");
  if (to.empty() == recipe.empty() || (!from.empty() && !recipe.empty())) {
    return refuse(Diagnostic("usage.option", "relayout needs either a layout to write, --to, or a "
                                             "repacking by name, --recipe")
                      .with_hint("heddle relayout in.npy --to '(64,64):(1,64)' -o out.npy"));
  }
  HEDDLE_TRY(const Bindings sizes, sizes_of(call.said.list("--size")));
  if (!recipe.empty()) {
    HEDDLE_TRY(const notation::Repacking repacking, notation::find_repacking(recipe));
    HEDDLE_TRY(notation::RepackingLayouts layouts, notation::layouts_of(repacking, sizes));
    request.from = std::move(layouts.from);
    request.to = std::move(layouts.to);
    if (repacking.element_bits != 0) request.element_bits = repacking.element_bits;
  }
  notation::Environment environment = call.environment;
  for (const auto& [name, size] : sizes) environment.bind(name, Value(size));
  if (!to.empty()) {
    HEDDLE_TRY(request.to, layout_of(to, environment));
  }
  if (!from.empty()) {
    HEDDLE_TRY(request.from, layout_of(from, environment));
  }
  request.tensor = call.said.text("--tensor");
  if (const auto bits = call.said.number("--bits")) request.element_bits = bits;
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

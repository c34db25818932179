// heddle relayout: a tensor in a file, moved to another layout in another file.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/arguments.h"
#include "heddle/commands.h"
#include "heddle/core/exact.h"
#include "heddle/files/relayout.h"
#include "heddle/files/tensor_file.h"
#include "heddle/map/any_layout.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/index_expression.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/repackings.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using notation::Value;

Result<map::AnyLayout> layout_of(const std::string& text,
                                 const notation::Environment& environment) {
  HEDDLE_TRY(const Value value, value_in(text, environment));
  return notation::to_any_layout(value);
}

/// As layout_of(). A refusal of a format by its name, `NHWC`, says which repacking it is.
Result<map::AnyLayout> named_layout_of(const std::string& text,
                                       const notation::Environment& environment) {
  Result<map::AnyLayout> layout = layout_of(text, environment);
  if (layout) return layout;
  for (const notation::Repacking& repacking : notation::repackings()) {
    const std::string_view format = repacking.name.substr(repacking.name.find("_to_") + 4);
    if (!std::ranges::equal(text, format, {}, ::tolower, ::tolower)) continue;
    return refuse(std::move(layout).error().with_hint(fmt::format("--recipe {}", repacking.name)));
  }
  return layout;
}

/// Whether elements of other types may be packed in the tensor's, or its bytes be parts of them.
bool holds_others(const files::Tensor& tensor) {
  const bool is_integer =
      tensor.type.size() > 1 && (tensor.type[1] == 'u' || tensor.type[1] == 'i');
  return is_integer && !tensor.safetensors_type.starts_with('F');
}

/// The bits of the tensor, without those past the last whole element.
std::int64_t elements_in(const files::Tensor& tensor, std::int64_t bits) {
  return exact::multiply(8, static_cast<std::int64_t>(tensor.bytes)).value_or(INT64_MAX) / bits;
}

/// What a repacking is told of a tensor. Bytes without a header have no shape that is known.
notation::Packed packed(const files::Tensor& tensor, std::span<const std::byte> data) {
  notation::Packed packed{.element_bits = tensor.element_bits,
                          .bytes = static_cast<std::int64_t>(tensor.bytes),
                          .in_rows = !tensor.first_fastest || tensor.shape.size() < 2,
                          .are_integers = holds_others(tensor),
                          .are_signed = tensor.type.size() > 1 && tensor.type[1] == 'i',
                          .data = data};
  if (tensor.begin != 0) packed.shape = tensor.shape;
  return packed;
}

/// Refuses a size that is not a name in the layouts.
Result<void> check_named(const Bindings& sizes, const std::vector<std::string>& layouts,
                         const notation::Environment& environment) {
  std::set<std::string> names;
  for (const std::string& layout : layouts) {
    HEDDLE_TRY(const std::string text, argument_text(layout));
    const auto expression = notation::parse_expression(text);
    if (!text.empty() && !expression) return {};  // reading the layout says why
    if (expression) names.merge(notation::free_names_in(*expression, environment));
  }
  for (const auto& [name, size] : sizes) {
    if (names.contains(name)) continue;
    return refuse(
        Diagnostic("usage.option", fmt::format("--size {}={}: the layouts have no size {}", name,
                                               to_string(size), name))
            .with_hint(names.empty() ? "leave out --size: no name is in the layouts"
                                     : fmt::format("the names are {}", fmt::join(names, ", "))));
  }
  return {};
}

Result<files::RelayoutRequest> request_of(const Call& call, const files::TensorFile& file,
                                          const files::Tensor& tensor) {
  files::RelayoutRequest request;
  const std::string& to = call.said.text("--to");
  const std::string& from = call.said.text("--from");
  const std::string& recipe = call.said.text("--recipe");
  if (to.empty() == recipe.empty() || (!from.empty() && !recipe.empty())) {
    return refuse(Diagnostic("usage.option",
                             "relayout needs either a layout to write, --to, or a "
                             "repacking by name, --recipe")
                      .with_hint("heddle relayout in.npy --to '(64,64):(1,64)' -o out.npy"));
  }
  HEDDLE_TRY(const Bindings sizes, stated_sizes(call.said.list("--size")));
  if (!recipe.empty()) {
    HEDDLE_TRY(const notation::Repacking repacking, notation::find_repacking(recipe));
    HEDDLE_TRY(notation::Repacked moved,
               notation::repacked(repacking, packed(tensor, file.bytes(tensor)), sizes,
                                  call.said.number("--bits")));
    request.from = std::move(moved.parts.front().from);
    request.to = std::move(moved.parts.front().to);
    for (std::size_t i = 1; i < moved.parts.size(); ++i) {
      request.rest.push_back({std::move(moved.parts[i].from), std::move(moved.parts[i].to)});
    }
    request.element_bits = moved.element_bits;
    request.shape = std::move(moved.shape);
    request.keeps_type = !request.shape.empty();
  }
  notation::Environment environment = call.environment;
  if (recipe.empty()) HEDDLE_CHECK(check_named(sizes, {to, from}, environment));
  for (const auto& [name, size] : sizes) environment.bind(name, Value(size));
  if (!to.empty()) {
    HEDDLE_TRY(request.to, named_layout_of(to, environment));
  }
  if (!from.empty()) {
    HEDDLE_TRY(request.from, layout_of(from, environment));
  }
  request.tensor = call.said.text("--tensor");
  if (const auto bits = call.said.number("--bits")) request.element_bits = bits;
  HEDDLE_TRY(request.plan.reading, reading_of(call.said));
  HEDDLE_TRY(std::vector<std::int64_t> shape, numbers_of(kShapeOption, call.said));
  if (!shape.empty()) {
    request.shape = std::move(shape);
    request.keeps_type = false;
  }
  constexpr std::int64_t kMostThreads = 256;
  const std::int64_t threads =
      call.said.number("--threads").value_or(std::max(1U, std::thread::hardware_concurrency()));
  if (threads < 1) {
    return refuse(Diagnostic("usage.option", fmt::format("--threads is {}, and at least 1 thread "
                                                         "moves the elements",
                                                         threads))
                      .with_hint("--threads 1"));
  }
  request.run.threads = static_cast<int>(std::min(threads, kMostThreads));
  return request;
}

/// `43 %, 2.1 GB/s, 7 s`: how far it is, and how fast it has been.
std::string progress_line(const move::Progress& progress, bool in_place,
                          std::chrono::seconds spent) {
  const auto moved = static_cast<double>(progress.moved);
  const auto of = static_cast<double>(std::max<std::int64_t>(1, progress.of));
  const std::string share = progress.of == 0
                                ? "planning"
                                : fmt::format("{:.0f} %, {:.2f} GB/s", 100 * moved / of,
                                              moved / 1e9 / static_cast<double>(spent.count()));
  // Half of a move in place is not given up.
  const bool can_stop = !in_place || progress.of == 0;
  return fmt::format("moving: {}, {} s{}", share, spent.count(),
                     can_stop ? " (Ctrl-C gives up)" : "");
}

/// How many elements the plan and the other parts of the request move.
std::int64_t moved_elements(const move::Plan& plan, const files::RelayoutRequest& request) {
  std::int64_t elements = plan.elements();
  for (const auto& part : request.rest) elements += map::size(part.from).value_or(Int(0)).value();
  return elements;
}

/// The bytes of the new tensor: up to the last one that is written, or all of its shape.
std::int64_t written_bytes(const move::Plan& plan, const files::Tensor& tensor,
                           const files::RelayoutRequest& request) {
  if (!request.keeps_type) return plan.destination_bytes();
  std::int64_t bits = tensor.element_bits;
  for (const std::int64_t extent : request.shape) bits *= extent;
  return (bits + 7) / 8;
}

notation::Report report_of(const move::Plan& plan, const files::Tensor& tensor,
                           const files::RelayoutRequest& request, const std::string& output,
                           bool in_place) {
  const std::int64_t has = elements_in(tensor, plan.element_bits());
  const std::int64_t elements = moved_elements(plan, request);
  const std::int64_t bytes = written_bytes(plan, tensor, request);
  const std::string of = elements < has ? fmt::format("of the file's {} ", has) : "";
  const std::string where = in_place ? fmt::format("moved within {}", output)
                                     : fmt::format("{} bytes written to {}", bytes, output);
  std::string text =
      fmt::format("{} {}{} of {} bits, {}", elements, of, elements == 1 ? "element" : "elements",
                  plan.element_bits(), where);
  const bool has_shape = files::format_of(output) != files::Format::kRaw;
  if (request.keeps_type && has_shape)
    text += fmt::format(", of the shape ({})", fmt::join(request.shape, ","));
  if (!plan.matched().empty()) text += "\n" + plan.matched();
  return {.text = std::move(text),
          .data = notation::Datum::Fields{{"elements", elements},
                                          {"file_elements", has},
                                          {"element_bits", plan.element_bits()},
                                          {"bytes", bytes},
                                          {"matched", plan.matched()},
                                          {"file", output}}};
}

/// Refuses to write one tensor in place of a file with others.
Result<void> check_keeps_others(const files::TensorFile& file, const files::Tensor& tensor,
                                const std::string& input, const std::string& output) {
  std::error_code ignored;
  if (file.tensors().size() < 2 || !std::filesystem::equivalent(input, output, ignored)) return {};
  return refuse(
      Diagnostic("usage.option", fmt::format("{} has {} tensors, and only {} would be left", input,
                                             file.tensors().size(), tensor.name))
          .with_hint(fmt::format("-o {}{}", tensor.name,
                                 std::filesystem::path(input).extension().string())));
}

}  // namespace

Outcome relayout_command(const Call& call) {
  const std::string& input = call.said.text("file");
  const bool in_place = call.said.flag("--in-place");
  const std::string& output = in_place ? input : call.said.text("--output");
  if (in_place == !call.said.text("--output").empty()) {
    return refuse(Diagnostic("usage.option",
                             "relayout needs either a file to write, -o, or --in-place to move "
                             "within the file"));
  }
  HEDDLE_TRY(const files::TensorFile file, files::TensorFile::open(input));
  HEDDLE_TRY(const files::Tensor tensor, file.find(call.said.text("--tensor")));
  HEDDLE_TRY(files::RelayoutRequest request, request_of(call, file, tensor));
  if (!in_place) HEDDLE_CHECK(check_keeps_others(file, tensor, input, output));
  move::Progress moved;
  const StopOnInterrupt interrupts;
  request.run.stop = interrupts.token();
  request.run.progress = &moved;
  request.plan.limits.stop = interrupts.token();
  const auto line = [&](std::chrono::seconds spent) {
    return progress_line(moved, in_place, spent);
  };
  std::optional<Progress> progress(std::in_place, call.console, line);
  const auto plan =
      in_place ? files::relayout_in_place(input, request) : files::relayout(input, output, request);
  progress.reset();
  if (!plan) return refuse(plan.error());
  call.console.print(Value(report_of(*plan, tensor, request, output, in_place)));
  return ExitCode::kDone;
}

}  // namespace heddle::app

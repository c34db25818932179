// Kernels over devices as C that calls MPI.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "distribute/places.h"
#include "heddle/expr/proof.h"
#include "heddle/kernel/devices.h"
#include "heddle/kernel/launcher.h"
#include "kernel/parts/part.h"
#include "kernel/placed.h"
#include "kernel/source/conversions.h"
#include "kernel/source/cpu_callers.h"
#include "kernel/source/launcher_texts.h"
#include "kernel/source_names.h"
#include "kernel/targets/support.h"

namespace heddle::kernel {

namespace {

/// The most digits of a box in memory.
constexpr std::size_t kMaxBoxDigits = 8;
/// The most transfers of a step: each has a tag, and MPI promises tags up to 32767.
constexpr std::size_t kMaxTransfers = 32767;

using distribute::Box;
using distribute::Memory;
using distribute::Transfer;

/// The elements of a message in the memory of a device.
struct PlacedBox {
  std::int64_t at = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> digits;
};

Result<PlacedBox> placed(const axe::Layout& layout, const std::string& what) {
  if (layout.swizzle() || layout.shard().size() > kMaxBoxDigits) {
    return refuse(
        Diagnostic(
            "kernel.not_lowered",
            fmt::format("{} is in memory as {}; what is sent has up to {} digits and no swizzle",
                        what, axe::to_string(layout), kMaxBoxDigits))
            .with_hint("let devices have their parts row-major"));
  }
  PlacedBox box{layout.offset()[Axis::memory()].value(), {}};
  for (const axe::Iter& iter : layout.shard()) {
    if (iter.extent == Int(1) && layout.shard().size() > 1) continue;
    box.digits.emplace_back(iter.extent.value(), iter.stride.value());
  }
  if (box.digits.empty()) box.digits.emplace_back(1, 1);
  return box;
}

std::string text_of(const PlacedBox& box) {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> steps;
  for (const auto& [extent, step] : box.digits) {
    extents.push_back(extent);
    steps.push_back(step);
  }
  return fmt::format("{{{}, {}, {{{}}}, {{{}}}}}", box.at, extents.size(), fmt::join(extents, ", "),
                     fmt::join(steps, ", "));
}

/// A part of a transfer that lies in one block on both sides.
struct PlacedTransfer {
  Transfer transfer;
  PlacedBox from;
  PlacedBox to;
};

Result<std::vector<PlacedTransfer>> placed(const distribute::Plan& plan, const Transfer& transfer,
                                           const std::string& what) {
  std::vector<PlacedTransfer> all;
  HEDDLE_CHECK(distribute::for_pieces(
      distribute::read_by(plan, transfer), distribute::written_by(plan, transfer), transfer.box,
      [&](const distribute::Piece& piece) -> Result<void> {
        PlacedTransfer& each = all.emplace_back(PlacedTransfer{transfer, {}, {}});
        each.transfer.box = piece.box;
        HEDDLE_TRY(each.from, placed(piece.read, what));
        HEDDLE_TRY(each.to, placed(piece.written, what));
        return {};
      }));
  return all;
}

/// How many bytes all places of a memory take, on the device that has the most.
std::int64_t most_elements(const distribute::Distribution& distribution) {
  std::int64_t most = 0;
  for (const std::int64_t device : distribution.devices()) {
    most = std::max(most, distribution.memory(device));
  }
  return most;
}

class MpiWriter {
 public:
  explicit MpiWriter(const DevicesProgram& program) : program_(program) {}

  Result<std::string> write() {
    HEDDLE_CHECK(check_names());
    HEDDLE_CHECK(check_ranks());
    HEDDLE_TRY(std::string locals, local_source());
    for (std::size_t i = 0; i != program_.steps.size(); ++i) HEDDLE_CHECK(write_step(i));
    std::string text =
        fmt::format("// {}, written by heddle for MPI: mpicc compiles it.\n", name());
    const std::string functions =
        combining_functions() + blocks_ + tables_ +
        fmt::format("\n{} {{\n{}{}{}}}\n", signature(program_), opening(), body_, closing());
    text += locals + launcher_types() + Support::of("mpi/types.h").text();
    Support support = Support::of("launcher/checks.h");
    support += Support::of("mpi/support.h");
    return text + support.called_by(functions, true) + functions;
  }

  static std::string signature(const DevicesProgram& program) {
    std::vector<std::string> parameters = {"MPI_Comm heddle_comm"};
    for (const Tensor& parameter : program.kernel.parameters) {
      const bool is_value = parameter.space == Space::kValue;
      parameters.push_back(fmt::format(
          "{} {}",
          is_value ? std::string(stored_as(parameter.type, Target::kCpu)) : "heddle_tensor",
          parameter.name));
    }
    return fmt::format("int {}({}, int heddle_threads, int heddle_flags, heddle_error* heddle_why)",
                       program.kernel.name, fmt::join(parameters, ", "));
  }

 private:
  [[nodiscard]] const std::string& name() const { return program_.kernel.name; }
  [[nodiscard]] std::int64_t devices() const { return program_.kernel.launch.devices; }

  void line(std::string_view text) { body_ += fmt::format("  {}\n", text); }

  /// Names that callers know are written as they are.
  [[nodiscard]] Result<void> check_names() const {
    std::vector<std::pair<std::string_view, Span>> names = {{name(), program_.kernel.place.span}};
    for (const Tensor& each : program_.kernel.parameters) {
      names.emplace_back(each.name, each.place.span);
    }
    for (const auto& [called, span] : names) {
      const bool is_kernel = called == names.front().first;
      const bool is_taken = is_used_in_sources(called) || called.starts_with("MPI_") ||
                            (is_kernel && (called == "main" || is_function_of_targets(called)));
      if (!is_taken) continue;
      return refuse_at(
          span, Diagnostic("print.name", fmt::format("'{}' means something else in C", called))
                    .with_hint("choose another name"));
    }
    return {};
  }

  [[nodiscard]] Result<void> check_ranks() const {
    for (const DevicesTensor& tensor : program_.tensors) {
      if (tensor.whole.shape.size() <= kMaxLauncherRank) continue;
      return refuse("kernel.not_lowered",
                    fmt::format("{} has {} dimensions, and the tensors of launchers have up to {}",
                                tensor.whole.name, tensor.whole.shape.size(), kMaxLauncherRank));
    }
    return {};
  }

  [[nodiscard]] Result<std::string> local_source() const {
    std::vector<ThreadProgram> locals;
    for (const auto& step : program_.steps) {
      if (const auto* local = std::get_if<LocalStep>(&step)) locals.push_back(local->program);
    }
    if (locals.empty()) return cpu_head();
    return to_source(locals, Target::kCpu);
  }

  [[nodiscard]] static std::string stored(const DevicesTensor& tensor) {
    return std::string(stored_as(tensor.whole.type, Target::kCpu));
  }
  /// The pointer to a tensor's part.
  [[nodiscard]] static std::string pointer_to(const DevicesTensor& tensor) {
    return fmt::format("heddle_at_{}", tensor.whole.name);
  }
  [[nodiscard]] static std::int64_t width_of(const DevicesTensor& tensor) {
    return bits(tensor.whole.type) / 8;
  }

  // --- the frame ---

  [[nodiscard]] std::string opening() const {
    std::string text = fmt::format(
        "  int heddle_count = 0;\n  int heddle_device = 0;\n  int heddle_refused = 0;\n"
        "  (void)heddle_threads;\n"
        "  MPI_Comm_size(heddle_comm, &heddle_count);\n"
        "  MPI_Comm_rank(heddle_comm, &heddle_device);\n"
        "  if (heddle_count != {0}) {{\n"
        "    return heddle_refuse(heddle_why, \"{1} is launched on {0} devices, and there are %d "
        "processes\",\n                         heddle_count);\n  }}\n",
        devices(), name());
    for (const DevicesTensor& tensor : program_.tensors) {
      if (tensor.is_parameter) text += checks_of(tensor);
    }
    text += fmt::format(
        "  if (heddle_agree(heddle_comm, heddle_device, {0}, heddle_refused, heddle_why)) return "
        "1;\n"
        "  /* Messages of the caller's own are kept apart, and an error of MPI is not passed over. "
        "*/\n"
        "  MPI_Comm heddle_own;\n  MPI_Comm_dup(heddle_comm, &heddle_own);\n"
        "  MPI_Comm_set_errhandler(heddle_own, MPI_ERRORS_ARE_FATAL);\n",
        devices());
    for (const DevicesTensor& tensor : program_.tensors) {
      text +=
          fmt::format("  {0}* const {1} = ({0}*){2};\n", stored(tensor), pointer_to(tensor),
                      tensor.is_parameter ? fmt::format("{}.data", tensor.whole.name)
                                          : fmt::format("heddle_room(heddle_own, (size_t){} * {})",
                                                        tensor.elements, width_of(tensor)));
    }
    return text + copies_checked();
  }

  /// The type, the shape and the memory of a part.
  [[nodiscard]] static std::string checks_of(const DevicesTensor& tensor) {
    const std::string& called = tensor.whole.name;
    const std::vector<std::int64_t> shape = numbers_of(tensor.local.shape);
    const std::string extents =
        shape.empty() ? "NULL" : fmt::format("(const int64_t[]){{{}}}", fmt::join(shape, ", "));
    std::string text = fmt::format(
        "heddle_check_tensor(\"{0}\", &{0}, {1}, {2}, heddle_why) ||\n"
        "        heddle_check_part(\"{0}\", &{0}, {3}, {4}, {5}, heddle_why)",
        called, type_constant(tensor.whole.type), shape.size(), extents,
        tensor.local.layout ? 0 : 1, bits(tensor.whole.type) / 8);
    std::vector<std::int64_t> first = tensor.first_copy;
    const bool is_everywhere = std::ranges::find(first, -1) == first.end();
    const std::string held =
        is_everywhere
            ? ""
            : fmt::format(" && (const int[]){{{}}}[heddle_device] >= 0", fmt::join(first, ", "));
    return fmt::format("  if (!heddle_refused{}) {{\n    heddle_refused =\n        {};\n  }}\n",
                       held, text);
  }

  [[nodiscard]] std::string copies_checked() const {
    std::string calls;
    for (const DevicesTensor& tensor : program_.tensors) {
      const bool is_checked = tensor.is_read && has_copies(tensor);
      if (!is_checked) continue;
      const auto layout = layout_of(tensor);
      if (!layout) continue;
      calls += fmt::format(
          " ||\n        heddle_check_copies(heddle_own, heddle_device, {0}, \"{1}\", (const "
          "int[]){{{2}}},\n"
          "                            (const unsigned char*){3}, &(const heddle_box){4}, {5},\n"
          "                            heddle_why)",
          devices(), tensor.whole.name, fmt::join(tensor.first_copy, ", "), pointer_to(tensor),
          text_of(*layout), width_of(tensor));
    }
    for (const Tensor& parameter : program_.kernel.parameters) {
      if (parameter.space != Space::kValue) continue;
      const std::vector<int> zeros(static_cast<std::size_t>(devices()));
      calls += fmt::format(
          " ||\n        heddle_check_copies(heddle_own, heddle_device, {0}, \"{1}\", (const "
          "int[]){{{2}}},\n"
          "                            (const unsigned char*)&{1}, &(const heddle_box){{0, 1, "
          "{{1}}, {{1}}}},\n"
          "                            sizeof {1}, heddle_why)",
          devices(), parameter.name, fmt::join(zeros, ", "));
    }
    if (calls.empty()) return "  (void)heddle_flags;\n";
    return fmt::format(
        "  if (heddle_flags & HEDDLE_CHECK_COPIES) {{\n    heddle_refused = 0{};\n  }}\n"
        "  if (heddle_refused) {{\n{}    return 1;\n  }}\n",
        calls, released("    "));
  }

  [[nodiscard]] static bool has_copies(const DevicesTensor& tensor) {
    for (std::size_t device = 0; device != tensor.first_copy.size(); ++device) {
      const std::int64_t first = tensor.first_copy[device];
      if (first >= 0 && first != static_cast<std::int64_t>(device)) return true;
    }
    return false;
  }

  /// How a part lies in memory, if that is said by digits.
  [[nodiscard]] static std::optional<PlacedBox> layout_of(const DevicesTensor& tensor) {
    if (!tensor.local.layout) return PlacedBox{0, {{tensor.elements, 1}}};
    const auto box = placed(std::get<axe::Layout>(*tensor.local.layout), tensor.whole.name);
    if (!box) return std::nullopt;
    return *box;
  }

  [[nodiscard]] std::string released(std::string_view indent) const {
    std::string text;
    for (const DevicesTensor& tensor : program_.tensors) {
      if (!tensor.is_parameter) text += fmt::format("{}free({});\n", indent, pointer_to(tensor));
    }
    return text + fmt::format("{}MPI_Comm_free(&heddle_own);\n", indent);
  }
  [[nodiscard]] std::string closing() const { return released("  ") + "  return 0;\n"; }

  // --- steps ---

  Result<void> write_step(std::size_t number) {
    const auto* next = number + 1 == program_.steps.size()
                           ? nullptr
                           : std::get_if<ExchangeStep>(&program_.steps[number + 1]);
    if (const auto* local = std::get_if<LocalStep>(&program_.steps[number])) {
      const bool is_overlapped = next != nullptr && !next->order.empty();
      if (is_overlapped) return {};
      return write_local(*local);
    }
    const auto& exchange = std::get<ExchangeStep>(program_.steps[number]);
    const auto* before =
        exchange.order.empty() ? nullptr : &std::get<LocalStep>(program_.steps[number - 1]);
    return write_exchange(exchange, before, number);
  }

  [[nodiscard]] std::vector<std::string> arguments_of(const LocalStep& local) const {
    std::vector<std::string> arguments;
    for (const std::size_t tensor : local.tensors) {
      arguments.push_back(pointer_to(program_.tensors[tensor]));
    }
    for (const std::int64_t size : local.sizes) arguments.push_back(std::to_string(size));
    for (const Tensor& parameter : local.program.parameters) {
      if (parameter.space != Space::kValue) continue;
      const bool is_device = local.takes_device && &parameter == &local.program.parameters.back();
      arguments.push_back(is_device ? "heddle_device" : parameter.name);
    }
    return arguments;
  }

  Result<void> write_local(const LocalStep& local) {
    write_end_if(fmt::format("{}({}, heddle_threads, -1) != 0", local.program.name,
                             fmt::join(arguments_of(local), ", ")));
    return {};
  }

  /// A device that cannot do its part ends all, for the others would wait for it.
  void write_end_if(const std::string& condition) {
    line(fmt::format("if ({}) {{", condition));
    line(
        fmt::format("  fprintf(stderr, \"{}: device %d has no memory for its threads, or no such "
                    "threads\\n\", heddle_device);",
                    name()));
    line("  MPI_Abort(heddle_own, 1);");
    line("}");
  }

  Result<void> write_exchange(const ExchangeStep& exchange, const LocalStep* before,
                              std::size_t number) {
    const DevicesTensor& target = program_.tensors[exchange.target];
    const std::int64_t scratch = most_elements(exchange.plan.scratch());
    line(fmt::format("// {}", exchange.text));
    line("{");
    if (scratch > 0) {
      line(
          fmt::format("  unsigned char* const heddle_kept = (unsigned char*)heddle_room("
                      "heddle_own, (size_t){} * {});",
                      scratch, width_of(target)));
    }
    for (std::size_t i = 0; i != exchange.steps.size(); ++i) {
      HEDDLE_CHECK(write_plan_step(exchange, i, number, scratch > 0));
    }
    if (before != nullptr) HEDDLE_CHECK(write_blocks(exchange, *before, number));
    for (std::size_t i = 0; i != exchange.steps.size(); ++i) {
      const bool is_under_way = before != nullptr && i == exchange.overlapped;
      line(fmt::format("  {}(&{});", is_under_way ? "heddle_end" : "heddle_do_step", step_name(i)));
    }
    if (scratch > 0) line("  free(heddle_kept);");
    line("}");
    return {};
  }

  static std::string step_name(std::size_t step) { return fmt::format("heddle_step_{}", step); }
  [[nodiscard]] std::string table_name(std::size_t number, std::size_t step) const {
    return fmt::format("heddle_transfers_{}_{}_{}", name(), number + 1, step + 1);
  }

  /// The table of the transfers of a step, and the step with it.
  Result<void> write_plan_step(const ExchangeStep& exchange, std::size_t step, std::size_t number,
                               bool has_scratch) {
    const std::string& what = program_.tensors[exchange.source].whole.name;
    std::string rows;
    std::size_t count = 0;
    std::vector<std::vector<std::size_t>>& numbers = numbers_;
    numbers.assign(exchange.steps[step].transfers.size(), {});
    for (std::size_t i = 0; i != exchange.steps[step].transfers.size(); ++i) {
      HEDDLE_TRY(const auto all, placed(exchange.plan, exchange.steps[step].transfers[i], what));
      HEDDLE_CHECK(check_count(exchange, exchange.steps[step].transfers[i]));
      for (const PlacedTransfer& each : all) {
        numbers[i].push_back(count++);
        rows += row_of(each);
      }
    }
    if (count > kMaxTransfers) {
      return refuse("kernel.not_lowered",
                    fmt::format("{} takes {} messages in a step; at most {} are possible",
                                exchange.text, count, kMaxTransfers));
    }
    if (!exchange.order.empty() && step == exchange.overlapped) sent_numbers_ = numbers;
    const std::string table = table_name(number, step);
    tables_ +=
        fmt::format("\n/* {}: {} */\nstatic const heddle_transfer {}[] = {{\n{}}};\n",
                    exchange.text, distribute::name(exchange.steps[step].collective), table, rows);
    const DevicesTensor& target = program_.tensors[exchange.target];
    line(fmt::format("  heddle_step {} = {{heddle_own, heddle_device, {}, {},", step_name(step),
                     table, count));
    line(fmt::format(
        "      {{(unsigned char*){}, (unsigned char*){}, {}}}, {}, {}, {}, NULL, NULL}};",
        pointer_to(program_.tensors[exchange.source]), pointer_to(target),
        has_scratch ? "heddle_kept" : "NULL", width_of(target), mpi_type(width_of(target)),
        combining(exchange)));
    return {};
  }

  static Result<void> check_count(const ExchangeStep& exchange, const Transfer& transfer) {
    const std::int64_t count = distribute::volume(transfer.box);
    if (count <= std::numeric_limits<std::int32_t>::max()) return {};
    return refuse("kernel.not_lowered",
                  fmt::format("{} sends {} elements at once, and MPI counts up to 2^31 - 1",
                              exchange.text, count));
  }

  static std::string mpi_type(std::int64_t width) {
    return width == 1 ? "MPI_BYTE" : fmt::format("MPI_UINT{}_T", 8 * width);
  }

  static std::string row_of(const PlacedTransfer& each) {
    const auto memory = [](Memory which) {
      if (which == Memory::kSource) return "heddle_source";
      return which == Memory::kDestination ? "heddle_target" : "heddle_scratch";
    };
    const Transfer& transfer = each.transfer;
    return fmt::format("  {{{}, {}, {}, {}, {}, {}, {}, {}}}, /* {} */\n", transfer.from,
                       transfer.to, memory(transfer.read), memory(transfer.written),
                       transfer.reduces ? 1 : 0, distribute::volume(transfer.box),
                       text_of(each.from), text_of(each.to), distribute::to_string(transfer.box));
  }

  /// The blocks of each device in order, and what is sent behind them.
  Result<void> write_blocks(const ExchangeStep& exchange, const LocalStep& local,
                            std::size_t number) {
    HEDDLE_TRY(const CpuFunction function, cpu_function(local.program));
    blocks_ += blocks_function(function);
    const std::string order = fmt::format("heddle_order_{}_{}", name(), number + 1);
    std::vector<std::int64_t> blocks;
    std::string rows;
    for (const SentBlocks& each : exchange.order) {
      const std::size_t begin = blocks.size();
      blocks.insert(blocks.end(), each.blocks.begin(), each.blocks.end());
      const std::vector<std::size_t> sent =
          each.transfer ? sent_numbers_[*each.transfer] : std::vector<std::size_t>{};
      rows += fmt::format("  {{{}, {}, {}, {}, {}}},\n", each.device, begin, each.blocks.size(),
                          sent.empty() ? 0 : sent.front(), sent.size());
    }
    tables_ += fmt::format(
        "\n/* The blocks of each device in the order in which they are done. */\n"
        "static const int {0}[] = {{{1}}};\n"
        "/* The device, its blocks in that list, and the transfers that are sent after them. */\n"
        "static const struct {{ int device, first_block, blocks, first_transfer, transfers; }} "
        "{0}_sent[] = {{\n{2}}};\n",
        order, fmt::join(blocks, ", "), rows);
    const std::string step = step_name(exchange.overlapped);
    line("  const int heddle_workers_count = heddle_workers(heddle_threads);");
    write_end_if("heddle_workers_count == 0");
    line(
        fmt::format("  unsigned char* const heddle_rooms = (unsigned char*)aligned_alloc(64, "
                    "(size_t)heddle_workers_count * {});",
                    room_of(function)));
    write_end_if("heddle_rooms == NULL");
    line(fmt::format("  heddle_begin(&{}, 0);", step));
    line(fmt::format("  for (int i = 0; i < {}; ++i) {{", exchange.order.size()));
    line(fmt::format("    if ({}_sent[i].device != heddle_device) continue;", order));
    line(
        fmt::format("    heddle_blocks_{}({}, &{}[{}_sent[i].first_block], {}_sent[i].blocks, "
                    "heddle_workers_count, heddle_rooms);",
                    local.program.name, fmt::join(arguments_of(local), ", "), order, order, order));
    line(fmt::format("    for (int j = 0; j < {}_sent[i].transfers; ++j) {{", order));
    line(fmt::format("      heddle_send(&{}, {}_sent[i].first_transfer + j);", step, order));
    line("    }");
    line(fmt::format("    heddle_go_on(&{});", step));
    line("  }");
    line("  free(heddle_rooms);");
    return {};
  }

  /// A function that does some blocks of a kernel, by several threads.
  static std::string blocks_function(const CpuFunction& function) {
    std::string parameters;
    std::string arguments;
    for (const CParameter& each : function.parameters) {
      parameters += fmt::format("{} {}, ", each.type, each.name);
      arguments += each.name + ", ";
    }
    std::string index;
    std::string divided = "heddle_list[heddle_i]";
    for (std::size_t d = 0; d != function.grid.size(); ++d) {
      const bool is_last = d + 1 == function.grid.size();
      index += fmt::format("(int)({}{}), ", divided,
                           is_last ? "" : fmt::format(" % ({})", function.grid[d]));
      divided = fmt::format("({} / ({}))", divided, function.grid[d]);
    }
    return fmt::format(R"(
static void heddle_blocks_{0}({1}const int* heddle_list, int heddle_many, int heddle_workers_count, unsigned char* heddle_rooms) {{
  if (heddle_many < heddle_workers_count) heddle_workers_count = heddle_many < 1 ? 1 : heddle_many;
#pragma omp parallel for schedule(dynamic) num_threads(heddle_workers_count)
  for (int heddle_i = 0; heddle_i < heddle_many; ++heddle_i) {{
    heddle_block_{0}({2}{3}heddle_rooms + (size_t)heddle_worker() * {4});
  }}
}}
)",
                       function.name, parameters, arguments, index, room_of(function));
  }

  /// The bytes that a worker needs, whole lines of the caches.
  static std::int64_t room_of(const CpuFunction& function) {
    return (function.bytes + 127) / 64 * 64;
  }

  // --- how terms are combined ---

  std::string combining(const ExchangeStep& exchange) {
    const std::string& op = exchange.plan.reduce_op();
    if (op.empty()) return "NULL";
    const DType type = program_.tensors[exchange.target].whole.type;
    const std::string function = fmt::format("heddle_combine_{}_{}", op, name_of(type));
    if (std::ranges::find(combined_, function, [](const auto& each) { return each.first; }) ==
        combined_.end()) {
      combined_.emplace_back(function, combine_function(function, op, type));
    }
    return function;
  }

  std::string combine_function(const std::string& function, const std::string& op, DType type) {
    const std::string element(stored_as(type, Target::kCpu));
    const DType computed = type == DType::kF64 ? DType::kF64 : is_float(type) ? DType::kF32 : type;
    const std::string value = is_float(type) ? std::string(computed_as(computed, Target::kCpu))
                              : op == "max" || op == "min"
                                  ? fmt::format("{}int{}_t", is_signed(type) ? "" : "u",
                                                std::max<std::int64_t>(8, bits(type)))
                                  : std::string("uint64_t");
    const std::string sign = op == "product" ? "a * b" : "a + b";
    const std::string compared = fmt::format("b {} a{} ? b : a", op == "max" ? ">" : "<",
                                             is_float(type) ? " || a != a" : "");
    const std::string combined = op == "max" || op == "min" ? compared : sign;
    const auto load = [&](const std::string& at) {
      if (is_float(type)) return conversions_.load(type, at);
      return fmt::format("({})({})", value, at);
    };
    const std::string stored =
        is_float(type) ? conversions_.store(type, computed, "c") : fmt::format("({})c", element);
    return fmt::format(R"(
static void {0}(unsigned char* memory, const unsigned char* message, const heddle_box* box) {{
  const int64_t extent = box->extents[box->digits - 1];
  const int64_t step = box->steps[box->digits - 1];
  const {1}* from = (const {1}*)message;
  {1}* const into = ({1}*)memory;
  int64_t index[8] = {{0}};
  int64_t at = box->at;
  do {{
    for (int64_t i = 0; i < extent; ++i) {{
      const {2} a = {3};
      const {2} b = {4};
      const {2} c = {5};
      into[at + i * step] = {6};
    }}
    from += extent;
  }} while (heddle_next_run(box, index, &at));
}}
)",
                       function, element, value, load("into[at + i * step]"), load("from[i]"),
                       combined, stored);
  }

  [[nodiscard]] std::string combining_functions() const {
    std::string functions;
    for (const auto& [called, text] : combined_) {
      functions +=
          fmt::format("\n#ifndef HEDDLE_HAS_{0}\n#define HEDDLE_HAS_{0}{1}#endif\n", called, text);
    }
    return conversions_.support().called_by(functions, true) + functions;
  }

  const DevicesProgram& program_;
  Conversions conversions_{Target::kCpu};
  std::vector<std::pair<std::string, std::string>> combined_;
  /// The numbers in the table of the transfers of a step; of the one that is overlapped.
  std::vector<std::vector<std::size_t>> numbers_;
  std::vector<std::vector<std::size_t>> sent_numbers_;
  std::string blocks_;
  std::string tables_;
  std::string body_;
};

}  // namespace

Result<std::string> to_source(const DevicesProgram& program) { return MpiWriter(program).write(); }

namespace {

/// ` *   X: f32[4,64,64] = …` and what a device has of it.
std::string described(const DevicesTensor& tensor) {
  std::vector<std::size_t> devices;
  for (std::size_t device = 0; device != tensor.first_copy.size(); ++device) {
    if (tensor.first_copy[device] >= 0) devices.push_back(device);
  }
  const bool is_everywhere = devices.size() == tensor.first_copy.size();
  return fmt::format(" *   {}\n *     {} with the shape {}\n", to_string(tensor.whole),
                     is_everywhere
                         ? "on each device"
                         : fmt::format("on {} {}", devices.size() == 1 ? "device" : "the devices",
                                       fmt::join(devices, ", ")),
                     shape_text(tensor.local.shape));
}

}  // namespace

std::string to_header(const DevicesProgram& program) {
  std::string tensors;
  for (const DevicesTensor& tensor : program.tensors) {
    if (tensor.is_parameter) tensors += described(tensor);
  }
  return fmt::format(R"(/* {0}, a kernel over {1} devices, written by heddle for MPI. */
#ifndef HEDDLE_DECLARED_{0}
#define HEDDLE_DECLARED_{0}
)"
                     "#include <mpi.h>\n"
                     R"({2}
{3}
#ifdef __cplusplus
extern "C" {{
#endif

/**
 * {0}:
 *
{4} *
 * All processes of heddle_comm call it, one for each device: the rank is its number. Each gives its
 * parts; a tensor that it has no part of is not looked at. heddle_threads of each work (0: as OpenMP
 * is set). HEDDLE_CHECK_COPIES in heddle_flags compares what should be the same on several devices.
 * Returns 0; 1 if the arguments of a device are not those that the layouts declare: then nothing is
 * done, and heddle_why, which may be NULL, says why. An error of MPI, or a lack of memory, ends all
 * processes.
 */
{5};

#ifdef __cplusplus
}}
#endif
#endif
)",
                     program.kernel.name, program.kernel.launch.devices, launcher_types(),
                     Support::of("mpi/types.h").group("flags").text(), tensors,
                     MpiWriter::signature(program));
}

}  // namespace heddle::kernel

// Writes a thread program in CUDA C++, OpenCL C or C, one statement after another.

#include "heddle/kernel/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/overloaded.h"
#include "heddle/emit/inline_text.h"
#include "heddle/emit/print.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "kernel/placed.h"
#include "kernel/source/conversions.h"
#include "kernel/source/cpu_callers.h"
#include "kernel/source/cpu_rows.h"
#include "kernel/source/cpu_texts.h"
#include "kernel/source/instruction_writer.h"
#include "kernel/source/integer_bounds.h"
#include "kernel/source/intrinsics.h"
#include "kernel/source/launcher_texts.h"
#include "kernel/source/usage.h"
#include "kernel/source_names.h"
#include "kernel/targets/support.h"
#include "kernel/value_type.h"
#include "kernel/wide_offsets.h"

namespace heddle::kernel {

namespace {

constexpr std::int64_t kLeastInt = std::numeric_limits<std::int32_t>::min();

bool is_integer_computed(DType type) { return !is_float(type) && type != DType::kBool; }

emit::Dialect dialect_of(Target target) {
  if (target == Target::kCpu) return emit::Dialect::kC;
  return target == Target::kOpenCl ? emit::Dialect::kOpenCl : emit::Dialect::kCuda;
}

std::string_view title_of(Target target) {
  if (target == Target::kCpu) return "C";
  return target == Target::kOpenCl ? "OpenCL C 1.2" : "CUDA C++";
}

/// The integers of rows and of the loops around them.
std::vector<Int> integers_of(const PermuteRows& node) {
  std::vector<Int> integers;
  for (const PermuteRows::Row& row : node.rows) {
    integers.insert(integers.end(), {row.from, row.to});
  }
  for (const PermuteRows::Loop& loop : node.loops) {
    integers.insert(integers.end(), {loop.extent, loop.from, loop.to});
  }
  return integers;
}

/// Behind the rows that are read side by side, the lines of as many: those of the next tiles.
std::vector<Int> next_lines(const PermuteRows& node) {
  const std::int64_t row_elements = 8 * move::kLaneBytes / bits(node.type);
  constexpr std::int64_t kRowsOfTileLine = 4;
  const auto is_read = [&](const Int& place) {
    return std::ranges::find(node.rows, place, &PermuteRows::Row::from) != node.rows.end();
  };
  std::vector<Int> lines;
  for (const PermuteRows::Row& row : node.rows) {
    if (is_read(row.from - row_elements)) continue;
    std::int64_t count = 1;
    while (is_read(row.from + count * row_elements)) ++count;
    for (std::int64_t i = 0; i < count; i += kRowsOfTileLine) {
      lines.push_back(row.from + (count + i) * row_elements);
    }
  }
  return lines;
}

/// What all kernels of a text call.
struct Called {
  Conversions conversions;
  heddle::Kernel integers = {};
  /// The names in them that sources write in another way.
  emit::Spelling spelling = {};
  std::set<std::int64_t> vector_bytes = {};
  /// The bodies of functions of instructions, by their heads.
  std::map<std::string, std::string> instructions = {};
  /// The names of functions of the target (intrinsics.h).
  std::set<std::string> intrinsics = {};
  bool holds_integers = false;
  bool has_atomics = false;
  bool has_f64 = false;
  CpuFunctions functions = {};
  /// What functions of panels call.
  std::string loads = {};
  CpuRows rows = {};
};

class Writer {
 public:
  Writer(const ThreadProgram& program, Target target, const SourceOptions& options, Called& called)
      : program_(program),
        target_(target),
        options_(options),
        called_(called),
        conversions_(called.conversions) {
    usage_.read(program.body);
    if (!usage_.has_verbatim) rename();
    held_bytes_ = program.shared_bytes;
    for (const Tensor& parameter : program.parameters) {
      buffers_[parameter.name] = {parameter.type, parameter.space};
      if (has_wide_offsets(parameter)) wide_.insert(parameter.name);
    }
    for (const Buffer& buffer : program.shared) {
      buffers_[buffer.name] = {buffer.type, Space::kShared};
    }
  }

  Result<std::string> write() {
    HEDDLE_CHECK(write_body());
    if (is_cpu()) {
      HEDDLE_TRY(const CpuFunction function, function_of_cpu());
      return to_string(function);
    }
    return signature() + prologue() + body_ + "}\n";
  }

  /// For CPUs.
  Result<CpuFunction> write_function() {
    HEDDLE_CHECK(write_body());
    return function_of_cpu();
  }

 private:
  Result<void> write_body() {
    HEDDLE_CHECK(check_head());
    for (const std::string& size : program_.sizes) bounds_.add_size(size);
    for (const Tensor& parameter : program_.parameters) bounds_.add_tensor(parameter.shape);
    constexpr std::array<std::string_view, 3> kBlocks = {"bx", "by", "bz"};
    for (std::size_t d = 0; d != program_.launch.grid.size(); ++d) {
      bounds_.add(std::string(kBlocks[d]), {0, bounds_of(program_.launch.grid[d]).high - 1});
    }
    HEDDLE_CHECK(block(program_.body));
    called_.has_atomics = called_.has_atomics || usage_.has_atomics;
    called_.has_f64 = called_.has_f64 || uses_f64();
    return {};
  }

  struct Held {
    DType type = DType::kF32;
    Space space = Space::kRegister;
  };

  /// Finds other names for tensors and integers whose own ones mean something else in sources. A
  /// text of the target would not know them.
  void rename() {
    std::set<std::string> names = usage_.variables;
    names.insert(usage_.defined.begin(), usage_.defined.end());
    names.insert(program_.sizes.begin(), program_.sizes.end());
    for (const Tensor& parameter : program_.parameters) names.insert(parameter.name);
    for (const std::string& name : names) {
      std::string renamed = source_name(name);
      if (renamed != name) spelling_.emplace(name, std::move(renamed));
    }
    narrow_spelling_ = spelling_;
    called_.spelling.insert(spelling_.begin(), spelling_.end());
  }
  /// The name as it is written.
  [[nodiscard]] const std::string& spelled(const std::string& name) const {
    const auto renamed = spelling_.find(name);
    return renamed == spelling_.end() ? name : renamed->second;
  }

  [[nodiscard]] bool is_cl() const { return target_ == Target::kOpenCl; }
  [[nodiscard]] bool is_cpu() const { return target_ == Target::kCpu; }
  [[nodiscard]] emit::Dialect dialect() const { return dialect_of(target_); }
  /// A name that is written as it is.
  Result<void> check_name(const std::string& name) const {
    if (is_used_in_sources(name) && !spelling_.contains(name)) return refuse_name(name);
    return {};
  }
  /// The names of the kernel, which callers know, and of what it is given, and the sizes of that.
  Result<void> check_head() const {
    auto checked = check_name(program_.name);
    if (checked && is_function_of_targets(program_.name)) checked = refuse_name(program_.name);
    if (!checked) return refuse_at(program_.place.span, std::move(checked).error());
    for (const Tensor& parameter : program_.parameters) {
      checked = check_name(parameter.name).and_then([&] { return check_extents(parameter); });
      if (!checked) return refuse_at(parameter.place.span, std::move(checked).error());
    }
    return {};
  }
  /// With the sizes in them.
  [[nodiscard]] Result<void> check_extents(const Tensor& parameter) const {
    for (const Int& extent : parameter.shape) {
      for (const std::string& size : heddle::variables(extent)) HEDDLE_CHECK(check_name(size));
    }
    return check_number(form::product(parameter.shape), wide_.contains(parameter.name));
  }
  [[nodiscard]] Refusal refuse_name(std::string_view name) const {
    return refuse(Diagnostic("print.name", fmt::format("'{}' means something else in {}", name,
                                                       emit::title_of(dialect())))
                      .with_hint("choose another name"));
  }

  /// The integers of a kernel have 32 bits, unless they are wide.
  static Result<void> check_number(const Int& number, bool is_wide) {
    const bool is_known = number.is_constant();
    if (number.is_defined() &&
        (is_wide || !is_known || (kLeastInt <= number.value() && number.value() <= kGreatestInt))) {
      return {};
    }
    return refuse("kernel.launch",
                  fmt::format("the number {} does not fit into 32 bits, which integers of kernels "
                              "have",
                              is_known ? std::to_string(number.value()) : "past 64 bits"));
  }

  // --- the frame of the function ---

  [[nodiscard]] bool uses_f64() const {
    return std::ranges::any_of(buffers_,
                               [](const auto& each) { return each.second.type == DType::kF64; });
  }

  [[nodiscard]] std::vector<CParameter> parameters() const {
    std::vector<CParameter> parameters;
    for (const Tensor& tensor : program_.parameters) {
      if (tensor.space == Space::kValue) continue;
      const std::string type =
          fmt::format("{}{}{}*{}", is_cl() ? "__global " : "",
                      usage_.written.contains(tensor.name) ? "" : "const ",
                      stored_as(tensor.type, target_), is_cl() || is_cpu() ? "" : " __restrict__");
      parameters.push_back({type, spelled(tensor.name)});
    }
    for (const std::string& size : program_.sizes) parameters.push_back({"int", spelled(size)});
    for (const Tensor& tensor : program_.parameters) {
      if (tensor.space != Space::kValue) continue;
      parameters.push_back({std::string(stored_as(tensor.type, target_)), spelled(tensor.name)});
    }
    return parameters;
  }

  [[nodiscard]] Result<CpuFunction> function_of_cpu() {
    CpuFunction function{program_.name, parameters(), {}, held_bytes_, {}};
    for (const Int& extent : program_.launch.grid) {
      HEDDLE_TRY(function.grid.emplace_back(), integer(extent, false));
    }
    for (const Buffer& buffer : program_.shared) {
      function.body += fmt::format("  {}\n", held_in_memory(buffer, buffer.offset));
    }
    function.body += body_;
    return function;
  }

  /// A buffer in the memory of the block.
  [[nodiscard]] std::string held_in_memory(const Buffer& buffer, std::int64_t offset) const {
    const std::string pointer = fmt::format("{}*", stored_as(buffer.type, target_));
    return fmt::format("{0} const {1} = ({0})(heddle_memory + {2});", pointer, buffer.name, offset);
  }

  /// `__cluster_dims__(2, 1, 1) `
  [[nodiscard]] std::string cluster() const {
    std::vector<std::int64_t> extents = program_.launch.cluster;
    if (extents.empty()) return {};
    extents.resize(3, 1);
    return fmt::format("__cluster_dims__({}) ", fmt::join(extents, ", "));
  }

  [[nodiscard]] std::string signature() const {
    const std::int64_t threads = program_.launch.threads;
    const std::string opening =
        is_cl() ? fmt::format("__kernel __attribute__((reqd_work_group_size({}, 1, 1)))\nvoid {}(",
                              threads, program_.name)
                : fmt::format("{} __global__ void {}__launch_bounds__({})\n{}(",
                              options_.is_static ? "static" : "extern \"C\"", cluster(), threads,
                              program_.name);
    std::vector<std::string> declared;
    for (const auto& [type, name] : parameters())
      declared.push_back(fmt::format("{} {}", type, name));
    return fmt::format("\n{}{}) {{\n", opening, fmt::join(declared, ", "));
  }

  [[nodiscard]] std::string prologue() const {
    std::string text;
    constexpr std::array<std::string_view, 3> kBlocks = {"bx", "by", "bz"};
    constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
    for (std::size_t d = 0; d != kBlocks.size(); ++d) {
      if (!uses(kBlocks[d])) continue;
      text += is_cl() ? fmt::format("  const int {} = get_group_id({});\n", kBlocks[d], d)
                      : fmt::format("  const int {} = blockIdx.{};\n", kBlocks[d], kAxes[d]);
    }
    const bool uses_lanes = uses("laneid") || uses("warpid");
    if (uses("tx") || uses_lanes) {
      text += is_cl() ? "  const int tx = get_local_id(0);\n" : "  const int tx = threadIdx.x;\n";
    }
    if (uses("laneid")) text += "  const int laneid = tx & 31;\n";
    if (uses("warpid")) text += "  const int warpid = tx >> 5;\n";
    text += shared_memory();
    return text;
  }

  /// An array for each buffer; if some lie at one place, one array for all, and pointers into it.
  [[nodiscard]] std::string shared_memory() const {
    const auto array = [&](std::string_view type, std::string_view name, const Int& elements) {
      return fmt::format("  {} {} {}[{}]{};\n", is_cl() ? "__local" : "__shared__ __align__(16)",
                         type, name, heddle::to_string(elements),
                         is_cl() ? " __attribute__((aligned(16)))" : "");
    };
    std::string text;
    const bool is_apart = launched_shared_bytes(program_) == 0 || target_ != Target::kCuda;
    if (is_apart && !has_shared_places(program_)) {
      for (const Buffer& buffer : program_.shared) {
        text += array(stored_as(buffer.type, target_), buffer.name, buffer.elements);
      }
      return text;
    }
    std::string memory = "shared_memory";
    while (buffers_.contains(memory) || uses(memory)) memory += "_";
    const std::string one =
        array(is_cl() ? "uchar" : "unsigned char", memory, program_.shared_bytes);
    text += is_apart ? one
                     : fmt::format(
                           "#ifdef __CUDACC__\n"
                           "  extern __shared__ __align__(128) unsigned char {}[];\n"
                           "#else\n{}#endif\n",
                           memory, one);
    for (const Buffer& buffer : program_.shared) {
      const std::string pointer =
          fmt::format("{}{}*", is_cl() ? "__local " : "", stored_as(buffer.type, target_));
      text += fmt::format("  {} const {} = ({})({} + {});\n", pointer, buffer.name, pointer, memory,
                          buffer.offset);
    }
    return text;
  }

  [[nodiscard]] bool uses(std::string_view name) const {
    return usage_.variables.contains(std::string(name));
  }

  // --- integers ---

  /// In a kernel with wide offsets, sizes, counters and conditions may be wide as well.
  Result<std::string> integer(const Int& value) { return integer(value, !wide_.empty()); }

  /// The text of an integer, computed in 64 bits where it is wide and 32 may be too few.
  Result<std::string> integer(const Int& value, bool is_wide) {
    HEDDLE_CHECK(check_number(value, is_wide));
    if (value.is_constant()) return std::to_string(value.value());
    auto& integers = is_wide ? wide_integers_ : integers_;
    const auto same = integers.find(value);
    if (same != integers.end()) return same->second;
    HEDDLE_TRY(emit::InlineText text,
               is_wide ? emit::inline_text(value, dialect(), spelling_, wide_type())
                       : emit::inline_text(value, dialect(), narrow_spelling_));
    call(text.kernel);
    return integers.emplace(value, std::move(text.text)).first->second;
  }
  [[nodiscard]] std::string_view wide_type() const { return computed_as(DType::kI64, target_); }

  /// A value, an extent or a side of a condition: in 64 bits where the sizes that there may be and
  /// what memory holds need them.
  Result<std::string> number_of(const Int& value) {
    if (!wide_.empty() || value.is_constant()) return integer(value);
    const auto same = numbers_.find(value);
    if (same != numbers_.end()) return same->second;
    HEDDLE_TRY(const bool is_narrow, is_narrow_number(value));
    HEDDLE_TRY(std::string text, integer(value, !is_narrow));
    return numbers_.emplace(value, std::move(text)).first->second;
  }
  [[nodiscard]] Result<bool> is_narrow_number(const Int& value) const {
    if (value.is_constant()) return true;
    const auto is_wide = [&](const std::string& name) { return wide_names_.contains(name); };
    if (std::ranges::any_of(heddle::variables(value), is_wide)) return false;
    HEDDLE_TRY(const emit::InlineText text, emit::inline_text(value, dialect(), spelling_));
    return bounds_.fit_32_bits(text.kernel);
  }
  /// Notes a name that has 64 bits, of which texts in 32 take the low ones.
  void note_wide(const std::string& name) {
    wide_names_.insert(name);
    narrow_spelling_[name] = fmt::format("(int){}", spelled(name));
    // What was written of another name that is spelled alike.
    integers_.clear();
    numbers_.clear();
  }
  /// The numbers of a name of 32 bits.
  [[nodiscard]] Interval bounds_of(const Computation& value) const {
    const auto* index = std::get_if<Computation::Index>(&value.node);
    const Interval narrow = IntegerBounds::narrow();
    if (index == nullptr) return narrow;
    const Interval found = bounds_of(index->value);
    return {std::max(found.low, narrow.low), std::min(found.high, narrow.high)};
  }
  /// The numbers that an integer may be; all if it cannot be written.
  [[nodiscard]] Interval bounds_of(const Int& value) const {
    if (value.is_constant()) {
      return {static_cast<double>(value.value()), static_cast<double>(value.value())};
    }
    const auto text = emit::inline_text(value, dialect(), spelling_);
    return text ? bounds_.result_of(text->kernel) : IntegerBounds::narrow();
  }

  /// An address in a buffer. It has 32 bits, and so has all on the way to it but for what is
  /// computed from numbers in memory.
  Result<std::string> offset(const std::string& buffer, const Int& address) {
    if (wide_.contains(buffer)) return integer(address, true);
    const auto is_loaded = [&](const std::string& name) { return loaded_.contains(name); };
    const bool has_loaded =
        !loaded_.empty() && std::ranges::any_of(heddle::variables(address), is_loaded);
    if (!has_loaded) return integer(address, false);
    HEDDLE_TRY(const emit::InlineText text, emit::inline_text(address, dialect(), spelling_));
    return integer(address, !bounds_.have_low_bits(text.kernel));
  }

  /// Whether a value that gets a name may be past 32 bits.
  [[nodiscard]] bool is_wide(const Computation& value) const {
    const auto* index = std::get_if<Computation::Index>(&value.node);
    if (index == nullptr) return value.type == DType::kI64 || value.type == DType::kU64;
    // Those that the compiler defines are places in loops.
    return !wide_.empty() && !emit::fits_32_bits(range(index->value));
  }

  /// Keeps what the text calls, for the functions in front of the kernel.
  void call(const heddle::Kernel& kernel) {
    heddle::Kernel& all = called_.integers;
    all.results.insert(all.results.end(), kernel.results.begin(), kernel.results.end());
    all.guards.insert(all.guards.end(), kernel.guards.begin(), kernel.guards.end());
  }

  Result<std::string> truth(const std::vector<Condition>& conditions) {
    emit::Guard guard;
    guard.box = conditions;
    HEDDLE_TRY(emit::InlineText text,
               emit::inline_text(guard, dialect(), spelling_, wide_.empty() ? "" : wide_type()));
    if (wide_.empty() && !bounds_.fit_32_bits(text.kernel)) {
      HEDDLE_TRY(text, emit::inline_text(guard, dialect(), spelling_, wide_type()));
    }
    call(text.kernel);
    return std::move(text.text);
  }

  // --- values ---

  Result<std::string> element(const Location& location) {
    const Held& held = buffers_.at(location.buffer);
    const bool is_one = held.space == Space::kValue || scalars_.contains(location.buffer);
    if (is_one) return spelled(location.buffer);
    HEDDLE_TRY(const std::string address, offset(location.buffer, location.address));
    return fmt::format("{}[{}]", spelled(location.buffer), address);
  }

  /// Whether its elements of 4 bits lie in pairs in bytes.
  [[nodiscard]] static bool is_packed(const Held& held) {
    return held_bits(held.type, held.space) < 8;
  }

  [[nodiscard]] DType type_at(const Location& location) const {
    return location.seen ? location.seen->type : buffers_.at(location.buffer).type;
  }

  /// The stored element at a place, as what it is seen as.
  Result<std::string> stored(const Location& location) {
    if (!location.seen && !is_packed(buffers_.at(location.buffer))) return element(location);
    HEDDLE_TRY(const std::string bits, bits_at(location));
    return conversions_.of_bits(type_at(location), bits);
  }

  /// The bits of an element of its buffer, unsigned.
  Result<std::string> bits_held(const std::string& buffer, const Int& address) {
    const Held& held = buffers_.at(buffer);
    if (!is_packed(held)) {
      HEDDLE_TRY(const std::string text, element({buffer, address}));
      return conversions_.bits_of(held.type, text);
    }
    HEDDLE_TRY(const std::string byte, offset(buffer, floor_div(address, 2)));
    HEDDLE_TRY(const std::string shift, integer(mod(address, 2) * 4));
    return fmt::format("({}[{}] >> {} & 15)", spelled(buffer), byte, in_shift(shift));
  }

  /// The bits that a location names; above them may be others.
  Result<std::string> bits_at(const Location& location) {
    HEDDLE_TRY(std::string text, bits_held(location.buffer, location.address));
    if (!location.seen) return text;
    const SeenBits& seen = *location.seen;
    called_.has_f64 = called_.has_f64 || seen.type == DType::kF64;
    HEDDLE_TRY(const std::string shift, integer(seen.part * bits(seen.type)));
    if (shift != "0") return fmt::format("({} >> {})", text, in_shift(shift));
    if (seen.others.empty()) return text;
    const std::string_view wide = unsigned_for(bits(seen.type), target_);
    std::vector<std::string> parts = {fmt::format("({}){}", wide, text)};
    const std::int64_t width = bits(buffers_.at(location.buffer).type);
    for (const Int& address : seen.others) {
      HEDDLE_TRY(const std::string part, bits_held(location.buffer, address));
      parts.push_back(fmt::format("({}){} << {}", wide, part, width * std::ssize(parts)));
    }
    return fmt::format("({})", fmt::join(parts, " | "));
  }

  /// What stands to the right of a shift.
  [[nodiscard]] static std::string in_shift(const std::string& text) {
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? text : fmt::format("({})", text);
  }

  [[nodiscard]] std::string number(const Number& value, DType type) const {
    if (!is_float(type)) {
      const std::int64_t integer = value.is_real ? converted(type, value).integer : value.integer;
      if (type == DType::kU64) return fmt::format("{}u", static_cast<std::uint64_t>(integer));
      if (integer == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
      if (integer == std::numeric_limits<std::int32_t>::min()) return "(-2147483647 - 1)";
      return integer < 0 ? fmt::format("({})", integer) : fmt::format("{}", integer);
    }
    const double given = value.is_real ? value.real : static_cast<double>(value.integer);
    // Past the ends of f32 it is an infinity there.
    const double real = type == DType::kF64 ? given : static_cast<float>(given);
    if (std::isnan(real)) return "NAN";
    if (std::isinf(real)) return real < 0 ? "(-INFINITY)" : "INFINITY";
    std::string text =
        type == DType::kF64 ? fmt::format("{}", real) : fmt::format("{}", static_cast<float>(real));
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    if (type != DType::kF64) text += "f";
    return std::signbit(real) ? fmt::format("({})", text) : text;
  }

  /// The value, converted to another computed type.
  Result<std::string> value_as(const Computation& value, DType type) {
    if (const auto* literal = std::get_if<Computation::Literal>(&value.node)) {
      return number(literal->value, type);
    }
    HEDDLE_TRY(const std::string text, this->value(value));
    return conversions_.as(type, value.type, text);
  }

  /// All of an expression that is an integer of the kernel, as they are on the way already.
  Result<std::string> as_integer(const Computation& value, DType type) {
    const auto* index = std::get_if<Computation::Index>(&value.node);
    return index != nullptr ? number_of(index->value) : value_as(value, type);
  }

  Result<std::string> value(const Computation& computation) {
    return std::visit(
        Overloaded{[&](const Computation::Literal& node) -> Result<std::string> {
                     return number(node.value, computation.type);
                   },
                   [&](const Computation::Index& node) -> Result<std::string> {
                     HEDDLE_TRY(const std::string text, number_of(node.value));
                     return fmt::format("({})({})", computed_as(DType::kI64, target_), text);
                   },
                   [&](const Computation::Load& node) { return load(node, computation.type); },
                   [&](const Computation::Apply& node) { return apply(node, computation); },
                   [&](const Computation::Convert& node) -> Result<std::string> {
                     const Computation& operand = computation.operands.front();
                     HEDDLE_TRY(const std::string text, value(operand));
                     const std::string stored = conversions_.store(node.type, operand.type, text);
                     return "(" + conversions_.load(node.type, "(" + stored + ")") + ")";
                   },
                   [&](const Computation::Shuffle& node) -> Result<std::string> {
                     HEDDLE_TRY(const std::string text, value(computation.operands.front()));
                     return fmt::format("__shfl_xor_sync(0xffffffffu, {}, {})", text,
                                        node.distance);
                   }},
        computation.node);
  }

  Result<std::string> load(const Computation::Load& node, DType type) {
    const bool is_half = bits(type_at(node.from)) < 8;
    HEDDLE_TRY(const std::string text, is_half ? bits_at(node.from) : stored(node.from));
    const std::string loaded = conversions_.load(type_at(node.from), text);
    if (node.inside.empty()) return loaded;
    HEDDLE_TRY(const std::string condition, truth(node.inside));
    return fmt::format("({} ? {} : {})", condition, loaded, number(node.otherwise, type));
  }

  [[nodiscard]] std::string_view unsigned_of(DType type) const {
    if (type == DType::kI32) return "unsigned";
    return is_cl() ? "ulong" : "unsigned long long";
  }

  Result<std::string> apply(const Computation::Apply& node, const Computation& computation) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i != computation.operands.size(); ++i) {
      const bool is_truth = node.combined_in == DType::kBool || i < first_combined(node.function);
      HEDDLE_TRY(std::string text, is_truth ? value(computation.operands[i])
                                            : value_as(computation.operands[i], node.combined_in));
      texts.push_back(std::move(text));
    }
    const bool is_logical = node.function == Function::kAnd || node.function == Function::kOr;
    if (is_logical && exchanges(computation.operands[1])) {
      return fmt::format("(({} != 0) {} ({} != 0))", texts[0],
                         node.function == Function::kAnd ? "&" : "|", texts[1]);
    }
    return applied(node.function, node.combined_in, texts);
  }

  /// Whether lanes exchange values in it, which all of them have to reach: what may leave out an
  /// operand, as `&&` does, cannot have it.
  static bool exchanges(const Computation& value) {
    return std::holds_alternative<Computation::Shuffle>(value.node) ||
           std::ranges::any_of(value.operands, exchanges);
  }

  /// Integer sums and products wrap: they are computed without a sign.
  std::string wrapped(std::string_view sign, DType type, const std::vector<std::string>& texts) {
    if (!is_integer_computed(type) || type == DType::kU64) {
      return fmt::format("({} {} {})", texts[0], sign, texts[1]);
    }
    return fmt::format("({})(({})({}) {} ({})({}))", computed_as(type, target_), unsigned_of(type),
                       texts[0], sign, unsigned_of(type), texts[1]);
  }

  std::string called(std::string_view name, DType type, const std::vector<std::string>& texts) {
    if (is_cpu() && called_.functions.add(name, type)) {
      return fmt::format("heddle_{}_{}({})", name, name_of(type), fmt::join(texts, ", "));
    }
    const bool has_suffix = !is_cl() && type == DType::kF32;
    return fmt::format("{}{}({})", name, has_suffix ? "f" : "", fmt::join(texts, ", "));
  }

  std::string applied(Function function, DType type, const std::vector<std::string>& texts) {
    switch (function) {
      case Function::kAdd:
        return wrapped("+", type, texts);
      case Function::kSubtract:
        return wrapped("-", type, texts);
      case Function::kMultiply:
        return wrapped("*", type, texts);
      case Function::kDivide:
        return fmt::format("({} / {})", texts[0], texts[1]);
      case Function::kQuotient:
        return conversions_.divided("quotient", type, texts[0], texts[1]);
      case Function::kRemainder:
        return conversions_.divided("remainder", type, texts[0], texts[1]);
      case Function::kNegate:
        return is_float(type) ? fmt::format("(-({}))", texts[0])
                              : wrapped("-", type, {"0", texts[0]});
      case Function::kEqual:
      case Function::kNotEqual:
      case Function::kLess:
      case Function::kAtMost:
        return fmt::format("({} {} {})", texts[0], name_of(function), texts[1]);
      case Function::kAnd:
        return fmt::format("({} && {})", texts[0], texts[1]);
      case Function::kOr:
        return fmt::format("({} || {})", texts[0], texts[1]);
      case Function::kNot:
        return fmt::format("(!{})", texts[0]);
      case Function::kSelect:
        return fmt::format("({} ? {} : {})", texts[0], texts[1], texts[2]);
      case Function::kMin:
      case Function::kMax:
        if (is_cpu()) return called(name_of(function), type, texts);
        if (is_float(type))
          return called(function == Function::kMin ? "fmin" : "fmax", type, texts);
        // Of one type each, of which there is one function.
        return fmt::format("{0}(({1})({2}), ({1})({3}))", name_of(function),
                           computed_as(type, target_), texts[0], texts[1]);
      case Function::kFma:
        if (is_float(type)) return called("fma", type, texts);
        return wrapped("+", type, {wrapped("*", type, texts), texts[2]});
      case Function::kAbs:
        if (is_float(type)) return called("fabs", type, texts);
        return fmt::format("({} < 0 ? {} : {})", texts[0], wrapped("-", type, {"0", texts[0]}),
                           texts[0]);
      default:
        return called(name_of(function), type, texts);
    }
  }

  // --- statements ---

  /// One statement becomes several lines, each of which says where it comes from.
  void line(std::string_view text) {
    body_ += fmt::format("{}{:{}}{}\n", origin_, "", 2 * depth_, text);
  }

  Result<void> block(const ThreadBlock& statements) {
    ++depth_;
    const std::vector<bool> unused = unused_in(statements);
    for (std::size_t i = 0; i != statements.size(); ++i) {
      if (unused[i]) continue;
      auto written =
          std::visit([&](const auto& node) { return written_from(node); }, statements[i].node);
      if (!written) return refuse_at(span_, std::move(written).error());
    }
    --depth_;
    return {};
  }

  /// Which statements define a name that nothing after them reads, as C compilers warn.
  [[nodiscard]] std::vector<bool> unused_in(const ThreadBlock& statements) const {
    std::vector<bool> unused(statements.size());
    const auto is_define = [](const ThreadStatement& statement) {
      return std::holds_alternative<Define>(statement.node);
    };
    const auto first = std::ranges::find_if(statements, is_define);
    if (first == statements.end() || usage_.has_verbatim) return unused;
    Usage after;
    for (std::size_t i = statements.size(); i-- != 0;) {
      const auto* define = std::get_if<Define>(&statements[i].node);
      unused[i] = define != nullptr && !after.variables.contains(define->name);
      after.read(std::span(statements).subspan(i, 1));
    }
    return unused;
  }

  /// Notes the statement of the kernel that what follows is made from.
  template <class Node>
  Result<void> written_from(const Node& node) {
    if constexpr (requires { node.span; }) {
      if (node.span != Span()) span_ = node.span;
    }
    return write(node);
  }

  Result<void> braced(const std::string& head, const ThreadBlock& statements) {
    line(head + " {");
    return block(statements);
  }

  Result<void> write(const StoreElement& node) {
    HEDDLE_TRY(const std::string value, value_stored(node.value, type_at(node.to)));
    if (node.to.seen) return store_bits(node.to, conversions_.bits_of(node.to.seen->type, value));
    HEDDLE_TRY(const std::string to, element(node.to));
    line(fmt::format("{} = {};", to, value));
    return {};
  }

  /// The value as an element of the type. A copy of one type keeps its bits.
  Result<std::string> value_stored(const Computation& value, DType type) {
    const DType computed = type == DType::kBool ? type : computed_in(type);
    const auto* load = std::get_if<Computation::Load>(&value.node);
    if (load != nullptr && type_at(load->from) == type) {
      HEDDLE_TRY(std::string text, stored(load->from));
      if (load->inside.empty()) return text;
      HEDDLE_TRY(const std::string condition, truth(load->inside));
      const Number otherwise =
          is_float(type) && computed != type && type != DType::kTf32
              ? Number(static_cast<std::int64_t>(encode(type, load->otherwise)))
              : load->otherwise;
      const bool is_held_as_float = is_float(type) && bits(type) >= 32;
      return fmt::format("({} ? {} : {})", condition, text,
                         number(otherwise, is_held_as_float ? computed : DType::kI64));
    }
    if (std::holds_alternative<Computation::Index>(value.node) && computed == DType::kI32) {
      HEDDLE_TRY(const std::string text, as_integer(value, DType::kI32));
      return conversions_.store(type, computed, text);
    }
    const auto* literal = std::get_if<Computation::Literal>(&value.node);
    const bool is_literal = literal != nullptr;
    // The bits of a zero are zeros, so that a pad needs no conversion.
    const bool is_zero =
        is_literal && is_float(type) && bits(type) < 32 && encode(type, literal->value) == 0;
    if (is_zero) return std::string("0");
    if (is_literal) {
      // A float is cut to the ends of the type's integers.
      const bool is_cut = literal->value.is_real && !is_float(type);
      const Number number = is_cut ? converted(type, literal->value) : literal->value;
      return conversions_.store(type, computed, this->number(number, computed));
    }
    HEDDLE_TRY(const std::string text, this->value(value));
    return conversions_.store(type, value.type, text);
  }

  /// Writes bits to where they are seen: in elements of as many, in several, or in a part of one.
  Result<void> store_bits(const Location& to, const std::string& bits) {
    const Held& held = buffers_.at(to.buffer);
    const std::int64_t width = kernel::bits(to.seen->type);
    called_.has_f64 = called_.has_f64 || to.seen->type == DType::kF64;
    if (is_packed(held)) return store_bytes(to, bits);
    if (!to.seen->others.empty()) return store_parts(to, bits);
    HEDDLE_TRY(const std::string element, this->element(to));
    if (width == kernel::bits(held.type)) {
      line(fmt::format("{} = {};", element, conversions_.of_bits(held.type, bits)));
      return {};
    }
    if (held.space != Space::kRegister) return store_bytes(to, bits);
    const std::string_view type = unsigned_for(kernel::bits(held.type), target_);
    const std::string mask = fmt::format("({}){:#x}", type, (std::uint64_t{1} << width) - 1);
    HEDDLE_TRY(std::string shift, integer(to.seen->part * width));
    shift = in_shift(shift);
    const std::string kept = fmt::format("({}){} & ~({} << {})", type,
                                         conversions_.bits_of(held.type, element), mask, shift);
    line(fmt::format("{} = {};", element,
                     conversions_.of_bits(held.type, fmt::format("({}) | (({}) & {}) << {}", kept,
                                                                 bits, mask, shift))));
    return {};
  }

  /// Each of several elements gets its part.
  Result<void> store_parts(const Location& to, const std::string& bits) {
    const Held& held = buffers_.at(to.buffer);
    const std::string name = open_bits(kernel::bits(to.seen->type), bits);
    std::vector<Int> addresses = to.seen->others;
    addresses.insert(addresses.begin(), to.address);
    for (std::size_t i = 0; i != addresses.size(); ++i) {
      HEDDLE_TRY(const std::string element, this->element({to.buffer, addresses[i]}));
      const std::string part =
          i == 0 ? name
                 : fmt::format("{} >> {}", name,
                               static_cast<std::int64_t>(i) * kernel::bits(held.type));
      line(fmt::format("{} = {};", element, conversions_.of_bits(held.type, part)));
    }
    close_bits();
    return {};
  }

  /// Bytes of memory that are parts of a wider element, or have two of 4 bits each.
  Result<void> store_bytes(const Location& to, const std::string& bits) {
    const Held& held = buffers_.at(to.buffer);
    const std::int64_t count = kernel::bits(to.seen->type) / 8;
    const std::string name = count == 1 ? bits : open_bits(8 * count, bits);
    const std::string pointer =
        fmt::format("{}unsigned char*", is_cl() ? space_of_opencl(held.space) : "");
    for (std::int64_t i = 0; i != count; ++i) {
      const std::string byte =
          fmt::format("(unsigned char)({}{})", name, i == 0 ? "" : fmt::format(" >> {}", 8 * i));
      if (is_packed(held)) {
        const Int& address =
            i == 0 ? to.address : to.seen->others[static_cast<std::size_t>(2 * i - 1)];
        HEDDLE_TRY(const std::string place, offset(to.buffer, floor_div(address, 2)));
        line(fmt::format("{}[{}] = {};", spelled(to.buffer), place, byte));
        continue;
      }
      HEDDLE_TRY(const std::string element, this->element(to));
      HEDDLE_TRY(const std::string place, integer(to.seen->part * count + i));
      line(fmt::format("(({})&{})[{}] = {};", pointer, element, place, byte));
    }
    if (count != 1) close_bits();
    return {};
  }

  /// Opens a block with a variable that has the bits.
  std::string open_bits(std::int64_t width, const std::string& bits) {
    std::string name = "bits";
    while (buffers_.contains(name) || uses(name)) name += "_";
    line("{");
    ++depth_;
    line(fmt::format("const {} {} = {};", unsigned_for(width, target_), name, bits));
    return name;
  }
  void close_bits() {
    --depth_;
    line("}");
  }

  Result<void> write(const ApplyInstruction& node) {
    if (!node.intrinsic.empty()) return call_intrinsic(node);
    const auto text = node.instruction.texts.find(name_of(target_));
    const bool has_text = text != node.instruction.texts.end();
    if (!has_text && node.meaning.empty()) return copy(node);
    if (!has_text) {
      --depth_;
      HEDDLE_CHECK(block(node.meaning));
      ++depth_;
      return {};
    }
    if (node.meaning.empty() || target_ != Target::kCuda) return call(node, text->second);
    body_ += "#ifdef __CUDACC__\n";
    HEDDLE_CHECK(call(node, text->second));
    body_ += "#else\n";
    --depth_;
    HEDDLE_CHECK(block(node.meaning));
    ++depth_;
    body_ += "#endif\n";
    return {};
  }

  /// `cp_async_16(&As[…], &A[…], m < M ? 16 : 0);`
  Result<void> call_intrinsic(const ApplyInstruction& node) {
    std::vector<std::string> arguments;
    for (const Location& place : node.places) {
      HEDDLE_TRY(const std::string text, element(place));
      arguments.push_back("&" + text);
    }
    switch (find_intrinsic(node.intrinsic)->last) {
      case LastArguments::kNone:
        break;
      case LastArguments::kBytes: {
        HEDDLE_TRY(arguments.emplace_back(), bytes_read(node));
        break;
      }
      case LastArguments::kSums:
        arguments.push_back(arguments.front());
        break;
      case LastArguments::kSumsAndIndex:
        arguments.insert(arguments.end() - 1, arguments.front());
        arguments.back() = fmt::format("*(const unsigned*){}", arguments.back());
        return intrinsic(node.intrinsic, fmt::format("{}", fmt::join(arguments, ", ")), "<0>");
    }
    return intrinsic(node.intrinsic, fmt::format("{}", fmt::join(arguments, ", ")));
  }

  /// `m < M ? 16 : 0`
  Result<std::string> bytes_read(const ApplyInstruction& node) {
    const InstructionOperand& from = node.instruction.operands.back();
    const std::int64_t bytes = size(from) * from.bits / 8;
    if (node.inside.empty()) return std::to_string(bytes);
    HEDDLE_TRY(const std::string condition, truth(node.inside));
    return fmt::format("{} ? {} : 0", condition, bytes);
  }

  Result<void> intrinsic(const std::string& name, std::string_view arguments,
                         std::string_view parameter = {}) {
    called_.intrinsics.insert(name);
    line(fmt::format("{}{}({});", name, parameter, arguments));
    return {};
  }

  Result<void> write(const CommitCopies& /*node*/) { return intrinsic("cp_async_commit", ""); }
  Result<void> write(const AwaitCopies& node) {
    return intrinsic("cp_async_wait", "", fmt::format("<{}>", node.pending));
  }

  /// The function of an instruction, at the places of its operands.
  Result<void> call(const ApplyInstruction& node, std::string_view text) {
    InstructionWriter writer(node.instruction, target_, program_.name);
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i != node.places.size(); ++i) {
      HEDDLE_CHECK(check_name(node.instruction.operands[i].name));
      HEDDLE_TRY(const std::string place, element(node.places[i]));
      arguments.push_back("&" + place);
      writer.add_operand(buffers_.at(node.places[i].buffer).type);
    }
    const bool is_taken = buffers_.contains(writer.name()) || program_.name == writer.name() ||
                          std::ranges::find(program_.sizes, writer.name()) != program_.sizes.end();
    if (is_taken) {
      return refuse(Diagnostic("kernel.name_taken",
                               fmt::format("'{}' is the function of an instruction", writer.name()))
                        .with_hint("choose another name"));
    }
    HEDDLE_TRY(const std::string body, writer.body(text));
    const std::string head = writer.head();
    const auto [same, is_new] = called_.instructions.try_emplace(head, body);
    if (!is_new && same->second != body) {
      return refuse(Diagnostic("kernel.name_taken",
                               fmt::format("two instructions {} have different texts in one source",
                                           node.instruction.name))
                        .with_hint("choose another name"));
    }
    line(fmt::format("{}({});", writer.name(), fmt::join(arguments, ", ")));
    return {};
  }

  /// What an instruction for copies means: by a vector where its elements lie side by side on both
  /// sides and are aligned as one, else one by one.
  Result<void> copy(const ApplyInstruction& node) {
    const auto to = places_of(node.instruction.operands[0]);
    const auto from = places_of(node.instruction.operands[1]);
    const auto is_moved_at_once = [&](const InstructionOperand& operand) {
      return is_vector(node.instruction, operand);
    };
    if (to.size() > 1 && std::ranges::all_of(node.instruction.operands, is_moved_at_once)) {
      return copy_vector(node.places[0], node.places[1], std::ssize(to));
    }
    for (std::size_t i = 0; i != to.size(); ++i) {
      HEDDLE_TRY(const std::string written,
                 element({node.places[0].buffer, node.places[0].address + to[i]}));
      HEDDLE_TRY(const std::string read,
                 element({node.places[1].buffer, node.places[1].address + from[i]}));
      line(fmt::format("{} = {};", written, read));
    }
    return {};
  }

  Result<void> copy_vector(const Location& destination, const Location& source,
                           std::int64_t width) {
    HEDDLE_TRY(const std::string to, element(destination));
    HEDDLE_TRY(const std::string from, element(source));
    const Held& target = buffers_.at(destination.buffer);
    const Held& read = buffers_.at(source.buffer);
    const std::int64_t bytes = width * bits(target.type) / 8;
    if (is_cpu()) {
      line(fmt::format("memcpy(&{}, &{}, {});", to, from, bytes));
      return {};
    }
    if (!is_cl()) {
      called_.vector_bytes.insert(bytes);
      line(fmt::format("copy_{}_bytes(&{}, &{});", bytes, to, from));
      return {};
    }
    const auto pointer = [&](const Held& held, std::string_view text, bool is_read) {
      return fmt::format("*({}{}{}{}*)&{}", space_of_opencl(held.space), is_read ? "const " : "",
                         vector_name(target.type), width, text);
    };
    line(fmt::format("{} = {};", pointer(target, to, false), pointer(read, from, true)));
    return {};
  }

  /// The name of OpenCL's vectors of elements of this type, without their number.
  [[nodiscard]] static std::string_view vector_name(DType type) {
    if (type == DType::kF64) return "double";
    if (type == DType::kF32 || type == DType::kTf32) return "float";
    switch (bits(type)) {
      case 8:
        return is_signed(type) ? "char" : "uchar";
      case 16:
        return is_signed(type) ? "short" : "ushort";
      case 32:
        return is_signed(type) ? "int" : "uint";
      default:
        return is_signed(type) ? "long" : "ulong";
    }
  }

  Result<void> write(const AtomicAdd& node) {
    const Held& held = buffers_.at(node.to.buffer);
    HEDDLE_TRY(const std::string to, element(node.to));
    HEDDLE_TRY(const std::string stored, value_stored(node.value, held.type));
    if (is_cpu()) {
      line("#pragma omp atomic");
      line(fmt::format("{} += {};", to, stored));
      return {};
    }
    std::string_view name = "atomicAdd";
    if (is_cl()) name = "atomic_add";
    if (is_cl() && held.type == DType::kF32) {
      name = held.space == Space::kShared ? "add_local_f32" : "add_f32";
    }
    line(fmt::format("{}(&{}, {});", name, to, stored));
    return {};
  }

  Result<void> write(const PackPanel& node) {
    std::string loaded = "x";
    if (node.type != node.from_type) {
      loaded = conversions_.as(node.type, computed_in(node.from_type),
                               conversions_.load(node.from_type, loaded));
    }
    called_.loads += loaded + "\n";
    HEDDLE_TRY(const std::string to, element(node.to));
    HEDDLE_TRY(const std::string from, element(node.from));
    std::vector<std::string> arguments = {std::to_string(node.side), "&" + to};
    HEDDLE_TRY(arguments.emplace_back(), integer(node.to_step));
    arguments.push_back("&" + from);
    for (const Int* each : {&node.row, &node.step, &node.rows, &node.depth}) {
      HEDDLE_TRY(arguments.emplace_back(), integer(*each));
    }
    line(fmt::format("{}({});", called_.functions.add(node, loaded), fmt::join(arguments, ", ")));
    return {};
  }

  /// The first element of rows, and what counts elements as texts that count what they are held in.
  Result<std::string> first_of_rows(const Location& place) {
    HEDDLE_TRY(const std::string address, distance(place.buffer, place.address));
    return fmt::format("&{}[{}]", spelled(place.buffer), address);
  }
  Result<std::string> distance(const std::string& buffer, const Int& elements) {
    return offset(buffer, is_packed(buffers_.at(buffer)) ? floor_div(elements, 2) : elements);
  }

  Result<void> write(const PermuteRows& node) {
    RowsText rows;
    rows.name = fmt::format("heddle_permute_{}_{}", program_.name, permuted_++);
    rows.type = stored_as(node.type, target_);
    rows.steps = node.steps;
    rows.order = node.order;
    rows.streams = node.streams.has_value();
    for (const PermuteRows::Row& row : node.rows) {
      HEDDLE_TRY(std::string from, distance(node.from.buffer, row.from));
      HEDDLE_TRY(std::string to, distance(node.to.buffer, row.to));
      rows.rows.push_back({std::move(from), std::move(to)});
    }
    for (const Int& place : next_lines(node)) {
      HEDDLE_TRY(rows.fetches.emplace_back(), distance(node.from.buffer, place));
    }
    for (const PermuteRows::Loop& loop : node.loops) {
      HEDDLE_TRY(std::string extent, integer(loop.extent));
      HEDDLE_TRY(std::string from, distance(node.from.buffer, loop.from));
      HEDDLE_TRY(std::string to, distance(node.to.buffer, loop.to));
      rows.loops.push_back({std::move(extent), std::move(from), std::move(to)});
    }
    for (const std::string& size : heddle::variables(integers_of(node))) {
      rows.sizes.push_back(spelled(size));
    }
    called_.rows.add(rows);
    HEDDLE_TRY(const std::string to, first_of_rows(node.to));
    HEDDLE_TRY(const std::string from, first_of_rows(node.from));
    std::vector<std::string> arguments = {to, from};
    arguments.insert(arguments.end(), rows.sizes.begin(), rows.sizes.end());
    if (node.streams) {
      HEDDLE_TRY(const std::string is_large, truth({*node.streams}));
      arguments.push_back(fmt::format("{} && heddle_takes_streams({})", is_large, to));
    }
    line(fmt::format("{}({});", rows.name, fmt::join(arguments, ", ")));
    return {};
  }

  Result<void> write(const MultiplyTile& node) {
    const TileFunction tile = {node.type, node.a_type, node.b_type, node.size};
    called_.functions.add(tile);
    std::vector<std::string> arguments;
    for (const Int* each : {&node.rows, &node.columns, &node.depth}) {
      HEDDLE_TRY(arguments.emplace_back(), integer(*each));
    }
    const auto add_place = [&](const Location& place,
                               std::initializer_list<const Int*> strides) -> Result<void> {
      HEDDLE_TRY(const std::string first, element(place));
      arguments.push_back("&" + first);
      for (const Int* each : strides) {
        HEDDLE_TRY(arguments.emplace_back(), integer(*each));
      }
      return {};
    };
    HEDDLE_CHECK(add_place(node.a, {&node.a_row, &node.a_step}));
    HEDDLE_CHECK(add_place(node.b, {&node.b_step}));
    HEDDLE_CHECK(add_place(node.c, {&node.c_row, &node.adds}));
    line(fmt::format("{}({});", name_of(tile), fmt::join(arguments, ", ")));
    return {};
  }

  Result<void> write(const Define& node) {
    HEDDLE_CHECK(check_name(node.name));
    if (node.is_held && wide_.empty()) return hold_address(node);
    bounds_.add(node.name, is_wide(node.value) ? IntegerBounds::all() : bounds_of(node.value));
    if (!std::holds_alternative<Computation::Index>(node.value.node)) loaded_.insert(node.name);
    if (is_wide(node.value)) {
      note_wide(node.name);
      HEDDLE_TRY(const std::string text, as_integer(node.value, DType::kI64));
      line(fmt::format("const {} {} = {};", wide_type(), spelled(node.name), text));
      return {};
    }
    HEDDLE_TRY(const std::string text, as_integer(node.value, DType::kI32));
    return define(node, text);
  }

  /// A part of addresses, which have 32 bits.
  Result<void> hold_address(const Define& node) {
    HEDDLE_TRY(const std::string text,
               integer(std::get<Computation::Index>(node.value.node).value));
    return define(node, text);
  }

  Result<void> define(const Define& node, const std::string& text) {
    const bool is_held = node.is_held && target_ == Target::kCuda;
    called_.holds_integers = called_.holds_integers || is_held;
    line(fmt::format(fmt::runtime(is_held ? "const int {} = held({});" : "const int {} = {};"),
                     spelled(node.name), text));
    return {};
  }

  Result<void> write(const Barrier& /*node*/) {
    // One worker has done everything before.
    if (is_cpu()) return {};
    line(is_cl() ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);" : "__syncthreads();");
    return {};
  }

  Result<void> write(const ThreadLoop& node) {
    HEDDLE_CHECK(check_name(node.counter));
    HEDDLE_TRY(const std::string begin, number_of(node.begin));
    HEDDLE_TRY(const std::string extent, number_of(node.extent));
    const Interval extents = bounds_of(node.extent);
    bounds_.add(node.counter, {bounds_of(node.begin).low, extents.high - 1});
    if (node.is_vector) write_pragma(node);
    if (node.is_unrolled && target_ == Target::kCuda) line("#pragma unroll");
    const std::string_view counter = spelled(node.counter);
    const bool is_wide =
        wide_.empty() ? extents.high > kGreatestInt : !emit::fits_32_bits(range(node.extent));
    if (is_wide) note_wide(node.counter);
    HEDDLE_CHECK(braced(fmt::format("for ({3} {0} = {1}; {0} < {2}; ++{0})", counter, begin, extent,
                                    is_wide ? wide_type() : "int"),
                        node.body));
    line("}");
    return {};
  }

  /// `#pragma omp simd reduction(+ : sum)`
  void write_pragma(const ThreadLoop& node) {
    std::string text = "#pragma omp simd";
    bool has_extreme = false;
    for (const ThreadLoop::Sum& sum : node.sums) {
      text += fmt::format(" reduction({} : {})", name_of(sum.function), sum.place.buffer);
      const bool is_extreme = sum.function == Function::kMax || sum.function == Function::kMin;
      has_extreme = has_extreme || (is_extreme && is_float(sum.type));
    }
    // clang begins at the greatest number, not at infinity.
    if (has_extreme) body_ += "#ifndef __clang__\n";
    line(text);
    if (has_extreme) body_ += "#endif\n";
  }

  Result<void> write(const ThreadWhile& node) {
    HEDDLE_TRY(const std::string condition, value(node.condition));
    HEDDLE_CHECK(braced(fmt::format("while ({})", condition), node.body));
    line("}");
    return {};
  }

  Result<void> write(const Guarded& node) {
    if (node.conditions.empty()) {
      line("{");
      HEDDLE_CHECK(block(node.body));
      line("}");
      return {};
    }
    HEDDLE_TRY(const std::string condition, truth(node.conditions));
    return branch(condition, node.body, node.otherwise);
  }

  Result<void> write(const ThreadBranch& node) {
    HEDDLE_TRY(const std::string condition, value(node.condition));
    return branch(condition, node.then, node.otherwise);
  }

  Result<void> branch(const std::string& condition, const ThreadBlock& then,
                      const ThreadBlock& otherwise) {
    HEDDLE_CHECK(braced(fmt::format("if ({})", condition), then));
    if (!otherwise.empty()) {
      line("} else {");
      HEDDLE_CHECK(block(otherwise));
    }
    line("}");
    return {};
  }

  Result<void> write(const LeaveLoop& /*node*/) {
    line("break;");
    return {};
  }

  Result<void> write(const NextIteration& /*node*/) {
    line("continue;");
    return {};
  }

  Result<void> write(const Origin& node) {
    if (!options_.file.empty()) {
      const auto until = options_.text.substr(0, node.span.begin);
      origin_ = fmt::format("#line {} {}\n", 1 + std::ranges::count(until, '\n'),
                            literal_of_c(options_.file));
    }
    line(fmt::format("// {}", node.text));
    return {};
  }

  Result<void> write(const Verbatim& node) {
    if (node.target != name_of(target_)) {
      return refuse(
          Diagnostic("kernel.unchecked", fmt::format("the kernel has a text for {}, and this is {}",
                                                     node.target, name_of(target_)))
              .with_hint("compile it for that target"));
    }
    line(node.text);
    return {};
  }

  Result<void> write(const Buffer& node) {
    buffers_[node.name] = {node.type, Space::kRegister};
    if (known_equal(node.elements, 1)) {
      scalars_.insert(node.name);
      line(fmt::format("{} {};", stored_as(node.type, target_), node.name));
      return {};
    }
    if (is_cpu()) {
      hold(node);
      return {};
    }
    line(fmt::format("{}{} {}[{}]{};", is_cl() ? "" : "__align__(16) ",
                     stored_as(node.type, target_), node.name, heddle::to_string(node.elements),
                     is_cl() ? " __attribute__((aligned(16)))" : ""));
    return {};
  }

  /// Registers of a CPU: on the stack if they are few.
  void hold(const Buffer& buffer) {
    constexpr std::int64_t kMostOnStack = 1024;
    const std::int64_t bytes = planned_bytes(buffer);
    if (bytes > kMostOnStack) {
      line(held_in_memory(buffer, held_bytes_));
      held_bytes_ += bytes;
      return;
    }
    line(fmt::format("_Alignas(64) {} {}[{}];", stored_as(buffer.type, target_), buffer.name,
                     heddle::to_string(buffer.elements)));
  }

  const ThreadProgram& program_;
  Target target_;
  const SourceOptions& options_;
  Called& called_;
  /// The memory of a block of a CPU that is given out.
  std::int64_t held_bytes_ = 0;
  Conversions& conversions_;
  Usage usage_;
  emit::Spelling spelling_;
  /// The same in texts of 32 bits.
  emit::Spelling narrow_spelling_;
  /// The names that have 64 bits.
  std::set<std::string> wide_names_;
  std::map<std::string, Held> buffers_;
  /// Registers of one element.
  std::set<std::string> scalars_;
  /// The copies by rows so far.
  int permuted_ = 0;
  /// The tensors whose offsets have 64 bits.
  std::set<std::string> wide_;
  /// What the names of the program may be.
  IntegerBounds bounds_;
  std::unordered_map<Int, std::string> numbers_;
  /// The names of numbers that are read from memory.
  std::set<std::string> loaded_;
  /// What was written before: addresses come again and again.
  std::unordered_map<Int, std::string> integers_;
  std::unordered_map<Int, std::string> wide_integers_;
  /// The statement of the kernel that what is written comes from.
  Span span_;
  /// `#line 5 "add.heddle"`, if lines are told.
  std::string origin_;
  std::string body_;
  int depth_ = 0;
};

std::string cuda_function(std::string_view name) {
  return Support::of("cuda/support.cuh").group(name).text();
}

std::string copy_function(std::int64_t bytes) {
  std::string type = "uint4";
  if (bytes == 8) type = "uint2";
  if (bytes == 4) type = "unsigned";
  if (bytes == 2) type = "unsigned short";
  return Support::of("cuda/support.cuh")
      .group("copy_BYTES_bytes")
      .with({{"BYTES", std::to_string(bytes)}, {"TYPE", type}})
      .text();
}

/// The target's functions that are called, for its compiler; a host has models of them.
std::string intrinsic_functions(const std::set<std::string>& names) {
  if (names.empty()) return {};
  std::string text = "\n#ifdef __CUDACC__\n";
  for (const std::string& name : names) {
    if (const Intrinsic* found = find_intrinsic(name)) text += found->definition;
  }
  return text + "#endif\n";
}

std::string head(std::span<const ThreadProgram> programs, Target target, bool has_f64) {
  std::string text;
  for (const ThreadProgram& program : programs) {
    text += fmt::format("// {}, written by heddle for {}.\n", program.name, title_of(target));
    for (const Condition& condition : program.assumed) {
      text += fmt::format("// assumes {}\n", heddle::to_string(condition));
    }
  }
  if (target == Target::kCpu) text += cpu_head();
  const auto has_clusters = [](const ThreadProgram& program) {
    return !program.launch.cluster.empty();
  };
  if (std::ranges::any_of(programs, has_clusters)) text += cuda_function("clusters");
  if (target == Target::kOpenCl) {
    text += "\n#pragma OPENCL FP_CONTRACT OFF\n";
    if (has_f64) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  }
  return text;
}

}  // namespace

Result<std::string> to_source(std::span<const ThreadProgram> programs, Target target,
                              const SourceOptions& options) {
  Called called{Conversions(target)};
  std::string functions;
  for (const ThreadProgram& program : programs) {
    HEDDLE_TRY(const std::string text, Writer(program, target, options, called).write());
    functions += text;
  }
  emit::PrintOptions integers;
  integers.dialect = dialect_of(target);
  integers.in_program = true;
  integers.may_repeat = target == Target::kCpu;
  integers.spelling = called.spelling;
  HEDDLE_TRY(const emit::PrintedKernel printed, emit::print(called.integers, integers));
  std::string callers = functions + called.loads;
  for (const auto& [head, body] : called.instructions) callers += body;
  const bool is_cpu = target == Target::kCpu;
  Support support = called.conversions.support();
  std::string text = head(programs, target, called.has_f64);
  if (is_cpu) {
    text += Support::of("cpu/workers.h").called_by(callers, true);
    support += called.functions.support();
    support += called.rows.support();
  }
  text += printed.helpers + support.called_by(callers, is_cpu);
  text += intrinsic_functions(called.intrinsics);
  if (called.holds_integers) text += cuda_function("held");
  for (const std::int64_t bytes : called.vector_bytes) text += copy_function(bytes);
  for (const auto& [head, body] : called.instructions) text += fmt::format("\n{} {}", head, body);
  if (target == Target::kOpenCl && called.has_atomics) {
    text += Support::of("opencl/support.cl").text();
  }
  return text + functions;
}

Result<CpuFunction> cpu_function(const ThreadProgram& program) {
  Called called{Conversions(Target::kCpu)};
  return Writer(program, Target::kCpu, {}, called).write_function();
}

Result<std::string> to_source(const ThreadProgram& program, Target target,
                              const SourceOptions& options) {
  return to_source(std::span(&program, 1), target, options);
}

}  // namespace heddle::kernel

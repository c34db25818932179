// Writes the header of a kernel: its declaration, and the function that checks arguments and
// launches it.

#include "heddle/kernel/launcher.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "expr/term/substitute.h"
#include "heddle/emit/inline_text.h"
#include "heddle/emit/print.h"
#include "heddle/expr/assumptions.h"
#include "heddle/expr/proof.h"
#include "heddle/form/digit_form.h"
#include "heddle/form/index_map.h"
#include "heddle/map/any_layout.h"
#include "kernel/source/cpu_callers.h"
#include "kernel/source/launcher_texts.h"
#include "kernel/source_names.h"
#include "kernel/thread_walk.h"
#include "kernel/wide_offsets.h"

namespace heddle::kernel {

namespace {

/// Notes the most bytes that addresses in each tensor must be multiples of.
void note_vectors(const ThreadBlock& block, std::map<std::string, std::int64_t>& widest) {
  for (const ThreadStatement& statement : block) {
    if (const auto* applied = std::get_if<ApplyInstruction>(&statement.node)) {
      for (const Location& place : applied->places) {
        std::int64_t& bytes = widest[place.buffer];
        bytes = std::max(bytes, applied->instruction.alignment);
      }
    }
    for_each_block(statement, [&](const ThreadBlock& inner) { note_vectors(inner, widest); });
  }
}

/// A text in a format of printf().
std::string in_format(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled += c == '%' ? std::string("%%") : std::string(1, c);
  return doubled;
}

/// How a parameter lies in memory.
struct MemoryOf {
  /// One for each dimension; none if several steps make up one.
  std::optional<std::vector<Int>> strides;
  /// How many elements it reaches over; none for row-major ones, which are counted at run time.
  std::optional<Int> elements;
};

/// The greatest place and 1, if all steps are known to go towards greater places.
std::optional<Int> reach_of(const map::StridedView& strided) {
  Int reach = strided.offset.front() + 1;
  if (!known_at_most(0, strided.offset.front())) return std::nullopt;
  for (const std::vector<form::Digit>& mode : strided.modes) {
    for (const form::Digit& digit : mode) {
      if (!known_at_most(0, digit.stride.front())) return std::nullopt;
      reach = reach + (digit.extent - 1) * digit.stride.front();
    }
  }
  return reach;
}

std::optional<std::vector<Int>> strides_of(const map::StridedView& strided) {
  if (!known_equal(strided.offset.front(), 0)) return std::nullopt;
  std::vector<Int> strides;
  for (const std::vector<form::Digit>& mode : strided.modes) {
    const std::vector<form::Digit> digits = form::coalesced(mode);
    if (digits.size() > 1) return std::nullopt;
    strides.push_back(digits.empty() ? Int(1) : digits.front().stride.front());
  }
  return strides;
}

Result<MemoryOf> memory_of_parameter(const Tensor& tensor) {
  if (!tensor.layout) return MemoryOf{};
  HEDDLE_TRY(map::View view, map::view(*tensor.layout));
  HEDDLE_TRY(view, map::reshaped(view, tensor.shape));
  const bool is_strided = view.strided && !view.strided->swizzle && view.strided->copies.empty();
  const std::optional<Int> reach = is_strided ? reach_of(*view.strided) : std::nullopt;
  if (!reach) {
    return refuse(
        Diagnostic(
            "kernel.not_lowered",
            fmt::format(
                "{}: a launcher checks how far the layout reaches in memory, and that is not known",
                to_string(tensor)))
            .with_hint("compile it with --emit source, and launch it yourself"));
  }
  return MemoryOf{strides_of(*view.strided), reach};
}

class LauncherWriter {
 public:
  LauncherWriter(const ThreadProgram& program, Target target)
      : program_(program), target_(target), prefix_(fmt::format("heddle_in_{}_", program.name)) {
    for (const Tensor& parameter : program.parameters) {
      if (parameter.space == Space::kValue) continue;
      tensors_.push_back(&parameter);
    }
    note_vectors(program.body, vector_bytes_);
  }

  Result<std::string> write() {
    HEDDLE_CHECK(check_names());
    SourceOptions options;
    options.is_static = !is_cl();
    HEDDLE_TRY(const std::string source, to_source(program_, target_, options));
    HEDDLE_CHECK(check_ranks());
    HEDDLE_CHECK(make_sizes());
    HEDDLE_CHECK(write_checks());
    HEDDLE_CHECK(write_launch());
    HEDDLE_TRY(const std::string helpers, helper_functions());
    std::string text = opening();
    text += launcher_types();
    text += declaration();
    text += fmt::format(
        "#endif\n\n#if defined({0}_IMPLEMENTATION) && !defined({0}_IMPLEMENTED)\n"
        "#define {0}_IMPLEMENTED\n",
        macro());
    text += launcher_checks(target_);
    text += kernel_text(source) + helpers;
    text += fmt::format("\n{} {{\n{}}}\n#endif\n", signature(true), body_);
    return text;
  }

 private:
  [[nodiscard]] bool is_cl() const { return target_ == Target::kOpenCl; }

  void line(std::string_view text) { body_ += fmt::format("{:{}}{}\n", "", 2 * depth_, text); }
  /// Ends the function where the condition holds; `rest` are the arguments after the error.
  void refuse_if(const std::string& condition, const std::string& rest) {
    line(fmt::format("if ({}) {{", condition));
    line(fmt::format("  return heddle_refuse({}, {});", name_beside("error"), rest));
    line("}");
  }
  void check(const std::string& call) { line(fmt::format("if (heddle_check_{}) return 1;", call)); }

  // --- names ---

  /// A name that no parameter has.
  [[nodiscard]] std::string name_beside(std::string name) const {
    const auto is_taken = [&] {
      return std::ranges::find(program_.parameters, name, &Tensor::name) !=
                 program_.parameters.end() ||
             std::ranges::find(program_.sizes, name) != program_.sizes.end();
    };
    while (is_taken()) name += '_';
    return name;
  }

  [[nodiscard]] std::string macro() const {
    std::string name = "HEDDLE_";
    for (const char c : program_.name) {
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return name;
  }

  // --- integers ---

  /// Callers know the names of a launcher's parameters, which are those of the kernel.
  Result<void> check_names() const {
    std::vector<std::string> names = program_.sizes;
    for (const Tensor& parameter : program_.parameters) names.push_back(parameter.name);
    for (const std::string& name : names) {
      if (!is_used_in_sources(name)) continue;
      return refuse(Diagnostic("print.name", fmt::format("'{}' means something else in C", name))
                        .with_hint("choose another name, or compile it with --emit source"));
    }
    return {};
  }

  Result<void> check_ranks() const {
    for (const Tensor* tensor : tensors_) {
      if (tensor->shape.size() <= kMaxLauncherRank) continue;
      return refuse("kernel.not_lowered",
                    fmt::format("{} has {} dimensions, and the tensors of launchers have up to {}",
                                tensor->name, tensor->shape.size(), kMaxLauncherRank));
    }
    return {};
  }

  /// The sizes as what is known of them once they have been checked.
  Result<void> make_sizes() {
    std::vector<Condition> conditions = program_.assumed;
    for (const std::string& name : program_.sizes) {
      conditions.push_back({Int::variable(name), Predicate::kAtMost, kGreatestSize});
    }
    HEDDLE_TRY(const Assumptions assumed, Assumptions::make(conditions));
    for (const std::string& name : program_.sizes) {
      const Int size = assumed.variable(name);
      const Range range = heddle::range(size);
      sizes_[name] = size;
      plain_sizes_[name] = Int::variable(name, range.low, range.high);
    }
    for (const auto& [name, value] : assumed.variables()) {
      if (value.is_constant()) plain_sizes_.emplace(name, value);
    }
    return {};
  }

  /// The tensor and the dimension that tell a size.
  [[nodiscard]] std::optional<std::string> told_by(const std::string& size) const {
    for (const Tensor* tensor : tensors_) {
      for (std::size_t d = 0; d != tensor->shape.size(); ++d) {
        if (expr::name_of(tensor->shape[d]) == size) {
          return fmt::format("{}.shape[{}]", tensor->name, d);
        }
      }
    }
    return std::nullopt;
  }

  /// The expressions as C, whose functions are kept; refuses at run time products past what 64 bits
  /// hold, if there may be any.
  Result<std::vector<std::string>> printed(heddle::Kernel kernel) {
    if (!emit::range_on_the_way(kernel).is_bounded()) HEDDLE_CHECK(check_products(kernel));
    HEDDLE_TRY(const emit::PrintedKernel printed, print(kernel));
    called_.results.insert(called_.results.end(), kernel.results.begin(), kernel.results.end());
    called_.guards.insert(called_.guards.end(), kernel.guards.begin(), kernel.guards.end());
    std::vector<std::string> texts = printed.results;
    texts.insert(texts.end(), printed.guards.begin(), printed.guards.end());
    return texts;
  }

  [[nodiscard]] Result<emit::PrintedKernel> print(const heddle::Kernel& kernel) const {
    emit::PrintOptions options;
    options.dialect = emit::Dialect::kC;
    options.helper_prefix = prefix_;
    return emit::print(kernel, options);
  }

  /// Once every product is small, sums of what a line has room for are within 64 bits.
  Result<void> check_products(const heddle::Kernel& kernel) {
    constexpr std::int64_t kGreatestConstant = std::int64_t{1} << 48;
    std::vector<CodeExpression> products;
    bool is_small = true;
    for_each_node(kernel, [&](const CodeExpression& node) {
      const bool is_shift = node.operation() == CodeOperation::kShiftLeft;
      if (node.operation() == CodeOperation::kConstant) {
        is_small = is_small && -kGreatestConstant <= node.constant() &&
                   node.constant() <= kGreatestConstant;
      }
      if (is_shift) is_small &= node.operand(1).operation() == CodeOperation::kConstant;
      if (is_shift || node.operation() == CodeOperation::kMultiply) products.push_back(node);
    });
    if (!is_small) {
      return refuse("overflow", fmt::format("a launcher of {} would compute with numbers past 64 "
                                            "bits",
                                            program_.name));
    }
    for (const CodeExpression& product : products) HEDDLE_CHECK(check_product(product));
    return {};
  }

  Result<void> check_product(const CodeExpression& product) {
    heddle::Kernel factors;
    factors.results = {product.operand(0), product.operand(1)};
    if (product.operation() == CodeOperation::kShiftLeft) {
      factors.results[1] = CodeExpression::constant(
          std::int64_t{1} << std::min<std::int64_t>(product.operand(1).constant(), 62));
    }
    HEDDLE_TRY(const emit::PrintedKernel texts, print(factors));
    const std::string call =
        fmt::format("heddle_product_fits({}, {})", texts.results[0], texts.results[1]);
    if (!known_to_fit_.insert(call).second) return {};
    refuse_if("!" + call,
              literal_of_c(in_format(fmt::format("{} is too large", heddle::to_string(product)))));
    return {};
  }

  Result<std::string> integer(const Int& value) {
    HEDDLE_TRY(const Int bounded, instantiate(value, sizes_));
    HEDDLE_TRY(const emit::InlineText text, emit::inline_text(bounded, emit::Dialect::kC));
    HEDDLE_TRY(const std::vector<std::string> texts, printed(text.kernel));
    return texts.front();
  }

  /// `const int64_t NAME[] = {…};`
  Result<void> write_list(std::string_view name, const std::vector<Int>& values) {
    std::vector<std::string> texts;
    for (const Int& value : values) {
      HEDDLE_TRY(std::string text, integer(value));
      texts.push_back(std::move(text));
    }
    line(
        fmt::format("const int64_t {}[{}] = {{{}}};", name, values.size(), fmt::join(texts, ", ")));
    return {};
  }

  /// The functions that the expressions call.
  Result<std::string> helper_functions() const {
    HEDDLE_TRY(const emit::PrintedKernel all, print(called_));
    return all.helpers;
  }

  // --- the checks ---

  Result<void> write_checks() {
    const std::string error = name_beside("error");
    for (const Tensor* tensor : tensors_) {
      check(fmt::format("tensor(\"{0}\", &{0}, {1}, {2}, {3})", tensor->name,
                        type_constant(tensor->type), tensor->shape.size(), error));
    }
    for (const std::string& size : program_.sizes) {
      const auto place = told_by(size);
      if (place) line(fmt::format("const int64_t {} = {};", size, *place));
    }
    for (const std::string& size : program_.sizes) {
      const Range range = heddle::range(plain_sizes_.at(size));
      check(fmt::format("size(\"{0}\", {0}, {1}, {2}, {3})", size, range.low, range.high, error));
    }
    for (const Condition& condition : program_.assumed) HEDDLE_CHECK(write_assumption(condition));
    for (const Tensor* tensor : tensors_) HEDDLE_CHECK(write_memory(*tensor));
    return {};
  }

  Result<void> write_assumption(const Condition& condition) {
    std::vector<std::string> names = variables(condition.left);
    for (std::string& name : variables(condition.right)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    for (const std::string& name : names) {
      if (plain_sizes_.contains(name)) continue;
      return refuse("kernel.assumption",
                    fmt::format("{} assumes {}, and no argument gives a launcher {}", program_.name,
                                heddle::to_string(condition), name));
    }
    HEDDLE_TRY(const Condition bounded, instantiate(condition, plain_sizes_));
    if (known(bounded)) return {};
    HEDDLE_TRY(const emit::InlineText text,
               emit::inline_text(emit::Guard{{bounded}, {}}, emit::Dialect::kC));
    HEDDLE_TRY(const std::vector<std::string> texts, printed(text.kernel));
    std::erase_if(names, [&](const std::string& name) { return !sizes_.contains(name); });
    std::string format =
        in_format(fmt::format("{} assumes {}", program_.name, heddle::to_string(condition)));
    std::string arguments;
    for (const std::string& name : names) {
      format += fmt::format("{}{} is %lld", arguments.empty() ? ", and " : ", ", name);
      arguments += fmt::format(", (long long){}", name);
    }
    refuse_if(fmt::format("!({})", texts.front()), literal_of_c(format) + arguments);
    return {};
  }

  /// The shape, the strides and the memory of one tensor, in a block of their own.
  Result<void> write_memory(const Tensor& tensor) {
    const std::string error = name_beside("error");
    const std::string& name = tensor.name;
    HEDDLE_TRY(const MemoryOf memory, memory_of_parameter(tensor));
    known_to_fit_.clear();
    line("{");
    ++depth_;
    line("int64_t heddle_count = 0;");
    const bool is_scalar = tensor.shape.empty();
    const bool has_strides = memory.strides && !is_scalar;
    if (!is_scalar) HEDDLE_CHECK(write_list("heddle_shape", tensor.shape));
    if (tensor.layout && !memory.strides) {
      refuse_if(fmt::format("{}.strides != NULL", name),
                literal_of_c(fmt::format(
                    "{} has strides, and the layout of the kernel's parameter has none", name)));
    }
    if (has_strides) HEDDLE_CHECK(write_list("heddle_strides", *memory.strides));
    const std::string_view most = has_wide_offsets(tensor) ? "INT64_MAX" : "INT32_MAX";
    check(fmt::format("shape(\"{0}\", &{0}, {1}, {2}, {3}, &heddle_count, {4})", name,
                      is_scalar ? "NULL" : "heddle_shape", has_strides ? "heddle_strides" : "NULL",
                      most, error));
    if (memory.elements) {
      HEDDLE_TRY(const std::string elements, integer(*memory.elements));
      line(fmt::format("if (heddle_count > 0) heddle_count = {};", elements));
      check(fmt::format("count(\"{}\", heddle_count, {}, {})", name, most, error));
    }
    const bool has_pairs = bits(tensor.type) < 8;
    check(is_cl() ? fmt::format("buffer(\"{0}\", {0}.data, {1}, {2}, {3})", name,
                                has_pairs ? "(heddle_count + 1) / 2" : "heddle_count",
                                has_pairs ? 1 : bits(tensor.type) / 8, error)
                  : fmt::format("pointer(\"{0}\", {0}.data, heddle_count, {1}, {2})", name,
                                alignment_of(tensor), error));
    --depth_;
    line("}");
    return {};
  }

  /// That of an element, or of the vectors that it is read or written by.
  [[nodiscard]] std::int64_t alignment_of(const Tensor& tensor) const {
    const auto vectors = vector_bytes_.find(tensor.name);
    const std::int64_t element = std::max<std::int64_t>(1, bits(tensor.type) / 8);
    return vectors == vector_bytes_.end() ? element : std::max(element, vectors->second);
  }

  // --- the launch ---

  Result<void> write_launch() {
    known_to_fit_.clear();
    std::vector<Int> grid = program_.launch.grid;
    grid.resize(3, Int(1));
    HEDDLE_CHECK(write_list("heddle_grid", grid));
    line(is_cl() ? "const int64_t heddle_most[3] = {2147483647, 2147483647, 2147483647};"
                 : "const int64_t heddle_most[3] = {2147483647, 65535, 65535};");
    check(fmt::format("grid(heddle_grid, heddle_most, {})", name_beside("error")));
    for (const std::string& size : program_.sizes) {
      line(fmt::format("int heddle_{0} = (int){0};", size));
    }
    is_cl() ? write_opencl() : write_cuda();
    return {};
  }

  /// What the kernel's parameters are called here, in its order: tensors, sizes, values.
  [[nodiscard]] std::vector<std::string> arguments() const {
    std::vector<std::string> names;
    for (const Tensor* tensor : tensors_) names.push_back(tensor->name + ".data");
    for (const std::string& size : program_.sizes) names.push_back("heddle_" + size);
    for (const Tensor& parameter : program_.parameters) {
      if (parameter.space == Space::kValue) names.push_back(parameter.name);
    }
    return names;
  }

  void write_cuda() {
    std::string list;
    for (const std::string& name : arguments()) list += fmt::format("&{}, ", name);
    line(fmt::format("void* heddle_arguments[] = {{{}NULL}};", list));
    line(
        "const dim3 heddle_blocks((unsigned)heddle_grid[0], (unsigned)heddle_grid[1], "
        "(unsigned)heddle_grid[2]);");
    const std::int64_t shared_bytes = launched_shared_bytes(program_);
    line("cudaError_t heddle_status = cudaSuccess;");
    if (shared_bytes != 0) {
      line(
          fmt::format("heddle_status = cudaFuncSetAttribute(heddle_kernel_{0}::{0},\n"
                      "      cudaFuncAttributeMaxDynamicSharedMemorySize, {1});",
                      program_.name, shared_bytes));
      line("if (heddle_status == cudaSuccess)");
    }
    line(
        fmt::format("heddle_status = cudaLaunchKernel(heddle_kernel_{0}::{0}, heddle_blocks,\n"
                    "      dim3({1}), heddle_arguments, {2}, {3});",
                    program_.name, program_.launch.threads, shared_bytes, name_beside("stream")));
    line("if (heddle_status == cudaSuccess) return 0;");
    line(
        fmt::format("return heddle_refuse({}, \"CUDA refuses to launch the kernel: %s\", "
                    "cudaGetErrorString(heddle_status));",
                    name_beside("error")));
  }

  void write_opencl() {
    const std::string error = name_beside("error");
    line("cl_int heddle_status = CL_SUCCESS;");
    line(fmt::format("const cl_kernel heddle_kernel = clCreateKernel({}, \"{}\", &heddle_status);",
                     name_beside("program"), program_.name));
    line("if (heddle_status != CL_SUCCESS) {");
    line(
        fmt::format("  return heddle_refuse({}, \"OpenCL's clCreateKernel fails with error %d\", "
                    "(int)heddle_status);",
                    error));
    line("}");
    std::string list;
    for (const std::string& name : arguments()) list += fmt::format("{{sizeof {0}, &{0}}}, ", name);
    if (!list.empty()) {
      list.resize(list.size() - 2);
      line("const struct {");
      line("  size_t size;");
      line("  const void* value;");
      line(fmt::format("}} heddle_arguments[] = {{{}}};", list));
      line(fmt::format("for (cl_uint i = 0; i < {} && heddle_status == CL_SUCCESS; ++i) {{",
                       arguments().size()));
      line("  heddle_status = clSetKernelArg(heddle_kernel, i, heddle_arguments[i].size,");
      line("                                 heddle_arguments[i].value);");
      line("}");
    }
    const std::int64_t threads = program_.launch.threads;
    line(fmt::format("const size_t heddle_threads[3] = {{{}, 1, 1}};", threads));
    line(
        fmt::format("const size_t heddle_items[3] = {{(size_t)heddle_grid[0] * {}, "
                    "(size_t)heddle_grid[1], (size_t)heddle_grid[2]}};",
                    threads));
    line("if (heddle_status == CL_SUCCESS) {");
    line(
        fmt::format("  heddle_status = clEnqueueNDRangeKernel({}, heddle_kernel, 3, NULL, "
                    "heddle_items,\n                                           "
                    "heddle_threads, 0, NULL, NULL);",
                    name_beside("queue")));
    line("}");
    line("clReleaseKernel(heddle_kernel);");
    line("if (heddle_status == CL_SUCCESS) return 0;");
    line(
        fmt::format("return heddle_refuse({}, \"OpenCL refuses to launch the kernel with error "
                    "%d\", (int)heddle_status);",
                    error));
  }

  // --- the frame ---

  [[nodiscard]] std::string opening() const {
    std::vector<std::string> texts;
    for (const Tensor& parameter : program_.parameters) texts.push_back(to_string(parameter));
    std::string text = fmt::format(
        "/* {}, written by heddle for {}: a kernel and its launcher, for C11 and C++17.\n\n"
        "   kernel {}({})\n",
        program_.name, is_cl() ? "OpenCL" : "CUDA", program_.name, fmt::join(texts, ", "));
    for (const Condition& condition : program_.assumed) {
      text += fmt::format("     assume {}\n", heddle::to_string(condition));
    }
    text += fmt::format(
        "\n   In one {}, define {}_IMPLEMENTATION before this header is included. */\n"
        "#ifndef {}_H\n#define {}_H\n",
        is_cl() ? "file of C or C++" : ".cu file", macro(), macro(), macro());
    return text;
  }

  /// The parameters of the launcher, or the arguments that a caller hands on.
  [[nodiscard]] std::vector<std::string> parameters(bool have_types) const {
    std::vector<std::string> list;
    const auto add = [&](std::string_view type, const std::string& name) {
      list.push_back(have_types ? fmt::format("{} {}", type, name) : name);
    };
    for (const Tensor& parameter : program_.parameters) {
      const bool is_value = parameter.space == Space::kValue;
      add(is_value ? type_in_c(parameter.type) : "heddle_tensor", parameter.name);
    }
    for (const std::string& size : program_.sizes) {
      if (!told_by(size)) add("int64_t", size);
    }
    if (is_cl()) add("struct _cl_program*", name_beside("program"));
    if (is_cl()) add("struct _cl_command_queue*", name_beside("queue"));
    if (!is_cl()) add("struct CUstream_st*", name_beside("stream"));
    return list;
  }

  [[nodiscard]] std::string signature(bool has_error) const {
    std::vector<std::string> list = parameters(true);
    if (has_error) list.push_back("heddle_error* " + name_beside("error"));
    const std::string opening =
        fmt::format("{} heddle_launch_{}(", has_error ? "int" : "void", program_.name);
    constexpr std::size_t kLine = 96;
    const std::string line = fmt::format("{}{})", opening, fmt::join(list, ", "));
    return line.size() <= kLine ? line
                                : fmt::format("{}\n    {})", opening, fmt::join(list, ",\n    "));
  }

  [[nodiscard]] std::string declaration() const {
    std::string text = "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
    if (is_cl()) {
      text += fmt::format(
          "struct _cl_context;\nstruct _cl_device_id;\nstruct _cl_program;\n"
          "struct _cl_command_queue;\n\n"
          "/* The kernel, compiled: once for each context and device. NULL if the device does not\n"
          "   take it, and error, which may be NULL, says why. clReleaseProgram() ends it. */\n"
          "struct _cl_program* heddle_build_{}(struct _cl_context* context,\n"
          "    struct _cl_device_id* device, heddle_error* error);\n",
          program_.name);
    } else {
      text += "struct CUstream_st; /* cudaStream_t points to one */\n";
    }
    const std::string error = name_beside("error");
    text += fmt::format(
        "\n/* Launches the kernel and does not wait for it. Returns 0; otherwise nothing is "
        "launched, and\n   {}, which may be NULL, says why. */\n{};\n"
        "#ifdef __cplusplus\n}}\n",
        error, signature(true));
    text += fmt::format(
        "/* The same, and throws std::invalid_argument. */\ninline {} {{\n  heddle_error {};\n"
        "  if (heddle_launch_{}({}, &{}) != 0) {{\n    throw std::invalid_argument({}.text);\n"
        "  }}\n}}\n#endif\n",
        signature(false), error, program_.name, fmt::join(parameters(false), ", "), error, error);
    return text;
  }

  [[nodiscard]] std::string kernel_text(const std::string& source) const {
    if (is_cl()) return opencl_text(source);
    return fmt::format("\nnamespace heddle_kernel_{} {{\n{}}}\n", program_.name, source);
  }

  /// The source as pieces of lines, none of which is longer than C allows a literal to be.
  [[nodiscard]] std::string opencl_text(const std::string& source) const {
    constexpr std::size_t kLongest = 1000;
    std::string text =
        fmt::format("\nstatic const char* const heddle_source_{}[] = {{\n", program_.name);
    for (std::size_t at = 0; at < source.size();) {
      const std::size_t end = std::min({source.find('\n', at), source.size() - 1, at + kLongest});
      text +=
          fmt::format("  {},\n", literal_of_c(std::string_view(source).substr(at, end + 1 - at)));
      at = end + 1;
    }
    text += fmt::format(R"(}};

struct _cl_program* heddle_build_{0}(struct _cl_context* context,
    struct _cl_device_id* device, heddle_error* error) {{
  const char* lines[sizeof heddle_source_{0} / sizeof heddle_source_{0}[0]];
  const cl_uint count = (cl_uint)(sizeof lines / sizeof lines[0]);
  cl_int status = CL_SUCCESS;
  for (cl_uint i = 0; i < count; ++i) lines[i] = heddle_source_{0}[i];
  cl_program program = clCreateProgramWithSource(context, count, lines, NULL, &status);
  if (status == CL_SUCCESS) {{
    status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
  }}
  if (status == CL_SUCCESS) return program;
  if (program != NULL) clReleaseProgram(program);
  heddle_refuse(error, "OpenCL does not take the kernel {0}: error %d", (int)status);
  return NULL;
}}
)",
                        program_.name);
    return text;
  }

  const ThreadProgram& program_;
  Target target_;
  /// The prefix of functions that expressions call.
  std::string prefix_;
  std::vector<const Tensor*> tensors_;
  std::map<std::string, std::int64_t> vector_bytes_;
  /// Sizes with all that is assumed of them, and before that is checked, with their ranges alone.
  Bindings sizes_;
  Bindings plain_sizes_;
  heddle::Kernel called_;
  /// The products that have been checked so far.
  std::set<std::string> known_to_fit_;
  std::string body_;
  int depth_ = 1;
};

}  // namespace

Result<std::string> to_header(const ThreadProgram& program, Target target) {
  if (target == Target::kCpu) {
    HEDDLE_TRY(const CpuFunction function, cpu_function(program));
    return declaration_text(function, program);
  }
  return LauncherWriter(program, target).write();
}

}  // namespace heddle::kernel

#include "distribute/source/nccl_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "core/format.h"
#include "distribute/source/nccl_program.h"
#include "heddle/emit/inline_text.h"
#include "heddle/emit/print.h"
#include "heddle/form/element_type.h"

namespace heddle::distribute {
namespace {

using form::ElementType;

/// The header of CUDA in which the type is; empty for types of C++.
std::string_view header_of(const ElementType& element) {
  if (element.name == "f16") return "cuda_fp16.h";
  return element.name == "bf16" ? "cuda_bf16.h" : "";
}

std::string element_names(std::int64_t bits, bool reduces) {
  std::vector<std::string_view> names;
  for (const ElementType* element : form::element_types()) {
    const bool has_bits = element->bits == bits || bits == 0;
    const std::string_view needed = reduces ? element->nccl : element->framework;
    if (has_bits && !needed.empty()) names.push_back(element->framework);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The name of the type; unsigned integers where none is given.
Result<std::string> element_name(const Plan& plan, const std::string& given) {
  if (!given.empty()) return given;
  const std::int64_t bits = plan.element_bits();
  if (!plan.reduce_op().empty()) {
    return refuse(diagnose("distribute.element",
                           "terms of {} bits are reduced by {}, and their type is not given", bits,
                           plan.reduce_op())
                      .with_hint("give their type, one of " + element_names(bits, true)));
  }
  return fmt::format("uint{}", bits);
}

Result<ElementType> element_of(const Plan& plan, const std::string& given) {
  HEDDLE_TRY(const std::string name, element_name(plan, given));
  const ElementType* found = form::find_element_type(name);
  if (found == nullptr || found->framework.empty()) {
    return refuse(
        diagnose("distribute.element", "no program for NCCL is written for elements of {}",
                 given.empty() ? fmt::format("{} bits", plan.element_bits()) : given)
            .with_hint(fmt::format("the types are {}; others of 8, 16, 32 or 64 bits are moved as "
                                   "unsigned integers if no type is given",
                                   element_names(0, false))));
  }
  if (found->bits != plan.element_bits()) {
    return refuse("distribute.element", "{} has {} bits, and the plan is of elements of {}",
                  found->framework, found->bits, plan.element_bits());
  }
  if (!plan.reduce_op().empty() && found->nccl.empty()) {
    return refuse(diagnose("distribute.element", "NCCL does not reduce {}", found->framework)
                      .with_hint("it reduces " + element_names(0, true)));
  }
  return *found;
}

/// `ncclSum` and the expression of two elements, by the plan's way to reduce.
struct Operation {
  std::string_view name;
  std::string_view nccl;
  std::string_view expression;
};

/// The greater and the lesser of a number and NaN is the number, as NCCL has it. NaN is told by ==,
/// because CUDA's != of two halves is false where one is NaN.
Operation operation_of(const Plan& plan, const ElementType& element) {
  const bool is_float = element.framework.find("float") != std::string_view::npos;
  const std::array operations = {
      Operation{"sum", "ncclSum", "a + b"},
      Operation{"avg", "ncclSum", "a + b"},
      Operation{"product", "ncclProd", "a * b"},
      Operation{"max", "ncclMax", is_float ? "a < b || !(a == a) ? b : a" : "a < b ? b : a"},
      Operation{"min", "ncclMin", is_float ? "b < a || !(a == a) ? b : a" : "b < a ? b : a"},
  };
  const auto* found = std::ranges::find(operations, plan.reduce_op(), &Operation::name);
  return found == operations.end() ? Operation() : *found;
}

constexpr std::string_view kHelpers = R"(
enum Memory { kSource, kDestination, kScratch };

// A place in one of the memories of a rank, counted in elements.
struct Position {
  Memory memory;
  long long first;
};

struct Memories {
  const T* source;  // is not written
  T* destination;
  T* scratch;

  T* at(const Position& position) const {
    T* const memories[] = {const_cast<T*>(source), destination, scratch};
    return memories[position.memory] + position.first;
  }
};

// A copy within a rank; without a kernel the elements are consecutive.
struct Copy {
  int rank;
  void (*kernel)(const T*, T*);
  long long elements;
  Position from;
  Position to;
};

inline cudaError_t run(const Copy& copy, const Memories& memories, cudaStream_t stream) {
  const T* from = memories.at(copy.from);
  T* to = memories.at(copy.to);
  if (copy.kernel == nullptr) {
    return cudaMemcpyAsync(to, from, copy.elements * sizeof(T), cudaMemcpyDeviceToDevice, stream);
  }
  void* arguments[] = {&from, &to};
  const dim3 blocks(static_cast<unsigned>((copy.elements + 255) / 256));
  return cudaLaunchKernel(copy.kernel, blocks, dim3(256), arguments, 0, stream);
}

template <std::size_t kCount>
ncclResult_t run(const Copy (&copies)[kCount], const Memories& memories, cudaStream_t stream,
                 int rank) {
  for (const Copy& copy : copies) {
    if (copy.rank != rank) continue;
    if (run(copy, memories, stream) != cudaSuccess) return ncclUnhandledCudaError;
  }
  return ncclSuccess;
}

// What one rank sends to another.
struct Message {
  int from;
  int to;
  long long elements;
  Position sent;
  Position received;
};

template <std::size_t kCount>
ncclResult_t exchange(const Message (&messages)[kCount], const Memories& memories, ncclComm_t comm,
                      cudaStream_t stream, int rank) {
  ncclResult_t result = ncclGroupStart();
  for (const Message& message : messages) {
    const std::size_t count = message.elements * kCountOfElement;
    if (result == ncclSuccess && message.from == rank) {
      result = ncclSend(memories.at(message.sent), count, kType, message.to, comm, stream);
    }
    if (result == ncclSuccess && message.to == rank) {
      result = ncclRecv(memories.at(message.received), count, kType, message.from, comm, stream);
    }
  }
  const ncclResult_t ended = ncclGroupEnd();
  return result == ncclSuccess ? ended : result;
}

// What a rank sends and gets in a collective.
struct Part {
  Position sent;
  Position received;
  int root;
};
)";

std::string_view memory_name(Memory memory) {
  if (memory == Memory::kSource) return "kSource";
  return memory == Memory::kDestination ? "kDestination" : "kScratch";
}

std::string position_text(const Position& position) {
  return fmt::format("{{{}, {}}}", memory_name(position.memory), position.first);
}

/// The place of index i.
Result<emit::InlineText> place_text(const axe::Layout& layout) {
  const Int size = axe::size(layout);
  const Int index = size == Int(1) ? Int(0) : Int::variable("i", 0, size.value() - 1);
  HEDDLE_TRY(const std::vector<axe::Coordinate> places, axe::places(layout, index));
  return emit::inline_text(places.front()[Axis::memory()], emit::Dialect::kCuda);
}

class Writer {
 public:
  Writer(const Plan& plan, NcclProgram program, const ElementType& element,
         const Operation& operation, std::string name)
      : plan_(plan),
        program_(std::move(program)),
        element_(element),
        operation_(operation),
        name_(std::move(name)) {}

  Result<std::string> text() && {
    write_head();
    for (std::size_t i = 0; i < program_.kernels.size(); ++i) HEDDLE_CHECK(write_kernel(i));
    for (std::size_t i = 0; i < program_.rounds.size(); ++i) write_tables(i);
    text_ += fmt::format("\n}}  // namespace {}_parts\n", name_);
    write_scratch();
    if (!program_.splits.empty()) write_groups();
    write_function();
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    text_ += fmt::format(format, std::forward<Values>(values)...);
  }

  void write_head() {
    add("// A tensor of shape ({}) from {} devices to {}, by NCCL.\n//\n",
        fmt::join(plan_.to().shape(), ","), plan_.from().devices().size(),
        plan_.to().devices().size());
    const auto lines = lines_of(plan_);
    for (const auto& [title, line] : lines) add("//   {:<14}  {}\n", title, line);
    const bool are_numbers = plan_.devices().back() + 1 == std::ssize(plan_.devices());
    if (!are_numbers) {
      add("//\n// The ranks 0, 1, … are the devices {}.\n", fmt::join(plan_.devices(), ", "));
    }
    text_ += "\n#include <cuda_runtime.h>\n";
    if (const auto header = header_of(element_); !header.empty()) add("#include <{}>\n", header);
    text_ += "#include <nccl.h>\n\n#include <cstddef>\n#include <cstdint>\n\n";
    const bool is_known = !element_.nccl.empty();
    add("namespace {}_parts {{\n\nusing T = {};\n", name_, element_.cuda);
    add("constexpr ncclDataType_t kType = {};\n", is_known ? element_.nccl : "ncclUint8");
    add("// The number of NCCL's elements in one of these.\n");
    add("constexpr std::size_t kCountOfElement = {};\n", is_known ? 1 : element_.bits / 8);
    text_ += kHelpers;
  }

  Result<void> write_kernel(std::size_t number) {
    const CopyKernel& kernel = program_.kernels[number];
    HEDDLE_TRY(const emit::InlineText read, place_text(kernel.read));
    HEDDLE_TRY(const emit::InlineText written, place_text(kernel.written));
    const std::int64_t size = axe::size(kernel.read).value();
    constexpr std::int64_t kBlock = 256;
    const bool is_narrow = emit::fits_32_bits(emit::range_on_the_way(read.kernel)) &&
                           emit::fits_32_bits(emit::range_on_the_way(written.kernel)) &&
                           size < INT32_MAX - kBlock;
    add("\n// From {} to {}.\n", to_string(kernel.read), to_string(kernel.written));
    add("__global__ void copy_{}(const T* from, T* to) {{\n", number);
    add("  const {0} i = static_cast<{0}>(blockIdx.x) * static_cast<{0}>(blockDim.x) +\n"
        "      static_cast<{0}>(threadIdx.x);\n",
        is_narrow ? "int" : "long long");
    add("  if (i >= {}) return;\n", size);
    write_action(kernel.action, read.text, written.text);
    text_ += "}\n";
    return {};
  }

  void write_action(Action action, const std::string& read, const std::string& written) {
    if (action == Action::kCopy) {
      add("  to[{}] = from[{}];\n", written, read);
      return;
    }
    add("  T& a = to[{}];\n", written);
    if (action == Action::kDivide) {
      add("  a = static_cast<T>(a / static_cast<T>({}));\n", plan_.averaged_over());
      text_.insert(text_.rfind("  T& a"), "  (void)from;\n");
    } else {
      add("  const T b = from[{}];\n  a = static_cast<T>({});\n", read, operation_.expression);
    }
  }

  // ---- tables ----

  void write_copies(std::string_view name, std::size_t round, std::span<const CopyCall> calls) {
    if (calls.empty()) return;
    add("const Copy k{}{}[] = {{\n", name, round);
    for (const CopyCall& call : calls) {
      const std::string kernel = call.kernel ? fmt::format("copy_{}", *call.kernel) : "nullptr";
      add("    {{{}, {}, {}, {}, {}}},\n", call.rank, kernel, call.elements,
          position_text(call.from), position_text(call.to));
    }
    text_ += "};\n";
  }

  void write_messages(std::size_t number, std::span<const Message> messages) {
    if (messages.empty()) return;
    add("const Message kMessages{}[] = {{\n", number);
    for (const Message& message : messages) {
      add("    {{{}, {}, {}, {}, {}}},\n", message.from, message.to, message.elements,
          position_text(message.sent), position_text(message.received));
    }
    text_ += "};\n";
  }

  void write_parts(std::size_t number, const CollectiveCall& call) {
    add("const Part kParts{}[] = {{\n", number);
    for (const Part& part : call.parts) {
      add("    {{{}, {}, {}}},\n", position_text(part.sent), position_text(part.received),
          part.root);
    }
    text_ += "};\n";
  }

  void write_tables(std::size_t number) {
    const Round& round = program_.rounds[number];
    add("\n// {}\n", round.title);
    write_copies("Before", number, round.before);
    write_messages(number, round.messages);
    if (round.collective) write_parts(number, *round.collective);
    write_copies("After", number, round.after);
  }

  // ---- functions ----

  void write_scratch() {
    add("\n// The elements of scratch memory that a rank has to give.\n");
    add("inline long long {}_scratch(int rank) {{\n", name_);
    add("  static const long long elements[] = {{{}}};\n  return elements[rank];\n}}\n",
        fmt::join(program_.scratch, ", "));
  }

  void write_groups() {
    const std::size_t count = program_.splits.size();
    add("\n// The {} communicator{} of the groups in which ranks do something together; null "
        "where\n"
        "// a rank is in none. It is called once, by all ranks.\n",
        count, count == 1 ? "" : "s");
    add("inline ncclResult_t {}_groups(ncclComm_t comm, int rank, ncclComm_t* groups) {{\n", name_);
    add("  static const int colors[][{}] = {{\n", program_.scratch.size());
    for (const auto& split : program_.splits) {
      std::vector<std::string> colors;
      for (const auto& group : split) {
        colors.push_back(group ? std::to_string(*group) : "NCCL_SPLIT_NOCOLOR");
      }
      add("      {{{}}},\n", fmt::join(colors, ", "));
    }
    add("  }};\n  for (int i = 0; i < {}; ++i) {{\n", count);
    add("    const ncclResult_t result =\n"
        "        ncclCommSplit(comm, colors[i][rank], rank, &groups[i], nullptr);\n"
        "    if (result != ncclSuccess) return result;\n  }}\n  return ncclSuccess;\n}}\n");
  }

  void write_function() {
    const bool has_groups = !program_.splits.empty();
    add("\ninline ncclResult_t {0}(const {1}* source, {1}* destination, {1}* scratch,\n"
        "    ncclComm_t comm, {2}cudaStream_t stream, int rank) {{\n",
        name_, element_.cuda, has_groups ? "const ncclComm_t* groups, " : "");
    add("  using namespace {}_parts;\n", name_);
    text_ += "  const Memories memories = {source, destination, scratch};\n";
    text_ += "  ncclResult_t result = ncclSuccess;\n";
    for (std::size_t i = 0; i < program_.rounds.size(); ++i) write_round(i);
    if (program_.rounds.empty()) text_ += "  (void)memories, (void)stream, (void)rank;\n";
    if (!uses_comm_) text_ += "  (void)comm;\n";
    text_ += "  return result;\n}\n";
  }

  void write_call(const std::string& call) {
    add("  result = {};\n  if (result != ncclSuccess) return result;\n", call);
  }

  void write_round(std::size_t number) {
    const Round& round = program_.rounds[number];
    add("\n  // {}\n", round.title);
    if (!round.before.empty()) {
      write_call(fmt::format("run(kBefore{}, memories, stream, rank)", number));
    }
    if (!round.messages.empty()) {
      uses_comm_ = true;
      write_call(fmt::format("exchange(kMessages{}, memories, comm, stream, rank)", number));
    }
    if (round.collective) write_collective(number, *round.collective);
    if (!round.after.empty()) {
      write_call(fmt::format("run(kAfter{}, memories, stream, rank)", number));
    }
  }

  void write_collective(std::size_t number, const CollectiveCall& call) {
    uses_comm_ |= !call.split;
    const std::string comm = call.split ? fmt::format("groups[{}]", *call.split) : "comm";
    const std::string operation =
        call.reduces ? fmt::format("{}, ", program_.nccl_averages ? "ncclAvg" : operation_.nccl)
                     : "";
    const std::string part = fmt::format("kParts{}[rank]", number);
    if (call.split) add("  if ({} != nullptr) {{\n", comm);
    add("  result = {0}(memories.at({1}.sent), memories.at({1}.received),\n"
        "      {2} * kCountOfElement, kType, {3}{4}{5}, stream);\n",
        call.function, part, call.elements, operation, call.has_root ? part + ".root, " : "", comm);
    if (call.split) text_ += "  }\n";
    text_ += "  if (result != ncclSuccess) return result;\n";
  }

  const Plan& plan_;
  NcclProgram program_;
  const ElementType& element_;
  const Operation& operation_;
  std::string name_;
  std::string text_;
  bool uses_comm_ = false;
};

}  // namespace

Result<std::string> nccl_text(const Plan& plan, const SourceOptions& options) {
  HEDDLE_TRY(const ElementType element, element_of(plan, options.element));
  const Operation operation = operation_of(plan, element);
  HEDDLE_TRY(NcclProgram program, nccl_program(plan));
  return Writer(plan, std::move(program), element, operation, options.name).text();
}

}  // namespace heddle::distribute

// Compiles a kernel for the host, and runs it under watch. It is loaded in a process of its own,
// for it may do anything.

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "checker/archive.h"
#include "checker/child.h"
#include "checker/models.h"
#include "checker/watch.h"
#include "core/text.h"
#include "heddle/checker/checker.h"
#include "kernel/device/host_compiler.h"
#include "kernel/device/programs.h"
#include "kernel/source/intrinsics.h"

namespace heddle::checker {

namespace {

constexpr std::string_view kSource = "kernel.cu";
/// Calls return to where they are written, and every access and piece of code calls a hook.
/// Pieces of code stay in the order of the text, registers that nothing has written hold a pattern,
/// and vectors and indices are checked before they are optimised.
constexpr std::string_view kHostOptions =
    "-x c++ -std=c++17 -O1 -g1 -w -fPIC -c -fno-optimize-sibling-calls -fno-strict-aliasing "
    "-fno-finite-loops -fno-reorder-blocks -ffp-contract=off "
    "-fsanitize=thread,alignment,bounds "
    "-fsanitize-coverage=trace-pc -ftrivial-auto-var-init=pattern -DHEDDLE_INSTRUMENTED -include";

/// `As` of `_ZZ4gemmE2As`.
std::string variable_of(const char* symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = text != nullptr ? text : symbol;
  std::free(text);  // NOLINT: it is of malloc()
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// The tables of an object file of 64 bits, as its bytes have them.
class ObjectFile {
 public:
  explicit ObjectFile(std::string bytes) : bytes_(std::move(bytes)) {
    const auto& header = *at<Elf64_Ehdr>(0);
    sections_ = std::span(at<Elf64_Shdr>(header.e_shoff), header.e_shnum);
    names_ = sections_[header.e_shstrndx].sh_offset;
  }

  /// The image of a library that is loaded at a place, and the arrays in its shared memory.
  [[nodiscard]] Image image(std::byte* base) const {
    Image image{.first = base};
    for (const Elf64_Shdr& section : sections_) {
      if ((section.sh_flags & SHF_ALLOC) == 0) continue;
      image.bytes = std::max<std::size_t>(image.bytes, section.sh_addr + section.sh_size);
      if (!is_shared(section)) continue;
      image.shared = base + section.sh_addr;
      image.shared_bytes = section.sh_size;
    }
    return image;
  }
  [[nodiscard]] std::vector<Window> shared_arrays(std::byte* base) const {
    std::vector<Window> windows;
    for (const Elf64_Shdr& table : sections_) {
      if (table.sh_type != SHT_SYMTAB) continue;
      const std::size_t strings = sections_[table.sh_link].sh_offset;
      for (const Elf64_Sym& symbol :
           std::span(at<Elf64_Sym>(table.sh_offset), table.sh_size / sizeof(Elf64_Sym))) {
        const bool is_object = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT;
        if (!is_object || symbol.st_shndx >= sections_.size()) continue;
        if (!is_shared(sections_[symbol.st_shndx])) continue;
        const std::string name = variable_of(at<char>(strings + symbol.st_name));
        if (name.starts_with("heddle_red_zone_")) continue;
        windows.emplace_back(name, base + symbol.st_value,
                             static_cast<std::int64_t>(symbol.st_size), 0, true);
      }
    }
    return windows;
  }

 private:
  template <class Entry>
  [[nodiscard]] const Entry* at(std::size_t offset) const {
    return reinterpret_cast<const Entry*>(bytes_.data() +
                                          offset);  // NOLINT: as the linker wrote it
  }
  [[nodiscard]] bool is_shared(const Elf64_Shdr& section) const {
    return std::string_view(at<char>(names_ + section.sh_name)) == "heddle_shared";
  }

  std::string bytes_;
  std::span<const Elf64_Shdr> sections_;
  std::size_t names_ = 0;
};

/// The words of a text that are names.
std::set<std::string, std::less<>> names_in(std::string_view text) {
  std::set<std::string, std::less<>> names;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (auto at = text.begin(); at != text.end();) {
    const auto first = std::find_if(at, text.end(), is_part);
    at = std::find_if_not(first, text.end(), is_part);
    names.emplace(first, at);
  }
  return names;
}

/// `extern __shared__ float memory[];` is given its bytes.
std::string with_dynamic_memory(std::string_view source, std::int64_t bytes) {
  static const std::regex pattern(
      R"(extern\s+__shared__((?:\s+__align__\([^)]*\))?)\s+([\w\s]+?)\s+(\w+)\s*\[\s*\]\s*;)");
  return std::regex_replace(std::string(source), pattern,
                            fmt::format("__shared__$1 $2 $3[{} / sizeof($2)];", bytes));
}

/// A file's name as a literal; one that has no place in a literal is not told.
std::string quoted(std::string_view file) {
  const bool is_plain = std::ranges::none_of(
      file, [](char c) { return c == '"' || c == '\\' || c == '\n' || c == '?'; });
  return fmt::format("\"{}\"", is_plain ? file : kSource);
}

/// Lines that `#line` gives the same number are told apart by their columns, for places consist of
/// both (models/host.h): each begins a column later than the one before it.
std::string with_columns(std::string_view source) {
  constexpr std::size_t kMostColumns = 1000;
  std::map<std::string_view, std::size_t> lines;
  std::string text;
  std::size_t columns = 0;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(source.size(), line.size() + 1));
    text += fmt::format("{:{}}{}\n", "", columns, line);
    columns = line.starts_with("#line ") ? std::min(lines[line]++, kMostColumns) : 0;
  }
  return text;
}

/// The source with what it calls in front of it, and what calls the kernel behind it.
std::string host_source(std::string_view source, std::string_view kernel, std::int64_t bytes,
                        std::string_view file) {
  std::string text;
  const auto names = names_in(source);
  for (const kernel::Intrinsic& each : kernel::intrinsics()) {
    if (each.instruction == nullptr || !names.contains(each.name)) continue;
    text += fmt::format("HEDDLE_{}MMA({})\n", each.name.starts_with("mma_sp") ? "SPARSE_" : "",
                        each.name);
  }
  text += fmt::format("#line 1 {}\n{}\n", quoted(file),
                      with_columns(with_dynamic_memory(source, bytes)));
  // Compilers keep the order of arrays or turn it around: red zones stand on both sides of each.
  text += "HEDDLE_SHARED unsigned char heddle_red_zone_last[1024] = {};\n";
  text += fmt::format(
      "extern \"C\" void heddle_call(void** arguments) {{ cuda_call(&{0}, arguments); }}\n"
      "extern \"C\" int heddle_sizes(unsigned long* sizes) {{ return cuda_sizes(&{0}, sizes); }}\n",
      kernel);
  return text;
}

Result<void> run_compiler(std::vector<std::string> words, const kernel::TemporaryFolder& folder) {
  const std::string compiler = words.front();
  const std::string log = folder.file("log");
  const auto has_succeeded = kernel::run_program(std::move(words), log);
  if (has_succeeded && *has_succeeded) return {};
  return refuse(
      Diagnostic("kernel.compile", "the host's C++ compiler rejects the source of the kernel")
          .with_note(fmt::format(
              "{} says: {}", compiler,
              has_succeeded ? shortened(kernel::contents(log), 2000) : has_succeeded.error())));
}

/// Instrumented, and linked without the library that such code has its hooks of.
Result<void> compile_library(std::string_view source, const kernel::TemporaryFolder& folder) {
  HEDDLE_TRY(const std::vector<std::string> compiler, kernel::find_compiler(kernel::kCxxCompilers));
  for (const auto& [name, text] : model_texts()) {
    HEDDLE_CHECK(kernel::write_text(folder.file(name), text));
  }
  HEDDLE_CHECK(kernel::write_text(folder.file(kSource), source));
  std::vector<std::string> words = compiler;
  std::istringstream options{std::string(kHostOptions)};
  for (std::string word; options >> word;) words.push_back(std::move(word));
  words.insert(words.end(),
               {folder.file("cuda_on_cpu.h"), "-o", folder.file("object"), folder.file(kSource)});
  HEDDLE_CHECK(run_compiler(std::move(words), folder));
  words = compiler;
  words.insert(words.end(), {"-shared", "-fPIC", "-O1", "-o", folder.file("library"),
                             folder.file("object"), "-x", "c++", folder.file("steps.h")});
  return run_compiler(std::move(words), folder);
}

/// Memory for all arguments, each far from the others, which a child has in common with this
/// process, and in front of them the position of what runs. Pages that are not touched cost
/// nothing.
class Arena {
 public:
  explicit Arena(std::span<const Argument> arguments) {
    for (const Argument& each : arguments) {
      places_.push_back(bytes_ + kGap);
      if (each.is_memory) bytes_ += kGap + (each.bytes.size() + kPage - 1) / kPage * kPage;
    }
    bytes_ += kGap;
    void* const made = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made != MAP_FAILED) first_ = static_cast<std::byte*>(made);  // NOLINT: POSIX's macro
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    if (first_ != nullptr) munmap(first_, bytes_);
  }
  [[nodiscard]] bool is_made() const { return first_ != nullptr; }
  [[nodiscard]] std::byte* place(std::size_t argument) const { return first_ + places_[argument]; }
  [[nodiscard]] Position& position() const {
    return *reinterpret_cast<Position*>(first_);  // NOLINT: nothing else is there
  }

 private:
  static constexpr std::size_t kGap = std::size_t{1} << 24;
  static constexpr std::size_t kPage = 4096;
  std::vector<std::size_t> places_;
  std::size_t bytes_ = 0;
  std::byte* first_ = nullptr;
};

/// A shared library that is closed in the end.
class Library {
 public:
  explicit Library(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  [[nodiscard]] void* handle() const { return handle_; }
  template <class Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));  // NOLINT: POSIX says that it is one
  }
  /// Where it is; nullptr if it is no kernel's.
  [[nodiscard]] std::byte* base() const {
    Dl_info info{};
    if (handle_ == nullptr || dladdr(dlsym(handle_, "heddle_host"), &info) == 0) return nullptr;
    return static_cast<std::byte*>(info.dli_fbase);
  }

 private:
  void* handle_;
};

/// What a compiled kernel takes, or why it cannot be loaded.
struct Loaded {
  std::string error;
  std::vector<unsigned long> sizes;
};
template <class Archive>
void visit(Archive& archive, Loaded& loaded) {
  archive(loaded.error, loaded.sizes);
}

template <class Value>
std::string archived(Value value) {
  Writer writer;
  writer(value);
  return std::move(writer).bytes();
}
template <class Value>
Value unarchived(std::string_view bytes) {
  Value value;
  Reader reader(bytes);
  reader(value);
  return value;
}

Loaded load(const std::string& path) {
  const Library library(path);
  if (library.base() == nullptr) {
    const char* const why = dlerror();
    return {why == nullptr ? "it has no host" : why, {}};
  }
  auto* const sizes_of = library.function<int(unsigned long*)>("heddle_sizes");
  Loaded loaded{{}, std::vector<unsigned long>(static_cast<std::size_t>(sizes_of(nullptr)))};
  sizes_of(loaded.sizes.data());
  return loaded;
}

}  // namespace

struct Program::State {
  std::string kernel;
  kernel::TemporaryFolder folder;
  std::vector<unsigned long> sizes;

  [[nodiscard]] Result<void> check(const Launch& launch, std::span<const Argument> arguments) const;
  [[nodiscard]] Report run(const Launch& launch, std::span<Argument> arguments, const Arena& arena,
                           const RunOptions& options) const;
  void find_lines(Report& report) const;
  [[nodiscard]] std::map<std::uint32_t, std::string> lines_of(
      const std::set<std::uint32_t>& offsets) const;
};

Result<Program> Program::compile(std::string_view source, std::string_view kernel,
                                 std::int64_t dynamic_bytes, std::string_view file) {
  constexpr std::int64_t kLongestLoad = 60;
  if (!names_in(source).contains(kernel)) {
    return refuse("kernel.unknown", fmt::format("the source has no kernel '{}'", kernel));
  }
  HEDDLE_TRY(kernel::TemporaryFolder folder, kernel::TemporaryFolder::make());
  HEDDLE_CHECK(compile_library(host_source(source, kernel, dynamic_bytes, file), folder));
  HEDDLE_TRY(const ChildResult child,
             in_child([&] { return archived(load(folder.file("library"))); }, kLongestLoad));
  Loaded loaded{child.is_late ? "it is still loaded after a minute" : "it " + child.end, {}};
  if (child.is_whole) loaded = unarchived<Loaded>(child.written);
  if (!loaded.error.empty()) {
    return refuse("kernel.compile",
                  fmt::format("the compiled kernel cannot be loaded: {}", loaded.error));
  }
  return Program(std::make_shared<const State>(
      State{std::string(kernel), std::move(folder), std::move(loaded.sizes)}));
}

Result<void> Program::State::check(const Launch& launch,
                                   std::span<const Argument> arguments) const {
  constexpr std::uint64_t kMostThreads = 1024;
  const auto& [x, y, z] = launch.threads;
  const std::uint64_t threads = std::uint64_t{x} * y * z;
  if (threads == 0 || threads > kMostThreads) {
    return refuse("kernel.launch", fmt::format("a block has 1 to {} threads, and {} are requested",
                                               kMostThreads, threads));
  }
  if (arguments.size() != sizes.size()) {
    return refuse("kernel.arguments",
                  fmt::format("{} takes {}, and {} are given", kernel,
                              counted(sizes.size(), "argument"), arguments.size()));
  }
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    const std::size_t given = arguments[i].is_memory ? sizeof(void*) : arguments[i].bytes.size();
    if (given == sizes[i]) continue;
    return refuse("kernel.arguments",
                  fmt::format("argument {} of {}, {}, has {}, and {} are given", i + 1, kernel,
                              arguments[i].name, counted(sizes[i], "byte"), given));
  }
  return {};
}

/// In a process that does nothing else.
Report Program::State::run(const Launch& launch, std::span<Argument> arguments, const Arena& arena,
                           const RunOptions& options) const {
  const Library library(folder.file("library"));
  const ObjectFile object(kernel::contents(folder.file("library")));
  std::vector<Window> windows = object.shared_arrays(library.base());
  std::vector<void*> pointers;
  for (std::size_t i = 0; i != arguments.size(); ++i) pointers.push_back(arena.place(i));
  std::vector<void*> addresses;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    Argument& each = arguments[i];
    addresses.push_back(each.is_memory ? static_cast<void*>(&pointers[i]) : each.bytes.data());
    if (!each.is_memory) continue;
    windows.emplace_back(each.name, arena.place(i), std::ssize(each.bytes), each.element_bytes,
                         false, each.is_read_only);
  }
  Watch watch(object.image(library.base()), std::move(windows), options);
  Crew crew(watch, options.is_backwards ? ThreadOrder::kLastFirst : ThreadOrder::kFirstFirst);
  watch.set_crew(crew);
  crew.allow_steps(options.steps);
  crew.allow_seconds(options.seconds);
  crew.tell_position(arena.position());
  std::atexit(Crew::end_by_exit);
  std::at_quick_exit(Crew::end_by_exit);
  crew.join(library.handle());
  auto* const call = library.function<void(void**)>("heddle_call");
  crew.run([&] { call(addresses.data()); }, launch.blocks, launch.threads);
  return watch.report();
}

namespace {

/// Of a run that could not report itself.
Report ended(const ChildResult& child, const Position& position, const RunOptions& options) {
  const std::string who = fmt::format("thread {} of block ({},{},{})", position.thread,
                                      position.block.x, position.block.y, position.block.z);
  Report report;
  report.findings = {child.is_late
                         ? Finding{FindingKind::kTooLong,
                                   fmt::format("{} still runs, and is stopped: {} s have gone by",
                                               who, options.seconds)}
                         : Finding{FindingKind::kFault, fmt::format("{} {}", who, child.end)}};
  return report;
}

}  // namespace

Result<Report> Program::run(const Launch& launch, std::span<Argument> arguments,
                            const RunOptions& options) const {
  // A thread that can be stopped is stopped before.
  constexpr std::int64_t kGrace = 2;
  HEDDLE_CHECK(state_->check(launch, arguments));
  const Arena arena(arguments);
  if (!arena.is_made()) {
    return refuse("kernel.no_device", "there is not enough memory for the arguments");
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (arguments[i].is_memory) std::ranges::copy(arguments[i].bytes, arena.place(i));
  }
  const auto work = [&] { return archived(state_->run(launch, arguments, arena, options)); };
  HEDDLE_TRY(const ChildResult child, in_child(work, options.seconds + kGrace));
  Report report =
      child.is_whole ? unarchived<Report>(child.written) : ended(child, arena.position(), options);
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (!arguments[i].is_memory) continue;
    std::copy_n(arena.place(i), arguments[i].bytes.size(), arguments[i].bytes.begin());
  }
  state_->find_lines(report);
  return report;
}

namespace {

/// Calls with each offset of a `{+1f0+2c4}` until it gives something, and puts that in its place.
template <class Line>
std::string with_lines(const std::string& message, const Line& line) {
  std::string text;
  std::size_t done = 0;
  for (std::size_t at = message.find("{+"); at != std::string::npos;
       at = message.find("{+", done)) {
    const std::size_t end = message.find('}', at);
    text += message.substr(done, at - done);
    std::string found;
    for (std::size_t next = at + 1; next < end && found.empty();
         next = message.find('+', next + 1)) {
      found = line(static_cast<std::uint32_t>(std::stoul(message.substr(next + 1), nullptr, 16)));
    }
    text += found.empty() ? message.substr(at + 1, end - at - 1) : found;
    done = end + 1;
  }
  return text + message.substr(done);
}

}  // namespace

namespace {

/// Whether a function is not the kernel's but one of those that instrumented code calls.
bool is_of_models(std::string_view function) {
  constexpr std::string_view kBegins[] = {"heddle_", "__tsan_", "__ubsan_", "__sanitizer_"};
  return std::ranges::any_of(kBegins, [&](auto begin) { return function.starts_with(begin); });
}

}  // namespace

std::map<std::uint32_t, std::string> Program::State::lines_of(
    const std::set<std::uint32_t>& offsets) const {
  std::map<std::uint32_t, std::string> lines;
  const auto tool = kernel::in_search_path("addr2line");
  if (!tool || offsets.empty()) return lines;
  std::vector<std::string> words = {*tool, "-f", "-e", folder.file("library")};
  for (const std::uint32_t offset : offsets) words.push_back(fmt::format("{:#x}", offset));
  const std::string log = folder.file("lines");
  if (!kernel::run_program(std::move(words), log).value_or(false)) return lines;
  std::istringstream stream(kernel::contents(log));
  for (const std::uint32_t offset : offsets) {
    std::string function;
    std::string line;
    std::getline(stream, function);
    std::getline(stream, line);
    line.resize(std::min(line.find(" ("), line.size()));
    if (line.starts_with("?") || line.ends_with("?")) continue;
    line.erase(0, line.rfind('/') + 1);
    if (!is_of_models(function)) lines[offset] = line;
  }
  return lines;
}

void Program::State::find_lines(Report& report) const {
  std::set<std::uint32_t> offsets;
  for (const Site& site : report.sites) offsets.insert(site.offset);
  for (const SiteTraffic& place : report.places) offsets.insert(place.offset);
  for (const auto* all : {&report.findings, &report.suspicions}) {
    for (const Finding& each : *all) {
      with_lines(each.message, [&](std::uint32_t offset) {
        offsets.insert(offset);
        return "";
      });
    }
  }
  std::map<std::uint32_t, std::string> lines = lines_of(offsets);
  for (Site& site : report.sites) {
    if (site.line.empty()) site.line = lines[site.offset];
  }
  for (SiteTraffic& place : report.places) {
    if (place.line.empty()) place.line = lines[place.offset];
  }
  for (auto* all : {&report.findings, &report.suspicions}) {
    for (Finding& each : *all) {
      each.message = with_lines(each.message, [&](std::uint32_t offset) { return lines[offset]; });
    }
  }
}

}  // namespace heddle::checker

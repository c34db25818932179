#include "files/reshard/sources.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/format.h"
#include "core/printable.h"
#include "core/text.h"
#include "files/disk.h"
#include "files/formats.h"
#include "files/reshard/checksum.h"

namespace heddle::files {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view kShape = "heddle.shape.";

/// The numbers of `10,4`; nullopt for other texts.
std::optional<std::vector<std::int64_t>> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split_at_commas(text)) {
    const auto number = integer_in(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// What is said of a tensor under this name.
std::string_view said_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string_view() : std::string_view(found->second);
}

/// The number that a text begins with, without leading zeros; empty if it begins with none.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_digit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

/// Whether one name comes before another one, with numbers by their value: 9 before 10.
bool comes_before(const std::string& first, const std::string& second) {
  std::string_view a = first;
  std::string_view b = second;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_digits(a);
      const std::string_view y = take_digits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() != b.size() ? a.size() < b.size() : first < second;
}

/// The files of a folder whose names are of this pattern. Refuses `file.unreadable`.
Result<std::vector<std::string>> files_in(const fs::path& folder, std::string_view pattern) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), last; !error && at != last;
       at.increment(error)) {
    const std::string name = at->path().filename();
    if (matches(pattern, name)) names.push_back(folder / name);
  }
  if (error) return unreadable(folder.empty() ? "." : folder.string(), error.message());
  std::ranges::sort(names, comes_before);
  return names;
}

/// The files that one argument names.
Result<std::vector<std::string>> files_of(const std::string& argument) {
  const fs::path path(argument);
  std::error_code ignored;
  std::vector<std::string> names = {argument};
  if (fs::is_directory(path, ignored)) {
    HEDDLE_TRY(names, files_in(path, "*.safetensors"));
  } else if (const std::string name = path.filename(); name.find('*') != std::string::npos) {
    HEDDLE_TRY(names, files_in(path.parent_path(), name));
  }
  if (!names.empty()) return names;
  return refuse(diagnose("reshard.files", "{} matches no safetensors file", printable(argument))
                    .with_hint("a checkpoint is given as files, a pattern such as "
                               "'model-*.safetensors', or a folder"));
}

/// What the order of names goes by in the languages of most people: letters and digits alone.
std::string letters_and_digits(const std::string& name) {
  std::string key;
  for (const char c : name) {
    if (is_digit(c) || (c >= 'a' && c <= 'z')) key += c;
    if (c >= 'A' && c <= 'Z') key += static_cast<char>(c - 'A' + 'a');
  }
  return key;
}

/// A shell puts the names that a pattern stands for into an order in which 10 comes before 2. Then
/// the devices would get the files of one another, and shards of one shape do not tell. An order
/// that is of no shell is somebody's own.
Result<void> check_order(std::span<const std::string> paths) {
  const auto early = std::ranges::adjacent_find(
      paths, [](const auto& a, const auto& b) { return comes_before(b, a); });
  const bool is_of_shell =
      std::ranges::is_sorted(paths) || std::ranges::is_sorted(paths, {}, letters_and_digits);
  if (early == paths.end() || !is_of_shell) return {};
  return refuse(
      diagnose("reshard.files", "the files are sorted as text, {} before {}", printable(*early),
               printable(*std::next(early)))
          .with_note("the files must be in ascending order of the devices")
          .with_hint("name the folder, or put the pattern in quotes: they are read in the natural "
                     "order of the names, 2 before 10"));
}

/// How many files are needed, and how many there are.
Result<void> check_count(std::span<const std::string> paths,
                         std::span<const std::int64_t> devices) {
  if (devices.size() == 1 || paths.size() == devices.size()) return {};
  // Where the number is right, a file may be on the host of another process.
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (fs::exists(path, ignored)) continue;
    const bool is_file = fs::path(path).has_extension();
    return refuse(
        diagnose("reshard.files", "there is no such {}: {}", is_file ? "file" : "folder",
                 printable(path))
            .with_hint("a checkpoint is files, a pattern as 'model-*.safetensors', or a folder"));
  }
  return refuse(
      diagnose("reshard.files", "{} named, and the source has {}",
               paths.size() == 1 ? "1 file is" : fmt::format("{} files are", paths.size()),
               counted(static_cast<std::int64_t>(devices.size()), "device"))
          .with_note(
              fmt::format("the files, in the order of the devices: {}",
                          shortened(printable(fmt::format("{}", fmt::join(paths, ", "))), 400)))
          .with_hint("name one file for each device of the source's meshes, or a folder of them"));
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  // Between two stars the first place that fits is as good as any later one.
  while (true) {
    const std::size_t next = pattern.find('*');
    if (next == std::string_view::npos) return text.ends_with(pattern);
    const std::size_t found = text.find(pattern.substr(0, next));
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + next);
    pattern.remove_prefix(next + 1);
  }
}

std::pair<std::string, std::string> stated_shape(std::string_view tensor,
                                                 std::span<const std::int64_t> shape) {
  return {std::string(kShape) + std::string(tensor), fmt::format("{}", fmt::join(shape, ","))};
}

void erase_of_tensors(Metadata& metadata) {
  std::erase_if(metadata, [](const auto& entry) {
    const bool is_sum = entry.first.starts_with(checksum_key("")) && is_checksum(entry.second);
    return is_sum || entry.first.starts_with(kShape);
  });
}

Result<std::vector<std::string>> checkpoint_files(std::span<const std::string> checkpoint) {
  std::vector<std::string> paths;
  for (const std::string& argument : checkpoint) {
    HEDDLE_TRY(const std::vector<std::string> named, files_of(argument));
    paths.insert(paths.end(), named.begin(), named.end());
  }
  if (paths.empty()) return refuse(Diagnostic("reshard.files", "no checkpoint is named"));
  return paths;
}

Result<Sources> Sources::open(std::span<const std::string> checkpoint,
                              std::span<const std::int64_t> devices, const Crew& crew) {
  Sources sources;
  const auto open_mine = [&]() -> Result<std::string> {
    HEDDLE_TRY(sources.paths_, checkpoint_files(checkpoint));
    HEDDLE_CHECK(check_count(sources.paths_, devices));
    // Patterns and folders have been put in order.
    if (devices.size() > 1 && std::ranges::equal(checkpoint, sources.paths_)) {
      HEDDLE_CHECK(check_order(sources.paths_));
    }
    sources.files_.resize(sources.paths_.size());
    std::vector<std::string> told = {joined(sources.paths_)};
    for (std::size_t file = 0; file < sources.paths_.size(); ++file) {
      sources.devices_.push_back(devices.size() == 1 ? devices.front() : devices[file]);
      if (!crew.is_mine(sources.devices_.back())) continue;
      HEDDLE_TRY(const std::string text, sources.opened(file));
      told.push_back(text);
    }
    return joined(told);
  };
  HEDDLE_TRY(const std::vector<std::string> all, crew.gather(open_mine()));
  std::vector<std::vector<std::string>> by_process;
  for (const std::string& told : all) {
    by_process.push_back(separated(told));
    if (by_process.back().front() == by_process.front().front()) continue;
    return refuse(Diagnostic("reshard.files", "the processes do not see the same files")
                      .with_hint("name them one by one, by the names that all hosts have"));
  }
  // Behind the names comes what each process has found in its own files.
  std::vector<std::size_t> next(all.size(), 1);
  for (std::size_t file = 0; file < sources.paths_.size(); ++file) {
    const std::size_t process = crew.process_of(sources.devices_[file]);
    HEDDLE_CHECK(sources.add(file, by_process[process].at(next[process]++)));
  }
  sources.metadata_ = sources.common_.value_or(Metadata());
  return sources;
}

Result<std::string> Sources::opened(std::size_t file) {
  const auto in_file = [&](const Diagnostic& why) {
    return Diagnostic(why).with_note("in the file " + printable(paths_[file]));
  };
  auto mapped = TensorFile::open(paths_[file]);
  if (!mapped) {
    return refuse(mapped.error().code() == "file.unreadable" ? mapped.error()
                                                             : in_file(mapped.error()));
  }
  // What is no file of safetensors is refused by its reader.
  if (const auto contents = safetensors_contents(mapped->all()); !contents) {
    return refuse(in_file(contents.error()));
  }
  const std::string_view beginning = safetensors_beginning(mapped->all());
  std::error_code ignored;
  const auto changed = fs::last_write_time(paths_[file], ignored).time_since_epoch().count();
  const std::vector<std::string> told = {std::string(beginning),
                                         std::to_string(mapped->all().size() - beginning.size()),
                                         std::to_string(changed)};
  files_[file] = *std::move(mapped);
  return joined(told);
}

Result<void> Sources::add(std::size_t file, const std::string& told) {
  const std::vector<std::string> parts = separated(told);
  const auto data = static_cast<std::size_t>(integer_in(parts.at(1)).value_or(0));
  HEDDLE_TRY(const Contents contents, safetensors_contents(parts.at(0), data));
  identity_ += told;
  auto& of_device = tensors_[devices_[file]];
  for (const Tensor& tensor : contents.tensors) {
    SourceTensor source{tensor, file, {}, {}};
    const std::string_view checksum = said_of(contents.metadata, checksum_key(tensor.name));
    if (is_checksum(checksum)) source.checksum = checksum;
    source.whole = numbers_in(said_of(contents.metadata, stated_shape(tensor.name, {}).first));
    const auto [at, is_new] = of_device.emplace(tensor.name, std::move(source));
    if (!is_new) {
      return refuse("reshard.surplus", "the tensor {} is in {} and in {}, which are of one device",
                    printable(tensor.name), printable(path(at->second)), printable(paths_[file]));
    }
    names_.insert(tensor.name);
  }
  // What files say differently is true of none of the new ones.
  if (!common_) common_ = contents.metadata;
  std::erase_if(*common_, [&](const auto& entry) {
    const auto other = contents.metadata.find(entry.first);
    return other == contents.metadata.end() || other->second != entry.second;
  });
  erase_of_tensors(*common_);
  return {};
}

const SourceTensor* Sources::find(std::int64_t device, std::string_view name) const {
  const auto of_device = tensors_.find(device);
  if (of_device == tensors_.end()) return nullptr;
  const auto found = of_device->second.find(name);
  return found == of_device->second.end() ? nullptr : &found->second;
}

std::span<const std::byte> Sources::bytes(const SourceTensor& tensor) const {
  assert(files_[tensor.file]);
  return files_[tensor.file]->bytes(tensor.tensor);
}

std::string Sources::path_of(std::int64_t device) const {
  const auto found = std::ranges::find(devices_, device);
  return found == devices_.end() ? std::string()
                                 : paths_[static_cast<std::size_t>(found - devices_.begin())];
}

}  // namespace heddle::files

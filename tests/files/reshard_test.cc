// Checkpoints for other devices: what is written is what plain cutting gives, whatever fails leaves
// nothing under the final name, and a run that was killed is finished by the next one.

#include "heddle/files/reshard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/files/tensor_file.h"
#include "support/law.h"
#include "support/random.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using files::ReshardRequest;
using files::Specs;
using files::Tensor;
using files::TensorFile;

using Counts = std::vector<std::int64_t>;

std::int64_t product(const Counts& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// ---- Shardings, written in plain words ----

/// A mesh, and for each of its axes the dimension that it cuts, or that it replicates (-1) or is
/// partial (-2); 100 more than a dimension if it takes a part of either half of it.
struct PlainSharding {
  Counts mesh;
  Counts devices;
  Counts axes;
};

constexpr std::int64_t kReplicate = -1;
constexpr std::int64_t kPartial = -2;
constexpr std::int64_t kStrided = 100;

std::string mesh_list(const PlainSharding& sharding, std::size_t axis, std::size_t& at) {
  if (axis == sharding.mesh.size()) return std::to_string(sharding.devices[at++]);
  std::vector<std::string> parts;
  for (std::int64_t i = 0; i < sharding.mesh[axis]; ++i) {
    parts.push_back(mesh_list(sharding, axis + 1, at));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string mesh_text(const PlainSharding& sharding) {
  std::size_t at = 0;
  return fmt::format("DeviceMesh({})", mesh_list(sharding, 0, at));
}

std::string spec_text(const PlainSharding& sharding) {
  std::vector<std::string> placements;
  for (const std::int64_t axis : sharding.axes) {
    placements.push_back(axis == kReplicate ? "Replicate()"
                         : axis == kPartial ? "Partial()"
                         : axis >= kStrided
                             ? fmt::format("_StridedShard({}, sf=2)", axis - kStrided)
                             : fmt::format("Shard({})", axis));
  }
  return fmt::format("[{}]", fmt::join(placements, ", "));
}

Counts coordinate_of(const PlainSharding& sharding, std::size_t position) {
  Counts coordinate(sharding.mesh.size());
  auto rest = static_cast<std::int64_t>(position);
  for (std::size_t i = coordinate.size(); i-- > 0; rest /= sharding.mesh[i]) {
    coordinate[i] = rest % sharding.mesh[i];
  }
  return coordinate;
}

/// The piece of this number, as torch.chunk cuts it.
Counts chunk(const Counts& all, std::int64_t number, std::int64_t of) {
  const auto size = static_cast<std::int64_t>(all.size());
  const std::int64_t step = (size + of - 1) / of;
  const std::int64_t begin = std::min(size, number * step);
  return {all.begin() + begin, all.begin() + std::min(size, begin + step)};
}

/// The indices of each dimension that a device holds: each axis takes a chunk of what is left.
std::vector<Counts> indices_of(const PlainSharding& sharding, std::size_t position,
                               const Counts& shape) {
  std::vector<Counts> indices;
  for (const std::int64_t extent : shape) {
    Counts& all = indices.emplace_back(static_cast<std::size_t>(extent));
    std::iota(all.begin(), all.end(), 0);
  }
  const Counts coordinate = coordinate_of(sharding, position);
  for (std::size_t axis = 0; axis < sharding.axes.size(); ++axis) {
    const std::int64_t cut = sharding.axes[axis];
    if (cut < 0) continue;
    Counts& all = indices[static_cast<std::size_t>(cut % kStrided)];
    Counts part;
    const std::int64_t pieces = cut >= kStrided ? 2 : 1;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Counts of = chunk(chunk(all, piece, pieces), coordinate[axis], sharding.mesh[axis]);
      part.insert(part.end(), of.begin(), of.end());
    }
    all = std::move(part);
  }
  return indices;
}

// ---- Tensors, as a number for each element ----

struct PlainTensor {
  std::string name;
  std::string type;
  std::int64_t bits = 8;
  Counts shape;
  std::vector<std::uint64_t> elements;
};

/// The elements of a part, row-major.
std::vector<std::uint64_t> cut(const PlainTensor& tensor, const std::vector<Counts>& indices) {
  std::vector<std::uint64_t> part = {0};
  for (std::size_t dim = 0; dim < indices.size(); ++dim) {
    std::vector<std::uint64_t> next;
    for (const std::uint64_t before : part) {
      for (const std::int64_t index : indices[dim]) {
        next.push_back(before * static_cast<std::uint64_t>(tensor.shape[dim]) +
                       static_cast<std::uint64_t>(index));
      }
    }
    part = std::move(next);
  }
  for (std::uint64_t& element : part) element = tensor.elements[element];
  return part;
}

std::string packed(const std::vector<std::uint64_t>& elements, std::int64_t bits) {
  std::string bytes((elements.size() * static_cast<std::size_t>(bits) + 7) / 8, '\0');
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t bit = 0; bit < static_cast<std::size_t>(bits); ++bit) {
      const std::size_t at = i * static_cast<std::size_t>(bits) + bit;
      if ((elements[i] >> bit & 1) != 0)
        bytes[at / 8] = static_cast<char>(bytes[at / 8] | 1 << at % 8);
    }
  }
  return bytes;
}

/// Files of the devices of a checkpoint: by device a tensor each.
struct PlainFile {
  std::vector<Tensor> tensors;
  std::vector<std::string> bytes;
};

void add(PlainFile& file, const PlainTensor& tensor, const Counts& shape, std::string bytes) {
  Tensor& added = file.tensors.emplace_back();
  added.name = tensor.name;
  added.safetensors_type = tensor.type;
  added.element_bits = tensor.bits;
  added.shape = shape;
  added.bytes = bytes.size();
  file.bytes.push_back(std::move(bytes));
}

void write(const std::string& path, const PlainFile& file, const files::Metadata& metadata = {}) {
  const auto written = files::write_tensors(
      path, file.tensors, metadata,
      [&](std::span<const std::span<std::byte>> parts) -> Result<void> {
        for (std::size_t i = 0; i < parts.size(); ++i) {
          std::memcpy(parts[i].data(), file.bytes[i].data(), file.bytes[i].size());
        }
        return {};
      });
  ASSERT_TRUE(written) << written.error();
}

/// The part of each device, cut without the library.
std::map<std::int64_t, PlainFile> cut_up(const std::vector<PlainTensor>& tensors,
                                         const std::vector<PlainSharding>& shardings) {
  std::map<std::int64_t, PlainFile> files;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const PlainSharding& sharding = shardings[i];
    for (std::size_t position = 0; position < sharding.devices.size(); ++position) {
      const std::vector<Counts> indices = indices_of(sharding, position, tensors[i].shape);
      Counts shape;
      for (const Counts& of_dim : indices)
        shape.push_back(static_cast<std::int64_t>(of_dim.size()));
      add(files[sharding.devices[position]], tensors[i], shape,
          packed(cut(tensors[i], indices), tensors[i].bits));
    }
  }
  return files;
}

class Resharding : public testing::Test {
 protected:
  [[nodiscard]] std::string path(std::string_view name) const { return files_.path(name); }

  void write_all(std::string_view folder, const std::map<std::int64_t, PlainFile>& files) const {
    fs::create_directory(path(folder));
    for (const auto& [device, file] : files) {
      write(path(fmt::format("{}/device-{}.safetensors", folder, device)), file);
    }
  }

  /// What is wrong with the files of a folder; empty if nothing is.
  [[nodiscard]] std::string difference(const std::map<std::int64_t, PlainFile>& wanted,
                                       std::string_view folder) const {
    for (const auto& [device, file] : wanted) {
      const std::string name = path(fmt::format("{}/device-{}.safetensors", folder, device));
      const auto found = TensorFile::open(name);
      if (!found) return found.error().to_string();
      if (found->tensors().size() != file.tensors.size()) return name + " has other tensors";
      for (std::size_t i = 0; i < file.tensors.size(); ++i) {
        const auto tensor = found->find(file.tensors[i].name);
        if (!tensor) return tensor.error().to_string();
        const auto bytes = found->bytes(*tensor);
        const bool is_same = tensor->shape == file.tensors[i].shape &&
                             bytes.size() == file.bytes[i].size() &&
                             std::memcmp(bytes.data(), file.bytes[i].data(), bytes.size()) == 0;
        if (!is_same) {
          return fmt::format("{} has another {}: ({}) and ({})", name, tensor->name,
                             fmt::join(tensor->shape, ","), fmt::join(file.tensors[i].shape, ","));
        }
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }

  // In memory, where there is room: waiting for a disk takes most of the time.
  const Folder files_{access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path()};
  const fs::path& folder_ = files_.path();
};

Specs specs(std::string_view lines) {
  const auto specs = Specs::of_lines(lines);
  EXPECT_TRUE(specs) << specs.error();
  return specs.value_or(Specs());
}

// ---- Random pairs ----

struct TypeOfTest {
  std::string name;
  std::int64_t bits;
};

PlainTensor any_tensor(Random& random, std::string name) {
  const TypeOfTest type = random.one_of<TypeOfTest>(
      {{"F32", 32}, {"BF16", 16}, {"U8", 8}, {"F4", 4}, {"F64", 64}, {"F6_E2M3", 6}});
  PlainTensor tensor{std::move(name), type.name, type.bits, {}, {}};
  for (std::int64_t rank = random.between(0, 3); rank > 0; --rank) {
    tensor.shape.push_back(random.chance(5) ? 0 : random.between(1, 9));
  }
  tensor.elements.resize(static_cast<std::size_t>(product(tensor.shape)));
  for (std::uint64_t& element : tensor.elements) {
    element = static_cast<std::uint64_t>(random.between(0, INT64_MAX)) &
              (~std::uint64_t{0} >> (64 - type.bits));
  }
  return tensor;
}

PlainSharding any_sharding(Random& random, std::size_t rank, std::int64_t first_device) {
  PlainSharding sharding;
  for (std::int64_t axes = random.between(1, 3); axes > 0; --axes) {
    sharding.mesh.push_back(random.between(1, 3));
    const std::int64_t cut =
        rank == 0 ? kReplicate : random.between(-1, static_cast<std::int64_t>(rank) - 1);
    sharding.axes.push_back(cut >= 0 && random.chance(20) ? cut + kStrided : cut);
  }
  sharding.devices.resize(static_cast<std::size_t>(product(sharding.mesh)));
  std::iota(sharding.devices.begin(), sharding.devices.end(), first_device);
  random.shuffle(sharding.devices);
  return sharding;
}

TEST_F(Resharding, WritesWhatPlainCuttingGives) {
  for_all_seeds({.one_in = 25}, [&](Random& random) -> Finding {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    std::vector<PlainTensor> tensors;
    std::vector<PlainSharding> sources;
    std::vector<PlainSharding> targets;
    std::string from;
    std::string to;
    for (int i = 0; i < 3; ++i) {
      tensors.push_back(any_tensor(random, fmt::format("t{}", i)));
      const std::size_t rank = tensors.back().shape.size();
      sources.push_back(any_sharding(random, rank, random.between(0, 2)));
      targets.push_back(any_sharding(random, rank, random.between(0, 2)));
      from += fmt::format("t{}: sharding({}, {})\n", i, spec_text(sources.back()),
                          mesh_text(sources.back()));
      to += fmt::format("t{}: sharding({}, {})\n", i, spec_text(targets.back()),
                        mesh_text(targets.back()));
    }
    const auto given = cut_up(tensors, sources);
    write_all("in", given);
    ReshardRequest request;
    request.checkpoint = {path("in")};
    request.from = specs(from);
    request.to = specs(to);
    request.output = path("out");
    request.piece_bytes = random.one_of<std::int64_t>({1, 8, 64, 4 << 20});
    request.verifies = random.chance(50);
    const auto done = files::reshard(request);
    if (!done) return found(done.error(), "\n", from, "\n", to);
    for (const auto& tensor : done->tensors) {
      // Parts of elements that share bytes are rounded up to bytes.
      const bool is_rounded = tensor.plan && tensor.plan->element_bits() % 8 != 0;
      if (!is_rounded && tensor.moved.total != tensor.at_least.total) {
        return found(tensor.name, " moves more than it has to\n", from, "\n", to);
      }
    }
    const std::string wrong = difference(cut_up(tensors, targets), "out");
    if (!wrong.empty()) return found(wrong, "\n", from, "\n", to);
    if (names() != std::vector<std::string>{"in", "out"}) return found("something is left over");
    return kHolds;
  });
}

// ---- Partial values ----

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

std::uint64_t bfloat(std::int64_t value) { return bits_of(static_cast<float>(value)) >> 16; }
std::uint64_t half(std::int64_t value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(static_cast<double>(std::abs(value)), &exponent);
  const auto mantissa = static_cast<std::uint64_t>(fraction * 2048) - 1024;
  return (value < 0 ? 0x8000U : 0U) | static_cast<std::uint64_t>(exponent + 14) << 10 | mantissa;
}

struct Encoding {
  std::string type;
  std::int64_t bits;
  std::uint64_t (*encode)(std::int64_t);
};

const std::vector<Encoding>& encodings() {
  static const std::vector<Encoding> kEncodings = {
      {"F32", 32, [](std::int64_t v) { return bits_of(static_cast<float>(v)); }},
      {"F64", 64, [](std::int64_t v) { return bits_of(static_cast<double>(v)); }},
      {"BF16", 16, bfloat},
      {"F16", 16, half},
      {"I64", 64, [](std::int64_t v) { return static_cast<std::uint64_t>(v); }},
      {"I32", 32, [](std::int64_t v) { return bits_of(static_cast<std::int32_t>(v)); }},
      {"I8", 8, [](std::int64_t v) { return bits_of(static_cast<std::int8_t>(v)); }},
  };
  return kEncodings;
}

TEST_F(Resharding, ReducesPartialValues) {
  for_all_seeds({.one_in = 50}, [&](Random& random) -> Finding {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    const Encoding& encoding = random.one_of(encodings());
    PlainTensor whole{"w", encoding.type, encoding.bits, {}, {}};
    whole.shape = {random.between(1, 6), random.between(1, 6)};
    const auto size = static_cast<std::size_t>(product(whole.shape));
    PlainSharding source = any_sharding(random, 2, 0);
    source.axes[static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(source.axes.size()) - 1))] = kPartial;
    const PlainSharding target = any_sharding(random, 2, random.between(0, 3));
    // Terms so small that every type has their sums.
    std::vector<std::int64_t> sums(size);
    std::map<Counts, PlainTensor> terms;
    std::map<std::int64_t, PlainFile> given;
    for (std::size_t position = 0; position < source.devices.size(); ++position) {
      Counts partial;
      const Counts coordinate = coordinate_of(source, position);
      for (std::size_t axis = 0; axis < source.axes.size(); ++axis) {
        if (source.axes[axis] == kPartial) partial.push_back(coordinate[axis]);
      }
      const auto [at, is_new] = terms.emplace(partial, whole);
      for (std::size_t i = 0; is_new && i < size; ++i) {
        const std::int64_t value = random.between(-4, 4);
        sums[i] += value;
        at->second.elements.push_back(encoding.encode(value));
      }
      const auto indices = indices_of(source, position, whole.shape);
      const Counts shape = {static_cast<std::int64_t>(indices[0].size()),
                            static_cast<std::int64_t>(indices[1].size())};
      add(given[source.devices[position]], whole, shape,
          packed(cut(at->second, indices), whole.bits));
    }
    for (const std::int64_t sum : sums) whole.elements.push_back(encoding.encode(sum));
    write_all("in", given);
    ReshardRequest request;
    request.checkpoint = {path("in")};
    request.from = Specs::of(spec_text(source), mesh_text(source)).value();
    request.to = Specs::of(spec_text(target), mesh_text(target)).value();
    request.output = path("out");
    request.piece_bytes = random.one_of<std::int64_t>({1, 16, 4 << 20});
    const auto done = files::reshard(request);
    if (!done) return found(done.error(), spec_text(source), mesh_text(source));
    const std::string wrong = difference(cut_up({whole}, {target}), "out");
    if (!wrong.empty()) return found(wrong, spec_text(source), " to ", spec_text(target));
    return kHolds;
  });
}

TEST_F(Resharding, AveragesFloats) {
  const PlainSharding source{{2}, {0, 1}, {kPartial}};
  PlainFile first;
  PlainFile second;
  const PlainTensor tensor{"w", "F32", 32, {3}, {}};
  add(first, tensor, {3}, packed({bits_of(1.0F), bits_of(2.0F), bits_of(4.0F)}, 32));
  add(second, tensor, {3}, packed({bits_of(2.0F), bits_of(-2.0F), bits_of(5.0F)}, 32));
  write_all("in", {{0, first}, {1, second}});
  ReshardRequest request;
  request.checkpoint = {path("in")};
  request.from = Specs::of("[Partial(avg)]", "[0,1]").value();
  request.output = path("out");
  const auto done = files::reshard(request);
  ASSERT_TRUE(done) << done.error();
  PlainFile wanted;
  add(wanted, tensor, {3}, packed({bits_of(1.5F), bits_of(0.0F), bits_of(4.5F)}, 32));
  EXPECT_EQ(difference({{0, wanted}}, "out"), "");
}

/// A number and a NaN give the number, whichever comes first, and two NaNs a NaN.
TEST_F(Resharding, TakesTheNumberOfANumberAndNaN) {
  struct Case {
    std::string type;
    std::int64_t bits;
    std::uint64_t one;
    std::uint64_t two;
    std::uint64_t nan;
  };
  const std::vector<Case> cases = {
      {"F16", 16, 0x3C00, 0x4000, 0x7E00},
      {"BF16", 16, 0x3F80, 0x4000, 0x7FC0},
      {"F32", 32, bits_of(1.0F), bits_of(2.0F), 0x7FC00000},
      {"F64", 64, 0x3FF0000000000000, 0x4000000000000000, 0x7FF8000000000000},
  };
  for (const Case& test : cases) {
    for (const std::string op : {"max", "min"}) {
      fs::remove_all(path("in"));
      fs::remove_all(path("out"));
      const PlainTensor tensor{"w", test.type, test.bits, {5}, {}};
      PlainFile first;
      PlainFile second;
      add(first, tensor, {5},
          packed({test.nan, test.two, test.nan, test.one, test.two}, test.bits));
      add(second, tensor, {5},
          packed({test.one, test.nan, test.nan, test.two, test.one}, test.bits));
      write_all("in", {{0, first}, {1, second}});
      ReshardRequest request;
      request.checkpoint = {path("in")};
      request.from = Specs::of(fmt::format("[Partial({})]", op), "[0,1]").value();
      request.output = path("out");
      const auto done = files::reshard(request);
      ASSERT_TRUE(done) << done.error();
      const std::uint64_t end = op == "max" ? test.two : test.one;
      PlainFile wanted;
      add(wanted, tensor, {5}, packed({test.one, test.two, test.nan, end, end}, test.bits));
      EXPECT_EQ(difference({{0, wanted}}, "out"), "") << op << " of " << test.type;
    }
  }
}

// ---- A small checkpoint for what follows ----

PlainTensor counting(std::string name, Counts shape) {
  PlainTensor tensor{std::move(name), "U8", 8, std::move(shape), {}};
  for (std::int64_t i = 0; i < product(tensor.shape); ++i) {
    tensor.elements.push_back(static_cast<std::uint64_t>(7 * i) & 0xFF);
  }
  return tensor;
}

const PlainSharding kRows{{4}, {0, 1, 2, 3}, {0}};
const PlainSharding kColumns{{2}, {0, 1}, {1}};

class SmallResharding : public Resharding {
 protected:
  void SetUp() override {
    Resharding::SetUp();
    write_all("in", cut_up(tensors_, {kRows, kRows}));
    wanted_ = cut_up(tensors_, {kColumns, kColumns});
    request_.checkpoint = {path("in")};
    request_.from = Specs::of("[Shard(0)]", "DeviceMesh([0,1,2,3])").value();
    request_.to = Specs::of("[Shard(1)]", "DeviceMesh([0,1])").value();
    request_.output = path("out");
  }

  /// That this is refused, and leaves nothing.
  void expect_refused(const std::string& wanted_code, std::string_view words) const {
    const auto done = files::reshard(request_);
    EXPECT_EQ(code(done), wanted_code);
    if (done) return;
    EXPECT_NE(done.error().to_string().find(words), std::string::npos) << done.error();
    EXPECT_FALSE(fs::exists(path("out")));
  }

  std::vector<PlainTensor> tensors_ = {counting("a", {8, 6}), counting("b", {10, 4})};
  std::map<std::int64_t, PlainFile> wanted_;
  ReshardRequest request_;
};

TEST_F(SmallResharding, ReadsFoldersPatternsAndLists) {
  // In the natural order, number 10 comes after number 9.
  fs::create_directory(path("named"));
  for (int i = 0; i < 4; ++i) {
    fs::copy(path(fmt::format("in/device-{}.safetensors", i)),
             path(fmt::format("named/m{}.safetensors", 8 + i)));
  }
  std::vector<std::string> list;
  for (int i = 8; i < 12; ++i) list.push_back(path(fmt::format("named/m{}.safetensors", i)));
  const std::vector<std::vector<std::string>> ways = {
      {path("in")}, {path("named")}, {path("named/m*.safetensors")}, list};
  for (const auto& way : ways) {
    request_.checkpoint = way;
    const auto done = files::reshard(request_);
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(difference(wanted_, "out"), "");
    EXPECT_EQ(done->files,
              (std::vector{path("out/device-0.safetensors"), path("out/device-1.safetensors")}));
    fs::remove_all(path("out"));
  }
}

TEST_F(SmallResharding, MovesNothingInADryRun) {
  request_.is_dry = true;
  const auto plans = files::reshard(request_);
  ASSERT_TRUE(plans) << plans.error();
  ASSERT_EQ(plans->tensors.size(), 2U);
  // Device 0 keeps a quarter of the half that it gets, and device 1 likewise.
  EXPECT_EQ(plans->tensors.front().moved.total, 48 - 12);
  EXPECT_EQ(plans->tensors.front().at_least.total, 48 - 12);
  EXPECT_EQ(names(), std::vector<std::string>{"in"});
}

TEST_F(SmallResharding, JoinsAndCutsWholeTensors) {
  request_.to = Specs();
  request_.output = path("whole.safetensors");
  ASSERT_TRUE(files::reshard(request_));
  const auto whole = TensorFile::open(path("whole.safetensors"));
  ASSERT_TRUE(whole) << whole.error();
  EXPECT_EQ(whole->find("b").value().shape, (Counts{10, 4}));
  ReshardRequest back;
  back.checkpoint = {path("whole.safetensors")};
  back.to = request_.from;
  back.output = path("again");
  const auto done = files::reshard(back);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(difference(cut_up(tensors_, {kRows, kRows}), "again"), "");
  EXPECT_EQ(names(), (std::vector<std::string>{"again", "in", "whole.safetensors"}));
}

/// As models are stored: files with other tensors each.
TEST_F(SmallResharding, ReadsWholeTensorsFromSeveralFiles) {
  fs::create_directory(path("model"));
  for (const PlainTensor& tensor : tensors_) {
    PlainFile file;
    add(file, tensor, tensor.shape, packed(tensor.elements, 8));
    write(path("model/" + tensor.name + ".safetensors"), file,
          {{"format", "pt"}, {"of", tensor.name}});
  }
  request_.checkpoint = {path("model")};
  request_.from = Specs();
  const auto done = files::reshard(request_);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(difference(wanted_, "out"), "");
  // What all files say of themselves is said of the new ones.
  const auto file = TensorFile::open(path("out/device-0.safetensors"));
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->metadata().at("format"), "pt");
  EXPECT_FALSE(file->metadata().contains("of"));
  EXPECT_TRUE(file->metadata().at("checksum.a").starts_with("xxh3-64:"));
}

TEST_F(SmallResharding, ReadsTheNotationsOfAllSystemsAlike) {
  const std::vector<std::pair<std::string, std::string>> alike = {
      {"[Shard(1), Shard(1)]", "DeviceMesh([[0,1],[2,3]])"},
      {"P(None, ('x', 'y'))", "Mesh('x': 2, 'y': 2)"},
      {"P(None, 'x')", "jax.make_mesh((4,), ('x',))"},
      {"{devices=[1,4]<=[4]}", ""},
      {"#sdy.sharding<@mesh, [{}, {\"x\", \"y\"}]>", "<[\"x\"=2, \"y\"=2]>"},
      {"NamedSharding(mesh=Mesh('x': 4), spec=PartitionSpec(None, 'x'))", ""},
      {"sharding([Shard(-1)], [0,1,2,3])", ""},
  };
  tensors_ = {counting("a", {3, 8}), counting("b", {2, 4})};
  write_all("in2", cut_up(tensors_, {kRows, kRows}));
  request_.checkpoint = {path("in2")};
  const auto wanted = cut_up(tensors_, {{{4}, {0, 1, 2, 3}, {1}}, {{4}, {0, 1, 2, 3}, {1}}});
  for (const auto& [spec, mesh] : alike) {
    const auto to = Specs::of(spec, mesh);
    ASSERT_TRUE(to) << to.error();
    request_.to = *to;
    const auto done = files::reshard(request_);
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(difference(wanted, "out"), "") << spec;
    fs::remove_all(path("out"));
  }
}

/// XLA rounds uneven parts up, so that the files alone do not say the shape of the whole.
TEST_F(SmallResharding, KnowsPaddedParts) {
  request_.to = Specs::of("{devices=[4,1]<=[4]}").value();
  const auto done = files::reshard(request_);
  ASSERT_TRUE(done) << done.error();
  const auto last = TensorFile::open(path("out/device-3.safetensors"));
  ASSERT_TRUE(last) << last.error();
  EXPECT_EQ(last->find("b").value().shape, (Counts{3, 4}));
  ReshardRequest back;
  back.checkpoint = {path("out")};
  back.from = request_.to;
  back.to = request_.from;
  back.output = path("again");
  const auto again = files::reshard(back);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(difference(cut_up(tensors_, {kRows, kRows}), "again"), "");
  EXPECT_EQ(TensorFile::open(path("again/device-0.safetensors")).value().metadata().size(), 2U);
}

/// Pipelines: a tensor is on the devices of its stage alone.
TEST_F(SmallResharding, KnowsTensorsOnSomeDevicesOnly) {
  request_.to = specs(
      "# the stages\n"
      "first = DeviceMesh([5, 3])\n"
      "a: sharding([Shard(1)], first)\n"
      "*: sharding(P(None, 'x'), Mesh(device_ids=array([7]), axis_names=('x',)))\n");
  const auto done = files::reshard(request_);
  ASSERT_TRUE(done) << done.error();
  const auto wanted = cut_up(tensors_, {{{2}, {5, 3}, {1}}, {{1}, {7}, {1}}});
  EXPECT_EQ(difference(wanted, "out"), "");
  ReshardRequest back;
  back.checkpoint = {path("out")};
  back.from = request_.to;
  back.to = request_.from;
  back.output = path("again");
  const auto again = files::reshard(back);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(difference(cut_up(tensors_, {kRows, kRows}), "again"), "");
}

TEST_F(SmallResharding, TakesTheFirstPatternThatHasTheName) {
  const Specs some = specs(
      "layers.*.w*.in: sharding([Shard(1)], [0,1])\n"
      "layers.*: sharding([Shard(0)], [0,1])\n"
      "*norm: sharding([Replicate()], [2])\n");
  const auto of = [&](std::string_view name) { return text_or_code(some.find(name)); };
  EXPECT_NE(of("layers.3.w2.in").find("Shard(dim=1)"), std::string::npos);
  EXPECT_NE(of("layers.3.w2").find("Shard(dim=0)"), std::string::npos);
  EXPECT_NE(of("layers.norm").find("Shard(dim=0)"), std::string::npos);
  EXPECT_NE(of("norm").find("Replicate()"), std::string::npos);
  EXPECT_EQ(of("head.layers.0"), "reshard.spec");
  EXPECT_EQ(some.devices(), (Counts{0, 1, 2}));
}

TEST_F(SmallResharding, CutsAndJoinsTensorsWithoutElements) {
  tensors_ = {counting("a", {8, 6}), counting("e", {0}), counting("f", {3, 0, 5})};
  write(path("whole.safetensors"),
        cut_up(tensors_,
               {{{1}, {0}, {kReplicate}}, {{1}, {0}, {kReplicate}}, {{1}, {0}, {kReplicate}}})[0]);
  for (const char* spec :
       {"sharding([Shard(0)], [0,1])", "sharding(P('x'), Mesh('x': 2))", "{devices=[2,1]<=[2]}"}) {
    request_.checkpoint = {path("whole.safetensors")};
    request_.from = Specs();
    request_.to = specs(fmt::format("a: {}\n*: sharding([Shard(0)], [0,1])\n", spec));
    request_.output = path("out");
    const auto done = files::reshard(request_);
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(done->tensors.size(), 3U);
    const PlainSharding halves{{2}, {0, 1}, {0}};
    const auto wanted = cut_up(tensors_, {halves, halves, halves});
    EXPECT_EQ(difference(wanted, "out"), "") << spec;
    ReshardRequest back;
    back.checkpoint = {path("out")};
    back.from = request_.to;
    back.output = path("again.safetensors");
    const auto again = files::reshard(back);
    ASSERT_TRUE(again) << again.error();
    const auto joined = TensorFile::open(path("again.safetensors"));
    ASSERT_TRUE(joined) << joined.error();
    EXPECT_EQ(joined->find("f").value().shape, (Counts{3, 0, 5}));
    fs::remove_all(path("out"));
  }
  request_.to = Specs::of("P('x')", "Mesh('x': 2)").value();
  tensors_ = {counting("e", {0, 4})};
  write(path("whole.safetensors"), cut_up(tensors_, {{{1}, {0}, {kReplicate}}})[0]);
  const auto done = files::reshard(request_);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(to_string(*done),
            "e  U8 (0,4)  nothing  0 bytes, at least 0\n"
            "in all  1 tensor, 0 bytes between devices, at least 0");
}

/// Every element has its own device, so that a wrong order is seen.
TEST_F(Resharding, TakesNoFilesInTheOrderOfAShell) {
  const PlainTensor tensor = counting("w", {11});
  Counts devices(11);
  std::iota(devices.begin(), devices.end(), 0);
  write_all("in", cut_up({tensor}, {{{11}, devices, {0}}}));
  ReshardRequest request;
  request.from = Specs::of("P('x')", "Mesh('x': 11)").value();
  request.output = path("out.safetensors");
  const auto named = [&](const Counts& order) {
    std::vector<std::string> names;
    for (const std::int64_t device : order) {
      names.push_back(path(fmt::format("in/device-{}.safetensors", device)));
    }
    return names;
  };
  // In C's order, and in that of English, in which signs do not count.
  const std::vector<Counts> shells = {{0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9},
                                      {0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  for (const Counts& order : shells) {
    request.checkpoint = named(order);
    const auto done = files::reshard(request);
    EXPECT_EQ(code(done), "reshard.files");
    EXPECT_NE(refusal(done).find("device-10.safetensors before"), std::string::npos)
        << refusal(done);
  }
  // What is in order, and what somebody has put into an order of his own.
  request.checkpoint = named(devices);
  EXPECT_EQ(code(files::reshard(request)), "");
  std::ranges::reverse(devices);
  request.checkpoint = named(devices);
  EXPECT_EQ(code(files::reshard(request)), "");
  // The order of files with other tensors each does not matter.
  request.checkpoint = {path("out.safetensors"), path("out10.safetensors"),
                        path("out2.safetensors")};
  PlainFile other;
  add(other, counting("a", {1}), {1}, "a");
  write(path("out10.safetensors"), other);
  other.tensors[0].name = "b";
  write(path("out2.safetensors"), other);
  request.from = Specs();
  request.output = path("all.safetensors");
  EXPECT_EQ(code(files::reshard(request)), "");
}

TEST_F(SmallResharding, TakesPatternsWithSeveralStars) {
  fs::create_directory(path("named"));
  for (int i = 0; i < 4; ++i) {
    fs::copy(path(fmt::format("in/device-{}.safetensors", i)),
             path(fmt::format("named/model-{}-of-4.safetensors", i + 1)));
  }
  std::ofstream(path("named/model.safetensors")) << "of something else";
  request_.checkpoint = {path("named/model-*-of-*.safetensors")};
  const auto done = files::reshard(request_);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(difference(wanted_, "out"), "");
}

TEST_F(SmallResharding, SaysWhyAFolderIsNotRead) {
  request_.checkpoint = {path("nowhere/*.safetensors")};
  expect_refused("file.unreadable", "nowhere cannot be read: No such file");
}

TEST_F(SmallResharding, KeepsWhatIsCalledAChecksumAndIsNone) {
  PlainFile file;
  add(file, counting("a", {4}), {4}, "abcd");
  write(path("other.safetensors"), file,
        {{"checksum.algorithm", "sha"}, {"checksum.a", "xxh3-64:0000000000000000"}});
  request_.checkpoint = {path("other.safetensors")};
  request_.from = Specs();
  request_.to = Specs::of("[Shard(0)]", "[0,1]").value();
  expect_refused("reshard.checksum", "the tensor a");
  write(path("other.safetensors"), file, {{"checksum.algorithm", "sha"}, {"checksum.a", "7"}});
  fs::remove_all(path("out.partial"));
  const auto done = files::reshard(request_);
  ASSERT_TRUE(done) << done.error();
  const auto written = TensorFile::open(path("out/device-0.safetensors"));
  ASSERT_TRUE(written) << written.error();
  EXPECT_EQ(written->metadata().at("checksum.algorithm"), "sha");
  EXPECT_TRUE(written->metadata().at("checksum.a").starts_with("xxh3-64:"));
}

/// The links of a tensor are those of whichever mesh has the axis.
TEST_F(SmallResharding, KnowsTheLinksOfEitherMesh) {
  tensors_ = {counting("a", {8, 6}), counting("b", {4, 4})};
  write_all("even", cut_up(tensors_, {kRows, kRows}));
  request_.checkpoint = {path("even")};
  request_.is_dry = true;
  request_.from = Specs::of("P('x')", "Mesh('x': 4)").value();
  request_.topology.bandwidth = {{"x", 1e9}};
  for (const Specs& to : {Specs(), Specs::of("P('y')", "Mesh('y': 2)").value()}) {
    request_.to = to;
    const auto done = files::reshard(request_);
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(done->tensors.front().moved.by_link.front().first, "x");
    EXPECT_GT(done->tensors.front().moved.seconds, 0);
  }
  // Tensors of other meshes know nothing of it.
  request_.from = specs("a: sharding(P('x'), Mesh('x': 4))\n*: sharding([Shard(0)], [0,1,2,3])\n");
  request_.to = request_.from;
  const auto some = files::reshard(request_);
  ASSERT_TRUE(some) << some.error();
  request_.topology.bandwidth["z"] = 1e9;
  EXPECT_EQ(code(files::reshard(request_)), "distribute.topology");
  request_.topology.bandwidth.erase("z");
  request_.topology.mesh = files::mesh_in("Mesh('x': 2, 'y': 2)").value();
  const auto all = files::reshard(request_);
  ASSERT_TRUE(all) << all.error();
  EXPECT_EQ(all->tensors.back().moved.by_link.front().first, "x");
}

/// Products of more than 63 bits.
TEST_F(Resharding, ReducesUnsignedNumbersModuloTheirWidth) {
  const PlainTensor tensor{"w", "U32", 32, {2}, {}};
  PlainFile first;
  PlainFile second;
  add(first, tensor, {2}, packed({0xFFFFFFFF, 0xFFFFFFFE}, 32));
  add(second, tensor, {2}, packed({0xFFFFFFFF, 3}, 32));
  write_all("in", {{0, first}, {1, second}});
  ReshardRequest request;
  request.checkpoint = {path("in")};
  request.from = Specs::of("[Partial(product)]", "[0,1]").value();
  request.output = path("out");
  const auto done = files::reshard(request);
  ASSERT_TRUE(done) << done.error();
  PlainFile wanted;
  add(wanted, tensor, {2}, packed({1, 0xFFFFFFFA}, 32));
  EXPECT_EQ(difference({{0, wanted}}, "out"), "");
}

TEST_F(SmallResharding, SendsPiecesOfAnySize) {
  for (const std::int64_t bytes : {INT64_MIN, std::int64_t{-1}, INT64_MAX}) {
    request_.piece_bytes = bytes;
    const auto done = files::reshard(request_);
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(difference(wanted_, "out"), "");
    fs::remove_all(path("out"));
  }
}

// ---- What is refused ----

/// Before it lists them.
TEST_F(SmallResharding, RefusesToCutIntoMorePiecesThanItCanList) {
  const Specs usual = request_.from;
  for (const char* factor : {"300000000", "4611686018427387904", "9223372036854775807"}) {
    const Specs cut =
        Specs::of(fmt::format("[_StridedShard(0, split_factor={})]", factor), "[0,1,2,3]").value();
    request_.from = cut;
    expect_refused("reshard.spec", "more than 65536 pieces");
    request_.from = usual;
    request_.to = cut;
    expect_refused("reshard.spec", "more than 65536 pieces");
  }
}

TEST_F(SmallResharding, RefusesAnotherNumberOfFiles) {
  fs::remove(path("in/device-3.safetensors"));
  expect_refused("reshard.files", "3 files are named, and the source has 4 devices");
  request_.checkpoint = {path("in/nothing-*.safetensors")};
  expect_refused("reshard.files", "matches no safetensors file");
  request_.checkpoint = {path("in/nothing.safetensors")};
  request_.from = Specs();
  expect_refused("file.unreadable", "nothing.safetensors");
}

TEST_F(SmallResharding, RefusesAMissingTensor) {
  auto given = cut_up(tensors_, {kRows, kRows});
  given[2].tensors.pop_back();
  given[2].bytes.pop_back();
  write_all("fewer", given);
  request_.checkpoint = {path("fewer")};
  expect_refused("reshard.missing", "device-2.safetensors has no tensor b");
}

TEST_F(SmallResharding, RefusesASurplusTensor) {
  request_.from = specs("a: sharding([Shard(0)], [0,1,2,3])\nb: sharding([Shard(0)], [0,1,2])\n");
  expect_refused("reshard.surplus", "device-3.safetensors has the tensor b");
}

TEST_F(SmallResharding, RefusesTwoTypes) {
  auto given = cut_up(tensors_, {kRows, kRows});
  given[1].tensors[0].safetensors_type = "I8";
  write_all("types", given);
  request_.checkpoint = {path("types")};
  expect_refused("reshard.type", "the tensor a is of the type U8 in");
}

TEST_F(SmallResharding, RefusesShardsOfOtherShapes) {
  auto given = cut_up(tensors_, {kRows, kRows});
  given[1].tensors[0].shape = {3, 6};
  given[1].tensors[0].bytes = 18;
  given[1].bytes[0].resize(18);
  write_all("shapes", given);
  request_.checkpoint = {path("shapes")};
  request_.from = Specs::of("[Shard(0)]", "[0,1,2,3]").value();
  expect_refused("reshard.shape", "expected");
  // A shape that the spec states is held against the files.
  request_.checkpoint = {path("in")};
  request_.from = specs(
      "a: DTensorSpec(mesh=DeviceMesh([0, 1, 2, 3]), placements=(Shard(dim=0),), "
      "tensor_meta=TensorMeta(shape=torch.Size([12, 6]), stride=(6, 1), dtype=torch.uint8))\n"
      "*: sharding([Shard(0)], [0,1,2,3])\n");
  expect_refused("reshard.shape", "(3,6) was expected");
}

TEST_F(SmallResharding, RefusesATruncatedShard) {
  const std::string name = path("in/device-1.safetensors");
  fs::resize_file(name, fs::file_size(name) - 1);
  expect_refused("safetensors.header", "device-1.safetensors");
}

TEST_F(SmallResharding, RefusesWhatHasNoSpec) {
  request_.to = specs("a: sharding([Shard(0)], [0,1])\n");
  expect_refused("reshard.spec", "no pattern matches the name of the tensor b");
  EXPECT_EQ(code(Specs::of("P('x')")), "reshard.spec");
  EXPECT_EQ(code(Specs::of("(4,8):(8,1)", "[0,1]")), "reshard.spec");
  EXPECT_EQ(code(Specs::of_lines("a [Shard(0)]")), "reshard.spec");
  EXPECT_EQ(code(Specs::of_lines("# nothing\n")), "reshard.spec");
}

TEST_F(SmallResharding, RefusesToReduceWhatIsNoNumber) {
  PlainTensor tensor{"w", "F4", 4, {4}, {1, 2, 3, 4}};
  write_all("terms", cut_up({tensor}, {{{2}, {0, 1}, {kReplicate}}}));
  request_.checkpoint = {path("terms")};
  request_.from = Specs::of("[Partial()]", "[0,1]").value();
  request_.to = Specs();
  expect_refused("reshard.arithmetic", "F4");
}

TEST_F(SmallResharding, RefusesToWriteOverAFolder) {
  fs::create_directory(path("out"));
  ASSERT_TRUE(files::reshard(request_));
  const auto again = files::reshard(request_);
  EXPECT_EQ(code(again), "reshard.output");
  EXPECT_EQ(difference(wanted_, "out"), "");
  request_.output = path("one.safetensors");
  EXPECT_EQ(code(files::reshard(request_)), "reshard.output");
}

TEST_F(SmallResharding, RefusesWhatIsNotItsChecksum) {
  ASSERT_TRUE(files::reshard(request_));
  const std::string name = path("out/device-1.safetensors");
  const auto size = static_cast<std::streamoff>(fs::file_size(name));
  std::fstream(name, std::ios::in | std::ios::out | std::ios::binary).seekp(size - 1).put('!');
  ReshardRequest back;
  back.checkpoint = {path("out")};
  back.from = request_.to;
  back.output = path("back");
  const auto done = files::reshard(back);
  EXPECT_EQ(code(done), "reshard.checksum");
  EXPECT_NE(done.error().message().find("device-1.safetensors"), std::string::npos);
  EXPECT_FALSE(fs::exists(path("back")));
}

TEST_F(SmallResharding, RefusesReplicasThatDiffer) {
  request_.to = Specs::of("[Replicate()]", "[0,1]").value();
  ASSERT_TRUE(files::reshard(request_));
  request_.checkpoint = {path("in")};
  tensors_[0].elements[5] ^= 1;
  write_all("other", cut_up(tensors_, {kRows, kRows}));
  request_.checkpoint = {path("other")};
  request_.output = path("out2");
  ASSERT_TRUE(files::reshard(request_));
  fs::copy_file(path("out2/device-1.safetensors"), path("out/device-1.safetensors"),
                fs::copy_options::overwrite_existing);
  ReshardRequest back;
  back.checkpoint = {path("out")};
  back.from = request_.to;
  back.output = path("back");
  EXPECT_EQ(code(files::reshard(back)), "reshard.replica");
}

/// Files of two devices that should have the same tensor.
class ReplicasInFiles : public SmallResharding {
 protected:
  /// Files without checksums, of the same tensor `a` but for some elements in the second one.
  void write_replicas(const std::vector<std::size_t>& changed) const {
    PlainTensor other = tensors_[0];
    for (const std::size_t element : changed) other.elements[element] ^= 1;
    PlainFile first;
    PlainFile second;
    add(first, tensors_[0], tensors_[0].shape, packed(tensors_[0].elements, 8));
    add(second, other, other.shape, packed(other.elements, 8));
    write_all("same", {{0, first}, {1, second}});
  }

  [[nodiscard]] ReshardRequest replicated() const {
    ReshardRequest request;
    request.checkpoint = {path("same")};
    request.from = Specs::of_lines("*: P()", "Mesh('x': 2)").value();
    request.output = path("back");
    request.piece_bytes = 16;
    return request;
  }
};

TEST_F(ReplicasInFiles, AreComparedElementByElement) {
  write_replicas({});
  EXPECT_EQ(code(files::reshard(replicated())), "");
  fs::remove_all(path("back"));
  write_replicas({27, 40});
  const auto refused = files::reshard(replicated());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            fmt::format("error reshard.replica: the tensor a is not the same in "
                        "{0}/device-0.safetensors and in {0}/device-1.safetensors\n"
                        "  the sharding gives both devices, 0 and 1, the same part, [0,8) x [0,6)\n"
                        "  the first element that differs is (4,3): 189 and 188\n"
                        "  hint: if the files have different parts, the spec should say which "
                        "dimension is cut, as P('x', None) or [Shard(0)]; if they have terms of a "
                        "sum, Partial; --trust-replicas takes any one of them",
                        path("same")));
  EXPECT_FALSE(fs::exists(path("back")));
}

TEST_F(ReplicasInFiles, AreTrustedIfThatIsWished) {
  write_replicas({27});
  ReshardRequest trusting = replicated();
  trusting.trusts_replicas = true;
  EXPECT_EQ(code(files::reshard(trusting)), "");
  EXPECT_EQ(difference(cut_up({tensors_[0]}, {{{1}, {0}, {kReplicate}}}), "back"), "");
}

TEST_F(ReplicasInFiles, AreThoseOfOneTermAlone) {
  // Devices 0 and 1 have one term, 2 and 3 another one.
  const PlainSharding mesh{{2, 2}, {0, 1, 2, 3}, {kPartial, kReplicate}};
  std::map<std::int64_t, PlainFile> given = cut_up({tensors_[0]}, {mesh});
  given[2].bytes[0][7] = given[3].bytes[0][7] = '!';
  write_all("terms", given);
  ReshardRequest request;
  request.checkpoint = {path("terms")};
  request.from = Specs::of(spec_text(mesh), mesh_text(mesh)).value();
  request.output = path("sums");
  EXPECT_EQ(code(files::reshard(request)), "");
  given[3].bytes[0][7] = '?';
  write_all("terms", given);
  request.output = path("sums2");
  const auto refused = files::reshard(request);
  EXPECT_EQ(code(refused), "reshard.replica");
  EXPECT_NE(refused.error().message().find("device-2.safetensors and in"), std::string::npos);
}

TEST_F(SmallResharding, SaysThatAFolderIsNotThere) {
  request_.checkpoint = {path("nowhere")};
  expect_refused("reshard.files", "there is no such folder: " + path("nowhere"));
  request_.checkpoint = {path("nowhere.safetensors")};
  expect_refused("reshard.files", "there is no such file: ");
}

// ---- Two processes, as threads ----

/// What two processes have in common.
struct Wire {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> said = std::vector<std::string>(2);
  /// What both have said. It stays until both have read it, and say something else.
  std::vector<std::string> heard;
  int waiting = 0;
  int round = 0;
  bool is_cut = false;
  std::vector<std::deque<std::vector<std::byte>>> arriving{2};
};

/// One of them. It throws where the other one has left.
class EndOfWire : public files::Transport {
 public:
  EndOfWire(Wire& wire, std::size_t rank) : wire_(wire), rank_(rank) {}
  [[nodiscard]] std::size_t size() const override { return 2; }
  [[nodiscard]] std::size_t rank() const override { return rank_; }

  std::vector<std::string> gather(const std::string& said) override {
    std::unique_lock lock(wire_.mutex);
    wire_.said[rank_] = said;
    const int round = wire_.round;
    if (++wire_.waiting == 2) {
      wire_.waiting = 0;
      wire_.heard = wire_.said;
      ++wire_.round;
      wire_.changed.notify_all();
    }
    wait(lock, [&] { return wire_.round != round; });
    return wire_.heard;
  }

  std::size_t send(std::size_t to, std::span<const std::byte> message) override {
    const std::unique_lock lock(wire_.mutex);
    wire_.arriving[to].emplace_back(message.begin(), message.end());
    wire_.changed.notify_all();
    return numbers_++;
  }
  std::size_t receive(std::size_t /*from*/, std::span<std::byte> message) override {
    if (on_receive) on_receive();
    awaited.emplace(numbers_, message);
    return numbers_++;
  }
  void finish(std::size_t message) override {
    const auto found = awaited.find(message);
    if (found == awaited.end()) return;
    std::unique_lock lock(wire_.mutex);
    auto& arriving = wire_.arriving[rank_];
    wait(lock, [&] { return !arriving.empty(); });
    std::ranges::copy(arriving.front(), found->second.begin());
    arriving.pop_front();
    awaited.erase(found);
  }
  void leave() override {
    const std::unique_lock lock(wire_.mutex);
    wire_.is_cut = true;
    wire_.changed.notify_all();
  }
  void keep(std::vector<std::byte> bytes) override { kept.push_back(std::move(bytes)); }

  std::function<void()> on_receive;
  std::map<std::size_t, std::span<std::byte>> awaited;
  std::vector<std::vector<std::byte>> kept;

 private:
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
    wire_.changed.wait_for(lock, std::chrono::minutes(1),
                           [&] { return condition() || wire_.is_cut; });
    if (!condition()) throw std::runtime_error("the other process has left");
  }

  Wire& wire_;
  std::size_t rank_;
  std::size_t numbers_ = 0;
};

class TwoProcesses : public SmallResharding {
 protected:
  void SetUp() override {
    SmallResharding::SetUp();
    write_all("two", cut_up(tensors_, {kColumns, kColumns}));
    request_.checkpoint = {path("two")};
    request_.from = Specs::of("[Shard(1)]", "DeviceMesh([0,1])").value();
    request_.to = Specs::of("[Shard(0)]", "DeviceMesh([0,1])").value();
    request_.piece_bytes = 4;
  }

  /// What the second one is refused; the first one is asked for `request_`.
  std::string second_code(const ReshardRequest& second) {
    std::thread first([&] {
      try {
        (void)files::reshard(request_, first_end_);
      } catch (const std::runtime_error&) {
      }
    });
    const std::string refused = code(files::reshard(second, second_end_));
    first.join();
    return refused;
  }

  Wire wire_;
  EndOfWire first_end_{wire_, 0};
  EndOfWire second_end_{wire_, 1};
};

TEST_F(TwoProcesses, WriteWhatOneWrites) {
  EXPECT_EQ(second_code(request_), "");
  const PlainSharding halves{{2}, {0, 1}, {0}};
  EXPECT_EQ(difference(cut_up(tensors_, {halves, halves}), "out"), "");
  EXPECT_TRUE(second_end_.kept.empty());
}

TEST_F(TwoProcesses, AreRefusedAlikeWhereReplicasDiffer) {
  std::map<std::int64_t, PlainFile> given =
      cut_up(tensors_, {{{2}, {0, 1}, {kReplicate}}, {{2}, {0, 1}, {kReplicate}}});
  given[1].bytes[1][17] = '!';
  write_all("two", given);
  request_.from = Specs::of("P()", "Mesh('x': 2)").value();
  EXPECT_EQ(second_code(request_), "reshard.replica");
  // Nobody has to end the other one.
  EXPECT_FALSE(wire_.is_cut);
}

/// A message may arrive after the process was refused.
TEST_F(TwoProcesses, KeepTheMemoryOfMessagesThatTheyDoNotFinish) {
  std::stop_source stop;
  ReshardRequest second = request_;
  second.stop = stop.get_token();
  second_end_.on_receive = [&] { stop.request_stop(); };
  EXPECT_EQ(second_code(second), "move.stopped");
  EXPECT_FALSE(second_end_.awaited.empty());
  for (const auto& [number, message] : second_end_.awaited) {
    EXPECT_TRUE(std::ranges::any_of(second_end_.kept, [&](const std::vector<std::byte>& bytes) {
      return bytes.data() == message.data();
    }));
  }
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(TwoProcesses, WriteNothingWhereTheirSpecsDiffer) {
  ReshardRequest second = request_;
  second.to = Specs::of("[Shard(0)]", "DeviceMesh([1,0])").value();
  EXPECT_EQ(second_code(second), "reshard.spec");
  EXPECT_EQ(names(), (std::vector<std::string>{"in", "two"}));
}

// ---- Runs that end early ----

/// Ends the process, as kill -9 does, when it is asked for the so-manieth time.
class Deadly : public files::Transport {
 public:
  explicit Deadly(int after) : left_(after) {}
  std::vector<std::string> gather(const std::string& said) override {
    if (left_-- == 0) raise(SIGKILL);
    return {said};
  }

 private:
  int left_;
};

TEST_F(SmallResharding, IsFinishedByTheNextRunWhereverItIsKilled) {
  int killed = 0;
  for (int after = 0;; ++after) {
    fs::remove_all(path("out"));
    fs::remove_all(path("out.partial"));
    const pid_t child = fork();
    if (child == 0) {
      Deadly transport(after);
      _exit(files::reshard(request_, transport) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
      break;
    }
    ++killed;
    if (fs::exists(path("out"))) {
      EXPECT_EQ(difference(wanted_, "out"), "");
      continue;
    }
    ReshardRequest next = request_;
    if (fs::exists(path("out.partial"))) {
      EXPECT_EQ(code(files::reshard(next)), "reshard.output");
      next.resumes = true;
    }
    const auto done = files::reshard(next);
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(difference(wanted_, "out"), "");
    EXPECT_EQ(names(), (std::vector<std::string>{"in", "out"}));
  }
  EXPECT_GE(killed, 5);
}

/// Many tensors, each noted when it is whole, and a run that is killed among them.
TEST_F(Resharding, DoesNotDoAgainWhatIsWhole) {
  std::vector<PlainTensor> tensors;
  for (int i = 0; i < 40; ++i) tensors.push_back(counting(fmt::format("t{:02}", i), {64, 1024}));
  const std::vector<PlainSharding> rows(tensors.size(), kRows);
  write_all("in", cut_up(tensors, rows));
  ReshardRequest request;
  request.checkpoint = {path("in")};
  request.from = Specs::of("P('x')", "Mesh('x': 4)").value();
  request.to = Specs::of("[Shard(1)]", "DeviceMesh([0,1])").value();
  request.output = path("out");
  request.noted_bytes = 1;
  request.piece_bytes = 512;  // so that it takes a while
  const pid_t child = fork();
  if (child == 0) _exit(files::reshard(request) ? 0 : 1);
  const std::string journal = path("out.partial/device-1.safetensors.journal");
  const auto noted = [&] {
    std::ifstream file(journal);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  while (noted() < 6 && waitpid(child, nullptr, WNOHANG) == 0) usleep(200);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (fs::exists(path("out"))) GTEST_SKIP() << "the run ended before it was killed";
  const std::int64_t whole = noted() - 2;
  request.resumes = true;
  // What has changed since it was noted is done again.
  const std::string staged = path("out.partial/device-1.safetensors");
  std::fstream(staged, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(fs::file_size(staged)) - 40 * 64 * 512)
      .put('!');
  const auto done = files::reshard(request);
  ASSERT_TRUE(done) << done.error();
  EXPECT_GE(static_cast<std::int64_t>(done->resumed), whole - 1);
  EXPECT_LT(done->resumed, tensors.size());
  const std::vector<PlainSharding> columns(tensors.size(), kColumns);
  EXPECT_EQ(difference(cut_up(tensors, columns), "out"), "");
}

TEST_F(SmallResharding, DoesNotResumeARunOfOtherSpecs) {
  std::stop_source stop;
  stop.request_stop();
  request_.stop = stop.get_token();
  expect_refused("move.stopped", "not written to its end");
  request_.stop = {};
  ReshardRequest other = request_;
  other.resumes = true;
  other.to = Specs::of("[Shard(0)]", "DeviceMesh([0,1])").value();
  EXPECT_EQ(code(files::reshard(other)), "reshard.output");
  request_.resumes = true;
  const auto done = files::reshard(request_);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(difference(wanted_, "out"), "");
}

/// Calls a function each time that it is asked, with how often it was asked before.
class Hooked : public files::Transport {
 public:
  explicit Hooked(std::function<void(int)> hook) : hook_(std::move(hook)) {}
  std::vector<std::string> gather(const std::string& said) override {
    hook_(asked_++);
    return {said};
  }

 private:
  std::function<void(int)> hook_;
  int asked_ = 0;
};

/// The lines of the journal of device 0.
std::vector<std::string> journal_in(const std::string& folder) {
  std::ifstream file(folder + "/device-0.safetensors.journal");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Changes the last byte of a tensor, or changes it back, and keeps the time of the file.
void flip(const std::string& path, std::string_view tensor) {
  const auto time = fs::last_write_time(path);
  std::size_t end = 0;
  {
    const auto file = TensorFile::open(path);
    ASSERT_TRUE(file) << file.error();
    const Tensor found = file->find(tensor).value();
    end = found.begin + found.bytes - 1;
  }
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(end));
  const int last = file.get();
  file.seekp(static_cast<std::streamoff>(end)).put(static_cast<char>(last ^ 1));
  file.close();
  fs::last_write_time(path, time);
}

TEST_F(Resharding, GoesOnAsOftenAsItIsStopped) {
  std::vector<PlainTensor> tensors;
  for (int i = 0; i < 4; ++i) tensors.push_back(counting(fmt::format("t{}", i), {8, 8}));
  write_all("in", cut_up(tensors, std::vector<PlainSharding>(4, kRows)));
  ReshardRequest request;
  request.checkpoint = {path("in")};
  request.from = Specs::of("[Shard(0)]", "DeviceMesh([0,1,2,3])").value();
  request.to = request.from;
  request.output = path("checked");
  ASSERT_TRUE(files::reshard(request));
  // Tensors of files with checksums, so that one of them can stop a run.
  request.checkpoint = {path("checked")};
  request.output = path("out");
  request.noted_bytes = 1;
  request.to = Specs::of("[Shard(1)]", "DeviceMesh([0,1])").value();
  const std::string broken = path("checked/device-0.safetensors");
  const auto stop_at = [&](std::string_view tensor) {
    flip(broken, tensor);
    EXPECT_EQ(code(files::reshard(request)), "reshard.checksum");
    flip(broken, tensor);
    request.resumes = true;
  };
  stop_at("t1");
  const std::vector<std::string> first = journal_in(path("out.partial"));
  ASSERT_EQ(first.size(), 2U);
  std::ofstream(path("out.partial/device-0.safetensors.journal"), std::ios::app) << "1 xxh3-64:0";
  stop_at("t3");
  const std::vector<std::string> second = journal_in(path("out.partial"));
  ASSERT_EQ(second.size(), 4U);
  EXPECT_EQ(std::vector(second.begin(), second.begin() + 2), first);
  EXPECT_TRUE(second[2].starts_with("1 xxh3-64:") && second[3].starts_with("2 xxh3-64:"));
  const auto done = files::reshard(request);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(done->resumed, 3U);
  EXPECT_EQ(difference(cut_up(tensors, std::vector<PlainSharding>(4, kColumns)), "out"), "");
  EXPECT_EQ(journal_in(path("out")), std::vector<std::string>());
}

TEST_F(SmallResharding, NobodyGoesOnWithWhatIsBeingWritten) {
  int tried = 0;
  Hooked transport([&](int) {
    if (!fs::exists(path("out.partial")) && !fs::exists(path("out"))) return;
    ReshardRequest other = request_;
    other.resumes = true;
    EXPECT_EQ(code(files::reshard(other)), "reshard.output");
    ++tried;
  });
  const auto done = files::reshard(request_, transport);
  ASSERT_TRUE(done) << done.error();
  EXPECT_EQ(difference(wanted_, "out"), "");
  EXPECT_EQ(names(), (std::vector<std::string>{"in", "out"}));
  EXPECT_GE(tried, 4);
}

/// Runs another one while one of them waits, wherever that is.
TEST_F(SmallResharding, OfTwoRunsWithOneOutputOneIsRefusedAndTheOtherWritesIt) {
  bool was_asked = true;
  for (int at = 0; was_asked; ++at) {
    was_asked = false;
    fs::remove_all(path("out"));
    std::promise<void> began;
    std::promise<void> ended;
    bool has_begun = false;
    const auto begin = [&] {
      if (!std::exchange(has_begun, true)) began.set_value();
    };
    std::string first_code;
    std::thread first;
    Hooked slow([&](int) {
      if (!fs::exists(path("out.partial")) || has_begun) return;
      begin();
      ended.get_future().wait();
    });
    Hooked second([&](int asked) {
      if (asked != at) return;
      was_asked = true;
      first = std::thread([&] {
        first_code = code(files::reshard(request_, slow));
        begin();
      });
      began.get_future().wait();
    });
    const std::string second_code = code(files::reshard(request_, second));
    ended.set_value();
    if (!was_asked) break;
    first.join();
    EXPECT_TRUE((first_code.empty() && second_code == "reshard.output") ||
                (second_code.empty() && first_code == "reshard.output"))
        << at << ": " << first_code << " and " << second_code;
    EXPECT_EQ(difference(wanted_, "out"), "");
    EXPECT_EQ(names(), (std::vector<std::string>{"in", "out"}));
  }
}

TEST_F(SmallResharding, SaysNotThatItIsWrittenWhereSomethingElseIs) {
  Hooked transport([&](int) {
    if (!fs::exists(path("out.partial")) || fs::exists(path("out"))) return;
    fs::create_directory(path("out"));
    std::ofstream(path("out/device-0.safetensors")) << "of somebody else";
  });
  const auto done = files::reshard(request_, transport);
  EXPECT_EQ(code(done), "file.unwritable");
  EXPECT_EQ(fs::file_size(path("out/device-0.safetensors")), 16U);
  // What was done is not lost.
  fs::remove_all(path("out"));
  request_.resumes = true;
  const auto again = files::reshard(request_);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->resumed, 2U);
  EXPECT_EQ(difference(wanted_, "out"), "");
}

TEST_F(SmallResharding, RefusesAnOutputWithoutANameOfItsOwn) {
  fs::create_directory(path("empty"));
  for (const char* output : {"empty/.", "empty/..", "empty/./", "empty/../"}) {
    request_.output = path(output);
    expect_refused("reshard.output", "a new one");
  }
}

/// A limit on the size of a file stands for a full disk: both make the file system refuse bytes.
TEST_F(SmallResharding, LeavesNothingWhereTheDiskIsFull) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{256, 256};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(code(files::reshard(request_)) == "file.unwritable" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(names(), std::vector<std::string>{"in"});
}

/// The same on a small file system in memory, where the system lets us have one.
TEST_F(SmallResharding, LeavesNothingOnAFullFileSystem) {
  PlainFile big;
  add(big, counting("w", {1024, 2048}), {1024, 2048}, std::string(std::size_t{2} << 20, 'x'));
  write(path("big.safetensors"), big);
  fs::create_directory(path("small"));
  const std::string inner = fmt::format(
      "mount -t tmpfs -o size=1m none {0}/small && cd {0} && {{ '{1}' reshard big.safetensors --to "
      "\"[Shard(0)]\" --to-mesh \"[0,1]\" -o small/out 2>&1; echo code $?; ls small; }}",
      folder_.string(), HEDDLE_BINARY);
  const std::string output = shell("unshare -rm sh -c " + quoted_for_shell(inner)).output;
  if (output.find("code ") == std::string::npos)
    GTEST_SKIP() << "no file system to fill: " << output;
  EXPECT_NE(output.find("error file.unwritable"), std::string::npos) << output;
  EXPECT_NE(output.find("code 2"), std::string::npos) << output;
  EXPECT_EQ(output.find("\nout"), std::string::npos) << output;
}

}  // namespace
}  // namespace heddle::test

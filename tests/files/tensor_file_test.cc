// Files of tensors: what is read is what was written, what is not whole is refused, and nothing but
// a whole file appears under the final name.

#include "heddle/files/tensor_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "heddle/files/relayout.h"
#include "support/any_layout.h"
#include "support/refusal.h"
#include "support/shell.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using files::Tensor;
using files::TensorFile;

class TensorFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string path(std::string_view name) const { return files_.path(name); }
  void write(std::string_view name, std::string_view text) const { files_.write(name, text); }
  [[nodiscard]] std::string read(std::string_view name) const { return contents(path(name)); }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    return names;
  }

  Folder files_;
  const fs::path& folder_ = files_.path();
};

Tensor tensor_of(std::string type, std::string safetensors_type, std::int64_t bits,
                 std::vector<std::int64_t> shape) {
  Tensor tensor;
  tensor.type = std::move(type);
  tensor.safetensors_type = std::move(safetensors_type);
  tensor.element_bits = bits;
  tensor.shape = std::move(shape);
  tensor.bytes = static_cast<std::size_t>(bits / 8);
  for (const std::int64_t extent : tensor.shape) tensor.bytes *= static_cast<std::size_t>(extent);
  return tensor;
}

Result<void> count_up(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  return {};
}

TEST_F(TensorFiles, ReadWhatTheyWrite) {
  const Tensor tensor = tensor_of("<f2", "F16", 16, {3, 4});
  for (const char* name : {"a.npy", "a.safetensors", "a.bin"}) {
    const auto written = files::write_tensor(path(name), tensor, count_up);
    ASSERT_TRUE(written) << written.error();
    const auto file = TensorFile::open(path(name));
    ASSERT_TRUE(file) << file.error();
    const Tensor found = file->find("").value();
    const auto bytes = file->bytes(found);
    ASSERT_EQ(bytes.size(), 24U) << name;
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], static_cast<std::byte>(i));
    if (std::string_view(name) == "a.bin") continue;
    EXPECT_EQ(found.shape, (std::vector<std::int64_t>{3, 4}));
    EXPECT_EQ(found.type, "<f2");
    EXPECT_EQ(found.element_bits, 16);
    EXPECT_EQ(found.begin % 64, 0U);
  }
  EXPECT_EQ(names().size(), 3U);
}

/// As NumPy 2 writes numpy.arange(6, dtype='<i2').reshape(2, 3, order='F').
TEST_F(TensorFiles, ReadNumPysHeader) {
  std::string header = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }";
  header.append(128 - 10 - header.size() - 1, ' ');
  header += '\n';
  std::string bytes =
      std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
  bytes.append(12, '\1');
  const auto tensors = files::tensors_of(bytes);
  ASSERT_TRUE(tensors) << tensors.error();
  EXPECT_TRUE(tensors->front().first_fastest);
  EXPECT_EQ(tensors->front().begin, 128U);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto cut = files::tensors_of(std::string_view(bytes).substr(0, length));
    // Too short to be one of NumPy's, it is raw bytes.
    EXPECT_EQ(cut.has_value(), length < 6) << length;
  }
}

std::string npy_of(std::string_view type, std::string_view shape, std::string_view elements) {
  const std::string header = "{'descr': " + std::string(type) +
                             ", 'fortran_order': False, 'shape': " + std::string(shape) + "}\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         std::string(elements);
}

/// As NumPy writes the types of fields: with gaps, with a title, of several elements, of fields.
TEST_F(TensorFiles, MoveWholeStructures) {
  struct Case {
    const char* type;
    std::size_t bytes;
  };
  for (const Case& one : {Case{"[('a', '|u1'), ('b', '<f4')]", 5},
                          Case{"[('a', '|u1'), ('', '|V3'), ('b', '<U2')]", 12},
                          Case{"[(('a title', 'a'), '|b1'), ('b', '<i2', (2, 3))]", 13},
                          Case{"[('a', [('x', '>c8'), ('y', '|S3')], (2,))]", 22}}) {
    std::string elements;
    for (const char element : {'0', '1', '2', '3', '4', '5'}) elements.append(one.bytes, element);
    write("a.npy", npy_of(one.type, "(2, 3)", elements));
    files::RelayoutRequest request;
    request.to = layout_of_text("(2,3):(1,2)");
    const auto plan = files::relayout(path("a.npy"), path("b.npy"), request);
    ASSERT_TRUE(plan) << plan.error();
    EXPECT_EQ(plan->element_bits(), static_cast<std::int64_t>(8 * one.bytes)) << one.type;
    const std::string moved = read("b.npy");
    EXPECT_NE(moved.find(std::string("'descr': ") + one.type + ","), std::string::npos) << moved;
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(moved[moved.size() - (6 - i) * one.bytes], "031425"[i]) << one.type;
  }
  for (const char* type : {"[('a', '|O')]", "[('a', '<f4', 'x')]", "[('a',)]", "['<f4']", "[]",
                           "[('a', '<f4', (-1,))]", "[('a', '<f4', (9223372036854775807,))]"}) {
    EXPECT_EQ(code(files::tensors_of(npy_of(type, "(1,)", "1234"))), "npy.dtype") << type;
  }
  EXPECT_EQ(code(files::tensors_of(npy_of("[('\xc3\xa4', '<f4')]", "(1,)", "1234"))), "npy.dtype");
  EXPECT_EQ(code(files::tensors_of(npy_of("\"[('a', '<f4')]\"", "(1,)", "1234"))), "npy.header");
}

std::string safetensors_of(std::string_view header) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + std::string(header);
}

TEST_F(TensorFiles, RefuseHeadersThatAreNoTensors) {
  const auto refusal_of = [](std::string_view header) {
    const auto tensors = files::tensors_of(safetensors_of(header));
    return tensors ? "" : std::string(tensors.error().message());
  };
  const auto is_refused = [&](std::string_view header, std::string_view why) {
    EXPECT_NE(refusal_of(header).find(why), std::string::npos) << refusal_of(header);
  };
  const std::string entry = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  EXPECT_EQ(refusal_of("{}"), "");
  EXPECT_EQ(refusal_of(R"({"__metadata__":{"dtype":"x"},"a":)" + entry + "}"), "");
  is_refused(R"({"a":)" + entry + R"(,"a":)" + entry + "}", "occurs twice");
  is_refused(R"({"a":{"dtype":"U8","dtype":"U8"}})", "has two of dtype");
  is_refused(R"({"a":{"shape":[1],"shape":[1]}})", "has two of shape");
  is_refused(R"({"a":{"shape":[[1]]}})", "has no shape");
  is_refused(R"({"a":{"shape":[-1]}})", "has no shape");
  is_refused(R"({"a":{"shape":[{}]}})", "has no shape");
  is_refused(R"({"a":{"x":[{}]}})", "nested too deeply");
  is_refused(R"({"a":{"x":{"y":[]}}})", "nested too deeply");
  is_refused(R"({"a":[]})", "is not an object");
  is_refused(R"({"a":1})", "is not an object");
  is_refused(R"({"a":{}})", "has no dtype");
  is_refused(R"({"a":{"dtype":"U8")", "not a JSON object");
  is_refused("{} {}", "not a JSON object");
  is_refused("{\"a\":" + std::string(30'000'000, '['), "is not an object");
}

TEST_F(TensorFiles, ReadManyTensorsInLinearTime) {
  std::string header = "{";
  constexpr int kTensors = 200'000;
  for (int i = 0; i < kTensors; ++i) {
    header += (i > 0 ? ",\"t" : "\"t") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  const auto tensors = files::tensors_of(safetensors_of(header + "}"));
  ASSERT_TRUE(tensors) << tensors.error();
  ASSERT_EQ(tensors->size(), std::size_t{kTensors});
  EXPECT_EQ(tensors->back().name, "t199999");
}

TEST_F(TensorFiles, HaveSeveralTensorsAndMetadata) {
  std::vector<Tensor> tensors = {tensor_of("<f4", "F32", 32, {2, 3}),
                                 tensor_of("|u1", "U8", 8, {5})};
  tensors[0].name = "a";
  tensors[1].name = "layers.0.b";
  const files::Metadata metadata = {{"format", "pt"}, {"quotes", "\"\\"}};
  const auto written =
      files::write_tensors(path("a.safetensors"), tensors, metadata,
                           [](std::span<const std::span<std::byte>> parts) -> Result<void> {
                             EXPECT_EQ(parts.size(), 2U);
                             for (const auto& part : parts) (void)count_up(part);
                             return {};
                           });
  ASSERT_TRUE(written) << written.error();
  const auto file = TensorFile::open(path("a.safetensors"));
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->metadata(), metadata);
  for (const Tensor& tensor : tensors) {
    const auto found = file->find(tensor.name);
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->shape, tensor.shape);
    EXPECT_EQ(found->safetensors_type, tensor.safetensors_type);
    const auto bytes = file->bytes(*found);
    ASSERT_EQ(bytes.size(), tensor.bytes);
    EXPECT_EQ(bytes.back(), static_cast<std::byte>(tensor.bytes - 1));
  }
  tensors[1].name = "a";
  EXPECT_EQ(code(files::write_tensors(path("b.safetensors"), tensors, {},
                                      [](auto) { return Result<void>(); })),
            "safetensors.header");
  EXPECT_EQ(names().size(), 1U);
}

/// Also where the output is the file itself; checksums are those of what was there before.
TEST_F(TensorFiles, KeepTheMetadataOfATensorThatIsMoved) {
  std::vector<Tensor> tensors = {tensor_of("|u1", "U8", 8, {2, 3})};
  tensors[0].name = "a";
  const files::Metadata metadata = {{"checksum.a", "xxh3-64:0000000000000000"},
                                    {"checksum.b", "crc"},
                                    {"format", "pt"},
                                    {"heddle.shape.a", "3,3"}};
  ASSERT_TRUE(files::write_tensors(
      path("a.safetensors"), tensors, metadata,
      [](std::span<const std::span<std::byte>> parts) { return count_up(parts[0]); }));
  files::RelayoutRequest request;
  request.to = layout_of_text("(2,3):(1,2)");
  for (const char* output : {"b.safetensors", "a.safetensors"}) {
    const auto plan = files::relayout(path("a.safetensors"), path(output), request);
    ASSERT_TRUE(plan) << plan.error();
    const auto file = TensorFile::open(path(output));
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->metadata(), (files::Metadata{{"checksum.b", "crc"}, {"format", "pt"}}));
    EXPECT_EQ(file->tensors()[0].name, "a");
    EXPECT_EQ(file->bytes(file->tensors()[0])[1], static_cast<std::byte>(3));
  }
}

/// The mask is the process's: what is written neither sets it nor reads it later.
TEST_F(TensorFiles, HaveTheRightsOfANewFile) {
  const mode_t before = umask(027);
  const auto written = files::write_tensor(path("a.npy"), tensor_of("|u1", "U8", 8, {4}),
                                           [](std::span<std::byte>) -> Result<void> {
                                             umask(077);
                                             return {};
                                           });
  umask(before);
  ASSERT_TRUE(written) << written.error();
  EXPECT_EQ(static_cast<unsigned>(fs::status(path("a.npy")).permissions()), 0640U);
}

TEST_F(TensorFiles, HaveNoBytesPastTheirEnd) {
  write("a.bin", "abcd");
  const auto file = TensorFile::open(path("a.bin"));
  ASSERT_TRUE(file) << file.error();
  Tensor tensor = file->tensors().front();
  EXPECT_EQ(file->bytes(tensor).size(), 4U);
  tensor.begin = 1;
  EXPECT_TRUE(file->bytes(tensor).empty());
  tensor.begin = 5;
  EXPECT_TRUE(file->bytes(tensor).empty());
}

TEST_F(TensorFiles, RefuseWhatIsCutOff) {
  const Tensor tensor = tensor_of("<f4", "F32", 32, {5});
  ASSERT_TRUE(files::write_tensor(path("a.safetensors"), tensor, count_up));
  const std::string bytes = read("a.safetensors");
  for (std::size_t length = 9; length < bytes.size(); ++length) {
    const auto cut = files::tensors_of(std::string_view(bytes).substr(0, length));
    if (!cut) {
      EXPECT_EQ(cut.error().code(), "safetensors.header");
      continue;
    }
    // Where the header does not fit, the bytes are taken for raw ones, without a name.
    EXPECT_EQ(cut->front().name, "") << length;
    EXPECT_EQ(cut->front().bytes, length);
  }
}

/// As numpy.savez(a=…, b=…) writes it: members that are stored.
TEST_F(TensorFiles, ReadArchives) {
  const std::string script =
      "import zipfile, sys\n"
      "def npy(n):\n"
      "    h = \"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }\" % n\n"
      "    h = h.ljust(117) + '\\n'\n"
      "    return b'\\x93NUMPY\\x01\\x00' + bytes([len(h), 0]) + h.encode() + bytes(range(n))\n"
      "with zipfile.ZipFile(sys.argv[1], 'w') as z:\n"
      "    z.writestr('a.npy', npy(3)); z.writestr('b.npy', npy(5))\n"
      "    with z.open('c.npy', 'w', force_zip64=True) as f: f.write(npy(7))\n";
  write("make.py", script);
  ASSERT_EQ(std::system(("python3 " + path("make.py") + " " + path("t.npz")).c_str()), 0);
  const auto file = TensorFile::open(path("t.npz"));
  ASSERT_TRUE(file) << file.error();
  ASSERT_EQ(file->tensors().size(), 3U);
  for (const auto& [name, count] : {std::pair("a", 3U), std::pair("b", 5U), std::pair("c", 7U)}) {
    const auto tensor = file->find(name);
    ASSERT_TRUE(tensor) << tensor.error();
    const auto bytes = file->bytes(*tensor);
    ASSERT_EQ(bytes.size(), count);
    EXPECT_EQ(bytes.back(), static_cast<std::byte>(count - 1));
  }
  EXPECT_EQ(code(file->find("")), "tensor.unknown");
  EXPECT_EQ(code(file->find("d")), "tensor.unknown");
  const std::string bytes = read("t.npz");
  for (std::size_t length = 8; length < bytes.size(); length += 7) {
    const auto cut = files::tensors_of(std::string_view(bytes).substr(0, length));
    EXPECT_FALSE(cut) << length;
  }
}

TEST_F(TensorFiles, LeaveNothingWhereFillingIsRefused) {
  const Tensor tensor = tensor_of("|u1", "U8", 8, {100});
  write("a.npy", "before");
  const auto written = files::write_tensor(path("a.npy"), tensor, [](std::span<std::byte>) {
    return Result<void>(refuse("test.refused", "no"));
  });
  EXPECT_EQ(code(written), "test.refused");
  EXPECT_EQ(read("a.npy"), "before");
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(TensorFiles, DoNotWriteOverLinks) {
  write("target", "before");
  fs::create_symlink(path("target"), path("a.npy"));
  EXPECT_EQ(code(files::write_tensor(path("a.npy"), tensor_of("|u1", "U8", 8, {4}), count_up)),
            "file.unwritable");
  EXPECT_EQ(read("target"), "before");
  EXPECT_EQ(code(files::write_tensor(path("no/a.npy"), tensor_of("|u1", "U8", 8, {4}), count_up)),
            "file.unwritable");
  EXPECT_EQ(code(files::write_tensor(path("a.npz"), tensor_of("|u1", "U8", 8, {4}), count_up)),
            "npz.header");
}

/// A limit on the size of a file stands for a full disk: both make the file system refuse bytes.
TEST_F(TensorFiles, RefuseWhereTheDiskIsFull) {
  write("a.npy", "before");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto written =
        files::write_tensor(path("a.npy"), tensor_of("|u1", "U8", 8, {1 << 20}), count_up);
    _exit(code(written) == "file.unwritable" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(read("a.npy"), "before");
  EXPECT_EQ(names().size(), 1U);
}

/// Runs the work in another process, which is killed when it calls its argument.
template <class Work>
void expect_killed(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work([](std::span<std::byte> bytes) -> Result<void> {
      bytes.front() = std::byte{7};
      raise(SIGKILL);
      return {};
    });
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_F(TensorFiles, LeaveTheFinalNameToWholeFilesWhenKilled) {
  write("a.npy", "before");
  expect_killed([&](const auto& change) {
    (void)files::write_tensor(path("a.npy"), tensor_of("|u1", "U8", 8, {1 << 20}), change);
  });
  EXPECT_EQ(read("a.npy"), "before");
}

TEST_F(TensorFiles, MoveTensorsBetweenFiles) {
  ASSERT_TRUE(files::write_tensor(path("a.npy"), tensor_of("<u2", "U16", 16, {3, 4}), count_up));
  files::RelayoutRequest request;
  request.to = layout_of_text("(3,4):(1,3)");
  request.shape = {4, 3};
  const auto plan = files::relayout(path("a.npy"), path("b.safetensors"), request);
  ASSERT_TRUE(plan) << plan.error();
  const auto file = TensorFile::open(path("b.safetensors"));
  ASSERT_TRUE(file) << file.error();
  const Tensor tensor = file->find("").value();
  EXPECT_EQ(tensor.shape, (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(tensor.type, "<u2");
  const auto bytes = file->bytes(tensor);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      EXPECT_EQ(bytes[2 * (row + 3 * column)], static_cast<std::byte>(2 * (4 * row + column)));
    }
  }
  request.shape = {5, 3};
  ASSERT_TRUE(files::relayout(path("a.npy"), path("padded.bin"), request));
  EXPECT_EQ(read("padded.bin").size(), 30U);
  EXPECT_EQ(read("padded.bin").substr(24), std::string(6, '\0'));
  request.shape = {3, 3};
  EXPECT_EQ(code(files::relayout(path("a.npy"), path("c.npy"), request)), "tensor.shape");
  EXPECT_FALSE(fs::exists(path("c.npy")));
  request.shape = {};
  request.element_bits = 4;
  request.to = layout_of_text("48:1");
  request.from = layout_of_text("48:1");
  ASSERT_TRUE(files::relayout(path("a.npy"), path("d.bin"), request));
  EXPECT_EQ(read("d.bin").size(), 24U);
}

// ---- Within a file ----

/// What a new file of the same request holds.
TEST_F(TensorFiles, MoveWithinAFileAsToAnother) {
  struct Case {
    std::string name;
    std::string from;
    std::string to;
    std::vector<std::int64_t> shape;
    std::optional<std::int64_t> bits;
  };
  const std::vector<Case> cases = {
      {"a.npy", "", "(6,4):(1,6)", {4, 6}, {}},
      {"a.npy", "", "(6,4):(1,6)", {}, {}},
      {"a.npy", "(6,8):(8,1)", "(6,8):(1,6)", {}, 8},
      {"a.npy", "", "(6,4):(4,1)", {2, 3, 2, 2}, {}},
      {"a.bin", "(3,5):(5,1)", "(3,5):(1,3)", {}, {}},
      {"a.bin", "Sw<2,0,2> o 0 o 16:1", "16:1", {}, 16},
  };
  for (const Case& one : cases) {
    ASSERT_TRUE(files::write_tensor(path(one.name), tensor_of("<u2", "U16", 16, {6, 4}), count_up));
    files::RelayoutRequest request;
    request.to = layout_of_text(one.to);
    if (!one.from.empty()) request.from = layout_of_text(one.from);
    request.shape = one.shape;
    request.element_bits = one.bits;
    const std::string other = one.name == "a.npy" ? "b.npy" : "b.bin";
    ASSERT_TRUE(files::relayout(path(one.name), path(other), request));
    const auto plan = files::relayout_in_place(path(one.name), request);
    ASSERT_TRUE(plan) << plan.error();
    // What lies behind the layout's places stays as it is.
    const std::string wanted = read(other);
    EXPECT_EQ(read(one.name).substr(0, wanted.size()), wanted) << one.to;
    EXPECT_EQ(names().size(), 2U);
    fs::remove(path(one.name));
    fs::remove(path(other));
  }
}

TEST_F(TensorFiles, LeaveAFileAsItIsWhereItCannotBeMovedWithin) {
  files::RelayoutRequest request;
  request.to = layout_of_text("(3,4):(1,3)");
  const auto is_refused = [&](const std::string& name, std::string_view why) {
    const std::string before = read(name);
    EXPECT_EQ(code(files::relayout_in_place(path(name), request)), why) << name;
    EXPECT_EQ(read(name), before);
  };
  const Tensor tensor = tensor_of("<u2", "U16", 16, {3, 4});
  for (const char* name : {"a.npy", "a.safetensors"}) {
    ASSERT_TRUE(files::write_tensor(path(name), tensor, count_up));
  }
  is_refused("a.safetensors", "file.unwritable");
  request.to = layout_of_text("(3,4):(1,4)");
  is_refused("a.npy", "move.buffer");
  request.to = layout_of_text("(3,4):(1,3)");
  request.shape = {5, 3};
  is_refused("a.npy", "tensor.shape");
  request.shape = std::vector<std::int64_t>(60, 1);
  request.shape.front() = 12;
  is_refused("a.npy", "tensor.shape");
  request.shape = {};
  request.element_bits = 4;
  request.from = layout_of_text("(6,8):(8,1)");
  request.to = layout_of_text("(6,8):(1,6)");
  is_refused("a.npy", "move.in_place");
  request.element_bits = 8;
  request.from = layout_of_text("8:2");
  request.to = layout_of_text("8:3");
  is_refused("a.npy", "move.in_place");
  request = {};
  request.to = layout_of_text("(3,4):(1,3)");
  std::stop_source stop;
  stop.request_stop();
  request.run.stop = stop.get_token();
  is_refused("a.npy", "move.stopped");
  request.run.stop = {};
  write("a.npy.moving", "an earlier move");
  is_refused("a.npy", "file.unwritable");
  fs::remove(path("a.npy.moving"));
  fs::create_symlink(path("a.npy"), path("link.npy"));
  is_refused("link.npy", "file.unwritable");
  fs::create_hard_link(path("a.npy"), path("b.npy"));
  is_refused("b.npy", "file.unwritable");
  fs::remove(path("b.npy"));
  EXPECT_EQ(code(files::relayout_in_place(path("none.npy"), request)), "file.unreadable");
  EXPECT_EQ(names().size(), 3U);
  EXPECT_TRUE(files::relayout_in_place(path("a.npy"), request));
}

/// As read by NumPy: a header that is longer than needed stays as long.
TEST_F(TensorFiles, KeepTheLengthOfAHeader) {
  std::string header = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }";
  header.append(1000 - 10 - header.size() - 1, ' ');
  header += '\n';
  write("a.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(990 & 0xFF) +
                     static_cast<char>(990 >> 8) + header + "aabbccddeeff");
  files::RelayoutRequest request;
  request.to = layout_of_text("(2,3):(3,1)");
  request.shape = {2, 3};
  const auto plan = files::relayout_in_place(path("a.npy"), request);
  ASSERT_TRUE(plan) << plan.error();
  const auto file = TensorFile::open(path("a.npy"));
  ASSERT_TRUE(file) << file.error();
  EXPECT_EQ(file->tensors().front().begin, 1000U);
  EXPECT_FALSE(file->tensors().front().first_fastest);
  EXPECT_EQ(file->tensors().front().shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read("a.npy").substr(1000), "aacceebbddff");
}

TEST_F(TensorFiles, HaveNoNameWhileTheyAreHalfMoved) {
  const Tensor tensor = tensor_of("|u1", "U8", 8, {1 << 16});
  ASSERT_TRUE(files::write_tensor(path("a.npy"), tensor, count_up));
  const Tensor found = TensorFile::open(path("a.npy"))->find("").value();
  expect_killed(
      [&](const auto& change) { (void)files::change_tensor(path("a.npy"), found, change); });
  EXPECT_EQ(names(), std::vector<std::string>{"a.npy.moving"});
}

}  // namespace
}  // namespace heddle::test

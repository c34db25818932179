// heddle-mpi as a user runs it: several processes write, byte for byte, the files that one writes,
// and whatever happens to one of them leaves nothing under the final name.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "heddle/files/tensor_file.h"
#include "support/shell.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

/// As root, on fewer cores than processes, and with the shared memory of this host alone.
std::string with_processes(int count, const std::string& arguments,
                           const std::string& program = HEDDLE_MPI_BINARY) {
  return fmt::format(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader "
      "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 "
      "exec '{}' --oversubscribe -n {} '{}' {}",
      HEDDLE_MPIEXEC, count, program, arguments);
}

class HeddleMpi : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(HEDDLE_MPI_BINARY).empty()) {
      GTEST_SKIP() << "there is no MPI, so heddle-mpi is not built";
    }
  }

  [[nodiscard]] std::string path(std::string_view name) const { return folder_.path(name); }

  /// A file of whole tensors: two of floats that count up, and one of bytes.
  void write_whole(std::int64_t rows) const {
    std::vector<files::Tensor> tensors(3);
    const auto set = [&](std::size_t i, const char* name, const char* type, std::int64_t bits,
                         std::vector<std::int64_t> shape) {
      tensors[i].name = name;
      tensors[i].safetensors_type = type;
      tensors[i].element_bits = bits;
      tensors[i].bytes = static_cast<std::size_t>(bits / 8);
      for (const std::int64_t extent : shape) tensors[i].bytes *= static_cast<std::size_t>(extent);
      tensors[i].shape = std::move(shape);
    };
    set(0, "a", "F32", 32, {rows, 24});
    set(1, "b", "F32", 32, {17, 5});
    set(2, "c", "U8", 8, {rows});
    const auto written = files::write_tensors(
        path("whole.safetensors"), tensors, {{"format", "pt"}},
        [](std::span<const std::span<std::byte>> parts) -> Result<void> {
          for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t at = 0; at < parts[i].size(); at += sizeof(float)) {
              const auto number = static_cast<float>(at / sizeof(float) % 4096);
              std::memcpy(parts[i].data() + at, &number, sizeof(float));
            }
          }
          for (std::byte& byte : parts[2]) byte = std::byte{42};
          return {};
        });
    ASSERT_TRUE(written) << written.error();
  }

  void cut(const std::string& spec, const std::string& mesh, const std::string& output) const {
    const Ran done =
        shell(fmt::format("'{}' reshard {} --to \"{}\" --to-mesh \"{}\" -o {}", HEDDLE_BINARY,
                          path("whole.safetensors"), spec, mesh, path(output)));
    ASSERT_EQ(done.code, 0) << done.output;
  }

  /// That so many processes write what one does.
  void expect_same(int processes, const std::string& options) const {
    const Ran one =
        shell(fmt::format("'{}' reshard {} -o {}", HEDDLE_BINARY, options, path("one")));
    ASSERT_EQ(one.code, 0) << one.output;
    const Ran many =
        shell(with_processes(processes, fmt::format("reshard {} -o {}", options, path("many"))));
    ASSERT_EQ(many.code, 0) << many.output;
    for (const auto& entry : fs::directory_iterator(path("one"))) {
      EXPECT_EQ(contents(entry.path()), contents(path("many") / entry.path().filename()))
          << options;
    }
    EXPECT_FALSE(fs::exists(path("many.partial")));
    fs::remove_all(path("one"));
    fs::remove_all(path("many"));
  }

  Folder folder_;
};

TEST_F(HeddleMpi, WritesTheFilesThatOneProcessWrites) {
  write_whole(100);
  cut("[Shard(0)]", "[0,1,2,3]", "rows");
  const std::string rows =
      fmt::format("{} --from \"[Shard(0)]\" --from-mesh \"[0,1,2,3]\"", path("rows"));
  expect_same(4, rows + " --to \"[Replicate()]\" --to-mesh \"[3,2,1,0]\" --verify");
  expect_same(4, rows + " --to \"[_StridedShard(0, sf=2), Shard(0)]\" --to-mesh \"[[0,1],[2,3]]\"");
  expect_same(4, rows + " --to \"[Replicate()]\" --to-mesh \"[2]\"");
  std::ofstream(path("specs.txt")) << "stage = DeviceMesh([[1, 3], [2, 0]])\n"
                                   << "a: sharding([Shard(1), Replicate()], stage)\n"
                                   << "*: sharding([Shard(0)], DeviceMesh([2, 3]))\n";
  expect_same(4, rows + " --to " + path("specs.txt"));
}

TEST_F(HeddleMpi, ReducesInTheOrderOfThePlan) {
  write_whole(64);
  cut("[Replicate()]", "[0,1,2,3]", "terms");
  const std::string terms = fmt::format(
      "{} --from \"[Partial(), Shard(0)]\" --from-mesh \"[[0,1],[2,3]]\"", path("terms"));
  expect_same(4, terms + " --to \"[Shard(0)]\" --to-mesh \"[0,1,2,3]\"");
  expect_same(4, terms + " --to \"[Replicate()]\" --to-mesh \"[0,1,2,3]\" --bandwidth 0=1e9");
}

TEST_F(HeddleMpi, RunsWithSixteenProcesses) {
  write_whole(96);
  cut("[Shard(0)]", "[0,1,2,3,4,5,6,7]", "rows");
  expect_same(16, fmt::format("{} --from \"[Shard(0)]\" --from-mesh \"[0,1,2,3,4,5,6,7]\" --to "
                              "\"[Replicate(), Shard(0)]\" --to-mesh "
                              "\"[[4,5,6,7],[8,9,10,11],[12,13,14,15]]\"",
                              path("rows")));
}

TEST_F(HeddleMpi, RefusesAnotherNumberOfProcessesThanDevices) {
  write_whole(8);
  cut("[Shard(0)]", "[0,1,2,3]", "rows");
  const Ran refused = shell(with_processes(
      3, fmt::format("reshard {} --from \"[Shard(0)]\" --from-mesh \"[0,1,2,3]\" -o {}",
                     path("rows"), path("out.safetensors"))));
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.output.find("error reshard.ranks: 3 processes run, and both sides together "
                                "have 4 devices"),
            std::string::npos)
      << refused.output;
}

TEST_F(HeddleMpi, SaysOnceWhatAllProcessesFind) {
  write_whole(8);
  cut("[Shard(0)]", "[0,1,2,3]", "rows");
  const std::string broken = path("rows/device-3.safetensors");
  fs::resize_file(broken, fs::file_size(broken) - 1);
  const Ran refused = shell(with_processes(
      4, fmt::format("reshard {} --from \"[Shard(0)]\" --from-mesh \"[0,1,2,3]\" -o {}",
                     path("rows"), path("out.safetensors"))));
  EXPECT_NE(refused.code, 0);
  const std::size_t first = refused.output.find("error safetensors.header");
  EXPECT_NE(first, std::string::npos) << refused.output;
  EXPECT_EQ(refused.output.find("error ", first + 1), std::string::npos) << refused.output;
  EXPECT_FALSE(fs::exists(path("out.safetensors")));
}

TEST_F(HeddleMpi, SaysOnceThatReplicasDiffer) {
  write_whole(100);
  fs::create_directory(path("same"));
  for (const char* name : {"same/device-0.safetensors", "same/device-1.safetensors"}) {
    fs::copy_file(path("whole.safetensors"), path(name));
  }
  const std::string other = path("same/device-1.safetensors");
  std::fstream(other, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(fs::file_size(other)) - 1)
      .put('!');
  const std::string command = fmt::format(
      "reshard {} --from \"P()\" --from-mesh \"Mesh('x': 2)\" -o {}", path("same"), path("out"));
  const Ran refused = shell(with_processes(2, command));
  EXPECT_NE(refused.code, 0);
  const std::size_t first = refused.output.find("error reshard.replica: the tensor c");
  EXPECT_NE(first, std::string::npos) << refused.output;
  EXPECT_NE(refused.output.find("differs is (99): 42 and 33"), std::string::npos) << refused.output;
  EXPECT_EQ(refused.output.find("error ", first + 1), std::string::npos) << refused.output;
  EXPECT_FALSE(fs::exists(path("out")));
  fs::remove_all(path("out.partial"));
  EXPECT_EQ(shell(with_processes(2, command + " --trust-replicas")).code, 0);
}

TEST_F(HeddleMpi, EndsWhereOneProcessAloneFails) {
  write_whole(100);
  cut("[Shard(0)]", "[0,1,2,3]", "rows");
  const std::string broken = path("rows/device-2.safetensors");
  std::fstream(broken, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(fs::file_size(broken)) - 1)
      .put('!');
  const Ran failed = shell(with_processes(
      4, fmt::format("reshard {} --from \"[Shard(0)]\" --from-mesh \"[0,1,2,3]\" --to "
                     "\"[Replicate()]\" --to-mesh \"[0,1,2,3]\" -o {}",
                     path("rows"), path("out"))));
  EXPECT_NE(failed.code, 0);
  EXPECT_NE(failed.output.find("error reshard.checksum"), std::string::npos) << failed.output;
  EXPECT_NE(failed.output.find("device-2.safetensors"), std::string::npos) << failed.output;
  EXPECT_FALSE(fs::exists(path("out")));
}

/// Two processes in folders of their own, as on two hosts, with the same arguments.
class TwoHosts : public HeddleMpi {
 protected:
  void SetUp() override {
    HeddleMpi::SetUp();
    if (IsSkipped()) return;
    write_whole(8);
    cut("[Shard(0)]", "[0,1]", "rows");
    for (int i = 0; i < 2; ++i) {
      fs::create_directory(path(fmt::format("host-{}", i)));
      specs(i, "*: sharding([Shard(0)], [0,1])");
    }
    const std::string program = path("on-host");
    std::ofstream(program) << "#!/bin/sh\ncd " << path("host-") << "$OMPI_COMM_WORLD_RANK\n"
                           << "exec '" << HEDDLE_MPI_BINARY << "' \"$@\" $(cat more 2>/dev/null)\n";
    fs::permissions(program, fs::perms::owner_all);
  }

  void specs(int host, const std::string& line) const {
    std::ofstream(path(fmt::format("host-{}/specs.txt", host))) << line << "\n";
  }

  /// That it ends, and says why once.
  void expect_refused(const std::string& words) const {
    const Ran refused = shell("timeout 120 sh -c \"" +
                              with_processes(2,
                                             fmt::format("reshard {} --from specs.txt -o {}",
                                                         path("rows"), path("out.safetensors")),
                                             path("on-host")) +
                              "\"");
    EXPECT_NE(refused.code, 0);
    EXPECT_NE(refused.code, 124);
    const std::size_t first = refused.output.find(words);
    EXPECT_NE(first, std::string::npos) << refused.output;
    EXPECT_EQ(refused.output.find(words, first + 1), std::string::npos) << refused.output;
    EXPECT_FALSE(fs::exists(path("out.safetensors")));
  }
};

TEST_F(TwoHosts, WriteNothingWhereTheirSpecsDiffer) {
  specs(1, "*: sharding([Shard(0)], [1,0])");
  expect_refused("error reshard.spec: process 1 has other specs");
}

TEST_F(TwoHosts, SayWhatOneOfThemIsRefused) {
  specs(1, "*: sharding([Shard(0)]");
  expect_refused("in line 1 of the specs");
}

/// Before it speaks to the other one, which waits for it.
TEST_F(TwoHosts, EndWhereOneOfThemHasOtherOptions) {
  std::ofstream(path("host-1/more")) << "--nonsense";
  expect_refused("error usage.option");
}

/// The processes that a process has started.
std::vector<pid_t> children_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

TEST_F(HeddleMpi, IsFinishedByTheNextRunAfterAProcessDied) {
  write_whole(std::int64_t{1} << 19);
  cut("[Shard(0)]", "[0,1,2,3]", "rows");
  const std::string options = fmt::format(
      "{} --from \"[Shard(0)]\" --from-mesh \"[0,1,2,3]\" --to \"[Shard(0)]\" --to-mesh "
      "\"[3,2,1,0]\"",
      path("rows"));
  const pid_t child = fork();
  if (child == 0) {
    const std::string command = with_processes(
        4, fmt::format("reshard {} -o {} > {} 2>&1", options, path("many"), path("log")));
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  while (!fs::exists(path("many.partial/device-2.safetensors")) &&
         waitpid(child, nullptr, WNOHANG) == 0) {
    usleep(1000);
  }
  const std::vector<pid_t> processes = children_of(child);
  if (processes.size() == 4) kill(processes[2], SIGKILL);
  waitpid(child, nullptr, 0);
  if (fs::exists(path("many"))) GTEST_SKIP() << "the run ended before a process was killed";
  EXPECT_NE(contents(path("log")).find("signal 9"), std::string::npos) << contents(path("log"));
  const Ran again =
      shell(with_processes(4, fmt::format("reshard {} -o {}", options, path("many"))));
  EXPECT_NE(again.output.find("error reshard.output"), std::string::npos) << again.output;
  const Ran resumed =
      shell(with_processes(4, fmt::format("reshard {} --resume -o {}", options, path("many"))));
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  const Ran one = shell(fmt::format("'{}' reshard {} -o {}", HEDDLE_BINARY, options, path("one")));
  ASSERT_EQ(one.code, 0) << one.output;
  for (const auto& entry : fs::directory_iterator(path("one"))) {
    EXPECT_TRUE(contents(entry.path()) == contents(path("many") / entry.path().filename()))
        << entry;
  }
}

TEST_F(HeddleMpi, HasOneCommand) {
  const Ran refused = shell(with_processes(2, "eval 4:1"));
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.output.find("error usage.option: heddle-mpi has one command"),
            std::string::npos)
      << refused.output;
}

/// Nothing but heddle-mpi needs MPI to run.
TEST_F(HeddleMpi, AloneLinksMpi) {
  const auto needs_mpi = [](const std::string& binary) {
    return shell(fmt::format("ldd '{}'", binary)).output.find("libmpi") != std::string::npos;
  };
  EXPECT_TRUE(needs_mpi(HEDDLE_MPI_BINARY));
  EXPECT_FALSE(needs_mpi(HEDDLE_BINARY));
  const fs::path build = fs::path(HEDDLE_BINARY).parent_path().parent_path();
  for (const fs::path& folder : {build, build / "python/heddle"}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() != ".so") continue;
      EXPECT_FALSE(needs_mpi(entry.path())) << entry;
    }
  }
}

}  // namespace
}  // namespace heddle::test

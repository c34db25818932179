// Headers of kernels: they compile as C11 and C++17, what they launch is what kernels mean, and
// they refuse what kernels are not for.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "back_end.h"
#include "checker/crew.h"
#include "heddle/kernel/cuda_compiler.h"
#include "heddle/kernel/device.h"
#include "heddle/kernel/launcher.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using kernel::Array;
using kernel::Kernel;
using kernel::Space;
using kernel::Target;

// heddle_tensor and heddle_error, as the headers have them.
struct TensorArgument {
  void* data = nullptr;
  int type = 0;
  int rank = 0;
  std::int64_t shape[8] = {};
  const std::int64_t* strides = nullptr;
};
struct ErrorText {
  char text[512] = {};
};

std::string folder_of_launchers() {
  std::string path = std::string(HEDDLE_PROGRAMS_BINARY) + "/launchers";
  std::filesystem::create_directories(path);
  return path;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string header_of(const Kernel& kernel, Target target) {
  const auto program = lower(kernel, options_for(target));
  if (!program) throw std::runtime_error(program.error().message());
  const auto header = to_header(*program, target);
  if (!header) throw std::runtime_error(header.error().message());
  return *header;
}

int compile(const std::string& options, const std::string& input) {
  return std::system((std::string(HEDDLE_CXX) + " " + options + " " + input).c_str());
}

bool is_value(const kernel::Tensor& parameter) { return parameter.space == Space::kValue; }

// `run(tensors, values, sizes, error)`, which hands its arguments to the launcher.
std::string runner_of(const Kernel& kernel, Target target, const std::vector<std::string>& sizes) {
  std::string list;
  int tensors = 0;
  int values = 0;
  for (const kernel::Tensor& parameter : kernel.parameters) {
    const std::string type = parameter.type == kernel::DType::kI32 ? "int32_t" : "float";
    list += is_value(parameter) ? "*(const " + type + "*)values[" + std::to_string(values++) + "], "
                                : "tensors[" + std::to_string(tensors++) + "], ";
  }
  for (std::size_t i = 0; i != sizes.size(); ++i) list += "sizes[" + std::to_string(i) + "], ";
  const std::string type =
      "int run(const heddle_tensor* tensors, const void* const* values, const int64_t* sizes, "
      "heddle_error* error)";
  const std::string call = "heddle_launch_" + kernel.name + "(" + list;
  const std::string unused = "  (void)values; (void)sizes;\n";
  if (target == Target::kCuda) {
    // By the function of C++, which calls that of C.
    return "#include <cstdio>\nextern \"C\" " + type + " {\n" + unused + "  try {\n    " + call +
           "nullptr);\n  } catch (const std::invalid_argument& refusal) {\n"
           "    std::snprintf(error->text, sizeof error->text, \"%s\", refusal.what());\n"
           "    return 1;\n  }\n  return 0;\n}\n";
  }
  return type + ";\n" + type + " {\n" + unused + "  if (program == NULL) program = heddle_build_" +
         kernel.name + "(context, device, error);\n  return program == NULL ? 2 : " + call +
         "program, queue, error);\n}\n";
}

// A kernel with its launcher, compiled and loaded: OpenCL's as C, CUDA's for the CPU.
class Launcher {
 public:
  Launcher(const Kernel& kernel, Target target, const std::vector<std::string>& sizes = {}) {
    const bool is_cl = target == Target::kOpenCl;
#ifndef HEDDLE_KERNELS_OPENCL
    if (is_cl) throw DeviceMissing("built without OpenCL");
#endif
    const std::string stem =
        folder_of_launchers() + "/" + kernel.name + "." + std::string(name_of(target));
    write(stem + ".h", header_of(kernel, target));
    std::string macro = "HEDDLE_" + kernel.name + "_IMPLEMENTATION";
    std::ranges::transform(macro, macro.begin(),
                           [](char c) { return static_cast<char>(std::toupper(c)); });
    const std::string device = is_cl ? "run_opencl.h" : "run_cuda_on_cpu.h";
    const std::string source = stem + (is_cl ? ".c" : ".cu");
    write(source, "#include \"programs/" + device + "\"\n#define " + macro + "\n#include \"" +
                      stem + ".h\"\n" + runner_of(kernel, target, sizes));
    const std::string common = " -Wall -Wextra -Werror -O1 -fPIC -shared -I" +
                               std::string(HEDDLE_KERNELS_FOLDER) + " -o " + stem + ".so ";
    const std::string language = is_cl ? "-x c -std=c11 -pedantic"
                                       : "-x c++ -std=c++17 -w -ffp-contract=off -include " +
                                             std::string(HEDDLE_KERNELS_FOLDER) +
                                             "/../src/checker/models/cuda_on_cpu.h";
    if (compile(language + common,
                source + (is_cl ? " -Wno-unused-command-line-argument -x none -lOpenCL" : "")) !=
        0) {
      throw std::runtime_error(source + ": does not compile");
    }
    library_ = dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    if (!is_cl) crew_->join(library_);
    find("open_device", open_);
    find("make_memory", make_);
    find("read_memory", read_);
    find("free_memory", free_);
    find("run", run_);
    if (open_() != 0) throw DeviceMissing("no OpenCL device is there");
  }

  // Empty, or why nothing is launched.
  std::string launch(const std::vector<TensorArgument>& tensors,
                     const std::vector<const void*>& values = {},
                     const std::vector<std::int64_t>& sizes = {}) const {
    ErrorText error;
    const int status = run_(tensors.data(), values.data(), sizes.data(), &error);
    return status == 0 ? "" : error.text;
  }

  [[nodiscard]] void* make(std::size_t bytes, const void* from) const { return make_(bytes, from); }
  void read(void* memory, std::size_t bytes, void* to) const { read_(memory, bytes, to); }
  void free(void* memory) const { free_(memory); }

 private:
  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(name);
  }

  // Runs CUDA's threads.
  checker::Watcher nobody_;
  std::unique_ptr<checker::Crew> crew_ = std::make_unique<checker::Crew>(nobody_);
  void* library_ = nullptr;
  int (*open_)() = nullptr;
  void* (*make_)(std::size_t, const void*) = nullptr;
  void (*read_)(void*, std::size_t, void*) = nullptr;
  void (*free_)(void*) = nullptr;
  int (*run_)(const TensorArgument*, const void* const*, const std::int64_t*, ErrorText*) = nullptr;
};

TensorArgument argument_of(kernel::DType type, const std::vector<std::int64_t>& shape,
                           void* data = nullptr) {
  const auto types = kernel::dtypes();
  TensorArgument argument{data,
                          1 + static_cast<int>(std::ranges::find(types, type) - types.begin()),
                          static_cast<int>(shape.size())};
  std::ranges::copy(shape, argument.shape);
  return argument;
}

// The arguments after the launcher has run on them.
std::vector<Array> launched(const Launcher& launcher, const Kernel& kernel,
                            std::vector<Array> arguments, const kernel::Sizes& sizes,
                            const std::vector<std::int64_t>& given) {
  std::vector<TensorArgument> tensors;
  std::vector<kernel::Places> places;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<const void*> values;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (is_value(kernel.parameters[i])) {
      values.push_back(arguments[i].elements.data());
      continue;
    }
    places.push_back(places_of(kernel.parameters[i], arguments[i], sizes).value());
    bytes.push_back(bytes_of(spread_out(arguments[i], places.back())));
    tensors.push_back(argument_of(arguments[i].type, arguments[i].shape,
                                  launcher.make(bytes.back().size(), bytes.back().data())));
  }
  EXPECT_EQ(launcher.launch(tensors, values, given), "") << kernel.name;
  std::size_t next = 0;
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    if (is_value(kernel.parameters[i])) continue;
    launcher.read(tensors[next].data, bytes[next].size(), bytes[next].data());
    launcher.free(tensors[next].data);
    const Array memory = array_of(arguments[i].type, {}, bytes[next]);
    arguments[i] = gathered(std::move(arguments[i]), places[next], memory);
    ++next;
  }
  return arguments;
}

Kernel kernel_in(const std::string& file, const std::string& name) {
  for (Kernel& kernel : kernels_of_file(file)) {
    if (kernel.name == name) return std::move(kernel);
  }
  throw std::runtime_error("no kernel is called " + name);
}

Kernel parsed(const std::string& text) { return notation::parse_kernels(text).value().front(); }

class Launchers : public testing::TestWithParam<Target> {
 protected:
  static void expect_the_meaning(const Kernel& kernel, const kernel::Sizes& sizes, double tolerance,
                                 const std::vector<std::string>& untold = {}) {
    Random random(seed());
    std::vector<Array> arguments = data_for(kernel, sizes, random);
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      if (!is_value(kernel.parameters[i])) continue;
      arguments[i].elements = {encode(arguments[i].type, kernel::Number(0.125))};
    }
    std::vector<std::int64_t> given;
    for (const std::string& name : untold) given.push_back(sizes.at(name));
    const auto wanted = run(kernel, arguments, {sizes});
    ASSERT_TRUE(wanted.has_value()) << kernel.name << ": " << wanted.error();
    const Launcher launcher(kernel, GetParam(), untold);
    const std::vector<Array> found = launched(launcher, kernel, arguments, sizes, given);
    for (std::size_t i = 0; i != found.size(); ++i) {
      EXPECT_EQ(difference(found[i], (*wanted)[i], tolerance), "")
          << kernel.name << ", " << kernel.parameters[i].name << ", seed " << seed();
    }
  }
};

TEST_P(Launchers, LaunchWhatKernelsMean) {
  try {
    expect_the_meaning(kernel_in("vector_add", "vector_add"), {{"N", 3001}}, 0);
    expect_the_meaning(kernel_in("vector_add", "vector_add_by_fours"), {{"N", 2052}}, 0);
    expect_the_meaning(kernel_in("transpose", "transpose_padded"), {{"M", 70}, {"N", 33}}, 0);
    expect_the_meaning(kernel_in("softmax", "softmax"), {{"M", 3}, {"N", 1000}}, 1e-5);
    expect_the_meaning(kernel_in("reductions", "sum_of_all"), {{"M", 37}, {"N", 70}}, 1e-5);
    expect_the_meaning(kernel_in("gemm", "gemm_atb"), {{"M", 70}, {"N", 64}, {"K", 37}}, 1e-5);
    expect_the_meaning(kernel_in("layernorm", "layernorm"), {{"M", 3}, {"N", 1000}}, 1e-4);
    expect_the_meaning(kernel_in("stencil", "stencil_bricks"), {{"Z", 8}, {"Y", 16}, {"X", 24}},
                       1e-6);
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
}

// A size that no extent is on its own is a parameter, and so are names that launchers use too.
TEST_P(Launchers, TakeSizesThatNoShapeTells) {
  try {
    expect_the_meaning(parsed("kernel pairs(stream: f32[2*N], program: f32[N], error: f32[2*N], "
                              "queue: f32)\n"
                              "  launch cta (N + 31) // 32, threads 32\n"
                              "{ error[64*bx : +64] = stream[64*bx : +64] * queue }"),
                       {{"N", 50}}, 0);
    expect_the_meaning(parsed("kernel doubled(A: f32[2*N], B: f32[2*N])\n"
                              "  launch cta (N + 31) // 32, threads 32\n"
                              "{ B[64*bx : +64] = A[64*bx : +64] }"),
                       {{"N", 50}}, 0, {"N"});
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
}

// A way to break a call that is right, and the whole refusal.
struct Broken {
  std::function<void(std::vector<TensorArgument>&)> change;
  std::string refusal;
};

TEST_P(Launchers, RefuseWhatTheKernelIsNotFor) {
  const Kernel kernel = parsed(
      "kernel checked(A: f32[M,N], B: f16[N,M] = (N,M):(1,N), S: i32[])\n"
      "  assume N % 4 == 0, M <= 2*N, N <= 4096\n"
      "  launch cta (M, N // 4), threads 1\n"
      "{ reg a: f32[4]; copy(a, A[bx, 4*by : +4]); copy(A[bx, 4*by : +4], a)\n"
      "  atomic_add(S, i32(B[4*by, bx])) }");
  std::unique_ptr<Launcher> launcher;
  try {
    launcher = std::make_unique<Launcher>(kernel, GetParam());
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
  const std::vector<std::byte> zeros(4096);
  const bool is_cl = GetParam() == Target::kOpenCl;
  static const std::int64_t kColumnMajor[] = {1, 6};
  static const std::int64_t kRows[] = {6, 1};
  const auto right = [&] {
    return std::vector<TensorArgument>{
        argument_of(kernel::DType::kF32, {6, 8}, launcher->make(6 * 8 * 4, zeros.data())),
        argument_of(kernel::DType::kF16, {8, 6}, launcher->make(8 * 6 * 2, zeros.data())),
        argument_of(kernel::DType::kI32, {}, launcher->make(4, zeros.data()))};
  };
  using Tensors = std::vector<TensorArgument>;
  std::vector<Broken> broken = {
      {[](Tensors& t) { t[0].type = 4; }, "A has elements of f16, not f32"},
      {[](Tensors& t) { t[0].type = 0; }, "A has elements of no type, not f32"},
      {[](Tensors& t) { t[0].type = 99; }, "A has elements of no type, not f32"},
      {[](Tensors& t) { t[1].rank = 3; }, "B has 3 dimensions, not 2"},
      {[](Tensors& t) { t[2].rank = -1; }, "S has -1 dimensions, not 0"},
      {[](Tensors& t) { t[0].shape[1] = -8; }, "A has the extent -8 in dimension 1"},
      {[](Tensors& t) { t[0].shape[0] = 0; }, "M is 0, and the kernel is for 1 to 8192"},
      {[](Tensors& t) { t[0].shape[0] = std::int64_t{1} << 31; },
       "M is 2147483648, and the kernel is for 1 to 8192"},
      {[](Tensors& t) { t[0].shape[1] = 5000; }, "N is 5000, and the kernel is for 4 to 4096"},
      {[](Tensors& t) { t[0].shape[1] = 6; }, "checked assumes N%4 == 0, and N is 6"},
      {[](Tensors& t) { t[0].shape[0] = 17; }, "checked assumes M <= 2*N, and M is 17, N is 8"},
      {[](Tensors& t) { t[1].shape[1] = 5; }, "B has the shape (8,5), not (8,6)"},
      {[](Tensors& t) { t[0].strides = kColumnMajor; }, "A has the strides (1,6), not (8,1)"},
      {[](Tensors& t) { t[1].strides = kRows; }, "B has the strides (6,1), not (1,8)"},
      {[](Tensors& t) { t[0].data = nullptr; }, "A is a null pointer"},
  };
  if (is_cl) {
    broken.push_back({[](Tensors& t) { t[0].data = t[1].data; },
                      "A has 96 bytes of memory, too few for 48 elements"});
  } else {
    broken.push_back({[](Tensors& t) { t[0].data = static_cast<char*>(t[0].data) + 4; },
                      "A is not aligned to 16 bytes"});
    broken.push_back({[](Tensors& t) { t[1].data = static_cast<char*>(t[1].data) + 1; },
                      "B is not aligned to 2 bytes"});
  }
  const Tensors tensors = right();
  EXPECT_EQ(launcher->launch(tensors), "");
  for (const Broken& each : broken) {
    Tensors changed = tensors;
    each.change(changed);
    EXPECT_EQ(launcher->launch(changed), each.refusal);
  }
  // The strides of the layouts themselves are taken.
  static const std::int64_t kFirst[] = {8, 1};
  static const std::int64_t kSecond[] = {1, 8};
  Tensors strided = tensors;
  strided[0].strides = kFirst;
  strided[1].strides = kSecond;
  EXPECT_EQ(launcher->launch(strided), "");
  for (const TensorArgument& tensor : tensors) launcher->free(tensor.data);
}

TEST_P(Launchers, CheckGridsAndNumbersOfElements) {
  std::unique_ptr<Launcher> launcher;
  std::unique_ptr<Launcher> cube;
  try {
    launcher = std::make_unique<Launcher>(
        parsed("kernel grids(A: i32[N], B: i32[M]) launch cta (1, N, M), threads 32\n"
               "{ atomic_add(A[by], 1); atomic_add(B[bz], 1) }"),
        GetParam());
    cube = std::make_unique<Launcher>(
        parsed("kernel cube(A: i8[X,Y,Z]) launch cta (X*Y*Z + 255) // 256, threads 32\n"
               "{ fill(A.reshape(X*Y*Z)[256*bx : +256], 1) }"),
        GetParam());
  } catch (const DeviceMissing& missing) {
    GTEST_SKIP() << missing.what();
  }
  const bool is_cl = GetParam() == Target::kOpenCl;
  std::vector<std::int32_t> numbers(65536, 7);
  void* memory = launcher->make(numbers.size() * sizeof numbers[0], numbers.data());
  const auto tensor = [&](std::int64_t extent) {
    return argument_of(kernel::DType::kI32, {extent}, memory);
  };
  if (!is_cl) {
    EXPECT_EQ(launcher->launch({tensor(4), tensor(65536)}),
              "the grid is (1,4,65536), and extent 2 is not from 1 to 65535");
    launcher->read(memory, numbers.size() * sizeof numbers[0], numbers.data());
    EXPECT_EQ(std::ranges::count(numbers, 7), 65536);
  }
  launcher->free(memory);
  void* bytes = cube->make(numbers.size(), numbers.data());
  const auto box = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return std::vector{argument_of(kernel::DType::kI8, {x, y, z}, bytes)};
  };
  EXPECT_EQ(cube->launch(box(3, 5, 7)), "");
  EXPECT_EQ(cube->launch(box(2048, 2048, 2048)),
            "A has more than 2147483647 elements, which the kernel does not count");
  // Nothing overflows on the way.
  EXPECT_EQ(cube->launch(box(2146435072, 2146435072, 2146435072)),
            "A has more than 2147483647 elements, which the kernel does not count");
  cube->free(bytes);
}

// All headers of a target are included together.
TEST_P(Launchers, DeclareTogetherInCAndCpp) {
  std::string text = "typedef int heddle_is_not_empty;\n";
  for (const char* file :
       {"vector_add", "transpose", "softmax", "reductions", "gemm", "layernorm", "stencil"}) {
    for (const Kernel& kernel : kernels_of_file(file)) {
      const std::string name = kernel.name + "." + std::string(name_of(GetParam())) + ".h";
      write(folder_of_launchers() + "/" + name, header_of(kernel, GetParam()));
      text += "#include \"" + name + "\"\n";
    }
  }
  const std::string path = folder_of_launchers() + "/all_" + std::string(name_of(GetParam()));
  write(path + ".c", text);
  write(path + ".cc", text +
                          "heddle_tensor a = heddle_tensor_of(static_cast<const float*>(nullptr), "
                          "{2, 3});\n");
  const std::string strict = " -Wall -Wextra -Werror -pedantic -fsyntax-only";
  EXPECT_EQ(compile("-x c -std=c11" + strict, path + ".c"), 0);
  EXPECT_EQ(compile("-x c++ -std=c++17" + strict, path + ".cc"), 0);
}

INSTANTIATE_TEST_SUITE_P(Targets, Launchers, testing::Values(Target::kCuda, Target::kOpenCl),
                         device_name);

// On a GPU where there is one; elsewhere the refusal says what is missing.
TEST(DeviceKernels, OfCudaRunOnTheFirstGpu) {
  const Kernel kernel = kernel_in("softmax", "softmax");
  const auto device = kernel::DeviceKernel::compile(kernel, Target::kCuda);
  if (!device) {
    const std::string& code = device.error().code();
    EXPECT_TRUE(code == "kernel.no_device" || code == "kernel.no_compiler") << code;
    GTEST_SKIP() << device.error();
  }
  const kernel::Sizes sizes = {{"M", 5}, {"N", 1100}};
  Random random(seed());
  const auto deviations = compare(kernel, *device, data_for(kernel, sizes, random), sizes);
  ASSERT_TRUE(deviations.has_value()) << deviations.error();
  ASSERT_EQ(deviations->size(), 1);
  EXPECT_LT(deviations->front().relative, 1e-5);
  EXPECT_NE(device->binary().value().find("softmax"), std::string::npos);
}

// The binary of the device: a program, which differs between kernels.
TEST(Headers, StandBesideBinariesOfOpenCl) {
  const auto device = kernel::DeviceKernel::compile(kernel_in("vector_add", "vector_add"));
  if (!device) GTEST_SKIP() << device.error();
  const auto binary = device->binary();
  ASSERT_TRUE(binary.has_value()) << binary.error();
  EXPECT_NE(binary->find("vector_add"), std::string::npos);
}

TEST(Headers, RefuseWhatTheyCannotCheck) {
  const auto refusal = [](const std::string& text) {
    const Kernel kernel = parsed(text);
    const auto header = to_header(lower(kernel, options_for(Target::kCuda)).value(), Target::kCuda);
    return header ? std::string("a header") : header.error().to_string();
  };
  EXPECT_EQ(refusal("kernel deep(A: f32[1,1,1,1,1,1,1,1,1]) launch cta 1, threads 32\n"
                    "{ A[0,0,0,0,0,0,0,0,0] = 1 }"),
            "error kernel.not_lowered: A has 9 dimensions, and the tensors of launchers have up to "
            "8");
  EXPECT_EQ(refusal("kernel swizzled(A: f32[64,64] = Sw<3,0,3> o 0 o (64,64):(64,1))\n"
                    "  launch cta 1, threads 32\n{ A[0,0] = 1 }"),
            "error kernel.not_lowered: A: f32[64,64] = Sw<3,0,3> o 0 o (64,64):(64,1): a launcher "
            "checks how far the layout reaches in memory, and that is not known\n  hint: compile "
            "it with --emit source, and launch it yourself");
}

#ifdef HEDDLE_NVCC
// The implementations of all kernels in one file.
TEST(LaunchersOfCuda, CompileForEveryArchitecture) {
  std::string text;
  for (const char* file : {"vector_add", "transpose", "softmax", "gemm", "stencil"}) {
    for (const Kernel& kernel : kernels_of_file(file)) {
      std::string macro = "HEDDLE_" + kernel.name + "_IMPLEMENTATION";
      std::ranges::transform(macro, macro.begin(),
                             [](char c) { return static_cast<char>(std::toupper(c)); });
      text += "#define " + macro + "\n" + header_of(kernel, Target::kCuda);
    }
  }
  const std::string path = folder_of_launchers() + "/all_nvcc.cu";
  write(path, text);
  const std::string command = std::string(HEDDLE_NVCC) +
                              " -c -std=c++17 -Werror all-warnings"
                              " -gencode=arch=compute_80,code=sm_80"
                              " -gencode=arch=compute_90,code=sm_90 -o " +
                              path + ".o " + path;
  EXPECT_EQ(std::system(command.c_str()), 0) << path;
}

TEST(LaunchersOfCuda, BinariesAreOfTheArchitecture) {
  const Kernel kernel = kernel_in("vector_add", "vector_add");
  const std::string source =
      to_source(lower(kernel, options_for(Target::kCuda)).value(), Target::kCuda).value();
  setenv("NVCC", HEDDLE_NVCC, 1);
  const auto one = kernel::compile_cuda(source, std::vector<std::string>{"sm_90"});
  const auto both = kernel::compile_cuda(source, std::vector<std::string>{"sm_80", "sm_90"});
  unsetenv("NVCC");
  ASSERT_TRUE(one.has_value() && both.has_value());
  EXPECT_TRUE(
      one->starts_with("\x7f"
                       "ELF"));
  EXPECT_NE(one->find("vector_add"), std::string::npos);
  EXPECT_FALSE(
      both->starts_with("\x7f"
                        "ELF"));
  EXPECT_GT(both->size(), one->size());
}
#endif

}  // namespace
}  // namespace heddle::kernels

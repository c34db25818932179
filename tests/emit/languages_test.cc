// The other languages: what is emitted is built, or at least compiled, and held against plain
// evaluation of the layouts too. What a machine has no tool for is skipped with a line.

#include <gtest/gtest.h>

#include "emit/c_programs.h"
#include "emit/program.h"
#include "support/any_layout.h"

namespace heddle::emit {
namespace {

/// Some functions of layouts of every system.
std::vector<DrawnFunction> some_functions(int of_each, Dialect dialect) {
  std::vector<DrawnFunction> all;
  for (const Source& source : sources()) {
    std::vector<DrawnFunction> some = drawn_functions(source, of_each, dialect);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

int share_of(int parts) { return std::max(1, test::property_count() / parts); }

// C++, CUDA.

constexpr const char* kAccessorUse =
    "template <class T>\n"
    "struct f_use {\n"
    "  static T sum(T* data) {\n"
    "    const f_accessor<T> a{data};\n"
    "    T sum = 0;\n"
    "    for (int i = 0; i < 4; ++i)\n"
    "      for (int j = 0; j < 8; ++j) sum += (a(i, j) = T(10 * i + j));\n"
    "    return sum;\n"
    "  }\n"
    "};\n"
    "static_assert(f(3, 7) == 27 && f_inverse(27).i == 3 && f_guard(0, 0) && !f_guard(4, 0), "
    "\"\");\n";

std::string accessor_text(Dialect dialect) {
  return map_text(test::layout_of_text("Sw<1,2,2> o 0 o (4,8):(8,1)"), {dialect, "f"}).value() +
         kAccessorUse;
}

TEST(Languages, Cpp) {
  const std::vector<DrawnFunction> functions = some_functions(share_of(100), Dialect::kCpp);
  test::expect_silent("law.cc", c_program(functions, Dialect::kCpp),
                      "c++ -std=c++17 -O0 -Wall -Wextra -Werror -Wno-unused-function "
                      "-Wno-unused-const-variable law.cc -o law && ./law");
}

// OpenCL C.

/// Runs the kernel of a file once, and prints what it says is wrong.
constexpr const char* kOpenClHost = R"(
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static char text[1 << 24];

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_uint count = 0;
  if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0 ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    printf("no OpenCL device\n");
    return 0;
  }
  FILE* file = fopen("law.cl", "r");
  const size_t length = fread(text, 1, sizeof(text) - 1, file);
  const char* source = text;
  cl_int error = 0;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &error);
  if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -w", NULL, NULL) != CL_SUCCESS) {
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
    printf("%s\n", log);
    return 1;
  }
  cl_long wrong = 0;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(wrong),
                                 &wrong, &error);
  cl_kernel kernel = clCreateKernel(program, "run", &error);
  clSetKernelArg(kernel, 0, sizeof(buffer), &buffer);
  const size_t one = 1;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
  error = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(wrong), &wrong, 0, NULL, NULL);
  if (error != CL_SUCCESS) printf("error %d\n", (int)error);
  if (wrong != 0) printf("f%d is wrong\n", (int)wrong - 1);
  return 0;
}
)";

TEST(Languages, OpenCl) {
  const test::ProgramFolder folder("opencl");
  folder.write("host.c", kOpenClHost);
  if (folder.run("cc -DCL_TARGET_OPENCL_VERSION=120 host.c -lOpenCL -o host").first != 0) {
    GTEST_SKIP() << "OpenCL C is not run: no headers or no loader (Debian: ocl-icd-opencl-dev)";
  }
  const std::vector<DrawnFunction> functions = some_functions(share_of(250), Dialect::kOpenCl);
  folder.write("law.cl", kOpenClHead + checked_texts(functions, Dialect::kOpenCl) +
                             "__kernel void run(__global long* wrong) {\n" +
                             calls_of_checks(functions.size(), "wrong") + "}\n");
  const auto [status, printed] = folder.run("POCL_CACHE_DIR=cache ./host");
  if (printed == "no OpenCL device\n") {
    GTEST_SKIP() << "OpenCL C is not run: no device (Debian: pocl-opencl-icd)";
  }
  EXPECT_EQ(printed.substr(0, 4000), "");
  EXPECT_EQ(status, 0);
}

TEST(Languages, Cuda) {
  if (!test::has_tool("nvcc")) GTEST_SKIP() << "CUDA is not compiled: there is no nvcc";
  const std::vector<DrawnFunction> functions = some_functions(share_of(1000), Dialect::kCuda);
  // The same on the host, where it is run, and on the device, for which it is compiled.
  std::string kernel = "__global__ void all(long long* out) {\n  const long long* p = out;\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const MapFunction& function = functions[i].function;
    const std::string at = arguments("p", 0, function.coordinates.size());
    kernel += fmt::format("  if (f{0}_guard({1})) {{\n    const auto v = f{0}({1});\n", i, at);
    kernel += "    memcpy(out++, &v, sizeof(v) < 8 ? sizeof(v) : 8);\n";
    if (function.inverse) {
      kernel += fmt::format("    const auto u = f{}_inverse({});\n", i,
                            arguments("p", 0, function.places.size()));
      kernel += "    memcpy(out++, &u, sizeof(u) < 8 ? sizeof(u) : 8);\n";
    }
    kernel += "  }\n";
  }
  test::expect_silent(
      "law.cu",
      accessor_text(Dialect::kCuda) + c_program(functions, Dialect::kCuda) + kernel + "}\n",
      "nvcc -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 "
      "-diag-suppress 177 law.cu -o law && ./law");
}

/// A program whose checks move an array into each layout and back, and look where it was.
std::string openmp_program(const std::vector<DrawnFunction>& functions, Dialect dialect) {
  const bool is_c = dialect == Dialect::kC;
  std::string text = "#include <stdio.h>\n";
  std::string checks;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const DrawnFunction& drawn = functions[i];
    const std::string name = fmt::format("f{}", i);
    TextOptions options{dialect, name};
    options.openmp = true;
    const std::string made = to_text(drawn.function, options).value();
    text += made;
    const bool is_whole = drawn.function.guard.inside.branches.empty();
    if (!is_whole || made.find(name + "_pack(") == std::string::npos) continue;
    std::vector<std::int64_t> extents(drawn.points.front().size(), 1);
    std::int64_t end = 1;
    for (std::size_t p = 0; p < drawn.points.size(); ++p) {
      if (!drawn.places[p]) continue;
      end = std::max(end, drawn.places[p]->front() + 1);
      for (std::size_t d = 0; d < extents.size(); ++d) {
        extents[d] = std::max(extents[d], drawn.points[p][d] + 1);
      }
    }
    std::int64_t size = 1;
    for (const std::int64_t extent : extents) size *= extent;
    checks += fmt::format("  {{ short plain[{0}], packed[{1}], back[{0}];\n", size, end);
    checks += fmt::format("    for (int k = 0; k < {}; ++k) plain[k] = (short)(k + 1);\n", size);
    const char* bytes = is_c ? ", sizeof(short)" : "";
    checks += fmt::format("    {0}_pack(packed, plain{1});\n    {0}_unpack(back, packed{1});\n",
                          name, bytes);
    checks += fmt::format("    for (int k = 0; k < {}; ++k)\n", size);
    checks += fmt::format("      if (back[k] != k + 1) printf(\"{} at %d\\n\", k);\n", name);
    for (std::size_t p = 0; p < drawn.points.size(); ++p) {
      if (!drawn.places[p]) continue;
      std::int64_t k = 0;
      for (std::size_t d = 0; d < extents.size(); ++d) {
        k = k * extents[d] + drawn.points[p][d];
      }
      checks += fmt::format("    if (packed[{}] != {}) printf(\"{} has not moved\\n\");\n",
                            drawn.places[p]->front(), k + 1, name);
    }
    checks += "  }\n";
  }
  return text + "int main(void) {\n" + checks + "  return 0;\n}\n";
}

TEST(Languages, OpenMpMovesArraysIntoTheLayoutAndBack) {
  for (const Source& source : sources()) {
    for (const Dialect dialect : {Dialect::kC, Dialect::kCpp}) {
      const std::vector<DrawnFunction> functions = drawn_functions(source, 10, dialect);
      const std::string file = source.name + (dialect == Dialect::kC ? "-openmp.c" : "-openmp.cc");
      test::expect_silent(
          file, openmp_program(functions, dialect),
          fmt::format("{} -O1 -fopenmp -Wall -Wextra -Werror -Wno-unused-function "
                      "-Wno-type-limits {} -o openmp && OMP_NUM_THREADS=2 ./openmp",
                      dialect == Dialect::kC ? "cc -std=c99" : "c++ -std=c++20", file));
    }
  }
}

TEST(Languages, OpenMpMovesNothingBeforeAnArray) {
  TextOptions options{Dialect::kC, "f"};
  options.openmp = true;
  const auto text_of = [&](std::string_view layout) {
    return map_text(test::layout_of_text(layout), options).value();
  };
  EXPECT_EQ(text_of("(N,8):(8,-1)").find("f_pack"), std::string::npos);
  EXPECT_NE(text_of("(N,8):(8,1)").find("f_pack"), std::string::npos);
  const map::AnyLayout point = map::IntegerRelation::parse("{ [] -> [5] }").value();
  EXPECT_EQ(map_text(point, options).value().find("f_pack"), std::string::npos);
  options.name = "packed";
  EXPECT_EQ(map_text(test::layout_of_text("(4,8):(8,1)"), options).error().code(), "print.name");
}

TEST(Languages, OpenMpIsOfCAndCpp) {
  TextOptions options{Dialect::kCuda, "f"};
  options.openmp = true;
  const auto text = map_text(test::layout_of_text("(4,8):(8,1)"), options);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), "emit.target");
}

TEST(Languages, TheAccessorOfCpp) {
  test::expect_silent("use.cc",
                      accessor_text(Dialect::kCpp) +
                          "int main() {\n  int data[f_size];\n"
                          "  return f_use<int>::sum(data) == 592 ? 0 : 1;\n}\n",
                      "c++ -std=c++17 -Wall -Wextra -Werror use.cc -o use && ./use");
}

// MLIR, for which there are tests of its own.

TEST(Languages, MlirIsRefusedByABuildWithoutIt) {
  const auto text = map_text(test::layout_of_text("(4,8):(8,1)"), {Dialect::kMlir, "idx"});
  ASSERT_EQ(text.has_value(), is_built(Dialect::kMlir));
  if (text) return;
  EXPECT_EQ(text.error().to_string(),
            "error emit.target: this build of Heddle does not write MLIR\n"
            "  hint: build it with the component: cmake -DHEDDLE_MLIR=ON (Debian: libmlir-19-dev)");
}

// Python, Triton.

/// Each function called at every point, its results compared.
std::string python_checks(const std::vector<DrawnFunction>& functions, Dialect dialect) {
  std::string text =
      "def numbers(value):\n"
      "    return [int(v) for v in (value if isinstance(value, tuple) else (value,))]\n\n\n"
      "def expect(what, at, got, wanted):\n"
      "    if numbers(got) != wanted: print(what, at, got, wanted)\n\n\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto& [layout, function, points, places, is_injective] = functions[i];
    const std::string name = "f" + std::to_string(i);
    const Result<std::string> source = to_text(function, {dialect, name});
    if (!source) {  // Triton has no integer square root
      EXPECT_EQ(source.error().code(), "print.operation") << source.error();
      continue;
    }
    text += *source;
    const std::string width = fits_32_bits(function.on_the_way) ? "32" : "64";
    text += fmt::format("\n\nfor at, inside, place in [\n");
    for (std::size_t k = 0; k < points.size(); ++k) {
      text += fmt::format("    ([{}], {}, [{}]),\n", fmt::join(points[k], ", "),
                          places[k] ? "True" : "False",
                          fmt::join(places[k].value_or(test::Point()), ", "));
    }
    text += fmt::format(
        "]:\n"
        "    arguments = [number(a, {1}) for a in at]\n"
        "    expect('{0}_guard', at, {0}_guard(*arguments), [int(inside)])\n"
        "    if inside: expect('{0}', at, {0}(*arguments), place)\n",
        name, width);
    if (function.inverse) {
      text += fmt::format(
          "    if inside: expect('{0}_inverse', place, {0}_inverse(*[number(a, {1}) for a in "
          "place]), at)\n",
          name, width);
    }
  }
  return text;
}

TEST(Languages, Python) {
  const std::vector<DrawnFunction> functions = some_functions(share_of(50), Dialect::kPython);
  test::expect_silent("law.py",
                      "def number(value, bits):\n    return value\n\n\n" +
                          python_checks(functions, Dialect::kPython),
                      "python3 law.py");
}

/// What Triton's scalars do: divide as C does, and fit their type.
constexpr const char* kTritonStub = R"(
class number:
    def __init__(self, value, bits):
        self.value, self.bits = int(value), bits
        if not -(1 << (bits - 1)) <= self.value < 1 << (bits - 1):
            raise OverflowError(f'{self.value} in {bits} bits')

    def __int__(self):
        return self.value

    def __neg__(self):
        return number(-self.value, self.bits)


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def operation(function):
    def method(self, other):
        bits = max(self.bits, other.bits) if isinstance(other, number) else self.bits
        return number(function(self.value, int(other)), bits)
    return method


def comparison(function):
    return lambda self, other: function(self.value, int(other))


for name, function in {
        'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b,
        'floordiv': quotient, 'mod': lambda a, b: a - b * quotient(a, b),
        'and': lambda a, b: a & b, 'or': lambda a, b: a | b, 'xor': lambda a, b: a ^ b,
        'lshift': lambda a, b: a << b, 'rshift': lambda a, b: a >> b}.items():
    setattr(number, f'__{name}__', operation(function))
    setattr(number, f'__r{name}__', operation(lambda a, b, f=function: f(b, a)))
for name, function in {
        'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b, 'gt': lambda a, b: a > b,
        'ge': lambda a, b: a >= b, 'eq': lambda a, b: a == b, 'ne': lambda a, b: a != b}.items():
    setattr(number, f'__{name}__', comparison(function))

int64 = 64


def cast(value, bits):
    return number(value, bits)


def constexpr(value):
    return value


def where(condition, a, b):
    return a if condition else b


def minimum(a, b):
    return where(a < b, a, b)


def maximum(a, b):
    return where(a > b, a, b)
)";

TEST(Languages, Triton) {
  const std::vector<DrawnFunction> functions = some_functions(share_of(50), Dialect::kTriton);
  const test::ProgramFolder folder("triton");
  std::filesystem::create_directories(folder.path() / "triton");
  folder.write("triton/__init__.py", "def jit(function):\n    return function\n");
  folder.write("triton/language.py", kTritonStub);
  folder.write("law.py", "from triton.language import number\n\n\n" +
                             python_checks(functions, Dialect::kTriton));
  folder.expect_silent("python3 -m py_compile law.py && python3 law.py");
}

}  // namespace
}  // namespace heddle::emit

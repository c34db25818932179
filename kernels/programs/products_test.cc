// Matrix products on CPUs, of all types of operands: what is copied and converted for tiles, and
// the instructions for bytes, at the ends of what they hold.

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "back_end.h"
#include "heddle/notation/kernel.h"
#include "programs.h"

namespace heddle::kernels {
namespace {

using kernel::DType;

struct Product {
  std::string a;
  std::string b;
  std::string sum;
  bool is_exact = true;
};
const std::vector<Product> kProducts = {{"i8", "i8", "i32"},
                                        {"u8", "i8", "i32"},
                                        {"i8", "u8", "i32"},
                                        {"u8", "u8", "i32"},
                                        {"i8", "i32", "i32"},
                                        {"i16", "u8", "i32"},
                                        {"f32", "f32", "f32", false},
                                        {"f16", "f16", "f32", false},
                                        {"bf16", "bf16", "f32", false},
                                        {"f16", "f32", "f32", false},
                                        {"e4m3", "e5m2", "f32", false},
                                        {"f64", "f32", "f64", false},
                                        {"f16", "f16", "f16", false},
                                        {"i8", "f32", "f32", false}};

// C = A B or C += A B in blocks, of matrices that lie by rows or by columns.
std::string product_text(const Product& product, const std::string& name, int variant) {
  const bool a_is_transposed = (variant & 1) != 0;
  const bool b_is_transposed = (variant & 2) != 0;
  const std::string accum = (variant & 4) != 0 ? "true" : "false";
  const auto declared = [](const std::string& matrix, const std::string& type, bool is_transposed,
                           const std::string& rows, const std::string& columns) {
    return matrix + ": " + type + "[" + (is_transposed ? columns : rows) + "," +
           (is_transposed ? rows : columns) + "]";
  };
  return "kernel " + name + "(" + declared("A", product.a, a_is_transposed, "M", "K") + ", " +
         declared("B", product.b, b_is_transposed, "K", "N") + ", C: " + product.sum +
         "[M,N]) launch cta ((M + 35) // 36, (N + 31) // 32), threads 64 {\n  gemm(C[36*bx : +36, "
         "32*by : +32], A" +
         (a_is_transposed ? ".T" : "") + "[36*bx : +36], B" + (b_is_transposed ? ".T" : "") +
         "[:, 32*by : +32], accum=" + accum + ")\n}\n";
}

// Half of the elements of integers are at the ends of their type.
void go_to_the_ends(kernel::Array& array, Random& random) {
  if (kernel::is_float(array.type)) return;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - kernel::bits(array.type));
  const std::vector<std::uint64_t> ends = {0, 1, all / 2, all / 2 + 1, all};
  for (std::uint64_t& element : array.elements) {
    if (random.coin()) element = random.one_of(ends);
  }
}

TEST(ProductsOfCpus, OfAllTypesAreWhatTheyMean) {
  // Each way to lie and each way to add, at least once with each other.
  constexpr std::array<int, 4> kVariants = {0, 3, 5, 6};
  BackEnd back_end(kernel::Target::kCpu);
  std::vector<kernel::Kernel> kernels;
  for (std::size_t p = 0; p != kProducts.size(); ++p) {
    for (const int variant : kVariants) {
      const std::string name = "p" + std::to_string(p) + "_" + std::to_string(variant);
      const std::string text = product_text(kProducts[p], name, variant);
      kernels.push_back(notation::parse_kernel(text, "").value());
      const auto added = back_end.add(kernels.back());
      if (!added && kProducts[p].sum == "f16") {
        // Sums of another type are held in registers, of constant shape.
        EXPECT_EQ(added.error().code(), "kernel.not_lowered") << added.error();
        kernels.pop_back();
        continue;
      }
      ASSERT_TRUE(added.has_value()) << added.error() << text;
    }
  }
  const std::string folder = std::string(HEDDLE_PROGRAMS_BINARY) + "/products";
  std::filesystem::create_directories(folder);
  back_end.compile(folder);
  Random random(seed() + 20);
  for (const kernel::Kernel& kernel : kernels) {
    const Product& product = kProducts[std::stoul(kernel.name.substr(1))];
    for (int round = 0; round != 2; ++round) {
      const kernel::Sizes sizes = {
          {"M", random.from(1, 80)}, {"N", random.from(1, 70)}, {"K", random.from(1, 90)}};
      std::vector<kernel::Array> arguments = data_for(kernel, sizes, random);
      for (kernel::Array& each : arguments) go_to_the_ends(each, random);
      const auto wanted = run(kernel, arguments, {.sizes = sizes});
      ASSERT_TRUE(wanted.has_value()) << wanted.error();
      EXPECT_EQ(
          wrong_result(back_end, kernel, arguments, sizes, *wanted, product.is_exact ? 0 : 1e-5),
          "")
          << kernel.name << ": " << product.a << " x " << product.b << ", M=" << sizes.at("M")
          << " N=" << sizes.at("N") << " K=" << sizes.at("K") << ", seed " << seed();
    }
  }
}

}  // namespace
}  // namespace heddle::kernels

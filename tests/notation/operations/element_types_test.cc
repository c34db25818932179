// A type of elements has many names, and every place that takes a type takes all of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "heddle/form/element_type.h"
#include "heddle/kernel/dtype.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/kernel.h"
#include "heddle/notation/triton.h"

namespace heddle::notation {
namespace {

struct Spelled {
  std::string_view type;
  std::int64_t bits;
  std::vector<std::string> names;
};

const std::vector<Spelled>& spelled_types() {
  static const std::vector<Spelled> types = {
      {"f16",
       16,
       {"f16", "half", "float16", "fp16", "half_t", "cutlass::half_t", "__half", "F16",
        "torch.float16"}},
      {"bf16",
       16,
       {"bf16", "bfloat16", "bfloat", "bfloat16_t", "cutlass::bfloat16_t", "__nv_bfloat16", "BF16",
        "BFloat16"}},
      {"tf32", 32, {"tf32", "tfloat32", "tfloat32_t"}},
      {"e4m3",
       8,
       {"e4m3", "float_e4m3_t", "f8E4M3FN", "float8_e4m3fn", "fp8e4nv", "F8_E4M3", "Float8E4M3FN",
        "__nv_fp8_e4m3"}},
      {"e5m2", 8, {"e5m2", "float_e5m2_t", "f8E5M2", "float8_e5m2", "fp8e5", "F8_E5M2"}},
      {"e2m1", 4, {"e2m1", "float_e2m1_t", "f4E2M1FN", "float4_e2m1fn", "F4", "fp4"}},
      {"i4", 4, {"i4", "s4", "int4", "int4b_t"}},
      {"u4", 4, {"u4", "uint4", "uint4b_t"}},
      {"i32", 32, {"i32", "s32", "int", "int32", "int32_t", "I32"}},
      {"f64", 64, {"f64", "double", "float64", "fp64"}}};
  return types;
}

TEST(ElementTypes, HaveTheirNamesInTheTable) {
  for (const auto& [type, bits, names] : spelled_types()) {
    for (const std::string& name : names) {
      const form::ElementType* found = form::find_element_type(name);
      ASSERT_NE(found, nullptr) << name;
      EXPECT_EQ(found->name, type) << name;
      EXPECT_EQ(found->bits, bits) << name;
      EXPECT_TRUE(form::same_element_type(name, type));
    }
  }
  for (const char* other : {"", "f", "float17", "e4m3x", "tensor", "fp"}) {
    EXPECT_EQ(form::find_element_type(other), nullptr) << other;
  }
  // Different formats do not have one another's names.
  EXPECT_FALSE(form::same_element_type("e4m3", "f8E4M3FNUZ"));
  EXPECT_FALSE(form::same_element_type("e4m3", "f8E4M3"));
  EXPECT_FALSE(form::same_element_type("fp8", "e4m3"));
  EXPECT_TRUE(form::same_element_type("xf32", "XF32"));
}

TEST(ElementTypes, HaveTheirNamesWhereverATypeIsTaken) {
  const auto answer = [](const std::string& text) {
    const auto value = evaluate(text);
    return value ? to_string(*value) : value.error().to_string();
  };
  for (const auto& [type, bits, names] : spelled_types()) {
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      EXPECT_EQ(element_bit_width(name), static_cast<int>(bits));
      for (const char* call : {"copy_width((8,8):(8,1), (8,8):(8,1), \"{}\")",
                               "tma_descriptor((64,64):(64,1), (64,64):(64,1), \"{}\")"}) {
        if (bits < 8 && std::string_view(call).starts_with("tma")) continue;
        EXPECT_EQ(answer(fmt::format(fmt::runtime(call), name)),
                  answer(fmt::format(fmt::runtime(call), type)));
      }
      const bool is_plain = name.find_first_of(":.") == std::string::npos;
      if (kernel::find_dtype(type) && is_plain) {
        const auto kernels = parse_kernels(
            fmt::format("kernel k(X: {}[32]) launch cta 1, threads 32 {{ fill(X, 0) }}", name));
        EXPECT_TRUE(kernels) << kernels.error();
      }
    }
  }
  EXPECT_EQ(answer("instructions(\"sm_80\", \"half_t\", (16,8,16))"),
            answer("instructions(\"sm_80\", \"f16\", (16,8,16))"));
}

TEST(ElementTypes, HaveNamesInFiles) {
  EXPECT_EQ(form::element_type_of_numpy("|u1", 8)->name, "u8");
  EXPECT_EQ(form::element_type_of_numpy("|u1", 4)->name, "e2m1");
  EXPECT_EQ(form::element_type_of_numpy("<f4", 32)->name, "f32");
  EXPECT_EQ(form::element_type_of_safetensors("F8_E5M2")->name, "e5m2");
  EXPECT_EQ(form::element_type_of_safetensors("C64")->bits, 64);
  EXPECT_EQ(form::element_type_of_safetensors(""), nullptr);
  EXPECT_EQ(form::element_type_of_numpy("", 6), nullptr);
}

TEST(ElementTypes, NeedNoQuotes) {
  const std::string quoted = "tma_descriptor((64,64):(64,1), (64,64):(64,1), \"bf16\")";
  const std::string bare = "tma_descriptor((64,64):(64,1), (64,64):(64,1), bf16)";
  EXPECT_EQ(to_string(evaluate(bare).value()), to_string(evaluate(quoted).value()));
  // A name that is bound is what it is bound to, and short names are sizes.
  EXPECT_EQ(to_string(evaluate("(bf16 -> bf16 + 1)(2)").value()), "3");
  EXPECT_EQ(evaluate("(i4,4):(4,1)").error().code(), "name.unknown");
}

}  // namespace
}  // namespace heddle::notation

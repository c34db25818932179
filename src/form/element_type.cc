#include "heddle/form/element_type.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "form/machine/names.h"

namespace heddle::form {
namespace {

struct NamedType {
  ElementType type;
  /// Its other names in lower case, separated by commas.
  std::string_view others;
};

// Name, bits, and the names of NumPy, safetensors, tensor maps, frameworks, CUDA, NCCL and PTX.
constexpr std::array kNamedTypes = {
    NamedType{{"f16", 16, "<f2", "F16", "FLOAT16", "float16", "__half", "ncclFloat16"},
              "fp16,float16,half,half_t,float16_t,__half"},
    NamedType{{"bf16", 16, "<V2", "BF16", "BFLOAT16", "bfloat16", "__nv_bfloat16", "ncclBfloat16"},
              "bfloat16,bfloat,bfloat16_t,__nv_bfloat16,hip_bfloat16"},
    NamedType{{"f32", 32, "<f4", "F32", "FLOAT32", "float32", "float", "ncclFloat32"},
              "fp32,float32,float,float_t"},
    NamedType{{"tf32", 32, "<f4", "F32", "TFLOAT32"}, "tfloat32,tfloat32_t"},
    NamedType{{"f64", 64, "<f8", "F64", "FLOAT64", "float64", "double", "ncclFloat64"},
              "fp64,float64,double"},
    NamedType{{"e4m3", 8, "|V1", "F8_E4M3"},
              "e4m3fn,float_e4m3_t,f8e4m3fn,float8_e4m3fn,float8e4m3fn,fp8_e4m3,fp8e4nv,"
              "float8e4nv,f8_e4m3,__nv_fp8_e4m3"},
    NamedType{{"e5m2", 8, "|V1", "F8_E5M2"},
              "float_e5m2_t,f8e5m2,float8_e5m2,float8e5m2,fp8_e5m2,fp8e5,float8e5,f8_e5m2,"
              "__nv_fp8_e5m2"},
    NamedType{{"e4m3fnuz", 8}, "f8e4m3fnuz,float8_e4m3fnuz,fp8e4b8,float8e4b8"},
    NamedType{{"e5m2fnuz", 8}, "f8e5m2fnuz,float8_e5m2fnuz,fp8e5b16,float8e5b16"},
    NamedType{{"e4m3b11fnuz", 8}, "f8e4m3b11fnuz,float8_e4m3b11fnuz,fp8e4b15,float8e4b15"},
    NamedType{{"f8e4m3", 8}, "float8_e4m3,float8e4m3"},
    NamedType{{"e8m0", 8, "|V1", "F8_E8M0", "", "", "", "", "ue8m0"},
              "ue8m0,float_ue8m0_t,f8e8m0fnu,float8_e8m0fnu,float8e8m0fnu,f8_e8m0,e8m0fnu"},
    NamedType{{"ue4m3", 8}, "float_ue4m3_t"},
    NamedType{{"e3m2", 6, "|u1", "F6_E3M2"},
              "float_e3m2_t,f6e3m2fn,float6_e3m2fn,float6e3m2fn,f6_e3m2"},
    NamedType{{"e2m3", 6, "|u1", "F6_E2M3"},
              "float_e2m3_t,f6e2m3fn,float6_e2m3fn,float6e2m3fn,f6_e2m3"},
    NamedType{{"e2m1", 4, "|u1", "F4"}, "float_e2m1_t,f4e2m1fn,float4_e2m1fn,float4e2m1fn,f4,fp4"},
    NamedType{{"fp8", 8}, ""},
    NamedType{{"bf8", 8}, ""},
    NamedType{{"i2", 2}, "s2,si2,int2,int2_t,int2b_t"},
    NamedType{{"i4", 4, "", "", "", "", "", "", "s4"}, "s4,si4,int4,int4_t,int4b_t"},
    NamedType{{"i6", 6}, "s6,int6,int6_t"},
    NamedType{{"i8", 8, "|i1", "I8", "", "int8", "std::int8_t", "ncclInt8", "s8"},
              "s8,si8,int8,int8_t,char,signed char"},
    NamedType{{"i16", 16, "<i2", "I16", "UINT16", "int16", "std::int16_t", "", "s16"},
              "s16,si16,int16,int16_t,short"},
    NamedType{{"i32", 32, "<i4", "I32", "INT32", "int32", "std::int32_t", "ncclInt32", "s32"},
              "s32,si32,int32,int32_t,int"},
    NamedType{{"i64", 64, "<i8", "I64", "INT64", "int64", "std::int64_t", "ncclInt64", "s64"},
              "s64,si64,int64,int64_t,long,long long"},
    NamedType{{"i128", 128}, "int128,int128_t"},
    NamedType{{"u2", 2}, "ui2,uint2,uint2_t,uint2b_t"},
    NamedType{{"u4", 4}, "ui4,uint4,uint4_t,uint4b_t"},
    NamedType{{"u6", 6}, "uint6,uint6_t"},
    NamedType{{"u8", 8, "|u1", "U8", "", "uint8", "std::uint8_t", "ncclUint8"},
              "ui8,uint8,uint8_t,unsigned char,byte"},
    NamedType{{"u16", 16, "<u2", "U16", "UINT16", "uint16", "std::uint16_t"},
              "ui16,uint16,uint16_t,unsigned short"},
    NamedType{{"u32", 32, "<u4", "U32", "UINT32", "uint32", "std::uint32_t", "ncclUint32"},
              "ui32,uint32,uint32_t,uint,unsigned,unsigned int"},
    NamedType{{"u64", 64, "<u8", "U64", "UINT64", "uint64", "std::uint64_t", "ncclUint64"},
              "ui64,uint64,uint64_t,unsigned long,unsigned long long,size_t"},
    NamedType{{"u128", 128}, "uint128,uint128_t"},
    NamedType{{"u256", 256}, "uint256,uint256_t"},
    NamedType{{"b1", 1}, "i1,u1,int1,uint1,uint1_t,uint1b_t,bin1_t"},
    NamedType{{"complex64", 64, "<c8", "C64"}, ""},
    NamedType{{"bool", 8, "|b1", "BOOL", "", "bool", "bool"}, "bool_,boolean,pred"},
};

std::unordered_map<std::string_view, const ElementType*> types_by_name() {
  std::unordered_map<std::string_view, const ElementType*> types;
  for (const NamedType& named : kNamedTypes) {
    types.emplace(named.type.name, &named.type);
    for (const std::string_view other : split(named.others, ',')) types.emplace(other, &named.type);
  }
  return types;
}

/// What comes after `cutlass::` or `torch.`.
std::string_view without_module(std::string_view name) {
  const std::size_t at = name.find_last_of(":.");
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  static const auto types = types_by_name();
  const auto found = types.find(lower_case(without_module(name)));
  return found == types.end() || name.empty() ? nullptr : found->second;
}

std::vector<const ElementType*> element_types() {
  std::vector<const ElementType*> types;
  for (const NamedType& named : kNamedTypes) types.push_back(&named.type);
  return types;
}

std::string_view ptx_name(std::string_view name) {
  const ElementType* type = find_element_type(name);
  if (type == nullptr) return name;
  return type->ptx.empty() ? type->name : type->ptx;
}

const ElementType* element_type_of_numpy(std::string_view name, std::int64_t bits) {
  const auto* found = std::ranges::find_if(kNamedTypes, [&](const NamedType& named) {
    return named.type.numpy == name && named.type.bits == bits;
  });
  return name.empty() || found == kNamedTypes.end() ? nullptr : &found->type;
}

const ElementType* element_type_of_safetensors(std::string_view name) {
  const auto* found = std::ranges::find(
      kNamedTypes, name, [](const NamedType& named) { return named.type.safetensors; });
  return name.empty() || found == kNamedTypes.end() ? nullptr : &found->type;
}

bool same_element_type(std::string_view a, std::string_view b) {
  const ElementType* type = find_element_type(a);
  return type == nullptr ? same_name(a, b) : type == find_element_type(b);
}

}  // namespace heddle::form

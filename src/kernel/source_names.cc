#include "kernel/source_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "heddle/emit/dialect.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

namespace {

using emit::Dialect;

/// Besides the functions of the language, each with the suffix that CUDA has for floats.
constexpr std::string_view kUsedInSources =
    " CLK_GLOBAL_MEM_FENCE CLK_LOCAL_MEM_FENCE add_f32 add_local_f32 INFINITY NAN __shfl_xor_sync "
    "__syncthreads atomicAdd"
    " atomic_add atomic_cmpxchg barrier fabs fma fmax fmin get_group_id get_local_id"
    " aligned_alloc copysign free held memcpy ";

/// Functions of OpenCL C and of CUDA's headers that are spelled as one would call a kernel.
constexpr std::string_view kFunctionsOfTargets =
    " clone cpu_set_t drand48 drem ecvt fcvt ffs finite getenv getloadavg l64a mktemp "
    "omp_get_max_threads"
    " omp_get_num_procs omp_get_thread_num pow10 putenv qsort random sched_yield setenv sigmask"
    " signgam sincosf srandom strcat strcmp strcpy strdup strerror strlen strstr strtok system"
    " alloca assert assert_perror be16toh be32toh be64toh fpclassify htobe16 htobe32 htobe64 "
    "htole16"
    " htole32 htole64 isalnum_l isalpha_l isascii isascii_l isblank_l iscanonical iscntrl_l"
    " isdigit_l iseqsig isgraph_l isgreater isgreaterequal isless islessequal islessgreater"
    " islower_l isnormal isprint_l ispunct_l issignaling isspace_l issubnormal isunordered"
    " isupper_l isxdigit_l iszero kernel_exec le16toh le32toh le64toh offsetof strdupa strndupa"
    " toascii toascii_l"
    " unshare unsetenv abort acos all any asin atan atof bitselect cbrt ceil clamp "
    "clock clz convert cos cosh cross"
    " degrees distance div dot exit exp10 expm1 fdim fract free frexp gamma gather half_exp hypot"
    " ilogb index isequal isfinite isinf isnan j0 j1 jn labs ldexp length lgamma log10 log1p logb"
    " mad mad24 mad_hi mad_sat malloc memset mix modf mul24 mul_hi nan native_exp nextafter"
    " normalize popcount pow pown powr prefetch printf radians rand read_imagef realloc rem"
    " remainder remquo rint rootn rotate round select shuffle sign signbit sin sincos sinh"
    " smoothstep step tan tgamma time trunc upsample vload4 vstore4 wait y0 y1 yn ";

bool is_listed(std::string_view words, std::string_view name) {
  return words.find(" " + std::string(name) + " ") != std::string_view::npos;
}

/// `f32_of_bf16`, `bits_of_f64`, `quotient_i32`, `copy_16_bytes`, and the functions of
/// source/intrinsics.h: what stands in front of kernels.
bool is_helper(std::string_view name) {
  constexpr std::array<std::string_view, 10> kBegins = {
      "bits_of_",    "f32_of_",   "f64_of_",   "quotient_", "remainder_",
      "atomic_add_", "cp_async_", "ldmatrix_", "mma_m",     "mma_sp_"};
  constexpr std::array<std::string_view, 3> kEnds = {"_of_f32", "_of_f64", "_of_bits"};
  const auto begins = [&](std::string_view part) { return name.starts_with(part); };
  const auto ends = [&](std::string_view part) { return name.ends_with(part); };
  return std::ranges::any_of(kBegins, begins) || std::ranges::any_of(kEnds, ends) ||
         (name.starts_with("copy_") && name.ends_with("_bytes"));
}

/// Macros of the headers that sources include, or that compilers include for them, in no family.
constexpr std::string_view kMacros =
    " BIG_ENDIAN BUFSIZ BYTE_ORDER CSIGNAL EOF IOV_MAX LITTLE_ENDIAN L_ctermid L_cuserid L_tmpnam"
    " MAXFLOAT MAX_CANON MAX_INPUT M_E NFDBITS NZERO PDP_ENDIAN PIPE_BUF P_tmpdir TIMER_ABSTIME"
    " TIME_UTC WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED"
    " WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED errno math_errhandling sched_priority "
    "stderr stdin"
    " stdout ";

bool is_in_capitals(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return 'a' <= c && c <= 'z'; });
}

/// Names of compilers, which begin with `_`, and macros of headers: `M_PI`, `INT_MAX`. A macro
/// would replace a tensor of its name, wherever that is written.
bool is_of_compilers(std::string_view name) {
  constexpr std::array<std::string_view, 38> kBegins = {
      "_",        "ADJ_", "BC_",      "CLK_",  "CLOCK",    "CLONE_",  "CL_VERSION_", "COLL_",
      "CPU_",     "CUDA", "CU_UUID_", "EXIT_", "FD_",      "FP_",     "HEDDLE_",     "HUGE_VAL",
      "MATH_ERR", "MOD_", "M_1_",     "M_2_",  "M_E_",     "M_Ef",    "M_El",        "M_LN",
      "M_LOG",    "M_PI", "M_SQRT",   "NL_",   "PTHREAD_", "RENAME_", "SCHED_",      "SEEK_",
      "SNAN",     "STA_", "XATTR_",   "cl_",   "cles_",    "cuda"};
  constexpr std::array<std::string_view, 8> kEnds = {"_BIT", "_DIG", "_EPSILON", "_EXP",
                                                     "_MAX", "_MIN", "_RADIX",   "_WIDTH"};
  const auto begins = [&](std::string_view part) { return name.starts_with(part); };
  const auto ends = [&](std::string_view part) { return name.ends_with(part); };
  return is_listed(kMacros, name) || std::ranges::any_of(kBegins, begins) ||
         (is_in_capitals(name) && std::ranges::any_of(kEnds, ends));
}

bool is_function_of_the_language(std::string_view name) {
  const bool has_suffix = name.size() > 1 && name.ends_with('f');
  return find_function(name) || (has_suffix && find_function(name.substr(0, name.size() - 1)));
}

}  // namespace

bool is_used_in_sources(std::string_view name) {
  return emit::is_reserved(name, Dialect::kCuda) || emit::is_reserved(name, Dialect::kOpenCl) ||
         emit::is_reserved(name, Dialect::kCpp) || is_listed(kUsedInSources, name) ||
         is_helper(name) || is_function_of_the_language(name) || is_of_compilers(name);
}

bool is_function_of_targets(std::string_view name) {
  return is_listed(kFunctionsOfTargets, name) || name.starts_with("as_");
}

std::string source_name(const std::string& name) {
  return is_used_in_sources(name) ? "heddle_own_" + name : name;
}

}  // namespace heddle::kernel

#include "notation/kernel/kernel_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/words.h"
#include "heddle/form/element_type.h"
#include "heddle/kernel/dtype.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/program.h"

namespace heddle::notation {

namespace {

struct Foreign {
  /// A sign, or words with spaces between them.
  std::string_view spelling;
  std::string_view hint;
};

constexpr std::string_view kIndices =
    "bx, by and bz are the indices of blocks; tx, laneid and warpid those of threads, within "
    "thread { … }";
constexpr std::string_view kLaunch =
    "write the number: the launch has it, `launch cta (N + 127) // 128, threads 128`";
constexpr std::string_view kBarriers =
    "leave it out: barriers are put in where threads need what others wrote";
constexpr std::string_view kKernel =
    "kernel NAME(X: f32[N], Y: f32[N]) launch cta (N + 127) // 128, threads 128 { … }";
constexpr std::string_view kShared = "shared s: f32[32,32]";
constexpr std::string_view kViews =
    "X[128*bx : +128] is a view of 128 elements: copy(x, X[128*bx : +128]) reads it, and "
    "Y[128*bx : +128] = x writes one";
constexpr std::string_view kProduct = "gemm(acc, A, B) adds A @ B to acc";
constexpr std::string_view kLoop = "for k in range(0, N, 32) { … }";
constexpr std::string_view kComment = "a comment begins with #";
constexpr std::string_view kAssume = "assume N % 128 == 0, before the launch";
constexpr std::string_view kChoice = "a if c else b";
constexpr std::string_view kInfinity = "inf";
constexpr std::string_view kRange = "0:8 is 0 up to 7, and so is 0 : +8";
constexpr std::string_view kPointer = "views are passed as they are: X[0:1]";

/// Words that nobody calls anything by, in any place.
constexpr Foreign kKeywords[] = {
    {"threadIdx blockIdx get_group_id get_local_id get_global_id", kIndices},
    {"blockDim gridDim", kLaunch},
    {"warpSize", "write the number, 32"},
    {"__syncthreads __syncwarp __threadfence __threadfence_block CLK_LOCAL_MEM_FENCE", kBarriers},
    {"__global__ __kernel void extern triton", kKernel},
    {"__device__", "def NAME(y, x) { y = 2*x }, a macro, which is called as a statement"},
    {"__shared__ __local", kShared},
    {"const var constexpr auto",
     "let n = 128*bx names an integer; reg x: f32[], then x = …, holds a value"},
    {"__ldg", kViews},
    {"INFINITY", kInfinity},
    {"True", "true"},
    {"False", "false"},
    {"M_PI", "3.14159265"},
    {"elif", "else if c { … }"},
    {"return", "results are written to parameters, Y[bx] = x; `if` leaves statements out"},
    {"assert static_assert", kAssume},
    {"printf asm", "unchecked cuda \"…\" has a text of CUDA as it is"}};

/// Functions, where they have no meaning or are those of a module: `tl.load`.
constexpr Foreign kCalls[] = {
    {"thread_idx block_idx program_id lane_id warp_id", kIndices},
    {"block_dim grid_dim get_local_size get_num_groups num_programs", kLaunch},
    {"sync_threads debug_barrier", kBarriers},
    {"alloc_shared", kShared},
    {"alloc_fragment alloc_local zeros full", "reg x: f32[64,64], then fill(x, 0)"},
    {"clear", "fill(x, 0)"},
    {"load store arange make_block_ptr", kViews},
    {"dot matmul mma mma_sync", kProduct},
    {"sum mean reduce_sum __shfl_sync __shfl_xor_sync __shfl_down_sync __reduce_add_sync",
     "reg s: f32[], then reduce(s, x, op=\"sum\", axis=0)"},
    {"amax reduce_max", "reg m: f32[], then reduce(m, x, op=\"max\", axis=0)"},
    {"argmax", "reg i: i32[], then reduce(i, x, op=\"argmax\", axis=0)"},
    {"argmin", "reg i: i32[], then reduce(i, x, op=\"argmin\", axis=0)"},
    {"cumsum", "scan(y, x, op=\"sum\", axis=0)"},
    {"softmax",
     "reduce(m, x, op=\"max\", axis=0), x = exp(x - m), reduce(s, x, op=\"sum\", axis=0), x = x/s"},
    {"atomicAdd atomic_inc", "atomic_add(X[0:1], s)"},
    {"cp_async memcpy_async __pipeline_memcpy_async",
     "copy_async(D, S, group=\"g\"), then wait(group=\"g\")"},
    {"where if_then_else", kChoice},
    {"static_range serial unroll", kLoop},
    {"Pipelined", "pipeline k in K // 32, stages 3 { load { … } compute { … } }"},
    {"silu", "x / (1.0 + exp(-x)), or as a macro def silu(x) { x = x / (1.0 + exp(-x)) }"},
    {"swish", "x / (1.0 + exp(-x)), or as a macro def swish(x) { x = x / (1.0 + exp(-x)) }"},
    {"sigmoid",
     "1.0 / (1.0 + exp(-x)), or as a macro def sigmoid(x) { x = 1.0 / (1.0 + exp(-x)) }"},
    {"relu", "max(x, 0.0), or as a macro def relu(x) { x = max(x, 0.0) }"},
    {"gelu",
     "0.5*x*(1.0 + erf(x*0.70710678)), or as a macro def gelu(x) { x = 0.5*x*(1.0 + "
     "erf(x*0.70710678)) }"},
    {"softplus", "log(1.0 + exp(x))"},
    {"log1p", "log(1.0 + x)"},
    {"expm1", "exp(x) - 1.0"},
    {"ceil", "-floor(-x)"},
    {"round", "floor(x + 0.5)"},
    {"pow", "x*x; for any exponent exp2(y*log2(x))"},
    {"sin cos", "pass a table of its values: C: f32[N], read as C[i]"},
    {"square", "x*x"},
    {"clamp clip", "min(max(x, 0.0), 1.0)"},
    {"to astype", "f16(x) converts x; cast(D, S) converts what it copies"},
    {"shape len", "sizes have names: N of X: f32[N]"},
    {"cdiv", "(N + 127) // 128"},
    {"FLT_MAX", kInfinity},
    {"device_assert", kAssume}};

/// Signs, the longer ones first.
constexpr Foreign kSigns[] = {
    {":]", kRange},
    {": ]", kRange},
    {"(&", kPointer},
    {", &", kPointer},
    {"**", "x*x is the square of x; for any exponent exp2(y*log2(x))"},
    {"&&", "a and b"},
    {"||", "a or b"},
    {"++", "x = x + 1"},
    {"--", "x = x - 1"},
    {"+=", "x = x + y"},
    {"-=", "x = x - y"},
    {"*=", "x = x*y"},
    {"/=", "x = x / y"},
    {"/*", kComment},
    {"->", "results are written to parameters: kernel NAME(X: f32[N], Y: f32[N])"},
    {"?", kChoice},
    {"@", kProduct},
    {"<<", "4*x for x << 2"},
    {">>", "x // 4 for x >> 2"},
    {"^", "bit_xor(a, b) is a ^ b of integers; elements have no bits"},
    {"&", "a and b; bit_and(a, b) is a & b of integers; elements have no bits"},
    {"|", "a or b; bit_or(a, b) is a | b of integers; elements have no bits"},
    {"~", "not a"}};

bool is_part_of_path(char c) { return is_word_character(c) || c == '.'; }

/// The run of such characters around a place, which may also be its end.
template <class IsPart>
std::string_view run_at(std::string_view text, std::size_t place, IsPart is_part) {
  std::size_t begin = place;
  std::size_t end = place;
  while (begin > 0 && is_part(text[begin - 1])) --begin;
  while (end < text.size() && is_part(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string_view hint_in(std::span<const Foreign> rows, std::string_view spelling) {
  const auto found = std::ranges::find_if(rows, [&](const Foreign& row) {
    std::string_view words = row.spelling;
    while (words.substr(0, words.find(' ')) != spelling) {
      if (words.find(' ') == std::string_view::npos) return false;
      words.remove_prefix(words.find(' ') + 1);
    }
    return true;
  });
  return found == rows.end() ? std::string_view() : found->hint;
}

/// `expf`, `__logf`, `fmaxf`: a function of elements, with what C puts around its name.
std::optional<std::string> function_in_c(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  if (kernel::find_function(name)) return std::string(name);
  for (const bool drops_first : {false, true}) {
    std::string_view rest = name;
    if (drops_first && !rest.starts_with('f') && !rest.starts_with('h')) continue;
    if (drops_first) rest.remove_prefix(1);
    if (kernel::find_function(rest)) return std::string(rest);
    if (!rest.ends_with('f')) continue;
    rest.remove_suffix(1);
    if (kernel::find_function(rest)) return std::string(rest);
  }
  return std::nullopt;
}

/// The hint for a type that kernels call by another name; empty for other words.
std::string own_type_hint(std::string_view type) {
  return fmt::format(
      "the type is {0}: reg x: {0}[] declares one, X: {0}[N] a parameter, {0}(x) "
      "converts",
      type);
}

std::string type_hint(std::string_view word) {
  const form::ElementType* known = form::find_element_type(word);
  if (known == nullptr || known->name == word) return {};
  const std::string_view type = known->name == "b1" ? "bool" : known->name;
  return kernel::find_dtype(type) ? own_type_hint(type) : std::string();
}

/// The hint for a path of words, `tl.exp`; empty if nothing in it is foreign. A word that may be a
/// name of the kernel's own is looked up where it has no meaning.
std::string word_hint(std::string_view path, bool has_no_meaning) {
  while (path.ends_with('.')) path.remove_suffix(1);
  const std::size_t dot = path.rfind('.');
  const bool has_module = dot != std::string_view::npos;
  const std::string_view last = has_module ? path.substr(dot + 1) : path;
  const std::string_view first = path.substr(0, path.find('.'));
  if (std::string hint = type_hint(last); !hint.empty()) return hint;
  for (const std::string_view word : {first, last}) {
    const std::string_view hint = hint_in(kKeywords, word);
    if (!hint.empty()) return std::string(hint);
  }
  if (!has_module && !has_no_meaning) return {};
  const std::string_view hint = hint_in(kCalls, last);
  if (!hint.empty()) return std::string(hint);
  if (kernel::find_operator(last) != nullptr && has_module) {
    return fmt::format("{} is written without the module {}", last, path.substr(0, dot));
  }
  const auto function = function_in_c(last);
  if (!function || *function == path) return {};
  constexpr std::string_view kOperands[] = {"x", "x, y", "x, y, z"};
  return fmt::format("{}({})", *function,
                     kOperands[kernel::operand_count(*kernel::find_function(*function)) - 1]);
}

/// The hint for the sign that begins or ends at a place.
std::string sign_hint(std::string_view text, std::size_t place) {
  const std::string_view line = run_at(text, place, [](char c) { return c != '\n'; });
  const std::size_t at = place - static_cast<std::size_t>(line.data() - text.data());
  const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
  if (line.substr(first).starts_with("//")) return std::string(kComment);
  if (line.substr(first).starts_with('@')) return std::string(kKernel);
  if (at < line.size() && line[at] == '!' && !line.substr(at).starts_with("!=")) return "not a";
  for (const Foreign& row : kSigns) {
    for (std::size_t begin = at < row.spelling.size() ? 0 : at - row.spelling.size(); begin <= at;
         ++begin) {
      if (line.substr(begin).starts_with(row.spelling)) return std::string(row.hint);
    }
  }
  return {};
}

/// `0.5f`, `1.`, `.5`: numbers as C and Python write them.
std::string number_hint(std::string_view text, std::size_t place) {
  constexpr std::string_view kPoint = "a point has digits on both sides: 1.0, 0.5";
  const auto is_digit_at = [&](std::size_t at) { return at < text.size() && is_digit(text[at]); };
  if (place == 0) return text[place] == '.' ? std::string(kPoint) : std::string();
  const std::string_view around = text.substr(place - 1, 3);
  if (text.substr(place, 3) == "...") return "X[i] has all further dimensions; : is a whole one";
  if (around.find("..") != std::string_view::npos) return std::string(kLoop);
  if (text[place] == '.' && is_digit_at(place + 1)) return std::string(kPoint);
  constexpr std::string_view kSuffixes = "fFuUlL";
  if (is_digit_at(place - 1) && kSuffixes.find(text[place]) != std::string_view::npos) {
    return "numbers have no suffix: 0.5";
  }
  std::size_t before = place - 1;
  while (before > 0 && text[before] == ' ') --before;
  const bool ends_number = text[before] == '.' && before > 0 && is_digit_at(before - 1);
  return ends_number ? std::string(kPoint) : std::string();
}

/// The hint for the type in front of what is declared or converted, `float* X`, `(float)x`.
std::string type_before(std::string_view text, std::size_t place) {
  if (!is_word_character(text[place]) && text[place] != '*') return {};
  while (place > 0 && (text[place - 1] == ' ' || text[place - 1] == ')')) --place;
  if (place == 0 || !is_part_of_path(text[place - 1])) return {};
  const std::string_view before = run_at(text, place, is_part_of_path);
  const bool is_own_cast = text[place] == ')' && kernel::find_dtype(before);
  return is_own_cast ? own_type_hint(before) : type_hint(before);
}

std::string hint_at(std::string_view text, std::size_t place, bool is_syntax, bool has_no_meaning) {
  if (place >= text.size()) return {};
  for (const std::string_view infinity : {"float('", "float(\""}) {
    if (text.substr(place).starts_with(infinity)) return std::string(kInfinity);
  }
  if (is_part_of_path(text[place])) {
    std::string hint = word_hint(run_at(text, place, is_part_of_path), has_no_meaning);
    if (!hint.empty() || !is_syntax) return hint;
  }
  // An operator on integers, where elements are needed.
  if (!is_syntax) {
    const auto starts = [&](const Foreign& row) {
      return text.substr(place).starts_with(row.spelling);
    };
    const auto sign = std::ranges::find_if(kSigns, starts);
    return sign == std::end(kSigns) ? std::string() : std::string(sign->hint);
  }
  std::string hint = number_hint(text, place);
  if (hint.empty()) hint = sign_hint(text, place);
  return hint.empty() ? type_before(text, place) : hint;
}

}  // namespace

Diagnostic with_foreign_hint(Diagnostic refused, std::string_view text) {
  if (!refused.span()) return refused;
  const std::string& code = refused.code();
  const auto is_one_of = [&](std::span<const std::string_view> codes) {
    return std::ranges::find(codes, code) != codes.end();
  };
  constexpr std::string_view kWithoutMeaning[] = {"kernel.name", "kernel.function",
                                                  "kernel.operator", "kernel.dtype"};
  constexpr std::string_view kOther[] = {"kernel.view", "kernel.integer"};
  const Span span = *refused.span();
  const std::string_view spanned = text.substr(span.begin, span.end - span.begin);
  std::string hint;
  const bool is_value = code == "kernel.value" || code == "kernel.view";
  if (is_value && spanned.find('@') != std::string_view::npos) hint = kProduct;
  const bool is_syntax = code.starts_with("syntax.");
  const bool has_no_meaning = is_one_of(kWithoutMeaning);
  if (hint.empty() && (is_syntax || has_no_meaning || is_one_of(kOther))) {
    hint = hint_at(text, span.begin, is_syntax, has_no_meaning);
  }
  return hint.empty() ? refused : std::move(refused).with_hint(std::move(hint));
}

}  // namespace heddle::notation

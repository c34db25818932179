// What the languages have in common: the walk over a kernel, and which names they leave free.

#include "heddle/expr/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>

#include "expr/writer.h"

namespace heddle {
namespace {

using expr::Writer;

/// Of C, C++ and the dialects of GPUs, and what the text itself uses.
constexpr std::string_view kWordsOfC[] = {
    "NULL",         "_Bool",      "alignas",
    "alignof",      "and",        "and_eq",
    "asm",          "auto",       "bitand",
    "bitor",        "bool",       "break",
    "case",         "catch",      "char",
    "char16_t",     "char32_t",   "char8_t",
    "class",        "co_await",   "co_return",
    "co_yield",     "compl",      "concept",
    "const",        "const_cast", "constant",
    "consteval",    "constexpr",  "constinit",
    "continue",     "decltype",   "default",
    "delete",       "do",         "double",
    "dynamic_cast", "else",       "enum",
    "explicit",     "export",     "extern",
    "false",        "float",      "for",
    "friend",       "global",     "goto",
    "half",         "if",         "inline",
    "int",          "int16_t",    "int32_t",
    "int64_t",      "int8_t",     "kernel",
    "local",        "long",       "main",
    "mutable",      "namespace",  "new",
    "noexcept",     "not",        "not_eq",
    "nullptr",      "operator",   "or",
    "or_eq",        "private",    "protected",
    "public",       "register",   "reinterpret_cast",
    "requires",     "restrict",   "return",
    "short",        "signed",     "size_t",
    "sizeof",       "static",     "static_assert",
    "static_cast",  "struct",     "switch",
    "template",     "this",       "thread_local",
    "throw",        "true",       "try",
    "typedef",      "typeid",     "typename",
    "typeof",       "uint16_t",   "uint32_t",
    "uint64_t",     "uint8_t",    "union",
    "unsigned",     "using",      "virtual",
    "void",         "volatile",   "wchar_t",
    "while",        "xor",        "xor_eq",
};

constexpr std::string_view kWordsOfPython[] = {
    "False",   "None",  "True",     "and", "as",     "assert",   "async",  "await",
    "break",   "class", "continue", "def", "del",    "elif",     "else",   "except",
    "finally", "for",   "from",     "gcd", "global", "if",       "import", "in",
    "is",      "isqrt", "lambda",   "max", "min",    "nonlocal", "not",    "or",
    "pass",    "raise", "return",   "try", "while",  "with",     "yield",
};

bool is_taken(std::string_view name, Language language) {
  const auto is_word = [&](const auto& words) { return std::ranges::count(words, name) > 0; };
  switch (language) {
    case Language::kC:
      return is_word(kWordsOfC) || name.starts_with("heddle_");
    case Language::kPython:
      return is_word(kWordsOfPython) || name.starts_with("heddle_");
    case Language::kHeddle:
    case Language::kLatex:
      break;
  }
  return false;
}

/// Visits each node of the kernel once.
class Walk {
 public:
  explicit Walk(std::function<void(const Expression&)> visit) : visit_(std::move(visit)) {}

  void over(const Kernel& kernel) {
    for (const Definition& definition : kernel.definitions) over(definition.value);
    for (const Expression& result : kernel.results) over(result);
    for (const Expression& guard : kernel.guards) over(guard);
  }

 private:
  void over(const Expression& expression) {
    if (!seen_.insert(expression.identity()).second) return;
    visit_(expression);
    for (const Expression& operand : expression.operands()) over(operand);
  }

  std::function<void(const Expression&)> visit_;
  std::set<const void*> seen_;
};

Result<void> check_names(const Kernel& kernel, Language language) {
  std::string taken;
  Walk([&](const Expression& expression) {
    const bool is_name = expression.operation() == Operation::kVariable ||
                         expression.operation() == Operation::kDefinition;
    if (is_name && taken.empty() && is_taken(expression.name(), language)) {
      taken = expression.name();
    }
  }).over(kernel);
  if (taken.empty()) return {};
  return refuse(Diagnostic("print.name", fmt::format("'{}' means something else in {}", taken,
                                                     expr::title_of(language)))
                    .with_hint("give the variable another name"));
}

bool fits_32_bits(const Kernel& kernel) {
  bool fits = true;
  Walk([&](const Expression& expression) {
    if (is_condition(expression.operation())) return;
    const Range values = range(expression.value());
    fits = fits && values.low >= INT32_MIN && values.high <= INT32_MAX;
  }).over(kernel);
  return fits;
}

}  // namespace

std::string_view name_of(Language language) {
  static constexpr std::array<std::string_view, 4> kNames = {"heddle", "c", "python", "latex"};
  return kNames[static_cast<std::size_t>(language)];
}

Result<PrintedKernel> print(const Kernel& kernel, const PrintOptions& options) {
  HEDDLE_CHECK(check_names(kernel, options.language));
  const bool is_narrow = options.narrow && fits_32_bits(kernel);
  const std::unique_ptr<Writer> writer = expr::make_writer(options, is_narrow);
  PrintedKernel printed;
  for (const auto& [name, value] : kernel.definitions) {
    printed.definitions.push_back(writer->statement(name, value));
  }
  for (const Expression& result : kernel.results) printed.results.push_back(writer->text(result));
  for (const Expression& guard : kernel.guards) printed.guards.push_back(writer->text(guard));
  printed.helpers = writer->helpers();
  if (options.language == Language::kC) printed.type = is_narrow ? "int32_t" : "int64_t";
  return printed;
}

std::string to_string(const PrintedKernel& kernel) {
  std::string text;
  for (const auto* lines : {&kernel.definitions, &kernel.results, &kernel.guards}) {
    for (const std::string& line : *lines) text += line + '\n';
  }
  return text;
}

}  // namespace heddle

// C and the languages with the same expressions.

#include <fmt/format.h>

#include <limits>
#include <map>

#include "core/words.h"
#include "emit/writer.h"

namespace heddle::emit {
namespace {

using enum Precedence;

constexpr Language kLanguageOfC = program_language(" / ", "min", "max");

class CWriter : public ProgramWriter {
 public:
  CWriter(const PrintOptions& options, bool is_narrow)
      : ProgramWriter(kLanguageOfC, options),
        dialect_(options.dialect),
        in_program_(options.in_program),
        type_(integer_type(options.dialect, is_narrow)) {}

  std::string statement(const std::string& name, const CodeExpression& value) override {
    return fmt::format("const {} {} = {};", type_, name_text(name), text(value));
  }

 private:
  std::optional<Written> exception(const CodeExpression& expression) override {
    switch (expression.operation()) {
      case CodeOperation::kConstant:
        return constant(expression.constant());
      case CodeOperation::kShiftLeft:
        return shift_left(expression);
      // OpenCL C's min and max accept every type.
      case CodeOperation::kMinimum:
        if (in_program_ && dialect_ == Dialect::kOpenCl) return std::nullopt;
        return call_helper("min", expression);
      case CodeOperation::kMaximum:
        if (in_program_ && dialect_ == Dialect::kOpenCl) return std::nullopt;
        return call_helper("max", expression);
      case CodeOperation::kGcd:
        return call_helper("gcd", expression);
      case CodeOperation::kSquareRoot:
        return call_helper("isqrt", expression);
      default:
        return ProgramWriter::exception(expression);
    }
  }

  [[nodiscard]] bool divides_alike(const CodeExpression& division) const override {
    return is_cut_off_alike(division);
  }

  [[nodiscard]] Written constant(std::int64_t value) const {
    const bool is_opencl = dialect_ == Dialect::kOpenCl;
    if (value == std::numeric_limits<std::int64_t>::min()) {
      return {is_opencl ? "LONG_MIN" : "INT64_MIN"};
    }
    const bool is_long = value < -INT32_MAX || value > INT32_MAX;
    return {fmt::format("{}{}", value, is_long ? is_opencl ? "L" : "LL" : ""),
            value < 0 ? kSign : kAtom};
  }

  /// A left shift of a negative number is undefined in C, and a plain 1 would be too narrow.
  std::optional<Written> shift_left(const CodeExpression& expression) {
    const CodeExpression& number = expression.operand(0);
    const CodeExpression& places = expression.operand(1);
    const bool is_number = number.operation() == CodeOperation::kConstant;
    // A variable of the program may have 32 bits; multiplied by a wider constant it becomes as
    // wide.
    const bool may_be_too_far =
        in_program_ && (places.operation() != CodeOperation::kConstant || places.constant() > 30);
    if (!is_number && is_natural(number) && !may_be_too_far) return std::nullopt;
    constexpr std::int64_t kMaxPlaces = 62;
    if (is_number || places.operation() != CodeOperation::kConstant || places.constant() < 0 ||
        places.constant() > kMaxPlaces) {
      return call_helper("shift_left", expression);
    }
    const Written power = constant(std::int64_t{1} << places.constant());
    return Written{within(write(number), kAtom) + " * " + power.text, kQuotient};
  }

  [[nodiscard]] Written choice(const Written& condition, const Written& then,
                               const Written& otherwise) const override {
    return {fmt::format("{} ? {} : {}", within(condition, kComparison), within(then, kComparison),
                        otherwise.text),
            kChoice};
  }

  [[nodiscard]] std::string helper_text(const std::string& name) const override {
    std::string text = helper_of(name, type_);
    if (!in_program_ || !is_cpp_like(dialect_) || name == "shift_left") return text;
    // 64-bit arithmetic takes several instructions on a GPU: it is used only for values that need
    // it.
    text = helper_of(name, integer_type(dialect_, true)) + text;
    if (name == "isqrt") {
      return text + fmt::format("template <class A>\n{0} {1} {2}(A a) {{ return {2}({1}(a)); }}\n",
                                function_qualifiers(dialect_), type_, helper_prefix() + name);
    }
    return text + fmt::format(
                      "template <class A, class B>\n{0} {1} {2}(A a, B b) {{\n"
                      "  return {2}({1}(a), {1}(b));\n}}\n",
                      function_qualifiers(dialect_), type_, helper_prefix() + name);
  }

  [[nodiscard]] std::string helper_of(const std::string& name, std::string_view type) const {
    static const std::map<std::string, std::string, std::less<>> kBodies = {
        {"quotient",
         "(T a, T b) {\n"
         "  const T q = a / b;\n"
         "  return a % b < 0 ? (b > 0 ? q - 1 : q + 1) : q;\n}\n"},
        {"remainder",
         "(T a, T b) {\n"
         "  const T r = a % b;\n"
         "  return r < 0 ? (b > 0 ? r + b : r - b) : r;\n}\n"},
        {"min", "(T a, T b) { return a < b ? a : b; }\n"},
        {"max", "(T a, T b) { return a > b ? a : b; }\n"},
        {"shift_left", "(T a, T places) {\n  return (T)((U)a << places);\n}\n"},
        {"gcd",
         "(T a, T b) {\n"
         "  while (b != 0) {\n"
         "    const T r = a % b;\n"
         "    a = b;\n"
         "    b = r;\n"
         "  }\n"
         "  return a < 0 ? -a : a;\n}\n"},
        // Newton's method from above: it falls until it reaches the root.
        {"isqrt",
         "(T x) {\n"
         "  T root = x;\n"
         "  T next = x / 2 + x % 2;\n"
         "  while (next < root) {\n"
         "    root = next;\n"
         "    next = (root + x / root) / 2;\n"
         "  }\n"
         "  return root;\n}\n"},
    };
    return fmt::format("{} {} {}{}{}", function_qualifiers(dialect_), type, helper_prefix(), name,
                       with_types(kBodies.find(name)->second, type));
  }

  /// T is the type, U the widest unsigned one.
  [[nodiscard]] std::string with_types(const std::string& body, std::string_view type) const {
    const std::string_view is_unsigned = dialect_ == Dialect::kOpenCl ? "ulong"
                                         : dialect_ == Dialect::kCpp  ? "std::uint64_t"
                                                                      : "uint64_t";
    std::string typed = body;
    for (const auto& [letter, name] : {std::pair("T", type), std::pair("U", is_unsigned)}) {
      for (std::size_t at = find_word(typed, letter); at != std::string::npos;
           at = find_word(typed, letter, at + name.size())) {
        typed.replace(at, 1, name);
      }
    }
    return typed;
  }

  Dialect dialect_;
  bool in_program_;
  std::string type_;
};

}  // namespace

std::string_view function_qualifiers(Dialect dialect) {
  switch (dialect) {
    case Dialect::kCpp:
      return "constexpr";
    case Dialect::kCuda:
    case Dialect::kHip:
      return "__host__ __device__ constexpr";
    default:
      return "static inline";
  }
}

std::string_view integer_type(Dialect dialect, bool is_narrow) {
  switch (dialect) {
    case Dialect::kOpenCl:
      return is_narrow ? "int" : "long";
    case Dialect::kCpp:
      return is_narrow ? "std::int32_t" : "std::int64_t";
    default:
      return is_narrow ? "int32_t" : "int64_t";
  }
}

std::unique_ptr<Writer> make_c_writer(const PrintOptions& options, bool is_narrow) {
  return std::make_unique<CWriter>(options, is_narrow);
}

}  // namespace heddle::emit

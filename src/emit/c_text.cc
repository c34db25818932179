// Functions of C, C++, CUDA, HIP and OpenCL C.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "emit/function_texts.h"
#include "heddle/emit/print.h"

namespace heddle::emit {
namespace {

using Names = std::vector<std::string>;

class CText {
 public:
  explicit CText(const FunctionTexts& texts) : texts_(texts) {}

  std::string run() && {
    write_includes();
    for (const std::string& line : texts_.about_all) line_of("// " + line);
    line_of("");
    if (!texts_.helpers.empty()) line_of(texts_.helpers);
    write_map();
    if (texts_.inverse) write_inverse();
    write_guard();
    write_size();
    if (is_cpp_like(texts_.dialect) && texts_.places.size() == 1) write_accessor();
    return std::move(text_);
  }

 private:
  void line_of(const std::string& line) { text_ += line + '\n'; }

  void write_includes() {
    switch (texts_.dialect) {
      case Dialect::kC:
        line_of("#include <stdbool.h>\n#include <stdint.h>\n");
        break;
      case Dialect::kHip:
        line_of("#include <hip/hip_runtime.h>\n\n#include <cstdint>\n");
        break;
      case Dialect::kCpp:
      case Dialect::kCuda:
        line_of("#include <cstdint>\n");
        break;
      default:
        break;
    }
  }

  // Types.

  void write_struct(const std::string& name, const Names& fields) {
    const bool is_cpp = is_cpp_like(texts_.dialect);
    line_of(is_cpp ? fmt::format("struct {} {{", name) : "typedef struct {");
    for (const std::string& field : fields) line_of(fmt::format("  {} {};", texts_.type, field));
    line_of(is_cpp ? "};\n" : fmt::format("}} {};\n", name));
  }

  /// What a function with these results returns.
  [[nodiscard]] std::string return_type(const Names& results, const std::string& name) const {
    return results.size() == 1 ? texts_.type : name;
  }
  [[nodiscard]] std::string value(const Names& results, const std::string& name) const {
    if (results.size() == 1) return results.front();
    const std::string fields = fmt::format("{{{}}}", listed(results));
    return is_cpp_like(texts_.dialect) ? fields : fmt::format("({}){}", name, fields);
  }

  // Functions.

  [[nodiscard]] std::string parameters(const Names& names) const {
    Names typed;
    for (const std::string& name : names) typed.push_back(texts_.type + " " + name);
    return typed.empty() && !is_cpp_like(texts_.dialect) ? "void" : listed(typed);
  }

  void open(const std::string& comment, const std::string& type, const std::string& name,
            const Names& own, const Names& reads) {
    const Names all = with_sizes(own, texts_);
    line_of("// " + comment);
    line_of(fmt::format("{} {} {}({}) {{", function_qualifiers(texts_.dialect), type, name,
                        parameters(all)));
    for (const std::string& parameter : all) {
      if (std::ranges::find(reads, parameter) == reads.end()) {
        line_of(fmt::format("  (void){};", parameter));
      }
    }
  }
  void close() { line_of("}\n"); }

  void write_body(const FunctionBody& body, const std::string& type) {
    for (const std::string& definition : body.definitions) line_of("  " + definition);
    for (std::size_t i = 0; i < body.branches.size(); ++i) {
      const auto& [guards, results] = body.branches[i];
      const std::string returned = fmt::format("return {};", value(results, type));
      const bool is_last = i + 1 == body.branches.size();
      line_of(is_last ? "  " + returned
                      : fmt::format("  if ({}) {}", joined(guards, " && ", "true"), returned));
    }
  }

  void write_function(const std::string& comment, const std::string& name,
                      const std::string& struct_name, const Names& parameters, const Names& results,
                      const FunctionBody& body) {
    if (results.size() != 1) write_struct(struct_name, results);
    open(comment, return_type(results, struct_name), name, parameters, body.reads);
    write_body(body, struct_name);
    close();
  }

  void write_map() {
    write_function(texts_.about_map, texts_.name, texts_.place_name, texts_.coordinates,
                   texts_.places, texts_.map);
  }
  void write_inverse() {
    write_function(texts_.about_inverse, texts_.inverse_name, texts_.point_name, texts_.places,
                   texts_.coordinates, *texts_.inverse);
  }

  void write_guard() {
    const Names box = box_conditions(texts_);
    Names reads = texts_.ends.reads;
    reads.insert(reads.end(), texts_.inside.reads.begin(), texts_.inside.reads.end());
    for (std::size_t i = 0; i < texts_.box.size(); ++i) {
      if (texts_.box[i].low || texts_.box[i].end) reads.push_back(texts_.coordinates[i]);
    }
    open(texts_.about_guard, "bool", texts_.guard_name, texts_.coordinates, reads);
    for (const std::string& definition : texts_.ends.definitions) line_of("  " + definition);
    if (texts_.inside.branches.empty()) {
      line_of(fmt::format("  return {};", joined(box, " && ", "true")));
    } else {
      if (!box.empty()) line_of(fmt::format("  if (!({})) return false;", joined(box, " && ", "")));
      for (const std::string& definition : texts_.inside.definitions) line_of("  " + definition);
      line_of(fmt::format("  return {};", alternatives()));
    }
    close();
  }

  [[nodiscard]] std::string alternatives() const {
    const bool is_only = texts_.inside.branches.size() == 1;
    Names parts;
    for (const BranchText& branch : texts_.inside.branches) {
      const std::string all = joined(branch.guards, " && ", "true");
      parts.push_back(is_only || branch.guards.size() == 1 ? all : "(" + all + ")");
    }
    return joined(parts, " ||\n         ", "false");
  }

  static std::string joined(const Names& parts, const char* by, const char* none) {
    return parts.empty() ? none : fmt::format("{}", fmt::join(parts, by));
  }

  // Arrays.

  void write_size() {
    if (!texts_.size || (*texts_.size > std::numeric_limits<std::int32_t>::max())) return;
    line_of("// An array of so many elements has a place for every point.");
    line_of(
        is_cpp_like(texts_.dialect)
            ? fmt::format("constexpr {} {} = {};\n", texts_.type, texts_.size_name, *texts_.size)
            : fmt::format("enum {{ {} = {} }};\n", texts_.size_name, *texts_.size));
  }

  void write_accessor() {
    line_of(fmt::format(
        "// The elements of an array in this layout, by their coordinates:\n"
        "// {}<float> a{{{}}};  a({}) = 1;",
        texts_.accessor_name, listed(with_sizes({"pointer"}, texts_)), listed(texts_.coordinates)));
    line_of("template <class T>");
    line_of(fmt::format("struct {} {{", texts_.accessor_name));
    line_of("  T* data;");
    for (const std::string& size : texts_.sizes) {
      line_of(fmt::format("  {} {};", texts_.type, size));
    }
    const std::string_view qualifiers = function_qualifiers(texts_.dialect);
    line_of(fmt::format("  {} T& operator()({}) const {{\n    return data[{}({})];\n  }}",
                        qualifiers, parameters(texts_.coordinates), texts_.name,
                        listed(with_sizes(texts_.coordinates, texts_))));
    line_of("};\n");
  }

  const FunctionTexts& texts_;
  std::string text_;
};

}  // namespace

std::string c_text(const FunctionTexts& texts) {
  std::string text = CText(texts).run();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace heddle::emit

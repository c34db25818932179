// Functions of C, C++, CUDA, HIP and OpenCL C.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "emit/function_texts.h"
#include "heddle/emit/print.h"

namespace heddle::emit {
namespace {

class CText {
 public:
  CText(const FunctionTexts& texts, bool openmp) : texts_(texts), openmp_(openmp) {}

  std::string run() && {
    write_includes();
    for (const std::string& line : texts_.about_all) line_of("// " + line);
    line_of("");
    if (!texts_.helpers.empty()) line_of(texts_.helpers);
    write_function(texts_.map);
    if (texts_.inverse) write_function(*texts_.inverse);
    write_guard();
    write_size();
    if (is_cpp_like(texts_.dialect) && texts_.map.results.size() == 1) write_accessor();
    if (openmp_ && has_array()) write_loops();
    return std::move(text_);
  }

 private:
  void line_of(const std::string& line) { text_ += line + '\n'; }

  void write_includes() {
    switch (texts_.dialect) {
      case Dialect::kC:
        line_of("#include <stdbool.h>");
        if (openmp_) line_of("#include <stddef.h>");
        line_of("#include <stdint.h>");
        if (openmp_) line_of("#include <string.h>");
        line_of("");
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

  /// The return type of a function with these results.
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

  /// The `uniform` clause: sizes are the same in all iterations of a loop.
  [[nodiscard]] std::string uniform() const {
    return texts_.sizes.empty() ? "" : fmt::format(" uniform({})", listed(texts_.sizes));
  }

  void open(const std::string& comment, const std::string& type, const std::string& name,
            const Names& own, const Names& reads) {
    const bool is_number = type == texts_.type || type == "bool";
    const Names all = with_sizes(own, texts_);
    line_of("// " + comment);
    if (openmp_ && is_number) line_of("#pragma omp declare simd" + uniform());
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

  void write_function(const FunctionText& function) {
    const bool is_number = function.results.size() == 1;
    if (!is_number) write_struct(function.type_name, function.results);
    open(function.comment, is_number ? texts_.type : function.type_name, function.name,
         function.parameters, function.body.reads);
    write_body(function.body, function.type_name);
    close();
  }

  void write_guard() {
    const Names box = box_conditions(texts_);
    Names reads = texts_.ends.reads;
    reads.insert(reads.end(), texts_.inside.reads.begin(), texts_.inside.reads.end());
    for (std::size_t i = 0; i < texts_.box.size(); ++i) {
      if (texts_.box[i].low || texts_.box[i].end) reads.push_back(texts_.coordinates[i]);
    }
    open(texts_.about_guard, "bool", texts_.named("guard"), texts_.coordinates, reads);
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

  // Arrays.

  void write_size() {
    if (!texts_.size || (*texts_.size > std::numeric_limits<std::int32_t>::max())) return;
    line_of("// An array of so many elements has a place for every point.");
    line_of(is_cpp_like(texts_.dialect)
                ? fmt::format("constexpr {} {} = {};\n", texts_.type, texts_.named("size"),
                              *texts_.size)
                : fmt::format("enum {{ {} = {} }};\n", texts_.named("size"), *texts_.size));
  }

  void write_accessor() {
    line_of(
        fmt::format("// The elements of an array in this layout, by their coordinates:\n"
                    "// {}<float> a{{{}}};  a({}) = 1;",
                    texts_.named("accessor"), listed(with_sizes({"pointer"}, texts_)),
                    listed(texts_.coordinates)));
    line_of("template <class T>");
    line_of(fmt::format("struct {} {{", texts_.named("accessor")));
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

  // Loops of OpenMP.

  /// Whether a row-major array has the points of the box, and memory one place for each of them.
  [[nodiscard]] bool has_array() const {
    if (!texts_.has_memory || texts_.coordinates.empty()) return false;
    return std::ranges::all_of(texts_.box,
                               [](const auto& ends) { return ends.low == "0" && ends.end; });
  }

  /// `((int64_t)i * 8 + j) * 4 + k`
  [[nodiscard]] std::string wide_row_major() const {
    Names coordinates = texts_.coordinates;
    coordinates.front() =
        fmt::format(fmt::runtime(is_cpp_like(texts_.dialect) ? "std::int64_t({})" : "(int64_t){}"),
                    coordinates.front());
    Names extents;
    for (const auto& ends : texts_.box) extents.push_back(*ends.end);
    return row_major(coordinates, extents);
  }

  void write_loops() {
    // Two elements at one place would be moved there at the same time, so the map must be
    // invertible.
    if (texts_.inverse) {
      write_loop("Moves the elements of a row-major array to their places.", texts_.named("pack"),
                 {"packed", "plain"}, true);
    }
    write_loop("Moves the elements from their places to a row-major array.", texts_.named("unpack"),
               {"plain", "packed"}, false);
  }

  void write_loop(const std::string& comment, const std::string& name, const Names& arrays,
                  bool packs) {
    const bool is_cpp = is_cpp_like(texts_.dialect);
    const std::size_t depth = texts_.coordinates.size();
    line_of("// " + comment + (is_cpp ? "" : " They are of so many bytes each."));
    Names own = {fmt::format("{}* {}", is_cpp ? "T" : "void", arrays[0]),
                 fmt::format("const {}* {}", is_cpp ? "T" : "void", arrays[1])};
    if (!is_cpp) own.emplace_back("size_t bytes");
    for (const std::string& size : texts_.sizes) own.push_back(texts_.type + " " + size);
    if (is_cpp) line_of("template <class T>");
    line_of(fmt::format("{}inline void {}({}) {{", is_cpp ? "" : "static ", name, listed(own)));
    for (const std::string& definition : texts_.ends.definitions) line_of("  " + definition);
    line_of("#pragma omp parallel for" +
            (depth > 1 ? fmt::format(" collapse({})", depth) : std::string()));
    std::string indent = "  ";
    for (std::size_t i = 0; i < depth; ++i, indent += "  ") {
      line_of(fmt::format("{0}for ({1} {2} = 0; {2} < {3}; ++{2}) {{", indent, texts_.type,
                          texts_.coordinates[i], *texts_.box[i].end));
    }
    const std::string point = listed(with_sizes(texts_.coordinates, texts_));
    if (!texts_.inside.branches.empty()) {
      line_of(fmt::format("{}if (!{}({})) continue;", indent, texts_.named("guard"), point));
    }
    const std::string place = fmt::format("{}({})", texts_.name, point);
    line_of(indent +
            move(packs ? Names{place, wide_row_major()} : Names{wide_row_major(), place}, arrays));
    for (std::size_t i = 0; i < depth; ++i) {
      indent.resize(indent.size() - 2);
      line_of(indent + "}");
    }
    close();
  }

  /// Moves one element from one array to the other.
  [[nodiscard]] std::string move(const Names& indices, const Names& arrays) const {
    if (is_cpp_like(texts_.dialect)) {
      return fmt::format("{}[{}] = {}[{}];", arrays[0], indices[0], arrays[1], indices[1]);
    }
    return fmt::format(
        "memcpy((char*){} + bytes * (size_t)({}), (const char*){} + bytes * (size_t)({}), bytes);",
        arrays[0], indices[0], arrays[1], indices[1]);
  }

  const FunctionTexts& texts_;
  bool openmp_ = false;
  std::string text_;
};

}  // namespace

std::string c_text(const FunctionTexts& texts, bool openmp) {
  std::string text = CText(texts, openmp).run();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace heddle::emit

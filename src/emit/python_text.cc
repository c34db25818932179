// Functions of Python and of Triton.

#include <fmt/format.h>

#include <algorithm>

#include "emit/function_texts.h"

namespace heddle::emit {
namespace {

class PythonText {
 public:
  explicit PythonText(const FunctionTexts& texts)
      : texts_(texts), is_triton_(texts.dialect == Dialect::kTriton) {}

  std::string run() && {
    for (const std::string& line : texts_.about_all) line_of("# " + line);
    if (is_triton_) line_of("\nimport triton\nimport triton.language as tl");
    if (!texts_.helpers.empty()) line_of("\n\n" + without_blank_end(texts_.helpers));
    write_function(texts_.map);
    if (texts_.inverse) write_function(*texts_.inverse);
    write_guard();
    if (texts_.size) write_size();
    return std::move(text_);
  }

 private:
  void line_of(const std::string& line) { text_ += line + '\n'; }

  static std::string without_blank_end(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  void open(const std::string& comment, const std::string& name, const Names& own,
            const Names& reads) {
    line_of("\n");
    if (is_triton_) line_of("@triton.jit");
    line_of(fmt::format("def {}({}):", name, listed(with_sizes(own, texts_))));
    line_of(fmt::format(R"(    """{}""")", comment));
    if (!is_triton_ || texts_.is_narrow) return;
    for (const std::string& parameter : with_sizes(own, texts_)) {
      if (std::ranges::find(reads, parameter) == reads.end()) continue;
      line_of(fmt::format("    {0} = tl.cast({0}, tl.int64)", parameter));
    }
  }

  void write_size() {
    const std::string size = std::to_string(*texts_.size);
    line_of("\n\n# An array of so many elements has a place for every point.");
    line_of(texts_.named("size") + " = " + (is_triton_ ? "tl.constexpr(" + size + ")" : size));
  }

  /// Joins the conditions; blocks are compared element by element.
  [[nodiscard]] std::string all_of(const Names& conditions) const {
    if (!is_triton_) return joined(conditions, " and ", "True");
    if (conditions.empty()) return "tl.full([], 1, tl.int1)";
    return "(" + joined(conditions, ") & (") + ")";
  }

  void write_function(const FunctionText& function) {
    const FunctionBody& body = function.body;
    open(function.comment, function.name, function.parameters, body.reads);
    for (const std::string& definition : body.definitions) line_of("    " + definition);
    if (is_triton_) {
      line_of("    return " + chosen(body));
      return;
    }
    for (std::size_t i = 0; i < body.branches.size(); ++i) {
      const auto& [guards, results] = body.branches[i];
      const bool is_last = i + 1 == body.branches.size();
      if (!is_last) line_of(fmt::format("    if {}:", all_of(guards)));
      line_of(fmt::format("{}return {}", is_last ? "    " : "        ", listed(results)));
    }
  }

  /// Every branch is computed, and one is selected element by element.
  [[nodiscard]] std::string chosen(const FunctionBody& body) const {
    Names results = body.branches.back().results;
    // A constant has as few bits as it needs, and so would a select between constants.
    for (std::string& result : results) {
      const bool is_constant = result.find_first_not_of("-0123456789") == std::string::npos;
      if (is_constant && !texts_.is_narrow) result = fmt::format("tl.cast({}, tl.int64)", result);
    }
    for (std::size_t i = body.branches.size() - 1; i-- > 0;) {
      const BranchText& branch = body.branches[i];
      for (std::size_t k = 0; k < results.size(); ++k) {
        results[k] = fmt::format("tl.where({}, {}, {})", all_of(branch.guards), branch.results[k],
                                 results[k]);
      }
    }
    return listed(results);
  }

  void write_guard() {
    Names reads = with_sizes(texts_.coordinates, texts_);
    open(texts_.about_guard, texts_.named("guard"), texts_.coordinates, reads);
    for (const std::string& definition : texts_.ends.definitions) line_of("    " + definition);
    const std::string box =
        all_of(is_triton_ ? box_conditions(texts_) : box_intervals(texts_, texts_.coordinates));
    if (texts_.inside.branches.empty()) {
      line_of("    return " + box);
      return;
    }
    if (!is_triton_) line_of(fmt::format("    if not ({}):\n        return False", box));
    for (const std::string& definition : texts_.inside.definitions) line_of("    " + definition);
    Names parts;
    for (const BranchText& branch : texts_.inside.branches) {
      parts.push_back("(" + all_of(branch.guards) + ")");
    }
    const std::string any = joined(parts, is_triton_ ? " | " : " or ");
    line_of(is_triton_ ? fmt::format("    return {} & ({})", box, any) : "    return " + any);
  }

  const FunctionTexts& texts_;
  bool is_triton_;
  std::string text_;
};

}  // namespace

std::string python_text(const FunctionTexts& texts) { return PythonText(texts).run(); }

}  // namespace heddle::emit

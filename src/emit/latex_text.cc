// Functions as formulas.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emit/function_texts.h"
#include "emit/writer.h"

namespace heddle::emit {
namespace {

Names latex_names(const Names& names) {
  Names made;
  for (const std::string& name : names) made.push_back(latex_name(name));
  return made;
}

std::string operator_name(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '_' ? std::string("\\_") : std::string(1, c);
  return "\\operatorname{" + text + "}";
}

std::string tuple_text(const Names& parts) {
  return parts.size() == 1 ? parts.front() : fmt::format("\\left({}\\right)", listed(parts));
}

std::string all_of(const Names& conditions) {
  return joined(conditions, " \\text{ and } ", "\\text{always}");
}

class LatexText {
 public:
  explicit LatexText(const FunctionTexts& texts) : texts_(texts) {}

  std::string run() && {
    for (const std::string& line : texts_.about_all) text_ += "% " + line + '\n';
    const std::string name = operator_name(texts_.name);
    write_function(name, texts_.map);
    if (texts_.inverse) write_function(name + "^{-1}", *texts_.inverse);
    write_guard();
    return std::move(text_);
  }

 private:
  void write_block(const Names& lines) {
    text_ +=
        fmt::format("\\begin{{align*}}\n  {}\n\\end{{align*}}\n", fmt::join(lines, " \\\\\n  "));
  }

  /// `t_{0} &= …`
  static std::string aligned(const std::string& definition) {
    const std::size_t sign = definition.find(" = ");
    return definition.substr(0, sign) + " &= " + definition.substr(sign + 3);
  }

  static std::string value(const FunctionBody& body) {
    if (body.branches.size() == 1) return tuple_text(body.branches.front().results);
    Names cases;
    for (std::size_t i = 0; i < body.branches.size(); ++i) {
      const auto& [guards, results] = body.branches[i];
      const bool is_last = i + 1 == body.branches.size();
      cases.push_back(fmt::format("{} & {}", tuple_text(results),
                                  is_last ? "\\text{otherwise}" : "\\text{if } " + all_of(guards)));
    }
    return fmt::format("\\begin{{cases}} {} \\end{{cases}}", fmt::join(cases, " \\\\ "));
  }

  void write_function(const std::string& name, const FunctionText& function) {
    Names lines;
    for (const std::string& line : function.body.definitions) lines.push_back(aligned(line));
    lines.push_back(fmt::format("{}({}) &= {}", name, listed(latex_names(function.parameters)),
                                value(function.body)));
    write_block(lines);
  }

  void write_guard() {
    Names lines;
    for (const FunctionBody* body : {&texts_.ends, &texts_.inside}) {
      for (const std::string& definition : body->definitions) lines.push_back(aligned(definition));
    }
    const Names coordinates = latex_names(texts_.coordinates);
    Names conditions = box_intervals(texts_, coordinates, " \\le ");
    Names branches;
    for (const BranchText& branch : texts_.inside.branches) {
      branches.push_back(all_of(branch.guards));
    }
    if (!branches.empty()) {
      conditions.push_back("\\left(" + joined(branches, " \\text{ or } ") + "\\right)");
    }
    lines.push_back(fmt::format("{}({}) &\\iff {}", operator_name(texts_.named("guard")),
                                listed(coordinates), all_of(conditions)));
    write_block(lines);
  }

  const FunctionTexts& texts_;
  std::string text_;
};

}  // namespace

std::string latex_text(const FunctionTexts& texts) { return LatexText(texts).run(); }

}  // namespace heddle::emit

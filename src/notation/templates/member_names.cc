#include "notation/templates/member_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "heddle/emit/dialect.h"
#include "notation/language/free_names.h"

namespace heddle::notation {
namespace {

/// `a.b.c`; empty for an expression that is no name and no member of one.
std::string path_of(const Expression& expression) {
  if (const auto* reference = std::get_if<Reference>(&expression.node)) {
    return std::string(reference->name);
  }
  const auto* member = std::get_if<Member>(&expression.node);
  const std::string whole = member == nullptr ? "" : path_of(expression.parts.front());
  return whole.empty() ? "" : fmt::format("{}.{}", whole, member->name);
}

class MemberNames {
 public:
  MemberNames(const Expression& expression, const IsKnown& is_known)
      : taken_(names_in(expression)), is_known_(is_known) {}

  void take(Expression& expression) {
    const bool is_member = std::holds_alternative<Member>(expression.node);
    const std::string path = is_member ? path_of(expression) : "";
    if (!path.empty() && !is_known_(path.substr(0, path.find('.')))) {
      expression = {Reference{name_of(path)}, {}, expression.span};
      return;
    }
    const bool is_call = std::holds_alternative<Application>(expression.node);
    for (Expression& part : expression.parts) {
      const bool is_called = is_call && &part == &expression.parts.front();
      if (!is_called || path_of(part).empty()) take(part);
    }
  }

  [[nodiscard]] emit::Spelling spelling() && { return std::move(spelling_); }

 private:
  std::string_view name_of(const std::string& path) {
    const auto known = std::ranges::find(spelling_, path, &emit::Spelling::value_type::second);
    if (known != spelling_.end()) return known->first;
    std::string name = path;
    std::ranges::replace(name, '.', '_');
    while (is_known_(name) || taken_.contains(name)) name += '_';
    const auto& added = spelling_.emplace(std::move(name), path).first->first;
    taken_.insert(added);
    return added;
  }

  std::set<std::string_view> taken_;
  const IsKnown& is_known_;
  emit::Spelling spelling_;
};

}  // namespace

emit::Spelling take_members(Expression& expression, const IsKnown& is_known) {
  MemberNames names(expression, is_known);
  names.take(expression);
  return std::move(names).spelling();
}

std::vector<std::string> take_indices_of_threads(emit::Spelling& spelling, emit::Dialect dialect) {
  std::vector<std::string> conditions;
  if (dialect != emit::Dialect::kCuda && dialect != emit::Dialect::kHip) return conditions;
  for (auto& [name, member] : spelling) {
    const std::size_t dot = member.find('.');
    const std::string object = member.substr(0, dot);
    const std::string field = member.substr(dot + 1);
    const bool is_index = object == "threadIdx" || object == "blockIdx";
    const bool is_size = object == "blockDim" || object == "gridDim";
    if ((!is_index && !is_size) || (field != "x" && field != "y" && field != "z")) continue;
    member.insert(0, "(int)");
    conditions.push_back((is_index ? "0<=" : "1<=") + name);
  }
  return conditions;
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) line += c;
    if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

}  // namespace heddle::notation

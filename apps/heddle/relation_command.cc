#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/commands.h"
#include "heddle/hub_text.h"
#include "heddle/map/relations.h"
#include "heddle/notation/hub.h"
#include "heddle/search.h"

namespace heddle::app {
namespace {

using map::IntegerRelation;
using notation::Value;

/// A relation with a word for what it is of the layout.
struct Named {
  std::string name;
  IntegerRelation relation;
};

/// The mappings that seed 000 takes a layout of this kind apart into; none of other kinds.
Result<std::vector<Named>> mappings_of(const Value& value, const map::Limits& limits) {
  std::vector<Named> mappings;
  if (const auto* layout = value.get_if<cute::Layout>()) {
    HEDDLE_TRY(auto coordinate, map::coordinate_mapping(layout->shape(), limits));
    HEDDLE_TRY(auto index, map::index_mapping(*layout, limits));
    HEDDLE_TRY(auto whole, map::layout_mapping(*layout, limits));
    mappings.push_back({"coordinate mapping", std::move(coordinate)});
    mappings.push_back({"index mapping", std::move(index)});
    HEDDLE_TRY(const auto spaces, map::coordinate_spaces(layout->shape()));
    for (const IntTuple& space : spaces) {
      if (space.is_leaf() || space == layout->shape()) continue;
      HEDDLE_TRY(auto in_space, map::index_mapping(*layout, space, limits));
      mappings.push_back({fmt::format("index mapping in {}", notation::to_string(Value(space))),
                          std::move(in_space)});
    }
    mappings.push_back({"layout mapping", std::move(whole)});
  } else if (const auto* swizzle = value.get_if<cute::Swizzle>()) {
    HEDDLE_TRY(auto parts, map::swizzle_mappings(*swizzle, limits));
    mappings.push_back({"coordinate mapping", std::move(parts.coordinate)});
    mappings.push_back({"binary swizzle mapping", std::move(parts.binary)});
    mappings.push_back({"layout mapping", std::move(parts.layout)});
  } else if (const auto* linear = value.get_if<linear::LinearLayout>()) {
    HEDDLE_TRY(auto parts, map::linear_mappings(*linear, limits));
    mappings.push_back({"integral coordinate mapping", std::move(parts.integral_coordinate)});
    mappings.push_back({"binary coordinate mapping", std::move(parts.binary_coordinate)});
    mappings.push_back({"binary vector space mapping", std::move(parts.binary_vector_space)});
    mappings.push_back({"linear index mapping", std::move(parts.linear_index)});
    mappings.push_back({"natural index mapping", std::move(parts.natural_index)});
  }
  return mappings;
}

/// The layout as a relation, its mappings if they are asked for, and its expression where it is
/// single-valued.
struct RelationAnswer {
  std::vector<Named> relations;
  std::optional<std::string> expression;
};

Result<RelationAnswer> answer_of(const Value& value, bool has_mappings,
                                 const notation::CallContext& context) {
  const map::Limits& limits = context.decide.limits;
  RelationAnswer answer;
  if (has_mappings) {
    HEDDLE_TRY(answer.relations, mappings_of(value, limits));
  }
  HEDDLE_TRY(const map::AnyLayout layout, notation::hub_layout(value, context));
  HEDDLE_TRY(IntegerRelation relation, map::relation(layout, limits));
  const Result<bool> is_function = map::is_single_valued(relation, limits);
  if (is_function && *is_function) {
    HEDDLE_TRY(const auto pieces, map::pieces(relation, limits));
    if (!pieces.empty()) answer.expression = map::to_string(pieces);
  }
  answer.relations.push_back({"relation", std::move(relation)});
  return answer;
}

std::string text_of(const RelationAnswer& answer) {
  if (answer.relations.size() == 1 && !answer.expression) {
    return answer.relations.front().relation.text() + "\n";
  }
  std::string text;
  for (const Named& named : answer.relations) {
    text += fmt::format("{}\n  {}\n", named.name, named.relation.text());
  }
  if (answer.expression) text += fmt::format("expression\n  {}\n", *answer.expression);
  return text;
}

std::string json_of(const RelationAnswer& answer) {
  nlohmann::ordered_json relations = nlohmann::ordered_json::object();
  for (const Named& named : answer.relations) relations[named.name] = named.relation.text();
  if (answer.expression) relations["expression"] = *answer.expression;
  return fmt::format(R"({{"ok":true,"result":{}}})", relations.dump());
}

}  // namespace

ExitCode print_relation(const Console& console, const std::string& expression, bool has_mappings,
                        const notation::Environment& environment) {
  const auto value = value_in(expression, environment);
  if (!value) return console.fail(value.error(), {expression, ""});
  const Search search(console, "asking isl");
  const auto answer = answer_of(*value, has_mappings, search.within(environment).context());
  if (!answer) return console.fail(answer.error(), {expression, ""});
  if (console.json()) {
    console.print_line(json_of(*answer));
  } else {
    console.print_text(text_of(*answer));
  }
  return ExitCode::kDone;
}

}  // namespace heddle::app

#include "support/facts.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace heddle::test {

std::vector<nlohmann::json> fact_rows(std::string_view file) {
  std::ifstream lines(std::string(HEDDLE_SOURCE_DIR) + "/tests/facts/" + std::string(file));
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json row = nlohmann::json::parse(line);
    if (!row.contains("each")) {
      rows.push_back(std::move(row));
      continue;
    }
    for (const nlohmann::json& fields : row.at("each")) {
      rows.push_back(row);
      rows.back().erase("each");
      rows.back().update(fields);
    }
  }
  return rows;
}

std::string fact_name(const testing::TestParamInfo<nlohmann::json>& row) {
  std::string name = row.param.at("id");
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

linear::LinearLayout fact_layout(const nlohmann::json& json) {
  linear::Bases bases;
  for (const nlohmann::json& in : json.at("ins"))
    bases.push_back({in.at(0), in.at(1).get<std::vector<std::vector<std::int64_t>>>()});
  linear::NamedSizes outs;
  for (const nlohmann::json& out : json.at("outs")) outs.emplace_back(out.at(0), out.at(1));
  return linear::LinearLayout::make(bases, outs).value();
}

}  // namespace heddle::test

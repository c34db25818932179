#pragma once

// Rows of tests/facts: what other systems answered, one JSON object a line. A line with `each`, a
// list of objects, is a row for each of them, with its fields: what is equal is written once.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/linear/linear_layout.h"

namespace heddle::test {

/// The rows of the file in tests/facts.
[[nodiscard]] std::vector<nlohmann::json> fact_rows(std::string_view file);

/// The `id` of a row, as the name of a test.
[[nodiscard]] std::string fact_name(const testing::TestParamInfo<nlohmann::json>& row);

/// {"ins": [[name, bases], …], "outs": [[name, size], …]}
[[nodiscard]] linear::LinearLayout fact_layout(const nlohmann::json& json);

}  // namespace heddle::test

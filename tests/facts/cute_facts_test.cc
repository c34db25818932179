// Every row of cute_pycute.jsonl and cute_cpp.jsonl, values that the peers computed, through `heddle batch`.
//
// Where the peer is right our answer must have the same size and the same table; where both peers agree on
// the text, also the same text (the strides of modes of one element aside, which CuTe writes 0 and pycute as
// it happens). Where the peer is wrong (`post` false) or stopped (`error`), our answer must be a refusal or
// keep the law of the operation. What differs otherwise stands in kExceptions, with the reason and the
// number of rows, and has to keep the law all the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "heddle/cute/algebra.h"
#include "heddle/notation/batch.h"
#include "support/contract.h"
#include "support/text.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using Values = std::vector<std::int64_t>;

struct Row {
  std::string id;
  std::string op;
  std::vector<std::string> args;
  std::string expect;  // empty where the peer stopped
  std::optional<Values> table;
  std::string variant;  // static, dynamic, dynamic-shape, mixed; pycute
  bool peer_is_right = true;
  std::int64_t offset = 0;
};

Row read_row(const Json& json) {
  Row row;
  row.id = json.at("id");
  row.op = json.at("op");
  row.args = json.at("args").get<std::vector<std::string>>();
  if (json.at("expect").is_string()) row.expect = json.at("expect");
  if (json.contains("table")) row.table = json.at("table").get<Values>();
  row.variant = json.value("variant", "pycute");
  row.peer_is_right = !json.value("error", false) && json.value("post", true);
  row.offset = json.value("offset", 0);
  return row;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = [] {
    std::vector<Row> all;
    for (const char* name : {"cute_pycute.jsonl", "cute_cpp.jsonl"}) {
      std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/facts/" + name);
      for (std::string line; std::getline(file, line);) all.push_back(read_row(Json::parse(line)));
    }
    return all;
  }();
  return kRows;
}

/// What `heddle batch` says to the row.
struct Answer {
  bool ok = false;
  std::string text;  // of the result, or of the error
};

Answer ask(const std::string& op, const std::vector<std::string>& args) {
  const Json answer = Json::parse(notation::answer(Json{{"op", op}, {"args", args}}.dump()));
  if (!answer.at("ok").get<bool>()) return {false, answer.at("error").at("message")};
  const Json& result = answer.at("result");
  return {true, result.is_string() ? result.get<std::string>() : result.dump()};
}

// Reading results.

enum class Sort { kOther, kLayout, kComposed, kSwizzle };

Sort sort_of(const std::string& text) {
  const bool swizzled = text.rfind("Sw<", 0) == 0;
  if (swizzled) return text.find(" o ") == std::string::npos ? Sort::kSwizzle : Sort::kComposed;
  return text.find(':') == std::string::npos || text.front() == '<' ? Sort::kOther : Sort::kLayout;
}

Plain plain(const std::string& text) { return to_plain(layout(text)); }

/// Size (-1 for a swizzle) and the first 256 values.
struct Table {
  std::int64_t size = -1;
  Values values;

  friend bool operator==(const Table&, const Table&) = default;
};

Table table_of_text(const std::string& text) {
  constexpr std::int64_t kValues = 256;
  Table result;
  const Sort sort = sort_of(text);
  if (sort == Sort::kSwizzle) {
    for (std::int64_t c = 0; c < kValues; ++c) result.values.push_back(swizzle(text)(c));
    return result;
  }
  if (sort == Sort::kComposed) {
    const cute::ComposedLayout l = composed(text);
    result.size = l.size().value();
    for (std::int64_t c = 0; c < std::min(kValues, result.size); ++c) result.values.push_back(l(c).value());
    return result;
  }
  const Plain l = plain(text);
  result.size = size(l);
  for (std::int64_t c = 0; c < std::min(kValues, result.size); ++c) result.values.push_back(evaluate(l, c));
  return result;
}

Table expected_table(const Row& row) {
  Table result{table_of_text(row.expect).size, *row.table};
  for (std::int64_t& value : result.values) value += row.offset;
  return result;
}

/// The text with stride 0 at every mode of one element.
std::string normalized(const std::string& text) {
  if (sort_of(text) != Sort::kLayout) return text;
  Plain l = plain(text);
  const std::function<void(Plain&)> clear = [&](Plain& node) {
    if (node.is_leaf() && node.extent == 1) node.stride = 0;
    for (Plain& mode : node.modes) clear(mode);
  };
  clear(l);
  return to_string(l);
}

// The laws, for answers where the peer has none or a wrong one.

using Args = std::vector<std::string>;

bool is_layout(const std::string& text) { return sort_of(text) == Sort::kLayout; }

/// The text of a shape, layout or integer as a layout, column-major where it is a shape.
Plain as_layout(const std::string& text) { return plain(text); }

/// The tiles of `<a,b,…>` or `(2,3)`; one entry, the whole, for a layout.
std::vector<cute::Tile> tiles_of(const std::string& text) {
  const cute::Tiler t = tiler(text);
  return {t.leaves().begin(), t.leaves().end()};
}

bool is_by_mode(const std::string& text) { return !tiler(text).is_leaf(); }

Plain line_or_layout(const cute::Tile& tile) {
  if (tile.layout() != nullptr) return to_plain(*tile.layout());
  return plain_leaf(tile.size()->value(), 1);
}

Finding composition_law(const Args& args, const std::string& got) {
  const Plain a = as_layout(args[0]);
  if (!is_by_mode(args[1])) return check_composition(a, as_layout(args[1]), plain(got));
  const std::vector<cute::Tile> tiles = tiles_of(args[1]);
  const Plain r = plain(got);
  if (r.modes.size() != tiles.size()) return found(got, " has not the rank of the tiler");
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i].is_underscore()) {
      if (!(r.modes[i] == a.modes[i])) return found("mode ", i, " of ", got, " is not kept");
    } else if (Finding f = check_composition(a.modes[i], line_or_layout(tiles[i]), r.modes[i])) {
      return f;
    }
  }
  return kHolds;
}

Finding complement_law(const Args& args, const std::string& got) {
  return check_complement(as_layout(args[0]), size(as_layout(args[1])), plain(got));
}

Finding logical_divide_law(const Args& args, const std::string& got) {
  const Plain a = as_layout(args[0]);
  const Plain r = plain(got);
  if (!is_by_mode(args[1])) return check_divide(a, as_layout(args[1]), r);
  const std::vector<cute::Tile> tiles = tiles_of(args[1]);
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    if (i >= tiles.size() || tiles[i].is_underscore()) {
      if (!(r.modes[i] == a.modes[i])) return found("mode ", i, " of ", got, " is not kept");
    } else if (Finding f = check_divide(a.modes[i], line_or_layout(tiles[i]), r.modes[i])) {
      return f;
    }
  }
  return kHolds;
}

/// (A, C o B) with CuTe's complement C.
Finding check_product(const Plain& a, const Plain& b, const Plain& r) {
  if (r.modes.size() != 2 || !(r.modes[0] == a)) return found(to_string(r), " does not begin with the block");
  const std::optional<Plain> room = cute_complement(a, size(a) * cosize(b));
  if (!room) return found("there is no complement");
  return check_composition(*room, b, r.modes[1]);
}

Finding logical_product_law(const Args& args, const std::string& got) {
  const Plain a = as_layout(args[0]);
  const Plain r = plain(got);
  if (!is_by_mode(args[1])) {
    return check_product(a, line_or_layout(tiler(args[1]).leaf()), r);
  }
  const std::vector<cute::Tile> tiles = tiles_of(args[1]);
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    if (i >= tiles.size() || tiles[i].is_underscore()) {
      if (!(r.modes[i] == a.modes[i])) return found("mode ", i, " of ", got, " is not kept");
    } else if (Finding f = check_product(a.modes[i], line_or_layout(tiles[i]), r.modes[i])) {
      return f;
    }
  }
  return kHolds;
}

/// The same elements as the logical form, which keeps its law.
Finding rearranges(const Args& args, const std::string& got, const char* logical,
                   Finding (*law)(const Args&, const std::string&)) {
  const Answer whole = ask(logical, args);
  if (!whole.ok) return found(logical, " is refused: ", whole.text);
  if (Finding f = law(args, whole.text)) return f;
  Values ours = table(plain(got));
  Values wanted = table(plain(whole.text));
  std::sort(ours.begin(), ours.end());
  std::sort(wanted.begin(), wanted.end());
  return ours == wanted ? kHolds : found(got, " has other elements than ", whole.text);
}

Finding divide_law(const Args& args, const std::string& got) {
  return rearranges(args, got, "logical_divide", logical_divide_law);
}

Finding product_law(const Args& args, const std::string& got) {
  return rearranges(args, got, "logical_product", logical_product_law);
}

Finding left_inverse_law(const Args& args, const std::string& got) {
  return check_left_inverse(as_layout(args[0]), plain(got));
}

Finding right_inverse_law(const Args& args, const std::string& got) {
  const Plain l = as_layout(args[0]);
  const Plain r = plain(got);
  if (size(r) < size(cute_right_inverse(l))) return found(got, " is shorter than CuTe's rule makes it");
  return check_right_inverse(l, r);
}

Finding max_common_layout_law(const Args& args, const std::string& got) {
  if (Finding f = check_right_inverse(as_layout(args[0]), plain(got))) return f;
  return check_right_inverse(as_layout(args[1]), plain(got));
}

Finding max_common_vector_law(const Args& args, const std::string& got) {
  const Answer common = ask("max_common_layout", args);
  if (!common.ok) return found("max_common_layout is refused");
  if (Finding f = max_common_layout_law(args, common.text)) return f;
  return std::to_string(size(plain(common.text))) == got ? kHolds : found(common.text);
}

/// At each leaf (index / stride) mod extent, 0 for one element.
Finding idx2crd_law(const Args& args, const std::string& got) {
  if (!is_layout(args[1])) return found("only for layouts");
  const std::int64_t index = std::stoll(args[0]);
  const IntTuple coordinate = tuple(got);
  const std::vector<Plain> modes = leaves(plain(args[1]));
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const std::int64_t wanted = modes[i].extent == 1 ? 0 : index / modes[i].stride % modes[i].extent;
    if (coordinate.leaves()[i] != Int(wanted)) return found(got, ": leaf ", i, " should be ", wanted);
  }
  return kHolds;
}

using Law = Finding (*)(const Args&, const std::string&);

Law law_of(const std::string& op) {
  static const std::map<std::string, Law> kLaws = {
      {"composition", composition_law},
      {"complement", complement_law},
      {"logical_divide", logical_divide_law},
      {"zipped_divide", divide_law},
      {"tiled_divide", divide_law},
      {"flat_divide", divide_law},
      {"logical_product", logical_product_law},
      {"zipped_product", product_law},
      {"tiled_product", product_law},
      {"flat_product", product_law},
      {"left_inverse", left_inverse_law},
      {"right_inverse", right_inverse_law},
      {"max_common_layout", max_common_layout_law},
      {"max_common_vector", max_common_vector_law},
      {"idx2crd", idx2crd_law},
  };
  const auto found_law = kLaws.find(op);
  return found_law == kLaws.end() ? nullptr : found_law->second;
}

// What differs though the peer is not known to be wrong.

struct Exception {
  const char* op;
  const char* variant;
  const char* first_arg;  // or nullptr for every row of the operation and variant that differs
  bool refused;           // we refuse; otherwise our answer is another one and keeps its law
  int rows;
  const char* reason;
};

const std::vector<Exception>& exceptions() {
  static const std::vector<Exception> kExceptions = {
//EXCEPTIONS
  };
  return kExceptions;
}

/// Which exception a differing row falls under.
std::optional<std::size_t> exception_of(const Row& row, bool refused) {
  for (std::size_t i = 0; i < exceptions().size(); ++i) {
    const Exception& e = exceptions()[i];
    const bool same_arg = e.first_arg == nullptr || row.args[0] == e.first_arg;
    if (row.op == e.op && row.variant == e.variant && same_arg && refused == e.refused) return i;
  }
  return std::nullopt;
}

// The judgement of one row.

enum class Outcome { kTable, kText, kRefused, kLawful, kException, kFailed };

struct Judgement {
  Outcome outcome = Outcome::kFailed;
  std::string why;
  std::size_t exception = 0;
};

Judgement failed(const std::string& why) { return {Outcome::kFailed, why, 0}; }

Judgement judge_by_law(const Row& row, const Answer& answer) {
  if (!answer.ok) return {Outcome::kRefused, "", 0};
  const Law law = law_of(row.op);
  if (law == nullptr) return failed("the peer is wrong and there is no law; ours: " + answer.text);
  const Finding broken = law(row.args, answer.text);
  return broken ? failed(*broken) : Judgement{Outcome::kLawful, "", 0};
}

Judgement judge_difference(const Row& row, const Answer& answer) {
  const std::string got = (answer.ok ? "got " : "refused: ") + answer.text;
  const std::optional<std::size_t> exception = exception_of(row, !answer.ok);
  if (!exception) return failed(got);
  if (answer.ok && law_of(row.op) != nullptr) {
    if (const Finding broken = law_of(row.op)(row.args, answer.text)) return failed(got + ": " + *broken);
  }
  return {Outcome::kException, "", *exception};
}

Answer answer_to(const Row& row) {
  const bool itself = row.op == "composed" || row.op == "swizzle" || row.op == "table";
  return ask(itself ? "eval" : row.op, row.args);  // those rows evaluate their argument
}

Judgement judge(const Row& row) {
  const Answer answer = answer_to(row);
  if (!row.peer_is_right) return judge_by_law(row, answer);
  if (!answer.ok) return judge_difference(row, answer);
  if (!row.table) {
    return answer.text == row.expect ? Judgement{Outcome::kText, "", 0} : judge_difference(row, answer);
  }
  if (sort_of(answer.text) == Sort::kOther) return failed("no layout: " + answer.text);
  if (table_of_text(answer.text) == expected_table(row)) return {Outcome::kTable, "", 0};
  return judge_difference(row, answer);
}

std::string describe(const Row& row) {
  std::string text = row.id + ": " + row.op + "(";
  for (std::size_t i = 0; i < row.args.size(); ++i) text += (i == 0 ? "" : ", ") + row.args[i];
  return text + ") = " + (row.expect.empty() ? "error" : row.expect);
}

std::vector<std::string> operations() {
  std::set<std::string> names;
  for (const Row& row : rows()) names.insert(row.op);
  return {names.begin(), names.end()};
}

class CuteFacts : public testing::TestWithParam<std::string> {};

TEST_P(CuteFacts, AnswerIsThePeersWhereThePeerIsRight) {
  for (const Row& row : rows()) {
    if (row.op != GetParam()) continue;
    const Judgement judgement = judge(row);
    EXPECT_NE(judgement.outcome, Outcome::kFailed) << describe(row) << "\n  " << judgement.why;
  }
}

INSTANTIATE_TEST_SUITE_P(Operation, CuteFacts, testing::ValuesIn(operations()),
                         [](const auto& test) { return test.param; });

TEST(CuteFactsText, IsThePeersWhereBothAgree) {
  std::map<std::pair<std::string, Args>, std::array<std::string, 2>> texts;
  for (const Row& row : rows()) {
    if (!row.peer_is_right || (row.variant != "pycute" && row.variant != "static")) continue;
    texts[{row.op, row.args}][row.variant == "pycute" ? 0 : 1] = normalized(row.expect);
  }
  int compared = 0;
  for (const auto& [call, expected] : texts) {
    if (expected[0].empty() || expected[0] != expected[1]) continue;
    Row row;
    row.op = call.first;
    row.args = call.second;
    if (sort_of(expected[0]) == Sort::kLayout && row.args[0].rfind("Sw<", 0) == 0 && row.op == "slice") continue;
    const Answer answer = answer_to(row);
    if (!answer.ok) continue;  // refused: judged above
    ++compared;
    EXPECT_EQ(normalized(answer.text), expected[0]) << row.op << " of " << row.args[0];
  }
  EXPECT_EQ(compared, 0);
}

TEST(CuteFactsCount, NothingIsSkipped) {
  std::map<Outcome, int> counts;
  std::vector<int> excepted(exceptions().size());
  for (const Row& row : rows()) {
    const Judgement judgement = judge(row);
    ++counts[judgement.outcome];
    if (judgement.outcome == Outcome::kException) ++excepted[judgement.exception];
  }
  EXPECT_EQ(rows().size(), 1719U + 2885U);
  EXPECT_EQ(counts[Outcome::kTable], 0);
  EXPECT_EQ(counts[Outcome::kText], 0);
  EXPECT_EQ(counts[Outcome::kRefused], 0);
  EXPECT_EQ(counts[Outcome::kLawful], 0);
  for (std::size_t i = 0; i < excepted.size(); ++i) {
    EXPECT_EQ(excepted[i], exceptions()[i].rows) << exceptions()[i].op << ": " << exceptions()[i].reason;
  }
}

}  // namespace
}  // namespace heddle::test

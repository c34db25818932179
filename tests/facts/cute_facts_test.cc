// Every row of cute.jsonl, values that pycute and CuTe C++ computed, through `heddle batch`.
//
// Where the peer is right our answer must have the same size and the same table; where both peers
// agree on the text, also the same text (the strides of modes of one element aside, which CuTe
// writes 0 and pycute as it happens). Where the peer is wrong (`post` false) or stopped (`error`),
// our answer must be a refusal or keep the law of the operation. What differs otherwise stands in
// kExceptions, with the reason and the number of rows, and has to keep the law all the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "heddle/cute/algebra.h"
#include "heddle/notation/batch.h"
#include "support/contract.h"
#include "support/facts.h"
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
    for (const Json& row : fact_rows("cute.jsonl")) all.push_back(read_row(row));
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
    for (std::int64_t c = 0; c < std::min(kValues, result.size); ++c)
      result.values.push_back(l(c).value());
    return result;
  }
  const Plain l = plain(text);
  result.size = size(l);
  for (std::int64_t c = 0; c < std::min(kValues, result.size); ++c)
    result.values.push_back(evaluate(l, c));
  return result;
}

Table expected_table(const Row& row) {
  // A doubly composed layout, Sw o 0 o Sw o 0 o L, has the size of what stands last.
  const std::size_t last = row.expect.rfind(" o ");
  const bool composed_twice = last != row.expect.find(" o ", row.expect.find(" o ") + 1);
  const std::string sized = composed_twice ? row.expect.substr(last + 3) : row.expect;
  Table result{table_of_text(sized).size, *row.table};
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

/// The modes of a layout brought to `rank`; a leaf is one mode.
std::vector<Plain> modes_up_to(const Plain& l, std::size_t rank) {
  std::vector<Plain> modes = l.is_leaf() ? std::vector<Plain>{l} : l.modes;
  modes.resize(std::max(rank, modes.size()), plain_leaf(1, 0));
  return modes;
}

/// Mode by mode (block, copies), or (copies, block): the copies together are C o B.
Finding interleaved_law(const Args& args, const std::string& got, std::size_t block_place) {
  const Plain a = as_layout(args[0]);
  const Plain b = as_layout(args[1]);
  const Plain r = plain(got);
  const std::vector<Plain> blocks = modes_up_to(a, r.modes.size());
  std::vector<Plain> copies;
  for (std::size_t i = 0; i < r.modes.size(); ++i) {
    if (r.modes[i].modes.size() != 2) return found("mode ", i, " of ", got, " is no pair");
    if (!(r.modes[i].modes[block_place] == blocks[i]))
      return found("mode ", i, " of ", got, " has no block");
    copies.push_back(r.modes[i].modes[1 - block_place]);
  }
  const Plain padded = plain_tuple(modes_up_to(b, r.modes.size()));
  return check_product(a, padded, plain_tuple({a, plain_tuple(copies)}));
}

Finding blocked_law(const Args& args, const std::string& got) {
  return interleaved_law(args, got, 0);
}
Finding raked_law(const Args& args, const std::string& got) {
  return interleaved_law(args, got, 1);
}

Finding left_inverse_law(const Args& args, const std::string& got) {
  return check_left_inverse(as_layout(args[0]), plain(got));
}

Finding right_inverse_law(const Args& args, const std::string& got) {
  const Plain l = as_layout(args[0]);
  const Plain r = plain(got);
  if (size(r) < size(cute_right_inverse(l)))
    return found(got, " is shorter than CuTe's rule makes it");
  return check_right_inverse(l, r);
}

Finding max_common_layout_law(const Args& args, const std::string& got) {
  const std::int64_t least = std::min(size(as_layout(args[0])), size(as_layout(args[1])));
  for (const std::int64_t c : table(plain(got))) {
    if (c < 0 || c >= least) return found(got, " leaves a layout at coordinate ", c);
  }
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
  if (!is_layout(args[1])) return kHolds;  // in a shape: judged by the row of CuTe C++
  const std::int64_t index = std::stoll(args[0]);
  const IntTuple coordinate = tuple(got);
  const std::vector<Plain> modes = leaves(plain(args[1]));
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const std::int64_t wanted =
        modes[i].extent == 1 ? 0 : index / modes[i].stride % modes[i].extent;
    if (coordinate.leaves()[i] != Int(wanted))
      return found(got, ": leaf ", i, " should be ", wanted);
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
      {"blocked_product", blocked_law},
      {"raked_product", raked_law},
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
      {"blocked_product", "static", "(2,2):(1,7)", true, 1,
       "the copies lie at 0, 4, 16, 28: no layout"},
      {"compact_row_major", "dynamic", "((4,8),1,2)", false, 1, "run-time 1s get no stride 0"},
      {"complement", "pycute", "(6,6):(11,1)", true, 1,
       "contract: 2 elements where 122/36 = 3 are needed"},
      {"complement", "static", "(6,6):(11,1)", true, 1,
       "contract: 2 elements where 122/36 = 3 are needed"},
      {"complement", "dynamic", "1:2", false, 1, "run-time ints keep a mode of one element"},
      {"complement", "dynamic-shape", "1:2", false, 1, "run-time ints keep a mode of one element"},
      {"composition", "pycute", "(4):(1)", true, 1, "negative coordinates into A are refused"},
      {"composition", "static", "(4):(1)", true, 1, "negative coordinates into A are refused"},
      {"composition", "dynamic", "(4):(1)", true, 1, "negative coordinates into A are refused"},
      {"composition", "dynamic-shape", "(4):(1)", true, 1,
       "negative coordinates into A are refused"},
      {"composition", "pycute", nullptr, false, 18,
       "pycute keeps modes of A beyond the tiler, CuTe drops them"},
      {"get_flat_coord", "static", nullptr, true, 5, "the layout never reaches that index"},
      {"idx2crd", "pycute", "(1,5)", false, 1, "pycute loses the carry of the last leaf"},
      {"left_inverse", "pycute", "((2),7,3,7):((22),46,1,3)", true, 1,
       "46 is not a multiple of 22"},
      {"left_inverse", "pycute", nullptr, false, 26, "CuTe gives gaps stride 0"},
      {"logical_product", "pycute", "(3,7):(1,3)", false, 1, "pycute divides by integer tiles"},
      {"logical_product", "static", "7:24", true, 1,
       "the copies of its 4:20 lie at 0, 20, 184, 348: no layout"},
      {"left_inverse", "static", "(3,2):(1,2)", true, 1, "index 4 leads to coordinate 6 of 6"},
      {"compact_order", "static", nullptr, false, 3, "CuTe lets modes of equal order overlap"},
      {"make_ordered_layout", "static", nullptr, false, 5,
       "CuTe lets modes of equal order overlap"},
      {"make_layout_like", "static", "((8,4,9,8)):((9,9,6,32))", false, 1,
       "CuTe lets modes of equal stride overlap"},
      {"max_common_layout", "static", "3:1", false, 1, "CuTe runs on past the end of 3:1"},
      {"max_common_vector", "static", "(16,4):(1,16)", false, 1,
       "CuTe runs on past the end of the smaller layout"},
      {"right_inverse", "pycute", nullptr, false, 7,
       "pycute stops at stride-0 modes, CuTe skips them"},
      {"right_inverse", "dynamic", nullptr, false, 5, "CuTe chains compile-time strides only"},
      {"right_inverse", "dynamic-shape", nullptr, false, 2,
       "CuTe ends at the first run-time extent"},
      {"tiled_divide", "dynamic-shape", "(2,4,2):(8,2,1)", true, 1, "tiles of 20 do not cover 16"},
      {"tiled_product", "pycute", "(9,2):(3,108)", true, 1,
       "8 copies at 0, 1, 2, 27, 28, 29, 54, 55: no layout"},
      {"tiled_product", "pycute", nullptr, false, 2, "pycute divides by integer tiles"},
      {"upcast", "static", nullptr, true, 5, "CuTe drops swizzled bits within an element"},
      {"zipped_divide", "dynamic-shape", "(5,5,12,9):(120,24,1,600)", true, 1,
       "runs of 7 do not cover 5x5"},
      {"zipped_divide", "dynamic-shape", "(9,2):(1,9)", false, 1,
       "CuTe's run-time 36 elements where 18 are"},
      {"zipped_product", "pycute", "(2,1,2):(16,1,32)", true, 1, "copies at 0, 8, 64: no layout"},
      {"zipped_product", "pycute", nullptr, false, 1, "pycute divides by integer tiles"},
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
  if (row.op == "get_flat_coord") {
    const Values image = table(plain(row.args[0]));
    const bool met = std::find(image.begin(), image.end(), std::stoll(row.args[1])) != image.end();
    if (met) return failed(got + ", but the layout reaches it");
  }
  if (answer.ok && law_of(row.op) != nullptr) {
    if (const Finding broken = law_of(row.op)(row.args, answer.text))
      return failed(got + ": " + *broken);
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
    return answer.text == row.expect ? Judgement{Outcome::kText, "", 0}
                                     : judge_difference(row, answer);
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
    if (judgement.outcome == Outcome::kFailed)
      ADD_FAILURE() << describe(row) << "\n  " << judgement.why;
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
    const Answer answer = answer_to(row);
    if (!answer.ok) continue;  // refused: judged above
    ++compared;
    EXPECT_EQ(normalized(answer.text), expected[0]) << row.op << " of " << row.args[0];
  }
  EXPECT_EQ(compared, 1515);
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
  EXPECT_EQ(counts[Outcome::kTable], 3074);
  EXPECT_EQ(counts[Outcome::kText], 1000);
  // Where the peer stopped or is wrong: refused, or answered in keeping with the law.
  EXPECT_EQ(counts[Outcome::kRefused] + counts[Outcome::kLawful], 428);
  EXPECT_EQ(counts[Outcome::kFailed], 0);
  for (std::size_t i = 0; i < excepted.size(); ++i) {
    EXPECT_EQ(excepted[i], exceptions()[i].rows)
        << exceptions()[i].op << ": " << exceptions()[i].reason;
  }
}

}  // namespace
}  // namespace heddle::test

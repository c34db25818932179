#include "heddle/notation/batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "core/text.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/given.h"
#include "heddle/notation/parser.h"
#include "notation/json/nlohmann.h"

namespace heddle::notation {
namespace {

/// The maximum number of values in a line, outside of its strings.
constexpr std::size_t kMaxValues = 4 * kMaxTerms;

Refusal refuse_request(std::string message, std::string hint = {}) {
  return refuse(Diagnostic("batch.request", std::move(message)).with_hint(std::move(hint)));
}

/// The position after the closing quote of the string that begins at `begin`.
std::size_t end_of_string(std::string_view line, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < line.size() && line[i] != '"') i += line[i] == '\\' ? 2 : 1;
  return std::min(i + 1, line.size());
}

/// Counts brackets and commas before the line is parsed, to limit the memory that parsing takes.
Result<void> check_size(std::string_view line) {
  std::size_t depth = 0;
  std::size_t values = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      i = end_of_string(line, i) - 1;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting) {
        return refuse("syntax.too_deep",
                      fmt::format("the JSON of this line nests more than {} deep", kMaxNesting));
      }
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ',' && ++values > kMaxValues) {
      return refuse("syntax.too_long",
                    fmt::format("the JSON of this line has more than {} values", kMaxValues));
    }
  }
  return {};
}

constexpr std::string_view kNumber = "+-.0123456789eE";

/// The place of the number that is the id of a request, for echoing it without rounding; nullopt
/// if the id is no number, or its key is written with escapes.
std::optional<Span> number_of_id(std::string_view line) {
  std::optional<Span> place;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '[' || line[i] == '{') ++depth;
    if (line[i] == ']' || line[i] == '}') --depth;
    if (line[i] != '"') continue;
    const std::size_t end = end_of_string(line, i);
    const std::string_view text = line.substr(i, end - i);
    i = end - 1;
    const std::size_t colon = line.find_first_not_of(" \t\r\n", end);
    if (depth != 1 || text != "\"id\"" || colon >= line.size() || line[colon] != ':') continue;
    const std::size_t begin = line.find_first_not_of(" \t\r\n", colon + 1);
    place = Span{begin, std::min(line.find_first_not_of(kNumber, begin), line.size())};
  }
  if (place && place->begin == place->end) return std::nullopt;
  return place;
}

/// Refuses integers past 64 bits, which parsing would round, except as the id.
Result<void> check_numbers(std::string_view line) {
  const std::optional<Span> id = number_of_id(line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      i = end_of_string(line, i) - 1;
      continue;
    }
    if (line[i] != '-' && (line[i] < '0' || line[i] > '9')) continue;
    const std::size_t end = std::min(line.find_first_not_of(kNumber, i), line.size());
    const std::string_view number = line.substr(i, end - i);
    const bool is_integer = number.find_first_of(".eE") == std::string_view::npos;
    const bool is_id = id && id->begin == i;
    if (is_integer && !is_id && !integer_in(number)) {
      return refuse(
          Diagnostic("syntax.number", fmt::format("{} does not fit into 64 bits", quote(number)))
              .with_span({i, end}));
    }
    i = end - 1;
  }
  return {};
}

constexpr std::array<std::string_view, 6> kKeys = {"id", "op", "args", "kwargs", "assume", "let"};

Result<void> check_keys(const Json& request) {
  for (const auto& [key, json] : request.items()) {
    if (std::ranges::find(kKeys, key) != kKeys.end()) continue;
    return refuse_request(
        fmt::format("a request has no key {}", quote(key)),
        fmt::format("its keys are {} and {}", fmt::join(kKeys.begin(), kKeys.end() - 1, ", "),
                    kKeys.back()));
  }
  return {};
}

/// Detects a repeated key in an object while a line is parsed; the JSON parser would keep only one.
class RepeatedKey {
 public:
  bool operator()(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key && !open_.back().insert(parsed).second) {
      found_ = parsed.get<std::string>();
    }
    return true;
  }
  [[nodiscard]] const std::optional<std::string>& found() const { return found_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::optional<std::string> found_;
};

Result<Json> parse_line(std::string_view line) {
  HEDDLE_CHECK(check_size(line));
  RepeatedKey repeated;
  try {
    Json json = Json::parse(line, [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
      return repeated(event, parsed);
    });
    if (!repeated.found()) return json;
    return refuse("batch.json",
                  fmt::format("an object has the key {} twice", quote(*repeated.found())));
  } catch (const Json::parse_error& error) {
    const std::size_t byte = std::min(line.size(), error.byte > 0 ? error.byte - 1 : 0);
    return refuse(Diagnostic("batch.json",
                             fmt::format("this line is not JSON; byte {} is not expected", byte))
                      .with_span({byte, std::min(line.size(), byte + 1)}));
  } catch (const Json::exception&) {
    return refuse("batch.json", "this line is not JSON; a number in it is out of range");
  }
}

/// What a request gives for an argument.
Result<Given> given_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::string:
      return Given(json.get<std::string>());
    case Json::value_t::boolean:
      return Given(Value(json.get<bool>()));
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return Given(Value(Int(json.get<std::int64_t>())));
    case Json::value_t::array: {
      Given::List list;
      for (const Json& item : json) {
        HEDDLE_TRY(Given given, given_of(item));
        list.push_back(std::move(given));
      }
      return Given(std::move(list));
    }
    case Json::value_t::object: {
      Given::Fields fields;
      for (const auto& [name, item] : json.items()) {
        HEDDLE_TRY(Given given, given_of(item));
        fields.emplace_back(name, std::move(given));
      }
      return Given(std::move(fields));
    }
    case Json::value_t::number_float:
      return refuse("call.type", fmt::format("{} is not an integer", json.dump()));
    default:  // null, as Python writes None: a dimension that is left free
      return Given("_");
  }
}

Result<Given> given_of(const Json& json, std::string_view which) {
  Result<Given> given = given_of(json);
  if (given) return given;
  return refuse(std::move(given).error().with_note(fmt::format("in the argument {}", which)));
}

/// The member of a request, or nullptr.
const Json* member(const Json& request, const char* name) {
  const auto found = request.find(name);
  return found == request.end() ? nullptr : &*found;
}

Result<GivenArguments> arguments_of(const Json& request) {
  GivenArguments arguments;
  const Json* args = member(request, "args");
  if (args != nullptr && !args->is_array()) return refuse_request("\"args\" is not an array");
  for (std::size_t i = 0; args != nullptr && i < args->size(); ++i) {
    HEDDLE_TRY(Given given, given_of((*args)[i], std::to_string(i + 1)));
    arguments.positional.push_back(std::move(given));
  }
  const Json* kwargs = member(request, "kwargs");
  if (kwargs == nullptr) return arguments;
  if (!kwargs->is_object()) return refuse_request("\"kwargs\" is not an object");
  for (const auto& [name, json] : kwargs->items()) {
    if (json.is_null()) continue;  // the parameter's default, as None in Python
    HEDDLE_TRY(Given given, given_of(json, quote(name)));
    arguments.named.emplace_back(name, std::move(given));
  }
  return arguments;
}

Result<std::string> operation_of(const Json& request) {
  const Json* op = member(request, "op");
  if (op != nullptr && op->is_string()) return op->get<std::string>();
  return refuse_request(
      "a request needs \"op\", the name of an operation",
      R"json({"id":1,"op":"composition","args":["(6,2):(8,2)","(4,3):(3,1)"]})json");
}

/// The texts of a member that is a text or an array of texts; none if it is not there.
Result<std::vector<std::string>> texts_of(const Json& request, const char* name) {
  const Json* found = member(request, name);
  if (found == nullptr) return std::vector<std::string>();
  std::vector<std::string> texts;
  for (const Json& text : found->is_array() ? *found : Json::array({*found})) {
    if (!text.is_string())
      return refuse_request(fmt::format("\"{}\" is a text or an array of texts", name));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

/// Adds the assumptions of a request to the environment.
Result<void> assume(const Json& request, Environment& environment) {
  HEDDLE_TRY(const std::vector<std::string> texts, texts_of(request, "assume"));
  for (const std::string& text : texts) HEDDLE_CHECK(environment.assume(text));
  return {};
}

/// Binds the names of a definition, `B = composition(A, 8:1)`, to its value.
Result<void> define(const Statement& statement, Environment& environment) {
  const bool is_assumed =
      statement.kind == StatementKind::kAssume || statement.kind == StatementKind::kAxis;
  if (is_assumed) return environment.assume(statement);
  if (statement.kind != StatementKind::kBinding) {
    return refuse_request("\"let\" has definitions alone",
                          R"json("let":["A = (4,8):(8,1)","B = composition(A, 8:1)"])json");
  }
  HEDDLE_TRY(const Value value, evaluate(statement.expression, environment));
  return environment.bind(statement.names, value);
}

/// Executes the definitions of a request, each with the names before it.
Result<void> define(const Json& request, Environment& environment) {
  HEDDLE_TRY(const std::vector<std::string> texts, texts_of(request, "let"));
  for (const std::string& text : texts) {
    StatementReader reader(text);
    while (true) {
      HEDDLE_TRY(const auto statement, reader.next());
      if (!statement) break;
      const Result<void> defined = define(*statement, environment);
      if (!defined)
        return refuse(Diagnostic(defined.error()).with_note("in the definition " + text));
    }
  }
  return {};
}

Result<Value> run_request(const Json& request, std::string_view line, Environment environment) {
  HEDDLE_CHECK(check_keys(request));
  HEDDLE_CHECK(check_numbers(line));
  HEDDLE_CHECK(assume(request, environment));
  HEDDLE_CHECK(define(request, environment));
  HEDDLE_TRY(const std::string operation, operation_of(request));
  HEDDLE_TRY(const GivenArguments arguments, arguments_of(request));
  return call_given(operation, arguments, environment);
}

/// The id as JSON; a number as written.
std::string id_text(const Json& request, std::string_view line) {
  const Json* id = member(request, "id");
  if (id == nullptr) return "null";
  const auto number = id->is_number() ? number_of_id(line) : std::nullopt;
  if (!number) return dump(*id);
  return std::string(line.substr(number->begin, number->end - number->begin));
}

std::string refusal_line(const std::string& id, const Diagnostic& diagnostic) {
  return R"({"id":)" + id + R"(,"ok":false,"error":)" + to_json(diagnostic) + "}";
}

Diagnostic too_long_line() {
  return {"syntax.too_long", fmt::format("a line has more than {} bytes", kMaxLine)};
}

/// Reads a line, or a little more than kMaxLine bytes of it; false at the end of input.
bool read_line(std::istream& input, std::string& line) {
  std::array<char, 4096> block;
  line.clear();
  while (line.size() <= kMaxLine) {
    input.getline(block.data(), static_cast<std::streamsize>(block.size()));
    const bool has_more = input.fail() && !input.eof() && !input.bad() && input.gcount() > 0;
    const bool has_ended = !input.eof() && !input.fail();  // gcount() includes the newline
    line.append(block.data(), static_cast<std::size_t>(input.gcount()) - (has_ended ? 1 : 0));
    if (!has_more) return has_ended || !line.empty();
    input.clear();
  }
  return true;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

std::span<const std::string_view> request_keys() { return kKeys; }

std::string answer(std::string_view line, const Environment& environment) {
  Result<Json> request = parse_line(line);
  if (!request) return refusal_line("null", request.error());
  if (!request->is_object()) {
    return refusal_line("null", Diagnostic("batch.request", "a request is a JSON object"));
  }
  const std::string id = id_text(*request, line);
  const Result<Value> result = run_request(*request, line, environment);
  if (!result) return refusal_line(id, result.error());
  return R"({"id":)" + id + R"(,"ok":true,"result":)" + to_json(*result) + "}";
}

void run_batch(std::istream& input, std::ostream& output, const Environment& environment) {
  std::string line;
  while (output && read_line(input, line)) {
    if (line.size() > kMaxLine) {
      output << refusal_line("null", too_long_line()) << '\n' << std::flush;
      input.setstate(std::ios::badbit);
      return;
    }
    if (!is_blank(line)) output << answer(line, environment) << '\n';
    // Flushes if no input is waiting: an interactive client gets each answer, others get whole
    // blocks.
    if (input.rdbuf()->in_avail() <= 0) output.flush();
    constexpr std::size_t kKept = std::size_t{1} << 20;
    if (line.capacity() > kKept) line = std::string();
  }
  output.flush();
}

}  // namespace heddle::notation

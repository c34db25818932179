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
#include "heddle/notation/analyses.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"
#include "notation/json/nlohmann.h"
#include "notation/operations/readers.h"
#include "notation/operations/tuples.h"
#include "notation/value/data.h"

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

constexpr std::array<std::string_view, 5> kKeys = {"id", "op", "args", "kwargs", "assume"};

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
    return refuse(
        Diagnostic("batch.json", fmt::format("this line is no JSON; byte {} is not expected", byte))
            .with_span({byte, std::min(line.size(), byte + 1)}));
  } catch (const Json::exception&) {
    return refuse("batch.json", "this line is no JSON; a number in it is out of range");
  }
}

Result<Value> value_of(const Json& json, const ParameterType& type, const Environment& environment);

/// Whether the value can be part of a tuple: an integer, `_`, a stride, a layout, or a tuple of
/// these.
bool is_part(const Value& value) {
  return value.is<IntTuple>() || value.is<cute::StrideTuple>() || value.is<cute::Coordinate>() ||
         value.is<cute::Layout>() || value.is<cute::TvLayout>() || value.is<cute::Tiler>();
}

/// Arrays are tuples: of integers, and of texts that are `_`, strides, layouts or tuples.
Result<Value> tuple_of_array(const Json& array, const Environment& environment) {
  std::vector<Value> parts;
  for (const Json& part : array) {
    HEDDLE_TRY(Value value, value_of(part, kParameterType<Value>, environment));
    if (!is_part(value)) {
      return refuse("call.type", fmt::format("an array holds {}; it is a tuple, and integers, "
                                             "tuples, `_` and layouts are its parts",
                                             kind_name(value)));
    }
    parts.push_back(std::move(value));
  }
  return tuple_of(parts);
}

Result<Value> number_of(const Json& json) {
  if (json.is_number_integer()) return Value(Int(json.get<std::int64_t>()));
  return refuse("call.type", fmt::format("{} is no integer", json.dump()));
}

/// Whether the array is a table: nested arrays of numbers or booleans.
bool is_table(const Json& array) {
  return !array.empty() && std::ranges::all_of(array, [](const Json& item) {
    return item.is_number_integer() || item.is_boolean() || (item.is_array() && is_table(item));
  });
}

bool has_names(const Json& array) {
  return std::ranges::any_of(array, [](const Json& item) {
    return item.is_object() || (item.is_array() && !item.empty() && item.front().is_string());
  });
}

/// Whether the array is a list and not a tuple.
bool is_data(const Json& array, const ParameterType& type) {
  if (type == kParameterType<Value> && array.empty()) return true;
  switch (type.array) {
    case ArrayIs::kTuple:
      return false;
    case ArrayIs::kTupleOrNames:
      return has_names(array);
    case ArrayIs::kData:
      return true;
    case ArrayIs::kTable:
      return is_table(array);
  }
  return false;
}

/// The value of an object or a list of names and numbers.
Result<Value> data_value(const Json& json) {
  HEDDLE_TRY(Datum datum, read_datum(json));
  return value_of(std::move(datum));
}

Result<Value> value_of(const Json& json, const ParameterType& type,
                       const Environment& environment) {
  switch (json.type()) {
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      if (type.text == TextIs::kFunction) return evaluate_function(text, environment);
      return type.text == TextIs::kName ? Value(text) : evaluate(text, environment);
    }
    case Json::value_t::object:
      return data_value(json);
    case Json::value_t::boolean:
      return Value(json.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return number_of(json);
    case Json::value_t::array:
      return is_data(json, type) ? data_value(json) : tuple_of_array(json, environment);
    default:
      return refuse("call.type",
                    "an argument is null; a text, a number, a truth value, an array or an object "
                    "is needed");
  }
}

/// The result; a refusal gets a note with the name of its argument.
template <class T>
Result<T> in_argument(Result<T> result, std::string_view which) {
  if (result) return result;
  return refuse(std::move(result).error().with_note(fmt::format("in the argument {}", which)));
}

const ParameterType& type_of(const Operation& operation, std::size_t index) {
  const auto& parameters = operation.parameters;
  if (parameters.empty()) return kParameterType<Value>;
  return *parameters[std::min(index, parameters.size() - 1)].type;
}

const ParameterType& type_of(const Operation& operation, std::string_view name) {
  const auto found = std::ranges::find(operation.parameters, name, &Parameter::name);
  return found == operation.parameters.end() ? kParameterType<Value> : *found->type;
}

/// The member of a request, or nullptr.
const Json* member(const Json& request, const char* name) {
  const auto found = request.find(name);
  return found == request.end() ? nullptr : &*found;
}

Result<std::vector<Argument>> arguments_of(const Json& request, const Operation& operation,
                                           const Environment& environment) {
  std::vector<Argument> arguments;
  const Json* args = member(request, "args");
  if (args != nullptr && !args->is_array()) return refuse_request("\"args\" is not an array");
  for (std::size_t i = 0; args != nullptr && i < args->size(); ++i) {
    HEDDLE_TRY(Value value, in_argument(value_of((*args)[i], type_of(operation, i), environment),
                                        std::to_string(i + 1)));
    arguments.push_back({std::move(value), {}, {}});
  }
  const Json* kwargs = member(request, "kwargs");
  if (kwargs == nullptr) return arguments;
  if (!kwargs->is_object()) return refuse_request("\"kwargs\" is not an object");
  for (const auto& [name, json] : kwargs->items()) {
    if (name.empty()) {  // it would be taken as a positional argument
      return refuse(
          Diagnostic("call.keyword", fmt::format("{} has no parameter ''", operation.name))
              .with_hint("it is called as " + signature(operation)));
    }
    HEDDLE_CHECK(check_keyword(operation.name, name));
    HEDDLE_TRY(Value value,
               in_argument(value_of(json, type_of(operation, name), environment), quote(name)));
    arguments.push_back({std::move(value), name, {}});
  }
  return arguments;
}

Result<const Operation*> operation_of(const Json& request) {
  const Json* op = member(request, "op");
  if (op == nullptr || !op->is_string()) {
    return refuse_request(
        "a request needs \"op\", the name of an operation",
        R"json({"id":1,"op":"composition","args":["(6,2):(8,2)","(4,3):(3,1)"]})json");
  }
  const auto& name = op->get_ref<const std::string&>();
  if (const Operation* operation = find_operation(name)) return operation;
  std::vector<std::string> names;
  for (const Operation& operation : operations()) names.push_back(operation.name);
  return refuse(Diagnostic("name.unknown", fmt::format("no operation is called {}", quote(name)))
                    .with_hint(did_you_mean(name, names)));
}

/// Whether an array after a layout is a table, as in the language: if one of the operations takes a
/// second layout, covers(4:1, [1,2,4]). Not after a thread-value layout, which covers its tile.
bool is_table_beside(std::span<const Argument> before, const Json& array,
                     std::span<const Operation* const> operations) {
  if (before.empty() || before.front().value.is<cute::TvLayout>() || !is_table(array)) return false;
  return std::ranges::any_of(operations, [&](const Operation* operation) {
    return type_of(*operation, before.size()).takes_any_layout();
  });
}

/// If several systems have an operation of the name, selects one by the arguments.
const Operation* in_its_system(const Operation* operation, const Json& request,
                               const Environment& environment) {
  const auto named = operations_named(operation->name);
  const Json* args = member(request, "args");
  if (named.size() < 2 || args == nullptr || !args->is_array()) return operation;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < args->size(); ++i) {
    const Json& arg = (*args)[i];
    const bool says_it = !arg.is_array() || type_of(*operation, i).is_layout ||
                         is_table_beside(arguments, arg, named);
    Result<Value> value = Value(false);
    if (says_it) value = value_of(arg, kParameterType<map::AnyLayout>, environment);
    arguments.push_back({value ? *value : Value(false), {}, {}});
  }
  // Keyword arguments help to select, too.
  const Json* named_arguments = member(request, "kwargs");
  if (named_arguments != nullptr && named_arguments->is_object()) {
    for (const auto& [name, value] : named_arguments->items()) {
      arguments.push_back({Value(false), name, {}});
    }
  }
  return find_operation(operation->name, arguments);
}

/// The texts among the arguments.
std::vector<std::string> texts_in(const Json& request) {
  std::vector<std::string> texts;
  for (const char* key : {"args", "kwargs"}) {
    const Json* arguments = member(request, key);
    if (arguments == nullptr) continue;
    for (const Json& argument : *arguments) {
      if (argument.is_string()) texts.push_back(argument.get_ref<const std::string&>());
    }
  }
  return texts;
}

/// Adds the assumptions of a request, a text or an array of texts, to the environment.
Result<void> assume(const Json& request, Environment& environment) {
  const Json* assumed = member(request, "assume");
  if (assumed == nullptr) return {};
  const Json texts = assumed->is_array() ? *assumed : Json::array({*assumed});
  for (const Json& text : texts) {
    if (!text.is_string()) return refuse_request("\"assume\" is a text or an array of texts");
    HEDDLE_CHECK(environment.assume(text.get_ref<const std::string&>()));
  }
  return {};
}

Result<Value> run_request(const Json& request, std::string_view line, Environment environment) {
  HEDDLE_CHECK(check_keys(request));
  HEDDLE_CHECK(check_numbers(line));
  HEDDLE_CHECK(assume(request, environment));
  HEDDLE_TRY(const Operation* operation, operation_of(request));
  operation = in_its_system(operation, request, environment);
  HEDDLE_TRY(std::vector<Argument> arguments, arguments_of(request, *operation, environment));
  HEDDLE_CHECK(add_stated_elements(*operation, texts_in(request), arguments));
  return call_in(environment, *operation, std::move(arguments));
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

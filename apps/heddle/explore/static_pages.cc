#include "heddle/explore/static_pages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "heddle/console.h"
#include "heddle/emit/dialect.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/page_files.h"
#include "heddle/notation/recognize.h"

namespace heddle::app {
namespace {

using Json = nlohmann::ordered_json;
namespace filesystem = std::filesystem;

/// Asks what the page asks, and keeps the answers.
class AnswerBook {
 public:
  explicit AnswerBook(const notation::Environment& environment) : environment_(environment) {}

  /// What every page asks, whatever its layouts are.
  void ask_in_general() {
    (void)ask("operations", {});
    (void)ask("machines", {});
    (void)ask("instructions", {"sm_90"});
  }

  /// What the box, the pictures and the panels ask about a text: about each layout in it, under
  /// what it assumes, or about its first kernel.
  void ask_about(const std::string& text) {
    const Json read = ask("read", {text});
    if (read["ok"] != true) return;
    const Json& found = read["result"];
    for (const Json& assumption : found["assumptions"]) {
      if (!assumed_.empty()) assumed_ += ", ";
      assumed_ += assumption.get<std::string>();
    }
    for (const Json& layout : found["layouts"]) ask_about_layout(layout);
    const bool is_prose = !found["kernels"].empty() || !found["diagnosis"].is_null();
    if (found["layouts"].empty() && !is_prose) ask_for_steps(text);
    assumed_.clear();
    if (!found["kernels"].empty()) ask_about_kernel(text, found["kernels"][0]);
  }

  [[nodiscard]] std::string text() const { return dumped(Json(answers_)); }

 private:
  void ask_about_layout(const Json& found) {
    const Json& text = found["text"];
    // Texts of all others state it.
    const bool is_axe = text_of(found["kind"]) == "an Axe layout" && !found["shape"].is_null();
    shape_ = is_axe ? Json{{"shape", found["shape"]}} : Json::object();
    ask_for_pictures(text);
    ask_for_encoding(ask("show", {text}, shape_));
    (void)ask("emit_report", {text}, shape_);
    for (const char* operation : {"injective", "bijective", "contiguous", "max_alignment"})
      (void)ask(operation, {text});
    ask_for_steps(text);
    ask_for_costs(text, found["element_bits"]);
    ask_for_code(text);
    ask_for_matrix(text);
  }

  void ask_about_kernel(const std::string& text, const Json& kernel) {
    for (const char* operation : {"kernel_explain", "kernel_source"})
      (void)ask(operation, {text, kernel}, {{"target", "cuda"}});
  }

  /// Arguments with the shape of the layout's tensor.
  [[nodiscard]] Json with_shape(Json named) const {
    named.update(shape_);
    return named;
  }

  static std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  Json ask(std::string_view operation, const Json::array_t& arguments, const Json& named = {}) {
    Json request = {{"op", operation}};
    if (!arguments.empty()) request["args"] = arguments;
    if (!named.empty()) request["kwargs"] = named;
    if (!assumed_.empty()) request["assume"] = assumed_;
    Json answer = Json::parse(notation::answer(dumped(request), environment_));
    answer.erase("id");
    if (asked_.insert(dumped(request)).second)
      answers_.push_back({{"request", std::move(request)}, {"answer", answer}});
    return answer;
  }

  // To compare a Json with a text, the library tries all kinds of values, at compile time too.
  static const std::string& text_of(const Json& value) {
    return value.get_ref<const std::string&>();
  }

  static bool is_answered(const Json& answer) { return answer["ok"].get<bool>(); }

  static bool is_too_large(const Json& answer) {
    return !is_answered(answer) && text_of(answer["error"]["code"]) == "draw.too_large";
  }

  bool ask_for_picture(const Json& text, Json named) {
    const Json whole = ask("picture", {text}, named);
    if (!is_too_large(whole)) return is_answered(whole);
    named["all"] = false;
    return is_answered(ask("picture", {text}, named));
  }

  /// Logical to physical; and back, in the first of these views that there is.
  void ask_for_pictures(const Json& text) {
    const Json named = with_shape({{"format", "json"}, {"all", true}});
    (void)ask_for_picture(text, named);
    for (const char* view : {"memory", "hardware", "devices"}) {
      Json viewed = named;
      viewed["view"] = view;
      if (ask_for_picture(text, std::move(viewed))) return;
    }
  }

  /// Triton's encoding of a memory, by the rows of `show`.
  void ask_for_encoding(const Json& shown) {
    if (!is_answered(shown)) return;
    std::map<std::string, Json> rows;
    for (const Json& row : shown["result"])
      if (row.contains("layout")) rows[row["system"]] = row["layout"];
    if (!rows.contains("linear")) return;
    const Json& linear = rows["linear"];
    const auto begins_with_offset = [&](const char* side) {
      return !linear[side].empty() && text_of(linear[side][0][0]) == "offset";
    };
    if (begins_with_offset("ins"))
      (void)ask("SharedLinearLayout", {linear});
    else if (begins_with_offset("outs") && rows.contains("cute"))
      (void)ask("SharedLinearLayout", {rows["cute"]});
  }

  /// The story of an expression, with a picture of each of its operations.
  void ask_for_steps(const Json& text) {
    const Json explained = ask("explain", {text});
    if (explained["ok"] != true) return;
    for (const Json& operation : explained["result"]["explanation"]) {
      if (!operation.contains("error"))
        (void)ask("picture", {operation["title"]}, {{"format", "json"}});
    }
  }

  /// The layout as an access of elements of the width that the panel begins with: the layout's own.
  void ask_for_costs(const Json& text, const Json& stated_bits) {
    constexpr int kElementBits = 16;
    const Json named =
        with_shape({{"element_bits", stated_bits.is_null() ? Json(kElementBits) : stated_bits}});
    Json drawn = named;
    drawn["format"] = "json";
    (void)ask("bank_conflicts", {text}, named);
    (void)ask("bank_picture", {text}, drawn);
    (void)ask("coalescing", {text}, named);
  }

  void ask_for_code(const Json& text) {
    (void)ask("index", {text}, with_shape({{"explain", true}}));
    for (const emit::Dialect dialect : emit::dialects()) {
      const Json target = with_shape({{"target", std::string(emit::name_of(dialect))}});
      (void)ask("index", {text}, target);
      if (dialect != emit::Dialect::kHeddle) (void)ask("emit", {text}, target);
    }
  }

  void ask_for_matrix(const Json& text) {
    const Json linear = ask("convert", {text, "linear"}, shape_);
    if (linear["ok"] != true) return;
    (void)ask("matrix", {linear["result"]});
    (void)ask("picture", {dumped(linear["result"])}, {{"format", "json"}, {"view", "matrix"}});
  }

  const notation::Environment& environment_;
  std::set<std::string> asked_;
  /// What is known of sizes, as the page says it.
  std::string assumed_;
  /// The shape of the layout's tensor as an argument by name, if its text does not state it.
  Json shape_ = Json::object();
  Json::array_t answers_;
};

/// The page with the layouts that it begins with.
std::string beginning_with(std::string_view page, const std::string& fragment) {
  constexpr std::string_view kEnd = "</head>";
  std::string text(page);
  const std::string meta = fmt::format("<meta name=\"heddle-start\" content=\"{}\">\n", fragment);
  return text.insert(std::min(text.find(kEnd), text.size()), meta);
}

Result<void> write_pages(const filesystem::path& folder, const std::vector<NamedText>& texts,
                         const std::string& answers) {
  std::error_code error;
  filesystem::create_directories(folder / "explorer", error);
  for (const notation::PageFile& file : notation::page_files()) {
    const bool is_page = file.name == "index.html";
    const filesystem::path path = is_page ? folder / file.name : folder / "explorer" / file.name;
    const std::string text =
        is_page ? beginning_with(file.text, fragment_of(texts)) : std::string(file.text);
    HEDDLE_CHECK(write_file(path.string(), text));
  }
  return write_file((folder / "answers.json").string(), answers);
}

Result<void> check_empty(const std::string& folder) {
  std::error_code error;
  if (!filesystem::exists(folder, error) || filesystem::is_empty(folder, error)) return {};
  return refuse(
      Diagnostic("file.unwritable", fmt::format("{} is not empty, and is not overwritten", folder))
          .with_hint("name a new folder, or remove this one"));
}

}  // namespace

std::string answers_file(const std::vector<NamedText>& texts,
                         const notation::Environment& environment) {
  AnswerBook book(environment);
  book.ask_in_general();
  for (const NamedText& one : texts) book.ask_about(one.text);
  return book.text();
}

Result<void> write_static_pages(const std::string& folder, const std::vector<NamedText>& texts,
                                const notation::Environment& environment) {
  HEDDLE_CHECK(check_empty(folder));
  for (const NamedText& one : texts) HEDDLE_CHECK(notation::recognize(one.text));
  const std::string answers = answers_file(texts, environment);
  filesystem::path whole = filesystem::path(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const filesystem::path made = whole.string() + fmt::format(".{}.part", getpid());
  std::error_code error;
  Result<void> written = write_pages(made, texts, answers);
  if (written) {
    filesystem::rename(made, whole, error);
    if (error) written = refuse("file.unwritable", fmt::format("{}: {}", folder, error.message()));
  }
  if (!written) filesystem::remove_all(made, error);
  return written;
}

}  // namespace heddle::app

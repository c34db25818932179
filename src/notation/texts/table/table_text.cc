// Tables as JSON: nested lists of integers, read number by number.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/printable.h"
#include "heddle/notation/npy.h"

namespace heddle::notation {
namespace {

constexpr std::size_t kMaxLevels = 64;

class TableReader {
 public:
  explicit TableReader(std::string_view text) : text_(text) {}

  Result<form::Table> read() {
    std::optional<std::vector<std::string>> axes;
    if (peek() == '{') {
      HEDDLE_CHECK(object(axes));
    } else {
      HEDDLE_CHECK(item(0));
    }
    if (peek() != '\0' || place_ < text_.size()) return wrong("nothing more is expected here");
    HEDDLE_TRY(form::Table table,
               form::make_table(std::move(extents_), {Axis::memory()}, std::move(values_)));
    return axes ? on_axes(std::move(table), *axes) : std::move(table);
  }

 private:
  /// The next non-blank character; '\0' at the end.
  char peek() {
    place_ = std::min(text_.find_first_not_of(" \t\r\n", place_), text_.size());
    return place_ < text_.size() ? text_[place_] : '\0';
  }

  bool take(char wanted) {
    if (peek() != wanted || place_ == text_.size()) return false;
    ++place_;
    return true;
  }

  [[nodiscard]] Refusal refusal(std::string code, std::string message) const {
    return refuse(Diagnostic(std::move(code), std::move(message))
                      .with_span({place_, std::min(place_ + 1, text_.size())}));
  }
  [[nodiscard]] Refusal wrong(std::string_view what) const {
    return refusal("table.syntax", fmt::format("this is no table of integers: {}", what));
  }

  Result<void> object(std::optional<std::vector<std::string>>& axes) {
    take('{');
    bool has_table = false;
    do {
      HEDDLE_TRY(const std::string key, name());
      if (!take(':')) return wrong("a colon is missing");
      if (key == "table" && !has_table) {
        has_table = true;
        HEDDLE_CHECK(item(0));
      } else if (key == "axes" && !axes) {
        HEDDLE_TRY(axes, names());
      } else {
        return wrong(fmt::format("fields are \"table\" and \"axes\", each once, and not \"{}\"",
                                 printable(key)));
      }
    } while (take(','));
    if (!take('}')) return wrong("a comma or the closing brace is missing");
    return has_table ? Result<void>() : wrong("the field \"table\" is missing");
  }

  Result<std::vector<std::string>> names() {
    std::vector<std::string> names;
    if (!take('[')) return wrong("axes are a list of names");
    do {
      HEDDLE_TRY(names.emplace_back(), name());
    } while (take(','));
    if (!take(']')) return wrong("a comma or the closing bracket is missing");
    return names;
  }

  Result<std::string> name() {
    if (!take('"')) return wrong("a name in quotes is missing");
    const std::size_t end = text_.find_first_of("\"\\\n", place_);
    if (end == std::string_view::npos || text_[end] != '"') return wrong("a name is not closed");
    std::string name(text_.substr(place_, end - place_));
    place_ = end + 1;
    if (name.empty()) return wrong("a name is empty");
    return name;
  }

  Result<void> item(std::size_t level) {
    if (peek() != '[') return number(level);
    if (level == kMaxLevels) return wrong("lists are nested too deep");
    if (level == extents_.size() && !values_.empty()) {
      return refusal("table.shape", "a list stands where a number stood before");
    }
    const bool is_first = level == extents_.size();
    if (is_first) extents_.push_back(0);
    const std::size_t begin = place_++;
    std::int64_t length = 0;
    if (peek() == ']') return refusal("table.shape", "a list is empty");
    do {
      HEDDLE_CHECK(item(level + 1));
      ++length;
    } while (take(','));
    if (!take(']')) return wrong("a comma or the closing bracket is missing");
    if (is_first) extents_[level] = length;
    if (extents_[level] == length) return {};
    place_ = begin;
    return refusal("table.shape", fmt::format("a list of {} stands where others have {}", length,
                                              extents_[level]));
  }

  Result<void> number(std::size_t level) {
    if (level != extents_.size()) {
      return refusal("table.shape", "a number stands where a list stood before");
    }
    if (values_.size() == static_cast<std::size_t>(form::kMaxTable)) {
      return refusal("table.too_large",
                     fmt::format("a table holds at most {} numbers", form::kMaxTable));
    }
    const std::string_view rest = text_.substr(place_);
    for (const auto& [word, value] : {std::pair("true", 1), std::pair("false", 0)}) {
      if (!rest.starts_with(word)) continue;
      place_ += std::string_view(word).size();
      values_.push_back(value);
      return {};
    }
    std::int64_t value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (read.ec == std::errc::result_out_of_range) {
      return wrong("this number does not fit into 64 bits");
    }
    if (read.ec != std::errc()) return wrong("an integer is missing");
    place_ += static_cast<std::size_t>(read.ptr - rest.data());
    const char after = place_ < text_.size() ? text_[place_] : '\0';
    if (after == '.' || after == 'e' || after == 'E') return wrong("this number is no integer");
    values_.push_back(value);
    return {};
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> values_;
};

}  // namespace

Result<form::Table> parse_table(std::string_view text) { return TableReader(text).read(); }

}  // namespace heddle::notation

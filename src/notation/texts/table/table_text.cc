// Tables as JSON: nested lists of integers, read number by number.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/cursor.h"
#include "core/printable.h"
#include "heddle/notation/npy.h"

namespace heddle::notation {
namespace {

constexpr std::size_t kMaxLevels = 64;

class TableReader : private Cursor {
 public:
  explicit TableReader(std::string_view text) : Cursor(text) {}

  Result<form::Table> read() {
    std::optional<std::vector<std::string>> axes;
    if (sees("{")) {
      HEDDLE_CHECK(object(axes));
    } else {
      HEDDLE_CHECK(item(0));
    }
    if (!at_end()) return wrong("nothing more is expected here");
    HEDDLE_TRY(form::Table table,
               form::make_table(std::move(extents_), {Axis::memory()}, std::move(values_)));
    return axes ? on_axes(std::move(table), *axes) : std::move(table);
  }

 private:
  [[nodiscard]] Refusal refusal(std::string code, std::string message) const {
    return refuse(Diagnostic(std::move(code), std::move(message))
                      .with_span({position(), std::min(position() + 1, text().size())}));
  }
  [[nodiscard]] Refusal wrong(std::string_view what) const {
    return refusal("table.syntax", fmt::format("this is not a table of integers: {}", what));
  }

  Result<void> object(std::optional<std::vector<std::string>>& axes) {
    accept("{");
    bool has_table = false;
    do {
      HEDDLE_TRY(const std::string key, name());
      if (!accept(":")) return wrong("a colon is missing");
      if (key == "table" && !has_table) {
        has_table = true;
        HEDDLE_CHECK(item(0));
      } else if (key == "axes" && !axes) {
        HEDDLE_TRY(axes, names());
      } else {
        return wrong(fmt::format("fields are \"table\" and \"axes\", each once, and not \"{}\"",
                                 printable(key)));
      }
    } while (accept(","));
    if (!accept("}")) return wrong("a comma or the closing brace is missing");
    return has_table ? Result<void>() : wrong("the field \"table\" is missing");
  }

  Result<std::vector<std::string>> names() {
    std::vector<std::string> names;
    if (!accept("[")) return wrong("axes are a list of names");
    do {
      HEDDLE_TRY(names.emplace_back(), name());
    } while (accept(","));
    if (!accept("]")) return wrong("a comma or the closing bracket is missing");
    return names;
  }

  Result<std::string> name() {
    if (!accept("\"")) return wrong("a name in quotes is missing");
    const std::size_t end = text().find_first_of("\"\\\n", position());
    if (end == std::string_view::npos || text()[end] != '"') return wrong("a name is not closed");
    std::string name(text().substr(position(), end - position()));
    go_to(end + 1);
    if (name.empty()) return wrong("a name is empty");
    return name;
  }

  Result<void> item(std::size_t level) {
    if (!sees("[")) return number(level);
    if (level == kMaxLevels) return wrong("lists are nested too deep");
    if (level == extents_.size() && !values_.empty()) {
      return refusal("table.shape", "a list is where a number was before");
    }
    const bool is_first = level == extents_.size();
    if (is_first) extents_.push_back(0);
    const std::size_t begin = position();
    accept("[");
    std::int64_t length = 0;
    if (sees("]")) return refusal("table.shape", "a list is empty");
    do {
      HEDDLE_CHECK(item(level + 1));
      ++length;
    } while (accept(","));
    if (!accept("]")) return wrong("a comma or the closing bracket is missing");
    if (is_first) extents_[level] = length;
    if (extents_[level] == length) return {};
    go_to(begin);
    return refusal("table.shape",
                   fmt::format("a list of {} is where others have {}", length, extents_[level]));
  }

  Result<void> number(std::size_t level) {
    if (level != extents_.size()) {
      return refusal("table.shape", "a number is where a list was before");
    }
    if (values_.size() == static_cast<std::size_t>(form::kMaxTable)) {
      return refusal("table.too_large",
                     fmt::format("a table holds at most {} numbers", form::kMaxTable));
    }
    for (const auto& [word, value] : {std::pair("true", 1), std::pair("false", 0)}) {
      if (!accept(word)) continue;
      values_.push_back(value);
      return {};
    }
    const std::string_view rest = this->rest();
    std::int64_t value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (read.ec == std::errc::result_out_of_range) {
      return wrong("this number does not fit into 64 bits");
    }
    if (read.ec != std::errc()) return wrong("an integer is missing");
    go_to(position() + static_cast<std::size_t>(read.ptr - rest.data()));
    const char after = position() < text().size() ? text()[position()] : '\0';
    if (after == '.' || after == 'e' || after == 'E') return wrong("this number is not an integer");
    values_.push_back(value);
    return {};
  }

  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> values_;
};

}  // namespace

Result<form::Table> parse_table(std::string_view text) { return TableReader(text).read(); }

}  // namespace heddle::notation

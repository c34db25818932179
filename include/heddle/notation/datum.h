#pragma once

// Lists and objects as in JSON, for names, sizes and bases.
//
//   ["dim0", "dim1"]
//   {"dim0": 16, "dim1": 8}
//   [["register", [[0,1],[0,2]]], ["lane", []]]
//
// Only results have null. Fields keep the order in which they were written, because the order of
// dimensions matters.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle::notation {

class Datum {
 public:
  using List = std::vector<Datum>;
  using Field = std::pair<std::string, Datum>;
  using Fields = std::vector<Field>;
  using Data = std::variant<bool, std::int64_t, std::string, List, Fields, std::nullptr_t>;

  Datum() : data_(List{}) {}
  Datum(bool truth) : data_(truth) {}  // NOLINT: every one of these is a datum
  template <std::integral Number>
  Datum(Number number) : data_(static_cast<std::int64_t>(number)) {}  // NOLINT
  Datum(std::string text) : data_(std::move(text)) {}                 // NOLINT
  Datum(const char* text) : data_(std::string(text)) {}               // NOLINT
  Datum(List list) : data_(std::move(list)) {}                        // NOLINT
  Datum(Fields fields) : data_(std::move(fields)) {}                  // NOLINT

  Datum(std::nullptr_t null) : data_(null) {}  // NOLINT
  template <class T>
  Datum(const std::optional<T>& datum) : Datum(datum ? Datum(*datum) : Datum(nullptr)) {}  // NOLINT

  [[nodiscard]] const Data& data() const { return data_; }
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
  [[nodiscard]] const bool* truth() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const std::int64_t* number() const { return std::get_if<std::int64_t>(&data_); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const List* list() const { return std::get_if<List>(&data_); }
  [[nodiscard]] const Fields* fields() const { return std::get_if<Fields>(&data_); }
  /// The field of an object; nullptr if there is none.
  [[nodiscard]] const Datum* field(std::string_view name) const;

  friend bool operator==(const Datum&, const Datum&) = default;

 private:
  Data data_;
};

/// The items of a range as a list: `[16,8]`.
template <class Range>
[[nodiscard]] Datum list_of(const Range& items) {
  Datum::List list;
  for (const auto& item : items) list.emplace_back(item);
  return list;
}

/// The text, or null if it is empty.
[[nodiscard]] inline Datum text_or_null(const std::string& text) {
  return text.empty() ? Datum(nullptr) : Datum(text);
}

/// The datum as JSON without spaces, with names in quotes.
[[nodiscard]] std::string to_string(const Datum& datum);
/// How many numbers, booleans and texts it holds, itself included; a long text counts as several.
[[nodiscard]] std::size_t leaf_count(const Datum& datum);
/// How deep its lists and objects nest: 0 for a number, 1 for [16,8].
[[nodiscard]] std::size_t depth(const Datum& datum);

}  // namespace heddle::notation
#pragma GCC visibility pop

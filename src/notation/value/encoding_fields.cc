#include "notation/value/encoding_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "heddle/notation/lexer.h"
#include "heddle/notation/linear.h"

namespace heddle::notation {
namespace {

using linear::Order;
using linear::Sizes;

std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '_') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

// How fields are read, by what they hold.

std::optional<std::int64_t> read(const Datum& datum, const std::int64_t*) {
  return datum.number() == nullptr ? std::nullopt : std::optional(*datum.number());
}
std::optional<int> read(const Datum& datum, const int*) {
  constexpr std::int64_t kMost = 1 << 30;
  const std::int64_t* number = datum.number();
  const bool is_small = number != nullptr && *number >= -kMost && *number <= kMost;
  return is_small ? std::optional(static_cast<int>(*number)) : std::nullopt;
}
std::optional<bool> read(const Datum& datum, const bool*) {
  return datum.truth() == nullptr ? std::nullopt : std::optional(*datum.truth());
}
std::optional<std::string> read(const Datum& datum, const std::string*) {
  return datum.text() == nullptr ? std::nullopt : std::optional(*datum.text());
}
std::optional<Sizes> read(const Datum& datum, const Sizes*) { return sizes_of(datum); }
std::optional<Order> read(const Datum& datum, const Order*) {
  if (datum.list() == nullptr) return std::nullopt;
  Order order;
  for (const Datum& item : *datum.list()) {
    const auto dim = read(item, static_cast<const int*>(nullptr));
    if (!dim) return std::nullopt;
    order.push_back(*dim);
  }
  return order;
}
std::optional<Vectors> read(const Datum& datum, const Vectors*) { return vectors_of(datum); }
std::optional<Datum> read(const Datum& datum, const Datum*) { return datum; }

constexpr std::string_view description(const std::int64_t*) { return "an integer"; }
constexpr std::string_view description(const int*) { return "an integer"; }
constexpr std::string_view description(const bool*) { return "true or false"; }
constexpr std::string_view description(const std::string*) { return "a name"; }
constexpr std::string_view description(const Sizes*) { return "a list of integers"; }
constexpr std::string_view description(const Order*) { return "a list of dimensions"; }
constexpr std::string_view description(const Vectors*) { return "a list of lists of integers"; }
constexpr std::string_view description(const Datum*) { return "a value"; }

}  // namespace

bool same_name(std::string_view a, std::string_view b) { return plain(a) == plain(b); }

Fields::Fields(std::string kind, const Datum::Fields& fields)
    : kind_(std::move(kind)), fields_(fields) {
  used_.insert("kind");
}

const Datum* Fields::find(std::initializer_list<std::string_view> names) {
  for (const auto& [name, content] : fields_) {
    const bool is_wanted = std::ranges::any_of(
        names, [&](std::string_view wanted) { return same_name(wanted, name); });
    if (!is_wanted) continue;
    used_.insert(name);
    return &content;
  }
  return nullptr;
}

template <class T>
Result<std::optional<T>> Fields::get(std::initializer_list<std::string_view> names) {
  const Datum* content = find(names);
  if (content == nullptr) return std::nullopt;
  constexpr const T* kType = nullptr;
  if (auto value = read(*content, kType)) return value;
  return refuse("encoding.field", fmt::format("{} of {} is {}; {} is needed", *names.begin(), kind_,
                                              quote(to_string(*content)), description(kType)));
}

template Result<std::optional<std::int64_t>> Fields::get(std::initializer_list<std::string_view>);
template Result<std::optional<int>> Fields::get(std::initializer_list<std::string_view>);
template Result<std::optional<bool>> Fields::get(std::initializer_list<std::string_view>);
template Result<std::optional<std::string>> Fields::get(std::initializer_list<std::string_view>);
template Result<std::optional<Sizes>> Fields::get(std::initializer_list<std::string_view>);
template Result<std::optional<Order>> Fields::get(std::initializer_list<std::string_view>);
template Result<std::optional<Vectors>> Fields::get(std::initializer_list<std::string_view>);
template Result<std::optional<Datum>> Fields::get(std::initializer_list<std::string_view>);

Result<linear::Bases> Fields::rest_as_bases() {
  linear::Bases bases;
  for (const auto& [name, content] : fields_) {
    if (used_.contains(name)) continue;
    HEDDLE_TRY(auto vectors, required<Vectors>({name}));
    bases.push_back({name, std::move(vectors)});
  }
  return bases;
}

Result<void> Fields::finish() const {
  std::set<std::string_view> seen;
  for (const auto& [name, content] : fields_) {
    if (!used_.contains(name)) {
      return refuse("encoding.field", fmt::format("{} has no field {}", kind_, quote(name)));
    }
    if (!seen.insert(name).second) {
      return refuse("encoding.field", fmt::format("{} has {} twice", kind_, quote(name)));
    }
  }
  return {};
}

Refusal Fields::missing(std::string_view name) const {
  return refuse("encoding.field", fmt::format("{} has no {}", kind_, name));
}

}  // namespace heddle::notation

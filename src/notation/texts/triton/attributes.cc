// Attributes of Triton as text: their fields are read into data, which is converted to an encoding.

#include <fmt/format.h>

#include <utility>

#include "heddle/notation/lexer.h"
#include "heddle/notation/triton.h"
#include "notation/language/foreign/triton_text.h"
#include "notation/language/scanner.h"

namespace heddle::notation {
namespace {

using linear::Encoding;

/// The deepest nesting of attributes and of lists.
constexpr std::size_t kMaxDepth = 32;

class AttributeReader {
 public:
  AttributeReader(std::string_view text, const Aliases& aliases)
      : scanner_(text, "syntax.attribute"), aliases_(aliases) {}

  Result<Encoding> read() {
    HEDDLE_TRY(const Datum datum, attribute());
    if (!scanner_.at_end()) return scanner_.refuse_here("the end of the attribute");
    return encoding_of(datum);
  }

 private:
  /// `#blocked`, `#ttg.blocked<{…}>`, `#ttng.tensor_memory_encoding<blockM = 128, …>`.
  Result<Datum> attribute() {
    const std::size_t begin = scanner_.position();
    HEDDLE_CHECK(scanner_.expect("#"));
    HEDDLE_TRY(const std::string_view name, scanner_.expect_word("the name of an attribute"));
    const std::size_t dot = name.rfind('.');
    const bool is_alias = alias_length(scanner_.text().substr(begin)) > 0;
    if (is_alias) return aliased(begin);
    if (++depth_ > kMaxDepth) return refuse_depth();
    Result<Datum> read = attribute_named(name.substr(dot == std::string_view::npos ? 0 : dot + 1));
    --depth_;
    return read;
  }

  Result<Datum> attribute_named(std::string_view kind) {
    // Markers of the compiler around the encoding itself.
    if (kind == "user_layout" || kind == "no_verify_layout") return wrapped();
    Datum::Fields fields = {{"kind", std::string(kind)}};
    if (kind.starts_with("dummy_")) return placeholder(std::move(fields));
    if (!scanner_.accept("<")) return Datum(std::move(fields));
    const Result<void> body = read_body(fields);
    if (body) return Datum(std::move(fields));
    // An attribute that is no encoding may have a body of any form.
    const auto known = encoding_of(Datum::Fields{{"kind", std::string(kind)}});
    if (known || known.error().code() != "encoding.unknown") return refuse(body.error());
    return refuse(body.error().code() == "syntax.attribute" ? known.error() : body.error());
  }

  /// `<#ttg.blocked<{…}>>`.
  Result<Datum> wrapped() {
    HEDDLE_CHECK(scanner_.expect("<"));
    HEDDLE_TRY(Datum inner, attribute());
    HEDDLE_CHECK(scanner_.expect(">"));
    return inner;
  }

  /// `<[128, 64], f16>`, kept as text.
  Result<Datum> placeholder(Datum::Fields fields) {
    const std::string_view rest = scanner_.rest();
    const std::size_t length = rest.starts_with('<') ? bracketed_length(rest).value_or(0) : 0;
    if (length >= 2 && scanner_.accept(rest.substr(0, length))) {
      fields.emplace_back("parameters", std::string(rest.substr(1, length - 2)));
    }
    return Datum(std::move(fields));
  }

  Result<Datum> aliased(std::size_t begin) const {
    const std::size_t sign = scanner_.text().find('#', begin);
    const std::string_view name = scanner_.text().substr(sign, scanner_.position() - sign);
    const Encoding* encoding = aliases_ ? aliases_(name) : nullptr;
    if (encoding != nullptr) return to_datum(*encoding);
    return refuse(Diagnostic("name.unknown", fmt::format("unknown encoding {}", quote(name)))
                      .with_span({sign, scanner_.position()})
                      .with_hint(fmt::format("say what it is: {} = #ttg.blocked<{{…}}>", name)));
  }

  /// Reads all of `{…}`, `[512:+16] {…}` and `name = value`, up to the `>`.
  Result<void> read_body(Datum::Fields& fields) {
    while (!scanner_.accept(">")) {
      if (scanner_.accept("{")) {
        HEDDLE_CHECK(read_fields(fields, "}"));
      } else if (scanner_.accept("[")) {
        HEDDLE_CHECK(read_paddings(fields));
        continue;  // no comma after it
      } else {
        HEDDLE_CHECK(read_field(fields));
      }
      if (scanner_.accept(">")) return {};
      HEDDLE_CHECK(scanner_.expect(","));
    }
    return {};
  }

  Result<void> read_fields(Datum::Fields& fields, std::string_view close) {
    while (!scanner_.accept(close)) {
      HEDDLE_CHECK(read_field(fields));
      if (scanner_.accept(close)) return {};
      HEDDLE_CHECK(scanner_.expect(","));
    }
    return {};
  }

  Result<void> read_field(Datum::Fields& fields) {
    HEDDLE_TRY(const std::string_view name, scanner_.expect_word("a field"));
    HEDDLE_CHECK(scanner_.expect("="));
    HEDDLE_TRY(Datum content, value());
    fields.emplace_back(std::string(name), std::move(content));
    return {};
  }

  /// `512:+16, 1024:+32]`.
  Result<void> read_paddings(Datum::Fields& fields) {
    Datum::List paddings;
    while (!scanner_.accept("]")) {
      HEDDLE_TRY(const std::int64_t interval, scanner_.expect_integer("an interval"));
      HEDDLE_CHECK(scanner_.expect(":+"));
      HEDDLE_TRY(const std::int64_t padding, scanner_.expect_integer("a padding"));
      paddings.emplace_back(Datum::List{interval, padding});
      if (scanner_.accept("]")) break;
      HEDDLE_CHECK(scanner_.expect(","));
    }
    fields.emplace_back("paddings", std::move(paddings));
    return {};
  }

  Result<Datum> value() {
    if (scanner_.rest().starts_with('#')) return attribute();
    if (++depth_ > kMaxDepth) return refuse_depth();
    HEDDLE_TRY(Datum content, plain_value());
    --depth_;
    return content;
  }

  Result<Datum> plain_value() {
    if (scanner_.accept("[")) return list();
    if (scanner_.accept("{")) {
      Datum::Fields fields;
      HEDDLE_CHECK(read_fields(fields, "}"));
      return Datum(std::move(fields));
    }
    if (begins_number()) return number();
    HEDDLE_TRY(const std::string_view word, scanner_.expect_word("a value"));
    if (word == "true" || word == "false") return Datum(word == "true");
    return Datum(std::string(word));
  }

  bool begins_number() {
    const std::string_view rest = scanner_.rest();
    return !rest.empty() && (rest[0] == '-' || (rest[0] >= '0' && rest[0] <= '9'));
  }

  /// `4`, and with its type `4 : i32`.
  Result<Datum> number() {
    HEDDLE_TRY(const std::int64_t number, scanner_.expect_integer("a number"));
    if (scanner_.accept(":")) HEDDLE_CHECK(scanner_.expect_word("the type of the number"));
    return Datum(number);
  }

  Result<Datum> list() {
    Datum::List list;
    while (!scanner_.accept("]")) {
      HEDDLE_TRY(Datum item, value());
      list.push_back(std::move(item));
      if (scanner_.accept("]")) break;
      HEDDLE_CHECK(scanner_.expect(","));
    }
    return Datum(std::move(list));
  }

  Refusal refuse_depth() {
    return refuse(Diagnostic("syntax.too_deep",
                             fmt::format("an attribute nests more than {} deep", kMaxDepth))
                      .with_span({scanner_.position(), scanner_.position()}));
  }

  Scanner scanner_;
  const Aliases& aliases_;
  std::size_t depth_ = 0;
};

}  // namespace

Result<Encoding> parse_encoding(std::string_view text, const Aliases& aliases) {
  Result<Encoding> encoding = AttributeReader(text, aliases).read();
  if (encoding || encoding.error().span()) return encoding;
  return refuse(std::move(encoding).error().with_span({0, text.size()}));
}

}  // namespace heddle::notation

// A dump is searched line by line: for aliases, for operations, and for types.

#include "heddle/notation/ttgir.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "core/text.h"
#include "heddle/notation/lexer.h"
#include "notation/triton_text.h"

namespace heddle::notation {
namespace {

using linear::Encoding;
using linear::LinearLayout;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$' || c == '-';
}

std::string_view name_at(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_name_character);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Aliases.

/// `#blocked = #ttg.blocked<{…}>`.
struct AliasLine {
  std::string_view name;
  std::string_view definition;
};

std::optional<AliasLine> alias_of(std::string_view line) {
  line = trimmed(line);
  const std::size_t length = alias_length(line);
  if (length == 0) return std::nullopt;
  const std::string_view rest = trimmed(line.substr(length));
  if (!rest.starts_with('=')) return std::nullopt;
  return AliasLine{line.substr(0, length), trimmed(rest.substr(1))};
}

class AliasTable {
 public:
  /// Definitions may stand in any order; those that cannot be read are left out, and whoever uses
  /// them learns why.
  explicit AliasTable(const std::vector<AliasLine>& lines) {
    std::vector<const AliasLine*> pending;
    for (const AliasLine& line : lines) {
      const auto length = triton_length(line.definition);
      const bool is_attribute = line.definition.starts_with('#') && length && *length > 0;
      if (is_attribute) pending.push_back(&line);
    }
    std::size_t before = pending.size() + 1;
    while (!pending.empty() && pending.size() < before) {
      before = pending.size();
      std::erase_if(pending, [this](const AliasLine* line) { return define(*line); });
    }
  }

  [[nodiscard]] Aliases lookup() const {
    return [this](std::string_view name) -> const Encoding* {
      const auto found = encodings_.find(name);
      return found == encodings_.end() ? nullptr : &found->second;
    };
  }
  /// Why an alias stands for nothing, where it is defined.
  [[nodiscard]] const Diagnostic* reason(std::string_view name) const {
    const auto found = reasons_.find(name);
    return found == reasons_.end() ? nullptr : &found->second;
  }

 private:
  bool define(const AliasLine& line) {
    const std::string_view text = line.definition.substr(0, *triton_length(line.definition));
    Result<Encoding> encoding = parse_encoding(text, lookup());
    if (!encoding) {
      reasons_.insert_or_assign(std::string(line.name), std::move(encoding).error());
      return false;
    }
    reasons_.erase(std::string(line.name));
    encodings_.insert_or_assign(std::string(line.name), *std::move(encoding));
    return true;
  }

  std::map<std::string, Encoding, std::less<>> encodings_;
  std::map<std::string, Diagnostic, std::less<>> reasons_;
};

// Operations.

/// `%4 = tt.load …` and `"tt.reduce"(…`: the result and the operation.
struct OperationName {
  std::string_view result;
  std::string_view name;
};

OperationName operation_in(std::string_view line) {
  OperationName found;
  line = trimmed(line);
  if (line.starts_with('%')) {
    const std::size_t sign = line.find(" = ");
    if (sign == std::string_view::npos) return found;
    found.result = line.substr(0, 1 + name_at(line.substr(1)).size());
    line = trimmed(line.substr(sign + 3));
  }
  if (line.starts_with('"')) line.remove_prefix(1);
  const std::string_view name = name_at(line);
  if (name.find('.') != std::string_view::npos) found.name = name;
  return found;
}

/// Which operation a line belongs to: its own, or the one whose region it closes.
class Regions {
 public:
  std::string_view operation_of(std::string_view line) {
    const std::string_view text = trimmed(line);
    std::string_view name = operation_in(text).name;
    const bool closes = text.starts_with('}');
    if (closes && !open_.empty()) name = open_.back();
    count_braces(text, name);
    return name;
  }

 private:
  void count_braces(std::string_view line, std::string_view name) {
    for (const char c : line) {
      if (c == '{') open_.push_back(name);
      if (c == '}' && !open_.empty()) open_.pop_back();
    }
  }

  std::vector<std::string_view> open_;
};

// Types.

/// The types in a line, from the left; what stands in quotes is none.
std::vector<std::string_view> types_in(std::string_view line) {
  std::vector<std::string_view> types;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    const bool may_begin = !is_quoted && (line[i] == 't' || line[i] == '!');
    if (!may_begin || (i > 0 && is_name_character(line[i - 1]))) continue;
    const auto length = triton_length(line.substr(i));
    if (!length) break;  // the line ends within it
    if (*length == 0) continue;
    types.push_back(line.substr(i, *length));
    i += *length - 1;
  }
  return types;
}

/// A type with a layout, or that should have one; `tensor<4xf32>` has none.
bool has_encoding(std::string_view type) { return type.find('#') != std::string_view::npos; }

Result<LinearLayout> layout_of(const TensorType& type) {
  TensorType plain = type;
  // Its padding stands beside the layout.
  if (const auto* padded =
          type.encoding ? type.encoding->get_if<linear::PaddedSharedEncoding>() : nullptr) {
    plain.encoding = linear::SharedLinearEncoding{padded->layout};
  }
  return to_linear_layout(plain);
}

class DumpReader {
 public:
  explicit DumpReader(std::string_view text) : text_(text) {}

  Result<TtgirDump> read() {
    for_each_line([this](std::string_view line, std::size_t) {
      if (const auto alias = alias_of(line)) lines_.push_back(*alias);
    });
    aliases_.emplace(lines_);
    for_each_line([this](std::string_view line, std::size_t number) { read_line(line, number); });
    if (dump_.types.empty()) {
      return refuse(Diagnostic("ttgir.no_layout", "the text has no tensor with an encoding")
                        .with_hint("a dump of TTGIR is needed: TRITON_KERNEL_DUMP=1, or "
                                   "compiled.asm[\"ttgir\"]"));
    }
    if (dump_.types.size() > kMaxListedTypes) {
      return refuse("ttgir.too_many_types",
                    fmt::format("the text has more than {} different types", kMaxListedTypes));
    }
    return std::move(dump_);
  }

 private:
  template <class Function>
  void for_each_line(Function function) const {
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      function(text_.substr(begin, end - begin), ++number);
      begin = end + 1;
    }
  }

  void read_line(std::string_view line, std::size_t number) {
    if (alias_of(line) || trimmed(line).starts_with("//")) return;
    read_module(line);
    const std::string_view operation = regions_.operation_of(line);
    std::vector<std::size_t> listed;
    for (const std::string_view type : types_in(line)) {
      if (!has_encoding(type) || dump_.types.size() > kMaxListedTypes) continue;
      listed.push_back(place_of(type));
      add_use(dump_.types[listed.back()], operation, number);
    }
    if (operation.ends_with(".convert_layout") && listed.size() >= 2) {
      dump_.conversions.push_back(
          {number, std::string(operation_in(line).result), listed.front(), listed.back()});
    }
  }

  /// `"ttg.num-warps" = 4 : i32`, `ttg.target = "cuda:90"`.
  void read_module(std::string_view line) {
    if (!trimmed(line).starts_with("module")) return;
    dump_.num_warps = number_behind(line, "num-warps\" = ");
    dump_.num_ctas = number_behind(line, "num-ctas\" = ");
    dump_.threads_per_warp = number_behind(line, "threads-per-warp\" = ");
    constexpr std::string_view kTarget = ".target = \"";
    const std::size_t target = line.find(kTarget);
    if (target == std::string_view::npos) return;
    const std::string_view rest = line.substr(target + kTarget.size());
    dump_.target = std::string(rest.substr(0, rest.find('"')));
  }

  static std::optional<std::int64_t> number_behind(std::string_view line, std::string_view name) {
    const std::size_t place = line.find(name);
    if (place == std::string_view::npos) return std::nullopt;
    const std::string_view rest = line.substr(place + name.size());
    std::int64_t number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
  }

  /// Its place in the list, where it is put if it is new.
  std::size_t place_of(std::string_view text) {
    const auto [found, is_new] = places_.emplace(std::string(text), dump_.types.size());
    if (!is_new) return found->second;
    Result<TensorType> type = parse_tensor_type(text, aliases_->lookup());
    if (!type) type = refuse(explained(std::move(type).error(), text));
    Result<LinearLayout> layout =
        type ? layout_of(*type) : Result<LinearLayout>(refuse(type.error()));
    dump_.types.push_back({std::string(text), std::move(type), std::move(layout), {}});
    return found->second;
  }

  /// Where an alias cannot be read, that is the reason.
  [[nodiscard]] Diagnostic explained(Diagnostic diagnostic, std::string_view text) const {
    if (diagnostic.code() != "name.unknown" || !diagnostic.span()) return diagnostic;
    const Span span = *diagnostic.span();
    const std::string_view alias = text.substr(span.begin, span.end - span.begin);
    const Diagnostic* reason = aliases_->reason(alias);
    if (reason == nullptr) return diagnostic;
    return Diagnostic(reason->code(), reason->message())
        .with_note(fmt::format("in the definition of {}", alias));
  }

  static void add_use(ListedType& type, std::string_view operation, std::size_t line) {
    const auto found = std::ranges::find(type.uses, operation, &TypeUse::operation);
    if (found == type.uses.end()) {
      type.uses.push_back({std::string(operation), {line}});
    } else if (found->lines.back() != line) {
      found->lines.push_back(line);
    }
  }

  std::string_view text_;
  std::vector<AliasLine> lines_;
  std::optional<AliasTable> aliases_;
  Regions regions_;
  std::map<std::string, std::size_t, std::less<>> places_;
  TtgirDump dump_;
};

}  // namespace

Result<TtgirDump> read_ttgir(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  return DumpReader(text).read();
}

}  // namespace heddle::notation

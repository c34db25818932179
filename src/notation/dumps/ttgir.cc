// A dump is searched statement by statement, for aliases, operations and types. A statement is a
// line, or several if a log wraps it.
//
// A compiler log has several modules, each preceded by its own aliases: a new scope begins at
// `// -----`, which separates modules, and when an alias is defined again.

#include "heddle/notation/ttgir.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/text.h"
#include "core/words.h"
#include "heddle/notation/lexer.h"
#include "notation/language/foreign/triton_text.h"

namespace heddle::notation {
namespace {

using linear::Encoding;
using linear::LinearLayout;

constexpr std::string_view kBlanks = " \t\r\n";
/// The largest size of a tensor whose sizes are raised to powers of two.

/// The text in one line: each line end with the blanks around it becomes one blank.
std::string unwrapped(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result += end == std::string_view::npos ? text : trimmed(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += ' ';
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks, end), text.size()));
  }
}

bool continues_mlir_name(char c) {
  return is_word_character(c) || c == '.' || c == '$' || c == '-';
}

std::string_view name_at(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, continues_mlir_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// Aliases.

/// `#blocked = #ttg.blocked<{…}>`.
struct AliasLine {
  std::string_view name;
  std::string_view definition;
  std::size_t line = 0;

  /// The definition without what follows it, such as a comment.
  [[nodiscard]] std::string_view attribute() const {
    return definition.substr(0, triton_length(definition).value_or(definition.size()));
  }
};

std::optional<AliasLine> alias_of(std::string_view line) {
  line = trimmed(line);
  const std::size_t length = alias_length(line);
  if (length == 0) return std::nullopt;
  const std::string_view rest = trimmed(line.substr(length));
  if (!rest.starts_with('=')) return std::nullopt;
  return AliasLine{line.substr(0, length), trimmed(rest.substr(1)), 0};
}

/// Whether the alias is an attribute, not a source location, `#loc1 = loc(…)`.
bool is_attribute(const AliasLine& line) {
  return line.definition.starts_with('#') && triton_length(line.definition).value_or(0) > 0;
}

class AliasTable {
 public:
  AliasTable() = default;
  /// Definitions may be in any order; those that cannot be read are left out, and reason() says
  /// why.
  explicit AliasTable(const std::vector<AliasLine>& lines) {
    std::vector<const AliasLine*> pending;
    for (const AliasLine& line : lines) pending.push_back(&line);
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
  /// Why the definition of an alias cannot be read, with the name and the line of the definition at
  /// fault: its own, or one that it refers to. nullopt if there is no reason.
  [[nodiscard]] std::optional<Diagnostic> reason(std::string_view name) const {
    const Reason* found = reason_of(name);
    if (found == nullptr) return std::nullopt;
    // Aliases may refer to each other in a circle.
    for (std::size_t step = 0; step < reasons_.size(); ++step) {
      const Reason* deeper = reason_of(found->unknown_name());
      if (deeper == nullptr) break;
      found = deeper;
    }
    return Diagnostic(found->diagnostic.code(), found->diagnostic.message())
        .with_note(
            fmt::format("in the definition of {}, line {}", found->alias.name, found->alias.line));
  }

 private:
  struct Reason {
    AliasLine alias;
    Diagnostic diagnostic;

    /// The alias that the definition refers to in vain; empty if it is refused for another reason.
    [[nodiscard]] std::string_view unknown_name() const {
      if (diagnostic.code() != "name.unknown" || !diagnostic.span()) return {};
      return text_at(alias.definition, *diagnostic.span());
    }
  };

  [[nodiscard]] const Reason* reason_of(std::string_view name) const {
    const auto found = reasons_.find(name);
    return found == reasons_.end() ? nullptr : &found->second;
  }

  bool define(const AliasLine& line) {
    Result<Encoding> encoding = parse_encoding(line.attribute(), lookup());
    if (!encoding) {
      reasons_.insert_or_assign(std::string(line.name), Reason{line, std::move(encoding).error()});
      return false;
    }
    reasons_.erase(std::string(line.name));
    encodings_.insert_or_assign(std::string(line.name), *std::move(encoding));
    return true;
  }

  std::map<std::string, Encoding, std::less<>> encodings_;
  std::map<std::string, Reason, std::less<>> reasons_;
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

/// Finds the operation that a line belongs to: its own, or the one whose region it closes.
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

struct FoundTypes {
  std::vector<std::string_view> types;
  /// The text ends within a type, which is not in `types`.
  bool is_open = false;
};

/// The types in a text, from left to right; quoted texts are skipped.
FoundTypes types_in(std::string_view line) {
  FoundTypes found;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    const bool may_begin = !is_quoted && (line[i] == 't' || line[i] == '!');
    if (!may_begin || (i > 0 && continues_mlir_name(line[i - 1]))) continue;
    const auto length = triton_length(line.substr(i));
    found.is_open = !length;
    if (found.is_open) break;
    if (*length == 0) continue;
    found.types.push_back(line.substr(i, *length));
    i += *length - 1;
  }
  return found;
}

/// Whether the type has an encoding, valid or not; `tensor<4xf32>` has none.
bool has_encoding(std::string_view type) { return type.find('#') != std::string_view::npos; }

Result<LinearLayout> layout_of(const TensorType& type) {
  TensorType plain = type;
  // The padding is listed separately from the layout.
  if (type.encoding) plain.encoding = linear::without_padding(*type.encoding);
  return to_linear_layout(plain);
}

// Statements.

/// The text of a statement, the number of its first line, and of its section, which begins at
/// `// -----`.
struct IrStatement {
  std::string_view text;
  std::size_t line = 0;
  std::size_t section = 0;
};

bool is_empty_or_comment(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.empty() || text.starts_with("//");
}

bool begins_statement(std::string_view line) {
  const std::string_view text = trimmed(line);
  constexpr std::string_view kBeginnings = "%}^";
  return is_empty_or_comment(text) || kBeginnings.find(text.front()) != std::string_view::npos ||
         text.starts_with("module") || alias_of(text) || !operation_in(text).name.empty();
}

/// Whether an alias or a type continues on the next line.
bool is_open(std::string_view text) {
  if (const auto alias = alias_of(text))
    return alias->definition.empty() || !triton_length(alias->definition);
  return text.ends_with("->") || types_in(text).is_open;
}

/// Whether `line` continues the preceding statement.
bool continues(std::string_view statement, std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.starts_with("->") || text.starts_with(':')) return true;
  return !begins_statement(text) && is_open(trimmed(statement));
}

/// The statements of a text, without empty lines and comments.
std::vector<IrStatement> statements_of(std::string_view text) {
  constexpr std::size_t kMostLines = 64;
  std::vector<IrStatement> statements;
  std::size_t number = 0;
  std::size_t section = 0;
  bool may_continue = false;
  std::size_t statement_begin = 0;
  for (std::size_t begin = 0, next = 0; begin < text.size(); begin = next) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    next = end + 1;
    const std::string_view line = text.substr(begin, end - begin);
    ++number;
    if (may_continue && number - statements.back().line < kMostLines &&
        continues(statements.back().text, line)) {
      statements.back().text = text.substr(statement_begin, end - statement_begin);
      continue;
    }
    if (trimmed(line).starts_with("// -----")) ++section;
    may_continue = !is_empty_or_comment(line);
    if (!may_continue) continue;
    statement_begin = begin;
    statements.push_back({line, number, section});
  }
  return statements;
}

// Scopes.

/// The lines of a dump for which these alias definitions hold.
struct Scope {
  std::size_t first_line = 0;
  std::vector<AliasLine> aliases;
  std::set<std::string_view> names;

  void add(const AliasLine& alias) {
    aliases.push_back(alias);
    names.insert(alias.name);
  }
  [[nodiscard]] bool defines(const AliasLine& alias) const { return names.contains(alias.name); }
};

/// The runs of adjacent aliases in a section; each applies up to the next run.
std::vector<Scope> alias_runs(std::span<const IrStatement> section) {
  std::vector<Scope> runs = {{section.front().line, {}, {}}};
  bool is_running = true;
  for (const IrStatement& statement : section) {
    auto alias = alias_of(statement.text);
    is_running = is_running && alias.has_value();
    if (!alias || !is_attribute(*alias)) continue;
    alias->line = statement.line;
    if (!is_running || runs.back().defines(*alias)) runs.push_back({statement.line, {}, {}});
    runs.back().add(*alias);
    is_running = true;
  }
  return runs;
}

/// Adds the scopes of a section: consecutive runs form one until an alias is defined again.
void add_scopes(std::vector<Scope>& scopes, std::span<const IrStatement> section) {
  scopes.push_back({section.front().line, {}, {}});
  for (const Scope& run : alias_runs(section)) {
    const bool is_new = std::ranges::any_of(
        run.aliases, [&](const AliasLine& alias) { return scopes.back().defines(alias); });
    if (is_new) scopes.push_back({run.first_line, {}, {}});
    for (const AliasLine& alias : run.aliases) scopes.back().add(alias);
  }
}

std::vector<Scope> scopes_of(std::span<const IrStatement> statements) {
  std::vector<Scope> scopes;
  while (!statements.empty()) {
    const auto end = std::ranges::find_if(statements, [&](const IrStatement& statement) {
      return statement.section != statements.front().section;
    });
    const auto length = static_cast<std::size_t>(end - statements.begin());
    add_scopes(scopes, statements.first(length));
    statements = statements.subspan(length);
  }
  return scopes;
}

/// Whether the attribute is of a dialect of Triton and not a memory space.
bool may_be_encoding(const AliasLine& alias) {
  const std::string_view attribute = alias.definition.substr(1);
  constexpr std::array<std::string_view, 4> kDialects = {"tt", "triton", "gluon.", "tlx."};
  return !attribute.ends_with(".shared_memory") && !attribute.ends_with(".tensor_memory") &&
         std::ranges::any_of(
             kDialects, [&](std::string_view dialect) { return attribute.starts_with(dialect); });
}

class DumpReader {
 public:
  explicit DumpReader(std::string_view text) : statements_(statements_of(text)) {}

  Result<TtgirDump> read() {
    const std::vector<Scope> scopes = scopes_of(statements_);
    auto scope = scopes.begin();
    for (const IrStatement& statement : statements_) {
      while (scope != scopes.end() && scope->first_line <= statement.line) enter(*scope++);
      read_statement(statement);
    }
    list_unused_aliases();
    if (dump_.types.empty() && dump_.aliases.empty()) {
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
  void enter(const Scope& scope) {
    list_unused_aliases();
    scope_ = &scope;
    aliases_ = AliasTable(scope.aliases);
    places_in_scope_.clear();
  }

  /// Lists the encodings of a scope without a type that could have them.
  void list_unused_aliases() {
    if (scope_ == nullptr || !places_in_scope_.empty()) return;
    const Aliases known = aliases_.lookup();
    for (const AliasLine& alias : scope_->aliases) {
      if (!may_be_encoding(alias) || dump_.aliases.size() > kMaxListedTypes) continue;
      const Encoding* encoding = known(alias.name);
      const auto reason = aliases_.reason(alias.name);
      if (encoding == nullptr && !reason) continue;
      dump_.aliases.push_back(
          {std::string(alias.name), alias.line,
           encoding != nullptr ? Result<Encoding>(*encoding) : Result<Encoding>(refuse(*reason))});
    }
  }

  void read_statement(const IrStatement& statement) {
    if (alias_of(statement.text)) return;
    read_module(statement.text);
    const std::string_view operation = regions_.operation_of(statement.text);
    std::vector<std::size_t> listed;
    for (const std::string_view type : types_in(statement.text).types) {
      if (!has_encoding(type) || dump_.types.size() > kMaxListedTypes) continue;
      listed.push_back(place_of(unwrapped(type)));
      add_use(dump_.types[listed.back()], operation, statement.line);
    }
    if (operation.ends_with(".convert_layout") && listed.size() >= 2) {
      dump_.conversions.push_back({statement.line, std::string(operation_in(statement.text).result),
                                   listed.front(), listed.back()});
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
    std::string_view rest = line.substr(place + name.size());
    return take_integer(rest);
  }

  /// The index of a type in the list; a new type is added.
  std::size_t place_of(const std::string& text) {
    const auto known = places_in_scope_.find(text);
    if (known != places_in_scope_.end()) return known->second;
    Result<TensorType> type = parse_tensor_type(text, aliases_.lookup());
    if (!type) type = refuse(explained(std::move(type).error(), text));
    const auto [found, is_new] = places_.emplace(text + meaning_of(type), dump_.types.size());
    places_in_scope_.emplace(text, found->second);
    if (!is_new) return found->second;
    Result<LinearLayout> layout =
        type ? layout_of(*type) : Result<LinearLayout>(refuse(type.error()));
    ListedType listed{text, std::move(type), std::move(layout), {}, {}};
    if (!listed.layout && listed.type) listed.padded = padded_layout(*listed.type);
    dump_.types.push_back(std::move(listed));
    return found->second;
  }

  /// A key that distinguishes types of the same text in two scopes.
  static std::string meaning_of(const Result<TensorType>& type) {
    if (!type) return type.error().to_string();
    return type->encoding ? linear::to_string(*type->encoding) : std::string();
  }

  /// For an alias whose definition cannot be read, the diagnostic with that reason.
  [[nodiscard]] Diagnostic explained(Diagnostic diagnostic, std::string_view text) const {
    if (diagnostic.code() != "name.unknown" || !diagnostic.span()) return diagnostic;
    auto reason = aliases_.reason(text_at(text, *diagnostic.span()));
    return reason ? *std::move(reason) : diagnostic;
  }

  static void add_use(ListedType& type, std::string_view operation, std::size_t line) {
    const auto found = std::ranges::find(type.uses, operation, &TypeUse::operation);
    if (found == type.uses.end()) {
      type.uses.push_back({std::string(operation), {line}});
    } else if (found->lines.back() != line) {
      found->lines.push_back(line);
    }
  }

  std::vector<IrStatement> statements_;
  const Scope* scope_ = nullptr;
  AliasTable aliases_;
  Regions regions_;
  std::map<std::string, std::size_t, std::less<>> places_in_scope_;
  std::map<std::string, std::size_t, std::less<>> places_;
  TtgirDump dump_;
};

}  // namespace

Result<TtgirDump> read_ttgir(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  return DumpReader(text).read();
}

}  // namespace heddle::notation

#include "heddle/emit/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace heddle::emit {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

Result<void> check_text(std::string_view file) {
  if (file.size() > kMaxTemplate) {
    return refuse(Diagnostic("template.too_long",
                             fmt::format("the template has {} bytes; at most {} are read",
                                         file.size(), kMaxTemplate))
                      .with_span({kMaxTemplate, kMaxTemplate}));
  }
  for (std::size_t i = 0; i < file.size();) {
    const std::size_t length = character_length(file.substr(i));
    if (length == 0 || file[i] == '\0') {
      return refuse(Diagnostic("template.binary",
                               fmt::format("byte {} of the template, {:#04x}, is not valid UTF-8",
                                           i, static_cast<unsigned char>(file[i])))
                        .with_span({i, i + 1})
                        .with_hint("a template is a source file"));
    }
    i += length;
  }
  return {};
}

Result<void> check_delimiters(const Delimiters& delimiters) {
  const auto& [open, close] = delimiters;
  const bool has_blanks = open.find_first_of(kBlanks) != std::string::npos ||
                          close.find_first_of(kBlanks) != std::string::npos;
  if (!open.empty() && !close.empty() && open != close && !has_blanks) return {};
  return refuse(
      Diagnostic("template.delimiters",
                 fmt::format("'{}' and '{}' do not enclose anything", open, close))
          .with_hint("two different ones with a space between them: --delimiters '<% %>'"));
}

/// The end of the placeholder whose content begins at `begin`, after the opening: the first closing
/// delimiter outside of quotes.
Result<std::size_t> end_of(std::string_view file, std::size_t begin, const Delimiters& delimiters) {
  const std::size_t opening = begin - delimiters.open.size();
  char quote = 0;
  for (std::size_t i = begin; i < file.size(); ++i) {
    if (quote != 0) {
      if (file[i] == quote || file[i] == '\n') quote = 0;
      continue;
    }
    const std::string_view rest = file.substr(i);
    if (rest.starts_with(delimiters.close)) return i;
    if (rest.starts_with(delimiters.open)) {
      return refuse(
          Diagnostic("template.nested", "a placeholder begins within another one")
              .with_span({i, i + delimiters.open.size()})
              .with_hint(fmt::format("the one before it is not closed by {}", delimiters.close)));
    }
    if (file[i] == '"' || file[i] == '\'') quote = file[i];
  }
  return refuse(
      Diagnostic("template.unclosed",
                 fmt::format("nothing closes the placeholder: {} is missing", delimiters.close))
          .with_span({opening, begin})
          .with_hint(fmt::format("{0}{0} is written for {0} itself", delimiters.open)));
}

class TemplateReader {
 public:
  TemplateReader(std::string_view file, const Delimiters& delimiters)
      : file_(file), delimiters_(delimiters) {}

  Result<std::vector<TemplatePiece>> read() {
    while (at_ < file_.size()) HEDDLE_CHECK(read_next());
    end_text();
    return std::move(pieces_);
  }

 private:
  Result<void> read_next() {
    const std::string& open = delimiters_.open;
    const std::size_t found = file_.find(open, at_);
    take_text(found);
    if (found == std::string_view::npos) return {};
    const std::string_view behind = file_.substr(found + open.size());
    if (behind.starts_with(open)) {
      text_ += open;
      at_ = found + 2 * open.size();
      return {};
    }
    if (behind.empty() || kBlanks.find(behind.front()) == std::string_view::npos) {
      text_ += open.front();
      at_ = found + 1;
      return {};
    }
    return read_placeholder(found + open.size());
  }

  Result<void> read_placeholder(std::size_t begin) {
    HEDDLE_TRY(const std::size_t end, end_of(file_, begin, delimiters_));
    const Span span = trimmed(file_, {begin, end});
    if (span.begin == span.end) {
      return refuse(Diagnostic("template.empty", "the placeholder is empty")
                        .with_span({begin - delimiters_.open.size(), end}));
    }
    at_ = begin - delimiters_.open.size();
    end_text();
    const std::string_view skipped = file_.substr(counted_, span.begin - counted_);
    line_ += static_cast<std::size_t>(std::ranges::count(skipped, '\n'));
    counted_ = span.begin;
    pieces_.push_back(
        {true, std::string(file_.substr(span.begin, span.end - span.begin)), span, line_});
    at_ = begin_ = end + delimiters_.close.size();
    return {};
  }

  void take_text(std::size_t end) {
    end = std::min(end, file_.size());
    text_ += file_.substr(at_, end - at_);
    at_ = end;
  }

  void end_text() {
    if (!text_.empty()) pieces_.push_back({false, std::move(text_), {begin_, at_}, line_});
    text_.clear();
  }

  std::string_view file_;
  const Delimiters& delimiters_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  /// Lines are counted up to this offset.
  std::size_t counted_ = 0;
  std::size_t line_ = 1;
  std::string text_;
  std::vector<TemplatePiece> pieces_;
};

}  // namespace

Result<std::vector<TemplatePiece>> parse_template(std::string_view file,
                                                  const Delimiters& delimiters) {
  HEDDLE_CHECK(check_delimiters(delimiters));
  HEDDLE_CHECK(check_text(file));
  return TemplateReader(file, delimiters).read();
}

Result<Delimiters> delimiters_in(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const std::size_t begin = text.find_first_not_of(' ', blank);
  Delimiters delimiters;
  delimiters.open = text.substr(0, blank);
  delimiters.close = begin == std::string_view::npos ? "" : text.substr(begin);
  HEDDLE_CHECK(check_delimiters(delimiters));
  return delimiters;
}

}  // namespace heddle::emit

#pragma once

// Pictures of layouts of every system, in each output format.
//
//   auto picture = *picture_of({Value("composition((6,2):(8,2), (4,3):(3,1))")}, {}, environment);
//   to_text(picture, PictureFormat::kSvg)       its operands and its result

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/analyze/banks.h"
#include "heddle/draw/formats.h"
#include "heddle/draw/picture.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/syntax.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

enum class PictureFormat { kText, kSvg, kHtml, kLatex, kJson };

/// `text`, `svg`, `html`, `latex`, `json`.
[[nodiscard]] std::string_view name_of(PictureFormat format);
/// The format of that name, or nullopt.
[[nodiscard]] std::optional<PictureFormat> find_picture_format(std::string_view name);

/// The picture in a format; `style` applies to the text format.
[[nodiscard]] std::string to_text(const draw::Picture& picture, PictureFormat format,
                                  const draw::TerminalStyle& style = {});

/// The picture as data: cells as columns, row after row, with numbers where their texts are
/// numbers. docs/drawing.md describes it.
[[nodiscard]] Datum to_datum(const draw::Picture& picture);

/// The interactive picture: one self-contained HTML page in UTF-8, without network access, of the
/// modules of explorer/ over the picture's data. Make the picture with PictureOptions::facts and
/// elements: pointing at a cell shows what it is and lights up what belongs to it in every panel.
[[nodiscard]] std::string to_html(const draw::Picture& picture);

/// `options` adapted to a format: HTML and JSON have facts and elements, and LaTeX draws no more
/// cells than TeX can handle.
[[nodiscard]] draw::PictureOptions options_for(PictureFormat format, draw::PictureOptions options);

/// The options of a picture; docs/drawing.md says which options apply to which layout.
struct PictureRequest {
  PictureFormat format = PictureFormat::kText;
  draw::PictureOptions options = {};
  /// Draws the whole layout, however large.
  bool all = false;
  bool result_only = false;
  /// Draws a thread-value picture: of one layout with its tile, or of three with the sizes of an
  /// MMA.
  bool tv = false;
  std::optional<linear::Sizes> mma = {};
  std::optional<linear::Sizes> tile = {};
  /// The view of a linear or an Axe layout.
  std::optional<std::string> view = {};
  /// Whether cells of HTML and JSON have facts; by default those of pictures of up to
  /// kMaxCellsWithFacts cells.
  std::optional<bool> facts = {};
};
inline constexpr std::size_t kMaxCellsWithFacts = std::size_t{1} << 16;

/// The picture of a layout, or of three if `mma` is given. A text is an expression: if that is an
/// operation on layouts the picture shows its operands, the type of a tensor becomes the title, and
/// the call of `instruction` is drawn as the owners of its matrices. An encoding is drawn on a
/// tensor of options.shape, or of the smallest that it covers. Refuses `usage.option` for options
/// that do not apply to such a layout, `call.arity` for a wrong number of layouts, `call.type` for
/// values that are no layout, what evaluating texts refuses, and what the pictures of namespace
/// draw refuse.
[[nodiscard]] Result<draw::Picture> picture_of(const std::vector<Value>& layouts,
                                               const PictureRequest& request,
                                               const Environment& environment);
/// The picture of one expression.
[[nodiscard]] Result<draw::Picture> picture_of(const Expression& expression,
                                               const PictureRequest& request,
                                               const Environment& environment);

/// The instruction of an access that takes the most wavefronts: lanes down, banks along, a panel
/// for each of its phases or for the worst one alone. Refuses as draw::bank_picture().
[[nodiscard]] Result<draw::Picture> worst_picture(const analyze::BankReport& report,
                                                  bool all_phases,
                                                  const draw::PictureOptions& options = {});

}  // namespace heddle::notation
#pragma GCC visibility pop

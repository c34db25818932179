// The matrix of a linear layout as a picture.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "draw/grid.h"
#include "draw/linear_parts.h"
#include "heddle/draw/linear.h"
#include "linear/bit_runs.h"

namespace heddle::draw {
namespace {

using linear::Dimension;
using linear::LinearLayout;

enum ColumnKind : std::size_t { kPivot, kDependent, kZero, kKinds };

/// `16`, `2^20`: the coordinate of a bit.
std::string bit_text(int bit) {
  constexpr int kShort = 13;
  return bit <= kShort ? std::to_string(1 << bit) : fmt::format("2^{}", bit);
}

/// One position for each bit, in groups of the dimensions; nullopt if no dimension has bits.
std::optional<Side> bit_side(std::span<const Dimension> dims) {
  Side side{0, {}};
  std::vector<std::string> names;
  for (const Dimension& dim : dims) {
    const std::size_t begin = names.size();
    for (int bit = 0; bit < dim.bits; ++bit) names.push_back(bit_text(bit));
    if (dim.bits > 0) side.groups.push_back({begin, names.size(), dim.name});
  }
  if (names.empty()) return std::nullopt;
  side.length = names.size();
  side.text = [names = std::move(names)](std::size_t bit) { return names[bit]; };
  return side;
}

std::string sizes_note(std::span<const Dimension> dims, std::string_view side) {
  std::vector<std::string> names;
  for (const Dimension& dim : dims) {
    if (dim.bits == 0) names.push_back(dim.name);
  }
  if (names.empty()) return {};
  return fmt::format("{} of size 1, without a {}: {}", side == "column" ? "inputs" : "outputs",
                     side, fmt::join(names, ", "));
}

class MatrixDrawing {
 public:
  MatrixDrawing(const LinearLayout& layout, const PictureOptions& options)
      : layout_(layout),
        options_(options),
        columns_(layout.matrix().columns()),
        kinds_(columns_.size(), kDependent) {
    for (const std::size_t pivot : form::pivots(layout.matrix())) kinds_[pivot] = kPivot;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == 0) kinds_[i] = kZero;
    }
  }

  [[nodiscard]] Result<Picture> draw() const {
    Picture picture;
    picture.title = title_of(layout_, options_);
    picture.colors = kKinds;
    picture.legend = "columns: 0 pivot, 1 repeats columns before it, 2 zero";
    Grid grid;
    grid.rows = bit_side(layout_.out_dims());
    grid.columns = bit_side(layout_.in_dims());
    if (options_.facts) grid.fact_names = {"input bit", "leads to", "output bit"};
    grid.cell = [this](Positions at) {
      // A side without bits has one empty position.
      if (at.size() == 2) return make_cell(at[0], at[1]);
      return Cell{"", "", kPlain, std::vector<std::string>(options_.facts ? 3 : 0)};
    };
    HEDDLE_CHECK(add_panels(picture, grid, kMaxCells, options_.limits));
    picture.notes = notes();
    return picture;
  }

 private:
  [[nodiscard]] Cell make_cell(std::size_t row, std::size_t column) const {
    Cell cell;
    const bool is_set = (columns_[column] >> row & 1) != 0;
    cell.text = is_set ? "1" : "·";
    if (is_set || kinds_[column] == kZero) cell.color = kinds_[column];
    if (options_.facts) {
      cell.facts = {linear::bit_name(layout_.in_dims(), column),
                    named_text(layout_.out_dims(), columns_[column]),
                    linear::bit_name(layout_.out_dims(), row)};
    }
    return cell;
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    const std::size_t rank = layout_.matrix().rank();
    std::vector<std::string> notes = {
        fmt::format("rank {} of {} and {}: {}", rank, counted(layout_.matrix().rows(), "row"),
                    counted(columns_.size(), "column"), verdict(rank))};
    if (const std::string zero = names_of(kZero); !zero.empty())
      notes.push_back(fmt::format("zero: {}", zero));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (kinds_[i] == kDependent) notes.push_back(dependence(i));
    }
    for (const auto& [dims, side] :
         {std::pair{layout_.in_dims(), "column"}, std::pair{layout_.out_dims(), "row"}}) {
      if (std::string note = sizes_note(dims, side); !note.empty())
        notes.push_back(std::move(note));
    }
    return notes;
  }

  [[nodiscard]] std::string verdict(std::size_t rank) const {
    const bool is_surjective = rank == layout_.matrix().rows();
    const bool is_injective = rank == columns_.size();
    if (is_surjective && is_injective) return "invertible";
    if (is_surjective) return "surjective, not injective";
    return is_injective ? "injective, not surjective" : "neither surjective nor injective";
  }

  [[nodiscard]] std::string names_of(ColumnKind kind) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (kinds_[i] == kind) names.push_back(linear::bit_name(layout_.in_dims(), i));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  /// `lane=8 leads where (register=1, lane=2) does`
  [[nodiscard]] std::string dependence(std::size_t column) const {
    const Preimages before(form::BitMatrix(
        layout_.matrix().rows(),
        std::vector<std::uint64_t>(columns_.begin(),
                                   columns_.begin() + static_cast<std::ptrdiff_t>(column))));
    return fmt::format("{} leads where ({}) does", linear::bit_name(layout_.in_dims(), column),
                       named_text(layout_.in_dims(), before.least(columns_[column]).value_or(0)));
  }

  const LinearLayout& layout_;
  const PictureOptions& options_;
  std::span<const std::uint64_t> columns_;
  std::vector<std::size_t> kinds_;
};

}  // namespace

Result<Picture> matrix_picture(const LinearLayout& layout, const PictureOptions& options) {
  return MatrixDrawing(layout, options).draw();
}

}  // namespace heddle::draw

#include "linear_views.h"

#include <algorithm>
#include <span>
#include <vector>

#include "heddle/core/diagnostic.h"

namespace heddle::python {
namespace {

using linear::Dimension;
using linear::LinearLayout;

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}
std::string padded(std::int64_t number, std::int64_t size) {
  return padded(std::to_string(number), std::to_string(size - 1).size());
}

/// The image of a point given as one number for each input, in the order of `names`.
class Points {
 public:
  /// Refuses `linear.dims_differ` unless these are the inputs, in any order.
  static Result<Points> make(const LinearLayout& layout, const linear::Names& names) {
    HEDDLE_TRY(LinearLayout ordered, linear::transpose_ins(layout, names));
    return Points(std::move(ordered));
  }

  [[nodiscard]] std::int64_t size(std::size_t in) const { return layout_.in_dims()[in].size(); }
  [[nodiscard]] std::span<const Dimension> outs() const { return layout_.out_dims(); }
  [[nodiscard]] std::int64_t tensor_size() const {
    return std::int64_t{1} << layout_.total_out_dim_size_log2();
  }

  [[nodiscard]] std::vector<std::int64_t> image(std::initializer_list<std::int64_t> point) const {
    std::uint64_t word = 0;
    int shift = 0;
    auto in = layout_.in_dims().begin();
    for (const std::int64_t at : point) {
      if (in->bits > 0) word |= static_cast<std::uint64_t>(at) << shift;
      shift += (in++)->bits;
    }
    std::uint64_t image = layout_.matrix()(word);
    std::vector<std::int64_t> coordinates;
    for (const Dimension& out : outs()) {
      coordinates.push_back(static_cast<std::int64_t>(image & (std::uint64_t(out.size()) - 1)));
      image >>= out.bits;
    }
    return coordinates;
  }

  /// `( 0,16)`, padded to the sizes.
  [[nodiscard]] std::string written(const std::vector<std::int64_t>& at, char separator) const {
    std::string text = "(";
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (i > 0) text += separator;
      text += padded(at[i], outs()[i].size());
    }
    return text + ")";
  }

  /// The elements, the last dimension fastest, with brackets around each dimension.
  [[nodiscard]] std::string tensor(const std::vector<std::string>& elements,
                                   const std::string& separator) const {
    const std::size_t rank = outs().size();
    std::string text;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::size_t opened = boundaries(i);
      if (i % row() == 0) text += std::string(opened, '[') + std::string(rank - opened, ' ');
      const std::size_t closed = boundaries(i + 1);
      text += elements[i] + std::string(closed, ']') + (closed > 0 ? "\n" : separator);
    }
    return text;
  }

  /// The place of an element in that order.
  [[nodiscard]] std::size_t place(const std::vector<std::int64_t>& at) const {
    std::size_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      place = place * static_cast<std::size_t>(outs()[i].size()) + static_cast<std::size_t>(at[i]);
    }
    return place;
  }

 private:
  explicit Points(LinearLayout layout) : layout_(std::move(layout)) {}

  [[nodiscard]] std::size_t row() const {
    return outs().empty() ? 1 : static_cast<std::size_t>(outs().back().size());
  }
  /// How many dimensions, from the last one on, begin at an element.
  [[nodiscard]] std::size_t boundaries(std::size_t element) const {
    std::size_t count = 0;
    for (auto out = outs().rbegin(); out != outs().rend(); ++out, ++count) {
      const auto size = static_cast<std::size_t>(out->size());
      if (element % size != 0) break;
      element /= size;
    }
    return count;
  }

  LinearLayout layout_;
};

/// Refuses `table.too_large`.
Result<void> check_size(const LinearLayout& layout) {
  const int bits = std::max(layout.total_in_dim_size_log2(), layout.total_out_dim_size_log2());
  if (bits <= 24) return {};
  return refuse(Diagnostic("table.too_large", "the layout has 2^" + std::to_string(bits) +
                                                  " points, and at most 2^24 are written"));
}

}  // namespace

Result<std::string> shared_view(const LinearLayout& layout, View view) {
  HEDDLE_CHECK(check_size(layout));
  HEDDLE_TRY(const Points points, Points::make(layout, {"offset", "block"}));
  if (layout.total_in_dim_size_log2() != layout.total_out_dim_size_log2()) {
    return refuse(Diagnostic("linear.total_size",
                             "there are 2^" + std::to_string(layout.total_in_dim_size_log2()) +
                                 " offsets, and the tensor has 2^" +
                                 std::to_string(layout.total_out_dim_size_log2()) + " elements"));
  }
  std::string text;
  std::vector<std::string> elements;
  for (std::int64_t block = 0; block < points.size(1); ++block) {
    if (view == View::kHardware) text += "Block: " + std::to_string(block) + ":\n";
    for (std::int64_t offset = 0; offset < points.size(0); ++offset) {
      const std::vector<std::int64_t> at = points.image({offset, block});
      if (view == View::kHardware) {
        text += "Offset: " + std::to_string(offset) + " -> " + points.written(at, ',') + "\n";
      } else {
        elements.push_back(points.written(at, ':'));
      }
    }
  }
  return view == View::kHardware ? text : points.tensor(elements, ",");
}

Result<std::string> distributed_view(const LinearLayout& layout, View view) {
  HEDDLE_CHECK(check_size(layout));
  HEDDLE_TRY(const Points points, Points::make(layout, {"register", "lane", "warp", "block"}));
  const bool has_blocks = points.size(3) > 1;
  const auto owner = [&](std::int64_t block, std::int64_t thread, std::int64_t in) {
    return (has_blocks ? "B" + std::to_string(block) + ":" : "") + "T" + std::to_string(thread) +
           ":" + std::to_string(in);
  };
  const std::size_t width =
      owner(points.size(3) - 1, points.size(1) * points.size(2) - 1, points.size(0) - 1).size();
  std::string text;
  std::vector<std::string> elements(
      view == View::kTensor ? static_cast<std::size_t>(points.tensor_size()) : 0);
  const auto hold = [&](std::int64_t block, std::int64_t warp, std::int64_t lane, std::int64_t in) {
    std::string& element = elements[points.place(points.image({in, lane, warp, block}))];
    if (!element.empty()) element += "|";
    element += padded(owner(block, warp * points.size(1) + lane, in), width);
  };
  const auto list = [&](std::int64_t block, std::int64_t warp) {
    text += "Warp" + std::to_string(warp) + ":\n";
    for (std::int64_t in = 0; in < points.size(0); ++in) {
      for (std::int64_t lane = 0; lane < points.size(1); ++lane) {
        text += (lane > 0 ? ", " : "") + points.written(points.image({in, lane, warp, block}), ',');
      }
      text += "\n";
    }
  };
  for (std::int64_t block = 0; block < points.size(3); ++block) {
    if (has_blocks) text += "Block" + std::to_string(block) + ":\n";
    for (std::int64_t warp = 0; warp < points.size(2); ++warp) {
      if (view == View::kHardware) {
        list(block, warp);
        continue;
      }
      for (std::int64_t lane = 0; lane < points.size(1); ++lane) {
        for (std::int64_t in = 0; in < points.size(0); ++in) hold(block, warp, lane, in);
      }
    }
  }
  return view == View::kHardware ? text : points.tensor(elements, ", ");
}

}  // namespace heddle::python

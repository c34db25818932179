#include "heddle/draw/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/bits.h"
#include "draw/bit_grid.h"
#include "draw/linear_parts.h"
#include "linear/bit_runs.h"

namespace heddle::draw {
namespace {

using linear::LinearLayout;

constexpr std::size_t kMostBasesInList = 32;

std::string with_count_of_rest(std::span<const std::string> items, std::uint64_t all,
                               std::string_view separator) {
  const std::string text = fmt::format("{}", fmt::join(items, separator));
  if (items.size() == all) return text;
  return fmt::format("{}{}+{}", text, text.empty() ? "" : " ", all - items.size());
}

// The picked thread or element.

/// The elements that keep their colours, and the notes about them.
class Pick {
 public:
  [[nodiscard]] static Result<Pick> make(const LinearLayout& layout,
                                         const PictureOptions& options) {
    Pick pick(layout);
    if (options.element) HEDDLE_CHECK(pick.take_element(*options.element));
    if (options.thread) HEDDLE_CHECK(pick.take_thread(*options.thread));
    return pick;
  }

  [[nodiscard]] bool has_element(std::uint64_t element) const {
    if (element_ && *element_ != element) return false;
    return !thread_ || of_thread_.contains(element ^ layout_->matrix()(*thread_));
  }
  [[nodiscard]] bool has_place(std::uint64_t input) const {
    if (element_ && *element_ != layout_->matrix()(input)) return false;
    return !thread_ || (input & thread_bits_) == *thread_;
  }

  [[nodiscard]] std::vector<std::string> notes(const Preimages& preimages) const {
    std::vector<std::string> notes;
    if (element_) notes.push_back(element_note(preimages));
    if (thread_) notes.push_back(thread_note());
    return notes;
  }

 private:
  explicit Pick(const LinearLayout& layout) : layout_(&layout), tensor_(tensor_axes(layout)) {}

  [[nodiscard]] Result<void> take_element(std::span<const std::int64_t> coordinates) {
    std::uint64_t word = 0;
    bool is_inside = coordinates.size() == tensor_.size();
    for (std::size_t i = 0; is_inside && i < tensor_.size(); ++i) {
      is_inside = coordinates[i] >= 0 && coordinates[i] >> tensor_[i].bits == 0;
      if (is_inside) word |= tensor_[i].word(static_cast<std::uint64_t>(coordinates[i]));
    }
    element_ = word;
    if (is_inside) return {};
    return refuse("draw.tv",
                  fmt::format("there is no element ({}) in the tensor {}",
                              fmt::join(coordinates, ","), linear::dims_text(layout_->out_dims())));
  }

  [[nodiscard]] Result<void> take_thread(std::int64_t thread) {
    if (hardware_of(*layout_) != Hardware::kThreads) {
      return refuse("draw.tv", fmt::format("there is no thread {}: {} has no lanes and warps",
                                           thread, title_of(*layout_, {})));
    }
    const std::vector<BitAxis> axes = axes_of(layout_->in_dims());
    std::uint64_t rest = static_cast<std::uint64_t>(std::max<std::int64_t>(thread, 0));
    thread_ = 0;
    int bits = 0;
    for (const std::string_view name : {"lane", "warp"}) {
      const auto axis = std::ranges::find(axes, name, &BitAxis::name);
      if (axis == axes.end()) continue;
      const std::uint64_t size = std::uint64_t{1} << axis->bits;
      *thread_ |= axis->word(rest % size);
      thread_bits_ |= axis->word(size - 1);
      rest /= size;
      bits += axis->bits;
    }
    add_columns_of_a_thread();
    if (thread >= 0 && rest == 0) return {};
    return refuse("draw.tv", fmt::format("there is no thread {}: threads are 0 to {}", thread,
                                         (std::uint64_t{1} << bits) - 1));
  }

  void add_columns_of_a_thread() {
    const auto columns = layout_->matrix().columns();
    for (std::size_t bit = 0; bit < columns.size(); ++bit) {
      if ((thread_bits_ >> bit & 1) == 0) of_thread_.insert(columns[bit]);
    }
  }

  [[nodiscard]] std::string element_note(const Preimages& preimages) const {
    const std::string element = element_text(tensor_, *element_);
    const auto least = preimages.least(*element_);
    if (!least) return fmt::format("element {} is not held", element);
    std::vector<std::string> owners;
    for (const std::uint64_t input : preimages.inputs(*least, kMostBasesInList)) {
      owners.push_back(fmt::format("{} ({})", place_text(*layout_, input),
                                   named_text(layout_->in_dims(), input)));
    }
    return fmt::format("element {} is held by {}", element,
                       with_count_of_rest(owners, preimages.count(), ", "));
  }

  [[nodiscard]] std::string thread_note() const {
    const auto registers = linear::run_of(layout_->in_dims(), "register");
    const std::uint64_t count = registers ? std::uint64_t{1} << registers->bits : 1;
    std::vector<std::string> values;
    for (std::uint64_t value = 0; value < std::min<std::uint64_t>(count, kMostBasesInList);
         ++value) {
      const std::uint64_t input = *thread_ | (value == 0 ? 0 : value << registers->begin);
      values.push_back(fmt::format("{} = {}", place_text(*layout_, input),
                                   element_text(tensor_, layout_->matrix()(input))));
    }
    return with_count_of_rest(values, count, ", ");
  }

  const LinearLayout* layout_;
  std::vector<BitAxis> tensor_;
  std::optional<std::uint64_t> element_;
  std::optional<std::uint64_t> thread_;
  std::uint64_t thread_bits_ = 0;
  /// The span of the contributions of registers and blocks to the element of a thread.
  form::Subspace of_thread_;
};

// Notes.

/// `xor (lane=8), xor (warp=1)`
std::string kernel_text(const LinearLayout& layout, const Preimages& preimages) {
  std::vector<std::string> parts;
  for (const std::uint64_t vector : preimages.kernel())
    parts.push_back(fmt::format("xor ({})", named_text(layout.in_dims(), vector)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_coverage_notes(Picture& picture, const LinearLayout& layout, const Preimages& preimages) {
  if (!preimages.kernel().empty()) {
    picture.notes.push_back(fmt::format("each element is held {} times: by an owner, and by it {}",
                                        preimages.count(), kernel_text(layout, preimages)));
  }
  const std::size_t rank = layout.matrix().rank();
  if (rank < layout.matrix().rows()) {
    picture.notes.push_back(
        fmt::format("of 2^{} elements 2^{} are held", layout.matrix().rows(), rank));
  }
}

/// The part shown of each axis, `dim0 0 to 31`, unless it is all.
std::string shown_text(const BitGrid& grid) {
  std::vector<std::string> parts;
  const auto add = [&](const BitAxis& axis) {
    if (axis.shown == axis.bits) return;
    const std::string last = axis.shown == 0 ? "" : fmt::format(" to {}", axis.shown_size() - 1);
    parts.push_back(fmt::format("{} 0{}", axis.name, last));
  };
  if (grid.rows) add(*grid.rows);
  if (grid.columns) add(*grid.columns);
  for (const BitAxis& axis : grid.further) add(axis);
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The views.

/// Shared by both views.
class LinearDrawing {
 public:
  LinearDrawing(const LinearLayout& layout, const PictureOptions& options, Pick pick, Banks banks)
      : layout_(layout),
        options_(options),
        pick_(std::move(pick)),
        banks_(banks),
        tensor_(tensor_axes(layout)),
        preimages_(layout.matrix()) {}
  virtual ~LinearDrawing() = default;

  [[nodiscard]] Result<Picture> draw() {
    HEDDLE_TRY(colors_, choose_colors());
    HEDDLE_TRY(BitGrid grid, make_grid());
    const auto taken = grid.cut(options_.max_cells.value_or(kUsualNamedCells),
                                [&](std::uint64_t bit) { return reluctance(bit); });
    Picture picture;
    picture.title = title_of(layout_, options_);
    HEDDLE_CHECK(check_room(grid, picture.title));
    picture.colors = colors_.rule.count();
    picture.legend = colors_.rule.legend();
    HEDDLE_CHECK(grid.add_to(
        picture, options_.facts ? fact_names() : std::vector<std::string>(),
        [&](std::uint64_t word) { return make_cell(word); },
        [&](const BitAxis& axis) { return digits_of(axis); }, options_.limits));
    finish(picture, grid);
    if (!taken.empty()) {
      std::vector<std::string> steps;
      for (const std::uint64_t bit : taken) steps.push_back(step_text(bit));
      picture.notes.push_back(
          fmt::format("shown: {}; {} {}", shown_text(grid), subject(), fmt::join(steps, ", ")));
    }
    add_coverage_notes(picture, layout_, preimages_);
    for (std::string& note : pick_.notes(preimages_)) picture.notes.push_back(std::move(note));
    return picture;
  }

 protected:
  [[nodiscard]] virtual Result<AxisColors> choose_colors() const = 0;
  [[nodiscard]] virtual Result<BitGrid> make_grid() const = 0;
  /// The reluctance to leave a bit out of a large layout: bits of higher values are left out later.
  [[nodiscard]] virtual int reluctance(std::uint64_t bit) const = 0;
  [[nodiscard]] virtual std::vector<std::string> fact_names() const = 0;
  [[nodiscard]] virtual Cell make_cell(std::uint64_t word) const = 0;
  [[nodiscard]] virtual std::vector<Digit> digits_of(const BitAxis& axis) const = 0;
  virtual void finish(Picture& picture, const BitGrid& grid) const = 0;
  /// The subject of a cell, for notes on a bit that is left out: `+ (16,0): owner xor (…)`.
  [[nodiscard]] virtual std::string_view subject() const = 0;
  [[nodiscard]] virtual std::string step_text(std::uint64_t bit) const = 0;

  /// The names of facts, and after them those of the dimensions of the hardware.
  [[nodiscard]] std::vector<std::string> with_dim_names(std::vector<std::string> names) const {
    for (const linear::Dimension& dim : layout_.in_dims()) names.push_back(dim.name);
    return names;
  }
  /// A fact for each dimension of the hardware: the coordinates of these inputs, each once.
  void add_dim_facts(Cell& cell, const std::vector<std::uint64_t>& inputs) const {
    for (const BitAxis& axis : axes_of(layout_.in_dims())) {
      std::set<std::uint64_t> coordinates;
      for (const std::uint64_t input : inputs)
        coordinates.insert(input >> axis.begin & ((std::uint64_t{1} << axis.bits) - 1));
      cell.facts.push_back(fmt::format("{}", fmt::join(coordinates, ",")));
    }
  }

  [[nodiscard]] bool is_memory() const { return hardware_of(layout_) == Hardware::kSharedMemory; }

  const LinearLayout& layout_;
  const PictureOptions& options_;
  Pick pick_;
  Banks banks_;
  std::vector<BitAxis> tensor_;
  Preimages preimages_;
  AxisColors colors_;
};

class LinearTensorDrawing : public LinearDrawing {
 public:
  using LinearDrawing::LinearDrawing;

 private:
  [[nodiscard]] bool shows_banks() const { return draw::has_banks(options_); }

  [[nodiscard]] Result<AxisColors> choose_colors() const override {
    const std::vector<BitAxis> inputs = axes_of(layout_.in_dims());
    if (shows_banks() && !is_memory()) {
      return refuse("draw.color", fmt::format("banks are those of shared memory, of a layout from "
                                              "offset, and this is {}",
                                              title_of(layout_, {})));
    }
    const bool has_lanes = layout_.has_in_dim("lane");
    const std::string first = inputs.empty() ? "" : inputs.front().name;
    return axis_colors(inputs, has_lanes ? "lane" : first, options_);
  }

  void finish(Picture& picture, const BitGrid& /*grid*/) const override {
    if (!shows_banks()) return;
    picture.colors = static_cast<std::size_t>(banks_.count);
    picture.legend = banks_.legend();
    picture.scale = Scale::kOrdered;
  }

  [[nodiscard]] std::vector<std::string> fact_names() const override {
    return with_dim_names({"element", "held by", "bank"});
  }

  [[nodiscard]] Result<BitGrid> make_grid() const override {
    HEDDLE_TRY(Sliced left, sliced(tensor_, options_.slice));
    BitGrid grid;
    grid.fixed = left.fixed;
    grid.further = std::move(left.axes);
    for (std::optional<BitAxis>* side : {&grid.columns, &grid.rows}) {
      if (grid.further.empty()) break;
      *side = grid.further.back();
      grid.further.pop_back();
    }
    return grid;
  }

  /// Bits that only a register decides go first, because the tile of all threads repeats there.
  [[nodiscard]] int reluctance(std::uint64_t bit) const override {
    const auto least = preimages_.least(bit);
    const auto registers = linear::run_of(layout_.in_dims(), "register");
    if (!least || !registers) return 1;
    return registers->bits > 0 && *least == registers->of(*least) << registers->begin ? 0 : 1;
  }

  [[nodiscard]] Cell make_cell(std::uint64_t element) const override {
    Cell cell;
    if (options_.elements) cell.elements = {static_cast<std::int64_t>(element)};
    const auto least = preimages_.least(element);
    if (least) {
      cell.text = place_text(layout_, *least);
      cell.note = shows_banks() ? banks_.text(offset_of(*least)) : others_text(*least);
      if (pick_.has_element(element))
        cell.color = shows_banks() ? static_cast<std::size_t>(banks_.at(offset_of(*least)))
                                   : colors_.of(*least);
    }
    if (!options_.facts) return cell;
    cell.facts = {
        element_text(tensor_, element),
        least ? with_count_of_rest(owners(*least, kMostBasesInList), preimages_.count(), ", ")
              : "nobody",
        least && shows_banks() ? cell.note.substr(1) : ""};
    add_dim_facts(
        cell, least ? preimages_.inputs(*least, kMostBasesInList) : std::vector<std::uint64_t>());
    return cell;
  }

  /// The owners after the first: `T8:0|T16:0 +5`.
  [[nodiscard]] std::string others_text(std::uint64_t least) const {
    const std::vector<std::string> all = owners(least, std::max<std::size_t>(options_.owners, 1));
    if (preimages_.count() == 1) return {};
    return with_count_of_rest(std::span(all).subspan(1), preimages_.count() - 1, "|");
  }

  [[nodiscard]] std::vector<std::string> owners(std::uint64_t least, std::size_t most) const {
    std::vector<std::string> texts;
    for (const std::uint64_t input : preimages_.inputs(least, most))
      texts.push_back(place_text(layout_, input));
    return texts;
  }

  [[nodiscard]] std::int64_t offset_of(std::uint64_t input) const {
    return static_cast<std::int64_t>(linear::run_of(layout_.in_dims(), "offset")->of(input));
  }

  // The digits along an axis: runs of bits that one input dimension alone decides.

  /// The dimension of the one input bit that decides an output bit, and no other; `xor` if several
  /// do, `none` if none does.
  [[nodiscard]] std::string source_of(std::size_t bit) const {
    const auto columns = layout_.matrix().columns();
    const std::uint64_t mask = std::uint64_t{1} << bit;
    std::string source = "none";
    for (std::size_t input = 0; input < columns.size(); ++input) {
      if ((columns[input] & mask) == 0) continue;
      if (source != "none" || columns[input] != mask) return "xor";
      const std::string name = linear::bit_name(layout_.in_dims(), input);
      source = name.substr(0, name.rfind('='));
    }
    return source;
  }

  [[nodiscard]] std::vector<Digit> digits_of(const BitAxis& axis) const override {
    std::vector<Digit> digits;
    for (int bit = 0; bit < axis.shown; ++bit) {
      const std::string label = source_of(axis.begin + static_cast<std::size_t>(bit));
      if (digits.empty() || digits.back().label != label)
        digits.push_back({1, std::size_t{1} << bit, label});
      digits.back().extent *= 2;
    }
    // If inputs are mixed everywhere, no digits are shown.
    const bool is_mixed = digits.size() == 1 && digits.front().label == "xor";
    if (digits.empty() || is_mixed) return {{axis.shown_size(), 1, axis.name}};
    if (digits.size() == 1)
      digits.front().label = fmt::format("{}: {}", axis.name, digits.front().label);
    return digits;
  }

  [[nodiscard]] std::string_view subject() const override { return "element"; }
  [[nodiscard]] std::string step_text(std::uint64_t bit) const override {
    const auto least = preimages_.least(bit);
    return fmt::format(
        "+ {}: {}", element_text(tensor_, bit),
        least ? fmt::format("owner xor ({})", named_text(layout_.in_dims(), *least)) : "left out");
  }
};

// The hardware view.

class LinearHardwareDrawing : public LinearDrawing {
 public:
  using LinearDrawing::LinearDrawing;

 private:
  /// A warp is shown whole as long as anything else can be left out.
  [[nodiscard]] int reluctance(std::uint64_t bit) const override {
    const auto lanes = linear::run_of(layout_.in_dims(), "lane");
    return lanes && lanes->bits > 0 && lanes->of(bit) != 0 ? 1 : 0;
  }

  [[nodiscard]] std::vector<std::string> fact_names() const override {
    return with_dim_names({"place", "coordinates", "element"});
  }

  /// By the row of the tensor; in memory, which is accessed by vectors, by the vector: the runs of
  /// elements that are contiguous.
  [[nodiscard]] Result<AxisColors> choose_colors() const override {
    PictureOptions options = options_;
    std::string usual = tensor_.empty() ? "" : tensor_.front().name;
    if (is_memory() && !options_.color_by) {
      const BitAxis* along = axis_of_the_first_step();
      if (along != nullptr) {
        usual = along->name;
        if (!options.run) options.run = vector_size(*along);
      }
    }
    return axis_colors(tensor_, usual, options);
  }

  /// The dimension along which the second element in memory is.
  [[nodiscard]] const BitAxis* axis_of_the_first_step() const {
    const auto offsets = linear::run_of(layout_.in_dims(), "offset");
    if (!offsets || offsets->bits == 0) return nullptr;
    const std::uint64_t step = layout_.matrix().columns()[offsets->begin];
    const auto found = std::ranges::find_if(
        tensor_, [&](const BitAxis& axis) { return axis.bits > 0 && step == axis.word(1); });
    return found == tensor_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::int64_t vector_size(const BitAxis& axis) const {
    const auto offsets = linear::run_of(layout_.in_dims(), "offset");
    const auto columns =
        layout_.matrix().columns().subspan(offsets->begin, static_cast<std::size_t>(offsets->bits));
    int bits = 0;
    while (bits < axis.bits && static_cast<std::size_t>(bits) < columns.size() &&
           columns[static_cast<std::size_t>(bits)] == axis.word(std::uint64_t{1} << bits)) {
      ++bits;
    }
    // A whole row of one colour tells nothing: then each eighth of it has its own.
    constexpr int kFewColors = 3;
    if (bits == axis.bits) bits = std::max(0, bits - kFewColors);
    return std::int64_t{1} << bits;
  }

  [[nodiscard]] Result<BitGrid> make_grid() const override {
    HEDDLE_TRY(Sliced left, sliced(axes_of(layout_.in_dims()), options_.slice));
    BitGrid grid;
    grid.fixed = left.fixed;
    if (is_memory()) HEDDLE_CHECK(take_memory(grid, left.axes));
    for (const std::string_view name : {"lane", "row"}) take(grid.rows, left.axes, name);
    for (const std::string_view name : {"register", "col"}) take(grid.columns, left.axes, name);
    // Remaining dimensions of size 1 have no side.
    std::erase_if(left.axes, [](const BitAxis& axis) { return axis.bits == 0; });
    if (!grid.rows && left.axes.size() + (grid.columns ? 1 : 0) > 1)
      take(grid.rows, left.axes, left.axes.front().name);
    if (!grid.columns && !left.axes.empty()) take(grid.columns, left.axes, left.axes.front().name);
    // The last dimension is the slowest.
    grid.further.assign(left.axes.rbegin(), left.axes.rend());
    return grid;
  }

  static void take(std::optional<BitAxis>& side, std::vector<BitAxis>& axes,
                   std::string_view name) {
    const auto found = std::ranges::find(axes, name, &BitAxis::name);
    if (side || found == axes.end()) return;
    side = *found;
    axes.erase(found);
  }

  /// Offsets go along within a round of the banks and down from round to round.
  [[nodiscard]] Result<void> take_memory(BitGrid& grid, std::vector<BitAxis>& axes) const {
    const auto found = std::ranges::find(axes, "offset", &BitAxis::name);
    if (found == axes.end()) return {};
    const auto elements = banks_.elements_in_round();
    if (!elements) {
      return refuse("draw.color",
                    fmt::format("{} banks of {} bits hold elements of {} bits in no rows of a "
                                "power of two",
                                banks_.count, Banks::kBits, banks_.element_bits));
    }
    const int bits = std::min(found->bits, log2_exact(*elements));
    grid.columns = BitAxis{"offset", found->begin, bits, bits};
    const int rest = found->bits - bits;
    grid.rows = BitAxis{"line", found->begin + static_cast<std::size_t>(bits), rest, rest};
    axes.erase(found);
    return {};
  }

  /// In memory the banks are labelled above their elements.
  [[nodiscard]] std::vector<Digit> digits_of(const BitAxis& axis) const override {
    const std::size_t in_bank =
        static_cast<std::size_t>(std::max<std::int64_t>(1, Banks::kBits / banks_.element_bits));
    const bool has_banks = is_memory() && axis.name == "offset";
    if (!has_banks || in_bank == 1 || axis.shown_size() <= in_bank)
      return {{axis.shown_size(), 1, has_banks && in_bank == 1 ? bank_label() : axis.name}};
    return {{in_bank, 1, "element"}, {axis.shown_size() / in_bank, in_bank, "bank"}};
  }

  [[nodiscard]] std::string bank_label() const {
    const std::int64_t width = banks_.element_bits / Banks::kBits;
    return width == 1 ? "bank" : fmt::format("banks, {} each", width);
  }

  void finish(Picture& picture, const BitGrid& grid) const override {
    std::string sides;
    if (grid.rows && grid.columns)
      sides = fmt::format("{} x {}", grid.rows->name, grid.columns->name);
    if (is_memory() && grid.rows)
      sides = fmt::format("lines of {} bytes", banks_.count * Banks::kBits / 8);
    if (sides.empty()) return;
    for (Panel& panel : picture.panels) panel.label += (panel.label.empty() ? "" : ": ") + sides;
  }

  [[nodiscard]] Cell make_cell(std::uint64_t input) const override {
    const std::uint64_t element = layout_.matrix()(input);
    Cell cell;
    cell.text = element_text(tensor_, element);
    if (options_.elements) cell.elements = {static_cast<std::int64_t>(element)};
    if (pick_.has_place(input)) cell.color = colors_.of(element);
    if (!options_.facts) return cell;
    cell.facts = {place_text(layout_, input), named_text(layout_.in_dims(), input), cell.text};
    add_dim_facts(cell, {input});
    return cell;
  }

  [[nodiscard]] std::string_view subject() const override { return "place"; }
  [[nodiscard]] std::string step_text(std::uint64_t bit) const override {
    return fmt::format("+ ({}): element xor {}", named_text(layout_.in_dims(), bit),
                       element_text(tensor_, layout_.matrix()(bit)));
  }
};

template <class View>
Result<Picture> picture_of(const LinearLayout& layout, const PictureOptions& options) {
  HEDDLE_TRY(Pick pick, Pick::make(layout, options));
  HEDDLE_TRY(const Banks banks, Banks::make(options));
  return View(layout, options, std::move(pick), banks).draw();
}

}  // namespace

Result<Picture> tensor_picture(const LinearLayout& layout, const PictureOptions& options) {
  return picture_of<LinearTensorDrawing>(layout, options);
}

Result<Picture> hardware_picture(const LinearLayout& layout, const PictureOptions& options) {
  return picture_of<LinearHardwareDrawing>(layout, options);
}

}  // namespace heddle::draw

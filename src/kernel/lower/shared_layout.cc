#include "kernel/lower/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>
#include <utility>

#include "core/overloaded.h"
#include "heddle/analyze/served_lanes.h"
#include "heddle/axe/layout.h"
#include "heddle/form/index_map.h"

namespace heddle::kernel {

namespace {

using WarpAccesses = std::map<WarpAccess, std::int64_t>;

/// The elements of a row of all banks.
std::int64_t elements_of_banks(DType type) {
  return analyze::kBanks * analyze::kBankBytes * 8 / held_bits(type, Space::kShared);
}

/// The accesses, with those that cost the same under every swizzle taken together: a swizzle of an
/// XOR is the XOR of the swizzles, and an XOR of all addresses only permutes banks.
WarpAccesses up_to_xor(const WarpAccesses& accesses) {
  WarpAccesses result;
  for (const auto& [access, times] : accesses) {
    WarpAccess moved = access;
    for (std::int64_t& lane : moved.lanes) lane ^= access.lanes.front();
    result[std::move(moved)] += times;
  }
  return result;
}

/// The accesses, with those that cost the same under every padding of rows taken together: four
/// rows further, all lanes are further by the same number of words.
WarpAccesses up_to_rows(const WarpAccesses& accesses, std::int64_t row) {
  constexpr std::int64_t kRows = 4;
  WarpAccesses result;
  for (const auto& [access, times] : accesses) {
    WarpAccess moved = access;
    const std::int64_t least = std::ranges::min(access.lanes);
    for (std::int64_t& lane : moved.lanes) lane -= least / (kRows * row) * kRows * row;
    result[std::move(moved)] += times;
  }
  return result;
}

/// A layout that is considered.
struct Considered {
  axe::Layout layout;
  std::int64_t elements = 1;
  BankCost cost;

  /// Greater is worse.
  [[nodiscard]] auto key() const { return std::tuple(cost.wavefronts, elements); }
};

/// Row-major with `row` elements from one row to the next.
Result<axe::Layout> in_rows(const std::vector<Int>& shape, std::int64_t row,
                            std::optional<axe::Swizzle> swizzle) {
  std::vector<axe::Iter> iters(shape.size());
  Int stride = 1;
  for (std::size_t d = shape.size(); d-- != 0;) {
    iters[d] = {shape[d], stride};
    stride = d + 1 == shape.size() ? Int(row) : stride * shape[d];
  }
  return axe::Layout::make(std::move(iters), {}, {}, std::move(swizzle));
}

/// The search for one tensor.
class LayoutSearch {
 public:
  LayoutSearch(const Tensor& tensor, const WarpAccesses& accesses)
      : tensor_(tensor),
        accesses_(accesses),
        elements_(form::product(tensor.shape).value()),
        row_(tensor.shape.empty() ? 1 : tensor.shape.back().value()) {
    for (const auto& [access, times] : accesses) width_ = std::max(width_, access.width);
  }

  /// The swizzle of the fewest wavefronts; of these, that of the fewest bits, the greatest base,
  /// the least distance.
  [[nodiscard]] std::optional<Considered> best_swizzle() const {
    std::optional<Considered> best;
    const WarpAccesses accesses = up_to_xor(accesses_);
    const int address_bits = std::countr_zero(static_cast<std::uint64_t>(elements_));
    const int bank_bits = log2(elements_of_banks(tensor_.type));
    for (int count = 1; count <= bank_bits; ++count) {
      for (int base = bank_bits - count; base >= log2(width_); --base) {
        for (int distance = count; base + count + distance <= address_bits; ++distance) {
          const auto swizzle = axe::Swizzle::make(base, count, distance);
          if (swizzle) consider(*swizzle, accesses, best);
        }
      }
    }
    return best;
  }

  /// The padding of the fewest wavefronts, and of these the least.
  [[nodiscard]] std::optional<Considered> best_padding() const {
    std::optional<Considered> best;
    if (elements_ == row_ || row_ % width_ != 0) return best;
    const WarpAccesses accesses = up_to_rows(accesses_, row_);
    for (std::int64_t padding = width_; padding <= elements_of_banks(tensor_.type);
         padding += width_) {
      const auto place = [&](std::int64_t address) { return address + address / row_ * padding; };
      const BankCost cost = bank_cost(accesses, tensor_.type, place);
      if (best && best->cost.wavefronts <= cost.wavefronts) continue;
      auto layout = in_rows(tensor_.shape, row_ + padding, {});
      if (layout) best = {*std::move(layout), place(elements_ - 1) + 1, cost};
    }
    return best;
  }

  /// What keeps the conflicts that are left, if it is vectors.
  [[nodiscard]] std::string kept_together(const BankCost& cost) const {
    if (cost.is_conflict_free() || width_ == 1) return {};
    return fmt::format("; vectors of {} bits stay together",
                       width_ * held_bits(tensor_.type, Space::kShared));
  }

 private:
  static int log2(std::int64_t value) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 1;
  }

  void consider(const axe::Swizzle& swizzle, const WarpAccesses& accesses,
                std::optional<Considered>& best) const {
    const std::int64_t mask = (std::int64_t{1} << swizzle.swizzle_len) - 1;
    const auto place = [&](std::int64_t address) {
      const std::int64_t read = address >> (swizzle.per_element + swizzle.atom_len) & mask;
      return address ^ read << swizzle.per_element;
    };
    const BankCost cost = bank_cost(accesses, tensor_.type, place);
    if (best && best->cost.wavefronts <= cost.wavefronts) return;
    auto layout = in_rows(tensor_.shape, row_, swizzle);
    if (layout) best = {*std::move(layout), elements_, cost};
  }

  const Tensor& tensor_;
  const WarpAccesses& accesses_;
  std::int64_t elements_;
  std::int64_t row_;
  /// The widest vector, which is not taken apart.
  std::int64_t width_ = 1;
};

std::string more_bytes(const Tensor& tensor, const Considered& considered) {
  const std::int64_t more = considered.elements - form::product(tensor.shape).value();
  if (more == 0) return {};
  return fmt::format(", and {} bytes more", more * held_bits(tensor.type, Space::kShared) / 8);
}

}  // namespace

SharedLayout row_major(const Tensor& tensor, const std::string& reason) {
  return {{}, form::product(tensor.shape), {}, {{fmt::format("row-major: {}", reason)}}};
}

SharedLayout shared_layout(const Tensor& tensor, const SharedTraffic& traffic) {
  if (!traffic.unknown.empty()) {
    return row_major(tensor, fmt::format("the address {} depends on data", traffic.unknown));
  }
  const auto same = [](std::int64_t address) { return address; };
  const BankCost plain = bank_cost(traffic.accesses, tensor.type, same);
  SharedLayout result = row_major(tensor, to_string(plain));
  result.cost = plain;
  if (plain.is_conflict_free()) return result;
  const LayoutSearch search(tensor, traffic.accesses);
  std::vector<Considered> all;
  for (auto& found : {search.best_swizzle(), search.best_padding()}) {
    if (found && found->cost.wavefronts < plain.wavefronts) all.push_back(*found);
  }
  if (all.size() == 2 && all[1].key() < all[0].key()) std::swap(all[0], all[1]);
  if (all.empty()) {
    result.candidates.front().schedule +=
        ", and no swizzle or padding has fewer" + search.kept_together(plain);
    return result;
  }
  result.layout = all.front().layout;
  result.elements = all.front().elements;
  result.cost = all.front().cost;
  result.candidates.front() = {"row-major", to_string(plain)};
  for (const Considered& each : all) {
    result.candidates.push_back(
        {to_string(each.layout), to_string(each.cost) + more_bytes(tensor, each)});
  }
  std::swap(result.candidates[0], result.candidates[1]);
  Candidate& taken = result.candidates.front();
  taken = {
      fmt::format("{}: {}{}", taken.schedule, taken.reason, search.kept_together(result.cost))};
  return result;
}

RowMajorOnly::RowMajorOnly(const Kernel& kernel) {
  const auto is_past = [](const View::Step& step) { return std::holds_alternative<Relaid>(step); };
  const auto look_through = [&](const Block& block, bool is_schedule) {
    for_each_statement(block, [&](const Statement& statement) {
      has_text_ = has_text_ || std::holds_alternative<Unchecked>(statement.node);
      for_each_view(statement, [&](const View& view) {
        if (std::ranges::none_of(view.steps, is_past)) return;
        tensors_.insert(view.tensor);
        // The tensors of a schedule may stand for any of the kernel's.
        is_past_any_ = is_past_any_ || is_schedule;
      });
    });
  };
  look_through(kernel.body, false);
  for (const Schedule& schedule : kernel.schedules) look_through(schedule.body, true);
}

std::string RowMajorOnly::reason(const std::string& tensor) const {
  if (has_text_) return "a text of the target may read its memory";
  return is_past_any_ || tensors_.contains(tensor) ? "its memory is read in another way too" : "";
}

}  // namespace heddle::kernel

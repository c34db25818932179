#include "notation/operations/empty_tuples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

namespace heddle::notation {
namespace {

struct EmptyTuples {
  template <class Leaf>
  bool operator()(const Tuple<Leaf>& tuple) const {
    return tuple.profile().view().has_empty_tuple();
  }
  bool operator()(const cute::Tiler& tiler) const {
    const auto is_without = [this](const cute::Tile& tile) {
      return tile.layout() != nullptr && (*this)(*tile.layout());
    };
    return tiler.profile().view().has_empty_tuple() ||
           std::ranges::any_of(tiler.leaves(), is_without);
  }
  bool operator()(const cute::Layout& layout) const {
    return layout.profile().view().has_empty_tuple();
  }
  bool operator()(const cute::ComposedLayout& layout) const {
    const bool in_outer = layout.outer() != nullptr && std::visit(*this, *layout.outer());
    return in_outer || (*this)(layout.layout()) || (*this)(layout.offset());
  }
  bool operator()(const cute::OffsetLayout& placed) const { return (*this)(placed.layout); }
  bool operator()(const cute::Tensor& tensor) const { return std::visit(*this, tensor.layout); }
  bool operator()(const cute::TvLayout& tv) const {
    return (*this)(tv.layout) || (*this)(tv.tiler);
  }
  template <class Part>
  bool operator()(const std::vector<Part>& list) const {
    return std::ranges::any_of(list, *this);
  }
  /// All that is not made of CuTe's tuples.
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

/// Operations of CuTe's algebra, those that ask of a layout only which map it is, and encodings, of
/// which an empty tuple is an empty list.
bool takes_empty_tuples(const Operation& operation) {
  constexpr std::array<std::string_view, 21> kFamilies = {
      "tuples",         "nesting",    "coordinates", "orders",      "compact strides",
      "making layouts", "measuring",  "modes",       "simplifying", "evaluating and slicing",
      "composition",    "complement", "inverses",    "divides",     "products",
      "recasting",      "decisions",  "conversions", "recovery",    "language",
      "encodings"};
  constexpr std::array<std::string_view, 2> kSelecting = {"max", "min"};
  constexpr std::array<std::string_view, 2> kComparing = {"equal", "same"};
  if (std::ranges::find(kComparing, operation.name) != kComparing.end()) return true;
  return std::ranges::find(kFamilies, operation.family) != kFamilies.end() &&
         std::ranges::find(kSelecting, operation.name) == kSelecting.end();
}

}  // namespace

bool has_empty_tuple(const Value& value) { return std::visit(EmptyTuples(), value.data()); }

Result<void> check_has_modes(std::string_view what, const Value& value) {
  if (!has_empty_tuple(value)) return {};
  return refuse(Diagnostic("tuple.empty",
                           fmt::format("{}, {}, has a tuple without modes", what, to_string(value)))
                    .with_hint("a layout of one element is also written 1:0"));
}

Result<void> check_has_modes(const Operation& operation, const Value& argument) {
  if (takes_empty_tuples(operation)) return {};
  return check_has_modes(fmt::format("an argument of {}", operation.name), argument);
}

}  // namespace heddle::notation

#include "heddle/form/digit_form.h"

#include <algorithm>
#include <numeric>
#include <ostream>

#include "expr/numbers_text.h"

namespace heddle::form {
namespace {

/// Whether one digit can replace both: a step of `next` equals all steps of `digit` together.
bool continues(const Digit& digit, const Digit& next) {
  for (std::size_t axis = 0; axis < digit.stride.size(); ++axis) {
    if (!known_equal(digit.extent * digit.stride[axis], next.stride[axis])) return false;
  }
  return true;
}

}  // namespace

std::vector<Digit> coalesced(std::span<const Digit> digits) {
  std::vector<Digit> joined;
  for (const Digit& digit : digits) {
    if (known_equal(digit.extent, 1)) continue;
    if (!joined.empty() && continues(joined.back(), digit)) {
      joined.back().extent *= digit.extent;
    } else {
      joined.push_back(digit);
    }
  }
  return joined;
}

DigitForm::DigitForm(std::vector<Axis> axes, std::span<const Digit> digits) {
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return axes[a] < axes[b]; });

  const std::vector<Digit> joined = coalesced(digits);
  for (const Digit& digit : joined) digits_.push_back({digit.extent, {}});
  for (const std::size_t axis : order) {
    const auto stays = [&](const Digit& digit) { return known_equal(digit.stride[axis], 0); };
    if (std::ranges::all_of(joined, stays)) continue;
    axes_.push_back(axes[axis]);
    for (std::size_t i = 0; i < joined.size(); ++i)
      digits_[i].stride.push_back(joined[i].stride[axis]);
  }
}

Int DigitForm::size() const {
  Int size = 1;
  for (const Digit& digit : digits_) size *= digit.extent;
  return size;
}

std::vector<Int> DigitForm::operator()(const Int& flat) const {
  std::vector<Int> image(axes_.size(), Int(0));
  Int rest = flat;
  for (const Digit& digit : digits_) {
    const bool last = &digit == &digits_.back();
    const Int index = last ? rest : mod(rest, digit.extent);
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
      image[axis] += index * digit.stride[axis];
    rest = floor_div(rest, digit.extent);
  }
  return image;
}

std::ostream& operator<<(std::ostream& stream, const DigitForm& form) {
  const char* separator = "";
  for (const Axis& axis : form.axes()) {
    stream << separator << axis;
    separator = " ";
  }
  stream << ':';
  for (const Digit& digit : form.digits()) {
    stream << ' ' << digit.extent << ':' << point_text(digit.stride);
  }
  return stream;
}

}  // namespace heddle::form

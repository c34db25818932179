#include "draw/colors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/bits.h"

namespace heddle::draw {
namespace {

constexpr std::int64_t kUsualModulus = 8;

}  // namespace

Result<void> check_colors(const PictureOptions& options, std::string_view one,
                          std::string_view many) {
  const std::int64_t modulus = options.modulus.value_or(kUsualModulus);
  const std::int64_t run = options.run.value_or(1);
  if (modulus < 0 || modulus > kMaxColors) {
    return refuse("draw.color", fmt::format("colours go by the {} modulo 1 to {}, not modulo {}",
                                            one, kMaxColors, modulus));
  }
  if (run >= 1) return {};
  return refuse(
      "draw.color",
      fmt::format("runs of {} {} cannot share a colour; a run has at least 1", run, many));
}

ColorRule color_rule(const PictureOptions& options, std::string name, std::optional<Int> size) {
  const std::int64_t modulus = options.modulus.value_or(kUsualModulus);
  if (modulus == 0) return {};
  return {std::move(name), options.run.value_or(1), modulus, std::move(size)};
}

Refusal no_such_color(std::string_view name, const std::vector<std::string>& names) {
  return refuse("draw.color",
                fmt::format("no {} determines the colours of this view: there are ({})", name,
                            fmt::join(names, ", ")));
}

std::size_t ColorRule::count() const {
  if (name.empty()) return 0;
  const auto most = static_cast<std::size_t>(modulus);
  if (!size) return most;
  const Int runs = floor_div(*size + run - 1, Int(run));
  if (!known_at_most(runs, modulus)) return most;
  return static_cast<std::size_t>(std::max<std::int64_t>(runs.value(), 1));
}

std::size_t ColorRule::of(const Int& number) const {
  const std::size_t colors = count();
  if (colors == 0) return kPlain;
  const Int color = mod(floor_div(number, run), static_cast<std::int64_t>(colors));
  return color.is_constant() ? static_cast<std::size_t>(color.value()) : kPlain;
}

std::string ColorRule::legend() const {
  const std::size_t colors = count();
  if (colors == 0) return {};
  const std::string number = run == 1 ? name : fmt::format("floor({} / {})", name, run);
  const bool is_whole = size && known_at_most(*size, Int(run) * static_cast<std::int64_t>(colors));
  return is_whole ? number : fmt::format("{} mod {}", number, colors);
}

Result<Banks> Banks::make(const PictureOptions& options) {
  Banks banks{options.banks.value_or(32), options.element_bits.value_or(32), options.address};
  if (banks.count < 1 || banks.count > kMaxColors) {
    return refuse("draw.color",
                  fmt::format("memory has 1 to {} banks, not {}", kMaxColors, banks.count));
  }
  if (banks.element_bits < 1 || banks.element_bits > 1024) {
    return refuse("draw.color",
                  fmt::format("elements are 1 to 1024 bits wide, not {}", banks.element_bits));
  }
  return banks;
}

std::int64_t Banks::at(std::int64_t element, std::int64_t bit) const {
  // Banks repeat after count * kBits elements, so that nothing exceeds 64 bits.
  const std::int64_t repeats = count * kBits;
  const std::int64_t place = (element % repeats + repeats) % repeats;
  const auto first =
      static_cast<std::int64_t>(address.value_or(0) % static_cast<std::uint64_t>(repeats / 8));
  return (place * element_bits + bit + first * 8) / kBits % count;
}

std::string Banks::text(std::int64_t element) const {
  const std::int64_t first = at(element);
  const std::int64_t last = at(element, element_bits - 1);
  return first == last ? fmt::format("b{}", first) : fmt::format("b{}-{}", first, last);
}

std::string Banks::legend() const {
  return fmt::format("bank of {} ({} bits each; elements of {} bits{})", count, kBits, element_bits,
                     address ? fmt::format(", index 0 at {:#x}", *address) : "");
}

std::optional<std::int64_t> Banks::elements_in_round() const {
  const std::int64_t bits = count * kBits;
  if (!is_power_of_two(bits) || !is_power_of_two(element_bits)) return std::nullopt;
  return std::max<std::int64_t>(1, bits / element_bits);
}

bool has_banks(const PictureOptions& options) { return options.banks || options.element_bits; }

Result<IndexColors> IndexColors::make(const PictureOptions& options, std::string name) {
  IndexColors colors;
  if (has_banks(options)) {
    HEDDLE_TRY(colors.banks_, Banks::make(options));
    return colors;
  }
  HEDDLE_CHECK(check_colors(options, "index", "indices"));
  colors.rule_ = color_rule(options, std::move(name));
  return colors;
}

Look IndexColors::look(const Int& index) const {
  constexpr std::size_t kColorsWithoutNumbers = 8;
  if (!index.is_constant()) return {};
  if (banks_) {
    const std::string text = banks_->text(index.value());
    return {static_cast<std::size_t>(banks_->at(index.value())), text, text.substr(1)};
  }
  const std::size_t color = rule_.of(index);
  if (color == kPlain) return {};
  return {color, rule_.count() > kColorsWithoutNumbers ? fmt::format("#{}", color) : "",
          std::to_string(color)};
}

void IndexColors::describe(Picture& picture) const {
  picture.colors = banks_ ? static_cast<std::size_t>(banks_->count) : rule_.count();
  picture.legend = banks_ ? banks_->legend() : rule_.legend();
  if (banks_) picture.scale = Scale::kOrdered;
}

}  // namespace heddle::draw

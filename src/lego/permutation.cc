#include "heddle/lego/permutation.h"
#include "core/text.h"
#include "heddle/core/tuple.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "expr/format.h"
#include "expr/numbers_text.h"
#include "lego/checks.h"

namespace heddle::lego {
namespace {

/// Why sigma is no permutation of 1 … d; empty if it is one.
std::string fault_of(std::span<const std::int64_t> sigma, std::size_t dimensions) {
  if (sigma.size() != dimensions) {
    return fmt::format("it has {}, the tile {}",
                       counted(static_cast<std::int64_t>(sigma.size()), "number"),
                       counted(static_cast<std::int64_t>(dimensions), "dimension"));
  }
  std::vector<bool> seen(dimensions);
  for (const std::int64_t place : sigma) {
    if (place < 1 || std::cmp_greater(place, dimensions)) {
      return fmt::format("{} is not in 1..{}", place, dimensions);
    }
    auto met = seen[static_cast<std::size_t>(place - 1)];
    if (met) return fmt::format("{} occurs twice", place);
    met = true;
  }
  return {};
}

}  // namespace

std::string to_string(std::span<const Int> sizes) { return fmt::format("[{}]", commas(sizes)); }

Result<RegP> RegP::make(Sizes dims, std::vector<std::int64_t> sigma) {
  const auto text = [&] {
    return fmt::format("RegP({},[{}])", lego::to_string(dims), fmt::join(sigma, ","));
  };
  HEDDLE_CHECK(check_tile(dims, "RegP"));
  if (const std::string fault = fault_of(sigma, dims.size()); !fault.empty()) {
    return refuse(diagnose("lego.permutation", "{}: [{}] is not a permutation of 1..{}: {}", text(),
                           fmt::join(sigma, ","), dims.size(), fault)
                      .with_hint("sigma names every dimension once, counted from 1"));
  }
  return RegP(std::move(dims), std::move(sigma), Sugar::kNone);
}

Result<RegP> RegP::row(Sizes dims) {
  HEDDLE_CHECK(check_tile(dims, "Row"));
  std::vector<std::int64_t> sigma(dims.size());
  std::iota(sigma.begin(), sigma.end(), 1);
  return RegP(std::move(dims), std::move(sigma), Sugar::kRow);
}

Result<RegP> RegP::col(Sizes dims) {
  HEDDLE_CHECK(check_tile(dims, "Col"));
  std::vector<std::int64_t> sigma(dims.size());
  std::iota(sigma.rbegin(), sigma.rend(), 1);
  return RegP(std::move(dims), std::move(sigma), Sugar::kCol);
}

Sizes RegP::physical_dims() const { return permuted(sigma_, dims_); }

Int RegP::apply(std::span<const Int> point) const {
  return flatten(physical_dims(), permuted(sigma_, point));
}

std::vector<Int> RegP::inv(const Int& flat) const {
  return permuted(inverse(sigma_), unflatten(physical_dims(), flat));
}

std::string to_string(const RegP& permutation) {
  switch (permutation.sugar()) {
    case Sugar::kRow:
      return fmt::format("Row({})", commas(permutation.dims()));
    case Sugar::kCol:
      return fmt::format("Col({})", commas(permutation.dims()));
    case Sugar::kNone:
      break;
  }
  return fmt::format("RegP({},[{}])", to_string(permutation.dims()),
                     fmt::join(permutation.sigma(), ","));
}

std::vector<Int> permuted(std::span<const std::int64_t> sigma, std::span<const Int> items) {
  std::vector<Int> result;
  result.reserve(sigma.size());
  for (const std::int64_t place : sigma) {
    result.push_back(items[static_cast<std::size_t>(place - 1)]);
  }
  return result;
}

std::vector<std::int64_t> inverse(std::span<const std::int64_t> sigma) {
  std::vector<std::int64_t> result(sigma.size());
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    result[static_cast<std::size_t>(sigma[i] - 1)] = static_cast<std::int64_t>(i + 1);
  }
  return result;
}

std::vector<std::int64_t> interleaving(std::size_t levels, std::size_t dimensions) {
  std::vector<std::int64_t> sigma;
  sigma.reserve(levels * dimensions);
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    for (std::size_t level = 0; level < levels; ++level) {
      sigma.push_back(static_cast<std::int64_t>(dimension + 1 + dimensions * level));
    }
  }
  return sigma;
}

}  // namespace heddle::lego

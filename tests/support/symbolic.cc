#include "support/symbolic.h"

#include <algorithm>
#include <numeric>

#include "heddle/cute/instantiate.h"

namespace heddle::test {
namespace {

using cute::Layout;
using cute::Stride;

const std::vector<std::string> kNames = {"M", "N", "K"};

/// The one that may be 0: a stride, never an extent.
const std::string kStep = "S";

/// Sometimes the modes a and b of a flat layout become one mode (a,b).
Layout maybe_nested(Random& random, const Layout& flat) {
  if (flat.rank() < 3 || random.chance(60)) return flat;
  Profile profile = Profile::incomplete();
  profile.append_tuple(flat.rank() - 1);
  profile.append_tuple(2);
  for (std::size_t i = 0; i < flat.rank(); ++i) profile.append_leaf();
  return *Layout::make(profile, {flat.extents().begin(), flat.extents().end()},
                       {flat.strides().begin(), flat.strides().end()});
}

Result<Layout> flat_layout(const std::vector<Int>& extents, const std::vector<Int>& strides) {
  Layout::Extents shape;
  Layout::Strides stride;
  for (const Int& extent : extents) shape.push_back(extent);
  for (const Int& step : strides) stride.push_back(Stride(step));
  return Layout::make(Profile::flat(extents.size()), std::move(shape), std::move(stride));
}

}  // namespace

SymbolicWorld::SymbolicWorld(Random& random) {
  for (const std::string& name : kNames) {
    const Int variable = Int::variable(name);
    conditions_.push_back({variable, Predicate::kAtMost, random.between(8, 16)});
    if (random.chance(50)) {
      conditions_.push_back({random.one_of<std::int64_t>({2, 4}), Predicate::kDivides, variable});
    } else if (random.chance(30)) {
      conditions_.push_back({random.between(2, 5), Predicate::kAtMost, variable});
    }
  }
  conditions_.push_back({0, Predicate::kAtMost, Int::variable(kStep)});
  conditions_.push_back({Int::variable(kStep), Predicate::kAtMost, 4});
  if (random.chance(25)) {
    std::vector<Condition> more = conditions_;
    const Int m = Int::variable("M");
    const Int n = Int::variable("N");
    more.push_back(random.chance(50) ? Condition{n, Predicate::kAtMost, m}
                                     : Condition{n, Predicate::kDivides, m});
    if (Assumptions::make(more)) conditions_ = more;
  }
  assumptions_ = *Assumptions::make(conditions_);
  for (const std::string& name : kNames) variables_.push_back(assumptions_.variable(name));
  step_ = assumptions_.variable(kStep);
}

Int SymbolicWorld::size(Random& random) const {
  if (random.chance(35)) return random.one_of<std::int64_t>({1, 2, 3, 4, 6, 8});
  const Int& variable = random.one_of(variables_);
  const std::int64_t divisor = known_divisor(variable);
  if (divisor > 1 && random.chance(30)) return floor_div(variable, 2);
  if (random.chance(10)) return 2 * variable;
  return variable;
}

Layout SymbolicWorld::layout(Random& random) const {
  while (true) {
    const auto rank = static_cast<std::size_t>(random.between(1, 4));
    std::vector<Int> extents;
    std::vector<std::size_t> order(rank);
    for (std::size_t i = 0; i < rank; ++i) extents.push_back(size(random));
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random.chance(60)) random.shuffle(order);
    std::vector<Int> strides(rank, Int(0));
    Int stride = random.chance(85) ? Int(1) : size(random);
    for (const std::size_t i : order) {
      strides[i] = stride;
      stride *= extents[i];
      if (random.chance(10)) stride *= size(random);
    }
    if (random.chance(10)) strides[order.front()] = 0;
    if (random.chance(10)) strides[order.back()] = size(random);
    if (random.chance(10)) {
      strides[random.one_of(order)] = random.chance(70) ? step_ : step_ * size(random);
    }
    const Result<Layout> made = flat_layout(extents, strides);
    if (made) return maybe_nested(random, *made);
  }
}

Layout SymbolicWorld::layout_within(Random& random, const Layout& a) const {
  while (true) {
    std::vector<Int> extents;
    std::vector<Int> strides;
    Int step = 1;
    for (const Int& extent : a.extents()) {
      // Part of the mode, all of it, or the mode in two steps.
      const Int part = random.chance(50) ? size(random) : Int(random.between(1, 4));
      if (random.chance(20)) {
        extents.push_back(part);
        strides.push_back(step * (random.chance(70) ? Int(1) : size(random)));
      } else if (known_divides(part, extent) && random.chance(60)) {
        extents.push_back(part);
        strides.push_back(step);
        extents.push_back(floor_div(extent, part));
        strides.push_back(step * part);
      } else if (random.chance(80)) {
        extents.push_back(extent);
        strides.push_back(step);
      }
      step *= extent;
    }
    if (extents.empty() || extents.size() > 5) continue;
    if (random.chance(10)) strides.back() = step_;
    const Result<Layout> made = flat_layout(extents, strides);
    if (made) return maybe_nested(random, *made);
  }
}

Bindings SymbolicWorld::values(Random& random) const {
  while (true) {
    Bindings bindings;
    for (const std::string& name : kNames) bindings[name] = random.between(1, 16);
    bindings[kStep] = random.between(0, 4);
    const auto holds = [&](const Condition& condition) {
      const Result<Int> left = instantiate(condition.left, bindings);
      const Result<Int> right = instantiate(condition.right, bindings);
      return left && right && known({*left, condition.predicate, *right});
    };
    if (std::ranges::all_of(conditions_, holds)) return bindings;
  }
}

std::string SymbolicWorld::text() const {
  std::string text;
  for (const Condition& condition : conditions_) {
    text += (text.empty() ? "" : ", ") + to_string(condition);
  }
  return text;
}

}  // namespace heddle::test

#include "heddle/map/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "core/overloaded.h"
#include "core/text.h"
#include "expr/format.h"
#include "expr/term/substitute.h"
#include "heddle/map/instantiate.h"
#include "heddle/map/relations.h"
#include "map/decide/digits.h"
#include "map/decide/methods.h"
#include "map/reading/read_as.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::array<std::string_view, 5> kMethodNames = {"digits", "bits", "exhaustive", "isl",
                                                          "z3"};

/// Boxes of up to this many points are evaluated as an intermediate step.
constexpr std::int64_t kCheapPoints = std::int64_t{1} << 12;

/// The question, in the layouts' own terms.
struct Asked {
  Question question = Question::kEqual;
  AnyLayout a;
  std::optional<AnyLayout> b;
  /// For kOnto; if empty, the box that the layout fills if it is a bijection.
  std::vector<Int> sizes;
  Int low = 0;
  Int high = 0;
  /// DecideOptions::shape.
  std::vector<Int> shape = {};
};

/// A claim ready for the methods, or the verdict if it is already decided.
struct Prepared {
  Claim claim;
  std::string remark;
  std::optional<Verdict> verdict;
};

Verdict unknown_for(const Diagnostic& why) {
  return Verdict::unknown(fmt::format("{}: {}", why.code(), why.message()));
}

/// The two remarks, without empty ones.
std::string joined_remarks(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  return fmt::format("{}; {}", first, second);
}

// ---- Preparing ----

/// A verdict that says which of two sizes is larger, if they differ.
std::optional<Verdict> size_difference(const FlatMap& a, const FlatMap& b) {
  const Condition same{a.points, Predicate::kEqual, b.points};
  if (known(same)) return std::nullopt;
  const std::string text =
      fmt::format("the sizes differ: {} and {}", to_string(a.points), to_string(b.points));
  if (a.points.is_constant() && b.points.is_constant()) {
    const std::int64_t first = std::min(a.points.value(), b.points.value());
    const bool is_in_a = a.points.value() > first;
    const FlatMap& larger = is_in_a ? a : b;
    Witness witness = outside_at(larger, first, "nothing");
    witness.numbers->wanted.emplace();
    if (!is_in_a) {
      std::swap(witness.found, witness.wanted);
      std::swap(witness.numbers->found, witness.numbers->wanted);
    }
    return Verdict::no(text, std::move(witness));
  }
  if (Verdict verdict = prove(same); verdict.is_no()) {
    return Verdict::no(text, verdict.counterexample());
  }
  return Verdict::unknown(
      fmt::format("the sizes may differ: {} and {}", to_string(a.points), to_string(b.points)));
}

Prepared prepared_pair(const Asked& asked, const ReadPair& read) {
  Prepared result;
  result.claim.question = asked.question;
  const bool is_equality = asked.question == Question::kEqual;
  Pair pair = is_equality ? matched(read.a, read.b) : matched_images(read.a, read.b);
  result.remark = read.places ? read.remark : joined_remarks(read.remark, pair.remark);
  result.claim.same_points = pair.same_points;
  if (is_equality) {
    result.verdict = read.places ? read.places : size_difference(pair.left, pair.right);
  }
  const std::pair axes(pair.left.axes.size(), pair.right.axes.size());
  result.claim.a = std::move(pair.left);
  result.claim.b = std::move(pair.right);
  if (!result.verdict && pair.axes_differ) {
    const std::string text =
        fmt::format("different numbers of axes, {} and {}", axes.first, axes.second);
    result.verdict = asked.question == Question::kEqual
                         ? Verdict::no(text, difference_at(result.claim, 0))
                         : Verdict::unknown(text);
  }
  return result;
}

/// The map on one axis, if possible: the only axis that is not always 0, or all axes flattened.
FlatMap on_one_axis(const FlatMap& map, std::string& remark) {
  if (map.axes.size() == 1) return map;
  const FlatMap plain = without_zero_axes(map);
  if (plain.axes.size() == 1) return plain;
  if (!has_bounds(map)) return map;
  remark = "axes flattened by their bounds, first fastest";
  FlatMap flat = map;
  flatten_axes(flat, Axis::memory());
  return flat;
}

/// The box that a bijection fills: that of the bounds, [0, size) on one axis, else up to the
/// greatest coordinates.
std::optional<std::vector<Int>> filled_box(const FlatMap& map) {
  std::vector<Int> box;
  if (has_bounds(map)) {
    for (const auto& bound : map.bounds) box.push_back(*bound);
    return box;
  }
  if (map.axes.size() == 1) return std::vector<Int>{map.points * map.copies};
  if (!map.strided || map.strided->swizzle) return std::nullopt;
  for (std::size_t axis = 0; axis < map.axes.size(); ++axis) {
    box.push_back(ends_of(*map.strided, axis).high + 1);
  }
  return box;
}

Prepared prepared_onto(const Asked& asked, const View& a) {
  Prepared result;
  result.claim.question = asked.question;
  FlatMap map = flat_map(a);
  std::vector<Int> sizes = asked.sizes;
  if (sizes.empty()) {
    auto box = filled_box(map);
    if (!box) {
      result.verdict = Verdict::unknown("the box to be filled is not known; give its sizes");
      return result;
    }
    sizes = *std::move(box);
  }
  if (sizes.size() == 1) map = on_one_axis(map, result.remark);
  if (sizes.size() != map.axes.size()) map = without_zero_axes(map);
  if (sizes.size() != map.axes.size()) {
    result.verdict = Verdict::unknown(fmt::format(
        "{} for images on {}", counted(sizes.size(), "size"), counted(map.axes.size(), "axis")));
  }
  const auto is_positive = [](const Int& size) { return known_less(0, size); };
  if (!std::ranges::all_of(sizes, is_positive)) {
    result.verdict = Verdict::unknown("a size is not known to be positive");
  }
  result.claim.a = std::move(map);
  result.claim.sizes = std::move(sizes);
  return result;
}

Prepared prepared_one(const Asked& asked, const View& a) {
  if (asked.question == Question::kOnto) return prepared_onto(asked, a);
  Prepared result;
  result.claim.question = asked.question;
  result.claim.low = asked.low;
  result.claim.high = asked.high;
  result.claim.a = flat_map(a);
  const bool is_of_one_axis =
      asked.question == Question::kContiguous || asked.question == Question::kInvolution;
  if (is_of_one_axis) result.claim.a = on_one_axis(result.claim.a, result.remark);
  if (is_of_one_axis && result.claim.a.axes.size() != 1) {
    result.verdict = Verdict::unknown(fmt::format("images on {}, of which not all have bounds",
                                                  counted(result.claim.a.axes.size(), "axis")));
  }
  if (asked.question == Question::kInvolution && !known_equal(result.claim.a.copies, 1)) {
    result.verdict = Verdict::unknown("points have several images");
  }
  return result;
}

// ---- Symbols ----

std::vector<Int> numbers_in(const View& view) {
  std::vector<Int> numbers = view.extents;
  numbers.push_back(view.copies);
  if (view.strided) {
    numbers.insert(numbers.end(), view.strided->offset.begin(), view.strided->offset.end());
    for (const form::Digit& digit : flat_digits(*view.strided, view.order)) {
      numbers.push_back(digit.extent);
      numbers.insert(numbers.end(), digit.stride.begin(), digit.stride.end());
    }
    return numbers;
  }
  std::vector<Int> last;
  for (const Int& extent : view.extents) last.push_back(extent - 1);
  const std::vector<Int> image = view.evaluate(last, 0);
  numbers.insert(numbers.end(), image.begin(), image.end());
  return numbers;
}

Result<Asked> instantiated(const Asked& asked, const Bindings& values) {
  Asked result = asked;
  HEDDLE_TRY(result.a, instantiate(asked.a, values));
  if (asked.b) {
    HEDDLE_TRY(AnyLayout other, instantiate(*asked.b, values));
    result.b = std::move(other);
  }
  for (Int& size : result.sizes) {
    HEDDLE_TRY(size, instantiate(size, values));
  }
  for (Int& extent : result.shape) {
    HEDDLE_TRY(extent, instantiate(extent, values));
  }
  HEDDLE_TRY(result.low, instantiate(asked.low, values));
  HEDDLE_TRY(result.high, instantiate(asked.high, values));
  return result;
}

// ---- Deciding ----

class Decision {
 public:
  Decision(const Asked& asked, const DecideOptions& options) : asked_(asked), options_(options) {}

  [[nodiscard]] Verdict run() const {
    const Result<View> a = view(asked_.a, options_.limits);
    if (!a) return without_view(a.error());
    const Side left{asked_.a, *a};
    if (!asked_.b) {
      const Result<View> read = read_as(reading(), left, options_);
      return read ? settled(prepared_one(asked_, *read), numbers_in(*a))
                  : unknown_for(read.error());
    }
    const Result<View> b = view(*asked_.b, options_.limits);
    if (!b) return without_view(b.error());
    const Side right{*asked_.b, *b};
    const Reading suited = suited_reading(*a, *b);
    if (suited != reading()) return as_suits(suited);
    std::vector<Int> numbers = numbers_in(*a);
    const std::vector<Int> others = numbers_in(*b);
    numbers.insert(numbers.end(), others.begin(), others.end());
    const Result<ReadPair> read = read_as(reading(), left, right, options_);
    if (!read) return by_places(left, right, numbers, read.error());
    return settled(prepared_pair(asked_, *read), std::move(numbers));
  }

  /// The reading by which two layouts are compared: the one asked for, else the one that suits
  /// them, unless the two are the same function as they are.
  [[nodiscard]] Reading suited_reading(const View& a, const View& b) const {
    if (options_.reading) return *options_.reading;
    const Reading usual = usual_reading(a, b);
    const bool may_suit = asked_.question == Question::kEqual && usual != Reading::kLiteral;
    if (!may_suit) return Reading::kLiteral;
    DecideOptions options = options_;
    options.reading = Reading::kLiteral;
    options.max_points = kCheapPoints;
    return Decision(asked_, options).without_engines().is_yes() ? Reading::kLiteral : usual;
  }

 private:
  [[nodiscard]] Reading reading() const { return options_.reading.value_or(Reading::kLiteral); }

  /// Used when one of the two layouts cannot be inverted.
  [[nodiscard]] Verdict by_places(const Side& a, const Side& b, const std::vector<Int>& numbers,
                                  const Diagnostic& why) const {
    const bool is_free = !options_.method || *options_.method == Method::kExhaustive;
    if (asked_.question != Question::kEqual || !is_free) return unknown_for(why);
    Verdict verdict = equal_by_places(reading(), a, b, options_);
    if (!verdict.is_unknown()) return verdict;
    if (auto sampled = by_samples(numbers)) return *std::move(sampled);
    return Verdict::unknown(fmt::format("{}; {}", why.message(), verdict.method()));
  }

  /// The verdict by a reading that was not asked for, which it names.
  [[nodiscard]] Verdict as_suits(Reading suited) const {
    DecideOptions options = options_;
    options.reading = suited;
    const Verdict verdict = Decision(asked_, options).run();
    std::string named = fmt::format("read as {}", name(suited));
    if (!verdict.is_yes()) named += "; --as literal for the functions as they are";
    return Verdict(verdict).with_remark(joined_remarks(verdict.remark(), named));
  }

  /// Decides for relations that are no functions on a box.
  [[nodiscard]] Verdict without_view(const Diagnostic& why) const {
    const auto is_relation = [](const AnyLayout& layout) {
      return std::holds_alternative<IntegerRelation>(layout);
    };
    if (!is_relation(asked_.a) && !(asked_.b && is_relation(*asked_.b))) return unknown_for(why);
    if (options_.method && *options_.method != Method::kIsl) return unknown_for(why);
    if (reading() != Reading::kLiteral) return unknown_for(why);
    const auto a = relation_beside(asked_.a, asked_.b);
    if (!a) return unknown_for(a.error());
    Claim claim;
    claim.question = asked_.question;
    claim.sizes = asked_.sizes;
    claim.low = asked_.low;
    claim.high = asked_.high;
    if (!asked_.b) return by_relations(claim, *a, std::nullopt, options_);
    const auto b = relation_beside(*asked_.b, asked_.a);
    if (!b) return unknown_for(b.error());
    return by_relations(claim, *a, *b, options_);
  }

  /// A side that takes any shape takes the box of the other.
  [[nodiscard]] Result<IntegerRelation> relation_beside(
      const AnyLayout& layout, const std::optional<AnyLayout>& other) const {
    const Limits& limits = options_.limits;
    const auto* model = other ? std::get_if<IntegerRelation>(&*other) : nullptr;
    if (model == nullptr || !std::holds_alternative<axe::Layout>(layout)) {
      return relation(layout, limits);
    }
    HEDDLE_TRY(const auto box, domain_box(*model, limits));
    HEDDLE_TRY(const View plain, view(layout, limits));
    if (!box || !known_equal(product_of(*box), plain.size())) return relation(plain, limits);
    HEDDLE_TRY(const View shaped, reshaped(plain, *box));
    return relation(shaped, limits);
  }

  [[nodiscard]] Verdict settled(const Prepared& prepared, std::vector<Int> numbers) const {
    numbers.insert(numbers.end(), asked_.sizes.begin(), asked_.sizes.end());
    numbers.insert(numbers.end(), {asked_.low, asked_.high});
    Verdict verdict = prepared.verdict ? *prepared.verdict : by_methods(prepared.claim, numbers);
    std::string remark = joined_remarks(prepared.remark, verdict.remark());
    return std::move(verdict).with_remark(std::move(remark));
  }

  [[nodiscard]] Verdict by_method(Method method, const Claim& claim,
                                  const DecideOptions& options) const {
    switch (method) {
      case Method::kDigits:
        return by_digits(claim);
      case Method::kBits:
        return by_bits(claim);
      case Method::kExhaustive:
        return by_points(claim, options);
      case Method::kIsl:
        return by_isl(claim, options);
      case Method::kZ3:
        return by_solver(claim, options);
    }
    return Verdict::unknown("");
  }

  /// The engines know the assumptions on the sizes of a claim. A counterexample may contradict
  /// those on other sizes, on which these depend.
  [[nodiscard]] static Verdict with_all_assumed(Method method, Verdict verdict,
                                                const std::vector<Int>& numbers) {
    const bool is_engine = method == Method::kIsl || method == Method::kZ3;
    if (!is_engine || !verdict.is_no()) return verdict;
    const std::set<std::string> others = expr::names_assumed_beside(numbers);
    if (others.empty()) return verdict;
    return Verdict::unknown(
        fmt::format("a counterexample is not checked against the assumptions about {}",
                    fmt::join(others, ", ")));
  }

  [[nodiscard]] Verdict by_methods(const Claim& claim, const std::vector<Int>& numbers) const {
    if (options_.method) {
      return with_all_assumed(*options_.method, by_method(*options_.method, claim, options_),
                              numbers);
    }
    std::string reasons;
    const auto note = [&](std::string_view method, const Verdict& verdict) {
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", method, verdict.method());
    };
    for (const Method method :
         {Method::kDigits, Method::kBits, Method::kExhaustive, Method::kIsl, Method::kZ3}) {
      if (options_.limits.are_over()) return given_up(options_.limits);
      if (method == Method::kIsl) {
        if (auto verdict = by_samples(numbers)) return *std::move(verdict);
      }
      Verdict verdict = with_all_assumed(method, by_method(method, claim, options_), numbers);
      if (!verdict.is_unknown()) return verdict;
      note(name(method), verdict);
    }
    return Verdict::unknown(reasons);
  }

  /// Tries numbers for the symbols, to find values for which the answer is no.
  [[nodiscard]] std::optional<Verdict> by_samples(const std::vector<Int>& numbers) const {
    constexpr std::size_t kMaxSamples = 48;
    if (std::ranges::none_of(numbers, &Int::is_symbolic)) return std::nullopt;
    DecideOptions options;
    options.max_points = kCheapPoints;
    options.reading = reading();
    for (const Bindings& values : samples(numbers, kMaxSamples)) {
      const Result<Asked> asked = instantiated(asked_, values);
      if (!asked) continue;
      if (options_.shape) options.shape = asked->shape;
      const Verdict verdict = Decision(*asked, options).without_engines();
      if (!verdict.is_no() || !verdict.counterexample()) continue;
      return Verdict::no("values tried", where(*verdict.counterexample(), values));
    }
    return std::nullopt;
  }

  [[nodiscard]] Verdict without_engines() const {
    Verdict verdict = Verdict::unknown("");
    for (const Method method : {Method::kDigits, Method::kBits, Method::kExhaustive}) {
      DecideOptions options = options_;
      options.method = method;
      verdict = Decision(asked_, options).run();
      if (!verdict.is_unknown()) break;
    }
    return verdict;
  }

  const Asked& asked_;
  DecideOptions options_;
};

/// The options with the clock started.
DecideOptions begun(DecideOptions options) {
  options.limits = options.limits.begun();
  return options;
}

/// A no for thread-value layouts of different tiles, in which the same number is another element.
std::optional<Verdict> different_tiles(const AnyLayout& a, const AnyLayout& b) {
  const auto* left = std::get_if<cute::TvLayout>(&a);
  const auto* right = std::get_if<cute::TvLayout>(&b);
  if (left == nullptr || right == nullptr) return std::nullopt;
  const IntTuple tile = tile_shape(*left);
  const IntTuple other = tile_shape(*right);
  if (tile == other) return std::nullopt;
  return Verdict::no(fmt::format("the tiles {} and {} differ", tile, other));
}

Verdict decide(Asked asked, const DecideOptions& options) {
  if (options.shape) asked.shape = *options.shape;
  return Decision(asked, begun(options)).run();
}

}  // namespace

std::string_view name(Method method) { return kMethodNames[static_cast<std::size_t>(method)]; }

std::optional<Method> find_method(std::string_view name) {
  const auto found = std::ranges::find(kMethodNames, name);
  if (found == kMethodNames.end()) return std::nullopt;
  return static_cast<Method>(found - kMethodNames.begin());
}

// ---- The questions ----

Reading reading_of(const AnyLayout& a, const AnyLayout& b, const DecideOptions& options) {
  const DecideOptions limited = begun(options);
  const Result<View> left = view(a, limited.limits);
  const Result<View> right = view(b, limited.limits);
  if (!left || !right) return options.reading.value_or(Reading::kLiteral);
  const Asked asked{Question::kEqual, a, b, {}, {}, {}, options.shape.value_or(std::vector<Int>())};
  return Decision(asked, limited).suited_reading(*left, *right);
}

Verdict equal(const AnyLayout& a, const AnyLayout& b, const DecideOptions& options) {
  Verdict same_map = decide({Question::kEqual, a, b, {}, {}, {}}, options);
  return same_map.is_yes() ? different_tiles(a, b).value_or(same_map) : same_map;
}

Verdict injective(const AnyLayout& layout, const DecideOptions& options) {
  return decide({Question::kInjective, layout, {}, {}, {}, {}}, options);
}

Verdict surjective_onto(const AnyLayout& layout, std::span<const Int> sizes,
                        const DecideOptions& options) {
  return decide({Question::kOnto, layout, {}, {sizes.begin(), sizes.end()}, {}, {}}, options);
}

Verdict bijective(const AnyLayout& layout, const DecideOptions& asked) {
  const DecideOptions options = begun(asked);
  Verdict once = injective(layout, options);
  if (once.is_no()) return once;
  Verdict onto = surjective_onto(layout, {}, options);
  if (onto.is_no() || once.is_yes()) return onto;
  return once;
}

Verdict contiguous(const AnyLayout& layout, const DecideOptions& options) {
  return decide({Question::kContiguous, layout, {}, {}, {}, {}}, options);
}

Verdict disjoint_images(const AnyLayout& a, const AnyLayout& b, const DecideOptions& options) {
  return decide({Question::kDisjoint, a, b, {}, {}, {}}, options);
}

Verdict disjoint_apart_from_zero(const AnyLayout& a, const AnyLayout& b,
                                 const DecideOptions& options) {
  return decide({Question::kMeetAtZero, a, b, {}, {}, {}}, options);
}

Verdict covers(const AnyLayout& a, const AnyLayout& b, const DecideOptions& options) {
  return decide({Question::kCovers, a, b, {}, {}, {}}, options);
}

Verdict within(const AnyLayout& layout, const Int& low, const Int& high,
               const DecideOptions& options) {
  return decide({Question::kWithin, layout, {}, {}, low, high}, options);
}

Verdict is_involution(const AnyLayout& layout, const DecideOptions& options) {
  return decide({Question::kInvolution, layout, {}, {}, {}, {}}, options);
}

}  // namespace heddle::map

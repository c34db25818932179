// Terms made of the input's bytes, with numbers at the ends of 64 bits: nothing crashes, wraps
// around or grows without bound, what is known of a term holds at the values tried, and its
// simplified form has its value there.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

#include "heddle/expr/assumptions.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/simplify.h"

namespace {

using namespace heddle;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

/// Reads small numbers off the input, 0 past its end.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> data) : data_(data) {}

  [[nodiscard]] bool is_empty() const { return data_.empty(); }
  std::size_t next(std::size_t bound) {
    if (data_.empty()) return 0;
    const std::size_t value = data_.front() % bound;
    data_ = data_.subspan(1);
    return value;
  }
  std::int64_t number() {
    static constexpr std::array<std::int64_t, 16> kNumbers = {
        0, 1, 2, 3, 8, 128, -1, -2, kMax, kMin, kMax - 1, kMin + 1, 1LL << 62, 1LL << 31, 7, 64};
    return kNumbers[next(kNumbers.size())];
  }

 private:
  std::span<const std::uint8_t> data_;
};

void require(bool law) {
  if (!law) std::abort();
}

constexpr std::array<const char*, 4> kNames = {"x", "y", "z", "w"};

/// A stack machine: variables and numbers are pushed, operations take from the top.
class Machine {
 public:
  Machine(Bytes& bytes, const Assumptions& world) : bytes_(bytes) {
    for (const char* name : kNames) stack_.push_back(world.variable(name));
  }

  std::vector<Int> run() {
    constexpr int kMaxSteps = 256;
    for (int step = 0; step < kMaxSteps && !bytes_.is_empty(); ++step) stack_.push_back(made());
    return std::move(stack_);
  }

 private:
  const Int& any() { return stack_[stack_.size() - 1 - bytes_.next(stack_.size())]; }

  Int made() {
    const std::size_t operation = bytes_.next(20);
    if (operation == 0) return bytes_.number();
    if (operation == 1) return Int::variable("n", bytes_.number(), bytes_.number());
    const Int a = any();
    const Int b = any();
    switch (operation) {
      case 2:
        return a + b;
      case 3:
        return a - b;
      case 4:
        return a * b;
      case 5:
        return floor_div(a, b);
      case 6:
        return mod(a, b);
      case 7:
        return ceil_div(a, b);
      case 8:
        return min(a, b);
      case 9:
        return max(a, b);
      case 10:
        return gcd(a, b);
      case 11:
        return bit_and(a, b);
      case 12:
        return bit_or(a, b);
      case 13:
        return bit_xor(a, b);
      case 14:
        return shift_left(a, b);
      case 15:
        return shift_right(a, b);
      case 16:
        return abs(a);
      case 17:
        return isqrt(a);
      case 18:
        return select({a, static_cast<Predicate>(bytes_.next(5)), b}, any(), any());
      default:
        return sign(a);
    }
  }

  Bytes& bytes_;
  std::vector<Int> stack_;
};

std::vector<Condition> conditions(Bytes& bytes) {
  std::vector<Condition> made;
  for (std::size_t count = bytes.next(5); count > 0; --count) {
    const Int x = Int::variable(kNames[bytes.next(kNames.size())]);
    const Int y = Int::variable(kNames[bytes.next(kNames.size())]);
    const Int number = bytes.number();
    const auto relation = static_cast<Predicate>(bytes.next(5));
    switch (bytes.next(4)) {
      case 0:
        made.push_back({x, relation, number});
        break;
      case 1:
        made.push_back({number, relation, x});
        break;
      case 2:
        made.push_back({x, relation, y + number});
        break;
      default:
        made.push_back({mod(x, number), relation, Int(bytes.number())});
        break;
    }
  }
  return made;
}

void check(const Int& a, const Int& b) {
  for (const Predicate relation : {Predicate::kEqual, Predicate::kNotEqual, Predicate::kLess,
                                   Predicate::kAtMost, Predicate::kDivides}) {
    const Condition condition{a, relation, b};
    require(!known(condition) || !known_false(condition) || a.is_symbolic() || b.is_symbolic());
    const Verdict verdict = prove(condition);
    require(verdict.is_no() == verdict.counterexample().has_value());
    (void)verdict.to_string();
    (void)needs(condition);
  }
}

void check(const Int& value) {
  const Range ends = range(value);
  const std::int64_t divisor = known_divisor(value);
  (void)to_string(value);
  require(value == value && std::hash<Int>()(value) == std::hash<Int>()(Int(value)));
  for (const std::int64_t number : {0L, 1L, 3L, 128L}) {
    Bindings bindings;
    for (const char* name : kNames) bindings[name] = number;
    const Result<Int> at = instantiate(value, bindings);
    if (!at || !at->is_constant()) continue;
    require(ends.low <= at->value() && at->value() <= ends.high);
    require(known_divides(divisor, *at));
  }
}

/// Both terms in one kernel, at every place where they have values.
void check_simplified(const std::vector<Int>& values) {
  for (const Target& target : {Target::operations(), Target::gpu()}) {
    const Result<Simplified> simplified = simplify(values, {}, {.target = target});
    if (!simplified) continue;
    for (const std::int64_t number : {0L, 1L, 3L, 128L}) {
      Bindings bindings;
      for (const char* name : kNames) bindings[name] = number;
      const std::vector<Int> computed = evaluate(simplified->kernel, bindings);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const Result<Int> wanted = instantiate(values[i], bindings);
        if (!wanted || !wanted->is_constant() || !computed[i].is_defined()) continue;
        require(computed[i] == *wanted);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes({data, size});
  const Result<Assumptions> world = Assumptions::make(conditions(bytes));
  const std::vector<Int> made = Machine(bytes, world ? *world : Assumptions()).run();
  check(made.back());
  check(made.back(), made[made.size() / 2]);
  check_simplified({made.back(), made[made.size() / 2]});
  return 0;
}

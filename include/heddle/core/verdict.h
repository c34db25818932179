#pragma once

// The answer to a question, with its evidence.
//
//   const Verdict verdict = map::equal(a, b);
//   if (verdict.is_no()) std::cout << verdict.counterexample()->coordinate;
//   verdict.method()          // "digit form": how the answer was found

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>

#include "heddle/core/diagnostic.h"

#pragma GCC visibility push(default)
namespace heddle {

/// The three answers to a question about layouts.
enum class Answer { kYes, kNo, kUnknown };

/// A decision with its evidence: the answer, the method that found it ("digit form", "evaluated all
/// 32 coordinates"), and for a no the coordinate that shows it.
class Verdict {
 public:
  [[nodiscard]] static Verdict yes(std::string method);
  [[nodiscard]] static Verdict no(std::string method, std::optional<Witness> counterexample = {});
  [[nodiscard]] static Verdict unknown(std::string method);

  [[nodiscard]] Answer answer() const { return answer_; }
  [[nodiscard]] bool is_yes() const { return answer_ == Answer::kYes; }
  [[nodiscard]] bool is_no() const { return answer_ == Answer::kNo; }
  [[nodiscard]] bool is_unknown() const { return answer_ == Answer::kUnknown; }
  [[nodiscard]] const std::string& method() const { return method_; }
  [[nodiscard]] const std::optional<Witness>& counterexample() const { return counterexample_; }

  /// The same verdict with a remark, such as how the two sides' coordinates were matched.
  [[nodiscard]] Verdict with_remark(std::string remark) &&;
  [[nodiscard]] const std::string& remark() const { return remark_; }

  /// One line: `no  (digit form)  counterexample: coordinate 1: 9 and 8`.
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Verdict&, const Verdict&) = default;

 private:
  Verdict(Answer answer, std::string method) : answer_(answer), method_(std::move(method)) {}

  Answer answer_;
  std::string method_;
  std::optional<Witness> counterexample_;
  std::string remark_;
};

std::ostream& operator<<(std::ostream& stream, const Verdict& verdict);

}  // namespace heddle
#pragma GCC visibility pop

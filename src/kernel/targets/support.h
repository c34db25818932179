#pragma once

// What emitted kernels call: files of the targets' own languages in the folders of this room, which
// are embedded, in pieces.
//
//   //@ heddle_exp2_f32(): heddle_scaled_exp_f32
//   static inline float heddle_exp2_f32(float x) { … }
//
// A piece has a name, with () if it is a function, and the names of what it needs; pieces of one
// name go together. After a blank line a group begins, before which sources have one too. Lines
// `///` are for readers of the file. The text before the first piece lets compilers take the file
// on its own: it has macros for the words that with() replaces. Lines from `//? WORD` to `//?` are
// kept if the word is replaced by something.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::kernel {

/// A file by its path in this room: `cpu/math.h`.
struct SupportFile {
  std::string_view name;
  std::string_view text;
};
[[nodiscard]] const std::vector<SupportFile>& support_files();

struct SupportPiece {
  std::string name;
  std::string needs = {};
  std::string text = {};
  bool is_function = false;
  bool begins_group = false;
};

class Support {
 public:
  Support() = default;
  explicit Support(std::string_view text);
  /// Those of a file, which there is.
  [[nodiscard]] static const Support& of(std::string_view file);

  /// The group with this name.
  [[nodiscard]] Support group(std::string_view name) const;
  /// With words replaced, in this order.
  [[nodiscard]] Support with(const std::vector<std::pair<std::string, std::string>>& by) const;
  Support& operator+=(const Support& other);
  Support& operator+=(SupportPiece piece);
  [[nodiscard]] const std::vector<SupportPiece>& pieces() const { return pieces_; }

  /// All of them.
  [[nodiscard]] std::string text() const;
  /// Those that the callers name, and what these need of all that is here. If sources with them may
  /// be in one file, a function is left out where it is there already: those of one name are the
  /// same in all sources.
  [[nodiscard]] std::string called_by(std::string_view callers, bool may_repeat) const;

 private:
  std::vector<SupportPiece> pieces_;
};

}  // namespace heddle::kernel

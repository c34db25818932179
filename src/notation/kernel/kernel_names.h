#pragma once

// What the names in a kernel stand for, block by block, the innermost first.
//
//   shared As: f16[128,64]     a view, all of As
//   let x = 32*bx              an integer
//   def load(d, i) { … }       a macro; d is whatever it is called with

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heddle/expr/int.h"
#include "heddle/kernel/program.h"
#include "heddle/notation/evaluator.h"
#include "notation/kernel/kernel_syntax.h"

namespace heddle::notation {

/// A view and the type of its elements.
struct TypedView {
  kernel::View view;
  kernel::DType type = kernel::DType::kF32;
};

/// An expression of views, and how large its tree is.
struct KernelValue {
  kernel::Elementwise value;
  std::size_t height = 1;
  std::size_t nodes = 1;
};

class KernelNames;

/// A macro and the names that its body sees, those of the place where it is defined.
struct Macro {
  const MacroSyntax* syntax = nullptr;
  const KernelNames* home = nullptr;
};

using Meaning = std::variant<Int, TypedView, KernelValue, Macro>;

class KernelNames {
 public:
  /// The names of a program.
  explicit KernelNames(Environment environment) : environment_(std::move(environment)) {}
  /// The names of a block within another one, which must outlive it.
  explicit KernelNames(const KernelNames* outer)
      : outer_(outer), environment_(outer->environment_) {}

  /// Binds or hides a name.
  void bind(std::string_view name, Meaning meaning);
  /// The meaning of a name; nullptr for a name of the program or of nothing.
  [[nodiscard]] const Meaning* find(std::string_view name) const;
  template <class T>
  [[nodiscard]] const T* find_as(std::string_view name) const {
    const Meaning* meaning = find(name);
    return meaning == nullptr ? nullptr : std::get_if<T>(meaning);
  }
  /// All of these names, and those of the program.
  [[nodiscard]] std::vector<std::string> all() const;

  /// The program's names and the integers of the kernel.
  [[nodiscard]] const Environment& environment() const { return environment_; }
  [[nodiscard]] Environment& environment() { return environment_; }

 private:
  const KernelNames* outer_ = nullptr;
  Environment environment_;
  std::map<std::string, Meaning, std::less<>> names_;
};

}  // namespace heddle::notation

#pragma once

// Whether a kernel means something: names, shapes, types, spaces and scopes.
//
//   check(kernel)       refuses `kernel.broadcast`: x (64) and m (32) do not broadcast, at …
//
// What depends on a target (how operators are done, what fits) is not asked here.

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/view.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The tensors that a place in a kernel sees, the innermost last.
class Names {
 public:
  using Find = std::function<const Tensor*(std::string_view name)>;

  Names() = default;
  /// The tensors that someone else finds.
  explicit Names(Find find) : find_(std::move(find)) {}
  void declare(const Tensor& tensor) { tensors_.push_back(&tensor); }
  /// The tensor of this name, nullptr if there is none.
  [[nodiscard]] const Tensor* find(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return tensors_.size(); }
  /// Forgets what was declared after there were `size` tensors.
  void forget_to(std::size_t size) { tensors_.resize(size); }
  [[nodiscard]] std::vector<std::string_view> names() const;

 private:
  std::vector<const Tensor*> tensors_;
  Find find_;
};

/// The type and the shape of an expression. Literals and indices alone have the type f32 and i64.
/// Refuses `kernel.name` (with the nearest names), `kernel.type` (a float where an integer is
/// needed, a comparison of truth values), and what shape_of() and broadcast() refuse.
[[nodiscard]] Result<ViewShape> shape_of(const Elementwise& value, const Names& names);

/// Refuses, with the place of the statement, everything that shape_of() refuses, and
/// `kernel.name_taken`, `kernel.space` (a store into a value, registers outside of their scope),
/// `kernel.shape` (operands that do not fit, with their shapes), `kernel.scope` (a part that its
/// scope does not have, a collective operator under a condition that differs between its threads,
/// `else` without a range), `kernel.loop` (`break` outside of a loop), `kernel.launch`,
/// `kernel.dynamic` (a shape of registers or shared memory that depends on sizes), `kernel.devices`
/// (of a kernel over devices: a tensor that does not lie on the devices of the launch, something
/// that they do not do together), and what check_call() refuses.
[[nodiscard]] Result<void> check(const Kernel& kernel);

/// Parameters may lie on several devices, as S[(4,64):(1@gpuid,1@m)] says (seed 002, section 3.2).
/// Such a kernel is checked; whatever runs on one device refuses it here, and a kernel that is
/// launched over devices (devices.h), as `kernel.devices`.
[[nodiscard]] Result<void> check_one_device(const Kernel& kernel);

}  // namespace heddle::kernel
#pragma GCC visibility pop

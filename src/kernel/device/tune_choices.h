#pragma once

// What the author of a kernel left open, and what may be written there.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heddle/kernel/array.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel/thread_program.h"
#include "heddle/map/any_layout.h"

namespace heddle::kernel {

/// `using tiles(rows=6)`
struct Forced {
  std::string schedule;
  Options options = {};
  friend bool operator==(const Forced&, const Forced&) = default;
};

/// What is written at a statement, by its number in the order of for_each_statement().
struct Setting {
  std::size_t statement = 0;
  std::variant<Forced, map::AnyLayout> what;
};
/// The kernel with this written into it.
[[nodiscard]] Kernel with(Kernel kernel, const Setting& setting);
/// The statement of that number, as text.
[[nodiscard]] std::string statement_text(const Kernel& kernel, std::size_t statement);

/// Something that is open: what a statement is done by, a size of its tiles, or its layout.
struct OpenChoice {
  enum class Kind : std::uint8_t { kSchedule, kTile, kSteps, kRows, kColumns, kLayout };
  std::size_t statement = 0;
  Kind kind = Kind::kSchedule;
};
[[nodiscard]] std::vector<OpenChoice> open_choices(const Kernel& kernel);

/// What may be tried there, if all else is as `kernel` says, which was lowered to `program`; some
/// of it may not hold.
[[nodiscard]] std::vector<Setting> settings_for(const OpenChoice& open, const Kernel& kernel,
                                                const ThreadProgram& program,
                                                const TargetMachine& target);

/// The kernel with the sizes of each product in tiles written down.
[[nodiscard]] Kernel with_tiles(Kernel kernel, const ThreadProgram& program);

/// Twice the multiply-adds of all its gemms; what is outside of the tensor that a gemm writes is
/// not counted. nullopt if they depend on data, or are none.
[[nodiscard]] std::optional<double> operations_of(const Kernel& kernel, const Sizes& sizes);

}  // namespace heddle::kernel

#include "checker/collectives.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "heddle/form/element_type.h"
#include "heddle/form/instruction.h"
#include "heddle/kernel/dtype.h"
#include "kernel/source/intrinsics.h"

namespace heddle::checker {

namespace {

using form::InstructionOperand;
using kernel::DType;
using Lanes = std::array<const HeddleCollective*, 32>;

/// Where an element of a matrix is: bits of a register of a lane. `copy` counts the places of the
/// register, and of the lane, that hold the same element; those of a sparse A hold the kept ones.
struct Held {
  std::size_t lane = 0;
  std::int64_t first_bit = 0;
  std::size_t row = 0;
  std::size_t col = 0;
  std::size_t register_copy = 0;
  std::size_t lane_copy = 0;
};

/// What one place of a fragment adds to the coordinates, and the number of its copy.
std::size_t add_place(const form::Fragment& fragment, std::string_view place, std::int64_t number,
                      std::array<std::size_t, 2>& at) {
  std::size_t copy = 0;
  for (const form::Fragment::Mode& mode : fragment.modes_of_place(*fragment.place(place))) {
    const std::int64_t digit = number % mode.extent;
    number /= mode.extent;
    if (mode.index) at[*mode.index] += static_cast<std::size_t>(digit * mode.stride);
    if (!mode.index) copy = static_cast<std::size_t>(digit);
  }
  return copy;
}

std::vector<Held> held_elements(const InstructionOperand& operand) {
  std::vector<Held> all;
  const std::vector<form::RegisterSlot> slots = form::register_slots(operand);
  for (std::size_t lane = 0; lane != 32; ++lane) {
    for (std::size_t i = 0; i != slots.size(); ++i) {
      if (i % static_cast<std::size_t>(operand.shared_by) != 0) continue;
      std::array<std::size_t, 2> at{};
      Held held{.lane = lane, .first_bit = slots[i].vgpr * 32 + slots[i].first_bit};
      held.register_copy =
          add_place(operand.fragment, "register", static_cast<std::int64_t>(i), at);
      held.lane_copy = add_place(operand.fragment, "lane", static_cast<std::int64_t>(lane), at);
      held.row = at[0];
      held.col = at[1];
      all.push_back(held);
    }
  }
  return all;
}

/// A type of PTX as the kernel's types have it; single bits are read by themselves.
DType type_of(std::string_view ptx) {
  const form::ElementType* type = form::find_element_type(ptx);
  return type == nullptr ? DType::kU8 : kernel::find_dtype(type->name).value_or(DType::kU8);
}

std::uint64_t bits_at(const void* registers, std::int64_t first, int bits) {
  std::uint64_t value = 0;
  std::memcpy(&value, static_cast<const char*>(registers) + first / 8,
              static_cast<std::size_t>(bits + 7) / 8);
  value >>= first % 8;
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

void set_bits(void* registers, std::int64_t first, int bits, std::uint64_t value) {
  std::memcpy(static_cast<char*>(registers) + first / 8, &value,
              static_cast<std::size_t>(bits) / 8);
}

/// A matrix of doubles: products of integers of 8 bits and their sums are exact in them.
struct Matrix {
  std::size_t columns = 1;
  std::vector<double> elements = {};

  Matrix(std::int64_t rows, std::int64_t cols)
      : columns(static_cast<std::size_t>(cols)), elements(static_cast<std::size_t>(rows * cols)) {}
  double& at(std::size_t row, std::size_t col) { return elements[row * columns + col]; }
};

/// What an intrinsic multiplies, made once of the catalogue.
class Multiply {
 public:
  explicit Multiply(const kernel::Intrinsic& intrinsic)
      : instruction_(intrinsic.instruction->make()),
        saturates_(intrinsic.name.find("satfinite") != std::string::npos),
        is_xor_(intrinsic.name.ends_with("_xor_popc")),
        is_double_(instruction_.operand("A")->bits == 64) {
    for (const InstructionOperand& operand : instruction_.operands) {
      held_[operand.name] = held_elements(operand);
    }
  }

  void operator()(const Lanes& lanes) const {
    const auto& [m, n, k] = instruction_.shape;
    Matrix a = instruction_.operand("E") == nullptr ? loaded("A", lanes, &HeddleCollective::a, m, k)
                                                    : spread_out(lanes);
    Matrix b = loaded("B", lanes, &HeddleCollective::b, k, n);
    Matrix d = loaded("C", lanes, &HeddleCollective::c, m, n);
    const auto number = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
    for (std::size_t i = 0; i != number(m); ++i) {
      for (std::size_t j = 0; j != number(n); ++j) {
        for (std::size_t p = 0; p != number(k); ++p) add(d.at(i, j), a.at(i, p), b.at(p, j));
      }
    }
    store(lanes, d);
  }

 private:
  /// Products of two numbers of up to 26 bits are exact, so that nothing else is rounded than the
  /// sum.
  void add(double& sum, double x, double y) const {
    if (is_xor_) {
      sum += x == y ? 0 : 1;
    } else {
      sum = is_double_ ? std::fma(x, y, sum) : sum + x * y;
    }
  }

  [[nodiscard]] static double read(const InstructionOperand& operand, DType type,
                                   const void* registers, std::int64_t first) {
    const std::uint64_t bits = bits_at(registers, first, operand.bits);
    if (operand.bits == 1) return static_cast<double>(bits);
    // Of tf32 the last 13 bits are not read.
    const kernel::Number value =
        kernel::decode(type, type == DType::kTf32 ? bits & ~std::uint64_t{0x1fff} : bits);
    return value.is_real ? value.real : static_cast<double>(value.integer);
  }

  Matrix loaded(std::string_view name, const Lanes& lanes,
                const void* HeddleCollective::* registers, std::int64_t rows,
                std::int64_t cols) const {
    const InstructionOperand& operand = *instruction_.operand(name);
    const DType type = type_of(operand.type);
    Matrix matrix(rows, cols);
    for (const Held& held : held_.find(name)->second) {
      if (lanes[held.lane] == nullptr) continue;
      matrix.at(held.row, held.col) =
          read(operand, type, lanes[held.lane]->*registers, held.first_bit);
    }
    return matrix;
  }

  /// Four bits for each group along K say which of its elements are stored: two of four, of
  /// elements of 4 bits two pairs of four, of tf32 one of two (PTX ISA, "Sparse matrix storage").
  Matrix spread_out(const Lanes& lanes) const {
    const auto& [m, n, k] = instruction_.shape;
    const InstructionOperand& a = *instruction_.operand("A");
    const DType type = type_of(a.type);
    const std::size_t group = a.bits == 4 ? 8 : (a.bits == 32 ? 2 : 4);
    const std::size_t kept = group / 2;
    const auto spans = static_cast<std::size_t>(a.fragment.dims()[1].size);
    const std::size_t kept_of_span = static_cast<std::size_t>(k) / 2 / spans;
    const std::vector<unsigned> codes = group_codes(lanes, group);
    const std::size_t groups = static_cast<std::size_t>(k) / group;
    Matrix matrix(m, k);
    for (const Held& held : held_.find("A")->second) {
      if (lanes[held.lane] == nullptr) continue;
      const std::size_t place = held.col * kept_of_span + held.register_copy;
      const unsigned code = codes[held.row * groups + place / kept];
      const std::size_t col = place / kept * group + place_in_group(code, place % kept, group);
      matrix.at(held.row, col) = read(a, type, lanes[held.lane]->a, held.first_bit);
    }
    return matrix;
  }
  static std::size_t place_in_group(unsigned code, std::size_t nth, std::size_t group) {
    if (group == 2) return code == 0xe ? 1 : 0;
    if (group == 4) return code >> 2 * nth & 3;
    return 2 * (code >> nth / 2 * 2 & 3) + nth % 2;
  }
  /// Of the lanes with copies, those that the selector names are read.
  [[nodiscard]] std::vector<unsigned> group_codes(const Lanes& lanes, std::size_t group) const {
    const auto& [m, n, k] = instruction_.shape;
    const InstructionOperand& index = *instruction_.operand("E");
    const std::size_t groups = static_cast<std::size_t>(k) / group;
    std::vector<unsigned> codes(static_cast<std::size_t>(m) * groups);
    const bool has_copies = index.fragment.copies() > 1;
    for (const Held& held : held_.find("E")->second) {
      const HeddleCollective* lane = lanes[held.lane];
      if (lane == nullptr) continue;
      if (has_copies && held.lane_copy != static_cast<std::size_t>(lane->number)) continue;
      const std::uint64_t bits = bits_at(&lane->index, held.first_bit, index.bits);
      codes[held.row * groups + held.col / group] |=
          static_cast<unsigned>(bits << held.col % group * 4 / group);
    }
    return codes;
  }

  void store(const Lanes& lanes, Matrix& d) const {
    const InstructionOperand& operand = *instruction_.operand("D");
    const DType type = type_of(operand.type);
    for (const Held& held : held_.find("D")->second) {
      if (lanes[held.lane] == nullptr) continue;
      set_bits(lanes[held.lane]->d, held.first_bit, operand.bits,
               encoded(type, d.at(held.row, held.col)));
    }
  }
  [[nodiscard]] std::uint64_t encoded(DType type, double sum) const {
    if (kernel::is_float(type)) return kernel::encode(type, kernel::Number(sum));
    if (saturates_) sum = std::clamp(sum, -2147483648.0, 2147483647.0);
    return kernel::encode(type, kernel::Number(static_cast<std::int64_t>(sum)));
  }

  form::Instruction instruction_;
  bool saturates_;
  bool is_xor_;
  bool is_double_;
  std::map<std::string, std::vector<Held>, std::less<>> held_;
};

const Multiply& multiply_of(std::string_view name) {
  thread_local std::map<std::string, Multiply, std::less<>> made;
  const auto found = made.find(name);
  if (found != made.end()) return found->second;
  return made.emplace(name, Multiply(*kernel::find_intrinsic(name))).first->second;
}

/// Lane l has elements 2(l mod 4) and 2(l mod 4) + 1 of row l / 4 of each matrix, of a transposed
/// one those of its column.
void load_matrices(const Lanes& lanes, int matrices, bool is_transposed) {
  for (int matrix = 0; matrix != matrices; ++matrix) {
    for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
      if (lanes[lane] == nullptr) continue;
      std::array<std::uint16_t, 2> pair{};
      for (std::size_t i = 0; i != 2; ++i) {
        const std::size_t along = 2 * (lane % 4) + i;
        const std::size_t row = is_transposed ? along : lane / 4;
        const std::size_t col = is_transposed ? lane / 4 : along;
        const HeddleCollective* with_row = lanes[static_cast<std::size_t>(matrix) * 8 + row];
        if (with_row == nullptr) continue;
        std::memcpy(&pair[i], static_cast<const std::uint16_t*>(with_row->a) + col, sizeof pair[i]);
      }
      std::memcpy(static_cast<std::uint32_t*>(lanes[lane]->d) + matrix, pair.data(), sizeof pair);
    }
  }
}

void shuffle(const Lanes& lanes, int unknown) {
  std::array<std::array<char, 16>, 32> values{};
  for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
    if (lanes[lane] == nullptr) continue;
    const auto from = static_cast<std::size_t>(lanes[lane]->number) % lanes.size();
    const auto bytes = static_cast<std::size_t>(lanes[lane]->bytes);
    if (lanes[from] == nullptr) {
      std::memset(values[lane].data(), unknown, bytes);
    } else {
      std::memcpy(values[lane].data(), lanes[from]->a, bytes);
    }
  }
  for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
    if (lanes[lane] == nullptr) continue;
    std::memcpy(lanes[lane]->d, values[lane].data(), static_cast<std::size_t>(lanes[lane]->bytes));
  }
}

/// What each lane has, for all of them.
void gather(const Lanes& lanes) {
  HeddleGathered head{};
  std::array<char, 32 * 8> values{};
  const auto bytes = static_cast<std::size_t>(
      (*std::ranges::find_if(lanes, [](const auto* lane) { return lane != nullptr; }))->bytes);
  for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
    if (lanes[lane] == nullptr) continue;
    head.lanes |= 1U << lane;
    std::memcpy(&values[lane * bytes], lanes[lane]->a, bytes);
  }
  for (const HeddleCollective* lane : lanes) {
    if (lane == nullptr) continue;
    std::memcpy(lane->d, &head, sizeof head);
    std::memcpy(static_cast<char*>(lane->d) + sizeof head, values.data(), 32 * bytes);
  }
}

}  // namespace

void perform(const Lanes& lanes, int unknown) {
  const HeddleCollective& first =
      **std::ranges::find_if(lanes, [](const HeddleCollective* lane) { return lane != nullptr; });
  switch (first.operation) {
    case kHeddleSyncWarp:
      return;
    case kHeddleShuffle:
      return shuffle(lanes, unknown);
    case kHeddleMatrices:
      return load_matrices(lanes, first.number, first.bytes != 0);
    case kHeddleMultiply:
      return multiply_of(first.name)(lanes);
    case kHeddleGather:
      return gather(lanes);
  }
}

}  // namespace heddle::checker

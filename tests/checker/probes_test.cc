// Probes of matrix instructions: an operand with one element that is not 0 meets another whose rows
// and columns all differ, so that the result says which element it was taken for. Elements are put
// into registers by the layouts of the catalogue, as the operations on machines read it.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/collectives.h"
#include "heddle/form/instruction.h"
#include "heddle/kernel/dtype.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/machine/instruction_layout.h"
#include "kernel/source/intrinsics.h"
#include "kernel/sparse.h"

namespace heddle::checker {
namespace {

using kernel::DType;
using kernel::Intrinsic;
using kernel::Number;

/// Where an element is in the registers of a warp.
struct ProbePlace {
  std::size_t lane = 0;
  std::int64_t bit = 0;
};

DType dtype_of(std::string_view ptx) {
  if (ptx == "s32") return DType::kI32;
  if (ptx == "s8") return DType::kI8;
  if (ptx == "s4") return DType::kI4;
  return kernel::find_dtype(ptx).value_or(DType::kU8);
}

/// The integers that a type has, from the first one on.
std::pair<std::int64_t, std::int64_t> integers_of(std::string_view ptx) {
  if (ptx == "b1") return {0, 2};
  if (ptx == "u4") return {0, 16};
  if (ptx == "s4") return {-8, 16};
  if (ptx == "u8") return {0, 256};
  if (ptx == "s8") return {-128, 256};
  if (ptx == "e5m2") return {-7, 15};
  if (ptx == "e4m3") return {-15, 31};
  if (ptx == "bf16") return {0, 256};
  return {0, 2048};
}

/// An operand of an instruction: its matrix, and the registers that hold it.
class ProbeOperand {
 public:
  ProbeOperand(const form::Instruction& instruction, std::string_view name)
      : operand_(*instruction.operand(name)), type_(dtype_of(operand_.type)) {
    const form::InstructionQuery query{.machine = instruction.machine};
    const auto layout =
        machine::instruction_layout(instruction.name, name, query, map::System::kLinear).value();
    const auto slots = machine::instruction_slots(instruction.name, name, query).value();
    const auto& held = std::get<linear::LinearLayout>(layout);
    const auto sizes = held.out_dim_sizes();
    // Of a sparse A the columns are spans, whose kept elements are neighbours.
    if (sizes[1].first == "kspan") kept_ = static_cast<std::size_t>(32 / operand_.bits);
    columns_ = static_cast<std::size_t>(sizes[1].second) * kept_;
    values_.assign(static_cast<std::size_t>(sizes[0].second) * columns_, 0);
    places_.resize(values_.size());
    for (std::size_t lane = 0; lane != 32; ++lane) {
      for (std::size_t i = 0; i != slots.size(); ++i) {
        const auto at = held.apply({{"register", static_cast<std::int64_t>(i)},
                                    {"lane", static_cast<std::int64_t>(lane)}})
                            .value();
        const auto row = static_cast<std::size_t>(at[0].second);
        const auto column = static_cast<std::size_t>(at[1].second) * kept_ + i % kept_;
        places_[row * columns_ + column].push_back({lane, slots[i].vgpr * 32 + slots[i].first_bit});
      }
    }
  }

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] const std::string& type_name() const { return operand_.type; }
  [[nodiscard]] std::size_t rows() const { return values_.size() / columns_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::int64_t at(std::size_t row, std::size_t column) const {
    return values_[row * columns_ + column];
  }
  void set(std::size_t row, std::size_t column, std::int64_t value) {
    values_[row * columns_ + column] = value;
    const bool is_float = kernel::is_float(type());
    const std::uint64_t bits =
        operand_.bits == 1
            ? static_cast<std::uint64_t>(value)
            : kernel::encode(type(), is_float ? Number(static_cast<double>(value)) : Number(value));
    write(row, column, bits, operand_.bits);
  }
  /// The bits at the places of an element, and of those behind it.
  void write(std::size_t row, std::size_t column, std::uint64_t bits, int width) {
    for (const ProbePlace& place : places_[row * columns_ + column]) {
      char* const at = lanes_[place.lane].data() + place.bit / 8;
      std::uint64_t old = 0;
      std::memcpy(&old, at, sizeof old);
      const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
      old = (old & ~(mask << place.bit % 8)) | (bits & mask) << place.bit % 8;
      std::memcpy(at, &old, sizeof old);
    }
  }
  [[nodiscard]] std::int64_t read(std::size_t row, std::size_t column) const {
    const ProbePlace& place = places_[row * columns_ + column].front();
    std::uint64_t bits = 0;
    std::memcpy(&bits, lanes_[place.lane].data() + place.bit / 8,
                static_cast<std::size_t>(operand_.bits) / 8);
    const Number number = kernel::decode(type(), bits);
    return number.is_real ? static_cast<std::int64_t>(number.real) : number.integer;
  }
  char* lane(std::size_t number) { return lanes_[number].data(); }

 private:
  form::InstructionOperand operand_;
  DType type_;
  std::size_t kept_ = 1;
  std::size_t columns_ = 1;
  std::vector<std::int64_t> values_;
  std::vector<std::vector<ProbePlace>> places_;
  std::array<std::array<char, 128>, 32> lanes_{};
};

struct Probe {
  const Intrinsic& intrinsic;
  form::Instruction instruction;
  ProbeOperand a, b, c, d;
  /// Of a sparse A.
  std::optional<ProbeOperand> index = {};

  explicit Probe(const Intrinsic& probed)
      : intrinsic(probed),
        instruction(probed.instruction->make()),
        a(instruction, "A"),
        b(instruction, "B"),
        c(instruction, "C"),
        d(instruction, "D") {
    if (instruction.operand("E") != nullptr) index.emplace(instruction, "E");
  }
  [[nodiscard]] bool is_xor() const { return intrinsic.name.ends_with("_xor_popc"); }
  [[nodiscard]] std::size_t depth() const { return static_cast<std::size_t>(instruction.shape[2]); }
  void set_code(std::size_t row, std::size_t group, std::int64_t code, std::size_t elements) {
    index->write(row, group * elements, static_cast<std::uint64_t>(code), 4);
  }

  void multiply() {
    std::array<HeddleCollective, 32> brought{};
    std::array<const HeddleCollective*, 32> lanes{};
    for (std::size_t lane = 0; lane != lanes.size(); ++lane) {
      unsigned code = 0;
      if (index) std::memcpy(&code, index->lane(lane), sizeof code);
      brought[lane] = {
          kHeddleMultiply,        ~0U, 0, 0, d.lane(lane), a.lane(lane), b.lane(lane), c.lane(lane),
          intrinsic.name.c_str(), code};
      lanes[lane] = &brought[lane];
    }
    perform(lanes);
  }
  /// D, row by row.
  [[nodiscard]] std::vector<std::int64_t> result() const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i != d.rows(); ++i) {
      for (std::size_t j = 0; j != d.columns(); ++j) all.push_back(d.read(i, j));
    }
    return all;
  }
  /// What the sums are where A has one 1, at a row and step; or B, at a step and column.
  [[nodiscard]] std::vector<std::int64_t> sums() const {
    std::vector<std::int64_t> all(d.rows() * d.columns(), 0);
    if (!is_xor()) return all;
    for (std::size_t i = 0; i != d.rows(); ++i) {
      for (std::size_t j = 0; j != d.columns(); ++j) {
        for (std::size_t k = 0; k != depth(); ++k) {
          all[i * d.columns() + j] += a.at(i, k) != b.at(k, j) ? 1 : 0;
        }
      }
    }
    return all;
  }
};

/// Numbers of `type` for a matrix of `steps` by `others`: each step has its own, and each of the
/// others.
std::int64_t distinct(std::string_view type, std::size_t steps, std::size_t step,
                      std::size_t other) {
  const auto [first, count] = integers_of(type);
  const auto base = static_cast<std::size_t>(count);
  std::size_t digits = 1;
  for (std::size_t reach = base; reach < steps; reach *= base) ++digits;
  for (std::size_t i = 0; i != other % digits; ++i) step /= base;
  return first + static_cast<std::int64_t>((step + other / digits) % base);
}

void fill_b(Probe& probe) {
  std::set<std::vector<std::int64_t>> rows;
  for (std::size_t k = 0; k != probe.b.rows(); ++k) {
    std::vector<std::int64_t> row;
    for (std::size_t j = 0; j != probe.b.columns(); ++j) {
      row.push_back(distinct(probe.b.type_name(), probe.b.rows(), k, j));
      probe.b.set(k, j, row.back());
    }
    rows.insert(row);
  }
  ASSERT_EQ(rows.size(), probe.b.rows());
}

/// A code that keeps the element at a place of its group, and as which one it is stored.
std::pair<std::int64_t, std::size_t> code_with(const kernel::SparseGroup& group,
                                               std::size_t place) {
  for (const std::int64_t code : group.codes) {
    for (std::int64_t nth = 0; nth != group.elements / 2; ++nth) {
      if (std::cmp_equal(group.place(code, nth), place)) {
        return {code, static_cast<std::size_t>(nth)};
      }
    }
  }
  return {};
}

void fill_codes(Probe& probe, const kernel::SparseGroup& group) {
  const auto elements = static_cast<std::size_t>(group.elements);
  for (std::size_t i = 0; i != probe.a.rows(); ++i) {
    for (std::size_t g = 0; g != probe.depth() / elements; ++g) {
      probe.set_code(i, g, group.codes.front(), elements);
    }
  }
}

/// The number that is put into the matrix of a probe at a row, or column: rows that have to share a
/// step differ in it.
std::int64_t number_of(std::size_t row, std::size_t steps) {
  return 1 + static_cast<std::int64_t>(row / steps);
}

/// Each element along K, by a code that keeps it: one of each row at a time, each at another step.
void probe_sparse_a(Probe& probe, const std::string& name) {
  fill_b(probe);
  const kernel::SparseGroup group = kernel::sparse_group(probe.a.type());
  const auto elements = static_cast<std::size_t>(group.elements);
  fill_codes(probe, group);
  const std::size_t columns = probe.d.columns();
  const auto set = [&](std::size_t first, bool is_there) {
    for (std::size_t i = 0; i != probe.a.rows(); ++i) {
      const std::size_t k = (first + i) % probe.depth();
      const auto [code, nth] = code_with(group, k % elements);
      probe.a.set(i, k / elements * (elements / 2) + nth,
                  is_there ? number_of(i, probe.depth()) : 0);
      probe.set_code(i, k / elements, is_there ? code : group.codes.front(), elements);
    }
  };
  for (std::size_t first = 0; first != probe.depth(); ++first) {
    set(first, true);
    probe.multiply();
    std::vector<std::int64_t> wanted;
    for (std::size_t i = 0; i != probe.a.rows(); ++i) {
      for (std::size_t j = 0; j != columns; ++j) {
        wanted.push_back(number_of(i, probe.depth()) * probe.b.at((first + i) % probe.depth(), j));
      }
    }
    ASSERT_EQ(probe.result(), wanted) << name << ": A(0," << first << ") and so on";
    set(first, false);
  }
}

/// Each code of each group, which alone keeps a 1 in its row: each row has another code.
void probe_codes(Probe& probe, const std::string& name) {
  fill_b(probe);
  const kernel::SparseGroup group = kernel::sparse_group(probe.a.type());
  const auto elements = static_cast<std::size_t>(group.elements);
  const std::size_t kept = elements / 2;
  const std::size_t count = group.codes.size();
  fill_codes(probe, group);
  for (std::size_t g = 0; g != probe.depth() / elements; ++g) {
    for (std::size_t i = 0; i != probe.a.rows(); ++i) probe.a.set(i, g * kept + i % kept, 1);
    for (std::size_t first = 0; first != count; ++first) {
      std::vector<std::int64_t> wanted;
      for (std::size_t i = 0; i != probe.a.rows(); ++i) {
        // Rows of all elements that are kept meet every code.
        const std::int64_t code = group.codes[(first + i / kept) % count];
        probe.set_code(i, g, code, elements);
        const auto place =
            static_cast<std::size_t>(group.place(code, static_cast<std::int64_t>(i % kept)));
        for (std::size_t j = 0; j != probe.d.columns(); ++j) {
          wanted.push_back(probe.b.at(g * elements + place, j));
        }
      }
      probe.multiply();
      ASSERT_EQ(probe.result(), wanted) << name << ": E(0," << g << "), code " << first;
    }
    for (std::size_t i = 0; i != probe.a.rows(); ++i) {
      probe.set_code(i, g, group.codes.front(), elements);
      probe.a.set(i, g * kept + i % kept, 0);
    }
  }
}

/// Each element of A, one of each row at a time, each at another step.
void probe_a(Probe& probe, const std::string& name) {
  fill_b(probe);
  const std::vector<std::int64_t> none = probe.sums();
  const std::size_t columns = probe.d.columns();
  const std::size_t steps = probe.a.columns();
  const auto set = [&](std::size_t first, bool is_there) {
    for (std::size_t i = 0; i != probe.a.rows(); ++i) {
      probe.a.set(i, (first + i) % steps, is_there ? number_of(i, steps) : 0);
    }
  };
  for (std::size_t first = 0; first != steps; ++first) {
    set(first, true);
    probe.multiply();
    std::vector<std::int64_t> wanted = none;
    for (std::size_t i = 0; i != probe.a.rows(); ++i) {
      for (std::size_t j = 0; j != columns; ++j) {
        const std::int64_t b = probe.b.at((first + i) % steps, j);
        wanted[i * columns + j] += probe.is_xor() ? 1 - 2 * b : number_of(i, steps) * b;
      }
    }
    ASSERT_EQ(probe.result(), wanted) << name << ": A(0," << first << ") and so on";
    set(first, false);
  }
}

/// Each element of B, one of each column at a time, each at another step. A sparse A keeps the
/// first elements of each group here; of others no product is added.
void probe_b(Probe& probe, const std::string& name) {
  const auto elements =
      probe.index ? static_cast<std::size_t>(kernel::sparse_group(probe.a.type()).elements) : 1;
  const std::size_t kept = probe.index ? elements / 2 : 1;
  const std::size_t steps = probe.a.columns();
  const std::size_t depth = probe.b.rows();
  for (std::size_t i = 0; i != probe.a.rows(); ++i) {
    for (std::size_t k = 0; k != steps; ++k) {
      probe.a.set(i, k, distinct(probe.a.type_name(), steps, k, i));
    }
    for (std::size_t g = 0; probe.index.has_value() && g != probe.depth() / elements; ++g) {
      probe.set_code(i, g, 4, elements);
    }
  }
  const std::vector<std::int64_t> none = probe.sums();
  const std::size_t columns = probe.d.columns();
  const auto set = [&](std::size_t first, bool is_there) {
    for (std::size_t j = 0; j != columns; ++j) {
      probe.b.set((first + j) % depth, j, is_there ? number_of(j, depth) : 0);
    }
  };
  for (std::size_t first = 0; first != depth; ++first) {
    set(first, true);
    probe.multiply();
    std::vector<std::int64_t> wanted = none;
    for (std::size_t j = 0; j != columns; ++j) {
      const std::size_t k = (first + j) % depth;
      for (std::size_t i = 0; i != probe.d.rows() && k % elements < kept; ++i) {
        const std::int64_t a = probe.a.at(i, k / elements * kept + k % elements);
        wanted[i * columns + j] += probe.is_xor() ? 1 - 2 * a : number_of(j, depth) * a;
      }
    }
    ASSERT_EQ(probe.result(), wanted) << name << ": B(" << first << ",0) and so on";
    set(first, false);
  }
}

/// Each element of C has a number of its own.
void probe_c(Probe& probe, const std::string& name) {
  std::vector<std::int64_t> wanted;
  for (std::size_t i = 0; i != probe.c.rows(); ++i) {
    for (std::size_t j = 0; j != probe.d.columns(); ++j) {
      wanted.push_back(static_cast<std::int64_t>(wanted.size()) + 1);
      probe.c.set(i, j, wanted.back());
    }
  }
  probe.multiply();
  ASSERT_EQ(probe.result(), wanted) << name << ": C";
}

TEST(MatrixInstructions, TakeEveryElementOfEveryOperandForItself) {
  int count = 0;
  for (const Intrinsic& each : kernel::intrinsics()) {
    if (each.instruction == nullptr) continue;
    const Probe fresh(each);
    Probe of_a = fresh;
    (of_a.index ? probe_sparse_a : probe_a)(of_a, each.name);
    Probe of_codes = fresh;
    if (of_codes.index) probe_codes(of_codes, each.name);
    Probe of_b = fresh;
    probe_b(of_b, each.name);
    Probe of_c = fresh;
    probe_c(of_c, each.name);
    if (HasFatalFailure()) return;
    ++count;
  }
  EXPECT_GT(count, 120);
}

}  // namespace
}  // namespace heddle::checker

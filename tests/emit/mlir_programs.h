#pragma once

// Programs in MLIR that hold emitted functions against tables of what they must give.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "emit/drawn_functions.h"
#include "heddle/emit/print.h"

namespace heddle::emit {

/// From MLIR's dialects to LLVM's, for its JIT.
inline constexpr const char* kLowerToLlvm =
    "mlir-opt-19 --arith-expand --lower-affine --convert-vector-to-llvm --convert-scf-to-cf "
    "--finalize-memref-to-llvm --convert-arith-to-llvm --convert-cf-to-llvm --convert-func-to-llvm "
    "--reconcile-unrealized-casts";
inline constexpr const char* kRunMain = "mlir-cpu-runner-19 -O0 -e main --entry-point-result=i32";

[[nodiscard]] inline std::string mlir_type(const DrawnFunction& drawn, const MlirOptions& options) {
  if (!options.integers) return "index";
  return fits_32_bits(drawn.function.on_the_way) ? "i32" : "i64";
}

/// A table of the points, whether they are in the domain, and their places.
[[nodiscard]] inline std::string mlir_rows(const DrawnFunction& drawn, int number,
                                           const std::string& table) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < drawn.points.size(); ++i) {
    std::vector<std::int64_t> row = drawn.points[i];
    row.push_back(drawn.places[i] ? 1 : 0);
    const test::Point place =
        drawn.places[i].value_or(test::Point(drawn.function.places.size(), 0));
    row.insert(row.end(), place.begin(), place.end());
    rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
  }
  return fmt::format("memref.global \"private\" constant @rows{} : {} = dense<[\n  {}]>\n", number,
                     table, fmt::join(rows, ",\n  "));
}

/// `%x0, %x1`
[[nodiscard]] inline std::string columns(std::size_t from, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("%x{}", from + i));
  return fmt::format("{}", fmt::join(names, ", "));
}

[[nodiscard]] inline std::string types(const std::string& type, std::size_t count) {
  return fmt::format("{}", fmt::join(std::vector<std::string>(count, type), ", "));
}

/// The body of a loop over rows: the statements so far, and the last truth value of what is wrong.
class RowCheck {
 public:
  RowCheck(std::string type, std::size_t columns) : type_(std::move(type)) {
    for (std::size_t k = 0; k < columns; ++k) {
      line(fmt::format("%k{0} = arith.constant {0} : index", k));
      line(fmt::format("%w{0} = memref.load %rows[%r, %k{0}] : !table", k));
      line(type_ == "i64" ? fmt::format("%x{0} = arith.addi %w{0}, %zero : i64", k)
                          : fmt::format("%x{0} = arith.{1} %w{0} : i64 to {2}", k,
                                        type_ == "i32" ? "trunci" : "index_cast", type_));
    }
  }

  /// The guard says what this column does.
  void guard(const std::string& name, std::size_t coordinates) {
    line(fmt::format("%guard = func.call @{}_guard({}) : ({}) -> i1", name, columns(0, coordinates),
                     types(type_, coordinates)));
    line(fmt::format("%wanted = arith.cmpi ne, %w{}, %zero : i64", coordinates));
    line("%other = arith.xori %guard, %wanted : i1");
    wrong("%other");
  }
  /// Inside of the domain a call on the columns from `from` on gives those from `to` on. It is made
  /// outside too, where it must do no harm.
  void call(const std::string& name, std::size_t from, std::size_t arguments, std::size_t to,
            std::size_t results) {
    const std::string value = fmt::format("%v{}", next_++);
    line(fmt::format("{}:{} = func.call @{}({}) : ({}) -> ({})", value, results, name,
                     columns(from, arguments), types(type_, arguments), types(type_, results)));
    for (std::size_t k = 0; k < results; ++k) {
      const int number = next_++;
      line(fmt::format("%d{} = arith.cmpi ne, {}#{}, %x{} : {}", number, value, k, to + k, type_));
      line(fmt::format("%b{0} = arith.andi %d{0}, %wanted : i1", number));
      wrong(fmt::format("%b{}", number));
    }
  }
  [[nodiscard]] std::string text() const {
    return text_ + fmt::format("    scf.yield {} : i1\n", wrong_);
  }

 private:
  void line(const std::string& statement) { text_ += "    " + statement + "\n"; }
  void wrong(const std::string& value) {
    const std::string all = fmt::format("%a{}", next_++);
    line(fmt::format("{} = arith.ori {}, {} : i1", all, wrong_, value));
    wrong_ = all;
  }

  std::string type_;
  std::string text_;
  std::string wrong_ = "%before";
  int next_ = 0;
};

/// The functions with a @check that tries them at every point; of a number for its name.
[[nodiscard]] inline std::string checked_mlir(const DrawnFunction& drawn,
                                              const MlirOptions& options, int number) {
  const MapFunction& function = drawn.function;
  const std::string name = "f" + std::to_string(number);
  const std::size_t coordinates = function.coordinates.size();
  const std::size_t places = function.places.size();
  const std::size_t count = coordinates + 1 + places;
  const std::string table = fmt::format("memref<{}x{}xi64>", drawn.points.size(), count);
  RowCheck row(mlir_type(drawn, options), count);
  row.guard(name, coordinates);
  row.call(name, 0, coordinates, coordinates + 1, places);
  if (function.inverse) row.call(name + "_inverse", coordinates + 1, places, 0, coordinates);
  std::string body = row.text();
  for (std::size_t at = body.find("!table"); at != std::string::npos; at = body.find("!table")) {
    body.replace(at, 6, table);
  }
  return to_text(function, {Dialect::kMlir, name, options}).value() +
         mlir_rows(drawn, number, table) + fmt::format("func.func @check{}() -> i1 {{\n", number) +
         fmt::format("  %rows = memref.get_global @rows{} : {}\n", number, table) +
         "  %none = arith.constant false\n  %zero = arith.constant 0 : i64\n"
         "  %begin = arith.constant 0 : index\n  %step = arith.constant 1 : index\n" +
         fmt::format("  %end = arith.constant {} : index\n", drawn.points.size()) +
         "  %wrong = scf.for %r = %begin to %end step %step iter_args(%before = %none) -> (i1) "
         "{\n" +
         body + "  }\n  return %wrong : i1\n}\n\n";
}

/// A program whose @main gives the number of a function that is wrong and 1, or 0.
[[nodiscard]] inline std::string mlir_program(const std::vector<DrawnFunction>& functions,
                                              const MlirOptions& options) {
  std::string text;
  std::string main = "func.func @main() -> i32 {\n  %found0 = arith.constant 0 : i32\n";
  for (std::size_t i = 0; i < functions.size(); ++i) {
    text += checked_mlir(functions[i], options, static_cast<int>(i));
    main += fmt::format(
        "  %wrong{0} = func.call @check{0}() : () -> i1\n"
        "  %number{1} = arith.constant {1} : i32\n"
        "  %found{1} = arith.select %wrong{0}, %number{1}, %found{0} : i32\n",
        i, i + 1);
  }
  return text + main + fmt::format("  return %found{} : i32\n}}\n", functions.size());
}

}  // namespace heddle::emit

// Functions of MLIR: built, printed, and parsed again, which checks that the text is valid.

#include <fmt/format.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>

#include <algorithm>
#include <span>

#include "core/text.h"
#include "core/words.h"
#include "emit/function_source.h"
#include "emit/function_texts.h"
#include "emit/mlir_function.h"
#include "emit/mlir_values.h"
#include "expr/code/program.h"
#include "heddle/expr/index_variable.h"

namespace heddle::emit {
namespace {

namespace arith = mlir::arith;
namespace func = mlir::func;
namespace memref = mlir::memref;
namespace vector = mlir::vector;

// Coordinates along which elements are contiguous, for vector instructions.
//
//   (4,8):(8,1)     along the second coordinate 4 at a time: 8*i + j at j = 4*q + r is r further on
//                   than at j = 4*q, and 8 is a multiple of 4

/// Whether the coordinate runs from 0 to a multiple of the width.
bool is_in_whole_runs(const MapFunction& function, std::size_t coordinate, std::int64_t width) {
  const auto& [low, end] = function.guard.box[coordinate];
  const std::vector<CodeExpression>& ends = function.guard.ends.results;
  return low && end && known_equal(ends[*low].value(), 0) &&
         known_divides(width, ends[*end].value());
}

/// The only place, as a result of the kernel.
std::size_t place_of(const MapFunction& function) {
  return function.map.branches.front().results.front();
}

/// Decides by normal forms: the place at width*q + r is r past that at width*q.
bool is_run_by_form(const MapFunction& function, std::size_t coordinate, std::int64_t width) {
  const Int place = function.map.kernel.results[place_of(function)].value();
  const std::string& name = function.map.parameters[coordinate];
  std::vector<std::string> taken = variables(place);
  const std::string run = free_name("q", taken);
  const std::string element = free_name("r", taken);
  const Int end = function.guard.ends.results[*function.guard.box[coordinate].end].value();
  const Int first = width * index_variable(run, floor_div(end, width));
  const Int within = Int::variable(element, 0, width - 1);
  const auto there = instantiate(place, {{name, first + within}});
  const auto here = instantiate(place, {{name, first}});
  return here && there && known({*there, Predicate::kEqual, *here + within});
}

/// Decides by trying all points of a small box: normal forms do not show it for XOR.
bool is_run_by_trial(const MapFunction& function, std::size_t coordinate, std::int64_t width) {
  constexpr std::int64_t kMostTried = 8192;
  const auto box = small_box(function.guard, kMostTried);
  if (!box) return false;
  const expr::Program map = expr::Program::compile(function.map.kernel, function.map.parameters);
  const auto place_at = [&](std::span<const std::int64_t> point) {
    return map.run(point)[place_of(function)];
  };
  return all_points(*box, [&](std::span<const std::int64_t> point) {
    const std::int64_t within = point[coordinate] % width;
    if (within == 0) return true;
    std::vector<std::int64_t> first(point.begin(), point.end());
    first[coordinate] -= within;
    const exact::Value here = place_at(point);
    const exact::Value run = place_at(first);
    return here && run && exact::subtract(*here, *run) == within;
  });
}

struct ContiguousCoordinate {
  std::size_t coordinate = 0;
  /// This many elements are contiguous from each multiple of it on; all of them are points.
  std::int64_t width = 1;
};

/// The coordinate with the widest such runs, 4 or 2 elements; the last one if there are several.
/// nullopt if there is no proof. For functions with one place. Cost: some proofs for each
/// coordinate, and if those fail the map at each point of a small domain.
std::optional<ContiguousCoordinate> contiguous_coordinate(const MapFunction& function) {
  if (function.map.branches.size() != 1 || !function.guard.inside.branches.empty()) {
    return std::nullopt;
  }
  for (const std::int64_t width : {4, 2}) {
    for (std::size_t i = function.coordinates.size(); i-- > 0;) {
      if (!is_in_whole_runs(function, i, width)) continue;
      if (is_run_by_form(function, i, width) || is_run_by_trial(function, i, width)) {
        return ContiguousCoordinate{i, width};
      }
    }
  }
  return std::nullopt;
}

class MlirText {
 public:
  MlirText(const MapFunction& function, const FunctionTexts& texts, const MlirOptions& options)
      : function_(function),
        texts_(texts),
        options_(options),
        context_(mlir::MLIRContext::Threading::DISABLED) {
    context_.loadDialect<arith::ArithDialect, func::FuncDialect, mlir::affine::AffineDialect,
                         mlir::gpu::GPUDialect, memref::MemRefDialect, mlir::scf::SCFDialect,
                         vector::VectorDialect>();
    mlir::Builder builder(&context_);
    type_ = builder.getIndexType();
    if (options.integers) type_ = builder.getIntegerType(texts.is_narrow ? 32 : 64);
  }

  Result<std::string> run() && {
    for (const std::string& line : texts_.about_all) text_ += "// " + line + "\n";
    text_ += "\n";
    write_function(texts_.map, function_.map);
    if (function_.inverse) write_function(*texts_.inverse, *function_.inverse);
    write_guard();
    if (texts_.has_memory) write_accesses();
    while (text_.ends_with("\n\n")) text_.pop_back();
    if (!options_.gpu_module.empty()) {
      text_ = fmt::format("gpu.module @{} {{\n{}}}\n", options_.gpu_module, indented(text_, 2));
    }
    HEDDLE_CHECK(read_back(context_, text_, texts_.name));
    return std::move(text_);
  }

 private:
  // Functions.

  [[nodiscard]] std::vector<mlir::Type> numbers(std::size_t count) const {
    return std::vector<mlir::Type>(count, type_);
  }

  MlirFunction function(const std::string& name, const Names& own,
                        const std::vector<mlir::Type>& results) {
    Names parameters = with_sizes(own, texts_);
    const std::vector<mlir::Type> types = numbers(parameters.size());
    return {context_, name, std::move(parameters), types, results};
  }

  void add(const std::string& comment, MlirFunction& function) {
    text_ += "// " + comment + "\n" + function.text() + "\n";
  }

  /// Arguments of a function are its own variables, which a kernel need not use, then sizes.
  void bind(MlirValues& values, MlirFunction& function, const Names& variables) const {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      values.bind(variables[i], function.argument(i), false);
    }
    const std::size_t first = function.op().getNumArguments() - function_.sizes.size();
    for (std::size_t i = 0; i < function_.sizes.size(); ++i) {
      values.bind(function_.sizes[i], function.argument(first + i), true);
    }
  }

  void write_function(const FunctionText& text, const BranchedKernel& kernel) {
    MlirFunction made = function(text.name, text.parameters, numbers(text.results.size()));
    MlirValues values(made.block(), type_);
    bind(values, made, kernel.parameters);
    values.define(kernel.kernel);
    values.builder().create<func::ReturnOp>(values.place(), chosen(values, kernel));
    add(text.comment, made);
  }

  /// The results of the first branch whose guards hold; of the last, if no other's do.
  static std::vector<mlir::Value> chosen(MlirValues& values, const BranchedKernel& kernel) {
    std::vector<mlir::Value> results;
    for (const std::size_t i : kernel.branches.back().results) {
      results.push_back(values.number(kernel.kernel.results[i]));
    }
    for (std::size_t b = kernel.branches.size() - 1; b-- > 0;) {
      const mlir::Value taken = all_of(values, kernel, kernel.branches[b]);
      for (std::size_t k = 0; k < results.size(); ++k) {
        const CodeExpression& result = kernel.kernel.results[kernel.branches[b].results[k]];
        results[k] = values.choice(taken, values.number(result), results[k]);
      }
    }
    return results;
  }

  static mlir::Value all_of(MlirValues& values, const BranchedKernel& kernel,
                            const Branch& branch) {
    mlir::Value all;
    for (const std::size_t i : branch.guards) {
      const mlir::Value next = values.truth(kernel.kernel.guards[i]);
      all = all ? values.both(all, next) : next;
    }
    return all ? all : values.known(true);
  }

  // The guard.

  void write_guard() {
    mlir::Builder builder(&context_);
    MlirFunction made = function(texts_.named("guard"), texts_.coordinates, {builder.getI1Type()});
    MlirValues values(made.block(), type_);
    bind(values, made, function_.guard.inside.parameters);
    mlir::Value holds = in_box(values, made);
    const BranchedKernel& inside = function_.guard.inside;
    if (!inside.branches.empty()) {
      values.define(inside.kernel);
      mlir::Value any;
      for (const Branch& branch : inside.branches) {
        const mlir::Value all = all_of(values, inside, branch);
        any = any ? values.either(any, all) : all;
      }
      // Outside of the box the inner guards may have no value, so this is a choice, not an `and`.
      holds = holds ? values.choice(holds, any, values.known(false)) : any;
    }
    if (!holds) holds = values.known(true);
    values.builder().create<func::ReturnOp>(values.place(), holds);
    add(texts_.about_guard, made);
  }

  /// The condition of the box; null if the box has no ends.
  mlir::Value in_box(MlirValues& values, MlirFunction& made) {
    const Kernel& ends = function_.guard.ends;
    values.define(ends);
    mlir::Value all;
    const auto ask = [&](mlir::Value next) { all = all ? values.both(all, next) : next; };
    for (std::size_t i = 0; i < function_.guard.box.size(); ++i) {
      const auto& [low, end] = function_.guard.box[i];
      const mlir::Value coordinate = made.argument(i);
      if (low) ask(values.at_most(values.number(ends.results[*low]), coordinate));
      if (end) ask(values.less(coordinate, values.number(ends.results[*end])));
    }
    return all;
  }

  // Memory.

  void write_accesses() {
    if (texts_.size) {
      text_ +=
          fmt::format("// A memref of {} elements has a place for every point.\n\n", *texts_.size);
    }
    const std::string point = listed(texts_.coordinates);
    mlir::Builder builder(&context_);
    const mlir::Type element = builder.getF32Type();
    write_load(fmt::format("The element of %data at ({}).", point), "_load", element);
    write_store(fmt::format("%value becomes the element of %data at ({}).", point), "_store",
                element);
    const std::optional<ContiguousCoordinate> run = contiguous_coordinate(function_);
    if (!run) return;
    const auto elements = mlir::VectorType::get({run->width}, element);
    const std::string& name = texts_.coordinates[run->coordinate];
    const std::string which = fmt::format("the {0} elements from ({1}) on, {2} a multiple of {0}",
                                          run->width, point, name);
    text_ += fmt::format("// Along {}, {} elements are contiguous by proof.\n\n", name, run->width);
    write_load("Of %data " + which + ".", fmt::format("_load{}", run->width), elements);
    write_store("%value becomes " + which + ".", fmt::format("_store{}", run->width), elements);
  }

  /// An access to memory, with the arguments %data, before it the stored value, then a point.
  MlirFunction access(const std::string& suffix, const Names& own, std::vector<mlir::Type> types,
                      const std::vector<mlir::Type>& results) {
    Names parameters = own;
    const Names point = with_sizes(texts_.coordinates, texts_);
    parameters.insert(parameters.end(), point.begin(), point.end());
    types.insert(types.end(), point.size(), type_);
    return {context_, texts_.name + suffix, std::move(parameters), types, results};
  }

  [[nodiscard]] mlir::Type memory() {
    return mlir::MemRefType::get({mlir::ShapedType::kDynamic}, mlir::Float32Type::get(&context_));
  }

  /// The map at the arguments from `first` on, by a call.
  mlir::Value place(MlirValues& values, MlirFunction& made, std::size_t first) {
    const auto arguments = made.op().getArguments().drop_front(first);
    mlir::OpBuilder& builder = values.builder();
    auto call = builder.create<func::CallOp>(values.place(), texts_.name, mlir::TypeRange{type_},
                                             mlir::ValueRange(arguments));
    const mlir::Value index = call.getResult(0);
    if (type_.isIndex()) return index;
    return builder.create<arith::IndexCastOp>(values.place(), builder.getIndexType(), index);
  }

  void write_load(const std::string& comment, const std::string& suffix, mlir::Type element) {
    MlirFunction made = access(suffix, {"data"}, {memory()}, {element});
    MlirValues values(made.block(), type_);
    const mlir::Value index = place(values, made, 1);
    mlir::OpBuilder& builder = values.builder();
    const auto type = mlir::dyn_cast<mlir::VectorType>(element);
    const mlir::Value data = made.argument(0);
    const mlir::Value loaded =
        type ? mlir::Value(builder.create<vector::LoadOp>(values.place(), type, data, index))
             : mlir::Value(builder.create<memref::LoadOp>(values.place(), data, index));
    builder.create<func::ReturnOp>(values.place(), loaded);
    add(comment, made);
  }

  void write_store(const std::string& comment, const std::string& suffix, mlir::Type element) {
    MlirFunction made = access(suffix, {"value", "data"}, {element, memory()}, {});
    MlirValues values(made.block(), type_);
    const mlir::Value index = place(values, made, 2);
    mlir::OpBuilder& builder = values.builder();
    if (mlir::isa<mlir::VectorType>(element)) {
      builder.create<vector::StoreOp>(values.place(), made.argument(0), made.argument(1), index);
    } else {
      builder.create<memref::StoreOp>(values.place(), made.argument(0), made.argument(1), index);
    }
    builder.create<func::ReturnOp>(values.place());
    add(comment, made);
  }

  const MapFunction& function_;
  const FunctionTexts& texts_;
  const MlirOptions& options_;
  mlir::MLIRContext context_;
  mlir::Type type_;
  std::string text_;
};

}  // namespace

Result<std::string> mlir_text(const MapFunction& function, const FunctionTexts& texts,
                              const MlirOptions& options) {
  return MlirText(function, texts, options).run();
}

}  // namespace heddle::emit

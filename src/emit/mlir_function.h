#pragma once

// Functions of MLIR under construction, and their texts. Only src/emit/mlir_*.cc include this.

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"

namespace heddle::emit {

/// A function under construction, and its text.
class MlirFunction {
 public:
  MlirFunction(mlir::MLIRContext& context, const std::string& name,
               std::vector<std::string> parameters, const std::vector<mlir::Type>& arguments,
               const std::vector<mlir::Type>& results);

  [[nodiscard]] mlir::Block& block() { return op_->getBody().front(); }
  [[nodiscard]] mlir::Value argument(std::size_t i) {
    return op_->getArgument(static_cast<unsigned>(i));
  }
  [[nodiscard]] mlir::func::FuncOp op() { return *op_; }

  [[nodiscard]] std::string text();

 private:
  std::vector<std::string> parameters_;
  mlir::OwningOpRef<mlir::func::FuncOp> op_;
};

/// Parses and verifies the text, as MLIR's own tools do for files. Refuses `print.operation`.
[[nodiscard]] Result<void> read_back(mlir::MLIRContext& context, std::string_view text,
                                     std::string_view name);

}  // namespace heddle::emit

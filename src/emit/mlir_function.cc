#include "emit/mlir_function.h"

#include <fmt/format.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Parser/Parser.h>

#include "core/words.h"

namespace heddle::emit {
namespace {

/// Replaces `%arg0` by the name of its parameter. Arguments after all parameters are those of
/// loops.
std::string with_names(std::string_view text, const std::vector<std::string>& parameters) {
  constexpr std::string_view kArgument = "%arg";
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    if (!text.substr(i).starts_with(kArgument)) {
      made += text[i++];
      continue;
    }
    i += kArgument.size();
    std::size_t number = 0;
    while (i < text.size() && is_digit(text[i])) {
      number = 10 * number + static_cast<std::size_t>(text[i++] - '0');
    }
    made += number < parameters.size() ? "%" + parameters[number]
                                       : fmt::format("{}{}", kArgument, number);
  }
  return made;
}

}  // namespace

MlirFunction::MlirFunction(mlir::MLIRContext& context, const std::string& name,
                           std::vector<std::string> parameters,
                           const std::vector<mlir::Type>& arguments,
                           const std::vector<mlir::Type>& results)
    : parameters_(std::move(parameters)),
      op_(mlir::func::FuncOp::create(mlir::UnknownLoc::get(&context), name,
                                     mlir::FunctionType::get(&context, arguments, results))) {
  op_->addEntryBlock();
}

std::string MlirFunction::text() {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  // Affine maps are printed where they are used, so that functions can be pasted anywhere.
  op_->print(stream, mlir::OpPrintingFlags().useLocalScope());
  return with_names(printed, parameters_) + "\n";
}

Result<void> read_back(mlir::MLIRContext& context, std::string_view text, std::string_view name) {
  std::string complaint;
  const mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic& diagnostic) {
    if (complaint.empty()) complaint = diagnostic.str();
  });
  if (mlir::parseSourceString<mlir::ModuleOp>(text, &context)) return {};
  return refuse("print.operation",
                fmt::format("MLIR does not take the functions of {}: {}", name, complaint));
}

}  // namespace heddle::emit

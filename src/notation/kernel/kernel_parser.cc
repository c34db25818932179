#include "notation/kernel/kernel_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::notation {

namespace {

using kernel::Scope;
using kernel::Space;

constexpr std::array<std::string_view, 28> kKernelWords = {
    "shared", "reg",    "let",    "for", "while", "break",     "continue", "if",    "else", "then",
    "in",     "def",    "and",    "or",  "not",   "unchecked", "None",     "inf",   "true", "false",
    "tx",     "laneid", "warpid", "bx",  "by",    "bz",        "gpuid",    "global"};

constexpr std::array kScopeKinds = {
    Scope::Kind::kCluster, Scope::Kind::kCta,   Scope::Kind::kWarpgroup, Scope::Kind::kWarp,
    Scope::Kind::kThread,  Scope::Kind::kElect, Scope::Kind::kDevice};

/// The result; what is refused without a hint gets the form of what is read.
template <class T>
Result<T> of_form(Result<T> result, std::string_view form) {
  if (result || !result.error().hint().empty() || result.error().code() != "syntax.unexpected") {
    return result;
  }
  return refuse(std::move(result).error().with_hint(std::string(form)));
}

std::optional<Scope::Kind> scope_called(std::string_view word) {
  const auto* found =
      std::ranges::find(kScopeKinds, word, [](Scope::Kind kind) { return kernel::name_of(kind); });
  return found == kScopeKinds.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

bool is_kernel_word(std::string_view word) {
  return std::ranges::find(kKernelWords, word) != kKernelWords.end() || scope_called(word);
}

void KernelParser::skip_separators() {
  while (accept(TokenKind::kNewline) || accept(TokenKind::kSemicolon)) {
  }
}

bool KernelParser::is_at_kernel() const {
  return is_word("kernel") && next_kind() == TokenKind::kName;
}

bool KernelParser::is_at_instruction() const {
  return is_word("instruction") && next_kind() == TokenKind::kName;
}

bool KernelParser::is_at_schedule() const {
  return is_word("schedule") && next_kind() == TokenKind::kName;
}

bool KernelParser::is_at_macro() const {
  if (!is_word("def") || next_kind() != TokenKind::kName) return false;
  Lexer ahead = lexer_;
  ahead.read_kernel(true);
  bool is_closed = false;
  while (true) {
    const Result<Token> token = ahead.next();
    if (!token || token->kind == TokenKind::kEnd) return false;
    if (token->kind == TokenKind::kLeftBrace) return is_closed;
    if (is_closed && token->kind != TokenKind::kNewline) return false;
    is_closed = is_closed || token->kind == TokenKind::kRightParenthesis;
  }
}

Result<NameSyntax> KernelParser::name(std::string_view what) {
  if (token_.kind != TokenKind::kName) return fail_unexpected(what);
  const NameSyntax name{lexer_.text(token_.span), token_.span};
  advance();
  return name;
}

// The head of a kernel.

Result<KernelSyntax> KernelParser::kernel() {
  KernelSyntax kernel;
  const std::size_t begin = token_.span.begin;
  lexer_.read_kernel(true);
  advance();
  HEDDLE_TRY(kernel.name, name("the name of a kernel"));
  HEDDLE_TRY(kernel.parameters, parameters());
  skip_newlines();
  HEDDLE_TRY(kernel.assumptions, stated_assumptions());
  HEDDLE_CHECK(of_form(launch(kernel), "launch cta (N + 127) // 128, threads 128"));
  HEDDLE_TRY(kernel.body, block());
  read_kernel(false);
  kernel.span = span_from(begin);
  return kernel;
}

Result<std::vector<TensorSyntax>> KernelParser::parameters() {
  if (token_.kind != TokenKind::kLeftParenthesis) return fail_unexpected("'(' and the parameters");
  const Span opening = token_.span;
  std::vector<TensorSyntax> parameters;
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    HEDDLE_TRY(parameters.emplace_back(), of_form(tensor(), "X: f32[N]"));
    if (!accept(TokenKind::kComma)) break;
  }
  HEDDLE_CHECK(close(TokenKind::kRightParenthesis, opening));
  return parameters;
}

/// `X: f16[128,64] = LAYOUT`
Result<TensorSyntax> KernelParser::tensor() {
  TensorSyntax tensor;
  const std::size_t begin = token_.span.begin;
  HEDDLE_TRY(tensor.name, name("the name of a tensor"));
  HEDDLE_CHECK(expect(TokenKind::kColon, "':' and the type of the elements"));
  HEDDLE_TRY(tensor.type, name("the type of the elements"));
  if (token_.kind == TokenKind::kLeftBracket) {
    HEDDLE_TRY(tensor.shape, extents());
  }
  if (token_.kind == TokenKind::kAssign) {
    HEDDLE_TRY(tensor.layout, layout());
  }
  tensor.span = span_from(begin);
  return tensor;
}

Result<std::vector<Expression>> KernelParser::extents() {
  const Span opening = token_.span;
  std::vector<Expression> extents;
  open();
  while (token_.kind != TokenKind::kRightBracket) {
    HEDDLE_TRY(extents.emplace_back(), expression(kComparisonLevel));
    if (!accept(TokenKind::kComma)) break;
  }
  HEDDLE_CHECK(close(TokenKind::kRightBracket, opening));
  return extents;
}

/// After `=`, in any notation.
Result<Expression> KernelParser::layout() {
  // A real number is read as one, and refused where the tensor's name is known.
  lexer_.read_kernel(next_kind() == TokenKind::kReal);
  advance();
  skip_newlines();
  HEDDLE_TRY(Expression layout, expression(kComparisonLevel));
  read_kernel(true);
  return layout;
}

/// `assume M % 128 == 0, K <= M`, any number of them.
Result<std::vector<Span>> KernelParser::stated_assumptions() {
  std::vector<Span> texts;
  while (is_word("assume")) {
    advance();
    const std::size_t begin = token_.span.begin;
    std::vector<StatedCondition> stated;
    do {
      HEDDLE_CHECK(assumed(stated));
    } while (accept(TokenKind::kComma));
    texts.push_back(span_from(begin));
    skip_newlines();
  }
  return texts;
}

/// `launch devices 4, cta (M // 128, N // 128), cluster (2, 1), threads 128`
Result<void> KernelParser::launch(KernelSyntax& kernel) {
  const std::size_t begin = token_.span.begin;
  if (!is_word("launch")) return fail_unexpected("'launch cta GRID, threads COUNT'");
  HEDDLE_CHECK(use_word("launch"));
  if (is_word("devices")) {
    HEDDLE_TRY(const bool is_all, launch_devices(kernel));
    if (is_all) {
      kernel.launch = span_from(begin);
      return {};
    }
  }
  HEDDLE_CHECK(use_word("cta"));
  HEDDLE_TRY(kernel.grid, expression(kComparisonLevel));
  HEDDLE_CHECK(expect(TokenKind::kComma, "', threads COUNT'"));
  skip_newlines();
  if (is_word("cluster")) {
    advance();
    HEDDLE_TRY(kernel.cluster, expression(kComparisonLevel));
    HEDDLE_CHECK(expect(TokenKind::kComma, "', threads COUNT'"));
    skip_newlines();
  }
  HEDDLE_CHECK(use_word("threads"));
  HEDDLE_TRY(kernel.threads, expression(kComparisonLevel));
  kernel.launch = span_from(begin);
  return {};
}

/// `devices 4`, and whether nothing else of the launch is said.
Result<bool> KernelParser::launch_devices(KernelSyntax& kernel) {
  advance();
  HEDDLE_TRY(kernel.devices, expression(kComparisonLevel));
  if (!accept(TokenKind::kComma)) return true;
  skip_newlines();
  return false;
}

// Instructions and schedules.

/// `D: b16[8,8] reg = S[(8,4,2):(4@laneid,1@laneid,1@m)]`
Result<InstructionOperandSyntax> KernelParser::instruction_operand() {
  InstructionOperandSyntax operand;
  const std::size_t begin = token_.span.begin;
  HEDDLE_TRY(operand.tensor.name, name("the name of an operand"));
  HEDDLE_CHECK(expect(TokenKind::kColon, "':' and the type of the elements"));
  HEDDLE_TRY(operand.tensor.type, name("the type of the elements, or their bits, b16"));
  if (token_.kind != TokenKind::kLeftBracket) return fail_unexpected("'[' and the shape");
  HEDDLE_TRY(operand.tensor.shape, extents());
  if (token_.kind == TokenKind::kName) {
    HEDDLE_TRY(operand.space, name("reg, shared or global"));
  }
  if (token_.kind == TokenKind::kAssign) {
    HEDDLE_TRY(operand.tensor.layout, layout());
  }
  operand.tensor.span = span_from(begin);
  return operand;
}

/// Whether `aligned` or `TARGET "TEXT"` comes next, on this line or below.
bool KernelParser::is_at_clause() const {
  Lexer ahead = lexer_;
  Token token = token_;
  while (token.kind == TokenKind::kNewline) {
    const Result<Token> next = ahead.next();
    if (!next) return false;
    token = *next;
  }
  if (token.kind != TokenKind::kName) return false;
  const Result<Token> next = ahead.next();
  const bool is_text = next && next->kind == TokenKind::kString;
  const bool is_number = next && next->kind == TokenKind::kInteger;
  return is_text || (is_number && lexer_.text(token.span) == "aligned");
}

Result<void> KernelParser::instruction_clauses(InstructionSyntax& instruction) {
  while (is_at_clause()) {
    skip_newlines();
    if (is_word("aligned")) {
      if (instruction.alignment) {
        return fail("syntax.unexpected", "an instruction is aligned once", token_.span);
      }
      advance();
      HEDDLE_TRY(instruction.alignment, expression(kComparisonLevel));
      continue;
    }
    TextSyntax& text = instruction.texts.emplace_back();
    HEDDLE_TRY(text.target, name("a target: cuda, opencl"));
    HEDDLE_TRY(const Expression quoted, string());
    text.text = std::get<StringLiteral>(quoted.node).value;
    text.span = {text.target.span.begin, quoted.span.end};
  }
  return {};
}

/// `copy`, `fma`, `+`
Result<NameSyntax> KernelParser::operation() {
  const NameSyntax sign{lexer_.text(token_.span), token_.span};
  const bool is_sign = token_.kind != TokenKind::kName &&
                       (kernel::find_function(sign.text, 1) || kernel::find_function(sign.text, 2));
  if (!is_sign) return name("the operator or the function that it computes");
  advance();
  return sign;
}

/// `instruction NAME(OPERANDS) for OPERATION by warp`, then its clauses
Result<InstructionSyntax> KernelParser::instruction() {
  InstructionSyntax instruction;
  lexer_.read_kernel(true);
  advance();
  HEDDLE_TRY(instruction.name, name("the name of an instruction"));
  const Span opening = token_.span;
  if (token_.kind != TokenKind::kLeftParenthesis) return fail_unexpected("'(' and the operands");
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    HEDDLE_TRY(instruction.operands.emplace_back(), instruction_operand());
    if (!accept(TokenKind::kComma)) break;
  }
  HEDDLE_CHECK(close(TokenKind::kRightParenthesis, opening));
  skip_newlines();
  HEDDLE_CHECK(use_word("for"));
  HEDDLE_TRY(instruction.operation, operation());
  if (is_word("by")) {
    advance();
    HEDDLE_CHECK(use_word("warp"));
    instruction.is_of_warp = true;
  }
  HEDDLE_CHECK(instruction_clauses(instruction));
  if (token_.kind != TokenKind::kNewline && token_.kind != TokenKind::kSemicolon &&
      token_.kind != TokenKind::kEnd) {
    return fail_at_end("'aligned BYTES', a target and its text, or the end of the instruction");
  }
  read_kernel(false);
  return instruction;
}

/// `pad=0`
Result<OptionSyntax> KernelParser::option() {
  OptionSyntax option;
  HEDDLE_TRY(option.name, name("an option"));
  HEDDLE_CHECK(expect(TokenKind::kAssign, "'=' and what the option is set to"));
  HEDDLE_TRY(option.value, expression(kComparisonLevel));
  return option;
}

/// `schedule NAME for OPERATION(PARAMETERS, OPTIONS) { STATEMENTS }`
Result<ScheduleSyntax> KernelParser::schedule() {
  ScheduleSyntax schedule;
  const std::size_t begin = token_.span.begin;
  lexer_.read_kernel(true);
  advance();
  HEDDLE_TRY(schedule.name, name("the name of a schedule"));
  HEDDLE_CHECK(use_word("for"));
  HEDDLE_TRY(schedule.operation, name("the operator that it is for"));
  const Span opening = token_.span;
  if (token_.kind != TokenKind::kLeftParenthesis) return fail_unexpected("'(' and the operands");
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    if (next_kind() == TokenKind::kAssign) {
      HEDDLE_TRY(schedule.options.emplace_back(), option());
    } else {
      HEDDLE_TRY(schedule.parameters.emplace_back(), tensor());
    }
    if (!accept(TokenKind::kComma)) break;
  }
  HEDDLE_CHECK(close(TokenKind::kRightParenthesis, opening));
  HEDDLE_TRY(schedule.body, block());
  read_kernel(false);
  schedule.span = span_from(begin);
  return schedule;
}

// Statements.

namespace {

/// Where the first line of a statement ends, which ends at `end` itself.
std::size_t end_of_head(const StatementSyntax::Node& node, Span whole) {
  if (const auto* loop = std::get_if<ForSyntax>(&node)) return loop->extent.span.end;
  if (const auto* loop = std::get_if<WhileSyntax>(&node)) return loop->condition.span.end;
  if (const auto* loop = std::get_if<PipelineSyntax>(&node)) return loop->stages.span.end;
  if (const auto* branch = std::get_if<IfSyntax>(&node)) return branch->condition.span.end;
  if (const auto* macro = std::get_if<MacroSyntax>(&node)) return macro->name.span.end;
  const auto* scope = std::get_if<ScopeSyntax>(&node);
  if (scope == nullptr) return whole.end;
  if (scope->range) return scope->range->span.end;
  return whole.begin + kernel::name_of(scope->kind).size();
}

}  // namespace

Result<BlockSyntax> KernelParser::block() {
  skip_newlines();
  if (token_.kind != TokenKind::kLeftBrace) {
    return of_form<BlockSyntax>(fail_unexpected("'{' and statements"),
                                "statements are in braces: { x = 1 }");
  }
  const Span opening = token_.span;
  HEDDLE_CHECK(enter());
  advance();
  BlockSyntax block;
  while (true) {
    skip_separators();
    if (accept(TokenKind::kRightBrace)) break;
    HEDDLE_CHECK(check_words());
    if (token_.kind == TokenKind::kEnd) return fail_open(opening);
    HEDDLE_TRY(block.emplace_back(), kernel_statement());
  }
  --nesting_;
  return block;
}

Result<StatementSyntax> KernelParser::kernel_statement() {
  terms_ = 0;
  const std::size_t begin = token_.span.begin;
  HEDDLE_TRY(StatementSyntax::Node node, kernel_statement_node());
  const Span whole = span_from(begin);
  const std::size_t end = end_of_head(node, whole);
  const bool has_body = end < whole.end;  // after its brace the next statement may follow at once
  const bool is_end = token_.kind == TokenKind::kNewline || token_.kind == TokenKind::kSemicolon ||
                      token_.kind == TokenKind::kRightBrace || token_.kind == TokenKind::kEnd;
  if (!has_body && !is_end) return fail_at_end("the end of the statement");
  return StatementSyntax{std::move(node), {begin, end}};
}

Result<StatementSyntax::Node> KernelParser::kernel_statement_node() {
  if (is_word("shared")) return declaration(Space::kShared);
  if (is_word("reg")) return declaration(Space::kRegister);
  if (is_word("global") && next_kind() == TokenKind::kName) return declaration(Space::kGlobal);
  if (is_word("let")) return let();
  if (is_word("for")) return counted_loop();
  if (is_word("pipeline") && next_kind() == TokenKind::kName) return pipeline();
  if (is_word("while")) return while_loop();
  if (is_word("if")) return branch();
  if (is_word("unchecked")) return unchecked();
  if (is_word("def")) return macro();
  if (is_word("break")) {
    advance();
    return BreakSyntax{};
  }
  if (is_word("continue")) {
    advance();
    return ContinueSyntax{};
  }
  const auto kind =
      token_.kind == TokenKind::kName ? scope_called(lexer_.text(token_.span)) : std::nullopt;
  return kind ? scope(*kind) : call_or_assignment();
}

Result<StatementSyntax::Node> KernelParser::declaration(Space space) {
  advance();
  HEDDLE_TRY(TensorSyntax declared,
             of_form(tensor(), std::string(kernel::name_of(space)) + " x: f32[64]"));
  return DeclarationSyntax{space, std::move(declared)};
}

/// `x = 32*bx`, after `let`
Result<LetSyntax> KernelParser::binding() {
  advance();
  LetSyntax let;
  HEDDLE_TRY(let.name, name("a name"));
  HEDDLE_CHECK(expect(TokenKind::kAssign, "'=' and a value"));
  skip_newlines();
  HEDDLE_TRY(let.value, expression(kComparisonLevel));
  return let;
}

/// `let x = 32*bx`
Result<StatementSyntax::Node> KernelParser::let() {
  HEDDLE_TRY(LetSyntax let, of_form(binding(), "let n = 32*bx"));
  return let;
}

/// `for k in N // 32 { … }`
Result<StatementSyntax::Node> KernelParser::counted_loop() {
  advance();
  ForSyntax loop;
  constexpr std::string_view kForm = "for k in range(0, N, 32) { … }";
  HEDDLE_TRY(loop.counter, of_form(name("the name of a counter"), kForm));
  HEDDLE_CHECK(of_form(use_word("in"), kForm));
  HEDDLE_TRY(loop.extent, expression(kComparisonLevel));
  HEDDLE_TRY(loop.body, block());
  return loop;
}

/// `pipeline k in K // 32, stages 3 { load { … } compute { … } }`
Result<StatementSyntax::Node> KernelParser::pipeline() {
  advance();
  HEDDLE_TRY(
      PipelineSyntax loop,
      of_form(pipeline_parts(), "pipeline k in K // 32, stages 3 { load { … } compute { … } }"));
  return loop;
}

Result<PipelineSyntax> KernelParser::pipeline_parts() {
  PipelineSyntax loop;
  HEDDLE_TRY(loop.counter, name("the name of a counter"));
  HEDDLE_CHECK(use_word("in"));
  HEDDLE_TRY(loop.extent, expression(kComparisonLevel));
  HEDDLE_CHECK(expect(TokenKind::kComma, "', stages' and their number"));
  HEDDLE_CHECK(use_word("stages"));
  HEDDLE_TRY(loop.stages, expression(kComparisonLevel));
  HEDDLE_CHECK(expect(TokenKind::kLeftBrace, "'{', load { … } and compute { … }"));
  skip_separators();
  HEDDLE_CHECK(use_word("load"));
  HEDDLE_TRY(loop.load, block());
  skip_separators();
  HEDDLE_CHECK(use_word("compute"));
  HEDDLE_TRY(loop.compute, block());
  skip_separators();
  HEDDLE_CHECK(expect(TokenKind::kRightBrace, "'}'"));
  return loop;
}

Result<StatementSyntax::Node> KernelParser::while_loop() {
  advance();
  WhileSyntax loop;
  HEDDLE_TRY(loop.condition, expression(kComparisonLevel));
  HEDDLE_TRY(loop.body, block());
  return loop;
}

/// `if c { … } else if d { … } else { … }`
Result<StatementSyntax::Node> KernelParser::branch() {
  advance();
  IfSyntax branch;
  HEDDLE_TRY(branch.condition, expression(kComparisonLevel));
  HEDDLE_TRY(branch.then, block());
  HEDDLE_TRY(branch.otherwise, otherwise());
  return branch;
}

Result<BlockSyntax> KernelParser::otherwise() {
  if (!takes_else()) return BlockSyntax{};
  if (!is_word("if")) return block();
  HEDDLE_CHECK(enter());
  BlockSyntax block;
  HEDDLE_TRY(block.emplace_back(), kernel_statement());
  --nesting_;
  return block;
}

/// Consumes `else`, on this line or below; consumes nothing if something else comes next.
bool KernelParser::takes_else() {
  Lexer ahead = lexer_;
  Token token = token_;
  while (token.kind == TokenKind::kNewline) {
    const Result<Token> next = ahead.next();
    if (!next) return false;
    token = *next;
  }
  if (token.kind != TokenKind::kName || lexer_.text(token.span) != "else") return false;
  skip_newlines();
  advance();
  skip_newlines();
  return true;
}

/// `warp[0:4] { … } else { … }`
Result<StatementSyntax::Node> KernelParser::scope(Scope::Kind kind) {
  ScopeSyntax scope{kind, {}, {}, {}};
  if (next_kind() == TokenKind::kLeftBracket) {
    HEDDLE_TRY(scope.range, expression(kComparisonLevel));
  } else {
    advance();
  }
  HEDDLE_TRY(scope.body, block());
  HEDDLE_TRY(scope.otherwise, otherwise());
  return scope;
}

/// `unchecked cuda "__nanosleep(20);"`
Result<StatementSyntax::Node> KernelParser::unchecked() {
  advance();
  UncheckedSyntax unchecked;
  HEDDLE_TRY(const NameSyntax target, name("a target: cuda, opencl"));
  unchecked.target = target.text;
  if (token_.kind != TokenKind::kString) return fail_unexpected("the target's text in quotes");
  HEDDLE_TRY(const Expression text, string());
  unchecked.text = std::get<StringLiteral>(text.node).value;
  return unchecked;
}

/// `def load(x, i) { … }`
Result<MacroSyntax> KernelParser::macro() {
  const std::size_t begin = token_.span.begin;
  lexer_.read_kernel(true);
  advance();
  MacroSyntax macro;
  HEDDLE_TRY(macro.name, name("the name of a macro"));
  const Span opening = token_.span;
  if (token_.kind != TokenKind::kLeftParenthesis) return fail_unexpected("'(' and parameters");
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    HEDDLE_TRY(macro.parameters.emplace_back(), name("the name of a parameter"));
    if (!accept(TokenKind::kComma)) break;
  }
  HEDDLE_CHECK(close(TokenKind::kRightParenthesis, opening));
  HEDDLE_TRY(macro.body, block());
  macro.span = span_from(begin);
  return macro;
}

Result<MacroSyntax> KernelParser::outer_macro() {
  HEDDLE_TRY(MacroSyntax read, macro());
  read_kernel(false);
  return read;
}

/// `copy(x, A[k]) using vector` or `D[k] = exp(x)`
Result<StatementSyntax::Node> KernelParser::call_or_assignment() {
  HEDDLE_TRY(Expression left, expression(kComparisonLevel));
  if (accept(TokenKind::kAssign)) {
    skip_newlines();
    HEDDLE_TRY(Expression value, expression(kComparisonLevel));
    return AssignSyntax{std::move(left), std::move(value)};
  }
  const bool is_call = std::holds_alternative<Application>(left.node) &&
                       std::holds_alternative<Reference>(left.parts.front().node);
  if (std::holds_alternative<LayoutLiteral>(left.node)) {
    const std::string_view text = lexer_.text(left.span);
    return fail("syntax.unexpected", fmt::format("{} is not a statement", quote(text)), left.span,
                fmt::format("reg {0}, or shared {0}", text));
  }
  if (!is_call) {
    return fail("syntax.unexpected",
                fmt::format("{} is not a statement", quote(lexer_.text(left.span))), left.span,
                "statements are calls, copy(x, A), assignments, x = A, and the like");
  }
  CallSyntax call{std::move(left), {}};
  if (is_word("using")) HEDDLE_CHECK(forced_schedule(call));
  return call;
}

/// `using vector`, `using tiles(rows=6, columns=16)`
Result<void> KernelParser::forced_schedule(CallSyntax& call) {
  advance();
  HEDDLE_TRY(call.schedule, name("the name of a schedule"));
  if (token_.kind != TokenKind::kLeftParenthesis) return {};
  const Span opening = token_.span;
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    HEDDLE_TRY(call.schedule_options.emplace_back(), option());
    if (!accept(TokenKind::kComma)) break;
  }
  return close(TokenKind::kRightParenthesis, opening);
}

}  // namespace heddle::notation

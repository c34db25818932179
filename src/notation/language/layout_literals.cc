// Pieces of layouts as CuTe and Axe write them: tilers, swizzles, steps along axes, iters.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "notation/language/literals/pointers.h"
#include "notation/language/parser.h"

namespace heddle::notation {

Parsed Parser::tiler() {
  const Span opening = token_.span;
  std::vector<Expression> parts;
  open();
  if (token_.kind == TokenKind::kGreater) {
    return fail(Diagnostic("syntax.empty_tuple", "a tiler has at least one mode")
                    .with_span({opening.begin, token_.span.end}));
  }
  while (true) {
    // A `>` within closes the tiler; comparisons need parentheses here.
    Parsed part = binary(kCompositionLevel);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
    if (token_.kind != TokenKind::kComma) break;
    advance();
    if (token_.kind == TokenKind::kGreater) break;
  }
  if (!close(TokenKind::kGreater, opening)) return std::nullopt;
  return make(TilerLiteral{}, span_from(opening.begin), std::move(parts));
}

/// Three numbers with commas between them, called `names` in a refusal.
std::optional<std::vector<Expression>> Parser::three_numbers(std::string_view names) {
  std::vector<Expression> numbers;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      if (token_.kind != TokenKind::kComma) {
        return fail_unexpected(fmt::format("',' and three numbers {}", names));
      }
      advance();
    }
    Parsed number = binary(kSumLevel);
    if (!number) return std::nullopt;
    numbers.push_back(*std::move(number));
  }
  return numbers;
}

Parsed Parser::swizzle() {
  const Span opening = token_.span;
  open();
  std::optional<std::vector<Expression>> parts = three_numbers("B, M, S");
  if (!parts) return std::nullopt;
  if (!close(TokenKind::kGreater, opening)) return std::nullopt;
  Parsed swizzle = make(SwizzleLiteral{}, span_from(opening.begin), *std::move(parts));
  const bool is_joined = token_.kind == TokenKind::kPointer && token_.span.begin == last_end_ &&
                         lexer_.text(token_.span)[0] == '_';
  return swizzle && is_joined ? swizzled_pointer(*std::move(swizzle)) : swizzle;
}

/// `Sw<3,4,3>_smem_ptr[16b](0x400)`.
Parsed Parser::swizzled_pointer(Expression swizzle) {
  const PrintedPointer pointer = *match_pointer(lexer_.text(token_.span));
  advance();
  const std::size_t begin = swizzle.span.begin;
  return make(pointer.literal, span_from(begin), list_of(std::move(swizzle)));
}

/// `, outer`, `, swizzle_inner=False`: which bits change.
bool Parser::swizzle_side(TvmSwizzleLiteral& node) {
  const std::string_view word = lexer_.text(token_.span);
  if (token_.kind == TokenKind::kName && (word == "outer" || word == "inner")) {
    node.is_inner = word == "inner";
    advance();
    return true;
  }
  if (token_.kind == TokenKind::kName && word == "swizzle_inner") {
    advance();
    if (token_.kind == TokenKind::kAssign) advance();
  }
  const std::string_view truth = lexer_.text(token_.span);
  if (truth == "True" || truth == "true" || truth == "False" || truth == "false") {
    node.is_inner = truth == "True" || truth == "true";
    advance();
    return true;
  }
  fail_unexpected("inner or outer");
  return false;
}

Parsed Parser::tvm_swizzle() {
  const Span opening = token_.span;
  TvmSwizzleLiteral node;
  open();
  std::optional<std::vector<Expression>> parts = three_numbers("M, B, S");
  if (!parts) return std::nullopt;
  if (token_.kind == TokenKind::kComma) {
    advance();
    if (!swizzle_side(node)) return std::nullopt;
  }
  if (!close(TokenKind::kRightParenthesis, opening)) return std::nullopt;
  return make(node, span_from(opening.begin), *std::move(parts));
}

std::optional<std::size_t> Parser::path_step() {
  if (token_.kind != TokenKind::kInteger || token_.negative) {
    return fail_unexpected("the number of a mode");
  }
  const auto step = static_cast<std::size_t>(token_.magnitude);
  advance();
  return step;
}

Parsed Parser::basis() {
  const Span opening = token_.span;
  BasisLiteral node;
  open();
  while (true) {
    const auto step = path_step();
    if (!step) return std::nullopt;
    node.path.push_back(*step);
    if (token_.kind != TokenKind::kComma) break;
    advance();
  }
  if (!close(TokenKind::kGreater, opening)) return std::nullopt;
  return make(std::move(node), span_from(opening.begin));
}

/// Behind `@` the number of a mode, as CuTe writes it, or the name of an axis.
Parsed Parser::at_sign(Expression scale) {
  const std::size_t begin = scale.span.begin;
  BasisLiteral node;
  while (token_.kind == TokenKind::kAt) {
    advance();
    const bool is_name = token_.kind == TokenKind::kName || token_.kind == TokenKind::kString;
    if (is_name && node.path.empty()) {
      std::optional<std::string> axis = axis_name();
      if (!axis) return std::nullopt;
      return make(OnAxis{*std::move(axis)}, span_from(begin), list_of(std::move(scale)));
    }
    if (token_.kind != TokenKind::kInteger) {
      return fail_unexpected("the number of a mode or the name of an axis");
    }
    const auto step = path_step();
    if (!step) return std::nullopt;
    node.path.push_back(*step);
  }
  std::ranges::reverse(node.path);  // 8@1@0 is written from the innermost mode
  return make(std::move(node), span_from(begin), list_of(std::move(scale)));
}

/// `laneid`, `Axis.laneid`, `T.Axis.laneid`: the last name is the axis.
std::optional<std::string> Parser::axis_name() {
  if (token_.kind == TokenKind::kString) {
    const Parsed written = string();
    if (!written) return std::nullopt;
    return std::get<StringLiteral>(written->node).value;
  }
  while (true) {
    if (token_.kind != TokenKind::kName) return fail_unexpected("the name of an axis");
    std::string name(lexer_.text(token_.span));
    std::erase(name, '\\');  // LaTeX writes tid\_in\_wg
    advance();
    if (token_.kind != TokenKind::kDot) return name;
    advance();
  }
}

/// `S[(8,2):(4@laneid,1@m)]`, `S[8:1@m]`, `S[8, 64]`, and R[…] likewise.
Parsed Parser::iters() {
  const Span opening = token_.span;
  const ItersLiteral node{token_.kind == TokenKind::kReplicaOpen};
  open();
  if (token_.kind == TokenKind::kRightBracket) {
    return fail(Diagnostic("syntax.empty_tuple", "a list of iters has at least one")
                    .with_span({opening.begin, token_.span.end}));
  }
  std::optional<std::vector<Expression>> extents = cells(TokenKind::kComma);
  if (!extents) return std::nullopt;
  std::vector<Expression> parts;
  if (extents->size() == 1) {
    parts = *std::move(extents);
  } else {
    if (token_.kind == TokenKind::kColon) {
      return fail(Diagnostic("syntax.unexpected",
                             "several extents in front of ':' stand in "
                             "parentheses")
                      .with_span({extents->front().span.begin, token_.span.end})
                      .with_hint("S[(8,2):(4@laneid,1@m)]"));
    }
    Parsed tuple = listed(*std::move(extents));
    if (!tuple) return std::nullopt;
    parts = list_of(*std::move(tuple));
  }
  if (token_.kind == TokenKind::kColon) {
    advance();
    Parsed strides = binary(kSumLevel);
    if (!strides) return std::nullopt;
    parts.push_back(*std::move(strides));
  }
  if (!close(TokenKind::kRightBracket, opening)) return std::nullopt;
  return make(node, span_from(opening.begin), std::move(parts));
}

/// `\begin{pmatrix}8&2\\ 4@\texttt{lane}&1@\texttt{m}\end{pmatrix}`: extents over strides.
Parsed Parser::matrix() {
  const Span opening = token_.span;
  const bool is_replica = token_.kind == TokenKind::kReplicaMatrix;
  const TokenKind end = is_replica ? TokenKind::kReplicaMatrixEnd : TokenKind::kShardMatrixEnd;
  open();
  std::vector<Expression> rows;
  while (token_.kind != end || rows.empty()) {
    if (rows.size() == 2) return fail_unexpected("the end of the matrix behind its two rows");
    std::optional<std::vector<Expression>> row = cells(TokenKind::kColumn);
    if (!row) return std::nullopt;
    Parsed tuple = listed(*std::move(row));
    if (!tuple) return std::nullopt;
    rows.push_back(*std::move(tuple));
    if (token_.kind != TokenKind::kRow) break;
    advance();
  }
  if (!close(end, opening)) return std::nullopt;
  return make(ItersLiteral{is_replica}, span_from(opening.begin), std::move(rows));
}

}  // namespace heddle::notation

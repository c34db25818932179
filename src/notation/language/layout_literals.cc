// Pieces of layouts as CuTe and Axe write them: tilers, swizzles, steps along axes, iters.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "notation/language/foreign/pointers.h"
#include "notation/language/parser.h"

namespace heddle::notation {

Result<Expression> Parser::tiler() {
  const Span opening = token_.span;
  open();
  if (token_.kind == TokenKind::kGreater) {
    return fail("syntax.empty_tuple", "a tiler has at least one mode",
                {opening.begin, token_.span.end});
  }
  // A `>` within closes the tiler; comparisons need parentheses here.
  HEDDLE_TRY(std::vector<Expression> parts, cells(kCompositionLevel, TokenKind::kComma));
  return make_closed(TokenKind::kGreater, opening, TilerLiteral{}, std::move(parts));
}

/// Three numbers with commas between them, called `names` in a refusal.
Result<std::vector<Expression>> Parser::three_numbers(std::string_view names) {
  std::vector<Expression> numbers;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      HEDDLE_CHECK(expect(TokenKind::kComma, fmt::format("',' and three numbers {}", names)));
    }
    HEDDLE_TRY(numbers.emplace_back(), binary(kSumLevel));
  }
  return numbers;
}

Result<Expression> Parser::swizzle() {
  const Span opening = token_.span;
  open();
  HEDDLE_TRY(std::vector<Expression> parts, three_numbers("B, M, S"));
  HEDDLE_TRY(Expression swizzle,
             make_closed(TokenKind::kGreater, opening, SwizzleLiteral{}, std::move(parts)));
  const bool is_joined = token_.kind == TokenKind::kForeign && token_.span.begin == last_end_ &&
                         lexer_.text(token_.span)[0] == '_';
  if (is_joined) return swizzled_pointer(std::move(swizzle));
  return swizzle;
}

/// `Sw<3,4,3>_smem_ptr[16b](0x400)`.
Result<Expression> Parser::swizzled_pointer(Expression swizzle) {
  const PrintedPointer pointer = *match_pointer(lexer_.text(token_.span));
  advance();
  const std::size_t begin = swizzle.span.begin;
  return make(pointer.literal, span_from(begin), expressions_of(std::move(swizzle)));
}

/// `, outer`, `, swizzle_inner=False`: which bits change.
Result<bool> Parser::is_inner_swizzle() {
  if (is_word("swizzle_inner")) {
    advance();
    accept(TokenKind::kAssign);
  }
  for (const auto& [word, is_inner] :
       {std::pair("inner", true), std::pair("outer", false), std::pair("True", true),
        std::pair("False", false), std::pair("true", true), std::pair("false", false)}) {
    if (!is_word(word)) continue;
    advance();
    return is_inner;
  }
  return fail_unexpected("inner or outer");
}

Result<Expression> Parser::tvm_swizzle() {
  const Span opening = token_.span;
  TvmSwizzleLiteral node;
  open();
  HEDDLE_TRY(std::vector<Expression> parts, three_numbers("M, B, S"));
  if (accept(TokenKind::kComma)) {
    HEDDLE_TRY(node.is_inner, is_inner_swizzle());
  }
  return make_closed(TokenKind::kRightParenthesis, opening, node, std::move(parts));
}

Result<std::size_t> Parser::path_step() {
  if (token_.kind != TokenKind::kInteger || token_.negative) {
    return fail_unexpected("the number of a mode");
  }
  const auto step = static_cast<std::size_t>(token_.magnitude);
  advance();
  return step;
}

Result<Expression> Parser::basis() {
  const Span opening = token_.span;
  BasisLiteral node;
  open();
  do {
    HEDDLE_TRY(node.path.emplace_back(), path_step());
  } while (accept(TokenKind::kComma));
  return make_closed(TokenKind::kGreater, opening, std::move(node));
}

/// After `@` the number of a mode, as CuTe writes it, or the name of an axis.
Result<Expression> Parser::at_sign(Expression scale) {
  const std::size_t begin = scale.span.begin;
  BasisLiteral node;
  while (accept(TokenKind::kAt)) {
    const bool is_name = token_.kind == TokenKind::kName || token_.kind == TokenKind::kString;
    if (is_name && node.path.empty()) {
      HEDDLE_TRY(std::string axis, axis_name());
      return make(OnAxis{std::move(axis)}, span_from(begin), expressions_of(std::move(scale)));
    }
    if (token_.kind != TokenKind::kInteger) {
      return fail_unexpected("the number of a mode or the name of an axis");
    }
    HEDDLE_TRY(node.path.emplace_back(), path_step());
  }
  std::ranges::reverse(node.path);  // 8@1@0 is written from the innermost mode
  return make(std::move(node), span_from(begin), expressions_of(std::move(scale)));
}

/// `laneid`, `Axis.laneid`, `T.Axis.laneid`: the last name is the axis.
Result<std::string> Parser::axis_name() {
  if (token_.kind == TokenKind::kString) {
    HEDDLE_TRY(const Expression written, string());
    return std::get<StringLiteral>(written.node).value;
  }
  while (true) {
    if (token_.kind != TokenKind::kName) return fail_unexpected("the name of an axis");
    std::string name(lexer_.text(token_.span));
    std::erase(name, '\\');  // LaTeX writes tid\_in\_wg
    advance();
    if (!accept(TokenKind::kDot)) return name;
  }
}

/// `S[(8,2):(4@laneid,1@m)]`, `S[8:1@m]`, `S[8, 64]`, and R[…] likewise.
Result<Expression> Parser::iters() {
  const Span opening = token_.span;
  const ItersLiteral node{token_.kind == TokenKind::kReplicaOpen};
  open();
  if (token_.kind == TokenKind::kRightBracket) {
    return fail("syntax.empty_tuple", "a list of iters has at least one",
                {opening.begin, token_.span.end});
  }
  HEDDLE_TRY(std::vector<Expression> parts, cells(kSumLevel, TokenKind::kComma));
  if (parts.size() > 1) {
    if (token_.kind == TokenKind::kColon) {
      return fail("syntax.unexpected", "several extents before ':' need parentheses",
                  {parts.front().span.begin, token_.span.end}, "S[(8,2):(4@laneid,1@m)]");
    }
    HEDDLE_TRY(Expression tuple, listed(std::move(parts)));
    parts = expressions_of(std::move(tuple));
  }
  if (accept(TokenKind::kColon)) {
    HEDDLE_TRY(parts.emplace_back(), binary(kSumLevel));
  }
  return make_closed(TokenKind::kRightBracket, opening, node, std::move(parts));
}

/// `\begin{pmatrix}8&2\\ 4@\texttt{lane}&1@\texttt{m}\end{pmatrix}`: extents over strides.
Result<Expression> Parser::matrix() {
  const Span opening = token_.span;
  const bool is_replica = token_.kind == TokenKind::kReplicaMatrix;
  const TokenKind end = is_replica ? TokenKind::kReplicaMatrixEnd : TokenKind::kShardMatrixEnd;
  open();
  std::vector<Expression> rows;
  while (token_.kind != end || rows.empty()) {
    if (rows.size() == 2) return fail_unexpected("the end of the matrix after its two rows");
    HEDDLE_TRY(std::vector<Expression> row, cells(kSumLevel, TokenKind::kColumn));
    HEDDLE_TRY(rows.emplace_back(), listed(std::move(row)));
    if (!accept(TokenKind::kRow)) break;
  }
  return make_closed(end, opening, ItersLiteral{is_replica}, std::move(rows));
}

}  // namespace heddle::notation

#include "heddle/notation/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace heddle::notation {
namespace {

/// All words of a text; stops at the first refusal.
std::vector<TokenKind> kinds(std::string_view text) {
  Lexer lexer(text);
  std::vector<TokenKind> kinds;
  while (true) {
    const auto token = lexer.next();
    if (!token || token->kind == TokenKind::kEnd) return kinds;
    kinds.push_back(token->kind);
  }
}

std::vector<std::string> words(std::string_view text) {
  Lexer lexer(text);
  std::vector<std::string> words;
  while (true) {
    const auto token = lexer.next();
    if (!token || token->kind == TokenKind::kEnd) return words;
    words.emplace_back(lexer.text(token->span));
  }
}

Diagnostic refusal(std::string_view text) {
  Lexer lexer(text);
  while (true) {
    const auto token = lexer.next();
    if (!token) return token.error();
    if (token->kind == TokenKind::kEnd) return Diagnostic("", "nothing was refused");
  }
}

using enum TokenKind;

TEST(Lexer, ReadsEverySpellingOfIntegers) {
  Lexer lexer("12 _12 _-12");
  const auto plain = lexer.next();
  const auto compile_time = lexer.next();
  const auto negative = lexer.next();
  ASSERT_TRUE(plain && compile_time && negative);
  EXPECT_EQ(plain->magnitude, 12U);
  EXPECT_EQ(compile_time->magnitude, 12U);
  EXPECT_EQ(compile_time->span, (Span{3, 6}));
  EXPECT_EQ(negative->magnitude, 12U);
  EXPECT_TRUE(negative->negative);
}

TEST(Lexer, TellsUnderscoresNamesAndTheCompositionSignApart) {
  EXPECT_EQ(kinds("_ o \u2218 out A_1 _a"),
            (std::vector{kUnderscore, kCompose, kCompose, kName, kName, kName}));
}

TEST(Lexer, OpensSwizzlesAndBases) {
  EXPECT_EQ(words("Sw<3 S<3 Swizzle<3 E<0 Sw <3"),
            (std::vector<std::string>{"Sw<", "3", "S<", "3", "Swizzle<", "3", "E<", "0", "Sw", "<",
                                      "3"}));
}

TEST(Lexer, TakesTheLongestSign) {
  EXPECT_EQ(kinds("== = != <= < >= > // % @ : ;"),
            (std::vector{kEqual, kAssign, kNotEqual, kLessEqual, kLess, kGreaterEqual, kGreater,
                         kFloorDivide, kPercent, kAt, kColon, kSemicolon}));
}

TEST(Lexer, SkipsCommentsButNotAttributes) {
  EXPECT_EQ(words("4 # a layout\n8 ## more\n#!x"),
            (std::vector<std::string>{"4", "\n", "8", "\n"}));
}

TEST(Lexer, ReadsStringsWithEscapes) {
  EXPECT_EQ(words("\"a b\" \"c\\\"d\""), (std::vector<std::string>{"\"a b\"", "\"c\\\"d\""}));
  EXPECT_EQ(refusal("x \"abc").code(), "syntax.unbalanced");
  EXPECT_EQ(refusal("\"abc\\").code(), "syntax.unbalanced");
  EXPECT_EQ(refusal("\"abc\ndef\"").code(), "syntax.unbalanced");
}

TEST(Lexer, RefusesNumbersPast64Bits) {
  EXPECT_EQ(kinds("9223372036854775808"), std::vector{kInteger});  // the parser may negate it
  const Diagnostic diagnostic = refusal("4 + 9223372036854775809");
  EXPECT_EQ(diagnostic.code(), "syntax.number");
  EXPECT_EQ(diagnostic.message(), "'9223372036854775809' is not an integer from -2^63 to 2^63-1");
  EXPECT_EQ(diagnostic.span(), (Span{4, 23}));
  EXPECT_EQ(refusal(std::string(1000, '1')).message(),
            "'1111111111111111…1111111111111111' is not an integer from -2^63 to 2^63-1");
}

TEST(Lexer, RefusesNumbersThatRunIntoLetters) {
  const Diagnostic diagnostic = refusal("4abc");
  EXPECT_EQ(diagnostic.code(), "syntax.number");
  EXPECT_EQ(diagnostic.span(), (Span{1, 2}));
}

TEST(Lexer, KnowsWhatBeginsPiecesOfAxeLayouts) {
  EXPECT_EQ(kinds("S[8] R[2] SW(3,3,3) S R SW").front(), kShardOpen);
  EXPECT_EQ(kinds("R[2]").front(), kReplicaOpen);
  EXPECT_EQ(kinds("SW(3,4,3)").front(), kTvmSwizzleOpen);
  EXPECT_EQ(kinds("S R SW MS[8]"),
            (std::vector{kName, kName, kName, kName, kLeftBracket, kInteger, kRightBracket}));
}

TEST(Lexer, ReadsLatexOfMatrices) {
  EXPECT_EQ(kinds("\\begin{pmatrix}8&2\\\\ 1@\\texttt{m}\\,&\\;1\\end{pmatrix}\\circ\\cdot\\%"),
            (std::vector{kShardMatrix, kInteger, kColumn, kInteger, kRow, kInteger, kAt, kName,
                         kColumn, kInteger, kShardMatrixEnd, kCompose, kStar, kPercent}));
  EXPECT_EQ(words("\\texttt{tid\\_in\\_wg}"), std::vector<std::string>{"tid\\_in\\_wg"});
  EXPECT_EQ(kinds("\\mathrm{SW}(3"), (std::vector{kTvmSwizzleOpen, kInteger}));
  for (const std::string_view text : {"\\foo", "\\texttt{", "\\texttt{}", "\\texttt{a b}", "\\"})
    EXPECT_EQ(refusal(text).code(), "syntax.unexpected") << text;
}

TEST(Lexer, KnowsForeignTextsAndUnknownNumbersByTheirBeginning) {
  for (const std::string_view text :
       {"Layout<Shape<_4>>", "Shape<_4,_8>", "Int<8>{}", "cute::size", "std::size_t",
        "const struct Layout<", "!cute.layout<", "{ [i] -> [i] }", "[N] -> { [i] -> [i] }"}) {
    EXPECT_EQ(kinds(text).front(), kForeign) << text;
  }
  EXPECT_EQ(kinds("smem_ptr[16b](0x400) gmem_ptr[32b](unset) tmem_[32b](0x0000.0040)"),
            (std::vector{kForeign, kForeign, kForeign}));
  EXPECT_EQ(kinds("? ?{div=16} ?{i64} ?{i64 div=16} _8{}"),
            (std::vector{kDynamic, kDynamic, kDynamic, kDynamic, kInteger, kEmptyBraces}));
  EXPECT_EQ(words("tile smem_ptr Layout C"),
            (std::vector<std::string>{"tile", "smem_ptr", "Layout", "C"}));
  for (const std::string_view text :
       {"?{div=0}", "?{dim=4}", "?{div=", "?{div=99999999999999999999}"})
    EXPECT_EQ(refusal(text).code(), "syntax.unexpected") << text;
}

TEST(Lexer, RefusesTemplateArguments) {
  for (const std::string_view text : {"get<0>(x)", "size<0,1>(x)", "upcast<8>(x)",
                                      "recast<16, 128>(x)", "group_modes<_0,_2>(x)"}) {
    EXPECT_EQ(refusal(text).code(), "syntax.reserved") << text;
  }
  EXPECT_EQ(refusal("get<0>(x)").message(), "'get<0>' has template arguments, as in C++");
  EXPECT_EQ(refusal("get<0>(x)").hint(), "template arguments are ordinary arguments: get(L, 0)");
  EXPECT_EQ(refusal("size<0,1>(x)").hint(),
            "template arguments are ordinary arguments: size(get(L, 0,1))");
  EXPECT_EQ(refusal("group_modes<_0,_2>(x)").hint(),
            "template arguments are ordinary arguments: group_modes(L, 0,2)");
  EXPECT_EQ(refusal("A<4, B<(4), A<4>5").code(), "");
}

TEST(Lexer, ReadsHexAndBinaryIntegers) {
  Lexer lexer("0x40 0b101 0Xff _0x10 -0x8000000000000000");
  for (const std::uint64_t magnitude : {64U, 5U, 255U, 16U}) {
    EXPECT_EQ(lexer.next()->magnitude, magnitude);
  }
  EXPECT_EQ(kinds("-0x8000000000000000"), (std::vector{kMinus, kInteger}));
  EXPECT_EQ(refusal("0x10000000000000000").message(),
            "'0x10000000000000000' is not an integer from -2^63 to 2^63-1");
  for (const std::string_view text : {"0x", "0b2", "0b12", "0xg"}) {
    EXPECT_EQ(refusal(text).code(), "syntax.number") << text;
  }
}

TEST(Lexer, ReadsTheWordsOfKernels) {
  const auto kernel_kinds = [](std::string_view text) {
    Lexer lexer(text);
    lexer.read_kernel(true);
    std::vector<TokenKind> kinds;
    while (true) {
      const auto token = lexer.next();
      if (!token || token->kind == TokenKind::kEnd) return kinds;
      kinds.push_back(token->kind);
    }
  };
  EXPECT_EQ(kernel_kinds("0.5 1e-5 2.5E+3 1e9"), (std::vector{kReal, kReal, kReal, kReal}));
  EXPECT_EQ(kernel_kinds("5 0x1e5 _2"), (std::vector{kInteger, kInteger, kInteger}));
  EXPECT_EQ(kernel_kinds("S[0] R o #comment"),
            (std::vector{kName, kLeftBracket, kInteger, kRightBracket, kName, kName}));
  EXPECT_EQ(kernel_kinds("{} / x"), (std::vector{kLeftBrace, kRightBrace, kSlash, kName}));
  EXPECT_EQ(kinds("0.5"), (std::vector{kInteger, kDot, kInteger}));
}

TEST(Lexer, SkipsAByteOrderMark) {
  EXPECT_EQ(words("\xef\xbb\xbf# a comment\n4"), (std::vector<std::string>{"\n", "4"}));
  EXPECT_EQ(refusal("4\xef\xbb\xbf").code(), "syntax.unexpected");
}

TEST(Lexer, NamesUnexpectedCharacters) {
  EXPECT_EQ(refusal("4 $ 2").message(), "'$' begins nothing that is known here");
  EXPECT_EQ(refusal("4 \u00e9").message(), "'\u00e9' begins nothing that is known here");
  EXPECT_EQ(refusal("4 \x01").message(), "byte 0x01 begins nothing that is known here");
}

TEST(Encoding, RefusesNulAndBrokenUtf8) {
  using std::string_view_literals::operator""sv;
  EXPECT_TRUE(check_encoding("(4,8) \u2218 \U0001F600"));
  EXPECT_EQ(check_encoding("(4,\0"sv).error().message(), "byte 3 is NUL");
  for (const auto broken : {"\xff"sv, "\xc3"sv, "\xc0\x80"sv, "\xe0\x80\x80"sv, "\xed\xa0\x80"sv,
                            "\xf4\x90\x80\x80"sv, "\x80"sv}) {
    const auto result = check_encoding(broken);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), "syntax.encoding");
    EXPECT_EQ(result.error().span(), (Span{0, 1}));
  }
}

TEST(Quote, ShortensLongTextsBetweenCharacters) {
  EXPECT_EQ(quote("(4,8)"), "'(4,8)'");
  std::string text;
  for (int i = 0; i < 30; ++i) text += "\u00e9";
  EXPECT_TRUE(check_encoding(quote(text)));
  EXPECT_EQ(quote("x" + text).substr(0, 4), "'x\u00e9");
}

}  // namespace
}  // namespace heddle::notation

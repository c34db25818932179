// Operations on sizes known by name: results and refusals that users of CuTe ask for.

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "heddle/cute/algebra.h"
#include "heddle/notation/evaluator.h"

namespace heddle::cute {
namespace {

struct Row {
  std::string assumed;
  std::string expression;
  /// The result, or the hint of the refusal `assume.needed`.
  std::string expected;
};

std::ostream& operator<<(std::ostream& stream, const Row& row) {
  return stream << row.expression << " where " << row.assumed;
}

std::string outcome(const Row& row) {
  notation::Environment environment;
  if (!row.assumed.empty()) {
    if (const auto assumed = environment.assume(row.assumed); !assumed) {
      return assumed.error().to_string();
    }
  }
  const auto value = notation::evaluate(row.expression, environment);
  if (value) return to_string(*value);
  if (value.error().code() != "assume.needed") return value.error().to_string();
  return value.error().hint().empty() ? value.error().message() : value.error().hint();
}

class SymbolicResult : public testing::TestWithParam<Row> {};

TEST_P(SymbolicResult, IsAsExpected) { EXPECT_EQ(outcome(GetParam()), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Composition, SymbolicResult,
    testing::Values(
        // A right side along several modes of the left one, with a dynamic extent.
        Row{"", "(4096,8192):(1,4096) o (32,N,8,128):(1@0,8@1,1@1,32@0)",
            "(32,N,8,128):(1,32768,4096,32)"},
        Row{"", "(M,N):(N,1) o (8,4):(1@1,1@0)", "(8,4):(1,N)"},
        // Dynamic right sides.
        Row{"", "64:2 o N:1", "N:2"}, Row{"", "(8,8):(8,1) o N:1", "try --assume 'N%8==0'"},
        Row{"N%8==0", "(8,8):(8,1) o N:1", "(8,N//8):(8,1)"},
        Row{"N<=8", "(8,8):(8,1) o N:1", "N:8"},
        Row{"", "(8,8):(8,1) o 8:S", "try --assume 'S%8==0'"},
        Row{"S%8==0", "(8,8):(8,1) o 8:S", "8:S//8"},
        // Dynamic left sides.
        Row{"", "(M,8):(8,1) o 4:1", "try --assume 'M>=4'"},
        Row{"M>=4", "(M,8):(8,1) o 4:1", "4:8"},
        Row{"M%4==0", "(M,8):(8,1) o (4,M//4):(1,4)", "(4,M//4):(8,32)"},
        Row{"M%4==0", "(M,N):(K,1) o (4,M//4,N):(1,4,M)", "(4,M//4,N):(K,4*K,1)"},
        // Digits that would carry are found among symbols too.
        Row{"M%8==0", "(M,N):(N,1) o (8,4):(1,8)", "try --assume 'M>=32'"},
        Row{"M%32==0", "(M,N):(N,1) o (8,4):(1,8)", "(8,4):(N,8*N)"},
        // What is wrong for every number is refused as it is for numbers.
        Row{"", "(4,6,M):(1,5,30) o 6:1",
            "error composition.no_layout: (4,6,M):(1,5,30) o 6:1 is not a layout\n"
            "  6:1 runs through the left side's first mode (4) and 2 of its second (6*M); 6 is not "
            "a multiple of 4\n"
            "  witness: coordinate 4 maps to 5; a mode 6:1 would need 4"}));

INSTANTIATE_TEST_SUITE_P(Coalesce, SymbolicResult,
                         testing::Values(Row{"", "coalesce((M,N,K):(1,M,M*N))", "K*M*N:1"},
                                         Row{"", "coalesce((2,(1,N)):(M,(7,2*M)))", "2*N:M"},
                                         Row{"", "coalesce((M,N):(N,1))", "(M,N):(N,1)"},
                                         Row{"M==4", "coalesce((M,N):(1,4))", "4*N:1"}));

INSTANTIATE_TEST_SUITE_P(
    Divides, SymbolicResult,
    testing::Values(
        Row{"M%128==0", "logical_divide((M,N):(N,1), <128,64>)",
            "((128,M//128),(64,(N+63)//64)):((N,128*N),(1,64))"},
        Row{"M%BM==0, N%BN==0", "zipped_divide((M,N):(1,M), <BM,BN>)",
            "((BM,BN),(M//BM,N//BN)):((1,M),(BM,BN*M))"},
        // One mode by a run, and the same by definition.
        Row{"M%128==0", "logical_divide(M:K, 128)", "(128,M//128):(K,128*K)"},
        Row{"M%128==0", "M:K o make_layout(128:1, complement(128:1, M))", "(128,M//128):(K,128*K)"},
        Row{"M%B==0", "logical_divide(M:K, B)", "(B,M//B):(K,B*K)"},
        Row{"", "logical_divide(M:1@1, 64)", "(64,(M+63)//64):(1@1,64@1)"},
        Row{"M<=64", "logical_divide(M:K, 128)", "(128,1):(K,0)"},
        Row{"M%8==0", "logical_divide((M,N):(1,M), (4,2):(1,4))", "((4,2),N*(M//8)):((1,4),8)"},
        Row{"M%16==0", "flat_divide((M,8):(8,1), <16,8>)", "(16,8,M//16,1):(8,1,128,0)"},
        Row{"N>=1", "complement((4,M):(1,8), N)", "try --assume 'M>=2'"}));

INSTANTIATE_TEST_SUITE_P(
    Others, SymbolicResult,
    testing::Values(Row{"N>=2", "right_inverse((M,N):(N,1))", "(N,M):(M,1)"},
                    Row{"N%M==0", "complement(M:1, N)", "N//M:M"},
                    Row{"N>=1", "complement(M:1, N)", "(N-1)//M+1:M"},
                    Row{"", "blocked_product((4,8):(8,1), (M,N):(1,M))",
                        "((4,M),(8,N)):((8,32),(1,32*M))"},
                    Row{"", "make_ordered_layout((M,N,K), (2,0,1))", "(M,N,K):(K*N,1,N)"},
                    Row{"", "cosize((M,N):(N,1))", "M*N"},
                    Row{"K%4==0", "recast((M,K):(K,1), 16, 64)", "(M,K//4):(K//4,1)"},
                    Row{"M%8==0, K%64==0", "tile_to_shape(Sw<3,4,3> o 0 o (8,64):(64,1), (M,K))",
                        "Sw<3,4,3> o 0 o ((8,M//8),(64,K//64)):((64,512),(1,64*M))"},
                    Row{"", "(M,N):(1,M) == (M,N)", "yes  (digit form)"}));

INSTANTIATE_TEST_SUITE_P(
    OneElement, SymbolicResult,
    testing::Values(
        // With one element the mode of stride 6 leaves no gap, and the copies begin at 4.
        Row{"", "logical_product((4,K):(1,6), 8:1)", "try --assume 'K>=2'"},
        Row{"K>=2", "logical_product((4,K):(1,6), 8:1)", "((4,K),8):((1,6),6*K)"},
        Row{"", "logical_product((4,K):(1,4), 8:1)", "((4,K),8):((1,4),4*K)"},
        // Modes of one stride are rivals only where the layout counts along one of them.
        Row{"", "right_inverse((M,N,8):(0,0,1))", "8:M*N"},
        Row{"", "right_inverse((2*M+1,2):(4,4))", "1:0"},
        // What one element would be enough for is not refused for good.
        Row{"", "inverse((K,4):(5,1))", "try --assume 'K==1'"},
        Row{"K==1", "inverse((K,4):(5,1))", "4:1"},
        Row{"", "left_inverse((4,K):(1,1))", "try --assume 'K==1'"},
        Row{"", "complement((4,K):(1,2), 64)", "try --assume 'K==1'"}));

INSTANTIATE_TEST_SUITE_P(Common, SymbolicResult,
                         testing::Values(Row{"", "max_alignment((4,N+2):(N+2,1))", "4*N+8"},
                                         Row{"", "max_common_vector(M:1, N:1)", "min(M,N)"},
                                         Row{"", "max_common_layout((M,N):(1,M), (M,N):(1,M))",
                                             "M*N:1"},
                                         Row{"", "max_common_vector((3,K):(1,5), 7:1)", "3"}));

}  // namespace
}  // namespace heddle::cute

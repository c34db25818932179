#include "notation/diagnose/cute_assertions.h"

#include <algorithm>
#include <iterator>

namespace heddle::notation {
namespace {

constexpr std::string_view kCopyAdvice =
    "choose a copy operation as wide as what is contiguous in both, or give the tensors layouts in "
    "which that many elements are contiguous";
constexpr std::string_view kStaticAdvice =
    "make the numbers compile-time ones: Int<N>{} in place of N";
constexpr std::string_view kCanonical =
    "the shared-memory layout of an operand of a warp-group MMA must be one of the canonical ones "
    "that its descriptor can describe";
constexpr std::string_view kCanonicalAdvice =
    "take a layout atom of CuTe, such as GMMA::Layout_K_SW128_Atom<T>, and tile_to_shape() it";

// If one message contains another, the longer one comes first.
constexpr CuteAssertion kAssertions[] = {
    // composition
    {"Shape Divisibility Condition",
     "in composition(A, B), wherever a mode of B takes what it can from a mode of A, "
     "the rest of its extent must be a multiple of that",
     "let the extent of B divide, or be divided by, the extents of A it runs through"},
    {"Stride Divisibility Condition",
     "in composition(A, B), the stride of a mode of B must be a multiple of each "
     "extent of A that it steps over, or smaller than it",
     "choose B's stride so that it steps over whole modes of A"},
    // complement, inverses
    {"Non-injective Layout detected in complement",
     "complement(A, M) exists for layouts that map no two coordinates to one index and "
     "whose modes do not interleave",
     "give A strides that do not overlap; filter(A) drops modes of stride 0"},
    {"Dynamic-stride complement only for rank-1 layouts",
     "complement(A, M) sorts the modes of A by stride, which must be compile-time "
     "numbers where there is more than one",
     kStaticAdvice},
    {"Left inverse requires static strides",
     "left_inverse(A) sorts the modes of A by stride, which must be compile-time "
     "numbers",
     kStaticAdvice},
    {"Left inverse divisibility condition",
     "in left_inverse(A), each stride must be a multiple of the size of the inverse "
     "made so far",
     "left_inverse(A) exists where each stride of A divides the next one"},
    {"Require offset == 0",
     "the inverse of a composed layout is taken without an "
     "offset between swizzle and layout",
     ""},
    {"Require Swizzle offset == 0", "a swizzled layout is a tiler only without an offset", ""},
    // divides, products, tilings
    {"logical_divide: Too many modes in tiler",
     "a tiler by mode has at most as many modes as the layout it divides",
     "drop modes of the tiler, or give the layout more modes (append(L, mode))"},
    {"logical_product: Too many modes in tiler",
     "a tiler by mode has at most as many modes as the layout it multiplies",
     "drop modes of the tiler, or give the layout more modes (append(L, mode))"},
    {"Rank of layout must be <= rank of target shape",
     "tile_to_shape(A, S) needs at least one mode of S for each mode of A", ""},
    {"tile_to_shape: block shape does not divide the target shape",
     "tile_to_shape(A, S) repeats A whole: each mode of A must divide that of S",
     "round the target up to a multiple of the block and predicate, or take another "
     "block"},
    {"take: empty range error", "take<B,E>(A) needs B < E", ""},
    {"take: range out of bounds",
     "take<B,E>(A) takes the modes from B up to, not including, E; E is at most the "
     "rank",
     ""},
    {"tuple_size<Tiler>::value <=", "a tiler by mode has at most as many modes as the layout", ""},
    {"tuple_size<IntTuple>::value <=", "a profile has at most as many modes as the layout", ""},
    // recast
    {"Divisibility condition",
     "in upcast<N>(A), each stride must be a multiple of N or divide it: else wider "
     "elements begin between those of A",
     "recast before rearranging, or choose strides that are multiples of the vector"},
    {"N must be a power of two", "a swizzle acts on bits: it is recast by powers of two", ""},
    // shapes and coordinates
    {"Divisibility Condition",
     "in shape_div(A, B), at each step one of the two numbers must divide the other",
     "choose a tile that divides the shape; ceil_div() rounds up instead"},
    {"Static shape_div failure",
     "in shape_div(A, B), at each step one of the two numbers must divide the other",
     "choose a tile that divides the shape; ceil_div() rounds up instead"},
    {"Static safe_div requires t % u == 0",
     "safe_div(a, b) of compile-time numbers must leave no remainder", ""},
    {"Mismatched tuple_size", "the tuples that are combined must have the same number of modes",
     ""},
    {"Mismatched Ranks", "a coordinate has as many modes as the shape it is for, or is one integer",
     ""},
    {"Mismatched ranks", "the tuples must have the same number of modes", ""},
    {"Need equal rank of shape and order", "an order names a place for each mode of the shape", ""},
    {"Invalid parameters",
     "an integer where the others are tuples: shape, stride and coordinate must fit "
     "one another",
     ""},
    {"Index out of range", "the tuple does not have the requested mode", ""},
    {"tuple index must be in range", "the tuple does not have the requested mode", ""},
    {"is_congruent", "the tuples must have the same nesting", ""},
    {"is_compatible", "the sizes of the shapes must agree, mode by mode", ""},
    {"Shape and Stride must be congruent", "shape and stride have the same nesting", ""},
    {"Arithmetic tuple op", "a coordinate is added to, or subtracted from, a number", ""},
    {"ScaledBasis op+ error", "a basis stride is added to a number other than 0", ""},
    // swizzles
    {"Can only merge swizzles of the same shift",
     "two swizzles become one only where both shift their bits by as many places", ""},
    {"abs(SShift) must be more than BBits",
     "Swizzle<B,M,S> needs |S| >= B, or the bits it reads and those it changes overlap", ""},
    {"MBase must be positive", "Swizzle<B,M,S> needs M >= 0", ""},
    {"BBits must be positive", "Swizzle<B,M,S> needs B >= 0", ""},
    {"Number of bits in Y and Z don't match",
     "make_swizzle<Y,Z>() needs two masks with the same number of bits", ""},
    {"Something went wrong",
     "make_swizzle<Y,Z>() needs masks that are runs of bits which do not overlap", ""},
    {"Requires pow2 shape*stride",
     "a swizzled tensor is sliced statically only where shape times stride is a power "
     "of two",
     ""},
    // tensors
    {"Dynamic owning tensors not supported",
     "make_tensor<T>(layout) holds its elements itself: the layout must be static", kStaticAdvice},
    {"Expected iterator iter in make_tensor",
     "make_tensor(pointer, layout) takes a pointer or iterator first", ""},
    {"Expected layout args", "make_tensor takes a layout, or shape and stride, last", ""},
    {"Expected a B-bit pointer type",
     "a layout with smem_ptr_flag_bits<B> goes with a pointer to B-bit elements",
     "recast the layout to the width of the elements"},
    {"Expected smem", "the tensor must be in shared memory",
     "wrap the pointer: make_smem_ptr(pointer)"},
    // copies
    {"CopyAtom: Src/Dst partitioning does not match the instruction requirement",
     "a copy atom moves the number of values that its instruction is wide; the first "
     "mode of source and destination must have exactly that number",
     kCopyAdvice},
    {"failed to vectorize into registers",
     "the registers of a copy must be contiguous elements as wide as its instruction", kCopyAdvice},
    {"CopyAtom rank-mismatch", "source, destination and predicate of a copy have the same rank",
     ""},
    {"TiledCopy uses too few thrs",
     "the threads of a tiled copy must be a multiple of those of its atom",
     "give the thread layout as many threads as the atom has, or a multiple"},
    {"TiledCopy uses too few vals",
     "the values a thread copies must be a multiple of those that its atom moves at "
     "once",
     "make the value layout larger, or choose a narrower copy operation"},
    {"Rank of tensor to be partitioned too small",
     "the tensor must have at least the modes of the tile", ""},
    {"CopyOperation is not valid for",
     "the element type of the atom does not divide what its instruction moves", ""},
    {"AtomTVLayout does not exist in the DataLayout",
     "the copy atom reads memory that the tensor's layout does not reach", ""},
    {"Expected rank-1", "an atom is called with tensors of one mode, the values of one thread", ""},
    {"Ambiguous scatter detected in copy",
     "a destination mode of stride 0 would be written with different values",
     "filter the destination, or give it strides other than 0"},
    {"Ambiguous race-condition detected",
     "a destination mode of stride 0 would be written with different values",
     "filter the destination, or give it strides other than 0"},
    {"Attempting a subbit write", "elements narrower than a byte are copied whole", ""},
    {"Expected at least 128-bits for BLKCP", "a bulk copy moves at least 16 contiguous bytes",
     kCopyAdvice},
    {"Bulk Copy requires copy vector size align to 16B",
     "a bulk copy moves a multiple of 16 contiguous bytes", kCopyAdvice},
    {"TMA requires CTA_Tile and SLayout top-level size equivalence",
     "the tile and the shared-memory layout of a TMA copy have the same size, mode by "
     "mode",
     ""},
    {"Could not find a common tile-gmem vectorization",
     "the tile of a TMA copy must hold a contiguous mode of the global tensor", ""},
    // matrix multiplication
    {"TiledMMA requires rank-3 AtomLayoutMNK",
     "the layout of a tiled MMA's atoms has three modes, M, N and K",
     "write Layout<Shape<_2,_2,_1>>"},
    {"TiledMMA requires rank-3 PermutationMNK",
     "the permutations of a tiled MMA are three, for M, N and K", "write Tile<_,_,_>"},
    {"TiledMMA requires", "the permutations of a tiled MMA are a static tile of M, N, K", ""},
    {"Not a canonical GMMA", kCanonical, kCanonicalAdvice},
    {"Not a canonical UMMA", kCanonical, kCanonicalAdvice},
    {"Unsupported layout swizzle", kCanonical, kCanonicalAdvice},
    {"GMMA Descriptors can only be constructed", kCanonical, kCanonicalAdvice},
    {"Expected registers in MMA_Atom::call", "this operand of an MMA atom is in registers", ""},
};

}  // namespace

const CuteAssertion* find_cute_assertion(std::string_view message) {
  const auto found = std::ranges::find_if(kAssertions, [&](const CuteAssertion& assertion) {
    return message.find(assertion.message) != std::string_view::npos;
  });
  return found == std::end(kAssertions) ? nullptr : &*found;
}

}  // namespace heddle::notation

#include <cute/tensor.hpp>
using namespace cute;

using Atom = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}));
using Tile = decltype(tile_to_shape(Atom{}, Shape<Int<12>, Int<100>>{}));
Tile tile;

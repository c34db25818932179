#pragma once

// All of CuTe's layout algebra, for programs that do not choose among its headers:
//
//   cute::composition(*cute::make_layout({4, 8}, {8, 1}), *cute::make_layout(4))      4:8

#include "heddle/cute/admissibility.h"
#include "heddle/cute/complement.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/divide.h"
#include "heddle/cute/equality.h"
#include "heddle/cute/factorization.h"
#include "heddle/cute/instantiate.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/inverse.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/permutation.h"
#include "heddle/cute/product.h"
#include "heddle/cute/recast.h"
#include "heddle/cute/swizzle.h"
#include "heddle/cute/tabulate.h"
#include "heddle/cute/tiler.h"

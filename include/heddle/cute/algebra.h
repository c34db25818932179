#pragma once

// All of CuTe's layout algebra.

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

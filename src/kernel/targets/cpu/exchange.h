/// The upper halves of pieces of the first row change places with the lower halves of the other's.
#include "rows.h"
#define BITS 8
#define LOWER 0x00ff00ff00ff00ffull
//@ heddle_exchange_BITS(): heddle_row
static inline __attribute__((always_inline)) void heddle_exchange_BITS(heddle_row* a, heddle_row* b) {
  const heddle_halves x = (heddle_halves)*a;
  const heddle_halves y = (heddle_halves)*b;
//? JOINED
  *a = (heddle_row)heddle_joined(x, y, 0, 2);
  *b = (heddle_row)heddle_joined(x, y, 1, 3);
//?
//? SHIFTED
  const heddle_halves differ = ((x >> BITS) ^ y) & LOWER;
  *a = (heddle_row)(x ^ differ << BITS);
  *b = (heddle_row)(y ^ differ);
//?
}

// Solves equations between bits, which is what converting between linear layouts comes to.

#include <heddle/form/bit_matrix.h>

#include <iostream>

using heddle::Result;
using heddle::form::BitMatrix;

namespace {

void print(const Result<BitMatrix>& matrix) {
  if (matrix) {
    std::cout << to_string(*matrix) << "\n";
  } else {
    std::cout << matrix.error() << "\n";
  }
}

}  // namespace

int main() {
  // The bank of a word in swizzled rows: column bits XOR row bits. It is its own inverse.
  print(inverse(BitMatrix(4, {0b0001, 0b0010, 0b0101, 0b1010})));
  // Two columns alike: nothing tells which of them was meant.
  print(inverse(BitMatrix(2, {0b11, 0b11})));
  // The upper bit alone is both columns together; the first column never makes it.
  print(solve(BitMatrix(2, {0b01, 0b11}), BitMatrix(2, {0b10})));
  print(solve(BitMatrix(2, {0b01}), BitMatrix(2, {0b01, 0b10})));
  // Inputs are words too.
  print(transpose(BitMatrix::zeros(2, 65)));
}

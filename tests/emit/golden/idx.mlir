// idx: the map of Sw<1,1,1> o 4 o (3,(2,2)):(-2,(1,6)), a CuTe layout.
// index of 32 bits or more: every number on the way is proved to be from -5 to 15.

// The place m in [0, 11] of a point (i, j): 0 <= i < 3, 0 <= j < 4.
func.func @idx(%i: index, %j: index) -> index {
  %c1 = arith.constant 1 : index
  %0 = arith.shrsi %j, %c1 : index
  %1 = affine.apply affine_map<(d0) -> (d0 + 1)>(%0)
  %2 = affine.apply affine_map<(d0, d1, d2) -> ((d0 - d1) floordiv 2 + d2)>(%0, %i, %1)
  %3 = arith.andi %2, %c1 : index
  %4 = arith.shli %3, %c1 : index
  %5 = affine.apply affine_map<(d0, d1, d2) -> (d0 + d1 * 4 - d2 * 2)>(%j, %1, %i)
  %6 = arith.xori %4, %5 : index
  return %6 : index
}

// The point (i, j) at a place m that idx gives.
func.func @idx_inverse(%m: index) -> (index, index) {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %0 = arith.shrsi %m, %c2 : index
  %1 = arith.andi %0, %c1 : index
  %2 = arith.shli %1, %c1 : index
  %3 = arith.xori %m, %2 : index
  %4 = affine.apply affine_map<(d0) -> (d0 floordiv 6)>(%3)
  %5 = affine.apply affine_map<(d0, d1) -> (d0 * 3 - d1 floordiv 2 + 2)>(%4, %3)
  %6 = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1 mod 2)>(%4, %3)
  return %5, %6 : index, index
}

// Whether (i, j) is a point of the layout.
func.func @idx_guard(%i: index, %j: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %0 = arith.cmpi sle, %c0, %i : index
  %1 = arith.cmpi slt, %i, %c3 : index
  %2 = arith.andi %0, %1 : i1
  %3 = arith.cmpi sle, %c0, %j : index
  %4 = arith.andi %2, %3 : i1
  %5 = arith.cmpi slt, %j, %c4 : index
  %6 = arith.andi %4, %5 : i1
  return %6 : i1
}

// A memref of 12 elements has a place for every point.

// The element of %data at (i, j).
func.func @idx_load(%data: memref<?xf32>, %i: index, %j: index) -> f32 {
  %0 = call @idx(%i, %j) : (index, index) -> index
  %1 = memref.load %data[%0] : memref<?xf32>
  return %1 : f32
}

// %value becomes the element of %data at (i, j).
func.func @idx_store(%value: f32, %data: memref<?xf32>, %i: index, %j: index) {
  %0 = call @idx(%i, %j) : (index, index) -> index
  memref.store %value, %data[%0] : memref<?xf32>
  return
}

// Along j, 2 elements are contiguous by proof.

// Of %data the 2 elements from (i, j) on, j a multiple of 2.
func.func @idx_load2(%data: memref<?xf32>, %i: index, %j: index) -> vector<2xf32> {
  %0 = call @idx(%i, %j) : (index, index) -> index
  %1 = vector.load %data[%0] : memref<?xf32>, vector<2xf32>
  return %1 : vector<2xf32>
}

// %value becomes the 2 elements from (i, j) on, j a multiple of 2.
func.func @idx_store2(%value: vector<2xf32>, %data: memref<?xf32>, %i: index, %j: index) {
  %0 = call @idx(%i, %j) : (index, index) -> index
  vector.store %value, %data[%0] : memref<?xf32>, vector<2xf32>
  return
}

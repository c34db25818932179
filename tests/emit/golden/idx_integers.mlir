// idx: the map of Sw<1,1,1> o 4 o (3,(2,2)):(-2,(1,6)), a CuTe layout.
// 32 bits: every number on the way is proved to be from -5 to 15.

// The place m in [0, 11] of a point (i, j): 0 <= i < 3, 0 <= j < 4.
func.func @idx(%i: i32, %j: i32) -> i32 {
  %c1_i32 = arith.constant 1 : i32
  %c2_i32 = arith.constant 2 : i32
  %0 = arith.shrsi %j, %c1_i32 : i32
  %1 = arith.addi %0, %c1_i32 : i32
  %2 = arith.subi %0, %i : i32
  %3 = arith.shrsi %2, %c1_i32 : i32
  %4 = arith.addi %3, %1 : i32
  %5 = arith.andi %4, %c1_i32 : i32
  %6 = arith.shli %5, %c1_i32 : i32
  %7 = arith.shli %1, %c2_i32 : i32
  %8 = arith.addi %j, %7 : i32
  %9 = arith.shli %i, %c1_i32 : i32
  %10 = arith.subi %8, %9 : i32
  %11 = arith.xori %6, %10 : i32
  return %11 : i32
}

// The point (i, j) at a place m that idx gives.
func.func @idx_inverse(%m: i32) -> (i32, i32) {
  %c2_i32 = arith.constant 2 : i32
  %c1_i32 = arith.constant 1 : i32
  %c6_i32 = arith.constant 6 : i32
  %c3_i32 = arith.constant 3 : i32
  %0 = arith.shrsi %m, %c2_i32 : i32
  %1 = arith.andi %0, %c1_i32 : i32
  %2 = arith.shli %1, %c1_i32 : i32
  %3 = arith.xori %m, %2 : i32
  %4 = arith.divui %3, %c6_i32 : i32
  %5 = arith.muli %c3_i32, %4 : i32
  %6 = arith.addi %5, %c2_i32 : i32
  %7 = arith.shrsi %3, %c1_i32 : i32
  %8 = arith.subi %6, %7 : i32
  %9 = arith.shli %4, %c1_i32 : i32
  %10 = arith.andi %3, %c1_i32 : i32
  %11 = arith.addi %9, %10 : i32
  return %8, %11 : i32, i32
}

// Whether (i, j) is a point of the layout.
func.func @idx_guard(%i: i32, %j: i32) -> i1 {
  %c0_i32 = arith.constant 0 : i32
  %c3_i32 = arith.constant 3 : i32
  %c4_i32 = arith.constant 4 : i32
  %0 = arith.cmpi sle, %c0_i32, %i : i32
  %1 = arith.cmpi slt, %i, %c3_i32 : i32
  %2 = arith.andi %0, %1 : i1
  %3 = arith.cmpi sle, %c0_i32, %j : i32
  %4 = arith.andi %2, %3 : i1
  %5 = arith.cmpi slt, %j, %c4_i32 : i32
  %6 = arith.andi %4, %5 : i1
  return %6 : i1
}

// A memref of 12 elements has a place for every point.

// The element of %data at (i, j).
func.func @idx_load(%data: memref<?xf32>, %i: i32, %j: i32) -> f32 {
  %0 = call @idx(%i, %j) : (i32, i32) -> i32
  %1 = arith.index_cast %0 : i32 to index
  %2 = memref.load %data[%1] : memref<?xf32>
  return %2 : f32
}

// %value becomes the element of %data at (i, j).
func.func @idx_store(%value: f32, %data: memref<?xf32>, %i: i32, %j: i32) {
  %0 = call @idx(%i, %j) : (i32, i32) -> i32
  %1 = arith.index_cast %0 : i32 to index
  memref.store %value, %data[%1] : memref<?xf32>
  return
}

// Along j, 2 elements are contiguous by proof.

// Of %data the 2 elements from (i, j) on, j a multiple of 2.
func.func @idx_load2(%data: memref<?xf32>, %i: i32, %j: i32) -> vector<2xf32> {
  %0 = call @idx(%i, %j) : (i32, i32) -> i32
  %1 = arith.index_cast %0 : i32 to index
  %2 = vector.load %data[%1] : memref<?xf32>, vector<2xf32>
  return %2 : vector<2xf32>
}

// %value becomes the 2 elements from (i, j) on, j a multiple of 2.
func.func @idx_store2(%value: vector<2xf32>, %data: memref<?xf32>, %i: i32, %j: i32) {
  %0 = call @idx(%i, %j) : (i32, i32) -> i32
  %1 = arith.index_cast %0 : i32 to index
  vector.store %value, %data[%1] : memref<?xf32>, vector<2xf32>
  return
}

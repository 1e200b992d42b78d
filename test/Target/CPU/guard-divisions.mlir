// RUN: cutl-opt %s --cutl-cpu-convert-math | FileCheck %s

// A division by 0 has no value; that of the least integer by -1 has none
// either. Neither may stop the program.
// CHECK-LABEL: func @signed(
// CHECK-SAME:      %[[X:.*]]: i32, %[[Y:.*]]: i32)
// CHECK-DAG:     %[[BY_ZERO:.*]] = arith.cmpi eq, %[[Y]], %{{.*}} : i32
// CHECK-DAG:     %[[BY_MINUS_ONE:.*]] = arith.cmpi eq, %[[Y]], %{{.*}} : i32
// CHECK-DAG:     %[[OF_LEAST:.*]] = arith.cmpi eq, %[[X]], %{{.*}} : i32
// CHECK:         %[[OVERFLOWS:.*]] = arith.andi
// CHECK:         %[[BAD:.*]] = arith.ori %{{.*}}, %[[OVERFLOWS]] : i1
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         %[[SAFE:.*]] = arith.select %[[BAD]], %[[ONE]], %[[Y]] : i32
// CHECK:         arith.divsi %[[X]], %[[SAFE]] : i32
// CHECK:         arith.remsi %[[X]], %{{.*}} : i32
func.func @signed(%x: i32, %y: i32) -> (i32, i32) {
  %0 = arith.divsi %x, %y : i32
  %1 = arith.remsi %x, %y : i32
  return %0, %1 : i32, i32
}

// CHECK-LABEL: func @unsigned(
// CHECK-SAME:      %[[X:.*]]: vector<4xi8>, %[[Y:.*]]: vector<4xi8>)
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0> : vector<4xi8>
// CHECK:         %[[BAD:.*]] = arith.cmpi eq, %[[Y]], %[[ZERO]] : vector<4xi8>
// CHECK:         %[[ONE:.*]] = arith.constant dense<1> : vector<4xi8>
// CHECK:         %[[SAFE:.*]] = arith.select %[[BAD]], %[[ONE]], %[[Y]] : vector<4xi1>, vector<4xi8>
// CHECK:         arith.divui %[[X]], %[[SAFE]] : vector<4xi8>
// CHECK:         arith.remui %[[X]], %{{.*}} : vector<4xi8>
func.func @unsigned(%x: vector<4xi8>, %y: vector<4xi8>) -> (vector<4xi8>, vector<4xi8>) {
  %0 = arith.divui %x, %y : vector<4xi8>
  %1 = arith.remui %x, %y : vector<4xi8>
  return %0, %1 : vector<4xi8>, vector<4xi8>
}

// A divisor that is known, and extents, need no guard.
// CHECK-LABEL: func @safe(
// CHECK-NOT:     arith.select
// CHECK:         return
func.func @safe(%x: i32, %i: index, %j: index) -> (i32, index) {
  %c7 = arith.constant 7 : i32
  %0 = arith.divsi %x, %c7 : i32
  %1 = arith.divui %i, %j : index
  return %0, %1 : i32, index
}

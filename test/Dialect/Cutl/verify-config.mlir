// RUN: cutl-opt %s --cutl-verify-config | FileCheck %s

// Nothing is changed.

// CHECK-LABEL: func @pingpong
// CHECK:         config(#cutl.tile_config<cta = [128, 208, 64], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
func.func @pingpong(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 208, 64], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// CHECK-LABEL: func @cooperative
// CHECK:         config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative, cluster = [2, 1]>) schedule(#cutl.data_parallel) {
func.func @cooperative(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [256, 128, 64], stages = 3, kernel = cooperative, cluster = [2, 1]>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// CHECK-LABEL: func @single
// CHECK:         config(#cutl.tile_config<cta = [64, 256, 64], stages = 4, kernel = single, raster = n, raster_group = 1>) schedule(#cutl.data_parallel) {
func.func @single(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 256, 64], stages = 4, kernel = single, raster = n, raster_group = 1>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// CHECK-LABEL: func @swapped
// CHECK:         config(#cutl.tile_config<cta = [64, 8, 64], stages = 8, kernel = single, swap_operands = true>) schedule(#cutl.data_parallel) {
func.func @swapped(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [64, 8, 64], stages = 8, kernel = single, swap_operands = true>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: f32):
    cutl.yield %acc : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// CHECK-LABEL: func @bytes
// CHECK:         config(#cutl.tile_config<cta = [128, 192, 128], stages = 4, kernel = pingpong>) schedule(#cutl.data_parallel) {
func.func @bytes(%a: tensor<512x512xi8>, %b: tensor<512x512xi8>, %d: tensor<512x512xi32>) -> tensor<512x512xi32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 192, 128], stages = 4, kernel = pingpong>)
      schedule(#cutl.data_parallel) {
  ^bb0(%acc: i32):
    cutl.yield %acc : i32
  } : (tensor<512x512xi8>, tensor<512x512xi8>, tensor<512x512xi32>) -> tensor<512x512xi32>
  return %0 : tensor<512x512xi32>
}

// Parts that meet take any epilogue, and are divided alike whatever m is.
// CHECK-LABEL: func @meeting_parts(
// CHECK:         schedule(#cutl.split_k<4, reduction = last_arriver>) {
func.func @meeting_parts(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n))
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<4, reduction = last_arriver>) {
  ^bb0(%acc: f32):
    %relu = cutl.relu %acc : f32
    cutl.yield %relu : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// CHECK-LABEL: func @meeting_parts_batch_invariant(
// CHECK:         schedule(#cutl.split_k<4, reduction = last_arriver>) {
func.func @meeting_parts_batch_invariant(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(batch_invariant)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<4, reduction = last_arriver>) {
  ^bb0(%acc: f32):
    %relu = cutl.relu %acc : f32
    cutl.yield %relu : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// Sums in any order are what the caller allows.
// CHECK-LABEL: func @parts_in_arrival_order(
// CHECK:         schedule(#cutl.split_k<8, reduction = arrival_order>) {
func.func @parts_in_arrival_order(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic = false)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<8, reduction = arrival_order>) {
  ^bb0(%acc: f32):
    %relu = cutl.relu %acc : f32
    cutl.yield %relu : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// CHECK-LABEL: func @shares_in_arrival_order(
// CHECK:         schedule(#cutl.stream_k<reduction = arrival_order>) {
func.func @shares_in_arrival_order(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(deterministic = false)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.stream_k<reduction = arrival_order>) {
  ^bb0(%acc: f32):
    %relu = cutl.relu %acc : f32
    cutl.yield %relu : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// CHECK-LABEL: func @turns(
// CHECK:         schedule(#cutl.split_k<4, reduction = turnstile>) {
func.func @turns(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>, %d: tensor<512x512xf32>) -> tensor<512x512xf32>
    attributes {cutl.target = #cutl.target<chip = "sm_90a">} {
  %0 = cutl.gemm ins(%a : (m, k), %b : (n, k)) outs(%d : (m, n)) execution(batch_invariant)
      config(#cutl.tile_config<cta = [128, 128, 64], stages = 4, kernel = cooperative>)
      schedule(#cutl.split_k<4, reduction = turnstile>) {
  ^bb0(%acc: f32):
    %relu = cutl.relu %acc : f32
    cutl.yield %relu : f32
  } : (tensor<512x512xf16>, tensor<512x512xf16>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
